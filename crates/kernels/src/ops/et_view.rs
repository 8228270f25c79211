//! `executorch_prim::et_view`: a tensor of other sizes in the memory of another one. Nothing is
//! copied.

use crate::util::args::{Done, view_shape};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `executorch_prim::et_view.default(Tensor self, int[] size) -> Tensor`
pub const DEFAULT: KernelDef =
    KernelDef::new("executorch_prim::et_view.default", 3, &[], DtypeSet::ANY, default);

fn default(ctx: &KernelContext<'_, '_>) -> Done {
    if ctx.dtype(0)? != ctx.dtype(2)? {
        return Err(KernelError::Invalid("a view has the element type of what it views"));
    }
    let shape = view_shape(ctx.shape(0)?.count(), ctx.ints(1)?)?;
    ctx.resize(2, &shape)?;
    ctx.alias(2, 0)
}

#[cfg(test)]
mod tests {
    use super::DEFAULT;
    use tombolo_runtime::Dtype;
    use tombolo_runtime::testing::{Call, TestTensor};

    fn view(sizes: &[i64], out: &[u32]) -> Result<Call, tombolo_runtime::KernelError> {
        let mut call = Call::new()
            .tensor(TestTensor::new(Dtype::Short, &[2, 3], &[1i16, 2, 3, 4, 5, 6]))
            .ints(sizes)
            .tensor(TestTensor::empty(Dtype::Short, out).dynamic());
        call.run(&DEFAULT).map(|()| call)
    }

    #[test]
    fn a_view_shows_the_elements_of_its_source() {
        for sizes in [&[3, 2], &[3, -1], &[-1, 2]] {
            let call = view(sizes, &[3, 2]).unwrap();
            assert_eq!(call.sizes(2), [3, 2]);
            assert_eq!(call.elements::<i16>(2), [1, 2, 3, 4, 5, 6]);
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        for sizes in [&[4, 2], &[-1, 4], &[-1, -1], &[0, -1], &[-2, 3]] {
            assert!(view(sizes, &[3, 2]).is_err(), "{sizes:?}");
        }
    }
}
