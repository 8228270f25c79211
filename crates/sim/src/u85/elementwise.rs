//! Elementwise operations.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{broadcast_mode_u85 as broadcast, elementwise_mode as mode};

use super::acc::RowOutput;
use super::input::{self, Input, Source};
use super::output::{Scaling, Sink};
use super::{Core, Unit};
use crate::decode;
use crate::fault::Cause;
use crate::mem::Memory;
use crate::op::{Scale, Shape, Upscale};
use crate::scale::{self, Rounding};

impl Core {
    pub(super) fn elementwise(
        &mut self,
        unit: &Unit<'_>,
        operation: u32,
        memory: &mut Memory<'_>,
    ) -> Result<(), Cause> {
        let state = unit.state;
        let shape = decode::ofm_shape(state)?;
        if state.find(Opcode::IfmUpscale).is_some() && decode::upscale(state)? != Upscale::None {
            return Err(Cause::not_modelled(
                "an elementwise operation with IFM_UPSCALE: no compiler emits it",
            ));
        }
        if !unit.is_global()? {
            return Err(Cause::not_modelled(
                "an elementwise operation with a scale per channel: no compiler emits it",
            ));
        }
        unit.plain_accumulators("an elementwise operation")?;
        let unary = matches!(operation, mode::LRELU | mode::ABS | mode::CLZ | mode::NOT);
        let first = unit.operand(&decode::IFM, Opcode::IfmBroadcast, shape)?;
        let second =
            if unary { None } else { Some(unit.operand(&decode::IFM2, Opcode::Ifm2Broadcast, shape)?) };
        if let Some(second) = &second
            && second.elem.bytes != first.elem.bytes
        {
            return Err(Cause::invalid(format!(
                "the inputs have different sizes ({} and {} bits); IFM2_PRECISION must match IFM_PRECISION",
                first.elem.bits(),
                second.elem.bits()
            )));
        }
        if first.elem.bytes == 8 {
            return Err(Cause::not_modelled(
                "an elementwise operation on 64-bit elements: no compiler emits it",
            ));
        }
        let scale = unit.global_scale()?;
        let bits = first.elem.bits();
        let compute = Compute { operation, bits, rounding: scale.rounding };
        let scaling = match operation {
            // The shift is the second operand; OFM_SCALE gives the rounding.
            mode::SHR | mode::SHL | mode::LSR if (scale.scale, scale.shift) != (1, 0) => {
                return Err(Cause::not_modelled(format!(
                    "a shift with an OFM_SCALE of {} >> {}: no compiler emits one but 1 >> 0",
                    scale.scale, scale.shift
                )));
            }
            mode::SHR | mode::SHL | mode::LSR => Scaling::Plain,
            _ => Scaling::Global(scale),
        };
        let first_scale = unit.input_scale(Opcode::IfmScale)?;
        // LRELU has the scale of negative values there.
        let second_scale = if unary && operation != mode::LRELU {
            first_scale
        } else {
            unit.input_scale(Opcode::Ifm2Scale)?
        };
        let output = unit.output(memory, shape)?;
        memory.work(shape.elements())?;
        let scratch = &mut self.scratch;
        unit.load(&first, &self.chain, memory, &mut scratch.ifm)?;
        if let Some(second) = &second {
            unit.load(second, &self.chain, memory, &mut scratch.ifm2)?;
        }

        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(shape.elements() as usize * usize::from(output.elem.bytes));
        let mut sink = Sink { scaling, bits: None, output: &output, raw };
        let [a, b] = &mut scratch.values;
        let scaled = |s: Scale| move |v: i64| scale::apply(v, s.scale, s.shift, s.rounding);
        for y in 0..shape.h as usize {
            match &second {
                Some(second) => {
                    row(&first, y, shape, &scratch.ifm, a, scaled(first_scale));
                    row(second, y, shape, &scratch.ifm2, b, scaled(second_scale));
                }
                None if operation == mode::LRELU => {
                    row(&first, y, shape, &scratch.ifm, a, |v| {
                        scaled(if v < 0 { second_scale } else { first_scale })(v)
                    });
                }
                None => row(&first, y, shape, &scratch.ifm, a, scaled(first_scale)),
            }
            compute.row(a, b)?;
            sink.row(a)?;
        }
        output.store(self, memory)
    }
}

impl Unit<'_> {
    /// An operand with its broadcast axes at size 1.
    fn operand(
        &self,
        registers: &decode::MapRegisters,
        register: Opcode,
        full: Shape,
    ) -> Result<Input, Cause> {
        let field = match register {
            Opcode::IfmBroadcast => &fields::ifm_broadcast::BROADCAST_MODE,
            _ => &fields::ifm2_broadcast::BROADCAST_MODE,
        };
        let mode = decode::defined(self.state, register, field)?;
        let axis = |bit, full| if mode & bit != 0 { 1 } else { full };
        let own =
            Shape::new(axis(broadcast::H, full.h), axis(broadcast::W, full.w), axis(broadcast::C, full.c));
        let input = self.input(registers, own)?;
        if (mode == broadcast::SCALAR) != matches!(input.source, Source::Scalar(_)) {
            return Err(Cause::invalid(format!(
                "{} and {} do not agree whether the operand is a scalar",
                register.name(),
                registers.precision.name()
            )));
        }
        Ok(input)
    }
}

/// Fills `values` with the row of an operand that belongs to row `y` of the output, repeated along
/// the axes where it has size 1.
fn row(
    operand: &Input,
    y: usize,
    full: Shape,
    raw: &[u8],
    values: &mut Vec<i64>,
    scale: impl Fn(i64) -> i64,
) {
    let (width, depth) = (full.w as usize, full.c as usize);
    values.clear();
    if let Source::Scalar(scalar) = operand.source {
        values.resize(width * depth, scale(scalar - operand.zero_point));
        return;
    }
    let size = usize::from(operand.elem.bytes);
    let own = operand.shape;
    let pixel_bytes = own.c as usize * size;
    let row_bytes = own.w as usize * pixel_bytes;
    let y = if own.h == 1 { 0 } else { y };
    let row = raw.get(y * row_bytes..(y + 1) * row_bytes).unwrap_or(&[]);
    let value = |x: &[u8]| scale(input::value(x, operand.elem) - operand.zero_point);
    let repeat_c = own.c != full.c;
    for pixel in row.chunks_exact(pixel_bytes.max(1)) {
        if repeat_c {
            values.resize(values.len() + depth, value(pixel));
        } else {
            values.extend(pixel.chunks_exact(size).map(value));
        }
    }
    if own.w != full.w {
        let once = values.len();
        for _ in 1..width {
            values.extend_from_within(..once);
        }
    }
}

/// One operation on rows.
struct Compute {
    operation: u32,
    /// Bits of the inputs.
    bits: u32,
    /// Rounding of the output, which SHR takes as its own.
    rounding: Rounding,
}

impl Compute {
    /// `a = a op b`.
    fn row(&self, a: &mut [i64], b: &[i64]) -> Result<(), Cause> {
        let mut pairs = a.iter_mut().zip(b);
        match self.operation {
            mode::MUL => pairs.for_each(|(a, b)| *a = a.saturating_mul(*b)),
            mode::ADD => pairs.for_each(|(a, b)| *a = a.saturating_add(*b)),
            mode::SUB => pairs.for_each(|(a, b)| *a = a.saturating_sub(*b)),
            mode::MIN => pairs.for_each(|(a, b)| *a = (*a).min(*b)),
            mode::MAX => pairs.for_each(|(a, b)| *a = (*a).max(*b)),
            mode::ABS => a.iter_mut().for_each(|a| *a = a.saturating_abs()),
            mode::NOT => a.iter_mut().for_each(|a| *a = !*a),
            // The scales of the input did it all.
            mode::LRELU => {}
            mode::CLZ if self.bits == 32 => {
                a.iter_mut().for_each(|a| *a = i64::from((*a as u32).leading_zeros()));
            }
            mode::CLZ => {
                return Err(Cause::not_modelled("CLZ of inputs of less than 32 bits: no compiler emits it"));
            }
            mode::SHR => {
                let round = match self.rounding {
                    Rounding::Natural => true,
                    Rounding::TruncateToLower => false,
                    other => {
                        return Err(Cause::not_modelled(format!(
                            "SHR with rounding {other:?}: no compiler emits it"
                        )));
                    }
                };
                pairs.try_for_each(|(a, b)| {
                    let shift = self.shift(*b)?;
                    let half = if round && shift > 0 { 1 << (shift - 1) } else { 0 };
                    *a = a.saturating_add(half) >> shift;
                    Ok(())
                })?;
            }
            mode::SHL => pairs.try_for_each(|(a, b)| {
                // What leaves the element's width is lost.
                *a = self.wrap(*a << self.shift(*b)?);
                Ok(())
            })?,
            mode::LSR => pairs.try_for_each(|(a, b)| {
                let unsigned = (*a as u64) & (u64::MAX >> (64 - self.bits));
                *a = self.wrap((unsigned >> self.shift(*b)?) as i64);
                Ok(())
            })?,
            mode::DIV => pairs.try_for_each(|(a, b)| {
                *a = a
                    .checked_div(*b)
                    .ok_or_else(|| Cause::not_modelled("a division by zero: no source tells its result"))?;
                Ok(())
            })?,
            // All ones for true.
            mode::CMP_EQ => pairs.for_each(|(a, b)| *a = -i64::from(*a == *b)),
            mode::CMP_NE => pairs.for_each(|(a, b)| *a = -i64::from(*a != *b)),
            mode::CMP_GE => pairs.for_each(|(a, b)| *a = -i64::from(*a >= *b)),
            mode::CMP_GT => pairs.for_each(|(a, b)| *a = -i64::from(*a > *b)),
            mode::AND => pairs.for_each(|(a, b)| *a &= b),
            mode::OR => pairs.for_each(|(a, b)| *a |= b),
            mode::XOR => pairs.for_each(|(a, b)| *a ^= b),
            mode::AND_NOT => pairs.for_each(|(a, b)| *a &= !b),
            other => return Err(Cause::invalid(format!("elementwise mode {other}"))),
        }
        Ok(())
    }

    /// A value of the inputs' width, signed.
    fn wrap(&self, value: i64) -> i64 {
        let unused = 64 - self.bits;
        (value << unused) >> unused
    }

    /// TOSA allows shifts by up to 31 for every width.
    fn shift(&self, by: i64) -> Result<u32, Cause> {
        match u32::try_from(by) {
            Ok(by @ 0..=31) => Ok(by),
            _ => Err(Cause::not_modelled(format!("a shift by {by}: no source tells its result"))),
        }
    }
}
