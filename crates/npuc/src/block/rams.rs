//! U85: its memories for inputs, accumulators, chained and finished blocks, and its choice of micro-blocks.
//!
//! Source: `ethos_u85.cpp` (`SetupOfmUBlockToOpTable`, `SetupOfmUBlockToIfmAuTable`, `FindDepthwiseConfig`,
//! `FindElementwiseConfig`, `CalcResizeMaxOfmBlockWidth`, `TryBlockConfig`). Nothing else is public.

use tombolo_ethosu::{Accelerator, Rams};

use super::shape::Shape;
use super::task::{Class, Task};
use crate::hw::{Acc, Pool, Upscale};

/// Channels that accumulators come in.
pub(super) const ACC_DEPTH: u64 = 16;

/// Largest block of output in memory.
const MAX_BLOCK: Shape = Shape::new(128, 128, 1024);

/// Operations whose inputs are in the chain buffer at once: its parts.
const CHAIN_SLOTS: u64 = 6;

/// Whether the operation can be done with the micro-block.
pub(super) fn allowed(task: &Task, ublock: Shape, part_kernel: bool) -> bool {
    let macs = task.accelerator.macs();
    // An operation that carries its second operand through has bytes as its first.
    let bits = if task.carries { 8 } else { task.ifm.bits };
    let conv = matches!(task.class, Class::Conv { .. });
    let product = matches!(task.class, Class::Conv { product: true });
    match task.class {
        Class::Elementwise(_) => return bits <= 32,
        Class::Resize(_) if macs <= 512 => return bits <= 32,
        Class::Pool(Pool::None) => {}
        // Of 32 bits, sums over channels, the least and the greatest.
        Class::ReduceSum | Class::Pool(Pool::Max | Pool::Min) | Class::Resize(_) if bits <= 32 => {}
        _ if bits <= 16 => {}
        _ => return false,
    }
    match macs {
        // The deep micro-block is for what has as many channels out as in, of bytes; and for 1x1 convolutions
        // of 16 bits.
        128 | 256 => {
            let deep = ublock.c == 16;
            match task.class {
                Class::Conv { .. } => {
                    !deep || (bits == 16 && !product && !part_kernel && task.taps == [1, 1])
                }
                Class::ReduceSum => !deep,
                _ => deep == (bits == 8),
            }
        }
        512 => true,
        // The shallow one is for all but products, the others for convolutions.
        _ => !product && ublock.c == 16 || conv && ublock.c > 16,
    }
}

/// Rows, columns and channels in which inputs are kept, of which `depth` channels are in a block.
pub(super) fn ifm_granule(task: &Task, ublock: Shape, depth: u64) -> Shape {
    let bits = task.buffered_bits.max(8);
    let long = |table: [[u64; 3]; 3]| {
        let [h, w, c] = match depth * bits {
            0..=128 => table[0],
            129..=256 => table[1],
            _ => table[2],
        };
        Shape::new(h, w, c * 128 / bits)
    };
    let row = (ublock.h, ublock.w) == (1, 4);
    match (task.accelerator, row) {
        (Accelerator::U85_128, _) => long([[1, 2, 1], [1, 1, 2], [1, 1, 2]]),
        (Accelerator::U85_1024, false) => long([[2, 4, 1], [2, 2, 2], [1, 2, 4]]),
        (Accelerator::U85_1024, true) => long([[2, 4, 1], [1, 4, 2], [1, 2, 4]]),
        (Accelerator::U85_2048, false) => long([[4, 4, 1], [2, 4, 2], [2, 2, 4]]),
        (Accelerator::U85_2048, true) => long([[4, 4, 1], [2, 4, 2], [1, 4, 4]]),
        (_, false) => long([[2, 2, 1], [1, 2, 2], [1, 1, 4]]),
        (_, true) => long([[1, 4, 1], [1, 2, 2], [1, 1, 4]]),
    }
}

/// How an elementwise operation's operands are repeated.
#[derive(Debug, Clone, Copy)]
struct Repeats {
    rows: bool,
    channels: bool,
    /// Channels, and nothing else.
    only_channels: bool,
}

/// The memories, for one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    rams: Rams,
    /// Largest block as computed.
    pub(super) max: Shape,
    acc_bytes: u64,
    repeats: Repeats,
}

impl Limits {
    pub(super) fn new(task: &Task) -> Option<Limits> {
        let rams = task.accelerator.spec().rams?;
        let mut max = [0; 3];
        for (axis, size) in task.axes.into_iter().zip([MAX_BLOCK.h, MAX_BLOCK.w, MAX_BLOCK.c]) {
            max[axis] = size;
        }
        let mut repeats = Repeats { rows: false, channels: false, only_channels: false };
        if let (Class::Elementwise(_), Some(second)) = (task.class, task.ifm2)
            && second.shape.elements() > 1
            && task.ifm.shape.elements() > 1
        {
            let less =
                |of: fn(Shape) -> u64| of(task.ifm.shape) < of(task.ofm) || of(second.shape) < of(task.ofm);
            repeats.rows = less(|shape| shape.h);
            repeats.channels = less(|shape| shape.c);
            repeats.only_channels = repeats.channels && !repeats.rows && !less(|shape| shape.w);
        }
        let acc_bytes = if task.acc == Acc::I32 { 4 } else { 8 };
        Some(Limits { rams, max: Shape::new(max[0], max[1], max[2]), acc_bytes, repeats })
    }

    /// Steps of block sizes for a micro-block: where other axes than the depth become the bricks' channels, those
    /// come in sixteens.
    pub(super) fn granule(&self, task: &Task, ublock: Shape) -> Shape {
        let mut granule = Shape::new(ublock.h, ublock.w, ACC_DEPTH);
        if task.stored.brick {
            match task.axes[2] {
                0 => granule.h = 16,
                1 => granule.w = 16,
                _ => {}
            }
        }
        if matches!(task.class, Class::Resize(_)) {
            granule.h = 1;
        }
        granule
    }

    /// Columns of a resize's block so that its input is in the chain buffer.
    pub(super) fn resize_columns(&self, task: &Task, numerator: u64, denominator: u64) -> u64 {
        let bricks = u64::from(self.rams.chain) / CHAIN_SLOTS / (16 * task.ifm.bits / 8);
        let most = (bricks.saturating_sub(2) * numerator + 1).div_ceil(denominator.max(1));
        most.clamp(1, MAX_BLOCK.w)
    }

    /// Whether the memories hold the blocks: for convolutions `twice`, so that the next can be filled; others ask for
    /// some rows of the next block only.
    pub(super) fn fits(&self, task: &Task, ublock: Shape, ofm: Shape, ifm: Shape, twice: bool) -> bool {
        let bytes = task.buffered_bits / 8;
        let ifm_ram = u64::from(self.rams.ifm);
        let accumulators =
            ofm.h * ofm.w * ofm.c.next_multiple_of(ACC_DEPTH) * self.acc_bytes * if twice { 2 } else { 1 };
        let acc_ram = u64::from(self.rams.accumulators);
        match task.class {
            Class::Elementwise(_) => {
                // One row of the block is in the output buffer, or the operand that is repeated in the chain buffer.
                // The smallest block always is.
                let bricks = (u64::from(self.rams.chain) / CHAIN_SLOTS) / (16 * bytes.max(1));
                let granule = self.granule(task, ublock);
                let columns = (bricks / ublock.h).max(granule.w);
                match self.repeats {
                    Repeats { only_channels: true, .. } => {
                        ofm.h * ofm.w <= (columns * ublock.h).max(granule.h * granule.w)
                    }
                    Repeats { channels: true, .. } => ofm.w <= columns,
                    Repeats { rows: true, .. } => ofm.w * (ofm.c / 16) <= columns,
                    _ => ofm.w * ofm.c * bytes <= u64::from(self.rams.ofm),
                }
            }
            // Only the width is bounded.
            Class::Resize(_) => true,
            Class::Conv { .. } => {
                let granule = ifm_granule(task, ublock, ifm.c);
                let depth = ifm.c.min(task.ifm.shape.c).next_multiple_of(granule.c.max(1));
                let input = ifm.h * ifm.w * depth * bytes * if twice { 2 } else { 1 };
                input <= ifm_ram && accumulators <= acc_ram
            }
            _ => {
                let granule = ifm_granule(task, ublock, ifm.c);
                let input = ifm.elements() * bytes;
                let whole = task.ifm.shape.round_up(granule).elements() * bytes;
                let one = ofm.h >= task.ofm.h && ofm.w >= task.ofm.w && ofm.c >= task.ofm.c;
                let more = if one {
                    0
                } else {
                    let row = Shape::new(self.granule(task, ublock).h, ofm.w, ofm.c);
                    let (h, w) = task.reach(row, granule, Upscale::None);
                    h * w * ifm.c * bytes
                };
                (input + more).min(whole) <= ifm_ram && accumulators <= acc_ram
            }
        }
    }
}
