//! The enumerations of the schema: element types and modes.

macro_rules! schema_enum {
    ($(#[$meta:meta])* $name:ident { $( $(#[$vmeta:meta])* $variant:ident = $id:literal $text:literal ),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $( $(#[$vmeta])* $variant ),* }

        impl $name {
            /// Every value: its number in the schema and its name in the text form.
            pub(crate) const NAMES: &'static [(&'static str, u32)] = &[ $( ($text, $id) ),* ];

            /// The number in the schema.
            pub fn id(self) -> u32 {
                match self { $( $name::$variant => $id ),* }
            }

            /// The value with this number in the schema.
            pub fn from_id(id: u32) -> Option<$name> {
                match id { $( $id => Some($name::$variant), )* _ => None }
            }

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $( $name::$variant => $text ),* }
            }

            /// The value with this name in the text form.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $( $text => Some($name::$variant), )* _ => None }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

schema_enum! {
    /// The type of an element.
    Dtype {
        /// Not told.
        Unknown = 0 "unknown",
        /// True or false, a byte each.
        Bool = 1 "bool",
        /// Four bits, two in a byte, the first in the low half.
        I4 = 2 "i4",
        /// Eight bits.
        I8 = 3 "i8",
        /// Sixteen bits.
        I16 = 4 "i16",
        /// 32 bits.
        I32 = 5 "i32",
        /// 48 bits, six bytes each.
        I48 = 6 "i48",
        /// IEEE single precision.
        F32 = 7 "f32",
        /// IEEE half precision.
        F16 = 8 "f16",
        /// The upper half of an `f32`.
        Bf16 = 9 "bf16",
        /// An element of a shape: 64 bits.
        Shape = 10 "shape",
        /// Eight bits, four of them the exponent.
        F8E4M3 = 11 "f8e4m3",
        /// Eight bits, five of them the exponent.
        F8E5M2 = 12 "f8e5m2",
        /// Six bits, two of them the exponent.
        F6E2M3 = 13 "f6e2m3",
        /// Six bits, three of them the exponent.
        F6E3M2 = 14 "f6e3m2",
        /// Four bits, two of them the exponent.
        F4E2M1 = 15 "f4e2m1",
        /// A power of two: the scale of a block.
        F8Ue8M0 = 16 "f8ue8m0",
        /// 64 bits.
        I64 = 17 "i64",
        /// Eight bits of a block with a shared scale.
        MxInt8 = 18 "mxint8",
    }
}

impl Dtype {
    /// Bits of an element in a file.
    pub fn bits(self) -> u64 {
        match self {
            Dtype::Unknown => 0,
            Dtype::I4 | Dtype::F4E2M1 => 4,
            Dtype::F6E2M3 | Dtype::F6E3M2 => 6,
            Dtype::Bool | Dtype::I8 | Dtype::F8E4M3 | Dtype::F8E5M2 | Dtype::F8Ue8M0 | Dtype::MxInt8 => 8,
            Dtype::I16 | Dtype::F16 | Dtype::Bf16 => 16,
            Dtype::I32 | Dtype::F32 => 32,
            Dtype::I48 => 48,
            Dtype::I64 | Dtype::Shape => 64,
        }
    }

    /// Bytes of `count` elements in a file; `None` if that is more than 64 bits can tell.
    pub fn bytes(self, count: u64) -> Option<u64> {
        Some(count.checked_mul(self.bits())?.div_ceil(8))
    }

    /// Whether the interpreter has values of this type.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Dtype::Bool
                | Dtype::I4
                | Dtype::I8
                | Dtype::I16
                | Dtype::I32
                | Dtype::I48
                | Dtype::I64
                | Dtype::Shape
        )
    }

    /// The least and the greatest value of an integer type.
    pub fn range(self) -> (i64, i64) {
        match self {
            Dtype::Bool => (0, 1),
            Dtype::I4 => (-8, 7),
            Dtype::I8 => (i8::MIN.into(), i8::MAX.into()),
            Dtype::I16 => (i16::MIN.into(), i16::MAX.into()),
            Dtype::I32 => (i32::MIN.into(), i32::MAX.into()),
            Dtype::I48 => (-(1 << 47), (1 << 47) - 1),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

schema_enum! {
    /// What a maximum makes of a NaN. Integers have none.
    NanMode {
        /// Not told.
        Unknown = 0 "unknown",
        /// NaN if either is.
        Propagate = 1 "propagate",
        /// The other one.
        Ignore = 2 "ignore",
    }
}

schema_enum! {
    /// How RESIZE finds a value between samples.
    ResizeMode {
        /// Not told.
        Unknown = 0 "unknown",
        /// The nearest sample.
        Nearest = 1 "nearest",
        /// Of the four around it.
        Bilinear = 2 "bilinear",
    }
}

schema_enum! {
    /// How RESCALE rounds.
    Rounding {
        /// Not told.
        Unknown = 0 "unknown",
        /// To the nearest, ties up.
        Single = 1 "single_round",
        /// To either neighbour.
        Inexact = 2 "inexact_round",
        /// First at bit 31, then at the shift.
        Double = 3 "double_round",
    }
}

schema_enum! {
    /// Values that share a scale, of the `*_BLOCK_SCALED` operators.
    BlockSize {
        /// Not told.
        Unknown = 0 "unknown",
        /// No scale.
        One = 1 "1",
        /// 32 values a scale.
        B32 = 32 "32",
    }
}

schema_enum! {
    /// The block of a tensor that carries its scales.
    BlockShape {
        /// None.
        Unknown = 0 "unknown",
        /// 32 values of the innermost dimension.
        B32 = 32 "32",
    }
}
