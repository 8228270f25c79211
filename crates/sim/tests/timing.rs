//! The timeline of a run: known networks, and what must hold of every one.

mod common;

use common::{Network, corpus, prepare, start, stream::Stream};
use tombolo_ethosu::cmd::Opcode as O;
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::regs::Register as R;
use tombolo_ethosu::{Accelerator, Generation, system};
use tombolo_sim::{Npu, System, Timeline};

/// The timeline of a network of the corpus, with the default system unless another is given.
fn timeline(accelerator: Accelerator, model: &str, system: Option<System>) -> Timeline {
    let file = format!("{model}/{}.0.vela.npz", accelerator.short_name());
    let network = Network::load(&corpus().join(file));
    let mut npu = Npu::new(accelerator);
    npu.set_system(Some(system.unwrap_or(System::default_of(accelerator))));
    let (mut bus, _) = prepare(&mut npu, &network);
    start(&mut npu, &mut bus);
    assert_eq!(npu.fault(), None);
    npu.timeline().expect("a timeline").clone()
}

/// Golden numbers. U55 and U85 are Vela's own to the cycle; on U65 Vela has 137 more for the third layer,
/// whose weights it lets wait in part (docs/timing.md).
#[test]
fn digits_takes_as_long_as_ever() {
    for (accelerator, cycles) in
        [(Accelerator::U55_128, 16376), (Accelerator::U65_256, 7259), (Accelerator::U85_256, 5704)]
    {
        let timeline = timeline(accelerator, "digits", None);
        assert_eq!(timeline.cycles, cycles, "{accelerator}");
        assert_eq!(timeline.sum(|c| c.macs), 201_536, "{accelerator}");
    }
}

fn check(name: &str, timeline: &Timeline) {
    assert!(timeline.complete(), "{name}");
    let mut ends = [0, 0];
    for command in &timeline.commands {
        let track = &mut ends[usize::from(command.is_copy())];
        assert!(command.start >= *track, "{name}: {command:?} overlaps what came before");
        assert!(command.end >= command.start, "{name}: {command:?}");
        *track = command.end;
        let cycles = command.cycles();
        if !command.chained {
            assert!(command.mac <= cycles && command.output <= cycles, "{name}: {command:?}");
            // A copy from one memory to the other keeps both busy at once.
            assert!(command.port_cycles.iter().all(|&busy| busy <= cycles), "{name}: {command:?}");
        } else {
            assert_eq!(cycles, 0, "{name}: {command:?}");
        }
        for (data, bus) in command.data.iter().zip(&command.ports) {
            assert!(data.read <= bus.read && data.written <= bus.written, "{name}: {command:?}");
        }
    }
    let busy: u64 = timeline.sum(|c| if c.is_copy() { 0 } else { c.cycles() });
    assert!(busy <= timeline.cycles, "{name}");
    assert_eq!(timeline.cycles, ends.into_iter().max().unwrap(), "{name}: the end is that of the last track");
}

#[test]
fn tracks_are_in_order_in_every_network() {
    let mut seen = 0;
    for accelerator in
        [Accelerator::U55_128, Accelerator::U65_256, Accelerator::U65_512, Accelerator::U85_256]
    {
        for folder in std::fs::read_dir(corpus()).unwrap() {
            let model = folder.unwrap().file_name().into_string().unwrap();
            if !corpus().join(format!("{model}/{}.0.vela.npz", accelerator.short_name())).exists() {
                continue;
            }
            check(&format!("{model} on {accelerator}"), &timeline(accelerator, &model, None));
            seen += 1;
        }
    }
    assert!(seen >= 90, "only {seen}");
}

/// Operations of a U85 that hand blocks on to each other take the time of one.
#[test]
fn a_chain_is_one_pass() {
    let timeline = timeline(Accelerator::U85_256, "softmax", None);
    let chained: Vec<_> = timeline.commands.iter().filter(|c| c.chained).collect();
    assert_eq!(chained.len(), 1);
    assert_eq!(chained[0].cycles(), 0);
    assert_eq!(timeline.cycles, 243);
}

/// Slower memory takes longer, and what bounds it is said.
#[test]
fn memory_matters() {
    let accelerator = Accelerator::U65_256;
    let with = |config: &str, mode: &str| {
        let system = System {
            config: system::system_config(config).unwrap(),
            mode: system::memory_mode(mode).unwrap(),
        };
        timeline(accelerator, "digits", Some(system)).cycles
    };
    let client = with("Ethos_U65_Client_Server", "Dedicated_Sram");
    let high = with("Ethos_U65_High_End", "Dedicated_Sram");
    let embedded = with("Ethos_U65_Embedded", "Shared_Sram");
    assert!(client < high && high < embedded, "{client} {high} {embedded}");
}

fn at(npu: &Npu, register: R, index: u32) -> u32 {
    register.offset_of(npu.accelerator().generation(), index).unwrap()
}

/// Runs digits with the PMU set up by `setup`.
fn counted(accelerator: Accelerator, stream: Option<&Stream>, setup: impl Fn(&mut Npu)) -> Npu {
    let mut network =
        Network::load(&corpus().join(format!("digits/{}.0.vela.npz", accelerator.short_name())));
    if let Some(stream) = stream {
        network.stream = stream.bytes.clone();
        network.regions[1] = vec![0; 1024];
    }
    let mut npu = Npu::new(accelerator);
    let (mut bus, _) = prepare(&mut npu, &network);
    setup(&mut npu);
    start(&mut npu, &mut bus);
    assert_eq!(npu.fault(), None);
    npu
}

fn enable(npu: &mut Npu, pmcr: u32, mask: u32, events: &[Event]) {
    for (index, event) in (0..).zip(events) {
        npu.write(at(npu, R::Pmevtyper, index), event.id());
    }
    npu.write(at(npu, R::Pmcntenset, 0), mask);
    npu.write(at(npu, R::Pmcr, 0), pmcr);
}

fn cycles(npu: &mut Npu) -> u64 {
    let (low, high) = (at(npu, R::Pmccntr, 0), at(npu, R::PmccntrHi, 0));
    u64::from(npu.read(low)) | u64::from(npu.read(high)) << 32
}

#[test]
fn counters_count_without_a_system_being_named() {
    let accelerator = Accelerator::U65_256;
    let events = [Event::MacActive, Event::NpuActive, Event::Axi1RdDataBeatReceived, Event::MacStalledByWd];
    let mut npu = counted(accelerator, None, |npu| enable(npu, 1, 1 << 31 | 0xf, &events));
    assert_eq!(cycles(&mut npu), 7259);
    let timeline = npu.timeline().unwrap().clone();
    let read = |npu: &mut Npu, index| {
        let offset = at(npu, R::Pmevcntr, index);
        npu.read(offset)
    };
    assert_eq!(u64::from(read(&mut npu, 0)), timeline.sum(|c| c.mac));
    assert_eq!(read(&mut npu, 1), 7259);
    let beats: u64 = timeline.sum(|c| c.data[1].read.div_ceil(16));
    assert!(beats > 0);
    assert_eq!(u64::from(read(&mut npu, 2)), beats);
    assert!(!npu.pmu_modelled(events[3]) && npu.pmu_modelled(events[0]));
    assert_eq!(timeline.count(Generation::U65, events[3]), None);
    // An event of another generation.
    assert!(!npu.pmu_modelled(Event::SramRdDataBeatReceived));
}

#[test]
fn counters_that_are_off_do_not_count() {
    // PMCR.cnt_en off; then no counter enabled.
    for (pmcr, mask) in [(0, 1 << 31 | 1), (1, 0)] {
        let mut npu = counted(Accelerator::U65_256, None, |npu| enable(npu, pmcr, mask, &[Event::MacActive]));
        let counter = at(&npu, R::Pmevcntr, 0);
        assert_eq!((cycles(&mut npu), npu.read(counter)), (0, 0));
        assert!(npu.timeline().is_none(), "nobody asked for an estimate");
    }
}

#[test]
fn events_start_and_stop_the_cycle_counter() {
    let run = |start: u32, stop: u32| {
        let mut npu = counted(Accelerator::U65_256, None, |npu| {
            npu.write(at(npu, R::PmccntrCfg, 0), start | stop << 16);
            enable(npu, 1, 1 << 31, &[]);
        });
        cycles(&mut npu)
    };
    // The usual setting.
    assert_eq!(run(Event::NpuActive.id(), Event::NpuIdle.id()), 7259);
    // Copies on AXI1 start at once; nothing is written there until the last layer.
    let until_write = run(Event::NpuActive.id(), Event::Axi1WrDataBeatWritten.id());
    assert_eq!(until_write, 6871);
    // An event that is not modelled starts nothing.
    assert_eq!(run(Event::MacStalledByWd.id(), Event::NpuIdle.id()), 0);
}

#[test]
fn overflow_is_told_and_interrupts() {
    let mut npu = counted(Accelerator::U65_256, None, |npu| {
        npu.write(at(npu, R::Pmevcntr, 0), 0xffff_ffff);
        npu.write(at(npu, R::Pmccntr, 0), 0xffff_ff00);
        npu.write(at(npu, R::PmccntrHi, 0), 0xffff);
        npu.write(at(npu, R::Pmintset, 0), 1);
        enable(npu, 1, 1 << 31 | 1, &[Event::NpuActive]);
    });
    let overflow = at(&npu, R::Pmovsset, 0);
    assert_eq!(npu.read(overflow), 1 << 31 | 1);
    assert_eq!(cycles(&mut npu), 7259 - 0x100);
    let counter = at(&npu, R::Pmevcntr, 0);
    assert_eq!(npu.read(counter), 7258);
    let (status, cmd) = (at(&npu, R::Status, 0), at(&npu, R::Cmd, 0));
    assert_eq!(npu.read(status) >> 6 & 1, 1);
    // Clears both interrupts.
    npu.write(cmd, 0b1110);
    assert!(!npu.irq());
    assert_eq!(npu.read(status) >> 6 & 1, 0);
}

/// PMU_MASK in front of and behind a copy, and another copy outside.
#[test]
fn streams_turn_counting_on_and_off() {
    let mut stream = Stream::new();
    stream.one(O::Dma0SrcRegion, 1).one(O::Dma0DstRegion, 1);
    stream.address(O::Dma0Src, 0).address(O::Dma0Dst, 0x100).address(O::Dma0Len, 64);
    stream.one(O::DmaStart, 0).one(O::DmaWait, 0);
    stream.one(O::PmuMask, 1).one(O::DmaStart, 0).one(O::DmaWait, 0).one(O::PmuMask, 0);
    stream.one(O::DmaStart, 0).one(O::DmaWait, 0).stop();
    let run = |pmcr| {
        let event = Event::Axi1RdDataBeatReceived;
        let mut npu =
            counted(Accelerator::U65_256, Some(&stream), |npu| enable(npu, pmcr, 1 << 31 | 1, &[event]));
        let counter = at(&npu, R::Pmevcntr, 0);
        (cycles(&mut npu), npu.read(counter))
    };
    let (all, beats) = run(1);
    assert_eq!(beats, 12);
    assert_eq!(run(1 | 1 << 3), (all / 3, 4));
}
