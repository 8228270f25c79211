//! `aten::split_copy`: parts of `split_size` along a dimension, the last one of what is left.

use crate::util::args::{Done, dim};
use crate::util::movement::split;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `aten::split_copy.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out)`
pub const TENSOR_OUT: KernelDef =
    KernelDef::new("aten::split_copy.Tensor_out", 4, &[3], DtypeSet::ANY, tensor_out);

fn tensor_out(ctx: &KernelContext<'_, '_>) -> Done {
    let shape = ctx.shape(0)?;
    let axis = dim(ctx.int(2)?, shape.len())?;
    let whole = shape.dim(axis);
    let each = usize::try_from(ctx.int(1)?).ok().filter(|&each| each > 0 || whole == 0);
    let each = each.ok_or(KernelError::Invalid("the size of a part must be positive"))?;
    split(ctx, axis, 3, |i| Some(each.min(whole.saturating_sub(i.saturating_mul(each)))))
}

crate::util::fixtures::like_torch!("split_copy": TENSOR_OUT);
