//! `aten::sym_numel`: the number of elements.

use crate::util::args::Done;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, Value};

/// `aten::sym_numel(Tensor self) -> SymInt`
pub const DEFAULT: KernelDef = KernelDef::new("aten::sym_numel", 2, &[], DtypeSet::ANY, default);

fn default(ctx: &KernelContext<'_, '_>) -> Done {
    ctx.set(1, Value::Int(ctx.shape(0)?.count() as i64))
}

crate::util::fixtures::like_torch!("sym_numel": DEFAULT);
