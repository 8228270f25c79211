//! Encoded weights against the simulator's decoder.

use tombolo_ethosu::{Accelerator, Generation};
use tombolo_npuc::hw::{Acc, Config};
use tombolo_npuc::ir::Factor;
use tombolo_npuc::weights::{Encoded, Source, encode, scales_only};
use tombolo_sim::weights::dense;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: u64) -> usize {
        (self.next() % n) as usize
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64)]
    }

    /// Weights of one of the kinds that networks have, and of some that they have not.
    fn weights(&mut self, count: usize) -> Vec<i16> {
        let kind = self.below(12);
        let few = [3, -7, 0, 100, -128, 255, 1].map(|w: i16| w >> self.below(3));
        (0..count)
            .map(|i| {
                let bell = (0..6).map(|_| self.below(64) as i16 - 32).sum::<i16>();
                match kind {
                    0 => 0,
                    1 => -5,
                    2 => self.of(&few),
                    3 => bell,
                    4 => bell >> 3,
                    5 => bell * i16::from(self.below(10) == 0),
                    6 => self.below(511) as i16 - 255,
                    7 => self.of(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255]),
                    8 => self.of(&few[..2]),
                    9 => bell >> (i * 6 / count),
                    10 => 40 + (bell >> 4),
                    _ => {
                        if i > count / 2 {
                            0
                        } else {
                            bell
                        }
                    }
                }
            })
            .collect()
    }
}

fn traversals(accelerator: Accelerator) -> Vec<(Config, bool)> {
    let mut all = Vec::new();
    for ublock in accelerator.ublocks() {
        let ublock = [ublock.height, ublock.width, ublock.depth].map(usize::from);
        for (part_kernel, depthwise) in [(false, false), (true, false), (false, true)] {
            all.push((Config { part_kernel, ublock, ..Config::UNSET }, depthwise));
        }
    }
    all
}

fn decoded(
    encoded: &Encoded,
    source: &Source,
    channels: usize,
    config: &Config,
    on: Accelerator,
) -> Vec<i16> {
    let [_, h, w, ic] = source.shape.map(|n| n as u32);
    let job = dense::Job {
        shape: [channels as u32, h, w, ic],
        depthwise: source.depthwise,
        part_kernel: config.part_kernel,
        stride: source.stride.map(|n| n as u32),
        dilation: source.dilation.map(|n| n as u32),
        ifm_bits: source.ifm_bits.into(),
        ofm_block: config.ofm[2] as u32,
        ofm_ublock: config.ublock[2] as u32,
        fast: encoded.fast,
        sparse: encoded.sparse,
    };
    let streams: Vec<&[u8]> = encoded.weights.iter().map(Vec::as_slice).collect();
    assert!(streams.iter().all(|s| s.len() % 16 == 0));
    dense::decode(&job, on, &streams).unwrap_or_else(|error| panic!("{error}: {job:?}"))
}

#[test]
fn what_is_encoded_is_decoded() {
    let mut random = Random(1);
    let mut cases = 0;
    for accelerator in Accelerator::ALL {
        for (config, depthwise) in traversals(accelerator) {
            for _ in 0..40 {
                let kernel = random.of(&[[1, 1], [1, 1], [3, 3], [2, 5], [5, 2], [1, 9], [9, 4], [17, 17]]);
                let small = kernel[0] * kernel[1] > 20;
                let oc = 1 + random.below(if small { 20 } else { 90 });
                let ic = if depthwise { 1 } else { 1 + random.below(if small { 20 } else { 150 }) };
                let ublock = config.ublock[2] * accelerator.cores() as usize;
                let ofm = [4, 4, ublock * (1 + random.below(4))];
                let config = Config { ofm, ..config };
                let [h, w] = kernel;
                let weights = random.weights(oc * h * w * ic);
                let source = Source {
                    weights: &weights,
                    shape: [oc, h, w, ic],
                    depthwise,
                    stride: [1 + random.below(3), 1 + random.below(3)],
                    dilation: [1 + random.below(2), 1 + random.below(3)],
                    ifm_bits: random.of(&[8, 16]),
                    biases: &[0],
                    factors: &[Factor::ONE],
                };
                let from = random.below(oc as u64);
                let slice = from..from + 1 + random.below((oc - from) as u64);
                let encoded = encode(&source, slice.clone(), &config, accelerator).unwrap();
                let got = decoded(&encoded, &source, slice.len(), &config, accelerator);
                let want: Vec<i16> = match depthwise {
                    true => weights.chunks(oc).flat_map(|tap| tap[slice.clone()].to_vec()).collect(),
                    false => weights[slice.start * h * w * ic..slice.end * h * w * ic].to_vec(),
                };
                assert!(got == want, "{accelerator} {config:?} {:?} {slice:?}", source.shape);
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 40 * 3 * (6 + 2 + 3 + 2 + 3 + 3));
}

#[test]
fn records_have_every_field() {
    let weights = [1, 2, 3];
    let source = Source {
        weights: &weights,
        shape: [3, 1, 1, 1],
        depthwise: false,
        stride: [1, 1],
        dilation: [1, 1],
        ifm_bits: 8,
        biases: &[1, -2, 0x12_3456_789a],
        factors: &[0x4000_0001, 3, 0x7fff_ffff].map(|multiplier| Factor { multiplier, shift: 33 }),
    };
    let config = Config { ofm: [2, 2, 16], ublock: [2, 2, 8], ..Config::UNSET };
    let encoded = encode(&source, 0..3, &config, Accelerator::U65_512).unwrap();
    let first = [1, 0, 0, 0, 0, 1, 0, 0, 0x40, 33];
    let second = [0xfe, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 33];
    let third = [0x9a, 0x78, 0x56, 0x34, 0x12, 0xff, 0xff, 0xff, 0x7f, 33];
    // The second core has the odd channels.
    assert_eq!(encoded.scales.len(), 2);
    assert_eq!(encoded.scales[0], [&first[..], &third, &[0; 12]].concat());
    assert_eq!(encoded.scales[1], [&second[..], &[0; 6]].concat());
    // A core without channels has no streams.
    assert_eq!(encode(&source, 1..2, &config, Accelerator::U65_512).unwrap().weights.len(), 1);

    let config = Config { ublock: [1, 1, 16], ..config };
    let bias_too_large = encode(&source, 0..3, &config, Accelerator::U85_128).unwrap_err();
    assert!(bias_too_large.contains("32 bits"), "{bias_too_large}");
    let wide = Config { acc: Acc::I48, ..config };
    let multiplier_too_large = encode(&source, 0..3, &wide, Accelerator::U85_128).unwrap_err();
    assert!(multiplier_too_large.contains("15 bits"), "{multiplier_too_large}");

    let records = scales_only(
        &[-1],
        &[Factor { multiplier: 0x4000_0000, shift: 63 }, Factor { multiplier: 1, shift: 0 }],
        Acc::I48,
        Accelerator::U85_256,
    );
    let records = records.unwrap();
    // As many as the deepest microblock has channels; halved until the multiplier has 15 bits.
    assert_eq!(records.len(), 160);
    assert_eq!(records[..10], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x40, 47, 0]);
    assert_eq!(records[10..20], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0]);
    assert!(records[20..].iter().all(|&b| b == 0));
    let records =
        scales_only(&[-1], &[Factor { multiplier: i32::MAX, shift: 63 }], Acc::I32, Accelerator::U85_256);
    assert_eq!(records.unwrap()[..10], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 63, 0]);
}

#[test]
fn what_the_hardware_cannot_do_is_an_error() {
    let weights = vec![1; 24];
    let good = Source {
        weights: &weights,
        shape: [2, 1, 3, 4],
        depthwise: false,
        stride: [1, 1],
        dilation: [1, 1],
        ifm_bits: 8,
        biases: &[0],
        factors: &[Factor::ONE],
    };
    let factor = |multiplier, shift| [Factor { multiplier, shift }];
    for accelerator in Accelerator::ALL {
        let ublock = accelerator.ublocks()[0];
        let ublock = [ublock.height, ublock.width, ublock.depth].map(usize::from);
        let config = Config { ofm: [2, 2, 64], ublock, ..Config::UNSET };
        let with = |source: Source| encode(&source, 0..2, &config, accelerator);
        with(good).unwrap();
        let fail = |source: Source, what: &str| {
            let error = with(source).unwrap_err();
            assert!(error.contains(what), "{accelerator}: {error}");
        };
        fail(Source { weights: &[vec![1; 23], vec![-256]].concat(), ..good }, "-256");
        fail(Source { weights: &[vec![1; 23], vec![256]].concat(), ..good }, "256");
        fail(Source { shape: [2, 1, 3, 5], ..good }, "24 weights");
        fail(Source { shape: [usize::MAX, 1, 3, 5], ..good }, "24 weights");
        fail(Source { weights: &[], shape: [2, 1, 3, 0], ..good }, "0 weights");
        fail(Source { depthwise: true, ..good }, "depthwise");
        fail(Source { dilation: [0, 1], ..good }, "dilation");
        fail(Source { stride: [0, 1], ..good }, "stride");
        fail(Source { ifm_bits: 32, ..good }, "32 bits");
        fail(Source { biases: &[1, 2, 3], ..good }, "3 biases");
        fail(Source { factors: &[], ..good }, "0 factors");
        let bits = if accelerator.generation() == Generation::U85 { 32 } else { 40 };
        fail(Source { biases: &[1 << (bits - 1)], ..good }, "bias");
        fail(Source { biases: &[i64::MIN], ..good }, "bias");
        with(Source { biases: &[-1 << (bits - 1)], ..good }).unwrap();
        fail(Source { factors: &factor(1, 64), ..good }, "shift");
        fail(Source { factors: &factor(-1, 4), ..good }, "multiplier");
        for slice in [0..0, 2..3, 0..3] {
            assert!(encode(&good, slice, &config, accelerator).is_err());
        }
    }
}
