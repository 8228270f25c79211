//! Weights and scales as the hardware reads them.
//!
//! An operation's weights are put into the order in which the MACs take them (`u5x`, `u85`), which depends on the
//! block configuration, and are then compressed (`stream`). Biases and factors are records of ten bytes (`scales`).
//! Sources: `facts/ethosu.md` sections 3.2 and 4; Vela's weight encoders and its `mlw_codec`.

mod bits;
mod palette;
mod scales;
mod slice;
mod source;
mod stream;
mod u5x;
mod u85;

use std::ops::Range;

use tombolo_ethosu::{Accelerator, Generation};

use crate::hw::{Acc, Config};
use crate::ir::Factor;

use source::Part;
pub use source::Source;

/// Streams of an operation. The length of each is a multiple of 16 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// Weights: one stream for each core (U65-512) or decoder (U85). A core without channels has none.
    pub weights: Vec<Vec<u8>>,
    /// Records of bias and scale: one stream for each core (U65-512) that has channels, else one.
    pub scales: Vec<Vec<u8>>,
    /// Whether weights have U85's faster format, which is one stream for all decoders.
    pub fast: bool,
    /// Whether they are in the order for weights of which two of four are zero (U85).
    pub sparse: bool,
}

impl Encoded {
    /// Bytes of all streams.
    pub fn bytes(&self) -> usize {
        self.weights.iter().chain(&self.scales).map(Vec::len).sum()
    }
}

/// Encodes the weights, biases and factors of some output channels of a convolution.
///
/// What the hardware cannot do is an error: weights of more than nine bits, biases or multipliers that are too large
/// for the records, shifts beyond 63.
pub fn encode(
    source: &Source<'_>,
    channels: Range<usize>,
    config: &Config,
    accelerator: Accelerator,
) -> Result<Encoded, String> {
    source.check(&channels)?;
    let whole = Part::new(source, &channels, config, accelerator);
    let scales = |part: &Part<'_>| {
        let channels = (0..part.count).map(|i| {
            let channel = part.first + i * part.step;
            (of_channel(source.biases, channel), of_channel(source.factors, channel))
        });
        let channels = channels.map(|(bias, factor)| (bias.unwrap_or(0), factor.unwrap_or(Factor::ONE)));
        scales::encode(channels, config.acc, accelerator, config.ublock[2])
    };
    let mut encoded = Encoded { weights: Vec::new(), scales: Vec::new(), fast: false, sparse: false };
    if accelerator.generation() == Generation::U85 {
        let order = u85::Order::new(&whole);
        if !whole.ublock.is_multiple_of(4 * order.decoders()) {
            return Err(format!(
                "microblocks of {} channels for {} decoders",
                whole.ublock,
                order.decoders()
            ));
        }
        encoded.weights = (0..order.decoders()).map(|d| stream::encode(&order.ordered(d))).collect();
        encoded.scales.push(scales(&whole)?);
        return Ok(encoded);
    }
    let cores = accelerator.cores() as usize;
    for core in 0..cores.min(whole.count) {
        // Every other channel of the slice, and of each block.
        let part = Part {
            first: whole.first + core,
            step: cores,
            count: (whole.count - core).div_ceil(cores),
            block: whole.block.saturating_sub(core).div_ceil(cores).max(1),
            ..whole
        };
        encoded.weights.push(stream::encode(&u5x::ordered(&part)));
        encoded.scales.push(scales(&part)?);
    }
    Ok(encoded)
}

/// Encodes biases and factors without weights, for poolings of U85 with a scale per channel. Both lists have one
/// entry for each channel, or one for all.
pub fn scales_only(
    biases: &[i64],
    factors: &[Factor],
    acc: Acc,
    accelerator: Accelerator,
) -> Result<Vec<u8>, String> {
    let count = biases.len().max(factors.len());
    if [biases.len(), factors.len()].iter().any(|&n| n != 1 && n != count) || count == 0 {
        return Err(format!("{} biases and {} factors", biases.len(), factors.len()));
    }
    // Whatever microblock is chosen: enough records for the deepest.
    let ublock = accelerator.ublocks().iter().map(|u| usize::from(u.depth)).max().unwrap_or(1);
    let channels = (0..count).map(|i| {
        let bias = of_channel(biases, i).unwrap_or(0);
        (bias, of_channel(factors, i).unwrap_or(Factor::ONE))
    });
    scales::encode(channels, acc, accelerator, ublock)
}

/// The entry of a channel, or the only one.
fn of_channel<T: Copy>(list: &[T], channel: usize) -> Option<T> {
    match list {
        [one] => Some(*one),
        _ => list.get(channel).copied(),
    }
}

/// Zeros up to a multiple of 16 bytes.
fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(16), 0);
}
