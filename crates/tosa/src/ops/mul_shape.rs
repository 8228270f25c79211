//! MUL_SHAPE: products of the numbers of two shapes.

use crate::attr::attributes;
use crate::ops::shapes::{binary, same_length};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    MulShape {}
}

impl Operator for MulShape {
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
        binary(run, "a product leaves its type", |a, b| a.checked_mul(b))
    }
}
