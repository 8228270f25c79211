//! Copies, with or without a scale.

use super::{Cx, MOST, Step, derived, halves, permuted, split_elements};
use crate::ir::{Elem, Elementwise, Factor, Input, Kernel, Kind, Op, Output, Scaling, View};
use crate::rules::is_nhwc;
use tombolo_tosa::Data;

const PERMUTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// One tap, one step.
pub(super) const POINT: Kernel = Kernel { size: [1, 1], stride: [1, 1], dilation: [1, 1], pad: [0, 0] };

impl Cx<'_> {
    /// U55 and U65: an average pooling of one element where both sides have up to 16 bits and one scale; plain
    /// copies of 32 bits as twice as many of 16; a depthwise convolution of weight 1 to 32 bits, or with a scale
    /// for each channel; a multiplication by a constant and a shift from 32 bits. U85 has a pooling for each.
    pub(super) fn identity(&mut self, op: &Op) -> Result<Step, String> {
        if let Some(parts) = halves(op) {
            return Ok(Step::Into(parts));
        }
        if let Some(parts) = self.order(op)? {
            return Ok(Step::Into(parts));
        }
        let input = op.inputs[0];
        let (from, to) = (self.elem(&input.view), self.elem(&op.output.view));
        if from == Elem::I48 || to == Elem::I48 {
            return Err("sums of 48 bits are not stored; a RESCALE must follow them".into());
        }
        if self.u85() {
            return Ok(Step::Legal);
        }
        let plain = op.output.is_plain() && input.zero_point == 0 && input.signed;
        match &op.output.scaling {
            // Twice as many channels of 16 bits.
            _ if from == Elem::I32 && to == Elem::I32 && plain => {
                let depth = op.output.view.shape[2];
                if depth > MOST / 2 {
                    return Ok(Step::Into(vec![
                        split_elements(op, 2, 0, MOST / 2),
                        split_elements(op, 2, MOST / 2, depth - MOST / 2),
                    ]));
                }
                Ok(Step::Legal)
            }
            Scaling::Global(factor) if from == Elem::I32 => {
                let by = self.constant(op, "multiplier", Data::I32(vec![factor.multiplier]));
                Ok(Step::Into(vec![multiplied(op, by, &[0, 0, 0], factor.shift)]))
            }
            Scaling::PerChannel(factors) if from == Elem::I32 => {
                // A run of channels that can have the same shift.
                let (count, shift, multipliers) = run(factors);
                if count < factors.len() {
                    return Ok(Step::Into(vec![
                        split_elements(op, 2, 0, count),
                        split_elements(op, 2, count, factors.len() - count),
                    ]));
                }
                let by = self.constant(op, "multipliers", Data::I32(multipliers));
                Ok(Step::Into(vec![multiplied(op, by, &[0, 0, 1], shift)]))
            }
            Scaling::Global(_) if to != Elem::I32 => Ok(Step::Legal),
            _ => {
                let channels = op.output.view.shape[2];
                let weights = self.constant(op, "ones", Data::I8(vec![1; channels]));
                let bias = self.constant(op, "no bias", Data::I32(vec![0]));
                let kind = Kind::Depthwise { kernel: POINT, weights, weight_zero_point: 0, bias };
                Ok(Step::Into(vec![derived(op, kind, op.inputs.clone(), op.output.clone())]))
            }
        }
    }

    /// Axes in an order in which channels are neighbours on both sides.
    fn order(&mut self, op: &Op) -> Result<Option<Vec<Op>>, String> {
        let (from, to) = (&op.inputs[0].view, &op.output.view);
        if is_nhwc(from) && is_nhwc(to) {
            return Ok(None);
        }
        let per_channel = matches!(op.output.scaling, Scaling::PerChannel(_));
        let turned = |axes: [usize; 3]| {
            let mut turned = op.clone();
            turned.inputs[0].view = permuted(from, axes);
            turned.output.view = permuted(to, axes);
            turned
        };
        let fits = |axes: &[usize; 3]| {
            let turned = turned(*axes);
            is_nhwc(&turned.inputs[0].view) && is_nhwc(&turned.output.view)
        };
        // A channel's scale stays with the channel.
        let orders = PERMUTATIONS.iter().filter(|axes| !per_channel || axes[2] == 2);
        if let Some(axes) = orders.copied().find(fits) {
            return Ok(Some(vec![turned(axes)]));
        }
        if per_channel {
            let shape = op.output.view.shape;
            return Ok(Some((0..shape[2]).map(|c| one_channel(op, c)).collect()));
        }
        // U85 stores in another order, if channels are neighbours before.
        if self.u85()
            && let Some(axes) = PERMUTATIONS.into_iter().find(|&axes| stored(&turned(axes)).is_some())
        {
            return Ok((axes != [0, 1, 2]).then(|| vec![turned(axes)]));
        }
        // One of the axes in turn; the other two are rows and columns of a single channel.
        let axis = (0..3).min_by_key(|&a| to.shape[a]).unwrap_or(0);
        let axes = match axis {
            0 => [1, 2, 0],
            1 => [0, 2, 1],
            _ => [0, 1, 2],
        };
        let count = to.shape[axis];
        Ok(Some((0..count).map(|i| split_elements(&turned(axes), 2, i, 1)).collect()))
    }
}

/// The axes of the output as U85 stores it, if the order of a copy is one that it has: channels are neighbours
/// when it is read, and one of the axes is dense when it is written.
pub(crate) fn stored(op: &Op) -> Option<[usize; 3]> {
    let (from, to) = (&op.inputs.first()?.view, &op.output.view);
    if !is_nhwc(from) {
        return None;
    }
    if is_nhwc(to) {
        return Some([0, 1, 2]);
    }
    PERMUTATIONS.into_iter().find(|&axes| is_nhwc(&permuted(to, axes)))
}

fn one_channel(op: &Op, channel: usize) -> Op {
    let mut one = split_elements(op, 2, channel, 1);
    if let Scaling::PerChannel(factors) = &one.output.scaling {
        one.output.scaling = Scaling::Global(factors[0]);
    }
    one
}

/// The output's scale as a multiplication by a constant, of which the hardware only shifts the product.
fn multiplied(op: &Op, by: crate::ir::TensorId, strides: &[usize; 3], shift: u8) -> Op {
    let view = View { tensor: by, offset: 0, shape: op.output.view.shape, strides: *strides };
    let inputs = vec![op.inputs[0], Input::new(view, 0, true)];
    let scaling = Scaling::Global(Factor { multiplier: 1, shift });
    derived(op, Kind::Elementwise(Elementwise::Mul), inputs, Output { scaling, ..op.output.clone() })
}

/// How many of the first factors can have one shift, that shift, and their multipliers with it.
fn run(factors: &[Factor]) -> (usize, u8, Vec<i32>) {
    let (mut count, mut shift) = (0, 0);
    let with = |factor: &Factor, shift: u8| {
        let left = u32::from(shift.checked_sub(factor.shift)?);
        factor.multiplier.checked_shl(left).filter(|m| left < 31 && *m >= 0 && m >> left == factor.multiplier)
    };
    for (i, factor) in factors.iter().enumerate() {
        let next = factor.shift.max(shift);
        if i > 0 && !factors[..=i].iter().all(|f| with(f, next).is_some()) {
            break;
        }
        (count, shift) = (i + 1, next);
    }
    (count, shift, factors[..count].iter().map(|f| with(f, shift).unwrap_or(0)).collect())
}
