//! Functions on floats that `core` lacks.

/// The nearest integer, half to even.
pub(crate) fn round_even(x: f32) -> f32 {
    // Adding 2^23 leaves no bits for a fraction; the addition itself rounds half to even.
    const BIG: f32 = 8_388_608.0;
    let magnitude = x.abs();
    if magnitude < BIG { (magnitude + BIG - BIG).copysign(x) } else { x }
}

/// The larger; NaN if one is NaN.
pub(crate) fn maximum(a: f32, b: f32) -> f32 {
    if a > b || a.is_nan() { a } else { b }
}

/// The smaller; NaN if one is NaN.
pub(crate) fn minimum(a: f32, b: f32) -> f32 {
    if a < b || a.is_nan() { a } else { b }
}

/// At least `low`, then at most `high`; NaN stays.
pub(crate) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

macro_rules! fmod {
    ($(#[$doc:meta])* $name:ident, $float:ident, $bits:ident, $fraction:literal) => {
        $(#[$doc])*
        pub(crate) fn $name(a: $float, b: $float) -> $float {
            const HIDDEN: $bits = 1 << $fraction;
            // The fraction with its leading one at the hidden bit, and the exponent of its unit, as it
            // is stored: 1 for subnormals, which the shift makes smaller.
            fn parts(x: $float) -> ($bits, i32) {
                let exponent = (x.to_bits() >> $fraction) as i32;
                let fraction = x.to_bits() & (HIDDEN - 1);
                let (fraction, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | HIDDEN, exponent) };
                let shift = fraction.leading_zeros().wrapping_sub(HIDDEN.leading_zeros());
                (fraction.wrapping_shl(shift), exponent.wrapping_sub(shift as i32))
            }
            let (x, y) = (a.abs(), b.abs());
            if !x.is_finite() || y.is_nan() || y == 0.0 {
                return $float::NAN;
            }
            if x < y {
                return a;
            }
            // Long division in binary, of which only the rest is kept: always less than twice `n`.
            let ((mut m, mut exponent), (n, unit)) = (parts(x), parts(y));
            while exponent > unit {
                m = m.wrapping_sub(if m >= n { n } else { 0 }) << 1;
                exponent -= 1;
            }
            m = m.wrapping_sub(if m >= n { n } else { 0 });
            // The rest is `m` units. Its leading one goes to the hidden bit, or as far as that is stored.
            let shift = m.leading_zeros().wrapping_sub(HIDDEN.leading_zeros()) as i32;
            let exponent = unit.wrapping_sub(shift);
            let bits = if m == 0 {
                0
            } else if exponent > 0 {
                (m.wrapping_shl(shift as u32) - HIDDEN) | ((exponent as $bits) << $fraction)
            } else if unit > 0 {
                m.wrapping_shl(unit.wrapping_sub(1) as u32)
            } else {
                // The bits that go are zero: both numbers are whole multiples of the smallest one.
                m.wrapping_shr(1i32.wrapping_sub(unit) as u32)
            };
            $float::from_bits(bits).copysign(a)
        }
    };
}
fmod! {
    /// The remainder of the division with the sign of the dividend, exact. (That of `libm` can panic
    /// as far as the compiler knows.)
    fmod, f32, u32, 23
}
fmod! {
    /// As [`fmod()`], for `float64`.
    fmod_f64, f64, u64, 52
}

/// The remainder of the division with the sign of the divisor, as Python's `%`.
pub(crate) fn remainder(a: f32, b: f32) -> f32 {
    let rest = fmod(a, b);
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
}

/// As [`remainder`]; `None` if `b` is 0.
pub(crate) fn remainder_int(a: i64, b: i64) -> Option<i64> {
    let rest = if b == 0 { return None } else { a.wrapping_rem(b) };
    Some(if rest != 0 && (b < 0) != (rest < 0) { rest.wrapping_add(b) } else { rest })
}

/// The quotient rounded down, consistent with [`remainder`] as Python's `//` is: not the floor of
/// the rounded quotient.
pub(crate) fn div_floor(a: f32, b: f32) -> f32 {
    if b == 0.0 {
        return a / b;
    }
    let rest = fmod(a, b);
    let mut quotient = (a - rest) / b;
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0f32.copysign(a / b);
    }
    let floor = libm::floorf(quotient);
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// The quotient rounded down; `None` if `b` is 0.
pub(crate) fn div_floor_int(a: i64, b: i64) -> Option<i64> {
    let (quotient, rest) = if b == 0 { return None } else { (a.wrapping_div(b), a.wrapping_rem(b)) };
    Some(if rest != 0 && (b < 0) != (rest < 0) { quotient.wrapping_sub(1) } else { quotient })
}

/// The logistic function.
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// A sum of floats that loses nothing but its last bit: Neumaier's compensation, which costs a few
/// additions where a sum in `float64` would cost a device its soft-float routines.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    sum: f32,
    lost: f32,
}

impl Sum {
    pub(crate) fn add(&mut self, x: f32) {
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    pub(crate) fn value(&self) -> f32 {
        // Once infinite or NaN the compensation means nothing.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_half_to_even_and_keeps_signs() {
        for (x, rounded) in
            [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-1.5, -2.0), (8_388_607.5, 8_388_608.0)]
        {
            assert_eq!(round_even(x).to_bits(), f32::to_bits(rounded), "{x}");
        }
        assert_eq!(round_even(1e30), 1e30);
        assert!(round_even(f32::NAN).is_nan());
        assert_eq!(round_even(f32::NEG_INFINITY), f32::NEG_INFINITY);
        // Against the standard library over all magnitudes.
        for step in 0..400_000u32 {
            let x = f32::from_bits(step.wrapping_mul(10_711));
            if !x.is_nan() {
                assert_eq!(round_even(x), x.round_ties_even());
            }
        }
    }

    #[test]
    fn the_rest_of_a_division_is_that_of_the_standard_library() {
        // Bit patterns of all magnitudes, subnormal, infinite and NaN among them.
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed
        };
        for step in 0..200_000 {
            let (a, b) = ((next() >> 32) as u32, (next() >> 32) as u32);
            // Every fourth pair has close magnitudes, every fourth a small divisor.
            let b = match step % 4 {
                0 => (a & 0x7f80_0000) ^ (b & 0x80ff_ffff),
                1 => b & 0x80ff_ffff,
                _ => b,
            };
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let (got, expected) = (fmod(a, b), a % b);
            assert!(
                got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
                "{a:e} % {b:e}"
            );
            let (a, b) = (next(), if step % 2 == 0 { next() } else { next() & 0x801f_ffff_ffff_ffff });
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let (got, expected) = (fmod_f64(a, b), a % b);
            assert!(
                got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
                "{a:e} % {b:e}"
            );
        }
    }

    #[test]
    fn a_sum_keeps_what_rounding_would_lose() {
        let mut sum = Sum::default();
        sum.add(1e8);
        for _ in 0..1000 {
            sum.add(1.0);
        }
        sum.add(-1e8);
        assert_eq!(sum.value(), 1000.0);
        let mut sum = Sum::default();
        sum.add(f32::INFINITY);
        sum.add(1.0);
        assert_eq!(sum.value(), f32::INFINITY);
        sum.add(f32::NEG_INFINITY);
        assert!(sum.value().is_nan());
    }
}
