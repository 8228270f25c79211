//! `aten::floor_divide`: the quotient rounded down. A float divided by zero is infinite or NaN; an
//! integer is an error.

use crate::util::args::Done;
use crate::util::elementwise::{Checked, numbers};
use crate::util::math::{div_floor, div_floor_int};
use crate::util::num::NUMERIC;
use tombolo_runtime::{KernelContext, KernelDef};

/// `aten::floor_divide.out(Tensor self, Tensor other, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::floor_divide.out", 3, &[2], NUMERIC, out);

fn out(ctx: &KernelContext<'_, '_>) -> Done {
    let checked = Checked::default();
    let done = numbers(ctx, 2, div_floor, |a, b| checked.of(div_floor_int(a, b)));
    checked.done(done)
}

crate::util::fixtures::like_torch!("floor_divide": OUT);
