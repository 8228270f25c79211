//! Lists of numbers, read in place.

macro_rules! list {
    ($(#[$doc:meta])* $name:ident, $item:ty, $width:literal, |$bytes:ident| $decode:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        pub struct $name<'a> {
            // Whole items; a rest is never read.
            bytes: &'a [u8],
        }

        impl<'a> $name<'a> {
            /// A list over little-endian bytes. A rest that is no whole item is not part of it.
            pub const fn new(bytes: &'a [u8]) -> Self {
                $name { bytes }
            }

            /// The number of items.
            pub const fn len(&self) -> usize {
                self.bytes.len() / $width
            }

            /// Whether there is no item.
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Item `i`, or `None` at and after [`len`](Self::len).
            #[inline]
            pub fn get(&self, i: usize) -> Option<$item> {
                let $bytes = *self.bytes.get(i.checked_mul($width)?..)?.first_chunk::<$width>()?;
                Some($decode)
            }

            /// The items in their order.
            #[inline]
            pub fn iter(&self) -> impl DoubleEndedIterator<Item = $item> + ExactSizeIterator + Clone + use<'a> {
                // Chunks of a constant size: `chunks_exact` leaves a division that could panic.
                self.bytes.as_chunks::<$width>().0.iter().map(|&$bytes| $decode)
            }
        }

        impl core::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_list().entries(self.iter()).finish()
            }
        }

        impl PartialEq for $name<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl PartialEq<[$item]> for $name<'_> {
            fn eq(&self, other: &[$item]) -> bool {
                self.iter().eq(other.iter().copied())
            }
        }

        impl<const N: usize> PartialEq<[$item; N]> for $name<'_> {
            fn eq(&self, other: &[$item; N]) -> bool {
                self.iter().eq(other.iter().copied())
            }
        }
    };
}

list! {
    /// 32-bit integers: sizes, or indices of values.
    I32List, i32, 4, |b| i32::from_le_bytes(b)
}
list! {
    /// 64-bit integers.
    I64List, i64, 8, |b| i64::from_le_bytes(b)
}
list! {
    /// Floating-point numbers.
    F64List, f64, 8, |b| f64::from_le_bytes(b)
}
list! {
    /// Truth values.
    BoolList, bool, 1, |b| b != [0]
}
list! {
    /// Unsigned 64-bit integers: offsets in a segment.
    U64List, u64, 8, |b| u64::from_le_bytes(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_little_endian_and_a_rest_is_no_item() {
        let list = I32List::new(&[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 9]);
        assert_eq!(list.len(), 2);
        assert_eq!(list, [1, -1]);
        assert_eq!(list.get(1), Some(-1));
        assert_eq!(list.get(2), None);
        assert_eq!(list.get(usize::MAX), None);
        assert!(I64List::new(&[0; 7]).is_empty());
        assert_eq!(BoolList::new(&[0, 1, 7]), [false, true, true]);
        assert_eq!(F64List::new(&1.5f64.to_le_bytes()), [1.5]);
    }
}
