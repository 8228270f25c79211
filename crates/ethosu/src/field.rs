//! A field: a named range of bits in a command or a register.

use crate::cmd::Command;
use crate::enums::EnumDef;
use crate::{Generation, Generations};

/// How a field reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An unsigned number.
    Uint,
    /// A two's complement number.
    Int,
    /// A bit mask or an opaque number, shown in hex.
    Hex,
    /// A region number.
    Region,
    /// Bits 39:32 of an address, length or stride.
    AddressHigh,
    /// Bits 31:0 of an address, length or stride.
    AddressLow,
    /// One of the values of an enumeration.
    Enum(&'static EnumDef),
}

/// One field: bits `lo..=hi` of a command taken as a 64-bit number (first word low), or of a
/// register; bits from 32 on are those of the register behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name as in Arm's headers.
    pub name: &'static str,
    /// Highest bit.
    pub hi: u8,
    /// Lowest bit.
    pub lo: u8,
    /// Generations that have the field in this place.
    pub generations: Generations,
    /// How it reads.
    pub format: Format,
}

impl Field {
    /// Bits of the field.
    pub const fn width(&self) -> u32 {
        (self.hi as u32).wrapping_sub(self.lo as u32).wrapping_add(1)
    }

    /// Ones where the field is, in place.
    pub const fn mask(&self) -> u64 {
        (u64::MAX >> (64u32.wrapping_sub(self.width()) & 63)) << (self.lo & 63)
    }

    /// The field's bits in `bits`, as an unsigned number.
    pub const fn extract(&self, bits: u64) -> u32 {
        ((bits & self.mask()) >> (self.lo & 63)) as u32
    }

    /// `bits` with the field set to the low bits of `value`.
    pub const fn insert(&self, bits: u64, value: u32) -> u64 {
        let mask = self.mask();
        (bits & !mask) | (((value as u64) << (self.lo & 63)) & mask)
    }

    /// The field of a command as an unsigned number.
    pub const fn get(&self, command: Command) -> u32 {
        self.extract(command.bits())
    }

    /// The field of a command as a two's complement number.
    pub const fn get_signed(&self, command: Command) -> i32 {
        let unused = 32u32.wrapping_sub(self.width()) & 31;
        ((self.get(command) << unused) as i32) >> unused
    }

    /// The command with the field set to the low bits of `value`.
    pub const fn set(&self, command: Command, value: u32) -> Command {
        let bits = self.insert(command.bits(), value);
        Command { opcode: command.opcode, param: (bits >> 16) as u16, payload: (bits >> 32) as u32 }
    }

    /// The field of a register as an unsigned number.
    pub const fn of(&self, register: u32) -> u32 {
        self.extract(register as u64)
    }

    /// Whether any bit of the field is set in a register.
    pub const fn is_set(&self, register: u32) -> bool {
        self.of(register) != 0
    }

    /// `value` moved to where the field is in a register.
    pub const fn at(&self, value: u32) -> u32 {
        self.insert(0, value) as u32
    }

    /// The name of the field's `value` on `generation`, if it is an enumeration that knows it.
    pub fn value_name(&self, generation: Generation, value: u32) -> Option<&'static str> {
        match self.format {
            Format::Enum(def) => def.name_of(generation, value),
            _ => None,
        }
    }
}

macro_rules! format_of {
    (UINT) => {
        $crate::field::Format::Uint
    };
    (INT) => {
        $crate::field::Format::Int
    };
    (HEX) => {
        $crate::field::Format::Hex
    };
    (REGION) => {
        $crate::field::Format::Region
    };
    (ADDRESS_HIGH) => {
        $crate::field::Format::AddressHigh
    };
    (ADDRESS_LOW) => {
        $crate::field::Format::AddressLow
    };
    (ENUM($name:ident)) => {
        $crate::field::Format::Enum(&crate::enums::$name::DEF)
    };
}
pub(crate) use format_of;
