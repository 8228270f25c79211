//! Which bytes a box of a feature map, a stream or a copy touches.

use super::map::BRICK;
use crate::hw::{FeatureMap, Layout};

/// Pieces that are told apart; of what has more, each row counts as one piece, then the whole.
const PIECES: usize = 1 << 14;

/// Bytes of one memory: pieces from, to, in order, that do not touch each other. Addresses below 0 of maps with
/// negative strides are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Bytes {
    pieces: Vec<(i64, i64)>,
}

impl Bytes {
    /// One piece.
    pub(super) fn piece(start: u64, length: u64) -> Bytes {
        let at = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        Bytes::of(vec![(at(start), at(start.saturating_add(length)))])
    }

    fn of(mut pieces: Vec<(i64, i64)>) -> Bytes {
        pieces.retain(|(start, end)| start < end);
        pieces.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::with_capacity(pieces.len());
        for (start, end) in pieces {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Bytes { pieces: merged }
    }

    /// Whether a byte is in both.
    pub(super) fn meets(&self, other: &Bytes) -> bool {
        let (mut a, mut b) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        while let (Some(&&(start, end)), Some(&&(other_start, other_end))) = (a.peek(), b.peek()) {
            if start < other_end && other_start < end {
                return true;
            }
            if end <= other_end {
                a.next();
            } else {
                b.next();
            }
        }
        false
    }

    /// Lowest byte and the one behind the highest.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        Some((self.pieces.first()?.0, self.pieces.last()?.1))
    }

    /// Rows of `inner` bytes: `counts` of them along each of `strides`, outermost first.
    pub(super) fn grid(start: i64, counts: &[u64], strides: &[i64], inner: u64) -> Bytes {
        let mut pieces = Vec::new();
        walk(&mut pieces, start, counts, strides, inner);
        Bytes::of(pieces)
    }
}

fn wide(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Adds the pieces of a grid.
fn walk(pieces: &mut Vec<(i64, i64)>, start: i64, counts: &[u64], strides: &[i64], inner: u64) {
    // Dense inner dimensions are one piece.
    let (mut counts, mut strides, mut inner) = (counts, strides, wide(inner));
    while let (Some((&count, outer)), Some((&stride, strides_outer))) =
        (counts.split_last(), strides.split_last())
    {
        if count != 1 && stride != inner {
            break;
        }
        inner = inner.saturating_mul(wide(count));
        (counts, strides) = (outer, strides_outer);
    }
    let total = counts.iter().fold(1u64, |n, &count| n.saturating_mul(count));
    if total > PIECES as u64 {
        // The innermost dimension is taken with its gaps.
        if let (Some((&count, outer)), Some((&stride, strides_outer))) =
            (counts.split_last(), strides.split_last())
        {
            let reach = stride.saturating_mul(wide(count.saturating_sub(1)));
            let start = start.saturating_add(reach.min(0));
            let inner = inner.saturating_add(reach.saturating_abs());
            walk(pieces, start, outer, strides_outer, inner.unsigned_abs());
        }
        return;
    }
    let mut starts = vec![start];
    for (&count, &stride) in counts.iter().zip(strides) {
        starts = starts
            .iter()
            .flat_map(|&at| (0..count).map(move |i| at.saturating_add(stride.saturating_mul(wide(i)))))
            .collect();
    }
    pieces.extend(starts.into_iter().map(|at| (at, at.saturating_add(inner))));
}

/// From, to.
pub(super) type Span = (usize, usize);

/// The bytes of rows, columns and channels of a map, in its memory.
pub(super) fn area(map: &FeatureMap, rows: Span, columns: Span, channels: Span) -> Bytes {
    let mut pieces = Vec::new();
    let [h0, h1, w0] = map.tile;
    let end = usize::MAX;
    let tiles = [((0, h0), (0, w0)), ((0, h1), (w0, end)), ((h0, end), (0, w0)), ((h1, end), (w0, end))];
    for ((tile_rows, tile_columns), base) in tiles.into_iter().zip(map.base) {
        let common = |a: Span, b: Span| (a.0.max(b.0), a.1.min(b.1));
        let (y, x) = (common(rows, tile_rows), common(columns, tile_columns));
        if y.0 >= y.1 || x.0 >= x.1 || channels.0 >= channels.1 {
            continue;
        }
        let bytes = map.bytes() as u64;
        let along = |stride: i64, i: usize| stride.saturating_mul(wide(i as u64));
        let [rows_stride, columns_stride, bricks_stride] = map.strides;
        let start = wide(base).saturating_add(along(rows_stride, y.0 - tile_rows.0));
        let (height, width) = ((y.1 - y.0) as u64, (x.1 - x.0) as u64);
        match map.layout {
            Layout::Nhwc => {
                let start = start.saturating_add(along(columns_stride, x.0 - tile_columns.0));
                let start = start.saturating_add(wide(channels.0 as u64 * bytes));
                let inner = (channels.1 - channels.0) as u64 * bytes;
                walk(&mut pieces, start, &[height, width], &[rows_stride, columns_stride], inner);
            }
            Layout::Nhcwb16 => {
                let brick = wide(BRICK as u64 * bytes);
                let start = start.saturating_add(along(brick, x.0 - tile_columns.0));
                // Bricks that are taken whole lie one behind the other; of the first and last maybe a part.
                let (first, last) = (channels.0.div_ceil(BRICK), channels.1 / BRICK);
                let cuts = if first > last {
                    vec![channels]
                } else {
                    vec![
                        (channels.0, first * BRICK),
                        (first * BRICK, last * BRICK),
                        (last * BRICK, channels.1),
                    ]
                };
                for (from, to) in cuts.into_iter().filter(|(from, to)| from < to) {
                    let start = start.saturating_add(along(bricks_stride, from / BRICK));
                    let start = start.saturating_add(wide((from % BRICK) as u64 * bytes));
                    let bricks = (to / BRICK).saturating_sub(from / BRICK).max(1) as u64;
                    let inner = (to - from).min(BRICK) as u64 * bytes;
                    let counts = [height, bricks, width];
                    walk(&mut pieces, start, &counts, &[rows_stride, bricks_stride, brick], inner);
                }
            }
        }
    }
    Bytes::of(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(layout: Layout, strides: [i64; 3]) -> FeatureMap {
        FeatureMap {
            region: 1,
            base: [64, 512, 1024, 2048],
            tile: [3, 2, 4],
            shape: [5, 6, 20],
            strides,
            bits: 8,
            signed: true,
            zero_point: 0,
            layout,
        }
    }

    /// Every byte of every element, one by one.
    fn slow(map: &FeatureMap, rows: Span, columns: Span, channels: Span) -> Vec<i64> {
        let mut all = Vec::new();
        for y in rows.0..rows.1 {
            for x in columns.0..columns.1 {
                let right = x >= map.tile[2];
                let below = y >= map.tile[usize::from(right)];
                let tile = usize::from(right) + 2 * usize::from(below);
                let y = y - if below { map.tile[usize::from(right)] } else { 0 };
                let x = x - if right { map.tile[2] } else { 0 };
                for c in channels.0..channels.1 {
                    let inside = match map.layout {
                        Layout::Nhwc => x as i64 * map.strides[1] + c as i64,
                        Layout::Nhcwb16 => {
                            (c / 16) as i64 * map.strides[2] + (x * 16) as i64 + (c % 16) as i64
                        }
                    };
                    all.push(map.base[tile] as i64 + y as i64 * map.strides[0] + inside);
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn areas_are_those_of_the_elements() {
        let maps = [
            map(Layout::Nhwc, [120, 20, 1]),
            map(Layout::Nhwc, [-200, 30, 1]),
            map(Layout::Nhcwb16, [192, 16, 96]),
            map(Layout::Nhcwb16, [160, 16, 400]),
        ];
        let spans = |n: usize| (0..n).flat_map(move |a| (a + 1..=n).map(move |b| (a, b)));
        for map in &maps {
            for rows in spans(5) {
                for columns in spans(6) {
                    for channels in [(0, 20), (0, 16), (16, 20), (3, 5), (5, 19)] {
                        let want = slow(map, rows, columns, channels);
                        let got: Vec<i64> = area(map, rows, columns, channels)
                            .pieces
                            .iter()
                            .flat_map(|&(a, b)| a..b)
                            .collect();
                        assert_eq!(got, want, "{map:?} {rows:?} {columns:?} {channels:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn meeting_is_having_a_byte_in_common() {
        let sets: Vec<Bytes> = (0u32..256)
            .map(|bits| Bytes::of((0..8).filter(|i| bits >> i & 1 == 1).map(|i| (i, i + 1)).collect()))
            .collect();
        for (i, a) in sets.iter().enumerate() {
            for (j, b) in sets.iter().enumerate() {
                assert_eq!(a.meets(b), i & j != 0);
            }
        }
    }

    /// What has too many pieces is taken with the gaps, never with less.
    #[test]
    fn large_grids_are_covered() {
        let fine = Bytes::grid(0, &[1 << 10, 1 << 6], &[1 << 12, 1 << 5], 8);
        assert_eq!(fine, Bytes::grid(0, &[1 << 10], &[1 << 12], (63 << 5) + 8));
        let whole = Bytes::grid(100, &[1 << 20, 2], &[-16, 8], 4);
        assert_eq!(whole.ends(), Some((100 - 16 * ((1 << 20) - 1), 100 + 12)));
        assert_eq!(whole.pieces.len(), 1);
    }
}
