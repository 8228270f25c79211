//! Whether an allocation is one, found by another way than it was made.

use super::{Allocation, Buffer};
use std::fmt;

/// What is wrong with an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// A buffer, by its index.
    pub a: usize,
    /// Another that lives at the same time on some of its bytes; the same if it is misaligned or not where it
    /// had to be.
    pub b: usize,
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.a == self.b {
            write!(f, "buffer {} is not where it may be", self.a)
        } else {
            write!(f, "buffers {} and {} live at the same time on the same bytes", self.a, self.b)
        }
    }
}

impl std::error::Error for Overlap {}

/// Checks that every buffer is aligned and where it had to be, that no two that live in a common step overlap
/// (but for those that may share a start and do), and that the peak is right.
///
/// # Errors
/// The first offence.
pub fn check(buffers: &[Buffer], allocation: &Allocation) -> Result<(), Overlap> {
    let address = |i: usize| allocation.addresses.get(i).copied().unwrap_or(u64::MAX);
    let mut peak = 0;
    for (i, buffer) in buffers.iter().enumerate().filter(|(_, b)| b.bytes > 0) {
        let here = address(i);
        let right = here % buffer.align.max(1) == 0 && buffer.fixed.is_none_or(|fixed| fixed == here);
        let end = here.checked_add(buffer.bytes);
        match end {
            Some(end) if right => peak = peak.max(end),
            _ => return Err(Overlap { a: i, b: i }),
        }
    }
    if peak != allocation.peak {
        return Err(Overlap { a: 0, b: 0 });
    }
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&i| (address(i), i));
    first_overlap(buffers, &order, &address).map_or(Ok(()), Err)
}

/// The first two of the buffers `order`, which are sorted by their addresses, that get in each other's way.
pub(super) fn first_overlap(
    buffers: &[Buffer],
    order: &[usize],
    address: &dyn Fn(usize) -> u64,
) -> Option<Overlap> {
    for (n, &i) in order.iter().enumerate() {
        let end = address(i).saturating_add(buffers[i].bytes);
        for &j in order[n + 1..].iter().take_while(|&&j| address(j) < end) {
            let (a, b) = (&buffers[i], &buffers[j]);
            let shared = address(i) == address(j)
                && (b.in_place == Some(i) && b.may_replace(a) || a.in_place == Some(j) && a.may_replace(b));
            if a.bytes > 0 && b.bytes > 0 && a.meets(b) && !shared {
                return Some(Overlap { a: i.min(j), b: i.max(j) });
            }
        }
    }
    None
}
