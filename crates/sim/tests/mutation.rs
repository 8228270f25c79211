//! Damaged streams: whatever a stream says, the simulator neither panics nor hangs. (The profile
//! that tests are built with checks overflow.)

mod common;

use std::time::{Duration, Instant};

use common::{Network, corpus, prepare, start};
use tombolo_ethosu::Accelerator;
use tombolo_sim::Npu;

/// Work of one run: a few hundredths of a second.
const WORK: u64 = 1 << 22;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn damage(random: &mut Random, network: &mut Network) {
    for _ in 0..=random.below(3) {
        let stream = &mut network.stream;
        let words = stream.len() / 4;
        let at = random.below(words) * 4;
        match random.below(8) {
            // A bit of a command, its parameter or payload.
            0..=3 => stream[at + random.below(4)] ^= 1 << random.below(8),
            // A parameter of extremes.
            4 => {
                let value = [0, 1, 0x7fff, 0x8000, 0xffff][random.below(5)] as u16;
                stream[at + 2..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            // A word taken from elsewhere.
            5 => {
                let from = random.below(words) * 4;
                stream.copy_within(from..from + 4, at);
            }
            6 => stream.truncate(at),
            // The weights.
            _ => {
                if let n @ 1.. = network.regions[0].len() {
                    network.regions[0][random.below(n)] ^= 1 << random.below(8);
                }
            }
        }
        if network.stream.len() < 4 {
            return;
        }
    }
}

fn smoke(accelerator: Accelerator, models: &[&str], rounds: usize) {
    let target = accelerator.short_name();
    let networks: Vec<Network> = models
        .iter()
        .map(|model| Network::load(&corpus().join(format!("{model}/{target}.0.vela.npz"))))
        .collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut npu = Npu::new(accelerator);
    npu.set_work_limit(WORK);
    let (mut faults, mut slowest) = (0, Duration::ZERO);
    for i in 0..rounds {
        let mut network = networks[i % networks.len()].clone();
        damage(&mut random, &mut network);
        let (mut bus, _) = prepare(&mut npu, &network);
        let started = Instant::now();
        start(&mut npu, &mut bus);
        slowest = slowest.max(started.elapsed());
        assert!(!npu.running());
        if let Some(fault) = npu.fault() {
            faults += 1;
            assert!(!fault.to_string().is_empty());
        }
    }
    println!("{target}: {rounds} runs, {faults} faults, slowest {slowest:?}");
    assert!(faults > rounds / 4, "damage is noticed often");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

const MODELS: &[&str] = &[
    "conv3x3_relu",
    "conv_s2",
    "dwconv",
    "softmax",
    "gelu",
    "layernorm",
    "linear",
    "avgpool",
    "maxpool",
    "bmm",
    "upsample",
    "sub_bcast",
    "cat",
];

#[test]
fn u65_256() {
    smoke(Accelerator::U65_256, MODELS, 3000);
}

#[test]
fn u65_512() {
    smoke(Accelerator::U65_512, MODELS, 1000);
}

#[test]
fn u55_128() {
    smoke(Accelerator::U55_128, MODELS, 3000);
}

#[test]
fn u85_256() {
    smoke(Accelerator::U85_256, MODELS, 3000);
}

/// Seeds for the fuzz targets `sim_stream` and `weights`: every small network of the corpus, and
/// the cases of the decoder's own test.
#[test]
#[ignore = "writes files for fuzzing"]
fn write_fuzz_seeds() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");
    let streams = format!("{root}/sim_stream");
    std::fs::create_dir_all(&streams).unwrap();
    for folder in std::fs::read_dir(corpus()).unwrap() {
        let folder = folder.unwrap().path();
        for (i, accelerator) in Accelerator::ALL.into_iter().enumerate() {
            let target = accelerator.short_name();
            let file = folder.join(format!("{target}.0.vela.npz"));
            if !file.exists() {
                continue;
            }
            let network = Network::load(&file);
            let weights = &network.regions[0];
            if network.stream.len() + weights.len() > 12_000 {
                continue;
            }
            let mut seed = vec![i as u8, 0];
            seed.extend((weights.len() as u16).to_le_bytes());
            seed.extend(&network.stream);
            seed.extend(weights);
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            std::fs::write(format!("{streams}/{name}-{target}"), seed).unwrap();
        }
    }
    let weights = format!("{root}/weights");
    std::fs::create_dir_all(&weights).unwrap();
    let mut rest: &[u8] = include_bytes!("data/mlw.bin");
    let mut i = 0;
    while let Some((&[a, b, _, _, e, f, g, h], tail)) = rest.split_first_chunk() {
        let count = u16::from_le_bytes([a, b]);
        let bytes = u32::from_le_bytes([e, f, g, h]) as usize;
        let (stream, tail) = tail.split_at(usize::from(count) * 2).1.split_at(bytes);
        let seed = [&count.to_le_bytes()[..], stream].concat();
        std::fs::write(format!("{weights}/{i}"), seed).unwrap();
        (i, rest) = (i + 1, tail);
    }
}
