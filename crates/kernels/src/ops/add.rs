//! `aten::add`: `self + alpha * other`. Integers wrap. Floats are exact for an `alpha` of 1;
//! for others torch may fuse the multiplication, which is a difference of 1 ulp of the product.

use crate::util::args::Done;
use crate::util::elementwise::{floats32, number, numbers, scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef};

/// `aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::add.out", 4, &[3], NUMERIC, out);
/// `aten::add.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::add.Scalar_out", 4, &[3], NUMERIC, scalar_out);

/// [`OUT`] for `float32` only: less than half of its code.
pub const OUT_F32: KernelDef = KernelDef::new("aten::add.out", 4, &[3], DtypeSet::FLOAT, out_f32);

fn out_f32(ctx: &KernelContext<'_, '_>) -> Done {
    let alpha = scalar(ctx, 2)?.float;
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
    use tombolo_runtime::testing::{Call, TestTensor};

    fn call(a: TestTensor, b: TestTensor, out: &[u32]) -> Call {
        Call::new().tensor(a).tensor(b).double(0.5).tensor(TestTensor::empty(Float, out))
    }

    #[test]
    fn the_same_numbers_as_the_entry_for_all_types() {
        let elements = |n: u16| (0..n).map(|i| f32::from(i) * 0.37 - 3.0).collect::<std::vec::Vec<f32>>();
        let whole = || TestTensor::new(Float, &[2, 3, 4, 5], &elements(120));
        let others: [&dyn Fn() -> TestTensor; 4] = [
            &whole,
            &|| whole().order(&[0, 2, 3, 1]),
            &|| TestTensor::new(Float, &[3, 1, 5], &elements(15)),
            &|| TestTensor::new(Float, &[], &elements(1)),
        ];
        for other in others {
            for swapped in [false, true] {
                let make = || match swapped {
                    false => call(whole(), other(), &[2, 3, 4, 5]),
                    true => call(other(), whole(), &[2, 3, 4, 5]),
                };
                let (mut narrow, mut wide) = (make(), make());
                narrow.run(&OUT_F32).unwrap();
                wide.run(&OUT).unwrap();
                assert_eq!(narrow.bytes(3), wide.bytes(3));
            }
        }
    }

    #[test]
    fn other_types_are_refused() {
        let ints = || TestTensor::new(Int, &[2], &[1i32, 2]);
        let mut call = Call::new().tensor(ints()).tensor(ints()).int(1).tensor(TestTensor::empty(Int, &[2]));
        assert!(call.run(&OUT).is_ok());
        assert!(!OUT_F32.dtypes.contains(Int));
        assert!(call.run(&OUT_F32).is_err());
    }
}
