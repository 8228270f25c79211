//! A slice of a weight stream as bits: `facts/ethosu.md` section 4.2.
//!
//! A slice is a header and chunks. A chunk has the quotients of up to twelve weights, those of up to twelve runs of
//! zeros, and the remainders that belong to the chunk *before*.

use super::bits::Bits;
use super::palette::Palette;

/// Weights of the longest slice. The field could hold one more, which no known encoder uses.
pub(super) const MAX_LENGTH: usize = (1 << 15) - 1;

/// `ZDIV` of a slice without runs, and of the mark at the end of a stream.
const ZDIV_NO_RUNS: u32 = 6;
const ZDIV_END: u32 = 7;
/// `WDIV` of a slice whose weights have a fixed number of bits.
const WDIV_UNCOMPRESSED: u32 = 7;

/// How the indices of weights are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Golomb-Rice codes.
    Golomb {
        /// Bits of the remainder, 0 to 5.
        remainder: u32,
        /// Whether quotients end at 2, which saves a bit of that quotient.
        truncated: bool,
    },
    /// The same number of bits for each: what the palette says.
    Fixed,
}

/// What a slice's header says beside its length and palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Of weights.
    pub(super) coding: Coding,
    /// Bits of the remainder of runs, 0 to 3; used if the palette is one for runs.
    pub(super) run_remainder: u32,
}

/// Appends a slice. `runs` has one entry for each weight (the zeros behind it), before them one more if the palette
/// is new (the zeros before the first); it is empty if the palette is not one for runs.
pub(super) fn write(
    bits: &mut Bits,
    palette: &Palette,
    new_palette: bool,
    parameters: Parameters,
    indices: &[u16],
    runs: &[u32],
) {
    let zdiv = if palette.zero_runs { parameters.run_remainder } else { ZDIV_NO_RUNS };
    let (wdiv, truncated) = match parameters.coding {
        Coding::Golomb { remainder, truncated } => (remainder, truncated),
        Coding::Fixed => (WDIV_UNCOMPRESSED, false),
    };
    bits.put(zdiv, 3);
    bits.put(indices.len().saturating_sub(1) as u32, 15);
    bits.put(wdiv, 3);
    bits.put(truncated.into(), 1);
    bits.put(new_palette.into(), 1);
    if new_palette {
        bits.put(palette.direct_offset.into(), 5);
        bits.put(palette.entries.len().saturating_sub(1) as u32, 5);
        bits.put(palette.bits - 2, 3);
        for &entry in &palette.entries {
            bits.put(entry.into(), palette.bits);
        }
    }
    match parameters.coding {
        Coding::Fixed if !palette.zero_runs => {
            let width = palette.fixed_bits();
            for &index in indices {
                bits.put(index.into(), width);
            }
        }
        _ => body(bits, palette, parameters, indices, runs),
    }
}

/// Appends the mark behind the last slice.
pub(super) fn write_end(bits: &mut Bits) {
    bits.put(ZDIV_END, 3);
}

/// Quotients and remainders that a chunk has taken.
#[derive(Default)]
struct Taken {
    /// Entries whose quotient is complete.
    done: usize,
    /// What is left of the quotient of the next one.
    rest: Option<u32>,
    /// First entry of the chunk before, and of this one: remainders are one chunk late.
    before: usize,
    first: usize,
}

impl Taken {
    fn next_chunk(&mut self) {
        self.before = self.first;
        self.first = self.done;
    }
}

fn body(bits: &mut Bits, palette: &Palette, parameters: Parameters, indices: &[u16], runs: &[u32]) {
    let (width, fixed, truncated) = match parameters.coding {
        Coding::Golomb { remainder, truncated } => (remainder, false, truncated),
        Coding::Fixed => (palette.fixed_bits(), true, false),
    };
    let codes = if fixed && width > 5 { 8 } else { 12 };
    let run_width = parameters.run_remainder;
    let run_codes = if run_width < 3 { 12 } else { 8 };
    let mask = (1u32 << width) - 1;
    let run_mask = (1u32 << run_width) - 1;
    let (mut w, mut z) = (Taken::default(), Taken::default());
    loop {
        // Weights and runs are kept in step by leaving one of them out of a chunk.
        let take_weights = w.done < indices.len() && (!palette.zero_runs || w.done < z.done + 8);
        let take_runs = z.done < runs.len() && w.done >= z.done;
        w.next_chunk();
        z.next_chunk();
        // For each code a bit in the first word; if it is set, another in the second.
        let (mut unary0, mut unary1, mut unary1_bits) = (0u32, 0u32, 0);
        if take_weights {
            let mut code = 0;
            while code < codes {
                let Some(&index) = indices.get(w.done) else { break };
                let mut quotient = match w.rest.take() {
                    Some(rest) => rest,
                    None => u32::from(index) >> width,
                };
                // Two more in a code of their own mean that the quotient goes on, if it may.
                while quotient >= 2 && !truncated && code < codes {
                    unary0 |= 1 << code;
                    unary1 |= 1 << unary1_bits;
                    unary1_bits += 1;
                    code += 1;
                    quotient -= 2;
                }
                if code == codes {
                    w.rest = Some(quotient);
                    break;
                }
                if quotient > 0 {
                    unary0 |= 1 << code;
                    unary1 |= (quotient - 1) << unary1_bits;
                    unary1_bits += 1;
                }
                code += 1;
                w.done += 1;
            }
        }
        if take_weights && !fixed {
            bits.put(unary0, 12);
        }
        if take_runs {
            let (mut unary, mut code) = (0u32, 0);
            while code < run_codes {
                let Some(&run) = runs.get(z.done) else { break };
                let quotient = z.rest.take().unwrap_or(run >> run_width);
                let ones = quotient.min(run_codes - code);
                unary |= ((1 << ones) - 1) << code;
                code += ones;
                if code == run_codes {
                    z.rest = Some(quotient - ones);
                    break;
                }
                code += 1;
                z.done += 1;
            }
            bits.put(unary, run_codes);
        }
        if take_weights && !fixed {
            bits.put(unary1, unary1_bits);
        }
        for &index in indices.get(w.before..w.first).unwrap_or_default() {
            bits.put(u32::from(index) & mask, width);
        }
        for &run in runs.get(z.before..z.first).unwrap_or_default() {
            bits.put(run & run_mask, run_width);
        }
        if !take_weights && !take_runs {
            return;
        }
    }
}
