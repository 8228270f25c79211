//! Settings of the driver, with the values of Arm's core driver as defaults.

use tombolo_ethosu::Generation;
use tombolo_ethosu::regs::fields;

/// Where compiler and firmware put constants, arena and fast scratch. What matters to the driver is
/// which AXI port serves which region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryMode {
    /// All in SRAM, over port 0.
    SramOnly,
    /// Constants behind port 1, scratch in SRAM behind port 0.
    SharedSram,
    /// Constants and scratch behind port 1, fast scratch in SRAM behind port 0.
    DedicatedSram,
}

impl MemoryMode {
    /// The mode of that name in Vela's configuration: `Sram_Only`, `Shared_Sram`, `Dedicated_Sram`,
    /// the last also with a size behind it (`Dedicated_Sram_384KB`).
    pub fn from_name(name: &str) -> Option<MemoryMode> {
        match name {
            "Sram_Only" => Some(MemoryMode::SramOnly),
            "Shared_Sram" => Some(MemoryMode::SharedSram),
            "Dedicated_Sram" => Some(MemoryMode::DedicatedSram),
            _ => {
                let size = name.strip_prefix("Dedicated_Sram_")?.strip_suffix("KB")?;
                let digits = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
                digits.then_some(MemoryMode::DedicatedSram)
            }
        }
    }
}

/// The longest burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Burst {
    /// 64 bytes.
    B64,
    /// 128 bytes.
    B128,
    /// 256 bytes.
    B256,
}

/// What a port may have in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxiLimit {
    /// The longest burst.
    pub burst: Burst,
    /// Memory type of the accesses (`axi_mem_encoding`); on U85 this is part of the memory attribute.
    pub memory_type: u8,
    /// Reads outstanding, from 1.
    pub reads: u8,
    /// Writes outstanding, from 1.
    pub writes: u8,
}

/// A memory attribute of U85, named by number in QCONFIG and REGIONCFG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryAttribute {
    /// Sharing domain (`axi_mem_domain`).
    pub domain: u8,
    /// Over an EXT port instead of an SRAM port.
    pub external: bool,
    /// Memory type of the accesses (`axi_mem_encoding`).
    pub memory_type: u8,
}

/// Bus settings, which the generations have in two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// U55 and U65: counters 0 and 1 of AXI0, 2 and 3 of AXI1.
    Counters([AxiLimit; 4]),
    /// U85: attributes, and limits per kind of port.
    Ports {
        /// The four attributes.
        attributes: [MemoryAttribute; 4],
        /// Limits of an SRAM port.
        sram: AxiLimit,
        /// Limits of an EXT port.
        external: AxiLimit,
    },
}

/// Settings of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverConfig {
    /// The NPU runs in the secure state.
    pub secure: bool,
    /// The NPU runs privileged.
    pub privileged: bool,
    /// Attribute or counter for fetching commands (QCONFIG), 0 to 3.
    pub queue: u8,
    /// Attribute or counter of each region (REGIONCFG), 0 to 3: 0 and 1 are AXI0 or SRAM, 2 and 3
    /// are AXI1 or EXT.
    pub regions: [u8; 8],
    /// Bus limits.
    pub limits: Limits,
    /// U85: cycles of the MAC array's power ramp, 0 to 63.
    pub power_ramp: u8,
    /// Reads of STATUS until a reset counts as stuck.
    pub reset_polls: u32,
}

impl DriverConfig {
    /// The defaults of Arm's core driver, which suit memory mode `Shared_Sram`.
    pub const fn new(generation: Generation) -> DriverConfig {
        let limits = match generation {
            Generation::U55 => Limits::Counters([axi_limit(Burst::B64, 32, 16); 4]),
            Generation::U65 => Limits::Counters([axi_limit(Burst::B64, 64, 32); 4]),
            Generation::U85 => Limits::Ports {
                attributes: [attribute(false), attribute(false), attribute(true), attribute(true)],
                sram: axi_limit(Burst::B256, 12, 16),
                external: axi_limit(Burst::B256, 64, 32),
            },
        };
        DriverConfig {
            secure: true,
            privileged: true,
            queue: 2,
            regions: [3, if matches!(generation, Generation::U65) { 2 } else { 0 }, 1, 1, 1, 1, 1, 1],
            limits,
            power_ramp: 0,
            reset_polls: 100_000,
        }
    }

    /// The same with the ports as ExecuTorch sets them for a memory mode.
    pub const fn memory_mode(mut self, mode: MemoryMode) -> DriverConfig {
        match mode {
            MemoryMode::SramOnly => {
                self.queue = 1;
                self.regions = [1, 0, 0, 0, 0, 0, 0, 0];
            }
            MemoryMode::SharedSram => {}
            MemoryMode::DedicatedSram => {
                self.queue = 3;
                self.regions = [3, 3, 0, 0, 0, 0, 0, 0];
            }
        }
        self
    }
}

const fn axi_limit(burst: Burst, reads: u8, writes: u8) -> AxiLimit {
    AxiLimit { burst, memory_type: 0, reads, writes }
}

const fn attribute(external: bool) -> MemoryAttribute {
    MemoryAttribute { domain: 0, external, memory_type: 0 }
}

impl AxiLimit {
    const fn beats(&self) -> u32 {
        match self.burst {
            Burst::B64 => 0,
            Burst::B128 => 1,
            Burst::B256 => 2,
        }
    }

    /// The word of AXI_LIMIT0 to 3.
    pub(crate) const fn counter_word(&self, generation: Generation) -> u32 {
        use fields::axi_limit0 as f;
        let (reads, writes) = match generation {
            Generation::U55 => (f::MAX_OUTSTANDING_READ_M1_U55, f::MAX_OUTSTANDING_WRITE_M1_U55),
            _ => (f::MAX_OUTSTANDING_READ_M1_U65, f::MAX_OUTSTANDING_WRITE_M1_U65),
        };
        f::MAX_BEATS.at(self.beats())
            | f::MEMTYPE.at(self.memory_type as u32)
            | reads.at(self.reads.saturating_sub(1) as u32)
            | writes.at(self.writes.saturating_sub(1) as u32)
    }

    /// The word of AXI_SRAM and AXI_EXT.
    pub(crate) const fn port_word(&self) -> u32 {
        use fields::axi_sram as f;
        f::MAX_OUTSTANDING_READ_M1.at(self.reads.saturating_sub(1) as u32)
            | f::MAX_OUTSTANDING_WRITE_M1.at(self.writes.saturating_sub(1) as u32)
            | f::MAX_BEATS.at(self.beats())
    }
}

impl MemoryAttribute {
    /// The word of MEM_ATTR.
    pub(crate) const fn word(&self) -> u32 {
        use fields::mem_attr as f;
        f::MEM_DOMAIN.at(self.domain as u32)
            | f::AXI_PORT.at(self.external as u32)
            | f::MEMTYPE.at(self.memory_type as u32)
    }
}
