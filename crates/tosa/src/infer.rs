//! Rules applied to the operators of a graph: operand counts, types, shapes.

use crate::dtype::Dtype;
use crate::error::{Error, ErrorKind, OperatorPlace, Place};
use crate::graph::{Block, Graph, Operation, TensorId};
use crate::rule::{Arg, Cx, Dims, Inferred, Needs, Port, Problem, Signature, Typing};
use crate::value::Value;

/// Adds to a problem where it is.
pub(crate) fn locate(problem: Problem, block: &Block<'_>, i: usize) -> Error {
    let operation = &block.operators[i];
    let signature = operation.op.rules().signature();
    let tensor = problem.port.and_then(|port| {
        let (role, name, id) = match port {
            Port::Input(n) => ("input", signature.input_name(n), operation.inputs.get(n)?),
            Port::Output(n) => {
                ("output", signature.outputs.get(n).copied().unwrap_or(""), operation.outputs.get(n)?)
            }
        };
        let tensor = block.tensors.get(id.index())?;
        Some(format!("{role} {name} ('{}', {})", tensor.name, tensor.type_name()))
    });
    let operator =
        OperatorPlace { index: i, name: operation.op.name(), location: operation.location.clone() };
    let place = Place { block: Some(block.name.clone()), operator: Some(operator), tensor };
    Error { kind: problem.kind, place: Box::new(place), text: problem.text, inner: problem.inner }
}

/// Checks the number of operands.
pub(crate) fn check_counts(operation: &Operation) -> Result<(), Problem> {
    let signature = operation.op.rules().signature();
    if matches!(signature.types, Typing::Any) {
        return Ok(());
    }
    let (ins, outs) = (operation.inputs.len(), operation.outputs.len());
    let expected = signature.inputs.len();
    if if signature.variadic { ins < expected } else { ins != expected } {
        let names: Vec<&str> = signature.inputs.iter().map(|p| p.name).collect();
        let many = if signature.variadic { " or more" } else { "" };
        let text = format!("has {ins} inputs and must have {expected}{many}: {}", names.join(", "));
        return Err(Problem::invalid(text));
    }
    if outs != signature.outputs.len() {
        let text = format!(
            "has {outs} outputs and must have {}: {}",
            signature.outputs.len(),
            signature.outputs.join(", ")
        );
        return Err(Problem::invalid(text));
    }
    Ok(())
}

/// The row of the operator's types that its operands have.
pub(crate) fn check_types(signature: &Signature, ins: &[Dtype], outs: &[Dtype]) -> Result<Needs, Problem> {
    let table = match signature.types {
        Typing::Any => return Ok(Needs::INT),
        Typing::Float => {
            return Err(Problem::new(
                ErrorKind::Profile,
                "only computes with floating point, which the profile INT has not",
            ));
        }
        Typing::Table(table) => table,
    };
    let matches = |row: &&crate::rule::Types| {
        ins.iter().enumerate().all(|(i, d)| row.ins.get(i).or(row.ins.last()) == Some(d)) && row.outs == outs
    };
    if let Some(row) = table.iter().find(matches) {
        return Ok(row.needs);
    }
    let list = |types: &[Dtype]| types.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
    let known: Vec<String> =
        table.iter().map(|r| format!("({}) -> ({})", list(r.ins), list(r.outs))).collect();
    let float = ins.iter().chain(outs).any(|d| !d.is_integer());
    let kind = if float { ErrorKind::Profile } else { ErrorKind::Invalid };
    let has = format!("({}) -> ({})", list(ins), list(outs));
    Err(Problem::new(kind, format!("has no types {has} in the profile INT; it has {}", known.join("; "))))
}

/// Everything but limits and targets: counts, types, rules. The shapes of the outputs.
pub(crate) fn check(operation: &Operation, cx: &Cx<'_>) -> Inferred {
    check_counts(operation)?;
    let rules = operation.op.rules();
    let ins: Vec<Dtype> = cx.ins.iter().map(|a| a.dtype).collect();
    let outs: Vec<Dtype> = cx.outs.iter().map(|a| a.dtype).collect();
    check_types(rules.signature(), &ins, &outs)?;
    for (i, arg) in cx.ins.iter().enumerate() {
        if arg.dtype != Dtype::Shape
            && let Some(dims) = arg.dims
            && dims.contains(&0)
        {
            return Err(
                Problem::unpredictable(format!("a dimension of {dims:?} is 0; 1 is the least")).input(i)
            );
        }
    }
    let inferred = rules.infer(cx)?;
    debug_assert_eq!(inferred.len(), outs.len(), "{}", operation.op.name());
    for (i, dims) in inferred.iter().enumerate() {
        if dims.contains(&0) && outs.get(i) != Some(&Dtype::Shape) {
            return Err(Problem::invalid(format!("would have the shape {dims:?}; 1 is the least")).output(i));
        }
    }
    Ok(inferred)
}

/// The values of constants that rules look at, while a block is walked.
pub(crate) struct Known {
    pub(crate) dims: Vec<Option<Dims>>,
    pub(crate) values: Vec<Option<Value>>,
}

impl Known {
    pub(crate) fn new(block: &Block<'_>) -> Known {
        Known {
            dims: block.tensors.iter().map(|t| t.dims()).collect(),
            values: vec![None; block.tensors.len()],
        }
    }

    pub(crate) fn arg<'c>(&'c self, block: &Block<'_>, id: TensorId) -> Arg<'c> {
        Arg {
            dtype: block.tensor(id).dtype,
            dims: self.dims[id.index()].as_deref(),
            value: self.values[id.index()].as_ref(),
        }
    }

    /// Remembers the value of a constant if it is one that rules look at: shapes, zero points, scales.
    pub(crate) fn constant(&mut self, block: &Block<'_>, id: TensorId) {
        const LARGEST: usize = 1 << 20;
        let tensor = block.tensor(id);
        if let Some(dims) = &self.dims[id.index()]
            && crate::value::count(dims).is_some_and(|n| n <= LARGEST)
            && let Ok(value) =
                Value::from_bytes(tensor.dtype, dims.clone(), tensor.data.as_deref().unwrap_or(&[]))
        {
            self.values[id.index()] = Some(value);
        }
    }
}

/// Fills in shapes that are not known, in every block: dimensions of -1 and tensors without a rank. A block that
/// is a body takes the shapes of its inputs as declared.
///
/// # Errors
/// The first operator whose operands break a rule, or whose output is declared with another shape than it has.
pub fn infer_shapes(graph: &mut Graph<'_>) -> Result<(), Error> {
    for r in 0..graph.regions.len() {
        for b in 0..graph.regions[r].blocks.len() {
            let known = {
                let block = &graph.regions[r].blocks[b];
                walk(graph, block)?
            };
            for (tensor, dims) in graph.regions[r].blocks[b].tensors.iter_mut().zip(known.dims) {
                if let Some(dims) = dims {
                    tensor.shape = Some(dims.iter().map(|&d| i32::try_from(d).unwrap_or(i32::MAX)).collect());
                }
            }
        }
    }
    Ok(())
}

fn walk(graph: &Graph<'_>, block: &Block<'_>) -> Result<Known, Error> {
    let mut known = Known::new(block);
    for (i, operation) in block.operators.iter().enumerate() {
        let inferred = {
            let ins: Vec<Arg<'_>> = operation.inputs.iter().map(|id| known.arg(block, *id)).collect();
            let outs: Vec<Arg<'_>> = operation.outputs.iter().map(|id| known.arg(block, *id)).collect();
            check(operation, &Cx { ins: &ins, outs: &outs, graph })
        };
        match inferred {
            Ok(dims) => {
                for (o, (id, dims)) in operation.outputs.iter().zip(dims).enumerate() {
                    compare(block, *id, &dims).map_err(|p| locate(p.output(o), block, i))?;
                    known.dims[id.index()] = Some(dims);
                    if is_constant(operation) {
                        known.constant(block, *id);
                    }
                }
            }
            Err(problem) if problem.kind == ErrorKind::Unknown => {}
            Err(problem) => return Err(locate(problem, block, i)),
        }
    }
    Ok(known)
}

pub(crate) fn is_constant(operation: &Operation) -> bool {
    matches!(operation.op, crate::Op::Const(_) | crate::Op::ConstShape(_))
}

/// Compares a shape with the declared one, where that is known.
pub(crate) fn compare(block: &Block<'_>, id: TensorId, dims: &[usize]) -> Result<(), Problem> {
    let Some(declared) = &block.tensor(id).shape else { return Ok(()) };
    // Shape values of rank 0 are written both ways.
    let same = declared.len() == dims.len()
        && declared.iter().zip(dims).all(|(&d, &n)| d == -1 || usize::try_from(d) == Ok(n));
    if same { Ok(()) } else { Err(Problem::invalid(format!("must have the shape {dims:?}"))) }
}
