//! Truth, which is a byte of 0 or 1, and CAST.
//!
//! Only U85 works on bits. With 0 and 1 the arithmetic of the others says the same.

use super::super::{Cx, Strided};
use crate::ir::{Elem, Elementwise, Kind, Output};
use tombolo_tosa::{Dtype, Operation};

/// LOGICAL_NOT: 1 minus the operand.
pub(super) fn not(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let one = cx.repeated(Elem::I8, 1, to.dims.len())?;
    let inputs = [(one, 0, true), (from.broadcast(&to.dims)?, 0, true)];
    cx.each(&Kind::Elementwise(Elementwise::Sub), &to.dims, &inputs, &to.strided(), Output::plain)
}

/// LOGICAL_XOR: the difference without its sign.
pub(super) fn xor(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let (a, b) = (cx.input(op, 0)?, cx.input(op, 1)?);
    let to = cx.result(op)?;
    let difference = cx.between(&to, "difference", Elem::I8, &to.dims)?;
    let inputs = [(a.broadcast(&to.dims)?, 0, true), (b.broadcast(&to.dims)?, 0, true)];
    let kind = Kind::Elementwise(Elementwise::Sub);
    cx.each(&kind, &to.dims, &inputs, &difference.strided(), Output::plain)?;
    let kind = Kind::Elementwise(Elementwise::Abs);
    cx.each(&kind, &to.dims, &[(difference.strided(), 0, true)], &to.strided(), Output::plain)
}

/// SELECT: the first times the condition plus the second times its opposite.
pub(super) fn select(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let (condition, a, b) = (cx.input(op, 0)?, cx.input(op, 1)?, cx.input(op, 2)?);
    let to = cx.result(op)?;
    let elem = cx.elem(to.tensor);
    // Both factors of a product have as many bits.
    let condition = match elem {
        Elem::I8 => condition,
        _ => {
            let wide = cx.between(&to, "condition", elem, &condition.dims)?;
            cx.copy(&condition.dims, condition.strided(), &wide.strided())?;
            wide
        }
    };
    let opposite = cx.between(&to, "opposite", elem, &condition.dims)?;
    let one = cx.repeated(elem, 1, condition.dims.len())?;
    let inputs = [(one, 0, true), (condition.strided(), 0, true)];
    let kind = Kind::Elementwise(Elementwise::Sub);
    cx.each(&kind, &condition.dims, &inputs, &opposite.strided(), Output::plain)?;
    let mut parts = Vec::new();
    for (choice, operand, step) in [(&condition, &a, "chosen"), (&opposite, &b, "otherwise")] {
        let part = cx.between(&to, step, elem, &to.dims)?;
        let inputs = [(choice.broadcast(&to.dims)?, 0, true), (operand.broadcast(&to.dims)?, 0, true)];
        let kind = Kind::Elementwise(Elementwise::Mul);
        cx.each(&kind, &to.dims, &inputs, &part.strided(), Output::plain)?;
        parts.push((part.strided(), 0, true));
    }
    cx.each(&Kind::Elementwise(Elementwise::Add), &to.dims, &parts, &to.strided(), Output::plain)
}

/// CAST between integers; what does not fit loses its upper bits.
pub(super) fn cast(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let from = cx.input(op, 0)?;
    let to = cx.result(op)?;
    let (wide, narrow) = (cx.elem(from.tensor), cx.elem(to.tensor));
    let dims = to.dims.clone();
    let source = from.broadcast(&dims)?;
    let target = to.strided();
    if op.outputs.first().is_some_and(|id| cx.block.tensor(*id).dtype == Dtype::Bool) {
        return truth(cx, wide, &dims, source, &target);
    }
    if narrow >= wide {
        return cx.copy(&dims, source, &target);
    }
    // To the top and down again, with the sign.
    let shift = cx.repeated(wide, i64::from(wide.bits() - narrow.bits()), dims.len())?;
    let top = cx.between(&to, "shifted", wide, &dims)?.strided();
    let operands = [(source, 0, true), (shift.clone(), 0, true)];
    cx.each(&Kind::Elementwise(Elementwise::Shl), &dims, &operands, &top, Output::plain)?;
    let kind = Kind::Elementwise(Elementwise::Asr { round: false });
    cx.each(&kind, &dims, &[(top, 0, true), (shift, 0, true)], &target, Output::plain)
}

/// Whether elements are not 0.
fn truth(
    cx: &mut Cx<'_, '_>,
    elem: Elem,
    dims: &[usize],
    source: Strided,
    target: &Strided,
) -> Result<(), String> {
    let clamped = |low: i64| move |view| Output { clamp: Some((low, 1)), ..Output::plain(view) };
    if elem != Elem::I32 {
        // Without a sign they are 0 or more.
        return cx.each(&Kind::Identity, dims, &[(source, 0, false)], target, clamped(0));
    }
    let sign = cx.program.tensor(target.tensor).name.clone() + " sign";
    let sign = crate::ir::Tensor {
        name: sign,
        elem: Elem::I8,
        elements: cx.program.tensor(target.tensor).elements,
        data: None,
    };
    let sign = Strided { tensor: cx.program.add(sign), ..target.clone() };
    cx.each(&Kind::Identity, dims, &[(source, 0, true)], &sign, clamped(-1))?;
    cx.each(&Kind::Elementwise(Elementwise::Abs), dims, &[(sign, 0, true)], target, Output::plain)
}
