//! ROW_GATHER: so many rows of a tensor from each that another names.

use crate::attr::attributes;
use crate::ops::gather::rows;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// No attributes.
    RowGather {}
}

/// The shape of the result: `values` are input 0, `indices` `i`, the number of rows `i + 1`.
pub(crate) fn shape(cx: &Cx<'_>, i: usize) -> Inferred {
    let [n, _, c] = cx.rank::<3>(0)?;
    let [m, w] = cx.rank::<2>(i)?;
    ensure!(n == m, "values have {n} batches and indices {m}; they must have the same");
    let [count] = cx.some_ints(i + 1)?;
    let rows = usize::try_from(count).ok().filter(|c| *c >= 1).and_then(|c| c.checked_mul(w));
    match rows {
        Some(rows) => Ok(vec![vec![n, rows, c]]),
        None => Err(Problem::invalid(format!("row_count is {count} and must be at least 1")).input(i + 1)),
    }
}

impl Operator for RowGather {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("values"), input("indices"), constant("row_count")],
            &["output"],
            types![Bool I32 I32 -> Bool: V11; I8 I32 I32 -> I8: V11; I16 I32 I32 -> I16: V11;
                I32 I32 I32 -> I32: V11; I64 I32 I32 -> I64: INT64; Bool I64 I32 -> Bool: INT64;
                I8 I64 I32 -> I8: INT64; I16 I64 I32 -> I16: INT64; I32 I64 I32 -> I32: INT64;
                I64 I64 I32 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        shape(cx, 1)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let d = run.dims(0);
        let (indices, count) = (run.ins[1].ints(), run.scalar(2) as usize);
        run.done(each_data!(run.data(0), v => rows(v, [d[0], d[1], d[2]], &indices, count)?))
    }
}
