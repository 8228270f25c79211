//! `aten::constant_pad_nd`: a border of a constant around a tensor; a negative width cuts off. Any
//! element type and memory order.

use crate::util::args::{Done, order, push, steps};
use crate::util::movement::{Copy, same_type};
use crate::util::num::{f32_to_bfloat, f32_to_half, put};
use crate::util::walk::Walk;
use tombolo_runtime::{Dtype, DtypeSet, KernelContext, KernelDef, KernelError, Shape, TensorMut, Value};

/// `constant_pad_nd.out(Tensor self, int[] pad, Scalar value=0, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::constant_pad_nd.out", 4, &[3], DtypeSet::ANY, run);

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, pad) = (ctx.tensor(0)?, ctx.ints(1)?);
    let sizes = input.shape();
    if !pad.len().is_multiple_of(2) || pad.len() / 2 > sizes.len() {
        return Err(KernelError::Invalid("the paddings are not a pair per dimension"));
    }
    let (mut shape, mut inside) = (Shape::SCALAR, Shape::SCALAR);
    let (mut from_base, mut to_base) = (0usize, 0usize);
    // Widths come in pairs, innermost dimension first.
    let width = |d: usize, side: usize| match pad.get((sizes.len() - 1 - d) * 2 + side) {
        Some(width) if i32::try_from(width).is_ok() => Ok(width),
        Some(_) => Err(KernelError::Invalid("a padding is out of range")),
        None => Ok(0),
    };
    let from = steps(&input.strides());
    for (d, (&size, &step)) in sizes.iter().zip(&from).enumerate() {
        let (low, high, size) = (width(d, 0)?, width(d, 1)?, i64::from(size));
        let padded = u32::try_from(size + low + high);
        push(
            &mut shape,
            padded.map_err(|_| KernelError::Invalid("a padded size is negative or too large"))?,
        )?;
        // What is left of the input.
        let left = size + low.min(0) + high.min(0);
        push(&mut inside, u32::try_from(left).unwrap_or(0))?;
        from_base = from_base.wrapping_add((-low).max(0) as usize).wrapping_mul(step);
    }
    let mut out = ctx.out_sized(3, &shape)?;
    same_type(out.dtype(), input.dtype())?;
    fill(&mut out, ctx.value(2)?)?;
    let to = steps(&out.strides());
    for (d, &step) in (0..sizes.len()).zip(&to) {
        to_base = to_base.wrapping_add((width(d, 0)?.max(0) as usize).wrapping_mul(step));
    }
    let walk = Walk::new(&inside, order(&out), [to_base, from_base], [&to, &from]);
    Copy::new(out, &input)?.walk(walk);
    Ok(())
}

/// Sets every element to `value`, converted as a cast does.
fn fill(out: &mut TensorMut<'_>, value: Value<'_>) -> Done {
    let (int, double) = match value {
        Value::Int(value) => (value, value as f64),
        Value::Bool(value) => (i64::from(value), f64::from(u8::from(value))),
        Value::Double(value) => (value as i64, value),
        _ => return Err(KernelError::Invalid("the padding value is no number")),
    };
    let bits = match out.dtype() {
        Dtype::Float => u64::from((double as f32).to_bits()),
        Dtype::Double => double.to_bits(),
        Dtype::Half => u64::from(f32_to_half(double as f32)),
        Dtype::BFloat16 => u64::from(f32_to_bfloat(double as f32)),
        Dtype::Bool => u64::from(double != 0.0),
        _ => int as u64,
    };
    let (size, count) = (out.dtype().size(), out.count());
    let bytes = out.bytes_mut();
    for i in 0..count {
        match size {
            1 => put(bytes, i, (bits as u8).to_ne_bytes()),
            2 => put(bytes, i, (bits as u16).to_ne_bytes()),
            4 => put(bytes, i, (bits as u32).to_ne_bytes()),
            _ => put(bytes, i, bits.to_ne_bytes()),
        }
    }
    Ok(())
}

crate::util::fixtures::like_torch!("constant_pad_nd": OUT);
