//! Accumulators: what they start from, and whether they go to the output.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{acc_format, acc_input, acc_output};

use super::input::{self, Source};
use super::{Chained, Scratch, Unit};
use crate::decode;
use crate::fault::Cause;
use crate::mem::Memory;
use crate::op::{Elem, Shape};

/// Accumulators that an operation left behind.
#[derive(Debug)]
pub(super) struct Kept {
    shape: Shape,
    bits: u32,
    values: Vec<i64>,
}

/// ACC_FORMAT but for the microblock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Control {
    pub(super) bits: u32,
    pub(super) start: Start,
    /// Whether the result leaves the accumulators.
    pub(super) output: bool,
}

/// What accumulators start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Zero,
    Kept,
    Ifm2,
}

/// The numbers that accumulators start from.
#[derive(Debug)]
enum Begin {
    Zero,
    Kept(Vec<i64>),
    /// IFM2 as it is stored.
    Stored {
        bytes: Vec<u8>,
        elem: Elem,
        zero_point: i64,
    },
}

/// Accumulators of a whole operation.
#[derive(Debug)]
pub(super) struct Accumulators {
    pub(super) control: Control,
    shape: Shape,
    begin: Begin,
    /// What is kept of them.
    end: Vec<i64>,
}

impl Unit<'_> {
    /// Decodes ACC_FORMAT.
    pub(super) fn acc_control(&self) -> Result<Control, Cause> {
        use fields::acc_format as f;
        let format = self.state.get(Opcode::AccFormat)?;
        Ok(Control {
            bits: match f::ACC_FORMAT.get(format) {
                acc_format::I32 => 32,
                acc_format::I48 => 48,
                other => return Err(Cause::invalid(format!("accumulator format {other}"))),
            },
            start: match f::ACC_INPUT.get(format) {
                acc_input::RESET => Start::Zero,
                acc_input::KEEP => Start::Kept,
                acc_input::IFM2 => Start::Ifm2,
                other => return Err(Cause::invalid(format!("accumulator input {other}"))),
            },
            output: f::ACC_OUTPUT.get(format) == acc_output::ENABLE,
        })
    }

    /// For operations that no compiler combines with other uses of the accumulators.
    pub(super) fn plain_accumulators(&self, what: &str) -> Result<u32, Cause> {
        let control = self.acc_control()?;
        if control.start != Start::Zero || !control.output {
            return Err(Cause::not_modelled(format!(
                "{what} that takes over or keeps accumulators: no compiler emits it"
            )));
        }
        Ok(control.bits)
    }

    /// What the accumulators start from. Loads IFM2 if that is it.
    pub(super) fn accumulators(
        &self,
        shape: Shape,
        kept: Option<Kept>,
        chain: &[Option<Chained>],
        memory: &mut Memory<'_>,
        scratch: &mut Scratch,
    ) -> Result<Accumulators, Cause> {
        let control = self.acc_control()?;
        let begin = match control.start {
            Start::Zero => Begin::Zero,
            Start::Kept => {
                let kept = kept.ok_or_else(|| {
                    Cause::invalid("ACC_FORMAT keeps accumulators, but the operation before left none")
                })?;
                if kept.shape != shape || kept.bits != control.bits {
                    return Err(Cause::not_modelled(format!(
                        "accumulators of {} bits for {}x{}x{} elements kept for an operation with {} bits and {}x{}x{}",
                        kept.bits,
                        kept.shape.h,
                        kept.shape.w,
                        kept.shape.c,
                        control.bits,
                        shape.h,
                        shape.w,
                        shape.c
                    )));
                }
                Begin::Kept(kept.values)
            }
            Start::Ifm2 => {
                let input = self.input(&decode::IFM2, shape)?;
                if !input.elem.signed || u32::from(input.elem.bytes) != control.bits.div_ceil(32) * 4 {
                    return Err(Cause::not_modelled(format!(
                        "accumulators of {} bits started from elements of {} bits, {}",
                        control.bits,
                        input.elem.bits(),
                        if input.elem.signed { "signed" } else { "unsigned" }
                    )));
                }
                if matches!(input.source, Source::Scalar(_)) {
                    return Err(Cause::not_modelled(
                        "accumulators started from a scalar: no compiler emits it",
                    ));
                }
                self.load(&input, chain, memory, &mut scratch.ifm2)?;
                let bytes = std::mem::take(&mut scratch.ifm2);
                Begin::Stored { bytes, elem: input.elem, zero_point: input.zero_point }
            }
        };
        let mut end = Vec::new();
        if !control.output {
            self.check_block(shape)?;
            end.reserve_exact(shape.elements() as usize);
        }
        Ok(Accumulators { control, shape, begin, end })
    }

    /// Accumulators can be kept of one block only.
    fn check_block(&self, shape: Shape) -> Result<(), Cause> {
        let block = Shape::new(
            self.state.plus_one(Opcode::OfmBlkHeightM1)?,
            self.state.plus_one(Opcode::OfmBlkWidthM1)?,
            self.state.plus_one(Opcode::OfmBlkDepthM1)?,
        );
        if shape.h > block.h || shape.w > block.w || shape.c > block.c {
            return Err(Cause::not_modelled(format!(
                "accumulators of {}x{}x{} elements kept in blocks of {}x{}x{}: they hold one block",
                shape.h, shape.w, shape.c, block.h, block.w, block.c
            )));
        }
        Ok(())
    }
}

impl Accumulators {
    /// Takes the sums of row `y`. Calls `output` with the accumulators if they leave, else keeps
    /// them.
    pub(super) fn row<A: Copy + Into<i64>>(
        &mut self,
        y: usize,
        sums: &[A],
        whole: &mut Vec<i64>,
        output: &mut impl RowOutput,
    ) -> Result<(), Cause> {
        if matches!(self.begin, Begin::Zero) && self.control.output {
            return output.row(sums);
        }
        whole.clear();
        whole.extend(sums.iter().map(|&sum| sum.into()));
        let first = y * sums.len();
        match &self.begin {
            Begin::Zero => {}
            Begin::Kept(start) => {
                let start = start.get(first..first + sums.len()).unwrap_or(&[]);
                whole.iter_mut().zip(start).for_each(|(sum, start)| *sum += start);
            }
            Begin::Stored { bytes, elem, zero_point } => {
                let size = usize::from(elem.bytes);
                let start = bytes.get(first * size..(first + sums.len()) * size).unwrap_or(&[]);
                for (sum, raw) in whole.iter_mut().zip(start.chunks_exact(size)) {
                    *sum = sum.saturating_add(input::value(raw, *elem).saturating_sub(*zero_point));
                }
            }
        }
        if self.control.output {
            return output.row(whole);
        }
        check_range(whole, self.control.bits)?;
        self.end.extend_from_slice(whole);
        Ok(())
    }

    /// What is left for the next operation.
    pub(super) fn into_kept(self) -> Option<Kept> {
        (!self.control.output).then_some(Kept {
            shape: self.shape,
            bits: self.control.bits,
            values: self.end,
        })
    }
}

/// Takes rows of accumulators.
pub(super) trait RowOutput {
    /// Takes one row, channels fastest.
    fn row<A: Copy + Into<i64>>(&mut self, acc: &[A]) -> Result<(), Cause>;
}

/// Accumulators must not overflow: what they do then is not known.
fn check_range(values: &[i64], bits: u32) -> Result<(), Cause> {
    let (low, high) = range(bits);
    if values.iter().all(|v| (low..=high).contains(v)) { Ok(()) } else { Err(overflow(bits)) }
}

/// Smallest and largest value of an accumulator.
pub(super) fn range(bits: u32) -> (i64, i64) {
    let half = 1i64 << (bits - 1);
    (-half, half - 1)
}

/// The error for an accumulator that does not hold a sum.
pub(super) fn overflow(bits: u32) -> Cause {
    Cause::not_modelled(format!(
        "an accumulator of {bits} bits overflows: no source tells whether it wraps or saturates"
    ))
}
