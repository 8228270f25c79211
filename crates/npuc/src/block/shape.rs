//! Shapes and how blocks cover them.

/// Height, width and depth, each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) h: u64,
    pub(super) w: u64,
    pub(super) c: u64,
}

impl Shape {
    pub(super) const fn new(h: u64, w: u64, c: u64) -> Shape {
        Shape { h, w, c }
    }

    /// Dimensions of a feature map: 1 to 65536, as the registers hold them.
    pub(super) fn checked(shape: [usize; 3], of: &str) -> Result<Shape, String> {
        let [h, w, c] = shape.map(|n| n as u64);
        match [h, w, c].iter().all(|n| (1..=1 << 16).contains(n)) {
            true => Ok(Shape { h, w, c }),
            false => Err(format!("{of} of {h}x{w}x{c} elements: each dimension must be 1 to 65536")),
        }
    }

    /// No more than 2^48 for checked shapes.
    pub(super) fn elements(self) -> u64 {
        self.h * self.w * self.c
    }

    pub(super) fn array(self) -> [usize; 3] {
        [self.h, self.w, self.c].map(|n| n as usize)
    }

    pub(super) fn min(self, other: Shape) -> Shape {
        Shape::new(self.h.min(other.h), self.w.min(other.w), self.c.min(other.c))
    }

    /// Each dimension up to the next multiple.
    pub(super) fn round_up(self, to: Shape) -> Shape {
        Shape::new(
            self.h.next_multiple_of(to.h.max(1)),
            self.w.next_multiple_of(to.w.max(1)),
            self.c.next_multiple_of(to.c.max(1)),
        )
    }

    /// How many blocks cover this, along each axis.
    pub(super) fn blocks(self, block: Shape) -> Shape {
        Shape::new(
            self.h.div_ceil(block.h.max(1)),
            self.w.div_ceil(block.w.max(1)),
            self.c.div_ceil(block.c.max(1)),
        )
    }

    /// With the axes in another order.
    pub(super) fn permuted(self, axes: [usize; 3]) -> Shape {
        let sizes = [self.h, self.w, self.c];
        let [h, w, c] = axes.map(|axis| sizes[axis]);
        Shape::new(h, w, c)
    }
}
