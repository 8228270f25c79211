//! `aten::t_copy`: a matrix with rows and columns exchanged; a vector or scalar as it is.

use crate::util::args::{Done, steps, with_dim};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::t_copy.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::t_copy.out", 2, &[1], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let mut from = steps(&input.strides());
    let shape = match input.rank() {
        0 | 1 => input.shape(),
        2 => {
            from.swap(0, 1);
            with_dim(&with_dim(&input.shape(), 0, input.dim(1))?, 1, input.dim(0))?
        }
        _ => return Err(KernelError::Invalid("a transposed tensor has at most two dimensions")),
    };
    read_strided(ctx.out_sized(1, &shape)?, &input, 0, &from)
}

crate::util::fixtures::like_torch!("t_copy": OUT);
