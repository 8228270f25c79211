//! REDUCE_PRODUCT of floating point numbers: read, written and shaped, not computed.

use crate::attr::attributes;
use crate::ops::common::reduced;
use crate::rule::{Cx, Inferred, Operator, Signature, input};

attributes! {
    /// Attributes.
    ReduceProduct {
        /// The dimension that becomes 1.
        axis: i32,
    }
}

impl Operator for ReduceProduct {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::float(&[input("input")], &["output"]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        reduced(cx, self.axis)
    }
}
