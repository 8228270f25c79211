//! `aten::silu`: `x * sigmoid(x)`. Within 3 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::silu.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::silu.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, |x| x / (1.0 + libm::expf(-x)))
}

crate::util::fixtures::like_torch!("silu": OUT);
