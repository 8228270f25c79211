//! `aten::sign`: -1, 0 or 1. NaN gives 0, as in torch.

use crate::util::args::Done;
use crate::util::elementwise::number;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::sign.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::sign.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    number(ctx, 1, sign, i64::signum)
}

fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

crate::util::fixtures::like_torch!("sign": OUT);
