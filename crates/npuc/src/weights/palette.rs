//! Which index stands for which weight, and what that costs: `facts/ethosu.md` section 4.2.
//!
//! Weights are *folded*: the magnitude above a sign bit. The first indices name the entries of the palette, the
//! indices behind it are folded weights less an offset.

use super::slice::Coding;

/// Folded weights, and indices, are below this.
pub(super) const FOLDED: usize = 512;
/// Entries of the largest palette.
const MAX_ENTRIES: usize = 32;
/// Bits of a slice's header without and with an empty palette.
pub(super) const HEADER_BITS: u64 = 23;
const PALETTE_BITS: u64 = 13;

/// Codings of weights: remainders of 0 to 5 bits, the same truncated, and a fixed number of bits.
pub(super) const CODINGS: usize = 13;
/// The last of them.
pub(super) const FIXED: usize = 12;
/// Codings of runs: remainders of 0 to 3 bits.
pub(super) const RUN_CODINGS: usize = 4;

/// The cost of an index that a coding cannot express: more than any that it can.
pub(super) const NEVER: u16 = 1 << 11;

/// Bits of an index in each coding but the last, which the palette decides.
pub(super) static COST: [[u16; 16]; FOLDED] = {
    let mut cost = [[NEVER; 16]; FOLDED];
    let mut index = 0;
    while index < FOLDED {
        let mut remainder = 0;
        while remainder < 6 {
            let quotient = index >> remainder;
            // No known encoder writes larger quotients.
            if quotient <= 31 {
                cost[index][remainder] = (quotient + 1 + remainder) as u16;
            }
            if quotient <= 2 {
                let code = if quotient == 0 { 1 } else { 2 };
                cost[index][6 + remainder] = (code + remainder) as u16;
            }
            remainder += 1;
        }
        index += 1;
    }
    cost
};

/// The coding that has the number `n` in [`COST`].
pub(super) fn coding(n: usize) -> Coding {
    match n {
        FIXED => Coding::Fixed,
        _ => Coding::Golomb { remainder: (n % 6) as u32, truncated: n >= 6 },
    }
}

/// Magnitude above a sign bit. The weight must be from -255 to 255.
#[inline]
pub(super) fn fold(weight: i16) -> u16 {
    weight.unsigned_abs() << 1 | u16::from(weight < 0)
}

/// Meaning of the indices of some slices.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    /// Folded weights: none, or 2 to 32.
    pub(super) entries: Vec<u16>,
    /// Bits of an entry, 2 to 9; without entries, of an index in [`Coding::Fixed`].
    pub(super) bits: u32,
    /// Added to what an index is behind the palette. Less than 32.
    pub(super) direct_offset: u16,
    /// Whether zeros are in runs, not among the indices.
    pub(super) zero_runs: bool,
    /// Whether [`Coding::Fixed`] reaches all weights.
    pub(super) fixed: bool,
    /// Index of each folded weight.
    pub(super) index: [u16; FOLDED],
}

impl Palette {
    /// Bits of an index in [`Coding::Fixed`].
    pub(super) fn fixed_bits(&self) -> u32 {
        match self.entries.len() {
            0 => self.bits,
            size => bits_of(size as u32 - 1),
        }
    }
}

/// Bits of a number.
fn bits_of(n: u32) -> u32 {
    u32::BITS - n.leading_zeros()
}

/// How often each folded weight occurs, and what the runs of zeros between the others cost.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    /// Of each folded weight.
    pub(super) count: [u32; FOLDED],
    /// Bits of all runs in each coding of runs.
    pub(super) runs: [u64; RUN_CODINGS],
}

impl Histogram {
    /// Of nothing.
    pub(super) const EMPTY: Histogram = Histogram { count: [0; FOLDED], runs: [0; RUN_CODINGS] };

    /// Of `weights`, which follow something else than a zero.
    pub(super) fn of(weights: &[i16]) -> Histogram {
        let mut histogram = Histogram::EMPTY;
        let mut run = 0u64;
        for &weight in weights {
            histogram.count[usize::from(fold(weight)) % FOLDED] += 1;
            if weight == 0 {
                run += 1;
            } else {
                histogram.add_run(run);
                run = 0;
            }
        }
        if run > 0 {
            histogram.add_run(run);
        }
        histogram
    }

    fn add_run(&mut self, run: u64) {
        for (remainder, cost) in self.runs.iter_mut().enumerate() {
            *cost += (run >> remainder) + 1 + remainder as u64;
        }
    }

    /// The cheapest choice of palette, and its bits, headers included.
    pub(super) fn best(&self) -> Choice {
        let direct = self.choose(false);
        // Runs pay only if zeros are common.
        let others: u64 = self.count.iter().skip(1).map(|&n| u64::from(n)).sum();
        if u64::from(self.count[0]) < others {
            return direct;
        }
        let runs = self.choose(true);
        if runs.bits < direct.bits { runs } else { direct }
    }

    fn choose(&self, zero_runs: bool) -> Choice {
        let run_bits = if zero_runs { self.runs.iter().copied().min().unwrap_or(0) } else { 0 };
        // All that occurs, with its number.
        let skip = usize::from(zero_runs);
        let mut used: Vec<(u32, u16)> = Vec::with_capacity(64);
        for (folded, &count) in self.count.iter().enumerate().skip(skip) {
            if count > 0 {
                used.push((count, folded as u16));
            }
        }
        let least = used.first().map_or(0, |u| u.1);
        let greatest = used.last().map_or(0, |u| u.1);
        let direct_offset = least.min(31);
        // Most frequent first; what is as frequent, by value.
        used.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        // Bits of the first weights in the palette, coding by coding; then, for each size that is tried, of the rest.
        let mut palette = [0u64; 16];
        let mut best = Choice { bits: u64::MAX, zero_runs, direct_offset, size: 0, entries: Vec::new() };
        let mut entry_bits = 2;
        for size in 0..=MAX_ENTRIES.min(used.len()) {
            if let Some(&(count, folded)) = size.checked_sub(1).and_then(|i| used.get(i)) {
                add(&mut palette, count, size - 1);
                entry_bits = entry_bits.max(bits_of(folded.into()));
            }
            let whole = size == used.len();
            let tried = matches!(size, 0 | 2 | 3 | 4 | 6 | 8 | 12 | 16 | 24 | 32) || whole;
            // An index behind the palette must not be too large.
            let reaches = whole || usize::from(greatest - direct_offset) + size < FOLDED;
            if !tried || !reaches || (size == 1 && !whole) {
                continue;
            }
            let mut bits = palette;
            for &(count, folded) in used.iter().skip(size) {
                add(&mut bits, count, usize::from(folded - direct_offset) + size);
            }
            // A palette of one is padded to two.
            let entries = if size == 1 { 2 } else { size };
            if whole || size == 0 {
                let width =
                    if size == 0 { bits_of(greatest.into()).max(2) } else { bits_of(entries as u32 - 1) };
                let all: u64 = used.iter().map(|&(count, _)| u64::from(count)).sum();
                bits[FIXED] = all * u64::from(width);
            } else {
                bits[FIXED] = u64::MAX;
            }
            let least = bits.iter().take(CODINGS).copied().min().unwrap_or(u64::MAX);
            let header = HEADER_BITS + PALETTE_BITS + entries as u64 * u64::from(entry_bits);
            let total = least.saturating_add(header + run_bits);
            if total < best.bits {
                best.bits = total;
                best.size = size;
            }
        }
        best.entries = used.iter().take(best.size).map(|u| u.1).collect();
        best
    }
}

#[inline]
fn add(bits: &mut [u64; 16], count: u32, index: usize) {
    if let Some(cost) = COST.get(index) {
        for (sum, &cost) in bits.iter_mut().zip(cost) {
            *sum += u64::from(count) * u64::from(cost);
        }
    }
}

/// A palette that was chosen for a histogram.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// Of headers, weights and runs, if all are one slice.
    pub(super) bits: u64,
    zero_runs: bool,
    direct_offset: u16,
    size: usize,
    entries: Vec<u16>,
}

impl Choice {
    /// The palette; `histogram` is that of the choice.
    pub(super) fn palette(self, histogram: &Histogram) -> Palette {
        let mut entries = self.entries;
        let greatest = histogram.count.iter().rposition(|&n| n > 0).unwrap_or(0);
        let others = histogram.count.iter().skip(usize::from(self.zero_runs)).filter(|&&n| n > 0).count();
        let whole = entries.len() == others;
        let widest = match entries.iter().max() {
            Some(&entry) => u32::from(entry),
            None => greatest as u32,
        };
        if entries.len() == 1 {
            entries.push(0);
        }
        let size = entries.len() as u16;
        let mut index = [0; FOLDED];
        for (folded, index) in (0u16..).zip(index.iter_mut()) {
            *index = folded.saturating_sub(self.direct_offset) + size;
        }
        for (i, &folded) in entries.iter().enumerate().rev() {
            if let Some(at) = index.get_mut(usize::from(folded)) {
                *at = i as u16;
            }
        }
        Palette {
            fixed: size == 0 || whole,
            entries,
            bits: bits_of(widest).max(2),
            direct_offset: self.direct_offset,
            zero_runs: self.zero_runs,
            index,
        }
    }
}
