//! Networks that were compiled for U85, against what the TOSA reference model computes for them:
//! every byte must be equal.

mod common;

use std::path::Path;

use common::{Array, Network, Place, check, check_corpus, corpus, large_corpus, npz};
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::payload::Payload;
use tombolo_sim::Npu;

#[test]
fn models() {
    check_corpus(Accelerator::U85_256, 25);
}

/// MobileNetV2 is too large to be copied into the project.
#[test]
fn mobilenet_v2() {
    let Some(corpus) = large_corpus() else {
        eprintln!("SKIPPED: mobilenet_v2: the large corpus is not beside the project");
        return;
    };
    let folder = corpus.join("mv2");
    let network = Network::load(&folder.join("u85-256.0.vela.npz"));
    let golden = npz(&folder.join("u85-256.golden.npz"));
    let started = std::time::Instant::now();
    check(&mut Npu::new(Accelerator::U85_256), &network, &golden).unwrap();
    eprintln!("mobilenet_v2 on u85-256: {:?}", started.elapsed());
}

/// The network in a program's delegate: blocks of a 32-byte header (name, size) and data padded to
/// 16 bytes.
fn delegate(path: &Path) -> Network {
    let program = std::fs::read(path).unwrap();
    let start = program.windows(16).position(|w| w == b"vela_bin_stream\0").expect("a delegate for Ethos-U");
    let block = |name: &str| {
        let mut rest = &program[start..];
        loop {
            let (header, data) = rest.split_at(32);
            let size = u32::from_le_bytes(header[16..20].try_into().unwrap()) as usize;
            let found = header[..16].split(|&b| b == 0).next().unwrap();
            assert_ne!(found, b"vela_end_stream", "block {name}");
            if found == name.as_bytes() {
                return &data[..size];
            }
            rest = &data[size.next_multiple_of(16)..];
        }
    };
    let words = |bytes: &[u8]| -> Vec<usize> {
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap()) as usize).collect()
    };
    let mut regions: [Vec<u8>; 8] = Default::default();
    regions[0] = block("weight_data").to_vec();
    regions[1] = vec![0xa5; words(block("scratch_size"))[0]];
    // Count, then shape (6), element size, offset, region of each.
    let mut places = |name: &str| -> Vec<Place> {
        let words = words(block(name));
        let places = words[1..].chunks_exact(9).map(|io| {
            let place = Place { offset: io[7], region: io[8] };
            // Inputs and outputs may have regions of their own.
            let end = place.offset + io[..7].iter().product::<usize>();
            let region = &mut regions[place.region];
            region.resize(end.max(region.len()), 0xa5);
            place
        });
        places.collect()
    };
    let (inputs, outputs) = (places("inputs"), places("outputs"));
    Network {
        stream: Payload::parse(block("cmd_data")).unwrap().stream.to_vec(),
        regions,
        alias: Some((2, 1)),
        inputs,
        outputs,
    }
}

fn variant(name: &str, accelerator: Accelerator) {
    let folder = corpus().join("variants");
    let network = delegate(&folder.join(format!("{name}.pte")));
    let golden = npz(&folder.join(format!("{name}.chain.npz")));
    let outputs: Vec<&Array> = golden.iter().filter(|(k, _)| k.starts_with("out")).map(|(_, a)| a).collect();
    assert!(!outputs.is_empty() && outputs.iter().all(|a| a.bytes.iter().any(|b| b != &a.bytes[0])));
    check(&mut Npu::new(accelerator), &network, &golden).unwrap();
}

#[test]
fn smallest() {
    variant("t_u85-128", Accelerator::U85_128);
}

#[test]
fn largest() {
    variant("t_u85-2048", Accelerator::U85_2048);
}

/// 16-bit activations: 48-bit accumulators.
#[test]
fn wide_activations() {
    variant("a16w8_u85", Accelerator::U85_256);
}

/// Weights of four bits.
#[test]
fn narrow_weights() {
    variant("w4_u85", Accelerator::U85_256);
}

/// The newer container of command streams.
#[test]
fn direct_drive_container() {
    variant("cop2_direct_drive_u85", Accelerator::U85_256);
}
