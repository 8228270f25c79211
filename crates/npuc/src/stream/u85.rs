//! What U85 has of its own: operand scales with rounding, numbers in a register, transposes, accumulators that are
//! kept, resize, copies in three dimensions.
//!
//! Outputs in chain buffers are not written: `hw` has none, so that the registers that a chain would change
//! need not be written again around it.
//!
//! Sources: `facts/ethosu.md` 1.4 and 3; `ethos_u85_register_cs_generator.cpp`, `ethos_u85_constraints.cpp` of Vela.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{
    acc_format, acc_input, acc_output, activation_clip_range_u85, activation_function_u85 as function,
    activation_reverse, activation_storage, activation_transpose, broadcast_mode_u85 as broadcast,
    dma_idx_mode, dma_region_mode, dma_stride_mode, elementwise_mode as mode, microblock, ofm_scale_mode,
    pooling_mode, resize_mode, round_mode_ifm, round_mode_ofm, weight_format, weight_sparsity,
};
use tombolo_ethosu::{Accelerator, Field};

use super::common::{self, ofm_shape};
use super::map::{self, Registers, inside};
use super::writer::{Writer, signed};
use crate::hw::{
    Acc, AccInput, Dma, DmaTarget, Elementwise, FeatureMap, KernelOp, Kind, LutKind, OfmScale, Operand,
    OperandScales, Pool, ResizeMode, Round, Transpose, Upscale,
};
use crate::ir::Factor;

/// The registers of an operation, but for BLOCKDEP.
pub(super) fn registers(
    w: &mut Writer,
    op: &KernelOp,
    ifm_shape: [usize; 3],
    accelerator: Accelerator,
) -> Result<(), String> {
    check(op)?;
    let ofm = ofm_shape(op);
    let elementwise = matches!(op.kind, Kind::Elementwise(_));
    operand_scales(w, op)?;
    ofm_scale(w, op)?;
    if elementwise {
        operands(w, op, ofm)?;
    } else {
        ifm(w, op, ifm_shape)?;
        if let Some(second) = &op.ifm2 {
            let Operand::Map(second) = second else {
                return Err(format!("{:?} with a number in a register", op.kind));
            };
            map::write(w, &map::IFM2, second, second.shape)?;
            precision(w, Opcode::Ifm2Precision, second.bits, second.signed, Some(second))?;
        }
    }
    common::upscale(w, op.upscale)?;
    match &op.kind {
        Kind::Elementwise(_) => {}
        Kind::Resize { axes, .. } => {
            common::padding(w, &op.window)?;
            resize(w, op, axes)?;
        }
        _ => {
            common::padding(w, &op.window)?;
            common::window(w, op)?;
        }
    }
    map::write(w, &map::OFM, &op.ofm, op.ofm.shape)?;
    common::ofm_size(w, ofm)?;
    ofm_precision(w, op)?;
    parameters(w, op, accelerator)?;
    activation(w, op)?;
    common::block(w, op)?;
    accumulators(w, op, accelerator)
}

/// Which combinations there are.
fn check(op: &KernelOp) -> Result<(), String> {
    let (ifm, ofm) = (op.ifm.bits, op.ofm.bits);
    common::bits("ofm", ofm, &[8, 16, 32, 64])?;
    let own = match op.kind {
        Kind::Conv => op.ifm2.is_none() || op.acc_input == AccInput::Ifm2,
        Kind::Depthwise | Kind::Pool(_) => op.ifm2.is_some() == (op.acc_input == AccInput::Ifm2),
        Kind::MatMul => op.ifm2.is_some() && op.acc_input != AccInput::Ifm2,
        Kind::Elementwise(how) => op.ifm2.is_none() == how.unary(),
        Kind::Resize { .. } => op.ifm2.is_none(),
    };
    if !own {
        let count = 1 + usize::from(op.ifm2.is_some());
        return Err(format!("{:?} with {count} operands, accumulators from {:?}", op.kind, op.acc_input));
    }
    match op.kind {
        Kind::Conv | Kind::Depthwise | Kind::MatMul | Kind::Resize { .. } => {
            common::bits("ifm", ifm, &[8, 16])?;
        }
        Kind::Pool(Pool::ReduceSum | Pool::Max | Pool::Min) | Kind::Elementwise(_) => {
            common::bits("ifm", ifm, &[8, 16, 32])?;
        }
        Kind::Pool(Pool::None) => {
            if op.acc_input == AccInput::Reset {
                return Err("pooling None from empty accumulators".into());
            }
        }
        Kind::Pool(_) => common::bits("ifm", ifm, &[8, 16])?,
    }
    if let (Kind::MatMul, Some(Operand::Map(second))) = (op.kind, &op.ifm2) {
        let want = [1, ofm_shape(op)[2], op.ifm.shape[2]];
        if second.shape != want {
            return Err(format!("ifm2 {:?} is not {want:?}", second.shape));
        }
        if op.window != crate::hw::Window::ONE || op.upscale != Upscale::None {
            return Err("a product of matrices with a window".into());
        }
        common::bits("ifm2", second.bits, &[op.ifm.bits])?;
    }
    if let (AccInput::Ifm2, Some(Operand::Map(second))) = (op.acc_input, &op.ifm2) {
        if second.shape != ofm_shape(op) {
            return Err(format!("ifm2 {:?} is not as large as ofm {:?}", second.shape, ofm_shape(op)));
        }
        let want = if op.block.acc == Acc::I48 { 64 } else { 32 };
        common::bits("ifm2 of accumulators", second.bits, &[want])?;
        if !second.signed {
            return Err("ifm2 of accumulators without a sign".into());
        }
    }
    let accumulates = op.acc_input != AccInput::Reset || op.acc_keep;
    if accumulates && matches!(op.kind, Kind::Elementwise(_) | Kind::Resize { .. }) {
        return Err(format!("{:?} with accumulators that are kept or loaded", op.kind));
    }
    if op.upscale != Upscale::None && matches!(op.kind, Kind::Elementwise(_) | Kind::Resize { .. }) {
        return Err(format!("{:?} with an upscaled ifm", op.kind));
    }
    // `SupportsFusedTranspose`.
    let turns = match op.kind {
        Kind::Elementwise(_) => matches!(op.transpose, Transpose::Hwc | Transpose::Hcw | Transpose::Chw),
        Kind::Resize { .. } => op.transpose == Transpose::Hwc,
        _ => true,
    };
    if !turns {
        return Err(format!("{:?} with the order {:?}", op.kind, op.transpose));
    }
    if op.transpose != Transpose::Hwc && op.acc_keep {
        return Err("a transpose of nothing".into());
    }
    common::depths(op)
}

/// IFM_SCALE and IFM2_SCALE of elementwise operations: of the operands in those places.
fn operand_scales(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    use fields::ifm_scale as f;
    let Kind::Elementwise(how) = op.kind else {
        if op.operand_scales == OperandScales::None {
            return Ok(());
        }
        return Err(format!("{:?} with scales of operands", op.kind));
    };
    let (a, b, round) = match op.operand_scales {
        OperandScales::None => (Factor::ONE, Factor::ONE, Round::Double),
        OperandScales::Each { a, b, round } if op.swapped => (b, a, round),
        OperandScales::Each { a, b, round } => (a, b, round),
        other => return Err(format!("operand scales {other:?}")),
    };
    // LRELU has the scale of negative values in the second place.
    let second = !how.unary() || how == Elementwise::Lrelu;
    for (opcode, factor, used) in [(Opcode::IfmScale, a, true), (Opcode::Ifm2Scale, b, second)] {
        if !used {
            continue;
        }
        let round = match round {
            Round::Natural => round_mode_ifm::NATURAL,
            Round::Double => round_mode_ifm::DOUBLE_SYMMETRIC,
            Round::Truncate if factor.shift == 0 => round_mode_ifm::DOUBLE_SYMMETRIC,
            Round::Truncate => return Err("operands rounded down".into()),
        };
        // Both registers have the same fields.
        w.set(
            opcode,
            &[
                (&f::SHIFT, factor.shift.into()),
                (&f::DBL_RND, 0),
                (&f::ROUND_MODE, round.into()),
                (&f::SCALE, factor.multiplier.into()),
            ],
        )?;
    }
    Ok(())
}

/// OFM_SCALE, which has the rounding too.
fn ofm_scale(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    use fields::ofm_scale as f;
    let factor = match (op.kind, op.ofm_scale) {
        (Kind::Conv | Kind::Depthwise, OfmScale::Global(_)) => {
            return Err("a convolution with one scale for all channels".into());
        }
        (Kind::Conv | Kind::Depthwise | Kind::Pool(_), OfmScale::PerChannel) => Factor::ONE,
        (kind, OfmScale::PerChannel) => return Err(format!("{kind:?} with a scale for each channel")),
        (
            Kind::Elementwise(
                how @ (Elementwise::Shr | Elementwise::Shl | Elementwise::Lsr | Elementwise::Div),
            ),
            OfmScale::Global(factor),
        ) => {
            common::one(factor, &format!("{how:?}"))?;
            Factor::ONE
        }
        (Kind::Pool(Pool::ArgMaxX | Pool::ArgMaxY), OfmScale::Global(factor)) => {
            // The place stands above 16 bits of value.
            if (factor, op.round) != (Factor { multiplier: 1, shift: 16 }, Round::Truncate) {
                return Err(format!(
                    "an argument maximum with a scale of {factor:?}, rounding {:?}",
                    op.round
                ));
            }
            factor
        }
        (_, OfmScale::Global(factor)) => factor,
    };
    let round = match op.round {
        Round::Natural => round_mode_ofm::NATURAL,
        Round::Double => round_mode_ofm::DOUBLE_SYMMETRIC,
        Round::Truncate => round_mode_ofm::TRUNCATE_TO_LOWER,
    };
    w.set(
        Opcode::OfmScale,
        &[
            (&f::SHIFT, factor.shift.into()),
            (&f::DBL_RND, 0),
            (&f::ROUND_MODE, round.into()),
            (&f::SCALE_U85, factor.multiplier.into()),
        ],
    )
}

/// The first input of what is not elementwise.
fn ifm(w: &mut Writer, op: &KernelOp, shape: [usize; 3]) -> Result<(), String> {
    if op.kind == Kind::Pool(Pool::None) {
        // It is not read, but said to be bytes.
        precision(w, Opcode::IfmPrecision, 8, true, Some(&op.ifm))?;
        map::write_unread(w, &map::IFM, &op.ifm)?;
    } else {
        precision(w, Opcode::IfmPrecision, op.ifm.bits, op.ifm.signed, Some(&op.ifm))?;
        map::write(w, &map::IFM, &op.ifm, shape)?;
    }
    w.less_one(Opcode::IfmDepthM1, shape[2])
}

/// One operand of an elementwise operation.
#[derive(Clone, Copy)]
enum Place<'a> {
    Map(&'a FeatureMap),
    Number { value: i32, zero_point: i64, bits: u8, signed: bool },
}

/// The inputs of an elementwise operation, each in the place that `swapped` gives it.
fn operands(w: &mut Writer, op: &KernelOp, ofm: [usize; 3]) -> Result<(), String> {
    let first = Place::Map(&op.ifm);
    let second = match &op.ifm2 {
        None => None,
        Some(Operand::Map(map)) => Some(Place::Map(map)),
        Some(Operand::Scalar { value, zero_point, bits, signed }) => {
            Some(Place::Number { value: *value, zero_point: *zero_point, bits: *bits, signed: *signed })
        }
    };
    let (first, second) = match second {
        Some(second) if op.swapped => (second, Some(first)),
        second => (first, second),
    };
    operand(w, &map::IFM, Opcode::IfmPrecision, Opcode::IfmBroadcast, first, ofm)?;
    if let Place::Map(map) = first {
        w.less_one(Opcode::IfmDepthM1, map.shape[2])?;
    }
    let Some(second) = second else { return Ok(()) };
    operand(w, &map::IFM2, Opcode::Ifm2Precision, Opcode::Ifm2Broadcast, second, ofm)?;
    let bits = |place| match place {
        Place::Map(map) => map.bits,
        Place::Number { bits, .. } => bits,
    };
    if bits(first) != bits(second) {
        return Err(format!("ifm2 bits {} are not those of ifm, {}", bits(second), bits(first)));
    }
    Ok(())
}

fn operand(
    w: &mut Writer,
    registers: &Registers,
    type_: Opcode,
    repeat: Opcode,
    place: Place<'_>,
    ofm: [usize; 3],
) -> Result<(), String> {
    let mode = match place {
        Place::Map(map) => {
            precision(w, type_, map.bits, map.signed, Some(map))?;
            map::write(w, registers, map, map.shape)?;
            let mut mode = broadcast::NONE;
            for ((&own, full), bit) in
                map.shape.iter().zip(ofm).zip([broadcast::H, broadcast::W, broadcast::C])
            {
                if own != full {
                    if own != 1 {
                        return Err(format!("operand {:?} for an ofm of {ofm:?}", map.shape));
                    }
                    mode |= bit;
                }
            }
            mode
        }
        Place::Number { value, zero_point, bits, signed } => {
            precision(w, type_, bits, signed, None)?;
            w.set(Opcode::OpScalar, &[(&fields::op_scalar::SCALAR, value.into())])?;
            map::zero_point(w, registers, zero_point, bits, signed)?;
            broadcast::SCALAR
        }
    };
    w.number(repeat, mode.into())
}

/// Type, layout and storage of an input; no map: a number in a register.
fn precision(
    w: &mut Writer,
    opcode: Opcode,
    bits: u8,
    signed: bool,
    map: Option<&FeatureMap>,
) -> Result<(), String> {
    use fields::ifm_precision as f;
    let (sign, precision) = map::element(bits, signed)?;
    let storage = if map.is_some() { activation_storage::TILE2X2 } else { activation_storage::NONE };
    // IFM_PRECISION and IFM2_PRECISION have the same fields.
    w.set(
        opcode,
        &[
            (&f::ACTIVATION_TYPE, sign),
            (&f::ACTIVATION_PRECISION, precision),
            (&f::ACTIVATION_FORMAT, map.map_or(0, |map| map::format(map.layout))),
            (&f::ACTIVATION_STORAGE, storage.into()),
        ],
    )
}

fn ofm_precision(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    use fields::ofm_precision as f;
    let (sign, precision) = map::element(op.ofm.bits, op.ofm.signed)?;
    let scale = match op.ofm_scale {
        OfmScale::PerChannel => ofm_scale_mode::PER_CHANNEL,
        OfmScale::Global(_) => ofm_scale_mode::GLOBAL,
    };
    let transpose = match op.transpose {
        Transpose::Hwc => activation_transpose::HWC,
        Transpose::Whc => activation_transpose::WHC,
        Transpose::Hcw => activation_transpose::HCW,
        Transpose::Wch => activation_transpose::WCH,
        Transpose::Chw => activation_transpose::CHW,
        Transpose::Cwh => activation_transpose::CWH,
    };
    let storage = if op.acc_keep { activation_storage::NONE } else { activation_storage::TILE2X2 };
    w.set(
        Opcode::OfmPrecision,
        &[
            (&f::ACTIVATION_TYPE, sign),
            (&f::ACTIVATION_PRECISION, precision),
            (&f::ACTIVATION_FORMAT, map::format(op.ofm.layout)),
            (&f::SCALE_MODE, scale.into()),
            (&f::ACTIVATION_REVERSE, activation_reverse::NONE.into()),
            (&f::ACTIVATION_TRANSPOSE, transpose.into()),
            (&f::ACTIVATION_STORAGE, storage.into()),
        ],
    )
}

/// Weights, for each decoder, and scales.
fn parameters(w: &mut Writer, op: &KernelOp, accelerator: Accelerator) -> Result<(), String> {
    use fields::weight_format as f;
    let weighted = matches!(op.kind, Kind::Conv | Kind::Depthwise);
    if op.kind == Kind::MatMul {
        // The register is looked at though there is no stream.
        return w.set(
            Opcode::WeightFormat,
            &[
                (&f::WEIGHT_FORMAT, weight_format::SWD.into()),
                (&f::WEIGHT_SPARSITY, weight_sparsity::NONE.into()),
            ],
        );
    }
    let Some(parameters) = &op.parameters else {
        if weighted || op.ofm_scale == OfmScale::PerChannel {
            return Err("no weights or scales".into());
        }
        return Ok(());
    };
    if weighted {
        if op.kind == Kind::Depthwise && (parameters.fast || parameters.sparse) {
            return Err("a depthwise convolution with fast or sparse weights".into());
        }
        if parameters.weights.first().is_none_or(|bytes| bytes.length == 0) {
            return Err("no weights".into());
        }
        let format = if parameters.fast { weight_format::FWD } else { weight_format::SWD };
        let sparsity = if parameters.sparse { weight_sparsity::SPARSE_2_4 } else { weight_sparsity::NONE };
        w.set(
            Opcode::WeightFormat,
            &[(&f::WEIGHT_FORMAT, format.into()), (&f::WEIGHT_SPARSITY, sparsity.into())],
        )?;
        w.number(Opcode::WeightRegion, parameters.weight_region.into())?;
        let places = [
            (Opcode::WeightBase, Opcode::WeightLength),
            (Opcode::Weight1Base, Opcode::Weight1Length),
            (Opcode::Weight2Base, Opcode::Weight2Length),
            (Opcode::Weight3Base, Opcode::Weight3Length),
        ];
        let decoders = accelerator.spec().weight_decoders as usize;
        common::streams(w, "weights", &parameters.weights, places.get(..decoders).unwrap_or(&places))?;
    }
    // What leaves no result takes no scales.
    if op.ofm_scale == OfmScale::PerChannel && !(op.acc_keep && parameters.scales.is_empty()) {
        common::records(&parameters.scales, ofm_shape(op)[2], 1)?;
        w.number(Opcode::ScaleRegion, parameters.scale_region.into())?;
        common::streams(w, "scales", &parameters.scales, &[(Opcode::ScaleBase, Opcode::ScaleLength)])?;
    }
    Ok(())
}

fn activation(w: &mut Writer, op: &KernelOp) -> Result<(), String> {
    use fields::activation as f;
    let (function, table) = match op.lut {
        None => (function::LUT_NONE, 0),
        Some(lut) => {
            let (function, bits, slots) = match (lut.kind, op.ofm.signed) {
                (LutKind::I8, true) => (function::LUT_S8_S8, 8, 8),
                (LutKind::I8, false) => (function::LUT_U8_U8, 8, 8),
                (LutKind::I16, true) => (function::LUT_S16_S16, 16, 1),
                (LutKind::I16ToI32, true) => (function::LUT_S16_S32, 32, 1),
                (kind, false) => return Err(format!("a table {kind:?} with an ofm without sign")),
            };
            common::bits("ofm of a table", op.ofm.bits, &[bits])?;
            inside("table", "slot", lut.slot.into(), (0, slots - 1))?;
            (function, lut.slot)
        }
    };
    // Bounds are those of what goes into the table.
    let bits = match op.lut {
        Some(lut) if lut.kind == LutKind::I16ToI32 => 16,
        _ => op.ofm.bits,
    };
    let whole = match (bits, op.ofm.signed) {
        (32, true) => (i32::MIN.into(), i32::MAX.into()),
        (32, false) => (0, u32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    };
    let clamps = |clamp: &(i64, i64)| bits <= 16 || clamp.0 > whole.0 || clamp.1 < whole.1;
    let bounds = match op.clamp.filter(clamps) {
        None => None,
        Some(clamp) if bits <= 16 => Some(common::bounds(Some(clamp), bits, op.ofm.signed)?),
        Some((least, most)) => {
            // More bits are clamped only to what fits in 16.
            let (low, high) = if op.ofm.signed { (-0x8000, 0x7fff) } else { (0, 0xffff) };
            if least < low || most > high || least > most {
                return Err(format!("clamp {least} to {most} of {bits} bits, which is not within 16"));
            }
            Some((least, most))
        }
    };
    let range = match bounds {
        None => activation_clip_range_u85::NONE,
        Some(_) => activation_clip_range_u85::B16,
    };
    w.set(
        Opcode::Activation,
        &[
            (&f::ACTIVATION_FUNCTION_U85, function.into()),
            (&f::TABLE, table.into()),
            (&f::ACTIVATION_CLIP_RANGE_U85, range.into()),
        ],
    )?;
    bounds.map_or(Ok(()), |bounds| common::write_bounds(w, bounds))
}

fn accumulators(w: &mut Writer, op: &KernelOp, accelerator: Accelerator) -> Result<(), String> {
    use fields::acc_format as f;
    let format = match op.block.acc {
        Acc::I32 => acc_format::I32,
        Acc::I48 => acc_format::I48,
        Acc::I40 => return Err("accumulators of 40 bits".into()),
    };
    let input = match op.acc_input {
        AccInput::Reset => acc_input::RESET,
        AccInput::Keep => acc_input::KEEP,
        AccInput::Ifm2 => acc_input::IFM2,
    };
    let output = if op.acc_keep { acc_output::DISABLE } else { acc_output::ENABLE };
    let [height, width, depth] = op.block.ublock;
    let known = accelerator
        .ublocks()
        .iter()
        .any(|u| [u.height, u.width, u.depth].map(usize::from) == [height, width, depth]);
    let block = match (height, width) {
        (1, 1) => microblock::U1X1,
        (1, 2) => microblock::U1X2,
        (1, 4) => microblock::U1X4,
        (2, 2) => microblock::U2X2,
        (2, 4) => microblock::U2X4,
        _ => microblock::U4X4,
    };
    if !known {
        return Err(format!("microblock {height}x{width}x{depth} on {accelerator}"));
    }
    w.set(
        Opcode::AccFormat,
        &[
            (&f::ACC_FORMAT, format.into()),
            (&f::ACC_INPUT, input.into()),
            (&f::ACC_OUTPUT, output.into()),
            (&f::MICROBLOCK, block.into()),
        ],
    )
}

/// Size of the input and how its elements are found (facts 3.7).
fn resize(w: &mut Writer, op: &KernelOp, axes: &[[i32; 3]; 2]) -> Result<(), String> {
    use fields::resize_x_step as f;
    let [height, width, _] = ofm_shape(op);
    let ofm = [height, width];
    // Resize wants none in the second place.
    w.number(Opcode::Ifm2ZeroPoint, 0)?;
    let registers = [
        (Opcode::ResizeYScaleNM1, Opcode::ResizeYStep, Opcode::ResizeYOffset, Opcode::KernelHeightM1),
        (Opcode::ResizeXScaleNM1, Opcode::ResizeXStep, Opcode::ResizeXOffset, Opcode::KernelWidthM1),
    ];
    for (axis, (n_m1, step, offset_register, size)) in registers.into_iter().enumerate() {
        let name = ["resize rows", "resize columns"][axis];
        let [n, d, offset] = axes[axis].map(i64::from);
        inside(name, "numerator", n, (1, 2048))?;
        inside(name, "denominator", d, (1, 16 * n))?;
        inside(name, "offset", offset, (-n, n - 1))?;
        let block = signed(op.block.ofm[axis])?.saturating_sub(1).saturating_mul(d);
        w.number(n_m1, n - 1)?;
        // Both axes have the same fields.
        w.set(
            step,
            &[
                (&f::ONE_STEP_INT, d / n),
                (&f::BLK_STEP_INT, block / n),
                (&f::ONE_STEP_MOD, d % n),
                (&f::BLK_STEP_MOD, block % n),
            ],
        )?;
        w.number(offset_register, offset)?;
        let mut read = op.ifm.shape[axis];
        if axis == 1 {
            // Columns that are read: up to the right neighbour of the last.
            let last = (signed(ofm[axis])? - 1).saturating_mul(d).saturating_add(offset) / n;
            let reach = usize::try_from(last.saturating_add(2)).unwrap_or(1).max(1);
            read = read.min(reach);
        }
        w.less_one(size, read)?;
    }
    if op.block.ofm[0] != 1 {
        return Err(format!("resize block height {} is not 1", op.block.ofm[0]));
    }
    Ok(())
}

/// The command that starts an operation, and its mode.
pub(super) fn start(w: &mut Writer, op: &KernelOp) -> Result<usize, String> {
    let one = |w: &mut Writer, opcode, field: &Field, mode: u32| w.operation(opcode, &[(field, mode.into())]);
    match op.kind {
        Kind::Conv => one(w, Opcode::Conv, &fields::conv::WEIGHTS_IFM2, 0),
        Kind::MatMul => one(w, Opcode::Conv, &fields::conv::WEIGHTS_IFM2, 1),
        Kind::Depthwise => w.operation(Opcode::Depthwise, &[]),
        Kind::Pool(pool) => {
            let mode = match pool {
                Pool::Max => pooling_mode::MAX,
                Pool::Average => pooling_mode::AVERAGE,
                Pool::ReduceSum => pooling_mode::REDUCE_SUM,
                Pool::Sum => pooling_mode::SUM,
                Pool::None => pooling_mode::NONE,
                Pool::Min => pooling_mode::MIN,
                Pool::ArgMaxX => pooling_mode::ARGMAX_X,
                Pool::ArgMaxY => pooling_mode::ARGMAX_Y,
            };
            one(w, Opcode::Pool, &fields::pool::POOLING_MODE, mode)
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
                Elementwise::Lsr => mode::LSR,
                Elementwise::Div => mode::DIV,
                Elementwise::CmpEq => mode::CMP_EQ,
                Elementwise::CmpNe => mode::CMP_NE,
                Elementwise::CmpGe => mode::CMP_GE,
                Elementwise::CmpGt => mode::CMP_GT,
                Elementwise::And => mode::AND,
                Elementwise::Or => mode::OR,
                Elementwise::Xor => mode::XOR,
                Elementwise::Not => mode::NOT,
                Elementwise::AndNot => mode::AND_NOT,
            };
            one(w, Opcode::Elementwise, &fields::elementwise::ELEMENTWISE_MODE, mode)
        }
        Kind::Resize { mode, .. } => {
            let mode = match mode {
                ResizeMode::Bilinear => resize_mode::BILINEAR,
                ResizeMode::Replicate => resize_mode::REPLICATE,
                ResizeMode::Nearest => resize_mode::NEAREST,
            };
            one(w, Opcode::Resize, &fields::resize::RESIZE_MODE, mode)
        }
    }
}

/// The registers of a copy.
pub(super) fn copy(w: &mut Writer, dma: &Dma) -> Result<(), String> {
    use fields::{dma0_dst_region as dst, dma0_src_region as src};
    let [rows, planes] = dma.count;
    let dims = match dma.count {
        [1, 1] => dma_stride_mode::D1,
        [_, 1] => dma_stride_mode::D2,
        _ => dma_stride_mode::D3,
    };
    let (mode, region, to) = match dma.target {
        DmaTarget::Memory { region, address } => (dma_region_mode::EXTERNAL, region, address),
        DmaTarget::Lut { slot } => (dma_region_mode::INTERNAL, 3, u64::from(slot) * 256),
    };
    if mode == dma_region_mode::INTERNAL && !dma.length.is_multiple_of(16) {
        return Err(format!("copy length {:#x} is no multiple of 16", dma.length));
    }
    w.set(
        Opcode::Dma0SrcRegion,
        &[
            (&src::REGION, dma.region.into()),
            (&src::REGION_MODE, dma_region_mode::EXTERNAL.into()),
            (&src::STRIDE_MODE, dims.into()),
            (&src::IDX_MODE, dma_idx_mode::DISABLED.into()),
        ],
    )?;
    w.address(Opcode::Dma0Src, dma.address)?;
    w.set(
        Opcode::Dma0DstRegion,
        &[
            (&dst::REGION, region.into()),
            (&dst::REGION_MODE, mode.into()),
            (&dst::IDX_MODE, dma_idx_mode::DISABLED.into()),
        ],
    )?;
    w.address(Opcode::Dma0Dst, to)?;
    w.address(Opcode::Dma0Len, dma.length)?;
    w.number(Opcode::Dma0Size0, signed(rows)?)?;
    if dims != dma_stride_mode::D1 {
        w.wide(Opcode::Dma0SrcStride0, dma.source_strides[0])?;
        w.wide(Opcode::Dma0DstStride0, dma.target_strides[0])?;
    }
    if dims == dma_stride_mode::D3 {
        w.number(Opcode::Dma0Size1, signed(planes)?)?;
        w.wide(Opcode::Dma0SrcStride1, dma.source_strides[1])?;
        w.wide(Opcode::Dma0DstStride1, dma.target_strides[1])?;
    }
    Ok(())
}
