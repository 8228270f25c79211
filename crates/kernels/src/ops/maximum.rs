//! `aten::maximum`: the larger of two numbers; NaN if one is NaN. Exact.

use crate::util::args::Done;
use crate::util::elementwise::numbers;
use crate::util::math::maximum;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::maximum.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::maximum.out", 3, &[2], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    numbers(ctx, 2, maximum, i64::max)
}

crate::util::fixtures::like_torch!("maximum": OUT);
