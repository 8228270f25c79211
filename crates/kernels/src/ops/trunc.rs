//! `aten::trunc`: the integer next toward zero.

use crate::util::args::Done;
use crate::util::elementwise::number;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::trunc.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::trunc.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    number(ctx, 1, libm::truncf, |x| x)
}

crate::util::fixtures::like_torch!("trunc": OUT);
