//! `aten::logical_not`: whether the number is zero.

use crate::util::args::Done;
use crate::util::elementwise::Unary;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::logical_not.out(Tensor self, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::logical_not.out", 2, &[1], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let unary = Unary::load(ctx, 1)?;
    if unary.float_input() {
        unary.float(|x| f32::from(u8::from(x == 0.0)))
    } else {
        unary.int(&|x| i64::from(x == 0))
    }
}

crate::util::fixtures::like_torch!("logical_not": OUT);
