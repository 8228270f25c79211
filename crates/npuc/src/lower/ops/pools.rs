//! MAX_POOL2D, AVG_POOL2D, MAX_POOL2D_ADAPTIVE, AVG_POOL2D_ADAPTIVE.

use super::super::Cx;
use super::convs::{batches, kernel};
use crate::ir::{Input, Kernel, Kind, Output, Pool};
use tombolo_tosa::Operation;

/// The window of a pooling.
fn window(size: [i32; 2], stride: [i32; 2], pad: [i32; 4]) -> Result<Kernel, String> {
    match size.map(usize::try_from) {
        [Ok(h), Ok(w)] => kernel([h, w], stride, [1, 1], pad),
        _ => Err(format!("the kernel is {size:?}; sizes are positive")),
    }
}

/// The window of an adaptive pooling: constants, `first` of them the kernel.
pub(super) fn operands(cx: &Cx<'_, '_>, op: &Operation, first: usize) -> Result<Window, String> {
    Ok((
        numbers(cx, op, first, "kernel")?,
        numbers(cx, op, first + 1, "stride")?,
        numbers(cx, op, first + 2, "pad")?,
    ))
}

/// Kernel, stride and padding (top, bottom, left, right) as operators have them.
pub(super) type Window = ([i32; 2], [i32; 2], [i32; 4]);

fn numbers<const N: usize>(
    cx: &Cx<'_, '_>,
    op: &Operation,
    i: usize,
    role: &str,
) -> Result<[i32; N], String> {
    let numbers = cx.ints(op, i, role)?;
    let small: Option<Vec<i32>> = numbers.iter().map(|&n| i32::try_from(n).ok()).collect();
    small.and_then(|n| n.try_into().ok()).ok_or(format!("{role} must be {N} numbers, and is {numbers:?}"))
}

/// MAX_POOL2D.
pub(super) fn max(cx: &mut Cx<'_, '_>, op: &Operation, (size, stride, pad): Window) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    batches(cx, op, &from, 0, Kind::Pool(Pool::Max, window(size, stride, pad)?))
}

/// AVG_POOL2D: the sum without zero points over the elements that are no padding.
pub(super) fn average(
    cx: &mut Cx<'_, '_>,
    op: &Operation,
    (size, stride, pad): Window,
) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let (zero_point, output_zero_point) = (cx.int(op, 1, "input_zp")?, cx.int(op, 2, "output_zp")?);
    let kernel = window(size, stride, pad)?;
    let to = cx.result(op)?;
    let clamp = Some(cx.elem(to.tensor).range(true));
    let ((n, ifm), (_, ofm)) = (from.nhwc()?, to.nhwc()?);
    for i in 0..n {
        let input = Input::new(from.batch(i, ifm), zero_point, true);
        let output = Output { zero_point: output_zero_point, clamp, ..Output::plain(to.batch(i, ofm)) };
        cx.push(Kind::Pool(Pool::Average, kernel), vec![input], output)?;
    }
    Ok(())
}
