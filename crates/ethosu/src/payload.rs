//! The wrapping of a command stream that compilers hand to drivers: `COP1` and `COP2`.
//!
//! `COP1` is a list of 32-bit driver actions: the configuration that the stream was compiled for,
//! padding, the stream. `COP2` is a 16-byte header, one entry with a metadata block (configuration,
//! staging memory) and the stream. In both the stream is placed so that it is 16-byte aligned if
//! the payload is.

use core::fmt;

use crate::Accelerator;

/// Which wrapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadFormat {
    /// Driver actions, Vela's default.
    Cop1,
    /// One entry with metadata.
    Cop2,
}

/// A command stream and what it was compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payload<'a> {
    /// Which wrapping.
    pub format: PayloadFormat,
    /// The configuration word: see [`Accelerator::config_word`].
    pub config: u32,
    /// The architecture word: see [`Accelerator::id_word`].
    pub id: u32,
    /// The command stream.
    pub stream: &'a [u8],
    /// Byte offset of the stream in the payload.
    pub stream_offset: usize,
    /// `COP2`: bytes of staging memory that the compiler counted with.
    pub staging: Option<u64>,
}

/// Why bytes are no payload. Positions are byte offsets in the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadError {
    /// Neither `COP1` nor `COP2` stands at the start.
    NotAPayload {
        /// The first word, or 0 if there is none.
        word: u32,
    },
    /// The bytes end in the middle of something.
    Truncated {
        /// Where it starts.
        position: usize,
    },
    /// `COP1`: a driver action that is not known.
    UnknownAction {
        /// Where.
        position: usize,
        /// The word.
        word: u32,
    },
    /// `COP1`: the optimizer configuration has another version than 0.1.
    UnknownVersion {
        /// Where.
        position: usize,
        /// The word.
        word: u32,
    },
    /// The configuration is missing, or stands twice.
    Configuration {
        /// Where it was noticed.
        position: usize,
    },
    /// The command stream is missing, or stands twice.
    Stream {
        /// Where it was noticed.
        position: usize,
    },
    /// The stream is empty, or not a whole number of words.
    StreamLength {
        /// Where the stream starts.
        position: usize,
        /// Its bytes.
        length: usize,
    },
    /// `COP2`: header, entry or metadata is not of the known version and size.
    Metadata {
        /// Where.
        position: usize,
    },
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ethos-U payload: ")?;
        match *self {
            PayloadError::NotAPayload { word } => write!(
                f,
                "starts with {word:#010x} instead of COP1 or COP2; is this the cmd_data block that Vela wrote?"
            ),
            PayloadError::Truncated { position } => {
                write!(f, "byte {position:#x}: cut off; the file is damaged")
            }
            PayloadError::UnknownAction { position, word } => write!(
                f,
                "byte {position:#x}: unknown driver action {word:#010x}; known are 1 (configuration), 2 (command stream), 5 (nothing)"
            ),
            PayloadError::UnknownVersion { position, word } => write!(
                f,
                "byte {position:#x}: optimizer configuration {word:#010x} is not of version 0.1; compile with a Vela that writes 0.1 (5.2 does)"
            ),
            PayloadError::Configuration { position } => write!(
                f,
                "byte {position:#x}: there must be one optimizer configuration before the command stream"
            ),
            PayloadError::Stream { position } => {
                write!(f, "byte {position:#x}: there must be one command stream")
            }
            PayloadError::StreamLength { position, length } => write!(
                f,
                "byte {position:#x}: the command stream has {length} bytes, which is not a positive multiple of 4"
            ),
            PayloadError::Metadata { position } => {
                write!(f, "byte {position:#x}: COP2 metadata of an unknown version or size")
            }
        }
    }
}

impl core::error::Error for PayloadError {}

const COP1: u32 = u32::from_le_bytes(*b"COP1");
const COP2: u32 = u32::from_le_bytes(*b"COP2");
const VEUM: u32 = u32::from_le_bytes(*b"VEUM");

const ACTION_CONFIGURATION: u32 = 1;
const ACTION_STREAM: u32 = 2;
const ACTION_NOTHING: u32 = 5;

/// Reads the little-endian word at `position`.
fn word(bytes: &[u8], position: usize) -> Result<u32, PayloadError> {
    bytes
        .get(position..)
        .and_then(|rest| rest.first_chunk::<4>())
        .map(|chunk| u32::from_le_bytes(*chunk))
        .ok_or(PayloadError::Truncated { position })
}

impl<'a> Payload<'a> {
    /// Reads a payload. Bytes behind it are an error in neither format, if they are zero (padding).
    pub fn parse(bytes: &'a [u8]) -> Result<Payload<'a>, PayloadError> {
        match word(bytes, 0) {
            Ok(COP1) => parse_cop1(bytes),
            Ok(COP2) => parse_cop2(bytes),
            Ok(word) => Err(PayloadError::NotAPayload { word }),
            Err(_) => Err(PayloadError::NotAPayload { word: 0 }),
        }
    }

    /// The NPU that the stream was compiled for, if its configuration word names one of the eleven.
    pub fn accelerator(&self) -> Option<Accelerator> {
        Accelerator::from_config_word(self.config)
    }
}

fn check_length(stream: &[u8], position: usize) -> Result<(), PayloadError> {
    if stream.is_empty() || stream.len() & 3 != 0 {
        return Err(PayloadError::StreamLength { position, length: stream.len() });
    }
    Ok(())
}

fn parse_cop1(bytes: &[u8]) -> Result<Payload<'_>, PayloadError> {
    let mut position = 4usize;
    let mut configuration = None;
    let mut found = None;
    while position < bytes.len() {
        // Behind the stream only zero padding may follow, of any length.
        let rest = bytes.get(position..).unwrap_or(&[]);
        if found.is_some() && rest.iter().all(|byte| *byte == 0) {
            break;
        }
        let action = word(bytes, position)?;
        let next = position.saturating_add(4);
        match action & 0xff {
            ACTION_CONFIGURATION => {
                if configuration.is_some() || found.is_some() {
                    return Err(PayloadError::Configuration { position });
                }
                if action >> 16 != 0x10 {
                    return Err(PayloadError::UnknownVersion { position, word: action });
                }
                configuration = Some((word(bytes, next)?, word(bytes, next.saturating_add(4))?));
                position = next.saturating_add(8);
            }
            ACTION_STREAM => {
                if found.is_some() {
                    return Err(PayloadError::Stream { position });
                }
                let words = (action >> 16) | ((action & 0xff00) << 8);
                let length = (words as usize).saturating_mul(4);
                let stream = bytes
                    .get(next..)
                    .and_then(|rest| rest.get(..length))
                    .ok_or(PayloadError::Truncated { position })?;
                check_length(stream, next)?;
                found = Some((stream, next));
                position = next.saturating_add(length);
            }
            ACTION_NOTHING => position = next,
            _ => return Err(PayloadError::UnknownAction { position, word: action }),
        }
    }
    let (stream, stream_offset) = found.ok_or(PayloadError::Stream { position })?;
    let (config, id) = configuration.ok_or(PayloadError::Configuration { position })?;
    Ok(Payload { format: PayloadFormat::Cop1, config, id, stream, stream_offset, staging: None })
}

fn parse_cop2(bytes: &[u8]) -> Result<Payload<'_>, PayloadError> {
    let expect = |position: usize, value: u32| match word(bytes, position)? {
        found if found == value => Ok(()),
        _ => Err(PayloadError::Metadata { position }),
    };
    // Header: tag, version 1.0, bytes that follow.
    expect(4, 1)?;
    let total = u64::from(word(bytes, 8)?) | (u64::from(word(bytes, 12)?) << 32);
    // One entry: type 1, its bytes.
    expect(16, 1)?;
    let length = word(bytes, 20)?;
    if total != u64::from(length).saturating_add(8) {
        return Err(PayloadError::Metadata { position: 20 });
    }
    let entry = bytes
        .get(24..)
        .and_then(|rest| rest.get(..length as usize))
        .ok_or(PayloadError::Truncated { position: 24 })?;
    // Metadata: its bytes, tag, version 1.0, bytes of the fields, fields.
    let metadata = word(bytes, 24)?;
    if metadata < 32 {
        return Err(PayloadError::Metadata { position: 24 });
    }
    expect(28, VEUM)?;
    expect(32, 1)?;
    expect(36, 20)?;
    let config = word(bytes, 40)?;
    let id = word(bytes, 44)?;
    let staging = u64::from(word(bytes, 52)?) | (u64::from(word(bytes, 56)?) << 32);
    let skip = (metadata as usize).saturating_add(4);
    let stream = entry.get(skip..).ok_or(PayloadError::Truncated { position: 24 })?;
    let stream_offset = skip.saturating_add(24);
    check_length(stream, stream_offset)?;
    Ok(Payload { format: PayloadFormat::Cop2, config, id, stream, stream_offset, staging: Some(staging) })
}
