//! Visits the elements of a box of some sizes in several tensors at once.

use tombolo_runtime::{MAX_RANK, Shape};

/// Element steps, one per dimension. Steps may be zero (broadcast) or, wrapped around, negative.
pub(crate) type Steps = [usize; MAX_RANK];

/// A stretch of elements: the `j`th is at `at[k] + j * step[k]` in operand `k`.
pub(crate) struct Run<const N: usize> {
    /// The number of elements before this run.
    pub(crate) first: usize,
    /// The number of elements.
    pub(crate) len: usize,
    /// Where the run starts in each operand.
    pub(crate) at: [usize; N],
    /// The distance of its elements in each operand.
    pub(crate) step: [usize; N],
}

impl Walk<1> {
    /// Where the walk starts.
    pub(crate) fn start(&self) -> usize {
        let [start] = self.base;
        start
    }
}

impl<const N: usize> Run<N> {
    /// The places of element `j` in the operands.
    pub(crate) fn place(&self, j: usize) -> [usize; N] {
        add(self.at, self.step.map(|step| step.wrapping_mul(j)))
    }
}

#[derive(Clone, Copy)]
struct Dim<const N: usize> {
    size: usize,
    count: usize,
    step: [usize; N],
}

/// The loop nest over a box, dimensions merged where all operands allow it.
#[derive(Clone, Copy)]
pub(crate) struct Walk<const N: usize> {
    outer: [Dim<N>; MAX_RANK],
    rank: usize,
    inner: Dim<N>,
    base: [usize; N],
}

fn add<const N: usize>(mut a: [usize; N], b: [usize; N]) -> [usize; N] {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.wrapping_add(b);
    }
    a
}

impl<const N: usize> Walk<N> {
    /// A walk over `shape`, the dimensions nested as in `order`, outermost first. `base` is where
    /// the first element is in each operand.
    pub(crate) fn new(
        shape: &Shape,
        order: impl IntoIterator<Item = usize>,
        base: [usize; N],
        steps: [&Steps; N],
    ) -> Self {
        let unit = Dim { size: 1, count: 0, step: [0; N] };
        let mut walk = Walk { outer: [unit; MAX_RANK], rank: 0, inner: unit, base };
        for d in order {
            let size = shape.dim(d);
            if size == 1 {
                continue;
            }
            let step = steps.map(|steps| steps.get(d).copied().unwrap_or(0));
            let whole = step.map(|step| step.wrapping_mul(size));
            if walk.inner.size == 1 {
                walk.inner = Dim { size, count: 0, step };
            } else if walk.inner.step == whole {
                walk.inner = Dim { size: walk.inner.size.saturating_mul(size), count: 0, step };
            } else {
                if let Some(slot) = walk.outer.get_mut(walk.rank) {
                    *slot = walk.inner;
                    walk.rank += 1;
                }
                walk.inner = Dim { size, count: 0, step };
            }
        }
        walk
    }

    /// A walk in the order of the dimensions.
    pub(crate) fn logical(shape: &Shape, base: [usize; N], steps: [&Steps; N]) -> Self {
        Walk::new(shape, 0..shape.len(), base, steps)
    }

    /// The same walk from another start.
    pub(crate) fn from(&self, base: [usize; N]) -> Self {
        Walk { base, ..*self }
    }

    /// Calls `visit` for each run, in order; not at all if the box is empty.
    pub(crate) fn runs(mut self, visit: &mut dyn FnMut(&Run<N>)) {
        let outer = self.outer.get_mut(..self.rank).unwrap_or_default();
        if self.inner.size == 0 || outer.iter().any(|dim| dim.size == 0) {
            return;
        }
        let mut run = Run { first: 0, len: self.inner.size, at: self.base, step: self.inner.step };
        loop {
            visit(&run);
            run.first = run.first.wrapping_add(run.len);
            let mut dims = outer.iter_mut().rev();
            loop {
                let Some(dim) = dims.next() else { return };
                dim.count += 1;
                run.at = add(run.at, dim.step);
                if dim.count < dim.size {
                    break;
                }
                let whole = dim.step.map(|step| step.wrapping_mul(dim.size).wrapping_neg());
                run.at = add(run.at, whole);
                dim.count = 0;
            }
        }
    }

    /// Calls `visit` for each element, in order, with its number and its places.
    pub(crate) fn each(self, visit: &mut dyn FnMut(usize, [usize; N])) {
        self.runs(&mut |run| {
            for j in 0..run.len {
                visit(run.first.wrapping_add(j), run.place(j));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn steps(list: &[usize]) -> Steps {
        let mut steps = [0; MAX_RANK];
        steps[..list.len()].copy_from_slice(list);
        steps
    }

    #[test]
    fn dense_operands_are_one_run() {
        let shape = Shape::new(&[2, 1, 3, 4]).unwrap();
        let dense = steps(&[12, 12, 4, 1]);
        let mut runs = Vec::new();
        Walk::logical(&shape, [0, 5], [&dense, &dense]).runs(&mut |run| runs.push((run.len, run.at)));
        assert_eq!(runs, [(24, [0, 5])]);
    }

    #[test]
    fn elements_come_in_the_order_asked_for() {
        // 2 x 3, columns outermost, the second operand broadcast along rows, the third backwards.
        let shape = Shape::new(&[2, 3]).unwrap();
        let (a, b) = (steps(&[3, 1]), steps(&[0, 1]));
        let c = steps(&[3usize.wrapping_neg(), 1usize.wrapping_neg()]);
        let mut seen = Vec::new();
        Walk::new(&shape, [1, 0], [0, 0, 5], [&a, &b, &c]).each(&mut |n, at| seen.push((n, at)));
        let expected = [[0, 0, 5], [3, 0, 2], [1, 1, 4], [4, 1, 1], [2, 2, 3], [5, 2, 0]];
        assert_eq!(seen, expected.iter().copied().enumerate().collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_box_has_no_elements_and_a_scalar_one() {
        let count = |sizes: &[u32]| {
            let mut count = 0;
            Walk::logical(&Shape::new(sizes).unwrap(), [0], [&[1; MAX_RANK]]).each(&mut |_, _| count += 1);
            count
        };
        assert_eq!(count(&[3, 0]), 0);
        assert_eq!(count(&[0, 3]), 0);
        assert_eq!(count(&[]), 1);
        assert_eq!(count(&[1, 1]), 1);
    }
}
