//! `aten::cosh`: the hyperbolic cosine. Within 2 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::cosh.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::cosh.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, libm::coshf)
}

crate::util::fixtures::like_torch!("cosh": OUT);
