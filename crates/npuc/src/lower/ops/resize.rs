//! RESIZE.

use super::super::Cx;
use super::convs::batches;
use crate::ir::{Kind, ResizeAxis, ResizeMode};
use tombolo_tosa::Operation;
use tombolo_tosa::ops::resize::Resize;

/// RESIZE. The border only tells how large the result is.
pub(super) fn resize(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &Resize) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let (scale, offset) = (cx.ints(op, 1, "scale")?, cx.ints(op, 2, "offset")?);
    let mode = match attrs.mode {
        tombolo_tosa::ResizeMode::Nearest => ResizeMode::Nearest,
        tombolo_tosa::ResizeMode::Bilinear => ResizeMode::Bilinear,
        tombolo_tosa::ResizeMode::Unknown => return Err("the mode is not told".into()),
    };
    let small = |n: &i64| i32::try_from(*n).map_err(|_| format!("{n} has more than 32 bits"));
    let scale = scale.iter().map(small).collect::<Result<Vec<i32>, String>>()?;
    let offset = offset.iter().map(small).collect::<Result<Vec<i32>, String>>()?;
    let (&[yn, yd, xn, xd], &[y, x]) = (&scale[..], &offset[..]) else {
        return Err("scale has four numbers and offset two".into());
    };
    let axis = |numerator, denominator, offset| ResizeAxis { numerator, denominator, offset };
    batches(cx, op, &from, 0, Kind::Resize { mode, axes: [axis(yn, yd, y), axis(xn, xd, x)] })
}
