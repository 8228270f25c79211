//! REDUCE_MAX: the greatest along an axis.

use crate::attr::attributes;
use crate::dtype::NanMode;
use crate::ops::common::{reduce, reduced};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// Attributes.
    ReduceMax {
        /// The dimension that becomes 1.
        axis: i32,
        /// For NaN; integers have none.
        nan_mode: NanMode,
    }
}

impl Operator for ReduceMax {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input")],
            &["output"],
            types![I8 -> I8: INT; I16 -> I16: INT; I32 -> I32: INT; I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        reduced(cx, self.axis)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        reduce!(run, self.axis, "", |a, b| Some(a.max(b)))
    }
}
