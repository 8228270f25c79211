//! Where the elements of a feature map lie in memory.
//!
//! A feature map is `height` × `width` × `depth` elements in one of two formats. NHWC: the channels
//! of a pixel in a row. NHCWB16: bricks of 16 channels, `address = base + y·stride_y +
//! (c/16)·stride_c + (16·x + c mod 16)·bytes`. It may be cut into up to four tiles with base
//! addresses of their own (rolling buffers wrap that way).

/// Order of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Channels innermost.
    Nhwc,
    /// Bricks of 16 channels.
    Nhcwb16,
}

/// How the tiles lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// Two columns of two tiles: 0 and 1 above, 2 and 3 below. The left column is `width0` wide; the
    /// cut is at `height0` in the left column and at `height1` in the right one.
    Grid,
    /// Three tiles on top of each other, `height0` and `height1` high (U85 `TILE3X1`).
    Stack,
}

/// Addresses of a feature map, as byte offsets in its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Order of the elements.
    pub format: Format,
    /// How the tiles lie.
    pub tiling: Tiling,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Offset of each tile.
    pub bases: [u64; 4],
    /// Columns of the left tiles.
    pub width0: u32,
    /// Rows of tile 0.
    pub height0: u32,
    /// Rows of tile 1.
    pub height1: u32,
    /// Bytes from one column to the next (NHWC only).
    pub stride_x: i64,
    /// Bytes from one row to the next.
    pub stride_y: i64,
    /// Bytes from one brick to the next (NHCWB16 only).
    pub stride_c: i64,
}

/// The bytes that a box touches: from the lowest to behind the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Lowest byte offset; negative if the addresses leave the region downwards.
    pub first: i64,
    /// Highest byte offset plus one.
    pub end: i64,
}

impl Span {
    const NOTHING: Span = Span { first: i64::MAX, end: i64::MIN };

    /// The span that covers both.
    pub fn union(self, other: Span) -> Span {
        Span { first: self.first.min(other.first), end: self.end.max(other.end) }
    }
}

const BRICK: u32 = 16;

impl Layout {
    /// The layout of a map without gaps or tiles at `base`.
    pub fn dense(
        format: Format,
        element_bytes: u32,
        base: u64,
        height: u32,
        width: u32,
        depth: u32,
    ) -> Layout {
        let bytes = i64::from(element_bytes);
        let (stride_x, stride_y, stride_c) = match format {
            Format::Nhwc => {
                let x = i64::from(depth).wrapping_mul(bytes);
                (x, x.wrapping_mul(i64::from(width)), bytes)
            }
            Format::Nhcwb16 => {
                let x = i64::from(BRICK).wrapping_mul(bytes);
                let c = x.wrapping_mul(i64::from(width));
                (x, c.wrapping_mul(i64::from(depth.div_ceil(BRICK))), c)
            }
        };
        Layout {
            format,
            tiling: Tiling::Grid,
            element_bytes,
            bases: [base, 0, 0, 0],
            width0: width,
            height0: height,
            height1: height,
            stride_x,
            stride_y,
            stride_c,
        }
    }

    /// The tile that holds row `y`, column `x`, and the row and column within it.
    #[inline]
    pub fn tile(&self, y: u32, x: u32) -> (usize, u32, u32) {
        match self.tiling {
            Tiling::Grid => {
                let (column, x, height) = match x.checked_sub(self.width0) {
                    Some(x) => (1, x, self.height1),
                    None => (0, x, self.height0),
                };
                match y.checked_sub(height) {
                    Some(y) => (column | 2, y, x),
                    None => (column, y, x),
                }
            }
            Tiling::Stack => match y.checked_sub(self.height0) {
                None => (0, y, x),
                Some(y) => match y.checked_sub(self.height1) {
                    None => (1, y, x),
                    Some(y) => (2, y, x),
                },
            },
        }
    }

    /// Byte offset of element (`y`, `x`, `c`).
    #[inline]
    pub fn address(&self, y: u32, x: u32, c: u32) -> i64 {
        let (tile, y, x) = self.tile(y, x);
        let base = self.bases.get(tile).copied().unwrap_or(0) as i64;
        base.wrapping_add(self.within(y, x, c))
    }

    /// Byte offset from the base of a tile.
    #[inline]
    fn within(&self, y: u32, x: u32, c: u32) -> i64 {
        let bytes = i64::from(self.element_bytes);
        let row = i64::from(y).wrapping_mul(self.stride_y);
        let rest = match self.format {
            Format::Nhwc => {
                i64::from(x).wrapping_mul(self.stride_x).wrapping_add(i64::from(c).wrapping_mul(bytes))
            }
            Format::Nhcwb16 => {
                let brick = i64::from(c / BRICK).wrapping_mul(self.stride_c);
                let element = i64::from(x).wrapping_mul(i64::from(BRICK)).wrapping_add(i64::from(c % BRICK));
                brick.wrapping_add(element.wrapping_mul(bytes))
            }
        };
        row.wrapping_add(rest)
    }

    /// The bytes that the first `height` × `width` × `depth` elements touch, or `None` if there
    /// are none.
    ///
    /// An address is a sum of a term per axis and each term is monotone (in a brick, and from
    /// brick to brick), so the corners of each tile suffice.
    pub fn span(&self, height: u32, width: u32, depth: u32) -> Option<Span> {
        if height == 0 || width == 0 || depth == 0 {
            return None;
        }
        let last = depth.wrapping_sub(1);
        let last_brick = last - last % BRICK;
        let channels = [0, last.min(BRICK - 1), last_brick, last_brick.saturating_sub(1), last];
        // The cuts of each tile: rows from, rows to, columns from, columns to.
        let cut = |size: u32, at: u32| (size.min(at), size.saturating_sub(at));
        let tiles: [(u32, u32); 4] = match self.tiling {
            Tiling::Grid => {
                let (left, right) = cut(width, self.width0);
                let (left_top, left_bottom) = cut(height, self.height0);
                let (right_top, right_bottom) = cut(height, self.height1);
                [(left_top, left), (right_top, right), (left_bottom, left), (right_bottom, right)]
            }
            Tiling::Stack => {
                let (top, rest) = cut(height, self.height0);
                let (middle, bottom) = cut(rest, self.height1);
                [(top, width), (middle, width), (bottom, width), (0, 0)]
            }
        };
        let mut span = Span::NOTHING;
        for ((rows, columns), base) in tiles.into_iter().zip(self.bases) {
            if rows == 0 || columns == 0 {
                continue;
            }
            for y in [0, rows.wrapping_sub(1)] {
                for x in [0, columns.wrapping_sub(1)] {
                    for c in channels {
                        let first = (base as i64).wrapping_add(self.within(y, x, c));
                        span = span
                            .union(Span { first, end: first.wrapping_add(i64::from(self.element_bytes)) });
                    }
                }
            }
        }
        Some(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The span by looking at every element.
    fn span_by_hand(layout: &Layout, height: u32, width: u32, depth: u32) -> Option<Span> {
        let mut span = None::<Span>;
        for y in 0..height {
            for x in 0..width {
                for c in 0..depth {
                    let first = layout.address(y, x, c);
                    let one = Span { first, end: first + i64::from(layout.element_bytes) };
                    span = Some(span.map_or(one, |s| s.union(one)));
                }
            }
        }
        span
    }

    #[test]
    fn nhwc_and_nhcwb16_addresses() {
        let nhwc = Layout::dense(Format::Nhwc, 2, 100, 4, 5, 20);
        assert_eq!(nhwc.address(2, 3, 7), 100 + ((2 * 5 + 3) * 20 + 7) * 2);
        let bricks = Layout::dense(Format::Nhcwb16, 1, 64, 4, 5, 20);
        // two bricks a row of 5 * 16 bytes each
        assert_eq!(bricks.address(2, 3, 7), 64 + 2 * 160 + 3 * 16 + 7);
        assert_eq!(bricks.address(2, 3, 18), 64 + 2 * 160 + 80 + 3 * 16 + 2);
    }

    #[test]
    fn tiles_of_a_grid_and_a_stack() {
        let mut layout = Layout::dense(Format::Nhwc, 1, 0, 8, 8, 1);
        (layout.width0, layout.height0, layout.height1) = (5, 3, 6);
        layout.bases = [0, 1000, 2000, 3000];
        assert_eq!(layout.address(2, 4, 0), 2 * 8 + 4);
        assert_eq!(layout.address(5, 5, 0), 1000 + 5 * 8);
        assert_eq!(layout.address(3, 4, 0), 2000 + 4);
        assert_eq!(layout.address(7, 6, 0), 3000 + 8 + 1);
        layout.tiling = Tiling::Stack;
        assert_eq!(layout.address(8, 7, 0), 1000 + 5 * 8 + 7);
        assert_eq!(layout.address(9, 7, 0), 2000 + 7);
    }

    #[test]
    fn span_agrees_with_every_element() {
        let mut state = 0x9e37_79b9_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for _ in 0..2000 {
            let (height, width, depth) = (next(6), next(6), next(50));
            let stride = |n: u32| i64::from(n) - 40;
            let layout = Layout {
                format: if next(2) == 0 { Format::Nhwc } else { Format::Nhcwb16 },
                tiling: if next(3) == 0 { Tiling::Stack } else { Tiling::Grid },
                element_bytes: 1 << next(3),
                bases: [next(500), next(500), next(500), next(500)].map(u64::from),
                width0: next(7) + 1,
                height0: next(7) + 1,
                height1: next(7) + 1,
                stride_x: stride(next(100)),
                stride_y: stride(next(100)),
                stride_c: stride(next(100)),
            };
            assert_eq!(
                layout.span(height, width, depth),
                span_by_hand(&layout, height, width, depth),
                "{layout:?} {height} {width} {depth}"
            );
        }
    }
}
