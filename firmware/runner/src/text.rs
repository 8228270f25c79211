//! Lines of text without `core::fmt`, which costs kilobytes.

use crate::semihosting::{self, TEXT_BYTES};

/// A line under construction. What does not fit is printed and the line goes on.
pub(crate) struct Text {
    /// All zeros from `len` on; the last one stays.
    bytes: [u8; TEXT_BYTES],
    len: usize,
}

// Not inlined: what is called dozens of times would be there dozens of times.
impl Text {
    pub(crate) fn new() -> Text {
        Text { bytes: [0; TEXT_BYTES], len: 0 }
    }

    /// Prints what is there. A NUL within would end the text early; none is ever put.
    fn flush(&mut self) {
        semihosting::write(&self.bytes);
        *self = Text::new();
    }

    #[inline(never)]
    pub(crate) fn byte(&mut self, byte: u8) -> &mut Text {
        if self.len >= TEXT_BYTES - 1 {
            self.flush();
        }
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
        self
    }

    #[inline(never)]
    pub(crate) fn put(&mut self, text: &str) -> &mut Text {
        for &byte in text.as_bytes() {
            self.byte(byte);
        }
        self
    }

    /// Ends the line and prints it.
    #[inline(never)]
    pub(crate) fn end(&mut self) {
        self.byte(b'\n');
        self.flush();
    }

    /// A number, in decimal.
    #[inline(never)]
    pub(crate) fn number(&mut self, number: usize) -> &mut Text {
        self.digits(number as u32, 1)
    }

    /// A number of at least `width` digits, in decimal.
    fn digits(&mut self, mut number: u32, width: usize) -> &mut Text {
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
                self.byte(digit);
            }
        }
        self
    }

    /// A word, as eight hexadecimal digits after `0x`.
    pub(crate) fn hex(&mut self, word: u32) -> &mut Text {
        self.put("0x");
        for shift in [28, 24, 20, 16, 12, 8, 4, 0] {
            let nibble = (word >> shift & 15) as u8;
            self.byte(if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble });
        }
        self
    }

    /// A float in decimal with six places, for the eye; the bits are what counts. Beyond 2^31 only
    /// its magnitude is told.
    pub(crate) fn float(&mut self, value: f32) -> &mut Text {
        if value.is_nan() {
            return self.put("nan");
        }
        self.byte(if value.is_sign_negative() { b'-' } else { b' ' });
        let magnitude = value.abs();
        if magnitude >= 2_147_483_648.0 {
            return self.put(if magnitude.is_infinite() { "inf" } else { ">= 2^31" });
        }
        let mut whole = magnitude as u32;
        // Exact: both have the same exponent or the difference is the value itself.
        let fraction = magnitude - whole as f32;
        let mut millionths = (fraction * 1e6 + 0.5) as u32;
        if millionths >= 1_000_000 {
            millionths = 0;
            whole += 1;
        }
        self.digits(whole, 1).byte(b'.').digits(millionths, 6)
    }
}
