//! An operation that only uses the output stage, merged into all operations that write what it reads.
//!
//! Batches, the phases of a transposed convolution and the planes of one in three dimensions are written one by one
//! and rescaled as a whole; a RESHAPE gives the whole another shape. Each of the writers can rescale its own part; sums of 48 bits, which no memory holds, have
//! no other way.

use super::copies::through;
use super::outputs::stage;
use crate::ir::{Kind, Op, Output, Program, Scaling, View};
use crate::rules;
use tombolo_ethosu::Generation;

pub(super) fn fuse(program: &mut Program, generation: Generation) {
    let super::Uses { writers, readers } = super::Uses::of(program);
    let mut removed = vec![false; program.ops.len()];
    for i in 0..program.ops.len() {
        let op = &program.ops[i];
        if op.kind != Kind::Identity {
            continue;
        }
        let between = op.inputs[0].view.tensor.index();
        let parts = &writers[between];
        if parts.is_empty() || readers[between] != 1 || parts.iter().any(|&w| w >= i || removed[w]) {
            continue;
        }
        let merged: Option<Vec<Op>> =
            parts.iter().map(|&w| merge(program, &program.ops[w], op, generation)).collect();
        let Some(merged) = merged else { continue };
        for (&writer, merged) in parts.iter().zip(merged) {
            program.ops[writer] = merged;
        }
        removed[i] = true;
    }
    let mut removed = removed.into_iter();
    program.ops.retain(|_| !removed.next().unwrap_or(false));
}

/// An operation that writes a part, with what the second makes of that.
fn merge(program: &Program, first: &Op, second: &Op, generation: Generation) -> Option<Op> {
    let input = &second.inputs[0];
    let (from, to, part) = (&input.view, &second.output.view, &first.output.view);
    if input.signed != first.output.signed || input.scaling.is_some() {
        return None;
    }
    let view = place(program, part, from, to)?;
    // A factor for each channel: the part's channels are all of them.
    let depth = from.shape[2];
    let whole =
        part.shape[2] == depth && (depth == 1 || part.strides[2] == 1) && part.offset.is_multiple_of(depth);
    if matches!(second.output.scaling, Scaling::PerChannel(_)) && !whole {
        return None;
    }
    let output = stage(program, first, &Output { view, ..second.output.clone() }, input.zero_point)?;
    let merged = Op {
        kind: first.kind.clone(),
        inputs: first.inputs.clone(),
        output,
        origin: first.origin.iter().chain(&second.origin).copied().collect(),
    };
    // What was written without a copy still is.
    let writes = rules::is_nhwc(&merged.output.view) || !rules::is_nhwc(part);
    (writes && rules::one_pass(program, &merged, generation)).then_some(merged)
}

/// Where the elements of a part are that are read as all of `from` and written to `to`.
fn place(program: &Program, part: &View, from: &View, to: &View) -> Option<View> {
    if !from.is_whole(program.tensor(from.tensor).elements) {
        return None;
    }
    match to.is_whole(program.tensor(to.tensor).elements) {
        // Both in order: the same places.
        true => Some(View { tensor: to.tensor, ..*part }),
        false => through(part, to, from),
    }
}
