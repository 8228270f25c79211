//! Operations on each element: order of axes, operands that are repeated, types.

use super::{Cx, Step, derived, halves, permuted};
use crate::ir::{Elem, Elementwise, Input, Kind, Op, Output, Program, Scaling, View};
use crate::rules::{self, is_nhwc};
use tombolo_ethosu::Generation;
use tombolo_tosa::Data;

impl Cx<'_> {
    pub(super) fn elementwise(&mut self, op: &Op) -> Result<Step, String> {
        let Kind::Elementwise(how) = op.kind else { return Ok(Step::Legal) };
        if let Some(parts) = halves(op) {
            return Ok(Step::Into(parts));
        }
        if let Some(parts) = self.neighbours(op)? {
            return Ok(Step::Into(parts));
        }
        if !self.u85()
            && !how.scales()
            && let Some(parts) = self.wider(op, how)?
        {
            return Ok(Step::Into(parts));
        }
        if !rules::one_pass(self.program, op, self.generation) {
            return self.two_passes(op, how);
        }
        // The first operand is as large as the output.
        let first = usize::from(swaps(self.program, op, self.generation));
        if !self.u85() && op.inputs.get(first).is_some_and(|input| repeats(&input.view)) {
            let (copy, rest) = self.written_out(op, first)?;
            return Ok(Step::Into(vec![copy, rest]));
        }
        Ok(Step::Legal)
    }

    /// An order of axes in which channels are neighbours on all sides. Where there is none, inputs are copied.
    fn neighbours(&mut self, op: &Op) -> Result<Option<Vec<Op>>, String> {
        let fits = |op: &Op| op.inputs.iter().all(|i| repeated_or_nhwc(&i.view)) && is_nhwc(&op.output.view);
        if fits(op) {
            return Ok(None);
        }
        for axes in [[1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut turned = op.clone();
            turned.inputs.iter_mut().for_each(|i| i.view = permuted(&i.view, axes));
            turned.output.view = permuted(&op.output.view, axes);
            if fits(&turned) {
                return Ok(Some(vec![turned]));
            }
        }
        if let Some(i) = op.inputs.iter().position(|i| !repeated_or_nhwc(&i.view)) {
            let (first, rest) = self.written_out(op, i)?;
            return Ok(Some(vec![first, rest]));
        }
        // The output is copied into its order.
        let elem = self.elem(&op.output.view);
        let between = self.temporary(op, elem, op.output.view.shape)?;
        let mut first = op.clone();
        first.output.view = between;
        let signed = op.output.signed;
        let copy = Output { signed, ..Output::plain(op.output.view) };
        Ok(Some(vec![first, derived(op, Kind::Identity, vec![Input::new(between, 0, signed)], copy)]))
    }

    /// A dense copy of an input, and the operation on the copy.
    pub(super) fn written_out(&mut self, op: &Op, i: usize) -> Result<(Op, Op), String> {
        let input = op.inputs[i];
        let elem = self.elem(&input.view);
        let copy = self.temporary(op, elem, input.view.shape)?;
        let bits = Input::new(input.view, 0, true);
        let first = derived(op, Kind::Identity, vec![bits], Output::plain(copy));
        let mut rest = op.clone();
        rest.inputs[i].view = copy;
        Ok((first, rest))
    }

    /// U55 and U65 shift and count in 32 bits only, and know no other operations on bits.
    fn wider(&mut self, op: &Op, how: Elementwise) -> Result<Option<Vec<Op>>, String> {
        let elem = self.elem(&op.inputs[0].view);
        match how {
            Elementwise::Clz | Elementwise::Shl | Elementwise::Asr { .. } => {}
            _ => {
                return Err(format!(
                    "{} is not possible on {}; Ethos-U85 has it",
                    how.name(),
                    self.generation.name()
                ));
            }
        }
        if elem == Elem::I32 {
            return Ok(None);
        }
        let shape = op.output.view.shape;
        let mut parts = Vec::new();
        let mut wide = op.clone();
        for input in &mut wide.inputs {
            let mut narrow = *input;
            // What is repeated is widened once.
            for axis in 0..3 {
                if narrow.view.strides[axis] == 0 {
                    narrow.view.shape[axis] = 1;
                }
            }
            let mut view = self.temporary(op, Elem::I32, narrow.view.shape)?;
            parts.push(derived(op, Kind::Identity, vec![narrow], Output::plain(view)));
            for (axis, size) in shape.into_iter().enumerate() {
                if view.shape[axis] != size {
                    view.shape[axis] = size;
                    view.strides[axis] = 0;
                }
            }
            *input = Input::new(view, 0, true);
        }
        if !matches!(how, Elementwise::Shl) {
            parts.push(wide);
            return Ok(Some(parts));
        }
        // The bits that are lost: up and down again.
        let lost = 32 - elem.bits();
        let lost = self.constant(op, "lost bits", Data::I32(vec![lost as i32]));
        let lost = Input::new(View { tensor: lost, offset: 0, shape, strides: [0; 3] }, 0, true);
        let (up, down) = (self.temporary(op, Elem::I32, shape)?, self.temporary(op, Elem::I32, shape)?);
        wide.output = Output::plain(up);
        parts.push(wide);
        let shl = Kind::Elementwise(Elementwise::Shl);
        parts.push(derived(op, shl, vec![Input::new(up, 0, true), lost], Output::plain(down)));
        let asr = Kind::Elementwise(Elementwise::Asr { round: false });
        parts.push(derived(op, asr, vec![Input::new(down, 0, true), lost], op.output.clone()));
        Ok(Some(parts))
    }

    /// Scales, zero points or types that one pass does not take: they become operations of their own.
    fn two_passes(&mut self, op: &Op, how: Elementwise) -> Result<Step, String> {
        let out = &op.output;
        let elem = self.elem(&out.view);
        let mut plain = op.clone();
        plain.output = Output { ..Output::plain(out.view) };
        if !out.is_plain() && rules::one_pass(self.program, &plain, self.generation) {
            // 32 bits hold the result of all of them: TOSA has no other type there.
            let between = self.temporary(op, Elem::I32, out.view.shape)?;
            let mut first = op.clone();
            first.output = Output::plain(between);
            // A rounded shift is part of a multiplication.
            if let (Elementwise::Mul, Scaling::Global(factor)) = (how, &out.scaling)
                && factor.multiplier == 1
            {
                first.output.scaling = out.scaling.clone();
                first.output.rounding = out.rounding;
                let rest = Output { scaling: Scaling::Global(crate::ir::Factor::ONE), ..out.clone() };
                let second = derived(op, Kind::Identity, vec![Input::new(between, 0, true)], rest);
                return Ok(Step::Into(vec![first, second]));
            }
            let second = derived(op, Kind::Identity, vec![Input::new(between, 0, true)], out.clone());
            return Ok(Step::Into(vec![first, second]));
        }
        Err(format!(
            "{} of {:?} to {elem} is not possible in one pass: types of inputs must be the same, scales fit",
            how.name(),
            op.inputs.iter().map(|i| self.elem(&i.view).to_string()).collect::<Vec<_>>()
        ))
    }
}

/// Whether the second operand comes first: the other one is repeated, or is a number in a register. U55 and U65
/// tell the hardware; U85 can only where the order does not matter.
pub(crate) fn swaps(program: &Program, op: &Op, generation: Generation) -> bool {
    let (Kind::Elementwise(how), [first, second]) = (&op.kind, &op.inputs[..]) else { return false };
    let alone = |i: &Input| repeats(&i.view) || scalar(program, i, generation).is_some();
    alone(first) && !alone(second) && (generation != Generation::U85 || commutes(*how))
}

/// Whether the operands can change places.
fn commutes(how: Elementwise) -> bool {
    use Elementwise as E;
    matches!(how, E::Add | E::Mul | E::Max | E::Min | E::And | E::Or | E::Xor | E::CmpEq)
}

/// The number in an operand that is a constant of one element, if a register holds it.
pub(crate) fn scalar(program: &Program, input: &Input, generation: Generation) -> Option<i32> {
    let tensor = program.tensor(input.view.tensor);
    let alone = input.view.shape.iter().zip(input.view.strides).all(|(&n, stride)| n == 1 || stride == 0);
    let data = tensor.data.as_ref().filter(|_| alone)?;
    let value = match data {
        Data::I8(v) => i64::from(*v.get(input.view.offset)?),
        Data::I16(v) => i64::from(*v.get(input.view.offset)?),
        Data::I32(v) => i64::from(*v.get(input.view.offset)?),
        Data::I64(_) => return None,
    };
    let value = if input.signed { value } else { value & ((1 << tensor.elem.bits()) - 1) };
    if generation == Generation::U85 {
        return i32::try_from(value).ok();
    }
    let fits = if input.signed { i16::try_from(value).is_ok() } else { u16::try_from(value).is_ok() };
    fits.then_some(value as i32)
}

/// Whether an element is read more than once.
pub(crate) fn repeats(view: &View) -> bool {
    view.shape.iter().zip(view.strides).any(|(&size, stride)| size > 1 && stride == 0)
}

fn repeated_or_nhwc(view: &View) -> bool {
    is_nhwc(view) || view.strides[2] == 0
}
