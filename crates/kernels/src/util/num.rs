//! Tensor elements of any type as `f32` or `i64`.
//!
//! A loop over `f32` and one over `i64` serve all element types: code size counts more on a device
//! than the speed of the rarer types. The common case, `float32` in equal layouts, has typed loops
//! in [`super::elementwise`].
//!
//! `float64` is absent on purpose: a compiler for a core without a double-precision unit would pull
//! its soft-float routines into every kernel. Only casts, fills and data movement take it.

use tombolo_runtime::{Dtype, DtypeSet, Tensor, TensorMut};

/// The floating types that compute in `float32`.
pub(crate) const FLOATS: DtypeSet = DtypeSet::of(&[Dtype::Float, Dtype::Half, Dtype::BFloat16]);
/// All types that compute: [`FLOATS`], integers and bool.
pub(crate) const NUMERIC: DtypeSet = FLOATS.with(WHOLE);
/// Integers and bool.
pub(crate) const WHOLE: DtypeSet = DtypeSet::INTEGER.with(DtypeSet::of(&[Dtype::Bool]));

/// Whether arithmetic on `dtype` is arithmetic on floats.
pub(crate) fn is_float(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Float | Dtype::Half | Dtype::BFloat16 | Dtype::Double)
}

/// Element `i` of `N`-byte elements; zeros past the end.
pub(crate) fn get<const N: usize>(bytes: &[u8], i: usize) -> [u8; N] {
    match bytes.get(i.wrapping_mul(N)..).and_then(|rest| rest.first_chunk::<N>()) {
        Some(chunk) => *chunk,
        None => [0; N],
    }
}

/// Sets element `i` of `N`-byte elements; nothing past the end.
pub(crate) fn put<const N: usize>(bytes: &mut [u8], i: usize, value: [u8; N]) {
    if let Some(chunk) = bytes.get_mut(i.wrapping_mul(N)..).and_then(|rest| rest.first_chunk_mut::<N>()) {
        *chunk = value;
    }
}

/// Elements that are read, by their place in memory.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'t> {
    dtype: Dtype,
    bytes: &'t [u8],
}

impl<'t> Elements<'t> {
    pub(crate) fn of(tensor: &Tensor<'t>) -> Self {
        Elements { dtype: tensor.dtype(), bytes: tensor.bytes() }
    }

    pub(crate) fn is_float(&self) -> bool {
        is_float(self.dtype)
    }

    /// Element `i` as a float. Integers above 2^24 are rounded.
    pub(crate) fn f32(&self, i: usize) -> f32 {
        match self.dtype {
            Dtype::Float => f32::from_ne_bytes(get(self.bytes, i)),
            Dtype::Half => half_to_f32(u16::from_ne_bytes(get(self.bytes, i))),
            Dtype::BFloat16 => f32::from_bits(u32::from(u16::from_ne_bytes(get(self.bytes, i))) << 16),
            _ => self.i64(i) as f32,
        }
    }

    /// Element `i` as an integer; floats are truncated toward zero.
    pub(crate) fn i64(&self, i: usize) -> i64 {
        match self.dtype {
            Dtype::Byte => i64::from(u8::from_ne_bytes(get(self.bytes, i))),
            Dtype::Bool => i64::from(u8::from_ne_bytes(get(self.bytes, i)) != 0),
            Dtype::Char => i64::from(i8::from_ne_bytes(get(self.bytes, i))),
            Dtype::Short => i64::from(i16::from_ne_bytes(get(self.bytes, i))),
            Dtype::UInt16 | Dtype::Bits16 => i64::from(u16::from_ne_bytes(get(self.bytes, i))),
            Dtype::Int => i64::from(i32::from_ne_bytes(get(self.bytes, i))),
            Dtype::UInt32 => i64::from(u32::from_ne_bytes(get(self.bytes, i))),
            Dtype::Long => i64::from_ne_bytes(get(self.bytes, i)),
            Dtype::Float | Dtype::Half | Dtype::BFloat16 => self.f32(i) as i64,
            _ => 0,
        }
    }

    /// Whether element `i` is not zero. NaN is true.
    pub(crate) fn truth(&self, i: usize) -> bool {
        if is_float(self.dtype) { self.f32(i) != 0.0 } else { self.i64(i) != 0 }
    }
}

/// Elements that are written, by their place in memory.
pub(crate) struct ElementsMut<'t> {
    dtype: Dtype,
    bytes: &'t mut [u8],
}

impl<'t> ElementsMut<'t> {
    pub(crate) fn of(tensor: TensorMut<'t>) -> Self {
        ElementsMut { dtype: tensor.dtype(), bytes: tensor.into_bytes() }
    }

    /// The bytes as elements of `dtype`.
    pub(crate) fn over(dtype: Dtype, bytes: &'t mut [u8]) -> Self {
        ElementsMut { dtype, bytes }
    }

    /// Sets element `i`. An integer element takes the float truncated toward zero, limited to 64
    /// bits (NaN is 0), and keeps the low bits; a bool element is whether the float is not zero.
    pub(crate) fn set_f32(&mut self, i: usize, value: f32) {
        match self.dtype {
            Dtype::Float => put(self.bytes, i, value.to_ne_bytes()),
            Dtype::Half => put(self.bytes, i, f32_to_half(value).to_ne_bytes()),
            Dtype::BFloat16 => put(self.bytes, i, f32_to_bfloat(value).to_ne_bytes()),
            Dtype::Bool => put(self.bytes, i, [u8::from(value != 0.0)]),
            _ => self.set_i64(i, value as i64),
        }
    }

    /// Sets element `i`. An integer element keeps the low bits; a bool element is whether the value
    /// is not zero.
    pub(crate) fn set_i64(&mut self, i: usize, value: i64) {
        match self.dtype {
            Dtype::Byte | Dtype::Char => put(self.bytes, i, (value as u8).to_ne_bytes()),
            Dtype::Bool => put(self.bytes, i, [u8::from(value != 0)]),
            Dtype::Short | Dtype::UInt16 | Dtype::Bits16 => put(self.bytes, i, (value as u16).to_ne_bytes()),
            Dtype::Int | Dtype::UInt32 => put(self.bytes, i, (value as u32).to_ne_bytes()),
            Dtype::Long => put(self.bytes, i, value.to_ne_bytes()),
            Dtype::Float | Dtype::Half | Dtype::BFloat16 => self.set_f32(i, value as f32),
            _ => {}
        }
    }
}

/// IEEE 754 binary16 to binary32, exact.
pub(crate) fn half_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff);
    // The bits moved to their place in a binary32 are 2^112 times too small, also for subnormals.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let bits = if magnitude >= 0x7c00 { (magnitude << 13) | 0x7f80_0000 } else { scaled.to_bits() };
    f32::from_bits(sign | bits)
}

/// binary32 to IEEE 754 binary16, half to even.
pub(crate) fn f32_to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    if magnitude >= 0x4780_0000 {
        // 65536 and more; 65520 and up round to infinity below.
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: 0.5 has its last bit at 2^-24, the unit of a subnormal binary16.
        let rounded = f32::from_bits(magnitude) + 0.5;
        return sign | (rounded.to_bits() - 0.5f32.to_bits()) as u16;
    }
    let odd = (magnitude >> 13) & 1;
    let rounded = magnitude + 0xfff + odd;
    sign | ((rounded - (112 << 23)) >> 13) as u16
}

/// binary32 to bfloat16, half to even.
pub(crate) fn f32_to_bfloat(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    let odd = (bits >> 16) & 1;
    (bits.wrapping_add(0x7fff + odd) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_to_f32_and_back() {
        for half in 0..=u16::MAX {
            let wide = half_to_f32(half);
            if wide.is_nan() {
                assert!(half & 0x7fff > 0x7c00 && f32_to_half(wide) & 0x7e00 == 0x7e00);
            } else {
                assert_eq!(f32_to_half(wide), half);
            }
        }
        assert_eq!(half_to_f32(0x3c01), 1.0 + 1.0 / 1024.0);
        assert_eq!(half_to_f32(1), 2f32.powi(-24));
    }

    #[test]
    fn halves_round_to_even() {
        // Between neighbours, ties included, against the nearest of both.
        for half in 0..0x7bffu16 {
            let (low, high) = (half_to_f32(half), half_to_f32(half + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(f32_to_half(middle), half + (half & 1));
            assert_eq!(f32_to_half(f32::from_bits(middle.to_bits() - 1)), half);
            assert_eq!(f32_to_half(f32::from_bits(middle.to_bits() + 1)), half + 1);
        }
        assert_eq!(f32_to_half(65519.0), 0x7bff);
        assert_eq!(f32_to_half(65520.0), 0x7c00);
        assert_eq!(f32_to_bfloat(1.0 + 1.0 / 256.0), 0x3f80);
        assert_eq!(f32_to_bfloat(1.0 + 3.0 / 256.0), 0x3f82);
    }
}
