//! `aten::arange`: the numbers from `start` to before `end`, `step` apart. Each is computed from its
//! position in `float64` (integers: in 64 bits) and then rounded. Exact.

use crate::util::args::{Done, shape};
use crate::util::movement::{number_bytes, put_element};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Value};

/// `aten::arange.out(Scalar end, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::arange.out", 2, &[1], DtypeSet::ANY, out);
/// `aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out)`
pub const START_OUT: KernelDef = KernelDef::new("aten::arange.start_out", 4, &[3], DtypeSet::ANY, start_out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    arange(ctx, Value::Int(0), ctx.value(0)?, Value::Int(1), 1)
}

fn start_out(ctx: &KernelContext<'_, '_>) -> Done {
    arange(ctx, ctx.value(0)?, ctx.value(1)?, ctx.value(2)?, 3)
}

fn double(value: &Value<'_>) -> f64 {
    match *value {
        Value::Int(value) => value as f64,
        Value::Double(value) => value,
        _ => f64::NAN,
    }
}

fn arange(
    ctx: &KernelContext<'_, '_>,
    start: Value<'_>,
    end: Value<'_>,
    step: Value<'_>,
    out: usize,
) -> Done {
    let whole = match (start, end, step) {
        (Value::Int(start), Value::Int(_), Value::Int(step)) => Some((start, step)),
        _ => None,
    };
    let (from, to, by) = (double(&start), double(&end), double(&step));
    let count = libm::ceil((to - from) / by);
    if !(0.0..=4_294_967_295.0).contains(&count) {
        return Err(KernelError::Invalid("the range has no end in the direction of its step"));
    }
    let count = count as u32;
    let mut out = ctx.out_sized(out, &shape([i64::from(count)].into_iter())?)?;
    let dtype = out.dtype();
    for i in 0..count {
        let value = match whole {
            Some((start, step)) => Value::Int(start.wrapping_add(step.wrapping_mul(i64::from(i)))),
            None => Value::Double(from + by * f64::from(i)),
        };
        let bytes = number_bytes(&value, dtype)?;
        put_element(out.bytes_mut(), i as usize, &bytes, 0, dtype.size());
    }
    Ok(())
}

crate::util::fixtures::like_torch!("arange": OUT, START_OUT);
