//! The fast weight format of U85 (facts 4.3): a header of 256 bits, then weights of two bits (index
//! into at most four values), four bits (index into at most sixteen) or eight bits (the value
//! itself, moved so that it fits), then zeros up to a multiple of 256 bits.

use super::WeightError;

/// Bytes of the header, and what streams are padded to.
const UNIT: usize = 32;

/// Bits of an entry of the table of values.
const ENTRY_BITS: usize = 9;

/// First bit of the table.
const TABLE_AT: usize = 112;

/// Decodes `stream`, which must hold exactly `need` weights, and appends them to `out`.
pub(crate) fn decode(stream: &[u8], need: usize, out: &mut Vec<i16>) -> Result<(), WeightError> {
    let (header, body) = stream.split_first_chunk::<UNIT>().ok_or(WeightError::Truncated)?;
    let raw = header[0] & 1 != 0;
    let small = header[0] & 2 != 0;
    if raw && small || header[0] & !3 != 0 || header[1..13].iter().any(|&b| b != 0) {
        return Err(WeightError::BadHeader { bit: 0 });
    }
    let bits = match (raw, small) {
        (true, _) => 8,
        (false, true) => 2,
        (false, false) => 4,
    };
    let used = need.checked_mul(bits).ok_or(WeightError::Truncated)?.div_ceil(8);
    if body.len() < used {
        return Err(WeightError::TooFew { got: body.len() * 8 / bits, need });
    }
    // Lengths are multiples of 16 bytes, so a little more than the unit may follow.
    if body.len() >= used.next_multiple_of(UNIT) + UNIT {
        return Err(WeightError::TooMany { need });
    }
    let body = body.get(..used).unwrap_or(body);
    let start = out.len();
    out.reserve(need);
    if raw {
        let zero_adjust = i16::from(header[13] as i8);
        out.extend(body.iter().map(|&b| i16::from(b as i8) - zero_adjust));
        return match out.get(start..) {
            Some(weights) if weights.iter().all(|w| (-256..256).contains(w)) => Ok(()),
            _ => Err(WeightError::WeightRange),
        };
    }
    let mut table = [0; 16];
    for (i, entry) in table.iter_mut().enumerate() {
        *entry = unfold(field(header, TABLE_AT + i * ENTRY_BITS));
    }
    let per_byte = 8 / bits;
    let mask = (1u8 << bits) - 1;
    for &byte in body {
        for i in 0..per_byte {
            let index = (byte >> (i * bits)) & mask;
            out.push(table[usize::from(index)]);
        }
    }
    out.truncate(start + need);
    Ok(())
}

/// Nine bits of the header, lowest first.
fn field(header: &[u8; UNIT], at: usize) -> u16 {
    let mut value = 0;
    for i in 0..ENTRY_BITS {
        let bit = at + i;
        value |= u16::from(header[bit / 8] >> (bit % 8) & 1) << i;
    }
    value
}

/// Magnitude above a sign bit.
fn unfold(folded: u16) -> i16 {
    let magnitude = (folded >> 1) as i16;
    if folded & 1 == 1 { -magnitude } else { magnitude }
}
