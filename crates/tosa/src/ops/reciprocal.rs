//! RECIPROCAL of floating point numbers: read, written and shaped, not computed.

use crate::attr::attributes;
use crate::ops::common::same;
use crate::rule::{Cx, Inferred, Operator, Signature, input};

attributes! {
    /// No attributes.
    Reciprocal {}
}

impl Operator for Reciprocal {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::float(&[input("input1")], &["output"]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }
}
