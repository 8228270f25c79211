//! `aten::masked_fill`: a number where a mask is true. Exact.

use crate::util::args::{Done, broadcast, broadcast_steps, order};
use crate::util::movement::{put_element, same_type, scalar_bytes};
use crate::util::num::Elements;
use crate::util::walk::Walk;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::masked_fill.Scalar_out(Tensor self, Tensor mask, Scalar value, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef =
    KernelDef::new("aten::masked_fill.Scalar_out", 4, &[3], DtypeSet::ANY, scalar_out);

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, mask) = (ctx.tensor(0)?, ctx.tensor(1)?);
    let shape = broadcast(&input.shape(), &mask.shape())?;
    let out = ctx.out_sized(3, &shape)?;
    same_type(out.dtype(), input.dtype())?;
    let value = scalar_bytes(ctx, 2, out.dtype())?;
    let steps = [&broadcast_steps(&input, &shape)?, &broadcast_steps(&mask, &shape)?];
    let walk = Walk::new(&shape, order(&out), [0; 2], steps);
    let truth = Elements::of(&mask);
    let size = out.dtype().size();
    let bytes = out.into_bytes();
    walk.each(&mut |n, [i, m]| {
        let (from, at) = if truth.truth(m) { (&value[..], 0) } else { (input.bytes(), i) };
        put_element(bytes, n, from, at, size);
    });
    Ok(())
}

crate::util::fixtures::like_torch!("masked_fill": SCALAR_OUT);
