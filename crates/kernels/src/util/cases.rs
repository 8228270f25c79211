//! Runs the cases of `tests/data_b/<operator>.txt` (or `data_a`): calls and what torch gave for them,
//! written by `tests/make_fixtures_b.py` (or `_a`).
//!
//! A case is a line `case NAME TOLERANCE`, then a line per argument in the order of the schema:
//! `none`, `int 3`, `bool 1`, `double 0.5`, `string floor`, `ints 1,-2`, `doubles 2,0.5`, `tensor DTYPE SIZES ORDER v v …`
//! with the elements in memory order, `list N` before the `N` tensors of a list; `out` and `outs`
//! in the same way with the expected elements; `number KIND VALUE` for a result that is a number.
//! `-` is an empty list. The tolerance is `exact`, or `N` units in the last place of the expected
//! `float32`, with `+A` for an absolute part: `2+1e-7`; or `maxR`, `R` times the largest finite
//! magnitude that the output holds: `max1e-6`.

use crate::util::num::{f32_to_half, half_to_f32};
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, vec};
use tombolo_runtime::testing::{Call, TestTensor};
use tombolo_runtime::{Dtype, KernelDef};

fn list<T: std::str::FromStr>(text: &str) -> Vec<T>
where
    T::Err: std::fmt::Debug,
{
    if text == "-" { vec![] } else { text.split(',').map(|item| item.parse().unwrap()).collect() }
}

#[derive(Clone)]
struct Described {
    dtype: Dtype,
    sizes: Vec<u32>,
    order: Vec<u8>,
    values: Vec<String>,
}

impl Described {
    fn parse(words: &[&str]) -> Described {
        let dtype = Dtype::ALL.into_iter().find(|dtype| dtype.name() == words[0]);
        Described {
            dtype: dtype.unwrap_or_else(|| panic!("element type {}", words[0])),
            sizes: list(words[1]),
            order: list(words[2]),
            values: words[3..].iter().map(|v| v.to_string()).collect(),
        }
    }

    fn input(&self) -> TestTensor {
        fn typed<T: tombolo_runtime::Element + std::str::FromStr>(it: &Described) -> TestTensor
        where
            T::Err: std::fmt::Debug,
        {
            let elements: Vec<T> = it.values.iter().map(|v| v.parse().unwrap()).collect();
            TestTensor::new(it.dtype, &it.sizes, &elements)
        }
        let tensor = match self.dtype {
            Dtype::Float => typed::<f32>(self),
            Dtype::Double => typed::<f64>(self),
            Dtype::Char => typed::<i8>(self),
            Dtype::Byte | Dtype::Bool => typed::<u8>(self),
            Dtype::Short => typed::<i16>(self),
            Dtype::UInt16 => typed::<u16>(self),
            Dtype::Int => typed::<i32>(self),
            Dtype::Long => typed::<i64>(self),
            Dtype::Half => {
                let bits: Vec<u16> = self.values.iter().map(|v| f32_to_half(v.parse().unwrap())).collect();
                TestTensor::new(self.dtype, &self.sizes, &bits)
            }
            other => panic!("fixtures of {}", other.name()),
        };
        tensor.order(&self.order)
    }

    fn output(&self) -> TestTensor {
        TestTensor::empty(self.dtype, &self.sizes).order(&self.order)
    }

    fn check(&self, what: &str, tolerance: Tolerance, call: &Call, position: usize, item: Option<usize>) {
        macro_rules! got {
            ($t:ty) => {
                match item {
                    None => call.elements::<$t>(position),
                    Some(item) => call.item_elements::<$t>(position, item),
                }
            };
        }
        let got: Vec<f64> = match self.dtype {
            Dtype::Float => got!(f32).into_iter().map(f64::from).collect(),
            Dtype::Half => got!(u16).into_iter().map(|bits| f64::from(half_to_f32(bits))).collect(),
            Dtype::Double => got!(f64),
            _ => {
                // Integers as text: all 64 bits count.
                let got: Vec<String> = match self.dtype {
                    Dtype::Char => got!(i8).iter().map(|v| v.to_string()).collect(),
                    Dtype::Byte | Dtype::Bool => got!(u8).iter().map(|v| v.to_string()).collect(),
                    Dtype::Short => got!(i16).iter().map(|v| v.to_string()).collect(),
                    Dtype::UInt16 => got!(u16).iter().map(|v| v.to_string()).collect(),
                    Dtype::Int => got!(i32).iter().map(|v| v.to_string()).collect(),
                    _ => got!(i64).iter().map(|v| v.to_string()).collect(),
                };
                assert_eq!(got, self.values, "{what}");
                return;
            }
        };
        assert_eq!(got.len(), self.values.len(), "{what}");
        // The shortest text of a number stands for the nearest one of its type.
        let nearest = |v: &String| match self.dtype {
            Dtype::Float => f64::from(v.parse::<f32>().unwrap()),
            Dtype::Half => f64::from(half_to_f32(f32_to_half(v.parse().unwrap()))),
            _ => v.parse().unwrap(),
        };
        let expected: Vec<f64> = self.values.iter().map(nearest).collect();
        let tolerance = tolerance.among(&expected);
        for (i, (&got, expected)) in got.iter().zip(expected).enumerate() {
            assert!(tolerance.holds(got, expected), "{what}: element {i} is {got}, torch has {expected}");
        }
    }
}

#[derive(Clone, Copy)]
struct Tolerance {
    ulps: f64,
    absolute: f64,
    /// In units of the largest magnitude.
    of_largest: f64,
}

impl Tolerance {
    fn parse(word: &str) -> Tolerance {
        let zero = Tolerance { ulps: 0.0, absolute: 0.0, of_largest: 0.0 };
        if word == "exact" {
            return zero;
        }
        if let Some(part) = word.strip_prefix("max") {
            return Tolerance { of_largest: part.parse().unwrap(), ..zero };
        }
        let (ulps, absolute) = word.split_once('+').unwrap_or((word, "0"));
        Tolerance { ulps: ulps.parse().unwrap(), absolute: absolute.parse().unwrap(), ..zero }
    }

    /// For an output with these elements.
    fn among(self, expected: &[f64]) -> Tolerance {
        let finite = expected.iter().map(|x| x.abs()).filter(|x| x.is_finite());
        Tolerance { absolute: self.absolute + self.of_largest * finite.fold(0.0, f64::max), ..self }
    }

    fn holds(&self, got: f64, expected: f64) -> bool {
        if got.is_nan() || expected.is_nan() {
            return got.is_nan() && expected.is_nan();
        }
        let magnitude = (expected as f32).abs();
        let unit =
            if magnitude.is_finite() { f64::from(magnitude.next_up()) - f64::from(magnitude) } else { 0.0 };
        got == expected || (got - expected).abs() <= self.ulps * unit + self.absolute
    }
}

enum Expected {
    Tensor(usize, Option<usize>, Described),
    Number(usize, String, String),
}

/// One case of a file.
struct Case<'t> {
    what: String,
    kernel: usize,
    tolerance: Tolerance,
    /// A text per argument; those of a list have a line per tensor.
    args: Vec<Vec<&'t str>>,
}

/// Calls `visit` with each case of `operator`.
fn cases(operator: &str, kernels: &[KernelDef], visit: &mut dyn FnMut(&Case<'_>)) {
    let path = |folder| format!("{}/tests/{folder}/{operator}.txt", env!("CARGO_MANIFEST_DIR"));
    let path = ["data_a", "data_b"].map(path).into_iter().find(|path| std::fs::exists(path).unwrap());
    let path = path.unwrap_or_else(|| panic!("no fixture {operator}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).peekable();
    while let Some((at, line)) = lines.next() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["case", name, tolerance] = words[..] else { panic!("{path}:{}: {line}", at + 1) };
        let kernel = kernels.iter().position(|kernel| kernel.name == name);
        let kernel = kernel.unwrap_or_else(|| panic!("{path}:{}: no kernel {name} in the test", at + 1));
        let mut args = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("case ")) {
            let mut arg = vec![line];
            if let Some(count) = line.strip_prefix("list ").or(line.strip_prefix("outs ")) {
                arg.extend((0..count.parse().unwrap()).map(|_| lines.next().unwrap().1));
            }
            args.push(arg);
        }
        let what = format!("{operator}.txt:{} {name}", at + 1);
        visit(&Case { what, kernel, tolerance: Tolerance::parse(tolerance), args });
    }
}

/// The call with these arguments, and what is expected of it.
fn build(args: &[Vec<&str>]) -> (Call, Vec<Expected>) {
    let mut call = Call::new();
    let mut expected = Vec::new();
    for (position, arg) in args.iter().enumerate() {
        let words: Vec<&str> = arg[0].split(' ').filter(|word| !word.is_empty()).collect();
        let word = words.get(1).copied().unwrap_or("");
        let items = || -> Vec<Described> {
            let words = |line: &&'_ str| Described::parse(&line.split(' ').skip(1).collect::<Vec<_>>());
            arg[1..].iter().map(words).collect()
        };
        call = match words[0] {
            "none" => call.none(),
            "int" => call.int(word.parse().unwrap()),
            "bool" => call.bool(word == "1"),
            "double" => call.double(word.parse().unwrap()),
            "string" => call.string(word),
            "ints" => call.ints(&list(word)),
            "doubles" => call.doubles(&list(word)),
            "tensor" => call.tensor(Described::parse(&words[1..]).input()),
            "list" => call.tensors(items().iter().map(Described::input).collect()),
            "out" => {
                let out = Described::parse(&words[1..]);
                let tensor = out.output();
                expected.push(Expected::Tensor(position, None, out));
                call.tensor(tensor)
            }
            "outs" => {
                let outs = items();
                let tensors = outs.iter().map(Described::output).collect();
                let items = outs.into_iter().enumerate();
                expected.extend(items.map(|(i, out)| Expected::Tensor(position, Some(i), out)));
                call.tensors(tensors)
            }
            "number" => {
                expected.push(Expected::Number(position, word.to_string(), words[2].to_string()));
                call.none()
            }
            other => panic!("argument {other}"),
        };
    }
    (call, expected)
}

/// Runs all cases of `operator`. Each of `kernels` must have one, and each case one of `kernels`.
pub(crate) fn check(operator: &str, kernels: &[KernelDef]) {
    let mut seen = vec![0; kernels.len()];
    cases(operator, kernels, &mut |case| {
        let what = &case.what;
        seen[case.kernel] += 1;
        let (mut call, expected) = build(&case.args);
        call.run(&kernels[case.kernel]).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(!expected.is_empty(), "{what} expects nothing");
        for expected in expected {
            match expected {
                Expected::Tensor(position, item, out) => {
                    out.check(what, case.tolerance, &call, position, item);
                }
                Expected::Number(position, kind, value) => match kind.as_str() {
                    "int" => assert_eq!(call.int_at(position), Some(value.parse().unwrap()), "{what}"),
                    "bool" => assert_eq!(call.bool_at(position), Some(value == "1"), "{what}"),
                    _ => {
                        let whole = call.int_at(position).is_some() || call.bool_at(position).is_some();
                        assert!(!whole, "{what} gives no float");
                        let (got, value) = (call.number(position), value.parse().unwrap());
                        assert!(case.tolerance.holds(got, value), "{what}: {got}, expected {value}");
                    }
                },
            }
        }
    });
    for (kernel, seen) in kernels.iter().zip(seen) {
        assert!(seen > 0, "{operator}.txt has no case of {}", kernel.name);
    }
}

/// Arguments that no exporter writes.
const HOSTILE: &[&[&str]] = &[
    &["none"],
    &["int 0"],
    &["int -1"],
    &["int 7"],
    &["int 4294967296"],
    &["int -9223372036854775808"],
    &["int 9223372036854775807"],
    &["double NaN"],
    &["double -inf"],
    &["double 1e300"],
    &["double 0"],
    &["string floor"],
    &["ints -"],
    &["ints 0"],
    &["ints -1,-1"],
    &["ints 9223372036854775807,-9223372036854775808,2"],
    &["ints 4294967295,4294967295,0"],
    &["ints 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"],
    &["tensor float32 - - 1.5"],
    &["tensor float32 2,2 1,0 1 2 3 4"],
    &["tensor float32 4294967295,0 0,1"],
    &["tensor float32 0,4294967295 1,0"],
    &["tensor int64 3 0 -1 7 9223372036854775807"],
    &["tensor int64 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 0"],
    &["tensor int8 0 0"],
    &["tensor bool 3,1,2 2,0,1 0 1 1 0 255 1"],
    &["tensor float64 1 0 -1e300"],
    &["list 0"],
    &["list 2", "tensor int8 1 0 3", "tensor float32 2,0 0,1"],
    &["out float32 - - 0"],
    &["out int8 0 0"],
    &["out int64 4294967295,0 0,1"],
    &["out float32 2,2 1,0 0 0 0 0"],
    &["outs 0"],
    &["outs 2", "out int8 1 0 3", "out float32 2,0 0,1"],
];

/// Runs each case of `operator` with every argument replaced by others, and with several replaced at
/// random (seeded). A kernel may answer with an error or compute something, but must not panic
/// (overflow is checked here) or take long.
pub(crate) fn endure(operator: &str, kernels: &[KernelDef]) {
    let mut refused = 0;
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    cases(operator, kernels, &mut |case| {
        let mut run = |args: &[Vec<&str>]| {
            let (mut call, _) = build(args);
            let start = std::time::Instant::now();
            refused += u32::from(call.run(&kernels[case.kernel]).is_err());
            let seconds = start.elapsed().as_secs_f32();
            assert!(seconds < 2.0, "{}: {seconds} s with {args:?}", case.what);
        };
        for position in 0..case.args.len() {
            for hostile in HOSTILE {
                let mut args = case.args.clone();
                args[position] = hostile.to_vec();
                run(&args);
            }
        }
        for _ in 0..60 {
            let mut args = case.args.clone();
            for _ in 0..2 + random(3) {
                let position = random(args.len());
                args[position] = HOSTILE[random(HOSTILE.len())].to_vec();
            }
            run(&args);
        }
    });
    assert!(refused > 0, "{operator} takes anything");
}
