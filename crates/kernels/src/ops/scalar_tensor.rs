//! `aten::scalar_tensor`: a number as a tensor without dimensions.

use crate::util::args::Done;
use crate::util::movement::{fill, scalar_bytes};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::scalar_tensor.out(Scalar s, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::scalar_tensor.out", 2, &[1], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let out = ctx.out_sized(1, &[])?;
    let value = scalar_bytes(ctx, 0, out.dtype())?;
    fill(out, &value);
    Ok(())
}

crate::util::fixtures::like_torch!("scalar_tensor": OUT);
