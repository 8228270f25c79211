//! What U55 and U65 have of their own: operand scales and their order, SHRAM banks, copies, two cores.
//!
//! Sources: `facts/ethosu.md` 1.4 and 3; `ethos_u55_register_cs_generator.cpp`, `ethos_u55_constraints.cpp` and
//! `ethos_u65_register_cs_generator.cpp` of Vela.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{
    acc_format, activation_clip_range, activation_function, broadcast_mode, dma_region_mode, dma_stride_mode,
    elementwise_mode as mode, ifm_scale_mode, ifm2_operand_order, ofm_scale_mode, parallel_mode,
    pooling_mode, round_mode,
};
use tombolo_ethosu::{Accelerator, Generation};

use super::common;
use super::map::{self, inside};
use super::writer::{Writer, signed};
use crate::hw::{
    Acc, AccInput, Dma, DmaTarget, Elementwise, FeatureMap, KernelOp, Kind, LutKind, OfmScale, Operand,
    OperandScales, Pool, Round, Transpose, Upscale,
};
use crate::ir::Factor;

/// What stands once at the beginning.
pub(super) fn begin(w: &mut Writer, accelerator: Accelerator) -> Result<(), String> {
    if accelerator.generation() == Generation::U55 {
        return Ok(());
    }
    let mode =
        if accelerator.cores() > 1 { parallel_mode::DUAL_CORE_DEPTH } else { parallel_mode::SINGLE_CORE };
    w.number(Opcode::ParallelMode, mode.into())
}

/// The registers of an operation, but for BLOCKDEP.
pub(super) fn registers(
    w: &mut Writer,
    op: &KernelOp,
    ifm_shape: [usize; 3],
    accelerator: Accelerator,
) -> Result<(), String> {
    check(op)?;
    let elementwise = matches!(op.kind, Kind::Elementwise(_));
    let scale_mode = operand_scales(w, op)?;
    let scale = ofm_scale(op)?;
    if let Some(Factor { multiplier, shift }) = scale {
        use fields::ofm_scale as f;
        w.set(Opcode::OfmScale, &[(&f::SHIFT, shift.into()), (&f::SCALE_U55_U65, multiplier.into())])?;
    }

    map::write(w, &map::IFM, &op.ifm, ifm_shape)?;
    w.less_one(Opcode::IfmDepthM1, ifm_shape[2])?;
    ifm_precision(w, &op.ifm, scale_mode)?;
    common::upscale(w, op.upscale)?;
    if !elementwise {
        common::padding(w, &op.window)?;
    }
    map::write(w, &map::OFM, &op.ofm, op.ofm.shape)?;
    common::ofm_size(w, op.ofm.shape)?;
    ofm_precision(w, op, scale)?;
    if !elementwise {
        common::window(w, op)?;
    }
    parameters(w, op, accelerator)?;
    activation(w, op)?;
    if let Some(second) = &op.ifm2 {
        self::second(w, op, second)?;
    }
    common::block(w, op)?;
    shram(w, op, accelerator)
}

/// What these generations have not, and which types an operation takes (`ethos_u55_constraints.cpp`).
fn check(op: &KernelOp) -> Result<(), String> {
    if op.transpose != Transpose::Hwc {
        return Err("a transposed ofm".into());
    }
    if op.acc_input != AccInput::Reset || op.acc_keep {
        return Err("accumulators that are kept or loaded".into());
    }
    let (ifm, ofm) = (op.ifm.bits, op.ofm.bits);
    match op.kind {
        Kind::Conv | Kind::Depthwise => {
            common::bits("ifm", ifm, &[8, 16])?;
            common::bits("ofm", ofm, &[8, 16, 32])?;
        }
        Kind::Pool(Pool::ReduceSum) => {
            common::bits("ifm", ifm, &[8, 16, 32])?;
            common::bits("ofm", ofm, &[8, 16, 32])?;
        }
        Kind::Pool(_) => {
            common::bits("ifm", ifm, &[8, 16])?;
            common::bits("ofm", ofm, &[8, 16, 32])?;
        }
        Kind::Elementwise(how) => {
            let shifts = matches!(how, Elementwise::Clz | Elementwise::Shl | Elementwise::Shr);
            common::bits("ifm", ifm, if shifts { &[32] } else { &[8, 16, 32] })?;
            common::bits("ofm", ofm, &[8, 16, 32])?;
            if op.upscale != Upscale::None {
                return Err("an elementwise operation with an upscaled ifm".into());
            }
            if op.ifm.shape != op.ofm.shape {
                return Err(format!("ifm {:?} is not as large as ofm {:?}", op.ifm.shape, op.ofm.shape));
            }
            if op.ifm2.is_some() == how.unary() {
                return Err(format!("{how:?} with {} operands", 1 + usize::from(op.ifm2.is_some())));
            }
        }
        Kind::MatMul | Kind::Resize { .. } => return Err(format!("{:?}", op.kind)),
    }
    if !matches!(op.kind, Kind::Elementwise(_)) && op.ifm2.is_some() {
        return Err("a second operand of an operation that is not elementwise".into());
    }
    for (name, map) in [("ifm", &op.ifm), ("ofm", &op.ofm)] {
        if map.bits == 32 && map.zero_point != 0 && op.lut.is_none() {
            return Err(format!("{name} zero point {} of 32 bits", map.zero_point));
        }
    }
    common::depths(op)
}

/// OPA_SCALE and OPB_SCALE of ADD and SUB; mode and rounding for IFM_PRECISION. The scales are those of the
/// operands as the operation has them, left and right.
fn operand_scales(w: &mut Writer, op: &KernelOp) -> Result<(u32, u32), String> {
    use fields::{opa_scale, opb_scale};
    let sum = matches!(op.kind, Kind::Elementwise(Elementwise::Add | Elementwise::Sub));
    if op.operand_scales == OperandScales::None && !sum {
        return Ok((ifm_scale_mode::OPA_OPB_16, round_mode::DBL));
    }
    if !sum {
        return Err(format!("{:?} with scales of operands", op.kind));
    }
    if op.operand_scales != OperandScales::None && (op.ifm.bits > 16 || op.ofm.bits > 16) {
        return Err(format!(
            "scales of operands with an ifm of {} and ofm of {} bits",
            op.ifm.bits, op.ofm.bits
        ));
    }
    let (a, shift, b, mode) = match op.operand_scales {
        OperandScales::None => (1, 0, 1, (ifm_scale_mode::OPA_OPB_16, round_mode::DBL)),
        // Vela takes 15 bits: whether the top bit is a sign stands nowhere.
        OperandScales::Multiply { a, b } => {
            inside("operand scale", "a", a.into(), (0, 0x7fff))?;
            inside("operand scale", "b", b.into(), (0, 0x7fff))?;
            (a.into(), 0, b.into(), (ifm_scale_mode::OPA_OPB_16, round_mode::DBL))
        }
        OperandScales::First(factor, round) => {
            let mode = (ifm_scale_mode::OPA_32, rounding(round, factor.shift > 0)?);
            (factor.multiplier.into(), factor.shift.into(), 0, mode)
        }
        OperandScales::Second(factor, round) => {
            let mode = (ifm_scale_mode::OPB_32, rounding(round, factor.shift > 0)?);
            (factor.multiplier.into(), factor.shift.into(), 0, mode)
        }
        OperandScales::Each { .. } => return Err("both operands with a scale and a shift".into()),
    };
    w.set(Opcode::OpaScale, &[(&opa_scale::SHIFT, shift), (&opa_scale::SCALE, a)])?;
    if mode.0 == ifm_scale_mode::OPA_OPB_16 {
        // In the other modes the hardware has its own factor for the other operand.
        w.set(Opcode::OpbScale, &[(&opb_scale::SCALE, b)])?;
    }
    Ok(mode)
}

/// The scale for all channels, if there is one.
fn ofm_scale(op: &KernelOp) -> Result<Option<Factor>, String> {
    let wide = op.ifm.bits == 32 || op.ofm.bits == 32;
    match op.kind {
        Kind::Conv | Kind::Depthwise => match op.ofm_scale {
            OfmScale::PerChannel => Ok(None),
            // The biases come with the scales.
            OfmScale::Global(_) => Err("a convolution with one scale for all channels".into()),
        },
        Kind::Pool(Pool::Average) if op.window.pad != [0; 4] => {
            common::one(common::global(op, "a padded average")?, "a padded average")?;
            Ok(Some(Factor::ONE))
        }
        Kind::Pool(_) => match op.ofm_scale {
            OfmScale::PerChannel => Ok(None),
            OfmScale::Global(factor) => Ok(Some(factor)),
        },
        Kind::Elementwise(how) => {
            let factor = common::global(op, "an elementwise operation")?;
            match how {
                Elementwise::Min
                | Elementwise::Max
                | Elementwise::Clz
                | Elementwise::Shr
                | Elementwise::Shl => {
                    common::one(factor, &format!("{how:?}"))?;
                    Ok(Some(Factor::ONE))
                }
                // The multiplier is not used with 32 bits (facts 3.3).
                _ if wide && factor.multiplier != 1 => {
                    if factor.is_one() {
                        return Ok(Some(Factor::ONE));
                    }
                    Err(format!("ofm scale multiplier {} with operands of 32 bits", factor.multiplier))
                }
                _ => Ok(Some(factor)),
            }
        }
        Kind::MatMul | Kind::Resize { .. } => Err(format!("{:?}", op.kind)),
    }
}

fn rounding(round: Round, shifts: bool) -> Result<u32, String> {
    match round {
        Round::Natural => Ok(round_mode::NATURAL),
        Round::Double => Ok(round_mode::DBL),
        // The hardware's TRUNCATE goes to zero. What is not shifted is not rounded.
        Round::Truncate if shifts => Err("rounding down".into()),
        Round::Truncate => Ok(round_mode::DBL),
    }
}

fn ifm_precision(w: &mut Writer, ifm: &FeatureMap, (mode, round): (u32, u32)) -> Result<(), String> {
    use fields::ifm_precision as f;
    let (sign, precision) = map::element(ifm.bits, ifm.signed)?;
    w.set(
        Opcode::IfmPrecision,
        &[
            (&f::ACTIVATION_TYPE, sign),
            (&f::ACTIVATION_PRECISION, precision),
            (&f::ACTIVATION_FORMAT, map::format(ifm.layout)),
            (&f::SCALE_MODE, mode.into()),
            (&f::ROUND_MODE, round.into()),
        ],
    )
}

fn ofm_precision(w: &mut Writer, op: &KernelOp, scale: Option<Factor>) -> Result<(), String> {
    use fields::ofm_precision as f;
    let (sign, precision) = map::element(op.ofm.bits, op.ofm.signed)?;
    // As Vela has it, operations that take no scale are said to have one for each channel.
    let global = match op.kind {
        Kind::Elementwise(how) => !matches!(
            how,
            Elementwise::Min | Elementwise::Max | Elementwise::Clz | Elementwise::Shr | Elementwise::Shl
        ),
        _ => scale.is_some(),
    };
    let mode = if global { ofm_scale_mode::GLOBAL } else { ofm_scale_mode::PER_CHANNEL };
    // SHR takes its own shift; only NATURAL rounds it.
    let shr = op.kind == Kind::Elementwise(Elementwise::Shr);
    let round = rounding(op.round, !shr && scale.is_none_or(|factor| factor.shift > 0))?;
    w.set(
        Opcode::OfmPrecision,
        &[
            (&f::ACTIVATION_TYPE, sign),
            (&f::ACTIVATION_PRECISION, precision),
            (&f::ACTIVATION_FORMAT, map::format(op.ofm.layout)),
            (&f::SCALE_MODE, mode.into()),
            (&f::ROUND_MODE, round.into()),
        ],
    )
}

/// Weights and scales, for each core.
fn parameters(w: &mut Writer, op: &KernelOp, accelerator: Accelerator) -> Result<(), String> {
    let weighted = matches!(op.kind, Kind::Conv | Kind::Depthwise);
    let Some(parameters) = &op.parameters else {
        if weighted || op.ofm_scale == OfmScale::PerChannel {
            return Err("no weights or scales".into());
        }
        return Ok(());
    };
    if parameters.fast || parameters.sparse {
        return Err("fast or sparse weights".into());
    }
    let cores = accelerator.cores() as usize;
    if weighted {
        let places =
            [(Opcode::WeightBase, Opcode::WeightLength), (Opcode::Weight1Base, Opcode::Weight1Length)];
        if parameters.weights.first().is_none_or(|bytes| bytes.length == 0) {
            return Err("no weights".into());
        }
        w.number(Opcode::WeightRegion, parameters.weight_region.into())?;
        common::streams(w, "weights", &parameters.weights, places.get(..cores).unwrap_or(&places))?;
    }
    if op.ofm_scale == OfmScale::PerChannel {
        let places = [(Opcode::ScaleBase, Opcode::ScaleLength), (Opcode::Scale1Base, Opcode::Scale1Length)];
        common::records(&parameters.scales, op.ofm.shape[2], cores)?;
        w.number(Opcode::ScaleRegion, parameters.scale_region.into())?;
        common::streams(w, "scales", &parameters.scales, places.get(..cores).unwrap_or(&places))?;
    }
    Ok(())
}

fn activation(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    use fields::activation as f;
    let function = match op.lut {
        None => activation_function::RELU,
        Some(lut) => {
            match lut.kind {
                LutKind::I8 => common::bits("ofm of a table of bytes", op.ofm.bits, &[8])?,
                LutKind::I16 if op.ofm.signed => {
                    common::bits("ofm of a table of 16 bits", op.ofm.bits, &[16])?
                }
                _ => return Err(format!("a table {:?}, ofm signed: {}", lut.kind, op.ofm.signed)),
            }
            let most = if lut.kind == LutKind::I8 { 7 } else { 0 };
            inside("table", "slot", lut.slot.into(), (0, most))?;
            activation_function::TABLE_0 + u32::from(lut.slot)
        }
    };
    let mut range = activation_clip_range::OFM_PRECISION;
    let mut bounds = common::bounds(op.clamp, op.ofm.bits, op.ofm.signed)?;
    if op.ofm.bits == 32 {
        // 32 bits are not clamped, unless to 16.
        let whole = if op.ofm.signed { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
        bounds = (-0x8000, 0x7fff);
        if let Some((least, most)) = op.clamp.filter(|clamp| clamp.0 > whole.0 || clamp.1 < whole.1) {
            if least < bounds.0 || most > bounds.1 || least > most {
                return Err(format!("clamp {least} to {most} of 32 bits, which is not within 16"));
            }
            range = activation_clip_range::FORCE_INT16;
            bounds = (least, most);
        }
    }
    w.set(
        Opcode::Activation,
        &[
            (&f::ACTIVATION_FUNCTION_U55_U65, function.into()),
            (&f::ACTIVATION_CLIP_RANGE_U55_U65, range.into()),
        ],
    )?;
    common::write_bounds(w, bounds)
}

/// IFM2 registers.
fn second(w: &mut Writer, op: &KernelOp, second: &Operand) -> Result<(), String> {
    use fields::{ifm2_broadcast as f, ifm2_precision as p};
    let (bits, sign, format) = match second {
        Operand::Scalar { value, zero_point, bits, signed } => {
            let range = match (bits, signed) {
                (8, true) => (-0x80, 0x7f),
                (8, false) => (0, 0xff),
                (16, false) => (0, 0xffff),
                _ => (-0x8000, 0x7fff),
            };
            let value = i64::from(*value);
            inside("ifm2", "scalar", value, range)?;
            w.number(Opcode::Ifm2Scalar, if value > 0x7fff { value - 0x1_0000 } else { value })?;
            map::zero_point(w, &map::IFM2, *zero_point, *bits, *signed)?;
            (*bits, *signed, 0)
        }
        Operand::Map(second) => {
            map::write(w, &map::IFM2, second, second.shape)?;
            (second.bits, second.signed, map::format(second.layout))
        }
    };
    if (bits, sign) != (op.ifm.bits, op.ifm.signed) {
        return Err(format!(
            "ifm2 has {bits} bits, signed: {sign}; ifm has {}, signed: {}",
            op.ifm.bits, op.ifm.signed
        ));
    }
    let (sign, precision) = map::element(bits, sign)?;
    w.set(
        Opcode::Ifm2Precision,
        &[
            (&p::ACTIVATION_TYPE, sign),
            (&p::ACTIVATION_PRECISION, precision),
            (&p::ACTIVATION_FORMAT, format),
        ],
    )?;
    let mut repeat = [broadcast_mode::DISABLE; 3];
    if let Operand::Map(second) = second {
        for ((repeat, &own), &full) in repeat.iter_mut().zip(&second.shape).zip(&op.ofm.shape) {
            if own != full {
                if own != 1 {
                    return Err(format!("ifm2 {:?} for an ofm of {:?}", second.shape, op.ofm.shape));
                }
                *repeat = broadcast_mode::ENABLE;
            }
        }
    }
    let [h, w_, c] = repeat.map(i64::from);
    let order = if op.swapped { ifm2_operand_order::ORDER_A } else { ifm2_operand_order::ORDER_B };
    let constant = i64::from(matches!(second, Operand::Scalar { .. }));
    w.set(
        Opcode::Ifm2Broadcast,
        &[
            (&f::BROADCAST_H, h),
            (&f::BROADCAST_W, w_),
            (&f::BROADCAST_C, c),
            (&f::OPERAND_ORDER, order.into()),
            (&f::BROADCAST_CONSTANT, constant),
        ],
    )
}

/// Banks of the SHRAM and the format of accumulators. The banks are [`crate::block`]'s choice; here they must only
/// lie inside.
fn shram(w: &mut Writer, op: &KernelOp, accelerator: Accelerator) -> Result<(), String> {
    let [end, accumulators, second] = op.block.shram;
    let banks = accelerator.spec().shram_kib_per_core.into();
    for (name, bank) in [("ib_end", end), ("ab_start", accumulators), ("ib_start2", second)] {
        inside("shram", name, bank.into(), (0, banks))?;
        if bank % 2 != 0 {
            return Err(format!("shram {name} {bank} is odd"));
        }
    }
    if end > accumulators {
        return Err(format!("shram ib_end {end} is behind ab_start {accumulators}"));
    }
    w.number(Opcode::IfmIbEnd, end.into())?;
    w.number(Opcode::AbStart, accumulators.into())?;
    if op.ifm2.is_some() {
        w.number(Opcode::Ifm2IbStart, second.into())?;
    }
    let format = match op.block.acc {
        Acc::I32 => acc_format::I32,
        Acc::I40 => acc_format::I40,
        Acc::I48 => return Err("accumulators of 48 bits".into()),
    };
    w.set(Opcode::AccFormat, &[(&fields::acc_format::ACC_FORMAT, format.into())])
}

/// The command that starts an operation, and its mode.
pub(super) fn start(w: &mut Writer, op: &KernelOp) -> Result<usize, String> {
    match op.kind {
        Kind::Conv => w.operation(Opcode::Conv, &[]),
        Kind::Depthwise => w.operation(Opcode::Depthwise, &[]),
        Kind::Pool(pool) => {
            let mode = match pool {
                Pool::Max => pooling_mode::MAX,
                Pool::Average => pooling_mode::AVERAGE,
                Pool::ReduceSum => pooling_mode::REDUCE_SUM,
                other => return Err(format!("pooling {other:?}")),
            };
            w.operation(Opcode::Pool, &[(&fields::pool::POOLING_MODE, mode.into())])
        }
        Kind::Elementwise(how) => {
            let mode = match how {
                Elementwise::Mul => mode::MUL,
                Elementwise::Add => mode::ADD,
                Elementwise::Sub => mode::SUB,
                Elementwise::Min => mode::MIN,
                Elementwise::Max => mode::MAX,
                Elementwise::Lrelu => mode::LRELU,
                Elementwise::Abs => mode::ABS,
                Elementwise::Clz => mode::CLZ,
                Elementwise::Shr => mode::SHR,
                Elementwise::Shl => mode::SHL,
                other => return Err(format!("elementwise {other:?}")),
            };
            w.operation(Opcode::Elementwise, &[(&fields::elementwise::ELEMENTWISE_MODE, mode.into())])
        }
        Kind::MatMul | Kind::Resize { .. } => Err(format!("{:?}", op.kind)),
    }
}

/// The registers of a copy.
pub(super) fn copy(w: &mut Writer, dma: &Dma, accelerator: Accelerator) -> Result<(), String> {
    use fields::{dma0_dst_region as dst, dma0_src_region as src};
    let [rows, planes] = dma.count;
    let dims = match dma.count {
        [1, 1] => dma_stride_mode::D1,
        [_, 1] => dma_stride_mode::D2,
        _ => dma_stride_mode::D3,
    };
    let u55 = accelerator.generation() == Generation::U55;
    if u55 && dims != dma_stride_mode::D1 {
        return Err(format!("a copy of {rows} rows in {planes} planes"));
    }
    // Any address there is, of memory, but on U55; and in lines of 16 bytes to the SHRAM
    // (`register_command_stream_util.py`).
    let (mode, region, to, inner) = match dma.target {
        DmaTarget::Memory { region, address } => (dma_region_mode::EXTERNAL, region, address, false),
        // Both cores.
        DmaTarget::Lut { slot } => {
            let to = u64::from(accelerator.lut_base()) + u64::from(slot) * 256;
            (dma_region_mode::INTERNAL, 3, to, true)
        }
    };
    if u55 || inner {
        for (name, value) in [("target", to), ("length", dma.length)] {
            if !value.is_multiple_of(16) {
                return Err(format!("copy {name} {value:#x} is no multiple of 16"));
            }
        }
    }
    if u55 && !dma.address.is_multiple_of(16) {
        return Err(format!("copy source {:#x} is no multiple of 16", dma.address));
    }
    w.set(
        Opcode::Dma0SrcRegion,
        &[
            (&src::REGION, dma.region.into()),
            (&src::REGION_MODE, dma_region_mode::EXTERNAL.into()),
            (&src::STRIDE_MODE, dma_stride_mode::D1.into()),
        ],
    )?;
    w.address(Opcode::Dma0Src, dma.address)?;
    w.set(
        Opcode::Dma0DstRegion,
        &[(&dst::REGION, region.into()), (&dst::REGION_MODE, mode.into()), (&dst::STRIDE_MODE, dims.into())],
    )?;
    w.address(Opcode::Dma0Dst, to)?;
    w.address(Opcode::Dma0Len, dma.length)?;
    if dims == dma_stride_mode::D1 {
        return Ok(());
    }
    // The source is read without gaps; the target has them behind rows and behind planes.
    let length = signed(dma.length)?;
    let plane = length.checked_mul(signed(rows)?).ok_or("a plane of more than 63 bits")?;
    let dense = [length, plane];
    if (rows > 1 && dma.source_strides[0] != length) || (planes > 1 && dma.source_strides[1] != plane) {
        return Err(format!("copy source strides {:?} are not {dense:?}", dma.source_strides));
    }
    let skip = |stride: i64, length: i64| stride.checked_sub(length).ok_or("a stride of more than 63 bits");
    w.number(Opcode::Dma0Size0, signed(rows)?)?;
    w.wide(Opcode::Dma0Skip0, skip(dma.target_strides[0], length)?)?;
    if dims == dma_stride_mode::D3 {
        w.number(Opcode::Dma0Size1, signed(planes)?)?;
        w.wide(Opcode::Dma0Skip1, skip(dma.target_strides[1], plane)?)?;
    }
    Ok(())
}
