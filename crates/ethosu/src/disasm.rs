//! Command streams as text.
//!
//! ```
//! use tombolo_ethosu::{Generation, disasm::disassemble};
//! let stream = [0x0f, 0x01, 0x01, 0x00, 0x00, 0x40, 0x00, 0x00, 0x40, 0x12, 0x00, 0x00];
//! let text: Vec<String> = disassemble(Generation::U55, &stream)
//!     .map(|line| line.unwrap().to_string())
//!     .collect();
//! assert_eq!(text[0], "0x000000  0001010f           NPU_SET_IFM_REGION region=1");
//! assert_eq!(text[1], "0x000004  00004000 00001240  NPU_SET_IFM_BASE0 1:0x1240");
//! ```

use core::fmt;

use crate::Generation;
use crate::cmd::{self, Command, DecodeError, Decoder, Opcode, Operand, Space, fields};
use crate::field::Format;

/// Where an address counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The stream has set no region yet.
    Unknown,
    /// A region.
    Region(u8),
    /// Memory inside the NPU (look-up tables).
    Internal,
}

/// One command with what is needed to print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disassembly {
    /// Byte position in the stream.
    pub position: usize,
    /// The generation that the stream was read for.
    pub generation: Generation,
    /// The command.
    pub command: Command,
    /// For a command that sets an address: where the address counts from.
    pub place: Place,
}

impl Disassembly {
    /// The words of the command.
    pub const fn words(&self) -> ([u32; 2], usize) {
        self.command.encode()
    }
}

impl fmt::Display for Disassembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([first, second], count) = self.words();
        write!(f, "{:#08x}  {first:08x} ", self.position)?;
        if count == 2 {
            write!(f, "{second:08x}")?;
        } else {
            f.write_str("        ")?;
        }
        let (prefix, name) = self.command.opcode.mnemonic();
        write!(f, "  {prefix}{name}")?;
        match self.command.opcode.operand() {
            Operand::Address(_) => {
                match self.place {
                    Place::Unknown => f.write_str(" ?")?,
                    Place::Region(region) => write!(f, " {region}")?,
                    Place::Internal => f.write_str(" internal")?,
                }
                write!(f, ":{:#x}", self.command.address())?;
            }
            Operand::Stride => write!(f, " {}", self.command.stride())?,
            Operand::Length => write!(f, " {}", self.command.address())?,
            Operand::Other => {
                for field in self.command.opcode.fields_of(self.generation) {
                    let value = field.get(self.command);
                    // A DMA unit of the chip maker's is a rarity: told only where it is used.
                    if value == 0 && field.name == "custom_dma_cs" {
                        continue;
                    }
                    write!(f, " {}=", field.name)?;
                    match field.format {
                        Format::Enum(def) => match def.name_of(self.generation, value) {
                            Some(name) => f.write_str(name)?,
                            None => write!(f, "{value}(reserved)")?,
                        },
                        Format::Int => write!(f, "{}", field.get_signed(self.command))?,
                        Format::Hex => write!(f, "{value:#x}")?,
                        _ => write!(f, "{value}")?,
                    }
                }
            }
        }
        match self.command.reserved_bits(self.generation) {
            0 => Ok(()),
            bits => write!(f, " reserved={bits:#x}"),
        }
    }
}

/// The commands of a stream, each ready to print; ends after the first error.
pub fn disassemble(generation: Generation, stream: &[u8]) -> Disassembler<'_> {
    Disassembler {
        generation,
        decoder: cmd::decode(generation, stream),
        places: [Place::Unknown; Space::COUNT],
    }
}

/// Iterator of [`disassemble`].
#[derive(Debug, Clone)]
pub struct Disassembler<'a> {
    generation: Generation,
    decoder: Decoder<'a>,
    places: [Place; Space::COUNT],
}

impl Iterator for Disassembler<'_> {
    type Item = Result<Disassembly, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (position, command) = match self.decoder.next()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        if let Some(space) = command.opcode.region_of() {
            let copy = matches!(command.opcode, Opcode::Dma0SrcRegion | Opcode::Dma0DstRegion);
            let place = if copy && fields::dma0_src_region::REGION_MODE.get(command) != 0 {
                Place::Internal
            } else {
                Place::Region((command.param & 7) as u8)
            };
            if let Some(slot) = self.places.get_mut(space as usize) {
                *slot = place;
            }
        }
        let place = match command.opcode.operand() {
            Operand::Address(space) => self.places.get(space as usize).copied().unwrap_or(Place::Unknown),
            _ => Place::Unknown,
        };
        Some(Ok(Disassembly { position, generation: self.generation, command, place }))
    }
}
