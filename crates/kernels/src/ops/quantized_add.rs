//! `quantized_decomposed::add`: the sum of two quantized tensors, quantized. Each is dequantized, the
//! floats are added, and the sum is quantized, exactly as upstream's runtime does it.

use crate::util::args::Done;
use crate::util::args::{order, steps};
use crate::util::num::{Elements, ElementsMut};
use crate::util::quant::{Quantizer, TYPES, dequantized, limits, scale_and_zero};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef, KernelError};

/// `quantized_decomposed::add.out(Tensor a, float a_scale, int a_zero_point, int a_quant_min, int a_quant_max, Tensor b, float b_scale, int b_zero_point, int b_quant_min, int b_quant_max, float out_scale, int out_zero_point, int out_quant_min, int out_quant_max, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("quantized_decomposed::add.out", 15, &[14], TYPES, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (a, b) = (ctx.tensor(0)?, ctx.tensor(5)?);
    if a.shape() != b.shape() || a.dtype() != b.dtype() || ctx.dtype(14)? != a.dtype() {
        return Err(KernelError::Invalid(
            "both inputs and the output must have the same type, both inputs the same sizes",
        ));
    }
    let ((a_scale, a_zero), (b_scale, b_zero)) = (scale_and_zero(ctx, 1)?, scale_and_zero(ctx, 6)?);
    let (scale, zero_point) = scale_and_zero(ctx, 10)?;
    let quantizer = Quantizer::new(scale, zero_point, limits(ctx, 12, a.dtype())?);
    let out = ctx.out_sized(14, &a.shape())?;
    let walk = Walk::new(&a.shape(), order(&out), [0, 0], [&steps(&a.strides()), &steps(&b.strides())]);
    let (a, b, mut out) = (Elements::of(&a), Elements::of(&b), ElementsMut::of(out));
    walk.each(&mut |n, [i, j]| {
        let x = dequantized(a.i64(i) as i32, a_scale, a_zero);
        let y = dequantized(b.i64(j) as i32, b_scale, b_zero);
        out.set_i64(n, i64::from(quantizer.of(x + y)));
    });
    Ok(())
}

crate::util::fixtures::like_torch!("quantized_add": OUT);
