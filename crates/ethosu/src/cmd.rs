//! Command streams: words to commands and back.
//!
//! A stream is little-endian 32-bit words. The first word of a command is the opcode (bits 9:0),
//! four zero bits, the control field (bits 15:14: 0 one word, 1 two words) and a 16-bit parameter;
//! a second word is the payload. Commands below 0x100 (one word) and the one branch of U85 are
//! operations; all others set a register that keeps its value until it is set again.
//!
//! ```
//! use tombolo_ethosu::{Generation, cmd::{self, Opcode}};
//! let stream = [0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0xff, 0xff];
//! let commands: Vec<_> = cmd::decode(Generation::U65, &stream).map(|c| c.unwrap()).collect();
//! assert_eq!(commands[0].1.opcode, Opcode::IfmPadTop);
//! assert_eq!(cmd::fields::ifm_pad_top::PAD.get(commands[0].1), 2);
//! assert_eq!((commands[1].0, commands[1].1.opcode), (4, Opcode::Stop));
//! ```

use core::fmt;

use crate::field::format_of;
pub use crate::field::{Field, Format};
use crate::{Generation, Generations, for_each_command};

/// How a command is encoded and whether it starts something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One word, an operation.
    Op0,
    /// One word, sets a register.
    Set0,
    /// Two words, sets a register.
    Set1,
    /// Two words, an operation.
    Op1,
}

impl Kind {
    /// Whether the command has a payload word.
    pub const fn has_payload(self) -> bool {
        matches!(self, Kind::Set1 | Kind::Op1)
    }

    /// Whether the command is an operation.
    pub const fn is_op(self) -> bool {
        matches!(self, Kind::Op0 | Kind::Op1)
    }

    /// Bytes of the command.
    pub const fn size(self) -> usize {
        if self.has_payload() { 8 } else { 4 }
    }
}

macro_rules! define_commands {
    ($($(#[doc = $doc:literal])+ $variant:ident $module:ident $name:literal $kind:ident $code:literal $gens:ident {
        $($constant:ident: $field:literal [$hi:literal:$lo:literal] $fgens:ident $format:ident $(($argument:ident))?;)*
    })+) => {
        /// A command of any generation. Codes repeat between generations; the pair of generation
        /// and code is what is unique.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode { $($(#[doc = $doc])+ $variant),+ }

        impl Opcode {
            /// Every command, in the order of the list.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant),+];

            /// The name, as Arm's without `NPU_OP_` or `NPU_SET_`.
            pub const fn name(self) -> &'static str {
                match self { $(Opcode::$variant => $name),+ }
            }

            /// How the command is encoded.
            pub const fn kind(self) -> Kind {
                match self { $(Opcode::$variant => Kind::$kind),+ }
            }

            /// The ten-bit code.
            pub const fn code(self) -> u16 {
                match self { $(Opcode::$variant => $code),+ }
            }

            /// Generations that know the command.
            pub const fn generations(self) -> Generations {
                match self { $(Opcode::$variant => Generations::$gens),+ }
            }

            /// What the command is, in a sentence.
            pub const fn doc(self) -> &'static str {
                match self { $(Opcode::$variant => concat!($($doc),+).trim_ascii()),+ }
            }

            /// The fields of all generations.
            pub const fn fields(self) -> &'static [Field] {
                match self { $(Opcode::$variant => fields::$module::ALL),+ }
            }

            /// The command with that code on `generation`; `payload`: whether a second word follows.
            pub const fn from_code(generation: Generation, payload: bool, code: u16) -> Option<Opcode> {
                match (payload, code) {
                    $((p, $code) if p == Kind::$kind.has_payload()
                        && Generations::$gens.contains(generation) => Some(Opcode::$variant),)+
                    _ => None,
                }
            }
        }

        /// The fields of every command, a module each.
        pub mod fields {
            $(
                #[doc = concat!("`", $name, "`:")]
                $(#[doc = $doc])+
                pub mod $module {
                    #[allow(unused_imports, reason = "a command may have no field")]
                    use super::super::{Field, Generations, format_of};
                    $(
                        #[doc = concat!("Bits ", $hi, ":", $lo, ", `", $field, "`.")]
                        pub const $constant: Field = Field {
                            name: $field,
                            hi: $hi,
                            lo: $lo,
                            generations: Generations::$fgens,
                            format: format_of!($format $(($argument))?),
                        };
                    )*
                    /// All fields of the command, lowest bit first.
                    pub const ALL: &[Field] = &[$($constant),*];
                }
            )+
        }
    };
}
for_each_command!(define_commands);

impl Opcode {
    /// Whether the command is an operation (the others set a register).
    pub const fn is_op(self) -> bool {
        self.kind().is_op()
    }

    /// The name with Arm's prefix in two parts: `("NPU_SET_", "IFM_PAD_TOP")`.
    pub const fn mnemonic(self) -> (&'static str, &'static str) {
        (if self.is_op() { "NPU_OP_" } else { "NPU_SET_" }, self.name())
    }

    /// Offset of the register that mirrors a SET command (its first word, for two-word commands;
    /// the parameter stands in the word behind). `None` for operations.
    ///
    /// One-word commands 0x100.. are at 0x800 + 4n, those from 0x180 on at 0x900 + 4n. Two-word
    /// commands lie in groups of eight, 0x40 bytes each, those from 0x80 on from 0xb00 on; the
    /// ninth and tenth of the copy group do not fit and follow at 0xbc0.
    pub const fn mirror_offset(self) -> Option<u32> {
        let code = self.code() as u32;
        let high = if code & 0x80 != 0 { 0x100 } else { 0 };
        match self.kind() {
            Kind::Set0 => Some(0x800 + high + (code & 0x3f) * 4),
            Kind::Set1 if code & 0xff >= 0x38 && code & 0xff < 0x40 => Some(0xbc0 + (code & 7) * 8),
            Kind::Set1 => Some(0xa00 + high + ((code >> 4) & 7) * 0x40 + (code & 7) * 8),
            Kind::Op0 | Kind::Op1 => None,
        }
    }

    /// What the number in a two-word SET command is.
    pub const fn operand(self) -> Operand {
        use Opcode::*;
        match self {
            IfmBase0 | IfmBase1 | IfmBase2 | IfmBase3 => Operand::Address(Space::Ifm),
            Ifm2Base0 | Ifm2Base1 | Ifm2Base2 | Ifm2Base3 => Operand::Address(Space::Ifm2),
            OfmBase0 | OfmBase1 | OfmBase2 | OfmBase3 => Operand::Address(Space::Ofm),
            WeightBase | Weight1Base | Weight2Base | Weight3Base => Operand::Address(Space::Weight),
            ScaleBase | Scale1Base => Operand::Address(Space::Scale),
            Dma0Src => Operand::Address(Space::DmaSource),
            Dma0Dst => Operand::Address(Space::DmaDestination),
            Dma0Idx => Operand::Address(Space::DmaIndex),
            IfmStrideX | IfmStrideY | IfmStrideC | Ifm2StrideX | Ifm2StrideY | Ifm2StrideC | OfmStrideX
            | OfmStrideY | OfmStrideC | Dma0Skip0 | Dma0Skip1 | Dma0SrcStride0 | Dma0SrcStride1
            | Dma0DstStride0 | Dma0DstStride1 | Dma0IdxSkip1 => Operand::Stride,
            Dma0Len => Operand::Length,
            _ => Operand::Other,
        }
    }

    /// The address space whose region the command sets.
    pub const fn region_of(self) -> Option<Space> {
        match self {
            Opcode::IfmRegion => Some(Space::Ifm),
            Opcode::Ifm2Region => Some(Space::Ifm2),
            Opcode::OfmRegion => Some(Space::Ofm),
            Opcode::WeightRegion => Some(Space::Weight),
            Opcode::ScaleRegion => Some(Space::Scale),
            Opcode::Dma0SrcRegion => Some(Space::DmaSource),
            Opcode::Dma0DstRegion => Some(Space::DmaDestination),
            Opcode::Dma0IdxRegion => Some(Space::DmaIndex),
            _ => None,
        }
    }

    /// The fields that `generation` has.
    pub fn fields_of(self, generation: Generation) -> impl Iterator<Item = &'static Field> {
        self.fields().iter().filter(move |f| f.generations.contains(generation))
    }
}

/// What an address counts within: each has a region register of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// First input.
    Ifm,
    /// Second input.
    Ifm2,
    /// Output.
    Ofm,
    /// Weight streams.
    Weight,
    /// Scale and bias streams.
    Scale,
    /// What a copy reads.
    DmaSource,
    /// What a copy writes.
    DmaDestination,
    /// Indices of a gather or scatter.
    DmaIndex,
}

impl Space {
    /// How many there are.
    pub const COUNT: usize = 8;
}

/// What the number in a two-word command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A byte offset in the region of a space: [`Command::address`].
    Address(Space),
    /// A distance in bytes: [`Command::stride`].
    Stride,
    /// A number of bytes: [`Command::address`].
    Length,
    /// Something that the fields describe.
    Other,
}

/// One decoded command. The parameter and payload are kept whole, reserved bits too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Command {
    /// Which command.
    pub opcode: Opcode,
    /// Bits 31:16 of the first word.
    pub param: u16,
    /// The second word; 0 for one-word commands.
    pub payload: u32,
}

impl Command {
    /// A one-word command, or the two-word command with payload 0.
    pub const fn new(opcode: Opcode, param: u16) -> Command {
        Command { opcode, param, payload: 0 }
    }

    /// A two-word command that carries a 40-bit address, length or stride (its low 40 bits).
    pub const fn with_address(opcode: Opcode, address: i64) -> Command {
        Command { opcode, param: ((address >> 32) & 0xff) as u16, payload: address as u32 }
    }

    /// The command as one number, first word low.
    pub const fn bits(self) -> u64 {
        ((self.payload as u64) << 32) | self.first_word() as u64
    }

    /// The first word.
    pub const fn first_word(self) -> u32 {
        let control = if self.opcode.kind().has_payload() { 1 << 14 } else { 0 };
        ((self.param as u32) << 16) | control | self.opcode.code() as u32
    }

    /// The words, and how many of them count (1 or 2).
    pub const fn encode(self) -> ([u32; 2], usize) {
        let count = if self.opcode.kind().has_payload() { 2 } else { 1 };
        ([self.first_word(), if count == 2 { self.payload } else { 0 }], count)
    }

    /// The 40 bits of an address or length: param bits 7:0 above the payload.
    pub const fn address(self) -> u64 {
        (((self.param & 0xff) as u64) << 32) | self.payload as u64
    }

    /// The 40 bits of a stride, sign-extended.
    pub const fn stride(self) -> i64 {
        ((self.address() << 24) as i64) >> 24
    }

    /// The bits above the opcode that no field of `generation` covers: 0 in a well-formed command.
    pub fn reserved_bits(self, generation: Generation) -> u64 {
        let mut bits = self.bits() & !0xffff;
        for field in self.opcode.fields_of(generation) {
            bits &= !field.mask();
        }
        bits
    }
}

/// Why a command could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The generation has no command with this code.
    UnknownOpcode,
    /// The control field is 2 or 3, or one of the four bits above the opcode is set.
    ReservedBits,
    /// The stream ends inside the command.
    Truncated,
}

/// A word of the stream that is no command, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// The generation that the stream was read for.
    pub generation: Generation,
    /// Byte position in the stream.
    pub position: usize,
    /// The first word of the command, or the bytes that were left of it.
    pub word: u32,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command stream, byte {:#x}: word {:#010x} ", self.position, self.word)?;
        match self.kind {
            DecodeErrorKind::UnknownOpcode => write!(
                f,
                "has code {:#05x} ({}), which {} does not know; was the stream compiled for another generation?",
                self.word & 0x3ff,
                if self.word & 0x4000 != 0 { "two words" } else { "one word" },
                self.generation
            ),
            DecodeErrorKind::ReservedBits => f.write_str(
                "has reserved bits set between opcode and parameter; this is no command, the stream is damaged",
            ),
            DecodeErrorKind::Truncated => {
                f.write_str("is cut off by the end of the stream; the stream is damaged")
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// Reads the command at byte `position`. `Ok(None)` at the end of the stream; else the command and
/// the position of the next one.
pub fn decode_at(
    generation: Generation,
    stream: &[u8],
    position: usize,
) -> Result<Option<(Command, usize)>, DecodeError> {
    let error = |kind, word| DecodeError { kind, generation, position, word };
    let rest = stream.get(position..).unwrap_or(&[]);
    if rest.is_empty() {
        return Ok(None);
    }
    let Some((first, rest)) = rest.split_first_chunk::<4>() else {
        let left = rest.iter().rev().fold(0u32, |word, byte| (word << 8) | *byte as u32);
        return Err(error(DecodeErrorKind::Truncated, left));
    };
    let word = u32::from_le_bytes(*first);
    if word & 0xbc00 != 0 {
        return Err(error(DecodeErrorKind::ReservedBits, word));
    }
    let has_payload = word & 0x4000 != 0;
    let Some(opcode) = Opcode::from_code(generation, has_payload, (word & 0x3ff) as u16) else {
        return Err(error(DecodeErrorKind::UnknownOpcode, word));
    };
    let mut command = Command::new(opcode, (word >> 16) as u16);
    let mut next = position.saturating_add(4);
    if has_payload {
        let Some((second, _)) = rest.split_first_chunk::<4>() else {
            return Err(error(DecodeErrorKind::Truncated, word));
        };
        command.payload = u32::from_le_bytes(*second);
        next = next.saturating_add(4);
    }
    Ok(Some((command, next)))
}

/// The commands of a stream in the order they stand, each with its byte position. Goes on behind
/// STOP, follows no branch, and ends after the first error.
pub const fn decode(generation: Generation, stream: &[u8]) -> Decoder<'_> {
    Decoder { generation, stream, position: 0 }
}

/// Iterator of [`decode`].
#[derive(Debug, Clone)]
pub struct Decoder<'a> {
    generation: Generation,
    stream: &'a [u8],
    position: usize,
}

impl Iterator for Decoder<'_> {
    type Item = Result<(usize, Command), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = self.position;
        match decode_at(self.generation, self.stream, position) {
            Ok(None) => None,
            Ok(Some((command, next))) => {
                self.position = next;
                Some(Ok((position, command)))
            }
            Err(error) => {
                self.position = usize::MAX;
                Some(Err(error))
            }
        }
    }
}

impl core::iter::FusedIterator for Decoder<'_> {}
