//! `aten::upsample_nearest2d`: each output element is the nearest input element up or left of it. Any
//! element type and memory order.

use crate::util::args::Done;
use crate::util::movement::same_type;
use crate::util::num::{get, put};
use crate::util::upsample::{Sizes, Upsample, scale};
use tombolo_runtime::{DtypeSet, KernelDef};

/// `upsample_nearest2d.vec_out(Tensor input, int[]? output_size, float[]? scale_factors, *, Tensor(a!) out)`
pub const VEC_OUT: KernelDef =
    KernelDef::new("aten::upsample_nearest2d.vec_out", 4, &[3], DtypeSet::ANY, |ctx| {
        run(Upsample::load(ctx, Sizes::Either { factors: 2 }, 3)?)
    });

/// `upsample_nearest2d.out(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None, *,
/// Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::upsample_nearest2d.out", 5, &[4], DtypeSet::ANY, |ctx| {
    run(Upsample::load(ctx, Sizes::Given { factors: 2 }, 4)?)
});

fn run(mut it: Upsample<'_>) -> Done {
    same_type(it.out.dtype(), it.input.dtype())?;
    let (down, right) = (it.axis(0), it.axis(1));
    let (down_scale, right_scale) = (scale(down), scale(right));
    let nearest =
        |o: usize, scale: f32, input: usize| ((o as f32 * scale) as usize).min(input.saturating_sub(1));
    let (input, size, to) = (it.input.bytes(), it.out.dtype().size(), it.to);
    if it.out.count() == 0 {
        return Ok(());
    }
    let out = it.out.bytes_mut();
    to.each(|[n, c, y, x], place| {
        let (y, x) = (nearest(y, down_scale, down.0), nearest(x, right_scale, right.0));
        let from = it.from.place([n, c, y, x]);
        match size {
            1 => put::<1>(out, place, get(input, from)),
            2 => put::<2>(out, place, get(input, from)),
            4 => put::<4>(out, place, get(input, from)),
            _ => put::<8>(out, place, get(input, from)),
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("upsample_nearest2d": VEC_OUT, OUT);
