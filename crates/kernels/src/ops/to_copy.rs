//! `aten::_to_copy`: a copy in the element type and memory order of the output.
//!
//! A float becomes the integer next toward zero. Beyond 64 bits it is limited, NaN is 0, and an
//! integer type of fewer bits keeps the low ones; torch leaves a float that does not fit undefined.
//! A number becomes true if it is not zero. Floats round half to even.

use crate::util::args::Done;
use crate::util::cast::{CASTS, copy_of};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::_to_copy.out(Tensor self, *, bool non_blocking=False, MemoryFormat? memory_format=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::_to_copy.out", 4, &[3], CASTS, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    copy_of(ctx, 3)
}

crate::util::fixtures::like_torch!("to_copy": OUT);
