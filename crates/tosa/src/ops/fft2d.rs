//! FFT2D of floating point numbers: read, written and shaped, not computed.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Signature, ensure, input};

attributes! {
    /// Attributes.
    Fft2d {
        /// Whether it is the inverse transform.
        inverse: bool,
        /// A promise about rounding.
        local_bound: bool,
    }
}

impl Operator for Fft2d {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::float(&[input("input_real"), input("input_imag")], &["output_real", "output_imag"]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let real = cx.rank::<3>(0)?;
        ensure!(real == cx.rank::<3>(1)?, "the real and the imaginary part must have the same shape");
        Ok(vec![real.to_vec(), real.to_vec()])
    }
}
