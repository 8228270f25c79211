//! LOGICAL_NOT of booleans.

use crate::attr::attributes;
use crate::ops::common::{same, unary};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    LogicalNot {}
}

impl Operator for LogicalNot {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input1")], &["output"], types![Bool -> Bool: INT]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        unary!(run, "", |a| Some(a ^ 1))
    }
}
