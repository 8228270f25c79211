//! `aten::bitwise_and`: bit by bit.

use crate::util::args::Done;
use crate::util::elementwise::{Binary, Unary, scalar};
use crate::util::num::WHOLE;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::bitwise_and.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::bitwise_and.Tensor_out", 3, &[2], WHOLE, tensor_out);
/// `aten::bitwise_and.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::bitwise_and.Scalar_out", 3, &[2], WHOLE, scalar_out);

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    Binary::load(ctx, 2)?.int(&|a, b| a & b)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let other = scalar(ctx, 1)?.int;
    Unary::load(ctx, 2)?.int(&|a| a & other)
}

crate::util::fixtures::like_torch!("bitwise_and": TENSOR_OUT, SCALAR_OUT);
