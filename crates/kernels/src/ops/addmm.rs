//! `aten::addmm`: `beta * self + alpha * (mat1 @ mat2)`, `float32`.
//!
//! As in torch a `beta` of 0 leaves `self` out, NaN and infinity included.

use crate::util::args::{Done, broadcast_steps};
use crate::util::gemm::{Matrices, product};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Shape};

/// `addmm.out(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::addmm.out", 6, &[5], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (bias, a, b) = (ctx.tensor(0)?, ctx.tensor(1)?, ctx.tensor(2)?);
    let (beta, alpha) = (ctx.double(3)? as f32, ctx.double(4)? as f32);
    let sizes = [a.dim(0) as u32, b.dim(1) as u32];
    let shape = Shape::new(&sizes).ok_or(KernelError::Invalid("a matrix has two dimensions"))?;
    let [down, right, ..] = broadcast_steps(&bias, &shape)?;
    let bias = bias.as_slice::<f32>()?;
    product(ctx, Matrices::one(&a)?, Matrices::one(&b)?, 5, &sizes, &|row, column, sum| {
        let sum = alpha * sum;
        if beta == 0.0 {
            return sum;
        }
        let place = row.wrapping_mul(down).wrapping_add(column.wrapping_mul(right));
        sum + beta * bias.get(place).copied().unwrap_or(0.0)
    })
}

crate::util::fixtures::like_torch!("addmm": OUT);
