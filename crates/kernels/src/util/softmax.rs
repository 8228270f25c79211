//! What softmax and log-softmax share.

use crate::util::args::{Done, dim, same_layout};
use crate::util::math::maximum;
use crate::util::norm::pieces;
use tombolo_runtime::{KernelContext, KernelError};

/// For each line of argument 0 along the dimension of argument 1: writes `finish(keep(x - max), sum)`
/// to the output at position 3, where `max` is the largest element and `sum` that of `exp(x - max)`.
#[inline(never)]
pub(crate) fn lines(
    ctx: &KernelContext<'_, '_>,
    keep: &dyn Fn(f32) -> f32,
    finish: &dyn Fn(f32, f32) -> f32,
) -> Done {
    let input = ctx.tensor(0)?;
    let shape = input.shape();
    let dim = dim(ctx.int(1)?, shape.len())?;
    if ctx.bool(2)? {
        return Err(KernelError::Unsupported("a softmax of float16 with a float32 result"));
    }
    let mut out = ctx.out_sized(3, &shape)?;
    if !same_layout(&input, &out) {
        return Err(KernelError::Unsupported("a softmax between different memory orders"));
    }
    // A scalar has one dimension of size 1.
    let (size, step) = (input.dim(dim), input.strides().get(dim).copied().unwrap_or(1));
    let (input, out) = (input.as_slice::<f32>()?, out.as_mut_slice::<f32>()?);
    let block = size.saturating_mul(step);
    pieces(input, out, block, &mut |_, x, y| {
        for first in 0..step {
            let places = (0..size).map(|k| first.wrapping_add(k.wrapping_mul(step)));
            let value = |i| x.get(i).copied().unwrap_or(0.0);
            let largest = places.clone().fold(f32::NEG_INFINITY, |largest, i| maximum(largest, value(i)));
            let mut sum = 0.0;
            for i in places.clone() {
                let x = value(i) - largest;
                sum += libm::expf(x);
                if let Some(y) = y.get_mut(i) {
                    *y = keep(x);
                }
            }
            for i in places {
                if let Some(y) = y.get_mut(i) {
                    *y = finish(*y, sum);
                }
            }
        }
    });
    Ok(())
}
