//! Operators that move elements without looking at them.

use crate::util::args::{Done, copy, order, same_layout, steps};
use crate::util::num::{get, put};
use crate::util::walk::{Run, Steps, Walk};
use tombolo_runtime::{Dtype, KernelContext, KernelError, Shape, Tensor, TensorMut};

/// The two ends of a copy: bytes, and the size of an element.
pub(crate) struct Copy<'t> {
    pub(crate) to: &'t mut [u8],
    pub(crate) from: &'t [u8],
    pub(crate) size: usize,
}

impl<'t> Copy<'t> {
    /// From `input` to `out`, whose elements must be of the same type.
    pub(crate) fn new(out: TensorMut<'t>, input: &Tensor<'t>) -> Result<Self, KernelError> {
        same_type(out.dtype(), input.dtype())?;
        Ok(Copy { size: out.dtype().size(), to: out.into_bytes(), from: input.bytes() })
    }

    /// Copies the elements of a walk over destination and source.
    #[inline(never)]
    pub(crate) fn walk(&mut self, walk: Walk<2>) {
        walk.runs(&mut |run| match self.size {
            1 => self.run::<1>(run),
            2 => self.run::<2>(run),
            4 => self.run::<4>(run),
            _ => self.run::<8>(run),
        });
    }

    fn run<const N: usize>(&mut self, run: &Run<2>) {
        if let ([to, from], [1, 1]) = (run.at, run.step) {
            let from = self.from.get(from.wrapping_mul(N)..).unwrap_or(&[]);
            let from = from.get(..run.len.wrapping_mul(N)).unwrap_or(from);
            copy(self.to.get_mut(to.wrapping_mul(N)..).unwrap_or_default(), from);
            return;
        }
        for j in 0..run.len {
            let [to, from] = run.place(j);
            put::<N>(self.to, to, get::<N>(self.from, from));
        }
    }
}

pub(crate) fn same_type(out: Dtype, input: Dtype) -> Done {
    if out == input {
        return Ok(());
    }
    Err(KernelError::UnexpectedDtype { found: out, expected: "the element type of the input" })
}

/// Fills `out` from `input` read at `base` with a step per dimension of `out`.
pub(crate) fn read_strided(out: TensorMut<'_>, input: &Tensor<'_>, base: usize, from: &Steps) -> Done {
    let shape = out.shape();
    let to = steps(&out.strides());
    let walk = Walk::new(&shape, order(&out), [0, base], [&to, from]);
    Copy::new(out, input)?.walk(walk);
    Ok(())
}

/// Copies all of `input` to `out`, which has as many elements: the `n`th in the order of the sizes
/// becomes the `n`th. The memory orders may differ only if the sizes are equal.
pub(crate) fn copy_all(out: TensorMut<'_>, input: &Tensor<'_>) -> Done {
    same_type(out.dtype(), input.dtype())?;
    if same_layout(input, &out)
        || (dense_in_order(&input.shape(), &input.strides()) && dense_in_order(&out.shape(), &out.strides()))
    {
        copy(out.into_bytes(), input.bytes());
        return Ok(());
    }
    if *out.shape() != *input.shape() {
        return Err(KernelError::Unsupported(
            "a view that changes the sizes of a tensor that is not in C order",
        ));
    }
    let from = steps(&input.strides());
    read_strided(out, input, 0, &from)
}

/// Whether elements lie in memory in the order of the sizes, whatever the dimension order says of
/// dimensions of size 1.
fn dense_in_order(shape: &Shape, strides: &[usize]) -> bool {
    let mut expected = 1usize;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        if size != 1 && stride != expected {
            return false;
        }
        expected = expected.saturating_mul(size.max(1) as usize);
    }
    true
}

/// A copy of argument 0 in the sizes that it has (`clone`, `alias_copy`, …).
pub(crate) fn copy_of(ctx: &KernelContext<'_, '_>, out: usize) -> Done {
    let input = ctx.tensor(0)?;
    let out = ctx.out_sized(out, &input.shape())?;
    copy_all(out, &input)
}

/// Copies `input` into the box of `to` that starts at element `base`, in the same sizes.
pub(crate) fn write_box(to: &mut TensorMut<'_>, base: usize, input: &Tensor<'_>) -> Done {
    same_type(to.dtype(), input.dtype())?;
    let shape = input.shape();
    let (size, into, from) = (to.dtype().size(), steps(&to.strides()), steps(&input.strides()));
    let walk = Walk::new(&shape, order(to), [base, 0], [&into, &from]);
    Copy { to: to.bytes_mut(), from: input.bytes(), size }.walk(walk);
    Ok(())
}
