//! Whether a graph is one that a target must accept.
//!
//! # Rules
//! Of the graph:
//! * its version is not newer than the target's;
//! * it has a region, and each region has exactly one block;
//! * regions do not run each other in a circle, nor deeper than the level's `max_nesting`.
//!
//! Of each block:
//! * tensor names differ (a file refers by name);
//! * inputs of the block are no outputs of its operators, and no input is named twice;
//! * every tensor is made by one operator at most, and before any operator reads it;
//! * every output of the block is made, or is an input.
//!
//! Of each tensor that an operator uses:
//! * its number of dimensions is known and within the level's `max_rank`; a shape's length within `max_shape_len`;
//! * known dimensions are at least 1; its bytes are fewer than two to the power of `max_log2_size`.
//!
//! Of each operator:
//! * it has as many inputs and outputs as its definition;
//! * the types of its operands are a combination that the profile INT and the target's extensions and version
//!   have; the extensions that it needs by itself too (COND_IF, RESCALE with `double_round`);
//! * inputs that must be constants come from CONST or CONST_SHAPE, unless the target has `dynamic`;
//! * every `ERROR_IF` of the specification about attributes, shapes and constants (see each file of `src/ops`),
//!   and that declared shapes of outputs are those that follow;
//! * the level's limits on kernels, strides, scales and lists;
//! * the data of CONST and CONST_SHAPE is there and long enough.
//!
//! Not checked: values that are only known in a run (`REQUIRE`), which the interpreter reports; rules about shapes
//! that are unknown; operators and types of the profile FP, which are refused as beyond the target.

use crate::attr::Attr;
use crate::dtype::Dtype;
use crate::error::{Error, ErrorKind};
use crate::graph::{Block, Graph, Operation, RegionId, TensorId};
use crate::infer::{Known, check, check_counts, check_types, compare, is_constant, locate};
use crate::rule::{Arg, Cx, Problem};
use crate::spec::{Extensions, Level, Spec};
use crate::value::count;
use std::collections::BTreeSet;

/// After so many errors the rest is not looked for.
const MOST: usize = 100;

/// Checks a graph against a target. Returns every error found, in the order of the graph; none if it is valid.
pub fn validate(graph: &Graph<'_>, spec: &Spec) -> Vec<Error> {
    let mut errors = Vec::new();
    if graph.version.minor > spec.minor {
        errors.push(Error::new(
            ErrorKind::Profile,
            format!(
                "the graph follows TOSA {}, the target has 1.{}; export it for that",
                graph.version, spec.minor
            ),
        ));
    }
    if graph.regions.is_empty() {
        errors.push(Error::new(ErrorKind::Invalid, "the graph has no region"));
    }
    for region in &graph.regions {
        if region.blocks.len() != 1 {
            let text = format!("region '{}' has {} blocks; it must have 1", region.name, region.blocks.len());
            errors.push(Error::new(ErrorKind::Invalid, text));
        }
    }
    nesting(graph, &spec.level, &mut errors);
    for block in graph.regions.iter().flat_map(|r| &r.blocks) {
        check_block(graph, block, spec, &mut errors);
        if errors.len() >= MOST {
            errors.truncate(MOST);
            break;
        }
    }
    errors
}

/// The regions that a region's operators run.
fn children(graph: &Graph<'_>, region: usize) -> Vec<RegionId> {
    graph.regions[region]
        .blocks
        .iter()
        .flat_map(|b| &b.operators)
        .flat_map(|o| o.op.to_attrs())
        .filter_map(|a| if let Attr::Region(id) = a { Some(id) } else { None })
        .filter(|id| id.index() < graph.regions.len())
        .collect()
}

fn nesting(graph: &Graph<'_>, level: &Level, errors: &mut Vec<Error>) {
    // The depth of each region below: a circle never settles within as many rounds as there are regions.
    let kids: Vec<Vec<RegionId>> = (0..graph.regions.len()).map(|r| children(graph, r)).collect();
    let mut depth = vec![0usize; kids.len()];
    for round in 0..=level.max_nesting + 1 {
        let mut changed = false;
        for (r, kids) in kids.iter().enumerate() {
            let own = kids.iter().map(|k| depth[k.index()] + 1).max().unwrap_or(0);
            if own > depth[r] {
                depth[r] = own;
                changed = true;
            }
        }
        if !changed {
            break;
        }
        if round > level.max_nesting || depth.iter().any(|d| *d > level.max_nesting) {
            let text = format!(
                "regions run each other in a circle, or nest deeper than the {} of level {}",
                level.max_nesting, level.name
            );
            errors.push(Error::new(ErrorKind::Level, text));
            return;
        }
    }
}

fn check_block(graph: &Graph<'_>, block: &Block<'_>, spec: &Spec, errors: &mut Vec<Error>) {
    let wrong = |id: &TensorId, text: String| {
        let tensor = Some(format!("'{}'", block.tensor(*id).name));
        Error::of_block(ErrorKind::Invalid, &block.name, tensor, text)
    };
    let mut names = BTreeSet::new();
    for (i, tensor) in block.tensors.iter().enumerate() {
        if !names.insert(&tensor.name) {
            errors
                .push(wrong(&TensorId(i as u32), "another tensor of the block has the same name".to_owned()));
        }
    }
    let mut known = Known::new(block);
    let mut made = vec![false; block.tensors.len()];
    let mut constant = vec![false; block.tensors.len()];
    for id in &block.inputs {
        if std::mem::replace(&mut made[id.index()], true) {
            errors.push(wrong(id, "is an input of the block twice".to_owned()));
        }
    }
    for (i, operation) in block.operators.iter().enumerate() {
        if errors.len() >= MOST {
            return;
        }
        let mut report = |problem: Problem| errors.push(locate(problem, block, i));
        for (n, id) in operation.inputs.iter().enumerate() {
            if !made[id.index()] {
                let text = "is read before it is made: no earlier operator makes it, and it is no input of the block";
                report(Problem::invalid(text).input(n));
            }
        }
        if let Err(problem) = check_operation(graph, block, operation, &mut known, &constant, spec) {
            report(problem);
        }
        for (n, id) in operation.outputs.iter().enumerate() {
            if std::mem::replace(&mut made[id.index()], true) {
                report(Problem::invalid("is made a second time; a tensor has one origin").output(n));
            }
            constant[id.index()] = is_constant(operation);
        }
    }
    for id in &block.outputs {
        if !made[id.index()] {
            errors.push(wrong(id, "is an output of the block, and no operator makes it".to_owned()));
        }
    }
}

fn check_operation(
    graph: &Graph<'_>,
    block: &Block<'_>,
    operation: &Operation,
    known: &mut Known,
    constant: &[bool],
    spec: &Spec,
) -> Result<(), Problem> {
    let rules = operation.op.rules();
    let signature = rules.signature();
    check_counts(operation)?;
    let dtypes = |ids: &[TensorId]| ids.iter().map(|id| block.tensor(*id).dtype).collect::<Vec<_>>();
    let needs = check_types(signature, &dtypes(&operation.inputs), &dtypes(&operation.outputs))?;
    let extensions = needs.extensions.and(rules.needs());
    let lacking = spec.extensions.lacks(extensions);
    if lacking != Extensions::NONE {
        let text = format!("with these types and attributes it needs {lacking}, which the target has not");
        return Err(Problem::new(ErrorKind::Profile, text));
    }
    if needs.minor > spec.minor {
        let text =
            format!("with these types it needs TOSA 1.{}; the target has 1.{}", needs.minor, spec.minor);
        return Err(Problem::new(ErrorKind::Profile, text));
    }
    for (n, id) in operation.inputs.iter().enumerate() {
        check_tensor(block, *id, &spec.level).map_err(|p| p.input(n))?;
        let must = signature.inputs.get(n).is_some_and(|p| p.constant);
        if must && !constant[id.index()] && !spec.extensions.has(Extensions::DYNAMIC) {
            let text = "must be a constant (the output of CONST or CONST_SHAPE in this block): the target has not \
                        the extension dynamic";
            return Err(Problem::new(ErrorKind::Profile, text).input(n));
        }
    }
    for (n, id) in operation.outputs.iter().enumerate() {
        check_tensor(block, *id, &spec.level).map_err(|p| p.output(n))?;
    }
    if is_constant(operation)
        && let Some(id) = operation.outputs.first()
    {
        check_data(block, *id).map_err(|p| p.output(0))?;
    }
    let inferred = {
        let ins: Vec<Arg<'_>> = operation.inputs.iter().map(|id| known.arg(block, *id)).collect();
        let outs: Vec<Arg<'_>> = operation.outputs.iter().map(|id| known.arg(block, *id)).collect();
        let cx = Cx { ins: &ins, outs: &outs, graph };
        match rules.level(&cx, &spec.level) {
            Err(problem) if problem.kind != ErrorKind::Unknown => return Err(problem),
            _ => {}
        }
        match check(operation, &cx) {
            Ok(inferred) => inferred,
            Err(problem) if problem.kind == ErrorKind::Unknown => return Ok(()),
            Err(problem) => return Err(problem),
        }
    };
    for (n, (id, dims)) in operation.outputs.iter().zip(inferred).enumerate() {
        compare(block, *id, &dims).map_err(|p| p.output(n))?;
        known.dims[id.index()] = Some(dims);
        if is_constant(operation) {
            known.constant(block, *id);
        }
    }
    Ok(())
}

fn check_tensor(block: &Block<'_>, id: TensorId, level: &Level) -> Result<(), Problem> {
    let tensor = block.tensor(id);
    let Some(shape) = &tensor.shape else {
        return Err(Problem::level(format!(
            "has no known number of dimensions; level {} needs one",
            level.name
        )));
    };
    if tensor.dtype == Dtype::Shape {
        let length = shape.first().copied().unwrap_or(0);
        return match usize::try_from(length) {
            Ok(length) if length <= level.max_shape_len => Ok(()),
            _ => Err(Problem::level(format!(
                "has {length} numbers; level {} allows {}",
                level.name, level.max_shape_len
            ))),
        };
    }
    if shape.len() > level.max_rank {
        let text = format!("has {} dimensions; level {} allows {}", shape.len(), level.name, level.max_rank);
        return Err(Problem::level(text));
    }
    if let Some(dim) = shape.iter().find(|d| **d < 1 && **d != -1) {
        return Err(Problem::invalid(format!(
            "has a dimension of {dim}; 1 is the least, -1 stands for unknown"
        )));
    }
    if let Some(dims) = tensor.dims() {
        let bytes = count(&dims).and_then(|n| tensor.dtype.bytes(n as u64));
        if bytes.is_none_or(|bytes| bytes >= 1u64 << level.max_log2_size) {
            let text =
                format!("has 2^{} bytes or more, the limit of level {}", level.max_log2_size, level.name);
            return Err(Problem::level(text));
        }
    }
    Ok(())
}

fn check_data(block: &Block<'_>, id: TensorId) -> Result<(), Problem> {
    let tensor = block.tensor(id);
    let has = tensor.data.as_ref().map_or(0, |d| d.len() as u64);
    let needs = tensor.dims().and_then(|d| tensor.dtype.bytes(count(&d)? as u64));
    match needs {
        Some(needs) if needs <= has => Ok(()),
        Some(needs) => {
            Err(Problem::invalid(format!("has {has} bytes of data; its type and shape need {needs}")))
        }
        None => Err(Problem::invalid("the shape of a constant must be known")),
    }
}
