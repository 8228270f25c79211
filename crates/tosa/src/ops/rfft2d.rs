//! RFFT2D of floating point numbers: read, written and shaped, not computed.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Signature, input};

attributes! {
    /// Attributes.
    Rfft2d {
        /// A promise about rounding.
        local_bound: bool,
    }
}

impl Operator for Rfft2d {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::float(&[input("input_real")], &["output_real", "output_imag"]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, h, w] = cx.rank::<3>(0)?;
        let out = vec![n, h, w / 2 + 1];
        Ok(vec![out.clone(), out])
    }
}
