//! `aten::pow`: a number to the power of another. Within 2 ulp of torch. Integers wrap; an integer
//! to the power of a negative integer is 1 / the power rounded toward zero for tensors, as in torch,
//! and an error for a negative number as exponent.

use crate::util::args::Done;
use crate::util::elementwise::{number, numbers, scalar};
use crate::util::num::{NUMERIC, is_float};
use tombolo_runtime::{KernelContext, KernelDef, KernelError};

/// `aten::pow.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out)`
pub const TENSOR_TENSOR_OUT: KernelDef =
    KernelDef::new("aten::pow.Tensor_Tensor_out", 3, &[2], NUMERIC, tensor_tensor_out);
/// `aten::pow.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out)`
pub const TENSOR_SCALAR_OUT: KernelDef =
    KernelDef::new("aten::pow.Tensor_Scalar_out", 3, &[2], NUMERIC, tensor_scalar_out);
/// `aten::pow.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::pow.Scalar_out", 3, &[2], NUMERIC, scalar_out);

fn int(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent & 1 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut square, mut rest) = (1i64, base, exponent);
    while rest != 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    result
}

fn tensor_tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    numbers(ctx, 2, libm::powf, int)
}

fn tensor_scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let exponent = scalar(ctx, 1)?;
    let whole = !is_float(ctx.dtype(2)?);
    if whole && exponent.int < 0 {
        return Err(KernelError::Invalid("an integer to the power of a negative integer"));
    }
    // The square is what models use, and exact without the general power.
    if exponent.float == 2.0 {
        return number(ctx, 2, |x| x * x, |x| x.wrapping_mul(x));
    }
    number(ctx, 2, |x| libm::powf(x, exponent.float), |x| int(x, exponent.int))
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let base = scalar(ctx, 0)?;
    crate::util::elementwise::number_at(ctx, 1, 2, |x| libm::powf(base.float, x), |x| int(base.int, x))
}

crate::util::fixtures::like_torch!("pow": TENSOR_TENSOR_OUT, TENSOR_SCALAR_OUT, SCALAR_OUT);
