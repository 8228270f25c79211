//! `aten::mul`: the product. Integers wrap; of bools, whether both are true. Exact.

use crate::util::args::Done;
use crate::util::elementwise::{number, numbers, scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::mul.out", 3, &[2], NUMERIC, out);
/// `aten::mul.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::mul.Scalar_out", 3, &[2], NUMERIC, scalar_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    numbers(ctx, 2, |a, b| a * b, i64::wrapping_mul)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let other = scalar(ctx, 1)?;
    number(ctx, 2, |a| a * other.float, |a| a.wrapping_mul(other.int))
}

crate::util::fixtures::like_torch!("mul": OUT, SCALAR_OUT);
