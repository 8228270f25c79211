//! From a TOSA graph to a [`Program`], one operator at a time.
//!
//! Lowering is local: an operator becomes operations without a look at its neighbours, so that each file of
//! `ops` can be read and proven alone. What belongs together on the hardware is merged afterwards, by
//! [`crate::fuse`]. RESHAPE and IDENTITY vanish here: tensors are dense lists, so another shape is another name.
//!
//! An operator that can't be lowered is a [`Refusal`] that names the constraint and the value that broke it;
//! all refusals of a graph are found at once.

mod boxes;
mod ops;

use crate::ir::{Elem, Input, Kind, Op, Output, Program, Tensor, TensorId, View, eval};
use boxes::boxes;
use std::fmt;
use tombolo_tosa as tosa;
use tombolo_tosa::{Data, Dtype, ErrorKind, Value};

/// Why an operator has no place on the NPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its place in the block.
    pub index: usize,
    /// Its name in the schema.
    pub name: &'static str,
    /// Where it came from, if the file tells.
    pub location: Option<String>,
    /// The constraint, and the value that broke it.
    pub text: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operator {} {}", self.index, self.name)?;
        if let Some(location) = self.location.as_deref().filter(|l| !l.is_empty()) {
            write!(f, " ({location})")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// A graph that is not a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The graph is wrong.
    Graph(String),
    /// The NPU, or this compiler, can't do these.
    Refused(Vec<Refusal>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Graph(text) => f.write_str(text),
            Error::Refused(refusals) => {
                write!(f, "{} of the operators are refused:", refusals.len())?;
                refusals.iter().try_for_each(|r| write!(f, "\n  {r}"))
            }
        }
    }
}

impl std::error::Error for Error {}

/// Lowers the block that runs. Shapes must be known: [`tosa::infer_shapes`]. A graph that no target could accept is
/// an error ([`tosa::validate`] finds all of them); what is beyond the NPU, or the integer profile, is a refusal.
///
/// # Errors
/// See [`Error`].
pub fn lower(graph: &tosa::Graph<'_>) -> Result<Program, Error> {
    check(graph)?;
    let block = graph.main().ok_or(Error::Graph("the graph has no block".into()))?;
    let places = vec![None; block.tensors.len()];
    let mut cx = Cx { block, program: Program::default(), places, index: 0, room: 1 << 26 };
    // An input of a type that the NPU has not: what reads it is refused, with its own name.
    let mut odd = None;
    for &id in &block.inputs {
        match cx.declare(id) {
            Ok(place) => cx.program.inputs.push(place.tensor),
            Err(text) => odd = odd.or(Some(Error::Graph(format!("an input: {text}")))),
        }
    }
    let mut refusals = Vec::new();
    for (index, op) in block.operators.iter().enumerate() {
        cx.index = index;
        if let Err(text) = ops::lower(&mut cx, op) {
            refusals.push(Refusal { index, name: op.op.name(), location: op.location.clone(), text });
            // What it would have written, so that its readers are looked at as well.
            for &id in &op.outputs {
                let _ = cx.declare(id);
            }
        }
    }
    if !refusals.is_empty() {
        return Err(Error::Refused(refusals));
    }
    if let Some(error) = odd {
        return Err(error);
    }
    for &id in &block.outputs {
        let name = &block.tensor(id).name;
        let place =
            cx.places[id.index()].clone().ok_or(Error::Graph(format!("output '{name}' has no value")))?;
        cx.output(&place).map_err(|text| Error::Graph(format!("output '{name}': {text}")))?;
    }
    cx.program.verify().map_err(Error::Graph)?;
    Ok(cx.program)
}

/// What the lowering of an operator relies on: ids of their arenas, shapes that follow from each other, one origin
/// for each tensor.
fn check(graph: &tosa::Graph<'_>) -> Result<(), Error> {
    for block in graph.regions.iter().flat_map(|r| &r.blocks) {
        let operands = block.operators.iter().flat_map(|o| o.inputs.iter().chain(&o.outputs));
        let mut ids = block.inputs.iter().chain(&block.outputs).chain(operands);
        if let Some(id) = ids.find(|id| id.index() >= block.tensors.len()) {
            return Err(Error::Graph(format!("tensor {} of block '{}' does not exist", id.0, block.name)));
        }
    }
    let spec = tosa::Spec { level: tosa::Level::NONE, ..tosa::Spec::everything() };
    let beyond = [ErrorKind::Profile, ErrorKind::Unsupported, ErrorKind::Unknown];
    match tosa::validate(graph, &spec).into_iter().find(|e| !beyond.contains(&e.kind)) {
        Some(error) => Err(Error::Graph(error.to_string())),
        None => Ok(()),
    }
}

/// As many operations as a program may have. More are no program that anybody waits for.
const MOST: usize = 1 << 16;

/// Where a tensor of the graph is: all of a tensor of the program, in order.
#[derive(Debug, Clone)]
struct Place {
    tensor: TensorId,
    dims: Vec<usize>,
}

/// What the lowering of an operator works with.
struct Cx<'g, 'a> {
    block: &'g tosa::Block<'a>,
    program: Program,
    places: Vec<Option<Place>>,
    index: usize,
    /// How many weights may be made that the graph does not have.
    room: usize,
}

/// An operand that an operation is to read or write, in the dimensions of the operator.
#[derive(Debug, Clone)]
struct Strided {
    tensor: TensorId,
    offset: usize,
    /// One for each dimension.
    strides: Vec<usize>,
}

fn elem_of(dtype: Dtype) -> Result<Elem, String> {
    match dtype {
        // Truth is a byte of 0 or 1; files have four bits as two in a byte, and only constants are unpacked.
        Dtype::I8 | Dtype::I4 | Dtype::Bool => Ok(Elem::I8),
        Dtype::I16 => Ok(Elem::I16),
        Dtype::I32 => Ok(Elem::I32),
        Dtype::I48 => Ok(Elem::I48),
        _ => Err(format!("elements must be bool, i8, i16 or i32, and are {dtype}")),
    }
}

/// Numbers as the data of a constant.
fn data_of(elem: Elem, ints: &[i64]) -> Result<Data, String> {
    let dtype = match elem {
        Elem::I8 => Dtype::I8,
        Elem::I16 => Dtype::I16,
        Elem::I32 => Dtype::I32,
        Elem::I48 => Dtype::I48,
    };
    let value = Value::from_ints(dtype, vec![ints.len()], ints).map_err(|e| e.to_string())?;
    Ok(value.data().clone())
}

/// Distances of the dimensions of a dense tensor.
fn dense(dims: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i] * dims[i];
    }
    strides
}

impl Place {
    fn strided(&self) -> Strided {
        Strided { tensor: self.tensor, offset: 0, strides: dense(&self.dims) }
    }

    /// As the larger shape that it is repeated to.
    fn broadcast(&self, to: &[usize]) -> Result<Strided, String> {
        if self.dims.len() != to.len() {
            return Err(format!("an operand of shape {:?} can't become {to:?}", self.dims));
        }
        let mut strided = self.strided();
        for ((stride, &from), &to) in strided.strides.iter_mut().zip(&self.dims).zip(to) {
            match from {
                _ if from == to => {}
                1 => *stride = 0,
                _ => return Err(format!("an operand of shape {:?} can't be repeated to {to}", self.dims)),
            }
        }
        Ok(strided)
    }

    /// Batches of height, width, depth.
    fn nhwc(&self) -> Result<(usize, [usize; 3]), String> {
        match self.dims[..] {
            [n, h, w, c] => Ok((n, [h, w, c])),
            _ => Err(format!("the shape must have four dimensions and is {:?}", self.dims)),
        }
    }

    /// One of the batches.
    fn batch(&self, n: usize, shape: [usize; 3]) -> View {
        let view = View::dense(self.tensor, shape);
        View { offset: n * shape.iter().product::<usize>(), ..view }
    }
}

impl Cx<'_, '_> {
    fn elem(&self, id: TensorId) -> Elem {
        self.program.tensor(id).elem
    }

    /// Makes the tensor that a tensor of the graph is in.
    fn declare(&mut self, id: tosa::TensorId) -> Result<Place, String> {
        let tensor = self.block.tensor(id);
        if tensor.dtype == Dtype::I4 {
            return Err(format!("'{}': i4 is possible for constants", tensor.name));
        }
        let dims = tensor.dims().ok_or(format!("the shape of '{}' is not known", tensor.name))?;
        let elements = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n < 1 << 40);
        let elements = elements.ok_or(format!("'{}' is larger than what an NPU addresses", tensor.name))?;
        if elements == 0 {
            return Err(format!("'{}' has no elements", tensor.name));
        }
        let elem = elem_of(tensor.dtype).map_err(|e| format!("'{}': {e}", tensor.name))?;
        let name = tensor.name.clone();
        let place = Place { tensor: self.program.add(Tensor { name, elem, elements, data: None }), dims };
        self.places[id.index()] = Some(place.clone());
        Ok(place)
    }

    /// Makes a constant that the graph does not have.
    fn constant(&mut self, name: String, elem: Elem, data: Data) -> TensorId {
        self.program.add(Tensor { name, elem, elements: data.len(), data: Some(data) })
    }

    /// An operand that is the same number everywhere.
    fn repeated(&mut self, elem: Elem, value: i64, rank: usize) -> Result<Strided, String> {
        let tensor = self.constant(format!("{value} {elem}"), elem, data_of(elem, &[value])?);
        Ok(Strided { tensor, offset: 0, strides: vec![0; rank] })
    }

    /// How many weights of this shape there are, if there is room for them beside those made so far.
    fn weights(&mut self, dims: &[usize]) -> Result<usize, String> {
        let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= self.room);
        let count = count.ok_or(format!("weights of the shape {dims:?} would have to be made; too many"))?;
        self.room -= count;
        Ok(count)
    }

    /// A tensor that the graph does not have.
    fn between(&mut self, of: &Place, step: &str, elem: Elem, dims: &[usize]) -> Result<Place, String> {
        let elements = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n < 1 << 40);
        let elements = elements.ok_or(format!("a shape of {dims:?} on the way is too large"))?;
        let name = format!("{} {step}", self.program.tensor(of.tensor).name);
        let tensor = self.program.add(Tensor { name, elem, elements, data: None });
        Ok(Place { tensor, dims: dims.to_vec() })
    }

    /// The numbers of an operand that must be a constant.
    fn ints(&self, op: &tosa::Operation, i: usize, role: &str) -> Result<Vec<i64>, String> {
        let id = op.inputs.get(i).ok_or(format!("{role} is missing"))?;
        let tensor = self.block.tensor(*id);
        let (Some(data), Some(dims)) = (&tensor.data, tensor.dims()) else {
            return Err(format!("{role} must be a constant, and '{}' is computed", tensor.name));
        };
        Ok(Value::from_bytes(tensor.dtype, dims, data).map_err(|e| e.to_string())?.ints())
    }

    /// The number of an operand that must be a constant of one element.
    fn int(&self, op: &tosa::Operation, i: usize, role: &str) -> Result<i64, String> {
        match self.ints(op, i, role)?[..] {
            [n] => Ok(n),
            ref many => Err(format!("{role} must be one number, and has {}", many.len())),
        }
    }

    /// An operand.
    fn input(&self, op: &tosa::Operation, i: usize) -> Result<Place, String> {
        let id = op.inputs.get(i).ok_or(format!("input {i} is missing"))?;
        let tensor = self.block.tensor(*id);
        elem_of(tensor.dtype).map_err(|e| format!("'{}': {e}", tensor.name))?;
        self.places[id.index()].clone().ok_or(format!("'{}' has no value", tensor.name))
    }

    /// A result, made.
    fn result(&mut self, op: &tosa::Operation) -> Result<Place, String> {
        let [id] = op.outputs[..] else {
            return Err(format!("one output is possible, not {}", op.outputs.len()));
        };
        self.declare(id)
    }

    /// Adds an operation of this operator.
    fn push(&mut self, kind: Kind, inputs: Vec<Input>, output: Output) -> Result<(), String> {
        if self.program.ops.len() >= MOST {
            return Err(format!("the program would have more than {MOST} operations from here on"));
        }
        self.program.ops.push(Op { kind, inputs, output, origin: vec![self.index] });
        Ok(())
    }

    /// Adds operations on each element: as many as `dims` has boxes of three dimensions.
    fn each(
        &mut self,
        kind: &Kind,
        dims: &[usize],
        inputs: &[(Strided, i64, bool)],
        to: &Strided,
        output: impl Fn(View) -> Output,
    ) -> Result<(), String> {
        let mut operands: Vec<&Strided> = inputs.iter().map(|(strided, _, _)| strided).collect();
        operands.push(to);
        for views in boxes(dims, &operands)? {
            let (Some((&target, sources)), true) = (views.split_last(), views.len() > inputs.len()) else {
                return Err("an operation without output".into());
            };
            let inputs = sources.iter().zip(inputs);
            let inputs = inputs.map(|(&view, &(_, zero_point, signed))| Input::new(view, zero_point, signed));
            self.push(kind.clone(), inputs.collect(), output(target))?;
        }
        Ok(())
    }

    /// Adds a copy, from one arrangement to another.
    fn copy(&mut self, dims: &[usize], from: Strided, to: &Strided) -> Result<(), String> {
        self.each(&Kind::Identity, dims, &[(from, 0, true)], to, Output::plain)
    }

    /// Lists an output. What is an input or a constant, or is returned already, gets a copy: the caller has
    /// another buffer for it.
    fn output(&mut self, place: &Place) -> Result<(), String> {
        let tensor = self.program.tensor(place.tensor);
        let taken =
            self.program.inputs.contains(&place.tensor) || self.program.outputs.contains(&place.tensor);
        if tensor.elem == Elem::I48 {
            return Err("sums of 48 bits can't be stored; a RESCALE must follow them".into());
        }
        let mut given = place.tensor;
        if taken || tensor.data.is_some() {
            self.index = self.block.operators.len().saturating_sub(1);
            let copy = self.between(place, "returned", tensor.elem, &place.dims)?;
            self.copy(&place.dims, place.strided(), &copy.strided())?;
            given = copy.tensor;
        }
        self.program.outputs.push(given);
        Ok(())
    }

    /// Weights: a constant of 8 bits.
    fn bytes(&self, id: TensorId) -> Result<Vec<i8>, String> {
        match &self.program.tensor(id).data {
            Some(Data::I8(bytes)) => Ok(bytes.clone()),
            _ => Err(format!("the weight '{}' must be a constant of i8", self.program.tensor(id).name)),
        }
    }

    /// The numbers of a constant of the program.
    fn numbers(&self, id: TensorId) -> Option<Vec<i64>> {
        self.program.tensor(id).data.as_ref().map(eval::numbers)
    }
}
