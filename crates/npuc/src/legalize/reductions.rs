//! Sums, maxima and minima over an axis.

use super::{Cx, MOST, Step, derived, part, permuted};
use crate::ir::{Elem, Elementwise, Input, Kernel, Kind, Op, Output, Reduce, Scaling, View};
use crate::rules::is_nhwc;
use tombolo_tosa::Data;

/// Taps of a kernel in one direction.
const TAPS: usize = 64;

impl Cx<'_> {
    /// The hardware sums over channels. Over another axis it is a depthwise convolution of ones, or additions
    /// where the elements have 32 bits.
    pub(super) fn sum(&mut self, op: &Op) -> Result<Step, String> {
        let input = op.inputs[0];
        let view = input.view;
        let [h, w, n] = view.shape;
        let elem = self.elem(&view);
        if let Some(parts) = large(op) {
            return Ok(Step::Into(parts));
        }
        if is_nhwc(&view) && n <= MOST {
            return Ok(Step::Legal);
        }
        let chunk = if n > MOST { MOST } else { TAPS };
        if elem.bits() < 32 {
            if n <= TAPS
                && let Some(ones) = self.ones(op)?
            {
                return Ok(Step::Into(vec![ones]));
            }
            if n > chunk {
                return self.partial_sums(op, chunk);
            }
            // No axis of neighbours beside the one that is summed: a copy brings it last.
            let copy = self.temporary(op, elem, [h, w, n])?;
            let first = derived(op, Kind::Identity, vec![Input::new(view, 0, true)], Output::plain(copy));
            let mut rest = op.clone();
            rest.inputs[0].view = copy;
            return Ok(Step::Into(vec![first, rest]));
        }
        if n > MOST && is_nhwc(&view) {
            return self.partial_sums(op, MOST);
        }
        self.tree(op, Elementwise::Add)
    }

    /// Maxima and minima: halves against each other.
    pub(super) fn extreme(&mut self, op: &Op, how: Reduce) -> Result<Step, String> {
        match how {
            Reduce::Max => self.tree(op, Elementwise::Max),
            Reduce::Min => self.tree(op, Elementwise::Min),
            _ => Err(format!("{} has no operations yet", op.kind.name())),
        }
    }

    /// Halves of the axis, one on the other, until one is left.
    fn tree(&mut self, op: &Op, how: Elementwise) -> Result<Step, String> {
        let input = op.inputs[0];
        let n = input.view.shape[2];
        if n == 1 {
            return Ok(Step::Into(vec![derived(op, Kind::Identity, op.inputs.clone(), op.output.clone())]));
        }
        // The zero point comes off once for each element: with the first addition.
        let (half, [h, w, _]) = (n / 2, input.view.shape);
        let first = Input { view: part(&input.view, 2, 0, half), ..input };
        let second = Input { view: part(&input.view, 2, half, half), ..input };
        let kind = Kind::Elementwise(how);
        if n == 2 {
            return Ok(Step::Into(vec![derived(op, kind, vec![first, second], op.output.clone())]));
        }
        // Sums need more bits than their elements, and have no zero point left; maxima keep both.
        let sums = how == Elementwise::Add;
        let elem = if sums { Elem::I32 } else { self.elem(&input.view) };
        let axis_inside = input.view.strides[2] != 1;
        // The axis goes outside, so that neighbours stay neighbours.
        let left = half + n % 2;
        let between = if axis_inside {
            permuted(&self.temporary(op, elem, [left, h, w])?, [1, 2, 0])
        } else {
            self.temporary(op, elem, [h, w, left])?
        };
        let middle = |view: View| Output { signed: sums || input.signed, ..Output::plain(view) };
        let unbiased = |input: Input| if sums { input } else { Input { zero_point: 0, ..input } };
        let mut parts = vec![derived(
            op,
            kind,
            vec![unbiased(first), unbiased(second)],
            middle(part(&between, 2, 0, half)),
        )];
        if n % 2 == 1 {
            let last = Input { view: part(&input.view, 2, n - 1, 1), ..input };
            let to = middle(part(&between, 2, half, 1));
            parts.push(derived(op, Kind::Identity, vec![unbiased(last)], to));
        }
        let mut rest = op.clone();
        rest.inputs[0] = if sums { Input::new(between, 0, true) } else { Input { view: between, ..input } };
        parts.push(rest);
        Ok(Step::Into(parts))
    }

    /// A depthwise convolution of ones over rows, if one of the other axes has neighbours.
    fn ones(&mut self, op: &Op) -> Result<Option<Op>, String> {
        let Scaling::Global(_) = op.output.scaling else { return Ok(None) };
        let view = op.inputs[0].view;
        let n = view.shape[2];
        // Rows are the axis that is summed; columns and channels are the others.
        for axes in [[2, 0, 1], [2, 1, 0]] {
            let from = permuted(&view, axes);
            let to = permuted(&op.output.view, axes);
            if !is_nhwc(&from)
                || !is_nhwc(&to)
                || from.shape[2] == 1 && from.shape[1] > 1 && n > 1 && from.strides[1] == 1
            {
                continue;
            }
            let weights = self.constant(op, "ones", Data::I8(vec![1; n * from.shape[2]]));
            let bias = self.constant(op, "no bias", Data::I32(vec![0]));
            let kernel = Kernel { size: [n, 1], stride: [1, 1], dilation: [1, 1], pad: [0, 0] };
            let kind = Kind::Depthwise { kernel, weights, weight_zero_point: 0, bias };
            let input = Input { view: from, ..op.inputs[0] };
            return Ok(Some(derived(op, kind, vec![input], Output { view: to, ..op.output.clone() })));
        }
        Ok(None)
    }

    /// Sums of stretches of the axis, then the sum of those.
    fn partial_sums(&mut self, op: &Op, chunk: usize) -> Result<Step, String> {
        let input = op.inputs[0];
        let [h, w, n] = input.view.shape;
        let count = n.div_ceil(chunk);
        let between = permuted(&self.temporary(op, Elem::I32, [count, h, w])?, [1, 2, 0]);
        let mut parts = Vec::new();
        for i in 0..count {
            let size = chunk.min(n - i * chunk);
            let view = part(&input.view, 2, i * chunk, size);
            let to = Output::plain(part(&between, 2, i, 1));
            parts.push(derived(op, op.kind.clone(), vec![Input { view, ..input }], to));
        }
        let mut rest = op.clone();
        rest.inputs[0] = Input::new(between, 0, true);
        parts.push(rest);
        Ok(Step::Into(parts))
    }
}

/// Parts of an operation whose rows or columns are more than a register holds.
fn large(op: &Op) -> Option<Vec<Op>> {
    let shape = op.output.view.shape;
    let axis = (0..2).find(|&a| shape[a] > MOST)?;
    let mut parts = Vec::new();
    for start in (0..shape[axis]).step_by(MOST) {
        let size = MOST.min(shape[axis] - start);
        let mut piece = op.clone();
        piece.inputs[0].view = part(&op.inputs[0].view, axis, start, size);
        piece.output.view = part(&op.output.view, axis, start, size);
        parts.push(piece);
    }
    Some(parts)
}
