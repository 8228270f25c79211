//! Text without `core::fmt`, which costs kilobytes. A byte at a time: it is the least code, and what is
//! printed here is little.

use crate::semihosting;

/// Text as it is.
#[inline(never)]
pub(crate) fn put(text: &str) {
    for &byte in text.as_bytes() {
        semihosting::write(byte);
    }
}

/// Text, then a number in decimal.
#[inline(never)]
pub(crate) fn put_number(before: &str, number: usize) {
    put(before);
    digits(number as u32, 1);
}

/// A number of at least `width` digits, in decimal.
#[inline(never)]
fn digits(mut number: u32, width: usize) {
    const POWERS: [u32; 10] =
        [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1];
    let mut started = false;
    for (place, power) in POWERS.into_iter().enumerate() {
        // Ten subtractions at most: no division, whose divisor would have to be proven not to be 0.
        let mut digit = b'0';
        while number >= power {
            number -= power;
            digit += 1;
        }
        started |= digit != b'0' || place + width >= POWERS.len();
        if started {
            semihosting::write(digit);
        }
    }
}

/// Text, then a word as eight hexadecimal digits after `0x`.
pub(crate) fn put_hex(before: &str, mut word: u32) {
    put(before);
    put("0x");
    for _ in 0..8 {
        word = word.rotate_left(4);
        let nibble = (word & 15) as u8;
        semihosting::write(if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble });
    }
}

/// Text, then a float in decimal with six places: for the eye, the bits are what counts. Beyond 2^31 only
/// its magnitude is told.
pub(crate) fn put_float(before: &str, value: f32) {
    put(before);
    if value.is_sign_negative() {
        put("-");
    }
    let magnitude = value.abs();
    if magnitude.is_nan() || magnitude >= 2_147_483_648.0 {
        return put("large");
    }
    let mut whole = magnitude as u32;
    // Exact: both have the same exponent or the difference is the value itself.
    let fraction = magnitude - whole as f32;
    let mut millionths = (fraction * 1e6 + 0.5) as u32;
    if millionths >= 1_000_000 {
        millionths = 0;
        whole += 1;
    }
    digits(whole, 1);
    put(".");
    digits(millionths, 6);
}
