//! `aten::round`: the nearest integer, half to even.

use crate::util::args::Done;
use crate::util::elementwise::number;
use crate::util::math::round_even;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::round.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::round.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    number(ctx, 1, round_even, |x| x)
}

crate::util::fixtures::like_torch!("round": OUT);
