//! `aten::mean`: the mean over dimensions. Within 2 ulp of torch (see [`super::sum`]); NaN over no
//! elements.

use crate::util::args::{Done, all, dims};
use crate::util::math::Sum;
use crate::util::num::{ElementsMut, NUMERIC};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::mean.out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::mean.out", 5, &[4], NUMERIC, out);
/// `aten::mean.dtype_out(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out)`
pub const DTYPE_OUT: KernelDef = KernelDef::new("aten::mean.dtype_out", 3, &[2], NUMERIC, dtype_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = dims(ctx, 1, ctx.shape(0)?.len())?;
    mean(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 4)
}

fn dtype_out(ctx: &KernelContext<'_, '_>) -> Done {
    mean(ctx, &Reduction::new(ctx, all(ctx.shape(0)?.len()), false)?, 2)
}

fn mean(ctx: &KernelContext<'_, '_>, reduction: &Reduction<'_>, out: usize) -> Done {
    let out = ctx.out_sized(out, &reduction.shape()?)?;
    let count = reduction.count() as f32;
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        let mut sum = Sum::default();
        folded.f32s(&mut |x| sum.add(x));
        out.set_f32(at, sum.value() / count);
    })
}

crate::util::fixtures::like_torch!("mean": OUT, DTYPE_OUT);
