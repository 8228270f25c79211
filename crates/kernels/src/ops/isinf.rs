//! `aten::isinf`: whether the number is infinite.

use crate::util::args::Done;
use crate::util::elementwise::Unary;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::isinf.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::isinf.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let unary = Unary::load(ctx, 1)?;
    if unary.float_input() {
        unary.float(|x| f32::from(u8::from(x.is_infinite())))
    } else {
        unary.int(&|_| 0)
    }
}

crate::util::fixtures::like_torch!("isinf": OUT);
