//! `aten::div`: the quotient: exact (integers give floats), rounded toward zero (`trunc`), or down
//! (`floor`). A float divided by zero is infinite or NaN; an integer is an error, unless the
//! quotient is a float.

use crate::util::args::Done;
use crate::util::elementwise::{Checked, number, numbers, scalar};
use crate::util::math::{div_floor, div_floor_int};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef, KernelError};

/// `aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::div.out", 3, &[2], NUMERIC, out);
/// `aten::div.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out)`
pub const SCALAR_OUT: KernelDef = KernelDef::new("aten::div.Scalar_out", 3, &[2], NUMERIC, scalar_out);
/// `aten::div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out)`
pub const OUT_MODE: KernelDef = KernelDef::new("aten::div.out_mode", 4, &[3], NUMERIC, out_mode);
/// `aten::div.Scalar_mode_out(Tensor self, Scalar other, *, str? rounding_mode, Tensor(a!) out)`
pub const SCALAR_MODE_OUT: KernelDef =
    KernelDef::new("aten::div.Scalar_mode_out", 4, &[3], NUMERIC, scalar_mode_out);

#[derive(Clone, Copy)]
enum Mode {
    True,
    Trunc,
    Floor,
}

impl Mode {
    fn of(ctx: &KernelContext<'_, '_>, position: usize) -> Result<Mode, KernelError> {
        if ctx.is_none(position) {
            return Ok(Mode::True);
        }
        match ctx.string(position)? {
            "trunc" => Ok(Mode::Trunc),
            "floor" => Ok(Mode::Floor),
            _ => Err(KernelError::Invalid("the rounding mode is neither none, trunc nor floor")),
        }
    }

    fn float(self, a: f32, b: f32) -> f32 {
        match self {
            Mode::True => a / b,
            Mode::Trunc => libm::truncf(a / b),
            Mode::Floor => div_floor(a, b),
        }
    }

    fn int(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Mode::Floor => div_floor_int(a, b),
            _ => (b != 0).then(|| a.wrapping_div(b)),
        }
    }
}

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let checked = Checked::default();
    let done = numbers(ctx, 2, |a, b| a / b, |a, b| checked.of(Mode::True.int(a, b)));
    checked.done(done)
}

fn scalar_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (other, checked) = (scalar(ctx, 1)?, Checked::default());
    let done = number(ctx, 2, |a| a / other.float, |a| checked.of(Mode::True.int(a, other.int)));
    checked.done(done)
}

fn out_mode(ctx: &KernelContext<'_, '_>) -> Done {
    let (mode, checked) = (Mode::of(ctx, 2)?, Checked::default());
    let done = numbers(ctx, 3, |a, b| mode.float(a, b), |a, b| checked.of(mode.int(a, b)));
    checked.done(done)
}

fn scalar_mode_out(ctx: &KernelContext<'_, '_>) -> Done {
    let (mode, other, checked) = (Mode::of(ctx, 2)?, scalar(ctx, 1)?, Checked::default());
    let done = number(ctx, 3, |a| mode.float(a, other.float), |a| checked.of(mode.int(a, other.int)));
    checked.done(done)
}

crate::util::fixtures::like_torch!("div": OUT, SCALAR_OUT, OUT_MODE, SCALAR_MODE_OUT);

#[cfg(test)]
mod zero {
    use tombolo_runtime::testing::{Call, TestTensor};
    use tombolo_runtime::{Dtype, KernelError};

    #[test]
    fn an_integer_divided_by_zero_is_an_error() {
        let mut call = Call::new()
            .tensor(TestTensor::new(Dtype::Int, &[2], &[1i32, 2]))
            .tensor(TestTensor::new(Dtype::Int, &[2], &[1i32, 0]))
            .string("floor")
            .tensor(TestTensor::empty(Dtype::Int, &[2]));
        assert_eq!(call.run(&super::OUT_MODE), Err(KernelError::Invalid("an integer is divided by zero")));
    }
}
