//! `aten::cat`: tensors one after the other along a dimension. A tensor of sizes `[0]` is left out,
//! as in torch.

use crate::util::args::{Done, dim, with_dim};
use crate::util::movement::write_box;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Tensor};

/// `aten::cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::cat.out", 3, &[2], DtypeSet::ANY, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let parts = |i| -> Result<Option<Tensor<'_>>, KernelError> {
        Ok(ctx.tensor_of(0, i)?.filter(|part| *part.shape() != [0]))
    };
    let (mut first, mut size, mut axis) = (None, 0usize, 0);
    for i in 0..ctx.tensor_count(0)? {
        let Some(part) = parts(i)? else { continue };
        let shape = *first.get_or_insert(part.shape());
        axis = dim(ctx.int(1)?, shape.len())?;
        if with_dim(&part.shape(), axis, shape.dim(axis))? != shape {
            return Err(KernelError::Invalid("the tensors to join differ in another dimension"));
        }
        size = size.saturating_add(part.dim(axis));
    }
    let Some(shape) = first else {
        ctx.out_sized(2, &[0])?;
        return Ok(());
    };
    let mut out = ctx.out_sized(2, &with_dim(&shape, axis, size)?)?;
    let stride = out.strides().get(axis).copied().unwrap_or(0);
    let mut base = 0usize;
    for i in 0..ctx.tensor_count(0)? {
        let Some(part) = parts(i)? else { continue };
        write_box(&mut out, base, &part)?;
        base = base.wrapping_add(part.dim(axis).wrapping_mul(stride));
    }
    Ok(())
}

crate::util::fixtures::like_torch!("cat": OUT);
