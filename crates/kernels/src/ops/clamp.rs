//! `aten::clamp`: the number limited to `min` … `max`, each of which may be absent. If `min` is
//! larger, the result is `max`. NaN stays, and a limit that is NaN makes the result NaN. Exact.

use crate::util::args::{Done, broadcast, broadcast_steps, order};
use crate::util::elementwise::{number, scalar};
use crate::util::math::{maximum, minimum};
use crate::util::num::{Elements, ElementsMut, NUMERIC, is_float};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::clamp.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::clamp.out", 4, &[3], NUMERIC, out);
/// `aten::clamp.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::clamp.Tensor_out", 4, &[3], NUMERIC, tensor_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let limit = |position, float, int| match ctx.is_none(position) {
        true => Ok((float, int)),
        false => scalar(ctx, position).map(|limit| (limit.float, limit.int)),
    };
    let low = limit(1, f32::NEG_INFINITY, i64::MIN)?;
    let high = limit(2, f32::INFINITY, i64::MAX)?;
    number(ctx, 3, |x| minimum(maximum(x, low.0), high.0), |x| x.max(low.1).min(high.1))
}

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, low, high) = (ctx.tensor(0)?, ctx.opt_tensor(1)?, ctx.opt_tensor(2)?);
    // In the place of an absent limit the walk visits the input, and the limit is not applied.
    let (at_low, at_high) = (low.unwrap_or(input), high.unwrap_or(input));
    let shape = broadcast(&broadcast(&input.shape(), &at_low.shape())?, &at_high.shape())?;
    let out = ctx.out_sized(3, &shape)?;
    let float = [input, at_low, at_high].iter().any(|tensor| is_float(tensor.dtype()));
    let steps = |tensor| broadcast_steps(tensor, &shape);
    let steps = [&steps(&input)?, &steps(&at_low)?, &steps(&at_high)?];
    let walk = Walk::new(&shape, order(&out), [0; 3], steps);
    let x = Elements::of(&input);
    let (low, high) = (low.as_ref().map(Elements::of), high.as_ref().map(Elements::of));
    let mut out = ElementsMut::of(out);
    walk.each(&mut |n, [i, l, h]| {
        if float {
            let y = low.map_or(x.f32(i), |low| maximum(x.f32(i), low.f32(l)));
            out.set_f32(n, high.map_or(y, |high| minimum(y, high.f32(h))));
        } else {
            let y = low.map_or(x.i64(i), |low| x.i64(i).max(low.i64(l)));
            out.set_i64(n, high.map_or(y, |high| y.min(high.i64(h))));
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("clamp": OUT, TENSOR_OUT);
