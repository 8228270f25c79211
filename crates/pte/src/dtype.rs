//! Element types of tensors.

/// The element type of a tensor, numbered as in ExecuTorch's `scalar_type.fbs`.
///
/// The numbers 8 to 10 (complex) and 18 to 21 (packed bits) are reserved there and no program has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Dtype {
    /// 8 bits, unsigned.
    Byte = 0,
    /// 8 bits, signed.
    Char = 1,
    /// 16 bits, signed.
    Short = 2,
    /// 32 bits, signed.
    Int = 3,
    /// 64 bits, signed.
    Long = 4,
    /// IEEE 754 binary16.
    Half = 5,
    /// IEEE 754 binary32.
    Float = 6,
    /// IEEE 754 binary64.
    Double = 7,
    /// One byte, 0 or 1.
    Bool = 11,
    /// 8 bits, signed, with quantization attached by eager torch.
    QInt8 = 12,
    /// 8 bits, unsigned, with quantization attached by eager torch.
    QUInt8 = 13,
    /// 32 bits, signed, with quantization attached by eager torch.
    QInt32 = 14,
    /// The upper half of an IEEE 754 binary32.
    BFloat16 = 15,
    /// Two 4-bit numbers in a byte; the byte is the element.
    QUInt4x2 = 16,
    /// Four 2-bit numbers in a byte; the byte is the element.
    QUInt2x4 = 17,
    /// 16 bits without meaning.
    Bits16 = 22,
    /// 8-bit float, 5 bits of exponent.
    Float8E5M2 = 23,
    /// 8-bit float, 4 bits of exponent, finite.
    Float8E4M3Fn = 24,
    /// 8-bit float, 5 bits of exponent, no negative zero.
    Float8E5M2Fnuz = 25,
    /// 8-bit float, 4 bits of exponent, finite, no negative zero.
    Float8E4M3Fnuz = 26,
    /// 16 bits, unsigned.
    UInt16 = 27,
    /// 32 bits, unsigned.
    UInt32 = 28,
    /// 64 bits, unsigned.
    UInt64 = 29,
}

impl Dtype {
    /// Every element type, in the order of the numbers.
    pub const ALL: [Dtype; 23] = [
        Dtype::Byte,
        Dtype::Char,
        Dtype::Short,
        Dtype::Int,
        Dtype::Long,
        Dtype::Half,
        Dtype::Float,
        Dtype::Double,
        Dtype::Bool,
        Dtype::QInt8,
        Dtype::QUInt8,
        Dtype::QInt32,
        Dtype::BFloat16,
        Dtype::QUInt4x2,
        Dtype::QUInt2x4,
        Dtype::Bits16,
        Dtype::Float8E5M2,
        Dtype::Float8E4M3Fn,
        Dtype::Float8E5M2Fnuz,
        Dtype::Float8E4M3Fnuz,
        Dtype::UInt16,
        Dtype::UInt32,
        Dtype::UInt64,
    ];

    /// The element type with this number of `scalar_type.fbs`; `None` for reserved and unknown numbers.
    pub const fn from_code(code: u8) -> Option<Dtype> {
        Some(match code {
            0 => Dtype::Byte,
            1 => Dtype::Char,
            2 => Dtype::Short,
            3 => Dtype::Int,
            4 => Dtype::Long,
            5 => Dtype::Half,
            6 => Dtype::Float,
            7 => Dtype::Double,
            11 => Dtype::Bool,
            12 => Dtype::QInt8,
            13 => Dtype::QUInt8,
            14 => Dtype::QInt32,
            15 => Dtype::BFloat16,
            16 => Dtype::QUInt4x2,
            17 => Dtype::QUInt2x4,
            22 => Dtype::Bits16,
            23 => Dtype::Float8E5M2,
            24 => Dtype::Float8E4M3Fn,
            25 => Dtype::Float8E5M2Fnuz,
            26 => Dtype::Float8E4M3Fnuz,
            27 => Dtype::UInt16,
            28 => Dtype::UInt32,
            29 => Dtype::UInt64,
            _ => return None,
        })
    }

    /// The number of `scalar_type.fbs`, which is also torch's.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The bytes of one element: a power of two, 1 to 8.
    // Not inlined: each copy would bring its own table.
    #[inline(never)]
    pub const fn size(self) -> usize {
        match self {
            Dtype::Long | Dtype::Double | Dtype::UInt64 => 8,
            Dtype::Int | Dtype::Float | Dtype::QInt32 | Dtype::UInt32 => 4,
            Dtype::Short | Dtype::Half | Dtype::BFloat16 | Dtype::Bits16 | Dtype::UInt16 => 2,
            _ => 1,
        }
    }

    /// Whether an address or offset is a multiple of the element's size.
    pub(crate) const fn divides(self, address: usize) -> bool {
        address & (self.size() - 1) == 0
    }

    /// The name as torch writes it, without `torch.`.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::Byte => "uint8",
            Dtype::Char => "int8",
            Dtype::Short => "int16",
            Dtype::Int => "int32",
            Dtype::Long => "int64",
            Dtype::Half => "float16",
            Dtype::Float => "float32",
            Dtype::Double => "float64",
            Dtype::Bool => "bool",
            Dtype::QInt8 => "qint8",
            Dtype::QUInt8 => "quint8",
            Dtype::QInt32 => "qint32",
            Dtype::BFloat16 => "bfloat16",
            Dtype::QUInt4x2 => "quint4x2",
            Dtype::QUInt2x4 => "quint2x4",
            Dtype::Bits16 => "bits16",
            Dtype::Float8E5M2 => "float8_e5m2",
            Dtype::Float8E4M3Fn => "float8_e4m3fn",
            Dtype::Float8E5M2Fnuz => "float8_e5m2fnuz",
            Dtype::Float8E4M3Fnuz => "float8_e4m3fnuz",
            Dtype::UInt16 => "uint16",
            Dtype::UInt32 => "uint32",
            Dtype::UInt64 => "uint64",
        }
    }
}

impl core::fmt::Display for Dtype {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip_and_reserved_ones_are_refused() {
        for dtype in Dtype::ALL {
            assert_eq!(Dtype::from_code(dtype.code()), Some(dtype));
            assert!(dtype.size().is_power_of_two() && dtype.size() <= 8);
        }
        let known = (0..=255).filter(|&c| Dtype::from_code(c).is_some()).count();
        assert_eq!(known, Dtype::ALL.len());
        for reserved in [8, 9, 10, 18, 19, 20, 21, 30, 255] {
            assert_eq!(Dtype::from_code(reserved), None);
        }
    }
}
