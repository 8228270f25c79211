//! `aten::neg`: the number with the other sign; integers wrap.

use crate::util::args::Done;
use crate::util::elementwise::number;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::neg.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::neg.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    number(ctx, 1, |x| -x, i64::wrapping_neg)
}

crate::util::fixtures::like_torch!("neg": OUT);
