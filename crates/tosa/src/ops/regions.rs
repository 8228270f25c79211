//! Shared by the operators that run regions.

use crate::graph::Block;
use crate::rule::{Arg, Cx, Dims, Problem, ensure};
use crate::spec::Level;

/// Types and shapes of a body's inputs or outputs beside those of operands.
pub(crate) fn matches(
    body: &Block<'_>,
    ids: &[crate::graph::TensorId],
    args: &[Arg<'_>],
    what: &str,
) -> Result<(), Problem> {
    ensure!(
        ids.len() == args.len(),
        "the body '{}' has {} {what}; {} are needed",
        body.name,
        ids.len(),
        args.len()
    );
    for (id, arg) in ids.iter().zip(args) {
        let tensor = body.tensor(*id);
        let dims = tensor.dims();
        let same_shape = match (&dims, arg.dims) {
            (Some(a), Some(b)) => a.as_slice() == b,
            _ => true,
        };
        ensure!(
            tensor.dtype == arg.dtype && same_shape,
            "'{}' of the body '{}' is {}; {}{:?} is needed",
            tensor.name,
            body.name,
            tensor.type_name(),
            arg.dtype,
            arg.dims
        );
    }
    Ok(())
}

/// The shapes of a body's outputs.
pub(crate) fn shapes(body: &Block<'_>) -> Result<Vec<Dims>, Problem> {
    body.outputs.iter().map(|id| body.tensor(*id).dims().ok_or_else(Problem::unknown)).collect()
}

pub(crate) fn list(cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
    let most = cx.ins.len().max(cx.outs.len());
    if most > level.max_tensor_list_size {
        return Err(Problem::level(format!(
            "has {most} operands; the level allows {}",
            level.max_tensor_list_size
        )));
    }
    Ok(())
}
