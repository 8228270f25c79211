//! The simulator as the NPU behind the driver.
//!
//! [`SimNpu`] is what a board's registers would be to [`tombolo_driver::Driver`]: the driver above it is the
//! one that runs on hardware. The NPU's bus sees the memory of the job and nothing else: an access outside
//! is a bus fault, as it would be on a chip with a memory protection unit before the NPU.

use crate::aligned::AlignedBytes;
use crate::error::{Error, Result};
use crate::stream::{NpuProgram, REGIONS};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tombolo_driver::{Driver, Job, Npu, Region, RegisterIo, Timeout};
use tombolo_ethosu::Accelerator;
use tombolo_sim::{Access, Bus, BusFault};

/// What the simulator knows beyond its registers.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// The last fault in words.
    pub fault: Option<String>,
    /// For each region the end of the furthest access so far, in bytes from the region's start.
    pub high_water: [usize; REGIONS],
    /// Jobs run.
    pub jobs: u64,
}

/// A handle on [`Observed`] that stays when the NPU goes to a driver.
pub type Observer = Rc<RefCell<Observed>>;

/// A simulated NPU behind the driver's register interface.
pub struct SimNpu {
    npu: tombolo_sim::Npu,
    observed: Observer,
}

impl SimNpu {
    /// An NPU of this configuration, just out of reset.
    pub fn new(accelerator: Accelerator) -> SimNpu {
        SimNpu { npu: tombolo_sim::Npu::new(accelerator), observed: Observer::default() }
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
    fn wait(&mut self, job: &mut Job<'_>) -> std::result::Result<(), Timeout> {
        let mut observed = self.observed.borrow_mut();
        let mut bus =
            JobBus { stream: job.stream, regions: &mut job.regions, high_water: &mut observed.high_water };
        self.npu.run(&mut bus);
        observed.fault = self.npu.fault().map(ToString::to_string);
        observed.jobs += 1;
        // The simulator stops at its end, at a fault or not at all; the last would be an endless wait.
        if self.npu.irq() { Ok(()) } else { Err(Timeout) }
    }
}

/// The job's memory on the NPU's bus: addresses are those of the slices, which are compared, never
/// dereferenced.
struct JobBus<'b, 'j> {
    stream: &'j [u8],
    regions: &'b mut [Region<'j>; REGIONS],
    high_water: &'b mut [usize; REGIONS],
}

/// The part of `bytes` at bus address `address`, if all of it lies inside.
fn offset_in(bytes: &[u8], address: u64, len: usize) -> Option<Range<usize>> {
    let start = address.checked_sub(bytes.as_ptr() as usize as u64)?;
    let start = usize::try_from(start).ok()?;
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
        for (index, region) in self.regions.iter().enumerate() {
            let (bytes, writable): (&[u8], bool) = match region {
                Region::Absent => continue,
                Region::ReadOnly(bytes) => (bytes, false),
                Region::ReadWrite(bytes) => (bytes, true),
            };
            if (writable || access == Access::Read)
                && let Some(range) = offset_in(bytes, address, len)
            {
                return Ok((Some(index), range));
            }
        }
        match offset_in(self.stream, address, len) {
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
        let bytes: &[u8] = match region.and_then(|r| self.regions.get(r)) {
            Some(Region::ReadOnly(bytes)) => bytes,
            Some(Region::ReadWrite(bytes)) => bytes,
            _ => self.stream,
        };
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

    let npu = SimNpu::new(accelerator);
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
        .and_then(|()| driver.run(&mut job))
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
