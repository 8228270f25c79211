//! `aten::log1p`: `log(1 + x)`. Within 2 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::log1p.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::log1p.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, libm::log1pf)
}

crate::util::fixtures::like_torch!("log1p": OUT);
