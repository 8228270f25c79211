//! `aten::amin`: the smallest element over dimensions; NaN if one is NaN. Exact.

use crate::util::args::{Done, dims};
use crate::util::math::minimum;
use crate::util::num::NUMERIC;
use crate::util::reduce::{Reduction, extreme};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::amin.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::amin.out", 4, &[3], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = dims(ctx, 1, ctx.shape(0)?.len())?;
    extreme(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 3, minimum, i64::min)
}

crate::util::fixtures::like_torch!("amin": OUT);
