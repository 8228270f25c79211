//! MUL: products; those of `i32` are shifted right and rounded if the shift is not 0.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::{broadcast, zip};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, input, types};
use crate::value::{Data, Value};

attributes! {
    /// No attributes.
    Mul {}
}

impl Operator for Mul {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2"), constant("shift")],
            &["output"],
            types![I8 I8 I8 -> I32: INT; I16 I16 I8 -> I32: INT; I32 I32 I8 -> I32: INT; I64 I64 I8 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        cx.shape_is(2, &[1])?;
        if let Ok([shift]) = cx.some_ints(2) {
            if !(0..=63).contains(&shift) {
                return Err(
                    Problem::unpredictable(format!("the shift is {shift}; 0 to 63 are defined")).input(2)
                );
            }
            if shift != 0 && cx.dtype(0) != Dtype::I32 {
                let text = format!("the shift is {shift}; for {} it must be 0", cx.dtype(0));
                return Err(Problem::unpredictable(text).input(2));
            }
        }
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let shift = run.scalar(2);
        let (x, y, out) = (run.dims(0), run.dims(1), run.out_dims());
        let data = match (run.data(0), run.data(1)) {
            (Data::I8(a), Data::I8(b)) => {
                Data::I32(zip((a, x), (b, y), out, "", |a, b| Some(i32::from(a) * i32::from(b)))?)
            }
            (Data::I16(a), Data::I16(b)) => {
                Data::I32(zip((a, x), (b, y), out, "", |a, b| Some(i32::from(a) * i32::from(b)))?)
            }
            (Data::I32(a), Data::I32(b)) if shift == 0 => {
                Data::I32(zip((a, x), (b, y), out, "", |a, b| Some(a.wrapping_mul(b)))?)
            }
            (Data::I32(a), Data::I32(b)) => {
                Data::I32(zip((a, x), (b, y), out, "a shifted product leaves 32 bits", |a, b| {
                    // Only the square of the least number, with a shift of 63, leaves 64 bits.
                    let product = i64::from(a) * i64::from(b);
                    i32::try_from(product.checked_add(1i64 << (shift - 1))? >> shift).ok()
                })?)
            }
            (Data::I64(a), Data::I64(b)) => {
                Data::I64(zip((a, x), (b, y), out, "", |a, b| Some(a.wrapping_mul(b)))?)
            }
            _ => return Err(Problem::invalid("operands of different types")),
        };
        run.done(data)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    fn body(shift: i32) -> String {
        format!(
            "tensor a: i32[3] tensor b: i32[3] tensor s: i8[1] = ({shift}) tensor y: i32[3] inputs a, b outputs y
             s = CONST() y = MUL(a, b, s)"
        )
    }

    #[test]
    fn without_shift_the_low_bits_stay() {
        assert_eq!(eval(&body(0), &[&[1 << 16, 3, -2], &[1 << 16, 5, 7]]).unwrap(), [0, 15, -14]);
    }

    #[test]
    fn shifts_round_up_at_ties() {
        assert_eq!(eval(&body(1), &[&[3, -3, 1 << 20], &[1, 1, 1 << 11]]).unwrap(), [2, -1, 1 << 30]);
        assert!(refused(&body(1), &[&[0, 0, 1 << 20], &[0, 0, 1 << 20]]).contains("leaves 32 bits"));
        assert!(refused(&body(64), &[&[0; 3], &[0; 3]]).contains("0 to 63"));
        assert_eq!(
            eval(&body(63), &[&[i32::MIN.into(), 1, 0], &[i32::MAX.into(), 1, 0]]).unwrap(),
            [0, 0, 0]
        );
    }
}
