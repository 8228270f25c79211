//! Shared by the operators on shapes.

use crate::rule::{Cx, Inferred, Problem, Run, ensure};
use crate::value::{Data, Value};

/// Two shapes of the same length.
pub(crate) fn same_length(cx: &Cx<'_>) -> Inferred {
    let (a, b) = (cx.dims(0)?, cx.dims(1)?);
    ensure!(a == b, "shapes of {a:?} and {b:?} numbers; they must have the same");
    Ok(vec![a.to_vec()])
}

pub(crate) fn binary(
    run: &Run<'_, '_>,
    why: &str,
    f: impl Fn(i64, i64) -> Option<i64>,
) -> Result<Vec<Value>, Problem> {
    let out: Option<Vec<i64>> =
        run.ins[0].ints().iter().zip(run.ins[1].ints()).map(|(a, b)| f(*a, b)).collect();
    run.done(Data::I64(out.ok_or_else(|| Problem::unpredictable(why))?))
}

pub(crate) fn unary(
    run: &Run<'_, '_>,
    why: &str,
    f: impl Fn(i64) -> Option<i64>,
) -> Result<Vec<Value>, Problem> {
    let out: Option<Vec<i64>> = run.ins[0].ints().into_iter().map(f).collect();
    run.done(Data::I64(out.ok_or_else(|| Problem::unpredictable(why))?))
}
