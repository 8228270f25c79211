//! What an estimate needs to know of an operation, out of the SET registers.

use tombolo_ethosu::cmd::{Command, Opcode, fields};
use tombolo_ethosu::enums;
use tombolo_ethosu::system::{MemoryMode, Port};
use tombolo_ethosu::{Accelerator, Generation};

use crate::decode;
use crate::op::{Kernel, Layout, Padding, Shape, Tiling, Upscale};
use crate::state::State;

/// Kinds of operation that take time in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Conv,
    Depthwise,
    /// Max, average, min, argmax: as many channels out as in.
    Pool {
        max: bool,
    },
    /// Over channels, and on U85 the pools that only carry data through.
    ReduceSum,
    Elementwise {
        mode: u32,
    },
    Resize,
}

/// A feature map as an estimate sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) shape: Shape,
    pub(crate) bits: u32,
    pub(crate) brick: bool,
    /// The port it is read or written through; `None` for what stays inside the NPU.
    pub(crate) port: Option<Port>,
    /// It is passed on in a chain buffer. (U85)
    pub(crate) chained: bool,
}

/// Bytes read through a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub(crate) count: u64,
    pub(crate) port: Port,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) ifm: Map,
    pub(crate) ifm2: Option<Map>,
    /// As computed, before it is transposed.
    pub(crate) ofm: Map,
    /// As it lies in memory.
    pub(crate) stored: Map,
    pub(crate) kernel: Kernel,
    pub(crate) ofm_block: Shape,
    /// The block of the output as it lies in memory.
    pub(crate) stored_block: Shape,
    pub(crate) ifm_block: Shape,
    pub(crate) ublock: Shape,
    /// 40- or 48-bit accumulators.
    pub(crate) wide: bool,
    /// A table is applied on the way out.
    pub(crate) table: bool,
    /// The output is transposed, or reversed along its width. (U85)
    pub(crate) turned: bool,
    /// Every group of four weights has two zeros. (U85)
    pub(crate) sparse: bool,
    /// The fast weight format. (U85)
    pub(crate) fast: bool,
    pub(crate) weights: Option<Bytes>,
    pub(crate) scales: Option<Bytes>,
    pub(crate) macs: u64,
    /// The second input takes the place of the weights. (U85)
    pub(crate) product: bool,
    /// Its first blocks may run beside the last ones of the operation before (BLOCKDEP).
    pub(crate) overlaps: bool,
    /// What tells a part of a layer from another layer.
    strides: [Option<Command>; 4],
}

impl Operation {
    /// Whether this reads what `before` left in a chain buffer, so that both go block by block in one
    /// pass. (U85)
    pub(crate) fn chained_to(&self, before: &Operation) -> bool {
        self.reads_chain() && before.ofm.chained
    }

    /// Whether an input comes out of a chain buffer. (U85)
    pub(crate) fn reads_chain(&self) -> bool {
        self.ifm.chained || self.ifm2.is_some_and(|map| map.chained)
    }

    /// Whether this is the next stripe or slice of the layer that `before` is part of.
    pub(crate) fn continues(&self, before: &Operation) -> bool {
        self.kind == before.kind
            && self.strides == before.strides
            && self.ofm_block == before.ofm_block
            && (self.kernel.h, self.kernel.w) == (before.kernel.h, before.kernel.w)
            && (self.ifm.shape.c, self.ofm.bits) == (before.ifm.shape.c, before.ofm.bits)
            && match self.kind {
                Kind::Conv | Kind::Depthwise => self.weights.is_some(),
                Kind::Pool { .. } => self.overlaps,
                _ => false,
            }
    }

    /// Reads the registers; `None` where they do not make sense, which the data path reports.
    pub(crate) fn read(
        accelerator: Accelerator,
        mode: &MemoryMode<'_>,
        command: Command,
        state: &State,
    ) -> Option<Operation> {
        let generation = state.generation;
        let u85 = generation == Generation::U85;
        let kind = match command.opcode {
            Opcode::Conv => Kind::Conv,
            Opcode::Depthwise => Kind::Depthwise,
            Opcode::Resize => Kind::Resize,
            Opcode::Elementwise => {
                Kind::Elementwise { mode: fields::elementwise::ELEMENTWISE_MODE.get(command) }
            }
            Opcode::Pool => match fields::pool::POOLING_MODE.get(command) {
                enums::pooling_mode::REDUCE_SUM => Kind::ReduceSum,
                enums::pooling_mode::MAX => Kind::Pool { max: true },
                _ => Kind::Pool { max: false },
            },
            _ => return None,
        };
        let ofm_shape = decode::ofm_shape(state).ok()?;
        let elementwise = matches!(kind, Kind::Elementwise { .. });
        let unit = Kernel {
            h: 1,
            w: 1,
            stride_y: 1,
            stride_x: 1,
            dilation_y: 1,
            dilation_x: 1,
            pad: Padding::default(),
            part_kernel: false,
        };
        let kernel = if elementwise || kind == Kind::Resize { unit } else { decode::kernel(state).ok()? };
        let upscale = if elementwise || kind == Kind::Resize {
            Upscale::None
        } else {
            decode::upscale(state).unwrap_or(Upscale::None)
        };
        let ifm_depth = match kind {
            Kind::Elementwise { .. } => ofm_shape.c,
            _ => state.plus_one(Opcode::IfmDepthM1).ok()?,
        };
        let ifm_shape = match kind {
            Kind::Elementwise { .. } => ofm_shape,
            Kind::Resize => Shape::new(
                state.plus_one(Opcode::KernelHeightM1).ok()?,
                state.plus_one(Opcode::KernelWidthM1).ok()?,
                ifm_depth,
            ),
            _ => decode::ifm_extent(&kernel, ofm_shape, upscale, ifm_depth).ok()?.1,
        };

        let map = |registers: &decode::MapRegisters, shape: Shape, region: Opcode| -> Option<Map> {
            let elem = decode::elem(state, registers).ok()?;
            let precision = state.get(registers.precision).ok()?;
            let storage = match registers.precision {
                Opcode::OfmPrecision => fields::ofm_precision::ACTIVATION_STORAGE.get(precision),
                Opcode::Ifm2Precision => fields::ifm2_precision::ACTIVATION_STORAGE.get(precision),
                _ => fields::ifm_precision::ACTIVATION_STORAGE.get(precision),
            };
            // On U55 and U65 these bits are the rounding mode.
            let inside = u85 && storage >= enums::activation_storage::CHAINED;
            let chained = u85 && storage == enums::activation_storage::CHAINED;
            let brick = decode::feature_map(state, registers, shape, Tiling::T2x2)
                .is_ok_and(|map| map.layout == Layout::Nhcwb16);
            let region = state.param(region).ok().map_or(0, |region| usize::from(region & 7));
            Some(Map {
                shape,
                bits: elem.bits(),
                brick: brick && !inside,
                port: (!inside).then(|| mode.port_of_region(region)),
                chained,
            })
        };
        let mut ifm = map(&decode::IFM, ifm_shape, Opcode::IfmRegion)?;
        let ofm = map(&decode::OFM, ofm_shape, Opcode::OfmRegion)?;
        let product = u85 && kind == Kind::Conv && fields::conv::WEIGHTS_IFM2.get(command) == 1;
        let ifm2 = match kind {
            Kind::Elementwise { .. } => second(state, ofm_shape, &map),
            // One row for every output channel.
            _ if product => map(&decode::IFM2, Shape::new(1, ofm_shape.c, ifm_depth), Opcode::Ifm2Region),
            _ => None,
        };
        if elementwise && u85 {
            ifm.shape = broadcast(state, Opcode::IfmBroadcast, ofm_shape);
        }

        let ofm_block = Shape::new(
            state.plus_one(Opcode::OfmBlkHeightM1).ok()?,
            state.plus_one(Opcode::OfmBlkWidthM1).ok()?,
            state.plus_one(Opcode::OfmBlkDepthM1).ok()?,
        );
        let ublock = ublock(accelerator, state, kind, &kernel, ofm_shape)?;
        let sparse = u85
            && state.find(Opcode::WeightFormat).is_some_and(|command| {
                fields::weight_format::WEIGHT_SPARSITY.get(command) == enums::weight_sparsity::SPARSE_2_4
            });
        let depth = ifm_block_depth(accelerator, kind, &kernel, ifm.bits, ifm_depth, ublock, sparse);
        let scale = match upscale {
            Upscale::None => 1,
            _ => 2,
        };
        let reach = |block: u32, stride: u32, dilated: u32, granule: u32| {
            let needed = (u64::from(block) - 1) * u64::from(stride) + u64::from(dilated.min(8));
            let needed = u32::try_from(needed.div_ceil(scale)).unwrap_or(u32::MAX / 2);
            needed.next_multiple_of(granule.max(1))
        };
        let ifm_block = if elementwise {
            ofm_block
        } else {
            Shape::new(
                reach(ofm_block.h, kernel.stride_y, kernel.dilated_h(), ublock.h),
                reach(ofm_block.w, kernel.stride_x, kernel.dilated_w(), ublock.w),
                depth.unwrap_or(ofm_block.c),
            )
        };

        let has_weights = match kind {
            Kind::Conv => !product,
            Kind::Depthwise => true,
            _ => false,
        };
        let port_of = |region: Opcode| -> Option<Port> {
            Some(mode.port_of_region(usize::from(state.param(region).ok()? & 7)))
        };
        let length = |opcode: Opcode| -> u64 {
            if !accelerator.knows(opcode) {
                return 0;
            }
            state.find(opcode).map_or(0, |command| u64::from(command.payload))
        };
        let weights = has_weights.then(|| {
            let mut count = length(Opcode::WeightLength) + length(Opcode::Weight1Length);
            if u85 {
                count += length(Opcode::Weight2Length) + length(Opcode::Weight3Length);
            }
            Some(Bytes { count, port: port_of(Opcode::WeightRegion)? })
        });
        let scales = has_weights.then(|| {
            let mut count = length(Opcode::ScaleLength) & 0xf_ffff;
            if generation == Generation::U65 {
                count += length(Opcode::Scale1Length) & 0xf_ffff;
            }
            Some(Bytes { count, port: port_of(Opcode::ScaleRegion)? })
        });
        let taps = u64::from(kernel.h) * u64::from(kernel.w);
        let macs = match kind {
            Kind::Conv | Kind::ReduceSum => {
                taps.saturating_mul(ofm_shape.elements()).saturating_mul(ifm_depth.into())
            }
            Kind::Depthwise | Kind::Pool { .. } => taps.saturating_mul(ofm_shape.elements()),
            Kind::Elementwise { .. } | Kind::Resize => 0,
        };
        let activation = state.find(Opcode::Activation)?;
        let function = if u85 {
            fields::activation::ACTIVATION_FUNCTION_U85.get(activation) != 0
        } else {
            fields::activation::ACTIVATION_FUNCTION_U55_U65.get(activation) >= 3
        };
        let precision = state.get(Opcode::OfmPrecision).ok()?;
        let axes =
            if u85 { axes(fields::ofm_precision::ACTIVATION_TRANSPOSE.get(precision)) } else { [0, 1, 2] };
        let transposed = |shape: Shape| {
            let sizes = [shape.h, shape.w, shape.c];
            let [h, w, c] = axes.map(|axis| sizes[axis]);
            Shape::new(h, w, c)
        };
        // Columns before rows, or a row backwards, takes twice the time.
        let turned = u85
            && (axes.iter().position(|&axis| axis == 1) < axes.iter().position(|&axis| axis == 0)
                || fields::ofm_precision::ACTIVATION_REVERSE.get(precision) == enums::activation_reverse::W);
        let wide = state.find(Opcode::AccFormat).is_some_and(|format| format.param & 3 == 1);
        Some(Operation {
            kind,
            ifm,
            ifm2,
            ofm,
            stored: Map { shape: transposed(ofm_shape), ..ofm },
            kernel,
            ofm_block,
            stored_block: transposed(ofm_block),
            ifm_block,
            ublock,
            wide,
            table: function,
            turned,
            sparse,
            fast: u85
                && state.find(Opcode::WeightFormat).is_some_and(|command| {
                    fields::weight_format::WEIGHT_FORMAT.get(command) == enums::weight_format::FWD
                }),
            weights: weights.flatten(),
            scales: scales.flatten(),
            macs,
            product,
            overlaps: state.find(Opcode::Blockdep).is_some_and(|command| command.param & 7 != 0),
            strides: [
                state.find(Opcode::OfmStrideY),
                state.find(Opcode::OfmStrideX),
                state.find(Opcode::OfmStrideC),
                state.find(Opcode::IfmPrecision),
            ],
        })
    }
}

/// Which axis of the output becomes the rows, columns and channels in memory.
fn axes(transpose: u32) -> [usize; 3] {
    use enums::activation_transpose as t;
    match transpose {
        t::WHC => [1, 0, 2],
        t::HCW => [0, 2, 1],
        t::WCH => [1, 2, 0],
        t::CHW => [2, 0, 1],
        t::CWH => [2, 1, 0],
        _ => [0, 1, 2],
    }
}

/// The shape of an operand that may be repeated along axes.
fn broadcast(state: &State, opcode: Opcode, shape: Shape) -> Shape {
    let mode = state.find(opcode).map_or(0, |command| u32::from(command.param));
    if mode & 8 != 0 {
        return Shape::new(1, 1, 1);
    }
    let axis = |bit: u32, size: u32| if mode & bit != 0 { 1 } else { size };
    Shape::new(axis(1, shape.h), axis(2, shape.w), axis(4, shape.c))
}

/// The second input of an elementwise operation, if it has one in memory or as a scalar.
fn second(
    state: &State,
    shape: Shape,
    map: &impl Fn(&decode::MapRegisters, Shape, Opcode) -> Option<Map>,
) -> Option<Map> {
    let command = state.find(Opcode::Ifm2Broadcast)?;
    let u85 = state.generation == Generation::U85;
    let mut of = broadcast(state, Opcode::Ifm2Broadcast, shape);
    if !u85 && command.param & 0x80 != 0 {
        of = Shape::new(1, 1, 1);
    }
    let mut found = map(&decode::IFM2, of, Opcode::Ifm2Region).unwrap_or(Map {
        shape: of,
        bits: 8,
        brick: false,
        port: None,
        chained: false,
    });
    if of.elements() == 1 && (u85 || command.param & 0x80 != 0) {
        found.port = None;
    }
    Some(found)
}

/// The piece of the output that the MAC array works on at once.
fn ublock(accelerator: Accelerator, state: &State, kind: Kind, kernel: &Kernel, ofm: Shape) -> Option<Shape> {
    let all = accelerator.ublocks();
    let first = all.first()?;
    if state.generation == Generation::U85 {
        let code = fields::acc_format::MICROBLOCK.get(state.find(Opcode::AccFormat)?);
        let (h, w) = [(1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 4)].get(code as usize).copied()?;
        let found = all.iter().find(|u| (u32::from(u.height), u32::from(u.width)) == (h, w))?;
        return Some(Shape::new(h, w, found.depth.into()));
    }
    let (h, w, c) = (u32::from(first.height), u32::from(first.width), u32::from(first.depth));
    // One row at a time is worked on four columns wide.
    if h == 2 && kind == Kind::Conv && ofm.h == 1 && ofm.w.is_multiple_of(2) && kernel.h == 1 {
        return Some(Shape::new(1, 4, c));
    }
    Some(Shape::new(h, w, c))
}

/// Channels of the input in one block; `None` where input and output have the same.
fn ifm_block_depth(
    accelerator: Accelerator,
    kind: Kind,
    kernel: &Kernel,
    bits: u32,
    depth: u32,
    ublock: Shape,
    sparse: bool,
) -> Option<u32> {
    if !matches!(kind, Kind::Conv | Kind::ReduceSum) {
        return None;
    }
    let part_kernel = kind == Kind::Conv && kernel.part_kernel;
    if accelerator.generation() == Generation::U85 {
        let small = matches!(accelerator.macs(), 128 | 256) && ublock.c == 16 && !sparse;
        return Some(match () {
            () if part_kernel => 16,
            () if bits == 32 || small => 32,
            () if sparse && bits == 8 => 128,
            () => 64,
        });
    }
    Some(match bits {
        16 => depth.min(16).next_multiple_of(4),
        _ => depth.min(if part_kernel { 16 } else { 32 }).next_multiple_of(8),
    })
}
