//! What a stream touches in each region.
//!
//! The walk keeps the registers that addresses depend on and, at each operation, works out the
//! bytes read and written. Nothing else in a program says how much of region 2 (fast scratch) a
//! stream needs: ExecuTorch's container drops the number. The walk is linear; a stream with
//! branches is covered as it stands, taken once from top to bottom.

use crate::cmd::{self, Command, DecodeError, Opcode, Operand, Space, fields};
use crate::enums::{activation_storage, dma_idx_mode, dma_region_mode};
use crate::layout::{Format, Layout, Span, Tiling};
use crate::{Generation, enums};

/// Regions of a stream.
pub const REGIONS: usize = 8;

/// What is touched in one region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Offset behind the highest byte touched: the bytes that the region must have.
    pub end: u64,
    /// Something is read.
    pub read: bool,
    /// Something is written.
    pub written: bool,
    /// An address lies below the start of the region: no buffer can serve this stream.
    pub below_start: bool,
}

impl Extent {
    /// Whether the region is used at all.
    pub const fn is_used(&self) -> bool {
        self.read || self.written
    }
}

/// What is touched in every region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extents {
    /// By region number.
    pub regions: [Extent; REGIONS],
    /// The stream branches, so that the order of commands is not the order in the stream.
    pub branches: bool,
}

impl Extents {
    /// The extent of a region; of none from 8 on.
    pub fn get(&self, region: usize) -> Extent {
        self.regions.get(region).copied().unwrap_or_default()
    }

    fn touch(&mut self, region: u8, span: Span, write: bool) {
        let Some(extent) = self.regions.get_mut(usize::from(region)) else {
            return;
        };
        extent.below_start |= span.first < 0;
        extent.end = extent.end.max(span.end.max(0) as u64);
        if write {
            extent.written = true;
        } else {
            extent.read = true;
        }
    }

    fn touch_bytes(&mut self, region: u8, first: u64, length: u64, write: bool) {
        if length > 0 {
            let span = Span { first: first as i64, end: (first as i64).saturating_add(length as i64) };
            self.touch(region, span, write);
        }
    }
}

/// The registers of one feature map.
#[derive(Clone, Copy, Default)]
struct Map {
    region: u8,
    bases: [u64; 4],
    stride_x: i64,
    stride_y: i64,
    stride_c: i64,
    precision: u16,
    broadcast: u16,
    width0: u32,
    height0: u32,
    height1: u32,
}

/// A stream of bytes: weights or scales.
#[derive(Clone, Copy, Default)]
struct Blob {
    base: u64,
    length: u32,
}

/// The registers that addresses depend on.
#[derive(Clone, Copy, Default)]
struct Registers {
    ifm: Map,
    ifm2: Map,
    ofm: Map,
    ifm_depth: u32,
    ofm_height: u32,
    ofm_width: u32,
    ofm_depth: u32,
    pad_top: u32,
    pad_left: u32,
    pad_right: u32,
    pad_bottom: u32,
    upscale: u32,
    kernel_height: u32,
    kernel_width: u32,
    kernel_stride: u16,
    acc_format: u16,
    weight_region: u8,
    scale_region: u8,
    weights: [Blob; 4],
    scales: [Blob; 2],
    dma_source: u16,
    dma_destination: u16,
    dma_index_region: u8,
    dma_from: u64,
    dma_to: u64,
    dma_length: u64,
    dma_size0: u32,
    dma_size1: u32,
    dma_from_stride: [i64; 2],
    dma_to_stride: [i64; 2],
    dma_index: u64,
    dma_index_max: u32,
    dma_index_skip: i64,
}

/// Reads a stream and tells what it touches.
pub fn extents(generation: Generation, stream: &[u8]) -> Result<Extents, DecodeError> {
    let mut registers = Registers::default();
    let mut extents = Extents::default();
    for item in cmd::decode(generation, stream) {
        let (_, command) = item?;
        if command.opcode == Opcode::Stop {
            break;
        }
        if command.opcode == Opcode::Branch {
            extents.branches = true;
        } else if command.opcode.is_op() {
            registers.operation(generation, command, &mut extents);
        } else {
            registers.set(generation, command);
        }
    }
    Ok(extents)
}

impl Registers {
    /// Takes over a SET command.
    fn set(&mut self, generation: Generation, command: Command) {
        use Opcode::*;
        let param = command.param;
        let plus_one = u32::from(param).wrapping_add(1);
        // U55 has 32-bit addresses: what the parameter says beyond is not looked at.
        let (address, stride) = if generation == Generation::U55 {
            (u64::from(command.payload), i64::from(command.payload as i32))
        } else {
            (command.address(), command.stride())
        };
        let region = (param & 7) as u8;
        match command.opcode {
            IfmRegion => self.ifm.region = region,
            IfmPrecision => self.ifm.precision = param,
            IfmBroadcast => self.ifm.broadcast = param,
            IfmWidth0M1 => self.ifm.width0 = plus_one,
            IfmHeight0M1 => self.ifm.height0 = plus_one,
            IfmHeight1M1 => self.ifm.height1 = plus_one,
            IfmDepthM1 => self.ifm_depth = plus_one,
            IfmUpscale => self.upscale = u32::from(param & 3),
            IfmPadTop => self.pad_top = u32::from(param & 0x7f),
            IfmPadLeft => self.pad_left = u32::from(param & 0x7f),
            IfmPadRight => self.pad_right = u32::from(param & 0xff),
            IfmPadBottom => self.pad_bottom = u32::from(param & 0xff),
            IfmStrideX => self.ifm.stride_x = stride,
            IfmStrideY => self.ifm.stride_y = stride,
            IfmStrideC => self.ifm.stride_c = stride,
            Ifm2Region => self.ifm2.region = region,
            Ifm2Precision => self.ifm2.precision = param,
            Ifm2Broadcast => self.ifm2.broadcast = param,
            Ifm2Width0M1 => self.ifm2.width0 = plus_one,
            Ifm2Height0M1 => self.ifm2.height0 = plus_one,
            Ifm2Height1M1 => self.ifm2.height1 = plus_one,
            Ifm2StrideX => self.ifm2.stride_x = stride,
            Ifm2StrideY => self.ifm2.stride_y = stride,
            Ifm2StrideC => self.ifm2.stride_c = stride,
            OfmRegion => self.ofm.region = region,
            OfmPrecision => self.ofm.precision = param,
            OfmWidth0M1 => self.ofm.width0 = plus_one,
            OfmHeight0M1 => self.ofm.height0 = plus_one,
            OfmHeight1M1 => self.ofm.height1 = plus_one,
            OfmWidthM1 => self.ofm_width = plus_one,
            OfmHeightM1 => self.ofm_height = plus_one,
            OfmDepthM1 => self.ofm_depth = plus_one,
            OfmStrideX => self.ofm.stride_x = stride,
            OfmStrideY => self.ofm.stride_y = stride,
            OfmStrideC => self.ofm.stride_c = stride,
            KernelWidthM1 => self.kernel_width = plus_one,
            KernelHeightM1 => self.kernel_height = plus_one,
            KernelStride => self.kernel_stride = param,
            AccFormat => self.acc_format = param,
            WeightRegion => self.weight_region = region,
            ScaleRegion => self.scale_region = region,
            WeightLength => self.weights[0].length = command.payload,
            Weight1Length => self.weights[1].length = command.payload,
            Weight2Length => self.weights[2].length = command.payload,
            Weight3Length => self.weights[3].length = command.payload,
            ScaleLength => self.scales[0].length = command.payload & 0xf_ffff,
            Scale1Length => self.scales[1].length = command.payload & 0xf_ffff,
            Weight1Base => self.weights[1].base = address,
            Weight2Base => self.weights[2].base = address,
            Weight3Base => self.weights[3].base = address,
            Scale1Base => self.scales[1].base = address,
            Dma0SrcRegion => self.dma_source = param,
            Dma0DstRegion => self.dma_destination = param,
            Dma0IdxRegion => self.dma_index_region = region,
            Dma0Len => self.dma_length = address,
            Dma0Size0 => self.dma_size0 = u32::from(param),
            Dma0Size1 => self.dma_size1 = u32::from(param),
            // U65: gaps behind a row or plane of the written side.
            Dma0Skip0 => self.dma_to_stride[0] = stride,
            Dma0Skip1 => self.dma_to_stride[1] = stride,
            Dma0SrcStride0 => self.dma_from_stride[0] = stride,
            Dma0SrcStride1 => self.dma_from_stride[1] = stride,
            Dma0DstStride0 => self.dma_to_stride[0] = stride,
            Dma0DstStride1 => self.dma_to_stride[1] = stride,
            Dma0IdxMax => self.dma_index_max = command.payload & 0x7fff_ffff,
            Dma0IdxSkip1 => self.dma_index_skip = stride,
            opcode => {
                let tile = usize::from(opcode.code() & 3);
                if let Operand::Address(space) = opcode.operand() {
                    let slot = match space {
                        Space::Ifm => self.ifm.bases.get_mut(tile),
                        Space::Ifm2 => self.ifm2.bases.get_mut(tile),
                        Space::Ofm => self.ofm.bases.get_mut(tile),
                        Space::Weight => Some(&mut self.weights[0].base),
                        Space::Scale => Some(&mut self.scales[0].base),
                        Space::DmaSource => Some(&mut self.dma_from),
                        Space::DmaDestination => Some(&mut self.dma_to),
                        Space::DmaIndex => Some(&mut self.dma_index),
                    };
                    if let Some(slot) = slot {
                        *slot = address;
                    }
                }
            }
        }
    }

    /// Adds what an operation touches.
    fn operation(&self, generation: Generation, command: Command, extents: &mut Extents) {
        match command.opcode {
            Opcode::DmaStart => self.copy(generation, extents),
            Opcode::Elementwise => {
                let mode = fields::elementwise::ELEMENTWISE_MODE.get(command);
                self.elementwise(generation, mode, extents);
            }
            Opcode::Conv => {
                let matrix_product =
                    generation == Generation::U85 && fields::conv::WEIGHTS_IFM2.get(command) != 0;
                self.window(generation, extents);
                if matrix_product {
                    // The rows of the second input are the output channels.
                    self.read(generation, &self.ifm2, 1, self.ofm_depth, self.ifm_depth, extents);
                } else {
                    self.weights(generation, extents);
                }
                self.scales(generation, extents);
                self.write(generation, extents);
            }
            Opcode::Depthwise => {
                self.window(generation, extents);
                self.weights(generation, extents);
                self.scales(generation, extents);
                self.write(generation, extents);
            }
            Opcode::Pool => {
                let mode = fields::pool::POOLING_MODE.get(command);
                if generation == Generation::U85 && mode == enums::pooling_mode::NONE {
                    // Input is the second one, or what an earlier operation left accumulated.
                    let input = self.acc_input();
                    if input == enums::acc_input::IFM2 {
                        let (h, w, d) = self.ofm_size();
                        self.read(generation, &self.ifm2, h, w, d, extents);
                    }
                } else {
                    self.window(generation, extents);
                }
                if generation == Generation::U85 {
                    self.scales(generation, extents);
                }
                self.write(generation, extents);
            }
            Opcode::Resize => {
                // The kernel registers hold the size of the source.
                let (h, w) = (self.kernel_height, self.kernel_width);
                self.read(generation, &self.ifm, h, w, self.ifm_depth, extents);
                self.write(generation, extents);
            }
            _ => {}
        }
        if generation == Generation::U85
            && matches!(command.opcode, Opcode::Conv | Opcode::Depthwise | Opcode::Pool)
            && self.acc_input() == enums::acc_input::IFM2
            && command.opcode != Opcode::Pool
        {
            // Accumulation starts from the second input, which has the shape of the output.
            let (h, w, d) = self.ofm_size();
            self.read(generation, &self.ifm2, h, w, d, extents);
        }
    }

    fn acc_input(&self) -> u32 {
        u32::from((self.acc_format >> 4) & 3)
    }

    fn ofm_size(&self) -> (u32, u32, u32) {
        (self.ofm_height, self.ofm_width, self.ofm_depth)
    }

    /// How the map is stored: only U85 has a choice.
    fn storage(generation: Generation, map: &Map) -> u32 {
        if generation == Generation::U85 {
            u32::from(map.precision >> 14)
        } else {
            activation_storage::TILE2X2
        }
    }

    fn layout(generation: Generation, map: &Map, precision_bit: u32) -> Layout {
        Layout {
            format: if (map.precision >> 6) & 3 == 0 { Format::Nhwc } else { Format::Nhcwb16 },
            tiling: if Self::storage(generation, map) == activation_storage::TILE3X1 {
                Tiling::Stack
            } else {
                Tiling::Grid
            },
            element_bytes: 1 << ((map.precision >> precision_bit) & 3),
            bases: map.bases,
            width0: map.width0,
            height0: map.height0,
            height1: map.height1,
            stride_x: map.stride_x,
            stride_y: map.stride_y,
            stride_c: map.stride_c,
        }
    }

    /// Whether the map lies in memory, and not in the chain buffer or in a scalar register.
    fn in_memory(generation: Generation, map: &Map) -> bool {
        matches!(Self::storage(generation, map), activation_storage::TILE2X2 | activation_storage::TILE3X1)
    }

    fn read(&self, generation: Generation, map: &Map, h: u32, w: u32, d: u32, extents: &mut Extents) {
        if !Self::in_memory(generation, map) {
            return;
        }
        if let Some(span) = Self::layout(generation, map, 2).span(h, w, d) {
            extents.touch(map.region, span, false);
        }
    }

    /// The input of an operation with a kernel: the output's size taken back through stride,
    /// kernel, padding and doubling.
    fn window(&self, generation: Generation, extents: &mut Extents) {
        let bit = |n: u32| u32::from((self.kernel_stride >> n) & 1);
        let stride_x = 1 + bit(0) + 2 * bit(6);
        let stride_y = 1 + bit(1) + 2 * bit(9);
        let size = |out: u32, stride: u32, kernel: u32, before: u32, after: u32| {
            let size = out
                .saturating_sub(1)
                .saturating_mul(stride)
                .saturating_add(kernel)
                .saturating_sub(before)
                .saturating_sub(after);
            if self.upscale == enums::ifm_upscale_mode::NONE { size } else { size.div_ceil(2) }
        };
        let h = size(self.ofm_height, stride_y, self.kernel_height, self.pad_top, self.pad_bottom);
        let w = size(self.ofm_width, stride_x, self.kernel_width, self.pad_left, self.pad_right);
        self.read(generation, &self.ifm, h, w, self.ifm_depth, extents);
    }

    fn elementwise(&self, generation: Generation, mode: u32, extents: &mut Extents) {
        use enums::elementwise_mode::{ABS, CLZ, LRELU, NOT};
        let (h, w, d) = self.ofm_size();
        let shrink = |broadcast: u16, bit: u32, size: u32| {
            if (broadcast >> bit) & 1 != 0 { 1 } else { size }
        };
        let broadcast = if generation == Generation::U85 { self.ifm.broadcast } else { 0 };
        let (bh, bw, bd) = (shrink(broadcast, 0, h), shrink(broadcast, 1, w), shrink(broadcast, 2, d));
        self.read(generation, &self.ifm, bh, bw, bd, extents);
        if !matches!(mode, ABS | CLZ | LRELU | NOT) {
            let broadcast = self.ifm2.broadcast;
            let constant = generation != Generation::U85 && broadcast & 0x80 != 0;
            if !constant {
                let (bh, bw, bd) =
                    (shrink(broadcast, 0, h), shrink(broadcast, 1, w), shrink(broadcast, 2, d));
                self.read(generation, &self.ifm2, bh, bw, bd, extents);
            }
        }
        self.write(generation, extents);
    }

    fn weights(&self, generation: Generation, extents: &mut Extents) {
        let streams = match generation {
            Generation::U55 => 1,
            Generation::U65 => 2,
            Generation::U85 => 4,
        };
        for blob in self.weights.iter().take(streams) {
            extents.touch_bytes(self.weight_region, blob.base, u64::from(blob.length), false);
        }
    }

    fn scales(&self, generation: Generation, extents: &mut Extents) {
        if (self.ofm.precision >> 8) & 1 != 0 {
            return; // one scale for all channels, in a register
        }
        let streams = if generation == Generation::U65 { 2 } else { 1 };
        for blob in self.scales.iter().take(streams) {
            extents.touch_bytes(self.scale_region, blob.base, u64::from(blob.length), false);
        }
    }

    fn write(&self, generation: Generation, extents: &mut Extents) {
        if !Self::in_memory(generation, &self.ofm) {
            return;
        }
        let (h, w, d) = self.ofm_size();
        let (h, w, d) = if generation == Generation::U85 {
            if (self.acc_format >> 6) & 1 != 0 {
                return; // kept in the accumulators
            }
            use enums::activation_transpose::{CHW, CWH, HCW, WCH, WHC};
            match u32::from((self.ofm.precision >> 11) & 7) {
                WHC => (w, h, d),
                HCW => (h, d, w),
                WCH => (w, d, h),
                CHW => (d, h, w),
                CWH => (d, w, h),
                _ => (h, w, d),
            }
        } else {
            (h, w, d)
        };
        if let Some(span) = Self::layout(generation, &self.ofm, 1).span(h, w, d) {
            extents.touch(self.ofm.region, span, true);
        }
    }

    fn copy(&self, generation: Generation, extents: &mut Extents) {
        let gather =
            generation == Generation::U85 && u32::from((self.dma_source >> 11) & 1) == dma_idx_mode::ENABLED;
        let scatter = generation == Generation::U85
            && u32::from((self.dma_destination >> 11) & 1) == dma_idx_mode::ENABLED;
        let mode_of = |region: u16| u32::from((region >> 9) & 3);
        let (from_mode, to_mode) = match generation {
            Generation::U55 => (0, 0),
            Generation::U65 => (mode_of(self.dma_source), mode_of(self.dma_destination)),
            Generation::U85 => (mode_of(self.dma_source), mode_of(self.dma_source)),
        };
        let mode = from_mode.max(to_mode);
        let rows = if mode >= 1 || gather || scatter { self.dma_size0 } else { 1 };
        let planes = if mode >= 2 { self.dma_size1 } else { 1 };
        let length = self.dma_length as i64;
        if length == 0 || rows == 0 || planes == 0 {
            return;
        }
        // Distances of rows and planes. U65 says gaps instead, and only where the side is strided.
        let dense_plane = length.saturating_mul(i64::from(rows));
        let (from, to) = if generation == Generation::U85 {
            (self.dma_from_stride, self.dma_to_stride)
        } else {
            let strides = |mode: u32| {
                let skip = |on: bool, skip: i64| if on { skip } else { 0 };
                [
                    length.saturating_add(skip(mode >= 1, self.dma_to_stride[0])),
                    dense_plane.saturating_add(skip(mode >= 2, self.dma_to_stride[1])),
                ]
            };
            (strides(from_mode), strides(to_mode))
        };
        let last_row = |indexed: bool| {
            if indexed { i64::from(self.dma_index_max) } else { i64::from(rows).saturating_sub(1) }
        };
        let last_plane = i64::from(planes).saturating_sub(1);
        let mut side = |region: u16, base: u64, strides: [i64; 2], indexed: bool, write: bool| {
            if u32::from((region >> 8) & 1) != dma_region_mode::EXTERNAL {
                return; // memory inside the NPU
            }
            let row = last_row(indexed).saturating_mul(strides[0]);
            let plane = last_plane.saturating_mul(strides[1]);
            let base = base as i64;
            let span = Span {
                first: base.saturating_add(row.min(0)).saturating_add(plane.min(0)),
                end: base.saturating_add(row.max(0)).saturating_add(plane.max(0)).saturating_add(length),
            };
            extents.touch((region & 7) as u8, span, write);
        };
        side(self.dma_source, self.dma_from, from, gather, false);
        side(self.dma_destination, self.dma_to, to, scatter, true);
        if gather || scatter {
            let skip = last_plane.saturating_mul(self.dma_index_skip);
            let base = self.dma_index as i64;
            let span = Span {
                first: base.saturating_add(skip.min(0)),
                end: base.saturating_add(skip.max(0)).saturating_add(i64::from(rows).saturating_mul(4)),
            };
            extents.touch(self.dma_index_region, span, false);
        }
    }
}
