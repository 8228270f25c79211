//! REDUCE_SUM: the sum along an axis, from the first to the last. One that leaves the type is unpredictable.

use crate::attr::attributes;
use crate::ops::common::{reduce, reduced};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// Attributes.
    ReduceSum {
        /// The dimension that becomes 1.
        axis: i32,
    }
}

impl Operator for ReduceSum {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![I32 -> I32: INT; I64 -> I64: INT64]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        reduced(cx, self.axis)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        reduce!(run, self.axis, "a sum leaves its type", |a, b| a.checked_add(b))
    }
}
