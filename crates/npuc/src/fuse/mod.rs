//! Operations merged into what one pass through the data path can do.
//!
//! - `inputs`: an operation that only widens and scales elements becomes the input stage of those who read it.
//! - `outputs`: an operation that only uses the output stage is merged into the operation before it, if that
//!   one's output stage still has room for it and nobody else reads what was between them.
//! - `parts`: the same, into several operations that each write a part.
//! - `copies`: a plain copy becomes a view of what it copied.
//!
//! What a stage can do in one pass depends on the generation: [`crate::rules`].

mod copies;
mod inputs;
mod outputs;
mod parts;

use crate::ir::{Op, Program};
use tombolo_ethosu::Generation;

/// Merges what can be merged. The program computes the same.
pub fn fuse(program: &mut Program, generation: Generation) {
    inputs::fuse(program, generation);
    sweep(program);
    outputs::fuse(program, generation);
    parts::fuse(program, generation);
    copies::fuse(program);
    sweep(program);
    outputs::fuse(program, generation);
    parts::fuse(program, generation);
}

/// Who writes and who reads each tensor. Inputs of the program count as written by nobody, outputs as read once
/// more than any operation that may be merged allows.
struct Uses {
    writers: Vec<Vec<usize>>,
    readers: Vec<usize>,
}

impl Uses {
    fn of(program: &Program) -> Uses {
        let count = program.tensors.len();
        let (mut writers, mut readers) = (vec![Vec::new(); count], vec![0usize; count]);
        for (i, op) in program.ops.iter().enumerate() {
            writers[op.output.view.tensor.index()].push(i);
            op.reads().for_each(|id| readers[id.index()] += 1);
        }
        program.inputs.iter().chain(&program.outputs).for_each(|id| readers[id.index()] += 2);
        Uses { writers, readers }
    }
}

/// Removes operations whose results nobody reads.
fn sweep(program: &mut Program) {
    let mut needed = vec![false; program.tensors.len()];
    program.outputs.iter().for_each(|id| needed[id.index()] = true);
    let mut keep = vec![false; program.ops.len()];
    for (keep, op) in keep.iter_mut().zip(&program.ops).rev() {
        if needed[op.output.view.tensor.index()] {
            *keep = true;
            op.reads().for_each(|id| needed[id.index()] = true);
        }
    }
    let mut keep = keep.into_iter();
    program.ops.retain(|_: &Op| keep.next().unwrap_or(true));
}
