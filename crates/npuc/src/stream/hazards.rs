//! Waits: copies and operations run beside each other, and only KERNEL_WAIT and DMA_WAIT keep what one of them
//! writes from the other (facts 1.2). Operations among themselves are [`super::blockdep`]'s.
//!
//! Regions are taken to be different memories.

use std::collections::VecDeque;

use super::bytes::Bytes;

/// The internal memory beside regions 0 to 7: tables, on U55 and U65 in the SHRAM.
pub(super) const INTERNAL: u8 = 8;

/// What an operation or copy touches: memories and their bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Touched {
    pub(super) reads: Vec<(u8, Bytes)>,
    pub(super) writes: Vec<(u8, Bytes)>,
}

impl Touched {
    /// Whether one writes what the other touches.
    fn conflicts(&self, other: &Touched) -> bool {
        meet(&self.writes, &other.writes)
            || meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
    }
}

/// Whether the two have a byte in common.
pub(super) fn meet(a: &[(u8, Bytes)], b: &[(u8, Bytes)]) -> bool {
    a.iter().any(|(memory, bytes)| b.iter().any(|(other, others)| memory == other && bytes.meets(others)))
}

/// What may not have finished, oldest first.
#[derive(Debug)]
pub(super) struct Outstanding {
    limit: usize,
    list: VecDeque<Touched>,
}

impl Outstanding {
    /// The hardware starts no more than `limit` at a time.
    pub(super) fn new(limit: u32) -> Outstanding {
        Outstanding { limit: limit as usize, list: VecDeque::new() }
    }

    /// How many may be outstanding when `touched` starts, if it has to wait; they are finished then.
    pub(super) fn wait(&mut self, touched: &Touched) -> Option<usize> {
        let last = self.list.iter().rposition(|other| other.conflicts(touched))?;
        self.list.drain(..=last);
        Some(self.list.len())
    }

    /// One more is started. The oldest has finished if there are too many.
    pub(super) fn start(&mut self, touched: Touched) {
        self.list.push_back(touched);
        while self.list.len() > self.limit {
            self.list.pop_front();
        }
    }
}
