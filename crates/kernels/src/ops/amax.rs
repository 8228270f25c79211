//! `aten::amax`: the largest element over dimensions; NaN if one is NaN. Exact.

use crate::util::args::{Done, dims};
use crate::util::math::maximum;
use crate::util::num::NUMERIC;
use crate::util::reduce::{Reduction, extreme};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::amax.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::amax.out", 4, &[3], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = dims(ctx, 1, ctx.shape(0)?.len())?;
    extreme(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 3, maximum, i64::max)
}

crate::util::fixtures::like_torch!("amax": OUT);
