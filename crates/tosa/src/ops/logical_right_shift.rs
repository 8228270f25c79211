//! LOGICAL_RIGHT_SHIFT: zeros come in, whatever the sign.

use crate::attr::attributes;
use crate::ops::common::{binary, broadcast};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    LogicalRightShift {}
}

impl Operator for LogicalRightShift {
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
        binary!(run, "a shift is not below the bits of its type", |a, b| logical(a, b))
    }
}

/// Shifts as a number without sign of the same width.
trait Logical: Sized {
    fn shifted(self, by: Self) -> Option<Self>;
}

macro_rules! impl_logical {
    ($($signed:ty, $unsigned:ty;)*) => { $(
        impl Logical for $signed {
            fn shifted(self, by: $signed) -> Option<$signed> {
                (self as $unsigned).checked_shr(u32::try_from(by).ok()?).map(|n| n as $signed)
            }
        }
    )* };
}
impl_logical!(i8, u8; i16, u16; i32, u32; i64, u64;);

fn logical<T: Logical>(a: T, b: T) -> Option<T> {
    a.shifted(b)
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    const BODY: &str = "tensor a: i16[2] tensor b: i16[2] tensor y: i16[2] inputs a, b outputs y
        y = LOGICAL_RIGHT_SHIFT(a, b)";

    #[test]
    fn zeros_come_in() {
        assert_eq!(eval(BODY, &[&[-1, -32768], &[1, 15]]).unwrap(), [0x7fff, 1]);
        assert!(refused(BODY, &[&[1, 1], &[0, 16]]).starts_with("unpredictable"));
    }
}
