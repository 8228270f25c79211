//! Arithmetic of convolutions on dense maps.
//!
//! Two forms of every sum: 16-bit inputs into 32-bit accumulators where it is certain that they
//! suffice ([`fits_narrow`]), 32-bit inputs into 64-bit accumulators otherwise. Accumulation
//! order cannot matter, so blocks and traversal of the hardware are not followed.

use crate::dot;
use crate::op::{Elem, Kernel, Padding, Shape, Upscale};

/// An input with its padding, zero point subtracted: what the MAC array sees. Rows, columns,
/// channels.
#[derive(Debug, Default)]
pub(crate) struct Padded<T> {
    pub(crate) w: usize,
    pub(crate) c: usize,
    pub(crate) data: Vec<T>,
}

/// A multiply-accumulate of some width.
pub(crate) trait Lane: Copy + Default + From<i16> {
    /// Accumulator.
    type Acc: Copy + Default + Into<i64> + std::ops::AddAssign;

    /// From a value that fits.
    fn from_i32(value: i32) -> Self;

    fn mul(self, weight: i16) -> Self::Acc;

    /// Dot products of `x.len() / k` inputs with four rows of weights, `k` long each. `acc` has
    /// four results per input.
    fn dot4(x: &[Self], w: [&[i16]; 4], k: usize, each: impl FnMut(usize, [Self::Acc; 4]));
}

impl Lane for i16 {
    type Acc = i32;

    #[inline]
    fn from_i32(value: i32) -> i16 {
        value as i16
    }

    #[inline]
    fn mul(self, weight: i16) -> i32 {
        i32::from(self) * i32::from(weight)
    }

    fn dot4(x: &[i16], w: [&[i16]; 4], k: usize, each: impl FnMut(usize, [i32; 4])) {
        dot::narrow(x, w, k, each);
    }
}

impl Lane for i32 {
    type Acc = i64;

    #[inline]
    fn from_i32(value: i32) -> i32 {
        value
    }

    #[inline]
    fn mul(self, weight: i16) -> i64 {
        i64::from(self) * i64::from(weight)
    }

    fn dot4(x: &[i32], w: [&[i16]; 4], k: usize, each: impl FnMut(usize, [i64; 4])) {
        dot::wide(x, w, k, each);
    }
}

/// Largest magnitude of an element less the zero point.
pub(crate) fn max_magnitude(elem: Elem, zero_point: i32) -> u64 {
    let (low, high) = elem.range();
    let zero_point = i64::from(zero_point);
    (low - zero_point).unsigned_abs().max((high - zero_point).unsigned_abs())
}

/// Whether sums of `count` products of inputs and weights of these magnitudes can be had with
/// [`Lane`] `i16`.
pub(crate) fn fits_narrow(input: u64, weight: u64, count: u64) -> bool {
    input <= i16::MAX as u64
        && input
            .checked_mul(weight.max(1))
            .and_then(|product| product.checked_mul(count.max(1)))
            .is_some_and(|sum| sum <= i32::MAX as u64)
}

/// The value of a raw little-endian element.
#[inline]
pub(crate) fn element(raw: &[u8], elem: Elem) -> i32 {
    match (raw, elem.signed) {
        (&[a], true) => i32::from(a as i8),
        (&[a], false) => i32::from(a),
        (&[a, b], true) => i32::from(i16::from_le_bytes([a, b])),
        (&[a, b], false) => i32::from(u16::from_le_bytes([a, b])),
        (&[a, b, c, d], _) => i32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Appends `raw`'s elements less the zero point. 32-bit elements wrap.
pub(crate) fn convert<T: Lane>(raw: &[u8], elem: Elem, zero_point: i32, out: &mut Vec<T>) {
    match (elem.bytes, elem.signed) {
        (1, true) => out.extend(raw.iter().map(|&a| T::from_i32(i32::from(a as i8) - zero_point))),
        (1, false) => out.extend(raw.iter().map(|&a| T::from_i32(i32::from(a) - zero_point))),
        (size, _) => out.extend(
            raw.chunks_exact(usize::from(size))
                .map(|a| T::from_i32(element(a, elem).wrapping_sub(zero_point))),
        ),
    }
}

/// Builds the padded input out of the dense raw map of shape `from`: doubled if asked for, cut to
/// `extent` (rows and columns), with zeros around.
#[allow(clippy::too_many_arguments, reason = "a source in four parts, a frame in three, a target")]
pub(crate) fn pad_input<T: Lane>(
    raw: &[u8],
    elem: Elem,
    zero_point: i32,
    from: Shape,
    upscale: Upscale,
    extent: (usize, usize),
    pad: Padding,
    out: &mut Padded<T>,
) {
    let (h, w) = extent;
    let c = from.c as usize;
    let (left, right) = (pad.left as usize, pad.right as usize);
    let (top, bottom) = (pad.top as usize, pad.bottom as usize);
    out.w = left + w + right;
    out.c = c;
    let data = &mut out.data;
    data.clear();
    data.reserve((top + h + bottom) * out.w * c);
    let row = from.w as usize * c * usize::from(elem.bytes);
    let pixel = c * usize::from(elem.bytes);
    data.resize(top * out.w * c, T::default());
    for y in 0..h {
        data.resize(data.len() + left * c, T::default());
        let source = |y: usize| raw.get(y * row..(y + 1) * row).unwrap_or(&[]);
        match upscale {
            Upscale::None => convert(source(y), elem, zero_point, data),
            Upscale::Nearest => {
                for pixels in (0..w).map(|x| x / 2 * pixel) {
                    let raw = source(y / 2).get(pixels..pixels + pixel).unwrap_or(&[]);
                    convert(raw, elem, zero_point, data);
                }
            }
            Upscale::Zeros if y % 2 == 1 => data.resize(data.len() + w * c, T::default()),
            Upscale::Zeros => {
                for x in 0..w {
                    if x % 2 == 1 {
                        data.resize(data.len() + c, T::default());
                    } else {
                        let at = x / 2 * pixel;
                        let raw = source(y / 2).get(at..at + pixel).unwrap_or(&[]);
                        convert(raw, elem, zero_point, data);
                    }
                }
            }
        }
        data.resize(data.len() + right * c, T::default());
    }
    data.resize(data.len() + bottom * out.w * c, T::default());
}

/// Weights of a convolution, decoded: for every output channel a row of `k_padded`: kernel row,
/// kernel column, input channel, then zeros.
#[derive(Debug, Default, Clone)]
pub(crate) struct Weights {
    pub(crate) k: usize,
    pub(crate) k_padded: usize,
    pub(crate) rows: usize,
    pub(crate) data: Vec<i16>,
    pub(crate) max_magnitude: u64,
}

impl Weights {
    /// Length that rows are padded to.
    pub(crate) fn pad_k(k: usize) -> usize {
        k.next_multiple_of(dot::GRANULE)
    }

    fn row(&self, i: usize) -> &[i16] {
        let start = i * self.k_padded;
        self.data.get(start..start + self.k_padded).unwrap_or(&[])
    }
}

/// Convolution of a padded input. `row` gets every output row: for each column the accumulators
/// of all output channels.
pub(crate) fn convolve<T: Lane, E>(
    input: &Padded<T>,
    weights: &Weights,
    kernel: &Kernel,
    (h, w): (usize, usize),
    scratch: &mut ConvScratch<T>,
    mut row: impl FnMut(usize, &[T::Acc]) -> Result<(), E>,
) -> Result<(), E> {
    /// Elements of inputs that are worked on at a time: what stays in the first-level cache.
    const PATCHES: usize = 8192;
    let (c, k, k_padded) = (input.c, weights.k, weights.k_padded);
    let (stride_y, stride_x) = (kernel.stride_y as usize, kernel.stride_x as usize);
    let (dil_y, dil_x) = (kernel.dilation_y as usize, kernel.dilation_x as usize);
    let (kh, kw) = (kernel.h as usize, kernel.w as usize);
    let channels = weights.rows;
    let ConvScratch { patches, acc } = scratch;
    acc.clear();
    acc.resize(w * channels, T::Acc::default());
    let at_once = (PATCHES / k_padded.max(1)).clamp(1, 64);
    let direct = kh == 1 && kw == 1 && stride_x == 1 && k == k_padded;
    let pitch = input.w * c;
    for y in 0..h {
        for x0 in (0..w).step_by(at_once) {
            let count = at_once.min(w - x0);
            let block: &[T] = if direct {
                let start = y * stride_y * pitch + x0 * c;
                input.data.get(start..start + count * c).unwrap_or(&[])
            } else {
                patches.clear();
                for x in x0..x0 + count {
                    for ky in 0..kh {
                        let start = (y * stride_y + ky * dil_y) * pitch + x * stride_x * c;
                        if dil_x == 1 {
                            let run = input.data.get(start..start + kw * c).unwrap_or(&[]);
                            patches.extend_from_slice(run);
                        } else {
                            for kx in 0..kw {
                                let start = start + kx * dil_x * c;
                                let run = input.data.get(start..start + c).unwrap_or(&[]);
                                patches.extend_from_slice(run);
                            }
                        }
                    }
                    patches.resize(patches.len() + (k_padded - k), T::default());
                }
                patches
            };
            for oc in (0..channels).step_by(4) {
                let last = channels - 1;
                let rows = [oc, oc + 1, oc + 2, oc + 3].map(|i| weights.row(i.min(last)));
                let results = channels - oc;
                T::dot4(block, rows, k_padded, |i, sums| {
                    let start = (x0 + i) * channels + oc;
                    if let Some(to) = acc.get_mut(start..start + results.min(4)) {
                        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum);
                    }
                });
            }
        }
        row(y, acc)?;
    }
    Ok(())
}

/// What a convolution works in.
#[derive(Debug, Default)]
pub(crate) struct ConvScratch<T: Lane> {
    patches: Vec<T>,
    acc: Vec<T::Acc>,
}

/// Depthwise convolution: output channel `c` sees input channel `c`. `weights` has a row of
/// channels for every kernel element.
pub(crate) fn depthwise<T: Lane, E>(
    input: &Padded<T>,
    weights: &[i16],
    kernel: &Kernel,
    (h, w): (usize, usize),
    scratch: &mut ConvScratch<T>,
    mut row: impl FnMut(usize, &[T::Acc]) -> Result<(), E>,
) -> Result<(), E> {
    let c = input.c;
    let acc = &mut scratch.acc;
    let pitch = input.w * c;
    let (stride_y, stride_x) = (kernel.stride_y as usize, kernel.stride_x as usize);
    let (dil_y, dil_x) = (kernel.dilation_y as usize, kernel.dilation_x as usize);
    for y in 0..h {
        acc.clear();
        acc.resize(w * c, T::Acc::default());
        for (x, sums) in acc.chunks_exact_mut(c).enumerate() {
            let mut taps = weights.chunks_exact(c);
            for ky in 0..kernel.h as usize {
                let start = (y * stride_y + ky * dil_y) * pitch + x * stride_x * c;
                for kx in 0..kernel.w as usize {
                    let start = start + kx * dil_x * c;
                    let pixel = input.data.get(start..start + c).unwrap_or(&[]);
                    let tap = taps.next().unwrap_or(&[]);
                    for ((sum, &value), &weight) in sums.iter_mut().zip(pixel).zip(tap) {
                        *sum += value.mul(weight);
                    }
                }
            }
        }
        row(y, acc)?;
    }
    Ok(())
}
