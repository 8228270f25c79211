//! The interpreter: integer operators, bit for bit as the specification says.
//!
//! Every operator's rules are checked with the shapes and values of the run before its kernel is called, so that
//! a graph need not be validated first; its memory and work are counted before it starts. What the
//! specification leaves open is an error, not a guess. RESCALE with `inexact_round` is computed as
//! `single_round`, which is one of the results that are allowed.

use crate::Op;
use crate::dtype::Dtype;
use crate::error::{Error, ErrorKind};
use crate::graph::{Block, Graph, RegionId};
use crate::infer::{check, compare, locate};
use crate::rule::{Arg, Cx, Dims, Problem, Run};
use crate::value::{Value, count, memory};
use std::rc::Rc;

/// What a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all values that are alive at once. Kernels take a few times their operands beside that.
    pub memory: u64,
    /// Elementary steps, about a multiplication or a copied element each.
    pub work: u64,
}

impl Default for Limits {
    /// 1 GiB, and work for some ten seconds.
    fn default() -> Limits {
        Limits { memory: 1 << 30, work: 20_000_000_000 }
    }
}

/// Steps that an operator is charged with beside its elements.
const OVERHEAD: u64 = 5000;
/// Regions that may run inside of each other.
const NESTING: usize = 32;

/// What runs.
#[derive(Debug)]
pub(crate) struct Machine<'m> {
    graph: &'m Graph<'m>,
    memory: u64,
    work: u64,
    depth: usize,
    limits: Limits,
}

/// Runs the first region.
///
/// `inputs` are those of its block, in that order. Returns the outputs.
///
/// # Errors
/// If an input is missing or of another type or shape, an operator breaks a rule, does something unpredictable,
/// is not supported, or the run would exceed `limits`.
pub fn run(graph: &Graph<'_>, inputs: Vec<Value>, limits: &Limits) -> Result<Vec<Value>, Error> {
    let mut machine = Machine { graph, memory: limits.memory, work: limits.work, depth: 0, limits: *limits };
    if graph.main().is_none() {
        return Err(Error::new(ErrorKind::Invalid, "the graph has no region with a block"));
    }
    let inputs: Vec<Rc<Value>> = inputs.into_iter().map(Rc::new).collect();
    let outputs = machine.region(RegionId(0), inputs)?;
    Ok(outputs.into_iter().map(|v| Rc::try_unwrap(v).unwrap_or_else(|v| (*v).clone())).collect())
}

impl Machine<'_> {
    /// Runs a region from inside of an operator.
    pub(crate) fn call(
        &mut self,
        region: RegionId,
        inputs: Vec<Rc<Value>>,
    ) -> Result<Vec<Rc<Value>>, Problem> {
        if self.depth >= NESTING {
            return Err(Problem::new(ErrorKind::Budget, format!("regions nest deeper than {NESTING}")));
        }
        self.depth += 1;
        let result = self.region(region, inputs);
        self.depth -= 1;
        result.map_err(|e| Problem {
            kind: e.kind,
            port: None,
            text: "in the region that it runs".to_owned(),
            inner: Some(Box::new(e)),
        })
    }

    fn take(&mut self, bytes: u64) -> Result<(), Problem> {
        match self.memory.checked_sub(bytes) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => Err(Problem::new(
                ErrorKind::Budget,
                format!(
                    "needs {bytes} bytes more when {} of the {} allowed are left; raise the limit on memory",
                    self.memory, self.limits.memory
                ),
            )),
        }
    }

    /// Counts steps.
    pub(crate) fn spend(&mut self, steps: u64) -> Result<(), Problem> {
        match self.work.checked_sub(steps) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => Err(Problem::new(
                ErrorKind::Budget,
                format!(
                    "takes about {steps} steps when {} of the {} allowed are left; raise the limit on work",
                    self.work, self.limits.work
                ),
            )),
        }
    }

    fn region(&mut self, region: RegionId, inputs: Vec<Rc<Value>>) -> Result<Vec<Rc<Value>>, Error> {
        let graph = self.graph;
        let Some(block) = graph.body(region) else {
            return Err(Error::new(ErrorKind::Invalid, "a region that is to run has no block"));
        };
        if graph.regions[region.index()].blocks.len() != 1 {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "region '{}' has several blocks; one is supported",
                    graph.regions[region.index()].name
                ),
            ));
        }
        let wrong =
            |kind, tensor: Option<String>, text: String| Error::of_block(kind, &block.name, tensor, text);
        if inputs.len() != block.inputs.len() {
            let text = format!("needs {} inputs and was given {}", block.inputs.len(), inputs.len());
            return Err(wrong(ErrorKind::Invalid, None, text));
        }
        // A frame has a place for every tensor, which a loop makes again and again.
        self.spend((block.tensors.len() as u64).saturating_mul(8))
            .map_err(|p| wrong(p.kind, None, p.text))?;
        let mut frame = Frame::new(block);
        for (id, value) in block.inputs.iter().zip(inputs) {
            let tensor = block.tensor(*id);
            if tensor.dtype != value.dtype() || compare(block, *id, value.dims()).is_err() {
                return Err(wrong(
                    ErrorKind::Invalid,
                    Some(format!("input '{}', {}", tensor.name, tensor.type_name())),
                    format!("was given {}{:?}", value.dtype(), value.dims()),
                ));
            }
            self.take(value.data().bytes()).map_err(|p| wrong(p.kind, None, p.text))?;
            frame.values[id.index()] = Some(value);
        }
        for i in 0..block.operators.len() {
            self.operator(&mut frame, i).map_err(|p| locate(p, block, i))?;
        }
        let outputs = block
            .outputs
            .iter()
            .map(|id| {
                frame.values[id.index()].clone().ok_or_else(|| {
                    let tensor = Some(format!("output '{}'", block.tensor(*id).name));
                    wrong(ErrorKind::Invalid, tensor, "no operator makes it".to_owned())
                })
            })
            .collect();
        for value in frame.values.iter().flatten() {
            self.memory += value.data().bytes();
        }
        outputs
    }

    fn operator(&mut self, frame: &mut Frame<'_>, i: usize) -> Result<(), Problem> {
        let block = frame.block;
        let operation = &block.operators[i];
        let graph = self.graph;
        let mut values = Vec::with_capacity(operation.inputs.len());
        for (n, id) in operation.inputs.iter().enumerate() {
            match &frame.values[id.index()] {
                Some(value) => values.push(Rc::clone(value)),
                None => {
                    let text =
                        "has no value yet: no earlier operator makes it, and it is no input of the block";
                    return Err(Problem::invalid(text).input(n));
                }
            }
        }
        let declared: Vec<Option<Dims>> =
            operation.outputs.iter().map(|id| block.tensor(*id).dims()).collect();
        let ins: Vec<Arg<'_>> =
            values.iter().map(|v| Arg { dtype: v.dtype(), dims: Some(v.dims()), value: Some(v) }).collect();
        let outs: Vec<Arg<'_>> = operation
            .outputs
            .iter()
            .zip(&declared)
            .map(|(id, dims)| Arg { dtype: block.tensor(*id).dtype, dims: dims.as_deref(), value: None })
            .collect();
        let cx = Cx { ins: &ins, outs: &outs, graph };
        let shapes = check(operation, &cx).map_err(|p| match p.kind {
            ErrorKind::Unknown => Problem::new(
                ErrorKind::Unsupported,
                "the shape of an output follows from nothing; declare it in the graph",
            ),
            _ => p,
        })?;
        let rules = operation.op.rules();
        self.spend(rules.work(&cx, &shapes).saturating_add(OVERHEAD))?;
        let mut made = Vec::with_capacity(shapes.len());
        let mut bytes = 0u64;
        for (o, (id, dims)) in operation.outputs.iter().zip(shapes).enumerate() {
            compare(block, *id, &dims).map_err(|p| p.output(o))?;
            let dtype = block.tensor(*id).dtype;
            if !dtype.is_integer() {
                let text = format!("elements of {dtype} are not supported by the interpreter; integers are");
                return Err(Problem::new(ErrorKind::Unsupported, text).output(o));
            }
            if frame.values[id.index()].is_some() {
                return Err(Problem::invalid("has a value already; a tensor is made once").output(o));
            }
            bytes = bytes.saturating_add(memory(dtype, count(&dims).unwrap_or(usize::MAX) as u64));
            made.push((dtype, dims));
        }
        self.take(bytes)?;
        let results = match &operation.op {
            // Their values stand in the tensor.
            Op::Const(_) | Op::ConstShape(_) => {
                let tensor = block.tensor(operation.outputs[0]);
                let (dtype, dims) = made[0].clone();
                let data = tensor.data.as_deref().unwrap_or(&[]);
                vec![
                    Value::from_bytes(dtype, dims, data)
                        .map_err(|e| Problem::invalid(e.to_string()).output(0))?,
                ]
            }
            _ => {
                let ins: Vec<&Value> = values.iter().map(Rc::as_ref).collect();
                rules
                    .run(&mut Run { ins: &ins, outs: &made, machine: self })
                    .map_err(|p| unsupported(p, operation.op.name()))?
            }
        };
        drop(values);
        for (id, value) in operation.outputs.iter().zip(results) {
            frame.values[id.index()] = Some(Rc::new(value));
        }
        for id in operation.inputs.iter().chain(&operation.outputs) {
            if frame.last_use[id.index()] <= i
                && let Some(value) = frame.values[id.index()].take()
            {
                self.memory += value.data().bytes();
            }
        }
        Ok(())
    }
}

/// Names the operator whose kernel there is not.
fn unsupported(mut problem: Problem, name: &str) -> Problem {
    if problem.kind == ErrorKind::Unsupported && problem.inner.is_none() {
        problem.text = format!("{}: {name}", problem.text);
    }
    problem
}

/// The values of a block while it runs.
struct Frame<'f> {
    block: &'f Block<'f>,
    values: Vec<Option<Rc<Value>>>,
    /// The last operator that reads the tensor; the outputs of the block are never dropped.
    last_use: Vec<usize>,
}

impl<'f> Frame<'f> {
    fn new(block: &'f Block<'f>) -> Frame<'f> {
        let mut last_use = vec![0; block.tensors.len()];
        for (i, operation) in block.operators.iter().enumerate() {
            for id in &operation.inputs {
                last_use[id.index()] = i;
            }
        }
        for id in &block.outputs {
            last_use[id.index()] = usize::MAX;
        }
        Frame { block, values: vec![None; block.tensors.len()], last_use }
    }
}

/// The types and shapes of the values that [`run`] needs: each input's name, type and dimensions.
pub fn inputs<'g>(graph: &'g Graph<'_>) -> Vec<(&'g str, Dtype, Option<Dims>)> {
    let Some(block) = graph.main() else { return Vec::new() };
    block
        .inputs
        .iter()
        .map(|id| {
            let tensor = block.tensor(*id);
            (tensor.name.as_str(), tensor.dtype, tensor.dims())
        })
        .collect()
}
