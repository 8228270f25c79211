//! Resize (facts 3.7). Output position p along an axis stands at `p * step + offset` of n-ths of an
//! input element, where n is the numerator of the scale.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::resize_mode;

use super::acc::RowOutput;
use super::output::{Scaling, Sink};
use super::{Core, Unit, input};
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Shape, Upscale};

/// Bits that the sum is moved up before OFM_SCALE.
const LIFT: u32 = 16;

/// One axis.
struct Axis {
    /// N-ths of an input element.
    n: i64,
    step: i64,
    offset: i64,
    size: usize,
}

/// Two neighbouring elements, and how many n-ths of the way to the second.
struct Tap {
    first: usize,
    second: usize,
    fraction: i64,
}

impl Axis {
    fn decode(unit: &Unit<'_>, x: bool, size: u32) -> Result<Axis, Cause> {
        use fields::{resize_x_offset, resize_x_scale_n_m1, resize_x_step as f};
        let state = unit.state;
        // Both axes have the same fields.
        let (n, offset, step) = if x {
            (Opcode::ResizeXScaleNM1, Opcode::ResizeXOffset, Opcode::ResizeXStep)
        } else {
            (Opcode::ResizeYScaleNM1, Opcode::ResizeYOffset, Opcode::ResizeYStep)
        };
        let n = i64::from(state.field(n, &resize_x_scale_n_m1::RESIZE_X_SCALE_N_M1)?) + 1;
        let offset = resize_x_offset::RESIZE_X_OFFSET.get_signed(state.get(offset)?).into();
        let step = state.get(step)?;
        let (whole, part) = (f::ONE_STEP_INT.get(step), f::ONE_STEP_MOD.get(step));
        if i64::from(part) >= n {
            return Err(Cause::invalid(format!(
                "a resize step of {part} {n}-ths is a whole element or more"
            )));
        }
        Ok(Axis { n, step: i64::from(whole) * n + i64::from(part), offset, size: size as usize })
    }

    /// Taps are kept inside the input.
    fn tap(&self, position: usize) -> Tap {
        let at = position as i64 * self.step + self.offset;
        let whole = at.div_euclid(self.n);
        let inside = |i: i64| (i.max(0) as usize).min(self.size - 1);
        Tap { first: inside(whole), second: inside(whole + 1), fraction: at.rem_euclid(self.n) }
    }

    /// The nearer of the two; half way is the second.
    fn nearest(&self, position: usize) -> usize {
        let tap = self.tap(position);
        if tap.fraction * 2 >= self.n { tap.second } else { tap.first }
    }
}

impl Core {
    pub(super) fn resize(
        &mut self,
        unit: &Unit<'_>,
        mode: u32,
        memory: &mut Memory<'_>,
    ) -> Result<(), Cause> {
        let state = unit.state;
        let bilinear = match mode {
            resize_mode::BILINEAR => true,
            resize_mode::NEAREST => false,
            _ => {
                return Err(Cause::not_modelled("RESIZE of mode REPLICATE: no compiler emits it"));
            }
        };
        let ofm = decode::ofm_shape(state)?;
        // The kernel registers hold the size of the input.
        let (h, w) = (state.plus_one(Opcode::KernelHeightM1)?, state.plus_one(Opcode::KernelWidthM1)?);
        let depth = state.plus_one(Opcode::IfmDepthM1)?;
        if depth != ofm.c {
            return Err(Cause::invalid(format!("a resize of {depth} channels has {} out", ofm.c)));
        }
        if decode::upscale(state)? != Upscale::None {
            return Err(Cause::not_modelled("a resize with IFM_UPSCALE: no compiler emits it"));
        }
        let (input, ifm) = unit.input_map(&decode::IFM, Shape::new(h, w, depth))?;
        if ifm.elem.bytes > 2 {
            return Err(Cause::not_modelled(
                "a resize of elements of more than 16 bits: no compiler emits it",
            ));
        }
        if !unit.is_global()? {
            return Err(Cause::not_modelled("a resize with a scale per channel: no compiler emits it"));
        }
        unit.plain_accumulators("a resize")?;
        let (across, down) = (Axis::decode(unit, true, w)?, Axis::decode(unit, false, h)?);
        let scaling = Scaling::Global(unit.global_scale()?);
        let output = unit.output(memory, ofm)?;
        let macs = ofm.elements() * if bilinear { 4 } else { 1 };
        memory.work(macs)?;
        memory.stats.macs = macs;
        let scratch = &mut self.scratch;
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;

        let size = usize::from(ifm.elem.bytes);
        let pixel_bytes = depth as usize * size;
        let source = &scratch.ifm;
        let pixel = |y: usize, x: usize| {
            let start = (y * w as usize + x) * pixel_bytes;
            source.get(start..start + pixel_bytes).unwrap_or(&[])
        };
        let add = |sums: &mut [i64], y: usize, x: usize, weight: i64| {
            for (sum, raw) in sums.iter_mut().zip(pixel(y, x).chunks_exact(size)) {
                *sum += (input::value(raw, ifm.elem) - input.zero_point) * weight;
            }
        };
        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(ofm.elements() as usize * usize::from(output.elem.bytes));
        let mut sink = Sink { scaling, bits: None, output: &output, raw };
        let [sums, _] = &mut scratch.values;
        for y in 0..ofm.h as usize {
            for x in 0..ofm.w as usize {
                sums.clear();
                sums.resize(depth as usize, 0);
                if bilinear {
                    let (v, u) = (down.tap(y), across.tap(x));
                    let (v0, u0) = (down.n - v.fraction, across.n - u.fraction);
                    add(sums, v.first, u.first, v0 * u0);
                    add(sums, v.first, u.second, v0 * u.fraction);
                    add(sums, v.second, u.first, v.fraction * u0);
                    add(sums, v.second, u.second, v.fraction * u.fraction);
                } else {
                    add(sums, down.nearest(y), across.nearest(x), 1);
                }
                sums.iter_mut().for_each(|sum| *sum <<= LIFT);
                sink.row(sums)?;
            }
        }
        output.store(self, memory)
    }
}
