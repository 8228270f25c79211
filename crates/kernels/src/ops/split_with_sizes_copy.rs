//! `aten::split_with_sizes_copy`: parts of the given sizes along a dimension.

use crate::util::args::{Done, dim};
use crate::util::movement::split;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out)`
pub const OUT: KernelDef = KernelDef::new("aten::split_with_sizes_copy.out", 4, &[3], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let axis = dim(ctx.int(2)?, ctx.shape(0)?.len())?;
    let sizes = ctx.ints(1)?;
    split(ctx, axis, 3, |i| sizes.get(i).and_then(|size| usize::try_from(size).ok()))
}

crate::util::fixtures::like_torch!("split_with_sizes_copy": OUT);
