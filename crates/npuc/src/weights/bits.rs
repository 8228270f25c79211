//! Writes bits, lowest first.

/// Bytes, and the bits that are no whole byte yet.
#[derive(Debug, Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    window: u64,
    loaded: u32,
}

impl Bits {
    /// Appends the low `count` bits of `value`; `count` is at most 32, the bits above are zero.
    #[inline]
    pub(super) fn put(&mut self, value: u32, count: u32) {
        self.window |= u64::from(value) << self.loaded;
        self.loaded += count;
        if self.loaded >= 32 {
            self.bytes.extend_from_slice(&(self.window as u32).to_le_bytes());
            self.window >>= 32;
            self.loaded -= 32;
        }
    }

    /// The bytes, with ones up to the next whole byte and then up to a multiple of 16 bytes: Vela pads so, and to
    /// decoders ones are end marks.
    pub(super) fn finish_with_ones(mut self) -> Vec<u8> {
        let missing = self.loaded.next_multiple_of(8) - self.loaded;
        self.put((1 << missing) - 1, missing);
        let whole = self.loaded as usize / 8;
        self.bytes.extend(self.window.to_le_bytes().iter().take(whole));
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0xff);
        self.bytes
    }
}
