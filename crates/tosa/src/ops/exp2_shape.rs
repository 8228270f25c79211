//! EXP2_SHAPE: two to the power of each number.

use crate::attr::attributes;
use crate::ops::common::same;
use crate::ops::shapes::unary;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Exp2Shape {}
}

impl Operator for Exp2Shape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![Shape -> Shape: SHAPE]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        unary(run, "an exponent is not within 0..63", |a| (0..63).contains(&a).then(|| 1i64 << a))
    }
}
