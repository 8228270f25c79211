//! `aten::unsqueeze_copy`: with one more dimension, of size 1.

use crate::util::args::{Done, dim, push};
use crate::util::movement::copy_all;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, Shape};

/// `aten::unsqueeze_copy.out(Tensor self, int dim, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::unsqueeze_copy.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let axis = dim(ctx.int(1)?, input.rank().saturating_add(1))?;
    let mut shape = Shape::SCALAR;
    for d in 0..=input.rank() {
        if d == axis {
            push(&mut shape, 1)?;
        }
        if let Some(&size) = input.shape().get(d) {
            push(&mut shape, size)?;
        }
    }
    copy_all(ctx.out_sized(2, &shape)?, &input)
}

crate::util::fixtures::like_torch!("unsqueeze_copy": OUT);
