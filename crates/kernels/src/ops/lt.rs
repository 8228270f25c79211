//! `aten::lt`: whether the first number is smaller. Integers are compared as floats if one of the two is a
//! float.

use crate::util::args::Done;
use crate::util::elementwise::{compare, compare_scalar};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::lt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::lt.Tensor_out", 3, &[2], NUMERIC, tensor_out);
/// `aten::lt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::lt.Scalar_out", 3, &[2], NUMERIC, scalar_out);

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    compare(ctx, |a, b| a < b, |a, b| a < b)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    compare_scalar(ctx, |a, b| a < b, |a, b| a < b)
}

crate::util::fixtures::like_torch!("lt": TENSOR_OUT, SCALAR_OUT);
