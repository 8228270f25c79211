//! `aten::fmod`: the remainder of the division, with the sign of the dividend. A float divided by zero
//! gives NaN; an integer is an error. Exact.

use crate::util::args::Done;
use crate::util::elementwise::{Checked, number, numbers, scalar};
use crate::util::math::fmod;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::fmod.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::fmod.Tensor_out", 3, &[2], NUMERIC, tensor_out);
/// `aten::fmod.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::fmod.Scalar_out", 3, &[2], NUMERIC, scalar_out);

fn int(a: i64, b: i64) -> Option<i64> {
    (b != 0).then(|| a.wrapping_rem(b))
}

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let checked = Checked::default();
    let done = numbers(ctx, 2, fmod, |a, b| checked.of(int(a, b)));
    checked.done(done)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (other, checked) = (scalar(ctx, 1)?, Checked::default());
    let done = number(ctx, 2, |a| fmod(a, other.float), |a| checked.of(int(a, other.int)));
    checked.done(done)
}

crate::util::fixtures::like_torch!("fmod": TENSOR_OUT, SCALAR_OUT);
