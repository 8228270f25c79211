//! Widening and scaling as the input stage of those who read the result.
//!
//! Quantized additions come from PyTorch as three RESCALEs around an ADD of 32 bits. The hardware has the scales
//! of both operands in the addition itself; nothing of 32 bits is stored then.

use crate::ir::{Elem, Input, Kind, Op, Output, Program, Scaling};
use crate::rules;
use tombolo_ethosu::Generation;

pub(super) fn fuse(program: &mut Program, generation: Generation) {
    let uses = super::Uses::of(program);
    for i in 0..program.ops.len() {
        let op = &program.ops[i];
        if op.kind == Kind::Identity {
            continue;
        }
        let widened: Vec<Option<Input>> =
            op.inputs.iter().map(|input| source(program, &uses, input)).collect();
        let candidates = choices(&widened);
        let found = candidates.into_iter().find_map(|choice| {
            let mut changed = op.clone();
            for ((input, widened), chosen) in changed.inputs.iter_mut().zip(&widened).zip(choice) {
                if let (Some(new), true) = (widened, chosen) {
                    *input = *new;
                }
            }
            rules::one_pass(program, &changed, generation).then_some(changed)
        });
        if let Some(changed) = found {
            program.ops[i] = changed;
        }
    }
}

/// Which inputs to replace: all that can be, then each alone.
fn choices(widened: &[Option<Input>]) -> Vec<Vec<bool>> {
    let possible: Vec<bool> = widened.iter().map(Option::is_some).collect();
    let count = possible.iter().filter(|p| **p).count();
    if count == 0 {
        return Vec::new();
    }
    let mut all = vec![possible.clone()];
    if count > 1 {
        all.extend((0..possible.len()).filter(|&i| possible[i]).map(|i| {
            let mut one = vec![false; possible.len()];
            one[i] = true;
            one
        }));
    }
    all
}

/// What an input reads before it was widened, with the same box.
fn source(program: &Program, uses: &super::Uses, input: &Input) -> Option<Input> {
    let wide = input.view.tensor;
    let plain = input.zero_point == 0 && input.signed && input.scaling.is_none();
    let [writer] = uses.writers[wide.index()][..] else { return None };
    let op: &Op = &program.ops[writer];
    let Output { view, signed: true, scaling: Scaling::Global(factor), zero_point: 0, lut: None, .. } =
        op.output
    else {
        return None;
    };
    let from = op.inputs.first()?;
    let tensors = (program.tensor(from.view.tensor), program.tensor(wide));
    let widens = op.kind == Kind::Identity
        && from.scaling.is_none()
        && matches!(tensors.0.elem, Elem::I8 | Elem::I16)
        && tensors.1.elem == Elem::I32
        // A clamp to the whole range does nothing.
        && op.output.clamp.is_none_or(|clamp| clamp == Elem::I32.range(true));
    // Both in the same order, so that the places agree.
    let same = from.view.is_whole(tensors.0.elements) && view.is_whole(tensors.1.elements);
    if !plain || !widens || !same {
        return None;
    }
    let scaling = (!factor.is_one()).then_some((factor, op.output.rounding));
    let mut view = input.view;
    view.tensor = from.view.tensor;
    Some(Input { view, zero_point: from.zero_point, signed: from.signed, scaling })
}
