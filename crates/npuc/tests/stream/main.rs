//! Vela's streams, taken apart into operations and written again: the registers of every operation are the same,
//! the results are the same, and the simulator's hazard checker finds nothing.

#[path = "../../../sim/tests/common/mod.rs"]
mod common;
mod compare;
mod lift;

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::{Array, Network, corpus, npz, prepare, start};
use tombolo_ethosu::cmd::{self, Command, Opcode as O};
use tombolo_ethosu::{Accelerator, Generation};
use tombolo_npuc::hw::Operation;
use tombolo_npuc::stream::{Emitted, emit};
use tombolo_sim::{Checks, Npu};

/// A stream of Vela's, with what goes in and comes out.
struct Case {
    name: String,
    accelerator: Accelerator,
    network: Network,
    golden: BTreeMap<String, Array>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let sorted = |folder: PathBuf| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    for accelerator in Accelerator::ALL {
        let target = accelerator.short_name();
        for folder in sorted(corpus()) {
            let golden = folder.join(format!("{target}.golden.npz"));
            if golden.exists() {
                let network = Network::load(&folder.join(format!("{target}.0.vela.npz")));
                let name = format!("{} on {target}", folder.file_name().unwrap().to_string_lossy());
                cases.push(Case { name, accelerator, network, golden: npz(&golden) });
            }
        }
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim/tests/data/cases");
        for file in sorted(PathBuf::from(folder).join(target)) {
            let arrays = npz(&file);
            let name = format!("{} on {target}", file.file_stem().unwrap().to_string_lossy());
            cases.push(Case { name, accelerator, network: Network::from_case(&arrays), golden: arrays });
        }
    }
    cases
}

/// What was seen.
#[derive(Debug, Default)]
struct Tally {
    streams: usize,
    whole: usize,
    operations: usize,
    /// BLOCKDEP less than, equal to, greater than Vela's.
    blockdep: [usize; 3],
    /// Ours, Vela's; how many of them set BLOCKDEP or do not count either; waits.
    words: [usize; 2],
    blockdeps: [usize; 2],
    waits: [usize; 2],
    long_scales: usize,
    left_out: BTreeMap<String, usize>,
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn waits(generation: Generation, stream: &[u8]) -> usize {
    let commands = cmd::decode(generation, stream).map(|command| command.unwrap().1.opcode);
    commands.filter(|opcode| matches!(opcode, O::DmaWait | O::KernelWait)).count()
}

fn check(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let Case { accelerator, network, golden, .. } = case;
    let generation = accelerator.generation();
    let (steps, mut other) = lift::steps(*accelerator, &network.stream);
    let mut ops: Vec<Operation> = Vec::new();
    let mut theirs = Vec::new();
    for step in &steps {
        match &step.lifted {
            Ok(op) => {
                ops.push(op.clone());
                theirs.push(step);
            }
            Err(why) => {
                *tally.left_out.entry(format!("{generation} {why}")).or_default() += 1;
                other = Some(why.clone());
            }
        }
    }
    let long_before = tally.long_scales;
    let Emitted { words, places } = emit(&ops, *accelerator)?;
    assert_eq!(words.last(), Some(&0xffff_0000));
    let stream = bytes(&words);
    let (ours, none) = lift::steps(*accelerator, &stream);
    assert_eq!((ours.len(), none), (ops.len(), None));
    for (i, ((our, their), op)) in ours.iter().zip(&theirs).zip(&ops).enumerate() {
        let place = places[i];
        assert_eq!(words[place], our.command.first_word(), "operation {i} is at {place}");
        if our.command != their.command {
            return Err(format!("operation {i}: {:?} instead of {:?}", our.command, their.command));
        }
        let mut different = compare::differences(generation, op, &our.registers, &their.registers);
        // Vela's reciprocals of U55 and U65 may have 32 bits, the factors of `hw` have 31. Results are compared.
        different.retain(|(opcode, _, theirs)| {
            let long = *opcode == O::OfmScale && theirs.is_some_and(|scale| scale.payload >> 31 == 1);
            tally.long_scales += usize::from(long);
            !long
        });
        if !different.is_empty() {
            return Err(format!("operation {i}, {op:?}: {different:x?}"));
        }
        if our.command.opcode != O::DmaStart {
            let depth = |step: &lift::Step| step.registers.get(&O::Blockdep).map_or(0, |c: &Command| c.param);
            tally.blockdep[match depth(our).cmp(&depth(their)) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 2,
            }] += 1;
        }
        tally.operations += 1;
    }
    tally.streams += 1;
    if other.is_some() {
        return Ok(());
    }
    tally.whole += 1;
    let count = [words.len(), network.stream.len() / 4];
    // Operations that may run ahead further than Vela's set BLOCKDEP more often; what had to be changed in taking
    // the stream apart may be set more often too.
    let long = tally.long_scales > long_before;
    let spared = |opcode: O| match opcode {
        O::Blockdep => true,
        O::OfmScale | O::IfmStrideC | O::Ifm2StrideC | O::OfmStrideC => long,
        _ => false,
    };
    let blockdeps = [&stream, &network.stream].map(|stream| {
        let commands = cmd::decode(generation, stream).map(|command| command.unwrap().1);
        let spared = commands.filter(|command| spared(command.opcode));
        spared.map(|command| command.encode().1).sum::<usize>()
    });
    if count[0] - blockdeps[0] > count[1] - blockdeps[1] {
        return Err(format!("{count:?} words, of which {blockdeps:?} do not count; the second are Vela's"));
    }
    let waited = [waits(generation, &stream), waits(generation, &network.stream)];
    if waited[0] > waited[1] {
        return Err(format!("{} waits, Vela has {}", waited[0], waited[1]));
    }
    for i in 0..2 {
        tally.words[i] += count[i];
        tally.blockdeps[i] += blockdeps[i];
        tally.waits[i] += waited[i];
    }
    let mut npu = Npu::new(*accelerator);
    npu.set_checks(Some(Checks { hazards: true, defined: None }));
    let ours = Network { stream, ..network.clone() };
    common::check(&mut npu, &ours, golden)?;
    if let Some(finding) = npu.findings().first() {
        return Err(format!("{} findings, first {finding}", npu.findings().len()));
    }
    // Not only the outputs, but all that is written on the way.
    let run = |network: &Network| {
        let mut npu = Npu::new(*accelerator);
        let (mut bus, blocks) = prepare(&mut npu, network);
        for (i, place) in network.inputs.iter().enumerate() {
            let bytes = &golden[&format!("in{i}")].bytes;
            bus.bytes_mut(blocks[place.region])[place.offset..][..bytes.len()].copy_from_slice(bytes);
        }
        start(&mut npu, &mut bus);
        blocks.map(|block| bus.bytes(block).to_vec())
    };
    if run(&ours) != run(network) {
        return Err("another memory".into());
    }
    Ok(())
}

#[test]
fn vela_s_streams_are_written_again() {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for case in cases() {
        if let Err(error) = check(&case, &mut tally) {
            failures.push(format!("{}: {error}", case.name));
        }
    }
    println!("{tally:#?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(tally.streams >= 300 && tally.whole >= 270 && tally.operations >= 3900, "{tally:#?}");
}
