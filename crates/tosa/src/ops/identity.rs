//! IDENTITY: the same again.

use crate::attr::attributes;
use crate::ops::common::same;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Identity {}
}

impl Operator for Identity {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1")],
            &["output"],
            types![Bool -> Bool: INT; I4 -> I4: INT4; I8 -> I8: INT; I16 -> I16: INT; I32 -> I32: INT;
                I48 -> I48: INT16; I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        run.done(run.data(0).clone())
    }
}
