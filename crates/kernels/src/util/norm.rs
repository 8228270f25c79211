//! Mean and deviation of a stretch of elements.

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
