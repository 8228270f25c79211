//! Sets of bytes by address.

use std::collections::BTreeMap;

/// Pieces that a set may have: a stream can touch single bytes far from each other.
const MAX_PIECES: usize = 1 << 20;

/// A set of addresses, as pieces that neither touch nor overlap.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranges {
    /// First address and the one behind the last.
    pieces: BTreeMap<u64, u64>,
    /// Pieces were left out because there were too many.
    pub(crate) incomplete: bool,
}

impl Ranges {
    /// Adds `length` bytes from `start` on.
    pub(crate) fn add(&mut self, start: u64, length: u64) {
        let mut start = start;
        let mut end = start.saturating_add(length);
        if length == 0 {
            return;
        }
        if let Some((&s, &e)) = self.pieces.range(..=start).next_back()
            && e >= start
        {
            if e >= end {
                return;
            }
            start = s;
        }
        while let Some((&s, &e)) = self.pieces.range(start..=end).next() {
            end = end.max(e);
            self.pieces.remove(&s);
        }
        if self.pieces.len() >= MAX_PIECES {
            self.incomplete = true;
            return;
        }
        self.pieces.insert(start, end);
    }

    /// Takes `length` bytes from `start` on out.
    pub(crate) fn remove(&mut self, start: u64, length: u64) {
        let end = start.saturating_add(length);
        if let Some((&s, &e)) = self.pieces.range(..start).next_back()
            && e > start
        {
            self.pieces.insert(s, start);
            if e > end {
                self.pieces.insert(end, e);
            }
        }
        while let Some((&s, &e)) = self.pieces.range(start..end).next() {
            self.pieces.remove(&s);
            if e > end {
                self.pieces.insert(end, e);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Ranges) {
        for (&start, &end) in &other.pieces {
            self.add(start, end - start);
        }
        self.incomplete |= other.incomplete;
    }

    /// The first piece that both have.
    pub(crate) fn common(&self, other: &Ranges) -> Option<(u64, u64)> {
        // Most sets lie apart as a whole.
        let ((s0, e0), (s1, e1)) = (self.extent()?, other.extent()?);
        if e0 <= s1 || e1 <= s0 {
            return None;
        }
        let (few, many) = if self.pieces.len() <= other.pieces.len() { (self, other) } else { (other, self) };
        few.pieces.iter().find_map(|(&start, &end)| many.within(start, end))
    }

    fn extent(&self) -> Option<(u64, u64)> {
        Some((*self.pieces.first_key_value()?.0, *self.pieces.last_key_value()?.1))
    }

    /// The first piece of the set inside of `start..end`.
    fn within(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        if let Some((_, &e)) = self.pieces.range(..=start).next_back()
            && e > start
        {
            return Some((start, e.min(end)));
        }
        self.pieces.range(start..end).next().map(|(&s, &e)| (s, e.min(end)))
    }

    /// The first piece of `start..start + length` that the set does not have.
    pub(crate) fn gap(&self, start: u64, length: u64) -> Option<(u64, u64)> {
        let end = start.saturating_add(length);
        let mut at = start;
        if let Some((_, &e)) = self.pieces.range(..=start).next_back() {
            at = at.max(e);
        }
        if at >= end {
            return None;
        }
        // Pieces do not touch: behind one there is a gap.
        let next = self.pieces.range(at..).next().map_or(end, |(&s, _)| s.min(end));
        Some((at, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pieces: &[(u64, u64)]) -> Ranges {
        let mut ranges = Ranges::default();
        pieces.iter().for_each(|&(start, length)| ranges.add(start, length));
        ranges
    }

    /// Every operation against a bitmap, on all small sets of three pieces.
    #[test]
    fn agrees_with_a_bitmap() {
        let pieces: Vec<(u64, u64)> = (0..8).flat_map(|s| (0..5).map(move |n| (s, n))).collect();
        for a in &pieces {
            for b in &pieces {
                for c in pieces.iter().step_by(3) {
                    let ranges = set(&[*a, *b, *c]);
                    let has = |at: u64| [a, b, c].iter().any(|(s, n)| (*s..s + n).contains(&at));
                    let mut rest = ranges.clone();
                    rest.remove(3, 4);
                    assert!(
                        (0..12).all(|at| rest.gap(at, 1).is_none() == (has(at) && !(3..7).contains(&at)))
                    );
                    for start in 0..12 {
                        let gap = (start..start + 4).find(|&at| !has(at));
                        assert_eq!(ranges.gap(start, 4).map(|g| g.0), gap);
                        let common = (start..start + 4).find(|&at| has(at));
                        assert_eq!(ranges.common(&set(&[(start, 4)])).map(|g| g.0), common);
                    }
                }
            }
        }
    }
}
