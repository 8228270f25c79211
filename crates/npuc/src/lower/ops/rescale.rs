//! RESCALE, CLAMP, TABLE: what the output stage does by itself.

use super::super::{Cx, Strided};
use crate::ir::{Elem, Factor, Kind, Output, Scaling};
use tombolo_tosa::Operation;
use tombolo_tosa::ops::clamp::Clamp;
use tombolo_tosa::ops::rescale::Rescale;

/// RESCALE.
pub(super) fn rescale(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &Rescale) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let (multipliers, shifts) = (cx.ints(op, 1, "the multiplier")?, cx.ints(op, 2, "the shift")?);
    let (zero_in, zero_out) = (cx.int(op, 3, "input_zp")?, cx.int(op, 4, "output_zp")?);
    let to = cx.result(op)?;
    let unsigned = |n: i64, elem: Elem, is: bool| if is { n & ((1i64 << elem.bits()) - 1) } else { n };
    let zero_in = unsigned(zero_in, cx.elem(from.tensor), attrs.input_unsigned);
    let zero_out = unsigned(zero_out, cx.elem(to.tensor), attrs.output_unsigned);
    let factors: Option<Vec<Factor>> = multipliers
        .iter()
        .zip(&shifts)
        .map(|(&multiplier, &shift)| {
            let multiplier = i32::try_from(multiplier).ok().filter(|&m| m >= 0)?;
            Some(Factor { multiplier, shift: u8::try_from(shift).ok().filter(|s| (2..=62).contains(s))? })
        })
        .collect();
    let factors = factors.ok_or("multipliers must not be negative, and shifts be 2 to 62")?;
    let scaling = match factors[..] {
        [factor] => Scaling::Global(factor),
        _ => Scaling::PerChannel(factors),
    };
    let clamp = Some(cx.elem(to.tensor).range(!attrs.output_unsigned));
    let output = |view| Output {
        view,
        signed: !attrs.output_unsigned,
        scaling: scaling.clone(),
        rounding: attrs.rounding_mode,
        zero_point: zero_out,
        clamp,
        lut: None,
    };
    let input: (Strided, i64, bool) = (from.broadcast(&to.dims)?, zero_in, !attrs.input_unsigned);
    cx.each(&Kind::Identity, &to.dims, &[input], &to.strided(), output)
}

/// CLAMP.
pub(super) fn clamp(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &Clamp) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let dtype = cx.block.tensor(op.inputs[0]).dtype;
    let bounds = attrs.bounds(dtype).ok_or(format!("min_val and max_val must be {dtype}"))?;
    let to = cx.result(op)?;
    let output = |view| Output { clamp: Some(bounds), ..Output::plain(view) };
    cx.each(&Kind::Identity, &to.dims, &[(from.broadcast(&to.dims)?, 0, true)], &to.strided(), output)
}

/// TABLE: of 256 entries for 8 bits, of 513 for 16.
pub(super) fn table(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let table = cx.input(op, 1)?;
    if cx.program.tensor(table.tensor).data.is_none() {
        return Err("the table must be a constant".into());
    }
    let to = cx.result(op)?;
    let entries = match (cx.elem(from.tensor), cx.elem(table.tensor), cx.elem(to.tensor)) {
        (Elem::I8, Elem::I8, Elem::I8) => 256,
        (Elem::I16, Elem::I16, Elem::I32) => 513,
        (from, table, to) => return Err(format!("there are no tables of {table} from {from} to {to}")),
    };
    let found = cx.program.tensor(table.tensor).elements;
    if found != entries {
        return Err(format!("the table must have {entries} entries, and has {found}"));
    }
    let output = |view| Output { lut: Some(table.tensor), ..Output::plain(view) };
    cx.each(&Kind::Identity, &to.dims, &[(from.broadcast(&to.dims)?, 0, true)], &to.strided(), output)
}
