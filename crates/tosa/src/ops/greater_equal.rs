//! GREATER_EQUAL: whether the first is not less.

use crate::attr::attributes;
use crate::ops::common::{broadcast, compare};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    GreaterEqual {}
}

impl Operator for GreaterEqual {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2")],
            &["output"],
            types![I32 I32 -> Bool: INT; I64 I64 -> Bool: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        compare!(run, |a, b| a >= b)
    }
}
