//! `aten::sum`: the sum over dimensions. Floats are added with compensation, so that the result is
//! within 1 ulp of the exact sum whatever the number of elements (torch: a few ulp, by blocks).
//! Integers are added in 64 bits and wrap.

use crate::util::args::{Done, dims};
use crate::util::math::Sum;
use crate::util::num::{ElementsMut, NUMERIC, is_float};
use crate::util::reduce::Reduction;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out)`
pub const INT_LIST_OUT: KernelDef = KernelDef::new("aten::sum.IntList_out", 5, &[4], NUMERIC, int_list_out);

fn int_list_out(ctx: &KernelContext<'_, '_>) -> Done {
    let folded = dims(ctx, 1, ctx.shape(0)?.len())?;
    let reduction = Reduction::new(ctx, folded, ctx.bool(2)?)?;
    let out = ctx.out_sized(4, &reduction.shape()?)?;
    let float = is_float(out.dtype());
    let (strides, mut out) = (out.strides(), ElementsMut::of(out));
    reduction.each(&strides, &mut |at, folded| {
        if float {
            let mut sum = Sum::default();
            folded.f32s(&mut |x| sum.add(x));
            out.set_f32(at, sum.value());
        } else {
            let mut sum = 0i64;
            folded.i64s(&mut |x| sum = sum.wrapping_add(x));
            out.set_i64(at, sum);
        }
    })
}

crate::util::fixtures::like_torch!("sum": INT_LIST_OUT);
