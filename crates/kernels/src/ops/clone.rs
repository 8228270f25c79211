//! `aten::clone`: a copy, in the memory order of the output.

use crate::util::args::Done;
use crate::util::movement::copy_of;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::clone.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::clone.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    copy_of(ctx, 2)
}

crate::util::fixtures::like_torch!("clone": OUT);
