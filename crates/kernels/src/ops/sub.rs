//! `aten::sub`: `self - alpha * other`. Integers wrap. Floats are exact for an `alpha` of 1;
//! for others torch may fuse the multiplication, which is a difference of 1 ulp of the product.

use crate::util::args::Done;
use crate::util::elementwise::{number, numbers, scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::sub.out", 4, &[3], NUMERIC, out);
/// `aten::sub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::sub.Scalar_out", 4, &[3], NUMERIC, scalar_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let alpha = scalar(ctx, 2)?;
    numbers(ctx, 3, |a, b| a - alpha.float * b, |a, b| a.wrapping_sub(alpha.int.wrapping_mul(b)))
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (other, alpha) = (scalar(ctx, 1)?, scalar(ctx, 2)?);
    let (float, int) = (other.float * alpha.float, other.int.wrapping_mul(alpha.int));
    number(ctx, 3, |a| a - float, |a| a.wrapping_sub(int))
}

crate::util::fixtures::like_torch!("sub": OUT, SCALAR_OUT);
