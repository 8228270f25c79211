//! Affine quantization: `real = (stored - zero_point) * scale`.
//!
//! Exactly as upstream's runtime computes it, in `float32`: the reciprocal of the scale is rounded,
//! the product with it is rounded half to even, the zero point is added as a float, and the sum is
//! limited. Upstream leaves NaN and sums beyond 64 bits undefined. Here they saturate, and NaN is 0
//! (then limited), which is what upstream's code does on Arm cores.

use crate::util::math::round_even;
use crate::util::num::{Elements, FLOATS};
use tombolo_runtime::{Dtype, DtypeSet, KernelContext, KernelError, Tensor};

/// The types that hold quantized numbers.
const STORED: DtypeSet =
    DtypeSet::of(&[Dtype::Byte, Dtype::Char, Dtype::Short, Dtype::UInt16, Dtype::Bits16, Dtype::Int]);
/// Floats and quantized numbers.
pub(crate) const TYPES: DtypeSet = FLOATS.with(STORED);
/// The same with scales and zero points that are tensors.
pub(crate) const TENSOR_TYPES: DtypeSet = TYPES.with(DtypeSet::of(&[Dtype::Double, Dtype::Long]));

/// From floats to quantized numbers.
#[derive(Clone, Copy)]
pub(crate) struct Quantizer {
    inverse: f32,
    zero: f32,
    limits: Limits,
}

impl Quantizer {
    pub(crate) fn new(scale: f32, zero_point: i32, limits: Limits) -> Quantizer {
        Quantizer { inverse: 1.0 / scale, zero: zero_point as f32, limits }
    }

    /// The quantized number nearest to `x`.
    pub(crate) fn of(&self, x: f32) -> i32 {
        let sum = self.zero + round_even(self.inverse * x);
        // The conversion saturates, and the limits are within 32 bits.
        (sum as i32).max(self.limits.low).min(self.limits.high)
    }
}

/// The float that the quantized number `q` stands for.
pub(crate) fn dequantized(q: i32, scale: f32, zero_point: i32) -> f32 {
    q.wrapping_sub(zero_point) as f32 * scale
}

/// The smallest and the largest quantized number.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    low: i32,
    high: i32,
}

/// The numbers at `position` and after it as limits of the quantized numbers of type `dtype`.
pub(crate) fn limits(
    ctx: &KernelContext<'_, '_>,
    position: usize,
    dtype: Dtype,
) -> Result<Limits, KernelError> {
    let (least, most) = match dtype {
        Dtype::Byte => (0, 255),
        Dtype::Char => (-128, 127),
        Dtype::Short => (-32768, 32767),
        Dtype::UInt16 | Dtype::Bits16 => (0, 65535),
        Dtype::Int => (i32::MIN, i32::MAX),
        found => return Err(unexpected(found)),
    };
    let (low, high) = (ctx.int(position)?, ctx.int(position.wrapping_add(1))?);
    if low < i64::from(least) || high > i64::from(most) || low > high {
        return Err(KernelError::Invalid("the limits of the quantized numbers do not fit their type"));
    }
    Ok(Limits { low: low as i32, high: high as i32 })
}

/// An error if tensors of `dtype` hold no quantized numbers, or if the type at `position` is another.
pub(crate) fn stored(ctx: &KernelContext<'_, '_>, position: usize, dtype: Dtype) -> Result<(), KernelError> {
    if !STORED.contains(dtype) {
        return Err(unexpected(dtype));
    }
    if ctx.int(position)? != dtype as i64 {
        return Err(KernelError::Invalid(
            "the element type of the quantized tensor differs from the argument dtype",
        ));
    }
    Ok(())
}

fn unexpected(found: Dtype) -> KernelError {
    KernelError::UnexpectedDtype { found, expected: "int8, uint8, int16, uint16 or int32" }
}

/// The numbers at `position` and after it, scale and zero point.
pub(crate) fn scale_and_zero(
    ctx: &KernelContext<'_, '_>,
    position: usize,
) -> Result<(f32, i32), KernelError> {
    Ok((ctx.double(position)? as f32, ctx.int(position.wrapping_add(1))? as i32))
}

/// Scale and zero point of channel `channel`, out of tensors; without zero points they are 0.
pub(crate) fn channel(scales: &Tensor<'_>, zero_points: Option<&Tensor<'_>>, channel: usize) -> (f32, i32) {
    let scale = match scales.dtype() {
        Dtype::Double => f64::from_ne_bytes(crate::util::num::get(scales.bytes(), channel)) as f32,
        _ => Elements::of(scales).f32(channel),
    };
    (scale, zero_points.map_or(0, |points| Elements::of(points).i64(channel) as i32))
}

/// The tensors of scales and zero points at `position` and after it, with one element for each of
/// `count` channels.
pub(crate) fn channels<'c>(
    ctx: &KernelContext<'c, '_>,
    position: usize,
    count: usize,
) -> Result<(Tensor<'c>, Option<Tensor<'c>>), KernelError> {
    let (scales, points) = (ctx.tensor(position)?, ctx.opt_tensor(position.wrapping_add(1))?);
    if !matches!(scales.dtype(), Dtype::Float | Dtype::Double) {
        return Err(KernelError::UnexpectedDtype {
            found: scales.dtype(),
            expected: "float32 or float64 scales",
        });
    }
    if let Some(points) = &points
        && !matches!(points.dtype(), Dtype::Int | Dtype::Long)
    {
        return Err(KernelError::UnexpectedDtype {
            found: points.dtype(),
            expected: "int32 or int64 zero points",
        });
    }
    if scales.count() != count || points.as_ref().is_some_and(|points| points.count() != count) {
        return Err(KernelError::Invalid("there must be one scale and one zero point for each channel"));
    }
    Ok((scales, points))
}
