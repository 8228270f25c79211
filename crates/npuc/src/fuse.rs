//! Operations merged into what one pass through the data path can do.
//!
//! An operation that only uses the output stage ([`Kind::Identity`]) is merged into the operation before it, if
//! that one's output stage still has room for it and nobody else reads what was between them. What the stage
//! can do in one pass depends on the generation; those rules stand in `room`.

use crate::ir::{Elem, Factor, Kind, Op, Output, Program, Scaling, TensorId};
use tombolo_ethosu::Generation;

/// Merges what can be merged. The program computes the same.
pub fn fuse(program: &mut Program, generation: Generation) {
    // Who writes and who reads each tensor; operations are few for each.
    let count = program.tensors.len();
    let (mut writers, mut readers) = (vec![Vec::new(); count], vec![0usize; count]);
    for (i, op) in program.ops.iter().enumerate() {
        writers[op.output.view.tensor.index()].push(i);
        op.inputs.iter().for_each(|input| readers[input.view.tensor.index()] += 1);
    }
    program.inputs.iter().chain(&program.outputs).for_each(|id| readers[id.index()] += 2);
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
    if !same_box || input.signed != first.output.signed {
        return None;
    }
    let output = stage(program, first, &second.output, input.zero_point)?;
    let merged = Op {
        kind: first.kind.clone(),
        inputs: first.inputs.clone(),
        output,
        origin: first.origin.iter().chain(&second.origin).copied().collect(),
    };
    room(program, &merged, generation).then_some(merged)
}

/// Two output stages as one, if they are.
fn stage(program: &Program, first: &Op, second: &Output, zero_point: i64) -> Option<Output> {
    let before = &first.output;
    if before.is_plain() && zero_point == 0 {
        // Sums that fit into what was between go on as they are.
        return Some(second.clone());
    }
    if before.lut.is_some() {
        return None;
    }
    // A clamp or a table behind a finished stage.
    let continues = second.scaling == Scaling::Global(Factor::ONE) && zero_point == second.zero_point;
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

/// Whether the hardware does this in one pass.
fn room(program: &Program, op: &Op, generation: Generation) -> bool {
    let elem = |id: TensorId| program.tensor(id).elem;
    let out = &op.output;
    if out.lut.is_some() && elem(out.view.tensor) != Elem::I8 {
        return false;
    }
    match &op.kind {
        // Weights come with a scale for each channel.
        Kind::Conv { .. } | Kind::Depthwise { .. } => true,
        // The clamp and the table are there; the divisor and the comparison leave no room for a scale.
        Kind::Pool(..) | Kind::Reduce(_) => out.scaling == Scaling::Global(Factor::ONE),
        Kind::Elementwise(_) | Kind::Identity => {
            let wide = op.inputs.iter().any(|i| elem(i.view.tensor).bits() >= 32)
                || elem(out.view.tensor).bits() >= 32;
            match &out.scaling {
                Scaling::PerChannel(_) => false,
                // With 32 bits on either side these shift and do not multiply (U55 and U65).
                Scaling::Global(factor) => !wide || generation == Generation::U85 || factor.multiplier == 1,
            }
        }
    }
}
