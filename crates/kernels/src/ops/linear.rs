//! `aten::linear`: `input @ weight^T + bias`, `float32`.

use crate::util::args::{Done, with_dim};
use crate::util::gemm::{Matrices, multiply};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `linear.out(Tensor input, Tensor weight, Tensor? bias=None, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::linear.out", 4, &[3], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, weight, bias) = (ctx.tensor(0)?, ctx.tensor(1)?, ctx.opt_tensor(2)?);
    let weight = Matrices::one(&weight)?.transposed();
    let [_, depth, features] = weight.sizes;
    let shape = input.shape();
    let (Some(last), Some(&size)) = (shape.len().checked_sub(1), shape.last()) else {
        return Err(KernelError::Invalid("the input of a linear layer has no dimension"));
    };
    if size as usize != depth {
        return Err(KernelError::Invalid("the weight does not fit the last dimension of the input"));
    }
    let bias = match &bias {
        Some(bias) if bias.count() != features => {
            return Err(KernelError::Invalid("the bias has not one element per row of the weight"));
        }
        Some(bias) => bias.as_slice::<f32>()?,
        None => &[],
    };
    let mut out = ctx.out_sized(3, &with_dim(&shape, last, features)?)?;
    if !input.is_contiguous() || !out.is_contiguous() {
        return Err(KernelError::Unsupported("a linear layer on tensors that are not in C order"));
    }
    let rows = shape.iter().take(last).fold(1, |n: usize, &size| n.saturating_mul(size as usize));
    let input = Matrices { data: input.as_slice()?, sizes: [1, rows, depth], strides: [0, depth, 1] };
    let out = out.as_mut_slice::<f32>()?;
    if out.is_empty() {
        return Ok(());
    }
    multiply([0, rows, features, depth], input, weight, &mut |row, column, sum| {
        if let Some(slot) = out.get_mut(row.wrapping_mul(features).wrapping_add(column)) {
            *slot = sum + bias.get(column).copied().unwrap_or(0.0);
        }
    });
    Ok(())
}

crate::util::fixtures::like_torch!("linear": OUT);
