//! What an operation works on, decoded out of the SET registers: the same for all generations.

use crate::scale::Rounding;

/// Height, width and depth; every one at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) h: u32,
    pub(crate) w: u32,
    pub(crate) c: u32,
}

impl Shape {
    pub(crate) fn new(h: u32, w: u32, c: u32) -> Shape {
        Shape { h, w, c }
    }

    /// Number of elements; 16-bit dimensions cannot overflow it.
    pub(crate) fn elements(self) -> u64 {
        u64::from(self.h) * u64::from(self.w) * u64::from(self.c)
    }
}

/// Element type of a feature map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Elem {
    /// 1, 2 or 4; on U85 also 8 for what 48-bit accumulators are kept in.
    pub(crate) bytes: u8,
    pub(crate) signed: bool,
}

impl Elem {
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.bytes) * 8
    }

    /// Smallest and largest value.
    pub(crate) fn range(self) -> (i64, i64) {
        if self.bytes >= 8 {
            (i64::MIN, i64::MAX)
        } else if self.signed {
            (-(1i64 << (self.bits() - 1)), (1i64 << (self.bits() - 1)) - 1)
        } else {
            (0, (1i64 << self.bits()) - 1)
        }
    }
}

/// Layout in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Element (y, x, c) at `y * stride_y + x * stride_x + c * size`.
    Nhwc,
    /// In bricks of 16 channels: `y * stride_y + c / 16 * stride_c + (x * 16 + c % 16) * size`.
    Nhcwb16,
}

/// How a feature map is cut into pieces that have bases of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tiling {
    /// Two by two: right of `width0`, below `height0` (left) or `height1` (right).
    T2x2,
    /// Three below each other, of `height0`, `height1` and the rest. (U85)
    #[allow(dead_code, reason = "only the U85 decodes it")]
    T3x1,
}

/// A feature map in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FeatureMap {
    pub(crate) region: u8,
    /// Offset of every tile in the region.
    pub(crate) base: [u64; 4],
    pub(crate) stride_y: i64,
    pub(crate) stride_x: i64,
    pub(crate) stride_c: i64,
    pub(crate) width0: u32,
    pub(crate) height0: u32,
    pub(crate) height1: u32,
    pub(crate) tiling: Tiling,
    pub(crate) layout: Layout,
    pub(crate) elem: Elem,
    pub(crate) shape: Shape,
}

/// A rectangle of rows and columns of a feature map that lies in one tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TileRect {
    pub(crate) y: u32,
    pub(crate) x: u32,
    pub(crate) h: u32,
    pub(crate) w: u32,
    pub(crate) base: u64,
}

impl FeatureMap {
    /// The tiles that the feature map's shape reaches, at most four.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = TileRect> {
        let Shape { h, w, .. } = self.shape;
        let [b0, b1, b2, b3] = self.base;
        let rects = match self.tiling {
            Tiling::T2x2 => {
                let left = self.width0.min(w);
                let (h0, h1) = (self.height0.min(h), self.height1.min(h));
                [
                    (0, 0, h0, left, b0),
                    (0, left, h1, w - left, b1),
                    (h0, 0, h - h0, left, b2),
                    (h1, left, h - h1, w - left, b3),
                ]
            }
            Tiling::T3x1 => {
                let h0 = self.height0.min(h);
                let h1 = self.height1.min(h - h0);
                [(0, 0, h0, w, b0), (h0, 0, h1, w, b1), (h0 + h1, 0, h - h0 - h1, w, b2), (h, 0, 0, w, b3)]
            }
        };
        rects
            .into_iter()
            .map(|(y, x, h, w, base)| TileRect { y, x, h, w, base })
            .filter(|t| t.h > 0 && t.w > 0)
    }
}

/// A byte stream in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) region: u8,
    pub(crate) base: u64,
    pub(crate) length: u64,
}

/// Doubling of an input on the way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upscale {
    None,
    /// Every element twice in both directions.
    Nearest,
    /// A zero (point) behind every element in both directions.
    Zeros,
}

/// Zeros around an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Padding {
    pub(crate) top: u32,
    pub(crate) left: u32,
    pub(crate) bottom: u32,
    pub(crate) right: u32,
}

impl Padding {
    pub(crate) fn any(self) -> bool {
        self != Padding::default()
    }
}

/// Window of a convolution or pooling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Rows of weights, without dilation.
    pub(crate) h: u32,
    /// Columns of weights, without dilation.
    pub(crate) w: u32,
    pub(crate) stride_y: u32,
    pub(crate) stride_x: u32,
    pub(crate) dilation_y: u32,
    pub(crate) dilation_x: u32,
    pub(crate) pad: Padding,
    /// Weights come part-kernel first, not depth first.
    pub(crate) part_kernel: bool,
}

impl Kernel {
    /// Rows of input that one output row sees.
    pub(crate) fn dilated_h(&self) -> u32 {
        (self.h - 1) * self.dilation_y + 1
    }

    /// Columns of input that one output column sees.
    pub(crate) fn dilated_w(&self) -> u32 {
        (self.w - 1) * self.dilation_x + 1
    }

    /// Rows and columns of the padded input for an output of `h` by `w`.
    pub(crate) fn padded_input(&self, h: u32, w: u32) -> (u64, u64) {
        (
            u64::from(h - 1) * u64::from(self.stride_y) + u64::from(self.dilated_h()),
            u64::from(w - 1) * u64::from(self.stride_x) + u64::from(self.dilated_w()),
        )
    }
}

/// One scale for all channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) scale: u32,
    pub(crate) shift: u8,
    pub(crate) rounding: Rounding,
}
