//! `aten::asinh`: the inverse hyperbolic sine. Within 3 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::asinh.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::asinh.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, libm::asinhf)
}

crate::util::fixtures::like_torch!("asinh": OUT);
