//! `aten::_local_scalar_dense`: the only element of a tensor, as a number.

use crate::util::args::Done;
use crate::util::num::{Elements, NUMERIC, get, is_float};
use tombolo_runtime::{Dtype, DtypeSet, KernelContext, KernelDef, KernelError, Value};

/// `aten::_local_scalar_dense(Tensor self) -> Scalar`
pub const DEFAULT: KernelDef = KernelDef::new(
    "aten::_local_scalar_dense",
    2,
    &[],
    NUMERIC.with(DtypeSet::of(&[Dtype::Double])),
    default,
);

fn default(ctx: &KernelContext<'_, '_>) -> Done {
    let input = ctx.tensor(0)?;
    if input.count() == 0 {
        return Err(KernelError::Invalid("an empty tensor has no element"));
    }
    let element = Elements::of(&input);
    let value = match input.dtype() {
        Dtype::Double => Value::Double(f64::from_ne_bytes(get(input.bytes(), 0))),
        Dtype::Bool => Value::Bool(element.truth(0)),
        dtype if is_float(dtype) => Value::Double(f64::from(element.f32(0))),
        _ => Value::Int(element.i64(0)),
    };
    ctx.set(1, value)
}

crate::util::fixtures::like_torch!("local_scalar_dense": DEFAULT);
