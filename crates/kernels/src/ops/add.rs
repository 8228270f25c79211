//! `aten::add`: `self + alpha * other`. Integers wrap. Floats are exact for an `alpha` of 1;
//! for others torch may fuse the multiplication, which is a difference of 1 ulp of the product.

use crate::util::args::Done;
use crate::util::elementwise::{float32, floats32, number, numbers, scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::add.out", 4, &[3], NUMERIC, out);
/// `aten::add.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::add.Scalar_out", 4, &[3], NUMERIC, scalar_out);

/// [`OUT`] for `float32` tensors that have the sizes and the memory order of the output: a sixth of its code.
/// Refuses everything else, types at load and the rest at the first run.
pub const OUT_F32: KernelDef = KernelDef::new("aten::add.out", 4, &[3], DtypeSet::FLOAT, out_f32);

fn out_f32(ctx: &KernelContext<'_, '_>) -> Done {
    let alpha = float32(ctx, 2)?;
    floats32(ctx, 3, |a, b| a + alpha * b)
}

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let alpha = scalar(ctx, 2)?;
    numbers(ctx, 3, |a, b| a + alpha.float * b, |a, b| a.wrapping_add(alpha.int.wrapping_mul(b)))
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (other, alpha) = (scalar(ctx, 1)?, scalar(ctx, 2)?);
    let (float, int) = (other.float * alpha.float, other.int.wrapping_mul(alpha.int));
    number(ctx, 3, |a| a + float, |a| a.wrapping_add(int))
}

crate::util::fixtures::like_torch!("add": OUT, SCALAR_OUT);

#[cfg(test)]
mod float32 {
    use super::*;
    use tombolo_runtime::Dtype::{Float, Int};
    use tombolo_runtime::KernelError;
    use tombolo_runtime::testing::{Call, TestTensor};

    const SIZES: [u32; 4] = [2, 3, 4, 5];

    fn tensor(sizes: &[u32], order: &[u8]) -> TestTensor {
        let count: u32 = sizes.iter().product();
        let elements: std::vec::Vec<f32> = (0..count).map(|i| i as f32 * 0.37 - 3.0).collect();
        TestTensor::new(Float, sizes, &elements).order(order)
    }

    fn run(
        kernel: &KernelDef,
        a: TestTensor,
        b: TestTensor,
        order: &[u8],
        alpha: f64,
    ) -> Result<Call, KernelError> {
        let out = TestTensor::empty(Float, &SIZES).order(order);
        let mut call = Call::new().tensor(a).tensor(b).double(alpha).tensor(out);
        call.run(kernel).map(|()| call)
    }

    #[test]
    fn the_same_numbers_as_the_entry_for_all_types() {
        for order in [[0, 1, 2, 3], [0, 2, 3, 1]] {
            for alpha in [1.0, 0.5, -0.0, 0.1, -1.0 / 3.0, 1e-30, 16_777_217.0, 16_777_219.0] {
                let like = || tensor(&SIZES, &order);
                let narrow = run(&OUT_F32, like(), like(), &order, alpha).unwrap();
                let wide = run(&OUT, like(), like(), &order, alpha).unwrap();
                assert_eq!(narrow.bytes(3), wide.bytes(3), "{alpha}");
            }
        }
    }

    #[test]
    fn all_else_is_refused() {
        let (plain, last) = ([0, 1, 2, 3], [0, 2, 3, 1]);
        let like = || tensor(&SIZES, &plain);
        let unsupported = |result: Result<Call, KernelError>| {
            assert!(matches!(result.err(), Some(KernelError::Unsupported(_))));
        };
        unsupported(run(&OUT_F32, like(), tensor(&[3, 4, 5], &[0, 1, 2]), &plain, 1.0));
        unsupported(run(&OUT_F32, tensor(&[1, 3, 4, 5], &plain), like(), &plain, 1.0));
        unsupported(run(&OUT_F32, like(), tensor(&SIZES, &last), &plain, 1.0));
        unsupported(run(&OUT_F32, like(), like(), &last, 1.0));
        // Beyond the normal floats.
        unsupported(run(&OUT_F32, like(), like(), &plain, 1e300));
        unsupported(run(&OUT_F32, like(), like(), &plain, f64::NAN));
        let ints = || TestTensor::new(Int, &[2], &[1i32, 2]);
        let mut call = Call::new().tensor(ints()).tensor(ints()).int(1).tensor(TestTensor::empty(Int, &[2]));
        assert!(call.run(&OUT).is_ok());
        assert!(!OUT_F32.dtypes.contains(Int) && call.run(&OUT_F32).is_err());
    }
}
