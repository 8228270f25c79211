//! BITWISE_XOR: bit by bit.

use crate::attr::attributes;
use crate::ops::common::{binary, broadcast};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    BitwiseXor {}
}

impl Operator for BitwiseXor {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2")],
            &["output"],
            types![I8 I8 -> I8: INT; I16 I16 -> I16: INT; I32 I32 -> I32: INT; I64 I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        binary!(run, "", |a, b| Some(a ^ b))
    }
}
