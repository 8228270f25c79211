//! A bump allocator over bytes that the caller owns.
#![expect(unsafe_code, reason = "typed slices out of raw bytes")]

use core::mem::{align_of, size_of, take};

/// An arena did not have the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes that the request needed, padding included.
    pub needed: usize,
    /// Bytes that were left.
    pub available: usize,
}

impl core::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} bytes needed, {} left", self.needed, self.available)
    }
}

/// Hands out disjoint pieces of one byte slice, front to back. Pieces live as long as the slice.
#[derive(Default)]
pub struct Arena<'m> {
    free: &'m mut [u8],
    used: usize,
}

impl<'m> Arena<'m> {
    /// An arena over `memory`, all of it free.
    pub fn new(memory: &'m mut [u8]) -> Self {
        Arena { free: memory, used: 0 }
    }

    /// Bytes handed out so far, padding included.
    pub fn used(&self) -> usize {
        self.used
    }

    /// `len` bytes whose address is a multiple of `align` (a power of two). Their content is
    /// whatever the memory held.
    #[inline(never)]
    pub fn bytes(&mut self, len: usize, align: usize) -> Result<&'m mut [u8], OutOfMemory> {
        let address = self.free.as_ptr() as usize;
        let padding = address.wrapping_neg() & align.wrapping_sub(1);
        let needed = padding.saturating_add(len);
        let free = take(&mut self.free);
        if needed > free.len() {
            let available = free.len();
            self.free = free;
            return Err(OutOfMemory { needed, available });
        }
        // Both splits are within bounds by the check above; the fallbacks keep panic code out.
        let (_, rest) = free.split_at_mut_checked(padding).unwrap_or_default();
        let (piece, rest) = rest.split_at_mut_checked(len).unwrap_or_default();
        self.free = rest;
        self.used += needed;
        Ok(piece)
    }

    /// `len` values of `T`, each set to `fill`.
    pub fn slice<T: Copy>(&mut self, len: usize, fill: T) -> Result<&'m mut [T], OutOfMemory> {
        let Some(size) = len.checked_mul(size_of::<T>()) else {
            return Err(OutOfMemory { needed: usize::MAX, available: self.free.len() });
        };
        let bytes = self.bytes(size, align_of::<T>())?;
        let start = bytes.as_mut_ptr().cast::<T>();
        for i in 0..len {
            // SAFETY: `bytes` is `len * size_of::<T>()` bytes, aligned for `T`, exclusively ours for
            // 'm; element `i < len` lies inside.
            unsafe { start.add(i).write(fill) };
        }
        // SAFETY: as above, and all `len` elements are initialised now.
        Ok(unsafe { core::slice::from_raw_parts_mut(start, len) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_and_disjoint() {
        let mut memory = [0u8; 64];
        let mut arena = Arena::new(&mut memory);
        let a = arena.bytes(3, 1).unwrap();
        let b = arena.slice(4, 7u32).unwrap();
        let c = arena.slice(1, 9u64).unwrap();
        a.fill(1);
        b[3] = 8;
        assert_eq!(b, [7, 7, 7, 8]);
        assert_eq!(c, [9]);
        assert_eq!(a, [1, 1, 1]);
        assert_eq!(b.as_ptr() as usize % 4, 0);
        assert!(arena.used() >= 27 && arena.used() <= 64);
    }

    #[test]
    fn a_full_arena_says_what_it_needs_and_stays_usable() {
        let mut memory = [0u8; 16];
        let mut arena = Arena::new(&mut memory);
        let error = arena.bytes(17, 1).unwrap_err();
        assert_eq!(error, OutOfMemory { needed: 17, available: 16 });
        assert!(arena.slice::<u64>(usize::MAX, 0).is_err());
        assert_eq!(arena.bytes(16, 1).unwrap().len(), 16);
        assert!(arena.bytes(0, 1).unwrap().is_empty());
    }
}
