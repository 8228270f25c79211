//! Which bits of which registers an operation uses.

use tombolo_ethosu::Generation;
use tombolo_ethosu::cmd::{Command, Kind as Encoding, Opcode as O, fields as f};
use tombolo_npuc::hw::*;

use super::lift::Registers;

/// The registers that the operation uses and that differ, apart from BLOCKDEP.
pub(crate) fn differences(
    generation: Generation,
    op: &Operation,
    ours: &Registers,
    theirs: &Registers,
) -> Vec<(O, Option<Command>, Option<Command>)> {
    O::ALL
        .iter()
        .filter(|opcode| opcode.generations().contains(generation))
        .filter(|opcode| matches!(opcode.kind(), Encoding::Set0 | Encoding::Set1))
        .filter_map(|&opcode| {
            let mask = match op {
                Operation::Kernel(op) => kernel(generation, op, opcode),
                Operation::Dma(dma) => copy(generation, dma, opcode),
            };
            let (a, b) = (ours.get(&opcode).copied(), theirs.get(&opcode).copied());
            let bits = |command: Option<Command>| {
                command.map(|command| command.bits() & mask & !command.reserved_bits(generation))
            };
            (mask != 0 && bits(a) != bits(b)).then_some((opcode, a, b))
        })
        .collect()
}

const ALL: u64 = u64::MAX;

fn when(used: bool) -> u64 {
    if used { ALL } else { 0 }
}

fn copy(generation: Generation, dma: &Dma, opcode: O) -> u64 {
    let [rows, planes] = dma.count;
    match opcode {
        O::Dma0SrcRegion | O::Dma0Src | O::Dma0DstRegion | O::Dma0Dst | O::Dma0Len => ALL,
        O::Dma0Size0 => when(generation == Generation::U85 || rows > 1 || planes > 1),
        O::Dma0SrcStride0 | O::Dma0DstStride0 | O::Dma0Skip0 => when(rows > 1 || planes > 1),
        O::Dma0Size1 | O::Dma0SrcStride1 | O::Dma0DstStride1 | O::Dma0Skip1 => when(planes > 1),
        _ => 0,
    }
}

fn tiles(map: &FeatureMap) -> [bool; 4] {
    let [h, w, _] = map.shape;
    let [h0, h1, w0] = map.tile;
    [true, w > w0, h > h0, w > w0 && h > h1]
}

fn kernel(generation: Generation, op: &KernelOp, opcode: O) -> u64 {
    let u85 = generation == Generation::U85;
    let (elementwise, how) = match op.kind {
        Kind::Elementwise(how) => (true, Some(how)),
        _ => (false, None),
    };
    let resize = matches!(op.kind, Kind::Resize { .. });
    // What is in the places of the first and second input.
    let scalar = matches!(op.ifm2, Some(Operand::Scalar { .. }));
    let second = match &op.ifm2 {
        Some(Operand::Map(map)) => Some(map),
        _ => None,
    };
    let (first_scalar, second_scalar) = (u85 && scalar && op.swapped, scalar && !(u85 && op.swapped));
    let second_map = if first_scalar { Some(&op.ifm) } else { second };
    let tile = |map: Option<&FeatureMap>, i: usize| when(map.is_some_and(|map| tiles(map)[i]));
    let bricks = |map: Option<&FeatureMap>| when(map.is_some_and(|map| map.layout == Layout::Nhcwb16));
    let first_map = (!first_scalar).then_some(&op.ifm);
    let stored = (!op.acc_keep).then_some(&op.ofm);
    let binary = op.ifm2.is_some();
    let sum = matches!(how, Some(Elementwise::Add | Elementwise::Sub)) && op.ifm.bits <= 16;
    let weighted = matches!(op.kind, Kind::Conv | Kind::Depthwise);
    let per_channel = op.ofm_scale == OfmScale::PerChannel && !op.acc_keep;
    let shift = |scale: OfmScale| match scale {
        OfmScale::Global(factor) => factor.shift,
        OfmScale::PerChannel => 63,
    };
    let stream = |list: &[Bytes], i: usize| list.get(i).is_some_and(|bytes| bytes.length > 0);
    let parameters = |i: usize, weights: bool| {
        when(op.parameters.as_ref().is_some_and(|p| {
            if weights { weighted && stream(&p.weights, i) } else { per_channel && stream(&p.scales, i) }
        }))
    };
    let shr = how == Some(Elementwise::Shr);
    match opcode {
        O::IfmBase0 => tile(first_map, 0),
        O::IfmBase1 => tile(first_map, 1),
        O::IfmBase2 => tile(first_map, 2),
        O::IfmBase3 => tile(first_map, 3),
        O::Ifm2Base0 => tile(second_map, 0),
        O::Ifm2Base1 => tile(second_map, 1),
        O::Ifm2Base2 => tile(second_map, 2),
        O::Ifm2Base3 => tile(second_map, 3),
        O::OfmBase0 => tile(stored, 0),
        O::OfmBase1 => tile(stored, 1),
        O::OfmBase2 => tile(stored, 2),
        O::OfmBase3 => tile(stored, 3),
        O::IfmHeight1M1 => tile(first_map, 1) | tile(first_map, 3),
        O::Ifm2Height1M1 => tile(second_map, 1) | tile(second_map, 3),
        O::OfmHeight1M1 => tile(stored, 1) | tile(stored, 3),
        O::IfmStrideC => bricks(first_map),
        O::Ifm2StrideC => bricks(second_map),
        O::OfmStrideC => bricks(stored),
        O::IfmRegion | O::IfmHeight0M1 | O::IfmWidth0M1 | O::IfmStrideX | O::IfmStrideY => {
            when(first_map.is_some())
        }
        O::Ifm2Region | O::Ifm2Height0M1 | O::Ifm2Width0M1 | O::Ifm2StrideX | O::Ifm2StrideY => {
            when(second_map.is_some())
        }
        O::OfmRegion | O::OfmHeight0M1 | O::OfmWidth0M1 | O::OfmStrideX | O::OfmStrideY => {
            when(stored.is_some())
        }
        O::IfmZeroPoint => ALL,
        O::Ifm2ZeroPoint => when(binary || resize),
        O::OfmZeroPoint => when(!op.acc_keep),
        O::IfmDepthM1 => when(first_map.is_some()),
        O::IfmPrecision if u85 => {
            if first_scalar {
                !f::ifm_precision::ACTIVATION_FORMAT.mask()
            } else {
                ALL
            }
        }
        O::IfmPrecision => {
            let rounds = match op.operand_scales {
                OperandScales::First(factor, _) | OperandScales::Second(factor, _) => factor.shift > 0,
                _ => false,
            };
            let mut mask = ALL;
            if !sum {
                mask &= !f::ifm_precision::SCALE_MODE.mask();
            }
            if !rounds {
                mask &= !f::ifm_precision::ROUND_MODE.mask();
            }
            mask
        }
        O::Ifm2Precision if !binary => 0,
        O::Ifm2Precision if second_scalar => !f::ifm_precision::ACTIVATION_FORMAT.mask(),
        O::Ifm2Precision => ALL,
        O::IfmUpscale => ALL,
        O::IfmPadTop | O::IfmPadLeft | O::IfmPadRight | O::IfmPadBottom => when(!elementwise),
        O::OfmWidthM1 | O::OfmHeightM1 | O::OfmDepthM1 => ALL,
        // DBL and TRUNCATE are the same to SHR.
        O::OfmPrecision if !u85 && shr && op.round == Round::Truncate => !(1 << 30),
        O::OfmPrecision if !u85 && !shr && shift(op.ofm_scale) == 0 => !f::ofm_precision::ROUND_MODE.mask(),
        O::OfmPrecision => ALL,
        O::OfmBlkWidthM1 | O::OfmBlkHeightM1 | O::OfmBlkDepthM1 => ALL,
        O::KernelWidthM1 | O::KernelHeightM1 => when(!elementwise),
        O::KernelStride => when(!elementwise && !resize),
        O::ParallelMode => ALL,
        O::AccFormat => ALL,
        O::Activation => match op.lut {
            None if u85 => !f::activation::TABLE.mask(),
            _ => ALL,
        },
        O::ActivationMin | O::ActivationMax => when(op.clamp.is_some()),
        O::WeightRegion | O::WeightFormat => when(weighted),
        O::ScaleRegion => when(per_channel),
        O::WeightBase => parameters(0, true),
        O::Weight1Base => parameters(1, true),
        O::Weight2Base => parameters(2, true),
        O::Weight3Base => parameters(3, true),
        O::WeightLength => when(weighted),
        O::Weight1Length | O::Weight2Length | O::Weight3Length => {
            let decoders = op.parameters.as_ref().map_or(0, |p| p.weights.len());
            let i = [O::Weight1Length, O::Weight2Length, O::Weight3Length].iter().position(|o| *o == opcode);
            when(weighted && i.unwrap() + 1 < decoders)
        }
        O::ScaleBase => parameters(0, false),
        O::Scale1Base => parameters(1, false),
        O::ScaleLength => when(per_channel),
        O::Scale1Length => when(per_channel && op.parameters.as_ref().is_some_and(|p| p.scales.len() > 1)),
        O::OfmScale if u85 => {
            let round = f::ofm_scale::ROUND_MODE.mask();
            match op.ofm_scale {
                _ if op.acc_keep => 0,
                OfmScale::PerChannel => round,
                OfmScale::Global(factor) if factor.shift == 0 && !shr => !round,
                OfmScale::Global(_) => ALL,
            }
        }
        // Some elementwise operations have no scale.
        O::OfmScale => when(
            op.ofm_scale != OfmScale::PerChannel
                && !matches!(
                    how,
                    Some(
                        Elementwise::Min
                            | Elementwise::Max
                            | Elementwise::Shr
                            | Elementwise::Shl
                            | Elementwise::Clz
                    )
                ),
        ),
        O::OpaScale if !sum => 0,
        O::OpaScale if matches!(op.operand_scales, OperandScales::None | OperandScales::Multiply { .. }) => {
            0xffff << 32
        }
        O::OpaScale => ALL,
        O::OpbScale => {
            when(sum && matches!(op.operand_scales, OperandScales::None | OperandScales::Multiply { .. }))
        }
        O::IfmScale | O::Ifm2Scale if elementwise => {
            let of_second = opcode == O::Ifm2Scale;
            if of_second && !binary && how != Some(Elementwise::Lrelu) {
                return 0;
            }
            let shift = match op.operand_scales {
                // Of the operand in that place.
                OperandScales::Each { a, b, .. } => {
                    if of_second != op.swapped {
                        b.shift
                    } else {
                        a.shift
                    }
                }
                _ => 0,
            };
            if shift == 0 { !(f::ifm_scale::ROUND_MODE.mask() | f::ifm_scale::DBL_RND.mask()) } else { ALL }
        }
        O::OpScalar => when(scalar),
        O::Ifm2Scalar => when(scalar),
        O::IfmBroadcast => when(elementwise),
        O::Ifm2Broadcast => when(elementwise && binary),
        O::IfmIbEnd | O::AbStart => ALL,
        O::Ifm2IbStart => when(binary),
        O::ResizeXScaleNM1
        | O::ResizeYScaleNM1
        | O::ResizeXOffset
        | O::ResizeYOffset
        | O::ResizeXStep
        | O::ResizeYStep => when(resize),
        _ => 0,
    }
}
