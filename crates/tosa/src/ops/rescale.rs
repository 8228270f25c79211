//! RESCALE: from one quantization to another: minus a zero point, times a fixed-point factor, plus a zero point.

use crate::attr::attributes;
use crate::dtype::{Dtype, Rounding};
use crate::ops::common::{same, scale_16, scale_32};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::spec::Extensions;
use crate::value::{Data, Value};

attributes! {
    /// Attributes.
    Rescale {
        /// Whether multipliers have 32 bits; 16 otherwise.
        scale32: bool,
        /// How the product is rounded.
        rounding_mode: Rounding,
        /// Whether each element of the last dimension has a factor of its own.
        per_channel: bool,
        /// Whether the bits of the input are a number without sign.
        input_unsigned: bool,
        /// Whether the bits of the output are a number without sign.
        output_unsigned: bool,
    }
}

/// The number that these bits are without a sign.
fn unsigned(dtype: Dtype, n: i64) -> i64 {
    match dtype {
        Dtype::I8 => n & 0xff,
        Dtype::I16 => n & 0xffff,
        _ => n,
    }
}

impl Rescale {
    fn zero_point(&self, cx: &Cx<'_>, i: usize, dtype: Dtype, is_unsigned: bool) -> Result<(), Problem> {
        cx.shape_is(i, &[1])?;
        let Ok([zero]) = cx.some_ints::<1>(i) else { return Ok(()) };
        let zero = if is_unsigned { unsigned(dtype, zero) } else { zero };
        let good = match dtype {
            Dtype::I8 => true,
            Dtype::I16 if is_unsigned => zero == 0 || zero == 32768,
            _ => zero == 0,
        };
        if good {
            return Ok(());
        }
        let kind = if is_unsigned { "unsigned " } else { "" };
        let text =
            format!("is {zero}; of {kind}{dtype} it may be 0, of unsigned i16 also 32768, of i8 anything");
        Err(Problem::invalid(text).input(i))
    }
}

impl Operator for Rescale {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[
                input("input"),
                constant("multiplier"),
                constant("shift"),
                constant("input_zp"),
                constant("output_zp"),
            ],
            &["output"],
            types![
                I8 I32 I8 I8 I8 -> I8: INT; I8 I16 I8 I8 I8 -> I8: INT;
                I8 I32 I8 I8 I16 -> I16: INT; I8 I16 I8 I8 I16 -> I16: INT;
                I8 I32 I8 I8 I32 -> I32: INT; I8 I16 I8 I8 I32 -> I32: INT;
                I16 I32 I8 I16 I8 -> I8: INT; I16 I16 I8 I16 I8 -> I8: INT;
                I16 I32 I8 I16 I16 -> I16: INT; I16 I16 I8 I16 I16 -> I16: INT;
                I16 I32 I8 I16 I32 -> I32: INT; I16 I16 I8 I16 I32 -> I32: INT;
                I32 I32 I8 I32 I8 -> I8: INT; I32 I16 I8 I32 I8 -> I8: INT;
                I32 I32 I8 I32 I16 -> I16: INT; I32 I16 I8 I32 I16 -> I16: INT;
                I32 I32 I8 I32 I32 -> I32: INT; I32 I16 I8 I32 I32 -> I32: INT;
                I48 I16 I8 I48 I8 -> I8: INT16; I48 I16 I8 I48 I16 -> I16: INT16; I48 I16 I8 I48 I32 -> I32: INT16;
            ],
        );
        &SIGNATURE
    }

    fn needs(&self) -> Extensions {
        match self.rounding_mode {
            Rounding::Double => Extensions::DOUBLE_ROUND,
            Rounding::Inexact => Extensions::INEXACT_ROUND,
            Rounding::Unknown | Rounding::Single => Extensions::NONE,
        }
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let from = cx.dtype(0);
        let to = cx.outs.first().map_or(Dtype::Unknown, |o| o.dtype);
        ensure!(self.rounding_mode != Rounding::Unknown, "the rounding mode is not told");
        let multiplier = if self.scale32 { Dtype::I32 } else { Dtype::I16 };
        ensure!(
            cx.dtype(1) == multiplier,
            "the multiplier is {}; with scale32 = {} it is {multiplier}",
            cx.dtype(1),
            self.scale32
        );
        ensure!(!(self.scale32 && from == Dtype::I48), "scale32 is not possible for i48");
        ensure!(
            self.scale32 || self.rounding_mode != Rounding::Double,
            "double_round is only possible with scale32"
        );
        ensure!(
            !(self.input_unsigned && self.output_unsigned),
            "only one of input and output may be unsigned"
        );
        ensure!(
            !(self.input_unsigned && (to == Dtype::I32 || from == Dtype::I32 || from == Dtype::I48)),
            "an unsigned input must have 8 or 16 bits, and the output too"
        );
        ensure!(
            !(self.output_unsigned && (from == Dtype::I32 || from == Dtype::I48 || to == Dtype::I32)),
            "an unsigned output must have 8 or 16 bits, and the input too"
        );
        self.zero_point(cx, 3, from, self.input_unsigned)?;
        self.zero_point(cx, 4, to, self.output_unsigned)?;
        let out = same(cx)?;
        let channels = if self.per_channel {
            ensure!(!out[0].is_empty(), "per_channel needs a dimension, and the input has none");
            out[0].last().copied().unwrap_or(1)
        } else {
            1
        };
        cx.shape_is(1, &[channels])?;
        cx.shape_is(2, &[channels])?;
        Ok(out)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let (from, to) = (run.ins[0].dtype(), run.out_dtype());
        let multipliers = run.ins[1].ints();
        let shifts = run.ins[2].ints();
        let (mut zp_in, mut zp_out) = (run.scalar(3), run.scalar(4));
        if self.input_unsigned {
            zp_in = unsigned(from, zp_in);
        }
        let (mut low, mut high) = to.range();
        if self.output_unsigned {
            zp_out = unsigned(to, zp_out);
            (low, high) = (0, high - low);
        }
        let double = self.rounding_mode == Rounding::Double;
        let factors: Vec<(i64, u32)> =
            multipliers.iter().zip(&shifts).map(|(m, s)| (*m, u32::try_from(*s).unwrap_or(0))).collect();
        let one = |x: i64, (multiplier, shift): (i64, u32)| -> Option<i64> {
            let x = if self.input_unsigned { unsigned(from, x) } else { x } - zp_in;
            let scaled = if self.scale32 {
                scale_32(x, multiplier, shift, double)
            } else {
                scale_16(x, multiplier, shift)
            };
            let sum = scaled? + zp_out;
            i32::try_from(sum).ok()?;
            Some(sum.clamp(low, high))
        };
        fn kernel<T: Copy, U>(
            from: &[T],
            factors: &[(i64, u32)],
            one: impl Fn(T, (i64, u32)) -> Option<U>,
        ) -> Option<Vec<U>> {
            let mut out = Vec::with_capacity(from.len());
            if let [factor] = factors {
                for x in from {
                    out.push(one(*x, *factor)?);
                }
            } else {
                for row in from.chunks(factors.len().max(1)) {
                    for (x, factor) in row.iter().zip(factors) {
                        out.push(one(*x, *factor)?);
                    }
                }
            }
            Some(out)
        }
        macro_rules! to {
            ($v:expr) => {
                match to {
                    Dtype::I8 => kernel($v, &factors, |x, f| Some(one(x.into(), f)? as i8)).map(Data::I8),
                    Dtype::I16 => kernel($v, &factors, |x, f| Some(one(x.into(), f)? as i16)).map(Data::I16),
                    _ => kernel($v, &factors, |x, f| Some(one(x.into(), f)? as i32)).map(Data::I32),
                }
            };
        }
        let data = match run.data(0) {
            Data::I8(v) => to!(v),
            Data::I16(v) => to!(v),
            Data::I32(v) => to!(v),
            Data::I64(v) => to!(v),
        };
        run.done(data.ok_or_else(|| {
            Problem::unpredictable(
                "a multiplier is negative, a shift is not within 2..=62, or a value is too large for its shift",
            )
        })?)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    fn body(from: &str, to: &str, multiplier: i32, shift: i32, zp: (i32, i32), mode: &str) -> String {
        format!(
            "tensor x: {from}[2] tensor m: i32[1] = ({multiplier}) tensor s: i8[1] = ({shift})
             tensor zi: {from}[1] = ({}) tensor zo: {to}[1] = ({}) tensor y: {to}[2] inputs x outputs y
             m = CONST() s = CONST() zi = CONST() zo = CONST()
             y = RESCALE(x, m, s, zi, zo) {{scale32 = true, rounding_mode = {mode}_round, per_channel = false,
                 input_unsigned = false, output_unsigned = false}}",
            zp.0, zp.1
        )
    }

    #[test]
    fn scales_and_clips() {
        let half = body("i32", "i8", 1 << 30, 31, (0, -1), "single");
        assert_eq!(eval(&half, &[&[3, -3]]).unwrap(), [1, -2]);
        assert_eq!(eval(&half, &[&[1000, -1000]]).unwrap(), [127, -128]);
    }

    #[test]
    fn double_rounding_differs_at_negative_ties() {
        let single = body("i32", "i32", 1 << 30, 32, (0, 0), "single");
        let double = body("i32", "i32", 1 << 30, 32, (0, 0), "double");
        assert_eq!(eval(&single, &[&[2, -2]]).unwrap(), [1, 0]);
        assert_eq!(eval(&double, &[&[2, -2]]).unwrap(), [1, -1]);
    }

    #[test]
    fn what_is_open_is_refused() {
        for (multiplier, shift) in [(-1, 31), (1, 1), (1, 63)] {
            let body = body("i32", "i32", multiplier, shift, (0, 0), "single");
            assert!(refused(&body, &[&[1, 1]]).starts_with("unpredictable"), "{multiplier} {shift}");
        }
        let body = body("i32", "i32", 1, 8, (0, 0), "single");
        assert_eq!(eval(&body, &[&[127, -128]]).unwrap(), [0, 0]);
        assert!(refused(&body, &[&[128, 0]]).starts_with("unpredictable"));
    }

    #[test]
    fn zero_points_belong_to_eight_bits() {
        let body = body("i32", "i8", 1 << 30, 31, (1, 0), "single");
        assert!(refused(&body, &[&[1, 1]]).contains("input input_zp"));
    }
}
