//! `aten::full`: a tensor of some sizes, all elements the same number.

use crate::util::args::{Done, shape};
use crate::util::movement::{fill, scalar_bytes};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::full.out(SymInt[] size, Scalar fill_value, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::full.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let out = ctx.out_sized(2, &shape(ctx.ints(0)?.iter())?)?;
    let value = scalar_bytes(ctx, 1, out.dtype())?;
    fill(out, &value);
    Ok(())
}

crate::util::fixtures::like_torch!("full": OUT);
