//! `aten::rsub`: `other - alpha * self`. Integers wrap. Exact for an `alpha` of 1.

use crate::util::args::Done;
use crate::util::elementwise::{number, scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::rsub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::rsub.Scalar_out", 4, &[3], NUMERIC, scalar_out);

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (other, alpha) = (scalar(ctx, 1)?, scalar(ctx, 2)?);
    number(ctx, 3, |a| other.float - alpha.float * a, |a| other.int.wrapping_sub(alpha.int.wrapping_mul(a)))
}

crate::util::fixtures::like_torch!("rsub": SCALAR_OUT);
