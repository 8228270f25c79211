//! Plain copies as views.
//!
//! A SLICE reads a part of a tensor, a TRANSPOSE reads it in another order: where the reader of the copy can
//! read like that itself, the copy is not needed.

use crate::ir::{Kind, Op, Program, View};
use crate::rules;

pub(super) fn fuse(program: &mut Program) {
    let uses = super::Uses::of(program);
    for i in 0..program.ops.len() {
        for n in 0..program.ops[i].inputs.len() {
            let op = &program.ops[i];
            let view = op.inputs[n].view;
            let [writer] = uses.writers[view.tensor.index()][..] else { continue };
            let copy = &program.ops[writer];
            if !is_copy(program, copy) || !copy.output.view.is_whole(program.tensor(view.tensor).elements) {
                continue;
            }
            let Some(through) = through(&view, &copy.inputs[0].view, &copy.output.view) else { continue };
            let mut changed = op.clone();
            changed.inputs[n].view = through;
            if rules::reads(&changed) {
                program.ops[i] = changed;
            }
        }
    }
}

fn is_copy(program: &Program, op: &Op) -> bool {
    let Op { kind: Kind::Identity, inputs, output, .. } = op else { return false };
    let [input] = &inputs[..] else { return false };
    let elem = |view: &View| program.tensor(view.tensor).elem;
    output.is_plain()
        && input.zero_point == 0
        && input.signed
        && input.scaling.is_none()
        && elem(&input.view) == elem(&output.view)
}

/// The elements of a view of the copy `to`, which is all of a tensor, in what was copied.
pub(super) fn through(view: &View, from: &View, to: &View) -> Option<View> {
    let [_, w, c] = to.shape;
    // Where the view starts, as row, column and channel of the copy.
    let start = [view.offset / (w * c), view.offset / c % w, view.offset % c];
    let mut room = [0, 1, 2].map(|a| to.shape[a] - start[a]);
    let mut strides = [0; 3];
    for (axis, stride) in strides.iter_mut().enumerate() {
        let size = view.shape[axis];
        if size == 1 || view.strides[axis] == 0 {
            continue;
        }
        // Along which axis of the copy this axis of the view goes, and by how many steps. The last axis has
        // stride 1, so a stride within a row belongs to it.
        let dense = [w * c, c, 1];
        let along = (0..3).find(|&a| {
            let steps = view.strides[axis] / dense[a];
            view.strides[axis].is_multiple_of(dense[a])
                && steps > 0
                && (size - 1).checked_mul(steps).is_some_and(|reach| reach < room[a])
        })?;
        room[along] -= (size - 1) * (view.strides[axis] / dense[along]);
        *stride = view.strides[axis] / dense[along] * from.strides[along];
    }
    let offset = from.offset + (0..3).map(|a| start[a] * from.strides[a]).sum::<usize>();
    Some(View { tensor: from.tensor, offset, shape: view.shape, strides })
}
