//! `aten::_native_batch_norm_legit_no_training`: a scale and an offset per channel out of running
//! mean and variance, `float32`, any memory order.

use crate::util::args::{Done, same_layout};
use crate::util::norm::parameter;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `_native_batch_norm_legit_no_training.out(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean,
/// Tensor running_var, float momentum, float eps, *, Tensor(a!) out0, Tensor(b!) out1, Tensor(c!) out2)`
///
/// `out1` and `out2` are the saved mean and deviation of training; they are empty.
pub const OUT: KernelDef =
    KernelDef::new("aten::_native_batch_norm_legit_no_training.out", 10, &[7, 8, 9], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, weight, bias) = (ctx.tensor(0)?, ctx.opt_tensor(1)?, ctx.opt_tensor(2)?);
    let (mean, variance, eps) = (ctx.tensor(3)?, ctx.tensor(4)?, ctx.double(6)? as f32);
    if input.rank() < 2 {
        return Err(KernelError::Invalid("the input of a batch norm has two dimensions at least"));
    }
    let channels = input.dim(1);
    for parameter in [Some(&mean), Some(&variance), weight.as_ref(), bias.as_ref()].into_iter().flatten() {
        if parameter.count() != channels {
            return Err(KernelError::Invalid("a parameter of a batch norm has not one element per channel"));
        }
    }
    let mut out = ctx.out_sized(7, &input.shape())?;
    ctx.resize(8, &[0])?;
    ctx.resize(9, &[0])?;
    if !same_layout(&input, &out) {
        return Err(KernelError::Unsupported("a batch norm between different memory orders"));
    }
    // So many elements of one channel lie side by side.
    let run = input.strides().get(1).copied().unwrap_or(1);
    let (mean, variance) = (mean.as_slice::<f32>()?, variance.as_slice::<f32>()?);
    let weight = weight.as_ref().map(|w| w.as_slice::<f32>()).transpose()?;
    let bias = bias.as_ref().map(|b| b.as_slice::<f32>()).transpose()?;
    let (input, out) = (input.as_slice::<f32>()?, out.as_mut_slice::<f32>()?);
    for channel in 0..channels {
        let deviation = libm::sqrtf(parameter(Some(variance), channel, 0.0) + eps);
        let scale = parameter(weight, channel, 1.0) / deviation;
        let offset = parameter(bias, channel, 0.0) - parameter(Some(mean), channel, 0.0) * scale;
        let mut start = channel.saturating_mul(run);
        while start < input.len() {
            let (x, y) = (input.get(start..).unwrap_or(&[]), out.get_mut(start..).unwrap_or_default());
            for (y, x) in y.iter_mut().zip(x).take(run) {
                *y = x * scale + offset;
            }
            start = start.saturating_add(run.saturating_mul(channels).max(1));
        }
    }
    Ok(())
}

crate::util::fixtures::like_torch!("native_batch_norm_legit_no_training": OUT);
