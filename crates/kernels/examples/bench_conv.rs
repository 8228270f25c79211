//! Times the convolutions of MobileNetV2 (224x224, batch 1), one line per kind of layer.
//!
//! `cargo run --release -p tombolo-kernels --features fast --example bench_conv [channels-last]`

use std::time::Instant;
use tombolo_kernels::ops::convolution;
use tombolo_runtime::Dtype;
use tombolo_runtime::testing::{Call, TestTensor};

/// Input channels, output channels, input size, kernel size, stride, groups; how often it occurs.
const LAYERS: &[([usize; 6], usize)] = &[
    ([3, 32, 224, 3, 2, 1], 1),
    ([32, 32, 112, 3, 1, 32], 1),
    ([32, 16, 112, 1, 1, 1], 1),
    ([16, 96, 112, 1, 1, 1], 1),
    ([96, 96, 112, 3, 2, 96], 1),
    ([96, 24, 56, 1, 1, 1], 1),
    ([24, 144, 56, 1, 1, 1], 2),
    ([144, 144, 56, 3, 1, 144], 1),
    ([144, 24, 56, 1, 1, 1], 1),
    ([144, 144, 56, 3, 2, 144], 1),
    ([144, 32, 28, 1, 1, 1], 1),
    ([32, 192, 28, 1, 1, 1], 3),
    ([192, 192, 28, 3, 1, 192], 2),
    ([192, 32, 28, 1, 1, 1], 2),
    ([192, 192, 28, 3, 2, 192], 1),
    ([192, 64, 14, 1, 1, 1], 1),
    ([64, 384, 14, 1, 1, 1], 4),
    ([384, 384, 14, 3, 1, 384], 4),
    ([384, 64, 14, 1, 1, 1], 3),
    ([384, 96, 14, 1, 1, 1], 1),
    ([96, 576, 14, 1, 1, 1], 3),
    ([576, 576, 14, 3, 1, 576], 2),
    ([576, 96, 14, 1, 1, 1], 2),
    ([576, 576, 14, 3, 2, 576], 1),
    ([576, 160, 7, 1, 1, 1], 1),
    ([160, 960, 7, 1, 1, 1], 3),
    ([960, 960, 7, 3, 1, 960], 3),
    ([960, 160, 7, 1, 1, 1], 2),
    ([960, 320, 7, 1, 1, 1], 1),
    ([320, 1280, 7, 1, 1, 1], 1),
];

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37) % 101) as f32 / 50.0 - 1.0).collect()
}

fn tensor(sizes: [usize; 4], order: &[u8]) -> TestTensor {
    let count = sizes.iter().product();
    TestTensor::new(Dtype::Float, &sizes.map(|n| n as u32), &numbers(count)).order(order)
}

fn main() {
    let channels_last = std::env::args().any(|arg| arg == "channels-last");
    let order: &[u8] = if channels_last { &[0, 2, 3, 1] } else { &[0, 1, 2, 3] };
    let (mut total, mut products) = (0.0, 0);
    for &([inputs, outputs, size, kernel, stride, groups], times) in LAYERS {
        let pad = kernel / 2;
        let out = (size + 2 * pad - kernel) / stride + 1;
        let pair = |n: usize| [n as i64, n as i64];
        let mut call = Call::new()
            .tensor(tensor([1, inputs, size, size], order))
            .tensor(tensor([outputs, inputs / groups, kernel, kernel], order))
            .tensor(TestTensor::new(Dtype::Float, &[outputs as u32], &numbers(outputs)))
            .ints(&pair(stride))
            .ints(&pair(pad))
            .ints(&pair(1))
            .bool(false)
            .ints(&pair(0))
            .int(groups as i64)
            .tensor(
                TestTensor::empty(Dtype::Float, &[1, outputs as u32, out as u32, out as u32]).order(order),
            );
        // The best of some runs: others use the machine too. A call also copies its tensors.
        let best = (0..5)
            .map(|_| {
                let start = Instant::now();
                call.run(&convolution::OUT).expect("a valid call");
                start.elapsed().as_secs_f64() * 1e3
            })
            .fold(f64::INFINITY, f64::min);
        let work = out * out * outputs * (inputs / groups) * kernel * kernel;
        println!(
            "{inputs:5} -> {outputs:5} {size:4}x{size:<4} {kernel}x{kernel} /{stride} groups {groups:4}: \
             {best:8.2} ms x {times}, {:6.2} G products/s",
            work as f64 / best / 1e6
        );
        total += best * times as f64;
        products += work * times;
    }
    println!("all: {total:.1} ms for {:.1} M products", products as f64 / 1e6);
}
