//! The simulator as the NPU behind the driver.
//!
//! [`SimNpu`] is what a board's registers would be to [`tombolo_driver::Driver`]: the driver above it is the
//! one that runs on hardware. The NPU's bus sees the memory of the job and nothing else: an access outside
//! is a bus fault, as it would be on a chip with a memory protection unit before the NPU.
//!
//! A pointer of this machine has more bits than the NPU's bus, so that the stream and each region are seen at
//! the start of a window of the bus's address space. No pointer is dereferenced.

use crate::aligned::AlignedBytes;
use crate::error::{Error, Result};
use crate::profile::Profiles;
use crate::stream::{NpuProgram, REGIONS};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tombolo_driver::{Driver, Job, Npu, Region, RegisterIo, Timeout};
use tombolo_ethosu::{Accelerator, Generation};
use tombolo_sim::{Access, Bus, BusFault, Checks, System};

/// What the simulator knows beyond its registers.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// The last fault in words.
    pub fault: Option<String>,
    /// For each region the end of the furthest access so far, in bytes from the region's start.
    pub high_water: [usize; REGIONS],
    /// Jobs run.
    pub jobs: u64,
    /// How long the streams take on the NPU, if [`SimNpu::with_system`] asked for it.
    pub profiles: Profiles,
    /// What the checks of [`SimNpu::with_checks`] found in the last job, in words.
    pub findings: Vec<String>,
}

/// A handle on [`Observed`] that stays when the NPU goes to a driver.
pub type Observer = Rc<RefCell<Observed>>;

/// A simulated NPU behind the driver's register interface.
pub struct SimNpu {
    npu: tombolo_sim::Npu,
    observed: Observer,
    /// log2 of the bytes of a window.
    window_log2: u32,
    /// Memory behind a cache that the NPU does not see; `None` where both see the same.
    dram: Option<Box<Dram>>,
    profiling: bool,
    checks: Option<Watched>,
}

/// What to check in each job.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    /// Waits and block dependencies.
    pub hazards: bool,
    /// Bytes of regions that hold something before the job, if reads of others are to be found.
    pub defined: Option<Vec<(usize, Range<usize>)>>,
    /// Bytes of regions that the job must have written.
    pub outputs: Vec<(usize, Range<usize>)>,
}

/// Memory as the NPU sees it where the CPU's cache is not coherent with it: what the CPU wrote arrives here
/// when the driver cleans the cache ([`Npu::before_run`]), and what the NPU wrote is seen by the CPU when the
/// driver invalidates it ([`Npu::after_run`]). A driver that forgets one of them gets stale bytes, always, where
/// a real cache gives them sometimes.
#[derive(Debug, Clone, Default)]
struct Dram {
    stream: Vec<u8>,
    regions: [Vec<u8>; REGIONS],
}

impl Dram {
    /// As many bytes as the job has, what is new poisoned.
    fn fit(&mut self, job: &Job<'_>) {
        self.stream.resize(job.stream.len(), POISON);
        for (memory, region) in self.regions.iter_mut().zip(&job.regions) {
            memory.resize(region.bytes().len(), POISON);
        }
    }
}

impl SimNpu {
    /// An NPU of this configuration, just out of reset.
    pub fn new(accelerator: Accelerator) -> SimNpu {
        SimNpu {
            npu: tombolo_sim::Npu::new(accelerator),
            observed: Observer::default(),
            // Ten windows in 32 address bits on U55, in 40 on the others.
            window_log2: if accelerator.generation() == Generation::U55 { 28 } else { 36 },
            dram: None,
            profiling: false,
            checks: None,
        }
    }

    /// The same NPU behind a cache that is not coherent with it: what driver and NPU exchange arrives only if the
    /// driver cleans the cache before a run and invalidates it after.
    #[must_use]
    pub fn non_coherent(mut self) -> SimNpu {
        self.dram = Some(Box::default());
        self
    }

    /// The same NPU, estimating the time of what it runs with these memories around it.
    #[must_use]
    pub fn with_system(mut self, system: Option<System>) -> SimNpu {
        self.npu.set_system(system);
        self.npu.set_record_stats(system.is_some());
        self.profiling = system.is_some();
        self
    }

    /// The same NPU, checking what it runs.
    #[must_use]
    pub fn with_checks(mut self, checks: Option<Watched>) -> SimNpu {
        self.checks = checks;
        self
    }

    /// A handle on what the simulator knows beyond its registers.
    pub fn observer(&self) -> Observer {
        Rc::clone(&self.observed)
    }
}

impl RegisterIo for SimNpu {
    fn read(&mut self, offset: u32) -> u32 {
        self.npu.read(offset)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.npu.write(offset, value);
    }
}

impl Npu for SimNpu {
    fn address(&self, region: Option<u8>, buffer: *const u8) -> u64 {
        // No window is at 0: base addresses of absent regions are left there, where nothing may answer.
        // The low bits are the pointer's: alignment is for the driver to judge.
        let window = region.map_or(REGIONS as u64, u64::from) + 1;
        (window << self.window_log2) | (buffer as usize as u64 & 15)
    }

    fn before_run(&mut self, job: &Job<'_>) {
        let Some(dram) = &mut self.dram else { return };
        dram.fit(job);
        dram.stream.copy_from_slice(job.stream);
        for (memory, region) in dram.regions.iter_mut().zip(&job.regions) {
            memory.copy_from_slice(region.bytes());
        }
    }

    fn after_run(&mut self, job: &mut Job<'_>) {
        let Some(dram) = &mut self.dram else { return };
        dram.fit(job);
        for (memory, region) in dram.regions.iter().zip(&mut job.regions) {
            if let Region::ReadWrite(bytes) = region {
                bytes.copy_from_slice(memory);
            }
        }
    }

    fn wait(&mut self, job: &mut Job<'_>) -> std::result::Result<(), Timeout> {
        if let Some(mut dram) = self.dram.take() {
            dram.fit(job);
            let Dram { stream, regions } = &mut *dram;
            let mut memory = regions.iter_mut();
            let regions = std::array::from_fn(|index| {
                let bytes = memory.next().map(Vec::as_mut_slice).unwrap_or_default();
                match job.regions.get(index) {
                    Some(Region::ReadWrite(_)) => Region::ReadWrite(bytes),
                    Some(Region::ReadOnly(_)) => Region::ReadOnly(bytes),
                    _ => Region::Absent,
                }
            });
            // The addresses are those of the job: the driver has told them to the NPU already.
            let bases = self.bases(job);
            let mut behind = Job { stream, regions };
            let result = self.run_on(&mut behind, bases);
            self.dram = Some(dram);
            return result;
        }
        let bases = self.bases(job);
        self.run_on(job, bases)
    }
}

/// Where the NPU's bus sees the stream and each region; `None` for what has no bytes.
#[derive(Clone, Copy)]
struct Bases {
    stream: Option<u64>,
    regions: [Option<u64>; REGIONS],
}

impl SimNpu {
    fn bases(&self, job: &Job<'_>) -> Bases {
        let base = |region: Option<u8>, bytes: &[u8]| {
            (!bytes.is_empty()).then(|| self.address(region, bytes.as_ptr()))
        };
        let mut regions = [None; REGIONS];
        for ((index, slot), region) in (0u8..).zip(&mut regions).zip(&job.regions) {
            *slot = base(Some(index), region.bytes());
        }
        Bases { stream: base(None, job.stream), regions }
    }

    fn run_on(&mut self, job: &mut Job<'_>, bases: Bases) -> std::result::Result<(), Timeout> {
        let mut observed = self.observed.borrow_mut();
        let mut bus = JobBus {
            stream: job.stream,
            stream_base: bases.stream,
            regions: &mut job.regions,
            bases: bases.regions,
            high_water: &mut observed.high_water,
        };
        let place = |(region, range): &(usize, Range<usize>)| -> Option<(u64, u64)> {
            let base = bases.regions.get(*region).copied().flatten()?;
            Some((base + range.start as u64, range.len() as u64))
        };
        if let Some(Watched { hazards, defined, .. }) = &self.checks {
            let defined = defined.as_ref().map(|list| list.iter().filter_map(place).collect());
            self.npu.set_checks(Some(Checks { hazards: *hazards, defined }));
        }
        let start = Instant::now();
        self.npu.run(&mut bus);
        if let Some(checks) = &self.checks {
            observed.findings = self.npu.findings().iter().map(ToString::to_string).collect();
            match self.npu.more_findings() {
                0 => {}
                more => observed.findings.push(format!("{more} more")),
            }
            for output in &checks.outputs {
                let missing = place(output).and_then(|(start, length)| self.npu.undefined(start, length));
                if let Some((first, end)) = missing {
                    observed.findings.push(format!(
                        "bytes {:#x} to {:#x} of region {}, which are part of an output, are not written",
                        output.1.start as u64 + (first - place(output).map_or(first, |(start, _)| start)),
                        output.1.start as u64 + (end - place(output).map_or(end, |(start, _)| start)) - 1,
                        output.0
                    ));
                }
            }
        }
        if self.profiling {
            let elapsed = start.elapsed();
            observed.profiles.note(job.stream, self.npu.timeline(), self.npu.op_stats(), elapsed);
        }
        observed.fault = self.npu.fault().map(ToString::to_string);
        observed.jobs += 1;
        // The simulator stops at its end, at a fault or not at all; the last would be an endless wait.
        if self.npu.irq() { Ok(()) } else { Err(Timeout) }
    }
}

/// The job's memory on the NPU's bus.
struct JobBus<'b, 'j> {
    stream: &'j [u8],
    stream_base: Option<u64>,
    regions: &'b mut [Region<'j>; REGIONS],
    /// Where each region lies; `None` for one without bytes.
    bases: [Option<u64>; REGIONS],
    high_water: &'b mut [usize; REGIONS],
}

/// The part of `bytes`, which lie at `base`, at bus address `address`, if all of it lies inside.
fn offset_in(bytes: &[u8], base: Option<u64>, address: u64, len: usize) -> Option<Range<usize>> {
    let start = usize::try_from(address.checked_sub(base?)?).ok()?;
    let end = start.checked_add(len)?;
    (end <= bytes.len()).then_some(start..end)
}

impl JobBus<'_, '_> {
    /// The region and the part of it that an access touches; `None` for the region of the stream itself.
    fn find(
        &self,
        address: u64,
        length: u64,
        access: Access,
    ) -> std::result::Result<(Option<usize>, Range<usize>), BusFault> {
        let fault = BusFault { address, length, access };
        let len = usize::try_from(length).map_err(|_| fault)?;
        for (index, (region, base)) in self.regions.iter().zip(self.bases).enumerate() {
            let allowed = access == Access::Read || matches!(region, Region::ReadWrite(_));
            if allowed && let Some(range) = offset_in(region.bytes(), base, address, len) {
                return Ok((Some(index), range));
            }
        }
        match offset_in(self.stream, self.stream_base, address, len) {
            Some(range) if access == Access::Read => Ok((None, range)),
            _ => Err(fault),
        }
    }

    fn note(&mut self, region: Option<usize>, end: usize) {
        if let Some(high_water) = region.and_then(|r| self.high_water.get_mut(r)) {
            *high_water = end.max(*high_water);
        }
    }
}

impl Bus for JobBus<'_, '_> {
    fn read(&mut self, address: u64, into: &mut [u8]) -> std::result::Result<(), BusFault> {
        let (region, range) = self.find(address, into.len() as u64, Access::Read)?;
        self.note(region, range.end);
        let bytes = region.and_then(|r| self.regions.get(r)).map_or(self.stream, Region::bytes);
        into.copy_from_slice(&bytes[range]);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> std::result::Result<(), BusFault> {
        let (region, range) = self.find(address, from.len() as u64, Access::Write)?;
        self.note(region, range.end);
        if let Some(Region::ReadWrite(bytes)) = region.and_then(|r| self.regions.get_mut(r)) {
            bytes[range].copy_from_slice(from);
        }
        Ok(())
    }

    fn check(&mut self, address: u64, length: u64, access: Access) -> std::result::Result<(), BusFault> {
        self.find(address, length, access).map(|_| ())
    }
}

/// What a bare stream gave.
#[derive(Debug, Clone)]
pub struct StreamRun {
    /// Bytes of each output.
    pub outputs: Vec<Vec<u8>>,
    /// Time that the simulation took on this machine.
    pub elapsed: Duration,
    /// What the simulator saw.
    pub observed: Observed,
}

/// Memory that was never written holds this, so that a missing write does not pass for a result.
const POISON: u8 = 0xa5;

/// Runs a bare stream on a simulated NPU, through the driver.
///
/// `inputs` are the bytes of each input, as many as [`NpuProgram::inputs`] says.
///
/// # Errors
/// The stream was compiled for another NPU, or the NPU faults.
pub fn run_stream(program: &NpuProgram, accelerator: Accelerator, inputs: &[&[u8]]) -> Result<StreamRun> {
    run_stream_on(SimNpu::new(accelerator), program, inputs)
}

/// The same on an NPU that is there already.
///
/// # Errors
/// See [`run_stream`].
pub fn run_stream_on(npu: SimNpu, program: &NpuProgram, inputs: &[&[u8]]) -> Result<StreamRun> {
    let payload = program.parsed()?;
    let mut memory: Vec<Option<AlignedBytes>> = program
        .regions
        .iter()
        .enumerate()
        .map(|(index, plan)| {
            let plan = plan.as_ref().filter(|_| index != program.weight_region)?;
            let mut bytes = AlignedBytes::zeroed(plan.size);
            if plan.role == "persistent" {
                // Zero but for what the program says.
                for (to, from) in bytes.iter_mut().zip(&program.persistent_init) {
                    *to = *from;
                }
            } else {
                bytes.fill(POISON);
            }
            Some(bytes)
        })
        .collect();
    for (io, bytes) in program.inputs.iter().zip(inputs) {
        let target = memory
            .get_mut(io.region)
            .and_then(Option::as_mut)
            .and_then(|region| region.get_mut(io.offset..io.offset + io.bytes()))
            .filter(|target| target.len() == bytes.len())
            .ok_or_else(|| Error::new("an input does not fit its region").help("compile the stream again"))?;
        target.copy_from_slice(bytes);
    }

    let observer = npu.observer();
    let mut regions: [Region<'_>; REGIONS] = std::array::from_fn(|_| Region::Absent);
    for (index, (slot, bytes)) in regions.iter_mut().zip(&mut memory).enumerate() {
        if index == program.weight_region {
            *slot = Region::ReadOnly(&program.weights);
        } else if let Some(bytes) = bytes {
            *slot = Region::ReadWrite(bytes);
        }
    }
    let mut job = Job { stream: payload.stream, regions };
    let start = Instant::now();
    let mut driver = Driver::new(npu);
    driver
        .check(payload.config, payload.id)
        .and_then(|_| driver.run(&mut job))
        .map_err(|error| npu_error(&error, &observer))?;
    let elapsed = start.elapsed();

    let outputs = program
        .outputs
        .iter()
        .map(|io| {
            memory
                .get(io.region)
                .and_then(Option::as_ref)
                .and_then(|region| region.get(io.offset..io.offset + io.bytes()))
                .map(<[u8]>::to_vec)
                .ok_or_else(|| {
                    Error::new("an output lies outside its region").help("compile the stream again")
                })
        })
        .collect::<Result<_>>()?;
    let observed = observer.borrow().clone();
    Ok(StreamRun { outputs, elapsed, observed })
}

/// The driver's words, with what the simulator knows beyond the registers.
fn npu_error(error: &tombolo_driver::NpuError, observer: &Observer) -> Error {
    let told = Error::new(error.to_string()).help(error.help().to_string());
    match &observer.borrow().fault {
        Some(fault) => told.at(format!("the simulator says: {fault}")),
        None => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::MAX_REGION;

    #[test]
    fn windows_are_disjoint_and_within_reach() {
        for (accelerator, bits) in [(Accelerator::U55_128, 32), (Accelerator::U65_256, 40)] {
            let npu = SimNpu::new(accelerator);
            let pointer = (0x7f00_0000_1000usize + 3) as *const u8;
            let slots = (0..REGIONS as u8).map(Some).chain([None]);
            let mut starts: Vec<u64> = slots.map(|slot| npu.address(slot, pointer)).collect();
            assert!(starts.iter().all(|&a| a & 15 == 3 && a >> npu.window_log2 > 0));
            starts.sort_unstable();
            assert!(starts.windows(2).all(|w| w[1] - w[0] >= MAX_REGION as u64));
            assert!(starts[REGIONS] + MAX_REGION as u64 <= 1 << bits);
        }
    }

    /// A driver's glue that leaves out cache maintenance.
    struct Forgetful {
        npu: SimNpu,
        clean: bool,
        invalidate: bool,
    }

    impl RegisterIo for Forgetful {
        fn read(&mut self, offset: u32) -> u32 {
            self.npu.read(offset)
        }
        fn write(&mut self, offset: u32, value: u32) {
            self.npu.write(offset, value);
        }
    }

    impl Npu for Forgetful {
        fn address(&self, region: Option<u8>, buffer: *const u8) -> u64 {
            self.npu.address(region, buffer)
        }
        fn before_run(&mut self, job: &Job<'_>) {
            if self.clean {
                self.npu.before_run(job);
            }
        }
        fn wait(&mut self, job: &mut Job<'_>) -> std::result::Result<(), Timeout> {
            self.npu.wait(job)
        }
        fn after_run(&mut self, job: &mut Job<'_>) {
            if self.invalidate {
                self.npu.after_run(job);
            }
        }
    }

    #[test]
    fn missing_cache_maintenance_shows_up_behind_a_cache_that_is_not_coherent() {
        use crate::stream::NpuProgram;
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus/add");
        let file = std::path::PathBuf::from(format!("{folder}/u65-256.0.vela.npz"));
        let program = NpuProgram::from_npz(&mut crate::npz::Npz::read(&file).unwrap()).unwrap();
        let payload = program.parsed().unwrap();
        // Two runs on one NPU: in the second, stale bytes are those of the first.
        let outcome = |clean, invalidate| -> Vec<std::result::Result<Vec<u8>, ()>> {
            let npu = SimNpu::new(Accelerator::U65_256).non_coherent();
            let mut driver = Driver::new(Forgetful { npu, clean, invalidate });
            (1u8..=2)
                .map(|value| {
                    let mut scratch = AlignedBytes::zeroed(512);
                    for io in &program.inputs {
                        scratch[io.offset..io.offset + io.bytes()].fill(value);
                    }
                    let mut regions: [Region<'_>; REGIONS] = std::array::from_fn(|_| Region::Absent);
                    regions[0] = Region::ReadOnly(&program.weights);
                    regions[1] = Region::ReadWrite(&mut scratch);
                    driver.run(&mut Job { stream: payload.stream, regions }).map_err(drop)?;
                    let io = &program.outputs[0];
                    Ok(scratch[io.offset..io.offset + io.bytes()].to_vec())
                })
                .collect()
        };
        let good = outcome(true, true);
        assert!(good.iter().all(|run| run.is_ok()));
        assert_ne!(good[0], good[1], "the inputs matter");
        assert_ne!(outcome(false, true)[1], good[1], "without a clean the NPU sees old bytes, or none");
        let stale = outcome(true, false);
        assert!(stale[0] != good[0] && stale[1] != good[1], "without an invalidate the CPU sees old bytes");
    }

    #[test]
    fn the_bus_sees_the_job_and_nothing_else() {
        let stream = AlignedBytes::zeroed(16);
        let weights = AlignedBytes::from(&[1u8, 2, 3, 4][..]);
        let mut scratch = AlignedBytes::zeroed(32);
        let mut regions: [Region<'_>; REGIONS] = std::array::from_fn(|_| Region::Absent);
        regions[0] = Region::ReadOnly(&weights);
        regions[1] = Region::ReadWrite(&mut scratch);
        let mut bases = [None; REGIONS];
        (bases[0], bases[1]) = (Some(0x1000), Some(0x2000));
        let mut high_water = [0; REGIONS];
        let mut bus = JobBus {
            stream: &stream,
            stream_base: Some(0x3000),
            regions: &mut regions,
            bases,
            high_water: &mut high_water,
        };
        let mut two = [0; 2];
        bus.read(0x1002, &mut two).unwrap();
        assert_eq!(two, [3, 4]);
        bus.write(0x2010, &[7]).unwrap();
        bus.read(0x2010, &mut two).unwrap();
        assert_eq!(two, [7, 0]);
        bus.read(0x300e, &mut two).unwrap();
        for (address, access) in [
            (0u64, Access::Read),      // an absent region
            (0x1003, Access::Read),    // over the end
            (0xfff, Access::Read),     // before the start
            (0x1000, Access::Write),   // weights are read only
            (0x3000, Access::Write),   // and so is the stream
            (u64::MAX, Access::Write), // wraps around
        ] {
            let fault = bus.check(address, 2, access).unwrap_err();
            assert_eq!((fault.address, fault.access), (address, access));
        }
        assert_eq!(high_water[..2], [4, 18]);
    }
}
