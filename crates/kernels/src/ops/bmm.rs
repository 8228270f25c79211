//! `aten::bmm`: products of matrices in two batches, `float32`.

use crate::util::args::Done;
use crate::util::gemm::{Matrices, product};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `bmm.out(Tensor self, Tensor mat2, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::bmm.out", 3, &[2], DtypeSet::FLOAT, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (a, b) = (ctx.tensor(0)?, ctx.tensor(1)?);
    let shape = [a.dim(0) as u32, a.dim(1) as u32, b.dim(2) as u32];
    product(ctx, Matrices::batch(&a)?, Matrices::batch(&b)?, 2, &shape, &|_, _, sum| sum)
}

crate::util::fixtures::like_torch!("bmm": OUT);
