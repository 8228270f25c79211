//! RESHAPE_BLOCK_SCALED: RESHAPE of values with or without scales; computed for integers, which have none.

use crate::attr::attributes;
use crate::dtype::BlockSize;
use crate::ops::reshape::target;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::Value;

attributes! {
    /// Attributes.
    ReshapeBlockScaled {
        /// Values that share a scale.
        block_size: BlockSize,
    }
}

impl Operator for ReshapeBlockScaled {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), constant("new_value_shape")],
            &["output"],
            types![Bool Shape -> Bool: V11; I8 Shape -> I8: V11; I16 Shape -> I16: V11; I32 Shape -> I32: V11;
                I64 Shape -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        ensure!(
            self.block_size == BlockSize::One,
            "block_size is {}; without scales it is 1",
            self.block_size
        );
        Ok(vec![target(cx, cx.dims(0)?, 1)?])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        run.done(run.data(0).clone())
    }
}
