//! Registers: offsets, access, values after reset, fields.
//!
//! ```
//! use tombolo_ethosu::{Generation, regs::{Register, fields}};
//! assert_eq!(Register::Pmcr.offset(Generation::U85), Some(0x1180));
//! assert_eq!(Register::from_offset(Generation::U65, 0x98), Some((Register::Basep, 3)));
//! assert!(fields::status::BUS_STATUS.is_set(0x4));
//! ```

use crate::field::{Field, format_of};
use crate::{Generation, Generations, for_each_register};

/// What software may do with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

macro_rules! access_of {
    (RO) => {
        Access::ReadOnly
    };
    (RW) => {
        Access::ReadWrite
    };
}

macro_rules! number_or_none {
    (-) => {
        None
    };
    ($number:literal) => {
        Some($number)
    };
}

macro_rules! define_registers {
    ($($(#[doc = $doc:literal])+ $variant:ident $module:ident $name:literal $access:ident
        at [$at55:tt $at65:tt $at85:tt] times [$times55:literal $times65:literal $times85:literal] by $stride:literal
        reset [$reset55:tt $reset65:tt $reset85:tt] {
        $($constant:ident: $field:literal [$hi:literal:$lo:literal] $fgens:ident $format:ident $(($argument:ident))?;)*
    })+) => {
        /// A register of any generation, or a row of them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Register { $($(#[doc = $doc])+ $variant),+ }

        impl Register {
            /// Every register, in the order of the list.
            pub const ALL: &'static [Register] = &[$(Register::$variant),+];

            /// Arm's name.
            pub const fn name(self) -> &'static str {
                match self { $(Register::$variant => $name),+ }
            }

            /// What the register is for.
            pub const fn doc(self) -> &'static str {
                match self { $(Register::$variant => concat!($($doc),+).trim_ascii()),+ }
            }

            /// What software may do with it.
            pub const fn access(self) -> Access {
                match self { $(Register::$variant => access_of!($access)),+ }
            }

            /// Byte offset (of the first one) on `generation`.
            pub const fn offset(self, generation: Generation) -> Option<u32> {
                match (self, generation) {
                    $(
                        (Register::$variant, Generation::U55) => number_or_none!($at55),
                        (Register::$variant, Generation::U65) => number_or_none!($at65),
                        (Register::$variant, Generation::U85) => number_or_none!($at85),
                    )+
                }
            }

            /// How many of them `generation` has, 0 if none.
            pub const fn count(self, generation: Generation) -> u32 {
                match (self, generation) {
                    $(
                        (Register::$variant, Generation::U55) => $times55,
                        (Register::$variant, Generation::U65) => $times65,
                        (Register::$variant, Generation::U85) => $times85,
                    )+
                }
            }

            /// Bytes from one to the next, a power of two.
            pub const fn stride(self) -> u32 {
                match self { $(Register::$variant => $stride),+ }
            }

            /// The value after reset, where a public source tells it.
            pub const fn reset_value(self, generation: Generation) -> Option<u32> {
                match (self, generation) {
                    $(
                        (Register::$variant, Generation::U55) => number_or_none!($reset55),
                        (Register::$variant, Generation::U65) => number_or_none!($reset65),
                        (Register::$variant, Generation::U85) => number_or_none!($reset85),
                    )+
                }
            }

            /// The fields of all generations.
            pub const fn fields(self) -> &'static [Field] {
                match self { $(Register::$variant => fields::$module::ALL),+ }
            }
        }

        /// The fields of every register, a module each.
        pub mod fields {
            $(
                #[doc = concat!("`", $name, "`:")]
                $(#[doc = $doc])+
                pub mod $module {
                    #[allow(unused_imports, reason = "a register may have no field")]
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
                    /// All fields of the register, lowest bit first.
                    pub const ALL: &[Field] = &[$($constant),*];
                }
            )+
        }
    };
}
for_each_register!(define_registers);

impl Register {
    /// Offset of the `index`th one on `generation`.
    pub const fn offset_of(self, generation: Generation, index: u32) -> Option<u32> {
        match self.offset(generation) {
            Some(first) if index < self.count(generation) => {
                Some(first.wrapping_add(index.wrapping_mul(self.stride())))
            }
            _ => None,
        }
    }

    /// The register at a byte offset, and which of a row it is. For a register of two words whose
    /// second word has no row of its own (`BASEP`), the offset of the second word finds nothing.
    pub fn from_offset(generation: Generation, offset: u32) -> Option<(Register, u32)> {
        Register::ALL.iter().copied().find_map(|register| {
            let from = offset.checked_sub(register.offset(generation)?)?;
            let stride = register.stride();
            let index = from >> stride.trailing_zeros();
            (from & stride.wrapping_sub(1) == 0 && index < register.count(generation))
                .then_some((register, index))
        })
    }

    /// The fields that `generation` has.
    pub fn fields_of(self, generation: Generation) -> impl Iterator<Item = &'static Field> {
        self.fields().iter().filter(move |f| f.generations.contains(generation))
    }
}
