//! Inputs: feature maps in memory, chain buffers, scalars.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::activation_storage;

use super::{Chained, Unit};
use crate::conv::element;
use crate::decode::{self, MapRegisters};
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Elem, FeatureMap, Shape, Tiling};

/// Where an input comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Map(FeatureMap),
    /// A slot of the chain buffer.
    Chain(u8),
    /// OP_SCALAR.
    Scalar(i64),
}

/// IFM or IFM2 of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input {
    pub(super) source: Source,
    pub(super) elem: Elem,
    pub(super) zero_point: i64,
    /// Its own shape; a scalar has one element.
    pub(super) shape: Shape,
}

/// The number in raw little-endian bytes of any size.
pub(super) fn value(raw: &[u8], elem: Elem) -> i64 {
    match <[u8; 8]>::try_from(raw) {
        Ok(raw) => i64::from_le_bytes(raw),
        Err(_) if elem.bytes == 4 && !elem.signed => i64::from(element(raw, elem) as u32),
        Err(_) => element(raw, elem).into(),
    }
}

impl Unit<'_> {
    /// How a map is stored: `None` for a map in memory or a chain buffer that is not there.
    pub(super) fn storage(&self, precision: Opcode) -> Result<u32, Cause> {
        let field = match precision {
            Opcode::OfmPrecision => &fields::ofm_precision::ACTIVATION_STORAGE,
            Opcode::Ifm2Precision => &fields::ifm2_precision::ACTIVATION_STORAGE,
            _ => &fields::ifm_precision::ACTIVATION_STORAGE,
        };
        self.state.field(precision, field)
    }

    /// Decodes an input of the given shape.
    pub(super) fn input(&self, registers: &MapRegisters, shape: Shape) -> Result<Input, Cause> {
        let state = self.state;
        let elem = decode::elem(state, registers)?;
        if elem.bytes == 8 && !elem.signed {
            return Err(Cause::not_modelled("unsigned elements of 64 bits: no compiler emits them"));
        }
        let zero_point = decode::zero_point(state, registers, elem)?.into();
        let (source, shape) = match self.storage(registers.precision)? {
            activation_storage::NONE => {
                let scalar = fields::op_scalar::SCALAR.get_signed(state.get(Opcode::OpScalar)?);
                (Source::Scalar(scalar.into()), Shape::new(1, 1, 1))
            }
            activation_storage::CHAINED => {
                let region = match registers.precision {
                    Opcode::Ifm2Precision => Opcode::Ifm2Region,
                    _ => Opcode::IfmRegion,
                };
                (Source::Chain((state.param(region)? & 7) as u8), shape)
            }
            storage => (Source::Map(decode::feature_map(state, registers, shape, tiling(storage))?), shape),
        };
        Ok(Input { source, elem, zero_point, shape })
    }

    /// Reads an input, dense, as it is stored. A scalar leaves `into` empty.
    pub(super) fn load(
        &self,
        input: &Input,
        chain: &[Option<Chained>],
        memory: &mut Memory<'_>,
        into: &mut Vec<u8>,
    ) -> Result<(), Cause> {
        into.clear();
        match input.source {
            Source::Map(map) => memory.load(Channel::Ifm, &map, into),
            Source::Scalar(_) => Ok(()),
            Source::Chain(slot) => {
                let chained = chain
                    .get(usize::from(slot))
                    .and_then(Option::as_ref)
                    .ok_or_else(|| Cause::invalid(format!("nothing was chained in buffer {slot}")))?;
                if chained.shape != input.shape || chained.elem != input.elem {
                    let Shape { h, w, c } = chained.shape;
                    return Err(Cause::not_modelled(format!(
                        "{h}x{w}x{c} elements of {} bits in chain buffer {slot} taken for {}x{}x{} of {} bits",
                        chained.elem.bits(),
                        input.shape.h,
                        input.shape.w,
                        input.shape.c,
                        input.elem.bits()
                    )));
                }
                memory.work(chained.bytes.len() as u64)?;
                into.extend_from_slice(&chained.bytes);
                Ok(())
            }
        }
    }

    /// IFM or IFM2 of an operation that takes neither chain buffer nor scalar.
    pub(super) fn input_map(
        &self,
        registers: &MapRegisters,
        shape: Shape,
    ) -> Result<(Input, FeatureMap), Cause> {
        let input = self.input(registers, shape)?;
        match input.source {
            Source::Map(map) => Ok((input, map)),
            _ => Err(Cause::not_modelled(format!(
                "{} names a chain buffer or scalar for an operation that is not elementwise: no compiler emits it",
                registers.precision.name()
            ))),
        }
    }
}

/// Tiles of a map in memory.
pub(super) fn tiling(storage: u32) -> Tiling {
    match storage {
        activation_storage::TILE3X1 => Tiling::T3x1,
        _ => Tiling::T2x2,
    }
}
