//! The order of weights on U85: `facts/ethosu.md` section 4.5, Vela's `ethos_u85_weight_encoder.cpp`.
//!
//! From the outside in: blocks of output channels; blocks of input channels, forwards and backwards by turns; pieces
//! of the kernel of at most 8 by 8 input positions, column by column; groups of input channels (of 8, if 16-bit
//! inputs go part kernel first); microblocks; taps, by phase of the stride, and within a phase in rows that run to
//! the right and to the left by turns; steps of 8 input channels (16 if sparse); output channels in fours, which the
//! decoders take by turns; input channels.

use super::source::{IFM_STEP, Part};

/// Output channels of a decoder before the next one's turn.
const LANES: usize = 4;

/// What follows from the choice of traversal.
pub(super) struct Order<'a> {
    part: &'a Part<'a>,
    decoders: usize,
    /// Input channels of a block, and of a group within it.
    block: usize,
    group: usize,
    /// Input channels of one output channel that are neighbours in the stream.
    step: usize,
    /// Taps of a piece come in multiples of this.
    round: usize,
    /// Idle taps behind each such multiple.
    pause: usize,
    /// Steps of the window, if taps are sorted by their phase.
    stride: [usize; 2],
}

impl<'a> Order<'a> {
    pub(super) fn new(part: &'a Part<'a>) -> Order<'a> {
        let source = part.source;
        let wide = source.ifm_bits == 16;
        let macs = part.accelerator.macs();
        let sparse = part.sparse;
        let (block, group, round) = if source.depthwise {
            (16, 1, 10)
        } else if part.part_kernel {
            (16, if wide && !sparse { 8 } else { 16 }, if wide || sparse { 10 } else { 5 })
        } else {
            let block = match (sparse, wide) {
                (true, false) => 128,
                (true, true) => 64,
                (false, _) if macs <= 256 && part.ublock == 16 => 32,
                _ => 64,
            };
            (block, block, 1)
        };
        Order {
            part,
            decoders: part.accelerator.spec().weight_decoders.max(1) as usize,
            block,
            group,
            step: match (source.depthwise, sparse) {
                (true, _) => 1,
                (_, true) => 2 * IFM_STEP,
                _ => IFM_STEP,
            },
            round,
            pause: match macs {
                _ if !source.depthwise => 0,
                0..=256 if !wide => 0,
                0..=512 => 2,
                _ => 6,
            },
            stride: if source.depthwise || part.part_kernel { source.stride } else { [1, 1] },
        }
    }

    /// Decoders, each with weights of its own.
    pub(super) fn decoders(&self) -> usize {
        self.decoders
    }

    /// The weights of a decoder in the order of its stream, with the zeros that the hardware expects where nothing
    /// is.
    pub(super) fn ordered(&self, decoder: usize) -> Vec<i16> {
        let part = self.part;
        let source = part.source;
        let [_, kernel_h, kernel_w, depth] = source.shape;
        let [piece_h, piece_w] = source.dilation.map(|n| (8 / n).max(1));
        let blocks = depth.div_ceil(self.block);
        let mut out = Vec::with_capacity(source.weights.len() / self.decoders + 64);
        for (turn, ofm) in (0..part.count).step_by(part.block).enumerate() {
            let channels = part.block.min(part.count - ofm);
            for block in 0..blocks {
                let ifm = self.block * if turn % 2 == 0 { block } else { blocks - 1 - block };
                let ifm_end = depth.min(ifm + self.block);
                for left in (0..kernel_w).step_by(piece_w) {
                    let w = piece_w.min(kernel_w - left);
                    for top in (0..kernel_h).step_by(piece_h) {
                        let h = piece_h.min(kernel_h - top);
                        let taps = self.taps(h, w);
                        for group in (ifm..ifm_end).step_by(self.group) {
                            for ublock in (0..channels).step_by(part.ublock) {
                                for chunk in taps.chunks(self.round) {
                                    for &(y, x) in chunk {
                                        self.tap(
                                            &mut out,
                                            decoder,
                                            (ofm, ublock, channels),
                                            (top + y, left + x),
                                            group,
                                        );
                                    }
                                    let idle = self.round - chunk.len() + self.pause;
                                    let each = self.group * part.ublock / self.decoders;
                                    out.resize(out.len() + idle * each, 0);
                                }
                            }
                        }
                    }
                }
            }
        }
        out
    }

    fn tap(
        &self,
        out: &mut Vec<i16>,
        decoder: usize,
        (ofm, ublock, channels): (usize, usize, usize),
        (y, x): (usize, usize),
        group: usize,
    ) {
        for ic in (group..group + self.group).step_by(self.step) {
            for four in (decoder * LANES..self.part.ublock).step_by(LANES * self.decoders) {
                for channel in ublock + four..ublock + four + LANES {
                    let real = channel < channels;
                    self.part.push(out, real.then_some(ofm + channel), y, x, ic, self.step);
                }
            }
        }
    }

    /// The taps of a piece of `h` by `w`: row and column.
    fn taps(&self, h: usize, w: usize) -> Vec<(usize, usize)> {
        let [down, right] = self.stride;
        let mut taps = Vec::with_capacity(h * w);
        for phase_y in 0..down.min(h) {
            for phase_x in 0..right.min(w) {
                for (row, y) in (phase_y..h).step_by(down).enumerate() {
                    let columns = (phase_x..w).step_by(right);
                    if row % 2 == 0 {
                        taps.extend(columns.map(|x| (y, x)));
                    } else {
                        taps.extend(columns.rev().map(|x| (y, x)));
                    }
                }
            }
        }
        taps
    }
}
