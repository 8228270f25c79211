//! `aten::sqrt`: the square root, correctly rounded, which is within 1 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::sqrt.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::sqrt.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, libm::sqrtf)
}

crate::util::fixtures::like_torch!("sqrt": OUT);
