//! `aten::repeat`: the tensor side by side, so and so often along each dimension.

use crate::util::args::{Done, push, shape, steps};
use crate::util::movement::{Copy, same_type};
use crate::util::walk::Walk;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, MAX_RANK, Shape};

/// `aten::repeat.out(Tensor self, SymInt[] repeats, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::repeat.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, repeats) = (ctx.tensor(0)?, shape(ctx.ints(1)?.iter())?);
    let added = repeats.len().checked_sub(input.rank());
    let added = added.ok_or(KernelError::Invalid("there are fewer repeats than dimensions"))?;
    // The input with leading dimensions of size 1, and its steps.
    let (mut tile, mut sizes, mut from) = (Shape::SCALAR, Shape::SCALAR, [0; MAX_RANK]);
    for (d, &times) in repeats.iter().enumerate() {
        let size = d.checked_sub(added).map_or(1, |d| input.dim(d) as u32);
        push(&mut tile, size)?;
        push(&mut sizes, size.saturating_mul(times))?;
    }
    for (step, &stride) in from.iter_mut().skip(added).zip(input.strides().iter()) {
        *step = stride;
    }
    let mut out = ctx.out_sized(2, &sizes)?;
    same_type(out.dtype(), input.dtype())?;
    if out.count() == 0 {
        // There may be any number of tiles without elements.
        return Ok(());
    }
    let to = steps(&out.strides());
    // From one tile to the next.
    let mut next = to;
    for (step, &size) in next.iter_mut().zip(tile.iter()) {
        *step = step.wrapping_mul(size as usize);
    }
    let copy = Walk::logical(&tile, [0, 0], [&to, &from]);
    let size = out.dtype().size();
    Walk::logical(&repeats, [0], [&next]).each(&mut |_, [base]| {
        Copy { to: out.bytes_mut(), from: input.bytes(), size }.walk(copy.from([base, 0]));
    });
    Ok(())
}

crate::util::fixtures::like_torch!("repeat": OUT);
