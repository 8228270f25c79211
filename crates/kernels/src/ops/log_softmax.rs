//! `aten::_log_softmax`, `float32`, any memory order.

use crate::util::args::Done;
use crate::util::softmax::lines;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `_log_softmax.out(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::_log_softmax.out", 4, &[3], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    lines(ctx, &|x| x, &|x, sum| x - libm::logf(sum))
}

crate::util::fixtures::like_torch!("log_softmax": OUT);
