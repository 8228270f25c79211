//! Convolution, depthwise convolution and matrix product.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{microblock, weight_format, weight_sparsity};

use super::acc::{Accumulators, Kept, RowOutput, Start};
use super::output::{Scaling, Sink};
use super::{Core, Scratch, Unit};
use crate::conv::{self, ConvScratch, Lane, Padded, Weights};
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::op::{FeatureMap, Kernel, Shape};
use crate::weights::u85::{Order, Run, Traversal};
use crate::weights::{WeightError, u85_fwd};

/// Weights of one operation that the simulator takes, padding included.
const MAX_WEIGHTS: u64 = 1 << 27;

/// Input elements of a matrix product that are worked on at a time.
const PRODUCT_COLUMNS: usize = 16;

const STREAMS: [(Opcode, Opcode); 4] = [
    (Opcode::WeightBase, Opcode::WeightLength),
    (Opcode::Weight1Base, Opcode::Weight1Length),
    (Opcode::Weight2Base, Opcode::Weight2Length),
    (Opcode::Weight3Base, Opcode::Weight3Length),
];

impl Core {
    pub(super) fn convolution(
        &mut self,
        unit: &Unit<'_>,
        depthwise: bool,
        kept: Option<Kept>,
        memory: &mut Memory<'_>,
    ) -> Result<(), Cause> {
        let state = unit.state;
        let ofm = decode::ofm_shape(state)?;
        let window = decode::window(unit.state, ofm)?;
        let kernel = window.kernel;
        let (input, ifm) = unit.input_map(&decode::IFM, window.shape)?;
        if ifm.elem.bytes > 2 {
            return Err(Cause::not_modelled("a convolution of 32-bit inputs: no compiler emits it"));
        }
        if depthwise && ifm.shape.c != ofm.c {
            return Err(Cause::invalid(format!(
                "a depthwise convolution has {} channels in and {} out; it takes as many in as out",
                ifm.shape.c, ofm.c
            )));
        }
        if unit.is_global()? {
            return Err(Cause::not_modelled(
                "a convolution with one scale for all channels: no compiler emits it, and no source tells where its biases come from",
            ));
        }
        let rounding = unit.ofm_rounding()?;
        let mut acc = unit.accumulators(ofm, kept, &self.chain, memory, &mut self.scratch)?;
        let bits = acc.control.bits;
        let output = if acc.control.output { Some(unit.output(memory, ofm)?) } else { None };

        let taps = u64::from(kernel.h) * u64::from(kernel.w);
        let k = taps.saturating_mul(if depthwise { 1 } else { ifm.shape.c.into() });
        let macs = ofm.elements().saturating_mul(k);
        memory.work(macs)?;
        memory.work(window.padded)?;
        memory.stats.macs = macs;

        let scratch = &mut self.scratch;
        if output.is_some() {
            unit.channel_scales(ofm.c, bits, memory, &mut scratch.stream, &mut scratch.scales)?;
        }
        unit.weights(depthwise, &ifm, ofm, &kernel, memory, scratch)?;
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;

        let zero_point = input.zero_point as i32;
        let task = Task {
            depthwise,
            ifm: &ifm,
            zero_point,
            window: &window,
            weights: &scratch.weights,
            size: (ofm.h as usize, ofm.w as usize),
        };
        let raw = &mut scratch.ofm;
        raw.clear();
        let mut sink = match &output {
            Some(output) => {
                raw.reserve(ofm.elements() as usize * usize::from(output.elem.bytes));
                let scaling = Scaling::Channels(&scratch.scales, rounding);
                Target::Sink(Sink { scaling, bits: Some(bits), output, raw })
            }
            None => Target::Nowhere,
        };
        let [whole, _] = &mut scratch.values;
        let magnitude = conv::max_magnitude(ifm.elem, zero_point);
        if conv::fits_narrow(magnitude, scratch.weights.max_magnitude, k) {
            let (padded, work) = (&mut scratch.narrow, &mut scratch.narrow_conv);
            task.run(&scratch.ifm, padded, work, &mut acc, whole, &mut sink)?;
        } else {
            let (padded, work) = (&mut scratch.wide, &mut scratch.wide_conv);
            task.run(&scratch.ifm, padded, work, &mut acc, whole, &mut sink)?;
        }
        self.kept = acc.into_kept();
        match output {
            Some(output) => output.store(self, memory),
            None => Ok(()),
        }
    }

    /// Convolution whose weights are IFM2: a row of the input's depth for every output channel.
    pub(super) fn matmul(
        &mut self,
        unit: &Unit<'_>,
        kept: Option<Kept>,
        memory: &mut Memory<'_>,
    ) -> Result<(), Cause> {
        let state = unit.state;
        let ofm = decode::ofm_shape(state)?;
        let window = decode::window(unit.state, ofm)?;
        let kernel = window.kernel;
        let one = (kernel.h, kernel.w) == (1, 1)
            && (kernel.stride_y, kernel.stride_x) == (1, 1)
            && !kernel.pad.any()
            && window.upscale == crate::op::Upscale::None;
        if !one {
            return Err(Cause::not_modelled(
                "a matrix product with a kernel, a stride, padding or doubling: no compiler emits it",
            ));
        }
        let (input, ifm) = unit.input_map(&decode::IFM, window.shape)?;
        let (input2, ifm2) = unit.input_map(&decode::IFM2, Shape::new(1, ofm.c, ifm.shape.c))?;
        if ifm.elem.bytes > 2 || ifm2.elem.bytes > 2 {
            return Err(Cause::not_modelled("a matrix product of 32-bit inputs: no compiler emits it"));
        }
        if !unit.is_global()? {
            return Err(Cause::not_modelled(
                "a matrix product with a scale per channel: no compiler emits it",
            ));
        }
        let mut acc = unit.accumulators(ofm, kept, &self.chain, memory, &mut self.scratch)?;
        if acc.control.start == Start::Ifm2 {
            return Err(Cause::invalid("IFM2 cannot be both weights and start of the accumulators"));
        }
        let bits = acc.control.bits;
        let output = if acc.control.output { Some(unit.output(memory, ofm)?) } else { None };
        let scaling = Scaling::Global(unit.global_scale()?);
        let depth = ifm.shape.c as usize;
        let macs = ofm.elements().saturating_mul(depth as u64);
        memory.work(macs)?;
        memory.stats.macs = macs;
        let scratch = &mut self.scratch;
        memory.load(Channel::Ifm, &ifm, &mut scratch.ifm)?;
        memory.load(Channel::Ifm, &ifm2, &mut scratch.ifm2)?;

        let (zero, zero2) = (input.zero_point as i32, input2.zero_point as i32);
        let a = &mut scratch.wide.data;
        a.clear();
        conv::convert(&scratch.ifm, ifm.elem, zero, a);
        let b = &mut scratch.weights_ifm2;
        b.clear();
        conv::convert(&scratch.ifm2, ifm2.elem, zero2, b);
        let limit = conv::max_magnitude(ifm.elem, zero)
            .saturating_mul(conv::max_magnitude(ifm2.elem, zero2))
            .saturating_mul(depth as u64);
        let dot: fn(&[i32], &[i32]) -> i64 = if limit <= i32::MAX as u64 {
            |a, b| a.iter().zip(b).map(|(a, b)| a * b).sum::<i32>().into()
        } else {
            |a, b| a.iter().zip(b).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum()
        };

        let raw = &mut scratch.ofm;
        raw.clear();
        let mut sink = match &output {
            Some(output) => {
                raw.reserve(ofm.elements() as usize * usize::from(output.elem.bytes));
                Target::Sink(Sink { scaling, bits: Some(bits), output, raw })
            }
            None => Target::Nowhere,
        };
        let [whole, row] = &mut scratch.values;
        let (width, channels) = (ofm.w as usize, ofm.c as usize);
        for (y, lines) in a.chunks_exact(width * depth).enumerate() {
            row.clear();
            row.resize(width * channels, 0);
            // Some columns at a time, so that a line of weights serves them all from the cache.
            let blocks = lines.chunks(PRODUCT_COLUMNS * depth);
            for (block, sums) in blocks.zip(row.chunks_mut(PRODUCT_COLUMNS * channels)) {
                for (c, weights) in b.chunks_exact(depth).enumerate() {
                    let lines = block.chunks_exact(depth);
                    for (line, sums) in lines.zip(sums.chunks_exact_mut(channels)) {
                        if let Some(sum) = sums.get_mut(c) {
                            *sum = dot(line, weights);
                        }
                    }
                }
            }
            acc.row(y, row, whole, &mut sink)?;
        }
        self.kept = acc.into_kept();
        match output {
            Some(output) => output.store(self, memory),
            None => Ok(()),
        }
    }
}

impl Unit<'_> {
    /// Output channels of a microblock.
    pub(super) fn ublock_depth(&self) -> Result<u32, Cause> {
        let (height, width) =
            match decode::defined(self.state, Opcode::AccFormat, &fields::acc_format::MICROBLOCK)? {
                microblock::U1X1 => (1, 1),
                microblock::U1X2 => (1, 2),
                microblock::U1X4 => (1, 4),
                microblock::U2X2 => (2, 2),
                microblock::U2X4 => (2, 4),
                _ => (4, 4),
            };
        self.accelerator
            .ublocks()
            .iter()
            .find(|ublock| (ublock.height, ublock.width) == (height, width))
            .map(|ublock| ublock.depth.into())
            .ok_or_else(|| {
                Cause::invalid(format!("{} has no microblock of {height}x{width}", self.accelerator))
            })
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
        use fields::weight_format as f;
        let state = self.state;
        let format = state.get(Opcode::WeightFormat)?;
        let fast = f::WEIGHT_FORMAT.get(format) == weight_format::FWD;
        let sparse = f::WEIGHT_SPARSITY.get(format) == weight_sparsity::SPARSE_2_4;
        if depthwise && (fast || sparse) {
            return Err(Cause::not_modelled(
                "a depthwise convolution with fast or sparse weights: no compiler emits it",
            ));
        }
        let ifm_depth = if depthwise { 1 } else { ifm.shape.c };
        let decoders = self.accelerator.spec().weight_decoders;
        let order = Order {
            ofm_depth: ofm.c,
            ifm_depth,
            kernel_h: kernel.h,
            kernel_w: kernel.w,
            stride_y: kernel.stride_y,
            stride_x: kernel.stride_x,
            dilation_y: kernel.dilation_y,
            dilation_x: kernel.dilation_x,
            ofm_block: state.plus_one(Opcode::OfmBlkDepthM1)?,
            ofm_ublock: self.ublock_depth()?,
            traversal: match (depthwise, kernel.part_kernel) {
                (true, _) => Traversal::Depthwise,
                (false, true) => Traversal::PartKernel,
                (false, false) => Traversal::DepthFirst,
            },
            ifm_bits: ifm.elem.bits(),
            sparse,
            macs: self.accelerator.macs(),
            decoders,
        };
        let taps = u64::from(kernel.h) * u64::from(kernel.w);
        let k = taps.saturating_mul(ifm_depth.into());
        let each = order.count();
        let kept = k.next_multiple_of(16).saturating_mul(ofm.c.into());
        if each.saturating_mul(decoders.into()) > MAX_WEIGHTS || kept > MAX_WEIGHTS {
            return Err(Cause::invalid(format!(
                "an operation with {kept} weights, more than the {MAX_WEIGHTS} that the simulator takes"
            )));
        }
        memory.work(each.saturating_mul(decoders.into()))?;
        memory.work(kept)?;
        let weights = &mut scratch.weights;
        weights.k = k as usize;
        // Depthwise weights are kept tap by tap, the others channel by channel.
        weights.k_padded = if depthwise { weights.k } else { Weights::pad_k(weights.k) };
        weights.rows = ofm.c as usize;
        weights.data.clear();
        weights.data.resize(weights.k_padded * weights.rows, 0);
        let mut place = Place {
            rows: weights.rows,
            k_padded: weights.k_padded,
            kernel_w: kernel.w as usize,
            ifm_depth: ifm_depth as usize,
            depthwise,
            data: &mut weights.data,
        };
        for (stream, (base, length)) in STREAMS.into_iter().enumerate().take(decoders as usize) {
            let region = decode::stream(state, Opcode::WeightRegion, base, length)?;
            memory.load_stream(Channel::Weights, &region, &mut scratch.stream)?;
            let decoded = &mut scratch.decoded;
            decoded.clear();
            let fail = |error: WeightError| Cause::Weights { stream: stream as u8, error };
            if fast {
                let need = (each * u64::from(decoders)) as usize;
                u85_fwd::decode(&scratch.stream, need, decoded).map_err(fail)?;
                place.interleaved(&order, decoded);
                break;
            }
            scratch.decoder.decode(&scratch.stream, each as usize, decoded).map_err(fail)?;
            let mut decoded = decoded.as_slice();
            order.visit(stream as u32, |run| {
                let (values, rest) =
                    decoded.split_at_checked((run.take + run.skip) as usize).unwrap_or((&[], &[]));
                decoded = rest;
                place.run(run, values);
            });
        }
        weights.max_magnitude = weights.data.iter().map(|w| u64::from(w.unsigned_abs())).max().unwrap_or(0);
        Ok(())
    }
}

/// Puts weights where the arithmetic wants them.
struct Place<'a> {
    rows: usize,
    k_padded: usize,
    kernel_w: usize,
    ifm_depth: usize,
    depthwise: bool,
    data: &'a mut [i16],
}

impl Place<'_> {
    fn run(&mut self, run: Run, values: &[i16]) {
        if run.take == 0 {
            return;
        }
        let tap = run.ky as usize * self.kernel_w + run.kx as usize;
        let to = if self.depthwise {
            tap * self.rows + run.oc as usize
        } else {
            run.oc as usize * self.k_padded + tap * self.ifm_depth + run.ic as usize
        };
        let take = run.take as usize;
        if let (Some(to), Some(from)) = (self.data.get_mut(to..to + take), values.get(..take)) {
            to.copy_from_slice(from);
        }
    }

    /// Weights of all decoders in one stream, in blocks by turns.
    fn interleaved(&mut self, order: &Order, decoded: &[i16]) {
        let block = order.interleave() as usize;
        let turn = block * order.decoders as usize;
        for decoder in 0..order.decoders {
            let first = decoder as usize * block;
            // Position in this decoder's own order.
            let mut position = 0;
            order.visit(decoder, |run| {
                let at = position / block * turn + first + position % block;
                let length = (run.take + run.skip) as usize;
                position += length;
                self.run(run, decoded.get(at..at + length).unwrap_or(&[]));
            });
        }
    }
}

/// Where rows go.
enum Target<'a> {
    Sink(Sink<'a>),
    /// They are kept, and no row arrives here.
    Nowhere,
}

impl RowOutput for Target<'_> {
    fn row<A: Copy + Into<i64>>(&mut self, acc: &[A]) -> Result<(), Cause> {
        match self {
            Target::Sink(sink) => sink.row(acc),
            Target::Nowhere => Ok(()),
        }
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
        acc: &mut Accumulators,
        whole: &mut Vec<i64>,
        target: &mut Target<'_>,
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
        let each = |y, sums: &[T::Acc]| acc.row(y, sums, whole, target);
        if self.depthwise {
            conv::depthwise(padded, &self.weights.data, kernel, self.size, scratch, each)
        } else {
            conv::convolve(padded, self.weights, kernel, self.size, scratch, each)
        }
    }
}
