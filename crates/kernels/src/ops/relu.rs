//! `aten::relu`: the number, or 0 if it is negative. NaN stays.

use crate::util::args::Done;
use crate::util::elementwise::number;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::relu.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::relu.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    number(ctx, 1, |x| if x < 0.0 { 0.0 } else { x }, |x| x.max(0))
}

crate::util::fixtures::like_torch!("relu": OUT);
