//! `aten::mm`: the product of two matrices, `float32`.

use crate::util::args::Done;
use crate::util::gemm::{Matrices, product};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::mm.out", 3, &[2], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (a, b) = (ctx.tensor(0)?, ctx.tensor(1)?);
    let shape = [a.dim(0) as u32, b.dim(1) as u32];
    product(ctx, Matrices::one(&a)?, Matrices::one(&b)?, 2, &shape, &|_, _, sum| sum)
}

crate::util::fixtures::like_torch!("mm": OUT);
