//! Conversion of elements from one type to another.

use crate::util::args::{Done, broadcast_steps, order};
use crate::util::movement::{copy_all, read_strided};
use crate::util::num::{Elements, ElementsMut, NUMERIC, get, is_float, put};
use crate::util::walk::Walk;
use tombolo_runtime::{Dtype, DtypeSet, KernelContext, Tensor, TensorMut};

/// The types between which there are conversions.
pub(crate) const CASTS: DtypeSet = NUMERIC.with(DtypeSet::of(&[Dtype::Double, Dtype::UInt16, Dtype::UInt32]));

/// Argument 0 in the type and memory order of the output at position `out`.
pub(crate) fn copy_of(ctx: &KernelContext<'_, '_>, out: usize) -> Done {
    let input = ctx.tensor(0)?;
    cast(ctx.out_sized(out, &input.shape())?, &input)
}

/// Fills `out` with the elements of `input`, broadcast to its sizes.
pub(crate) fn cast(out: TensorMut<'_>, input: &Tensor<'_>) -> Done {
    let shape = out.shape();
    let steps = broadcast_steps(input, &shape)?;
    let (from, to) = (input.dtype(), out.dtype());
    if from == to {
        if *shape == *input.shape() {
            return copy_all(out, input);
        }
        return read_strided(out, input, 0, &steps);
    }
    let walk = Walk::new(&shape, order(&out), [0], [&steps]);
    if from == Dtype::Double || to == Dtype::Double {
        double(walk, out, input);
        return Ok(());
    }
    let floats = is_float(from) && (is_float(to) || to == Dtype::Bool);
    let (from, mut to) = (Elements::of(input), ElementsMut::of(out));
    walk.each(&mut |n, [i]| if floats { to.set_f32(n, from.f32(i)) } else { to.set_i64(n, from.i64(i)) });
    Ok(())
}

/// One side is `float64`: apart, because of the soft-float routines.
fn double(walk: Walk<1>, out: TensorMut<'_>, input: &Tensor<'_>) {
    let (from, to) = (input.dtype(), out.dtype());
    if to == Dtype::Double {
        let (elements, bytes) = (Elements::of(input), out.into_bytes());
        walk.each(&mut |n, [i]| {
            let value = if is_float(from) { f64::from(elements.f32(i)) } else { elements.i64(i) as f64 };
            put(bytes, n, value.to_ne_bytes());
        });
        return;
    }
    let mut elements = ElementsMut::of(out);
    walk.each(&mut |n, [i]| {
        let value = f64::from_ne_bytes(get(input.bytes(), i));
        if to == Dtype::Bool {
            elements.set_i64(n, i64::from(value != 0.0));
        } else if is_float(to) {
            elements.set_f32(n, value as f32);
        } else {
            elements.set_i64(n, value as i64);
        }
    });
}
