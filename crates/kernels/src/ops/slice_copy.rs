//! `aten::slice_copy`: every `step`th element of a dimension from `start` to before `end`. Both count
//! from the end if negative, and are limited to the dimension.

use crate::util::args::{Done, Slice, dim, steps, with_dim};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::slice_copy.Tensor_out(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef =
    KernelDef::new("aten::slice_copy.Tensor_out", 6, &[5], DtypeSet::ANY, tensor_out);

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(1)?, input.rank())?;
    let slice = Slice::new(input.dim(axis), ctx.opt_int(2)?, ctx.opt_int(3)?, ctx.int(4)?)?;
    let mut from = steps(&input.strides());
    let base = slice.apply(&mut from, axis);
    let shape = with_dim(&input.shape(), axis, slice.count)?;
    read_strided(ctx.out_sized(5, &shape)?, &input, base, &from)
}

crate::util::fixtures::like_torch!("slice_copy": TENSOR_OUT);
