//! Weights as they come, and how the accelerator wants them cut.

use std::ops::Range;

use tombolo_ethosu::Accelerator;

use crate::hw::Config;
use crate::ir::Factor;

/// Channels of input that the hardware takes at a time.
pub(super) const IFM_STEP: usize = 8;

/// The weights of an operation, and what else its streams depend on.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Less their zero point: -255 to 255. Output channels × height × width × input channels; of a depthwise
    /// convolution height × width × channels.
    pub weights: &'a [i16],
    /// Output channels, height, width, input channels. The last is 1 for a depthwise convolution.
    pub shape: [usize; 4],
    /// Whether each channel is by itself.
    pub depthwise: bool,
    /// Steps of the window down and to the right: they change the order on U85.
    pub stride: [usize; 2],
    /// Distance of taps down and to the right.
    pub dilation: [usize; 2],
    /// Bits of an element of the input: 8 or 16.
    pub ifm_bits: u8,
    /// Added to sums: one for each output channel, or one for all.
    pub biases: &'a [i64],
    /// Sums are multiplied by: one for each output channel, or one for all.
    pub factors: &'a [Factor],
}

impl Source<'_> {
    /// Complains about what is not as the fields say.
    pub(super) fn check(&self, channels: &Range<usize>) -> Result<(), String> {
        let [oc, kh, kw, ic] = self.shape;
        let size = oc.checked_mul(kh).and_then(|n| n.checked_mul(kw)).and_then(|n| n.checked_mul(ic));
        if size != Some(self.weights.len()) || size == Some(0) {
            return Err(format!("{} weights for a shape of {:?}", self.weights.len(), self.shape));
        }
        if self.depthwise && ic != 1 {
            return Err(format!("a depthwise convolution with {ic} input channels for each output channel"));
        }
        if channels.start >= channels.end || channels.end > oc {
            return Err(format!("output channels {channels:?} of {oc}"));
        }
        if let Some(n) = self.dilation.iter().find(|n| !(1..=8).contains(*n)) {
            return Err(format!("a dilation of {n}, the hardware takes 1 to 8"));
        }
        if self.stride.contains(&0) {
            return Err("a stride of zero".into());
        }
        if !matches!(self.ifm_bits, 8 | 16) {
            return Err(format!("a convolution of inputs of {} bits", self.ifm_bits));
        }
        let range = |&w: &i16| w.unsigned_abs() <= 255;
        // All at once is faster than until the first.
        if !self.weights.iter().fold(true, |all, w| all & range(w)) {
            let weight = self.weights.iter().find(|w| !range(w)).copied().unwrap_or_default();
            return Err(format!(
                "a weight of {weight} (less its zero point): the hardware takes -255 to 255"
            ));
        }
        for (name, n) in [("biases", self.biases.len()), ("factors", self.factors.len())] {
            if n != 1 && n != oc {
                return Err(format!("{n} {name} for {oc} output channels"));
            }
        }
        Ok(())
    }
}

/// The output channels of one stream, and how they are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) source: &'a Source<'a>,
    /// The first channel, and the distance of channels.
    pub(super) first: usize,
    pub(super) step: usize,
    /// How many channels.
    pub(super) count: usize,
    /// How many of them in a block.
    pub(super) block: usize,
    /// How many the MACs fill at a time.
    pub(super) ublock: usize,
    pub(super) part_kernel: bool,
    pub(super) accelerator: Accelerator,
    /// Two of four weights are zero (U85).
    pub(super) sparse: bool,
}

impl<'a> Part<'a> {
    /// All `channels`, uncut between cores.
    pub(super) fn new(
        source: &'a Source<'a>,
        channels: &Range<usize>,
        config: &Config,
        accelerator: Accelerator,
    ) -> Part<'a> {
        Part {
            source,
            first: channels.start,
            step: 1,
            count: channels.len(),
            block: config.ofm[2].max(1),
            ublock: config.ublock[2].max(1),
            part_kernel: config.part_kernel && !source.depthwise,
            accelerator,
            sparse: false,
        }
    }

    /// Appends `length` weights of a tap from input channel `ic` on, zeros where there is no such channel. `channel`
    /// counts within the part.
    #[inline]
    pub(super) fn push(
        &self,
        out: &mut Vec<i16>,
        channel: Option<usize>,
        y: usize,
        x: usize,
        ic: usize,
        length: usize,
    ) {
        let [oc, kh, kw, depth] = self.source.shape;
        let end = out.len() + length;
        if let Some(channel) = channel {
            let channel = self.first + channel * self.step;
            let (at, take) = if self.source.depthwise {
                ((y * kw + x) * oc + channel, 1)
            } else {
                (((channel * kh + y) * kw + x) * depth + ic, depth.saturating_sub(ic).min(length))
            };
            out.extend_from_slice(self.source.weights.get(at..at + take).unwrap_or_default());
        }
        out.resize(end, 0);
    }
}
