//! The order of weights on U55 and U65: `facts/ethosu.md` section 4.4, Vela's `ethos_u55_weight_encoder.cpp`.
//!
//! From the outside in: blocks of output channels, blocks of input channels, pieces of the kernel of at most 8 by 8
//! input positions, row by row; then, part kernel first: steps of input channels, microblocks, taps; depth first:
//! microblocks, taps, steps of input channels; then output channels of the microblock, input channels of the step.

use super::source::{IFM_STEP, Part};

/// The weights of a part in the order of its stream, with the zeros that the hardware expects where nothing is.
pub(super) fn ordered(part: &Part<'_>) -> Vec<i16> {
    let source = part.source;
    let [_, kernel_h, kernel_w, depth] = source.shape;
    let wide = source.ifm_bits == 16;
    let block = if part.part_kernel || wide { 16 } else { 32 };
    // Taps of a piece come in multiples of this.
    let round = match (source.depthwise, part.part_kernel) {
        (true, _) => 4,
        (_, true) if wide => 2,
        (_, true) => 4,
        _ => 1,
    };
    let length = if source.depthwise { 1 } else { IFM_STEP };
    let [piece_h, piece_w] = source.dilation.map(|n| (8 / n).max(1));
    let mut out = Vec::with_capacity(source.weights.len() / part.step + 64);
    for ofm in (0..part.count).step_by(part.block) {
        let channels = part.block.min(part.count - ofm);
        for ifm in (0..depth).step_by(block) {
            // Depth first fills the whole block.
            let (outer, inner) = match (source.depthwise, part.part_kernel) {
                (true, _) => (1, 1),
                (_, true) => (block.min(depth - ifm), 1),
                _ => (1, block),
            };
            for top in (0..kernel_h).step_by(piece_h) {
                let h = piece_h.min(kernel_h - top);
                for left in (0..kernel_w).step_by(piece_w) {
                    let w = piece_w.min(kernel_w - left);
                    for group in (0..outer).step_by(IFM_STEP) {
                        for ublock in (0..channels).step_by(part.ublock) {
                            for tap in 0..(h * w).next_multiple_of(round) {
                                let there = tap < h * w;
                                for step in (0..inner).step_by(IFM_STEP) {
                                    for channel in ublock..ublock + part.ublock {
                                        let real = there && channel < channels;
                                        part.push(
                                            &mut out,
                                            real.then_some(ofm + channel),
                                            top + tap / w,
                                            left + tap % w,
                                            ifm + group + step,
                                            length,
                                        );
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    out
}
