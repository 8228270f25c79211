//! `aten::bitwise_left_shift`: the bits moved up. All are gone if the distance is negative or at least the width.

use crate::util::args::Done;
use crate::util::elementwise::{Binary, Unary, scalar};
use crate::util::num::WHOLE;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::bitwise_left_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef =
    KernelDef::new("aten::bitwise_left_shift.Tensor_out", 3, &[2], WHOLE, tensor_out);
/// `aten::bitwise_left_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const TENSOR_SCALAR_OUT: KernelDef =
    KernelDef::new("aten::bitwise_left_shift.Tensor_Scalar_out", 3, &[2], WHOLE, tensor_scalar_out);

fn shift(a: i64, n: i64) -> i64 {
    if (0..64).contains(&n) { a.wrapping_shl(n as u32) } else { 0 }
}

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    Binary::load(ctx, 2)?.int(&shift)
}

fn tensor_scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let n = scalar(ctx, 1)?.int;
    Unary::load(ctx, 2)?.int(&|a| shift(a, n))
}

crate::util::fixtures::like_torch!("bitwise_left_shift": TENSOR_OUT, TENSOR_SCALAR_OUT);
