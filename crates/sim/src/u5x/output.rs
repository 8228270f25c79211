//! Output stage of U55 and U65: scale, zero point, clip, table, store.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{
    acc_format, activation_clip_range, activation_function, ofm_scale_mode, round_mode,
};

use crate::bus::Access;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Elem, FeatureMap, Scale, Shape, Tiling};
use crate::scale::{self, Rounding};
use crate::state::State;

/// A look-up table, read out of the SHRAM when the operation starts.
#[derive(Debug)]
enum Table {
    None,
    /// One byte for each of the values of an 8-bit type.
    Bytes(Box<[u8; 256]>),
    /// Base and slope for each of 512 stretches of the 16-bit range.
    Interpolated(Box<[(i16, i16); 512]>),
}

/// Everything behind the scaling.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) map: FeatureMap,
    zero_point: i64,
    /// Bounds of the result, zero point included.
    min: i64,
    max: i64,
    table: Table,
}

fn rounding(bits: u32) -> Result<Rounding, Cause> {
    match bits {
        round_mode::DBL => Ok(Rounding::DoubleSymmetric(0)),
        round_mode::TRUNCATE => Ok(Rounding::TruncateToZero),
        round_mode::NATURAL => Ok(Rounding::Natural),
        other => Err(Cause::invalid(format!("rounding mode {other}"))),
    }
}

/// Rounding of the output.
pub(super) fn ofm_rounding(state: &State) -> Result<Rounding, Cause> {
    rounding(state.field(Opcode::OfmPrecision, &fields::ofm_precision::ROUND_MODE)?)
}

/// Rounding of a scaled input.
pub(super) fn ifm_rounding(state: &State) -> Result<Rounding, Cause> {
    rounding(state.field(Opcode::IfmPrecision, &fields::ifm_precision::ROUND_MODE)?)
}

/// Whether OFM_SCALE serves all channels.
pub(super) fn is_global(state: &State) -> Result<bool, Cause> {
    Ok(state.field(Opcode::OfmPrecision, &fields::ofm_precision::SCALE_MODE)? == ofm_scale_mode::GLOBAL)
}

/// OFM_SCALE with the rounding of the output.
pub(super) fn global_scale(state: &State) -> Result<Scale, Cause> {
    let command = state.get(Opcode::OfmScale)?;
    Ok(Scale {
        scale: fields::ofm_scale::SCALE_U55_U65.get(command),
        shift: fields::ofm_scale::SHIFT.get(command) as u8,
        rounding: ofm_rounding(state)?,
    })
}

/// Bits of an accumulator.
pub(super) fn accumulator_bits(state: &State) -> Result<u32, Cause> {
    match state.field(Opcode::AccFormat, &fields::acc_format::ACC_FORMAT)? {
        acc_format::I32 => Ok(32),
        acc_format::I40 => Ok(40),
        acc_format::F16 => {
            Err(Cause::not_modelled("accumulators in half precision: no public compiler emits them"))
        }
        other => Err(Cause::invalid(format!("accumulator format {other}"))),
    }
}

impl Output {
    /// Decodes the output of an operation and checks that it can be written.
    pub(super) fn decode(
        state: &State,
        memory: &mut Memory<'_>,
        shape: Shape,
        lut_base: usize,
    ) -> Result<Output, Cause> {
        let map = decode::feature_map(state, &decode::OFM, shape, Tiling::T2x2)?;
        let elem = map.elem;
        let zero_point = decode::zero_point(state, &decode::OFM, elem)?;
        let function =
            decode::defined(state, Opcode::Activation, &fields::activation::ACTIVATION_FUNCTION_U55_U65)?;
        let range =
            decode::defined(state, Opcode::Activation, &fields::activation::ACTIVATION_CLIP_RANGE_U55_U65)?;
        let table = match function {
            activation_function::RELU => Table::None,
            activation_function::TABLE_0..=activation_function::TABLE_7 => {
                let slot = (function - activation_function::TABLE_0) as usize;
                Self::table(memory.internal, lut_base + slot * 256, elem)?
            }
            activation_function::TANH | activation_function::SIGMOID => {
                return Err(Cause::not_modelled(
                    "the built-in curves TANH and SIGMOID: no public source defines their values",
                ));
            }
            other => return Err(Cause::invalid(format!("activation function {other}"))),
        };
        // The bounds are of the type that is clipped to.
        let clipped = match range {
            activation_clip_range::FORCE_UINT8 => Elem { bytes: 1, signed: false },
            activation_clip_range::FORCE_INT8 => Elem { bytes: 1, signed: true },
            activation_clip_range::FORCE_INT16 => Elem { bytes: 2, signed: true },
            _ => elem,
        };
        if clipped != elem && elem.bytes != 4 {
            return Err(Cause::not_modelled(format!(
                "clipping an output of {} bits to another type (ACTIVATION clip range {range})",
                elem.bits()
            )));
        }
        let (min, max) = if clipped.bytes == 4 {
            // The bounds have 16 bits, and 32-bit outputs are not clipped by them: they wrap.
            (i64::MIN, i64::MAX)
        } else {
            let bound = |opcode| -> Result<i64, Cause> {
                let bits = state.param(opcode)?;
                Ok(if clipped.signed { i64::from(bits as i16) } else { i64::from(bits) })
            };
            let (min, max) = (bound(Opcode::ActivationMin)?, bound(Opcode::ActivationMax)?);
            let (low, high) = clipped.range();
            if min > max || min < low || max > high {
                return Err(Cause::invalid(format!(
                    "ACTIVATION_MIN {min} and ACTIVATION_MAX {max} are no range within {low} to {high}"
                )));
            }
            (min, max)
        };
        memory.check_map(Channel::Ofm, Access::Write, &map)?;
        memory.stats.elements = map.shape.elements();
        Ok(Output { map, zero_point: zero_point.into(), min, max, table })
    }

    fn table(internal: &[u8], at: usize, elem: Elem) -> Result<Table, Cause> {
        let outside = || Cause::invalid("the look-up table reaches behind the end of the SHRAM");
        match elem.bytes {
            1 => {
                let bytes = internal.get(at..at + 256).ok_or_else(outside)?;
                let mut table = Box::new([0; 256]);
                table.copy_from_slice(bytes);
                Ok(Table::Bytes(table))
            }
            2 if elem.signed => {
                let bytes = internal.get(at..at + 2048).ok_or_else(outside)?;
                let mut table = Box::new([(0, 0); 512]);
                for (entry, raw) in table.iter_mut().zip(bytes.chunks_exact(4)) {
                    if let &[a, b, c, d] = raw {
                        *entry = (i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d]));
                    }
                }
                Ok(Table::Interpolated(table))
            }
            _ => Err(Cause::not_modelled(format!(
                "a look-up table with an output of {} bits, {}",
                elem.bits(),
                if elem.signed { "signed" } else { "unsigned" }
            ))),
        }
    }

    /// Appends scaled values as stored elements.
    pub(super) fn append(&self, values: impl Iterator<Item = i64>, raw: &mut Vec<u8>) {
        let (zero_point, min, max) = (self.zero_point, self.min, self.max);
        let clip = move |v: i64| v.saturating_add(zero_point).clamp(min, max);
        match (self.map.elem.bytes, &self.table) {
            (1, Table::Bytes(table)) => {
                // Tables start with the lowest value of the type.
                let first = self.map.elem.range().0;
                raw.extend(values.map(|v| {
                    let index = clip(v) - first;
                    table.get(index as usize).copied().unwrap_or(0)
                }));
            }
            (1, _) => raw.extend(values.map(|v| clip(v) as u8)),
            (2, Table::Interpolated(table)) => {
                for v in values {
                    let v = clip(v);
                    let (base, slope) = table.get(((v >> 7) + 256) as usize).copied().unwrap_or((0, 0));
                    let v = i64::from(base) + ((i64::from(slope) * (v & 127) + 64) >> 7);
                    raw.extend_from_slice(&(v as i16).to_le_bytes());
                }
            }
            (2, _) => values.for_each(|v| raw.extend_from_slice(&(clip(v) as u16).to_le_bytes())),
            _ => values.for_each(|v| {
                let v = v.wrapping_add(zero_point).clamp(min, max);
                raw.extend_from_slice(&(v as u32).to_le_bytes());
            }),
        }
    }

    /// Writes the whole output.
    pub(super) fn store(&self, memory: &mut Memory<'_>, raw: &[u8]) -> Result<(), Cause> {
        memory.store(Channel::Ofm, &self.map, raw)
    }
}

/// Bias, scale and shift of every output channel.
#[derive(Debug, Default)]
pub(super) struct ChannelScales {
    pub(super) channels: Vec<ChannelScale>,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ChannelScale {
    pub(super) bias: i64,
    pub(super) scale: u32,
    pub(super) shift: u8,
}

/// Bytes of one channel's bias, scale and shift in a stream.
pub(super) const SCALE_RECORD: usize = 10;

impl ChannelScale {
    /// A record of a scale stream: 40-bit bias, 32-bit scale, 6-bit shift.
    pub(super) fn read(record: &[u8]) -> ChannelScale {
        match *record {
            [b0, b1, b2, b3, b4, s0, s1, s2, s3, shift] => ChannelScale {
                bias: i64::from_le_bytes([0, 0, 0, b0, b1, b2, b3, b4]) >> 24,
                scale: u32::from_le_bytes([s0, s1, s2, s3]),
                shift: shift & 0x3f,
            },
            _ => ChannelScale::default(),
        }
    }
}

/// What happens to accumulators.
pub(super) enum Scaling<'a> {
    /// By channel, with biases.
    Channels(&'a [ChannelScale], Rounding),
    /// One for all.
    Global(Scale),
}

impl Scaling<'_> {
    /// Scales accumulators (channels fastest) and appends the results to `raw`.
    pub(super) fn append<A: Copy + Into<i64>>(
        &self,
        acc: &[A],
        bits: u32,
        output: &Output,
        raw: &mut Vec<u8>,
    ) -> Result<(), Cause> {
        let half = 1i64 << (bits - 1);
        let mut overflow = false;
        match self {
            Scaling::Channels(channels, rounding) => {
                for pixel in acc.chunks_exact(channels.len().max(1)) {
                    output.append(
                        pixel.iter().zip(*channels).map(|(&acc, channel)| {
                            let sum = acc.into() + channel.bias;
                            overflow |= !(-half..half).contains(&sum);
                            scale::apply(sum, channel.scale, channel.shift, *rounding)
                        }),
                        raw,
                    );
                }
            }
            Scaling::Global(s) => output.append(
                acc.iter().map(|&acc| {
                    let sum = acc.into();
                    overflow |= !(-half..half).contains(&sum);
                    scale::apply(sum, s.scale, s.shift, s.rounding)
                }),
                raw,
            ),
        }
        if overflow {
            return Err(Cause::not_modelled(format!(
                "an accumulator of {bits} bits overflows: no source tells whether it wraps or saturates"
            )));
        }
        Ok(())
    }
}
