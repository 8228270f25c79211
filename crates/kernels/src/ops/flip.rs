//! `aten::flip`: the order of the elements reversed along the named dimensions.

use crate::util::args::{Done, bit, dim, steps};
use crate::util::movement::read_strided;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::flip.out(Tensor self, int[] dims, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::flip.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    let rank = input.rank();
    let set = ctx.ints(1)?.iter().try_fold(0, |set, d| Ok::<u32, KernelError>(set | bit(dim(d, rank)?)))?;
    let shape = input.shape();
    let out = ctx.out_sized(2, &shape)?;
    if input.count() == 0 {
        return Ok(());
    }
    let mut from = steps(&input.strides());
    let mut base = 0usize;
    for (d, (step, &size)) in from.iter_mut().zip(shape.iter()).enumerate() {
        if set & bit(d) != 0 {
            base = base.wrapping_add(step.wrapping_mul((size as usize).wrapping_sub(1)));
            *step = step.wrapping_neg();
        }
    }
    read_strided(out, &input, base, &from)
}

crate::util::fixtures::like_torch!("flip": OUT);
