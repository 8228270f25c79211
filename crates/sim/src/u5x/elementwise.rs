//! Elementwise operations of U55 and U65.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{broadcast_mode, elementwise_mode as mode, ifm_scale_mode, ifm2_operand_order};

use super::output::{self, Output};
use super::{Scratch, Unit};
use crate::conv::element;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Elem, Scale, Shape, Tiling, Upscale};
use crate::scale::{self, Rounding};

/// Second input of a binary operation.
enum Second {
    /// No second input.
    None,
    /// IFM2_SCALAR less its zero point.
    Constant(i64),
    /// A map of this shape; axes of size 1 are repeated.
    Map { shape: Shape, elem: Elem, zero_point: i64 },
}

/// How ADD and SUB scale their operands.
#[derive(Clone, Copy)]
enum Operands {
    /// Not at all.
    Plain,
    /// Each by 16 bits.
    Both { a: i64, b: i64 },
    /// One by 32 bits with shift, the other by a fixed left shift.
    One { a: bool, scale: Scale, left: u32 },
}

impl Unit<'_> {
    pub(super) fn elementwise(
        &self,
        operation: u32,
        memory: &mut Memory<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Cause> {
        let state = self.state;
        let shape = decode::ofm_shape(state)?;
        let ifm = decode::feature_map(state, &decode::IFM, shape, Tiling::T2x2)?;
        let elem = ifm.elem;
        let zero_point = i64::from(decode::zero_point(state, &decode::IFM, elem)?);
        if state.find(Opcode::IfmUpscale).is_some() && decode::upscale(state)? != Upscale::None {
            return Err(Cause::not_modelled(
                "an elementwise operation with IFM_UPSCALE: no compiler emits it",
            ));
        }
        let unary = matches!(operation, mode::LRELU | mode::ABS | mode::CLZ);
        let mut swap = false;
        let second = if unary {
            Second::None
        } else {
            let (second, order) = self.second(shape, elem, memory, &mut scratch.ifm2)?;
            swap = order;
            second
        };
        let output = Output::decode(state, memory, shape, self.lut_base())?;
        let scale = self.output_scale(operation, elem, output.map.elem)?;
        let operands = self.operands(operation, elem)?;
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;

        let width = (shape.w * shape.c) as usize;
        let size = usize::from(elem.bytes);
        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(shape.elements() as usize * usize::from(output.map.elem.bytes));
        let [a, b, _] = &mut scratch.values;
        for (y, row) in scratch.ifm.chunks_exact(width * size).enumerate() {
            a.clear();
            a.extend(row.chunks_exact(size).map(|x| i64::from(element(x, elem)) - zero_point));
            second.row(y, width, shape, &scratch.ifm2, b);
            if swap {
                std::mem::swap(a, b);
            }
            let compute = Compute { operation, bits: elem.bits(), round: scale.rounding, operands };
            compute.row(a, b)?;
            if operation == mode::LRELU {
                // The scale is that of the negative values.
                for value in a.iter_mut().filter(|value| **value < 0) {
                    *value = scale::apply(*value, scale.scale, scale.shift, scale.rounding);
                }
                output.append(a.iter().copied(), raw);
            } else {
                output.append(
                    a.iter().map(|&v| scale::apply(v, scale.scale, scale.shift, scale.rounding)),
                    raw,
                );
            }
        }
        output.store(memory, &scratch.ofm)
    }

    /// The second input, and whether it is operand A.
    fn second(
        &self,
        shape: Shape,
        first: Elem,
        memory: &mut Memory<'_>,
        raw: &mut Vec<u8>,
    ) -> Result<(Second, bool), Cause> {
        use fields::ifm2_broadcast as f;
        let state = self.state;
        let broadcast = state.get(Opcode::Ifm2Broadcast)?;
        let swap = f::OPERAND_ORDER.get(broadcast) == ifm2_operand_order::ORDER_A;
        let elem = decode::elem(state, &decode::IFM2)?;
        if elem != first {
            return Err(Cause::invalid(format!(
                "the inputs have different types ({} and {} bits); IFM2_PRECISION must match IFM_PRECISION",
                first.bits(),
                elem.bits()
            )));
        }
        let zero_point = i64::from(decode::zero_point(state, &decode::IFM2, elem)?);
        if f::BROADCAST_CONSTANT.get(broadcast) != 0 {
            let bits = state.param(Opcode::Ifm2Scalar)?;
            let scalar = if elem.signed { i64::from(bits as i16) } else { i64::from(bits) };
            return Ok((Second::Constant(scalar - zero_point), swap));
        }
        let axis = |field: &tombolo_ethosu::Field, full| {
            if field.get(broadcast) == broadcast_mode::ENABLE { 1 } else { full }
        };
        let own = Shape::new(
            axis(&f::BROADCAST_H, shape.h),
            axis(&f::BROADCAST_W, shape.w),
            axis(&f::BROADCAST_C, shape.c),
        );
        let map = decode::feature_map(state, &decode::IFM2, own, Tiling::T2x2)?;
        memory.load(Channel::Ifm, &map, raw)?;
        Ok((Second::Map { shape: own, elem, zero_point }, swap))
    }

    /// The scale of the result.
    fn output_scale(&self, operation: u32, ifm: Elem, ofm: Elem) -> Result<Scale, Cause> {
        if !output::is_global(self.state)? {
            // Vela says "per channel" for these and sets no scale: there is none.
            return match operation {
                mode::SHR | mode::SHL | mode::CLZ | mode::MIN | mode::MAX => {
                    Ok(Scale { scale: 1, shift: 0, rounding: output::ofm_rounding(self.state)? })
                }
                _ => Err(Cause::not_modelled(
                    "an elementwise operation with a scale per channel: no compiler emits it",
                )),
            };
        }
        let scale = output::global_scale(self.state)?;
        match operation {
            // The shift is the operand, rounding is applied with it.
            mode::SHR | mode::SHL | mode::CLZ if (scale.scale, scale.shift) != (1, 0) => {
                Err(Cause::not_modelled(format!(
                    "SHR, SHL or CLZ with an OFM_SCALE of {} >> {}: no compiler emits one but 1 >> 0",
                    scale.scale, scale.shift
                )))
            }
            // With a 32-bit side only the shift counts.
            _ if ifm.bytes == 4 || ofm.bytes == 4 => Ok(Scale { scale: 1, ..scale }),
            _ => Ok(scale),
        }
    }

    /// The scales of the operands of ADD and SUB.
    fn operands(&self, operation: u32, elem: Elem) -> Result<Operands, Cause> {
        use fields::{opa_scale, opb_scale};
        if !matches!(operation, mode::ADD | mode::SUB) || elem.bytes == 4 {
            return Ok(Operands::Plain);
        }
        let state = self.state;
        let which = decode::defined(state, Opcode::IfmPrecision, &fields::ifm_precision::SCALE_MODE)?;
        let opa = state.get(Opcode::OpaScale)?;
        if which == ifm_scale_mode::OPA_OPB_16 {
            let opb = state.get(Opcode::OpbScale)?;
            return Ok(Operands::Both {
                a: i64::from(opa_scale::SCALE.get(opa) & 0xffff),
                b: opb_scale::SCALE.get(opb).into(),
            });
        }
        Ok(Operands::One {
            a: which == ifm_scale_mode::OPA_32,
            scale: Scale {
                scale: opa_scale::SCALE.get(opa),
                shift: opa_scale::SHIFT.get(opa) as u8,
                rounding: output::ifm_rounding(state)?,
            },
            left: if elem.bytes == 1 { 19 } else { 14 },
        })
    }
}

impl Second {
    /// Fills `b` with the row that belongs to row `y` of the output.
    fn row(&self, y: usize, width: usize, full: Shape, raw: &[u8], b: &mut Vec<i64>) {
        b.clear();
        match *self {
            Second::None => b.resize(width, 0),
            Second::Constant(value) => b.resize(width, value),
            Second::Map { shape, elem, zero_point } => {
                let size = usize::from(elem.bytes);
                let depth = shape.c as usize;
                let pixel_bytes = depth * size;
                let row_bytes = shape.w as usize * pixel_bytes;
                let y = if shape.h == 1 { 0 } else { y };
                let row = raw.get(y * row_bytes..(y + 1) * row_bytes).unwrap_or(&[]);
                let value = |x: &[u8]| i64::from(element(x, elem)) - zero_point;
                let (repeat_w, repeat_c) = (shape.w != full.w, shape.c != full.c);
                if !repeat_w && !repeat_c {
                    b.extend(row.chunks_exact(size).map(value));
                    return;
                }
                for x in 0..full.w as usize {
                    let x = if repeat_w { 0 } else { x };
                    let pixel = row.get(x * pixel_bytes..(x + 1) * pixel_bytes).unwrap_or(&[]);
                    if repeat_c {
                        b.resize(b.len() + full.c as usize, value(pixel));
                    } else {
                        b.extend(pixel.chunks_exact(size).map(value));
                    }
                }
            }
        }
    }
}

/// One operation on rows.
struct Compute {
    operation: u32,
    bits: u32,
    /// Rounding of the output, which SHR takes as its own.
    round: Rounding,
    operands: Operands,
}

impl Compute {
    /// `a = a op b`.
    fn row(&self, a: &mut [i64], b: &[i64]) -> Result<(), Cause> {
        let mut pairs = a.iter_mut().zip(b);
        match self.operation {
            mode::MUL => pairs.for_each(|(a, b)| *a *= b),
            mode::ADD => self.sum(pairs, |a, b| a + b),
            mode::SUB => self.sum(pairs, |a, b| a - b),
            mode::MIN => pairs.for_each(|(a, b)| *a = (*a).min(*b)),
            mode::MAX => pairs.for_each(|(a, b)| *a = (*a).max(*b)),
            mode::ABS => pairs.for_each(|(a, _)| *a = a.abs()),
            mode::LRELU => {}
            mode::CLZ => {
                if self.bits != 32 {
                    return Err(Cause::not_modelled("CLZ of inputs of less than 32 bits"));
                }
                pairs.for_each(|(a, _)| *a = i64::from((*a as u32).leading_zeros()));
            }
            mode::SHR => {
                // Only NATURAL rounds; TOSA's shift without rounding comes with DBL.
                let natural = self.round == Rounding::Natural;
                pairs.try_for_each(|(a, b)| {
                    let shift = self.shift(*b)?;
                    let round = if natural && shift > 0 { 1 << (shift - 1) } else { 0 };
                    *a = (*a + round) >> shift;
                    Ok(())
                })?;
            }
            mode::SHL => {
                pairs.try_for_each(|(a, b)| {
                    // What leaves the element's width is lost.
                    let unused = 64 - self.bits;
                    *a = ((*a << self.shift(*b)?) << unused) >> unused;
                    Ok(())
                })?;
            }
            other => return Err(Cause::invalid(format!("elementwise mode {other}"))),
        }
        Ok(())
    }

    fn shift(&self, by: i64) -> Result<u32, Cause> {
        match u32::try_from(by) {
            Ok(by) if by < self.bits => Ok(by),
            _ => Err(Cause::not_modelled(format!("a shift by {by} of elements of {} bits", self.bits))),
        }
    }

    fn sum<'a>(&self, pairs: impl Iterator<Item = (&'a mut i64, &'a i64)>, sum: impl Fn(i64, i64) -> i64) {
        match self.operands {
            Operands::Plain => pairs.for_each(|(a, b)| *a = sum(*a, *b)),
            Operands::Both { a: sa, b: sb } => pairs.for_each(|(a, b)| *a = sum(*a * sa, b * sb)),
            Operands::One { a: first, scale: s, left } => {
                let scaled = |v: i64| scale::apply(v, s.scale, s.shift, s.rounding);
                pairs.for_each(|(a, b)| {
                    *a = if first { sum(scaled(*a), b << left) } else { sum(*a << left, scaled(*b)) }
                });
            }
        }
    }
}
