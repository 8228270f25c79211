//! Convolution and depthwise convolution of U55 and U65.

use tombolo_ethosu::cmd::Opcode;

use super::output::{self, Output, Scaling};
use super::{Scratch, Unit};
use crate::conv::{self, ConvScratch, Lane, Padded, Weights};
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{FeatureMap, Kernel, Shape, Tiling};
use crate::weights::u5x::Order;

/// Decoded weights of one operation, padding included, that the simulator takes.
const MAX_WEIGHTS: u64 = 1 << 27;

impl Unit<'_> {
    pub(super) fn convolution(
        &self,
        depthwise: bool,
        memory: &mut Memory<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Cause> {
        let state = self.state;
        let ofm = decode::ofm_shape(state)?;
        let window = decode::window(self.state, ofm)?;
        let kernel = window.kernel;
        let ifm = decode::feature_map(state, &decode::IFM, window.shape, Tiling::T2x2)?;
        if ifm.elem.bytes > 2 {
            return Err(Cause::not_modelled("a convolution of 32-bit inputs"));
        }
        if depthwise && ifm.shape.c != ofm.c {
            return Err(Cause::invalid(format!(
                "a depthwise convolution has {} channels in and {} out; it takes as many in as out",
                ifm.shape.c, ofm.c
            )));
        }
        if output::is_global(state)? {
            return Err(Cause::not_modelled(
                "a convolution with one scale for all channels: no compiler emits it, and no source tells where its biases come from",
            ));
        }
        let zero_point = decode::zero_point(state, &decode::IFM, ifm.elem)?;
        let bits = output::accumulator_bits(state)?;
        let rounding = output::ofm_rounding(state)?;
        let output = Output::decode(state, memory, ofm, self.lut_base())?;

        let taps = u64::from(kernel.h) * u64::from(kernel.w);
        let k = taps.saturating_mul(if depthwise { 1 } else { ifm.shape.c.into() });
        let macs = ofm.elements().saturating_mul(k);
        memory.work(macs)?;
        memory.work(window.padded)?;
        memory.stats.macs = macs;

        self.channel_scales(ofm.c, memory, &mut scratch.stream, &mut scratch.scales)?;
        self.weights(depthwise, &ifm, ofm, &kernel, memory, scratch)?;
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;

        let raw = &mut scratch.ofm;
        raw.clear();
        raw.reserve(ofm.elements() as usize * usize::from(output.map.elem.bytes));
        let scaling = Scaling::Channels(&scratch.scales.channels, rounding);
        let input = conv::max_magnitude(ifm.elem, zero_point);
        let task = Task {
            depthwise,
            ifm: &ifm,
            zero_point,
            window: &window,
            weights: &scratch.weights,
            size: (ofm.h as usize, ofm.w as usize),
        };
        if conv::fits_narrow(input, scratch.weights.max_magnitude, k) {
            task.run(&scratch.ifm, &mut scratch.narrow, &mut scratch.narrow_conv, |acc| {
                scaling.append(acc, bits, &output, raw)
            })?;
        } else {
            task.run(&scratch.ifm, &mut scratch.wide, &mut scratch.wide_conv, |acc| {
                scaling.append(acc, bits, &output, raw)
            })?;
        }
        output.store(memory, &scratch.ofm)
    }

    /// Reads and decodes all weights into `scratch.weights`.
    fn weights(
        &self,
        depthwise: bool,
        ifm: &FeatureMap,
        ofm: Shape,
        kernel: &Kernel,
        memory: &mut Memory<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Cause> {
        let cores = self.cores()?;
        let block = self.state.plus_one(Opcode::OfmBlkDepthM1)?;
        let ofm_ublock = u32::from(self.accelerator.ublocks().first().map_or(8, |ublock| ublock.depth));
        let ifm_depth = if depthwise { 1 } else { ifm.shape.c };
        let taps = kernel.h as usize * kernel.w as usize;
        let k = taps * ifm_depth as usize;
        // Depthwise weights are kept tap by tap, the others channel by channel.
        let k_padded = if depthwise { k } else { Weights::pad_k(k) };
        let kept = k_padded as u64 * u64::from(ofm.c);
        if kept > MAX_WEIGHTS {
            return Err(Cause::invalid(format!(
                "an operation with {kept} weights, more than the {MAX_WEIGHTS} that the simulator takes"
            )));
        }
        memory.work(kept)?;
        let weights = &mut scratch.weights;
        weights.k = k;
        weights.k_padded = k_padded;
        weights.rows = ofm.c as usize;
        weights.data.clear();
        weights.data.resize(kept as usize, 0);
        for core in 0..cores {
            // Core c has the channels c, c + cores, ... of every block, and so of all.
            let mine = ofm.c.saturating_sub(core).div_ceil(cores);
            if mine == 0 {
                continue;
            }
            let order = Order {
                ofm_depth: mine,
                ifm_depth,
                kernel_h: kernel.h,
                kernel_w: kernel.w,
                dilation_y: kernel.dilation_y,
                dilation_x: kernel.dilation_x,
                ofm_block: block.saturating_sub(core).div_ceil(cores),
                ofm_ublock,
                depthwise,
                part_kernel: kernel.part_kernel,
                ifm_bits: ifm.elem.bits(),
            };
            let bound = order.bound();
            if bound > 2 * MAX_WEIGHTS {
                return Err(Cause::invalid(format!(
                    "a weight stream of up to {bound} weights, more than the simulator takes"
                )));
            }
            memory.work(bound)?;
            let (base, length) = match core {
                0 => (Opcode::WeightBase, Opcode::WeightLength),
                _ => (Opcode::Weight1Base, Opcode::Weight1Length),
            };
            let stream = decode::stream(self.state, Opcode::WeightRegion, base, length)?;
            memory.load_stream(Channel::Weights, &stream, &mut scratch.stream)?;
            let mut need = 0;
            order.visit(|run| need += (run.take + run.skip) as usize);
            scratch.decoded.clear();
            scratch
                .decoder
                .decode(&scratch.stream, need, &mut scratch.decoded)
                .map_err(|error| Cause::Weights { stream: core as u8, error })?;
            let mut decoded = scratch.decoded.as_slice();
            let data = &mut weights.data;
            let rows = ofm.c as usize;
            order.visit(|run| {
                let (values, rest) =
                    decoded.split_at_checked((run.take + run.skip) as usize).unwrap_or((&[], &[]));
                decoded = rest;
                if run.take == 0 {
                    return;
                }
                let channel = (run.oc * cores + core) as usize;
                let tap = (run.ky * kernel.w + run.kx) as usize;
                let to = if depthwise {
                    tap * rows + channel
                } else {
                    channel * k_padded + tap * ifm_depth as usize + run.ic as usize
                };
                let take = run.take as usize;
                if let (Some(to), Some(from)) = (data.get_mut(to..to + take), values.get(..take)) {
                    to.copy_from_slice(from);
                }
            });
        }
        weights.max_magnitude = weights.data.iter().map(|w| u64::from(w.unsigned_abs())).max().unwrap_or(0);
        Ok(())
    }
}

/// The arithmetic of an operation, in either width.
struct Task<'a> {
    depthwise: bool,
    ifm: &'a FeatureMap,
    zero_point: i32,
    window: &'a decode::Window,
    weights: &'a Weights,
    size: (usize, usize),
}

impl Task<'_> {
    fn run<T: Lane>(
        &self,
        ifm: &[u8],
        padded: &mut Padded<T>,
        scratch: &mut ConvScratch<T>,
        mut each: impl FnMut(&[T::Acc]) -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let kernel = &self.window.kernel;
        conv::pad_input(
            ifm,
            self.ifm.elem,
            self.zero_point,
            self.ifm.shape,
            self.window.upscale,
            self.window.extent,
            kernel.pad,
            padded,
        );
        if self.depthwise {
            conv::depthwise(padded, &self.weights.data, kernel, self.size, scratch, |_, acc| each(acc))
        } else {
            conv::convolve(padded, self.weights, kernel, self.size, scratch, |_, acc| each(acc))
        }
    }
}
