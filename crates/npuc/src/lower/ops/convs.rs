//! CONV2D, DEPTHWISE_CONV2D.

use super::super::{Cx, Place};
use super::movement::narrow;
use crate::ir::{Input, Kernel, Kind, Output, TensorId};
use tombolo_tosa::Operation;
use tombolo_tosa::ops::conv2d::Conv2d;
use tombolo_tosa::ops::depthwise_conv2d::DepthwiseConv2d;

pub(super) fn kernel(
    size: [usize; 2],
    stride: [i32; 2],
    dilation: [i32; 2],
    pad: [i32; 4],
) -> Result<Kernel, String> {
    let [top, _, left, _] = pad;
    let positive = |n: i32| usize::try_from(n).map_err(|_| format!("{n} is negative"));
    Ok(Kernel {
        size,
        stride: [positive(stride[0])?, positive(stride[1])?],
        dilation: [positive(dilation[0])?, positive(dilation[1])?],
        // The padding at the end follows from the size of the output.
        pad: [positive(top)?, positive(left)?],
    })
}

/// An operand that the weight stream is made of.
fn parameter(cx: &Cx<'_, '_>, op: &Operation, i: usize, role: &str) -> Result<Place, String> {
    let place = cx.input(op, i)?;
    let tensor = cx.program.tensor(place.tensor);
    match tensor.data {
        Some(_) => Ok(place),
        None => Err(format!("{role} must be a constant, and '{}' is computed", tensor.name)),
    }
}

/// CONV2D: one operation for each batch.
pub(super) fn conv2d(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &Conv2d) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let weights = parameter(cx, op, 1, "the weight")?;
    let bias = parameter(cx, op, 2, "the bias")?;
    let (zero_point, weight_zero_point) = (cx.int(op, 3, "input_zp")?, cx.int(op, 4, "weight_zp")?);
    let [_, kh, kw, _] = weights.dims[..] else { return Err("weights have four dimensions".into()) };
    let kernel = kernel([kh, kw], attrs.stride, attrs.dilation, attrs.pad)?;
    let (weights, bias) = (weights.tensor, bias.tensor);
    batches(cx, op, &from, zero_point, Kind::Conv { kernel, weights, weight_zero_point, bias })
}

/// DEPTHWISE_CONV2D. With more than one output for a channel, the hardware has no such operation: it becomes a
/// convolution whose other weights are zero.
pub(super) fn depthwise(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &DepthwiseConv2d) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let weights = parameter(cx, op, 1, "the weight")?;
    let bias = parameter(cx, op, 2, "the bias")?;
    let (zero_point, weight_zero_point) = (cx.int(op, 3, "input_zp")?, cx.int(op, 4, "weight_zp")?);
    let [kh, kw, c, m] = weights.dims[..] else { return Err("weights have four dimensions".into()) };
    let kernel = kernel([kh, kw], attrs.stride, attrs.dilation, attrs.pad)?;
    let bias = bias.tensor;
    let kind = if m == 1 {
        Kind::Depthwise { kernel, weights: weights.tensor, weight_zero_point, bias }
    } else {
        let weights = block_diagonal(cx, weights.tensor, [kh, kw, c, m], weight_zero_point)?;
        Kind::Conv { kernel, weights, weight_zero_point, bias }
    };
    batches(cx, op, &from, zero_point, kind)
}

/// Weights of rows × columns × channels × multiples as output channels × rows × columns × channels.
fn block_diagonal(
    cx: &mut Cx<'_, '_>,
    weights: TensorId,
    [kh, kw, c, m]: [usize; 4],
    zero: i64,
) -> Result<TensorId, String> {
    let values = cx.numbers(weights).ok_or("weights must be a constant")?;
    let count = [c, m, kh, kw, c].iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= 1 << 26);
    let count = count.ok_or(format!("{c} channels with {m} outputs each need too many weights"))?;
    let mut full = vec![zero; count];
    for tap in 0..kh * kw {
        for channel in 0..c {
            for k in 0..m {
                let out = channel * m + k;
                full[(out * kh * kw + tap) * c + channel] = values[(tap * c + channel) * m + k];
            }
        }
    }
    let data = narrow(&full).ok_or("weights must be i8")?;
    let name = format!("{} as a convolution", cx.program.tensor(weights).name);
    let elem = cx.elem(weights);
    Ok(cx.constant(name, elem, data))
}

pub(super) fn batches(
    cx: &mut Cx<'_, '_>,
    op: &Operation,
    from: &Place,
    zero_point: i64,
    kind: Kind,
) -> Result<(), String> {
    let to = cx.result(op)?;
    let ((n, ifm), (_, ofm)) = (from.nhwc()?, to.nhwc()?);
    for i in 0..n {
        let input = Input::new(from.batch(i, ifm), zero_point, true);
        cx.push(kind.clone(), vec![input], Output::plain(to.batch(i, ofm)))?;
    }
    Ok(())
}
