//! `aten::elu`: `scale * x`, or `scale * alpha * (exp(input_scale * x) - 1)` if `x` is negative.
//! Within 4 ulp of torch, or 1e-7.

use crate::util::args::Done;
use crate::util::elementwise::{float, scalar};
use crate::util::num::FLOATS;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::elu.out(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::elu.out", 5, &[4], FLOATS, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (alpha, scale, input_scale) = (scalar(ctx, 1)?.float, scalar(ctx, 2)?.float, scalar(ctx, 3)?.float);
    let negative = alpha * scale;
    float(ctx, 4, |x| if x < 0.0 { negative * libm::expm1f(x * input_scale) } else { x * scale })
}

crate::util::fixtures::like_torch!("elu": OUT);
