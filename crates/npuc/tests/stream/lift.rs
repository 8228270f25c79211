//! Vela's streams back to operations: the registers of each, read by hand.

use std::collections::BTreeMap;

use tombolo_ethosu::cmd::{self, Command, Opcode as O, fields as f};
use tombolo_ethosu::{Accelerator, Field, Generation};
use tombolo_npuc::hw::*;
use tombolo_npuc::ir::Factor;

/// Registers by the command that sets them.
pub(crate) type Registers = BTreeMap<O, Command>;

/// An operation of a stream: its command, the registers when it starts, and what it means if `hw` can say it.
pub(crate) struct Step {
    pub(crate) command: Command,
    pub(crate) registers: Registers,
    pub(crate) lifted: Result<Operation, String>,
}

/// All operations of a stream, and why it can't be carried out as a list of them.
pub(crate) fn steps(accelerator: Accelerator, stream: &[u8]) -> (Vec<Step>, Option<String>) {
    let mut registers = Registers::new();
    let mut steps = Vec::new();
    let mut other = None;
    for command in cmd::decode(accelerator.generation(), stream) {
        let command = command.unwrap().1;
        match command.opcode {
            O::Stop | O::DmaWait | O::KernelWait => {}
            O::Branch => other = Some("a branch".into()),
            opcode if opcode.is_op() => {
                let lifted = Lift { accelerator, registers: &registers }.step(command);
                steps.push(Step { command, registers: registers.clone(), lifted });
            }
            _ => {
                registers.insert(command.opcode, command);
            }
        }
    }
    (steps, other)
}

struct Lift<'a> {
    accelerator: Accelerator,
    registers: &'a Registers,
}

type Result_<T> = Result<T, String>;
type Bounds = (i64, i64);

impl Lift<'_> {
    fn u85(&self) -> bool {
        self.accelerator.generation() == Generation::U85
    }

    fn get(&self, opcode: O) -> Command {
        self.registers.get(&opcode).copied().unwrap_or(Command::new(opcode, 0))
    }

    fn field(&self, opcode: O, field: &Field) -> u32 {
        field.get(self.get(opcode))
    }

    fn size(&self, opcode: O) -> usize {
        usize::from(self.get(opcode).param) + 1
    }

    fn stride(&self, opcode: O) -> i64 {
        let command = self.get(opcode);
        if self.accelerator.generation() == Generation::U55 {
            i64::from(command.payload as i32)
        } else {
            command.stride()
        }
    }

    fn step(&self, command: Command) -> Result_<Operation> {
        if command.opcode == O::DmaStart {
            return self.copy().map(Operation::Dma);
        }
        self.kernel(command).map(|op| Operation::Kernel(Box::new(op)))
    }

    fn map(&self, which: usize, shape: [usize; 3]) -> Result_<FeatureMap> {
        let precision = [O::IfmPrecision, O::Ifm2Precision, O::OfmPrecision][which];
        let bits = if which == 2 {
            self.field(precision, &f::ofm_precision::ACTIVATION_PRECISION)
        } else {
            self.field(precision, &f::ifm_precision::ACTIVATION_PRECISION)
        };
        if self.u85() && self.field(precision, &f::ifm_precision::ACTIVATION_STORAGE) == 1 {
            return Err("three tiles in a stack".into());
        }
        let bases = [
            [O::IfmBase0, O::IfmBase1, O::IfmBase2, O::IfmBase3],
            [O::Ifm2Base0, O::Ifm2Base1, O::Ifm2Base2, O::Ifm2Base3],
            [O::OfmBase0, O::OfmBase1, O::OfmBase2, O::OfmBase3],
        ][which];
        let strides = [
            [O::IfmStrideY, O::IfmStrideX, O::IfmStrideC],
            [O::Ifm2StrideY, O::Ifm2StrideX, O::Ifm2StrideC],
            [O::OfmStrideY, O::OfmStrideX, O::OfmStrideC],
        ][which];
        let tile = [
            [O::IfmHeight0M1, O::IfmHeight1M1, O::IfmWidth0M1],
            [O::Ifm2Height0M1, O::Ifm2Height1M1, O::Ifm2Width0M1],
            [O::OfmHeight0M1, O::OfmHeight1M1, O::OfmWidth0M1],
        ][which];
        let signed = self.get(precision).param & 1 == 1;
        let zero_point = self.get([O::IfmZeroPoint, O::Ifm2ZeroPoint, O::OfmZeroPoint][which]).param as i16;
        let region = self.get([O::IfmRegion, O::Ifm2Region, O::OfmRegion][which]).param as u8;
        let nhcwb16 = self.get(precision).param >> 6 & 3 == 1;
        let mut strides = strides.map(|opcode| self.stride(opcode));
        if !nhcwb16 {
            // Not used, and not always what it should be.
            strides[2] = 1 << bits;
        }
        Ok(FeatureMap {
            region,
            base: bases.map(|opcode| self.get(opcode).address()),
            tile: tile.map(|opcode| self.size(opcode)),
            shape,
            strides,
            bits: 8 << bits,
            signed,
            zero_point: zero_point.into(),
            layout: if nhcwb16 { Layout::Nhcwb16 } else { Layout::Nhwc },
        })
    }

    fn kernel(&self, command: Command) -> Result_<KernelOp> {
        let u85 = self.u85();
        let computed = [O::OfmHeightM1, O::OfmWidthM1, O::OfmDepthM1].map(|opcode| self.size(opcode));
        let kind = self.kind(command)?;
        let elementwise = matches!(kind, Kind::Elementwise(_));
        let mut transpose = Transpose::Hwc;
        let mut stored = computed;
        if u85 {
            if self.field(O::OfmPrecision, &f::ofm_precision::ACTIVATION_STORAGE) == 2 {
                return Err("a chained output".into());
            }
            if self.field(O::OfmPrecision, &f::ofm_precision::ACTIVATION_REVERSE) != 0 {
                return Err("a reversed output".into());
            }
            let [h, w, c] = computed;
            (transpose, stored) = match self.field(O::OfmPrecision, &f::ofm_precision::ACTIVATION_TRANSPOSE) {
                0 => (Transpose::Hwc, [h, w, c]),
                1 => (Transpose::Whc, [w, h, c]),
                2 => (Transpose::Hcw, [h, c, w]),
                3 => (Transpose::Wch, [w, c, h]),
                6 => (Transpose::Chw, [c, h, w]),
                _ => (Transpose::Cwh, [c, w, h]),
            };
        }
        let window = self.window(kind);
        let upscale = match self.field(O::IfmUpscale, &f::ifm_upscale::MODE) {
            1 => Upscale::Nearest,
            2 => Upscale::Zeros,
            _ => Upscale::None,
        };
        let depth = self.size(O::IfmDepthM1);
        let broadcast = |opcode| {
            let bits = self.get(opcode).param;
            [0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { 1 } else { computed[axis] })
        };
        let ifm_shape = match kind {
            Kind::Elementwise(_) if u85 => broadcast(O::IfmBroadcast),
            Kind::Elementwise(_) => computed,
            Kind::Pool(Pool::None) => [computed[0], computed[1], depth],
            Kind::Resize { .. } => [self.size(O::KernelHeightM1), self.size(O::KernelWidthM1), depth],
            _ => {
                let extent = [0, 1].map(|i| {
                    let padded = (computed[i] - 1) * window.stride[i] + window.dilated()[i];
                    padded - window.pad[i] - window.pad[i + 2]
                });
                let scale = if upscale == Upscale::None { 1 } else { 2 };
                [extent[0].div_ceil(scale), extent[1].div_ceil(scale), depth]
            }
        };
        let mut ifm = self.map(0, ifm_shape)?;
        let acc = self.get(O::AccFormat);
        let acc_input = match if u85 { f::acc_format::ACC_INPUT.get(acc) } else { 0 } {
            1 => AccInput::Keep,
            2 => AccInput::Ifm2,
            _ => AccInput::Reset,
        };
        let acc_keep = u85 && f::acc_format::ACC_OUTPUT.get(acc) == 1;
        let mut swapped = false;
        let mut ifm2 = None;
        match kind {
            Kind::Elementwise(how) if !how.unary() => {
                let scalar = |opcode: O, zero_point: O, value: i32| {
                    let precision = self.get(opcode).param;
                    let signed = precision & 1 == 1;
                    let zero_point = i64::from(self.get(zero_point).param as i16);
                    Operand::Scalar { value, zero_point, bits: 8 << (precision >> 2 & 3), signed }
                };
                if u85 {
                    let value = self.get(O::OpScalar).payload as i32;
                    for precision in [O::IfmPrecision, O::Ifm2Precision] {
                        if self.field(precision, &f::ifm_precision::ACTIVATION_STORAGE) == 2 {
                            return Err("a chained input".into());
                        }
                    }
                    if self.get(O::IfmBroadcast).param == 8 {
                        swapped = true;
                        ifm = self.map(1, broadcast(O::Ifm2Broadcast))?;
                        ifm2 = Some(scalar(O::IfmPrecision, O::IfmZeroPoint, value));
                    } else if self.get(O::Ifm2Broadcast).param == 8 {
                        ifm2 = Some(scalar(O::Ifm2Precision, O::Ifm2ZeroPoint, value));
                    } else {
                        ifm2 = Some(Operand::Map(self.map(1, broadcast(O::Ifm2Broadcast))?));
                    }
                } else {
                    swapped = self.field(O::Ifm2Broadcast, &f::ifm2_broadcast::OPERAND_ORDER) == 1;
                    ifm2 = if self.field(O::Ifm2Broadcast, &f::ifm2_broadcast::BROADCAST_CONSTANT) == 1 {
                        let value = self.get(O::Ifm2Scalar).param;
                        let signed = self.get(O::Ifm2Precision).param & 1 == 1;
                        let value = if signed { i32::from(value as i16) } else { i32::from(value) };
                        Some(scalar(O::Ifm2Precision, O::Ifm2ZeroPoint, value))
                    } else {
                        Some(Operand::Map(self.map(1, broadcast(O::Ifm2Broadcast))?))
                    };
                }
            }
            Kind::MatMul => ifm2 = Some(Operand::Map(self.map(1, [1, computed[2], depth])?)),
            _ if acc_input == AccInput::Ifm2 => ifm2 = Some(Operand::Map(self.map(1, computed)?)),
            _ => {}
        }
        if u85 && elementwise {
            for precision in [O::IfmPrecision, O::Ifm2Precision] {
                let unary = ifm2.is_none() && precision == O::Ifm2Precision;
                if !unary && self.field(precision, &f::ifm_precision::ACTIVATION_STORAGE) == 2 {
                    return Err("a chained input".into());
                }
            }
        }
        let ofm = self.map(2, stored)?;
        let (operand_scales, ofm_scale, round) = self.scales(kind, &ifm, &ofm, swapped)?;
        let (lut, clamp) = self.activation(&ofm)?;
        let [end, start, second] =
            [O::IfmIbEnd, O::AbStart, O::Ifm2IbStart].map(|opcode| self.get(opcode).param as u8);
        let part_kernel = self.field(O::KernelStride, &f::kernel_stride::WEIGHT_ORDER) == 1;
        let ublock = self.ublock();
        let block = Config {
            ofm: [O::OfmBlkHeightM1, O::OfmBlkWidthM1, O::OfmBlkDepthM1].map(|opcode| self.size(opcode)),
            ifm: [1, 1, self.ifm_block_depth(kind, &ifm, part_kernel, ublock[2])],
            part_kernel,
            acc: match f::acc_format::ACC_FORMAT.get(acc) {
                0 => Acc::I32,
                _ if u85 => Acc::I48,
                _ => Acc::I40,
            },
            ublock,
            shram: if u85 { [0; 3] } else { [end, start, if ifm2.is_some() { second } else { 0 }] },
        };
        let parameters = self.parameters(kind, ofm_scale);
        Ok(KernelOp {
            kind,
            ifm,
            ifm2,
            swapped,
            ofm,
            window,
            upscale,
            parameters,
            operand_scales,
            ofm_scale,
            round,
            clamp,
            lut,
            acc_input,
            acc_keep,
            transpose,
            block,
        })
    }

    fn kind(&self, command: Command) -> Result_<Kind> {
        use Elementwise as E;
        Ok(match command.opcode {
            O::Conv if self.u85() && command.param & 1 == 1 => Kind::MatMul,
            O::Conv => Kind::Conv,
            O::Depthwise => Kind::Depthwise,
            O::Pool => Kind::Pool(
                [
                    Pool::Max,
                    Pool::Average,
                    Pool::ReduceSum,
                    Pool::Sum,
                    Pool::None,
                    Pool::Min,
                    Pool::ArgMaxX,
                    Pool::ArgMaxY,
                ][usize::from(command.param)],
            ),
            O::Elementwise => Kind::Elementwise(match command.param {
                0 => E::Mul,
                1 => E::Add,
                2 => E::Sub,
                3 => E::Min,
                4 => E::Max,
                5 => E::Lrelu,
                6 => E::Abs,
                7 => E::Clz,
                8 => E::Shr,
                9 => E::Shl,
                10 => E::Lsr,
                11 => E::Div,
                16 => E::CmpEq,
                17 => E::CmpNe,
                18 => E::CmpGe,
                19 => E::CmpGt,
                33 => E::And,
                34 => E::Or,
                35 => E::Xor,
                36 => E::Not,
                42 => E::AndNot,
                other => return Err(format!("elementwise {other}")),
            }),
            O::Resize => {
                let axis = |n, step, offset| {
                    let step = self.get(step);
                    let n = i32::from(self.get(n).param) + 1;
                    let d = f::resize_x_step::ONE_STEP_INT.get(step) as i32 * n
                        + f::resize_x_step::ONE_STEP_MOD.get(step) as i32;
                    [n, d, f::resize_x_offset::RESIZE_X_OFFSET.get_signed(self.get(offset))]
                };
                Kind::Resize {
                    mode: [ResizeMode::Bilinear, ResizeMode::Replicate, ResizeMode::Nearest]
                        [usize::from(command.param)],
                    axes: [
                        axis(O::ResizeYScaleNM1, O::ResizeYStep, O::ResizeYOffset),
                        axis(O::ResizeXScaleNM1, O::ResizeXStep, O::ResizeXOffset),
                    ],
                }
            }
            other => return Err(other.name().into()),
        })
    }

    fn window(&self, kind: Kind) -> Window {
        if matches!(kind, Kind::Elementwise(_)) {
            return Window::ONE;
        }
        let pad = [O::IfmPadTop, O::IfmPadLeft, O::IfmPadBottom, O::IfmPadRight]
            .map(|opcode| usize::from(self.get(opcode).param));
        if matches!(kind, Kind::Resize { .. }) {
            return Window { pad, ..Window::ONE };
        }
        let bit = |n: u32| usize::from(self.get(O::KernelStride).param >> n & 1);
        let dilation = [1 + bit(4), 1 + bit(3)];
        let size = [O::KernelHeightM1, O::KernelWidthM1].map(|opcode| self.size(opcode));
        Window {
            size: [0, 1].map(|i| (size[i] - 1) / dilation[i] + 1),
            stride: [1 + bit(1) + 2 * bit(9), 1 + bit(0) + 2 * bit(6)],
            dilation,
            pad,
        }
    }

    fn scales(
        &self,
        kind: Kind,
        ifm: &FeatureMap,
        ofm: &FeatureMap,
        swapped: bool,
    ) -> Result_<(OperandScales, OfmScale, Round)> {
        let global = self.field(O::OfmPrecision, &f::ofm_precision::SCALE_MODE) == 1;
        let factor = |opcode| {
            let command = self.get(opcode);
            let shift = (command.param & 0x3f) as u8;
            match i32::try_from(command.payload) {
                Ok(multiplier) => Factor { multiplier, shift },
                // The factors of `hw` have 31 bits.
                Err(_) => Factor { multiplier: command.payload.div_ceil(2) as i32, shift: shift - 1 },
            }
        };
        let mut out = if global { OfmScale::Global(factor(O::OfmScale)) } else { OfmScale::PerChannel };
        let sum = matches!(kind, Kind::Elementwise(Elementwise::Add | Elementwise::Sub));
        if !self.u85() {
            let round = |code| match code {
                0 => Ok(Round::Double),
                2 => Ok(Round::Natural),
                _ => Err("rounding to zero"),
            };
            if let (Kind::Elementwise(_), false) = (kind, global) {
                out = OfmScale::Global(Factor::ONE);
            }
            let code = self.field(O::OfmPrecision, &f::ofm_precision::ROUND_MODE);
            let rounds = !matches!(out, OfmScale::Global(factor) if factor.shift == 0);
            let of_ofm = match (kind, code) {
                (Kind::Elementwise(Elementwise::Shr), 0 | 1) => Round::Truncate,
                (_, 1) if !rounds => Round::Truncate,
                (_, code) => round(code)?,
            };
            if !sum || ifm.bits > 16 {
                return Ok((OperandScales::None, out, of_ofm));
            }
            let of_ifm = self.field(O::IfmPrecision, &f::ifm_precision::ROUND_MODE);
            let scales = match self.field(O::IfmPrecision, &f::ifm_precision::SCALE_MODE) {
                0 => match (self.get(O::OpaScale).payload as u16, self.get(O::OpbScale).payload as u16) {
                    (1, 1) => OperandScales::None,
                    (a, b) => OperandScales::Multiply { a, b },
                },
                1 => OperandScales::First(factor(O::OpaScale), round(of_ifm)?),
                _ => OperandScales::Second(factor(O::OpaScale), round(of_ifm)?),
            };
            if scales != OperandScales::None && ofm.bits > 16 {
                return Err("scales of operands with an output of 32 bits".into());
            }
            return Ok((scales, out, of_ofm));
        }
        let command = self.get(O::OfmScale);
        if f::ofm_scale::DBL_RND.get(command) != 0 {
            return Err("double rounding of the output".into());
        }
        let shifts = f::ofm_scale::SHIFT.get(command) != 0;
        let round = match f::ofm_scale::ROUND_MODE.get(command) {
            0 => Round::Double,
            1 => Round::Natural,
            5 => Round::Truncate,
            _ if global && !shifts => Round::Natural,
            other => return Err(format!("rounding {other}")),
        };
        let Kind::Elementwise(how) = kind else { return Ok((OperandScales::None, out, round)) };
        let (first, second) = (self.get(O::IfmScale), self.get(O::Ifm2Scale));
        let mut scales = [factor(O::IfmScale), Factor::ONE];
        let mut of = vec![first];
        if !how.unary() || how == Elementwise::Lrelu {
            scales[1] = factor(O::Ifm2Scale);
            of.push(second);
        }
        of.retain(|scale| f::ifm_scale::SHIFT.get(*scale) != 0);
        if of.iter().any(|scale| f::ifm_scale::DBL_RND.get(*scale) != 0) {
            return Err("double rounding of an operand".into());
        }
        of.dedup_by_key(|scale| f::ifm_scale::ROUND_MODE.get(*scale));
        if of.len() > 1 {
            return Err("operands rounded in two ways".into());
        }
        let of_ifm = match of.first().map(|scale| f::ifm_scale::ROUND_MODE.get(*scale)) {
            Some(1) => Round::Natural,
            _ => Round::Double,
        };
        if scales == [Factor::ONE; 2] {
            return Ok((OperandScales::None, out, round));
        }
        let [a, b] = if swapped { [scales[1], scales[0]] } else { scales };
        Ok((OperandScales::Each { a, b, round: of_ifm }, out, round))
    }

    fn activation(&self, ofm: &FeatureMap) -> Result_<(Option<Lut>, Option<Bounds>)> {
        let command = self.get(O::Activation);
        let bound = |opcode, signed| {
            let bits = self.get(opcode).param;
            if signed { i64::from(bits as i16) } else { i64::from(bits) }
        };
        let bounds = |signed| (bound(O::ActivationMin, signed), bound(O::ActivationMax, signed));
        let function = command.param & 0x1f;
        if !self.u85() {
            let lut = match (function, ofm.bits) {
                (0, _) => None,
                (16..24, 8) => Some(Lut { slot: (function - 16) as u8, kind: LutKind::I8 }),
                (16..24, 16) => Some(Lut { slot: (function - 16) as u8, kind: LutKind::I16 }),
                _ => return Err(format!("activation {function} of {} bits", ofm.bits)),
            };
            let range = f::activation::ACTIVATION_CLIP_RANGE_U55_U65.get(command);
            let clamp = match (range, ofm.bits) {
                (0, 32) => None,
                (0, _) => Some(bounds(ofm.signed)),
                (5, 32) => Some(bounds(true)),
                _ => return Err(format!("clip range {range} of {} bits", ofm.bits)),
            };
            return Ok((lut, clamp));
        }
        let slot = f::activation::TABLE.get(command) as u8;
        let lut = match function {
            0 => None,
            1 | 4 => Some(Lut { slot, kind: LutKind::I8 }),
            8 => Some(Lut { slot, kind: LutKind::I16 }),
            9 => Some(Lut { slot, kind: LutKind::I16ToI32 }),
            _ => return Err(format!("activation {function}")),
        };
        let clamp = if f::activation::ACTIVATION_CLIP_RANGE_U85.get(command) == 1 {
            None
        } else {
            Some(bounds(ofm.signed))
        };
        Ok((lut, clamp))
    }

    fn ublock(&self) -> [usize; 3] {
        let all = self.accelerator.ublocks();
        if !self.u85() {
            return [all[0].height, all[0].width, all[0].depth].map(usize::from);
        }
        let code = f::acc_format::MICROBLOCK.get(self.get(O::AccFormat)) as usize;
        let (h, w) = [(1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 4)][code];
        let found = all.iter().find(|u| (u.height, u.width) == (h, w)).unwrap();
        [found.height, found.width, found.depth].map(usize::from)
    }

    /// No register has it (`facts/ethosu.md` 6).
    fn ifm_block_depth(&self, kind: Kind, ifm: &FeatureMap, part_kernel: bool, ublock: usize) -> usize {
        let part_kernel = part_kernel && kind == Kind::Conv;
        if !self.u85() {
            let depth = ifm.shape[2];
            return match ifm.bits {
                16 => depth.min(16).next_multiple_of(4),
                _ => depth.min(if part_kernel { 16 } else { 32 }).next_multiple_of(8),
            };
        }
        let sparse = self.field(O::WeightFormat, &f::weight_format::WEIGHT_SPARSITY) == 1;
        let small = matches!(self.accelerator.macs(), 128 | 256) && ublock == 16 && !sparse;
        match ifm.bits {
            _ if part_kernel => 16,
            32 => 32,
            _ if small => 32,
            8 if sparse => 128,
            _ => 64,
        }
    }

    fn parameters(&self, kind: Kind, scale: OfmScale) -> Option<Parameters> {
        let weighted = matches!(kind, Kind::Conv | Kind::Depthwise);
        if !weighted && scale != OfmScale::PerChannel {
            return None;
        }
        let places = if self.u85() {
            vec![
                (O::WeightBase, O::WeightLength),
                (O::Weight1Base, O::Weight1Length),
                (O::Weight2Base, O::Weight2Length),
                (O::Weight3Base, O::Weight3Length),
            ]
        } else {
            vec![(O::WeightBase, O::WeightLength), (O::Weight1Base, O::Weight1Length)]
        };
        let bytes = |base, length| Bytes {
            address: self.get(base).address(),
            length: u64::from(self.get(length).payload),
        };
        let decoders = self.accelerator.spec().weight_decoders as usize;
        let weights = if weighted {
            places[..decoders].iter().map(|&(base, length)| bytes(base, length)).collect()
        } else {
            Vec::new()
        };
        let mut scales = vec![bytes(O::ScaleBase, O::ScaleLength)];
        if self.accelerator.cores() > 1 {
            scales.push(bytes(O::Scale1Base, O::Scale1Length));
        }
        let format = self.get(O::WeightFormat);
        Some(Parameters {
            weight_region: self.get(O::WeightRegion).param as u8,
            weights,
            scale_region: self.get(O::ScaleRegion).param as u8,
            scales,
            fast: self.u85() && weighted && f::weight_format::WEIGHT_FORMAT.get(format) == 1,
            sparse: self.u85() && weighted && f::weight_format::WEIGHT_SPARSITY.get(format) == 1,
        })
    }

    fn copy(&self) -> Result_<Dma> {
        let (source, target) = (self.get(O::Dma0SrcRegion), self.get(O::Dma0DstRegion));
        let length = self.get(O::Dma0Len).address();
        let plain = i64::try_from(length).unwrap();
        let dims = if self.u85() {
            if (source.param | target.param) & 0x800 != 0 {
                return Err("a gather or scatter".into());
            }
            f::dma0_src_region::STRIDE_MODE.get(source)
        } else {
            f::dma0_dst_region::STRIDE_MODE.get(target)
        };
        let rows = if dims > 0 { u64::from(self.get(O::Dma0Size0).param) } else { 1 };
        let planes = if dims > 1 { u64::from(self.get(O::Dma0Size1).param) } else { 1 };
        let plane = plain * rows as i64;
        let (source_strides, target_strides) = if self.u85() {
            (
                [self.stride(O::Dma0SrcStride0), self.stride(O::Dma0SrcStride1)],
                [self.stride(O::Dma0DstStride0), self.stride(O::Dma0DstStride1)],
            )
        } else {
            ([plain, plane], [plain + self.stride(O::Dma0Skip0), plane + self.stride(O::Dma0Skip1)])
        };
        let to = self.get(O::Dma0Dst).address();
        let target = if f::dma0_dst_region::REGION_MODE.get(target) == 1 {
            let inside = to - u64::from(self.accelerator.lut_base());
            assert_eq!(inside % 256, 0);
            DmaTarget::Lut { slot: (inside / 256) as u8 }
        } else {
            DmaTarget::Memory { region: f::dma0_dst_region::REGION.get(target) as u8, address: to }
        };
        Ok(Dma {
            region: f::dma0_src_region::REGION.get(source) as u8,
            address: self.get(O::Dma0Src).address(),
            target,
            length,
            count: [rows, planes],
            source_strides,
            target_strides,
        })
    }
}
