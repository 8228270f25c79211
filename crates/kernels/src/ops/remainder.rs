//! `aten::remainder`: the remainder of the division, with the sign of the divisor. A float divided by zero
//! gives NaN; an integer is an error. Exact.

use crate::util::args::Done;
use crate::util::elementwise::{Checked, number, numbers, scalar};
use crate::util::math::{remainder, remainder_int};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::remainder.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::remainder.Tensor_out", 3, &[2], NUMERIC, tensor_out);
/// `aten::remainder.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::remainder.Scalar_out", 3, &[2], NUMERIC, scalar_out);

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let checked = Checked::default();
    let done = numbers(ctx, 2, remainder, |a, b| checked.of(remainder_int(a, b)));
    checked.done(done)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (other, checked) = (scalar(ctx, 1)?, Checked::default());
    let done = number(ctx, 2, |a| remainder(a, other.float), |a| checked.of(remainder_int(a, other.int)));
    checked.done(done)
}

crate::util::fixtures::like_torch!("remainder": TENSOR_OUT, SCALAR_OUT);
