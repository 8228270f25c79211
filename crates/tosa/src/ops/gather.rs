//! GATHER: rows of a tensor that another names.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// No attributes.
    Gather {}
}

/// Rows `[k, k + rows)` of each matrix of `values`.
pub(crate) fn rows<T: Copy>(
    values: &[T],
    [n, k, c]: [usize; 3],
    indices: &[i64],
    count: usize,
) -> Result<Vec<T>, Problem> {
    let w = indices.len() / n.max(1);
    let mut out = Vec::with_capacity(indices.len() * count * c);
    for (matrix, indices) in values.chunks_exact((k * c).max(1)).zip(indices.chunks_exact(w.max(1))) {
        for &index in indices {
            let first =
                usize::try_from(index).ok().filter(|i| i.checked_add(count).is_some_and(|end| end <= k));
            let Some(first) = first else {
                let text = format!("index {index} leaves the {k} rows");
                return Err(Problem::unpredictable(text).input(1));
            };
            out.extend_from_slice(&matrix[first * c..(first + count) * c]);
        }
    }
    Ok(out)
}

impl Operator for Gather {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("values"), input("indices")],
            &["output"],
            types![I8 I32 -> I8: INT; I16 I32 -> I16: INT; I32 I32 -> I32: INT; Bool I32 -> Bool: V11;
                I8 I64 -> I8: INT64; I16 I64 -> I16: INT64; I32 I64 -> I32: INT64; I64 I64 -> I64: INT64;
                Bool I64 -> Bool: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, _, c] = cx.rank::<3>(0)?;
        let [m, w] = cx.rank::<2>(1)?;
        ensure!(n == m, "values have {n} batches and indices {m}; they must have the same");
        Ok(vec![vec![n, w, c]])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let d = run.dims(0);
        let indices = run.ins[1].ints();
        run.done(each_data!(run.data(0), v => rows(v, [d[0], d[1], d[2]], &indices, 1)?))
    }
}
