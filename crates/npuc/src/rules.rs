//! What one pass through the data path of each generation can do: scales, types, strides.
//!
//! [`crate::fuse`] asks here before it merges. Sources: `facts/ethosu.md` section 3, and the files
//! `ethos_u55_constraints.cpp` and `ethos_u85_constraints.cpp` of Vela.

use crate::hw::{OperandScales, Round};
use crate::ir::{Elem, Elementwise, Factor, Kind, Op, Program, Scaling, TensorId, View};
use tombolo_ethosu::Generation;
use tombolo_tosa::Rounding;

/// Whether scales, zero points and types of this operation are possible in one pass. An operation of the kind
/// [`Kind::Identity`] always passes: there is some operation for every one of those.
pub fn one_pass(program: &Program, op: &Op, generation: Generation) -> bool {
    let elem = |id: TensorId| program.tensor(id).elem;
    let out = &op.output;
    let ofm = elem(out.view.tensor);
    if out.lut.is_some() && (ofm != Elem::I8 || !out.signed) {
        return false;
    }
    let ifms: Vec<Elem> = op.inputs.iter().map(|i| elem(i.view.tensor)).collect();
    // 32 bits have no zero point, on either side.
    let zeros = op.inputs.iter().zip(&ifms).all(|(i, &e)| e.bits() < 32 || i.zero_point == 0);
    if op.kind != Kind::Identity && (!zeros || ofm.bits() >= 32 && out.zero_point != 0) {
        return false;
    }
    match &op.kind {
        Kind::Identity => op.inputs.iter().all(|i| i.scaling.is_none()),
        Kind::Conv { .. } | Kind::Depthwise { .. } => {
            let narrow = ifms.iter().all(|e| e.bits() <= 16);
            // The sums of 16-bit inputs are 48 bits on U85, and their records have a scale of 15 bits.
            let short = generation == Generation::U85 && ifms.contains(&Elem::I16);
            let fits = |f: &Factor| !short || short_scale(*f).is_some();
            let fits = match &out.scaling {
                Scaling::Global(f) => fits(f),
                Scaling::PerChannel(all) => all.iter().all(fits),
            };
            narrow && fits && ofm != Elem::I48 && plain_inputs(op)
        }
        Kind::Pool(..) => {
            // The clamp and the table are there; the divisor and the comparison leave no room for a scale.
            let same = ifms.iter().all(|&e| e == ofm && e.bits() <= 16);
            same && out.scaling.is_one() && plain_inputs(op)
        }
        // The sum over channels takes any scale; the others become comparisons.
        Kind::Reduce(crate::ir::Reduce::Sum) => {
            plain_inputs(op) && matches!(out.scaling, Scaling::Global(_)) && ofm != Elem::I48
        }
        // These are about bits, counts or truth, not about quantities.
        Kind::Elementwise(how) if !how.scales() => {
            let alike = ifms.iter().all(|&e| e == ifms[0]);
            let types = match how {
                // Truth is not 1 on the hardware: it is made 1 by an operation of its own.
                Elementwise::CmpEq | Elementwise::CmpGe | Elementwise::CmpGt => out.is_plain(),
                Elementwise::Asr { .. } => ifms[0] >= ofm,
                // What is lost or comes in depends on the width.
                _ => ifms[0] == ofm,
            };
            alike && types && out.scaling.is_one() && out.lut.is_none() && plain_inputs(op)
        }
        // Products are summed up by an operation that takes any scale.
        Kind::MatMul => {
            let narrow = ifms.iter().all(|&e| e == ifms[0] && e.bits() <= 16);
            narrow && ofm != Elem::I48 && matches!(out.scaling, Scaling::Global(_)) && plain_inputs(op)
        }
        Kind::Elementwise(_) => {
            let alike = op.inputs.windows(2).all(|pair| {
                elem(pair[0].view.tensor) == elem(pair[1].view.tensor) && pair[0].signed == pair[1].signed
            });
            alike && ofm != Elem::I48 && scales(program, op, generation).is_some()
        }
        Kind::Resize { mode: crate::ir::ResizeMode::Nearest, .. } => {
            plain_inputs(op) && out.scaling.is_one() && ifms.iter().all(|&e| e == ofm)
        }
        // A depthwise convolution on U55 and U65; on U85 sums come with a shift of their own.
        Kind::Resize { .. } => {
            let fits =
                generation != Generation::U85 || crate::legalize::resize::shift_only(&out.scaling).is_some();
            plain_inputs(op) && fits && ofm != Elem::I48
        }
        _ => out.scaling.is_one() && out.zero_point == 0 && plain_inputs(op) && out.lut.is_none(),
    }
}

fn plain_inputs(op: &Op) -> bool {
    op.inputs.iter().all(|i| i.scaling.is_none())
}

/// A factor whose multiplier fits into 15 bits without another result.
pub fn short_scale(factor: Factor) -> Option<Factor> {
    let Factor { mut multiplier, mut shift } = factor;
    while multiplier > 0x7fff && multiplier & 1 == 0 && shift > 0 {
        multiplier >>= 1;
        shift -= 1;
    }
    (multiplier <= 0x7fff).then_some(Factor { multiplier, shift })
}

/// The registers of an elementwise operation's scales: of the operands, and of the output.
pub fn scales(program: &Program, op: &Op, generation: Generation) -> Option<(OperandScales, Factor)> {
    let Kind::Elementwise(how) = op.kind else { return None };
    let Scaling::Global(factor) = op.output.scaling else { return None };
    let bits = |id: TensorId| program.tensor(id).elem.bits();
    let ifm = bits(op.inputs.first()?.view.tensor);
    let ofm = bits(op.output.view.tensor);
    let out_is_one = factor.is_one();
    let rounding = op.output.rounding;
    let plain = op.inputs.iter().all(|i| i.scaling.is_none());
    let u85 = generation == Generation::U85;
    use Elementwise as E;
    let out_ok = match how {
        E::Add | E::Sub | E::Abs if u85 => true,
        E::Mul if u85 => ifm < 32 || factor.multiplier == 1,
        E::Max | E::Min if u85 => true,
        E::Add | E::Sub | E::Abs | E::Mul => (ifm < 32 && ofm < 32) || factor.multiplier == 1,
        _ => out_is_one,
    };
    if !out_ok && !out_is_one {
        return None;
    }
    let factor = if out_is_one { Factor::ONE } else { factor };
    if plain {
        return Some((OperandScales::None, factor));
    }
    if ifm >= 32 {
        return None;
    }
    let scale = |i: usize| op.inputs.get(i).and_then(|input| input.scaling);
    if u85 {
        if matches!(how, E::Add | E::Sub | E::Max | E::Min | E::Abs) {
            let round = same_round(scale(0), scale(1))?;
            let of = |i| scale(i).map_or(Factor::ONE, |(f, _)| f);
            return Some((OperandScales::Each { a: of(0), b: of(1), round }, factor));
        }
        return None;
    }
    if !matches!(how, E::Add | E::Sub) || ofm >= 32 {
        return None;
    }
    // Multiplication of both, no shift: whole numbers, of which a common power of two may go into the output.
    let whole = |i: usize| scale(i).map_or(Some(1), |(f, _)| whole_number(f));
    if let (Some(a), Some(b)) = (whole(0), whole(1)) {
        let common = (a | b).trailing_zeros().min(factor.shift.into());
        let common = if rounding == Rounding::Single || common == 0 { common } else { 0 };
        let (a, b) = (a >> common, b >> common);
        if let (Ok(a), Ok(b)) = (i16::try_from(a), i16::try_from(b)) {
            let factor = Factor { shift: factor.shift - common as u8, ..factor };
            let scales = OperandScales::Multiply { a: a.unsigned_abs(), b: b.unsigned_abs() };
            return Some((scales, factor));
        }
    }
    // One is shifted left by the number of places that the hardware has fixed, the other is scaled.
    let fixed = 1i64 << if ifm == 8 { 19 } else { 14 };
    if whole(1) == Some(fixed) {
        let (f, rounding) = scale(0)?;
        return Some((OperandScales::First(f, round(rounding)), factor));
    }
    if whole(0) == Some(fixed) {
        let (f, rounding) = scale(1)?;
        return Some((OperandScales::Second(f, round(rounding)), factor));
    }
    None
}

/// The factor as a whole number, if it is one.
fn whole_number(factor: Factor) -> Option<i64> {
    let multiplier = i64::from(factor.multiplier);
    let part = 1i64.checked_shl(factor.shift.into()).filter(|part| *part > 0)?;
    (multiplier > 0 && multiplier % part == 0).then_some(multiplier / part)
}

/// How the hardware rounds as TOSA does.
pub fn round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::Double => Round::Double,
        // What has no mode may be rounded either way.
        _ => Round::Natural,
    }
}

fn same_round(a: Option<(Factor, Rounding)>, b: Option<(Factor, Rounding)>) -> Option<Round> {
    // What is not shifted is not rounded.
    let rounds = |scale: Option<(Factor, Rounding)>| scale.filter(|(f, _)| f.shift > 0).map(|(_, r)| r);
    match (rounds(a), rounds(b)) {
        (Some(a), Some(b)) if a != b => None,
        (Some(one), _) | (_, Some(one)) => Some(round(one)),
        (None, None) => Some(Round::Natural),
    }
}

/// Whether channels are neighbours, as NHWC has them.
pub fn is_nhwc(view: &View) -> bool {
    view.strides[2] == 1 || view.shape[2] == 1
}

/// Whether an operation can read and write its boxes. A copy is made whatever it takes.
pub fn reads(op: &Op) -> bool {
    op.kind == Kind::Identity || op.inputs.iter().all(|i| is_nhwc(&i.view)) && is_nhwc(&op.output.view)
}
