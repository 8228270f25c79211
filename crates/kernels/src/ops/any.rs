//! `aten::any`: whether an element over dimensions is not zero. NaN is not zero.

use crate::util::args::{Done, all, bit, dim, dims};
use crate::util::num::{ElementsMut, NUMERIC};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::any.out(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::any.out", 4, &[3], NUMERIC, out);
/// `aten::any.dims_out(Tensor self, int[]? dim=None, bool keepdim=False, *, Tensor(a!) out)`
pub const DIMS_OUT: KernelDef = KernelDef::new("aten::any.dims_out", 4, &[3], NUMERIC, dims_out);
/// `aten::any.all_out(Tensor self, *, Tensor(a!) out)`
pub const ALL_OUT: KernelDef = KernelDef::new("aten::any.all_out", 2, &[1], NUMERIC, all_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = bit(dim(ctx.int(1)?, ctx.shape(0)?.len())?);
    any(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 3)
}

fn dims_out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = dims(ctx, 1, ctx.shape(0)?.len())?;
    any(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 3)
}

fn all_out(ctx: &KernelContext<'_, '_>) -> Done {
    any(ctx, &Reduction::new(ctx, all(ctx.shape(0)?.len()), false)?, 1)
}

fn any(ctx: &KernelContext<'_, '_>, reduction: &Reduction<'_>, out: usize) -> Done {
    let out = ctx.out_sized(out, &reduction.shape()?)?;
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        let mut any = false;
        folded.each(&mut |_, i| any |= folded.elements.truth(i));
        out.set_i64(at, i64::from(any));
    })
}

crate::util::fixtures::like_torch!("any": OUT, DIMS_OUT, ALL_OUT);
