//! `aten::stack`: tensors of equal sizes one after the other along a new dimension.

use crate::util::args::{Done, dim, push, steps};
use crate::util::movement::{Copy, same_type};
use crate::util::walk::Walk;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, MAX_RANK, Shape};

/// `aten::stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::stack.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let count = ctx.tensor_count(0)?;
    let missing = KernelError::Invalid("there is no tensor to stack");
    let each = if count == 0 { None } else { ctx.tensor_of(0, 0)? }.ok_or(missing)?.shape();
    let axis = dim(ctx.int(1)?, each.len().saturating_add(1))?;
    let mut shape = Shape::SCALAR;
    let mut sizes = each.iter();
    for d in 0..=each.len() {
        let size = if d == axis { count as u32 } else { sizes.next().copied().unwrap_or(1) };
        push(&mut shape, size)?;
    }
    let mut out = ctx.out_sized(2, &shape)?;
    // The steps in the output along the dimensions of an input.
    let strides = out.strides();
    let stride = strides.get(axis).copied().unwrap_or(0);
    let mut into = [0; MAX_RANK];
    let others = strides.iter().enumerate().filter(|(d, _)| *d != axis);
    for (step, (_, &stride)) in into.iter_mut().zip(others) {
        *step = stride;
    }
    for i in 0..count {
        let part = ctx.tensor_of(0, i)?.ok_or(missing)?;
        same_type(out.dtype(), part.dtype())?;
        if part.shape() != each {
            return Err(KernelError::Invalid("the tensors to stack differ in size"));
        }
        let walk = Walk::logical(&each, [i.wrapping_mul(stride), 0], [&into, &steps(&part.strides())]);
        let size = out.dtype().size();
        Copy { to: out.bytes_mut(), from: part.bytes(), size }.walk(walk);
    }
    Ok(())
}

crate::util::fixtures::like_torch!("stack": OUT);
