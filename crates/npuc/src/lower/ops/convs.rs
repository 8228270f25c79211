//! CONV2D, DEPTHWISE_CONV2D.

use super::super::{Cx, Place};
use super::computed;
use super::movement::frame;
use crate::ir::{Input, Kernel, Kind, Output, TensorId, View};
use tombolo_tosa::ops::conv2d::Conv2d;
use tombolo_tosa::ops::depthwise_conv2d::DepthwiseConv2d;
use tombolo_tosa::{Data, Operation};

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

/// The operands that all convolutions have.
pub(super) struct Operands {
    pub(super) from: Place,
    pub(super) weights: Place,
    pub(super) bias: Place,
    pub(super) zero_point: i64,
    pub(super) weight_zero_point: i64,
}

impl Operands {
    pub(super) fn of(cx: &Cx<'_, '_>, op: &Operation) -> Result<Operands, String> {
        Ok(Operands {
            from: cx.input(op, 0)?,
            weights: cx.input(op, 1)?,
            bias: cx.input(op, 2)?,
            zero_point: cx.int(op, 3, "input_zp")?,
            weight_zero_point: cx.int(op, 4, "weight_zp")?,
        })
    }

    /// Whether a weight stream can be made of them.
    pub(super) fn are_constant(&self, cx: &Cx<'_, '_>) -> bool {
        [&self.weights, &self.bias].iter().all(|place| cx.program.tensor(place.tensor).data.is_some())
    }

    /// As [`Operands::are_constant`], for operators that can't do without.
    pub(super) fn must_be_constant(&self, cx: &Cx<'_, '_>) -> Result<(), String> {
        for (role, place) in [("the weight", &self.weights), ("the bias", &self.bias)] {
            let tensor = cx.program.tensor(place.tensor);
            if tensor.data.is_none() {
                return Err(format!("{role} must be a constant, and '{}' is computed", tensor.name));
            }
        }
        Ok(())
    }
}

/// CONV2D: one operation for each batch.
pub(super) fn conv2d(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &Conv2d) -> Result<(), String> {
    let all = Operands::of(cx, op)?;
    let [_, kh, kw, _] = all.weights.dims[..] else { return Err("weights have four dimensions".into()) };
    let kernel = kernel([kh, kw], attrs.stride, attrs.dilation, attrs.pad)?;
    if !all.are_constant(cx) {
        return computed::conv2d(cx, op, &all, &kernel);
    }
    let (weights, bias) = (all.weights.tensor, all.bias.tensor);
    convolve(cx, op, &all, &Kind::Conv { kernel, weights, weight_zero_point: all.weight_zero_point, bias })
}

/// DEPTHWISE_CONV2D. With more than one output for a channel, the hardware has no such operation: it becomes a
/// convolution whose other weights are zero.
pub(super) fn depthwise(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &DepthwiseConv2d) -> Result<(), String> {
    let all = Operands::of(cx, op)?;
    let [kh, kw, c, m] = all.weights.dims[..] else { return Err("weights have four dimensions".into()) };
    let kernel = kernel([kh, kw], attrs.stride, attrs.dilation, attrs.pad)?;
    if !all.are_constant(cx) {
        return computed::depthwise(cx, op, &all, &kernel);
    }
    let (bias, weight_zero_point) = (all.bias.tensor, all.weight_zero_point);
    let kind = if m == 1 {
        Kind::Depthwise { kernel, weights: all.weights.tensor, weight_zero_point, bias }
    } else {
        let weights = block_diagonal(cx, all.weights.tensor, [kh, kw, c, m], weight_zero_point)?;
        Kind::Conv { kernel, weights, weight_zero_point, bias }
    };
    convolve(cx, op, &all, &kind)
}

/// One convolution for each batch.
fn convolve(cx: &mut Cx<'_, '_>, op: &Operation, all: &Operands, kind: &Kind) -> Result<(), String> {
    let to = cx.result(op)?;
    let ((n, ifm), (_, ofm)) = (all.from.nhwc()?, to.nhwc()?);
    let mut zeros = Zeros::default();
    for i in 0..n {
        zeros.convolve(cx, all, kind, all.from.batch(i, ifm), to.batch(i, ofm))?;
    }
    Ok(())
}

/// Weights of nothing, for outputs that see padding only. They are made once for an operator.
#[derive(Default)]
pub(super) struct Zeros(Option<TensorId>);

impl Zeros {
    /// A convolution, and operations without its taps for the outputs whose windows do not meet the input.
    pub(super) fn convolve(
        &mut self,
        cx: &mut Cx<'_, '_>,
        all: &Operands,
        kind: &Kind,
        mut source: View,
        target: View,
    ) -> Result<(), String> {
        let mut kind = kind.clone();
        let (Kind::Conv { kernel, .. } | Kind::Depthwise { kernel, .. }) = &mut kind else {
            return Err("this is no convolution".into());
        };
        let whole = source;
        let mut meet = [[0; 2]; 2];
        for (axis, meet) in meet.iter_mut().enumerate() {
            let (stride, pad) = (kernel.stride[axis], kernel.pad[axis]);
            let reach = kernel.size[axis].checked_sub(1).and_then(|n| n.checked_mul(kernel.dilation[axis]));
            let reach = reach.filter(|_| stride > 0).ok_or(format!("a window can't be {kernel:?}"))?;
            let last = source.shape[axis].checked_add(pad).ok_or("the padding is too large")? - 1;
            let count = target.shape[axis];
            *meet = [pad.saturating_sub(reach).div_ceil(stride).min(count), (last / stride + 1).min(count)];
            // Where the first of them starts, from the input's start or in its padding.
            let start = meet[0].checked_mul(stride).ok_or("the stride is too large")?;
            kernel.pad[axis] = pad.saturating_sub(start);
            let skipped = start.saturating_sub(pad).min(source.shape[axis] - 1);
            source.offset += skipped * source.strides[axis];
            source.shape[axis] -= skipped;
        }
        for [y, x] in frame([target.shape[0], target.shape[1]], meet) {
            self.bias_only(cx, all, whole, target.part([y, x]))?;
        }
        if meet.iter().any(|[from, to]| from >= to) {
            return Ok(());
        }
        cx.push(kind, vec![Input::new(source, all.zero_point, true)], Output::plain(target.part(meet)))
    }

    /// Outputs that no tap reaches: a convolution of one pixel of zeros. Sums may be of 48 bits, which no copy can
    /// write.
    pub(super) fn bias_only(
        &mut self,
        cx: &mut Cx<'_, '_>,
        all: &Operands,
        source: View,
        target: View,
    ) -> Result<(), String> {
        let ([h, w, _], [oh, ow, oc]) = (source.shape, target.shape);
        let weight_zero_point = all.weight_zero_point;
        let weights = match self.0 {
            Some(zeros) => zeros,
            None => {
                let data = Data::I8(vec![zero_weight(weight_zero_point)?; cx.weights(&[oc])?]);
                let name = format!("{} without taps", cx.program.tensor(all.weights.tensor).name);
                *self.0.insert(cx.constant(name, cx.elem(all.weights.tensor), data))
            }
        };
        let kernel = Kernel {
            size: [1, 1],
            stride: [1, 1],
            dilation: [1, 1],
            pad: [oh.saturating_sub(h), ow.saturating_sub(w)],
        };
        let kind = Kind::Conv { kernel, weights, weight_zero_point, bias: all.bias.tensor };
        // Which channel is multiplied with nothing does not matter.
        let source = View { shape: [h.min(oh), w.min(ow), 1], ..source };
        cx.push(kind, vec![Input::new(source, all.zero_point, true)], Output::plain(target))
    }
}

/// What a weight is that counts for nothing.
pub(super) fn zero_weight(zero_point: i64) -> Result<i8, String> {
    i8::try_from(zero_point).map_err(|_| format!("weight_zp is {zero_point}, and i8 is possible"))
}

/// Weights of rows × columns × channels × multiples as output channels × rows × columns × channels.
fn block_diagonal(
    cx: &mut Cx<'_, '_>,
    weights: TensorId,
    [kh, kw, c, m]: [usize; 4],
    zero: i64,
) -> Result<TensorId, String> {
    let values = cx.bytes(weights)?;
    let mut full = vec![zero_weight(zero)?; cx.weights(&[c, m, kh, kw, c])?];
    for tap in 0..kh * kw {
        for channel in 0..c {
            for k in 0..m {
                let out = channel * m + k;
                full[(out * kh * kw + tap) * c + channel] = values[(tap * c + channel) * m + k];
            }
        }
    }
    let data = Data::I8(full);
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
