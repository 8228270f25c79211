//! `aten::prod`: the product over a dimension, or of all elements. Within 1 ulp per factor of torch.
//! Integers are multiplied in 64 bits and wrap.

use crate::util::args::{Done, all, bit, dim};
use crate::util::num::{ElementsMut, NUMERIC, is_float};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::prod.int_out(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out)`
pub const INT_OUT: KernelDef = KernelDef::new("aten::prod.int_out", 5, &[4], NUMERIC, int_out);
/// `aten::prod.out(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::prod.out", 3, &[2], NUMERIC, out);

fn int_out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = bit(dim(ctx.int(1)?, ctx.shape(0)?.len())?);
    prod(ctx, &Reduction::new(ctx, folded, ctx.bool(2)?)?, 4)
}

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    prod(ctx, &Reduction::new(ctx, all(ctx.shape(0)?.len()), false)?, 2)
}

fn prod(ctx: &KernelContext<'_, '_>, reduction: &Reduction<'_>, out: usize) -> Done {
    let out = ctx.out_sized(out, &reduction.shape()?)?;
    let float = is_float(out.dtype());
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        if float {
            let mut product = 1.0;
            folded.f32s(&mut |x| product *= x);
            out.set_f32(at, product);
        } else {
            let mut product = 1i64;
            folded.i64s(&mut |x| product = product.wrapping_mul(x));
            out.set_i64(at, product);
        }
    })
}

crate::util::fixtures::like_torch!("prod": INT_OUT, OUT);
