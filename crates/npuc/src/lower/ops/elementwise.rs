//! Operators on each element of one or two tensors.

use super::super::Cx;
use crate::ir::{Elementwise, Factor, Kind, Output, Scaling};
use tombolo_tosa::Operation;

/// ADD, SUB, MAXIMUM, MINIMUM.
pub(super) fn binary(cx: &mut Cx<'_, '_>, op: &Operation, how: Elementwise) -> Result<(), String> {
    two(cx, op, how, 0)
}

/// MUL: the product shifted, rounded to the nearest with ties up.
pub(super) fn mul(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let shift = cx.int(op, 2, "the shift")?;
    let shift = u8::try_from(shift).ok().filter(|&s| s < 64);
    let shift = shift.ok_or("the shift must be 0 to 63")?;
    two(cx, op, Elementwise::Mul, shift)
}

fn two(cx: &mut Cx<'_, '_>, op: &Operation, how: Elementwise, shift: u8) -> Result<(), String> {
    let (a, b) = (cx.input(op, 0)?, cx.input(op, 1)?);
    let to = cx.result(op)?;
    let inputs = [(a.broadcast(&to.dims)?, 0, true), (b.broadcast(&to.dims)?, 0, true)];
    let scaling = Scaling::Global(Factor { multiplier: 1, shift });
    let output = |view| Output { scaling: scaling.clone(), ..Output::plain(view) };
    cx.each(&Kind::Elementwise(how), &to.dims, &inputs, &to.strided(), output)
}

/// ABS.
pub(super) fn abs(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let kind = Kind::Elementwise(Elementwise::Abs);
    cx.each(&kind, &to.dims, &[(from.strided(), 0, true)], &to.strided(), Output::plain)
}
