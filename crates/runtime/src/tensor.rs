//! Shapes, strides, and views of tensors.

use crate::kernel::KernelError;
use crate::memory::{Element, cast, cast_mut};
use core::ops::Deref;
use tombolo_pte::Dtype;

/// The largest rank of a tensor (`kTensorDimensionLimit` upstream).
pub const MAX_RANK: usize = 16;

/// The sizes of a tensor, outermost dimension first. Dereferences to a slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    rank: u8,
    dims: [u32; MAX_RANK],
}

/// The element strides of a tensor, in the order of its sizes. Dereferences to a slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Strides {
    rank: u8,
    dims: [usize; MAX_RANK],
}

impl Shape {
    /// A shape of these sizes; `None` beyond [`MAX_RANK`] dimensions.
    pub fn new(sizes: &[u32]) -> Option<Shape> {
        let mut shape = Shape { rank: 0, dims: [0; MAX_RANK] };
        for &size in sizes {
            shape.push(size)?;
        }
        Some(shape)
    }

    /// The shape of a scalar.
    pub const SCALAR: Shape = Shape { rank: 0, dims: [0; MAX_RANK] };

    /// Adds an innermost dimension.
    pub fn push(&mut self, size: u32) -> Option<()> {
        *self.dims.get_mut(usize::from(self.rank))? = size;
        self.rank += 1;
        Some(())
    }

    /// The size of dimension `d`, 1 where there is none.
    pub fn dim(&self, d: usize) -> usize {
        self.get(d).map_or(1, |&n| n as usize)
    }

    /// The number of elements; saturates.
    pub fn count(&self) -> usize {
        self.iter().fold(1, |n: usize, &d| n.saturating_mul(d as usize))
    }

    /// The strides of this shape when its dimensions lie in memory in `dim_order`, outermost first.
    /// Dimensions that `dim_order` does not name get stride 0.
    pub fn strides(&self, dim_order: &[u8]) -> Strides {
        let mut strides = Strides { rank: self.rank, dims: [0; MAX_RANK] };
        let mut step = 1usize;
        for &d in dim_order.iter().rev() {
            let d = usize::from(d);
            if let Some(stride) = strides.dims.get_mut(d) {
                *stride = step;
            }
            step = step.saturating_mul(self.dim(d).max(1));
        }
        strides
    }
}

impl Deref for Shape {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        self.dims.get(..usize::from(self.rank)).unwrap_or(&[])
    }
}

impl Deref for Strides {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        self.dims.get(..usize::from(self.rank)).unwrap_or(&[])
    }
}

impl core::fmt::Debug for Shape {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&**self, f)
    }
}

impl core::fmt::Debug for Strides {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&**self, f)
    }
}

/// A tensor that is read.
#[derive(Clone, Copy)]
pub struct Tensor<'c> {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Shape,
    pub(crate) dim_order: &'c [u8],
    pub(crate) bytes: &'c [u8],
}

/// A tensor that is written, by this holder alone.
pub struct TensorMut<'c> {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Shape,
    pub(crate) dim_order: &'c [u8],
    pub(crate) bytes: &'c mut [u8],
}

macro_rules! common {
    ($tensor:ident) => {
        impl<'c> $tensor<'c> {
            /// The element type.
            pub fn dtype(&self) -> Dtype {
                self.dtype
            }
            /// The sizes, outermost first.
            pub fn shape(&self) -> Shape {
                self.shape
            }
            /// The size of dimension `d`, 1 where there is none.
            pub fn dim(&self, d: usize) -> usize {
                self.shape.dim(d)
            }
            /// The number of dimensions.
            pub fn rank(&self) -> usize {
                self.shape.len()
            }
            /// The number of elements.
            pub fn count(&self) -> usize {
                self.shape.count()
            }
            /// The dimensions in the order in which they lie in memory, outermost first.
            pub fn dim_order(&self) -> &'c [u8] {
                self.dim_order
            }
            /// Element strides, in the order of the sizes.
            pub fn strides(&self) -> Strides {
                self.shape.strides(self.dim_order)
            }
            /// Whether the elements lie in the order of the sizes (C order).
            pub fn is_contiguous(&self) -> bool {
                self.dim_order.iter().enumerate().all(|(i, &d)| i == usize::from(d))
            }
        }
    };
}
common!(Tensor);
common!(TensorMut);

impl<'c> Tensor<'c> {
    /// A tensor over caller-owned bytes, contiguous. For tests of kernels and for delegates.
    pub fn new(dtype: Dtype, sizes: &[u32], dim_order: &'c [u8], bytes: &'c [u8]) -> Option<Self> {
        Some(Tensor { dtype, shape: Shape::new(sizes)?, dim_order, bytes })
    }

    /// The bytes, in memory order.
    pub fn bytes(&self) -> &'c [u8] {
        self.bytes
    }

    /// The elements, in memory order; an error if they are not of type `T`.
    pub fn as_slice<T: Element>(&self) -> Result<&'c [T], KernelError> {
        if !T::is(self.dtype) {
            return Err(KernelError::UnexpectedDtype { found: self.dtype, expected: T::NAME });
        }
        cast(self.bytes).ok_or(KernelError::Misaligned)
    }
}

impl<'c> TensorMut<'c> {
    /// The bytes, in memory order.
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// The bytes, in memory order, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// The bytes for as long as the tensor was borrowed.
    pub fn into_bytes(self) -> &'c mut [u8] {
        self.bytes
    }

    /// The elements, in memory order; an error if they are not of type `T`.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], KernelError> {
        if !T::is(self.dtype) {
            return Err(KernelError::UnexpectedDtype { found: self.dtype, expected: T::NAME });
        }
        cast_mut(self.bytes).ok_or(KernelError::Misaligned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_follow_the_dim_order() {
        let shape = Shape::new(&[1, 8, 5, 4]).unwrap();
        assert_eq!(&*shape.strides(&[0, 1, 2, 3]), [160, 20, 4, 1]);
        assert_eq!(&*shape.strides(&[0, 2, 3, 1]), [160, 1, 32, 8]);
        assert_eq!(shape.count(), 160);
    }

    #[test]
    fn a_rank_beyond_the_limit_is_no_shape() {
        assert!(Shape::new(&[1; MAX_RANK]).is_some());
        assert!(Shape::new(&[1; MAX_RANK + 1]).is_none());
    }
}
