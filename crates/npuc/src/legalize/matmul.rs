//! Products of two computed matrices.

use super::{Cx, MOST, Step, derived, part};
use crate::ir::{Elem, Elementwise, Input, Kind, Op, Output, Reduce, View};
use crate::rules::{self, is_nhwc};

impl Cx<'_> {
    /// U85 takes the second operand in the place of weights. U55 and U65 multiply the rows of one matrix by a
    /// repeated row of the other, and sum over the channels of the products.
    pub(super) fn matmul(&mut self, op: &Op) -> Result<Step, String> {
        let [a, b] = op.inputs[..] else { return Err("a product has two inputs".into()) };
        if let Some(i) = [a, b].iter().position(|input| !is_nhwc(&input.view)) {
            let (first, rest) = self.written_out(op, i)?;
            return Ok(Step::Into(vec![first, rest]));
        }
        let elem = self.elem(&a.view);
        if elem != self.elem(&b.view) || elem.bits() > 16 {
            return Err(format!("a product of {elem} and {} is not possible", self.elem(&b.view)));
        }
        let [h, w, k] = a.view.shape;
        let n = b.view.shape[1];
        if let Some(size) = [h, w, k, n].into_iter().find(|&s| s > MOST) {
            return Err(format!("{size} is more than the {MOST} that a register holds"));
        }
        if self.u85() {
            if !is_nhwc(&op.output.view) {
                let elem = self.elem(&op.output.view);
                let between = self.temporary(op, elem, op.output.view.shape)?;
                return Ok(Step::Into(copied_out(op, between)));
            }
            return match rules::one_pass(self.program, op, self.generation) {
                true => Ok(Step::Legal),
                false => Err("the scale behind a product does not fit".into()),
            };
        }
        if elem != Elem::I8 {
            return Err("products of 16-bit matrices have sums of more than 32 bits".into());
        }
        let mut parts = Vec::new();
        for y in 0..h {
            let row = part(&a.view, 0, y, 1);
            let to = part(&op.output.view, 0, y, 1);
            // The shorter one is counted out.
            let (many, counted, by_column) = if n < w { (row, b.view, true) } else { (b.view, row, false) };
            let (many_in, counted_in) = if by_column { (a, b) } else { (b, a) };
            let count = counted.shape[1];
            let rows = many.shape[1];
            for i in 0..count {
                let mut repeated = part(&counted, 1, i, 1);
                repeated.shape[1] = rows;
                repeated.strides[1] = 0;
                let products = self.temporary(op, Elem::I32, [1, rows, k])?;
                let inputs = vec![Input { view: many, ..many_in }, Input { view: repeated, ..counted_in }];
                let kind = Kind::Elementwise(Elementwise::Mul);
                parts.push(derived(op, kind, inputs, Output::plain(products)));
                // Column i of the result, or its pixel i.
                let line = if by_column {
                    View { offset: to.offset + i * to.strides[2], shape: [1, rows, 1], ..to }
                } else {
                    let offset = to.offset + i * to.strides[1];
                    View { offset, shape: [1, rows, 1], strides: [0, to.strides[2], 1], ..to }
                };
                let output = Output { view: line, ..op.output.clone() };
                let sums = vec![Input::new(products, 0, true)];
                parts.push(derived(op, Kind::Reduce(Reduce::Sum), sums, output));
            }
        }
        Ok(Step::Into(parts))
    }
}

/// An operation into a dense box, and a copy from there.
pub(super) fn copied_out(op: &Op, between: View) -> Vec<Op> {
    let mut first = op.clone();
    first.output.view = between;
    let copy = derived(op, Kind::Identity, vec![Input::new(between, 0, true)], Output::plain(op.output.view));
    vec![first, copy]
}
