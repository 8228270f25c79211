//! What is the same on all generations: window, padding, blocks, weights.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{ifm_upscale_mode, kernel_decomposition, weight_order};

use super::map::inside;
use super::writer::{Writer, signed};
use crate::hw::{Bytes, KernelOp, Kind, OfmScale, Pool, Transpose, Upscale, Window};
use crate::ir::Factor;

/// Which axis of the output becomes the rows, columns and channels in memory.
pub(super) fn axes(transpose: Transpose) -> [usize; 3] {
    match transpose {
        Transpose::Hwc => [0, 1, 2],
        Transpose::Whc => [1, 0, 2],
        Transpose::Hcw => [0, 2, 1],
        Transpose::Wch => [1, 2, 0],
        Transpose::Chw => [2, 0, 1],
        Transpose::Cwh => [2, 1, 0],
    }
}

/// Height, width and depth of the output before it is transposed. The map has them as they are stored.
pub(super) fn ofm_shape(op: &KernelOp) -> [usize; 3] {
    let mut shape = op.ofm.shape;
    for (axis, stored) in axes(op.transpose).into_iter().zip(op.ofm.shape) {
        if let Some(size) = shape.get_mut(axis) {
            *size = stored;
        }
    }
    shape
}

/// Rows, columns and channels of the input that an operation reaches.
///
/// There are no registers for them: the hardware finds them from output, window and padding (facts 1.4). What is
/// left over at the lower and right edge is not read.
pub(super) fn ifm_shape(op: &KernelOp) -> Result<[usize; 3], String> {
    let depth = op.ifm.shape[2];
    match op.kind {
        // IFM is not read.
        Kind::Elementwise(_) | Kind::Resize { .. } | Kind::Pool(Pool::None) => return Ok(op.ifm.shape),
        Kind::Conv | Kind::Depthwise | Kind::MatMul | Kind::Pool(_) => {}
    }
    let dilated = dilated(&op.window)?;
    let ofm = ofm_shape(op);
    let mut shape = [0, 0, depth];
    for (axis, name) in [(0, "height"), (1, "width")] {
        let (before, after) = (op.window.pad[axis], op.window.pad[axis + 2]);
        let padded = ofm[axis]
            .checked_sub(1)
            .and_then(|steps| steps.checked_mul(op.window.stride[axis]))
            .and_then(|steps| steps.checked_add(dilated[axis]));
        let extent = padded.and_then(|padded| padded.checked_sub(before)?.checked_sub(after));
        let extent = match (extent, op.upscale) {
            (None | Some(0), _) => {
                return Err(format!(
                    "ifm {name} is nothing: padding of {before} and {after} is all there is"
                ));
            }
            (Some(extent), Upscale::None) => extent,
            (Some(extent), Upscale::Nearest | Upscale::Zeros) => extent.div_ceil(2),
        };
        if extent > op.ifm.shape[axis] {
            return Err(format!(
                "ifm {name} {} is less than the {extent} that are needed",
                op.ifm.shape[axis]
            ));
        }
        shape[axis] = extent;
    }
    Ok(shape)
}

/// Height and width of the window with the gaps of the dilation.
pub(super) fn dilated(window: &Window) -> Result<[usize; 2], String> {
    let mut dilated = [0; 2];
    for (axis, name) in [(0, "height"), (1, "width")] {
        inside("window", name, signed(window.size[axis])?, (1, 1 << 16))?;
        inside("window dilation", name, signed(window.dilation[axis])?, (1, 2))?;
        inside("window stride", name, signed(window.stride[axis])?, (1, 3))?;
        dilated[axis] = (window.size[axis] - 1) * window.dilation[axis] + 1;
    }
    Ok(dilated)
}

/// Padding: 7 bits before, at most 128 behind (comments of Arm's interface headers).
pub(super) fn padding(w: &mut Writer, window: &Window) -> Result<(), String> {
    let [top, left, bottom, right] = window.pad;
    for (name, pad, most) in
        [("top", top, 127), ("left", left, 127), ("bottom", bottom, 128), ("right", right, 128)]
    {
        inside("padding", name, signed(pad)?, (0, most))?;
    }
    w.number(Opcode::IfmPadTop, signed(top)?)?;
    w.number(Opcode::IfmPadLeft, signed(left)?)?;
    w.number(Opcode::IfmPadBottom, signed(bottom)?)?;
    w.number(Opcode::IfmPadRight, signed(right)?)
}

/// Size, strides and dilation of the window, and the order of weights.
pub(super) fn window(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    use fields::kernel_stride as f;
    let [height, width] = dilated(&op.window)?;
    w.less_one(Opcode::KernelHeightM1, height)?;
    w.less_one(Opcode::KernelWidthM1, width)?;
    let stride = op.window.stride.map(|s| s.saturating_sub(1) as i64);
    let dilation = op.window.dilation.map(|d| d.saturating_sub(1) as i64);
    let order =
        if op.block.part_kernel { weight_order::PART_KERNEL_FIRST } else { weight_order::DEPTH_FIRST };
    w.set(
        Opcode::KernelStride,
        &[
            (&f::STRIDE_X_LSB, stride[1] & 1),
            (&f::STRIDE_Y_LSB, stride[0] & 1),
            (&f::WEIGHT_ORDER, order.into()),
            (&f::DILATION_X, dilation[1]),
            (&f::DILATION_Y, dilation[0]),
            (&f::DECOMPOSITION, kernel_decomposition::D8X8.into()),
            (&f::STRIDE_X_MSB, stride[1] >> 1),
            (&f::STRIDE_Y_MSB, stride[0] >> 1),
        ],
    )
}

/// Doubling of the input.
pub(super) fn upscale(w: &mut Writer, upscale: Upscale) -> Result<(), String> {
    let mode = match upscale {
        Upscale::None => ifm_upscale_mode::NONE,
        Upscale::Nearest => ifm_upscale_mode::NEAREST,
        Upscale::Zeros => ifm_upscale_mode::ZEROS,
    };
    w.number(Opcode::IfmUpscale, mode.into())
}

/// Height, width and depth of the output.
pub(super) fn ofm_size(w: &mut Writer, shape: [usize; 3]) -> Result<(), String> {
    let [height, width, depth] = shape;
    w.less_one(Opcode::OfmHeightM1, height)?;
    w.less_one(Opcode::OfmWidthM1, width)?;
    w.less_one(Opcode::OfmDepthM1, depth)
}

/// The block of the output.
pub(super) fn block(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    let [height, width, depth] = op.block.ofm;
    w.less_one(Opcode::OfmBlkHeightM1, height)?;
    w.less_one(Opcode::OfmBlkWidthM1, width)?;
    w.less_one(Opcode::OfmBlkDepthM1, depth)
}

/// Weight streams: register pairs of base and length, one for each core or decoder. Those that have nothing to do
/// get length 0.
pub(super) fn streams(
    w: &mut Writer,
    name: &str,
    streams: &[Bytes],
    registers: &[(Opcode, Opcode)],
) -> Result<(), String> {
    if streams.len() > registers.len() {
        return Err(format!("{name} streams {}: there are places for {}", streams.len(), registers.len()));
    }
    for (i, &(base, length)) in registers.iter().enumerate() {
        let Some(bytes) = streams.get(i).filter(|bytes| bytes.length > 0) else {
            w.number(length, 0)?;
            continue;
        };
        for (what, value) in [("address", bytes.address), ("length", bytes.length)] {
            if !value.is_multiple_of(16) {
                return Err(format!("{name} {i} {what} {value:#x} is no multiple of 16"));
            }
        }
        w.address(base, bytes.address)?;
        w.number(length, signed(bytes.length)?)?;
    }
    Ok(())
}

/// Bytes of a record of bias, scale and shift of one channel, on all generations (facts 3.2).
pub(super) const RECORD: u64 = 10;

/// Scale streams must have a record for each channel of their core.
pub(super) fn records(scales: &[Bytes], depth: usize, cores: usize) -> Result<(), String> {
    for core in 0..cores {
        let channels = depth.saturating_sub(core).div_ceil(cores) as u64;
        let length = scales.get(core).map_or(0, |bytes| bytes.length);
        if length < channels.saturating_mul(RECORD) {
            return Err(format!("scales {core} length {length} is less than {channels} records of {RECORD}"));
        }
    }
    Ok(())
}

/// The scale for all channels; an error names what wants one.
pub(super) fn global(op: &KernelOp, what: &str) -> Result<Factor, String> {
    match op.ofm_scale {
        OfmScale::Global(factor) => Ok(factor),
        OfmScale::PerChannel => Err(format!("{what} with a scale for each channel")),
    }
}

/// A factor that must change nothing.
pub(super) fn one(factor: Factor, what: &str) -> Result<(), String> {
    if factor.is_one() {
        return Ok(());
    }
    let Factor { multiplier, shift } = factor;
    Err(format!("{what} with a scale of {multiplier} >> {shift}"))
}

/// Sizes of the operands against each other.
pub(super) fn depths(op: &KernelOp) -> Result<(), String> {
    let (ifm, ofm) = (op.ifm.shape[2], ofm_shape(op)[2]);
    let want = match op.kind {
        Kind::Depthwise | Kind::Resize { .. } => ifm,
        Kind::Pool(Pool::ReduceSum) => 1,
        Kind::Pool(Pool::None) | Kind::Conv | Kind::MatMul | Kind::Elementwise(_) => return Ok(()),
        Kind::Pool(_) => ifm,
    };
    if ofm != want {
        return Err(format!("ofm depth {ofm} is not {want}, with an ifm depth of {ifm}"));
    }
    Ok(())
}

/// Bits of a map must be among these.
pub(super) fn bits(name: &str, bits: u8, among: &[u8]) -> Result<(), String> {
    if among.contains(&bits) {
        return Ok(());
    }
    Err(format!("{name} bits {bits} are none of {among:?}"))
}

/// Bounds of the output as the registers have them: 16 bits, in the type `bits` and `signed` say. Bounds beyond the
/// type are the type's.
pub(super) fn bounds(clamp: Option<(i64, i64)>, bits: u8, signed: bool) -> Result<(i64, i64), String> {
    let (low, high) = match (bits, signed) {
        (8, true) => (-0x80, 0x7f),
        (8, false) => (0, 0xff),
        (_, true) => (-0x8000, 0x7fff),
        (_, false) => (0, 0xffff),
    };
    let (least, most) = clamp.map_or((low, high), |(least, most)| (least.max(low), most.min(high)));
    if least > most {
        return Err(format!("clamp {least} to {most} is empty"));
    }
    Ok((least, most))
}

/// Writes bounds. The field is shown as a number with a sign; for types without, it has none.
pub(super) fn write_bounds(w: &mut Writer, (least, most): (i64, i64)) -> Result<(), String> {
    for (opcode, bound) in [(Opcode::ActivationMin, least), (Opcode::ActivationMax, most)] {
        let bound = if bound > 0x7fff { bound - 0x1_0000 } else { bound };
        w.number(opcode, bound)?;
    }
    Ok(())
}
