//! `executorch_prim`: arithmetic on the numbers of a program, such as sizes that depend on an input.
//!
//! The result becomes the value of the last argument. Integers wrap. Division and remainder are those
//! of Python, which the program was traced in (upstream's `mod` and `floordiv.int` are those of C; the
//! two agree for sizes). An integer divided by zero is an error.

use crate::util::args::Done;
use crate::util::math::{div_floor_int, fmod_f64, remainder_int};
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError, Value};

const fn def(name: &'static str, args: u8, run: tombolo_runtime::KernelFn) -> KernelDef {
    KernelDef::new(name, args, &[], DtypeSet::ANY, run)
}

/// `executorch_prim::add.Scalar(Scalar, Scalar) -> Scalar`
pub const ADD: KernelDef =
    def("executorch_prim::add.Scalar", 3, |ctx| number(ctx, |a, b| Some(a.wrapping_add(b)), |a, b| a + b));
/// `executorch_prim::sub.Scalar(Scalar, Scalar) -> Scalar`
pub const SUB: KernelDef =
    def("executorch_prim::sub.Scalar", 3, |ctx| number(ctx, |a, b| Some(a.wrapping_sub(b)), |a, b| a - b));
/// `executorch_prim::mul.Scalar(Scalar, Scalar) -> Scalar`
pub const MUL: KernelDef =
    def("executorch_prim::mul.Scalar", 3, |ctx| number(ctx, |a, b| Some(a.wrapping_mul(b)), |a, b| a * b));
/// `executorch_prim::floordiv.Scalar(Scalar, Scalar) -> Scalar`
pub const FLOORDIV: KernelDef =
    def("executorch_prim::floordiv.Scalar", 3, |ctx| number(ctx, div_floor_int, div_floor));
/// `executorch_prim::floordiv.int(int, int) -> int`
pub const FLOORDIV_INT: KernelDef =
    def("executorch_prim::floordiv.int", 3, |ctx| number(ctx, div_floor_int, div_floor));
/// `executorch_prim::truediv.Scalar(Scalar, Scalar) -> Scalar`: always a float.
pub const TRUEDIV: KernelDef = def("executorch_prim::truediv.Scalar", 3, |ctx| {
    ctx.set(2, Value::Double(ctx.double(0)? / ctx.double(1)?))
});
/// `executorch_prim::mod.Scalar(SymInt, SymInt) -> SymInt`
pub const MOD: KernelDef = def("executorch_prim::mod.Scalar", 3, modulo);
/// `executorch_prim::mod.int(int, int) -> int`
pub const MOD_INT: KernelDef = def("executorch_prim::mod.int", 3, modulo);
/// `executorch_prim::sym_max.Scalar(SymInt, SymInt) -> SymInt`
pub const SYM_MAX: KernelDef =
    def("executorch_prim::sym_max.Scalar", 3, |ctx| ctx.set(2, Value::Int(ctx.int(0)?.max(ctx.int(1)?))));
/// `executorch_prim::sym_min.Scalar(SymInt, SymInt) -> SymInt`
pub const SYM_MIN: KernelDef =
    def("executorch_prim::sym_min.Scalar", 3, |ctx| ctx.set(2, Value::Int(ctx.int(0)?.min(ctx.int(1)?))));
/// `executorch_prim::eq.Scalar(Scalar, Scalar) -> bool`
pub const EQ: KernelDef =
    def("executorch_prim::eq.Scalar", 3, |ctx| compare(ctx, |a, b| a == b, |a, b| a == b));
/// `executorch_prim::gt.Scalar(Scalar, Scalar) -> bool`
pub const GT: KernelDef =
    def("executorch_prim::gt.Scalar", 3, |ctx| compare(ctx, |a, b| a > b, |a, b| a > b));
/// `executorch_prim::lt.Scalar(Scalar, Scalar) -> bool`
pub const LT: KernelDef =
    def("executorch_prim::lt.Scalar", 3, |ctx| compare(ctx, |a, b| a < b, |a, b| a < b));
/// `executorch_prim::ge.Scalar(Scalar, Scalar) -> bool`
pub const GE: KernelDef =
    def("executorch_prim::ge.Scalar", 3, |ctx| compare(ctx, |a, b| a >= b, |a, b| a >= b));
/// `executorch_prim::le.Scalar(Scalar, Scalar) -> bool`
pub const LE: KernelDef =
    def("executorch_prim::le.Scalar", 3, |ctx| compare(ctx, |a, b| a <= b, |a, b| a <= b));
/// `executorch_prim::neg.Scalar(Scalar) -> Scalar`
pub const NEG: KernelDef = def("executorch_prim::neg.Scalar", 2, |ctx| match ctx.value(0)? {
    Value::Double(value) => ctx.set(1, Value::Double(-value)),
    _ => ctx.set(1, Value::Int(ctx.int(0)?.wrapping_neg())),
});
/// `executorch_prim::sym_float.Scalar(Scalar) -> Scalar`
pub const SYM_FLOAT: KernelDef =
    def("executorch_prim::sym_float.Scalar", 2, |ctx| ctx.set(1, Value::Double(ctx.double(0)?)));
/// `executorch_prim::sym_int.Scalar(Scalar) -> Scalar`: next toward zero.
pub const SYM_INT: KernelDef = def("executorch_prim::sym_int.Scalar", 2, |ctx| rounded(ctx, libm::trunc));
/// `executorch_prim::sym_not.Scalar(bool) -> bool`
pub const SYM_NOT: KernelDef =
    def("executorch_prim::sym_not.Scalar", 2, |ctx| ctx.set(1, Value::Bool(!ctx.bool(0)?)));
/// `executorch_prim::sym_ite.Scalar(bool, Scalar, Scalar) -> Scalar`: the second if true, else the third.
pub const SYM_ITE: KernelDef = def("executorch_prim::sym_ite.Scalar", 4, |ctx| {
    let chosen = if ctx.bool(0)? { 1 } else { 2 };
    ctx.double(chosen)?;
    ctx.set(3, ctx.value(chosen)?)
});
/// `executorch_prim::ceil.Scalar(Scalar) -> Scalar`
pub const CEIL: KernelDef = def("executorch_prim::ceil.Scalar", 2, |ctx| rounded(ctx, libm::ceil));
/// `executorch_prim::round.Scalar(Scalar) -> Scalar`: half to even.
pub const ROUND: KernelDef = def("executorch_prim::round.Scalar", 2, |ctx| rounded(ctx, libm::rint));
/// `executorch_prim::trunc.Scalar(Scalar) -> Scalar`
pub const TRUNC: KernelDef = def("executorch_prim::trunc.Scalar", 2, |ctx| rounded(ctx, libm::trunc));

const BY_ZERO: KernelError = KernelError::Invalid("an integer is divided by zero");

fn is_double(ctx: &KernelContext<'_, '_>, position: usize) -> bool {
    matches!(ctx.value(position), Ok(Value::Double(_)))
}

/// Two numbers make one: a float if one of them is.
fn number(ctx: &KernelContext<'_, '_>, int: fn(i64, i64) -> Option<i64>, float: fn(f64, f64) -> f64) -> Done {
    if is_double(ctx, 0) || is_double(ctx, 1) {
        return ctx.set(2, Value::Double(float(ctx.double(0)?, ctx.double(1)?)));
    }
    ctx.set(2, Value::Int(int(ctx.int(0)?, ctx.int(1)?).ok_or(BY_ZERO)?))
}

fn compare(ctx: &KernelContext<'_, '_>, int: fn(i64, i64) -> bool, float: fn(f64, f64) -> bool) -> Done {
    let result = match is_double(ctx, 0) || is_double(ctx, 1) {
        true => float(ctx.double(0)?, ctx.double(1)?),
        false => int(ctx.int(0)?, ctx.int(1)?),
    };
    ctx.set(2, Value::Bool(result))
}

fn modulo(ctx: &KernelContext<'_, '_>) -> Done {
    ctx.set(2, Value::Int(remainder_int(ctx.int(0)?, ctx.int(1)?).ok_or(BY_ZERO)?))
}

/// A float as an integer; an integer stays.
fn rounded(ctx: &KernelContext<'_, '_>, round: fn(f64) -> f64) -> Done {
    let value = match ctx.value(0)? {
        Value::Double(value) => round(value) as i64,
        _ => ctx.int(0)?,
    };
    ctx.set(1, Value::Int(value))
}

/// Python's `//`. By zero it is infinite, as upstream's runtime has it.
fn div_floor(a: f64, b: f64) -> f64 {
    if b == 0.0 {
        return f64::INFINITY.copysign(a);
    }
    let rest = fmod_f64(a, b);
    let quotient = (a - rest) / b;
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) { quotient - 1.0 } else { quotient }
}

crate::util::fixtures::like_torch!(
    "scalar": ADD, SUB, MUL, FLOORDIV, FLOORDIV_INT, TRUEDIV, MOD, MOD_INT, SYM_MAX, SYM_MIN, EQ, GT, LT, GE, LE,
    NEG, SYM_FLOAT, SYM_INT, SYM_NOT, SYM_ITE, CEIL, ROUND, TRUNC,
);

#[cfg(test)]
mod zero {
    use tombolo_runtime::testing::Call;

    #[test]
    fn an_integer_divided_by_zero_is_an_error() {
        for kernel in [super::FLOORDIV, super::MOD, super::MOD_INT, super::FLOORDIV_INT] {
            assert!(Call::new().int(1).int(0).none().run(&kernel).is_err());
        }
    }
}
