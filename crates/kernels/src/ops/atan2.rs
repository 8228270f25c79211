//! `aten::atan2`: the angle of the point (`other`, `self`). Within 3 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::Binary;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::atan2.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::atan2.out", 3, &[2], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    Binary::load(ctx, 2)?.float(libm::atan2f)
}

crate::util::fixtures::like_torch!("atan2": OUT);
