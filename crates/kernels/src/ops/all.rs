//! `aten::all`: whether all elements along a dimension, or all of a tensor, are not zero.

use crate::util::args::{Done, all as all_dims, bit, dim};
use crate::util::num::{ElementsMut, NUMERIC};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::all.out(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::all.out", 4, &[3], NUMERIC, out);
/// `aten::all.all_out(Tensor self, *, Tensor(a!) out)`
pub const ALL_OUT: KernelDef = KernelDef::new("aten::all.all_out", 2, &[1], NUMERIC, all_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = bit(dim(ctx.int(1)?, ctx.shape(0)?.len())?);
    all(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 3)
}

fn all_out(ctx: &KernelContext<'_, '_>) -> Done {
    all(ctx, &Reduction::new(ctx, all_dims(ctx.shape(0)?.len()), false)?, 1)
}

fn all(ctx: &KernelContext<'_, '_>, reduction: &Reduction<'_>, out: usize) -> Done {
    let out = ctx.out_sized(out, &reduction.shape()?)?;
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        let mut all = true;
        folded.each(&mut |_, i| all &= folded.elements.truth(i));
        out.set_i64(at, i64::from(all));
    })
}

crate::util::fixtures::like_torch!("all": OUT, ALL_OUT);
