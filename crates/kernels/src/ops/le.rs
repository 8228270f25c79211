//! `aten::le`: whether the first number is not larger. Integers are compared as floats if one of the two is a
//! float.

use crate::util::args::Done;
use crate::util::elementwise::{compare, compare_scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::le.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::le.Tensor_out", 3, &[2], NUMERIC, tensor_out);
/// `aten::le.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::le.Scalar_out", 3, &[2], NUMERIC, scalar_out);

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    compare(ctx, |a, b| a <= b, |a, b| a <= b)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    compare_scalar(ctx, |a, b| a <= b, |a, b| a <= b)
}

crate::util::fixtures::like_torch!("le": TENSOR_OUT, SCALAR_OUT);
