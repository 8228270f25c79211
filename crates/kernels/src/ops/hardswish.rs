//! `aten::hardswish`: `x * min(max(x + 3, 0), 6) / 6`. Within 1 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::math::clamp;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::hardswish.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::hardswish.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, |x| x * clamp(x + 3.0, 0.0, 6.0) / 6.0)
}

crate::util::fixtures::like_torch!("hardswish": OUT);
