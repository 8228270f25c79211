//! `aten::leaky_relu`: the number, multiplied by `negative_slope` if it is negative. Exact.

use crate::util::args::Done;
use crate::util::elementwise::{float, scalar};
use crate::util::num::FLOATS;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::leaky_relu.out(Tensor self, Scalar negative_slope=0.01, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::leaky_relu.out", 3, &[2], FLOATS, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let slope = scalar(ctx, 1)?.float;
    float(ctx, 2, |x| if x > 0.0 { x } else { x * slope })
}

crate::util::fixtures::like_torch!("leaky_relu": OUT);
