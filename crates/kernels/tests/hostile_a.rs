//! Arguments that no exporter writes: a kernel answers with an error or computes something, but it
//! never panics and never runs for long.

use std::time::Instant;
use tombolo_kernels::ops;
use tombolo_runtime::testing::{Call, TestTensor};
use tombolo_runtime::{Dtype, KernelDef};

/// xorshift64*: the same calls in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }

    /// Mostly small, sometimes negative, sometimes at a limit.
    fn int(&mut self) -> i64 {
        const LIMITS: [i64; 8] =
            [i64::MIN, i64::MAX, i32::MIN as i64, i32::MAX as i64, u32::MAX as i64, 1 << 30, -1, 65536];
        match self.below(16) {
            0 => LIMITS[self.below(8) as usize],
            1 => -(self.below(4) as i64),
            2..8 => 1,
            _ => self.below(5) as i64,
        }
    }

    fn ints(&mut self) -> Vec<i64> {
        (0..self.below(5)).map(|_| self.int()).collect()
    }

    fn double(&mut self) -> f64 {
        const LIMITS: [f64; 6] = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300, 1e-300];
        if self.below(4) == 0 { LIMITS[self.below(6) as usize] } else { self.below(9) as f64 / 3.0 }
    }

    fn sizes(&mut self) -> Vec<u32> {
        let rank = if self.below(2) == 0 { 4 } else { self.below(6) };
        let mut sizes: Vec<u32> =
            (0..rank).map(|_| [1, 1, 2, 3, 4, 5, 6, 0][self.below(8) as usize]).collect();
        // An empty tensor may have any sizes.
        if sizes.contains(&0) && self.below(2) == 0 {
            for size in sizes.iter_mut().filter(|size| **size != 0) {
                if self.below(3) == 0 {
                    *size = [u32::MAX, 1 << 31, i32::MAX as u32, 1 << 16][self.below(4) as usize];
                }
            }
        }
        sizes
    }

    fn tensor(&mut self, sizes: Vec<u32>) -> TestTensor {
        let empty = sizes.contains(&0);
        let count = if empty { 0 } else { sizes.iter().product::<u32>() as usize };
        let mut order: Vec<u8> = (0..sizes.len() as u8).collect();
        if self.below(3) == 0 {
            for i in (1..order.len()).rev() {
                order.swap(i, self.below(i as u64 + 1) as usize);
            }
        }
        let elements: Vec<f32> = (0..count).map(|_| self.double() as f32).collect();
        TestTensor::new(Dtype::Float, &sizes, &elements).order(&order)
    }
}

/// An argument of a valid call.
#[derive(Clone, Copy)]
enum Arg {
    /// A tensor of these sizes.
    T(&'static [u32]),
    /// No value.
    None,
    Int(i64),
    Ints(&'static [i64]),
    Bool(bool),
    Double(f64),
    Doubles(&'static [f64]),
    Text(&'static str),
    /// An output of this rank that takes any sizes up to a limit.
    Out(usize),
    /// The same for int64.
    Indices(usize),
}
use Arg::*;

/// A valid call of each kernel. What is tried are its neighbours.
const KERNELS: &[(KernelDef, &[Arg])] = &[
    (
        ops::convolution::OUT,
        &[
            T(&[2, 4, 5, 6]),
            T(&[6, 2, 3, 2]),
            T(&[6]),
            Ints(&[2, 1]),
            Ints(&[1, 1]),
            Ints(&[1, 2]),
            Bool(false),
            Ints(&[0, 0]),
            Int(2),
            Out(4),
        ],
    ),
    (
        ops::convolution::OUT,
        &[
            T(&[1, 3, 4, 3]),
            T(&[3, 2, 3, 3]),
            None,
            Ints(&[2, 2]),
            Ints(&[1, 1]),
            Ints(&[1, 1]),
            Bool(true),
            Ints(&[1, 0]),
            Int(1),
            Out(4),
        ],
    ),
    (
        ops::convolution::OUT,
        &[
            T(&[1, 3, 8]),
            T(&[2, 3, 3]),
            None,
            Ints(&[1]),
            Ints(&[1]),
            Ints(&[1]),
            Bool(false),
            Ints(&[0]),
            Int(1),
            Out(3),
        ],
    ),
    (ops::mm::OUT, &[T(&[3, 4]), T(&[4, 5]), Out(2)]),
    (ops::bmm::OUT, &[T(&[2, 3, 4]), T(&[2, 4, 5]), Out(3)]),
    (ops::addmm::OUT, &[T(&[5]), T(&[3, 4]), T(&[4, 5]), Int(1), Double(2.0), Out(2)]),
    (ops::linear::OUT, &[T(&[2, 3, 4]), T(&[5, 4]), T(&[5]), Out(3)]),
    (
        ops::avg_pool2d::OUT,
        &[
            T(&[1, 2, 6, 5]),
            Ints(&[3, 2]),
            Ints(&[2, 1]),
            Ints(&[1, 1]),
            Bool(true),
            Bool(false),
            None,
            Out(4),
        ],
    ),
    (
        ops::max_pool2d_with_indices::OUT,
        &[
            T(&[1, 2, 6, 5]),
            Ints(&[2, 2]),
            Ints(&[]),
            Ints(&[1, 1]),
            Ints(&[2, 1]),
            Bool(true),
            Out(4),
            Indices(4),
        ],
    ),
    (ops::adaptive_avg_pool2d::OUT, &[T(&[1, 2, 6, 5]), Ints(&[2, 3]), Out(4)]),
    (
        ops::native_layer_norm::OUT,
        &[T(&[2, 3, 4]), Ints(&[3, 4]), T(&[3, 4]), T(&[3, 4]), Double(1e-5), Out(3), Out(3), Out(3)],
    ),
    (
        ops::native_group_norm::OUT,
        &[
            T(&[2, 4, 5]),
            T(&[4]),
            T(&[4]),
            Int(2),
            Int(4),
            Int(5),
            Int(2),
            Double(1e-5),
            Out(3),
            Out(2),
            Out(2),
        ],
    ),
    (
        ops::native_batch_norm_legit_no_training::OUT,
        &[
            T(&[2, 3, 4, 2]),
            T(&[3]),
            None,
            T(&[3]),
            T(&[3]),
            Double(0.1),
            Double(1e-5),
            Out(4),
            Out(1),
            Out(1),
        ],
    ),
    (ops::softmax::OUT, &[T(&[2, 3, 4]), Int(1), Bool(false), Out(3)]),
    (ops::log_softmax::OUT, &[T(&[2, 3, 4]), Int(-1), Bool(false), Out(3)]),
    (ops::upsample_nearest2d::VEC_OUT, &[T(&[1, 2, 3, 4]), None, Doubles(&[2.0, 1.5]), Out(4)]),
    (ops::upsample_nearest2d::OUT, &[T(&[1, 2, 3, 4]), Ints(&[5, 6]), None, Double(1.5), Out(4)]),
    (ops::upsample_bilinear2d::VEC_OUT, &[T(&[1, 2, 3, 4]), Ints(&[5, 2]), Bool(true), None, Out(4)]),
    (
        ops::upsample_bilinear2d::OUT,
        &[T(&[1, 2, 3, 4]), Ints(&[5, 2]), Bool(false), None, Double(1.5), Out(4)],
    ),
    (ops::gelu::OUT, &[T(&[2, 3]), Text("tanh"), Out(2)]),
    (ops::constant_pad_nd::OUT, &[T(&[2, 3, 4]), Ints(&[1, -1, 0, 2]), Double(1.0), Out(3)]),
    (ops::cumsum::OUT, &[T(&[2, 3, 4]), Int(1), None, Out(3)]),
];

impl Random {
    /// The call with some arguments replaced.
    fn neighbour(&mut self, args: &[Arg]) -> Call {
        let rate = 2 + self.below(10);
        let mut call = Call::new();
        for &arg in args {
            let other = self.below(rate) == 0;
            call = match arg {
                // Another kind of value than the schema has.
                _ if self.below(300) == 0 => call.none(),
                _ if self.below(300) == 0 => call.int(1),
                T(_) if other => {
                    let sizes = self.sizes();
                    call.tensor(self.tensor(sizes))
                }
                T(sizes) => call.tensor(self.tensor(sizes.to_vec())),
                None if other && self.below(2) == 0 => call.int(self.int()),
                None => call.none(),
                Int(_) if other => call.int(self.int()),
                Int(value) => call.int(value),
                Ints(_) if self.below(4 * rate) == 0 => call.ints(&self.ints()),
                Ints(list) => {
                    let list: Vec<i64> =
                        list.iter().map(|&v| if self.below(rate) == 0 { self.int() } else { v }).collect();
                    call.ints(&list)
                }
                Bool(value) => call.bool(value != other),
                Double(_) if other => call.double(self.double()),
                Double(value) => call.double(value),
                Doubles(_) if other => call.doubles(&[self.double(), self.double()]),
                Doubles(list) => call.doubles(list),
                Text(_) if other => call.string("none"),
                Text(text) => call.string(text),
                Out(rank) | Indices(rank) => {
                    let rank = if self.below(20) == 0 { self.below(6) as usize } else { rank };
                    let dtype = if matches!(arg, Out(_)) { Dtype::Float } else { Dtype::Long };
                    call.tensor(TestTensor::empty(dtype, &vec![9; rank]).dynamic())
                }
            };
        }
        call
    }
}

const CALLS: u32 = 4000;

#[test]
fn no_arguments_make_a_kernel_panic_or_hang() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for (kernel, args) in KERNELS {
        let mut done = 0;
        let start = Instant::now();
        for _ in 0..CALLS {
            done += u32::from(random.neighbour(args).run(kernel).is_ok());
        }
        let time = start.elapsed();
        println!("{}: {done} of {CALLS} calls gave a result, {time:?}", kernel.name);
        assert!((CALLS / 50..CALLS - CALLS / 50).contains(&done), "{}: {done} of {CALLS}", kernel.name);
        assert!(time.as_secs() < 60, "{} took {time:?}", kernel.name);
    }
}
