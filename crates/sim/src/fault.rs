//! Why a run ended other than at STOP, in words and in STATUS bits.

use std::borrow::Cow;
use std::fmt;

use tombolo_ethosu::cmd::{Command, DecodeError, Opcode};

use crate::bus::BusFault;
use crate::weights::WeightError;

/// The channel of a bus master, as STATUS.faulting_channel counts them
/// (`ethosu::enums::pmu_axi_channel`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Channel {
    /// Fetch of the command stream.
    Command = 0,
    /// Inputs.
    Ifm = 1,
    /// Weight streams.
    Weights = 2,
    /// Scale and bias streams.
    ScaleBias = 3,
    /// Read side of a copy.
    DmaRead = 4,
    /// Indices of a gather or scatter (U85).
    DmaIndex = 6,
    /// Outputs.
    Ofm = 8,
    /// Written side of a copy.
    DmaWrite = 9,
}

impl Channel {
    /// What the channel was doing, in words.
    pub const fn doing(self) -> &'static str {
        match self {
            Channel::Command => "fetching the command stream",
            Channel::Ifm => "reading an input feature map",
            Channel::Weights => "reading weights",
            Channel::ScaleBias => "reading scales and biases",
            Channel::DmaRead => "reading the source of a copy",
            Channel::DmaIndex => "reading the indices of a copy",
            Channel::Ofm => "writing the output feature map",
            Channel::DmaWrite => "writing the destination of a copy",
        }
    }
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// An access outside what the bus maps. Sets STATUS.bus_status with interface and channel.
    Bus {
        /// What the NPU was doing.
        channel: Channel,
        /// AXI interface (0 or 1) that the region's attribute selects.
        interface: u8,
        /// Region, or `None` for the command stream.
        region: Option<u8>,
        /// The access.
        fault: BusFault,
    },
    /// A word that is no command on this generation. Sets STATUS.cmd_parse_error.
    Decode(DecodeError),
    /// An operation needs a register that the stream never set. Sets STATUS.cmd_parse_error.
    NotSet(Opcode),
    /// A register holds what this generation does not define, or the registers contradict each
    /// other. Sets STATUS.cmd_parse_error.
    Invalid(Cow<'static, str>),
    /// The weight stream cannot be decoded. Sets STATUS.wd_fault where the generation has it, else
    /// STATUS.cmd_parse_error.
    Weights {
        /// Core or decoder whose stream it is.
        stream: u8,
        /// What is wrong with it.
        error: WeightError,
    },
    /// Hardware may well do this, but no public source says what exactly, and no compiler output
    /// shows it: it is refused rather than guessed. Sets STATUS.cmd_parse_error.
    NotModelled(Cow<'static, str>),
    /// A bad branch (U85). Sets STATUS.branch_fault.
    Branch(Cow<'static, str>),
    /// The run did more work than [`Npu::set_work_limit`](crate::Npu::set_work_limit) allows.
    /// Hardware would go on. Sets STATUS.cmd_parse_error.
    WorkLimit,
}

impl Cause {
    /// An [`Cause::Invalid`] with a fixed or built text.
    pub(crate) fn invalid(text: impl Into<Cow<'static, str>>) -> Cause {
        Cause::Invalid(text.into())
    }

    /// A [`Cause::NotModelled`] with a fixed or built text.
    pub(crate) fn not_modelled(text: impl Into<Cow<'static, str>>) -> Cause {
        Cause::NotModelled(text.into())
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Bus {
                channel,
                interface,
                region,
                fault,
            } => {
                write!(f, "{fault} (AXI{interface}) while {}", channel.doing())?;
                match region {
                    Some(region) => write!(
                        f,
                        "; region {region} is not mapped there: too small a buffer, or a wrong base pointer"
                    ),
                    None => f.write_str("; QBASE or QSIZE is wrong"),
                }
            }
            Cause::Decode(error) => error.fmt(f),
            Cause::NotSet(opcode) => {
                let (prefix, name) = opcode.mnemonic();
                write!(
                    f,
                    "the operation needs {prefix}{name}, which the stream never sets"
                )
            }
            Cause::Invalid(text) => f.write_str(text),
            Cause::Weights { stream, error } => write!(f, "weight stream {stream}: {error}"),
            Cause::NotModelled(text) => write!(f, "not modelled: {text}"),
            Cause::Branch(text) => f.write_str(text),
            Cause::WorkLimit => f.write_str(
                "the run was stopped by the simulator's work limit; raise it if the stream is meant to be this long",
            ),
        }
    }
}

/// A run that ended badly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Byte position in the command stream of the command at fault: what QREAD reads.
    pub position: u32,
    /// The command, if one could be decoded there.
    pub command: Option<Command>,
    /// What is wrong.
    pub cause: Cause,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command stream, byte {:#x}", self.position)?;
        if let Some(command) = self.command {
            let (prefix, name) = command.opcode.mnemonic();
            write!(f, ", {prefix}{name}")?;
        }
        write!(f, ": {}", self.cause)
    }
}

impl std::error::Error for Fault {}
