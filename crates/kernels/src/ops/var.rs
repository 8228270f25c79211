//! `aten::var`: the variance over dimensions. The mean first, then the mean of the squared distances
//! from it, both with compensated sums. Within 4 ulp of torch.

use crate::util::args::{Done, dims};
use crate::util::elementwise::scalar;
use crate::util::math::Sum;
use crate::util::num::{ElementsMut, FLOATS};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::var.correction_out(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor(a!) out)`
pub const CORRECTION_OUT: KernelDef =
    KernelDef::new("aten::var.correction_out", 5, &[4], FLOATS, correction_out);
/// `aten::var.out(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::var.out", 5, &[4], FLOATS, out);

fn correction_out(ctx: &KernelContext<'_, '_>) -> Done {
    let correction = if ctx.is_none(2) { 1.0 } else { scalar(ctx, 2)?.float };
    var(ctx, correction)
}

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let correction = if ctx.bool(2)? { 1.0 } else { 0.0 };
    var(ctx, correction)
}

fn var(ctx: &KernelContext<'_, '_>, correction: f32) -> Done {
    let folded = dims(ctx, 1, ctx.shape(0)?.len())?;
    let reduction = Reduction::new(ctx, folded, ctx.bool(3)?)?;
    let out = ctx.out_sized(4, &reduction.shape()?)?;
    let count = reduction.count() as f32;
    let divisor = (count - correction).max(0.0);
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        let mut sum = Sum::default();
        folded.f32s(&mut |x| sum.add(x));
        let mean = sum.value() / count;
        let mut squares = Sum::default();
        folded.f32s(&mut |x| squares.add((x - mean) * (x - mean)));
        out.set_f32(at, squares.value() / divisor);
    })
}

crate::util::fixtures::like_torch!("var": CORRECTION_OUT, OUT);
