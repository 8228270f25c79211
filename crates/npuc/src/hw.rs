//! Operations as the hardware takes them: every register that an operation needs, by meaning.
//!
//! The last layers speak in these: one picks the block configuration of a [`KernelOp`], one writes the words. Which of the values a generation accepts stands there; here
//! stands only what they mean. Sources: `facts/ethosu.md` sections 1.2 to 1.4 and 3.

use crate::ir::Factor;

/// A step of a command stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// The MAC engine, the output unit and what is between them.
    Kernel(Box<KernelOp>),
    /// A copy that runs beside them.
    Dma(Dma),
}

/// How elements lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Rows, columns, channels; channels are neighbours.
    Nhwc,
    /// Rows, bricks of 16 channels, columns, channels.
    Nhcwb16,
}

/// A box of elements in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureMap {
    /// Index of the base pointer.
    pub region: u8,
    /// Bytes from the base pointer, of the four tiles. Tile 0 is at the top left, 1 to its right, 2 below it, 3
    /// below 1.
    pub base: [u64; 4],
    /// Rows of tile 0, rows of tile 1, columns of tile 0: where the other tiles begin. As large as the map if
    /// there is only one.
    pub tile: [usize; 3],
    /// Height, width, depth.
    pub shape: [usize; 3],
    /// Bytes between rows, columns, and channels (`Nhwc`: the size of an element; `Nhcwb16`: between bricks).
    pub strides: [i64; 3],
    /// Bits of an element: 8, 16 or 32 (64 in U85's records only).
    pub bits: u8,
    /// Whether they are a number with a sign.
    pub signed: bool,
    /// Taken off what is read, added to what is written.
    pub zero_point: i64,
    /// Order in memory.
    pub layout: Layout,
}

impl FeatureMap {
    /// Bytes of an element.
    pub fn bytes(&self) -> usize {
        usize::from(self.bits / 8)
    }

    /// The first byte and the byte behind the last, over all tiles; the strides must not be negative.
    pub fn span(&self) -> (u64, u64) {
        let [h, w, c] = self.shape;
        let step = |n: usize, stride: i64| n.saturating_sub(1) as u64 * stride.unsigned_abs();
        let inner = match self.layout {
            Layout::Nhwc => step(c, self.strides[2]) + self.bytes() as u64,
            Layout::Nhcwb16 => step(c.div_ceil(16), self.strides[2]) + (16 * self.bytes()) as u64,
        };
        let size = |rows: usize, columns: usize| {
            step(rows, self.strides[0]) + step(columns, self.strides[1]) + inner
        };
        let [h0, h1, w0] = self.tile.map(|n| n.max(1));
        let mut span = (self.base[0], self.base[0] + size(h.min(h0), w.min(w0)));
        let mut add = |base: u64, rows: usize, columns: usize| {
            span = (span.0.min(base), span.1.max(base + size(rows, columns)));
        };
        if w > w0 {
            add(self.base[1], h.min(h1), w - w0);
        }
        if h > h0 {
            add(self.base[2], h - h0, w.min(w0));
        }
        if w > w0 && h > h1 {
            add(self.base[3], h - h1, w - w0);
        }
        span
    }
}

/// What a pooling makes of its window. The last five are U85's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pool {
    /// The greatest.
    Max,
    /// The sum over the number of elements that are no padding; without padding, only the sum (U55, U65).
    Average,
    /// The sum over all channels, into one.
    ReduceSum,
    /// The sum.
    Sum,
    /// What the second operand or the accumulator holds.
    None,
    /// The least.
    Min,
    /// The place of the greatest in a row of the window.
    ArgMaxX,
    /// The place of the greatest in a column of the window.
    ArgMaxY,
}

/// What is made of two elements, or of one. From `Lsr` on they are U85's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Elementwise {
    Mul,
    Add,
    Sub,
    Min,
    Max,
    Lrelu,
    Abs,
    Clz,
    Shr,
    Shl,
    Lsr,
    Div,
    CmpEq,
    CmpNe,
    CmpGe,
    CmpGt,
    And,
    Or,
    Xor,
    Not,
    AndNot,
}

impl Elementwise {
    /// Whether it reads one operand only.
    pub fn unary(self) -> bool {
        matches!(self, Elementwise::Lrelu | Elementwise::Abs | Elementwise::Clz | Elementwise::Not)
    }
}

/// How U85's resize finds its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResizeMode {
    /// Four neighbours by their distance.
    Bilinear,
    /// The element above and to the left.
    Replicate,
    /// The next element.
    Nearest,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A convolution over all channels.
    Conv,
    /// A convolution of each channel.
    Depthwise,
    /// A convolution whose weights are the second operand, a map of 1 × output depth × input depth (U85).
    MatMul,
    /// A pooling.
    Pool(Pool),
    /// On each element.
    Elementwise(Elementwise),
    /// Resize (U85). For rows, then columns: numerator, denominator, offset of `position = (out * denominator +
    /// offset) / numerator`.
    Resize {
        /// Which elements.
        mode: ResizeMode,
        /// `[numerator, denominator, offset]` of rows and of columns.
        axes: [[i32; 3]; 2],
    },
}

/// The second operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// In memory. A dimension of one is repeated to the output's.
    Map(FeatureMap),
    /// A number in a register: `value` before the zero point is taken off.
    Scalar {
        /// 16 bits on U55 and U65.
        value: i32,
        /// Taken off.
        zero_point: i64,
        /// Bits of the operand's type.
        bits: u8,
        /// Whether it has a sign.
        signed: bool,
    },
}

/// How a shift rounds: `facts/ethosu.md` 3.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Round {
    /// To the nearest, ties up.
    Natural,
    /// Twice (TOSA's DOUBLE_ROUND).
    Double,
    /// Down.
    Truncate,
}

/// The window of a convolution or pooling; for others one tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Height and width in taps.
    pub size: [usize; 2],
    /// Steps down and to the right.
    pub stride: [usize; 2],
    /// Distance of taps.
    pub dilation: [usize; 2],
    /// Padding: top, left, bottom, right.
    pub pad: [usize; 4],
}

impl Window {
    /// One tap.
    pub const ONE: Window = Window { size: [1, 1], stride: [1, 1], dilation: [1, 1], pad: [0; 4] };

    /// Height and width with the gaps of the dilation.
    pub fn dilated(&self) -> [usize; 2] {
        [0, 1].map(|i| (self.size[i] - 1) * self.dilation[i] + 1)
    }
}

/// What U55 and U65 do to the input's rows and columns before the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Upscale {
    /// Nothing.
    None,
    /// Each element twice in both directions.
    Nearest,
    /// Zeros between elements.
    Zeros,
}

/// Bytes of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bytes {
    /// From the region's base pointer.
    pub address: u64,
    /// How many.
    pub length: u64,
}

/// The encoded weights and scales of a convolution, or scales only (U85's poolings with a scale per channel).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// Of weights.
    pub weight_region: u8,
    /// One for each core (U65-512) or decoder (U85); empty if there are none.
    pub weights: Vec<Bytes>,
    /// Of scales.
    pub scale_region: u8,
    /// One for each core (U65-512), else one.
    pub scales: Vec<Bytes>,
    /// U85's faster weight format.
    pub fast: bool,
    /// Two of four weights are zero and left out (U85).
    pub sparse: bool,
}

/// How accumulators become output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfmScale {
    /// With the records of [`Parameters`].
    PerChannel,
    /// The same for all.
    Global(Factor),
}

/// What is done to the operands of an addition or subtraction before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandScales {
    /// Nothing.
    None,
    /// Each multiplied, not shifted (U55 and U65).
    Multiply {
        /// Of the first.
        a: u16,
        /// Of the second.
        b: u16,
    },
    /// The first scaled, the second shifted left by 19 (8 bits) or 14 (16 bits) (U55 and U65).
    First(Factor, Round),
    /// The second scaled, the first shifted left (U55 and U65).
    Second(Factor, Round),
    /// Each scaled (U85).
    Each {
        /// Of the first.
        a: Factor,
        /// Of the second.
        b: Factor,
        /// Both.
        round: Round,
    },
}

/// A table that outputs are looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lut {
    /// Where it was put, in units of 256 bytes.
    pub slot: u8,
    /// What it maps.
    pub kind: LutKind,
}

/// What a table maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LutKind {
    /// 256 bytes.
    I8,
    /// 512 pairs of base and slope, to 16 bits.
    I16,
    /// 512 pairs of base and slope, to 32 bits (U85).
    I16ToI32,
}

/// Where accumulators start (U85; others know `Reset`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccInput {
    /// At zero.
    Reset,
    /// Where the operation before left them.
    Keep,
    /// At the second operand.
    Ifm2,
}

/// The bits of accumulators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Acc {
    /// 32.
    I32,
    /// 40 (U55 and U65).
    I40,
    /// 48 (U85).
    I48,
}

/// The order in which U85 stores an output: the axes of the stored box, as permutations of height, width, depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Transpose {
    Hwc,
    Whc,
    Hcw,
    Wch,
    Chw,
    Cwh,
}

/// How an operation is cut into blocks: the choice of the block search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Height, width, depth of a block of output.
    pub ofm: [usize; 3],
    /// Height, width, depth of the block of input that it needs.
    pub ifm: [usize; 3],
    /// Part of the kernel first, else depth first. Also the order of the weight stream.
    pub part_kernel: bool,
    /// Bits of accumulators.
    pub acc: Acc,
    /// Height, width, depth of the unit that the MACs fill at a time (U85 has a choice).
    pub ublock: [usize; 3],
    /// Register values of the shared RAM (U55 and U65): end of the input buffer, start of the accumulators, start
    /// of the second operand's buffer, in banks.
    pub shram: [u8; 3],
}

impl Config {
    /// Before the choice.
    pub const UNSET: Config = Config {
        ofm: [1, 1, 1],
        ifm: [1, 1, 1],
        part_kernel: false,
        acc: Acc::I32,
        ublock: [1, 1, 1],
        shram: [0; 3],
    };
}

/// An operation of the MAC engine or the output unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelOp {
    /// What is done.
    pub kind: Kind,
    /// What is read. Its shape is that of the map, before padding and upscaling. For elementwise operations a
    /// dimension of one is repeated (U85 only).
    pub ifm: FeatureMap,
    /// What else is read.
    pub ifm2: Option<Operand>,
    /// Whether the second operand is the left one (U55 and U65).
    pub swapped: bool,
    /// What is written.
    pub ofm: FeatureMap,
    /// The window.
    pub window: Window,
    /// Before the window.
    pub upscale: Upscale,
    /// Weights and scales.
    pub parameters: Option<Parameters>,
    /// Before an addition or subtraction.
    pub operand_scales: OperandScales,
    /// After the operation.
    pub ofm_scale: OfmScale,
    /// Of `ofm_scale`.
    pub round: Round,
    /// Least and greatest output, zero point included. `None`: what the type holds (U55, U65), no clamp (U85).
    pub clamp: Option<(i64, i64)>,
    /// After the clamp.
    pub lut: Option<Lut>,
    /// Where accumulators start.
    pub acc_input: AccInput,
    /// Whether they stay for the next operation, and nothing is written (U85).
    pub acc_keep: bool,
    /// The order of the output (U85).
    pub transpose: Transpose,
    /// The blocks.
    pub block: Config,
}

/// Where a copy goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DmaTarget {
    /// Memory.
    Memory {
        /// Index of the base pointer.
        region: u8,
        /// Bytes from it.
        address: u64,
    },
    /// A slot of 256 bytes of the table RAM.
    Lut {
        /// Which one.
        slot: u8,
    },
}

/// A copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dma {
    /// Index of the base pointer.
    pub region: u8,
    /// Bytes from it.
    pub address: u64,
    /// Where to.
    pub target: DmaTarget,
    /// Bytes of a row.
    pub length: u64,
    /// How many rows, and how many planes of rows: more than one on U65 and U85.
    pub count: [u64; 2],
    /// Bytes between rows and between planes of the source. U65 reads them dense.
    pub source_strides: [i64; 2],
    /// Bytes between rows and between planes of the target.
    pub target_strides: [i64; 2],
}
