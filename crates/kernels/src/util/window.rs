//! Windows that slide over the two spatial dimensions: convolution and pooling.

use crate::util::args::push;
use tombolo_runtime::{Ints, KernelError, Shape, Strides};

/// Nothing in a window may be larger, so that sums of places fit 32-bit machines.
const LARGEST: i64 = i32::MAX as i64;

/// Item `axis` of a list with one item per spatial dimension, or with one for all.
pub(crate) fn per_axis(list: Ints<'_, '_>, axis: usize, least: i64) -> Result<i64, KernelError> {
    let i = if list.len() == 1 { 0 } else { axis };
    match list.get(i) {
        Some(value) if (least..=LARGEST).contains(&value) => Ok(value),
        Some(_) => Err(KernelError::Invalid("a kernel size, stride, padding or dilation is out of range")),
        None => Err(KernelError::Invalid("a list has no item for a spatial dimension")),
    }
}

/// A size as it comes out of a computation.
pub(crate) fn size(value: i64) -> Result<usize, KernelError> {
    if (0..=LARGEST).contains(&value) {
        return Ok(value as usize);
    }
    Err(KernelError::Invalid("the output would have a negative or very large size"))
}

/// A quotient of numbers that are no larger than [`size`] allows: in 32 bits, for which every
/// processor has an instruction.
pub(crate) fn divide(a: i64, b: i64) -> u32 {
    (a as u32).checked_div(b as u32).unwrap_or(0)
}

/// A tensor of images: `[N, C, H, W]`, `[C, H, W]` or, for one spatial dimension, `[N, C, W]`.
#[derive(Clone, Copy)]
pub(crate) struct Images {
    pub(crate) sizes: [usize; 4],
    pub(crate) strides: [usize; 4],
}

impl Images {
    /// The four dimensions of a tensor of rank 4, or of rank 3 with one of size 1 put in at `missing`.
    pub(crate) fn of(shape: &Shape, strides: &Strides, missing: usize) -> Result<Images, KernelError> {
        if shape.len() != 4 && shape.len() != 3 {
            return Err(KernelError::Unsupported("images of other than 3 or 4 dimensions"));
        }
        let mut images = Images { sizes: [1; 4], strides: [0; 4] };
        let mut from = shape.iter().zip(strides.iter());
        for (d, (size, stride)) in images.sizes.iter_mut().zip(&mut images.strides).enumerate() {
            if (shape.len() == 4 || d != missing)
                && let Some((&s, &step)) = from.next()
            {
                (*size, *stride) = (s as usize, step);
            }
        }
        Ok(images)
    }
}

/// The shape of `images` with other spatial sizes; `rank` and `missing` as in [`Images::of`].
pub(crate) fn shape_like(rank: usize, missing: usize, sizes: [usize; 4]) -> Result<Shape, KernelError> {
    let mut shape = Shape::SCALAR;
    for (d, size) in sizes.into_iter().enumerate() {
        if rank == 4 || d != missing {
            let size = u32::try_from(size).map_err(|_| KernelError::Invalid("a size is too large"))?;
            push(&mut shape, size)?;
        }
    }
    Ok(shape)
}

/// One spatial dimension of a pooling window.
#[derive(Clone, Copy)]
pub(crate) struct Pool {
    input: i32,
    kernel: u32,
    stride: i32,
    padding: i32,
    dilation: u32,
    /// The number of outputs.
    pub(crate) output: usize,
}

/// The inputs that one output pools.
#[derive(Clone, Copy)]
pub(crate) struct Taps {
    /// The first one inside the input.
    pub(crate) first: usize,
    /// How many there are.
    pub(crate) count: usize,
    /// How many there are with padding, but without what lies behind it in the last window of ceil mode.
    pub(crate) padded: usize,
}

impl Pool {
    /// Dimension `axis` of the lists kernel size, stride (the kernel size if empty), padding and, if
    /// there is one, dilation.
    pub(crate) fn new(
        axis: usize,
        input: usize,
        [kernel, stride, padding]: [Ints<'_, '_>; 3],
        dilation: Option<Ints<'_, '_>>,
        ceil: bool,
    ) -> Result<Pool, KernelError> {
        let kernel = per_axis(kernel, axis, 1)?;
        let stride = if stride.is_empty() { kernel } else { per_axis(stride, axis, 1)? };
        let padding = if padding.is_empty() { 0 } else { per_axis(padding, axis, 0)? };
        let dilation = match dilation {
            Some(list) if !list.is_empty() => per_axis(list, axis, 1)?,
            _ => 1,
        };
        let reach = size((kernel - 1).saturating_mul(dilation))? as i64 + 1;
        if padding > reach / 2 {
            return Err(KernelError::Invalid("the padding is more than half of the kernel size"));
        }
        let input = size(input as i64)? as i64;
        let mut room = size(input + 2 * padding)? as i64 - reach;
        if ceil {
            room += stride - 1;
        }
        if room < 0 || input == 0 {
            return Err(KernelError::Invalid("the kernel is larger than the padded input"));
        }
        let mut output = i64::from(divide(room, stride)) + 1;
        if ceil && (output - 1) * stride >= input + padding {
            // The last window must not start in the padding behind the input.
            output -= 1;
        }
        Ok(Pool {
            input: input as i32,
            kernel: kernel as u32,
            stride: stride as i32,
            padding: padding as i32,
            dilation: dilation as u32,
            output: size(output)?,
        })
    }

    /// The inputs of output `o`.
    pub(crate) fn taps(&self, o: usize) -> Taps {
        // Within 32 bits, since input and padding are.
        let start = (o as i32).wrapping_mul(self.stride).wrapping_sub(self.padding);
        // Whole steps of the dilation that lead into the input, and those before its end.
        let steps = |distance: i32| {
            let distance = distance.max(0) as u32;
            distance.wrapping_add(self.dilation - 1).checked_div(self.dilation).unwrap_or(0)
        };
        let skip = steps(start.wrapping_neg());
        let end = steps(self.input.wrapping_sub(start)).min(self.kernel);
        let first = start.wrapping_add(skip.wrapping_mul(self.dilation) as i32);
        let padded = (self.input.wrapping_add(self.padding).wrapping_sub(start) as u32).min(self.kernel);
        Taps {
            first: first.max(0) as usize,
            count: end.saturating_sub(skip) as usize,
            padded: padded as usize,
        }
    }
}

impl Images {
    /// Calls `visit` with the coordinates and the place of each element.
    pub(crate) fn each(&self, mut visit: impl FnMut([usize; 4], usize)) {
        let [batch, channels, height, width] = self.sizes;
        for n in 0..batch {
            for c in 0..channels {
                for y in 0..height {
                    for x in 0..width {
                        visit([n, c, y, x], self.place([n, c, y, x]));
                    }
                }
            }
        }
    }

    /// Where an element is.
    pub(crate) fn place(&self, at: [usize; 4]) -> usize {
        at.iter().zip(self.strides).fold(0usize, |sum, (&i, stride)| sum.wrapping_add(i.wrapping_mul(stride)))
    }

    /// Calls `visit` with row, column and place of each element of channel `c` of image `n` that rows
    /// `v` and columns `h` cross at; `dilation` is their distance.
    pub(crate) fn window(
        &self,
        [n, c]: [usize; 2],
        v: Taps,
        h: Taps,
        dilation: [usize; 2],
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        let [down, right] = dilation;
        let mut y = v.first;
        for _ in 0..v.count {
            let mut x = h.first;
            for _ in 0..h.count {
                visit(y, x, self.place([n, c, y, x]));
                x = x.wrapping_add(right);
            }
            y = y.wrapping_add(down);
        }
    }
}
