//! Operators on each element of one or two tensors.

use super::super::Cx;
use crate::ir::{Elem, Elementwise, Factor, Kind, Output, Scaling};
use tombolo_tosa::Operation;

/// ADD, SUB, MAXIMUM, MINIMUM, BITWISE_*, INTDIV, comparisons and shifts.
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

/// ABS, CLZ, BITWISE_NOT.
pub(super) fn unary(cx: &mut Cx<'_, '_>, op: &Operation, how: Elementwise) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let input = (from.broadcast(&to.dims)?, 0, true);
    cx.each(&Kind::Elementwise(how), &to.dims, &[input], &to.strided(), Output::plain)
}

/// NEGATE: 0 minus the operand. Of 8 and 16 bits the result saturates; the least number of 32 has no opposite.
pub(super) fn negate(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let (zero_in, zero_out) = (cx.int(op, 1, "input1_zp")?, cx.int(op, 2, "output_zp")?);
    let to = cx.result(op)?;
    let elem = cx.elem(to.tensor);
    let zero = cx.repeated(cx.elem(from.tensor), 0, to.dims.len())?;
    let inputs = [(zero, 0, true), (from.broadcast(&to.dims)?, zero_in, true)];
    let clamp = (elem != Elem::I32).then(|| elem.range(true));
    let output = |view| Output { zero_point: zero_out, clamp, ..Output::plain(view) };
    cx.each(&Kind::Elementwise(Elementwise::Sub), &to.dims, &inputs, &to.strided(), output)
}
