//! Scaling: multiply, shift right, round.
//!
//! The formulas are those of Vela's constant folder (facts 3.3): for `v = value * scale` and shift
//! `s`, with `r = 1 << (s - 1)` and `D = 1 << (30 - dbl_rnd)` if `s > 31 - dbl_rnd`, else 0.
//! A shift of 0 rounds nothing. `>>` is arithmetic. Nothing here wraps or saturates: results are
//! exact as long as `v` fits 127 bits, which the widths of the registers ensure.

/// How the bits that a right shift drops are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(dead_code, reason = "three of them only the U85 has")]
pub(crate) enum Rounding {
    /// `(v + r) >> s`: ties go up.
    Natural,
    /// `(v + r ± D) >> s`, D with the sign of `v`: TOSA's double rounding. "DBL" on U55 and U65.
    /// The number is `dbl_rnd`.
    DoubleSymmetric(u8),
    /// `(v + r + D) >> s`. The number is `dbl_rnd`.
    DoubleAsymmetric(u8),
    /// `(v + r - (v < 0)) >> s`: ties go away from zero.
    Symmetric,
    /// Toward zero. "TRUNCATE" on U55 and U65.
    TruncateToZero,
    /// Toward minus infinity.
    TruncateToLower,
}

/// `value * scale >> shift`, rounded.
#[inline]
pub(crate) fn apply(value: i64, scale: u32, shift: u8, rounding: Rounding) -> i64 {
    // 32 bits times 31 bits leave room for the rounding terms in 64.
    if let (Ok(value), Ok(scale)) = (i32::try_from(value), i32::try_from(scale))
        && shift < 62
    {
        return round_i64(i64::from(value) * i64::from(scale), shift, rounding);
    }
    let wide = round_i128(i128::from(value) * i128::from(scale), shift, rounding);
    // 64 by 32 bits, and a shift of 0: out of range of any output, so its exact size is of no
    // interest.
    wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

macro_rules! define_round {
    ($name:ident $int:ty) => {
        #[inline]
        fn $name(v: $int, shift: u8, rounding: Rounding) -> $int {
            let s = u32::from(shift & 63);
            if s == 0 {
                return v;
            }
            let r: $int = 1 << (s - 1);
            let double = |dbl_rnd: u8| -> $int {
                let dbl_rnd = u32::from(dbl_rnd & 31);
                if s > 31 - dbl_rnd && dbl_rnd < 31 { 1 << (30 - dbl_rnd) } else { 0 }
            };
            match rounding {
                Rounding::Natural => (v + r) >> s,
                Rounding::DoubleSymmetric(n) => {
                    let d = double(n);
                    (v + r + if v >= 0 { d } else { -d }) >> s
                }
                Rounding::DoubleAsymmetric(n) => (v + r + double(n)) >> s,
                Rounding::Symmetric => (v + r - <$int>::from(v < 0)) >> s,
                Rounding::TruncateToZero if v >= 0 => v >> s,
                Rounding::TruncateToZero => (v + ((1 << s) - 1)) >> s,
                Rounding::TruncateToLower => v >> s,
            }
        }
    };
}
define_round!(round_i64 i64);
define_round!(round_i128 i128);

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: i64, shift: u8) -> [i64; 6] {
        [
            Rounding::Natural,
            Rounding::DoubleSymmetric(0),
            Rounding::DoubleAsymmetric(0),
            Rounding::Symmetric,
            Rounding::TruncateToZero,
            Rounding::TruncateToLower,
        ]
        .map(|rounding| apply(value, 1, shift, rounding))
    }

    #[test]
    fn ties_go_where_the_mode_says() {
        // 2.5, -2.5, 2.25, -2.25, 2.75, -2.75; small shifts have no D term.
        assert_eq!(all(10, 2), [3, 3, 3, 3, 2, 2]);
        assert_eq!(all(-10, 2), [-2, -2, -2, -3, -2, -3]);
        assert_eq!(all(9, 2), [2, 2, 2, 2, 2, 2]);
        assert_eq!(all(-9, 2), [-2, -2, -2, -2, -2, -3]);
        assert_eq!(all(11, 2), [3, 3, 3, 3, 2, 2]);
        assert_eq!(all(-11, 2), [-3, -3, -3, -3, -2, -3]);
    }

    #[test]
    fn no_shift_rounds_nothing() {
        assert_eq!(all(-7, 0), [-7; 6]);
        assert_eq!(apply(-7, 3, 0, Rounding::Symmetric), -21);
    }

    /// The D term acts from shift 32 on. It makes what TOSA calls double rounding: first to 31
    /// bits of fraction, then the rest; ties of the first step go away from zero.
    #[test]
    fn double_rounding_needs_a_shift_above_31() {
        let half = 1i64 << 31;
        // Just below a half: only the double forms reach 1.
        let v = half - (1 << 30);
        assert_eq!(apply(v, 1, 32, Rounding::Natural), 0);
        assert_eq!(apply(v, 1, 32, Rounding::DoubleSymmetric(0)), 1);
        assert_eq!(apply(v, 1, 32, Rounding::DoubleAsymmetric(0)), 1);
        assert_eq!(apply(v - 1, 1, 32, Rounding::DoubleSymmetric(0)), 0);
        // Below zero the symmetric form goes the other way.
        assert_eq!(apply(-half, 1, 32, Rounding::Natural), 0);
        assert_eq!(apply(-half, 1, 32, Rounding::DoubleSymmetric(0)), -1);
        assert_eq!(apply(-half, 1, 32, Rounding::DoubleAsymmetric(0)), 0);
        // dbl_rnd shrinks D, and lowers the shift from which it acts.
        assert_eq!(apply(v, 1, 32, Rounding::DoubleSymmetric(15)), 0);
        assert_eq!(apply(half - (1 << 15), 1, 32, Rounding::DoubleSymmetric(15)), 1);
        assert_eq!(apply((1 << 16) - (1 << 15), 1, 17, Rounding::DoubleSymmetric(15)), 1);
        assert_eq!(apply(half, 1, 32, Rounding::DoubleSymmetric(31)), 1);
    }

    #[test]
    fn agrees_with_tosa_double_rounding() {
        // apply_scale_32 of the TOSA 1.0 specification, written from its text.
        fn tosa(value: i32, multiplier: i32, shift: u8, double: bool) -> i32 {
            let mut round = 1i64 << (shift - 1);
            if double && shift > 31 {
                round += if value >= 0 { 1 << 30 } else { -(1 << 30) };
            }
            ((i64::from(value) * i64::from(multiplier) + round) >> shift) as i32
        }
        let mut seed = 1u32;
        for _ in 0..100_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = (seed as i32) >> (seed >> 27);
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let multiplier = (seed >> 1) as i32;
            let shift = 31 + (seed % 20) as u8;
            let got = |r| apply(value.into(), multiplier as u32, shift, r);
            assert_eq!(got(Rounding::DoubleSymmetric(0)), tosa(value, multiplier, shift, true).into());
            assert_eq!(got(Rounding::Natural), tosa(value, multiplier, shift, false).into());
        }
    }

    #[test]
    fn wide_and_narrow_paths_agree_and_extremes_do_not_overflow() {
        for rounding in [
            Rounding::Natural,
            Rounding::DoubleSymmetric(0),
            Rounding::DoubleAsymmetric(0),
            Rounding::Symmetric,
            Rounding::TruncateToZero,
            Rounding::TruncateToLower,
        ] {
            for value in [i32::MIN, -1, 0, 1, i32::MAX] {
                for scale in [0, 1, i32::MAX as u32] {
                    for shift in 0..62 {
                        assert_eq!(
                            apply(value.into(), scale, shift, rounding),
                            round_i128(i128::from(value) * i128::from(scale), shift, rounding) as i64
                        );
                    }
                }
            }
            apply(i64::MIN, u32::MAX, 63, rounding);
            apply(i64::MAX, u32::MAX, 0, rounding);
        }
    }
}
