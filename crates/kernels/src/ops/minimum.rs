//! `aten::minimum`: the smaller of two numbers; NaN if one is NaN. Exact.

use crate::util::args::Done;
use crate::util::elementwise::numbers;
use crate::util::math::minimum;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::minimum.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::minimum.out", 3, &[2], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    numbers(ctx, 2, minimum, i64::min)
}

crate::util::fixtures::like_torch!("minimum": OUT);
