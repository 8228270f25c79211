//! Feature maps: their registers, and what the hardware asks of them.

use tombolo_ethosu::cmd::Opcode;
use tombolo_ethosu::enums::{activation_format, activation_precision, activation_type};

use super::writer::{Writer, signed};
use crate::hw::{FeatureMap, Layout};

/// Channels of a brick of NHCWB16.
pub(super) const BRICK: usize = 16;

/// The registers of one map.
pub(super) struct Registers {
    name: &'static str,
    region: Opcode,
    base: [Opcode; 4],
    height0: Opcode,
    height1: Opcode,
    width0: Opcode,
    /// Of rows, columns, channels.
    strides: [Opcode; 3],
    zero_point: Opcode,
}

pub(super) const IFM: Registers = Registers {
    name: "ifm",
    region: Opcode::IfmRegion,
    base: [Opcode::IfmBase0, Opcode::IfmBase1, Opcode::IfmBase2, Opcode::IfmBase3],
    height0: Opcode::IfmHeight0M1,
    height1: Opcode::IfmHeight1M1,
    width0: Opcode::IfmWidth0M1,
    strides: [Opcode::IfmStrideY, Opcode::IfmStrideX, Opcode::IfmStrideC],
    zero_point: Opcode::IfmZeroPoint,
};

pub(super) const IFM2: Registers = Registers {
    name: "ifm2",
    region: Opcode::Ifm2Region,
    base: [Opcode::Ifm2Base0, Opcode::Ifm2Base1, Opcode::Ifm2Base2, Opcode::Ifm2Base3],
    height0: Opcode::Ifm2Height0M1,
    height1: Opcode::Ifm2Height1M1,
    width0: Opcode::Ifm2Width0M1,
    strides: [Opcode::Ifm2StrideY, Opcode::Ifm2StrideX, Opcode::Ifm2StrideC],
    zero_point: Opcode::Ifm2ZeroPoint,
};

pub(super) const OFM: Registers = Registers {
    name: "ofm",
    region: Opcode::OfmRegion,
    base: [Opcode::OfmBase0, Opcode::OfmBase1, Opcode::OfmBase2, Opcode::OfmBase3],
    height0: Opcode::OfmHeight0M1,
    height1: Opcode::OfmHeight1M1,
    width0: Opcode::OfmWidth0M1,
    strides: [Opcode::OfmStrideY, Opcode::OfmStrideX, Opcode::OfmStrideC],
    zero_point: Opcode::OfmZeroPoint,
};

/// Writes where a map lies. `shape` is what is reached of it.
pub(super) fn write(
    w: &mut Writer,
    registers: &Registers,
    map: &FeatureMap,
    shape: [usize; 3],
) -> Result<(), String> {
    check(registers.name, map, shape)?;
    registers_of(w, registers, map, shape)?;
    zero_point(w, registers, map.zero_point, map.bits, map.signed)
}

/// Writes where a map lies that is not read: addresses and strides are those of elements of another size.
pub(super) fn write_unread(w: &mut Writer, registers: &Registers, map: &FeatureMap) -> Result<(), String> {
    registers_of(w, registers, map, map.shape)?;
    w.number(registers.zero_point, map.zero_point)
}

fn registers_of(
    w: &mut Writer,
    registers: &Registers,
    map: &FeatureMap,
    shape: [usize; 3],
) -> Result<(), String> {
    w.number(registers.region, map.region.into())?;
    let reached = reached(map, shape);
    for ((&opcode, base), reached) in registers.base.iter().zip(map.base).zip(reached) {
        // As Vela does: a tile that is not there is at 0, so that the register is written once.
        w.address(opcode, if reached { base } else { 0 })?;
    }
    let [rows0, rows1, columns0] = map.tile;
    w.less_one(registers.height0, rows0)?;
    w.less_one(registers.height1, if reached[1] || reached[3] { rows1 } else { rows0 })?;
    w.less_one(registers.width0, columns0)?;
    for (&opcode, stride) in registers.strides.iter().zip(map.strides) {
        w.wide(opcode, stride)?;
    }
    Ok(())
}

/// Writes a zero point. The register has 16 bits; whether it has a sign follows from the elements.
pub(super) fn zero_point(
    w: &mut Writer,
    registers: &Registers,
    value: i64,
    bits: u8,
    signed: bool,
) -> Result<(), String> {
    let range = match (bits, signed) {
        (8, true) => (-128, 127),
        (8, false) => (0, 255),
        (_, true) => (-0x8000, 0x7fff),
        // No source tells what the upper half is.
        (_, false) => (0, 0x7fff),
    };
    inside(registers.name, "zero point", value, range)?;
    w.number(registers.zero_point, value)
}

/// Whether the shape reaches each of the tiles.
pub(super) fn reached(map: &FeatureMap, [h, w, _]: [usize; 3]) -> [bool; 4] {
    let [rows0, rows1, columns0] = map.tile;
    [true, w > columns0, h > rows0, w > columns0 && h > rows1]
}

/// What `facts/ethosu.md` 5 and `register_command_stream_util.py` of Vela ask of addresses and strides.
fn check(name: &str, map: &FeatureMap, shape: [usize; 3]) -> Result<(), String> {
    for ((&size, all), axis) in shape.iter().zip(map.shape).zip(["height", "width", "depth"]) {
        inside(name, axis, signed(size)?, (1, 1 << 16))?;
        if size > all {
            return Err(format!("{name} {axis} {all} is less than the {size} that are needed"));
        }
    }
    for (&size, which) in map.tile.iter().zip(["rows of tile 0", "rows of tile 1", "columns of tile 0"]) {
        inside(name, which, signed(size)?, (1, 1 << 16))?;
    }
    inside(name, "region", map.region.into(), (0, 7))?;
    if !matches!(map.bits, 8 | 16 | 32 | 64) {
        return Err(format!("{name} bits {} are none of 8, 16, 32, 64", map.bits));
    }
    let bytes = signed(map.bytes())?;
    let [_, width, depth] = shape;
    let multiple = match map.layout {
        Layout::Nhwc => bytes,
        Layout::Nhcwb16 => 16,
    };
    for ((&base, reached), i) in map.base.iter().zip(reached(map, shape)).zip(0..) {
        if reached && signed(base)? % multiple != 0 {
            return Err(format!("{name} base {i} {base:#x} is no multiple of {multiple}"));
        }
    }
    let [rows, columns, channels] = map.strides;
    let (second, stride, used) = match map.layout {
        Layout::Nhwc => ("columns", columns, width > 1),
        Layout::Nhcwb16 => ("bricks", channels, depth > BRICK),
    };
    if shape[0] > 1 && rows % multiple != 0 {
        return Err(format!("{name} stride of rows {rows} is no multiple of {multiple}"));
    }
    if used && stride % multiple != 0 {
        return Err(format!("{name} stride of {second} {stride} is no multiple of {multiple}"));
    }
    if map.layout == Layout::Nhwc && depth > 1 && channels != bytes {
        return Err(format!("{name} stride of channels {channels} is not the size of an element, {bytes}"));
    }
    Ok(())
}

/// `name what value` if the value is not in `least..=most`.
pub(super) fn inside(name: &str, what: &str, value: i64, (least, most): (i64, i64)) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{name} {what} {value} is not in {least} to {most}"))
}

/// Type of the elements: sign, size.
pub(super) fn element(bits: u8, signed: bool) -> Result<(i64, i64), String> {
    let precision = match bits {
        8 => activation_precision::B8,
        16 => activation_precision::B16,
        32 => activation_precision::B32,
        64 => activation_precision::B64,
        other => return Err(format!("elements of {other} bits")),
    };
    let sign = if signed { activation_type::SIGNED } else { activation_type::UNSIGNED };
    Ok((sign.into(), precision.into()))
}

/// Code of the layout.
pub(super) fn format(layout: Layout) -> i64 {
    match layout {
        Layout::Nhwc => activation_format::NHWC.into(),
        Layout::Nhcwb16 => activation_format::NHCWB16.into(),
    }
}
