//! REVERSE: an axis from its end to its start.

use crate::attr::attributes;
use crate::ops::common::{axis_of, same, strided, strides};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// Attributes.
    Reverse {
        /// The dimension that is reversed.
        axis: i32,
    }
}

impl Operator for Reverse {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1")],
            &["output"],
            types![Bool -> Bool: INT; I8 -> I8: INT; I16 -> I16: INT; I32 -> I32: INT; I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        axis_of(self.axis, cx.dims(0)?)?;
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let dims = run.dims(0);
        let axis = axis_of(self.axis, dims)?;
        let mut strides = strides(dims);
        let start = strides[axis] * (dims[axis] as isize - 1);
        strides[axis] = -strides[axis];
        run.done(each_data!(run.data(0), v => strided(v, start, &strides, dims)))
    }
}
