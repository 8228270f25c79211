//! `dim_order_ops::_to_dim_order_copy`: a copy in the element type and memory order of the output. Conversions as in
//! [`crate::ops::to_copy`].

use crate::util::args::Done;
use crate::util::cast::{CASTS, copy_of};
use tombolo_runtime::{KernelContext, KernelDef};

/// `dim_order_ops::_to_dim_order_copy.out(Tensor self, *, bool non_blocking=False, int[]? dim_order=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("dim_order_ops::_to_dim_order_copy.out", 4, &[3], CASTS, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    copy_of(ctx, 3)
}

crate::util::fixtures::like_torch!("to_dim_order_copy": OUT);
