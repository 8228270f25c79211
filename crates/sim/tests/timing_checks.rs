//! The checks beside a run: networks of the corpus are clean, streams with something taken out are not.

mod common;

use std::collections::BTreeMap;

use common::{Array, Network, corpus, npz, prepare, region_base, start};
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::{self, Command, Opcode as O};
use tombolo_sim::{Checks, Finding, Npu, Problem, System};

/// A network of the corpus with its golden data.
fn load(accelerator: Accelerator, model: &str) -> Option<(Network, BTreeMap<String, Array>)> {
    let file = |suffix| corpus().join(format!("{model}/{}.{suffix}", accelerator.short_name()));
    file("golden.npz").exists().then(|| (Network::load(&file("0.vela.npz")), npz(&file("golden.npz"))))
}

/// Addresses of the weights and of the inputs.
fn defined(network: &Network, golden: &BTreeMap<String, Array>) -> Vec<(u64, u64)> {
    let weights = (region_base(0), network.regions[0].len() as u64);
    let inputs = network.inputs.iter().enumerate().map(|(i, place)| {
        let length = golden[&format!("in{i}")].bytes.len() as u64;
        (region_base(place.region) + place.offset as u64, length)
    });
    std::iter::once(weights).chain(inputs).collect()
}

fn run(accelerator: Accelerator, network: &Network, checks: Checks) -> Npu {
    let mut npu = Npu::new(accelerator);
    npu.set_checks(Some(checks));
    let (mut bus, _) = prepare(&mut npu, network);
    start(&mut npu, &mut bus);
    assert_eq!(npu.fault(), None);
    npu
}

fn hazards(accelerator: Accelerator, network: &Network) -> Vec<Finding> {
    run(accelerator, network, Checks { hazards: true, defined: None }).findings().to_vec()
}

const ACCELERATORS: [Accelerator; 5] = [
    Accelerator::U55_128,
    Accelerator::U55_256,
    Accelerator::U65_256,
    Accelerator::U65_512,
    Accelerator::U85_256,
];

fn models() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(corpus())
        .unwrap()
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn networks_of_the_corpus_are_clean() {
    let mut seen = 0;
    let mut found = Vec::new();
    for accelerator in ACCELERATORS {
        for model in models() {
            let Some((network, golden)) = load(accelerator, &model) else { continue };
            let defined = defined(&network, &golden);
            let npu = run(accelerator, &network, Checks { hazards: true, defined: Some(defined) });
            found.extend(npu.findings().iter().map(|finding| format!("{model} on {accelerator}: {finding}")));
            for (i, place) in network.outputs.iter().enumerate() {
                let length = golden[&format!("out{i}")].bytes.len() as u64;
                let missing = npu.undefined(region_base(place.region) + place.offset as u64, length);
                if let Some(missing) = missing {
                    found.push(format!("{model} on {accelerator}: output {i} is not written: {missing:x?}"));
                }
            }
            seen += 1;
        }
    }
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
    assert!(seen >= 100, "only {seen}");
}

/// The commands of a stream with their positions.
fn commands(accelerator: Accelerator, stream: &[u8]) -> Vec<(u32, Command)> {
    cmd::decode(accelerator.generation(), stream)
        .map(|command| {
            let (position, command) = command.unwrap();
            (u32::try_from(position).unwrap(), command)
        })
        .collect()
}

fn encode(commands: impl Iterator<Item = Command>) -> Vec<u8> {
    commands
        .flat_map(|command| {
            let (words, count) = command.encode();
            words.into_iter().take(count)
        })
        .flat_map(u32::to_le_bytes)
        .collect()
}

/// Every wait that Vela writes is there for a reason: without it the stream is reported, and both commands are
/// named.
#[test]
fn a_wait_that_is_taken_out_is_missed() {
    let (mut removed, mut missed) = (0, 0);
    for accelerator in ACCELERATORS {
        for model in models() {
            let Some((network, _)) = load(accelerator, &model) else { continue };
            let all = commands(accelerator, &network.stream);
            for (n, (position, _)) in
                all.iter().enumerate().filter(|(_, (_, c))| matches!(c.opcode, O::DmaWait | O::KernelWait))
            {
                let mut without = network.clone();
                without.stream = encode(all.iter().enumerate().filter(|(i, _)| *i != n).map(|(_, c)| c.1));
                let found = hazards(accelerator, &without);
                removed += 1;
                missed += usize::from(!found.is_empty());
                for finding in &found {
                    let Problem::NoWait { earlier, command, .. } = finding.problem else {
                        panic!("{model} on {accelerator}: {finding}");
                    };
                    assert!(earlier < finding.position && finding.position >= *position, "{finding}");
                    let copies =
                        [command, finding.command].iter().filter(|c| c.opcode == O::DmaStart).count();
                    assert_eq!(copies, 1, "{finding}");
                }
            }
        }
    }
    assert_eq!(missed, removed);
    assert!(removed >= 100, "only {removed}");
}

/// BLOCKDEP as large as it goes, where operations read what the one before writes.
#[test]
fn a_block_dependency_that_is_too_large_is_found() {
    let (mut raised, mut found) = (0, 0);
    for accelerator in ACCELERATORS {
        for model in models() {
            let Some((mut network, _)) = load(accelerator, &model) else { continue };
            let all = commands(accelerator, &network.stream);
            let most = accelerator.max_blockdep() as u16;
            network.stream = encode(all.iter().map(|(_, command)| {
                let set = command.opcode == O::Blockdep;
                if set { Command::new(O::Blockdep, most) } else { *command }
            }));
            for finding in hazards(accelerator, &network) {
                let Problem::BlockDependency { blockdep, allowed, earlier, .. } = finding.problem else {
                    panic!("{model} on {accelerator}: {finding}");
                };
                assert_eq!(blockdep, u32::from(most));
                assert!(allowed < blockdep && earlier < finding.position);
                found += 1;
            }
            raised += 1;
        }
    }
    assert!(raised >= 100 && found >= 250, "{found} in {raised} streams");
}

/// Vela's own BLOCKDEP never allows more than the checker.
#[test]
fn block_dependencies_are_compared_with_velas() {
    let accelerator = Accelerator::U65_256;
    let (network, _) = load(accelerator, "digits").unwrap();
    let all = commands(accelerator, &network.stream);
    let changed = encode(all.iter().map(|(_, command)| match command.opcode {
        O::Blockdep => Command::new(O::Blockdep, 3),
        _ => *command,
    }));
    let found = hazards(accelerator, &Network { stream: changed, ..network.clone() });
    for finding in &found {
        let Problem::BlockDependency { allowed, .. } = finding.problem else { panic!("{finding}") };
        // The BLOCKDEP that was set for this operation.
        let set = all.iter().take_while(|(position, _)| *position < finding.position);
        let velas = set.filter(|(_, c)| c.opcode == O::Blockdep).last().unwrap().1.param;
        assert!(u32::from(velas) <= allowed, "{finding}, Vela has {velas}");
    }
    assert!(!found.is_empty());
}

/// Bytes that nobody wrote: an input that is not said to be defined.
#[test]
fn reads_of_undefined_bytes_are_found() {
    let accelerator = Accelerator::U65_256;
    let (network, golden) = load(accelerator, "digits").unwrap();
    let mut list = defined(&network, &golden);
    let (address, length) = list.pop().unwrap();
    let npu = run(accelerator, &network, Checks { hazards: false, defined: Some(list.clone()) });
    let [finding] = npu.findings() else { panic!("{:?}", npu.findings()) };
    assert_eq!((finding.problem, finding.command.opcode), (Problem::Undefined, O::Conv));
    assert_eq!(finding.addresses.0, address);
    // All but its last byte.
    list.push((address, length - 1));
    let npu = run(accelerator, &network, Checks { hazards: false, defined: Some(list) });
    let [finding] = npu.findings() else { panic!("{:?}", npu.findings()) };
    assert_eq!(finding.addresses, (address + length - 1, address + length));
    assert!(finding.to_string().contains("bytes that nobody has written"), "{finding}");
}

/// The cases of `data/make_cases.py` for all accelerators, and more where `TOMBOLO_SIM_CASES` says.
#[test]
fn cases_are_clean() {
    let sample = std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases"));
    let more = std::env::var_os("TOMBOLO_SIM_CASES").map(std::path::PathBuf::from);
    let (mut seen, mut found) = (0, Vec::new());
    for accelerator in Accelerator::ALL {
        let folders = std::iter::once(&sample).chain(&more).map(|f| f.join(accelerator.short_name()));
        for file in folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "npz") {
                continue;
            }
            let arrays = npz(&path);
            let network = Network::from_case(&arrays);
            let checks = Checks { hazards: true, defined: Some(defined(&network, &arrays)) };
            let mut npu = Npu::new(accelerator);
            npu.set_checks(Some(checks));
            let (mut bus, blocks) = prepare(&mut npu, &network);
            // A loop takes as long as its input says.
            for (i, place) in network.inputs.iter().enumerate() {
                let bytes = &arrays[&format!("in{i}")].bytes;
                bus.bytes_mut(blocks[place.region])[place.offset..][..bytes.len()].copy_from_slice(bytes);
            }
            start(&mut npu, &mut bus);
            // What the simulator refuses is for other tests to say; what it did until then is clean as well.
            found.extend(npu.findings().iter().map(|f| format!("{}: {f}", path.display())));
            seen += 1;
        }
    }
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
    assert!(seen >= 80, "only {seen}");
}

/// Damaged streams: estimate and checks take anything that the simulator takes.
#[test]
fn damaged_streams_do_no_harm() {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let mut ran = 0;
    for accelerator in ACCELERATORS {
        for model in ["digits", "softmax", "upsample", "layernorm", "bmm", "transpose"] {
            let Some((network, golden)) = load(accelerator, model) else { continue };
            let mut npu = Npu::new(accelerator);
            npu.set_system(Some(System::default_of(accelerator)));
            npu.set_checks(Some(Checks { hazards: true, defined: Some(defined(&network, &golden)) }));
            npu.set_work_limit(1 << 20);
            for _ in 0..60 {
                let mut damaged = network.clone();
                for _ in 0..1 + random(3) {
                    let at = random(damaged.stream.len());
                    damaged.stream[at] ^= 1 << random(8);
                }
                let (mut bus, _) = prepare(&mut npu, &damaged);
                start(&mut npu, &mut bus);
                let timeline = npu.timeline().unwrap();
                ran += usize::from(!timeline.commands.is_empty());
                npu.findings().iter().for_each(|finding| assert!(!finding.to_string().is_empty()));
            }
        }
    }
    assert!(ran > 1000, "{ran}");
}
