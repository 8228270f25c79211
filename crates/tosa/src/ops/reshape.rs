//! RESHAPE: the same elements in another shape.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::{Value, count};

attributes! {
    /// No attributes.
    Reshape {}
}

/// The shape that an input tells, for as many elements as `dims` has.
pub(crate) fn target(cx: &Cx<'_>, dims: &[usize], i: usize) -> Result<Vec<usize>, Problem> {
    let ints = cx.ints(i)?;
    let shape: Option<Vec<usize>> = ints.iter().map(|n| usize::try_from(*n).ok()).collect();
    let shape = shape.ok_or_else(|| Problem::invalid(format!("{ints:?} has a negative number")).input(i))?;
    ensure!(
        count(&shape).is_some() && count(&shape) == count(dims),
        "{dims:?} and {shape:?} have different numbers of elements"
    );
    Ok(shape)
}

impl Operator for Reshape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), constant("shape")],
            &["output"],
            types![Bool Shape -> Bool: INT; I8 Shape -> I8: INT; I16 Shape -> I16: INT; I32 Shape -> I32: INT;
                I64 Shape -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        Ok(vec![target(cx, cx.dims(0)?, 1)?])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        run.done(run.data(0).clone())
    }
}
