//! Entropy coding of weights: the only format of U55 and U65, the standard one of U85.
//!
//! Bits are taken lowest first. A stream is slices, then an end mark, then bytes of ones up to its
//! length; more slices may follow an end mark. A slice has a header and a body. The body holds
//! indices of non-zero weights (or of all weights) and, in slices with zero runs, the lengths of
//! the runs of zeros between them; both are Golomb-Rice coded and come in chunks: the quotients
//! of up to twelve weights, those of up to twelve runs, and then the remainders that belong to the
//! quotients of the chunk *before*. An index below the palette's size names a palette entry, any
//! other stands for itself; the lowest bit of what results is the sign.

use super::WeightError;

const ZDIV_NO_RUNS: u32 = 6;
const ZDIV_END: u32 = 7;
const WDIV_UNCOMPRESSED: u32 = 7;

/// Indices that the hardware takes: nine bits.
const INDEX_LIMIT: u32 = 512;
const MAGNITUDE_LIMIT: u32 = 255;

struct Bits<'a> {
    bytes: &'a [u8],
    /// Bits that are loaded, lowest first.
    window: u64,
    loaded: u32,
    /// Bytes that were loaded.
    taken: usize,
}

impl Bits<'_> {
    fn position(&self) -> usize {
        self.taken * 8 - self.loaded as usize
    }

    fn refill(&mut self) {
        while self.loaded <= 56 {
            let Some(&byte) = self.bytes.get(self.taken) else {
                return;
            };
            self.window |= u64::from(byte) << self.loaded;
            self.loaded += 8;
            self.taken += 1;
        }
    }

    /// The next `count` bits, at most 32.
    #[inline]
    fn get(&mut self, count: u32) -> Result<u32, WeightError> {
        if self.loaded < count {
            self.refill();
            if self.loaded < count {
                return Err(WeightError::Truncated);
            }
        }
        let value = self.window & ((1 << count) - 1);
        self.window >>= count;
        self.loaded -= count;
        Ok(value as u32)
    }

    fn align(&mut self) {
        let odd = self.loaded % 8;
        self.window >>= odd;
        self.loaded -= odd;
    }

    fn at_end(&self) -> bool {
        self.loaded == 0 && self.taken == self.bytes.len()
    }
}

#[derive(Default)]
struct Palette {
    entries: [u16; 32],
    size: u32,
    /// Bits of an entry.
    bits: u32,
    /// What an index behind the palette is offset by.
    direct_offset: u32,
}

impl Palette {
    /// The weight of an index.
    fn weight(&self, index: u32) -> Result<i16, WeightError> {
        if index >= INDEX_LIMIT {
            return Err(WeightError::WeightRange);
        }
        let folded = match self.entries.get(index as usize) {
            Some(&entry) if index < self.size => u32::from(entry),
            _ => index - self.size + self.direct_offset,
        };
        let magnitude = folded >> 1;
        if magnitude > MAGNITUDE_LIMIT {
            return Err(WeightError::WeightRange);
        }
        let magnitude = magnitude as i16;
        Ok(if folded & 1 == 1 { -magnitude } else { magnitude })
    }
}

/// Decoder with the memory it works in.
#[derive(Debug, Default)]
pub struct Decoder {
    indices: Vec<u32>,
    runs: Vec<u32>,
}

impl Decoder {
    /// A decoder.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Decodes `stream`, which must hold exactly `need` weights, and appends them to `out`.
    ///
    /// Takes memory in proportion to `need`, whatever the stream says; time in proportion to
    /// `need` and the length of the stream.
    pub fn decode(&mut self, stream: &[u8], need: usize, out: &mut Vec<i16>) -> Result<(), WeightError> {
        let mut bits = Bits { bytes: stream, window: 0, loaded: 0, taken: 0 };
        let limit = out.len() + need;
        let start = out.len();
        let mut palette = Palette::default();
        // Whether the slice before had zero runs; `None` where a palette must come first.
        let mut runs_before = None;
        loop {
            let header = bits.position();
            let bad = WeightError::BadHeader { bit: header };
            if bits.at_end() {
                break;
            }
            let zdiv = bits.get(3)?;
            if zdiv == ZDIV_END {
                bits.align();
                runs_before = None;
                continue;
            }
            let with_runs = match zdiv {
                0..=3 => true,
                ZDIV_NO_RUNS => false,
                _ => return Err(bad),
            };
            let count = bits.get(15)? as usize + 1;
            let wdiv = bits.get(3)?;
            let truncated = bits.get(1)? == 1;
            let new_palette = bits.get(1)? == 1;
            if new_palette {
                palette.direct_offset = bits.get(5)?;
                palette.size = match bits.get(5)? {
                    0 => 0,
                    size => size + 1,
                };
                palette.bits = bits.get(3)? + 2;
                for entry in palette.entries.iter_mut().take(palette.size as usize) {
                    *entry = bits.get(palette.bits)? as u16;
                }
            } else if runs_before != Some(with_runs) {
                // The palette leaves out 0 if and only if there are runs, so it cannot be kept.
                return Err(bad);
            }
            runs_before = Some(with_runs);
            let coding = match wdiv {
                0..=5 => Coding { remainder_bits: wdiv, uncompressed: false, truncated },
                WDIV_UNCOMPRESSED => Coding {
                    remainder_bits: match palette.size {
                        0 => palette.bits,
                        size => u32::BITS - (size - 1).leading_zeros(),
                    },
                    uncompressed: true,
                    truncated,
                },
                _ => return Err(bad),
            };
            let runs = if with_runs { Some((zdiv, count + usize::from(new_palette))) } else { None };
            if out.len() + count > limit {
                return Err(WeightError::TooMany { need });
            }
            self.body(&mut bits, coding, count, runs)?;

            let mut weights = self.indices.iter().take(count);
            if !with_runs {
                for &index in weights {
                    out.push(palette.weight(index)?);
                }
                continue;
            }
            let (_, run_count) = runs.unwrap_or_default();
            for (i, &run) in self.runs.iter().take(run_count).enumerate() {
                // With a new palette a run comes first; else they stand behind the weights.
                if !(new_palette && i == 0)
                    && let Some(&index) = weights.next()
                {
                    if out.len() >= limit {
                        return Err(WeightError::TooMany { need });
                    }
                    out.push(palette.weight(index)?);
                }
                if run as usize > limit - out.len() {
                    return Err(WeightError::TooMany { need });
                }
                out.resize(out.len() + run as usize, 0);
            }
        }
        if out.len() < limit {
            return Err(WeightError::TooFew { got: out.len() - start, need });
        }
        Ok(())
    }

    /// Reads the body of a slice into `indices` and `runs`; both may get some entries too many.
    fn body(
        &mut self,
        bits: &mut Bits<'_>,
        coding: Coding,
        count: usize,
        runs: Option<(u32, usize)>,
    ) -> Result<(), WeightError> {
        let (zdiv, run_count) = runs.unwrap_or((0, 0));
        let run_unary = if zdiv < 3 { 12 } else { 8 };
        let symbols = if coding.uncompressed && coding.remainder_bits > 5 { 8 } else { 12 };
        self.indices.clear();
        self.runs.clear();
        // How many entries have their remainder.
        let (mut whole_indices, mut whole_runs) = (0, 0);
        // Quotients that go on in the next chunk.
        let (mut index_carry, mut run_carry) = (0u32, 0u32);
        loop {
            let (known_indices, known_runs) = (self.indices.len(), self.runs.len());
            // Weights and runs are kept in step by leaving one of them out of a chunk.
            let (take_indices, take_runs) = match runs {
                None => (known_indices < count, false),
                Some(_) => (
                    known_indices < known_runs + 8 && known_indices < count,
                    known_indices >= known_runs && known_runs < run_count,
                ),
            };
            let unary0 = if take_indices && !coding.uncompressed { bits.get(12)? } else { 0 };
            if take_runs {
                let unary = bits.get(run_unary)?;
                for i in 0..run_unary {
                    if unary >> i & 1 == 1 {
                        run_carry = run_carry.saturating_add(1);
                    } else {
                        self.runs.push(run_carry);
                        run_carry = 0;
                    }
                }
            }
            if take_indices {
                let mut unary1 = bits.get(unary0.count_ones())?;
                for i in 0..symbols {
                    let mut code = 0;
                    if unary0 >> i & 1 == 1 {
                        code = 1 + (unary1 & 1);
                        unary1 >>= 1;
                    }
                    index_carry = index_carry.saturating_add(code);
                    if code < 2 || coding.truncated {
                        self.indices.push(index_carry);
                        index_carry = 0;
                    }
                }
            }
            while whole_indices < known_indices.min(count) {
                let remainder = bits.get(coding.remainder_bits)?;
                if let Some(index) = self.indices.get_mut(whole_indices) {
                    // Large quotients are out of range either way.
                    *index = ((*index).min(INDEX_LIMIT) << coding.remainder_bits) | remainder;
                }
                whole_indices += 1;
            }
            while whole_runs < known_runs.min(run_count) {
                let remainder = bits.get(zdiv)?;
                if let Some(run) = self.runs.get_mut(whole_runs) {
                    *run = ((*run).min(u32::MAX >> 4) << zdiv) | remainder;
                }
                whole_runs += 1;
            }
            if !take_indices && !take_runs {
                return Ok(());
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Coding {
    remainder_bits: u32,
    uncompressed: bool,
    truncated: bool,
}
