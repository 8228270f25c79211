//! `aten::max`: the largest element along a dimension and its position (the first of equal ones; NaN
//! counts as the largest), or the largest of all elements. Exact.

use crate::util::args::{Done, all};
use crate::util::math::maximum;
use crate::util::num::NUMERIC;
use crate::util::reduce::{Reduction, extreme, extreme_with_positions};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values)`
pub const DIM_MAX: KernelDef = KernelDef::new("aten::max.dim_max", 5, &[3, 4], NUMERIC, dim_max);
/// `aten::max.unary_out(Tensor self, *, Tensor(a!) out)`
pub const UNARY_OUT: KernelDef = KernelDef::new("aten::max.unary_out", 2, &[1], NUMERIC, unary_out);

fn dim_max(ctx: &KernelContext<'_, '_>) -> Done {
    extreme_with_positions(ctx, true)
}

fn unary_out(ctx: &KernelContext<'_, '_>) -> Done {
    let reduction = Reduction::new(ctx, all(ctx.shape(0)?.len()), false)?;
    extreme(ctx, &reduction, 1, maximum, i64::max)
}

crate::util::fixtures::like_torch!("max": DIM_MAX, UNARY_OUT);
