//! POW of floating point numbers: read, written and shaped, not computed.

use crate::attr::attributes;
use crate::ops::common::broadcast;
use crate::rule::{Cx, Inferred, Operator, Signature, input};

attributes! {
    /// No attributes.
    Pow {}
}

impl Operator for Pow {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::float(&[input("input1"), input("input2")], &["output"]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }
}
