//! Operators that only move elements.

use super::super::{Cx, Place, Strided, data_of, dense, elem_of};
use crate::ir::{Output, Tensor};
use tombolo_tosa::{Dtype, Operation, Value};

/// CONST, CONST_SHAPE. A shape is read where it is used, and has no place of its own.
pub(super) fn constant(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let [id] = op.outputs[..] else { return Err("a constant has one output".into()) };
    let tensor = cx.block.tensor(id);
    if tensor.dtype == Dtype::Shape {
        return Ok(());
    }
    // Constants of other types are parameters, or what reads them is refused.
    let Ok(elem) = elem_of(tensor.dtype) else { return Ok(()) };
    let (Some(data), Some(dims)) = (&tensor.data, tensor.dims()) else {
        return Err("a constant needs data and a shape".into());
    };
    let value = Value::from_bytes(tensor.dtype, dims.clone(), data).map_err(|e| e.to_string())?;
    let data = value.data().clone();
    let tensor = Tensor { name: tensor.name.clone(), elem, elements: data.len(), data: Some(data) };
    let tensor = cx.program.add(tensor);
    cx.places[id.index()] = Some(Place { tensor, dims });
    Ok(())
}

/// IDENTITY, RESHAPE: another name.
pub(super) fn reshape(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let [id] = op.outputs[..] else { return Err("one output is possible".into()) };
    let dims = cx.block.tensor(id).dims().ok_or("the shape of the output is not known")?;
    let elements = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    if elements != Some(cx.program.tensor(from.tensor).elements) {
        return Err(format!("{:?} and {dims:?} have different numbers of elements", from.dims));
    }
    cx.places[id.index()] = Some(Place { tensor: from.tensor, dims });
    Ok(())
}

/// CONCAT: each operand into its part.
pub(super) fn concat(cx: &mut Cx<'_, '_>, op: &Operation, axis: i32) -> Result<(), String> {
    let to = cx.result(op)?;
    let axis = axis_of(axis, &to.dims)?;
    let mut at = 0;
    for i in 0..op.inputs.len() {
        let from = cx.input(op, i)?;
        let strides = dense(&to.dims);
        let end = from.dims.get(axis).and_then(|n| n.checked_add(at)).filter(|&end| end <= to.dims[axis]);
        let end = end.ok_or(format!("{:?} has no place in {:?} from {at} on", from.dims, to.dims))?;
        let part = Strided { tensor: to.tensor, offset: at * strides[axis], strides };
        at = end;
        cx.copy(&from.dims, from.strided(), &part)?;
    }
    Ok(())
}

/// SLICE: the part of the input.
pub(super) fn slice(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let start = cx.ints(op, 1, "start")?;
    let to = cx.result(op)?;
    if start.len() != from.dims.len() || to.dims.len() != from.dims.len() {
        return Err(format!("start {start:?} and {:?} are no part of {:?}", to.dims, from.dims));
    }
    let mut part = from.strided();
    for i in 0..start.len() {
        let inside = usize::try_from(start[i]).ok();
        let inside = inside.filter(|s| s.checked_add(to.dims[i]).is_some_and(|end| end <= from.dims[i]));
        let first = inside.ok_or(format!("{:?} from {start:?} on leaves {:?}", to.dims, from.dims))?;
        part.offset += first * part.strides[i];
    }
    cx.copy(&to.dims, part, &to.strided())
}

/// PAD.
pub(super) fn pad(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let padding = cx.ints(op, 1, "padding")?;
    let value = cx.int(op, 2, "pad_const")?;
    let to = cx.result(op)?;
    let padding: Option<Vec<usize>> = padding.iter().map(|&p| usize::try_from(p).ok()).collect();
    let padding = padding.ok_or("padding must be numbers from 0")?;
    padded(cx, &from, &padding, value, &to)
}

/// The input into its part, and the constant into each of the borders. `padding`: before and behind for each
/// dimension.
pub(super) fn padded(
    cx: &mut Cx<'_, '_>,
    from: &Place,
    padding: &[usize],
    value: i64,
    to: &Place,
) -> Result<(), String> {
    let fits = |((&from, padding), &to): ((&usize, &[usize]), &usize)| {
        from.checked_add(padding[0]).and_then(|n| n.checked_add(padding[1])) == Some(to)
    };
    let ranks = padding.len() == 2 * from.dims.len() && to.dims.len() == from.dims.len();
    if !ranks || !from.dims.iter().zip(padding.chunks_exact(2)).zip(&to.dims).all(fits) {
        return Err(format!("{:?} padded by {padding:?} is not {:?}", from.dims, to.dims));
    }
    let elem = cx.elem(to.tensor);
    let strides = dense(&to.dims);
    // Whatever is before and behind in this dimension, in all of the dimensions not seen yet and only the
    // inner part of those that were: borders do not overlap.
    let mut inside = Strided { tensor: to.tensor, offset: 0, strides: strides.clone() };
    let mut dims = to.dims.clone();
    let mut border = None;
    for axis in 0..dims.len() {
        let (before, behind) = (padding[2 * axis], padding[2 * axis + 1]);
        for (size, start) in [(before, 0), (behind, before + from.dims[axis])] {
            if size == 0 {
                continue;
            }
            let constant = match border {
                Some(constant) => constant,
                None => {
                    let name = format!("{} border", cx.program.tensor(to.tensor).name);
                    *border.insert(cx.constant(name, elem, data_of(elem, &[value])?))
                }
            };
            let mut part = inside.clone();
            part.offset += start * strides[axis];
            let mut shape = dims.clone();
            shape[axis] = size;
            let repeated = Strided { tensor: constant, offset: 0, strides: vec![0; dims.len()] };
            cx.copy(&shape, repeated, &part)?;
        }
        inside.offset += before * strides[axis];
        dims[axis] = from.dims[axis];
    }
    cx.copy(&from.dims, from.strided(), &inside)
}

/// What is around a box in two dimensions, as boxes that do not overlap; all of it if the box is empty.
pub(super) fn frame(size: [usize; 2], [y, x]: [[usize; 2]; 2]) -> Vec<[[usize; 2]; 2]> {
    if y[0] >= y[1] || x[0] >= x[1] {
        return vec![[[0, size[0]], [0, size[1]]]];
    }
    let boxes =
        [[[0, y[0]], [0, size[1]]], [[y[1], size[0]], [0, size[1]]], [y, [0, x[0]]], [y, [x[1], size[1]]]];
    boxes.into_iter().filter(|b| b.iter().all(|[from, to]| from < to)).collect()
}

/// TRANSPOSE: the input read in another order.
pub(super) fn transpose(cx: &mut Cx<'_, '_>, op: &Operation, perms: &[i32]) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let strides = dense(&from.dims);
    let strides: Option<Vec<usize>> =
        perms.iter().map(|&p| strides.get(usize::try_from(p).ok()?).copied()).collect();
    let fits = |strides: &Vec<usize>| {
        let along = |(&p, &d): (&i32, &usize)| from.dims[p as usize] == d;
        strides.len() == to.dims.len() && perms.iter().zip(&to.dims).all(along)
    };
    let strides = strides.filter(fits);
    let strides = strides.ok_or(format!("{:?} by {perms:?} is not {:?}", from.dims, to.dims))?;
    cx.copy(&to.dims, Strided { tensor: from.tensor, offset: 0, strides }, &to.strided())
}

/// REVERSE: one copy for each place along the axis. No generation reads backwards, and only U85 writes so.
pub(super) fn reverse(cx: &mut Cx<'_, '_>, op: &Operation, axis: i32) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let axis = axis_of(axis, &from.dims)?;
    if from.dims != to.dims {
        return Err(format!("{:?} reversed is not {:?}", from.dims, to.dims));
    }
    let (size, mut dims) = (from.dims[axis], from.dims.clone());
    dims[axis] = 1;
    for i in 0..size {
        let (mut source, mut target) = (from.strided(), to.strided());
        source.offset = i * source.strides[axis];
        target.offset = (size - 1 - i) * source.strides[axis];
        cx.copy(&dims, source, &target)?;
    }
    Ok(())
}

/// TILE: the input into each of its places.
pub(super) fn tile(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let fits = |(from, to): (&usize, &usize)| to.is_multiple_of(*from);
    if from.dims.len() != to.dims.len() || !from.dims.iter().zip(&to.dims).all(fits) {
        return Err(format!("{:?} repeated is not {:?}", from.dims, to.dims));
    }
    // Each dimension as repetitions × input, the repetitions read without a stride.
    let (reading, writing) = (dense(&from.dims), dense(&to.dims));
    let (mut dims, mut source, mut target) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..from.dims.len() {
        dims.extend([to.dims[i] / from.dims[i], from.dims[i]]);
        source.extend([0, reading[i]]);
        target.extend([from.dims[i] * writing[i], writing[i]]);
    }
    let source = Strided { tensor: from.tensor, offset: 0, strides: source };
    let target = Strided { tensor: to.tensor, offset: 0, strides: target };
    cx.each(&crate::ir::Kind::Identity, &dims, &[(source, 0, true)], &target, Output::plain)
}

pub(super) fn axis_of(axis: i32, dims: &[usize]) -> Result<usize, String> {
    let found = usize::try_from(axis).ok().filter(|&a| a < dims.len());
    found.ok_or(format!("axis {axis} is none of the dimensions of {dims:?}"))
}
