//! `aten::cumsum`: running sums along a dimension. Floats are summed with compensation, integers in
//! 64 bits, and the output has the type that the program gave it.

use crate::util::args::{Done, dim, steps};
use crate::util::math::Sum;
use crate::util::num::{Elements, ElementsMut, NUMERIC, is_float};
use crate::util::walk::Walk;
use tombolo_runtime::{KernelContext, KernelDef};

/// `cumsum.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::cumsum.out", 4, &[3], NUMERIC, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let shape = input.shape();
    let dim = dim(ctx.int(1)?, shape.len())?;
    let out = ctx.out_sized(3, &shape)?;
    if out.count() == 0 {
        return Ok(());
    }
    let float = is_float(out.dtype());
    let (from, to) = (steps(&input.strides()), steps(&out.strides()));
    let size = input.dim(dim);
    // A scalar has one dimension, of size 1, with step 0.
    let (from_step, to_step) = (from.get(dim).copied().unwrap_or(0), to.get(dim).copied().unwrap_or(0));
    let others = (0..shape.len()).filter(|&d| d != dim);
    let walk = Walk::new(&shape, others, [0, 0], [&from, &to]);
    let (input, mut out) = (Elements::of(&input), ElementsMut::of(out));
    walk.each(&mut |_, [mut i, mut o]| {
        let (mut sum, mut whole) = (Sum::default(), 0i64);
        for _ in 0..size {
            if float {
                sum.add(input.f32(i));
                out.set_f32(o, sum.value());
            } else {
                whole = whole.wrapping_add(input.i64(i));
                out.set_i64(o, whole);
            }
            (i, o) = (i.wrapping_add(from_step), o.wrapping_add(to_step));
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("cumsum": OUT);
