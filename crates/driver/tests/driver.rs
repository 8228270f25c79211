//! Register sequences and every way to fail, against scripted registers.

mod common;

use common::{Aligned, DONE, Fake};
use tombolo_driver::{
    Driver, DriverConfig, Job, MemoryMode, NpuError, PmuConfig, Region, RegisterIo, Timeout, poll,
};
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::regs::Register;
use tombolo_ethosu::{Accelerator, Generation};

/// Memory of a job: a stream of one STOP, and two regions.
struct Buffers {
    stream: Aligned,
    weights: Aligned,
    scratch: Aligned,
}

impl Buffers {
    fn new() -> Buffers {
        Buffers {
            stream: Aligned::new(&[0, 0, 0xff, 0xff]),
            weights: Aligned::zeroed(64),
            scratch: Aligned::zeroed(256),
        }
    }

    fn job(&mut self) -> Job<'_> {
        let mut job = Job::new(self.stream.bytes());
        job.regions[0] = Region::ReadOnly(self.weights.bytes());
        job.regions[1] = Region::ReadWrite(self.scratch.bytes_mut());
        job
    }
}

fn log(driver: &Driver<Fake>) -> Vec<(String, u32)> {
    driver.npu().log()
}

fn expect(rows: &[(&str, u32)]) -> Vec<(String, u32)> {
    rows.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

/// The writes of Arm's core driver, in its order: soft reset, limits, CMD without power requests,
/// queue, bases, attributes, start, acknowledge, power given back.
#[test]
fn writes_of_u65() {
    let mut buffers = Buffers::new();
    let mut npu = Fake::new(Accelerator::U65_256);
    npu.bus = 0x12_8000_0000;
    let mut driver = Driver::new(npu);
    let stats = driver.run(&mut buffers.job()).unwrap();
    assert_eq!((stats.history, stats.cycles), (0xffff, None));
    let limit = 0x1f3f_0000;
    assert_eq!(
        log(&driver),
        expect(&[
            ("RESET", 1),
            ("AXI_LIMIT0", limit),
            ("AXI_LIMIT1", limit),
            ("AXI_LIMIT2", limit),
            ("AXI_LIMIT3", limit),
            ("CMD", 0),
            ("QBASE", 0x8000_0000),
            ("QBASE_HI", 0x12),
            ("QSIZE", 4),
            ("QCONFIG", 2),
            ("BASEP0", 0x9000_0000),
            ("BASEP0_HI", 0x12),
            ("BASEP1", 0xa000_0000),
            ("BASEP1_HI", 0x12),
            ("REGIONCFG", 3 | (2 << 2)),
            ("CMD", 1),
            ("CMD", 2),
            ("CMD", 0xc),
        ])
    );
    assert_eq!(driver.npu().calls, ["before", "wait", "after"]);
}

#[test]
fn writes_of_u55() {
    let mut buffers = Buffers::new();
    let npu = Fake::new(Accelerator::U55_128);
    let mut driver = Driver::new(npu);
    driver.run(&mut buffers.job()).unwrap();
    let limit = 0x0f1f_0000;
    assert_eq!(
        log(&driver),
        expect(&[
            ("RESET", 1),
            ("AXI_LIMIT0", limit),
            ("AXI_LIMIT1", limit),
            ("AXI_LIMIT2", limit),
            ("AXI_LIMIT3", limit),
            ("CMD", 0),
            ("QBASE", 0x1000_0000),
            ("QSIZE", 4),
            ("QCONFIG", 2),
            ("BASEP0", 0x2000_0000),
            ("BASEP1", 0x3000_0000),
            ("REGIONCFG", 3),
            ("CMD", 1),
            ("CMD", 2),
            ("CMD", 0xc),
        ])
    );
}

#[test]
fn writes_of_u85_with_other_settings() {
    let mut buffers = Buffers::new();
    let mut npu = Fake::new(Accelerator::U85_256);
    npu.bus = 0x34_f000_0000;
    let mut config = DriverConfig::new(Generation::U85).memory_mode(MemoryMode::DedicatedSram);
    (config.secure, config.privileged, config.power_ramp) = (false, false, 5);
    let mut driver = Driver::with_config(npu, config);
    driver.run(&mut buffers.job()).unwrap();
    assert_eq!(
        log(&driver),
        expect(&[
            ("RESET", 2),
            ("MEM_ATTR0", 0),
            ("MEM_ATTR1", 0),
            ("MEM_ATTR2", 4),
            ("MEM_ATTR3", 4),
            ("AXI_SRAM", 0x0002_0f0b),
            ("AXI_EXT", 0x0002_1f3f),
            ("POWER_CTRL", 5),
            ("CMD", 0),
            ("QBASE", 0xf000_0000),
            ("QBASE_HI", 0x34),
            ("QSIZE", 4),
            ("QCONFIG", 3),
            ("BASEP0", 0),
            ("BASEP0_HI", 0x35),
            ("BASEP1", 0x1000_0000),
            ("BASEP1_HI", 0x35),
            ("REGIONCFG", 3 | (3 << 2)),
            ("CMD", 1),
            ("CMD", 2),
            ("CMD", 0xc),
        ])
    );
}

#[test]
fn memory_modes() {
    let regions = |mode| {
        let config = DriverConfig::new(Generation::U65).memory_mode(mode);
        (config.queue, config.regions)
    };
    assert_eq!(regions(MemoryMode::SramOnly), (1, [1, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(regions(MemoryMode::SharedSram), (2, [3, 2, 1, 1, 1, 1, 1, 1]));
    assert_eq!(regions(MemoryMode::DedicatedSram), (3, [3, 3, 0, 0, 0, 0, 0, 0]));
    assert_eq!(DriverConfig::new(Generation::U55).regions, [3, 0, 1, 1, 1, 1, 1, 1]);
    for accelerator in Accelerator::ALL {
        assert!(MemoryMode::from_name(accelerator.default_memory_mode()).is_some());
    }
    assert_eq!(MemoryMode::from_name("Dedicated_Sram_512KB"), Some(MemoryMode::DedicatedSram));
    for unknown in ["", "sram_only", "Dedicated_Sram_", "Dedicated_Sram_KB", "Dedicated_Sram_-1KB"] {
        assert_eq!(MemoryMode::from_name(unknown), None, "{unknown}");
    }
}

/// Runs on an NPU that ends with `status`.
fn outcome(accelerator: Accelerator, status: Option<u32>, position: u32) -> (NpuError, Driver<Fake>) {
    let mut buffers = Buffers::new();
    let mut npu = Fake::new(accelerator);
    (npu.outcome, npu.position) = (status, position);
    let mut driver = Driver::new(npu);
    let error = driver.run(&mut buffers.job()).unwrap_err();
    (error, driver)
}

#[test]
fn every_fault_has_its_error() {
    let end = 0x20;
    let old = Accelerator::U65_512;
    let new = Accelerator::U85_512;
    for (accelerator, status, expected) in [
        (old, end | 1 << 4, NpuError::Parse { position: 0x30 }),
        (old, end | 1 << 7, NpuError::Weights { position: 0x30 }),
        (old, end | 1 << 8, NpuError::Ecc { position: 0x30 }),
        (new, end | 1 << 4, NpuError::Parse { position: 0x30 }),
        (new, end | 1 << 9, NpuError::Branch { position: 0x30 }),
        (new, end | 1 << 8, NpuError::Ecc { position: 0x30 }),
        (old, 0x42, NpuError::NotFinished { position: 0x30, status: 0x40 }),
        (new, 0x02, NpuError::NotFinished { position: 0x30, status: 0 }),
    ] {
        let (error, driver) = outcome(accelerator, Some(status | 2), 0x30);
        assert_eq!(error, expected, "{accelerator} {status:#x}");
        // The NPU is reset afterwards, and power given back.
        let log = log(&driver);
        let resets = log.iter().filter(|(name, _)| name == "RESET").count();
        assert_eq!(resets, 2);
        assert_eq!(log.last(), Some(&("CMD".to_owned(), 0xc)));
        assert_eq!(driver.npu().calls, ["before", "wait", "after"]);
    }
}

/// Bits that a generation does not have are no faults there.
#[test]
fn bits_of_other_generations_are_ignored() {
    let run = |accelerator, status| {
        let mut buffers = Buffers::new();
        let mut npu = Fake::new(accelerator);
        npu.outcome = Some(status);
        Driver::new(npu).run(&mut buffers.job())
    };
    assert!(run(Accelerator::U85_128, DONE | 1 << 7).is_ok());
    assert!(run(Accelerator::U55_32, DONE | 1 << 9).is_ok());
}

#[test]
fn bus_faults_name_interface_channel_and_command() {
    let words = |accelerator, interface: u32, channel: u32| {
        let status = 0x6 | interface << 11 | channel << 12;
        outcome(accelerator, Some(status), 0x1c4).0.to_string()
    };
    let channels = [
        (0, "fetching commands"),
        (1, "reading the input"),
        (2, "fetching weights"),
        (3, "fetching scales and biases"),
        (4, "reading for a copy"),
        (8, "writing the output"),
        (9, "writing for a copy"),
    ];
    for (accelerator, interfaces) in [
        (Accelerator::U55_128, ["AXI0", "AXI1"]),
        (Accelerator::U65_256, ["AXI0", "AXI1"]),
        (Accelerator::U85_2048, ["an SRAM port", "an EXT port"]),
    ] {
        for (interface, name) in (0u32..).zip(interfaces) {
            for (channel, what) in channels {
                assert_eq!(
                    words(accelerator, interface, channel),
                    format!("bus error on {name} while {what}; command at byte 0x1c4 of the stream")
                );
            }
        }
    }
}

#[test]
fn a_run_that_never_ends() {
    let (error, driver) = outcome(Accelerator::U55_64, None, 0x88);
    assert_eq!(error, NpuError::Timeout { position: 0x88, status: 1 });
    assert_eq!(
        error.to_string(),
        "the NPU did not finish in time; it was at byte 0x88 of the stream (STATUS 0x1)"
    );
    // No acknowledge, but a reset: the NPU might still be writing.
    let writes = log(&driver);
    let names: Vec<&str> = writes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        &names[names.len() - 6..],
        ["RESET", "AXI_LIMIT0", "AXI_LIMIT1", "AXI_LIMIT2", "AXI_LIMIT3", "CMD"]
    );
    assert_eq!(driver.npu().calls.last(), Some(&"after"));
}

#[test]
fn reset_that_fails() {
    let mut npu = Fake::new(Accelerator::U65_256);
    npu.reset_reads = u32::MAX;
    let mut driver = Driver::new(npu);
    assert_eq!(driver.reset(), Err(NpuError::ResetTimeout { status: 8 }));
    let mut npu = Fake::new(Accelerator::U65_256);
    npu.prot = Some(2);
    let mut driver = Driver::new(npu);
    assert_eq!(driver.reset(), Err(NpuError::AccessState { found: 2, wanted: 1 }));
    let mut buffers = Buffers::new();
    assert_eq!(driver.run(&mut buffers.job()), Err(NpuError::AccessState { found: 2, wanted: 1 }));
}

#[test]
fn what_answers_is_no_ethos_u() {
    for config in [0x3000_0008, 0xffff_ffff] {
        let mut npu = Fake::new(Accelerator::U65_256);
        npu.registers.insert(0x28, config);
        let mut driver = Driver::new(npu);
        assert_eq!(driver.info(), Err(NpuError::UnknownProduct { config }));
        assert_eq!(driver.run(&mut Buffers::new().job()), Err(NpuError::UnknownProduct { config }));
        assert!(driver.npu().writes.is_empty(), "nothing unknown is written to");
    }
}

#[test]
fn streams_for_other_npus_are_refused() {
    let npu = Accelerator::U65_256;
    let mut driver = Driver::new(Fake::new(npu));
    let info = driver.check(npu.config_word(), npu.id_word()).unwrap();
    assert_eq!((info.generation, info.accelerator), (Generation::U65, Some(npu)));
    for other in Accelerator::ALL.into_iter().filter(|a| *a != npu) {
        let error = driver.check(other.config_word(), other.id_word()).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            format!(
                "this stream was compiled for {other}, this NPU is ethos-u65-256; recompile with --target ethos-u65-256"
            )
        );
    }
    let config = npu.config_word();
    // SHRAM is not compared (Arm's driver does not), the stream version is.
    assert!(driver.check(config ^ 0x100, npu.id_word()).is_ok());
    let build = |stream| Err(NpuError::WrongBuild { stream, npu: config });
    assert_eq!(driver.check(config | 0x10, npu.id_word()), build(config | 0x10));
    // An added DMA unit that the NPU lacks; the other way round is fine.
    let wants_dma = config | 1 << 27;
    assert_eq!(driver.check(wants_dma, npu.id_word()), build(wants_dma));
    driver.npu_mut().registers.insert(0x28, wants_dma);
    assert!(driver.check(config, npu.id_word()).is_ok());
    assert!(driver.check(wants_dma, npu.id_word()).is_ok());

    // Architecture: the same major, the NPU's minor at least the stream's.
    let id = npu.id_word();
    let wrong = |stream| Err(NpuError::WrongArchitecture { stream, npu: id });
    assert_eq!(driver.check(config, id + (1 << 20)), wrong(id + (1 << 20)));
    assert_eq!(driver.check(config, id + (1 << 28)), wrong(id + (1 << 28)));
    driver.npu_mut().registers.insert(0, id + (3 << 20));
    assert!(driver.check(config, id + (1 << 20)).is_ok());

    // U85: the number of ports counts too.
    let npu = Accelerator::U85_1024;
    let mut driver = Driver::new(Fake::new(npu));
    for bit in [8, 10] {
        let stream = npu.config_word() ^ (1 << bit);
        let expected = Err(NpuError::WrongBuild { stream, npu: npu.config_word() });
        assert_eq!(driver.check(stream, npu.id_word()), expected);
    }
}

#[test]
fn settings_of_another_generation() {
    let config = DriverConfig::new(Generation::U85);
    let mut driver = Driver::with_config(Fake::new(Accelerator::U65_256), config);
    assert_eq!(driver.reset(), Err(NpuError::WrongSettings { npu: Generation::U65 }));
    let config = DriverConfig::new(Generation::U55);
    let mut driver = Driver::with_config(Fake::new(Accelerator::U85_256), config);
    let error = driver.run(&mut Buffers::new().job());
    assert_eq!(error, Err(NpuError::WrongSettings { npu: Generation::U85 }));
}

/// Nothing is written before the job is known to be sound.
#[test]
fn unsound_jobs() {
    let memory = Aligned::zeroed(64);
    let mut scratch = Aligned::zeroed(64);
    let mut driver = Driver::new(Fake::new(Accelerator::U65_256));
    for length in [0, 1, 7, 62] {
        let mut job = Job::new(&memory.bytes()[..length]);
        assert_eq!(driver.run(&mut job), Err(NpuError::StreamLength { bytes: length }));
    }
    // The fake bus starts a region at a multiple of 16 if the memory does.
    let shifted = &memory.bytes()[4..];
    let expected = Err(NpuError::Misaligned { region: None, address: 0x1000_0004 });
    assert_eq!(driver.run(&mut Job::new(shifted)), expected);
    for region in 0..8 {
        let mut job = Job::new(memory.bytes());
        let address = 0x2000_0008 + (u64::from(region) << 28);
        job.regions[usize::from(region)] = Region::ReadWrite(&mut scratch.bytes_mut()[8..]);
        assert_eq!(driver.run(&mut job), Err(NpuError::Misaligned { region: Some(region), address }));
    }
    assert!(driver.npu().writes.is_empty());
    assert_eq!(
        NpuError::Misaligned { region: Some(2), address: 0x2008 }.to_string(),
        "region 2 (fast scratch) starts at address 0x2008, which is not a multiple of 16"
    );

    for (accelerator, bits) in
        [(Accelerator::U55_256, 32), (Accelerator::U65_256, 40), (Accelerator::U85_256, 40)]
    {
        let mut npu = Fake::new(accelerator);
        // The first byte is in reach, the last is not.
        npu.bus = (1 << bits) - 32;
        let mut driver = Driver::new(npu);
        let expected = Err(NpuError::Unreachable { region: None, address: (1 << bits) + 32, bits });
        assert_eq!(driver.run(&mut Job::new(memory.bytes())), expected, "{accelerator}");
        driver.npu_mut().bus -= 32;
        assert!(driver.run(&mut Job::new(memory.bytes())).is_ok(), "{accelerator}");
    }
}

/// Regions between used ones are absent and get base 0; behind the last nothing is written.
#[test]
fn gaps_between_regions() {
    let stream = Aligned::zeroed(16);
    let mut output = Aligned::zeroed(16);
    let mut driver = Driver::new(Fake::new(Accelerator::U65_256));
    let mut job = Job::new(stream.bytes());
    job.regions[0] = Region::ReadOnly(&[]);
    job.regions[4] = Region::ReadWrite(output.bytes_mut());
    driver.run(&mut job).unwrap();
    let log = log(&driver);
    let bases: Vec<u32> = log
        .iter()
        .filter(|(name, _)| name.starts_with("BASEP") && !name.ends_with("HI"))
        .map(|(_, value)| *value)
        .collect();
    assert_eq!(bases, [0, 0, 0, 0, 0x6000_0000]);
    assert!(log.contains(&("REGIONCFG".to_owned(), 3 | 2 << 2 | 1 << 4 | 1 << 6 | 1 << 8)));
}

#[test]
fn counters() {
    for accelerator in [Accelerator::U55_128, Accelerator::U65_256, Accelerator::U85_256] {
        let generation = accelerator.generation();
        let mut buffers = Buffers::new();
        let mut npu = Fake::new(accelerator);
        let offset = |register: Register, index| register.offset_of(generation, index).unwrap();
        for (at, value) in [
            (offset(Register::Pmccntr, 0), 0x8000_0001),
            (offset(Register::PmccntrHi, 0), 0xabcd_0002),
            (offset(Register::Pmevcntr, 0), 11),
            (offset(Register::Pmevcntr, 2), 33),
            (offset(Register::Pmovsset, 0), 0x8000_00f4),
        ] {
            npu.registers.insert(at, value);
        }
        let mut driver = Driver::new(npu);
        let mut events = [None; 8];
        (events[0], events[2]) = (Some(Event::MacActive), Some(Event::WdActive));
        driver.set_pmu(PmuConfig { cycles: true, events }).unwrap();
        let stats = driver.run(&mut buffers.job()).unwrap();
        assert_eq!(stats.cycles, Some(0x2_8000_0001), "{accelerator}");
        assert_eq!(stats.events, [Some(11), None, Some(33), None, None, None, None, None]);
        assert_eq!(stats.overflows, 0x8000_0004, "only of counters that count");

        let writes = log(&driver);
        let pmu: Vec<(&str, u32)> =
            writes.iter().filter(|(n, _)| n.starts_with("PM")).map(|(n, v)| (n.as_str(), *v)).collect();
        assert_eq!(
            pmu,
            [
                ("PMCR", 1),
                ("PMEVTYPER0", 0x30),
                ("PMEVTYPER2", 0x50),
                ("PMCCNTR_CFG", 0x23 | 0x20 << 16),
                ("PMCR", 7),
                ("PMOVSCLR", 0x8000_0005),
                ("PMCNTENSET", 0x8000_0005),
                ("PMCNTENCLR", 0x8000_0005),
                ("PMCR", 0),
            ]
        );
        let position = |name: &str| writes.iter().position(|(n, _)| n == name).unwrap();
        assert!(position("PMCNTENSET") < position("QBASE"), "counting starts before the NPU does");
        // Only cycles: no event counter is touched.
        driver.npu_mut().writes.clear();
        driver.set_pmu(PmuConfig::CYCLES).unwrap();
        let stats = driver.run(&mut buffers.job()).unwrap();
        assert_eq!((stats.events, stats.overflows), ([None; 8], 0x8000_0000));
        assert!(!log(&driver).iter().any(|(n, _)| n.starts_with("PMEVTYPER")));
    }
}

#[test]
fn events_that_cannot_be_counted() {
    let mut driver = Driver::new(Fake::new(Accelerator::U65_256));
    let mut events = [None; 8];
    events[4] = Some(Event::MacActive);
    let error = driver.set_pmu(PmuConfig { cycles: false, events }).unwrap_err();
    assert_eq!(error, NpuError::TooManyEvents { counters: 4 });
    let event = Event::Sram0RdTransAccepted;
    events = [Some(event), None, None, None, None, None, None, None];
    let error = driver.set_pmu(PmuConfig { cycles: true, events }).unwrap_err();
    assert_eq!(error, NpuError::UnknownEvent { event, npu: Generation::U65 });
    assert_eq!(error.to_string(), "Ethos-U65 does not count event 0x200 (SRAM0_RD_TRANS_ACCEPTED)");
    let mut driver = Driver::new(Fake::new(Accelerator::U85_256));
    assert!(driver.set_pmu(PmuConfig { cycles: true, events }).is_ok());
}

/// After an error the next run works.
#[test]
fn an_error_does_not_stick() {
    let mut buffers = Buffers::new();
    let mut npu = Fake::new(Accelerator::U85_256);
    npu.outcome = Some(0x12);
    let mut driver = Driver::new(npu);
    assert_eq!(driver.run(&mut buffers.job()), Err(NpuError::Parse { position: 0 }));
    driver.npu_mut().outcome = Some(DONE);
    assert!(driver.run(&mut buffers.job()).is_ok());
}

#[test]
fn polling() {
    let mut npu = Fake::new(Accelerator::U55_32);
    npu.registers.insert(4, 1);
    assert_eq!(poll(&mut npu, 1000), Err(Timeout));
    npu.registers.insert(4, 3);
    assert_eq!(poll(&mut npu, 1), Ok(()));
    assert_eq!(npu.read(4), 3, "polling acknowledges nothing");
}

/// Every error says what to do, with its placeholders filled in.
#[test]
fn every_error_has_a_remedy() {
    let (a, b) = (Accelerator::U55_32.config_word(), 0x3000_0000);
    let errors = [
        NpuError::UnknownProduct { config: b },
        NpuError::WrongSettings { npu: Generation::U85 },
        NpuError::ResetTimeout { status: 8 },
        NpuError::AccessState { found: 0, wanted: 3 },
        NpuError::WrongNpu { stream: a, npu: b },
        NpuError::WrongBuild { stream: a, npu: a | 0x10 },
        NpuError::WrongArchitecture { stream: 1 << 28, npu: 2 << 28 },
        NpuError::StreamLength { bytes: 3 },
        NpuError::Misaligned { region: None, address: 4 },
        NpuError::Unreachable { region: Some(7), address: 1 << 40, bits: 40 },
        NpuError::Bus { generation: Generation::U85, interface: 0, channel: 15, position: 0 },
        NpuError::Parse { position: 0 },
        NpuError::Weights { position: 0 },
        NpuError::Branch { position: 0 },
        NpuError::Ecc { position: 0 },
        NpuError::NotFinished { position: 0, status: 2 },
        NpuError::Timeout { position: 0, status: 1 },
        NpuError::UnknownEvent { event: Event::Cycle, npu: Generation::U55 },
        NpuError::TooManyEvents { counters: 8 },
    ];
    let mut codes: Vec<u16> = errors.iter().map(|e| e.told().code).collect();
    codes.dedup();
    assert_eq!(codes.len(), errors.len(), "a number each");
    for error in errors {
        for text in [error.to_string(), error.help().to_string()] {
            assert!(text.len() > 15 && !text.contains(['{', '}']), "{error:?}: {text}");
        }
    }
}
