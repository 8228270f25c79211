//! What is to be cut into blocks: of an operation, that which blocks and cycles depend on.

use tombolo_ethosu::system::{MemoryMode, Port};
use tombolo_ethosu::{Accelerator, Generation};

use super::shape::Shape;
use crate::hw::{
    Acc, AccInput, Bytes, Elementwise, FeatureMap, KernelOp, Kind, Layout, OfmScale, Operand, Pool,
    ResizeMode, Transpose, Upscale,
};
use crate::ir::Factor;

/// Operations that are cut into blocks, and take time, in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Convolution or, with the second operand in the place of weights, matrix product (U85).
    Conv {
        product: bool,
    },
    Depthwise,
    /// As many channels out as in.
    Pool(Pool),
    ReduceSum,
    Elementwise(Elementwise),
    Resize(ResizeMode),
}

/// A feature map, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Map {
    pub(super) shape: Shape,
    pub(super) bits: u64,
    pub(super) brick: bool,
    /// The port it goes through; `None` for what is in a register.
    pub(super) port: Option<Port>,
}

impl Map {
    fn new(map: &FeatureMap, shape: Shape, mode: Option<&MemoryMode<'_>>) -> Map {
        Map {
            shape,
            bits: map.bits.into(),
            brick: map.layout == Layout::Nhcwb16,
            port: mode.map(|mode| mode.port_of_region(map.region.into())),
        }
    }

    /// Elements in memory: bricks hold 16 channels.
    pub(super) fn stored(&self) -> u64 {
        self.shape.h * self.shape.w * self.stored_depth()
    }

    pub(super) fn stored_depth(&self) -> u64 {
        if self.brick { self.shape.c.next_multiple_of(16) } else { self.shape.c }
    }
}

/// Bytes read through a port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    pub(super) bytes: u64,
    pub(super) port: Port,
}

/// An operation without its block configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) accelerator: Accelerator,
    pub(super) u85: bool,
    pub(super) class: Class,
    pub(super) ifm: Map,
    pub(super) ifm2: Option<Map>,
    /// The second operand is in a register.
    pub(super) scalar: bool,
    /// The output as computed: what the block registers refer to.
    pub(super) ofm: Shape,
    /// The output in memory.
    pub(super) stored: Map,
    /// Which axis of the output as computed is the rows, columns, channels in memory.
    pub(super) axes: [usize; 3],
    /// Taps, without the gaps of a dilation: rows, columns.
    pub(super) taps: [u64; 2],
    pub(super) dilated: [u64; 2],
    pub(super) stride: [u64; 2],
    pub(super) upscale: Upscale,
    pub(super) acc: Acc,
    pub(super) lut: bool,
    pub(super) sparse: bool,
    pub(super) fast: bool,
    /// Of convolutions, weights that are not encoded yet counted as one byte each.
    pub(super) weights: Option<Stream>,
    pub(super) scales: Option<Stream>,
    /// What is in the buffers for the input and its bits: an operation that only carries its second operand
    /// through has that one there (U85).
    pub(super) buffered_bits: u64,
    /// The second operand takes the place of what is summed up (U85).
    pub(super) carries: bool,
}

/// Bits of the accumulators that `op` needs.
///
/// Source: `FindBlockConfig` of `ethos_u55.cpp` and `ethos_u85.cpp`; convolutions of 16 bits, though, have the
/// wide ones without scaling too, for 32 would not hold their sums.
pub fn accumulators(op: &KernelOp, accelerator: Accelerator) -> Acc {
    let u85 = accelerator.generation() == Generation::U85;
    let wide = if u85 { Acc::I48 } else { Acc::I40 };
    let scaled = match op.ofm_scale {
        OfmScale::PerChannel => true,
        OfmScale::Global(factor) => factor != Factor::ONE,
    };
    let long = |bits: u8| bits > 32;
    let operand = match &op.ifm2 {
        Some(Operand::Map(map)) => map.bits,
        _ => 0,
    };
    let needs = op.ifm.bits == 16
        && match op.kind {
            Kind::Conv | Kind::Depthwise => true,
            Kind::MatMul | Kind::Elementwise(_) | Kind::Resize { .. } => scaled,
            Kind::Pool(Pool::ReduceSum) => scaled && !u85,
            Kind::Pool(_) => false,
        };
    let needs = needs || u85 && (long(op.ifm.bits) || long(op.ofm.bits) || long(operand));
    if needs { wide } else { Acc::I32 }
}

/// Which axis of the output as computed becomes the rows, columns and channels in memory.
fn axes(transpose: Transpose) -> [usize; 3] {
    match transpose {
        Transpose::Hwc => [0, 1, 2],
        Transpose::Whc => [1, 0, 2],
        Transpose::Hcw => [0, 2, 1],
        Transpose::Wch => [1, 2, 0],
        Transpose::Chw => [2, 0, 1],
        Transpose::Cwh => [2, 1, 0],
    }
}

impl Task {
    /// Checks what blocks and cycles depend on. Without a memory mode, nothing goes through a port.
    pub(super) fn new(
        op: &KernelOp,
        accelerator: Accelerator,
        mode: Option<&MemoryMode<'_>>,
    ) -> Result<Task, String> {
        let u85 = accelerator.generation() == Generation::U85;
        let class = match op.kind {
            Kind::Conv => Class::Conv { product: false },
            Kind::MatMul => Class::Conv { product: true },
            Kind::Depthwise => Class::Depthwise,
            Kind::Pool(Pool::ReduceSum) => Class::ReduceSum,
            Kind::Pool(pool) => Class::Pool(pool),
            Kind::Elementwise(mode) => Class::Elementwise(mode),
            Kind::Resize { mode, .. } => Class::Resize(mode),
        };
        let only_u85 = match class {
            Class::Conv { product } => product,
            Class::Pool(pool) => !matches!(pool, Pool::Max | Pool::Average),
            Class::Elementwise(mode) => !mode.known_to_u55(),
            Class::Resize(_) => true,
            Class::Depthwise | Class::ReduceSum => false,
        };
        if !u85 && (only_u85 || op.transpose != Transpose::Hwc || op.acc_input != AccInput::Reset) {
            return Err(format!("{accelerator} has no {:?} of that kind", op.kind));
        }
        let bits = |bits: u8, of: &str| match bits {
            8 | 16 | 32 => Ok(()),
            64 if u85 => Ok(()),
            _ => Err(format!("{of} of {bits} bits")),
        };
        bits(op.ifm.bits, "an input")?;
        bits(op.ofm.bits, "an output")?;

        let in_memory = Shape::checked(op.ofm.shape, "an output")?;
        let axes = axes(op.transpose);
        let mut computed = [1; 3];
        for (axis, size) in axes.into_iter().zip([in_memory.h, in_memory.w, in_memory.c]) {
            computed[axis] = size;
        }
        let ofm = Shape::new(computed[0], computed[1], computed[2]);
        let elementwise = matches!(class, Class::Elementwise(_));
        let ifm_shape = match class {
            // Where something is repeated, U55 and U65 read it as often.
            Class::Elementwise(_) if !u85 => ofm,
            _ => Shape::checked(op.ifm.shape, "an input")?,
        };
        let mut carried = 0;
        let ifm2 = match &op.ifm2 {
            None => None,
            Some(Operand::Map(map)) => {
                bits(map.bits, "a second operand")?;
                carried = map.bits;
                let shape = Shape::checked(map.shape, "a second operand")?;
                let mut map = Map::new(map, shape, mode);
                // U85 has such a constant in a register.
                if elementwise && u85 && shape.elements() == 1 {
                    map.port = None;
                }
                Some(map)
            }
            Some(Operand::Scalar { bits: of, .. }) => {
                let of = *of;
                bits(of, "a second operand")?;
                Some(Map { shape: Shape::new(1, 1, 1), bits: of.into(), brick: false, port: None })
            }
        };
        if matches!(class, Class::Conv { product: true }) && ifm2.is_none() {
            return Err("a matrix product without second operand".into());
        }

        let window = &op.window;
        let sizes = [window.size, window.stride, window.dilation];
        if sizes.iter().flatten().any(|n| !(1..=1 << 16).contains(n)) {
            return Err(format!("a window of {sizes:?}: sizes, strides and dilations must be 1 to 65536"));
        }
        let taps = window.size.map(|n| n as u64);
        if taps[0] * taps[1] > 1 << 16 {
            return Err(format!("a window of {}x{} taps: 65536 at most", taps[0], taps[1]));
        }
        let window_counts = !matches!(class, Class::Elementwise(_) | Class::Resize(_));
        let (taps, dilated, stride, upscale) = if window_counts {
            (taps, window.dilated().map(|n| n as u64), window.stride.map(|n| n as u64), op.upscale)
        } else {
            ([1, 1], [1, 1], [1, 1], Upscale::None)
        };

        let carries = matches!(class, Class::Pool(Pool::None)) && op.acc_input == AccInput::Ifm2;
        let parameters = op.parameters.as_ref();
        let port = |region: Option<u8>| mode.map(|mode| mode.port_of_region(region.unwrap_or(0).into()));
        let count = |bytes: &[Bytes]| bytes.iter().fold(0u64, |sum, bytes| sum.saturating_add(bytes.length));
        let weighted = matches!(class, Class::Conv { product: false } | Class::Depthwise);
        let weights = port(parameters.map(|p| p.weight_region)).filter(|_| weighted).map(|port| {
            let known = parameters.map_or(0, |p| count(&p.weights));
            let inner = if class == Class::Depthwise { 1 } else { ifm_shape.c };
            let all = taps[0] * taps[1] * inner * ofm.c;
            Stream { bytes: if known == 0 { all } else { known }, port }
        });
        let scales = port(parameters.map(|p| p.scale_region)).filter(|_| weighted).map(|port| {
            let known = parameters.map_or(0, |p| count(&p.scales));
            Stream { bytes: if known == 0 { (10 * ofm.c).next_multiple_of(16) } else { known }, port }
        });
        Ok(Task {
            accelerator,
            u85,
            class,
            ifm: Map::new(&op.ifm, ifm_shape, mode),
            ifm2,
            scalar: matches!(op.ifm2, Some(Operand::Scalar { .. })),
            ofm,
            stored: Map::new(&op.ofm, in_memory, mode),
            axes,
            taps,
            dilated,
            stride,
            upscale,
            acc: accumulators(op, accelerator),
            lut: op.lut.is_some(),
            sparse: parameters.is_some_and(|p| p.sparse),
            fast: parameters.is_some_and(|p| p.fast),
            weights,
            scales,
            buffered_bits: (if carries { carried.max(8) } else { op.ifm.bits }).into(),
            carries,
        })
    }

    /// Columns come before rows in memory, which takes twice the time (U85).
    pub(super) fn turned(&self) -> bool {
        let place = |axis: usize| self.axes.iter().position(|&found| found == axis);
        place(1) < place(0)
    }

    /// A wide accumulator: the output stage takes another path.
    pub(super) fn wide(&self) -> bool {
        self.acc != Acc::I32
    }

    /// Whether a block of output needs the same depth of input.
    pub(super) fn equal_depth(&self) -> bool {
        !matches!(self.class, Class::Conv { .. } | Class::ReduceSum)
    }

    /// Channels of the input in one block; `None` where input and output have the same.
    ///
    /// Source: `FindBlockConfig` of `ethos_u55.cpp` and `ethos_u85.cpp`.
    pub(super) fn ifm_block_depth(&self, ublock: Shape, part_kernel: bool) -> Option<u64> {
        if self.equal_depth() {
            return None;
        }
        let bits = self.ifm.bits;
        if self.u85 {
            let small =
                matches!(self.accelerator, Accelerator::U85_128 | Accelerator::U85_256) && ublock.c == 16;
            return Some(match () {
                () if part_kernel => 16,
                () if bits == 32 || small && !self.sparse => 32,
                () if self.sparse && bits == 8 => 128,
                () => 64,
            });
        }
        let depth = self.ifm.shape.c;
        Some(match bits {
            16 => depth.min(16).next_multiple_of(4),
            _ => depth.min(if part_kernel { 16 } else { 32 }).next_multiple_of(8),
        })
    }

    /// Rows and columns of input that `block` of the output needs, up to multiples of `granule`. Of a window that
    /// is larger than eight by eight, that is one piece of it at a time.
    pub(super) fn reach(&self, block: Shape, granule: Shape, upscale: Upscale) -> (u64, u64) {
        let (scale, more) = match upscale {
            Upscale::None => (1, 0),
            Upscale::Nearest => (2, 1),
            Upscale::Zeros => (2, 0),
        };
        let reach = |size: u64, axis: usize, granule: u64| {
            let needed = (size.max(1) - 1) * self.stride[axis] + self.dilated[axis].min(8) + more;
            needed.div_ceil(scale).next_multiple_of(granule.max(1))
        };
        (reach(block.h, 0, granule.h), reach(block.w, 1, granule.w))
    }

    /// How many pieces of eight by eight the window has.
    pub(super) fn pieces(&self) -> u64 {
        self.taps[0].div_ceil(8) * self.taps[1].div_ceil(8)
    }

    /// The micro-block that the cycles of an operation go by: U55-256 and U65 work on one row four columns wide.
    pub(super) fn working_ublock(&self, ublock: Shape) -> Shape {
        let row = matches!(self.class, Class::Conv { .. }) && self.ofm.h == 1 && self.taps[0] == 1;
        match !self.u85 && ublock.h == 2 && row && self.ofm.w.is_multiple_of(2) {
            true => Shape::new(1, 4, ublock.c),
            false => ublock,
        }
    }
}

impl Elementwise {
    /// Whether U55 and U65 have it.
    fn known_to_u55(self) -> bool {
        use Elementwise as E;
        matches!(
            self,
            E::Mul | E::Add | E::Sub | E::Min | E::Max | E::Lrelu | E::Abs | E::Clz | E::Shr | E::Shl
        )
    }
}
