//! Addresses for buffers that live for a while: live-range allocation of one region of memory.
//!
//! # The problem
//! A [`Buffer`] needs bytes from its first step to its last. Buffers that live in a common step must not overlap;
//! the [`Allocation`] gives each an address so that the highest byte in use, the peak, is low. Finding the least
//! peak is NP-hard (it is strip packing with one axis given), so the answer is good, not proven: unless the peak
//! equals [`Allocation::bound`], which no allocation can undercut.
//!
//! # The method
//! Buffers are taken in some order, and each is put at the lowest address that is free for all its life. Every
//! allocation in which nothing can sink is the result of such an order, a best one among them. Several orders that
//! are known to do well are tried first; they meet the bound on most networks. If none does, a search
//! takes buffers that stick out earlier, for as long as [`Effort`] says: work, never the clock, so that the same
//! buffers always get the same addresses.
//!
//! # In place
//! An operation may write its output over an input that dies in it. [`Buffer::in_place`] permits that: the two may
//! overlap in that one step if they start at the same address. It is a permission, taken where it lowers the
//! buffer that is put second.

mod bound;
mod check;
mod place;
mod search;

pub use check::{Overlap, check};

use place::{Placer, Problem};
use std::fmt;

/// Least alignment of a buffer: feature maps in bricks and DMA want it (`facts/ethosu.md` section 5).
pub const MIN_ALIGN: u64 = 16;

/// Most bytes that all buffers may need together, and highest end of one that has its place.
pub const MAX_BYTES: u64 = 1 << 48;

/// What needs bytes for a while.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Buffer {
    /// For reports.
    pub name: String,
    /// How many. A buffer of none lies nowhere, and gets the address 0.
    pub bytes: u64,
    /// The address is a multiple of it: a power of two, at least [`MIN_ALIGN`].
    pub align: u64,
    /// The first step in which it is used.
    pub first: usize,
    /// The last step in which it is used, not before `first`.
    pub last: usize,
    /// The address, if it has one already.
    pub fixed: Option<u64>,
    /// The index of a buffer whose start it may share, in the step in which that one ends and this one begins.
    /// Without effect if their lives have no such step.
    pub in_place: Option<usize>,
}

impl Buffer {
    /// Whether there is a step in which both live.
    pub fn meets(&self, other: &Buffer) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Whether it may begin where `other`, the buffer that it names in [`in_place`](Buffer::in_place), begins.
    fn may_replace(&self, other: &Buffer) -> bool {
        other.last == self.first && other.bytes > 0
    }
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Of each buffer.
    pub addresses: Vec<u64>,
    /// The highest end of a buffer.
    pub peak: u64,
    /// What no allocation undercuts: the most bytes alive in one step, with alignment and sharing counted, or
    /// the highest end of a buffer that had its place.
    pub bound: u64,
}

/// How long to search, in placements of all buffers.
///
/// The work is what counts, so that the effort is the same on every machine; with thousands of buffers that live
/// at the same time it stands for less than so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effort(pub u64);

impl Effort {
    /// The known orders only.
    pub const GREEDY: Effort = Effort(0);
    /// Two milliseconds at most for a network like MobileNetV2, if it needs a search at all.
    pub const DEFAULT: Effort = Effort(250);
    /// For the last word on a network: enough to do better than Vela's hill climb on what is hard for both.
    pub const THOROUGH: Effort = Effort(5000);
}

/// Why there is no allocation. Each names a buffer by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// It ends before it begins.
    Life(usize),
    /// The alignment is no power of two, or less than [`MIN_ALIGN`].
    Align(usize),
    /// It has an address that its alignment does not allow.
    Misaligned(usize),
    /// [`Buffer::in_place`] names no buffer, or the buffer itself.
    InPlace(usize),
    /// It has an address, as has another that lives at the same time there.
    Overlap(usize, usize),
    /// All buffers up to it need more than [`MAX_BYTES`], or it ends behind that.
    TooLarge(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Life(i) => write!(f, "buffer {i} ends before it begins"),
            Error::Align(i) => {
                write!(f, "buffer {i}: an alignment must be a power of two of at least {MIN_ALIGN}")
            }
            Error::Misaligned(i) => write!(f, "buffer {i} has an address that is not aligned"),
            Error::InPlace(i) => write!(f, "buffer {i} may share the start of a buffer that is none"),
            Error::Overlap(i, j) => write!(f, "buffers {i} and {j} have addresses that overlap"),
            Error::TooLarge(i) => write!(f, "buffer {i} brings the memory above {MAX_BYTES} bytes"),
        }
    }
}

impl std::error::Error for Error {}

/// Gives every buffer an address.
///
/// # Errors
/// Buffers that contradict themselves or each other; see [`Error`].
///
/// ```
/// use tombolo_npuc::alloc::{Buffer, Effort, allocate};
/// let buffer = |bytes, first, last| Buffer { bytes, align: 16, first, last, ..Buffer::default() };
/// let buffers = [buffer(100, 0, 1), buffer(300, 1, 2), buffer(200, 2, 3)];
/// let allocation = allocate(&buffers, Effort::DEFAULT).unwrap();
/// assert_eq!(allocation.peak, allocation.bound);
/// ```
pub fn allocate(buffers: &[Buffer], effort: Effort) -> Result<Allocation, Error> {
    verify(buffers)?;
    let problem = Problem::new(buffers);
    let bound = bound::bound(buffers);
    let mut placer = Placer::new(&problem);
    search::search(&mut placer, bound.target, effort);
    let mut addresses = vec![0; buffers.len()];
    for (item, address) in problem.items.iter().zip(placer.addresses()) {
        addresses[item.index] = *address;
    }
    let ends = buffers.iter().zip(&addresses).filter(|(b, _)| b.bytes > 0).map(|(b, a)| a + b.bytes);
    let peak = ends.max().unwrap_or(0);
    Ok(Allocation { addresses, peak, bound: bound.peak })
}

fn verify(buffers: &[Buffer]) -> Result<(), Error> {
    let mut total = 0u64;
    for (i, buffer) in buffers.iter().enumerate() {
        if buffer.first > buffer.last {
            return Err(Error::Life(i));
        }
        if !buffer.align.is_power_of_two() || buffer.align < MIN_ALIGN {
            return Err(Error::Align(i));
        }
        if buffer.in_place.is_some_and(|k| k == i || k >= buffers.len()) {
            return Err(Error::InPlace(i));
        }
        // Where it ends, if nothing shares: behind all others, or at its place.
        let needed = buffer.bytes.saturating_add(buffer.align);
        total = total.saturating_add(needed);
        let end = buffer.fixed.unwrap_or(0).saturating_add(needed);
        if total > MAX_BYTES || end > MAX_BYTES {
            return Err(Error::TooLarge(i));
        }
        if buffer.fixed.is_some_and(|address| address % buffer.align != 0) {
            return Err(Error::Misaligned(i));
        }
    }
    let mut fixed: Vec<usize> = (0..buffers.len()).filter(|&i| buffers[i].fixed.is_some()).collect();
    let address = |i: usize| buffers[i].fixed.unwrap_or(0);
    fixed.sort_by_key(|&i| (address(i), i));
    match check::first_overlap(buffers, &fixed, &address) {
        Some(overlap) => Err(Error::Overlap(overlap.a, overlap.b)),
        None => Ok(()),
    }
}
