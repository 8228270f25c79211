//! `aten::sym_size`: the size of a dimension.

use crate::util::args::{Done, dim};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, Value};

/// `aten::sym_size.int(Tensor self, int dim) -> SymInt`
pub const INT: KernelDef = KernelDef::new("aten::sym_size.int", 3, &[], DtypeSet::ANY, int);

fn int(ctx: &KernelContext<'_, '_>) -> Done {
    let shape = ctx.shape(0)?;
    let size = shape.dim(dim(ctx.int(1)?, shape.len())?);
    ctx.set(2, Value::Int(size as i64))
}

crate::util::fixtures::like_torch!("sym_size": INT);
