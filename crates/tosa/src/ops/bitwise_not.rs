//! BITWISE_NOT: every bit the other way.

use crate::attr::attributes;
use crate::ops::common::{same, unary};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    BitwiseNot {}
}

impl Operator for BitwiseNot {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1")],
            &["output"],
            types![I8 -> I8: INT; I16 -> I16: INT; I32 -> I32: INT; I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        unary!(run, "", |a| Some(!a))
    }
}
