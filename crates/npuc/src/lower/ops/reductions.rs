//! REDUCE_SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL, REDUCE_ANY, ARGMAX.

use super::super::{Cx, Strided, dense};
use super::movement::axis_of;
use crate::ir::{Input, Kind, Output, Reduce};
use tombolo_tosa::Operation;

/// A reduction over any dimension: seen as before × axis × behind and read with the axis as depth.
pub(super) fn reduce(cx: &mut Cx<'_, '_>, op: &Operation, axis: i32, how: Reduce) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let axis = axis_of(axis, &from.dims)?;
    let before: usize = from.dims[..axis].iter().product();
    let behind: usize = from.dims[axis + 1..].iter().product();
    let size = from.dims[axis];
    if before.checked_mul(behind) != Some(cx.program.tensor(to.tensor).elements) {
        return Err(format!("{:?} without dimension {axis} is not {:?}", from.dims, to.dims));
    }
    let strides = dense(&[before, size, behind]);
    let strided =
        Strided { tensor: from.tensor, offset: 0, strides: vec![strides[0], strides[2], strides[1]] };
    let target = Strided { tensor: to.tensor, offset: 0, strides: vec![behind, 1, 1] };
    let ifm = super::super::boxes::boxes(&[before, behind, size], &[&strided])?;
    let ofm = super::super::boxes::boxes(&[before, behind, 1], &[&target])?;
    for (ifm, ofm) in ifm.into_iter().flatten().zip(ofm.into_iter().flatten()) {
        let input = Input::new(ifm, 0, true);
        cx.push(Kind::Reduce(how), vec![input], Output::plain(ofm))?;
    }
    Ok(())
}
