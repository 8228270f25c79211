//! `aten::sigmoid`: the logistic function `1 / (1 + exp(-x))`. Within 2 ulp of torch.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::math::sigmoid;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::sigmoid.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::sigmoid.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, sigmoid)
}

crate::util::fixtures::like_torch!("sigmoid": OUT);
