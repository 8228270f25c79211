//! ARGMAX: where the greatest element along an axis stands; the first of several.

use crate::attr::attributes;
use crate::dtype::NanMode;
use crate::ops::common::{around, axis_of};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::{Data, Value, pack};

attributes! {
    /// Attributes.
    ArgMax {
        /// The dimension that disappears.
        axis: i32,
        /// For NaN; integers have none.
        nan_mode: NanMode,
    }
}

impl Operator for ArgMax {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input")],
            &["output"],
            types![I8 -> I32: INT; I16 -> I32: INT16; I8 -> I64: INT64; I16 -> I64: INT64; I32 -> I64: INT64;
                I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let mut dims = cx.dims(0)?.to_vec();
        let axis = axis_of(self.axis, &dims)?;
        dims.remove(axis);
        Ok(vec![dims])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        fn kernel<T: Copy + Ord>(v: &[T], outer: usize, n: usize, inner: usize) -> Vec<usize> {
            let mut out = Vec::with_capacity(outer * inner);
            for block in v.chunks_exact((n * inner).max(1)) {
                for i in 0..inner {
                    let mut best = i;
                    for at in (i..block.len()).step_by(inner) {
                        if block[at] > block[best] {
                            best = at;
                        }
                    }
                    out.push(best / inner);
                }
            }
            out
        }
        let (outer, n, inner) = around(run.dims(0), axis_of(self.axis, run.dims(0))?);
        let found = match run.data(0) {
            Data::I8(v) => kernel(v, outer, n, inner),
            Data::I16(v) => kernel(v, outer, n, inner),
            Data::I32(v) => kernel(v, outer, n, inner),
            Data::I64(v) => kernel(v, outer, n, inner),
        };
        let limit = run.out_dtype().range().1;
        if found.iter().any(|&i| i as i64 > limit) {
            return Err(Problem::unpredictable("an index leaves the type of the output"));
        }
        run.done(pack(run.out_dtype(), found.into_iter().map(|i| i as i64)))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::eval;

    #[test]
    fn the_first_of_several() {
        let body = "tensor x: i8[2, 3] tensor y: i32[3] inputs x outputs y
             y = ARGMAX(x) {axis = 0, nan_mode = propagate}";
        assert_eq!(eval(body, &[&[-128, 5, 3, -128, 5, 4]]).unwrap(), [0, 0, 1]);
    }
}
