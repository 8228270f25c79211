//! `aten::view_copy`: the elements in other sizes. One size may be -1: what is left.

use crate::util::args::{Done, view_shape};
use crate::util::movement::copy_all;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::view_copy.out(Tensor self, SymInt[] size, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::view_copy.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let shape = view_shape(input.count(), ctx.ints(1)?)?;
    copy_all(ctx.out_sized(2, &shape)?, &input)
}

crate::util::fixtures::like_torch!("view_copy": OUT);
