//! SUB: the difference of two tensors. One that leaves the type is unpredictable.

use crate::attr::attributes;
use crate::ops::common::{binary, broadcast};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Sub {}
}

impl Operator for Sub {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2")],
            &["output"],
            types![I32 I32 -> I32: INT; I64 I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        binary!(run, "a difference leaves its type", |a, b| a.checked_sub(b))
    }
}
