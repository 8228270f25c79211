//! Errors of driver and backend, in words.
//!
//! An error is a small number with what it needs to be told; the words are put together only when
//! it is shown. [`NpuError`] shows the cause, [`NpuError::help`] the remedy.

use core::fmt;

use tombolo_ethosu::cmd::DecodeError;
use tombolo_ethosu::payload::PayloadError;
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::{Accelerator, Generation};
use tombolo_pte::ErrorKind;
use tombolo_runtime::{DelegateError, Dtype};

/// Why the NPU was not started, or what stopped it. Positions are byte offsets in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NpuError {
    /// The CONFIG register names no known generation.
    UnknownProduct {
        /// What CONFIG reads.
        config: u32,
    },
    /// The settings given to the driver are for another generation.
    WrongSettings {
        /// The NPU's generation.
        npu: Generation,
    },
    /// Reset did not end.
    ResetTimeout {
        /// What STATUS reads.
        status: u32,
    },
    /// Reset did not bring the security or privilege asked for.
    AccessState {
        /// What PROT reads.
        found: u32,
        /// What was asked for.
        wanted: u32,
    },
    /// The stream was compiled for another NPU.
    WrongNpu {
        /// The stream's configuration word.
        stream: u32,
        /// The NPU's CONFIG register.
        npu: u32,
    },
    /// The same accelerator, but of another build: ports, stream version or added DMA differ.
    WrongBuild {
        /// The stream's configuration word.
        stream: u32,
        /// The NPU's CONFIG register.
        npu: u32,
    },
    /// The stream was compiled for another version of the architecture.
    WrongArchitecture {
        /// The stream's architecture word.
        stream: u32,
        /// The NPU's ID register.
        npu: u32,
    },
    /// The stream is empty, not a whole number of words, or too long for QSIZE.
    StreamLength {
        /// Its bytes.
        bytes: usize,
    },
    /// The stream or a region does not start at a multiple of 16.
    Misaligned {
        /// The region, `None`: the stream.
        region: Option<u8>,
        /// The address that the NPU would see.
        address: u64,
    },
    /// The stream or a region lies beyond the addresses that the NPU has.
    Unreachable {
        /// The region, `None`: the stream.
        region: Option<u8>,
        /// The address of its end.
        address: u64,
        /// The bits that addresses have.
        bits: u8,
    },
    /// A memory access failed.
    Bus {
        /// The generation, which names the interfaces.
        generation: Generation,
        /// AXI0/SRAM or AXI1/EXT.
        interface: u8,
        /// What the NPU wanted.
        channel: u8,
        /// The command.
        position: u32,
    },
    /// The NPU did not understand a command.
    Parse {
        /// The command.
        position: u32,
    },
    /// The weight decoder found the weight stream damaged (U55 and U65).
    Weights {
        /// The command.
        position: u32,
    },
    /// A branch led out of the stream (U85).
    Branch {
        /// The command.
        position: u32,
    },
    /// An internal memory lost data.
    Ecc {
        /// The command.
        position: u32,
    },
    /// The NPU raised its interrupt before the end of the stream.
    NotFinished {
        /// The command.
        position: u32,
        /// What STATUS reads.
        status: u32,
    },
    /// The interrupt did not come in time.
    Timeout {
        /// The command.
        position: u32,
        /// What STATUS reads.
        status: u32,
    },
    /// This generation does not count the event.
    UnknownEvent {
        /// The event.
        event: Event,
        /// The NPU's generation.
        npu: Generation,
    },
    /// More events than the NPU has counters.
    TooManyEvents {
        /// Counters.
        counters: u8,
    },
}

/// A word for an accelerator, and the number behind it.
fn named(config: u32) -> &'static str {
    match Accelerator::from_config_word(config) {
        Some(accelerator) => accelerator.name(),
        None => "an unknown NPU",
    }
}

const CHANNELS: [&str; 16] = [
    "fetching commands",
    "reading the input",
    "fetching weights",
    "fetching scales and biases",
    "reading for a copy",
    "reading the streamed input",
    "reading the indices of a copy",
    "using channel 7",
    "writing the output",
    "writing for a copy",
    "using channel 10",
    "using channel 11",
    "using channel 12",
    "using channel 13",
    "using channel 14",
    "using channel 15",
];

const STREAM_DAMAGED: &str = "if the simulator runs the program, its memory was overwritten on the way to the NPU: check caches, and where the program lies";

impl NpuError {
    /// The error with its words, and a number that stays the same for the same kind of error.
    pub fn told(self) -> DelegateError {
        let told = |code, message, help| DelegateError::new(code, message, help);
        let place = |region: Option<u8>| match region {
            None => "the command stream",
            Some(0) => "region 0 (weights)",
            Some(1) => "region 1 (scratch)",
            Some(2) => "region 2 (fast scratch)",
            Some(3) => "region 3",
            Some(4) => "region 4",
            Some(5) => "region 5",
            Some(6) => "region 6",
            Some(_) => "region 7",
        };
        match self {
            NpuError::UnknownProduct { config } => DelegateError {
                numbers: [u64::from(config), 0, 0, 0],
                ..told(
                    1,
                    "the register block answers CONFIG with {x0}, which is no Ethos-U55, U65 or U85",
                    "check the NPU's base address, its clock, and that this security state may access it",
                )
            },
            NpuError::WrongSettings { npu } => DelegateError {
                words: [npu.name(), ""],
                ..told(
                    2,
                    "the bus limits given to the driver are not in the form of {w0}",
                    "build them with DriverConfig::new for the generation of the NPU",
                )
            },
            NpuError::ResetTimeout { status } => DelegateError {
                numbers: [u64::from(status), 0, 0, 0],
                ..told(
                    3,
                    "the NPU does not come out of reset (STATUS {x0})",
                    "check that it has clock and power, and that the bus behind it answers",
                )
            },
            NpuError::AccessState { found, wanted } => DelegateError {
                numbers: [u64::from(found), u64::from(wanted), 0, 0],
                ..told(
                    4,
                    "the NPU did not take the security and privilege asked for: PROT reads {x0} instead of {x1}",
                    "a non-secure or unprivileged CPU cannot make the NPU secure or privileged: set DriverConfig's `secure` and `privileged` to what this code may use",
                )
            },
            NpuError::WrongNpu { stream, npu } => DelegateError {
                words: [named(stream), named(npu)],
                numbers: [u64::from(stream), u64::from(npu), 0, 0],
                ..told(
                    5,
                    "this stream was compiled for {w0}, this NPU is {w1}",
                    "recompile with --target {w1}",
                )
            },
            NpuError::WrongBuild { stream, npu } => DelegateError {
                words: [named(stream), named(npu)],
                numbers: [u64::from(stream), u64::from(npu), 0, 0],
                ..told(
                    6,
                    "this stream was compiled for another build of {w1}: configuration {x0}, this NPU has {x1} (stream version, AXI ports or added DMA differ)",
                    "recompile with a compiler that knows this build of {w1}",
                )
            },
            NpuError::WrongArchitecture { stream, npu } => DelegateError {
                numbers: [
                    u64::from(stream >> 28),
                    u64::from((stream >> 20) & 0xff),
                    u64::from(npu >> 28),
                    u64::from((npu >> 20) & 0xff),
                ],
                ..told(
                    7,
                    "this stream was compiled for architecture {0}.{1}, this NPU has {2}.{3}",
                    "recompile with a compiler that writes streams for the NPU's architecture",
                )
            },
            NpuError::StreamLength { bytes } => DelegateError {
                numbers: [bytes as u64, 0, 0, 0],
                ..told(
                    8,
                    "the command stream has {0} bytes, which is not a positive multiple of 4 below 4 GiB",
                    "hand over the stream that the payload holds, all of it",
                )
            },
            NpuError::Misaligned { region, address } => DelegateError {
                words: [place(region), ""],
                numbers: [address, 0, 0, 0],
                ..told(
                    9,
                    "{w0} starts at address {x0}, which is not a multiple of 16",
                    "align it: the NPU's bus cannot start elsewhere",
                )
            },
            NpuError::Unreachable { region, address, bits } => DelegateError {
                words: [place(region), ""],
                numbers: [address, u64::from(bits), 0, 0],
                ..told(
                    10,
                    "{w0} ends at address {x0}, but this NPU's addresses have {1} bits",
                    "place it lower, or translate addresses in Npu::address",
                )
            },
            NpuError::Bus { generation, interface, channel, position } => DelegateError {
                words: [
                    match (generation, interface) {
                        (Generation::U85, 0) => "an SRAM port",
                        (Generation::U85, _) => "an EXT port",
                        (_, 0) => "AXI0",
                        _ => "AXI1",
                    },
                    CHANNELS.get(usize::from(channel)).copied().unwrap_or("using an unknown channel"),
                ],
                numbers: [u64::from(position), 0, 0, 0],
                ..told(
                    11,
                    "bus error on {w0} while {w1}; command at byte {x0} of the stream",
                    "the memory there does not answer to the NPU: check the region's address, the port that the memory mode gives it (REGIONCFG), and memory protection between NPU and memory",
                )
            },
            NpuError::Parse { position } => DelegateError {
                numbers: [u64::from(position), 0, 0, 0],
                ..told(
                    12,
                    "the NPU does not understand the command at byte {x0} of the stream",
                    STREAM_DAMAGED,
                )
            },
            NpuError::Weights { position } => DelegateError {
                numbers: [u64::from(position), 0, 0, 0],
                ..told(
                    13,
                    "the weights of the command at byte {x0} of the stream are damaged",
                    STREAM_DAMAGED,
                )
            },
            NpuError::Branch { position } => DelegateError {
                numbers: [u64::from(position), 0, 0, 0],
                ..told(14, "the branch at byte {x0} leads out of the stream", STREAM_DAMAGED)
            },
            NpuError::Ecc { position } => DelegateError {
                numbers: [u64::from(position), 0, 0, 0],
                ..told(
                    15,
                    "a memory inside the NPU lost data (ECC) near byte {x0} of the stream",
                    "run again; if it comes back, check the supply and temperature of the chip",
                )
            },
            NpuError::NotFinished { position, status } => DelegateError {
                numbers: [u64::from(position), u64::from(status), 0, 0],
                ..told(
                    16,
                    "the NPU raised its interrupt at byte {x0}, before the end of the stream (STATUS {x1})",
                    "if this was an IRQ command or a counter overflow, wait on in Npu::wait until STATUS.cmd_end_reached or a fault",
                )
            },
            NpuError::Timeout { position, status } => DelegateError {
                numbers: [u64::from(position), u64::from(status), 0, 0],
                ..told(
                    17,
                    "the NPU did not finish in time; it was at byte {x0} of the stream (STATUS {x1})",
                    "allow more time in Npu::wait, or check that its interrupt is wired and enabled",
                )
            },
            // The name of the event is left to `Display`, so that a device does not hold them all.
            NpuError::UnknownEvent { event, npu } => DelegateError {
                words: [npu.name(), ""],
                numbers: [u64::from(event.id()), 0, 0, 0],
                ..told(
                    18,
                    "{w0} does not count event {x0}",
                    "`docs/ethosu-reference.md` lists the events of each generation",
                )
            },
            NpuError::TooManyEvents { counters } => DelegateError {
                numbers: [u64::from(counters), 0, 0, 0],
                ..told(
                    19,
                    "more events were asked for than this NPU's {0} counters",
                    "ask for fewer at a time and run again for the others",
                )
            },
        }
    }

    /// What to do about it.
    pub fn help(self) -> impl fmt::Display {
        struct Help(DelegateError);
        impl fmt::Display for Help {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0.help(), f)
            }
        }
        Help(self.told())
    }
}

/// Cause, and with `{:#}` the remedy too.
impl fmt::Display for NpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.told();
        fmt::Display::fmt(&told, f)?;
        if let NpuError::UnknownEvent { event, .. } = self {
            write!(f, " ({event})")?;
        }
        if f.alternate() {
            f.write_str("; ")?;
            fmt::Display::fmt(&told.help(), f)?;
        }
        Ok(())
    }
}

impl core::error::Error for NpuError {}

/// Why a delegated part was refused, or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// The blob is no stream of Vela's.
    Blob(tombolo_pte::Error),
    /// A block is external and was not found.
    External {
        /// Which block.
        block: &'static str,
    },
    /// A block, or memory given for a region, does not start at a multiple of 16.
    BlockAlignment {
        /// What.
        block: &'static str,
        /// Its address.
        address: u64,
    },
    /// The payload is damaged.
    Payload(PayloadError),
    /// The command stream is damaged.
    Stream(DecodeError),
    /// The stream does not fit the NPU, or the NPU failed.
    Npu(NpuError),
    /// The stream needs more of a region than there is.
    Region {
        /// Which.
        region: u8,
        /// Bytes needed.
        required: u64,
        /// Bytes there are.
        available: u64,
    },
    /// The fast scratch given is too small, or none was given.
    FastScratch {
        /// Bytes needed.
        required: u64,
        /// Bytes given.
        available: u64,
    },
    /// The program keeps data between runs, and no or too little memory was given for that.
    Persistent {
        /// Bytes needed.
        required: u64,
        /// Bytes left of what was given.
        available: u64,
    },
    /// The stream writes to its constants.
    WritesConstants,
    /// The stream uses memory below the start of a region.
    BelowRegion {
        /// Which.
        region: u8,
    },
    /// The call has another number of arguments than the part has inputs and outputs.
    Arguments {
        /// Inputs.
        inputs: usize,
        /// Outputs.
        outputs: usize,
        /// Arguments.
        found: usize,
    },
    /// An argument is no tensor.
    NotATensor {
        /// Position of the argument.
        position: usize,
    },
    /// The elements of a tensor do not fit what the NPU reads or writes.
    Element {
        /// "input" or "output".
        side: &'static str,
        /// Which, from 0.
        index: usize,
        /// The tensor's element type.
        dtype: Dtype,
        /// Bytes that the NPU's elements have.
        bytes: u32,
    },
    /// A tensor has another number of elements.
    Count {
        /// "input" or "output".
        side: &'static str,
        /// Which, from 0.
        index: usize,
        /// Elements of the tensor.
        tensor: u64,
        /// Elements of the NPU's part.
        npu: u64,
    },
    /// A tensor's dimensions lie in another order.
    Order {
        /// "input" or "output".
        side: &'static str,
        /// Which, from 0.
        index: usize,
    },
    /// An input or output lies in a region that cannot hold it.
    Place {
        /// "input" or "output".
        side: &'static str,
        /// Which, from 0.
        index: usize,
        /// The region.
        region: u32,
    },
    /// The temporary arena is too small.
    Temp {
        /// Bytes needed.
        needed: usize,
        /// Bytes there are.
        available: usize,
    },
    /// A tensor has other bytes than when the method was loaded.
    Changed {
        /// "input" or "output".
        side: &'static str,
        /// Which, from 0.
        index: usize,
    },
}

impl From<NpuError> for BackendError {
    fn from(error: NpuError) -> BackendError {
        BackendError::Npu(error)
    }
}

const EXPORT_AGAIN: &str = "the program is inconsistent: export it again";

impl From<BackendError> for DelegateError {
    fn from(error: BackendError) -> DelegateError {
        let told = |code, message, help| DelegateError::new(code, message, help);
        let with = |words, numbers, error: DelegateError| DelegateError { words, numbers, ..error };
        match error {
            BackendError::Npu(error) => error.told(),
            BackendError::Blob(error) => with(
                [blob_words(error.kind), ""],
                [error.offset as u64, 0, 0, 0],
                told(
                    100,
                    "its data is not what Vela writes: byte {x0}: {w0}",
                    "load the program at a multiple of 16, or export it again: the file may be damaged",
                ),
            ),
            BackendError::External { block } => with(
                [block, ""],
                [0; 4],
                told(
                    101,
                    "its block {w0} is in an external file that was not given",
                    "give the .ptd file that was written beside the program",
                ),
            ),
            BackendError::BlockAlignment { block, address } => with(
                [block, ""],
                [address, 0, 0, 0],
                told(
                    102,
                    "its {w0} lies at address {x0}, which is not a multiple of 16",
                    "align it to 16: load the file at a multiple of 16, or give the buffer that alignment",
                ),
            ),
            BackendError::Payload(error) => {
                let (position, what) = payload_words(error);
                with(
                    [what, ""],
                    [position as u64, 0, 0, 0],
                    told(
                        103,
                        "its driver payload is damaged: byte {x0}: {w0}",
                        "export the program again; the file may be damaged",
                    ),
                )
            }
            BackendError::Stream(error) => with(
                [error.generation.name(), ""],
                [error.position as u64, u64::from(error.word), 0, 0],
                told(
                    104,
                    "its command stream holds {x1} at byte {x0}, which is no command of {w0}",
                    "export the program again; the file may be damaged",
                ),
            ),
            BackendError::Region { region, required, available } => with(
                ["", ""],
                [u64::from(region), required, available, 0],
                told(105, "its command stream uses {1} bytes of region {0}, which has {2}", EXPORT_AGAIN),
            ),
            BackendError::FastScratch { required, available } => with(
                ["", ""],
                [required, available, 0, 0],
                told(
                    106,
                    "it needs {0} bytes of fast scratch (region 2), {1} are available",
                    "give EthosUBackend a buffer of {0} bytes, or compile for a memory mode with less (Shared_Sram needs none)",
                ),
            ),
            BackendError::Persistent { required, available } => with(
                ["", ""],
                [required, available, 0, 0],
                told(
                    107,
                    "it keeps {0} bytes between runs (region 5), {1} are available",
                    "give EthosUBackend memory for that: with_persistent",
                ),
            ),
            BackendError::WritesConstants => {
                told(108, "its command stream writes to its constants (region 0)", EXPORT_AGAIN)
            }
            BackendError::BelowRegion { region } => with(
                ["", ""],
                [u64::from(region), 0, 0, 0],
                told(109, "its command stream uses memory below the start of region {0}", EXPORT_AGAIN),
            ),
            BackendError::Arguments { inputs, outputs, found } => with(
                ["", ""],
                [inputs as u64, outputs as u64, found as u64, 0],
                told(
                    110,
                    "it has {0} inputs and {1} outputs, but is called with {2} arguments",
                    EXPORT_AGAIN,
                ),
            ),
            BackendError::NotATensor { position } => with(
                ["", ""],
                [position as u64, 0, 0, 0],
                told(111, "argument {0} is no tensor", EXPORT_AGAIN),
            ),
            BackendError::Element { side, index, dtype, bytes } => with(
                [side, dtype.name()],
                [index as u64, u64::from(bytes), 0, 0],
                told(
                    112,
                    "{w0} {0} is a tensor of {w1}, but the NPU's elements have {1} bytes",
                    EXPORT_AGAIN,
                ),
            ),
            BackendError::Count { side, index, tensor, npu } => with(
                [side, ""],
                [index as u64, tensor, npu, 0],
                told(113, "{w0} {0} is a tensor of {1} elements, but the NPU's has {2}", EXPORT_AGAIN),
            ),
            BackendError::Order { side, index } => with(
                [side, ""],
                [index as u64, 0, 0, 0],
                told(
                    114,
                    "the dimensions of {w0} {0} lie in another order in memory than the NPU has them",
                    "export the program again with the same memory format for all",
                ),
            ),
            BackendError::Place { side, index, region } => with(
                [side, ""],
                [index as u64, u64::from(region), 0, 0],
                told(115, "{w0} {0} is in region {1}, which holds no inputs or outputs", EXPORT_AGAIN),
            ),
            BackendError::Temp { needed, available } => with(
                ["", ""],
                [needed as u64, available as u64, 0, 0],
                told(
                    116,
                    "it needs {0} bytes of the temporary arena, {1} are available",
                    "give the method a larger temporary arena",
                ),
            ),
            BackendError::Changed { side, index } => with(
                [side, ""],
                [index as u64, 0, 0, 0],
                told(
                    117,
                    "{w0} {0} has another size than when the method was loaded",
                    "the NPU's part has fixed sizes: give tensors of the sizes that the program was exported for",
                ),
            ),
        }
    }
}

fn blob_words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Address => "it does not start at a multiple of 16",
        ErrorKind::Truncated => "it ends too early",
        ErrorKind::Identifier => "the mark of such data is missing",
        ErrorKind::OutOfBounds => "a block leaves the data",
        ErrorKind::Missing => "a block is missing",
        ErrorKind::Unknown | ErrorKind::Unsupported => "a block that is not known",
        ErrorKind::Duplicate => "a block stands twice",
        ErrorKind::Trailing => "something follows the end",
        ErrorKind::PlanTooSmall => "a tensor leaves the scratch buffer",
        ErrorKind::Negative | ErrorKind::Overflow => "a size that cannot be",
        _ => "damaged",
    }
}

fn payload_words(error: PayloadError) -> (usize, &'static str) {
    match error {
        PayloadError::NotAPayload { .. } => (0, "neither COP1 nor COP2"),
        PayloadError::Truncated { position } => (position, "cut off"),
        PayloadError::UnknownAction { position, .. } => (position, "an unknown driver action"),
        PayloadError::UnknownVersion { position, .. } => {
            (position, "an unknown version of the configuration")
        }
        PayloadError::Configuration { position } => {
            (position, "the configuration is missing or stands twice")
        }
        PayloadError::Stream { position } => (position, "the command stream is missing or stands twice"),
        PayloadError::StreamLength { position, .. } => {
            (position, "the command stream is empty or no whole number of words")
        }
        PayloadError::Metadata { position } => (position, "metadata of an unknown version"),
        _ => (0, "damaged"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use tombolo_ethosu::enums;

    #[test]
    fn every_channel_of_the_hardware_has_a_word() {
        for variant in enums::pmu_axi_channel::DEF.variants {
            let word = CHANNELS[variant.value as usize];
            assert!(!word.starts_with("using"), "{}", variant.name);
            let writes = variant.name.starts_with("WR_");
            assert_eq!(word.starts_with("writing"), writes, "{}", variant.name);
        }
    }

    #[test]
    fn messages() {
        let error = NpuError::WrongNpu {
            stream: Accelerator::U55_128.config_word(),
            npu: Accelerator::U65_256.config_word(),
        };
        assert_eq!(
            std::format!("{error:#}"),
            "this stream was compiled for ethos-u55-128, this NPU is ethos-u65-256; recompile with --target ethos-u65-256"
        );
        let error = NpuError::Bus { generation: Generation::U65, interface: 1, channel: 2, position: 0x1c4 };
        assert_eq!(
            error.to_string(),
            "bus error on AXI1 while fetching weights; command at byte 0x1c4 of the stream"
        );
        let error = NpuError::WrongArchitecture { stream: 0x1006_6001, npu: 0x2000_7001 };
        assert_eq!(error.to_string(), "this stream was compiled for architecture 1.0, this NPU has 2.0");
    }
}
