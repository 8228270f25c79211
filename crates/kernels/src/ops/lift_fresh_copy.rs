//! `aten::lift_fresh_copy`: a copy, in the memory order of the output.

use crate::util::args::Done;
use crate::util::movement::copy_of;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::lift_fresh_copy.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::lift_fresh_copy.out", 2, &[1], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    copy_of(ctx, 1)
}

crate::util::fixtures::like_torch!("lift_fresh_copy": OUT);
