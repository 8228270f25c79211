//! Output stage: scale, zero point, clip, table; then a map in memory, possibly transposed or
//! reversed, or a chain buffer.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{
    activation_clip_range_u85, activation_function_u85 as function, activation_reverse, activation_storage,
    activation_transpose, ofm_scale_mode, round_mode_ifm, round_mode_ofm,
};

use super::acc::{self, RowOutput};
use super::{Chained, Core, Unit, input};
use crate::bus::Access;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Elem, FeatureMap, Scale, Shape};
use crate::scale::{self, Rounding};

/// Bytes of an output in the chain buffer.
const MAX_CHAINED: u64 = 1 << 27;

/// A look-up table, read out of the table memory when the operation starts.
#[derive(Debug)]
enum Table {
    None,
    /// An entry for each of the 256 values of an 8-bit type, lowest first.
    Entries(Box<[i32; 256]>),
    /// Base and slope for each of 512 stretches of the 16-bit range.
    Interpolated {
        stretches: Box<[(i16, i16); 512]>,
        /// Whether the seven bits of fraction are kept.
        fraction: bool,
    },
}

/// Where results go.
#[derive(Debug)]
enum Target {
    Map {
        map: FeatureMap,
        /// Which axis of the result becomes the first, second, third.
        axes: [usize; 3],
        /// Axis that is written backwards.
        reverse: Option<usize>,
    },
    Chain(usize),
}

/// Everything behind the scaling.
#[derive(Debug)]
pub(super) struct Output {
    shape: Shape,
    pub(super) elem: Elem,
    zero_point: i64,
    /// Bounds of the result, zero point included.
    clip: Option<(i64, i64)>,
    table: Table,
    target: Target,
}

/// Bias, scale and shift of an output channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChannelScale {
    bias: i64,
    scale: u32,
    shift: u8,
}

impl ChannelScale {
    /// Whether it changes nothing but by the bias.
    fn is_one(&self) -> bool {
        (self.scale, self.shift) == (1, 0)
    }

    /// Bytes in a stream.
    pub(super) const RECORD: usize = 10;

    /// A record for 32-bit accumulators: 32-bit bias, 31-bit scale, 6-bit shift.
    pub(super) fn read32(record: &[u8]) -> ChannelScale {
        match *record {
            [b0, b1, b2, b3, s0, s1, s2, s3, shift, _] => ChannelScale {
                bias: i32::from_le_bytes([b0, b1, b2, b3]).into(),
                scale: u32::from_le_bytes([s0, s1, s2, s3]) & 0x7fff_ffff,
                shift: shift & 0x3f,
            },
            _ => ChannelScale { bias: 0, scale: 0, shift: 0 },
        }
    }

    /// A record for 48-bit accumulators: 48-bit bias, 15-bit scale, 6-bit shift.
    pub(super) fn read48(record: &[u8]) -> ChannelScale {
        match *record {
            [b0, b1, b2, b3, b4, b5, s0, s1, shift, _] => ChannelScale {
                bias: i64::from_le_bytes([0, 0, b0, b1, b2, b3, b4, b5]) >> 16,
                scale: u32::from(u16::from_le_bytes([s0, s1]) & 0x7fff),
                shift: shift & 0x3f,
            },
            _ => ChannelScale { bias: 0, scale: 0, shift: 0 },
        }
    }
}

/// What happens to accumulators.
pub(super) enum Scaling<'a> {
    /// By channel, with biases.
    Channels(&'a [ChannelScale], Rounding),
    /// One for all.
    Global(Scale),
    /// None: results are final.
    Plain,
}

impl Unit<'_> {
    /// Rounding of the output.
    pub(super) fn ofm_rounding(&self) -> Result<Rounding, Cause> {
        use fields::ofm_scale as f;
        let command = self.state.get(Opcode::OfmScale)?;
        let double = double_rounding(f::DBL_RND.get(command))?;
        match f::ROUND_MODE.get(command) {
            round_mode_ofm::DOUBLE_SYMMETRIC => Ok(Rounding::DoubleSymmetric(double)),
            round_mode_ofm::NATURAL => Ok(Rounding::Natural),
            round_mode_ofm::DOUBLE_ASYMMETRIC => Ok(Rounding::DoubleAsymmetric(double)),
            round_mode_ofm::SYMMETRIC => Ok(Rounding::Symmetric),
            round_mode_ofm::TRUNCATE_TO_ZERO => Ok(Rounding::TruncateToZero),
            round_mode_ofm::TRUNCATE_TO_LOWER => Ok(Rounding::TruncateToLower),
            other => Err(Cause::invalid(format!("OFM_SCALE.round_mode {other}"))),
        }
    }

    /// Whether OFM_SCALE serves all channels.
    pub(super) fn is_global(&self) -> Result<bool, Cause> {
        let mode = self.state.field(Opcode::OfmPrecision, &fields::ofm_precision::SCALE_MODE)?;
        Ok(mode == ofm_scale_mode::GLOBAL)
    }

    /// OFM_SCALE.
    pub(super) fn global_scale(&self) -> Result<Scale, Cause> {
        use fields::ofm_scale as f;
        let command = self.state.get(Opcode::OfmScale)?;
        Ok(Scale {
            scale: f::SCALE_U85.get(command),
            shift: f::SHIFT.get(command) as u8,
            rounding: self.ofm_rounding()?,
        })
    }

    /// IFM_SCALE or IFM2_SCALE; both have the same fields.
    pub(super) fn input_scale(&self, opcode: Opcode) -> Result<Scale, Cause> {
        use fields::ifm_scale as f;
        let command = self.state.get(opcode)?;
        let double = double_rounding(f::DBL_RND.get(command))?;
        Ok(Scale {
            scale: f::SCALE.get(command),
            shift: f::SHIFT.get(command) as u8,
            rounding: match f::ROUND_MODE.get(command) {
                round_mode_ifm::NATURAL => Rounding::Natural,
                _ => Rounding::DoubleSymmetric(double),
            },
        })
    }

    /// Decodes the output of an operation and checks that it can be written.
    pub(super) fn output(&self, memory: &mut Memory<'_>, shape: Shape) -> Result<Output, Cause> {
        let state = self.state;
        let elem = decode::elem(state, &decode::OFM)?;
        if elem.bytes == 8 && !elem.signed {
            return Err(Cause::not_modelled("an unsigned output of 64 bits: no compiler emits it"));
        }
        let target = self.target(shape)?;
        let table = self.table(memory.internal, elem)?;
        // Bounds are of the type that goes into the table, else of the output's.
        let signed = match &table {
            Table::None => elem.signed,
            _ => self.function()? != function::LUT_U8_U8,
        };
        let range =
            decode::defined(state, Opcode::Activation, &fields::activation::ACTIVATION_CLIP_RANGE_U85)?;
        let clip = if range == activation_clip_range_u85::NONE {
            None
        } else {
            let bound = |opcode| -> Result<i64, Cause> {
                let bits = state.param(opcode)?;
                Ok(if signed { i64::from(bits as i16) } else { i64::from(bits) })
            };
            let (min, max) = (bound(Opcode::ActivationMin)?, bound(Opcode::ActivationMax)?);
            if min > max {
                return Err(Cause::invalid(format!("ACTIVATION_MIN {min} is above ACTIVATION_MAX {max}")));
            }
            Some((min, max))
        };
        match &target {
            Target::Map { map, .. } => memory.check_map(Channel::Ofm, Access::Write, map)?,
            Target::Chain(_) => {
                let bytes = shape.elements() * u64::from(elem.bytes);
                if bytes > MAX_CHAINED {
                    return Err(Cause::invalid(format!(
                        "a chained output of {bytes} bytes, more than the {MAX_CHAINED} that the simulator takes"
                    )));
                }
                memory.work(shape.elements())?;
            }
        }
        memory.stats.elements = shape.elements();
        let zero_point = decode::zero_point(state, &decode::OFM, elem)?.into();
        Ok(Output { shape, elem, zero_point, clip, table, target })
    }

    fn target(&self, shape: Shape) -> Result<Target, Cause> {
        use fields::ofm_precision as f;
        let state = self.state;
        let transpose = decode::defined(state, Opcode::OfmPrecision, &f::ACTIVATION_TRANSPOSE)?;
        let reverse = state.field(Opcode::OfmPrecision, &f::ACTIVATION_REVERSE)?;
        let plain = transpose == activation_transpose::HWC && reverse == activation_reverse::NONE;
        let storage = match self.storage(Opcode::OfmPrecision)? {
            activation_storage::NONE => {
                return Err(Cause::not_modelled(
                    "an output that is stored nowhere: no compiler emits it but with ACC_FORMAT.acc_output off",
                ));
            }
            activation_storage::CHAINED if plain => {
                let slot = usize::from(state.param(Opcode::OfmRegion)? & 7);
                if slot >= super::CHAIN_SLOTS {
                    return Err(Cause::invalid(format!("chain buffer {slot} does not exist")));
                }
                return Ok(Target::Chain(slot));
            }
            activation_storage::CHAINED => {
                return Err(Cause::not_modelled(
                    "a chained output, transposed or reversed: no compiler emits it",
                ));
            }
            storage => storage,
        };
        if transpose != activation_transpose::HWC && reverse != activation_reverse::NONE {
            return Err(Cause::not_modelled(
                "an output both transposed and reversed: no compiler emits it, and no source tells which comes first",
            ));
        }
        let axes = match transpose {
            activation_transpose::WHC => [1, 0, 2],
            activation_transpose::HCW => [0, 2, 1],
            activation_transpose::WCH => [1, 2, 0],
            activation_transpose::CHW => [2, 0, 1],
            activation_transpose::CWH => [2, 1, 0],
            _ => [0, 1, 2],
        };
        let reverse = match reverse {
            activation_reverse::H => Some(0),
            activation_reverse::W => Some(1),
            activation_reverse::C => Some(2),
            _ => None,
        };
        let sizes = [shape.h, shape.w, shape.c];
        let [h, w, c] = axes.map(|axis| sizes[axis]);
        let map = decode::feature_map(state, &decode::OFM, Shape::new(h, w, c), input::tiling(storage))?;
        Ok(Target::Map { map, axes, reverse })
    }

    fn function(&self) -> Result<u32, Cause> {
        decode::defined(self.state, Opcode::Activation, &fields::activation::ACTIVATION_FUNCTION_U85)
    }

    fn table(&self, internal: &[u8], elem: Elem) -> Result<Table, Cause> {
        let function = self.function()?;
        let index = self.state.field(Opcode::Activation, &fields::activation::TABLE)? as usize;
        let (bytes, signed) = match function {
            function::LUT_NONE => return Ok(Table::None),
            function::LUT_U8_U8 => (1, false),
            function::LUT_S8_S8 => (1, true),
            function::LUT_S8_S16 | function::LUT_S16_S16 => (2, true),
            function::LUT_S8_S32 | function::LUT_S16_S32 => (4, true),
            _ => {
                return Err(Cause::not_modelled(
                    "the built-in curves TANH and SIGMOID: no public source defines their values",
                ));
            }
        };
        if elem != (Elem { bytes, signed }) {
            return Err(Cause::not_modelled(format!(
                "a table of {} bits for an output of {} bits, {}",
                bytes * 8,
                elem.bits(),
                if elem.signed { "signed" } else { "unsigned" }
            )));
        }
        let interpolated = matches!(function, function::LUT_S16_S16 | function::LUT_S16_S32);
        let size = if interpolated { 2048 } else { 256 * usize::from(bytes) };
        let raw = internal
            .get(index * size..(index + 1) * size)
            .ok_or_else(|| Cause::invalid("the look-up table reaches behind the end of the table memory"))?;
        if interpolated {
            let mut stretches = Box::new([(0, 0); 512]);
            for (stretch, raw) in stretches.iter_mut().zip(raw.chunks_exact(4)) {
                if let &[a, b, c, d] = raw {
                    *stretch = (i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d]));
                }
            }
            return Ok(Table::Interpolated { stretches, fraction: function == function::LUT_S16_S32 });
        }
        let mut entries = Box::new([0; 256]);
        for (entry, raw) in entries.iter_mut().zip(raw.chunks_exact(usize::from(bytes))) {
            *entry = crate::conv::element(raw, elem);
        }
        Ok(Table::Entries(entries))
    }
}

/// DBL_RND goes to 30.
fn double_rounding(field: u32) -> Result<u8, Cause> {
    match u8::try_from(field) {
        Ok(shift @ 0..=30) => Ok(shift),
        _ => Err(Cause::invalid(format!("dbl_rnd {field} is above 30"))),
    }
}

impl Output {
    /// Whether a result is cut to the lowest bits of 32.
    fn wraps(&self) -> bool {
        self.elem.bytes == 4 && self.clip.is_none() && matches!(self.table, Table::None)
    }

    /// Appends scaled values as stored elements.
    fn append(&self, values: impl Iterator<Item = i64>, raw: &mut Vec<u8>) -> Result<(), Cause> {
        let zero_point = self.zero_point;
        let (min, max) = self.clip.unwrap_or((i64::MIN, i64::MAX));
        let clip = move |v: i64| v.saturating_add(zero_point).clamp(min, max);
        let mut outside = None;
        match (&self.table, self.elem.bytes) {
            (Table::None, 1) => raw.extend(values.map(|v| clip(v) as u8)),
            (Table::None, 2) => values.for_each(|v| raw.extend_from_slice(&(clip(v) as u16).to_le_bytes())),
            (Table::None, 4) => values.for_each(|v| raw.extend_from_slice(&(clip(v) as u32).to_le_bytes())),
            (Table::None, _) => values.for_each(|v| raw.extend_from_slice(&clip(v).to_le_bytes())),
            (Table::Entries(entries), bytes) => {
                // Entry 0 is of the lowest value of an 8-bit type.
                let first = if self.elem.signed { 128 } else { 0 };
                for v in values {
                    let v = clip(v);
                    let entry = usize::try_from(v + first).ok().and_then(|i| entries.get(i));
                    let Some(entry) = entry else {
                        outside = Some(v);
                        break;
                    };
                    let entry = entry.to_le_bytes();
                    raw.extend_from_slice(entry.get(..usize::from(bytes)).unwrap_or(&entry));
                }
            }
            (Table::Interpolated { stretches, fraction }, _) => {
                for v in values {
                    let v = clip(v);
                    let stretch = usize::try_from((v >> 7) + 256).ok().and_then(|i| stretches.get(i));
                    let Some(&(base, slope)) = stretch else {
                        outside = Some(v);
                        break;
                    };
                    let fine = (i32::from(base) << 7) + i32::from(slope) * (v & 127) as i32;
                    if *fraction {
                        raw.extend_from_slice(&fine.to_le_bytes());
                    } else {
                        raw.extend_from_slice(&(((fine + 64) >> 7) as i16).to_le_bytes());
                    }
                }
            }
        }
        match outside {
            Some(v) => Err(Cause::not_modelled(format!(
                "a table look-up of {v}, which is outside the range of the table: ACTIVATION_MIN and MAX do not keep it inside"
            ))),
            None => Ok(()),
        }
    }

    /// Writes the whole output, `raw` as the rows made it.
    pub(super) fn store(&self, core: &mut Core, memory: &mut Memory<'_>) -> Result<(), Cause> {
        let raw = &mut core.scratch.ofm;
        if self.shape.elements() == 1 {
            core.result = raw.first().map(|byte| byte & 1 != 0);
        }
        match &self.target {
            Target::Chain(slot) => {
                if let Some(slot) = core.chain.get_mut(*slot) {
                    *slot = Some(Chained { shape: self.shape, elem: self.elem, bytes: raw.clone() });
                }
                Ok(())
            }
            Target::Map { map, axes: [0, 1, 2], reverse: None } => memory.store(Channel::Ofm, map, raw),
            Target::Map { map, axes, reverse } => {
                memory.work(raw.len() as u64)?;
                let moved = &mut core.scratch.transposed;
                rearrange(raw, self.shape, usize::from(self.elem.bytes), *axes, *reverse, moved);
                memory.store(Channel::Ofm, map, moved)
            }
        }
    }
}

/// Transposes `from`, rows, columns, channels of `size` bytes, so that axis `axes[i]` becomes axis
/// `i`, or writes an axis backwards.
fn rearrange(
    from: &[u8],
    shape: Shape,
    size: usize,
    axes: [usize; 3],
    reverse: Option<usize>,
    into: &mut Vec<u8>,
) {
    let sizes = [shape.h as usize, shape.w as usize, shape.c as usize];
    let strides = [sizes[1] * sizes[2] * size, sizes[2] * size, size];
    let [h, w, c] = axes.map(|axis| sizes[axis]);
    let [step_h, step_w, step_c] = axes.map(|axis| strides[axis]);
    // Index along an axis of the result to the index along that of the source.
    let along = |axis: usize, i: usize, count: usize| if reverse == Some(axis) { count - 1 - i } else { i };
    into.clear();
    into.reserve(from.len());
    for y in 0..h {
        let row = along(0, y, h) * step_h;
        for x in 0..w {
            let pixel = row + along(1, x, w) * step_w;
            if step_c == size && reverse != Some(2) {
                into.extend_from_slice(from.get(pixel..pixel + c * size).unwrap_or(&[]));
                continue;
            }
            for z in 0..c {
                let at = pixel + along(2, z, c) * step_c;
                into.extend_from_slice(from.get(at..at + size).unwrap_or(&[]));
            }
        }
    }
}

/// The way of accumulators to stored elements.
pub(super) struct Sink<'a> {
    pub(super) scaling: Scaling<'a>,
    /// Bits of the accumulators; `None` where there are none.
    pub(super) bits: Option<u32>,
    pub(super) output: &'a Output,
    pub(super) raw: &'a mut Vec<u8>,
}

impl RowOutput for Sink<'_> {
    fn row<A: Copy + Into<i64>>(&mut self, acc: &[A]) -> Result<(), Cause> {
        let Sink { scaling, bits, output, raw } = self;
        let (low, high) = bits.map_or((i64::MIN, i64::MAX), acc::range);
        // The conformance suite of TOSA has convolutions with biases that leave 32 bits, straight
        // into 32-bit outputs: they wrap. Behind a scale there is no such evidence.
        let wraps = output.wraps();
        let mut outside = false;
        match scaling {
            Scaling::Channels(channels, rounding) => {
                for pixel in acc.chunks_exact(channels.len().max(1)) {
                    let values = pixel.iter().zip(*channels).map(|(&acc, channel)| {
                        let sum = acc.into() + channel.bias;
                        outside |= !((low..=high).contains(&sum) || wraps && channel.is_one());
                        scale::apply(sum, channel.scale, channel.shift, *rounding)
                    });
                    output.append(values, raw)?;
                }
            }
            Scaling::Global(s) => {
                let values = acc.iter().map(|&acc| {
                    let sum = acc.into();
                    outside |= !(low..=high).contains(&sum);
                    scale::apply(sum, s.scale, s.shift, s.rounding)
                });
                output.append(values, raw)?;
            }
            Scaling::Plain => output.append(acc.iter().map(|&acc| acc.into()), raw)?,
        }
        if outside { Err(acc::overflow(bits.unwrap_or(64))) } else { Ok(()) }
    }
}
