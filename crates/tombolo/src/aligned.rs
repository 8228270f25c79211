//! Bytes at a 16-byte boundary, without unsafe code.
//!
//! Programs want their tables, constants and delegate blobs at addresses that are a multiple of 16, and
//! `Vec<u8>` promises none. A vector of `u128` does.

use std::fmt;
use std::ops::{Deref, DerefMut};

const ALIGNMENT: usize = 16;
const _: () = assert!(align_of::<u128>() >= ALIGNMENT && size_of::<u128>() == ALIGNMENT);

/// A byte buffer of a fixed length whose first byte lies at a multiple of 16.
#[derive(Clone, Default)]
pub struct AlignedBytes {
    words: Vec<u128>,
    len: usize,
}

impl AlignedBytes {
    /// A buffer of zeros.
    pub fn zeroed(len: usize) -> AlignedBytes {
        AlignedBytes { words: vec![0; len.div_ceil(ALIGNMENT)], len }
    }
}

impl From<&[u8]> for AlignedBytes {
    fn from(bytes: &[u8]) -> AlignedBytes {
        let mut aligned = AlignedBytes::zeroed(bytes.len());
        aligned.copy_from_slice(bytes);
        aligned
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBytes({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_and_address() {
        for len in [0usize, 1, 15, 16, 17, 1000] {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let aligned = AlignedBytes::from(bytes.as_slice());
            assert_eq!(*aligned, *bytes);
            assert_eq!(aligned.as_ptr() as usize % ALIGNMENT, 0);
        }
    }
}
