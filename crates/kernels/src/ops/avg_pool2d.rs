//! `aten::avg_pool2d`: means of windows, `float32`.

use crate::util::args::Done;
use crate::util::window::{Images, Pool, shape_like};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `avg_pool2d.out(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False,
/// bool count_include_pad=True, int? divisor_override=None, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::avg_pool2d.out", 8, &[7], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let from = Images::of(&input.shape(), &input.strides(), 0)?;
    let (ceil, padding_counts, divisor) = (ctx.bool(4)?, ctx.bool(5)?, ctx.opt_int(6)?);
    if divisor == Some(0) {
        return Err(KernelError::Invalid("the divisor is 0"));
    }
    let [batch, channels, height, width] = from.sizes;
    let lists = [ctx.ints(1)?, ctx.ints(2)?, ctx.ints(3)?];
    let (rows, columns) = (Pool::new(0, height, lists, None, ceil)?, Pool::new(1, width, lists, None, ceil)?);
    let shape = shape_like(input.rank(), 0, [batch, channels, rows.output, columns.output])?;
    let mut out = ctx.out_sized(7, &shape)?;
    let to = Images::of(&out.shape(), &out.strides(), 0)?;
    let input = input.as_slice::<f32>()?;
    let out = out.as_mut_slice::<f32>()?;
    if out.is_empty() {
        return Ok(());
    }
    to.each(|[n, c, y, x], place| {
        let (v, h) = (rows.taps(y), columns.taps(x));
        let mut sum = 0.0;
        from.window([n, c], v, h, [1, 1], |_, _, at| sum += input.get(at).copied().unwrap_or(0.0));
        let count = match divisor {
            Some(divisor) => divisor as f32,
            None if padding_counts => v.padded as f32 * h.padded as f32,
            None => v.count as f32 * h.count as f32,
        };
        if let Some(slot) = out.get_mut(place) {
            // A window of ceil mode may hold nothing but padding.
            *slot = if v.count == 0 || h.count == 0 { 0.0 } else { sum / count };
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("avg_pool2d": OUT);
