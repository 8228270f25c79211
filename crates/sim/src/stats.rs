//! What every operation of a run did, for profiles.

use tombolo_ethosu::cmd::Command;

/// One operation of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpStats {
    /// Byte position of the operation in the command stream.
    pub position: u32,
    /// The operation.
    pub command: Command,
    /// Multiply-accumulates (also the additions of a pooling), without padding that the hardware
    /// adds for its own purposes. 0 for copies and elementwise operations.
    pub macs: u64,
    /// Elements written by the operation, or 0 for a copy.
    pub elements: u64,
    /// Bytes read from each region.
    pub read: [u64; 8],
    /// Bytes written to each region.
    pub written: [u64; 8],
}

impl OpStats {
    pub(crate) fn new(position: u32, command: Command) -> OpStats {
        OpStats { position, command, macs: 0, elements: 0, read: [0; 8], written: [0; 8] }
    }

    pub(crate) fn read(&mut self, region: u8, bytes: usize) {
        self.read[usize::from(region & 7)] += bytes as u64;
    }

    pub(crate) fn wrote(&mut self, region: u8, bytes: usize) {
        self.written[usize::from(region & 7)] += bytes as u64;
    }
}
