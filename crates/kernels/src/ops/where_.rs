//! `aten::where`: an element of the one or the other tensor, as a condition says. Exact.

use crate::util::args::{Done, broadcast, broadcast_steps, order};
use crate::util::movement::put_element;
use crate::util::num::{Elements, ElementsMut, NUMERIC, is_float};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::where.self_out(Tensor condition, Tensor self, Tensor other, *, Tensor(a!) out)`
pub const SELF_OUT: KernelDef = KernelDef::new("aten::where.self_out", 4, &[3], NUMERIC, self_out);

fn self_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (condition, a, b) = (ctx.tensor(0)?, ctx.tensor(1)?, ctx.tensor(2)?);
    let shape = broadcast(&broadcast(&condition.shape(), &a.shape())?, &b.shape())?;
    let out = ctx.out_sized(3, &shape)?;
    let steps = |tensor| broadcast_steps(tensor, &shape);
    let walk = Walk::new(&shape, order(&out), [0; 3], [&steps(&condition)?, &steps(&a)?, &steps(&b)?]);
    let truth = Elements::of(&condition);
    let dtype = out.dtype();
    if a.dtype() == dtype && b.dtype() == dtype {
        let bytes = out.into_bytes();
        walk.each(&mut |n, [c, i, j]| {
            let (from, at) = if truth.truth(c) { (&a, i) } else { (&b, j) };
            put_element(bytes, n, from.bytes(), at, dtype.size());
        });
        return Ok(());
    }
    let mut out = ElementsMut::of(out);
    let (a, b) = (Elements::of(&a), Elements::of(&b));
    walk.each(&mut |n, [c, i, j]| {
        let (from, at) = if truth.truth(c) { (&a, i) } else { (&b, j) };
        if is_float(dtype) { out.set_f32(n, from.f32(at)) } else { out.set_i64(n, from.i64(at)) }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("where_": SELF_OUT);
