//! The eleven configurations that Arm offers, and what each is made of.

use core::fmt;
use core::str::FromStr;

use crate::{Generation, cmd};

/// Shape of a microblock of the output: the piece that the MAC array works on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ublock {
    /// Rows.
    pub height: u8,
    /// Columns.
    pub width: u8,
    /// Channels.
    pub depth: u8,
}

const fn ublock(height: u8, width: u8, depth: u8) -> Ublock {
    Ublock { height, width, depth }
}

/// Internal memories of an Ethos-U85 in bytes. (U55 and U65 have one SHRAM for all of this.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rams {
    /// Input buffer.
    pub ifm: u32,
    /// Accumulators.
    pub accumulators: u32,
    /// Chain buffer.
    pub chain: u32,
    /// Output buffer.
    pub ofm: u32,
    /// Look-up tables.
    pub lut: u32,
}

/// What a configuration is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// Full name, as on Vela's command line.
    pub name: &'static str,
    /// Generation.
    pub generation: Generation,
    /// 8-bit multiply-accumulates per cycle of one core.
    pub macs_per_core: u32,
    /// Cores that work in parallel.
    pub cores: u32,
    /// Weight decoders: streams that the weights of one operation may be split into.
    pub weight_decoders: u32,
    /// SHRAM of one core in KiB (banks of 1 KiB); 0 on U85.
    pub shram_kib_per_core: u32,
    /// Memories of a U85.
    pub rams: Option<Rams>,
    /// Width of an AXI port in bits.
    pub axi_bits: u32,
    /// Ports AXI0/SRAM.
    pub axi_sram_ports: u32,
    /// Ports AXI1/EXT.
    pub axi_ext_ports: u32,
    /// Microblocks of the output, U85 has a choice.
    pub ublocks: &'static [Ublock],
}

/// One of the eleven configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Accelerator {
    /// Ethos-U55 with 32 MACs.
    U55_32,
    /// Ethos-U55 with 64 MACs.
    U55_64,
    /// Ethos-U55 with 128 MACs.
    U55_128,
    /// Ethos-U55 with 256 MACs.
    U55_256,
    /// Ethos-U65 with 256 MACs, one core.
    U65_256,
    /// Ethos-U65 with 512 MACs, two cores.
    U65_512,
    /// Ethos-U85 with 128 MACs.
    U85_128,
    /// Ethos-U85 with 256 MACs.
    U85_256,
    /// Ethos-U85 with 512 MACs.
    U85_512,
    /// Ethos-U85 with 1024 MACs.
    U85_1024,
    /// Ethos-U85 with 2048 MACs.
    U85_2048,
}

const fn u5x(
    name: &'static str,
    generation: Generation,
    macs_per_core: u32,
    cores: u32,
    shram_kib_per_core: u32,
    ublocks: &'static [Ublock],
) -> Spec {
    Spec {
        name,
        generation,
        macs_per_core,
        cores,
        weight_decoders: cores,
        shram_kib_per_core,
        rams: None,
        axi_bits: if generation.product() == 0 { 64 } else { 128 },
        axi_sram_ports: 1,
        axi_ext_ports: 1,
        ublocks,
    }
}

const fn u85(
    name: &'static str,
    macs_per_core: u32,
    weight_decoders: u32,
    (axi_sram_ports, axi_ext_ports): (u32, u32),
    (ifm, accumulators, chain, ofm): (u32, u32, u32, u32),
    ublocks: &'static [Ublock],
) -> Spec {
    Spec {
        name,
        generation: Generation::U85,
        macs_per_core,
        cores: 1,
        weight_decoders,
        shram_kib_per_core: 0,
        rams: Some(Rams { ifm, accumulators, chain, ofm, lut: 2048 }),
        axi_bits: 128,
        axi_sram_ports,
        axi_ext_ports,
        ublocks,
    }
}

static U55_32: Spec = u5x("ethos-u55-32", Generation::U55, 32, 1, 16, &[ublock(1, 1, 4)]);
static U55_64: Spec = u5x("ethos-u55-64", Generation::U55, 64, 1, 16, &[ublock(1, 1, 8)]);
static U55_128: Spec = u5x("ethos-u55-128", Generation::U55, 128, 1, 24, &[ublock(1, 2, 8)]);
static U55_256: Spec = u5x("ethos-u55-256", Generation::U55, 256, 1, 48, &[ublock(2, 2, 8)]);
static U65_256: Spec = u5x("ethos-u65-256", Generation::U65, 256, 1, 48, &[ublock(2, 2, 8)]);
static U65_512: Spec = u5x("ethos-u65-512", Generation::U65, 256, 2, 48, &[ublock(2, 2, 8)]);
static U85_128: Spec = u85(
    "ethos-u85-128",
    128,
    1,
    (2, 1),
    (8 << 10, 8 << 10, 768, 2 << 10),
    &[ublock(1, 2, 8), ublock(1, 1, 16)],
);
static U85_256: Spec = u85(
    "ethos-u85-256",
    256,
    1,
    (2, 1),
    (16 << 10, 16 << 10, 1536, 2 << 10),
    &[ublock(1, 2, 16), ublock(1, 4, 8), ublock(2, 2, 8)],
);
static U85_512: Spec = u85(
    "ethos-u85-512",
    512,
    2,
    (2, 1),
    (16 << 10, 32 << 10, 3 << 10, 4 << 10),
    &[ublock(2, 2, 16), ublock(1, 4, 16)],
);
static U85_1024: Spec = u85(
    "ethos-u85-1024",
    1024,
    4,
    (2, 2),
    (16 << 10, 64 << 10, 6 << 10, 4 << 10),
    &[ublock(2, 2, 32), ublock(1, 4, 32), ublock(2, 4, 16)],
);
static U85_2048: Spec = u85(
    "ethos-u85-2048",
    2048,
    4,
    (4, 2),
    (32 << 10, 128 << 10, 12 << 10, 8 << 10),
    &[ublock(2, 2, 64), ublock(1, 4, 64), ublock(4, 4, 16)],
);

impl Accelerator {
    /// All configurations, smallest first within a generation.
    pub const ALL: [Accelerator; 11] = [
        Accelerator::U55_32,
        Accelerator::U55_64,
        Accelerator::U55_128,
        Accelerator::U55_256,
        Accelerator::U65_256,
        Accelerator::U65_512,
        Accelerator::U85_128,
        Accelerator::U85_256,
        Accelerator::U85_512,
        Accelerator::U85_1024,
        Accelerator::U85_2048,
    ];

    /// What the configuration is made of.
    pub const fn spec(self) -> &'static Spec {
        match self {
            Accelerator::U55_32 => &U55_32,
            Accelerator::U55_64 => &U55_64,
            Accelerator::U55_128 => &U55_128,
            Accelerator::U55_256 => &U55_256,
            Accelerator::U65_256 => &U65_256,
            Accelerator::U65_512 => &U65_512,
            Accelerator::U85_128 => &U85_128,
            Accelerator::U85_256 => &U85_256,
            Accelerator::U85_512 => &U85_512,
            Accelerator::U85_1024 => &U85_1024,
            Accelerator::U85_2048 => &U85_2048,
        }
    }

    /// Full name: "ethos-u65-256".
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// Name without the family: "u65-256".
    pub fn short_name(self) -> &'static str {
        let name = self.name();
        name.strip_prefix("ethos-").unwrap_or(name)
    }

    /// The configuration of that name, full or short, in small or capital letters.
    pub fn from_name(name: &str) -> Option<Accelerator> {
        Accelerator::ALL
            .into_iter()
            .find(|a| name.eq_ignore_ascii_case(a.name()) || name.eq_ignore_ascii_case(a.short_name()))
    }

    /// Generation.
    pub const fn generation(self) -> Generation {
        self.spec().generation
    }

    /// 8-bit multiply-accumulates per cycle of one core.
    pub const fn macs_per_core(self) -> u32 {
        self.spec().macs_per_core
    }

    /// 8-bit multiply-accumulates per cycle of all cores: the number in the name.
    pub const fn macs(self) -> u32 {
        self.spec().macs_per_core * self.spec().cores
    }

    /// Cores that work in parallel: 2 on U65-512, else 1.
    pub const fn cores(self) -> u32 {
        self.spec().cores
    }

    /// SHRAM of all cores in KiB, 0 on U85.
    pub const fn shram_kib(self) -> u32 {
        self.spec().shram_kib_per_core * self.spec().cores
    }

    /// Copies that may be outstanding.
    pub const fn max_outstanding_dma(self) -> u32 {
        match self.generation() {
            Generation::U55 => 1,
            Generation::U65 => 2,
            Generation::U85 => 4,
        }
    }

    /// Kernel operations that may be outstanding.
    pub const fn max_outstanding_kernels(self) -> u32 {
        2
    }

    /// Largest value of `BLOCKDEP`.
    pub const fn max_blockdep(self) -> u32 {
        match self.generation() {
            Generation::U55 | Generation::U65 => 3,
            Generation::U85 => 7,
        }
    }

    /// Microblocks of the output.
    pub const fn ublocks(self) -> &'static [Ublock] {
        self.spec().ublocks
    }

    /// Byte offset of look-up table 0 in the internal memory that a copy with region mode
    /// INTERNAL writes: the last two banks of the SHRAM, or a memory of its own on U85.
    pub const fn lut_base(self) -> u32 {
        match self.spec().shram_kib_per_core {
            0 => 0,
            kib => (kib - 2) * 1024,
        }
    }

    /// Bytes of all look-up tables together.
    pub const fn lut_bytes(self) -> u32 {
        2048
    }

    /// Whether the look-up tables share banks with the accumulators, so that an operation without
    /// a table may overwrite them.
    pub const fn lut_is_volatile(self) -> bool {
        matches!(self, Accelerator::U55_32 | Accelerator::U55_64)
    }

    /// The system configuration that Vela's users get when they name none.
    pub const fn default_system_config(self) -> &'static str {
        match self.generation() {
            Generation::U55 => "Ethos_U55_High_End_Embedded",
            Generation::U65 => "Ethos_U65_High_End",
            Generation::U85 => "Ethos_U85_SYS_DRAM_Mid",
        }
    }

    /// The memory mode that ExecuTorch's flow takes when none is named.
    pub const fn default_memory_mode(self) -> &'static str {
        match self.generation() {
            Generation::U55 => "Shared_Sram",
            Generation::U65 => "Dedicated_Sram_384KB",
            Generation::U85 => "Sram_Only",
        }
    }

    /// The word that a stream carries to say what it was compiled for; the CONFIG register reads
    /// the same but for optional features.
    pub const fn config_word(self) -> u32 {
        let spec = self.spec();
        let product = spec.generation.product() << 28;
        let macs = self.macs().trailing_zeros();
        match spec.generation {
            Generation::U55 | Generation::U65 => macs | (self.shram_kib() << 8) | product,
            Generation::U85 => {
                macs | (1 << 4)
                    | (spec.axi_sram_ports.trailing_zeros() << 8)
                    | (spec.axi_ext_ports.trailing_zeros() << 10)
                    | (spec.weight_decoders.trailing_zeros() << 12)
                    | product
            }
        }
    }

    /// The configuration that a stream's configuration word or a CONFIG register names. Only the
    /// product and the MACs decide.
    pub fn from_config_word(word: u32) -> Option<Accelerator> {
        let generation = Generation::from_product(word >> 28)?;
        Accelerator::ALL
            .into_iter()
            .find(|a| a.generation() == generation && a.macs().trailing_zeros() == word & 0xf)
    }

    /// The architecture word that Vela puts beside the configuration word; the ID register of a
    /// fitting NPU has the same major and no smaller minor architecture.
    pub const fn id_word(self) -> u32 {
        match self.generation() {
            Generation::U55 | Generation::U65 => 0x1006_6001,
            Generation::U85 => 0x2000_7000,
        }
    }

    /// Whether `opcode` exists on this NPU.
    pub const fn knows(self, opcode: cmd::Opcode) -> bool {
        opcode.generations().contains(self.generation())
    }
}

impl fmt::Display for Accelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No configuration has that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownAccelerator;

impl fmt::Display for UnknownAccelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown accelerator; known are")?;
        for (i, accelerator) in Accelerator::ALL.into_iter().enumerate() {
            write!(f, "{} {accelerator}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAccelerator {}

impl FromStr for Accelerator {
    type Err = UnknownAccelerator;

    fn from_str(name: &str) -> Result<Accelerator, UnknownAccelerator> {
        Accelerator::from_name(name).ok_or(UnknownAccelerator)
    }
}
