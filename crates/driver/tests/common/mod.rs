//! An NPU whose answers are scripted, and aligned memory.
#![allow(dead_code, reason = "each test program uses some of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tombolo_driver::{Job, Npu, RegisterIo, Timeout};
use tombolo_ethosu::regs::Register;
use tombolo_ethosu::{Accelerator, Generation};

pub(crate) fn corpus() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus")).to_path_buf()
}

/// Bytes that start at a multiple of 16, found in a larger buffer without unsafe code.
pub(crate) struct Aligned {
    store: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(crate) fn zeroed(len: usize) -> Aligned {
        let store = vec![0u8; len + 16];
        let start = store.as_ptr().align_offset(16);
        Aligned { store, start, len }
    }

    pub(crate) fn new(bytes: &[u8]) -> Aligned {
        let mut aligned = Aligned::zeroed(bytes.len());
        aligned.bytes_mut().copy_from_slice(bytes);
        aligned
    }

    pub(crate) fn read(path: impl AsRef<Path>) -> Aligned {
        let path = path.as_ref();
        Aligned::new(&std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.store[self.start..self.start + self.len]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.store[self.start..self.start + self.len]
    }
}

/// STATUS after a run that went well.
pub(crate) const DONE: u32 = 0xffff_0022;

/// What happens while the NPU runs.
pub(crate) type Run = Box<dyn FnMut(&mut Job<'_>)>;

/// Registers as memory, with reset and clearing as the hardware does them, and a log of writes.
pub(crate) struct Fake {
    pub(crate) generation: Generation,
    pub(crate) registers: BTreeMap<u32, u32>,
    pub(crate) writes: Vec<(u32, u32)>,
    /// STATUS when the run is over; `None`: the interrupt never comes.
    pub(crate) outcome: Option<u32>,
    pub(crate) position: u32,
    /// Reads of STATUS until a reset is over.
    pub(crate) reset_reads: u32,
    resetting: u32,
    /// PROT ignores what was asked for and reads this.
    pub(crate) prot: Option<u32>,
    pub(crate) calls: Vec<&'static str>,
    /// Where the bus sees the stream; the regions follow, a quarter of a gigabyte apart. The low
    /// four bits stay those of the pointer.
    pub(crate) bus: u64,
    pub(crate) run: Run,
}

impl Fake {
    pub(crate) fn new(accelerator: Accelerator) -> Fake {
        let config = accelerator.config_word();
        let id = accelerator.id_word();
        Fake {
            generation: accelerator.generation(),
            registers: BTreeMap::from([(0x28, config), (0, id), (4, 8), (8, 0xc)]),
            writes: Vec::new(),
            outcome: Some(DONE),
            position: 0,
            reset_reads: 2,
            resetting: 0,
            prot: None,
            calls: Vec::new(),
            bus: 0x1000_0000,
            run: Box::new(|_| {}),
        }
    }

    pub(crate) fn offset(&self, register: Register) -> u32 {
        register.offset(self.generation).unwrap()
    }

    /// The writes, with the names of the registers.
    pub(crate) fn log(&self) -> Vec<(String, u32)> {
        self.writes.iter().map(|(offset, value)| (self.name(*offset), *value)).collect()
    }

    fn name(&self, offset: u32) -> String {
        match Register::from_offset(self.generation, offset) {
            Some((register, index)) if register.count(self.generation) > 1 => {
                format!("{}{index}", register.name())
            }
            Some((register, _)) => register.name().to_owned(),
            None => match Register::from_offset(self.generation, offset - 4) {
                Some((Register::Basep, index)) => format!("BASEP{index}_HI"),
                other => panic!("write to {offset:#x}: {other:?}"),
            },
        }
    }
}

impl RegisterIo for Fake {
    fn read(&mut self, offset: u32) -> u32 {
        assert_eq!(offset % 4, 0);
        if offset == 4 && self.resetting > 0 {
            self.resetting -= 1;
            return 8;
        }
        self.registers.get(&offset).copied().unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.writes.push((offset, value));
        match offset {
            0xc => {
                self.resetting = self.reset_reads;
                self.registers.insert(4, 0);
                self.registers.insert(8, 0xc);
                self.registers.insert(0x24, self.prot.unwrap_or(value));
            }
            8 => {
                self.registers.insert(8, value & 0xc);
                if value & 2 != 0 {
                    *self.registers.get_mut(&4).unwrap() &= !2;
                }
            }
            _ => {
                self.registers.insert(offset, value);
            }
        }
    }
}

impl Npu for Fake {
    fn address(&self, region: Option<u8>, buffer: *const u8) -> u64 {
        let slot = region.map_or(0, |r| u64::from(r) + 1);
        self.bus + (slot << 28) + (buffer as usize as u64 & 15)
    }

    fn before_run(&mut self, _job: &Job<'_>) {
        self.calls.push("before");
    }

    fn wait(&mut self, job: &mut Job<'_>) -> Result<(), Timeout> {
        self.calls.push("wait");
        assert_eq!(self.writes.last().map(|w| (w.0, w.1 & 1)), Some((8, 1)), "the NPU was started");
        self.registers.insert(0x18, self.position);
        let Some(status) = self.outcome else {
            self.registers.insert(4, 1);
            return Err(Timeout);
        };
        (self.run)(job);
        self.registers.insert(4, status);
        Ok(())
    }

    fn after_run(&mut self, _job: &mut Job<'_>) {
        self.calls.push("after");
    }
}
