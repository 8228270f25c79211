//! `dim_order_ops::_clone_dim_order`: a copy in the memory order of the output. Conversions as in
//! [`crate::ops::to_copy`].

use crate::util::args::Done;
use crate::util::cast::{CASTS, copy_of};
use tombolo_runtime::{KernelContext, KernelDef};

/// `dim_order_ops::_clone_dim_order.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("dim_order_ops::_clone_dim_order.out", 4, &[3], CASTS, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    copy_of(ctx, 3)
}

crate::util::fixtures::like_torch!("clone_dim_order": OUT);
