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

/// The remainder of the division with the sign of the divisor, as Python's `%`.
pub(crate) fn remainder(a: f32, b: f32) -> f32 {
    let rest = libm::fmodf(a, b);
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
    let rest = libm::fmodf(a, b);
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
