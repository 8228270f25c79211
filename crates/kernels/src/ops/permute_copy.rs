//! `aten::permute_copy`: the dimensions in another order.

use crate::util::args::{Done, all, bit, dim, push};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, MAX_RANK, Shape};

/// `aten::permute_copy.out(Tensor self, int[] dims, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::permute_copy.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let (strides, dims) = (input.strides(), ctx.ints(1)?);
    let (mut shape, mut from, mut seen) = (Shape::SCALAR, [0; MAX_RANK], 0);
    for (step, d) in from.iter_mut().zip(dims.iter()) {
        let d = dim(d, input.rank())?;
        seen |= bit(d);
        *step = strides.get(d).copied().unwrap_or(0);
        push(&mut shape, input.dim(d) as u32)?;
    }
    if dims.len() != input.rank() || seen != all(input.rank()) {
        return Err(KernelError::Invalid(
            "the dimensions of a permutation must be all those of the input, once each",
        ));
    }
    read_strided(ctx.out_sized(2, &shape)?, &input, 0, &from)
}

crate::util::fixtures::like_torch!("permute_copy": OUT);
