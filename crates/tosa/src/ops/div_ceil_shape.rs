//! DIV_CEIL_SHAPE: quotients, rounded up.

use crate::attr::attributes;
use crate::ops::shapes::{binary, same_length};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    DivCeilShape {}
}

impl Operator for DivCeilShape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2")],
            &["output"],
            types![Shape Shape -> Shape: SHAPE],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same_length(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        binary(run, "the first number is negative or the second less than 1", |a, b| {
            (a >= 0 && b >= 1).then(|| a / b + i64::from(a % b != 0))
        })
    }
}
