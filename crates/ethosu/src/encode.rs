//! Commands made of numbers, each checked against the bits that there are for it.
//!
//! What does not fit is an [`EncodeError`], never cut off: a stream with a truncated number is a valid stream that
//! does something else.
//!
//! ```
//! use tombolo_ethosu::{Generation, cmd::{Opcode, fields}, encode};
//! let pad = encode::fields(Generation::U65, Opcode::IfmPadTop, &[(&fields::ifm_pad_top::PAD, 2)]);
//! assert_eq!(pad.unwrap().first_word(), 0x0002_0100);
//! let error = encode::number(Generation::U65, Opcode::IfmPadTop, 128).unwrap_err();
//! assert_eq!(error.to_string(), "IFM_PAD_TOP.pad 128 is not in 0 to 127");
//! ```

use core::fmt;

use crate::cmd::{Command, Opcode, Operand};
use crate::{Field, Format, Generation};

/// Why a number does not go into a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeErrorKind {
    /// The generation has no such command.
    UnknownOpcode,
    /// The command has no such field on this generation.
    UnknownField,
    /// The field is an enumeration that has no such value on this generation.
    UndefinedValue,
    /// The number does not fit.
    OutOfRange {
        /// Least that fits.
        least: i64,
        /// Greatest that fits.
        most: i64,
    },
}

/// A number that does not go into a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeError {
    /// Why.
    pub kind: EncodeErrorKind,
    /// Of the stream.
    pub generation: Generation,
    /// The command.
    pub opcode: Opcode,
    /// Name of the field.
    pub field: &'static str,
    /// The number.
    pub value: i64,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncodeError { kind, generation, opcode, field, value } = self;
        let name = opcode.name();
        match kind {
            EncodeErrorKind::UnknownOpcode => write!(f, "{generation} has no {name}"),
            EncodeErrorKind::UnknownField => write!(f, "{name} has no {field} on {generation}"),
            EncodeErrorKind::UndefinedValue => {
                write!(f, "{name}.{field} {value} is not defined on {generation}")
            }
            EncodeErrorKind::OutOfRange { least, most } => {
                write!(f, "{name}.{field} {value} is not in {least} to {most}")
            }
        }
    }
}

impl core::error::Error for EncodeError {}

/// Least and greatest number that a field holds.
pub const fn range(field: &Field) -> (i64, i64) {
    // Fields have at most 32 bits.
    let width = field.width() & 63;
    match field.format {
        Format::Int => {
            (-(1i64 << (width.saturating_sub(1) & 63)), (1i64 << (width.saturating_sub(1) & 63)) - 1)
        }
        _ => (0, (1i64 << width) - 1),
    }
}

/// A command with these fields; others are 0.
///
/// # Errors
/// If the generation does not know the command or a field of it, or a number does not fit.
pub fn fields(
    generation: Generation,
    opcode: Opcode,
    values: &[(&Field, i64)],
) -> Result<Command, EncodeError> {
    let mut command = known(generation, opcode)?;
    for &(field, value) in values {
        let error = |kind| EncodeError { kind, generation, opcode, field: field.name, value };
        if !opcode.fields_of(generation).any(|own| own == field) {
            return Err(error(EncodeErrorKind::UnknownField));
        }
        let (least, most) = range(field);
        if value < least || value > most {
            return Err(error(EncodeErrorKind::OutOfRange { least, most }));
        }
        // In range, so that the low 32 bits are all of it.
        let bits = value as u32;
        if matches!(field.format, Format::Enum(_)) && field.value_name(generation, bits).is_none() {
            return Err(error(EncodeErrorKind::UndefinedValue));
        }
        command = field.set(command, bits);
    }
    Ok(command)
}

/// A command with one field: sizes, paddings, zero points.
///
/// # Errors
/// If the generation does not know the command, it has no field, or the number does not fit.
pub fn number(generation: Generation, opcode: Opcode, value: i64) -> Result<Command, EncodeError> {
    known(generation, opcode)?;
    match opcode.fields_of(generation).next() {
        Some(field) => fields(generation, opcode, &[(field, value)]),
        None => {
            let kind = EncodeErrorKind::UnknownField;
            Err(EncodeError { kind, generation, opcode, field: "field", value })
        }
    }
}

/// A command with an address, length or stride ([`Opcode::operand`]): 40 bits, 32 on U55; strides have a sign.
///
/// # Errors
/// If the generation does not know the command, it carries something else, or the number does not fit.
pub fn wide(generation: Generation, opcode: Opcode, value: i64) -> Result<Command, EncodeError> {
    known(generation, opcode)?;
    let bits = match generation {
        Generation::U55 => 32,
        Generation::U65 | Generation::U85 => 40,
    };
    let (field, (least, most)) = match opcode.operand() {
        Operand::Address(_) => ("address", (0, (1i64 << bits) - 1)),
        Operand::Length => ("length", (0, (1i64 << bits) - 1)),
        Operand::Stride => ("stride", (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)),
        Operand::Other => {
            let kind = EncodeErrorKind::UnknownField;
            return Err(EncodeError { kind, generation, opcode, field: "address", value });
        }
    };
    if value < least || value > most {
        let kind = EncodeErrorKind::OutOfRange { least, most };
        return Err(EncodeError { kind, generation, opcode, field, value });
    }
    let command = Command::with_address(opcode, value);
    // The sign of a stride of 32 bits is in the payload.
    Ok(if bits == 32 { Command { param: 0, ..command } } else { command })
}

fn known(generation: Generation, opcode: Opcode) -> Result<Command, EncodeError> {
    if opcode.generations().contains(generation) {
        return Ok(Command::new(opcode, 0));
    }
    let kind = EncodeErrorKind::UnknownOpcode;
    Err(EncodeError { kind, generation, opcode, field: "", value: 0 })
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;
    use crate::cmd::fields as f;

    /// Every field of every command takes the ends of its range, gives them back, and refuses what lies beyond.
    #[test]
    fn fields_hold_their_range_and_no_more() {
        let mut seen = 0;
        for generation in Generation::ALL {
            for &opcode in Opcode::ALL.iter().filter(|o| o.generations().contains(generation)) {
                for field in opcode.fields_of(generation) {
                    let (least, most) = range(field);
                    for value in [least, most] {
                        match fields(generation, opcode, &[(field, value)]) {
                            Ok(command) => {
                                let back = if field.format == Format::Int {
                                    i64::from(field.get_signed(command))
                                } else {
                                    i64::from(field.get(command))
                                };
                                assert_eq!(back, value, "{opcode:?}.{}", field.name);
                                assert_eq!(command.reserved_bits(generation), 0);
                                let others = command.bits() & !field.mask() & !0xffff;
                                assert_eq!(others, 0, "{opcode:?}.{}", field.name);
                            }
                            Err(error) => assert_eq!(error.kind, EncodeErrorKind::UndefinedValue),
                        }
                    }
                    for value in [least - 1, most + 1, i64::MIN, i64::MAX] {
                        let error = fields(generation, opcode, &[(field, value)]).unwrap_err();
                        assert_eq!(error.kind, EncodeErrorKind::OutOfRange { least, most });
                    }
                    seen += 1;
                }
            }
        }
        assert!(seen > 300, "only {seen}");
    }

    #[test]
    fn wide_numbers_are_read_back() {
        for (generation, bits) in [(Generation::U55, 32), (Generation::U65, 40), (Generation::U85, 40)] {
            let most = (1i64 << bits) - 1;
            let command = wide(generation, Opcode::OfmBase2, most).unwrap();
            assert_eq!(command.address(), most as u64);
            assert_eq!(command.reserved_bits(generation), 0);
            wide(generation, Opcode::OfmBase2, most + 1).unwrap_err();
            wide(generation, Opcode::OfmBase2, -1).unwrap_err();
            let stride = wide(generation, Opcode::OfmStrideY, -80).unwrap();
            assert_eq!(stride.payload, -80i32 as u32);
            assert_eq!(stride.param, if bits == 32 { 0 } else { 0xff });
            wide(generation, Opcode::OfmStrideY, 1 << (bits - 1)).unwrap_err();
            wide(generation, Opcode::WeightLength, 16).unwrap_err();
        }
    }

    #[test]
    fn what_a_generation_lacks_is_refused() {
        let error = number(Generation::U55, Opcode::ParallelMode, 0).unwrap_err();
        assert_eq!(error.to_string(), "Ethos-U55 has no PARALLEL_MODE");
        let reverse = (&f::ofm_precision::ACTIVATION_REVERSE, 1);
        let error = fields(Generation::U65, Opcode::OfmPrecision, &[reverse]).unwrap_err();
        assert_eq!(error.to_string(), "OFM_PRECISION has no activation_reverse on Ethos-U65");
        fields(Generation::U85, Opcode::OfmPrecision, &[reverse]).unwrap();
        let mode = (&f::pool::POOLING_MODE, 4);
        let error = fields(Generation::U55, Opcode::Pool, &[mode]).unwrap_err();
        assert_eq!(error.to_string(), "POOL.pooling_mode 4 is not defined on Ethos-U55");
        number(Generation::U55, Opcode::DmaStart, 0).unwrap_err();
    }
}
