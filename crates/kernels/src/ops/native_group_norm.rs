//! `aten::native_group_norm`: zero mean and unit variance over groups of channels, `float32`.

use crate::util::args::Done;
use crate::util::norm::{moments, parameter, pieces};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `native_group_norm.out(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group,
/// float eps, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2)`
pub const OUT: KernelDef =
    KernelDef::new("aten::native_group_norm.out", 11, &[8, 9, 10], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, weight, bias) = (ctx.tensor(0)?, ctx.opt_tensor(1)?, ctx.opt_tensor(2)?);
    let eps = ctx.double(7)? as f32;
    let misfit =
        KernelError::Invalid("the input has not the sizes N, C and HxW, or C is no multiple of the groups");
    let number = |position| usize::try_from(ctx.int(position)?).map_err(|_| misfit);
    let (batch, channels, pixels, groups) = (number(3)?, number(4)?, number(5)?, number(6)?);
    let count = batch.checked_mul(channels).and_then(|n| n.checked_mul(pixels));
    let per_group = channels.checked_div(groups).ok_or(misfit)?;
    if count != Some(input.count()) || per_group.checked_mul(groups) != Some(channels) {
        return Err(misfit);
    }
    for parameter in [&weight, &bias].into_iter().flatten() {
        if parameter.count() != channels {
            return Err(KernelError::Invalid("weight or bias has not one element per channel"));
        }
    }
    let sizes = |n: usize| u32::try_from(n).map_err(|_| misfit);
    let moments_shape = [sizes(batch)?, sizes(groups)?];
    let mut out = ctx.out_sized(8, &input.shape())?;
    let (mut means, mut deviations) = (ctx.out_sized(9, &moments_shape)?, ctx.out_sized(10, &moments_shape)?);
    if !input.is_contiguous() || !out.is_contiguous() {
        return Err(KernelError::Unsupported("a group norm of tensors that are not in C order"));
    }
    let weight = weight.as_ref().map(|w| w.as_slice::<f32>()).transpose()?;
    let bias = bias.as_ref().map(|b| b.as_slice::<f32>()).transpose()?;
    let (input, out) = (input.as_slice::<f32>()?, out.as_mut_slice::<f32>()?);
    let (means, deviations) = (means.as_mut_slice::<f32>()?, deviations.as_mut_slice::<f32>()?);
    let mut channel = 0;
    pieces(input, out, per_group.saturating_mul(pixels), &mut |i, x, y| {
        let (mean, scale) = moments(x, eps);
        if let (Some(mean_out), Some(deviation_out)) = (means.get_mut(i), deviations.get_mut(i)) {
            (*mean_out, *deviation_out) = (mean, scale);
        }
        pieces(x, y, pixels, &mut |_, x, y| {
            let (w, b) = (parameter(weight, channel, 1.0), parameter(bias, channel, 0.0));
            for (y, x) in y.iter_mut().zip(x) {
                *y = (x - mean) * scale * w + b;
            }
            channel = if channel + 1 == channels { 0 } else { channel + 1 };
        });
    });
    Ok(())
}

crate::util::fixtures::like_torch!("native_group_norm": OUT);
