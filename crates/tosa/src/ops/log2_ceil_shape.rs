//! LOG2_CEIL_SHAPE: the binary logarithm of each number, rounded up.

use crate::attr::attributes;
use crate::ops::common::same;
use crate::ops::shapes::unary;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Log2CeilShape {}
}

impl Operator for Log2CeilShape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![Shape -> Shape: SHAPE]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        unary(run, "the logarithm of a number below 1", |a| {
            (a >= 1).then(|| i64::from(a.ilog2()) + i64::from(!(a as u64).is_power_of_two()))
        })
    }
}
