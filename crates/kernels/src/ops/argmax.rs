//! `aten::argmax`: the position of the largest element along a dimension, or among all elements; the
//! first of equal ones. NaN counts as the largest.

use crate::util::args::{Done, all, bit, dim};
use crate::util::num::{ElementsMut, NUMERIC};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::argmax.out(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::argmax.out", 4, &[3], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let rank = ctx.shape(0)?.len();
    let folded = match ctx.opt_int(1)? {
        Some(d) => bit(dim(d, rank)?),
        None => all(rank),
    };
    let reduction = Reduction::new(ctx, folded, ctx.bool(2)?)?;
    reduction.not_empty()?;
    let out = ctx.out_sized(3, &reduction.shape()?)?;
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| out.set_i64(at, folded.first_extreme(true).0 as i64))
}

crate::util::fixtures::like_torch!("argmax": OUT);
