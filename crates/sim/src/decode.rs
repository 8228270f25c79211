//! SET registers to [`op`](crate::op) descriptors, as far as the generations agree.

use tombolo_ethosu::cmd::{Field, Opcode, fields};
use tombolo_ethosu::{Generation, enums};

use crate::fault::Cause;
use crate::op::{Elem, FeatureMap, Kernel, Layout, Padding, Shape, Stream, Tiling, Upscale};
use crate::state::State;

/// The registers of one feature map.
pub(crate) struct MapRegisters {
    pub(crate) precision: Opcode,
    pub(crate) zero_point: Opcode,
    region: Opcode,
    base: [Opcode; 4],
    stride_y: Opcode,
    stride_x: Opcode,
    stride_c: Opcode,
    width0: Opcode,
    height0: Opcode,
    height1: Opcode,
}

pub(crate) const IFM: MapRegisters = MapRegisters {
    precision: Opcode::IfmPrecision,
    zero_point: Opcode::IfmZeroPoint,
    region: Opcode::IfmRegion,
    base: [Opcode::IfmBase0, Opcode::IfmBase1, Opcode::IfmBase2, Opcode::IfmBase3],
    stride_y: Opcode::IfmStrideY,
    stride_x: Opcode::IfmStrideX,
    stride_c: Opcode::IfmStrideC,
    width0: Opcode::IfmWidth0M1,
    height0: Opcode::IfmHeight0M1,
    height1: Opcode::IfmHeight1M1,
};

pub(crate) const IFM2: MapRegisters = MapRegisters {
    precision: Opcode::Ifm2Precision,
    zero_point: Opcode::Ifm2ZeroPoint,
    region: Opcode::Ifm2Region,
    base: [Opcode::Ifm2Base0, Opcode::Ifm2Base1, Opcode::Ifm2Base2, Opcode::Ifm2Base3],
    stride_y: Opcode::Ifm2StrideY,
    stride_x: Opcode::Ifm2StrideX,
    stride_c: Opcode::Ifm2StrideC,
    width0: Opcode::Ifm2Width0M1,
    height0: Opcode::Ifm2Height0M1,
    height1: Opcode::Ifm2Height1M1,
};

pub(crate) const OFM: MapRegisters = MapRegisters {
    precision: Opcode::OfmPrecision,
    zero_point: Opcode::OfmZeroPoint,
    region: Opcode::OfmRegion,
    base: [Opcode::OfmBase0, Opcode::OfmBase1, Opcode::OfmBase2, Opcode::OfmBase3],
    stride_y: Opcode::OfmStrideY,
    stride_x: Opcode::OfmStrideX,
    stride_c: Opcode::OfmStrideC,
    width0: Opcode::OfmWidth0M1,
    height0: Opcode::OfmHeight0M1,
    height1: Opcode::OfmHeight1M1,
};

/// The value of a field must be one that the generation defines.
pub(crate) fn defined(state: &State, opcode: Opcode, field: &Field) -> Result<u32, Cause> {
    let value = state.field(opcode, field)?;
    if field.value_name(state.generation, value).is_none() {
        return Err(Cause::invalid(format!(
            "{}.{} is {value}, which {} does not define",
            opcode.name(),
            field.name,
            state.generation
        )));
    }
    Ok(value)
}

/// Element type out of a precision register.
pub(crate) fn elem(state: &State, registers: &MapRegisters) -> Result<Elem, Cause> {
    let precision = registers.precision;
    let (kind, size) = match precision {
        Opcode::OfmPrecision => {
            (&fields::ofm_precision::ACTIVATION_TYPE, &fields::ofm_precision::ACTIVATION_PRECISION)
        }
        Opcode::Ifm2Precision => {
            (&fields::ifm2_precision::ACTIVATION_TYPE, &fields::ifm2_precision::ACTIVATION_PRECISION)
        }
        _ => (&fields::ifm_precision::ACTIVATION_TYPE, &fields::ifm_precision::ACTIVATION_PRECISION),
    };
    let signed = state.field(precision, kind)? == enums::activation_type::SIGNED;
    let bytes = match state.field(precision, size)? {
        enums::activation_precision::B8 => 1,
        enums::activation_precision::B16 => 2,
        enums::activation_precision::B32 => 4,
        // What 48-bit accumulators are kept in.
        _ if state.generation == Generation::U85 => 8,
        _ => {
            return Err(Cause::not_modelled(format!("64-bit elements ({})", precision.name())));
        }
    };
    Ok(Elem { bytes, signed })
}

/// A feature map of the given shape, stored in tiles.
pub(crate) fn feature_map(
    state: &State,
    registers: &MapRegisters,
    shape: Shape,
    tiling: Tiling,
) -> Result<FeatureMap, Cause> {
    let format = match registers.precision {
        Opcode::OfmPrecision => &fields::ofm_precision::ACTIVATION_FORMAT,
        Opcode::Ifm2Precision => &fields::ifm2_precision::ACTIVATION_FORMAT,
        _ => &fields::ifm_precision::ACTIVATION_FORMAT,
    };
    let layout = match defined(state, registers.precision, format)? {
        enums::activation_format::NHWC => Layout::Nhwc,
        _ => Layout::Nhcwb16,
    };
    let stride_unless = |unused: bool, opcode| match state.stride(opcode) {
        Err(_) if unused => Ok(0),
        other => other,
    };
    let mut base = [0; 4];
    for (base, &opcode) in base.iter_mut().zip(&registers.base) {
        // A tile that the shape does not reach needs no base; those are looked at below.
        *base = state.address(opcode).unwrap_or(u64::MAX);
    }
    let map = FeatureMap {
        region: (state.param(registers.region)? & 7) as u8,
        base,
        stride_y: stride_unless(shape.h == 1, registers.stride_y)?,
        stride_x: stride_unless(layout == Layout::Nhcwb16 || shape.w == 1, registers.stride_x)?,
        stride_c: stride_unless(layout == Layout::Nhwc || shape.c <= 16, registers.stride_c)?,
        width0: state.plus_one(registers.width0)?,
        height0: state.plus_one(registers.height0)?,
        height1: match state.plus_one(registers.height1) {
            Err(_) if state.plus_one(registers.width0)? >= shape.w => u32::MAX,
            other => other?,
        },
        tiling,
        layout,
        elem: elem(state, registers)?,
        shape,
    };
    if map.tiles().any(|tile| tile.base == u64::MAX) {
        for &opcode in &registers.base {
            state.get(opcode)?;
        }
    }
    Ok(map)
}

/// A zero point, which must be a value of the element's type if that has 8 bits.
pub(crate) fn zero_point(state: &State, registers: &MapRegisters, elem: Elem) -> Result<i32, Cause> {
    let bits = state.param(registers.zero_point)?;
    let zero_point = i32::from(bits as i16);
    if elem.bytes > 1 && !elem.signed && zero_point < 0 {
        return Err(Cause::not_modelled(format!(
            "{} {bits:#06x} with unsigned elements of {} bits: no source tells whether it is signed",
            registers.zero_point.name(),
            elem.bits()
        )));
    }
    let (low, high) = elem.range();
    if elem.bytes == 1 && !(low..=high).contains(&zero_point.into()) {
        return Err(Cause::invalid(format!(
            "{} {zero_point} is no value of the element type ({low} to {high})",
            registers.zero_point.name()
        )));
    }
    Ok(zero_point)
}

/// Shape of the output.
pub(crate) fn ofm_shape(state: &State) -> Result<Shape, Cause> {
    Ok(Shape::new(
        state.plus_one(Opcode::OfmHeightM1)?,
        state.plus_one(Opcode::OfmWidthM1)?,
        state.plus_one(Opcode::OfmDepthM1)?,
    ))
}

/// Kernel and padding of a convolution or pooling.
pub(crate) fn kernel(state: &State) -> Result<Kernel, Cause> {
    use fields::kernel_stride as f;
    let stride = state.get(Opcode::KernelStride)?;
    let axis = |lsb: &Field, msb: &Field| 1 + lsb.get(stride) + 2 * msb.get(stride);
    if f::DECOMPOSITION.get(stride) == enums::kernel_decomposition::D4X4 {
        return Err(Cause::not_modelled("kernel decomposition 4x4: no source tells its order of weights"));
    }
    let dilation_y = 1 + f::DILATION_Y.get(stride);
    let dilation_x = 1 + f::DILATION_X.get(stride);
    // The registers hold the size with dilation.
    let undilated = |opcode, dilation| -> Result<u32, Cause> {
        let dilated = state.plus_one(opcode)?;
        if (dilated - 1) % dilation != 0 {
            return Err(Cause::invalid(format!(
                "{} is {}, no size of a kernel with dilation {dilation}",
                Opcode::name(opcode),
                dilated - 1
            )));
        }
        Ok((dilated - 1) / dilation + 1)
    };
    Ok(Kernel {
        h: undilated(Opcode::KernelHeightM1, dilation_y)?,
        w: undilated(Opcode::KernelWidthM1, dilation_x)?,
        stride_y: axis(&f::STRIDE_Y_LSB, &f::STRIDE_Y_MSB),
        stride_x: axis(&f::STRIDE_X_LSB, &f::STRIDE_X_MSB),
        dilation_y,
        dilation_x,
        pad: Padding {
            top: state.field(Opcode::IfmPadTop, &fields::ifm_pad_top::PAD)?,
            left: state.field(Opcode::IfmPadLeft, &fields::ifm_pad_left::PAD)?,
            bottom: state.field(Opcode::IfmPadBottom, &fields::ifm_pad_bottom::PAD)?,
            right: state.field(Opcode::IfmPadRight, &fields::ifm_pad_right::PAD)?,
        },
        part_kernel: f::WEIGHT_ORDER.get(stride) == enums::weight_order::PART_KERNEL_FIRST,
    })
}

/// How the input is doubled.
pub(crate) fn upscale(state: &State) -> Result<Upscale, Cause> {
    Ok(match defined(state, Opcode::IfmUpscale, &fields::ifm_upscale::MODE)? {
        enums::ifm_upscale_mode::NEAREST => Upscale::Nearest,
        enums::ifm_upscale_mode::ZEROS => Upscale::Zeros,
        _ => Upscale::None,
    })
}

/// Rows and columns of the input (after doubling) that an output of `ofm` needs, and its shape in
/// memory. There are no registers for them: they follow from output, kernel and padding.
pub(crate) fn ifm_extent(
    kernel: &Kernel,
    ofm: Shape,
    upscale: Upscale,
    depth: u32,
) -> Result<((u32, u32), Shape), Cause> {
    let (h, w) = kernel.padded_input(ofm.h, ofm.w);
    let extent = |padded: u64, before: u32, after: u32| {
        let extent = padded.checked_sub(u64::from(before) + u64::from(after));
        match extent {
            Some(extent @ 1..=0x2_0000) => Ok(extent as u32),
            _ => Err(Cause::invalid(format!(
                "a padded input of {padded} with padding {before} and {after} leaves no input"
            ))),
        }
    };
    let h = extent(h, kernel.pad.top, kernel.pad.bottom)?;
    let w = extent(w, kernel.pad.left, kernel.pad.right)?;
    let shape = match upscale {
        Upscale::None => Shape::new(h, w, depth),
        Upscale::Nearest | Upscale::Zeros => Shape::new(h.div_ceil(2), w.div_ceil(2), depth),
    };
    Ok(((h, w), shape))
}

/// Elements that a padded input may have, after doubling.
const MAX_PADDED: u64 = 1 << 27;

/// Input side of a convolution or pooling.
pub(crate) struct Window {
    pub(crate) kernel: Kernel,
    pub(crate) upscale: Upscale,
    /// Rows and columns of the input, after doubling.
    pub(crate) extent: (usize, usize),
    /// Shape in memory, before doubling.
    pub(crate) shape: Shape,
    /// Elements with padding, after doubling.
    pub(crate) padded: u64,
}

/// Kernel, upscaling, extent and shape of the input of a convolution or pooling.
pub(crate) fn window(state: &State, ofm: Shape) -> Result<Window, Cause> {
    let kernel = kernel(state)?;
    let upscale = upscale(state)?;
    let depth = state.plus_one(Opcode::IfmDepthM1)?;
    let (extent, shape) = ifm_extent(&kernel, ofm, upscale, depth)?;
    let (h, w) = kernel.padded_input(ofm.h, ofm.w);
    let padded = h.saturating_mul(w).saturating_mul(depth.into());
    if padded > MAX_PADDED {
        return Err(Cause::invalid(format!(
            "a padded input of {h}x{w}x{depth} elements has more than the {MAX_PADDED} that the simulator takes"
        )));
    }
    Ok(Window { kernel, upscale, extent: (extent.0 as usize, extent.1 as usize), shape, padded })
}

/// A stream from a region, base and length register. 16-byte aligned, as the encoders make them.
pub(crate) fn stream(state: &State, region: Opcode, base: Opcode, length: Opcode) -> Result<Stream, Cause> {
    let length_bits = length
        .fields_of(state.generation)
        .next()
        .map_or(0, |field| state.find(length).map_or(0, |command| field.get(command)));
    state.get(length)?;
    let base_offset = state.address(base)?;
    if base_offset % 16 != 0 {
        return Err(Cause::invalid(format!("{} {base_offset:#x} is not aligned to 16 bytes", base.name())));
    }
    Ok(Stream { region: (state.param(region)? & 7) as u8, base: base_offset, length: length_bits.into() })
}
