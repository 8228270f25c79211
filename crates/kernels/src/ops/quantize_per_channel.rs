//! `quantized_decomposed::quantize_per_channel`: floats to quantized numbers, one scale for each
//! position of a dimension. Exactly as upstream's runtime and torch.

use crate::util::args::{Done, dim, steps, with_dim};
use crate::util::num::{Elements, ElementsMut};
use crate::util::quant::{Quantizer, TENSOR_TYPES, channel, channels, limits, stored};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `quantized_decomposed::quantize_per_channel.out(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, Tensor(a!) out)`
pub const OUT: KernelDef =
    KernelDef::new("quantized_decomposed::quantize_per_channel.out", 8, &[7], TENSOR_TYPES, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(3)?, input.rank())?;
    let (scales, points) = channels(ctx, 1, input.dim(axis))?;
    let out = ctx.out_sized(7, &input.shape())?;
    stored(ctx, 6, out.dtype())?;
    let limits = limits(ctx, 4, out.dtype())?;
    let (from, to) = (steps(&input.strides()), steps(&out.strides()));
    let (step, out_step) = (from.get(axis).copied().unwrap_or(0), to.get(axis).copied().unwrap_or(0));
    let walk = Walk::logical(&with_dim(&input.shape(), axis, 1)?, [0, 0], [&to, &from]);
    let (elements, mut out) = (Elements::of(&input), ElementsMut::of(out));
    for c in 0..input.dim(axis) {
        let (scale, zero_point) = channel(&scales, points.as_ref(), c);
        let quantizer = Quantizer::new(scale, zero_point, limits);
        let walk = walk.from([c.wrapping_mul(out_step), c.wrapping_mul(step)]);
        walk.each(&mut |_, [o, i]| out.set_i64(o, i64::from(quantizer.of(elements.f32(i)))));
    }
    Ok(())
}

crate::util::fixtures::like_torch!("quantize_per_channel": OUT);
