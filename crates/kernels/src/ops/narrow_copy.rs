//! `aten::narrow_copy`: `length` elements of a dimension from `start` on.

use crate::util::args::{Done, Slice, dim, steps, with_dim};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::narrow_copy.out(Tensor self, int dim, SymInt start, SymInt length, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::narrow_copy.out", 5, &[4], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(1)?, input.rank())?;
    let (size, start, length) = (input.dim(axis) as i64, ctx.int(2)?, ctx.int(3)?);
    let start = if start < 0 { start.saturating_add(size) } else { start };
    let end = start.saturating_add(length);
    if start < 0 || length < 0 || end > size {
        return Err(KernelError::Invalid("the part is not inside the dimension"));
    }
    let slice = Slice::new(input.dim(axis), Some(start), Some(end), 1)?;
    let mut from = steps(&input.strides());
    let base = slice.apply(&mut from, axis);
    let shape = with_dim(&input.shape(), axis, slice.count)?;
    read_strided(ctx.out_sized(4, &shape)?, &input, base, &from)
}

crate::util::fixtures::like_torch!("narrow_copy": OUT);
