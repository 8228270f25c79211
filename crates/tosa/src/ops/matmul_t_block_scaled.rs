//! MATMUL_T_BLOCK_SCALED of microscaling formats: read, written and printed; shapes are taken as declared.

use crate::attr::attributes;
use crate::dtype::BlockSize;
use crate::rule::{Cx, Inferred, Operator, Problem, Signature, input};

attributes! {
    /// Attributes.
    MatMulTBlockScaled {
        /// Values that share a scale.
        block_size: BlockSize,
    }
}

impl Operator for MatMulTBlockScaled {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::float(
            &[input("A_data"), input("A_scale"), input("B_data"), input("B_scale")],
            &["output_data"],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        cx.outs.iter().map(|o| o.dims.map(<[usize]>::to_vec).ok_or_else(Problem::unknown)).collect()
    }
}
