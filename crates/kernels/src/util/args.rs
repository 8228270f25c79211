//! Arguments that many operators have: dimensions, sizes, broadcasting.

use crate::util::num::Elements;
use crate::util::walk::Steps;
use tombolo_runtime::{Ints, KernelContext, KernelError, MAX_RANK, Shape, Strides, Tensor, TensorMut};

/// A run of a kernel.
pub(crate) type Done = Result<(), KernelError>;

/// Dimension `dim` of `rank`, counted from the end if negative. A scalar has one dimension, as in torch.
pub(crate) fn dim(dim: i64, rank: usize) -> Result<usize, KernelError> {
    let rank = rank.max(1) as i64;
    let dim = if dim < 0 { dim.saturating_add(rank) } else { dim };
    if (0..rank).contains(&dim) { Ok(dim as usize) } else { Err(KernelError::Invalid("no such dimension")) }
}

/// The dimensions at argument `position` as a set of bits; all of `rank` if the list is absent or empty.
pub(crate) fn dims(ctx: &KernelContext<'_, '_>, position: usize, rank: usize) -> Result<u32, KernelError> {
    let mut set = 0u32;
    for d in ctx.ints(position)?.iter() {
        let bit = bit(dim(d, rank)?);
        if set & bit != 0 {
            return Err(KernelError::Invalid("a dimension is named twice"));
        }
        set |= bit;
    }
    Ok(if set == 0 { all(rank) } else { set })
}

/// Dimension `d` as a bit.
pub(crate) fn bit(d: usize) -> u32 {
    1u32.wrapping_shl(d as u32)
}

/// The set of all dimensions of `rank`.
pub(crate) fn all(rank: usize) -> u32 {
    bit(rank).wrapping_sub(1)
}

/// A shape of `sizes`, as given by integers of the program.
pub(crate) fn shape(sizes: impl Iterator<Item = i64>) -> Result<Shape, KernelError> {
    let mut shape = Shape::SCALAR;
    for size in sizes {
        let size =
            u32::try_from(size).map_err(|_| KernelError::Invalid("a size is negative or too large"))?;
        push(&mut shape, size)?;
    }
    Ok(shape)
}

/// Adds an innermost dimension.
pub(crate) fn push(shape: &mut Shape, size: u32) -> Done {
    shape.push(size).ok_or(KernelError::Unsupported("more than 16 dimensions"))
}

/// `shape` with dimension `d` of another size.
pub(crate) fn with_dim(shape: &Shape, d: usize, size: usize) -> Result<Shape, KernelError> {
    let size = u32::try_from(size).map_err(|_| KernelError::Invalid("a size is too large"))?;
    let mut result = Shape::SCALAR;
    for (i, &old) in shape.iter().enumerate() {
        push(&mut result, if i == d { size } else { old })?;
    }
    Ok(result)
}

/// `shape` without dimension `d`.
pub(crate) fn without_dim(shape: &Shape, d: usize) -> Result<Shape, KernelError> {
    let mut result = Shape::SCALAR;
    for (i, &size) in shape.iter().enumerate() {
        if i != d {
            push(&mut result, size)?;
        }
    }
    Ok(result)
}

/// The sizes that two shapes broadcast to.
pub(crate) fn broadcast(a: &[u32], b: &[u32]) -> Result<Shape, KernelError> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let missing = long.len() - short.len();
    let mut shape = Shape::SCALAR;
    for (i, &size) in long.iter().enumerate() {
        let other = i.checked_sub(missing).and_then(|i| short.get(i)).copied().unwrap_or(1);
        let size = match (size, other) {
            (size, 1) => size,
            (1, other) => other,
            (size, other) if size == other => size,
            _ => return Err(KernelError::Invalid("the sizes of the inputs do not broadcast")),
        };
        push(&mut shape, size)?;
    }
    Ok(shape)
}

/// The sizes of a view of `count` elements; one of them may be -1: what is left.
pub(crate) fn view_shape(count: usize, sizes: Ints<'_, '_>) -> Result<Shape, KernelError> {
    let misfit = KernelError::Invalid("a view must have as many elements as its input");
    let known = sizes.iter().filter(|&size| size != -1);
    let known = known.fold(1usize, |n, size| n.saturating_mul(usize::try_from(size).unwrap_or(usize::MAX)));
    let left = count.checked_div(known).unwrap_or(0) as i64;
    let shape = shape(sizes.iter().map(|size| if size == -1 { left } else { size }))?;
    if shape.count() == count && sizes.iter().filter(|&size| size == -1).count() <= 1 {
        Ok(shape)
    } else {
        Err(misfit)
    }
}

/// Position `index` of a dimension of `size`, counted from the end if negative.
pub(crate) fn index(index: i64, size: usize) -> Result<usize, KernelError> {
    let size = size as i64;
    let index = if index < 0 { index.saturating_add(size) } else { index };
    if (0..size).contains(&index) { Ok(index as usize) } else { Err(OUTSIDE) }
}

/// Element `k` of a tensor of indices into a dimension of `size`. Negative ones are errors, as in torch.
pub(crate) fn element_index(indices: &Elements<'_>, k: usize, size: usize) -> Result<usize, KernelError> {
    usize::try_from(indices.i64(k)).ok().filter(|&index| index < size).ok_or(OUTSIDE)
}

const OUTSIDE: KernelError = KernelError::Invalid("an index is outside of its dimension");

/// Every so manieth position of a dimension between two.
pub(crate) struct Slice {
    start: usize,
    step: usize,
    /// The number of positions.
    pub(crate) count: usize,
}

impl Slice {
    /// From `start` (or the beginning) to before `end` (or the end) of a dimension of `size`. Both
    /// count from the end if negative, and are limited to the dimension.
    pub(crate) fn new(
        size: usize,
        start: Option<i64>,
        end: Option<i64>,
        step: i64,
    ) -> Result<Slice, KernelError> {
        let size = size as i64;
        let inside = |at: i64| if at < 0 { at.saturating_add(size) } else { at }.max(0).min(size);
        let (start, end) = (inside(start.unwrap_or(0)), inside(end.unwrap_or(size)));
        let step = usize::try_from(step).ok().filter(|&step| step > 0);
        let step = step.ok_or(KernelError::Invalid("the step of a slice must be positive"))?;
        let count = (end.saturating_sub(start).max(0) as usize).div_ceil(step);
        Ok(Slice { start: start as usize, step, count })
    }

    /// Makes `steps` those along the slice of dimension `axis`, and returns where the slice starts.
    pub(crate) fn apply(&self, steps: &mut Steps, axis: usize) -> usize {
        let Some(step) = steps.get_mut(axis) else { return 0 };
        let base = step.wrapping_mul(self.start);
        *step = step.wrapping_mul(self.step);
        base
    }
}

/// Strides as steps.
pub(crate) fn steps(strides: &Strides) -> Steps {
    let mut steps = [0; MAX_RANK];
    for (step, &stride) in steps.iter_mut().zip(strides.iter()) {
        *step = stride;
    }
    steps
}

/// The steps of `tensor` when it is read as if it had the sizes `shape`, which it broadcasts to.
pub(crate) fn broadcast_steps(tensor: &Tensor<'_>, shape: &Shape) -> Result<Steps, KernelError> {
    let own = tensor.shape();
    let misfit = KernelError::Invalid("the sizes of an input do not broadcast to those of the output");
    let missing = shape.len().checked_sub(own.len()).ok_or(misfit)?;
    let mut steps = [0; MAX_RANK];
    let sizes = own.iter().zip(shape.iter().skip(missing));
    for ((step, (&size, &wanted)), &stride) in
        steps.iter_mut().skip(missing).zip(sizes).zip(tensor.strides().iter())
    {
        if size == wanted {
            *step = stride;
        } else if size != 1 {
            return Err(misfit);
        }
    }
    Ok(steps)
}

/// The dimensions of `out` in memory order.
pub(crate) fn order<'t>(out: &TensorMut<'t>) -> impl Iterator<Item = usize> + use<'t> {
    out.dim_order().iter().map(|&d| usize::from(d))
}

/// Whether the elements of both lie in the same places: equal sizes and memory order.
pub(crate) fn same_layout(a: &Tensor<'_>, b: &TensorMut<'_>) -> bool {
    let (sizes, others) = (a.shape(), b.shape());
    if *sizes != *others {
        return false;
    }
    if a.dim_order() == b.dim_order() {
        return true;
    }
    let (strides, others) = (a.strides(), b.strides());
    sizes.iter().zip(strides.iter().zip(others.iter())).all(|(&size, (a, b))| size == 1 || a == b)
}

/// Copies as many bytes as both have.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
