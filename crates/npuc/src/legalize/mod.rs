//! What the hardware lacks, made of what it has.
//!
//! Each operation is rewritten until it is one that the selection maps to one operation of the hardware. A
//! file has the rewritings of one group of operations; each says which generation needs it. The program computes
//! the same before and after, which [`crate::ir::eval`] can tell.

pub(crate) mod argmax;
pub(crate) mod copies;
pub(crate) mod elementwise;
mod matmul;
mod reductions;
pub(crate) mod resize;
pub(crate) mod windows;

use crate::ir::{Elem, Input, Kind, Op, Output, Program, Reduce, Tensor, TensorId, View};
use std::fmt;
use tombolo_ethosu::Generation;
use tombolo_tosa::Data;

/// Height, width and depth that a register holds.
pub const MOST: usize = 1 << 16;

/// As many operations as one may become.
const LIMIT: usize = 1 << 15;

/// An operation that can't be made of what the hardware has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The operators of the graph that it does.
    pub origin: Vec<usize>,
    /// The constraint, and the value that broke it.
    pub text: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operators {:?}: {}", self.origin, self.text)
    }
}

/// Rewrites a program into operations that the generation has.
///
/// # Errors
/// All that can't be.
pub fn legalize(program: &mut Program, generation: Generation) -> Result<(), Vec<Refused>> {
    let mut refused = Vec::new();
    let mut done = Vec::new();
    let ops = std::mem::take(&mut program.ops);
    let mut cx = Cx { program, generation };
    for op in ops {
        let origin = op.origin.clone();
        let before = done.len();
        // What is left of this one, the next last.
        let mut rest = vec![op];
        while let Some(op) = rest.pop() {
            if done.len() - before + rest.len() > LIMIT {
                let text = format!("a {} becomes more than {LIMIT} operations", op.kind.name());
                refused.push(Refused { origin: origin.clone(), text });
                break;
            }
            match cx.step(&op) {
                Ok(Step::Legal) => done.push(op),
                Ok(Step::Into(parts)) => rest.extend(parts.into_iter().rev()),
                Err(text) => {
                    refused.push(Refused { origin: origin.clone(), text });
                    break;
                }
            }
        }
    }
    program.ops = done;
    if !refused.is_empty() {
        return Err(refused);
    }
    program.verify().map_err(|text| vec![Refused { origin: Vec::new(), text }])
}

/// What became of an operation.
enum Step {
    /// The hardware has it.
    Legal,
    /// These, to be looked at again.
    Into(Vec<Op>),
}

struct Cx<'p> {
    program: &'p mut Program,
    generation: Generation,
}

impl Cx<'_> {
    fn u85(&self) -> bool {
        self.generation == Generation::U85
    }

    fn elem(&self, view: &View) -> Elem {
        self.program.tensor(view.tensor).elem
    }

    fn step(&mut self, op: &Op) -> Result<Step, String> {
        match &op.kind {
            Kind::Identity => self.identity(op),
            Kind::Elementwise(_) => self.elementwise(op),
            Kind::Conv { .. } | Kind::Depthwise { .. } | Kind::Pool(..) => self.windowed(op),
            Kind::Reduce(Reduce::Sum) => self.sum(op),
            Kind::Reduce(Reduce::ArgMax) => self.argmax(op),
            Kind::Reduce(how) => self.extreme(op, *how),
            Kind::MatMul => self.matmul(op),
            Kind::Resize { .. } => self.resize(op),
            Kind::Gather | Kind::Scatter => Err(format!(
                "a {} with places that are computed: this compiler has no operations for it yet",
                op.kind.name()
            )),
        }
    }

    /// A tensor between operations, seen as a dense box.
    fn temporary(&mut self, op: &Op, elem: Elem, shape: [usize; 3]) -> Result<View, String> {
        let elements = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n < 1 << 40);
        let elements = elements.ok_or("an intermediate result is larger than what an NPU addresses")?;
        let name = format!("{} part", self.program.tensor(op.output.view.tensor).name);
        Ok(View::dense(self.program.add(Tensor { name, elem, elements, data: None }), shape))
    }

    /// A constant that the program did not have.
    fn constant(&mut self, op: &Op, what: &str, data: Data) -> TensorId {
        let elem = match &data {
            Data::I8(_) => Elem::I8,
            Data::I16(_) => Elem::I16,
            Data::I32(_) => Elem::I32,
            Data::I64(_) => Elem::I48,
        };
        let name = format!("{} {what}", self.program.tensor(op.output.view.tensor).name);
        self.program.add(Tensor { name, elem, elements: data.len(), data: Some(data) })
    }
}

/// An operation of the same origin.
fn derived(op: &Op, kind: Kind, inputs: Vec<Input>, output: Output) -> Op {
    Op { kind, inputs, output, origin: op.origin.clone() }
}

/// The part of a view from `start` on, `size` long, along an axis.
fn part(view: &View, axis: usize, start: usize, size: usize) -> View {
    let mut part = *view;
    part.offset += start * view.strides[axis];
    part.shape[axis] = size;
    part
}

/// A view with its axes in another order: axis `i` is what was axis `axes[i]`.
pub(crate) fn permuted(view: &View, axes: [usize; 3]) -> View {
    View { shape: axes.map(|a| view.shape[a]), strides: axes.map(|a| view.strides[a]), ..*view }
}

/// Operations on each element: all views have the same shape, and what holds for one axis holds for each.
fn split_elements(op: &Op, axis: usize, start: usize, size: usize) -> Op {
    let mut split = op.clone();
    split.inputs.iter_mut().for_each(|i| i.view = part(&i.view, axis, start, size));
    split.output.view = part(&op.output.view, axis, start, size);
    if let (crate::ir::Scaling::PerChannel(factors), 2) = (&op.output.scaling, axis) {
        split.output.scaling = crate::ir::Scaling::PerChannel(factors[start..start + size].to_vec());
    }
    split
}

/// Halves of an operation on each element, along the first axis that is longer than a register holds.
fn halves(op: &Op) -> Option<Vec<Op>> {
    let shape = op.output.view.shape;
    let axis = (0..3).find(|&a| shape[a] > MOST)?;
    let count = shape[axis].div_ceil(MOST);
    Some((0..count).map(|i| split_elements(op, axis, i * MOST, MOST.min(shape[axis] - i * MOST))).collect())
}
