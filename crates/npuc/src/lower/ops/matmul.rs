//! MATMUL, MATMUL_T.

use super::super::{Cx, dense};
use crate::ir::{Input, Kind, Output, View};
use tombolo_tosa::Operation;

/// One operation for each batch. `transposed`: the second operand has a row for each column of the result, as the
/// hardware wants it; else it is read so, which another layer makes a copy if it must.
pub(super) fn matmul(cx: &mut Cx<'_, '_>, op: &Operation, transposed: bool) -> Result<(), String> {
    let (a, b) = (cx.input(op, 0)?, cx.input(op, 1)?);
    let (zero_a, zero_b) = (cx.int(op, 2, "A_zp")?, cx.int(op, 3, "B_zp")?);
    let to = cx.result(op)?;
    let ([n, h, k], &[m, rows, columns], &[on, oh, w]) = (three(&a.dims)?, &b.dims[..], &to.dims[..]) else {
        return Err("matrices have three dimensions".into());
    };
    let (depth, width) = if transposed { (columns, rows) } else { (rows, columns) };
    if (depth, width, on, oh) != (k, w, n, h) || !(m == n || (m == 1 && transposed)) {
        return Err(format!("shapes {:?} and {:?} do not make {:?}", a.dims, b.dims, to.dims));
    }
    let strides = dense(&[width, depth]);
    let strides = if transposed { [0, strides[0], 1] } else { [0, 1, columns] };
    for i in 0..n {
        let first = a.batch(i, [1, h, k]);
        let offset = if m == 1 { 0 } else { i * rows * columns };
        let second = View { tensor: b.tensor, offset, shape: [1, w, k], strides };
        let inputs = vec![Input::new(first, zero_a, true), Input::new(second, zero_b, true)];
        cx.push(Kind::MatMul, inputs, Output::plain(to.batch(i, [1, h, w])))?;
    }
    Ok(())
}

fn three(dims: &[usize]) -> Result<[usize; 3], String> {
    dims.try_into().map_err(|_| format!("matrices have three dimensions, and this is {dims:?}"))
}
