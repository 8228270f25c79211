//! `aten::native_layer_norm`: zero mean and unit variance over the last dimensions, `float32`.

use crate::util::args::{Done, push};
use crate::util::norm::{moments, parameter, pieces};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Shape};

/// `native_layer_norm.out(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps, *,
/// Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2)`
pub const OUT: KernelDef = KernelDef::new("aten::native_layer_norm.out", 8, &[5, 6, 7], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, normalized) = (ctx.tensor(0)?, ctx.ints(1)?);
    let (weight, bias, eps) = (ctx.opt_tensor(2)?, ctx.opt_tensor(3)?, ctx.double(4)? as f32);
    let shape = input.shape();
    let misfit = KernelError::Invalid("the normalized sizes are not the last sizes of the input");
    let outer = shape.len().checked_sub(normalized.len()).ok_or(misfit)?;
    if normalized.is_empty() || !shape.iter().skip(outer).map(|&n| i64::from(n)).eq(normalized.iter()) {
        return Err(misfit);
    }
    let mut moments_shape = Shape::SCALAR;
    for (d, &size) in shape.iter().enumerate() {
        push(&mut moments_shape, if d < outer { size } else { 1 })?;
    }
    let row = shape.iter().skip(outer).fold(1, |n: usize, &size| n.saturating_mul(size as usize));
    for parameter in [&weight, &bias].into_iter().flatten() {
        if parameter.count() != row {
            return Err(KernelError::Invalid("weight or bias has not the normalized sizes"));
        }
    }
    let mut out = ctx.out_sized(5, &shape)?;
    let (mut means, mut deviations) = (ctx.out_sized(6, &moments_shape)?, ctx.out_sized(7, &moments_shape)?);
    if !input.is_contiguous() || !out.is_contiguous() {
        return Err(KernelError::Unsupported("a layer norm of tensors that are not in C order"));
    }
    let weight = weight.as_ref().map(|w| w.as_slice::<f32>()).transpose()?;
    let bias = bias.as_ref().map(|b| b.as_slice::<f32>()).transpose()?;
    let (input, out) = (input.as_slice::<f32>()?, out.as_mut_slice::<f32>()?);
    let (means, deviations) = (means.as_mut_slice::<f32>()?, deviations.as_mut_slice::<f32>()?);
    pieces(input, out, row, &mut |i, x, y| {
        let (mean, scale) = moments(x, eps);
        if let (Some(mean_out), Some(deviation_out)) = (means.get_mut(i), deviations.get_mut(i)) {
            (*mean_out, *deviation_out) = (mean, scale);
        }
        for (j, (y, x)) in y.iter_mut().zip(x).enumerate() {
            *y = (x - mean) * scale * parameter(weight, j, 1.0) + parameter(bias, j, 0.0);
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("native_layer_norm": OUT);
