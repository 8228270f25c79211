//! `aten::logit`: `log(x / (1 - x))`, with `x` limited to `eps` … `1 - eps` first if `eps` is given.
//! Within 3 ulp of torch, or 1e-6 near 0.

use crate::util::args::Done;
use crate::util::elementwise::float;
use crate::util::math::clamp;
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::logit.out(Tensor self, float? eps=None, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::logit.out", 3, &[2], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let eps = ctx.opt_double(1)?.map(|eps| eps as f32);
    float(ctx, 2, |x| {
        let x = eps.map_or(x, |eps| clamp(x, eps, 1.0 - eps));
        libm::logf(x / (1.0 - x))
    })
}

crate::util::fixtures::like_torch!("logit": OUT);
