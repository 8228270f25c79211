//! `quantized_decomposed::dequantize_per_channel`: quantized numbers to floats, one scale for each
//! position of a dimension. Exactly as upstream's runtime and torch.

use crate::util::args::{Done, dim, steps, with_dim};
use crate::util::num::{Elements, ElementsMut};
use crate::util::quant::{TENSOR_TYPES, channel, channels, dequantized, stored};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `quantized_decomposed::dequantize_per_channel.out(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None, Tensor(a!) out)`
pub const OUT: KernelDef =
    KernelDef::new("quantized_decomposed::dequantize_per_channel.out", 9, &[8], TENSOR_TYPES, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(3)?, input.rank())?;
    let (scales, points) = channels(ctx, 1, input.dim(axis))?;
    stored(ctx, 6, input.dtype())?;
    let out = ctx.out_sized(8, &input.shape())?;
    let (from, to) = (steps(&input.strides()), steps(&out.strides()));
    let (step, out_step) = (from.get(axis).copied().unwrap_or(0), to.get(axis).copied().unwrap_or(0));
    let walk = Walk::logical(&with_dim(&input.shape(), axis, 1)?, [0, 0], [&to, &from]);
    let (elements, mut out) = (Elements::of(&input), ElementsMut::of(out));
    for c in 0..input.dim(axis) {
        let (scale, zero_point) = channel(&scales, points.as_ref(), c);
        let walk = walk.from([c.wrapping_mul(out_step), c.wrapping_mul(step)]);
        walk.each(&mut |_, [o, i]| out.set_f32(o, dequantized(elements.i64(i) as i32, scale, zero_point)));
    }
    Ok(())
}

crate::util::fixtures::like_torch!("dequantize_per_channel": OUT);
