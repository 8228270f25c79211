//! `aten::fill`: a tensor of the sizes of another, all elements the same number, given as such or as
//! a tensor of one element.

use crate::util::args::Done;
use crate::util::cast::{CASTS, cast};
use crate::util::movement::{fill, scalar_bytes};
use tombolo_runtime::{KernelContext, KernelDef, KernelError};

/// `aten::fill.Scalar_out(Tensor self, Scalar value, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::fill.Scalar_out", 3, &[2], CASTS, scalar_out);
/// `aten::fill.Tensor_out(Tensor self, Tensor value, *, Tensor(a!) out)`
pub const TENSOR_OUT: KernelDef = KernelDef::new("aten::fill.Tensor_out", 3, &[2], CASTS, tensor_out);

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let sizes = ctx.shape(0)?;
    let out = ctx.out_sized(2, &sizes)?;
    let value = scalar_bytes(ctx, 1, out.dtype())?;
    fill(out, &value);
    Ok(())
}

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let value = ctx.tensor(1)?;
    if value.count() != 1 {
        return Err(KernelError::Invalid("the value to fill with must be one element"));
    }
    let sizes = ctx.shape(0)?;
    cast(ctx.out_sized(2, &sizes)?, &value)
}

crate::util::fixtures::like_torch!("fill": SCALAR_OUT, TENSOR_OUT);
