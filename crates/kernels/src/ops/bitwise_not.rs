//! `aten::bitwise_not`: all bits inverted; of a bool, the opposite.

use crate::util::args::Done;
use crate::util::elementwise::Unary;
use crate::util::num::WHOLE;
use tombolo_runtime::{Dtype, KernelContext, KernelDef};

/// `aten::bitwise_not.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::bitwise_not.out", 2, &[1], WHOLE, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let bool = ctx.dtype(0)? == Dtype::Bool;
    Unary::load(ctx, 1)?.int(&|x| if bool { i64::from(x == 0) } else { !x })
}

crate::util::fixtures::like_torch!("bitwise_not": OUT);
