//! `aten::ones`: a tensor of ones.

use crate::util::args::{Done, shape};
use crate::util::movement::{fill, number_bytes};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, Value};

/// `aten::ones.out(SymInt[] size, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::ones.out", 2, &[1], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let out = ctx.out_sized(1, &shape(ctx.ints(0)?.iter())?)?;
    let one = number_bytes(&Value::Int(1), out.dtype())?;
    fill(out, &one);
    Ok(())
}

crate::util::fixtures::like_torch!("ones": OUT);
