//! Block configurations against Vela's streams and the simulator.

#[path = "../../../sim/tests/common/mod.rs"]
mod common;
mod kinds;
mod registers;

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::{Network, corpus, prepare, start};
use registers::{Found, operations};
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::system;
use tombolo_npuc::block::{self, Neighbours};
use tombolo_npuc::hw::{KernelOp, Kind, Operand, Transpose};
use tombolo_sim::Npu;

/// Vela's streams of the corpus for an accelerator, by name.
fn networks(accelerator: Accelerator) -> Vec<(String, Network)> {
    let target = accelerator.short_name();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus()).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let files = folders.iter().map(|folder| folder.join(format!("{target}.0.vela.npz")));
    let files = files.filter(|file| file.exists());
    files.map(|file| (format!("{}", file.display()), Network::load(&file))).collect()
}

const TARGETS: [Accelerator; 5] = [
    Accelerator::U55_128,
    Accelerator::U55_256,
    Accelerator::U65_256,
    Accelerator::U65_512,
    Accelerator::U85_256,
];

fn every_operation(mut visit: impl FnMut(Accelerator, &str, &Found)) -> usize {
    let mut count = 0;
    for accelerator in TARGETS {
        for (name, network) in networks(accelerator) {
            for found in operations(accelerator, &network.stream) {
                visit(accelerator, &name, &found);
                count += 1;
            }
        }
    }
    count
}

/// With the same registers of the shared RAM and the same accumulators. Where Vela cuts a layer by depth or rows, all
/// slices have the block of the whole layer, which may be larger than the slice; and on U85 its blocks of elementwise
/// operations may be larger than the output.
#[test]
fn velas_choice_is_a_candidate() {
    let mut missing = Vec::new();
    let mut sliced = 0;
    let count = every_operation(|accelerator, name, found| {
        let vela = &found.op.block;
        let mut op = found.op.clone();
        let find = |op: &KernelOp| {
            let all = block::candidates(op, accelerator);
            assert!(!all.is_empty(), "{name} at {}", found.position);
            all.into_iter().find(|config| {
                (config.ofm, config.part_kernel, config.ublock) == (vela.ofm, vela.part_kernel, vela.ublock)
            })
        };
        let mut same = find(&op);
        if same.is_none() && op.transpose == Transpose::Hwc {
            op.ofm.shape = [0, 1, 2].map(|axis| op.ofm.shape[axis].max(vela.ofm[axis]));
            let grown = |shape: &mut [usize; 3]| {
                for (axis, size) in shape.iter_mut().enumerate() {
                    if *size == found.op.ofm.shape[axis] {
                        *size = op.ofm.shape[axis];
                    }
                }
            };
            if let (Kind::Elementwise(_), Some(Operand::Map(second))) = (op.kind, &mut op.ifm2) {
                grown(&mut op.ifm.shape);
                if second.shape != [1; 3] {
                    grown(&mut second.shape);
                }
            }
            same = find(&op);
            sliced += 1;
        }
        let Some(config) = same else {
            missing.push(format!("{name} at {}: {:?}", found.position, found.op));
            return;
        };
        assert!(block::fits(&op, &config, accelerator), "{name} at {}", found.position);
        let second = op.ifm2.is_some() && config.shram[2] != vela.shram[2];
        if config.shram[..2] != vela.shram[..2] || second || config.acc != vela.acc {
            missing.push(format!("{name} at {}: {config:?} {:?}", found.position, found.op));
        }
    });
    assert!(missing.is_empty(), "{} of {count}:\n{}", missing.len(), missing.join("\n"));
    assert!(count > 1800 && sliced < 50, "{count}, {sliced}");
}

/// The estimate for Vela's configurations is the simulator's.
#[test]
fn the_estimate_is_the_simulators() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for accelerator in TARGETS {
        let (config, mode) = system::defaults(accelerator);
        let memories = block::System { config: &config, mode: &mode };
        for (name, network) in networks(accelerator) {
            let mut npu = Npu::new(accelerator);
            npu.set_system(Some(tombolo_sim::System::default_of(accelerator)));
            let (mut bus, _) = prepare(&mut npu, &network);
            start(&mut npu, &mut bus);
            let timeline = npu.timeline().unwrap();
            for found in operations(accelerator, &network.stream) {
                let timing = timeline.commands.iter().find(|c| c.position == found.position).unwrap();
                if found.foreign || timing.chained {
                    continue;
                }
                let mut ours = Vec::new();
                for (first, last) in [(true, true), (false, true), (true, false), (false, false)] {
                    let neighbours = Neighbours { first, last };
                    let estimate =
                        block::estimate(&found.op, &found.op.block, accelerator, &memories, neighbours);
                    ours.push(estimate.unwrap());
                }
                count += 1;
                if !ours.iter().any(|c| c.total == timing.cycles() && c.ports == timing.port_cycles) {
                    wrong.push(format!(
                        "{name} at {}: {ours:?}\n  {timing:?}\n  {:?}",
                        found.position, found.op
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 500, "{count}");
}

/// Not by more than the search lets cycles go for bytes, over all of a target; and close to the best of all that fit.
#[test]
fn the_best_is_no_worse_than_velas() {
    let mut sums = BTreeMap::new();
    every_operation(|accelerator, name, found| {
        let (config, mode) = system::defaults(accelerator);
        let memories = block::System { config: &config, mode: &mode };
        let cycles =
            |config| block::estimate(&found.op, config, accelerator, &memories, Neighbours::NONE).unwrap();
        let best = block::best(&found.op, accelerator, &memories).unwrap();
        assert!(block::fits(&found.op, &best, accelerator), "{name} at {}: {best:?}", found.position);
        let ours = cycles(&best);
        let theirs = cycles(&found.op.block).total;
        let all = block::candidates(&found.op, accelerator);
        let least = all.iter().map(|config| cycles(config).total).min().unwrap();
        assert!(
            ours.total <= theirs + theirs / 128 && ours.total <= least + least / 50 + 8,
            "{name} at {}: {ours:?} with {best:?}, {theirs} are Vela's, {least} the least: {:?}",
            found.position,
            found.op
        );
        let sum = sums.entry(accelerator.short_name()).or_insert([0; 3]);
        *sum = [sum[0] + ours.total, sum[1] + theirs, sum[2] + least];
    });
    eprintln!("{sums:?}");
    for (name, [ours, theirs, least]) in sums {
        assert!(ours < theirs && ours <= least + least / 150, "{name}: {ours}, Vela {theirs}, least {least}");
    }
}
