//! Pooling of U55 and U65.

use tombolo_ethosu::enums::pooling_mode;

use super::output::{self, Output, Scaling};
use super::{Scratch, Unit};
use crate::conv;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{Padding, Tiling};
use crate::pool::{self, Dense, Reduce};

impl Unit<'_> {
    pub(super) fn pool(
        &self,
        mode: u32,
        memory: &mut Memory<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Cause> {
        let state = self.state;
        let ofm = decode::ofm_shape(state)?;
        let window = decode::window(self.state, ofm)?;
        let kernel = window.kernel;
        if (kernel.dilation_y, kernel.dilation_x) != (1, 1) {
            return Err(Cause::not_modelled("a pooling with dilation: no compiler emits it"));
        }
        let ifm = decode::feature_map(state, &decode::IFM, window.shape, Tiling::T2x2)?;
        let zero_point = decode::zero_point(state, &decode::IFM, ifm.elem)?;
        let depth_wanted = if mode == pooling_mode::REDUCE_SUM { 1 } else { ifm.shape.c };
        if ofm.c != depth_wanted {
            return Err(Cause::invalid(format!(
                "a pooling of {} channels has {} out, not {depth_wanted}",
                ifm.shape.c, ofm.c
            )));
        }
        if ifm.elem.bytes == 4 && zero_point != 0 {
            return Err(Cause::not_modelled("a pooling of 32-bit inputs with a zero point"));
        }
        let bits = output::accumulator_bits(state)?;
        let output = Output::decode(state, memory, ofm, self.lut_base())?;
        let taps = u64::from(kernel.h) * u64::from(kernel.w);
        let adds = u64::from(ofm.h) * u64::from(ofm.w) * u64::from(ifm.shape.c);
        let adds = adds.saturating_mul(taps);
        memory.work(adds)?;
        memory.work(window.padded)?;
        memory.stats.macs = adds;

        let scaling = if output::is_global(state)? {
            Scaling::Global(output::global_scale(state)?)
        } else {
            self.channel_scales(ofm.c, memory, &mut scratch.stream, &mut scratch.scales)?;
            Scaling::Channels(&scratch.scales.channels, output::ofm_rounding(state)?)
        };
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;
        let (h, w) = window.extent;
        conv::pad_input(
            &scratch.ifm,
            ifm.elem,
            zero_point,
            ifm.shape,
            window.upscale,
            window.extent,
            Padding::default(),
            &mut scratch.wide,
        );
        let input = Dense { h, w, c: ifm.shape.c as usize, data: &scratch.wide.data };
        let reduce = match mode {
            pooling_mode::MAX => Reduce::Max,
            _ => Reduce::Sum,
        };
        // Without padding the divisor is the same everywhere, and Vela puts its reciprocal in
        // OFM_SCALE; with padding the hardware divides by the elements that are there.
        let divide = mode == pooling_mode::AVERAGE && kernel.pad.any();
        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(ofm.elements() as usize * usize::from(output.map.elem.bytes));
        let [values, averages, _] = &mut scratch.values;
        pool::windows(input, &kernel, (ofm.h as usize, ofm.w as usize), reduce, values, |count, values| {
            if count == 0 {
                return Err(Cause::not_modelled("a pooling window of nothing but padding"));
            }
            match mode {
                pooling_mode::REDUCE_SUM => {
                    let sum: i64 = values.iter().sum();
                    scaling.append(&[sum], bits, &output, raw)
                }
                _ if divide => {
                    averages.clear();
                    averages.extend(values.iter().map(|&sum| pool::average(sum, count)));
                    scaling.append(averages, bits, &output, raw)
                }
                _ => scaling.append(values, bits, &output, raw),
            }
        })?;
        output.store(memory, &scratch.ofm)
    }
}
