//! REDUCE_ANY: whether one along an axis is true.

use crate::attr::attributes;
use crate::ops::common::{reduce, reduced};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// Attributes.
    ReduceAny {
        /// The dimension that becomes 1.
        axis: i32,
    }
}

impl Operator for ReduceAny {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![Bool -> Bool: INT]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        reduced(cx, self.axis)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        reduce!(run, self.axis, "", |a, b| Some(a | b))
    }
}
