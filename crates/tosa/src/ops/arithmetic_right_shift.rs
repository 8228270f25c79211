//! ARITHMETIC_RIGHT_SHIFT: the sign comes in; rounds up at a tie if asked to.

use crate::attr::attributes;
use crate::ops::common::{binary, broadcast, shift_fits};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// Attributes.
    ArithmeticRightShift {
        /// Whether the last bit that is lost is added.
        round: bool,
    }
}

impl Operator for ArithmeticRightShift {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2")],
            &["output"],
            types![I8 I8 -> I8: INT; I16 I16 -> I16: INT; I32 I32 -> I32: INT; I64 I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let (round, dtype) = (self.round, run.out_dtype());
        binary!(run, "a shift is not below the bits of its type", |a, b| {
            shift_fits(dtype, b).then(|| {
                let shifted = a >> b;
                // A shift of 1 or more leaves room for it.
                if round && b > 0 { shifted + ((a >> (b - 1)) & 1) } else { shifted }
            })
        })
    }
}
