//! `aten::squeeze_copy`: without the named dimensions, those of them that have size 1.

use crate::util::args::{Done, bit, dim, push};
use crate::util::movement::copy_all;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Shape};

/// `aten::squeeze_copy.dim_out(Tensor self, int dim, *, Tensor(a!) out)`
pub const DIM_OUT: KernelDef = KernelDef::new("aten::squeeze_copy.dim_out", 3, &[2], DtypeSet::ANY, dim_out);
/// `aten::squeeze_copy.dims_out(Tensor self, int[] dim, *, Tensor(a!) out)`
pub const DIMS_OUT: KernelDef =
    KernelDef::new("aten::squeeze_copy.dims_out", 3, &[2], DtypeSet::ANY, dims_out);

fn dim_out(ctx: &KernelContext<'_, '_>) -> Done {
    let named = bit(dim(ctx.int(1)?, ctx.shape(0)?.len())?);
    squeeze(ctx, named)
}

fn dims_out(ctx: &KernelContext<'_, '_>) -> Done {
    let rank = ctx.shape(0)?.len();
    let named = ctx.ints(1)?.iter().try_fold(0, |set, d| Ok::<u32, KernelError>(set | bit(dim(d, rank)?)))?;
    squeeze(ctx, named)
}

fn squeeze(ctx: &KernelContext<'_, '_>, named: u32) -> Done {
    let input = ctx.tensor(0)?;
    let mut shape = Shape::SCALAR;
    for (d, &size) in input.shape().iter().enumerate() {
        if size != 1 || named & bit(d) == 0 {
            push(&mut shape, size)?;
        }
    }
    copy_all(ctx.out_sized(2, &shape)?, &input)
}

crate::util::fixtures::like_torch!("squeeze_copy": DIM_OUT, DIMS_OUT);
