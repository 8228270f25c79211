//! `aten::copy` and `aten::copy_`: the elements of `src`, broadcast and converted to `self`.

use crate::util::args::Done;
use crate::util::cast::{CASTS, cast};
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::copy.out(Tensor self, Tensor src, bool non_blocking=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::copy.out", 4, &[3], CASTS, out);
/// `aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False)`: what writes a mutable buffer
/// of a program back.
pub const IN_PLACE: KernelDef = KernelDef::new("aten::copy_", 3, &[0], CASTS, in_place);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let sizes = ctx.shape(0)?;
    cast(ctx.out_sized(3, &sizes)?, &ctx.tensor(1)?)
}

fn in_place(ctx: &KernelContext<'_, '_>) -> Done {
    cast(ctx.out(0)?, &ctx.tensor(1)?)
}

crate::util::fixtures::like_torch!("copy": OUT, IN_PLACE);
