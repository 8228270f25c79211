//! What the driver asks of a board.

use tombolo_ethosu::Generation;
use tombolo_ethosu::regs::{Register, fields};

/// Registers of an NPU by byte offset.
pub trait RegisterIo {
    /// Reads the 32-bit register at `offset`.
    fn read(&mut self, offset: u32) -> u32;
    /// Writes the 32-bit register at `offset`.
    fn write(&mut self, offset: u32, value: u32);
}

/// The interrupt did not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout;

/// Regions that a stream can address.
pub const REGIONS: usize = 8;

/// The memory behind a region of a stream.
#[derive(Debug, Default)]
pub enum Region<'j> {
    /// Nothing: the stream must not touch the region.
    #[default]
    Absent,
    /// Memory that the stream only reads, as weights in flash.
    ReadOnly(&'j [u8]),
    /// Memory that the stream reads and writes.
    ReadWrite(&'j mut [u8]),
}

impl Region<'_> {
    /// The bytes, for looking at.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Region::Absent => &[],
            Region::ReadOnly(bytes) => bytes,
            Region::ReadWrite(bytes) => bytes,
        }
    }
}

/// A stream and its memory.
#[derive(Debug)]
pub struct Job<'j> {
    /// The command stream, at a multiple of 16.
    pub stream: &'j [u8],
    /// The regions, each at a multiple of 16. Usually 0 weights, 1 scratch, 2 fast scratch.
    pub regions: [Region<'j>; REGIONS],
}

impl<'j> Job<'j> {
    /// A job without regions.
    pub fn new(stream: &'j [u8]) -> Job<'j> {
        Job { stream, regions: [const { Region::Absent }; REGIONS] }
    }
}

/// An NPU on a board: its registers, and what surrounds them.
pub trait Npu: RegisterIo {
    /// The address at which the NPU's bus sees a buffer: that of a region, or of the stream (`None`).
    /// Override where it differs from the CPU's. The driver refuses what does not fit the NPU's
    /// address registers: 32 bits on U55, 40 on U65 and U85.
    fn address(&self, _region: Option<u8>, buffer: *const u8) -> u64 {
        buffer as usize as u64
    }

    /// Called before the NPU starts: clean (write back) the data cache over the job's memory.
    fn before_run(&mut self, _job: &Job<'_>) {}

    /// Returns when the NPU has raised its interrupt, or fails when it took too long. A simulator
    /// runs here, on the job's memory. See [`poll`] for the simplest way on a chip.
    fn wait(&mut self, job: &mut Job<'_>) -> Result<(), Timeout>;

    /// Called after the NPU stopped, also at errors: invalidate the data cache over what the job
    /// may have written.
    fn after_run(&mut self, _job: &mut Job<'_>) {}
}

/// Waits by reading STATUS until the interrupt is raised, at most `reads` times.
pub fn poll(registers: &mut impl RegisterIo, reads: u32) -> Result<(), Timeout> {
    // STATUS stands at the same place in all generations.
    let Some(offset) = Register::Status.offset(Generation::U55) else { return Err(Timeout) };
    for _ in 0..reads {
        if fields::status::IRQ_RAISED.is_set(registers.read(offset)) {
            return Ok(());
        }
        core::hint::spin_loop();
    }
    Err(Timeout)
}
