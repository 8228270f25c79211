//! ABS. That of the least number is unpredictable: it leaves the type.

use crate::attr::attributes;
use crate::ops::common::{same, unary};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Abs {}
}

impl Operator for Abs {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input1")], &["output"], types![I32 -> I32: INT; I64 -> I64: INT64]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        unary!(run, "the absolute value of the least number leaves its type", |a| a.checked_abs())
    }
}
