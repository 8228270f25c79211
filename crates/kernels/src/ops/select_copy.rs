//! `aten::select_copy`: one position of a dimension, which is gone then.

use crate::util::args::{Done, dim, index, without_dim};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, MAX_RANK};

/// `aten::select_copy.int_out(Tensor self, int dim, SymInt index, *, Tensor(a!) out)`
pub const INT_OUT: KernelDef = KernelDef::new("aten::select_copy.int_out", 4, &[3], DtypeSet::ANY, int_out);

fn int_out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(1)?, input.rank())?;
    let at = index(ctx.int(2)?, input.dim(axis))?;
    let strides = input.strides();
    let mut from = [0; MAX_RANK];
    let others = strides.iter().enumerate().filter(|(d, _)| *d != axis);
    for (step, (_, &stride)) in from.iter_mut().zip(others) {
        *step = stride;
    }
    let base = strides.get(axis).map_or(0, |stride| at.wrapping_mul(*stride));
    read_strided(ctx.out_sized(3, &without_dim(&input.shape(), axis)?)?, &input, base, &from)
}

crate::util::fixtures::like_torch!("select_copy": INT_OUT);
