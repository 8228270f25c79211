//! Operators that move elements without looking at them.

use crate::util::args::{Done, copy, order, same_layout, steps, with_dim};
use crate::util::num::{ElementsMut, get, is_float, put};
use crate::util::walk::{Run, Steps, Walk};
use tombolo_runtime::{Dtype, KernelContext, KernelError, Shape, Tensor, TensorMut, Value};

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

/// Copies element `i` of `from` to element `n` of `to`.
pub(crate) fn put_element(to: &mut [u8], n: usize, from: &[u8], i: usize, size: usize) {
    match size {
        1 => put::<1>(to, n, get(from, i)),
        2 => put::<2>(to, n, get(from, i)),
        4 => put::<4>(to, n, get(from, i)),
        _ => put::<8>(to, n, get(from, i)),
    }
}

/// The number at `position` as an element of `dtype`, in the first bytes.
pub(crate) fn scalar_bytes(
    ctx: &KernelContext<'_, '_>,
    position: usize,
    dtype: Dtype,
) -> Result<[u8; 8], KernelError> {
    number_bytes(&ctx.value(position)?, dtype)
}

/// A number as an element of `dtype`, in the first bytes.
pub(crate) fn number_bytes(value: &Value<'_>, dtype: Dtype) -> Result<[u8; 8], KernelError> {
    let mut bytes = [0; 8];
    let mut element = ElementsMut::over(dtype, &mut bytes);
    let value = match *value {
        Value::Double(value) if dtype == Dtype::Double => return Ok(value.to_ne_bytes()),
        Value::Double(value) if is_float(dtype) || dtype == Dtype::Bool => {
            element.set_f32(0, value as f32);
            return Ok(bytes);
        }
        Value::Double(value) => value as i64,
        Value::Int(value) => value,
        Value::Bool(value) => i64::from(value),
        _ => return Err(KernelError::Invalid("a value is not a number")),
    };
    if dtype == Dtype::Double {
        return Ok((value as f64).to_ne_bytes());
    }
    element.set_i64(0, value);
    Ok(bytes)
}

/// Sets all elements to the one in the first bytes of `value`.
pub(crate) fn fill(mut out: TensorMut<'_>, value: &[u8; 8]) {
    let (count, size) = (out.count(), out.dtype().size());
    let bytes = out.bytes_mut();
    for n in 0..count {
        put_element(bytes, n, value, 0, size);
    }
}

/// Copies the parts of argument 0 along `axis` to the tensors of the list of outputs at position
/// `out`. `size` says how large part `i` is; together they must be the dimension.
pub(crate) fn split(
    ctx: &KernelContext<'_, '_>,
    axis: usize,
    out: usize,
    size: impl Fn(usize) -> Option<usize>,
) -> Done {
    let input = ctx.tensor(0)?;
    let misfit = KernelError::Invalid("the parts are not the whole dimension");
    let from = steps(&input.strides());
    let stride = from.get(axis).copied().unwrap_or(0);
    let mut start = 0usize;
    for i in 0..ctx.tensor_count(out)? {
        let size = size(i).ok_or(misfit)?;
        let shape = with_dim(&input.shape(), axis, size)?;
        read_strided(ctx.out_item(out, i, &shape)?, &input, start.wrapping_mul(stride), &from)?;
        start = start.saturating_add(size);
    }
    if start == input.dim(axis) { Ok(()) } else { Err(misfit) }
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
