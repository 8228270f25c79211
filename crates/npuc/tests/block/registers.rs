//! Operations of a command stream, out of its SET registers.

use std::collections::HashMap;

use tombolo_ethosu::cmd::{self, Command, Opcode as O, fields as f};
use tombolo_ethosu::{Accelerator, Generation, enums};
use tombolo_npuc::hw::{
    Acc, AccInput, Bytes, Config, Elementwise, FeatureMap, KernelOp, Kind, Layout, Lut, LutKind, OfmScale,
    Operand, OperandScales, Parameters, Pool, ResizeMode, Round, Transpose, Upscale, Window,
};
use tombolo_npuc::ir::Factor;

/// An operation of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Byte position of the operation.
    pub(crate) position: u32,
    pub(crate) op: KernelOp,
    /// Part of a chain (U85), or with an operand that a [`KernelOp`] does not have.
    pub(crate) foreign: bool,
}

struct Registers {
    accelerator: Accelerator,
    set: HashMap<O, Command>,
}

/// All operations of the MAC engine and the output unit.
pub(crate) fn operations(accelerator: Accelerator, stream: &[u8]) -> Vec<Found> {
    let mut registers = Registers { accelerator, set: HashMap::new() };
    let mut found = Vec::new();
    for command in cmd::decode(accelerator.generation(), stream) {
        let (position, command) = command.unwrap();
        match command.opcode {
            O::Conv | O::Depthwise | O::Pool | O::Elementwise | O::Resize => {
                let (op, foreign) = registers.operation(command);
                found.push(Found { position: position as u32, op, foreign });
            }
            opcode if !opcode.is_op() => _ = registers.set.insert(opcode, command),
            _ => {}
        }
    }
    found
}

impl Registers {
    fn get(&self, opcode: O) -> Command {
        self.set.get(&opcode).copied().unwrap_or(Command::new(opcode, 0))
    }

    fn plus_one(&self, opcode: O) -> usize {
        usize::from(self.get(opcode).param) + 1
    }

    fn u85(&self) -> bool {
        self.accelerator.generation() == Generation::U85
    }

    fn map(&self, precision: O, region: O, shape: [usize; 3]) -> FeatureMap {
        let command = self.get(precision);
        let (size, format) = match precision {
            O::OfmPrecision => {
                (&f::ofm_precision::ACTIVATION_PRECISION, &f::ofm_precision::ACTIVATION_FORMAT)
            }
            O::Ifm2Precision => {
                (&f::ifm2_precision::ACTIVATION_PRECISION, &f::ifm2_precision::ACTIVATION_FORMAT)
            }
            _ => (&f::ifm_precision::ACTIVATION_PRECISION, &f::ifm_precision::ACTIVATION_FORMAT),
        };
        let brick = format.get(command) == enums::activation_format::NHCWB16;
        FeatureMap {
            region: (self.get(region).param & 7) as u8,
            base: [0; 4],
            tile: shape,
            shape,
            strides: [0; 3],
            bits: 8 << size.get(command),
            signed: true,
            zero_point: 0,
            layout: if brick { Layout::Nhcwb16 } else { Layout::Nhwc },
        }
    }

    /// Whether a map comes out of a chain buffer, goes into it, or is no map.
    fn inside(&self, precision: O) -> bool {
        let command = self.get(precision);
        let storage = match precision {
            O::OfmPrecision => f::ofm_precision::ACTIVATION_STORAGE.get(command),
            O::Ifm2Precision => f::ifm2_precision::ACTIVATION_STORAGE.get(command),
            _ => f::ifm_precision::ACTIVATION_STORAGE.get(command),
        };
        self.u85() && storage >= enums::activation_storage::CHAINED
    }

    fn window(&self) -> Window {
        use f::kernel_stride as k;
        let stride = self.get(O::KernelStride);
        let dilation = [1 + k::DILATION_Y.get(stride), 1 + k::DILATION_X.get(stride)].map(|n| n as usize);
        let dilated = [self.plus_one(O::KernelHeightM1), self.plus_one(O::KernelWidthM1)];
        let axis = |lsb: &cmd::Field, msb: &cmd::Field| (1 + lsb.get(stride) + 2 * msb.get(stride)) as usize;
        Window {
            size: [0, 1].map(|i| (dilated[i] - 1) / dilation[i] + 1),
            stride: [axis(&k::STRIDE_Y_LSB, &k::STRIDE_Y_MSB), axis(&k::STRIDE_X_LSB, &k::STRIDE_X_MSB)],
            dilation,
            pad: [
                f::ifm_pad_top::PAD.get(self.get(O::IfmPadTop)),
                f::ifm_pad_left::PAD.get(self.get(O::IfmPadLeft)),
                f::ifm_pad_bottom::PAD.get(self.get(O::IfmPadBottom)),
                f::ifm_pad_right::PAD.get(self.get(O::IfmPadRight)),
            ]
            .map(|n| n as usize),
        }
    }

    fn kind(&self, command: Command) -> Kind {
        match command.opcode {
            O::Conv if self.u85() && f::conv::WEIGHTS_IFM2.get(command) == 1 => Kind::MatMul,
            O::Conv => Kind::Conv,
            O::Depthwise => Kind::Depthwise,
            O::Pool => Kind::Pool(match f::pool::POOLING_MODE.get(command) {
                0 => Pool::Max,
                1 => Pool::Average,
                2 => Pool::ReduceSum,
                3 => Pool::Sum,
                4 => Pool::None,
                5 => Pool::Min,
                6 => Pool::ArgMaxX,
                _ => Pool::ArgMaxY,
            }),
            O::Resize => {
                let n = |opcode| i32::from(self.get(opcode).param) + 1;
                // The step is that between elements, in parts of the numerator.
                let step = |opcode: O, numerator: i32| {
                    let command = self.get(opcode);
                    i32::from(command.param & 0xf) * numerator + (command.payload & 0x7ff) as i32
                };
                let (y, x) = (n(O::ResizeYScaleNM1), n(O::ResizeXScaleNM1));
                Kind::Resize {
                    mode: ResizeMode::Nearest,
                    axes: [[y, step(O::ResizeYStep, y), 0], [x, step(O::ResizeXStep, x), 0]],
                }
            }
            _ => {
                use Elementwise as E;
                let mode = f::elementwise::ELEMENTWISE_MODE.get(command);
                let low = [E::Mul, E::Add, E::Sub, E::Min, E::Max, E::Lrelu, E::Abs, E::Clz, E::Shr, E::Shl];
                Kind::Elementwise(match mode {
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
                    _ => low[mode as usize],
                })
            }
        }
    }

    fn broadcast(&self, opcode: O, shape: [usize; 3]) -> [usize; 3] {
        let mode = self.get(opcode).param;
        [0, 1, 2].map(|axis| if mode & (8 | 1 << axis) != 0 { 1 } else { shape[axis] })
    }

    fn second(&self, kind: Kind, ofm: [usize; 3], depth: usize, carries: bool) -> Option<Operand> {
        let shape = match kind {
            Kind::MatMul => [1, ofm[2], depth],
            Kind::Elementwise(mode) if !mode.unary() => {
                let mode = self.get(O::Ifm2Broadcast).param;
                if mode & if self.u85() { 8 } else { 0x80 } != 0 {
                    let bits = 8 << f::ifm2_precision::ACTIVATION_PRECISION.get(self.get(O::Ifm2Precision));
                    return Some(Operand::Scalar { value: 0, zero_point: 0, bits, signed: true });
                }
                self.broadcast(O::Ifm2Broadcast, ofm)
            }
            Kind::Pool(_) if carries => ofm,
            _ => return None,
        };
        Some(Operand::Map(self.map(O::Ifm2Precision, O::Ifm2Region, shape)))
    }

    fn parameters(&self) -> Parameters {
        let length = |opcode: O| u64::from(self.get(opcode).payload);
        let u85 = self.u85();
        let bytes = |opcodes: &[O]| {
            let known = opcodes.iter().filter(|&&opcode| self.accelerator.knows(opcode));
            known.map(|&opcode| Bytes { address: 0, length: length(opcode) }).collect::<Vec<_>>()
        };
        let format = self.get(O::WeightFormat);
        Parameters {
            weight_region: (self.get(O::WeightRegion).param & 7) as u8,
            weights: bytes(&[O::WeightLength, O::Weight1Length, O::Weight2Length, O::Weight3Length]),
            scale_region: (self.get(O::ScaleRegion).param & 7) as u8,
            scales: bytes(&[O::ScaleLength, O::Scale1Length]),
            fast: u85 && f::weight_format::WEIGHT_FORMAT.get(format) == enums::weight_format::FWD,
            sparse: u85
                && f::weight_format::WEIGHT_SPARSITY.get(format) == enums::weight_sparsity::SPARSE_2_4,
        }
    }

    fn ublock(&self) -> [usize; 3] {
        let all = self.accelerator.ublocks();
        let code = f::acc_format::MICROBLOCK.get(self.get(O::AccFormat)) as usize;
        let found = match [(1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 4)].get(code) {
            Some(&size) if self.u85() => all.iter().find(|u| (u.height, u.width) == size).unwrap(),
            _ => &all[0],
        };
        [found.height, found.width, found.depth].map(usize::from)
    }

    fn config(&self) -> Config {
        let bank = |opcode: O| self.get(opcode).param as u8;
        let wide = self.get(O::AccFormat).param & 3 == 1;
        let second = self.set.contains_key(&O::Ifm2IbStart);
        Config {
            ofm: [O::OfmBlkHeightM1, O::OfmBlkWidthM1, O::OfmBlkDepthM1].map(|opcode| self.plus_one(opcode)),
            ifm: [0; 3],
            part_kernel: f::kernel_stride::WEIGHT_ORDER.get(self.get(O::KernelStride))
                == enums::weight_order::PART_KERNEL_FIRST,
            acc: match (wide, self.u85()) {
                (false, _) => Acc::I32,
                (true, true) => Acc::I48,
                (true, false) => Acc::I40,
            },
            ublock: self.ublock(),
            shram: match self.u85() {
                true => [0; 3],
                false => [bank(O::IfmIbEnd), bank(O::AbStart), if second { bank(O::Ifm2IbStart) } else { 0 }],
            },
        }
    }

    fn operation(&self, command: Command) -> (KernelOp, bool) {
        let u85 = self.u85();
        let kind = self.kind(command);
        let computed = [O::OfmHeightM1, O::OfmWidthM1, O::OfmDepthM1].map(|opcode| self.plus_one(opcode));
        let transpose = match f::ofm_precision::ACTIVATION_TRANSPOSE.get(self.get(O::OfmPrecision)) {
            _ if !u85 => Transpose::Hwc,
            1 => Transpose::Whc,
            2 => Transpose::Hcw,
            3 => Transpose::Wch,
            6 => Transpose::Chw,
            7 => Transpose::Cwh,
            _ => Transpose::Hwc,
        };
        let [h, w, c] = computed;
        let stored = match transpose {
            Transpose::Hwc => [h, w, c],
            Transpose::Whc => [w, h, c],
            Transpose::Hcw => [h, c, w],
            Transpose::Wch => [w, c, h],
            Transpose::Chw => [c, h, w],
            Transpose::Cwh => [c, w, h],
        };
        let elementwise = matches!(kind, Kind::Elementwise(_));
        let windowed = !elementwise && !matches!(kind, Kind::Resize { .. });
        let window = if windowed { self.window() } else { Window::ONE };
        let upscale = match f::ifm_upscale::MODE.get(self.get(O::IfmUpscale)) {
            enums::ifm_upscale_mode::NEAREST if windowed => Upscale::Nearest,
            enums::ifm_upscale_mode::ZEROS if windowed => Upscale::Zeros,
            _ => Upscale::None,
        };
        let depth = self.plus_one(O::IfmDepthM1);
        let ifm_shape = match kind {
            Kind::Elementwise(_) if u85 => self.broadcast(O::IfmBroadcast, computed),
            Kind::Elementwise(_) => computed,
            Kind::Resize { .. } => [self.plus_one(O::KernelHeightM1), self.plus_one(O::KernelWidthM1), depth],
            _ => {
                let size = |axis: usize| {
                    let padded = (computed[axis] - 1) * window.stride[axis] + window.dilated()[axis];
                    let extent = padded - window.pad[axis] - window.pad[axis + 2];
                    if upscale == Upscale::None { extent } else { extent.div_ceil(2) }
                };
                [size(0), size(1), depth]
            }
        };
        let acc_input = match f::acc_format::ACC_INPUT.get(self.get(O::AccFormat)) {
            enums::acc_input::KEEP if u85 => AccInput::Keep,
            enums::acc_input::IFM2 if u85 => AccInput::Ifm2,
            _ => AccInput::Reset,
        };
        let ifm2 = self.second(kind, computed, depth, acc_input == AccInput::Ifm2);
        let binary = ifm2.is_some();
        let foreign = u85
            && (self.inside(O::IfmPrecision)
                || self.inside(O::OfmPrecision)
                || binary && self.inside(O::Ifm2Precision) && !matches!(ifm2, Some(Operand::Scalar { .. }))
                || f::ofm_precision::ACTIVATION_REVERSE.get(self.get(O::OfmPrecision)) != 0);
        let function = if u85 {
            f::activation::ACTIVATION_FUNCTION_U85.get(self.get(O::Activation))
        } else {
            f::activation::ACTIVATION_FUNCTION_U55_U65.get(self.get(O::Activation)).saturating_sub(2)
        };
        let weighted = matches!(kind, Kind::Conv | Kind::Depthwise);
        let scale = self.get(O::OfmScale);
        let op = KernelOp {
            kind,
            ifm: self.map(O::IfmPrecision, O::IfmRegion, ifm_shape),
            ifm2,
            swapped: false,
            ofm: self.map(O::OfmPrecision, O::OfmRegion, stored),
            window,
            upscale,
            parameters: weighted.then(|| self.parameters()),
            operand_scales: OperandScales::None,
            ofm_scale: OfmScale::Global(Factor {
                multiplier: scale.payload as i32,
                shift: (scale.param & 63) as u8,
            }),
            round: Round::Natural,
            clamp: None,
            lut: (function != 0).then_some(Lut { slot: 0, kind: LutKind::I8 }),
            acc_input,
            acc_keep: false,
            transpose,
            block: self.config(),
        };
        (op, foreign)
    }
}
