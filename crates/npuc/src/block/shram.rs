//! The shared RAM of U55 and U65: input buffers, accumulators and tables in banks of 1 KiB.
//!
//! From the bottom: two banks for the output, the input buffer (twice the block), the accumulators (twice the
//! block) up to the tables at the top. Elementwise operations have no accumulators there, but a second input buffer
//! behind the first. Sources: `facts/ethosu.md` section 6, `TryBlockConfig` of `ethos_u55.cpp`.

use tombolo_ethosu::Accelerator;

use super::shape::Shape;
use super::task::{Class, Task};
use crate::hw::Acc;

const BANK: u64 = 1024;
/// Banks for the output, at the bottom.
const OUTPUT: u64 = 2;

/// Largest block of output.
pub(super) const MAX_BLOCK: Shape = Shape::new(32, 64, 128);

/// What buffers are rounded to, in banks.
struct Granules {
    /// Inputs of 8, 16 and 32 bits.
    ifm: [u64; 3],
    acc32: u64,
    acc40: u64,
}

fn granules(accelerator: Accelerator) -> Granules {
    match accelerator {
        Accelerator::U55_32 => Granules { ifm: [2, 2, 4], acc32: 4, acc40: 4 },
        Accelerator::U55_64 => Granules { ifm: [2, 2, 4], acc32: 4, acc40: 8 },
        Accelerator::U55_128 => Granules { ifm: [4, 4, 8], acc32: 8, acc40: 12 },
        _ => Granules { ifm: [8, 8, 16], acc32: 16, acc40: 20 },
    }
}

/// The shared RAM as one operation may divide it up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shram {
    /// Where tables begin: the end of what blocks may use.
    lut: u64,
    ifm_granule: u64,
    ifm_bytes: u64,
    /// Granule and bits of accumulators; `None` for elementwise operations.
    acc: Option<(u64, u64)>,
    /// Whether a second operand comes from memory. One operand alone gets room for two as well: Vela's rule.
    second: bool,
    /// One row is computed with accumulators for one row, though micro-blocks have two.
    row: bool,
}

impl Shram {
    pub(super) fn new(task: &Task) -> Shram {
        let granules = granules(task.accelerator);
        let banks = u64::from(task.accelerator.spec().shram_kib_per_core);
        // Two banks are always kept for tables, except where there are so few that they are only kept if used.
        let kept = if task.accelerator.lut_is_volatile() && !task.lut { 0 } else { 2 };
        let bits = match task.ifm2 {
            Some(map) => task.ifm.bits.max(map.bits),
            None => task.ifm.bits,
        };
        let elementwise = matches!(task.class, Class::Elementwise(_));
        let wide = task.acc != Acc::I32;
        Shram {
            lut: banks.saturating_sub(kept),
            ifm_granule: granules.ifm[match bits {
                8 => 0,
                16 => 1,
                _ => 2,
            }],
            ifm_bytes: bits / 8,
            acc: (!elementwise).then_some(if wide { (granules.acc40, 40) } else { (granules.acc32, 32) }),
            second: !(task.scalar && bits <= 16),
            row: task.ofm.h == 1
                && task.taps[0] == 1
                && task.accelerator.ublocks().first().is_some_and(|ublock| ublock.height == 2),
        }
    }

    /// End of the input buffer, start of the accumulators, start of the second operand's buffer, if the blocks fit.
    pub(super) fn layout(&self, ofm: Shape, ifm: Shape) -> Option<[u8; 3]> {
        let banks = |bytes: u64, granule: u64| (bytes.div_ceil(BANK) * 2).next_multiple_of(granule.max(1));
        let ifm_banks = banks(ifm.h * ifm.w * (ifm.c * self.ifm_bytes).next_multiple_of(8), self.ifm_granule);
        let second = OUTPUT + ifm_banks;
        let (end, acc, fits) = match self.acc {
            Some((granule, bits)) => {
                let rows = if self.row { ofm.h.min(1) } else { ofm.h };
                let acc = banks(rows * ofm.w * ofm.c.next_multiple_of(8) * bits / 8, granule);
                let start = self.lut.checked_sub(acc)?;
                (second, start, second <= start)
            }
            None => {
                let end = if self.second { second + ifm_banks } else { second };
                (self.lut, self.lut, end <= self.lut)
            }
        };
        let byte = |bank: u64| u8::try_from(bank).ok();
        fits.then_some([byte(end)?, byte(acc)?, byte(second)?])
    }
}
