//! `aten::logical_xor`: whether exactly one of two numbers is not zero.

use crate::util::args::Done;
use crate::util::elementwise::Binary;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::logical_xor.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::logical_xor.out", 3, &[2], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    Binary::load(ctx, 2)?.truth(&|a, b| a ^ b)
}

crate::util::fixtures::like_torch!("logical_xor": OUT);
