//! `aten::reciprocal`: one over the number, correctly rounded.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::reciprocal.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::reciprocal.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    float(ctx, 1, |x| 1.0 / x)
}

crate::util::fixtures::like_torch!("reciprocal": OUT);
