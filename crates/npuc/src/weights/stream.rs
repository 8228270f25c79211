//! Weights in their order as a stream of slices: the choice of palettes and codings.

use super::bits::Bits;
use super::palette::{self, CODINGS, COST, FIXED, FOLDED, Histogram, Palette, RUN_CODINGS, fold};
use super::slice::{self, MAX_LENGTH, Parameters};

/// Encodes weights from -255 to 255, padded to 16 bytes.
pub(super) fn encode(weights: &[i16]) -> Vec<u8> {
    let mut bits = Bits::default();
    if !weights.is_empty() {
        section(&mut bits, weights);
    }
    slice::write_end(&mut bits);
    bits.finish_with_ones()
}

/// Appends slices with one palette.
fn section(bits: &mut Bits, weights: &[i16]) {
    let histogram = Histogram::of(weights);
    let palette = histogram.best().palette(&histogram);
    let mut indices = Vec::with_capacity(weights.len());
    let mut runs = Vec::new();
    let index = |weight: i16| palette.index[usize::from(fold(weight)) % FOLDED];
    if palette.zero_runs {
        let mut run = 0;
        let only_zeros = weights.iter().all(|&w| w == 0);
        for (i, &weight) in weights.iter().enumerate() {
            // A slice has at least one weight.
            if weight == 0 && !(only_zeros && i == 0) {
                run += 1;
                continue;
            }
            runs.push(run);
            run = 0;
            indices.push(index(weight));
        }
        runs.push(run);
    } else {
        indices.extend(weights.iter().map(|&w| index(w)));
    }
    let mut at = 0;
    while at < indices.len() {
        let end = indices.len().min(at + MAX_LENGTH);
        let new = at == 0;
        let own = indices.get(at..end).unwrap_or_default();
        let first_run = if new { 0 } else { at + 1 };
        let own_runs = if palette.zero_runs { runs.get(first_run..=end).unwrap_or_default() } else { &[] };
        let parameters = Parameters { coding: best_coding(&palette, own), run_remainder: best_run(own_runs) };
        slice::write(bits, &palette, new, parameters, own, own_runs);
        at = end;
    }
}

fn best_coding(palette: &Palette, indices: &[u16]) -> slice::Coding {
    let mut bits = [0u64; 16];
    for &index in indices {
        if let Some(cost) = COST.get(usize::from(index)) {
            for (sum, &cost) in bits.iter_mut().zip(cost) {
                *sum += u64::from(cost);
            }
        }
    }
    bits[FIXED] =
        if palette.fixed { indices.len() as u64 * u64::from(palette.fixed_bits()) } else { u64::MAX };
    let best = (0..CODINGS).min_by_key(|&n| bits[n]).unwrap_or(0);
    palette::coding(best)
}

fn best_run(runs: &[u32]) -> u32 {
    let cost = |remainder: u32| {
        runs.iter().map(|&run| u64::from(run >> remainder) + 1 + u64::from(remainder)).sum::<u64>()
    };
    (0..RUN_CODINGS as u32).min_by_key(|&remainder| cost(remainder)).unwrap_or(0)
}
