//! `aten::rsqrt`: one over the square root. Within 1 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::rsqrt.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::rsqrt.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, |x| 1.0 / libm::sqrtf(x))
}

crate::util::fixtures::like_torch!("rsqrt": OUT);
