//! `aten::unbind_copy`: the positions of a dimension, each a tensor without it.

use crate::util::args::{Done, dim, without_dim};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, MAX_RANK};

/// `aten::unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out)`
pub const INT_OUT: KernelDef = KernelDef::new("aten::unbind_copy.int_out", 3, &[2], DtypeSet::ANY, int_out);

fn int_out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(1)?, input.rank())?;
    if ctx.tensor_count(2)? != input.dim(axis) {
        return Err(KernelError::Invalid("there must be one output for each position of the dimension"));
    }
    let shape = without_dim(&input.shape(), axis)?;
    let strides = input.strides();
    let stride = strides.get(axis).copied().unwrap_or(0);
    let mut from = [0; MAX_RANK];
    let others = strides.iter().enumerate().filter(|(d, _)| *d != axis);
    for (step, (_, &stride)) in from.iter_mut().zip(others) {
        *step = stride;
    }
    for i in 0..input.dim(axis) {
        read_strided(ctx.out_item(2, i, &shape)?, &input, i.wrapping_mul(stride), &from)?;
    }
    Ok(())
}

crate::util::fixtures::like_torch!("unbind_copy": INT_OUT);
