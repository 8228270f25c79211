//! SCATTER: rows of a tensor replaced by others; no row twice.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::value::{Data, Value};

attributes! {
    /// No attributes.
    Scatter {}
}

impl Operator for Scatter {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("values_in"), input("indices"), input("input")],
            &["values_out"],
            types![I8 I32 I8 -> I8: INT; I16 I32 I16 -> I16: INT; I32 I32 I32 -> I32: INT;
                Bool I32 Bool -> Bool: V11; I8 I64 I8 -> I8: INT64; I16 I64 I16 -> I16: INT64;
                I32 I64 I32 -> I32: INT64; I64 I64 I64 -> I64: INT64; Bool I64 Bool -> Bool: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, k, c] = cx.rank::<3>(0)?;
        let [m, w] = cx.rank::<2>(1)?;
        ensure!(n == m, "values have {n} batches and indices {m}; they must have the same");
        cx.shape_is(2, &[n, w, c])?;
        Ok(vec![vec![n, k, c]])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        fn kernel<T: Copy>(
            values: &[T],
            d: &[usize],
            indices: &[i64],
            from: &[T],
        ) -> Result<Vec<T>, Problem> {
            let (n, k, c) = (d[0], d[1], d[2]);
            let w = indices.len() / n.max(1);
            let mut out = values.to_vec();
            let mut written = vec![false; n * k];
            for (i, (index, row)) in indices.iter().zip(from.chunks_exact(c.max(1))).enumerate() {
                let at = usize::try_from(*index).ok().filter(|at| *at < k);
                let Some(at) = at.map(|at| i / w * k + at) else {
                    let text = format!("index {index} leaves the {k} rows");
                    return Err(Problem::unpredictable(text).input(1));
                };
                if std::mem::replace(&mut written[at], true) {
                    return Err(Problem::unpredictable(format!("index {index} stands there twice")).input(1));
                }
                out[at * c..(at + 1) * c].copy_from_slice(row);
            }
            Ok(out)
        }
        let d = run.dims(0);
        let indices = run.ins[1].ints();
        run.done(match (run.data(0), run.data(2)) {
            (Data::I8(v), Data::I8(x)) => Data::I8(kernel(v, d, &indices, x)?),
            (Data::I16(v), Data::I16(x)) => Data::I16(kernel(v, d, &indices, x)?),
            (Data::I32(v), Data::I32(x)) => Data::I32(kernel(v, d, &indices, x)?),
            (Data::I64(v), Data::I64(x)) => Data::I64(kernel(v, d, &indices, x)?),
            _ => return Err(Problem::invalid("operands of different types")),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    #[test]
    fn no_row_twice() {
        let body = "tensor v: i8[1, 3, 2] tensor i: i32[1, 2] tensor x: i8[1, 2, 2] tensor y: i8[1, 3, 2]
             inputs v, i, x outputs y y = SCATTER(v, i, x)";
        let (v, x): (&[i64], &[i64]) = (&[1, 2, 3, 4, 5, 6], &[7, 8, 9, 10]);
        assert_eq!(eval(body, &[v, &[2, 0], x]).unwrap(), [9, 10, 3, 4, 7, 8]);
        assert!(refused(body, &[v, &[1, 1], x]).contains("twice"));
        assert!(refused(body, &[v, &[3, 1], x]).contains("leaves the 3 rows"));
    }
}
