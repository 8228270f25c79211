//! `aten::max`: the largest element along a dimension and its position (the first of equal ones; NaN
//! counts as the largest), or the largest of all elements. Exact.

use crate::util::args::{Done, all, bit, dim};
use crate::util::math::maximum;
use crate::util::movement::{put_element, same_type};
use crate::util::num::{ElementsMut, NUMERIC};
use crate::util::reduce::{Reduction, extreme};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values)`
pub const DIM_MAX: KernelDef = KernelDef::new("aten::max.dim_max", 5, &[3, 4], NUMERIC, dim_max);
/// `aten::max.unary_out(Tensor self, *, Tensor(a!) out)`
pub const UNARY_OUT: KernelDef = KernelDef::new("aten::max.unary_out", 2, &[1], NUMERIC, unary_out);

fn dim_max(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = bit(dim(ctx.int(1)?, ctx.shape(0)?.len())?);
    let reduction = Reduction::new(ctx, folded, ctx.bool(2)?)?;
    reduction.not_empty()?;
    let shape = reduction.shape()?;
    let (values, indices) = (ctx.out_sized(3, &shape)?, ctx.out_sized(4, &shape)?);
    same_type(values.dtype(), reduction.input.dtype())?;
    let size = values.dtype().size();
    // Both outputs have the same sizes; each may have its own memory order.
    let strides = values.strides();
    let bytes = values.into_bytes();
    reduction.each(&strides, &mut |at, folded| {
        put_element(bytes, at, reduction.input.bytes(), folded.first_extreme(true).1, size);
    })?;
    let (strides, mut indices) = (indices.strides(), ElementsMut::of(indices));
    reduction.each(&strides, &mut |at, folded| {
        indices.set_i64(at, folded.first_extreme(true).0 as i64);
    })
}

fn unary_out(ctx: &KernelContext<'_, '_>) -> Done {
    let reduction = Reduction::new(ctx, all(ctx.shape(0)?.len()), false)?;
    extreme(ctx, &reduction, 1, maximum, i64::max)
}

crate::util::fixtures::like_torch!("max": DIM_MAX, UNARY_OUT);
