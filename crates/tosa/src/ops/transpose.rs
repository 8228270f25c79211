//! TRANSPOSE: dimensions in another order.

use crate::attr::attributes;
use crate::ops::common::{strided, strides};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// Attributes.
    Transpose {
        /// For each dimension of the output, which of the input it is.
        perms: Vec<i32>,
    }
}

impl Operator for Transpose {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1")],
            &["output"],
            types![Bool -> Bool: INT; I8 -> I8: INT; I16 -> I16: INT; I32 -> I32: INT; I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let dims = cx.dims(0)?;
        let mut sorted = self.perms.clone();
        sorted.sort_unstable();
        ensure!(
            sorted.len() == dims.len() && sorted.iter().zip(0..).all(|(p, i)| *p == i),
            "perms {:?} must have each of the dimensions of {dims:?} once",
            self.perms
        );
        Ok(vec![self.perms.iter().map(|&p| dims[p as usize]).collect()])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let own = strides(run.dims(0));
        let strides: Vec<isize> = self.perms.iter().map(|&p| own[p as usize]).collect();
        run.done(each_data!(run.data(0), v => strided(v, 0, &strides, run.out_dims())))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    #[test]
    fn every_dimension_once() {
        let body = |perms: &str| {
            format!(
                "tensor x: i8[2, 3] tensor y: i8[3, 2] inputs x outputs y y = TRANSPOSE(x) {{perms = [{perms}]}}"
            )
        };
        assert_eq!(eval(&body("1, 0"), &[&[1, 2, 3, 4, 5, 6]]).unwrap(), [1, 4, 2, 5, 3, 6]);
        assert!(refused(&body("1, 1"), &[&[0; 6]]).contains("once"));
    }
}
