//! Stretches of elements, their mean and deviation.

use core::mem::take;

/// A sum in several parts: as fast as the adders are, and with a smaller error than one running sum.
fn sum(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut parts = [0.0f32; 8];
    let (chunks, rest) = x.as_chunks::<8>();
    for chunk in chunks {
        for (part, &x) in parts.iter_mut().zip(chunk) {
            *part += f(x);
        }
    }
    for (part, &x) in parts.iter_mut().zip(rest) {
        *part += f(x);
    }
    let [a, b, c, d, e, f, g, h] = parts;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// The mean, and `1 / sqrt(variance + eps)` of `x`; the variance is that of all elements, not an estimate.
#[inline(never)]
pub(crate) fn moments(x: &[f32], eps: f32) -> (f32, f32) {
    let count = x.len() as f32;
    let mean = sum(x, |x| x) / count;
    let variance = sum(x, |x| (x - mean) * (x - mean)) / count;
    (mean, 1.0 / libm::sqrtf(variance + eps))
}

/// Takes the number of a pair of pieces, the one that is read and the one that is written.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(usize, &[f32], &mut [f32]);

/// Calls `visit` with the number of each pair of pieces of `size` elements, and the pieces.
///
/// Iterators over chunks would do, but their division by the size keeps the code for a size of 0.
#[inline(never)]
pub(crate) fn pieces(mut x: &[f32], mut y: &mut [f32], size: usize, visit: Visit<'_>) {
    if size == 0 {
        return;
    }
    let mut number = 0;
    while let Some((x_piece, x_rest)) = x.split_at_checked(size)
        && let Some((y_piece, y_rest)) = take(&mut y).split_at_mut_checked(size)
    {
        visit(number, x_piece, y_piece);
        (x, y) = (x_rest, y_rest);
        number += 1;
    }
}

/// Element `i` of a list that need not be there.
pub(crate) fn parameter(list: Option<&[f32]>, i: usize, without: f32) -> f32 {
    match list {
        Some(list) => list.get(i).copied().unwrap_or(without),
        None => without,
    }
}
