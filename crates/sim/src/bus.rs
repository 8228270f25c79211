//! The memory bus that the NPU is a master of.

use std::fmt;

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// The NPU reads.
    Read,
    /// The NPU writes.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
        })
    }
}

/// The bus answered an access with an error: nothing is mapped there, or not for this access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusFault {
    /// First address of the access.
    pub address: u64,
    /// Bytes of the access.
    pub length: u64,
    /// What was tried.
    pub access: Access,
}

impl fmt::Display for BusFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "bus error on a {} of {} byte{} at {:#x}",
            self.access,
            self.length,
            if self.length == 1 { "" } else { "s" },
            self.address
        )
    }
}

impl std::error::Error for BusFault {}

/// Memory as the NPU sees it. Addresses are whatever QBASE and BASEP were given.
pub trait Bus {
    /// Reads `into.len()` bytes from `address` on. All or nothing.
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), BusFault>;

    /// Writes `from.len()` bytes from `address` on. All or nothing.
    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), BusFault>;

    /// Whether all `length` bytes from `address` on could be accessed so. The simulator asks this
    /// for the whole extent of a feature map or stream before it takes any memory for it, so that
    /// a damaged stream fails early and cheaply.
    ///
    /// The provided implementation knows only reads, and tries the first and the last byte; a bus
    /// that knows its map should answer exactly.
    fn check(&mut self, address: u64, length: u64, access: Access) -> Result<(), BusFault> {
        let fault = BusFault { address, length, access };
        let Some(last) = length.checked_sub(1) else {
            return Ok(());
        };
        let last = address.checked_add(last).ok_or(fault)?;
        if access == Access::Read {
            let mut byte = [0];
            self.read(address, &mut byte).map_err(|_| fault)?;
            self.read(last, &mut byte).map_err(|_| fault)?;
        }
        Ok(())
    }

    /// Whether reads must keep to the bytes that matter. Else rows of bricks are read with what lies
    /// between the channels, which is faster.
    fn precise(&self) -> bool {
        false
    }
}

/// A bus over owned blocks of memory: for tests, tools and boards without their own map.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
struct Block {
    base: u64,
    bytes: Vec<u8>,
    writable: bool,
}

impl Blocks {
    /// A bus with nothing on it.
    pub fn new() -> Blocks {
        Blocks::default()
    }

    /// Maps `bytes` at `base`; writes fault unless `writable`. Where blocks overlap the one mapped
    /// first answers. Returns the number of the block.
    pub fn map(&mut self, base: u64, bytes: Vec<u8>, writable: bool) -> usize {
        self.blocks.push(Block { base, bytes, writable });
        self.blocks.len() - 1
    }

    /// The bytes of a block.
    pub fn bytes(&self, block: usize) -> &[u8] {
        self.blocks.get(block).map_or(&[], |b| &b.bytes)
    }

    /// The bytes of a block, to be changed.
    pub fn bytes_mut(&mut self, block: usize) -> &mut [u8] {
        self.blocks.get_mut(block).map_or(&mut [], |b| &mut b.bytes[..])
    }

    fn find(&mut self, address: u64, length: u64, access: Access) -> Result<&mut [u8], BusFault> {
        let fault = BusFault { address, length, access };
        for block in &mut self.blocks {
            let Some(offset) = address.checked_sub(block.base) else {
                continue;
            };
            if offset >= block.bytes.len() as u64 && length > 0 {
                continue;
            }
            if access == Access::Write && !block.writable {
                return Err(fault);
            }
            let end = offset.checked_add(length).ok_or(fault)?;
            let (Ok(start), Ok(end)) = (usize::try_from(offset), usize::try_from(end)) else {
                return Err(fault);
            };
            return block.bytes.get_mut(start..end).ok_or(fault);
        }
        Err(fault)
    }
}

impl Bus for Blocks {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), BusFault> {
        let bytes = self.find(address, into.len() as u64, Access::Read)?;
        into.copy_from_slice(bytes);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), BusFault> {
        let bytes = self.find(address, from.len() as u64, Access::Write)?;
        bytes.copy_from_slice(from);
        Ok(())
    }

    fn check(&mut self, address: u64, length: u64, access: Access) -> Result<(), BusFault> {
        self.find(address, length, access).map(|_| ())
    }
}
