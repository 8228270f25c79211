//! `aten::index_select`: the named positions of a dimension, in the order of their names.

use crate::util::args::{Done, dim, element_index, steps, with_dim};
use crate::util::movement::{Copy, same_type};
use crate::util::num::Elements;
use crate::util::walk::Walk;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::index_select.out(Tensor self, int dim, Tensor index, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::index_select.out", 4, &[3], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, index) = (ctx.tensor(0)?, ctx.tensor(2)?);
    if index.rank() > 1 {
        return Err(KernelError::Invalid("the positions must be a vector"));
    }
    let axis = dim(ctx.int(1)?, input.rank())?;
    let mut out = ctx.out_sized(3, &with_dim(&input.shape(), axis, index.count())?)?;
    same_type(out.dtype(), input.dtype())?;
    let (strides, size) = (input.strides(), out.dtype().size());
    let (from, to) = (steps(&strides), steps(&out.strides()));
    let (step, out_step) = (strides.get(axis).copied().unwrap_or(0), to.get(axis).copied().unwrap_or(0));
    let one = with_dim(&input.shape(), axis, 1)?;
    let walk = Walk::logical(&one, [0, 0], [&to, &from]);
    let indices = Elements::of(&index);
    for k in 0..index.count() {
        let at = element_index(&indices, k, input.dim(axis))?;
        let walk = walk.from([k.wrapping_mul(out_step), at.wrapping_mul(step)]);
        Copy { to: out.bytes_mut(), from: input.bytes(), size }.walk(walk);
    }
    Ok(())
}

crate::util::fixtures::like_torch!("index_select": OUT);

#[cfg(test)]
mod range {
    use tombolo_runtime::testing::{Call, TestTensor};
    use tombolo_runtime::{Dtype, KernelError};

    #[test]
    fn a_position_outside_is_an_error() {
        for position in [2i64, -1, i64::MAX] {
            let mut call = Call::new()
                .tensor(TestTensor::new(Dtype::Char, &[2], &[1i8, 2]))
                .int(0)
                .tensor(TestTensor::new(Dtype::Long, &[1], &[position]))
                .tensor(TestTensor::empty(Dtype::Char, &[1]));
            assert_eq!(
                call.run(&super::OUT),
                Err(KernelError::Invalid("an index is outside of its dimension"))
            );
        }
    }
}
