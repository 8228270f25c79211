//! `aten::zeros`: a tensor of zeros.

use crate::util::args::{Done, shape};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::zeros.out(SymInt[] size, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::zeros.out", 2, &[1], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let shape = shape(ctx.ints(0)?.iter())?;
    ctx.out_sized(1, &shape)?.bytes_mut().fill(0);
    Ok(())
}

crate::util::fixtures::like_torch!("zeros": OUT);
