//! Arrays against expectations.

use crate::error::{Error, Result};
use crate::npy::{Array, Shape};
use std::fmt;
use std::str::FromStr;

/// How far an element may be from its expectation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// By so much.
    Absolute(f64),
    /// By so many steps of the output's quantization.
    Steps(f64),
    /// By so much of the largest magnitude in the expected array.
    Relative(f64),
}

impl Tolerance {
    /// The help of every option that takes one.
    pub const HELP: &'static str = "0 or exact; a number like 1e-5; 1step (a step of the output's quantization); rel:1e-5 (of the largest expected magnitude)";
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Tolerance, String> {
        let number = |digits: &str| match digits.parse::<f64>() {
            Ok(n) if n.is_finite() && n >= 0.0 => Ok(n),
            _ => Err(format!("write {}", Tolerance::HELP)),
        };
        if text == "exact" {
            return Ok(Tolerance::Exact);
        }
        if let Some(digits) = text.strip_prefix("rel:") {
            return number(digits).map(Tolerance::Relative);
        }
        if let Some(digits) = text.strip_suffix("steps").or_else(|| text.strip_suffix("step")) {
            return number(digits.trim_end()).map(Tolerance::Steps);
        }
        match number(text)? {
            0.0 => Ok(Tolerance::Exact),
            n => Ok(Tolerance::Absolute(n)),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tolerance::Exact => f.write_str("exact"),
            Tolerance::Absolute(n) => write!(f, "{n:e}"),
            Tolerance::Steps(1.0) => f.write_str("1 step"),
            Tolerance::Steps(n) => write!(f, "{n} steps"),
            Tolerance::Relative(n) => write!(f, "{n:e} of the largest magnitude"),
        }
    }
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Elements compared.
    pub elements: usize,
    /// Elements that are not exactly equal.
    pub unequal: usize,
    /// Elements beyond the tolerance.
    pub beyond: usize,
    /// First element beyond the tolerance, counted in C order.
    pub first_beyond: Option<usize>,
    /// Largest absolute deviation; infinite where only one side is a number.
    pub largest: f64,
    /// Where the largest deviation is.
    pub largest_at: usize,
    /// Largest magnitude in the expected array.
    pub magnitude: f64,
    /// One step of the output's quantization, where it is known.
    pub step: Option<f64>,
    /// The tolerance asked for.
    pub tolerance: Tolerance,
}

impl Comparison {
    /// Whether every element is within the tolerance.
    pub fn passed(&self) -> bool {
        self.beyond == 0
    }

    /// The largest deviation in steps.
    pub fn largest_steps(&self) -> Option<f64> {
        self.step.map(|step| self.largest / step)
    }

    /// The largest deviation relative to the largest expected magnitude.
    pub fn largest_relative(&self) -> f64 {
        if self.largest == 0.0 { 0.0 } else { self.largest / self.magnitude }
    }
}

/// Compares elements in C order.
///
/// # Errors
/// The shapes differ, an array holds text or complex numbers, or a tolerance in steps is asked for
/// where no step is known.
pub fn compare(
    actual: &Array,
    expected: &Array,
    tolerance: Tolerance,
    step: Option<f64>,
) -> Result<Comparison> {
    if actual.shape() != expected.shape() {
        return Err(Error::new(format!(
            "the expected array has shape {}, the output {}",
            Shape(expected.shape()),
            Shape(actual.shape())
        ))
        .help("give the expectation of this output"));
    }
    let not_numbers = |array: &Array| {
        Error::new(format!("{} elements have no numeric value", array.dtype())).help("compare numbers")
    };
    let step = step.filter(|s| s.is_finite() && *s > 0.0);
    let (a, e) = (
        actual.numbers().ok_or_else(|| not_numbers(actual))?,
        expected.numbers().ok_or_else(|| not_numbers(expected))?,
    );
    let magnitude = e.iter().filter(|v| v.is_finite()).fold(0.0f64, |m, v| m.max(v.abs()));
    let bound = match tolerance {
        Tolerance::Exact => 0.0,
        Tolerance::Absolute(n) => n,
        Tolerance::Relative(n) => n * magnitude,
        Tolerance::Steps(n) => {
            n * step.ok_or_else(|| {
                Error::new(
                    "a tolerance in steps needs the output's quantization, which the program does not show",
                )
                .help("the output must come from a dequantize operator; else give the tolerance as a number")
            })?
        }
    };
    let mut found = Comparison {
        elements: a.len(),
        unequal: 0,
        beyond: 0,
        first_beyond: None,
        largest: 0.0,
        largest_at: 0,
        magnitude,
        step,
        tolerance,
    };
    let both_exact = actual.dtype().is_integer() && expected.dtype().is_integer();
    for (i, (&a, &e)) in a.iter().zip(&e).enumerate() {
        let equal = if both_exact {
            // Integers of more than 53 bits are equal only if all their bits are.
            actual.integer(i) == expected.integer(i)
        } else {
            a == e || (a.is_nan() && e.is_nan())
        };
        if equal {
            continue;
        }
        found.unequal += 1;
        let deviation = match (a - e).abs() {
            d if d.is_nan() => f64::INFINITY,
            // Two integers that round to the same double still differ by one.
            d if both_exact => d.max(1.0),
            d => d,
        };
        if deviation > found.largest {
            (found.largest, found.largest_at) = (deviation, i);
        }
        // A float output is a multiple of the step only up to its own rounding, so two neighbours may
        // be a little more than a step apart.
        let rounding = match tolerance {
            Tolerance::Steps(_) => f64::from(f32::EPSILON) * a.abs().max(e.abs()),
            _ => 0.0,
        };
        if deviation > bound + rounding {
            found.beyond += 1;
            found.first_beyond.get_or_insert(i);
        }
    }
    Ok(found)
}

/// Index of an element in each dimension, as text: `[0, 3, 1]`.
pub fn index_text(mut flat: usize, shape: &[usize]) -> String {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&n| {
            let i = flat % n.max(1);
            flat /= n.max(1);
            i
        })
        .collect();
    index.reverse();
    format!("{index:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::Dtype;

    fn floats(values: &[f32]) -> Array {
        let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Array::new(Dtype::Float32, vec![values.len()], data).unwrap()
    }

    #[test]
    fn tolerances_read() {
        for (text, tolerance) in [
            ("0", Tolerance::Exact),
            ("exact", Tolerance::Exact),
            ("0.5", Tolerance::Absolute(0.5)),
            ("1step", Tolerance::Steps(1.0)),
            ("2 steps", Tolerance::Steps(2.0)),
            ("rel:1e-5", Tolerance::Relative(1e-5)),
        ] {
            assert_eq!(text.parse(), Ok(tolerance));
        }
        for text in ["", "-1", "nan", "inf", "rel:", "rel:x", "step", "1e", "-1step"] {
            assert!(text.parse::<Tolerance>().is_err(), "{text}");
        }
    }

    #[test]
    fn deviations_are_found_where_they_are() {
        let expected = floats(&[1.0, -4.0, 0.0, f32::NAN]);
        let actual = floats(&[1.0, -4.5, 0.25, f32::NAN]);
        let exact = compare(&actual, &expected, Tolerance::Exact, None).unwrap();
        assert_eq!((exact.unequal, exact.beyond, exact.first_beyond), (2, 2, Some(1)));
        assert_eq!((exact.largest, exact.largest_at, exact.magnitude), (0.5, 1, 4.0));
        let relative = compare(&actual, &expected, Tolerance::Relative(0.1), None).unwrap();
        assert_eq!((relative.beyond, relative.first_beyond), (1, Some(1)));
        let steps = compare(&actual, &expected, Tolerance::Steps(1.0), Some(0.5)).unwrap();
        assert!(steps.passed());
        assert_eq!(steps.largest_steps(), Some(1.0));
        let nan = compare(&floats(&[f32::NAN]), &floats(&[0.0]), Tolerance::Absolute(1e9), None);
        assert!(!nan.unwrap().passed());
    }

    #[test]
    fn one_step_allows_for_the_rounding_of_floats_and_no_more() {
        let step = 0.1f32;
        let (a, b) = (floats(&[step * 127.0]), floats(&[step * 126.0]));
        assert!(compare(&a, &b, Tolerance::Steps(1.0), Some(f64::from(step))).unwrap().passed());
        let c = floats(&[step * 125.99]);
        assert!(!compare(&a, &c, Tolerance::Steps(1.0), Some(f64::from(step))).unwrap().passed());
    }

    #[test]
    fn large_integers_compare_exactly() {
        let long = |v: i64| Array::new(Dtype::Int64, vec![], v.to_le_bytes().to_vec()).unwrap();
        let found = compare(&long(i64::MAX), &long(i64::MAX - 1), Tolerance::Exact, None).unwrap();
        assert_eq!((found.beyond, found.largest), (1, 1.0));
    }

    #[test]
    fn what_does_not_compare_is_refused() {
        let error = compare(&floats(&[1.0]), &floats(&[1.0, 2.0]), Tolerance::Exact, None).unwrap_err();
        assert!(error.what.contains("[2]") && error.what.contains("[1]"));
        assert!(compare(&floats(&[1.0]), &floats(&[1.0]), Tolerance::Steps(1.0), None).is_err());
        let text = Array::new(Dtype::Bytes(1), vec![1], b"a".to_vec()).unwrap();
        assert!(compare(&text, &text, Tolerance::Exact, None).is_err());
    }

    #[test]
    fn indices_are_written_per_dimension() {
        assert_eq!(index_text(7, &[2, 3, 2]), "[1, 0, 1]");
        assert_eq!(index_text(0, &[]), "[]");
    }
}
