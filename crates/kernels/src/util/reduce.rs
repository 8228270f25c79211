//! Operators that fold some dimensions of a tensor.

use crate::util::args::{Done, bit, dim, push, steps};
use crate::util::movement::{put_element, same_type};
use crate::util::num::{Elements, ElementsMut, is_float};
use crate::util::walk::{Steps, Walk};
use tombolo_runtime::{KernelContext, KernelError, MAX_RANK, Shape, Strides, Tensor};

/// A tensor and the dimensions that are folded.
pub(crate) struct Reduction<'c> {
    pub(crate) input: Tensor<'c>,
    folded: u32,
    keep: bool,
}

impl<'c> Reduction<'c> {
    /// Argument 0 with the dimensions `folded`, which stay in the output with size 1 if `keep`.
    pub(crate) fn new(ctx: &KernelContext<'c, '_>, folded: u32, keep: bool) -> Result<Self, KernelError> {
        Ok(Reduction { input: ctx.tensor(0)?, folded, keep })
    }

    /// The sizes of the output.
    pub(crate) fn shape(&self) -> Result<Shape, KernelError> {
        let mut shape = Shape::SCALAR;
        for (d, &size) in self.input.shape().iter().enumerate() {
            if self.folded & bit(d) == 0 {
                push(&mut shape, size)?;
            } else if self.keep {
                push(&mut shape, 1)?;
            }
        }
        Ok(shape)
    }

    /// The number of elements that are folded into one.
    pub(crate) fn count(&self) -> usize {
        let shape = self.input.shape();
        let folded = shape.iter().enumerate().filter(|(d, _)| self.folded & bit(*d) != 0);
        folded.fold(1, |n: usize, (_, &size)| n.saturating_mul(size as usize))
    }

    /// An error if no elements are folded into one that is wanted.
    pub(crate) fn not_empty(&self) -> Done {
        if self.count() == 0 && self.shape()?.count() != 0 {
            return Err(KernelError::Invalid("no elements have no largest or smallest"));
        }
        Ok(())
    }

    /// Calls `fold` for each element of the output, whose strides are `out`, with its place and the
    /// elements to fold.
    pub(crate) fn each(&self, out: &Strides, fold: &mut dyn FnMut(usize, &Folded<'c>)) -> Done {
        let (mut kept, mut folded) = (Shape::SCALAR, Shape::SCALAR);
        let (mut kept_in, mut kept_out, mut inner): (Steps, Steps, Steps) =
            ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK]);
        let (shape, strides, out) = (self.input.shape(), steps(&self.input.strides()), steps(out));
        for (d, (&size, &stride)) in shape.iter().zip(&strides).enumerate() {
            if self.folded & bit(d) != 0 {
                set(&mut inner, folded.len(), stride);
                push(&mut folded, size)?;
            } else {
                let position = if self.keep { d } else { kept.len() };
                set(&mut kept_in, kept.len(), stride);
                set(&mut kept_out, kept.len(), out.get(position).copied().unwrap_or(0));
                push(&mut kept, size)?;
            }
        }
        let elements = Elements::of(&self.input);
        let walk = Walk::logical(&folded, [0], [&inner]);
        Walk::logical(&kept, [0, 0], [&kept_in, &kept_out])
            .each(&mut |_, [from, to]| fold(to, &Folded { elements, walk: walk.from([from]) }));
        Ok(())
    }
}

/// Folds elements into the largest or smallest of them.
pub(crate) fn extreme(
    ctx: &KernelContext<'_, '_>,
    reduction: &Reduction<'_>,
    out: usize,
    float: fn(f32, f32) -> f32,
    int: fn(i64, i64) -> i64,
) -> Done {
    reduction.not_empty()?;
    let out = ctx.out_sized(out, &reduction.shape()?)?;
    let floats = is_float(out.dtype());
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        if floats {
            let mut best = None;
            folded.f32s(&mut |x| best = Some(best.map_or(x, |best| float(best, x))));
            out.set_f32(at, best.unwrap_or(0.0));
        } else {
            let mut best = None;
            folded.i64s(&mut |x| best = Some(best.map_or(x, |best| int(best, x))));
            out.set_i64(at, best.unwrap_or(0));
        }
    })
}

fn set(steps: &mut Steps, d: usize, step: usize) {
    if let Some(slot) = steps.get_mut(d) {
        *slot = step;
    }
}

/// The elements that are folded into one, in the order of the sizes.
pub(crate) struct Folded<'c> {
    pub(crate) elements: Elements<'c>,
    walk: Walk<1>,
}

impl Folded<'_> {
    /// Calls `visit` with the number and the place of each element.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.walk.each(&mut |n, [i]| visit(n, i));
    }

    /// The number and the place of the largest element (or the smallest), the first of equal ones.
    /// NaN is larger and smaller than any.
    pub(crate) fn first_extreme(&self, largest: bool) -> (usize, usize) {
        let (mut number, mut place) = (0, self.walk.start());
        if self.elements.is_float() {
            let mut best = self.elements.f32(place);
            self.each(&mut |n, i| {
                let x = self.elements.f32(i);
                if (if largest { x > best } else { x < best }) || (x.is_nan() && !best.is_nan()) {
                    (number, place, best) = (n, i, x);
                }
            });
        } else {
            let mut best = self.elements.i64(place);
            self.each(&mut |n, i| {
                let x = self.elements.i64(i);
                if if largest { x > best } else { x < best } {
                    (number, place, best) = (n, i, x);
                }
            });
        }
        (number, place)
    }

    /// Calls `visit` with each element as a float.
    pub(crate) fn f32s(&self, visit: &mut dyn FnMut(f32)) {
        self.walk.each(&mut |_, [i]| visit(self.elements.f32(i)));
    }

    /// Calls `visit` with each element as an integer.
    pub(crate) fn i64s(&self, visit: &mut dyn FnMut(i64)) {
        self.walk.each(&mut |_, [i]| visit(self.elements.i64(i)));
    }
}

/// `aten::max.dim_max` and `aten::min.dim_min`: the extreme elements along dimension 1 of the arguments, to output 3, and
/// their positions, to output 4.
pub(crate) fn extreme_with_positions(ctx: &KernelContext<'_, '_>, largest: bool) -> Done {
    let folded = bit(dim(ctx.int(1)?, ctx.shape(0)?.len())?);
    let reduction = Reduction::new(ctx, folded, ctx.bool(2)?)?;
    reduction.not_empty()?;
    let shape = reduction.shape()?;
    let (values, indices) = (ctx.out_sized(3, &shape)?, ctx.out_sized(4, &shape)?);
    same_type(values.dtype(), reduction.input.dtype())?;
    let size = values.dtype().size();
    // Both outputs have the same sizes; each may have its own memory order.
    let strides = values.strides();
    let bytes = values.into_bytes();
    reduction.each(&strides, &mut |at, folded| {
        put_element(bytes, at, reduction.input.bytes(), folded.first_extreme(largest).1, size);
    })?;
    let (strides, mut indices) = (indices.strides(), ElementsMut::of(indices));
    reduction.each(&strides, &mut |at, folded| {
        indices.set_i64(at, folded.first_extreme(largest).0 as i64);
    })
}
