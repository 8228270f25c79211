//! CONV2D_BLOCK_SCALED of microscaling formats: read, written and printed; shapes are taken as declared.

use crate::attr::attributes;
use crate::dtype::BlockSize;
use crate::rule::{Cx, Inferred, Operator, Problem, Signature, constant, input};

attributes! {
    /// Attributes.
    Conv2dBlockScaled {
        /// Values that share a scale.
        block_size: BlockSize,
    }
}

impl Operator for Conv2dBlockScaled {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::float(
            &[
                input("input_data"),
                input("input_scale"),
                input("weight_data"),
                input("weight_scale"),
                input("bias"),
                constant("pad"),
                constant("stride"),
                constant("dilation"),
            ],
            &["output"],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        cx.outs.iter().map(|o| o.dims.map(<[usize]>::to_vec).ok_or_else(Problem::unknown)).collect()
    }
}
