//! `aten::floor`: the largest integer that is not larger.

use crate::util::args::Done;
use crate::util::elementwise::number;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::floor.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::floor.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    number(ctx, 1, libm::floorf, |x| x)
}

crate::util::fixtures::like_torch!("floor": OUT);
