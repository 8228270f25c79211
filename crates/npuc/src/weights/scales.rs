//! Records of bias, multiplier and shift, one for each output channel: `facts/ethosu.md` section 3.2.

use tombolo_ethosu::{Accelerator, Generation};

use super::pad;
use crate::hw::Acc;
use crate::ir::Factor;
use crate::rules::short_scale;

/// Bytes of a record.
const RECORD: usize = 10;

/// Greatest shift: the field has six bits.
const MAX_SHIFT: u8 = 63;

/// Records of output channels, padded to 16 bytes. On U85 there are as many as fill `ublock` channels, and sixteen,
/// several times; those behind the last channel are zero.
pub(super) fn encode(
    channels: impl ExactSizeIterator<Item = (i64, Factor)>,
    acc: Acc,
    accelerator: Accelerator,
    ublock: usize,
) -> Result<Vec<u8>, String> {
    let u85 = accelerator.generation() == Generation::U85;
    let records = match u85 {
        true => channels.len().next_multiple_of(ublock.max(1).next_multiple_of(16)),
        false => channels.len(),
    };
    let mut out = Vec::with_capacity((records * RECORD).next_multiple_of(16));
    for (bias, factor) in channels {
        out.extend(if u85 { u85_record(bias, factor, acc)? } else { u5x_record(bias, factor)? });
    }
    out.resize(records * RECORD, 0);
    pad(&mut out);
    Ok(out)
}

fn u5x_record(bias: i64, factor: Factor) -> Result<[u8; RECORD], String> {
    let mut record = [0; RECORD];
    put_bias(&mut record, bias, 40)?;
    put(&mut record, 5, &multiplier(factor)?.to_le_bytes());
    put(&mut record, 9, &[shift(factor)?]);
    Ok(record)
}

fn u85_record(bias: i64, factor: Factor, acc: Acc) -> Result<[u8; RECORD], String> {
    let mut record = [0; RECORD];
    if acc == Acc::I48 {
        put_bias(&mut record, bias, 48)?;
        multiplier(factor)?;
        let Some(short) = short_scale(factor) else {
            return Err(format!(
                "a multiplier of {}: behind sums of 48 bits the hardware takes 15 bits",
                factor.multiplier
            ));
        };
        put(&mut record, 6, &(short.multiplier as u16).to_le_bytes());
        put(&mut record, 8, &[shift(short)?]);
    } else {
        put_bias(&mut record, bias, 32)?;
        put(&mut record, 4, &multiplier(factor)?.to_le_bytes());
        put(&mut record, 8, &[shift(factor)?]);
    }
    Ok(record)
}

fn put(record: &mut [u8; RECORD], at: usize, bytes: &[u8]) {
    for (to, from) in record.iter_mut().skip(at).zip(bytes) {
        *to = *from;
    }
}

/// Puts a bias of `bits` bits at the start.
fn put_bias(record: &mut [u8; RECORD], bias: i64, bits: u32) -> Result<(), String> {
    let limit = 1i64 << (bits - 1);
    if bias < -limit || bias >= limit {
        return Err(format!("a bias of {bias}: the hardware takes {bits} bits"));
    }
    let bytes = bias.to_le_bytes();
    put(record, 0, bytes.get(..bits as usize / 8).unwrap_or(&bytes));
    Ok(())
}

fn multiplier(factor: Factor) -> Result<i32, String> {
    match factor.multiplier {
        m @ 0.. => Ok(m),
        m => Err(format!("a multiplier of {m}: the hardware takes no negative ones")),
    }
}

fn shift(factor: Factor) -> Result<u8, String> {
    match factor.shift {
        s @ 0..=MAX_SHIFT => Ok(s),
        s => Err(format!("a shift by {s}: the hardware takes up to {MAX_SHIFT}")),
    }
}
