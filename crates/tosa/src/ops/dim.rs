//! DIM: the size of a dimension, as a shape.

use crate::attr::attributes;
use crate::ops::common::axis_of;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::{Data, Value};

attributes! {
    /// Attributes.
    Dim {
        /// Which dimension.
        axis: i32,
    }
}

impl Operator for Dim {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1")],
            &["output"],
            types![Bool -> Shape: SHAPE; I8 -> Shape: SHAPE; I16 -> Shape: SHAPE; I32 -> Shape: SHAPE;
                I64 -> Shape: SHAPE_INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        axis_of(self.axis, cx.dims(0)?)?;
        Ok(vec![vec![1]])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let size = run.dims(0)[axis_of(self.axis, run.dims(0))?];
        run.done(Data::I64(vec![size as i64]))
    }
}
