//! `aten::embedding`: the rows of a table that the indices name.

use crate::util::args::{Done, element_index, push, steps};
use crate::util::movement::{Copy, same_type};
use crate::util::num::Elements;
use crate::util::walk::Walk;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, MAX_RANK, Shape};

/// `aten::embedding.out(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::embedding.out", 6, &[5], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (weight, indices) = (ctx.tensor(0)?, ctx.tensor(1)?);
    if weight.rank() != 2 {
        return Err(KernelError::Invalid("the table must be a matrix"));
    }
    let mut shape = indices.shape();
    push(&mut shape, weight.dim(1) as u32)?;
    let mut out = ctx.out_sized(5, &shape)?;
    same_type(out.dtype(), weight.dtype())?;
    let (to, size) = (steps(&out.strides()), out.dtype().size());
    let table = weight.strides();
    let (row, column) = (table.first().copied().unwrap_or(0), table.get(1).copied().unwrap_or(0));
    let mut along = Shape::SCALAR;
    push(&mut along, weight.dim(1) as u32)?;
    let last = to.get(indices.rank()).copied().unwrap_or(0);
    let (mut into, mut from) = ([0; MAX_RANK], [0; MAX_RANK]);
    into[0] = last;
    from[0] = column;
    let walk = Walk::logical(&along, [0, 0], [&into, &from]);
    let elements = Elements::of(&indices);
    let mut done = Ok(());
    Walk::logical(&indices.shape(), [0, 0], [&to, &steps(&indices.strides())]).each(&mut |_, [o, k]| {
        match element_index(&elements, k, weight.dim(0)) {
            Ok(at) => {
                let walk = walk.from([o, at.wrapping_mul(row)]);
                Copy { to: out.bytes_mut(), from: weight.bytes(), size }.walk(walk);
            }
            Err(error) => done = Err(error),
        }
    });
    done
}

crate::util::fixtures::like_torch!("embedding": OUT);
