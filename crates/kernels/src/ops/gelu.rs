//! `aten::gelu`, exact (`none`) or by a tangent (`tanh`), in `float32`.

use crate::util::args::Done;
use crate::util::elementwise;
use crate::util::num::FLOATS;
use tombolo_runtime::{KernelContext, KernelDef, KernelError};

/// `gelu.out(Tensor self, *, str approximate="none", Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::gelu.out", 3, &[2], FLOATS, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let f: fn(f32) -> f32 = match ctx.string(1)? {
        "none" => exact,
        "tanh" => by_tanh,
        _ => return Err(KernelError::Invalid("gelu is approximated by \"none\" or \"tanh\"")),
    };
    elementwise::float(ctx, 2, f)
}

fn exact(x: f32) -> f32 {
    0.5 * x * (1.0 + libm::erff(x * core::f32::consts::FRAC_1_SQRT_2))
}

fn by_tanh(x: f32) -> f32 {
    // sqrt(2 / pi)
    const FACTOR: f32 = core::f32::consts::FRAC_2_SQRT_PI * core::f32::consts::FRAC_1_SQRT_2;
    0.5 * x * (1.0 + libm::tanhf(FACTOR * (x + 0.044_715 * x * x * x)))
}

crate::util::fixtures::like_torch!("gelu": OUT);
