//! `aten::hardtanh`: the number limited to `min_val` … `max_val`. NaN stays. Exact.

use crate::util::args::Done;
use crate::util::elementwise::{number, scalar};
use crate::util::math::clamp;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::hardtanh.out(Tensor self, Scalar min_val=-1, Scalar max_val=1, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::hardtanh.out", 4, &[3], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (low, high) = (scalar(ctx, 1)?, scalar(ctx, 2)?);
    number(ctx, 3, |x| clamp(x, low.float, high.float), |x| x.max(low.int).min(high.int))
}

crate::util::fixtures::like_torch!("hardtanh": OUT);
