//! An operation that only uses the output stage, merged into the operation before it.

use crate::ir::{Kind, Op, Output, Program, TensorId};
use crate::rules;
use tombolo_ethosu::Generation;

pub(super) fn fuse(program: &mut Program, generation: Generation) {
    let super::Uses { mut writers, readers } = super::Uses::of(program);
    let mut removed = vec![false; program.ops.len()];
    for i in 0..program.ops.len() {
        let between = match &program.ops[i] {
            Op { kind: Kind::Identity, inputs, .. } => inputs[0].view.tensor,
            _ => continue,
        };
        let [writer] = writers[between.index()][..] else { continue };
        if readers[between.index()] != 1 || writer >= i {
            continue;
        }
        let Some(merged) = merge(program, &program.ops[writer], &program.ops[i], generation) else {
            continue;
        };
        // The merged operation takes the later place: what the second one writes may have had other readers of
        // its buffer before. Its inputs are never overwritten, as each tensor is written only once.
        let target = merged.output.view.tensor;
        writers[target.index()].iter_mut().filter(|w| **w == i).for_each(|w| *w = i);
        program.ops[i] = merged;
        removed[writer] = true;
    }
    let mut index = 0;
    program.ops.retain(|_| {
        index += 1;
        !removed[index - 1]
    });
}

/// The first operation with what the second makes of its output.
fn merge(program: &Program, first: &Op, second: &Op, generation: Generation) -> Option<Op> {
    let input = &second.inputs[0];
    let tensor = program.tensor(input.view.tensor);
    // All of what was written must be read, element by element in the same boxes.
    let same_box = input.view == first.output.view && input.view.is_whole(tensor.elements);
    if !same_box || input.signed != first.output.signed || input.scaling.is_some() {
        return None;
    }
    let output = stage(program, first, &second.output, input.zero_point)?;
    let merged = Op {
        kind: first.kind.clone(),
        inputs: first.inputs.clone(),
        output,
        origin: first.origin.iter().chain(&second.origin).copied().collect(),
    };
    rules::one_pass(program, &merged, generation).then_some(merged)
}

/// Two output stages as one, if they are.
pub(super) fn stage(program: &Program, first: &Op, second: &Output, zero_point: i64) -> Option<Output> {
    let before = &first.output;
    if before.is_plain() && zero_point == 0 {
        // Sums that fit into what was between go on as they are.
        return Some(second.clone());
    }
    if before.lut.is_some() {
        return None;
    }
    // A clamp or a table behind a finished stage.
    let continues = second.scaling.is_one() && zero_point == second.zero_point;
    let elem = |id: TensorId| program.tensor(id).elem;
    if !continues || elem(before.view.tensor) != elem(second.view.tensor) || before.signed != second.signed {
        return None;
    }
    let range = elem(before.view.tensor).range(before.signed);
    let (low, high) = before.clamp.unwrap_or(range);
    let (at_least, at_most) = second.clamp.unwrap_or(range);
    // Clamped to the first and then to the second.
    let clamp = |n: i64| n.max(at_least).min(at_most);
    Some(Output {
        view: second.view,
        clamp: Some((clamp(low), clamp(high))),
        lut: second.lut,
        ..before.clone()
    })
}
