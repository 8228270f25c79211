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

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    fn body(round: bool) -> String {
        format!(
            "tensor a: i8[4] tensor b: i8[4] tensor y: i8[4] inputs a, b outputs y
             y = ARITHMETIC_RIGHT_SHIFT(a, b) {{round = {round}}}"
        )
    }

    #[test]
    fn rounds_up_at_ties_if_asked() {
        let values: [&[i64]; 2] = [&[-5, 5, -128, 127], &[1, 1, 7, 0]];
        assert_eq!(eval(&body(false), &values).unwrap(), [-3, 2, -1, 127]);
        assert_eq!(eval(&body(true), &values).unwrap(), [-2, 3, -1, 127]);
    }

    #[test]
    fn shifts_end_below_the_width() {
        for shift in [-1, 8] {
            assert!(
                refused(&body(false), &[&[1; 4], &[0, 0, 0, shift]]).starts_with("unpredictable"),
                "{shift}"
            );
        }
    }
}
