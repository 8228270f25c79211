//! LOGICAL_XOR of booleans.

use crate::attr::attributes;
use crate::ops::common::{binary, broadcast};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    LogicalXor {}
}

impl Operator for LogicalXor {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input1"), input("input2")], &["output"], types![Bool Bool -> Bool: INT]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        binary!(run, "", |a, b| Some(a ^ b))
    }
}
