//! `aten::expand_copy`: dimensions of size 1 repeated. A size of -1 stays as it is.

use crate::util::args::{Done, broadcast_steps, shape};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::expand_copy.out(Tensor self, SymInt[] size, *, bool implicit=False, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::expand_copy.out", 4, &[3], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, sizes) = (ctx.tensor(0)?, ctx.ints(1)?);
    let added = sizes.len().checked_sub(input.rank());
    let added =
        added.ok_or(KernelError::Invalid("an expanded tensor has at least the dimensions of the input"))?;
    let shape = shape(sizes.iter().enumerate().map(|(i, size)| match i.checked_sub(added) {
        Some(d) if size == -1 => input.dim(d) as i64,
        _ => size,
    }))?;
    let from = broadcast_steps(&input, &shape)?;
    read_strided(ctx.out_sized(3, &shape)?, &input, 0, &from)
}

crate::util::fixtures::like_torch!("expand_copy": OUT);
