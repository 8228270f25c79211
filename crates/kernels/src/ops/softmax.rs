//! `aten::_softmax`, `float32`, any memory order.

use crate::util::args::Done;
use crate::util::softmax::lines;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `_softmax.out(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::_softmax.out", 4, &[3], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    // The exponentials are kept in the output until their sum is known.
    lines(ctx, &libm::expf, &|exp, sum| exp / sum)
}

crate::util::fixtures::like_torch!("softmax": OUT);
