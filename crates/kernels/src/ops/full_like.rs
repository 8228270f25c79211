//! `aten::full_like`: a tensor of the sizes of another, all elements the same number.

use crate::util::args::Done;
use crate::util::movement::{fill, scalar_bytes};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::full_like.out(Tensor self, Scalar fill_value, *, MemoryFormat? memory_format=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::full_like.out", 4, &[3], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let sizes = ctx.shape(0)?;
    let out = ctx.out_sized(3, &sizes)?;
    let value = scalar_bytes(ctx, 1, out.dtype())?;
    fill(out, &value);
    Ok(())
}

crate::util::fixtures::like_torch!("full_like": OUT);
