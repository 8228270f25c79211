//! The NPU as a driver sees it: identification, status, reset, faults.

mod common;

use common::stream::{Map, Stream};
use common::{Network, STREAM_BASE, prepare, region_base, run_stream, start};
use tombolo_ethosu::cmd::Opcode as O;
use tombolo_ethosu::regs::{Register as R, fields};
use tombolo_ethosu::{Accelerator, Generation};
use tombolo_sim::{Blocks, Cause, Channel, Npu};

fn at(npu: &Npu, register: R) -> u32 {
    register.offset(npu.accelerator().generation()).unwrap()
}

fn status(npu: &mut Npu) -> u32 {
    let offset = at(npu, R::Status);
    npu.read(offset)
}

fn cmd(npu: &mut Npu, bits: u32) {
    let offset = at(npu, R::Cmd);
    npu.write(offset, bits);
}

/// A network that copies 16 bytes within region 1.
fn copy(stream: &mut Stream) -> Network {
    stream
        .one(O::Dma0SrcRegion, 1)
        .one(O::Dma0DstRegion, 1)
        .address(O::Dma0Src, 0)
        .address(O::Dma0Dst, 16)
        .address(O::Dma0Len, 16)
        .one(O::DmaStart, 0);
    let mut regions: [Vec<u8>; 8] = Default::default();
    regions[1] = (0..32).collect();
    Network { stream: stream.bytes.clone(), regions, alias: None, inputs: vec![], outputs: vec![] }
}

fn stopping_copy() -> Network {
    let mut stream = Stream::new();
    let mut network = copy(&mut stream);
    network.stream = stream.one(O::Stop, 0x0005).bytes.clone();
    network
}

#[test]
fn says_what_it_is() {
    for accelerator in Accelerator::ALL {
        let mut npu = Npu::new(accelerator);
        let (id, config) = (at(&npu, R::Id), at(&npu, R::Config));
        assert_eq!(npu.read(id), accelerator.id_word());
        assert_eq!(Accelerator::from_config_word(npu.read(config)), Some(accelerator));
        assert_eq!(status(&mut npu), 0);
        assert!(!npu.irq());
        let pmcr = at(&npu, R::Pmcr);
        let counters = if accelerator.generation() == Generation::U85 { 8 } else { 4 };
        assert_eq!(fields::pmcr::NUM_EVENT_CNT.of(npu.read(pmcr)), counters, "{accelerator}");
    }
}

#[test]
fn a_run_from_start_to_acknowledge() {
    for accelerator in Accelerator::ALL {
        let mut npu = Npu::new(accelerator);
        let network = stopping_copy();
        let (mut bus, blocks) = prepare(&mut npu, &network);
        assert_eq!(status(&mut npu), 0);
        cmd(&mut npu, 0xd);
        assert_eq!(status(&mut npu), 1, "running");
        npu.run(&mut bus);
        assert!(npu.irq());
        assert_eq!(status(&mut npu), 0x0005_0022);
        let qread = at(&npu, R::Qread);
        assert_eq!(npu.read(qread) as usize, network.stream.len());
        assert_eq!(bus.bytes(blocks[1])[16..], (0..16).collect::<Vec<u8>>());
        // The interrupt is acknowledged, then its history.
        cmd(&mut npu, 0xe);
        assert!(!npu.irq());
        assert_eq!(status(&mut npu), 0x0005_0020);
        cmd(&mut npu, 0x0004_000c);
        assert_eq!(status(&mut npu), 0x0001_0020);
        // A stream that was run to its end does nothing more until a new one is named.
        cmd(&mut npu, 0xd);
        npu.run(&mut bus);
        assert!(!npu.irq());
        let qsize = at(&npu, R::Qsize);
        npu.write(qsize, network.stream.len() as u32);
        assert_eq!(status(&mut npu), 0x0001_0000);
        cmd(&mut npu, 0xd);
        npu.run(&mut bus);
        assert!(npu.irq());
    }
}

#[test]
fn a_stop_request_keeps_it_from_running() {
    let mut npu = Npu::new(Accelerator::U65_256);
    let (mut bus, blocks) = prepare(&mut npu, &stopping_copy());
    cmd(&mut npu, 0x1d);
    npu.run(&mut bus);
    assert_eq!(status(&mut npu), 0);
    assert_eq!(bus.bytes(blocks[1])[16], 16, "nothing was copied");
    cmd(&mut npu, 0xd);
    npu.run(&mut bus);
    assert_eq!(bus.bytes(blocks[1])[16], 0);
}

#[test]
fn irq_goes_on() {
    let mut npu = Npu::new(Accelerator::U55_128);
    let mut stream = Stream::new();
    stream.one(O::Irq, 0x0100);
    let mut network = copy(&mut stream);
    network.stream = stream.one(O::Stop, 0x8000).bytes.clone();
    let (mut bus, blocks) = prepare(&mut npu, &network);
    start(&mut npu, &mut bus);
    assert_eq!(status(&mut npu), 0x8100_0022);
    assert_eq!(bus.bytes(blocks[1])[16], 0);
}

#[test]
fn faults_stay_until_reset() {
    let mut npu = Npu::new(Accelerator::U65_256);
    let mut network = stopping_copy();
    network.regions[1].truncate(31);
    let (mut bus, _) = prepare(&mut npu, &network);
    // Region 1 is behind AXI1.
    let regioncfg = at(&npu, R::Regioncfg);
    npu.write(regioncfg, 2 << 2);
    start(&mut npu, &mut bus);
    assert!(npu.irq());
    // Interrupt, bus abort on AXI1 by the copy's writes, end not reached.
    assert_eq!(status(&mut npu), 9 << 12 | 1 << 11 | 1 << 2 | 1 << 1);
    let fault = npu.fault().unwrap().clone();
    assert_eq!(fault.position, network.stream.len() as u32 - 8);
    assert_eq!(fault.command.unwrap().opcode, O::DmaStart);
    match fault.cause {
        Cause::Bus { channel, interface, region, fault } => {
            assert_eq!((channel, interface, region), (Channel::DmaWrite, 1, Some(1)));
            assert_eq!((fault.address, fault.length), (region_base(1) + 16, 16));
        }
        other => panic!("{other}"),
    }
    let qread = at(&npu, R::Qread);
    assert_eq!(npu.read(qread), fault.position);
    // Neither an acknowledge nor another start helps.
    cmd(&mut npu, 0xe);
    cmd(&mut npu, 0xd);
    npu.run(&mut bus);
    assert_eq!(status(&mut npu), 9 << 12 | 1 << 11 | 1 << 2);
    let reset = at(&npu, R::Reset);
    npu.write(reset, 3);
    assert_eq!(status(&mut npu), 0);
    assert!(npu.fault().is_none());
    let prot = at(&npu, R::Prot);
    assert_eq!(npu.read(prot), 3);
}

#[test]
fn no_stream_where_qbase_points() {
    let mut npu = Npu::new(Accelerator::U65_256);
    let (mut bus, _) = prepare(&mut npu, &stopping_copy());
    let qbase = at(&npu, R::Qbase);
    npu.write(qbase, STREAM_BASE as u32 + 16);
    start(&mut npu, &mut bus);
    assert_eq!(status(&mut npu), 1 << 2 | 1 << 1, "bus abort, command channel");
    let text = npu.fault().unwrap().to_string();
    assert!(text.contains("QBASE or QSIZE is wrong"), "{text}");
}

/// The fault of a stream, in words.
#[track_caller]
fn fault_of(accelerator: Accelerator, stream: &Stream) -> String {
    let mut regions: [Vec<u8>; 8] = Default::default();
    regions[1] = vec![0; 0x1000];
    run_stream(accelerator, stream, regions).unwrap_err()
}

#[test]
fn streams_that_are_none() {
    const NPU: Accelerator = Accelerator::U65_256;
    let mut s = Stream::new();
    s.bytes = vec![0x0f, 0, 0, 0];
    let text = fault_of(NPU, &s);
    assert!(text.contains("byte 0x0") && text.contains("does not know"), "{text}");
    // RESIZE is a command of U85 only.
    let mut s = Stream::new();
    s.one(O::IfmPadTop, 1).one(O::Resize, 0);
    let text = fault_of(NPU, &s);
    assert!(text.contains("byte 0x4") && text.contains("Ethos-U65"), "{text}");
    // PARALLEL_MODE is not known to U55.
    let mut s = Stream::new();
    s.one(O::ParallelMode, 0);
    assert!(fault_of(Accelerator::U55_256, &s).contains("does not know"));
    let mut s = Stream::new();
    s.one(O::IfmPadTop, 1);
    assert!(fault_of(NPU, &s).contains("ends without STOP"));
    s.bytes.extend([0, 1]);
    assert!(fault_of(NPU, &s).contains("cut off"));
    assert!(fault_of(NPU, &Stream::new()).contains("ends without STOP"));
}

/// A pooling that would run, for spoiling.
fn pool() -> Stream {
    let mut s = Stream::new();
    s.ifm(&Map::new(1, 0, [4, 4, 8])).ofm(&Map::new(1, 0x400, [4, 4, 8])).kernel(1, 1);
    s
}

#[track_caller]
fn spoiled(change: impl FnOnce(&mut Stream) -> &mut Stream, words: &str) {
    let mut s = pool();
    change(&mut s);
    s.one(O::Pool, 1).stop();
    let text = fault_of(Accelerator::U65_256, &s);
    assert!(text.contains("NPU_OP_POOL") && text.contains(words), "{text}");
}

#[test]
fn operations_that_cannot_be() {
    let mut regions: [Vec<u8>; 8] = Default::default();
    regions[1] = vec![0; 0x1000];
    let mut s = pool();
    s.one(O::Pool, 1).stop();
    run_stream(Accelerator::U65_256, &s, regions).unwrap();

    spoiled(|s| s.address(O::IfmBase0, 0xff0), "reading an input feature map");
    spoiled(|s| s.address(O::IfmBase0, 0xff_ffff_fff0), "bus error");
    spoiled(|s| s.one(O::OfmRegion, 3), "region 3 is not mapped");
    spoiled(
        |s| s.one(O::OfmPrecision, 0x8141).address(O::OfmStrideC, 128).address(O::OfmBase0, 0x408),
        "aligned to 16",
    );
    spoiled(|s| s.one(O::IfmPrecision, 5).address(O::IfmBase0, 1), "aligned to 2");
    spoiled(|s| s.one(O::IfmPrecision, 1 | 3 << 2), "64-bit");
    spoiled(|s| s.one(O::IfmPrecision, 1 | 2 << 6), "does not define");
    spoiled(|s| s.one(O::IfmUpscale, 3), "IFM_UPSCALE.mode is 3");
    spoiled(|s| s.one(O::IfmPadTop, 100), "leaves no input");
    spoiled(|s| s.one(O::IfmZeroPoint, 200), "no value of the element type");
    spoiled(|s| s.one(O::OfmDepthM1, 6), "has 7 out");
    spoiled(|s| s.one(O::Activation, 3), "not modelled: the built-in curves");
    spoiled(|s| s.one(O::Activation, 5), "ACTIVATION.activation_function is 5");
    spoiled(|s| s.one(O::AccFormat, 2), "half precision");
    spoiled(|s| s.one(O::KernelStride, 1 << 5), "decomposition");
    spoiled(|s| s.one(O::OfmPrecision, 0x8001), "never sets");
    // 2^48 elements: refused for what they are, not after an attempt to hold them.
    spoiled(
        |s| {
            s.one(O::OfmHeightM1, 0xffff)
                .one(O::OfmWidthM1, 0xffff)
                .one(O::OfmDepthM1, 0xffff)
                .one(O::IfmDepthM1, 0xffff)
        },
        "more than",
    );

    let mut s = Stream::new();
    s.one(O::Conv, 0);
    let text = fault_of(Accelerator::U65_256, &s);
    assert!(text.contains("which the stream never sets"), "{text}");
    let mut s = pool();
    s.one(O::Pool, 3);
    let text = fault_of(Accelerator::U65_256, &s);
    assert!(text.contains("pooling_mode 3 is not defined"), "{text}");
    let mut s = pool();
    s.one(O::Elementwise, 10);
    assert!(fault_of(Accelerator::U65_256, &s).contains("not defined"));
    let mut s = pool();
    s.one(O::ParallelMode, 1).one(O::OfmPrecision, 0x8001);
    s.one(O::Pool, 1);
    assert!(fault_of(Accelerator::U65_256, &s).contains("asks for two cores"));
}

#[test]
fn registers_are_forgotten_between_streams() {
    let mut npu = Npu::new(Accelerator::U65_256);
    let (mut bus, _) = prepare(&mut npu, &stopping_copy());
    start(&mut npu, &mut bus);
    assert!(npu.fault().is_none());
    // What a stream set can be read back through the mirrors.
    let mirror = O::Dma0Len.mirror_offset().unwrap();
    assert_eq!(npu.read(mirror), 16);
    let mut stream = Stream::new();
    stream.one(O::DmaStart, 0);
    let mut bus = Blocks::new();
    bus.map(STREAM_BASE, stream.bytes, false);
    let qsize = at(&npu, R::Qsize);
    npu.write(qsize, 4);
    start(&mut npu, &mut bus);
    assert!(npu.fault().unwrap().to_string().contains("never sets"));
}

#[test]
fn work_is_bounded() {
    let mut npu = Npu::new(Accelerator::U65_256);
    npu.set_work_limit(10);
    let (mut bus, _) = prepare(&mut npu, &stopping_copy());
    start(&mut npu, &mut bus);
    assert_eq!(npu.fault().unwrap().cause, Cause::WorkLimit);
}

#[test]
fn pmu_registers_keep_what_they_are_told() {
    let mut npu = Npu::new(Accelerator::U85_256);
    let g = Generation::U85;
    let counter = R::Pmevcntr.offset_of(g, 3).unwrap();
    npu.write(counter, 77);
    assert_eq!(npu.read(counter), 77);
    let (set, clear) = (at(&npu, R::Pmcntenset), at(&npu, R::Pmcntenclr));
    npu.write(set, 0xffff_ffff);
    assert_eq!(npu.read(set), 0x8000_00ff);
    npu.write(clear, 0x8000_0001);
    assert_eq!(npu.read(clear), 0xfe);
    let pmcr = at(&npu, R::Pmcr);
    npu.write(pmcr, 0b0111);
    assert_eq!(npu.read(pmcr) & 0xf, 1);
    assert_eq!(npu.read(counter), 0);
}

#[test]
fn statistics_tell_where_bytes_go() {
    let mut npu = Npu::new(Accelerator::U65_256);
    npu.set_record_stats(true);
    let (mut bus, _) = prepare(&mut npu, &stopping_copy());
    start(&mut npu, &mut bus);
    let [op] = npu.op_stats() else { panic!("{:?}", npu.op_stats()) };
    assert_eq!(op.command.opcode, O::DmaStart);
    assert_eq!((op.read[1], op.written[1], op.macs), (16, 16, 0));
}

/// U55 has 32 address bits, the others 40: what is above does not reach the bus.
#[test]
fn addresses_have_the_width_of_the_generation() {
    for (accelerator, high, works) in [
        (Accelerator::U55_128, 1, true),
        (Accelerator::U65_256, 1, false),
        (Accelerator::U65_256, 0x100, true),
        (Accelerator::U85_256, 0x80, false),
        (Accelerator::U85_256, 0x8000_0000, true),
    ] {
        let mut npu = Npu::new(accelerator);
        let (mut bus, _) = prepare(&mut npu, &stopping_copy());
        let basep1 = R::Basep.offset_of(accelerator.generation(), 1).unwrap();
        npu.write(basep1 + 4, high);
        start(&mut npu, &mut bus);
        assert_eq!(npu.fault().is_none(), works, "{accelerator}, {high:#x}");
    }
}
