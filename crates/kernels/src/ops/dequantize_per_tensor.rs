//! `quantized_decomposed::dequantize_per_tensor`: quantized numbers to floats, one scale for all.
//! Exactly as torch and upstream's runtime; for `int32` as the runtime, which subtracts the zero point
//! before the conversion to float (torch: after it).

use crate::util::args::{Done, broadcast_steps, order, same_layout};
use crate::util::num::{Elements, ElementsMut};
use crate::util::quant::{TENSOR_TYPES, TYPES, channel, channels, dequantized, scale_and_zero, stored};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `quantized_decomposed::dequantize_per_tensor.out(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None, Tensor(a!) out)`
pub const OUT: KernelDef =
    KernelDef::new("quantized_decomposed::dequantize_per_tensor.out", 8, &[7], TYPES, out);
/// `quantized_decomposed::dequantize_per_tensor.Tensor_out(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new(
    "quantized_decomposed::dequantize_per_tensor.Tensor_out",
    8,
    &[7],
    TENSOR_TYPES,
    tensor_out,
);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    dequantize(ctx, scale_and_zero(ctx, 1)?)
}

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (scale, zero_point) = channels(ctx, 1, 1)?;
    dequantize(ctx, channel(&scale, zero_point.as_ref(), 0))
}

fn dequantize(ctx: &KernelContext<'_, '_>, (scale, zero_point): (f32, i32)) -> Done {
    let input = ctx.tensor(0)?;
    stored(ctx, 5, input.dtype())?;
    let mut out = ctx.out_sized(7, &input.shape())?;
    if same_layout(&input, &out)
        && let Ok(input) = input.as_slice::<i8>()
        && let Ok(out) = out.as_mut_slice::<f32>()
    {
        for (x, &q) in out.iter_mut().zip(input) {
            *x = dequantized(i32::from(q), scale, zero_point);
        }
        return Ok(());
    }
    let shape = input.shape();
    let walk = Walk::new(&shape, order(&out), [0], [&broadcast_steps(&input, &shape)?]);
    let (input, mut out) = (Elements::of(&input), ElementsMut::of(out));
    walk.each(&mut |n, [i]| out.set_f32(n, dequantized(input.i64(i) as i32, scale, zero_point)));
    Ok(())
}

crate::util::fixtures::like_torch!("dequantize_per_tensor": OUT, TENSOR_OUT);
