//! `aten::upsample_bilinear2d`: linear interpolation in both directions, `float32`, any memory order.

use crate::util::args::Done;
use crate::util::upsample::{Sizes, Upsample, scale};
use tombolo_runtime::{DtypeSet, KernelDef};

/// `upsample_bilinear2d.vec_out(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors, *,
/// Tensor(a!) out)`
pub const VEC_OUT: KernelDef =
    KernelDef::new("aten::upsample_bilinear2d.vec_out", 5, &[4], DtypeSet::FLOAT, |ctx| {
        run(Upsample::load(ctx, Sizes::Either { factors: 3 }, 4)?, ctx.bool(2)?)
    });

/// `upsample_bilinear2d.out(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None,
/// float? scales_w=None, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::upsample_bilinear2d.out", 6, &[5], DtypeSet::FLOAT, |ctx| {
    run(Upsample::load(ctx, Sizes::Given { factors: 3 }, 5)?, ctx.bool(2)?)
});

/// One spatial dimension.
struct Axis {
    input: usize,
    scale: f32,
    align: bool,
}

impl Axis {
    fn new(axis: (usize, usize, Option<f64>), align: bool) -> Axis {
        let (input, output, _) = axis;
        let scale = match align {
            false => scale(axis),
            // The corners of both lie on each other.
            true if output > 1 => input.saturating_sub(1) as f32 / (output - 1) as f32,
            true => 0.0,
        };
        Axis { input, scale, align }
    }

    /// Two neighbours in the input, and the weight of the second.
    fn at(&self, o: usize) -> (usize, usize, f32) {
        let place = if self.align {
            o as f32 * self.scale
        } else {
            // Centres of elements lie on each other; NaN cannot be, and what is before the first is the first.
            ((o as f32 + 0.5) * self.scale - 0.5).max(0.0)
        };
        let last = self.input.saturating_sub(1);
        let first = (place as usize).min(last);
        (first, (first + 1).min(last), (place - first as f32).min(1.0))
    }
}

fn run(mut it: Upsample<'_>, align: bool) -> Done {
    let (rows, columns) = (Axis::new(it.axis(0), align), Axis::new(it.axis(1), align));
    let input = it.input.as_slice::<f32>()?;
    let (from, to) = (it.from, it.to);
    let out = it.out.as_mut_slice::<f32>()?;
    if out.is_empty() {
        return Ok(());
    }
    to.each(|[n, c, y, x], place| {
        let ((top, bottom, v), (left, right, h)) = (rows.at(y), columns.at(x));
        let value = |y, x| input.get(from.place([n, c, y, x])).copied().unwrap_or(0.0);
        let row = |y| (1.0 - h) * value(y, left) + h * value(y, right);
        if let Some(slot) = out.get_mut(place) {
            *slot = (1.0 - v) * row(top) + v * row(bottom);
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("upsample_bilinear2d": VEC_OUT, OUT);
