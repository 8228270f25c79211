//! `aten::transpose_copy`: two dimensions exchanged.

use crate::util::args::{Done, dim, steps, with_dim};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, MAX_RANK};

/// `aten::transpose_copy.int_out(Tensor self, int dim0, int dim1, *, Tensor(a!) out)`
pub const INT_OUT: KernelDef =
    KernelDef::new("aten::transpose_copy.int_out", 4, &[3], DtypeSet::ANY, int_out);

fn int_out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let (a, b) = (dim(ctx.int(1)?, input.rank())?, dim(ctx.int(2)?, input.rank())?);
    let shape = with_dim(&with_dim(&input.shape(), a, input.dim(b))?, b, input.dim(a))?;
    let mut from = steps(&input.strides());
    // Both are dimensions of the input; the limit only shows it to the compiler.
    from.swap(a.min(MAX_RANK - 1), b.min(MAX_RANK - 1));
    read_strided(ctx.out_sized(3, &shape)?, &input, 0, &from)
}

crate::util::fixtures::like_torch!("transpose_copy": INT_OUT);
