//! `aten::_adaptive_avg_pool2d`: means of as many windows as the output has elements, `float32`.

use crate::util::args::Done;
use crate::util::window::{Images, Taps, per_axis, shape_like, size};
use core::num::NonZeroUsize;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `_adaptive_avg_pool2d.out(Tensor self, int[2] output_size, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::_adaptive_avg_pool2d.out", 3, &[2], DtypeSet::FLOAT, run);

/// One spatial dimension.
#[derive(Clone, Copy)]
struct Axis {
    input: usize,
    output: NonZeroUsize,
}

impl Axis {
    fn new(input: usize, output: usize) -> Result<Option<Axis>, KernelError> {
        // Windows are computed from products of places and sizes.
        let fits = output.checked_add(1).and_then(|o| o.checked_mul(input)?.checked_add(output)).is_some();
        if !fits || (input == 0 && output > 0) {
            return Err(KernelError::Invalid("a spatial size is 0 or too large"));
        }
        Ok(NonZeroUsize::new(output).map(|output| Axis { input, output }))
    }

    /// From `o * input / output` rounded down to `(o + 1) * input / output` rounded up.
    fn taps(&self, o: usize) -> Taps {
        let first = o.wrapping_mul(self.input) / self.output;
        let end = ((o + 1).wrapping_mul(self.input) + (self.output.get() - 1)) / self.output;
        let count = end.saturating_sub(first);
        Taps { first, count, padded: count }
    }
}

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let from = Images::of(&input.shape(), &input.strides(), 0)?;
    let [batch, channels, height, width] = from.sizes;
    let sizes = ctx.ints(1)?;
    let (down, right) = (size(per_axis(sizes, 0, 0)?)?, size(per_axis(sizes, 1, 0)?)?);
    let shape = shape_like(input.rank(), 0, [batch, channels, down, right])?;
    let mut out = ctx.out_sized(2, &shape)?;
    let to = Images::of(&out.shape(), &out.strides(), 0)?;
    let (input, out) = (input.as_slice::<f32>()?, out.as_mut_slice::<f32>()?);
    let (Some(rows), Some(columns)) = (Axis::new(height, down)?, Axis::new(width, right)?) else {
        return Ok(());
    };
    if out.is_empty() {
        return Ok(());
    }
    to.each(|[n, c, y, x], place| {
        let (v, h) = (rows.taps(y), columns.taps(x));
        let mut sum = 0.0;
        from.window([n, c], v, h, [1, 1], |_, _, at| sum += input.get(at).copied().unwrap_or(0.0));
        if let Some(slot) = out.get_mut(place) {
            *slot = sum / v.count as f32 / h.count as f32;
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("adaptive_avg_pool2d": OUT);
