//! `executorch_prim::et_copy_index`: a tensor becomes one position of the outermost dimension of
//! another, which grows to that position if its shape is dynamic. What `map` collects its results with.

use crate::util::args::{Done, copy, push};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Shape};

/// `executorch_prim::et_copy_index.tensor(Tensor(a!) copy_to, Tensor copy_from, int index)`
pub const TENSOR: KernelDef =
    KernelDef::new("executorch_prim::et_copy_index.tensor", 3, &[0], DtypeSet::ANY, tensor);

fn tensor(ctx: &KernelContext<'_, '_>) -> Done {
    let (to, from) = (ctx.shape(0)?, ctx.tensor(1)?);
    let index = u32::try_from(ctx.int(2)?).ok().filter(|&index| index < u32::MAX);
    let index = index.ok_or(KernelError::Invalid("an index is outside of its dimension"))?;
    if ctx.dtype(0)? != from.dtype() || to.get(1..) != Some(&*from.shape()) {
        return Err(KernelError::Invalid("what is copied must be one position of where it goes"));
    }
    let mut grown = Shape::SCALAR;
    push(&mut grown, index.saturating_add(1))?;
    for &size in from.shape().iter() {
        push(&mut grown, size)?;
    }
    // A static tensor has all positions from the start.
    ctx.resize(0, &grown).or_else(|error| if (index as usize) < to.dim(0) { Ok(()) } else { Err(error) })?;
    let mut out = ctx.out(0)?;
    if !out.is_contiguous() || !from.is_contiguous() {
        return Err(KernelError::Unsupported("collecting results that are not in C order"));
    }
    let row = from.bytes().len();
    let start = row.saturating_mul(index as usize);
    copy(out.bytes_mut().get_mut(start..).unwrap_or_default(), from.bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::TENSOR;
    use tombolo_runtime::testing::{Call, POISON, TestTensor};
    use tombolo_runtime::{Dtype, KernelError};

    fn row() -> TestTensor {
        TestTensor::new(Dtype::Byte, &[2], &[7u8, 8])
    }

    #[test]
    fn a_dynamic_tensor_ends_with_the_position_written() {
        let to = TestTensor::empty(Dtype::Byte, &[3, 2]).dynamic();
        let mut call = Call::new().tensor(to).tensor(row()).int(1);
        call.run(&TENSOR).unwrap();
        assert_eq!(call.sizes(0), [2, 2]);
        assert_eq!(call.elements::<u8>(0), [POISON, POISON, 7, 8]);
    }

    #[test]
    fn a_static_tensor_keeps_its_sizes() {
        let mut call = Call::new().tensor(TestTensor::empty(Dtype::Byte, &[3, 2])).tensor(row()).int(2);
        call.run(&TENSOR).unwrap();
        assert_eq!(call.sizes(0), [3, 2]);
        assert_eq!(call.elements::<u8>(0), [POISON, POISON, POISON, POISON, 7, 8]);
    }

    #[test]
    fn positions_without_room_are_refused() {
        for index in [3, -1, i64::MAX] {
            let mut call =
                Call::new().tensor(TestTensor::empty(Dtype::Byte, &[3, 2])).tensor(row()).int(index);
            assert!(call.run(&TENSOR).is_err());
        }
        let mut call = Call::new().tensor(TestTensor::empty(Dtype::Byte, &[3, 3])).tensor(row()).int(0);
        assert!(matches!(call.run(&TENSOR), Err(KernelError::Invalid(_))));
    }
}
