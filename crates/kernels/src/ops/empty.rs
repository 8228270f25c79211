//! `aten::empty`: a tensor of some sizes. Its elements are zero here, so that no run depends on what
//! the memory held.

use crate::util::args::{Done, shape};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::empty.out(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::empty.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let shape = shape(ctx.ints(0)?.iter())?;
    ctx.out_sized(2, &shape)?.bytes_mut().fill(0);
    Ok(())
}

crate::util::fixtures::like_torch!("empty": OUT);
