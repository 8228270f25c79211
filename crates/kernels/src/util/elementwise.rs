//! Operators that compute each element of the output from one or two elements of the inputs.
//!
//! Every operator gets one inlined loop, for `float32` tensors in equal layouts. Anything else
//! (other types, broadcasting, mixed memory orders) goes through one of four shared loops that call
//! the operator's function per element.

use crate::util::args::{Done, broadcast, broadcast_steps, order, same_layout};
use crate::util::num::{Elements, ElementsMut, is_float};
use crate::util::walk::Walk;
use core::cell::Cell;
use tombolo_runtime::{KernelContext, KernelError, Tensor, TensorMut, Value};

/// A number among the arguments, as a float and as an integer.
#[derive(Clone, Copy)]
pub(crate) struct Scalar {
    pub(crate) float: f32,
    pub(crate) int: i64,
}

/// The number at `position`.
pub(crate) fn scalar(ctx: &KernelContext<'_, '_>, position: usize) -> Result<Scalar, KernelError> {
    match ctx.value(position)? {
        Value::Double(value) => Ok(Scalar { float: value as f32, int: value as i64 }),
        _ => ctx.int(position).map(|value| Scalar { float: value as f32, int: value }),
    }
}

/// The number at `position` as a float, for the entries that take `float32` only: without the
/// conversions of 64-bit integers.
pub(crate) fn float32(ctx: &KernelContext<'_, '_>, position: usize) -> Result<f32, KernelError> {
    match ctx.value(position)? {
        Value::Double(value) => narrow(value).ok_or(KernelError::Unsupported("a number beyond float32")),
        _ => match i32::try_from(ctx.int(position)?) {
            Ok(value) => Ok(value as f32),
            Err(_) => Err(KernelError::Unsupported("a number beyond 32 bits")),
        },
    }
}

/// `value` rounded to `float32`, half to even, as the cast does, without the routine that a cast links on a
/// core without double precision. Nothing for what is not a normal `float32` or zero.
fn narrow(value: f64) -> Option<f32> {
    let bits = value.to_bits();
    let (high, low) = ((bits >> 32) as u32, bits as u32);
    let sign = high & 0x8000_0000;
    if high << 1 | low == 0 {
        return Some(f32::from_bits(sign));
    }
    // The exponents are biased by 1023 and 127.
    let exponent = (high >> 20 & 0x7ff).wrapping_sub(1023 - 127);
    if !(1..=254).contains(&exponent) {
        return None;
    }
    let kept = exponent << 23 | (high & 0xf_ffff) << 3 | low >> 29;
    let rest = low << 3;
    // A carry out of the fraction goes into the exponent, where it belongs.
    let up = rest > 1 << 31 || rest == 1 << 31 && kept & 1 != 0;
    Some(f32::from_bits(sign | (kept + u32::from(up))))
}

/// Remembers whether a division of integers had no result.
#[derive(Default)]
pub(crate) struct Checked {
    failed: Cell<bool>,
}

impl Checked {
    /// The quotient, or 0 and a note that there is none.
    pub(crate) fn of(&self, quotient: Option<i64>) -> i64 {
        if quotient.is_none() {
            self.failed.set(true);
        }
        quotient.unwrap_or(0)
    }

    /// An error if a division failed, else `done`.
    pub(crate) fn done(&self, done: Done) -> Done {
        if self.failed.get() { Err(KernelError::Invalid("an integer is divided by zero")) } else { done }
    }
}

/// One input, one output of its sizes.
pub(crate) struct Unary<'c> {
    input: Tensor<'c>,
    out: TensorMut<'c>,
}

impl<'c> Unary<'c> {
    /// Argument 0 and the output at position `out`, which gets the sizes of the input.
    pub(crate) fn load(ctx: &KernelContext<'c, '_>, out: usize) -> Result<Self, KernelError> {
        Unary::load_at(ctx, 0, out)
    }

    fn load_at(ctx: &KernelContext<'c, '_>, input: usize, out: usize) -> Result<Self, KernelError> {
        let input = ctx.tensor(input)?;
        let out = ctx.out_sized(out, &input.shape())?;
        Ok(Unary { input, out })
    }

    /// Whether the input holds floats.
    pub(crate) fn float_input(&self) -> bool {
        is_float(self.input.dtype())
    }

    /// Computes in `float32`.
    pub(crate) fn float(mut self, f: impl Fn(f32) -> f32) -> Done {
        if same_layout(&self.input, &self.out)
            && let Ok(input) = self.input.as_slice::<f32>()
            && let Ok(out) = self.out.as_mut_slice::<f32>()
        {
            for (out, &x) in out.iter_mut().zip(input) {
                *out = f(x);
            }
            return Ok(());
        }
        self.float_any(&f)
    }

    #[inline(never)]
    fn float_any(self, f: &dyn Fn(f32) -> f32) -> Done {
        let input = Elements::of(&self.input);
        let (walk, mut out) = self.walk()?;
        walk.each(&mut |n, [i]| out.set_f32(n, f(input.f32(i))));
        Ok(())
    }

    /// Computes in 64-bit integers; the output keeps the low bits.
    #[inline(never)]
    pub(crate) fn int(self, f: &dyn Fn(i64) -> i64) -> Done {
        let input = Elements::of(&self.input);
        let (walk, mut out) = self.walk()?;
        walk.each(&mut |n, [i]| out.set_i64(n, f(input.i64(i))));
        Ok(())
    }

    fn walk(self) -> Result<(Walk<1>, ElementsMut<'c>), KernelError> {
        let shape = self.out.shape();
        let steps = broadcast_steps(&self.input, &shape)?;
        let walk = Walk::new(&shape, order(&self.out), [0], [&steps]);
        Ok((walk, ElementsMut::of(self.out)))
    }
}

/// An operator on floats only: integers are converted.
pub(crate) fn float(ctx: &KernelContext<'_, '_>, out: usize, f: impl Fn(f32) -> f32) -> Done {
    Unary::load(ctx, out)?.float(f)
}

/// An operator that keeps the kind of number: floats or integers. An integer input with a float
/// output (a float scalar was among the arguments) computes in floats.
pub(crate) fn number(
    ctx: &KernelContext<'_, '_>,
    out: usize,
    float: impl Fn(f32) -> f32,
    int: impl Fn(i64) -> i64,
) -> Done {
    number_at(ctx, 0, out, float, int)
}

/// As [`number`], of the tensor at position `input`.
pub(crate) fn number_at(
    ctx: &KernelContext<'_, '_>,
    input: usize,
    out: usize,
    float: impl Fn(f32) -> f32,
    int: impl Fn(i64) -> i64,
) -> Done {
    let unary = Unary::load_at(ctx, input, out)?;
    if unary.float_input() || is_float(ctx.dtype(out)?) { unary.float(float) } else { unary.int(&int) }
}

/// Two inputs that broadcast, one output.
pub(crate) struct Binary<'c> {
    a: Tensor<'c>,
    b: Tensor<'c>,
    out: TensorMut<'c>,
}

impl<'c> Binary<'c> {
    /// Arguments 0 and 1 and the output at position `out`, which gets the sizes they broadcast to.
    pub(crate) fn load(ctx: &KernelContext<'c, '_>, out: usize) -> Result<Self, KernelError> {
        let (a, b) = (ctx.tensor(0)?, ctx.tensor(1)?);
        let out = ctx.out_sized(out, &broadcast(&a.shape(), &b.shape())?)?;
        Ok(Binary { a, b, out })
    }

    /// Whether one of the inputs holds floats.
    pub(crate) fn float_input(&self) -> bool {
        is_float(self.a.dtype()) || is_float(self.b.dtype())
    }

    /// Computes in `float32`.
    pub(crate) fn float(mut self, f: impl Fn(f32, f32) -> f32) -> Done {
        if same_layout(&self.a, &self.out)
            && same_layout(&self.b, &self.out)
            && let Ok(a) = self.a.as_slice::<f32>()
            && let Ok(b) = self.b.as_slice::<f32>()
            && let Ok(out) = self.out.as_mut_slice::<f32>()
        {
            for (out, (&a, &b)) in out.iter_mut().zip(a.iter().zip(b)) {
                *out = f(a, b);
            }
            return Ok(());
        }
        self.float_any(&f)
    }

    #[inline(never)]
    fn float_any(self, f: &dyn Fn(f32, f32) -> f32) -> Done {
        let (a, b) = (Elements::of(&self.a), Elements::of(&self.b));
        let (walk, mut out) = self.walk()?;
        walk.each(&mut |n, [i, j]| out.set_f32(n, f(a.f32(i), b.f32(j))));
        Ok(())
    }

    /// Computes in 64-bit integers; the output keeps the low bits.
    #[inline(never)]
    pub(crate) fn int(self, f: &dyn Fn(i64, i64) -> i64) -> Done {
        let (a, b) = (Elements::of(&self.a), Elements::of(&self.b));
        let (walk, mut out) = self.walk()?;
        walk.each(&mut |n, [i, j]| out.set_i64(n, f(a.i64(i), b.i64(j))));
        Ok(())
    }

    /// Computes with whether the elements are not zero.
    #[inline(never)]
    pub(crate) fn truth(self, f: &dyn Fn(bool, bool) -> bool) -> Done {
        let (a, b) = (Elements::of(&self.a), Elements::of(&self.b));
        let (walk, mut out) = self.walk()?;
        walk.each(&mut |n, [i, j]| out.set_i64(n, i64::from(f(a.truth(i), b.truth(j)))));
        Ok(())
    }

    fn walk(self) -> Result<(Walk<2>, ElementsMut<'c>), KernelError> {
        let shape = self.out.shape();
        let (a, b) = (broadcast_steps(&self.a, &shape)?, broadcast_steps(&self.b, &shape)?);
        let walk = Walk::new(&shape, order(&self.out), [0; 2], [&a, &b]);
        Ok((walk, ElementsMut::of(self.out)))
    }
}

/// An operator on two numbers that keeps their kind: floats if one of them is a float, or if the
/// result is to be one (as with the true division of integers).
pub(crate) fn numbers(
    ctx: &KernelContext<'_, '_>,
    out: usize,
    float: impl Fn(f32, f32) -> f32,
    int: impl Fn(i64, i64) -> i64,
) -> Done {
    let binary = Binary::load(ctx, out)?;
    if binary.float_input() || is_float(ctx.dtype(out)?) { binary.float(float) } else { binary.int(&int) }
}

/// An operator on two `float32` tensors that have the sizes and the memory order of the output, for the
/// entries that take nothing else: no code for other types, broadcasting or computed sizes is linked.
pub(crate) fn floats32(ctx: &KernelContext<'_, '_>, out: usize, f: impl Fn(f32, f32) -> f32) -> Done {
    let (a, b) = (ctx.tensor(0)?, ctx.tensor(1)?);
    let mut out = ctx.out(out)?;
    let like_out =
        |tensor: &Tensor<'_>| *tensor.shape() == *out.shape() && tensor.dim_order() == out.dim_order();
    if !like_out(&a) || !like_out(&b) {
        return Err(KernelError::Unsupported("sizes or memory orders that differ"));
    }
    let (a, b) = (a.as_slice::<f32>()?, b.as_slice::<f32>()?);
    for (out, (&a, &b)) in out.as_mut_slice::<f32>()?.iter_mut().zip(a.iter().zip(b)) {
        *out = f(a, b);
    }
    Ok(())
}

/// A comparison of two tensors (`Tensor_out` overloads).
pub(crate) fn compare(
    ctx: &KernelContext<'_, '_>,
    float: impl Fn(f32, f32) -> bool,
    int: impl Fn(i64, i64) -> bool,
) -> Done {
    let binary = Binary::load(ctx, 2)?;
    if binary.float_input() {
        binary.float_any(&|a, b| f32::from(u8::from(float(a, b))))
    } else {
        binary.int(&|a, b| i64::from(int(a, b)))
    }
}

/// A comparison of a tensor with a number (`Scalar_out` overloads).
pub(crate) fn compare_scalar(
    ctx: &KernelContext<'_, '_>,
    float: impl Fn(f32, f32) -> bool,
    int: impl Fn(i64, i64) -> bool,
) -> Done {
    let unary = Unary::load(ctx, 2)?;
    match ctx.value(1)? {
        Value::Double(_) => {}
        _ if unary.float_input() => {}
        _ => {
            let b = ctx.int(1)?;
            return unary.int(&|a| i64::from(int(a, b)));
        }
    }
    let b = ctx.double(1)? as f32;
    unary.float_any(&|a| f32::from(u8::from(float(a, b))))
}
