//! `quantized_decomposed::quantize_per_tensor`: floats to quantized numbers, one scale for all.
//! Exactly as upstream's runtime. Torch takes the reciprocal of the scale in `float64`, which can make
//! a difference of one step at a tie if the scale is not a `float32`; quantizers give such that are.

use crate::util::args::{Done, broadcast_steps, order, same_layout};
use crate::util::num::{Elements, ElementsMut};
use crate::util::quant::{Quantizer, TENSOR_TYPES, TYPES, channel, channels, limits, scale_and_zero, stored};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `quantized_decomposed::quantize_per_tensor.out(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, Tensor(a!) out)`
pub const OUT: KernelDef =
    KernelDef::new("quantized_decomposed::quantize_per_tensor.out", 7, &[6], TYPES, out);
/// `quantized_decomposed::quantize_per_tensor.Tensor_out(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef =
    KernelDef::new("quantized_decomposed::quantize_per_tensor.Tensor_out", 7, &[6], TENSOR_TYPES, tensor_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    quantize(ctx, scale_and_zero(ctx, 1)?)
}

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (scale, zero_point) = channels(ctx, 1, 1)?;
    quantize(ctx, channel(&scale, zero_point.as_ref(), 0))
}

fn quantize(ctx: &KernelContext<'_, '_>, (scale, zero_point): (f32, i32)) -> Done {
    let input = ctx.tensor(0)?;
    let mut out = ctx.out_sized(6, &input.shape())?;
    stored(ctx, 5, out.dtype())?;
    let quantizer = Quantizer::new(scale, zero_point, limits(ctx, 3, out.dtype())?);
    if same_layout(&input, &out)
        && let Ok(input) = input.as_slice::<f32>()
        && let Ok(out) = out.as_mut_slice::<i8>()
    {
        for (q, &x) in out.iter_mut().zip(input) {
            *q = quantizer.of(x) as i8;
        }
        return Ok(());
    }
    let shape = input.shape();
    let walk = Walk::new(&shape, order(&out), [0], [&broadcast_steps(&input, &shape)?]);
    let (input, mut out) = (Elements::of(&input), ElementsMut::of(out));
    walk.each(&mut |n, [i]| out.set_i64(n, i64::from(quantizer.of(input.f32(i)))));
    Ok(())
}

crate::util::fixtures::like_torch!("quantize_per_tensor": OUT, TENSOR_OUT);
