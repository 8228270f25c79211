//! `aten::min`: the smallest element along a dimension and its position (the first of equal ones; NaN
//! counts as the smallest), or the smallest of all elements. Exact.

use crate::util::args::{Done, all};
use crate::util::math::minimum;
use crate::util::num::NUMERIC;
use crate::util::reduce::{Reduction, extreme, extreme_with_positions};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::min.dim_min(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices)`
pub const DIM_MIN: KernelDef = KernelDef::new("aten::min.dim_min", 5, &[3, 4], NUMERIC, dim_min);
/// `aten::min.unary_out(Tensor self, *, Tensor(a!) out)`
pub const UNARY_OUT: KernelDef = KernelDef::new("aten::min.unary_out", 2, &[1], NUMERIC, unary_out);

fn dim_min(ctx: &KernelContext<'_, '_>) -> Done {
    extreme_with_positions(ctx, false)
}

fn unary_out(ctx: &KernelContext<'_, '_>) -> Done {
    let reduction = Reduction::new(ctx, all(ctx.shape(0)?.len()), false)?;
    extreme(ctx, &reduction, 1, minimum, i64::min)
}

crate::util::fixtures::like_torch!("min": DIM_MIN, UNARY_OUT);
