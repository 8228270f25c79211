//! MAX_POOL2D, AVG_POOL2D.

use super::super::Cx;
use super::convs::{batches, kernel};
use crate::ir::{Input, Kind, Output, Pool};
use tombolo_tosa::Operation;
use tombolo_tosa::ops::avg_pool2d::AvgPool2d;
use tombolo_tosa::ops::max_pool2d::MaxPool2d;

fn size(kernel: [i32; 2]) -> Result<[usize; 2], String> {
    match kernel.map(usize::try_from) {
        [Ok(h), Ok(w)] => Ok([h, w]),
        _ => Err(format!("the kernel is {kernel:?}; sizes are positive")),
    }
}

/// MAX_POOL2D.
pub(super) fn max(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &MaxPool2d) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let kernel = kernel(size(attrs.kernel)?, attrs.stride, [1, 1], attrs.pad)?;
    batches(cx, op, &from, 0, Kind::Pool(Pool::Max, kernel))
}

/// AVG_POOL2D: the sum without zero points over the elements that are no padding.
pub(super) fn average(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &AvgPool2d) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let (zero_point, output_zero_point) = (cx.int(op, 1, "input_zp")?, cx.int(op, 2, "output_zp")?);
    let kernel = kernel(size(attrs.kernel)?, attrs.stride, [1, 1], attrs.pad)?;
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
