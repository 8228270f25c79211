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

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes bits lowest first.
    #[derive(Default)]
    struct Writer {
        bytes: Vec<u8>,
        bit: u32,
    }

    impl Writer {
        fn put(&mut self, value: u32, bits: u32) -> &mut Writer {
            for i in 0..bits {
                if self.bit == 0 {
                    self.bytes.push(0);
                }
                if value >> i & 1 == 1 {
                    *self.bytes.last_mut().unwrap() |= 1 << self.bit;
                }
                self.bit = (self.bit + 1) % 8;
            }
            self
        }

        fn header(&mut self, zdiv: u32, count: u32, wdiv: u32, truncated: bool) -> &mut Writer {
            self.put(zdiv, 3).put(count - 1, 15).put(wdiv, 3).put(truncated.into(), 1)
        }

        /// An empty palette for direct indices of `bits` bits.
        fn no_palette(&mut self, offset: u32, bits: u32) -> &mut Writer {
            self.put(1, 1).put(offset, 5).put(0, 5).put(bits - 2, 3)
        }

        fn end(&mut self) -> Vec<u8> {
            self.put(7, 3);
            self.bit = 0;
            self.bytes.push(0xff);
            std::mem::take(&mut self.bytes)
        }
    }

    fn decode(stream: &[u8], need: usize) -> Result<Vec<i16>, WeightError> {
        let mut out = Vec::new();
        Decoder::new().decode(stream, need, &mut out)?;
        Ok(out)
    }

    #[test]
    fn uncompressed_without_palette() {
        let mut w = Writer::default();
        w.header(6, 3, 7, false).no_palette(0, 9);
        // No unary parts; the remainders come in the chunk behind.
        w.put(0, 9).put(5, 9).put(510, 9);
        assert_eq!(decode(&w.end(), 3).unwrap(), [0, -2, 255]);
    }

    #[test]
    fn quotients_remainders_and_the_direct_offset() {
        let mut w = Writer::default();
        w.header(6, 3, 1, false).no_palette(2, 2);
        // Quotients 0, 1 and 3 (codes 0, 1, 2+1); twelve codes in the chunk, the rest are not
        // used. Each set bit of the first word has one in the second.
        w.put(0b1110, 12).put(0b010, 3);
        // Remainders of one bit: indices 0, 3, 6; plus 2: folded 2, 5, 8.
        w.put(0, 1).put(1, 1).put(0, 1);
        assert_eq!(decode(&w.end(), 3).unwrap(), [1, -2, 4]);
    }

    #[test]
    fn truncated_quotients_end_at_two() {
        let mut w = Writer::default();
        w.header(6, 3, 0, true).no_palette(0, 2);
        w.put(0b111, 12).put(0b101, 3);
        assert_eq!(decode(&w.end(), 3).unwrap(), [1, 0, 1]);
    }

    #[test]
    fn palette_and_zero_runs() {
        let mut w = Writer::default();
        w.header(0, 2, 0, false);
        // Two entries of three bits: folded 3 and 6.
        w.put(1, 1).put(0, 5).put(1, 5).put(1, 3).put(3, 3).put(6, 3);
        // Indices 0 and 1; runs of 2 (before the first), 0 and 3: ones, and a zero behind each.
        w.put(0b10, 12).put(0b0111_0011, 12).put(0, 1);
        assert_eq!(decode(&w.end(), 7).unwrap(), [0, 0, -1, 3, 0, 0, 0]);
    }

    #[test]
    fn what_no_decoder_takes() {
        assert_eq!(decode(&[], 1), Err(WeightError::TooFew { got: 0, need: 1 }));
        assert_eq!(decode(&[], 0), Ok(vec![]));
        assert_eq!(decode(&[0xff; 32], 0), Ok(vec![]));
        // ZDIV 4 and WDIV 6 are reserved.
        let mut w = Writer::default();
        let stream = w.header(4, 1, 0, false).no_palette(0, 2).end();
        assert_eq!(decode(&stream, 1), Err(WeightError::BadHeader { bit: 0 }));
        let stream = w.header(6, 1, 6, false).no_palette(0, 2).end();
        assert_eq!(decode(&stream, 1), Err(WeightError::BadHeader { bit: 0 }));
        // No palette in the first slice.
        let mut w = Writer::default();
        let stream = w.header(6, 1, 7, false).put(0, 1).put(0, 2).end();
        assert_eq!(decode(&stream, 1), Err(WeightError::BadHeader { bit: 0 }));
        // Cut off.
        let mut w = Writer::default();
        w.header(6, 3, 7, false).no_palette(0, 9);
        w.put(0, 9);
        assert_eq!(decode(&w.bytes, 3), Err(WeightError::Truncated));
        // A quotient beyond nine bits.
        let mut w = Writer::default();
        w.header(6, 1, 5, false).no_palette(0, 2);
        w.put(0xfff, 12).put(0xfff, 12).put(0, 12).put(0, 5);
        assert_eq!(decode(&w.end(), 1), Err(WeightError::WeightRange));
        // A palette entry of nine bits plus an offset is still checked.
        let mut w = Writer::default();
        w.header(6, 1, 7, false).no_palette(31, 9);
        w.put(500, 9);
        assert_eq!(decode(&w.end(), 1), Err(WeightError::WeightRange));
    }

    #[test]
    fn never_more_than_needed() {
        let mut w = Writer::default();
        w.header(6, 3, 7, false).no_palette(0, 2);
        w.put(0, 6);
        assert_eq!(decode(&w.end(), 2), Err(WeightError::TooMany { need: 2 }));
        // A run of zeros of almost 2^17, in a few bytes.
        let mut w = Writer::default();
        w.header(3, 1, 7, false).no_palette(0, 2);
        for _ in 0..200 {
            w.put(0xff, 8);
        }
        let mut stream = w.end();
        stream.extend([0; 8]);
        let error = decode(&stream, 1).unwrap_err();
        assert!(
            matches!(
                error,
                WeightError::TooMany { .. } | WeightError::Truncated | WeightError::BadHeader { .. }
            ),
            "{error:?}"
        );
    }
}
