//! `aten::gather`: for each element of the index, the element of the input at that position along a
//! dimension.

use crate::util::args::{Done, dim, element_index, order, steps};
use crate::util::movement::{put_element, same_type};
use crate::util::num::Elements;
use crate::util::walk::Walk;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::gather.out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::gather.out", 5, &[4], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, index) = (ctx.tensor(0)?, ctx.tensor(2)?);
    let axis = dim(ctx.int(1)?, input.rank())?;
    let inside = (0..input.rank()).all(|d| d == axis || index.dim(d) <= input.dim(d));
    if index.rank().max(1) != input.rank().max(1) || (!inside && index.count() != 0) {
        return Err(KernelError::Invalid("the sizes of the index do not fit those of the input"));
    }
    let out = ctx.out_sized(4, &index.shape())?;
    same_type(out.dtype(), input.dtype())?;
    let mut from = steps(&input.strides());
    let stride = match from.get_mut(axis) {
        Some(step) => core::mem::take(step),
        None => 0,
    };
    let walk = Walk::new(&index.shape(), order(&out), [0, 0], [&steps(&index.strides()), &from]);
    let indices = Elements::of(&index);
    let size = out.dtype().size();
    let bytes = out.into_bytes();
    let mut done = Ok(());
    walk.each(&mut |n, [k, i]| match element_index(&indices, k, input.dim(axis)) {
        Ok(at) => put_element(bytes, n, input.bytes(), i.wrapping_add(at.wrapping_mul(stride)), size),
        Err(error) => done = Err(error),
    });
    done
}

crate::util::fixtures::like_torch!("gather": OUT);
