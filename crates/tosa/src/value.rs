//! Values of tensors.

use crate::dtype::Dtype;

/// Elements of an integer type, in the order of the last dimension first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// `bool` (0 or 1), `i4`, `i8`.
    I8(Vec<i8>),
    /// `i16`.
    I16(Vec<i16>),
    /// `i32`.
    I32(Vec<i32>),
    /// `i48`, `i64`, `shape`.
    I64(Vec<i64>),
}

/// The same expression for each type of [`Data`].
macro_rules! each_data {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            $crate::value::Data::I8($v) => $crate::value::Data::I8($body),
            $crate::value::Data::I16($v) => $crate::value::Data::I16($body),
            $crate::value::Data::I32($v) => $crate::value::Data::I32($body),
            $crate::value::Data::I64($v) => $crate::value::Data::I64($body),
        }
    };
}
pub(crate) use each_data;

impl Data {
    /// How many elements.
    pub fn len(&self) -> usize {
        match self {
            Data::I8(v) => v.len(),
            Data::I16(v) => v.len(),
            Data::I32(v) => v.len(),
            Data::I64(v) => v.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Data::I8(v) => v.len() as u64,
            Data::I16(v) => v.len() as u64 * 2,
            Data::I32(v) => v.len() as u64 * 4,
            Data::I64(v) => v.len() as u64 * 8,
        }
    }
}

/// Bytes of `count` elements of a type in memory.
pub(crate) fn memory(dtype: Dtype, count: u64) -> u64 {
    let each = match dtype {
        Dtype::I16 => 2,
        Dtype::I32 => 4,
        Dtype::I48 | Dtype::I64 | Dtype::Shape => 8,
        _ => 1,
    };
    count.saturating_mul(each)
}

/// The value of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    dtype: Dtype,
    dims: Vec<usize>,
    data: Data,
}

/// Why something is no value of a type and shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError(String);

impl std::fmt::Display for ValueError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ValueError {}

/// The product of dimensions.
pub(crate) fn count(dims: &[usize]) -> Option<usize> {
    dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d))
}

impl Value {
    /// A value of this type and shape.
    ///
    /// # Errors
    /// If `data` has another number of elements than `dims` tells, is not the kind that holds `dtype`, or an
    /// element does not fit it.
    pub fn new(dtype: Dtype, dims: Vec<usize>, data: Data) -> Result<Value, ValueError> {
        let expected = count(&dims);
        if expected != Some(data.len()) {
            return Err(ValueError(format!("{} elements are not those of the shape {dims:?}", data.len())));
        }
        let (low, high) = dtype.range();
        let fits = match (&data, dtype) {
            (Data::I8(v), Dtype::Bool | Dtype::I4) => v.iter().all(|&n| (low..=high).contains(&i64::from(n))),
            (Data::I8(_), Dtype::I8) | (Data::I16(_), Dtype::I16) | (Data::I32(_), Dtype::I32) => true,
            (Data::I64(v), Dtype::I48) => v.iter().all(|n| (low..=high).contains(n)),
            (Data::I64(_), Dtype::I64 | Dtype::Shape) => true,
            _ => return Err(ValueError(format!("a value of {dtype} is not kept like this"))),
        };
        if !fits {
            return Err(ValueError(format!("an element is not within {low}..={high}, the range of {dtype}")));
        }
        Ok(Value { dtype, dims, data })
    }

    /// Without a check: for results of kernels, which are right by construction.
    pub(crate) fn made(dtype: Dtype, dims: Vec<usize>, data: Data) -> Value {
        debug_assert_eq!(count(&dims), Some(data.len()));
        Value { dtype, dims, data }
    }

    /// A value from 64-bit numbers.
    ///
    /// # Errors
    /// As [`Value::new`].
    pub fn from_ints(dtype: Dtype, dims: Vec<usize>, ints: &[i64]) -> Result<Value, ValueError> {
        let (low, high) = dtype.range();
        if !dtype.is_integer() || ints.iter().any(|n| !(low..=high).contains(n)) {
            return Err(ValueError(format!("an element is not within {low}..={high}, the range of {dtype}")));
        }
        Value::new(dtype, dims, pack(dtype, ints.iter().copied()))
    }

    /// The value of a constant as files have it: little-endian, `i4` two in a byte, `i48` six bytes each.
    /// Bytes behind it mean nothing: files have them.
    ///
    /// # Errors
    /// If there are too few bytes, or the type is not one of integers.
    pub fn from_bytes(dtype: Dtype, dims: Vec<usize>, bytes: &[u8]) -> Result<Value, ValueError> {
        if !dtype.is_integer() {
            return Err(ValueError(format!("elements of {dtype} cannot be computed with; integers can")));
        }
        let needed = count(&dims).and_then(|n| usize::try_from(dtype.bytes(n as u64)?).ok());
        let Some(bytes) = needed.and_then(|needed| bytes.get(..needed)) else {
            return Err(ValueError(format!(
                "{} bytes are too few for {dtype}{dims:?}, which needs {}",
                bytes.len(),
                needed.map_or("more than memory has".into(), |n| n.to_string())
            )));
        };
        let n = count(&dims).unwrap_or(0);
        let data = match dtype {
            Dtype::Bool => Data::I8(bytes.iter().map(|&b| i8::from(b != 0)).collect()),
            Dtype::I4 => Data::I8(
                bytes.iter().flat_map(|&b| [((b << 4) as i8) >> 4, (b as i8) >> 4]).take(n).collect(),
            ),
            Dtype::I8 => Data::I8(bytes.iter().map(|&b| b as i8).collect()),
            Dtype::I16 => {
                Data::I16(bytes.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect())
            }
            Dtype::I32 => Data::I32(
                bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
            ),
            Dtype::I48 => Data::I64(
                bytes
                    .chunks_exact(6)
                    .map(|b| i64::from_le_bytes([0, 0, b[0], b[1], b[2], b[3], b[4], b[5]]) >> 16)
                    .collect(),
            ),
            _ => Data::I64(
                bytes
                    .chunks_exact(8)
                    .map(|b| i64::from_le_bytes(b.try_into().expect("eight bytes")))
                    .collect(),
            ),
        };
        Ok(Value { dtype, dims, data })
    }

    /// The bytes of a constant with this value, as files have them.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.data {
            Data::I8(v) if self.dtype == Dtype::I4 => {
                v.chunks(2).map(|c| (c[0] as u8 & 15) | (c.get(1).copied().unwrap_or(0) as u8) << 4).collect()
            }
            Data::I8(v) => v.iter().map(|&n| n as u8).collect(),
            Data::I16(v) => v.iter().flat_map(|n| n.to_le_bytes()).collect(),
            Data::I32(v) => v.iter().flat_map(|n| n.to_le_bytes()).collect(),
            Data::I64(v) if self.dtype == Dtype::I48 => {
                v.iter().flat_map(|n| n.to_le_bytes().into_iter().take(6)).collect()
            }
            Data::I64(v) => v.iter().flat_map(|n| n.to_le_bytes()).collect(),
        }
    }

    /// The type of its elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Its elements.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Its elements as 64-bit numbers.
    pub fn ints(&self) -> Vec<i64> {
        match &self.data {
            Data::I8(v) => v.iter().map(|&n| n.into()).collect(),
            Data::I16(v) => v.iter().map(|&n| n.into()).collect(),
            Data::I32(v) => v.iter().map(|&n| n.into()).collect(),
            Data::I64(v) => v.clone(),
        }
    }
}

/// Numbers as elements of a type; they must be in its range.
pub(crate) fn pack(dtype: Dtype, ints: impl Iterator<Item = i64>) -> Data {
    match dtype {
        Dtype::I16 => Data::I16(ints.map(|n| n as i16).collect()),
        Dtype::I32 => Data::I32(ints.map(|n| n as i32).collect()),
        Dtype::I48 | Dtype::I64 | Dtype::Shape => Data::I64(ints.collect()),
        _ => Data::I8(ints.map(|n| n as i8).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        for (dtype, ints) in [
            (Dtype::I4, vec![-8, 7, -1]),
            (Dtype::Bool, vec![0, 1, 1]),
            (Dtype::I8, vec![-128, 127, 5]),
            (Dtype::I16, vec![-32768, 32767, 5]),
            (Dtype::I32, vec![i32::MIN.into(), i32::MAX.into(), 5]),
            (Dtype::I48, vec![-(1 << 47), (1 << 47) - 1, -2]),
            (Dtype::I64, vec![i64::MIN, i64::MAX, -2]),
        ] {
            let value = Value::from_ints(dtype, vec![3], &ints).unwrap();
            let bytes = value.to_bytes();
            assert_eq!(bytes.len() as u64, dtype.bytes(3).unwrap(), "{dtype}");
            let back = Value::from_bytes(dtype, vec![3], &bytes).unwrap();
            assert_eq!(back.ints(), ints, "{dtype}");
            assert!(Value::from_bytes(dtype, vec![3], &bytes[1..]).is_err(), "{dtype}");
        }
        assert!(Value::from_ints(Dtype::I4, vec![1], &[8]).is_err());
        assert!(Value::new(Dtype::I48, vec![1], Data::I64(vec![1 << 47])).is_err());
        assert!(Value::new(Dtype::I8, vec![2], Data::I8(vec![1])).is_err());
    }
}
