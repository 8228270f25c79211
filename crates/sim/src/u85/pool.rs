//! Pooling.

use tombolo_ethosu::enums::pooling_mode as mode;

use super::acc::{Kept, RowOutput, Start};
use super::output::{Scaling, Sink};
use super::{Core, Unit};
use crate::conv;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Padding, Scale};
use crate::pool::{self, Dense, Reduce};
use crate::scale::Rounding;

impl Core {
    pub(super) fn pool(
        &mut self,
        unit: &Unit<'_>,
        mode: u32,
        kept: Option<Kept>,
        memory: &mut Memory<'_>,
    ) -> Result<(), Cause> {
        if mode == mode::NONE {
            return self.pool_none(unit, kept, memory);
        }
        let state = unit.state;
        let ofm = decode::ofm_shape(state)?;
        let window = decode::window(unit.state, ofm)?;
        let kernel = window.kernel;
        if (kernel.dilation_y, kernel.dilation_x) != (1, 1) {
            return Err(Cause::not_modelled("a pooling with dilation: no compiler emits it"));
        }
        let (input, ifm) = unit.input_map(&decode::IFM, window.shape)?;
        let depth_wanted = if mode == mode::REDUCE_SUM { 1 } else { ifm.shape.c };
        if ofm.c != depth_wanted {
            return Err(Cause::invalid(format!(
                "a pooling of {} channels has {} out, not {depth_wanted}",
                ifm.shape.c, ofm.c
            )));
        }
        let wide = ifm.elem.bytes >= 4;
        if wide && (ifm.elem.bytes == 8 || !ifm.elem.signed || input.zero_point != 0) {
            return Err(Cause::not_modelled(
                "a pooling of 64-bit inputs, unsigned 32-bit inputs, or 32-bit inputs with a zero point",
            ));
        }
        let bits = unit.plain_accumulators("a pooling (other than NONE)")?;
        let output = unit.output(memory, ofm)?;
        let taps = u64::from(kernel.h) * u64::from(kernel.w);
        let adds = u64::from(ofm.h) * u64::from(ofm.w) * u64::from(ifm.shape.c);
        let adds = adds.saturating_mul(taps);
        memory.work(adds)?;
        memory.work(window.padded)?;
        memory.stats.macs = adds;

        let scratch = &mut self.scratch;
        let scaling = if matches!(mode, mode::ARGMAX_X | mode::ARGMAX_Y) {
            if !unit.is_global()? || unit.global_scale()? != ARGMAX_SCALE {
                return Err(Cause::not_modelled(
                    "ARGMAX with another OFM_SCALE than 1 >> 16, truncated: no source tells how index and value are packed",
                ));
            }
            Scaling::Plain
        } else if unit.is_global()? {
            Scaling::Global(unit.global_scale()?)
        } else {
            unit.channel_scales(ofm.c, bits, memory, &mut scratch.stream, &mut scratch.scales)?;
            Scaling::Channels(&scratch.scales, unit.ofm_rounding()?)
        };
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;
        let (h, w) = window.extent;
        conv::pad_input(
            &scratch.ifm,
            ifm.elem,
            input.zero_point as i32,
            ifm.shape,
            window.upscale,
            window.extent,
            Padding::default(),
            &mut scratch.wide,
        );
        let dense = Dense { h, w, c: ifm.shape.c as usize, data: &scratch.wide.data };
        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(ofm.elements() as usize * usize::from(output.elem.bytes));
        // A maximum or minimum is not the sum that could overflow.
        let limit = (!matches!(mode, mode::MAX | mode::MIN)).then_some(bits);
        let mut sink = Sink { scaling, bits: limit, output: &output, raw };
        let size = (ofm.h as usize, ofm.w as usize);
        let [values, averages] = &mut scratch.values;
        if matches!(mode, mode::ARGMAX_X | mode::ARGMAX_Y) {
            let long = if mode == mode::ARGMAX_X { kernel.h } else { kernel.w };
            if long != 1 || kernel.pad.any() {
                return Err(Cause::not_modelled(
                    "ARGMAX with padding or with a kernel that is not a line along its axis: no compiler emits it",
                ));
            }
            argmax(dense, &kernel, size, values, averages, |indices| sink.row(indices))?;
            return output.store(self, memory);
        }
        let reduce = match mode {
            mode::MAX => Reduce::Max,
            mode::MIN => Reduce::Min,
            _ => Reduce::Sum,
        };
        pool::windows(dense, &kernel, size, reduce, values, |count, values| {
            if count == 0 {
                return Err(Cause::not_modelled("a pooling window of nothing but padding"));
            }
            match mode {
                mode::REDUCE_SUM => sink.row(&[values.iter().sum::<i64>()]),
                // Divided by the elements that are there, before OFM_SCALE.
                mode::AVERAGE => {
                    averages.clear();
                    averages.extend(values.iter().map(|&sum| pool::average(sum, count)));
                    sink.row(averages)
                }
                _ => sink.row(values),
            }
        })?;
        output.store(self, memory)
    }

    /// Mode NONE: what is in the accumulators, or IFM2, to the output stage or into the
    /// accumulators. IFM is not read.
    fn pool_none(
        &mut self,
        unit: &Unit<'_>,
        kept: Option<Kept>,
        memory: &mut Memory<'_>,
    ) -> Result<(), Cause> {
        let ofm = decode::ofm_shape(unit.state)?;
        let mut acc = unit.accumulators(ofm, kept, &self.chain, memory, &mut self.scratch)?;
        if acc.control.start == Start::Zero {
            return Err(Cause::not_modelled(
                "a pooling of mode NONE from empty accumulators: no compiler emits it",
            ));
        }
        memory.work(ofm.elements())?;
        let bits = acc.control.bits;
        let row = vec![0i64; ofm.w as usize * ofm.c as usize];
        if !acc.control.output {
            for y in 0..ofm.h as usize {
                acc.row(y, &row, &mut self.scratch.values[0], &mut Nowhere)?;
            }
            self.kept = acc.into_kept();
            return Ok(());
        }
        let output = unit.output(memory, ofm)?;
        let scratch = &mut self.scratch;
        let scaling = if unit.is_global()? {
            Scaling::Global(unit.global_scale()?)
        } else {
            unit.channel_scales(ofm.c, bits, memory, &mut scratch.stream, &mut scratch.scales)?;
            Scaling::Channels(&scratch.scales, unit.ofm_rounding()?)
        };
        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(ofm.elements() as usize * usize::from(output.elem.bytes));
        let mut sink = Sink { scaling, bits: Some(bits), output: &output, raw };
        let [whole, _] = &mut scratch.values;
        for y in 0..ofm.h as usize {
            acc.row(y, &row, whole, &mut sink)?;
        }
        output.store(self, memory)
    }
}

/// For accumulators that stay.
struct Nowhere;

impl RowOutput for Nowhere {
    fn row<A: Copy + Into<i64>>(&mut self, _acc: &[A]) -> Result<(), Cause> {
        Ok(())
    }
}

/// The accumulator of ARGMAX has the index above 16 bits of value; this takes the index out.
const ARGMAX_SCALE: Scale = Scale { scale: 1, shift: 16, rounding: Rounding::TruncateToLower };

/// Index along the kernel of the first of the largest elements, for every channel.
fn argmax(
    input: Dense<'_>,
    kernel: &crate::op::Kernel,
    (h, w): (usize, usize),
    indices: &mut Vec<i64>,
    largest: &mut Vec<i64>,
    mut each: impl FnMut(&[i64]) -> Result<(), Cause>,
) -> Result<(), Cause> {
    let c = input.c;
    for y in 0..h {
        for x in 0..w {
            indices.clear();
            indices.resize(c, 0);
            largest.clear();
            largest.resize(c, i64::MIN);
            for ky in 0..kernel.h as usize {
                for kx in 0..kernel.w as usize {
                    let row = y * kernel.stride_y as usize + ky;
                    let column = x * kernel.stride_x as usize + kx;
                    let start = (row * input.w + column) * c;
                    let pixel = input.data.get(start..start + c).unwrap_or(&[]);
                    for ((index, largest), &value) in indices.iter_mut().zip(largest.iter_mut()).zip(pixel) {
                        if i64::from(value) > *largest {
                            *largest = value.into();
                            *index = (ky + kx) as i64;
                        }
                    }
                }
            }
            each(indices)?;
        }
    }
    Ok(())
}
