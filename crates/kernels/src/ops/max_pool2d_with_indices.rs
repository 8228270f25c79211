//! `aten::max_pool2d_with_indices`: the largest element of each window and where it is, `float32`.
//!
//! As in torch a NaN is larger than everything, the last of several NaN counts and the first of
//! several equal elements; an index is `row * width + column` in the plane of its channel.

use crate::util::args::Done;
use crate::util::window::{Images, Pool, per_axis, shape_like};
use tombolo_runtime::{Dtype, DtypeSet, KernelContext, KernelDef};

/// `max_pool2d_with_indices.out(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
/// int[2] dilation=1, bool ceil_mode=False, *, Tensor(a!) out, Tensor(b!) indices)`
pub const OUT: KernelDef = KernelDef::new(
    "aten::max_pool2d_with_indices.out",
    8,
    &[6, 7],
    DtypeSet::of(&[Dtype::Float, Dtype::Long]),
    run,
);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let from = Images::of(&input.shape(), &input.strides(), 0)?;
    let [batch, channels, height, width] = from.sizes;
    let lists = [ctx.ints(1)?, ctx.ints(2)?, ctx.ints(3)?];
    let (dilation, ceil) = (ctx.ints(4)?, ctx.bool(5)?);
    let rows = Pool::new(0, height, lists, Some(dilation), ceil)?;
    let columns = Pool::new(1, width, lists, Some(dilation), ceil)?;
    let apart = |axis| if dilation.is_empty() { Ok(1) } else { per_axis(dilation, axis, 1) };
    let apart = [apart(0)? as usize, apart(1)? as usize];
    let shape = shape_like(input.rank(), 0, [batch, channels, rows.output, columns.output])?;
    let (mut out, mut indices) = (ctx.out_sized(6, &shape)?, ctx.out_sized(7, &shape)?);
    let to = Images::of(&out.shape(), &out.strides(), 0)?;
    let index_to = Images::of(&indices.shape(), &indices.strides(), 0)?;
    let input = input.as_slice::<f32>()?;
    let (out, indices) = (out.as_mut_slice::<f32>()?, indices.as_mut_slice::<i64>()?);
    if out.is_empty() {
        return Ok(());
    }
    to.each(|at, place| {
        let [n, c, y, x] = at;
        let (v, h) = (rows.taps(y), columns.taps(x));
        let mut largest = f32::NEG_INFINITY;
        let mut index = v.first.wrapping_mul(width).wrapping_add(h.first);
        from.window([n, c], v, h, apart, |y, x, at| {
            let value = input.get(at).copied().unwrap_or(0.0);
            if value > largest || value.is_nan() {
                largest = value;
                index = y.wrapping_mul(width).wrapping_add(x);
            }
        });
        if let Some(slot) = out.get_mut(place) {
            *slot = largest;
        }
        if let Some(slot) = indices.get_mut(index_to.place(at)) {
            *slot = index as i64;
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("max_pool2d_with_indices": OUT);
