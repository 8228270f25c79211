//! The system around an NPU: clock, memories behind its AXI ports, and which data lies in which of them.
//!
//! These are the two kinds of section in a `vela.ini`: `System_Config.NAME` and `Memory_Mode.NAME`. The
//! ones that Arm publishes are built in ([`SYSTEM_CONFIGS`], [`MEMORY_MODES`]); a file adds others. The
//! numbers drive cycle estimates and placement, never results.

use core::fmt;

use crate::{Accelerator, Generation};

/// A kind of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// On-chip RAM.
    Sram,
    /// Off-chip RAM.
    Dram,
    /// On-chip flash: read only, with the timing of the SRAM.
    OnChipFlash,
    /// Off-chip flash: read only.
    OffChipFlash,
}

impl MemoryKind {
    /// All kinds.
    pub const ALL: [MemoryKind; 4] =
        [MemoryKind::Sram, MemoryKind::Dram, MemoryKind::OnChipFlash, MemoryKind::OffChipFlash];

    /// The name in a `vela.ini`.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryKind::Sram => "Sram",
            MemoryKind::Dram => "Dram",
            MemoryKind::OnChipFlash => "OnChipFlash",
            MemoryKind::OffChipFlash => "OffChipFlash",
        }
    }

    /// Whether the NPU can write there.
    pub const fn writable(self) -> bool {
        matches!(self, MemoryKind::Sram | MemoryKind::Dram)
    }
}

/// A memory as the NPU sees it through a port.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemorySpec {
    /// What it is.
    pub kind: MemoryKind,
    /// Its clock as a fraction of the NPU's.
    pub clock_scale: f64,
    /// The longest burst in bytes.
    pub burst_length: u32,
    /// NPU cycles from a read request to the first data.
    pub read_latency: u32,
    /// NPU cycles from a write request to its end.
    pub write_latency: u32,
    /// AXI ports used at once (Ethos-U85).
    pub ports_used: u32,
    /// Reads outstanding at once.
    pub max_reads: u32,
    /// Writes outstanding at once.
    pub max_writes: u32,
}

/// One `System_Config`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemConfig<'a> {
    /// Its name, without `System_Config.`.
    pub name: &'a str,
    /// The NPU's clock in Hz.
    pub core_clock: f64,
    /// The memory behind AXI0 (U85: the SRAM ports).
    pub axi0: MemorySpec,
    /// The memory behind AXI1 (U85: the EXT ports).
    pub axi1: MemorySpec,
}

/// A group of AXI ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Port {
    /// AXI0, on U85 SRAM.
    Axi0,
    /// AXI1, on U85 EXT.
    Axi1,
}

/// One `Memory_Mode`: behind which port each region of a stream lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryMode<'a> {
    /// Its name, without `Memory_Mode.`.
    pub name: &'a str,
    /// Weights, scales, tables: region 0.
    pub constants: Port,
    /// Feature maps: region 1.
    pub arena: Port,
    /// Fast staging memory: region 2, where it differs from the arena.
    pub cache: Port,
    /// Bytes that the cache or arena in SRAM may have; `None` for no limit.
    pub cache_size: Option<u64>,
}

impl SystemConfig<'_> {
    /// The memory behind a port.
    pub fn memory(&self, port: Port) -> &MemorySpec {
        match port {
            Port::Axi0 => &self.axi0,
            Port::Axi1 => &self.axi1,
        }
    }

    /// Bytes per NPU cycle of the memory behind `port`: clock scale × ports used × bytes of an AXI port.
    pub fn bytes_per_cycle(&self, generation: Generation, port: Port) -> f64 {
        // 64-bit ports on U55, 128-bit ones on U65 and U85.
        let width = if matches!(generation, Generation::U55) { 8.0 } else { 16.0 };
        let memory = self.memory(port);
        memory.clock_scale * f64::from(memory.ports_used.max(1)) * width
    }
}

impl MemoryMode<'_> {
    /// The port behind which region `index` of a stream lies. Regions above 2 (memory to memory, or the
    /// inputs and outputs of streams with separate ones) lie where the arena does.
    pub fn port_of_region(&self, index: usize) -> Port {
        match index {
            0 => self.constants,
            2 => self.cache,
            _ => self.arena,
        }
    }

    /// Whether fast staging memory of its own is used.
    pub fn dedicated_cache(&self) -> bool {
        self.cache != self.arena
    }
}

const fn sram(burst: u32, latency: u32, ports_used: u32, max: u32) -> MemorySpec {
    MemorySpec {
        kind: MemoryKind::Sram,
        clock_scale: 1.0,
        burst_length: burst,
        read_latency: latency,
        write_latency: latency,
        ports_used,
        max_reads: max,
        max_writes: max,
    }
}

const fn flash(clock_scale: f64, read_latency: u32) -> MemorySpec {
    MemorySpec {
        kind: MemoryKind::OffChipFlash,
        clock_scale,
        burst_length: 128,
        read_latency,
        write_latency: 0,
        ports_used: 1,
        max_reads: 2,
        max_writes: 0,
    }
}

const fn dram(clock_scale: f64, ports_used: u32, max_reads: u32) -> MemorySpec {
    MemorySpec {
        kind: MemoryKind::Dram,
        clock_scale,
        burst_length: 128,
        read_latency: 500,
        write_latency: 250,
        ports_used,
        max_reads,
        max_writes: max_reads / 2,
    }
}

const fn system(name: &'static str, mhz: u32, axi0: MemorySpec, axi1: MemorySpec) -> SystemConfig<'static> {
    SystemConfig { name, core_clock: mhz as f64 * 1e6, axi0, axi1 }
}

/// The system configurations that Arm publishes with Vela 5.2.0.
pub const SYSTEM_CONFIGS: &[SystemConfig<'static>] = &[
    system("Ethos_U55_Deep_Embedded", 200, sram(32, 32, 1, 8), flash(0.0625, 64)),
    system("Ethos_U55_High_End_Embedded", 500, sram(32, 32, 1, 4), flash(0.125, 64)),
    system("Ethos_U65_Embedded", 500, sram(32, 32, 1, 8), flash(0.0625, 64)),
    system("Ethos_U65_Mid_End", 500, sram(32, 32, 1, 8), dram(0.46875, 1, 12)),
    system("Ethos_U65_High_End", 1000, sram(32, 32, 1, 16), dram(0.234375, 1, 24)),
    system("Ethos_U65_Client_Server", 1000, sram(32, 32, 1, 16), dram(0.75, 1, 24)),
    system("Ethos_U85_SYS_Flash_Low", 200, sram(64, 8, 2, 8), flash(0.0625, 32)),
    system("Ethos_U85_SYS_Flash_High", 500, sram(64, 32, 2, 8), flash(0.0625, 64)),
    system("Ethos_U85_SYS_DRAM_Low", 500, sram(64, 16, 2, 8), dram(0.46875, 1, 24)),
    system("Ethos_U85_SYS_DRAM_Mid", 1000, sram(64, 32, 2, 8), dram(0.75, 1, 64)),
    system("Ethos_U85_SYS_DRAM_High", 1000, sram(64, 32, 4, 8), dram(0.75, 2, 64)),
];

const fn mode(
    name: &'static str,
    constants: Port,
    arena: Port,
    cache_size: Option<u64>,
) -> MemoryMode<'static> {
    MemoryMode { name, constants, arena, cache: Port::Axi0, cache_size }
}

/// The memory modes that Arm publishes with Vela 5.2.0.
pub const MEMORY_MODES: &[MemoryMode<'static>] = &[
    mode("Sram_Only", Port::Axi0, Port::Axi0, None),
    mode("Shared_Sram", Port::Axi1, Port::Axi0, None),
    mode("Dedicated_Sram", Port::Axi1, Port::Axi1, None),
    mode("Dedicated_Sram_256KB", Port::Axi1, Port::Axi1, Some(256 << 10)),
    mode("Dedicated_Sram_384KB", Port::Axi1, Port::Axi1, Some(384 << 10)),
    mode("Dedicated_Sram_512KB", Port::Axi1, Port::Axi1, Some(512 << 10)),
];

/// The built-in system configuration of that name.
pub fn system_config(name: &str) -> Option<SystemConfig<'static>> {
    SYSTEM_CONFIGS.iter().find(|config| config.name == name).copied()
}

/// The built-in memory mode of that name.
pub fn memory_mode(name: &str) -> Option<MemoryMode<'static>> {
    MEMORY_MODES.iter().find(|mode| mode.name == name).copied()
}

/// The system and memory mode that upstream compiles for if none is given.
pub fn defaults(accelerator: Accelerator) -> (SystemConfig<'static>, MemoryMode<'static>) {
    let system = system_config(accelerator.default_system_config()).unwrap_or(SYSTEM_CONFIGS[0]);
    let mode = memory_mode(accelerator.default_memory_mode()).unwrap_or(MEMORY_MODES[0]);
    (system, mode)
}

/// Why a system and a memory mode do not go together: the rules that Vela has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPlacement {
    /// The key of the memory mode that is at fault.
    pub key: &'static str,
    /// The memory that it names through its port.
    pub found: MemoryKind,
    /// The memories that would do.
    pub valid: &'static str,
}

impl fmt::Display for BadPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is {} with this system configuration, it must be {}: choose another memory mode or system configuration",
            self.key,
            self.found.name(),
            self.valid
        )
    }
}

/// Checks that feature maps are placed in memory that can be written and the cache in SRAM.
pub fn check(system: &SystemConfig<'_>, mode: &MemoryMode<'_>) -> Result<(), BadPlacement> {
    let arena = system.memory(mode.arena).kind;
    if !arena.writable() {
        return Err(BadPlacement { key: "arena_mem_area", found: arena, valid: "Sram or Dram" });
    }
    let cache = system.memory(mode.cache).kind;
    if cache != MemoryKind::Sram {
        return Err(BadPlacement { key: "cache_mem_area", found: cache, valid: "Sram" });
    }
    Ok(())
}

/// What is wrong in a `vela.ini`, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IniError<'a> {
    /// Line, counted from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// Section, without brackets; empty outside of any.
    pub section: &'a str,
    /// What is wrong there.
    pub kind: IniErrorKind<'a>,
}

/// Kinds of error in a `vela.ini`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IniErrorKind<'a> {
    /// No section of that name.
    NoSection(&'a str),
    /// A line that is neither a section, a comment nor `key=value`.
    Syntax,
    /// A key that such a section does not have.
    UnknownKey {
        /// The key.
        key: &'a str,
        /// Those that it may have.
        valid: &'static str,
    },
    /// A key that is needed and absent, also from the sections inherited.
    Absent(&'static str),
    /// A value that is not of the kind the key takes.
    BadValue {
        /// The key.
        key: &'a str,
        /// Its value.
        value: &'a str,
        /// What it takes.
        valid: &'static str,
    },
    /// `inherit` leads round in a circle or through more than 16 sections.
    InheritanceLoop,
}

impl fmt::Display for IniError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if !self.section.is_empty() {
            write!(f, "[{}]: ", self.section)?;
        }
        match self.kind {
            IniErrorKind::NoSection(name) => write!(f, "there is no section [{name}]"),
            IniErrorKind::Syntax => {
                f.write_str("a line must be [section], key=value, or a comment after ; or #")
            }
            IniErrorKind::UnknownKey { key, valid } => write!(f, "unknown key {key:?}; valid keys: {valid}"),
            IniErrorKind::Absent(key) => write!(f, "{key} is absent, here and in the sections it inherits"),
            IniErrorKind::BadValue { key, value, valid } => write!(f, "{key}={value}: it takes {valid}"),
            IniErrorKind::InheritanceLoop => f.write_str("inherit leads round in a circle"),
        }
    }
}

const SYSTEM_KEYS: &str = "inherit, core_clock, axi0_port, axi1_port, and MEMORY_{clock_scale, burst_length, read_latency, \
     write_latency, ports_used, max_reads, max_writes} with MEMORY one of Sram, Dram, OnChipFlash, OffChipFlash";
const MODE_KEYS: &str = "inherit, const_mem_area, arena_mem_area, cache_mem_area, arena_cache_size";
const MEMORY_KEYS: [&str; 7] =
    ["clock_scale", "burst_length", "read_latency", "write_latency", "ports_used", "max_reads", "max_writes"];

/// A `vela.ini`, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Ini<'a> {
    text: &'a str,
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    line: usize,
    key: &'a str,
    value: &'a str,
}

enum Line<'a> {
    Section(&'a str),
    Entry(Entry<'a>),
    Nothing,
    Bad(usize),
}

impl<'a> Ini<'a> {
    /// A file's text; each look-up checks the sections that it goes through.
    pub fn new(text: &'a str) -> Ini<'a> {
        Ini { text }
    }

    fn lines(&self) -> impl Iterator<Item = Line<'a>> + use<'a> {
        self.text.lines().enumerate().map(|(i, raw)| {
            let line = raw.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                return Line::Nothing;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                return Line::Section(name.trim());
            }
            match line.split_once(['=', ':']) {
                Some((key, value)) if !key.trim().is_empty() => {
                    Line::Entry(Entry { line: i + 1, key: key.trim(), value: value.trim() })
                }
                _ => Line::Bad(i + 1),
            }
        })
    }

    /// The names of the sections that start with `prefix`, as `System_Config.`, without it.
    pub fn names(&self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.lines().filter_map(move |line| match line {
            Line::Section(name) => name.strip_prefix(prefix),
            _ => None,
        })
    }

    fn entries(&self, prefix: &str, name: &str) -> Option<impl Iterator<Item = Line<'a>> + use<'a>> {
        let mut lines = self.lines();
        lines
            .find(|line| matches!(line, Line::Section(found) if found.strip_prefix(prefix) == Some(name)))?;
        Some(lines.take_while(|line| !matches!(line, Line::Section(_))))
    }

    /// The value of `key` in a section or in those that it inherits.
    fn find(&self, prefix: &str, name: &'a str, key: &str) -> Result<Option<Entry<'a>>, IniError<'a>> {
        let mut section = name;
        for _ in 0..16 {
            let mut inherit = None;
            let no_section = IniError { line: 0, section: "", kind: IniErrorKind::NoSection(section) };
            let mut found = None;
            for line in self.entries(prefix, section).ok_or(no_section)? {
                match line {
                    Line::Bad(line) => return Err(IniError { line, section, kind: IniErrorKind::Syntax }),
                    // Option names are not case sensitive (Python's configparser, which Vela uses).
                    Line::Entry(entry) if entry.key.eq_ignore_ascii_case(key) => found = Some(entry),
                    Line::Entry(entry) if entry.key.eq_ignore_ascii_case("inherit") => {
                        inherit = Some(entry.value.strip_prefix(prefix).unwrap_or(entry.value));
                    }
                    _ => {}
                }
            }
            match (found, inherit) {
                (Some(entry), _) => return Ok(Some(entry)),
                (None, Some(next)) => section = next,
                (None, None) => return Ok(None),
            }
        }
        Err(IniError { line: 0, section: name, kind: IniErrorKind::InheritanceLoop })
    }

    fn check_keys(
        &self,
        prefix: &str,
        name: &'a str,
        valid: &'static str,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<(), IniError<'a>> {
        let no_section = IniError { line: 0, section: "", kind: IniErrorKind::NoSection(name) };
        for line in self.entries(prefix, name).ok_or(no_section)? {
            match line {
                Line::Bad(line) => return Err(IniError { line, section: name, kind: IniErrorKind::Syntax }),
                Line::Entry(Entry { line, key, .. }) if !is_known(key) => {
                    return Err(IniError {
                        line,
                        section: name,
                        kind: IniErrorKind::UnknownKey { key, valid },
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The system configuration `name` of the file.
    ///
    /// # Errors
    /// Says which line, section and key is at fault, and what would be valid.
    pub fn system_config(&self, name: &'a str) -> Result<SystemConfig<'a>, IniError<'a>> {
        const PREFIX: &str = "System_Config.";
        self.check_keys(PREFIX, name, SYSTEM_KEYS, |key| {
            let plain = ["inherit", "core_clock", "axi0_port", "axi1_port"];
            plain.iter().any(|known| key.eq_ignore_ascii_case(known))
                || key.split_once('_').is_some_and(|(memory, field)| {
                    MemoryKind::ALL.iter().any(|kind| memory.eq_ignore_ascii_case(kind.name()))
                        && MEMORY_KEYS.iter().any(|known| field.eq_ignore_ascii_case(known))
                })
        })?;
        let get = |key: &str| self.find(PREFIX, name, key);
        let absent = |key| IniError { line: 0, section: name, kind: IniErrorKind::Absent(key) };
        let bad = |entry: Entry<'a>, valid| IniError {
            line: entry.line,
            section: name,
            kind: IniErrorKind::BadValue { key: entry.key, value: entry.value, valid },
        };
        let clock = get("core_clock")?.ok_or(absent("core_clock"))?;
        let core_clock = clock.value.parse::<f64>().ok().filter(|hz| hz.is_finite() && *hz > 0.0);
        let core_clock = core_clock.ok_or(bad(clock, "a frequency in Hz above 0, as 500e6"))?;

        let memory = |port: &'static str| -> Result<MemorySpec, IniError<'a>> {
            let entry = get(port)?.ok_or(absent(port))?;
            let kind = MemoryKind::ALL.into_iter().find(|kind| kind.name() == entry.value);
            let kind = kind.ok_or(bad(entry, "Sram, Dram, OnChipFlash or OffChipFlash"))?;
            // What is absent has Vela's default.
            let mut spec = MemorySpec {
                kind,
                clock_scale: 1.0,
                burst_length: 1,
                read_latency: 0,
                write_latency: 0,
                ports_used: 1,
                max_reads: 1,
                max_writes: 1,
            };
            for field in MEMORY_KEYS {
                let Some(entry) = self.find_memory(PREFIX, name, kind, field)? else { continue };
                if field == "clock_scale" {
                    let scale = entry.value.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
                    spec.clock_scale = scale.ok_or(bad(entry, "a number above 0"))?;
                    continue;
                }
                let number = entry.value.parse::<u32>().map_err(|_| bad(entry, "a whole number"))?;
                match field {
                    "burst_length" if number == 0 => return Err(bad(entry, "a whole number above 0")),
                    "burst_length" => spec.burst_length = number,
                    "read_latency" => spec.read_latency = number,
                    "write_latency" => spec.write_latency = number,
                    "ports_used" => spec.ports_used = number.max(1),
                    "max_reads" => spec.max_reads = number,
                    _ => spec.max_writes = number,
                }
            }
            Ok(spec)
        };
        Ok(SystemConfig { name, core_clock, axi0: memory("axi0_port")?, axi1: memory("axi1_port")? })
    }

    fn find_memory(
        &self,
        prefix: &str,
        name: &'a str,
        kind: MemoryKind,
        field: &str,
    ) -> Result<Option<Entry<'a>>, IniError<'a>> {
        // `KIND_field` put together in place: the longest is 12 + 1 + 13 bytes.
        let mut key = [0u8; 32];
        let parts = kind.name().bytes().chain([b'_']).chain(field.bytes());
        let mut len = 0;
        for (to, from) in key.iter_mut().zip(parts) {
            *to = from;
            len += 1;
        }
        let key = key.get(..len).and_then(|key| core::str::from_utf8(key).ok()).unwrap_or_default();
        self.find(prefix, name, key)
    }

    /// The memory mode `name` of the file.
    ///
    /// # Errors
    /// Says which line, section and key is at fault, and what would be valid.
    pub fn memory_mode(&self, name: &'a str) -> Result<MemoryMode<'a>, IniError<'a>> {
        const PREFIX: &str = "Memory_Mode.";
        self.check_keys(PREFIX, name, MODE_KEYS, |key| {
            ["inherit", "const_mem_area", "arena_mem_area", "cache_mem_area", "arena_cache_size"]
                .iter()
                .any(|known| key.eq_ignore_ascii_case(known))
        })?;
        let bad = |entry: Entry<'a>, valid| IniError {
            line: entry.line,
            section: name,
            kind: IniErrorKind::BadValue { key: entry.key, value: entry.value, valid },
        };
        let port = |key: &'static str| -> Result<Port, IniError<'a>> {
            let absent = IniError { line: 0, section: name, kind: IniErrorKind::Absent(key) };
            let entry = self.find(PREFIX, name, key)?.ok_or(absent)?;
            match entry.value {
                "Axi0" => Ok(Port::Axi0),
                "Axi1" => Ok(Port::Axi1),
                _ => Err(bad(entry, "Axi0 or Axi1")),
            }
        };
        let cache_size = match self.find(PREFIX, name, "arena_cache_size")? {
            None => None,
            Some(entry) => Some(entry.value.parse().map_err(|_| bad(entry, "a whole number of bytes"))?),
        };
        Ok(MemoryMode {
            name,
            constants: port("const_mem_area")?,
            arena: port("arena_mem_area")?,
            cache: port("cache_mem_area")?,
            cache_size,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    const TEXT: &str = "\
; a comment
[System_Config.Base]
core_clock=400e6
axi0_port = Sram
axi1_port=Dram
Sram_clock_scale=1.0
Sram_burst_length=32
dram_clock_scale=0.5
Dram_burst_length=128
Dram_read_latency=500
[System_Config.Fast]
inherit=System_Config.Base
core_clock: 1e9
[Memory_Mode.Mine]
const_mem_area=Axi1
arena_mem_area=Axi0
cache_mem_area=Axi0
arena_cache_size=1000
[Memory_Mode.Loop]
inherit=Memory_Mode.Loop
";

    #[test]
    fn a_section_inherits_what_it_does_not_state() {
        let ini = Ini::new(TEXT);
        let fast = ini.system_config("Fast").unwrap();
        assert_eq!(fast.core_clock, 1e9);
        assert_eq!(fast.axi1.kind, MemoryKind::Dram);
        assert_eq!((fast.axi1.clock_scale, fast.axi1.read_latency), (0.5, 500));
        assert_eq!(fast.bytes_per_cycle(Generation::U65, Port::Axi1), 8.0);
        assert_eq!(ini.memory_mode("Mine").unwrap().cache_size, Some(1000));
        assert!(ini.names("System_Config.").eq(["Base", "Fast"]));
    }

    #[test]
    fn errors_name_line_section_key_and_what_is_valid() {
        let ini = Ini::new(TEXT);
        assert_eq!(ini.memory_mode("Loop").unwrap_err().kind, IniErrorKind::InheritanceLoop);
        assert_eq!(ini.system_config("No").unwrap_err().to_string(), "there is no section [No]");
        let text = "[System_Config.A]\ncore_clock=fast\n";
        let message = Ini::new(text).system_config("A").unwrap_err().to_string();
        assert_eq!(message, "line 2: [A]: core_clock=fast: it takes a frequency in Hz above 0, as 500e6");
        let text = "[Memory_Mode.A]\nconst_area=Axi0\n";
        let message = Ini::new(text).memory_mode("A").unwrap_err().to_string();
        assert!(
            message.contains("unknown key \"const_area\"; valid keys: inherit, const_mem_area"),
            "{message}"
        );
        let text = "[Memory_Mode.A]\nnonsense\n";
        assert_eq!(Ini::new(text).memory_mode("A").unwrap_err().kind, IniErrorKind::Syntax);
    }

    #[test]
    fn flash_takes_no_feature_maps() {
        let embedded = system_config("Ethos_U65_Embedded").unwrap();
        let dedicated = memory_mode("Dedicated_Sram").unwrap();
        let error = check(&embedded, &dedicated).unwrap_err();
        assert!(error.to_string().contains("arena_mem_area is OffChipFlash"), "{error}");
        for accelerator in Accelerator::ALL {
            let (system, mode) = defaults(accelerator);
            assert_eq!(system.name, accelerator.default_system_config());
            assert_eq!(mode.name, accelerator.default_memory_mode());
            assert_eq!(check(&system, &mode), Ok(()));
        }
    }
}
