//! NumPy's `.npy` files: reader and writer.
//!
//! Layout (NumPy's own description, "NEP 1"): `\x93NUMPY`, a major and a minor version byte, the
//! length of the header (u16 little endian in version 1, u32 in versions 2 and 3), the header itself:
//! the text of a Python dictionary with the keys `descr`, `fortran_order` and `shape`, padded with
//! blanks: and then the elements. Version 3 differs from version 2 in the header's encoding only
//! (UTF-8 instead of Latin-1).
//!
//! The reader takes untrusted files: the header's claims are checked against the bytes that are
//! there before anything is allocated.

use crate::error::{Error, Result};
use std::fmt;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longest header that is looked at. NumPy's own limit is 10 000 characters.
const MAX_HEADER: usize = 64 * 1024;
/// NumPy's limit of dimensions.
const MAX_RANK: usize = 64;

/// Type of the elements. In memory they are little endian, whatever the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are NumPy's own names of the types")]
pub enum Dtype {
    Bool,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
    /// Byte strings of a fixed length (`S`); padding is part of the element.
    Bytes(usize),
    /// Opaque elements of a fixed length (`V`), for example what `ml_dtypes` stores bfloat16 as.
    Void(usize),
}

impl Dtype {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Dtype::Bool | Dtype::Int8 | Dtype::UInt8 => 1,
            Dtype::Int16 | Dtype::UInt16 | Dtype::Float16 => 2,
            Dtype::Int32 | Dtype::UInt32 | Dtype::Float32 => 4,
            Dtype::Int64 | Dtype::UInt64 | Dtype::Float64 | Dtype::Complex64 => 8,
            Dtype::Complex128 => 16,
            Dtype::Bytes(n) | Dtype::Void(n) => n,
        }
    }

    /// True for integers and bool, whose values compare exactly.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Dtype::Bool
                | Dtype::Int8
                | Dtype::UInt8
                | Dtype::Int16
                | Dtype::UInt16
                | Dtype::Int32
                | Dtype::UInt32
                | Dtype::Int64
                | Dtype::UInt64
        )
    }

    /// True for the real floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Dtype::Float16 | Dtype::Float32 | Dtype::Float64)
    }

    /// Bytes of the unit that a big-endian file has the other way round.
    fn swap_unit(self) -> usize {
        match self {
            Dtype::Complex64 => 4,
            Dtype::Complex128 => 8,
            Dtype::Bytes(_) | Dtype::Void(_) => 1,
            other => other.size(),
        }
    }

    /// The header's notation, for example `<f4`.
    fn descr(self) -> String {
        match self {
            Dtype::Bool => "|b1".into(),
            Dtype::Int8 => "|i1".into(),
            Dtype::UInt8 => "|u1".into(),
            Dtype::Int16 => "<i2".into(),
            Dtype::UInt16 => "<u2".into(),
            Dtype::Int32 => "<i4".into(),
            Dtype::UInt32 => "<u4".into(),
            Dtype::Int64 => "<i8".into(),
            Dtype::UInt64 => "<u8".into(),
            Dtype::Float16 => "<f2".into(),
            Dtype::Float32 => "<f4".into(),
            Dtype::Float64 => "<f8".into(),
            Dtype::Complex64 => "<c8".into(),
            Dtype::Complex128 => "<c16".into(),
            Dtype::Bytes(n) => format!("|S{n}"),
            Dtype::Void(n) => format!("|V{n}"),
        }
    }

    /// Reads the header's notation: the type, and whether its bytes are the other way round.
    fn from_descr(descr: &str) -> Result<(Dtype, bool)> {
        let unknown = || {
            Error::new(format!("element type '{descr}' is not known")).at("header field 'descr'").help(
                "store the array as bool, an integer, float16/32/64 or complex type (numpy: a.astype(...))",
            )
        };
        let mut chars = descr.chars();
        let big_endian = match chars.next() {
            Some('<' | '|') => false,
            Some('>') => true,
            _ => return Err(unknown()),
        };
        let kind = chars.next().ok_or_else(unknown)?;
        let digits = chars.as_str();
        if kind == 'O' {
            return Err(Error::new("the array holds pickled Python objects, which are never read")
                .at("header field 'descr'")
                .help("store plain numbers: np.save(file, a.astype(np.float32))"));
        }
        if kind == 'U' {
            return Err(Error::new("the array holds Unicode text, which is not supported")
                .at("header field 'descr'")
                .help("store numbers, or bytes (numpy: a.astype('S'))"));
        }
        if digits.is_empty() || digits.len() > 10 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(unknown());
        }
        let size: usize = digits.parse().map_err(|_| unknown())?;
        let dtype = match (kind, size) {
            ('b', 1) => Dtype::Bool,
            ('i', 1) => Dtype::Int8,
            ('u', 1) => Dtype::UInt8,
            ('i', 2) => Dtype::Int16,
            ('u', 2) => Dtype::UInt16,
            ('i', 4) => Dtype::Int32,
            ('u', 4) => Dtype::UInt32,
            ('i', 8) => Dtype::Int64,
            ('u', 8) => Dtype::UInt64,
            ('f', 2) => Dtype::Float16,
            ('f', 4) => Dtype::Float32,
            ('f', 8) => Dtype::Float64,
            ('c', 8) => Dtype::Complex64,
            ('c', 16) => Dtype::Complex128,
            ('S' | 'a', n) => Dtype::Bytes(n),
            ('V', n) => Dtype::Void(n),
            _ => return Err(unknown()),
        };
        Ok((dtype, big_endian))
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Dtype::Bool => "bool",
            Dtype::Int8 => "int8",
            Dtype::UInt8 => "uint8",
            Dtype::Int16 => "int16",
            Dtype::UInt16 => "uint16",
            Dtype::Int32 => "int32",
            Dtype::UInt32 => "uint32",
            Dtype::Int64 => "int64",
            Dtype::UInt64 => "uint64",
            Dtype::Float16 => "float16",
            Dtype::Float32 => "float32",
            Dtype::Float64 => "float64",
            Dtype::Complex64 => "complex64",
            Dtype::Complex128 => "complex128",
            Dtype::Bytes(n) => return write!(f, "bytes[{n}]"),
            Dtype::Void(n) => return write!(f, "void[{n}]"),
        };
        f.write_str(name)
    }
}

/// An array: elements in C order, little endian.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Array {
    /// Puts an array together.
    ///
    /// # Errors
    /// The bytes are not exactly the elements of the shape.
    pub fn new(dtype: Dtype, shape: Vec<usize>, data: Vec<u8>) -> Result<Array> {
        let needed = byte_count(dtype, &shape);
        if needed != Some(data.len()) {
            return Err(Error::new(format!(
                "{} bytes are not an array of {dtype} {}",
                data.len(),
                Shape(&shape)
            ))
            .help("give as many bytes as the shape has elements"));
        }
        Ok(Array { dtype, shape, data })
    }

    /// Type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Sizes of the dimensions, outermost first; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements, C order, little endian.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        // The product fits (see `byte_count`), but without the 0 of an empty array it need not.
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product() }
    }

    /// True if the array has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `i` (C order) as a number. Integers of more than 53 bits are rounded; text and complex
    /// elements have no number.
    pub fn number(&self, i: usize) -> Option<f64> {
        let size = self.dtype.size();
        let at = i.checked_mul(size)?;
        let bytes = self.data.get(at..at.checked_add(size)?)?;
        Some(match self.dtype {
            Dtype::Bool | Dtype::UInt8 => f64::from(*bytes.first()?),
            Dtype::Int8 => f64::from(i8::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Int16 => f64::from(i16::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::UInt16 => f64::from(u16::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Int32 => f64::from(i32::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::UInt32 => f64::from(u32::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Int64 => i64::from_le_bytes(bytes.try_into().ok()?) as f64,
            Dtype::UInt64 => u64::from_le_bytes(bytes.try_into().ok()?) as f64,
            Dtype::Float16 => half_to_f64(u16::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Float32 => f64::from(f32::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Float64 => f64::from_le_bytes(bytes.try_into().ok()?),
            Dtype::Complex64 | Dtype::Complex128 | Dtype::Bytes(_) | Dtype::Void(_) => return None,
        })
    }

    /// Element `i` (C order) as an integer, for integer types and bool.
    pub fn integer(&self, i: usize) -> Option<i128> {
        let size = self.dtype.size();
        let at = i.checked_mul(size)?;
        let bytes = self.data.get(at..at.checked_add(size)?)?;
        Some(match self.dtype {
            Dtype::Bool | Dtype::UInt8 => i128::from(*bytes.first()?),
            Dtype::Int8 => i128::from(i8::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Int16 => i128::from(i16::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::UInt16 => i128::from(u16::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Int32 => i128::from(i32::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::UInt32 => i128::from(u32::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Int64 => i128::from(i64::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::UInt64 => i128::from(u64::from_le_bytes(bytes.try_into().ok()?)),
            _ => return None,
        })
    }

    /// All elements as numbers, or `None` for text and complex arrays.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        (0..self.len()).map(|i| self.number(i)).collect()
    }

    /// The same elements with another shape of as many elements.
    ///
    /// # Errors
    /// The number of elements differs.
    pub fn reshaped(self, shape: Vec<usize>) -> Result<Array> {
        Array::new(self.dtype, shape, self.data)
    }
}

/// A shape as text: `[1, 8, 8]`.
pub struct Shape<'a>(pub &'a [usize]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

/// Bytes of an array, or `None` where that does not fit the address space.
fn byte_count(dtype: Dtype, shape: &[usize]) -> Option<usize> {
    // An empty dimension makes the array empty, however large the others are.
    if shape.contains(&0) {
        return Some(0);
    }
    let elements = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size))?;
    elements.checked_mul(dtype.size())
}

/// IEEE 754 half precision to double, exactly.
pub fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// What the header says, and where the elements start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Type of the elements.
    pub dtype: Dtype,
    /// Sizes of the dimensions in the order of indexing.
    pub shape: Vec<usize>,
    /// Bytes of the elements.
    pub data_len: usize,
    /// Offset of the first element in the file.
    pub data_offset: usize,
    fortran_order: bool,
    big_endian: bool,
}

/// Reads the header alone. `bytes` may be just the beginning of the file, but must hold the header.
///
/// # Errors
/// Not a `.npy` file, a header that does not read, or a type that is not supported.
pub fn header(bytes: &[u8]) -> Result<Header> {
    let not_npy = |what: &str| {
        Error::new(format!("not a NumPy array: {what}"))
            .at("offset 0")
            .help("numpy writes such files with np.save(file, array)")
    };
    let cut = |needed: usize| {
        Error::new(format!(
            "the file ends inside the array's header: {} of {needed} bytes are there",
            bytes.len()
        ))
        .at("header")
        .help("the file was cut; write or copy it again")
    };
    if bytes.is_empty() {
        return Err(not_npy("the file is empty"));
    }
    let prefix = bytes.get(..8).ok_or_else(|| cut(8))?;
    if &prefix[..6] != MAGIC {
        return Err(not_npy("it does not begin with \\x93NUMPY"));
    }
    let (length, start) = match prefix[6] {
        1 => {
            let field = bytes.get(8..10).ok_or_else(|| cut(10))?;
            (usize::from(u16::from_le_bytes([field[0], field[1]])), 10)
        }
        2 | 3 => {
            let field = bytes.get(8..12).ok_or_else(|| cut(12))?;
            let length = u32::from_le_bytes([field[0], field[1], field[2], field[3]]);
            (usize::try_from(length).unwrap_or(usize::MAX), 12)
        }
        version => {
            return Err(Error::new(format!("version {version} of the format is not known"))
                .at("offset 6")
                .help("versions 1, 2 and 3 are read; write the array with a current numpy"));
        }
    };
    if length > MAX_HEADER {
        return Err(Error::new(format!("a header of {length} bytes is longer than any real one"))
            .at("offset 8")
            .help("the file is damaged; write it again"));
    }
    let data_offset = start + length;
    let text = bytes.get(start..data_offset).ok_or_else(|| cut(data_offset))?;
    let text = std::str::from_utf8(text).map_err(|e| {
        Error::new("the header is not text")
            .at(format!("offset {}", start + e.valid_up_to()))
            .help("the file is damaged; write it again")
    })?;
    let (descr, fortran_order, shape) = Literal::new(text, start).dictionary()?;
    let (dtype, big_endian) = Dtype::from_descr(&descr)?;
    let data_len = byte_count(dtype, &shape).ok_or_else(|| {
        Error::new(format!("shape {} is larger than memory", Shape(&shape)))
            .at("header field 'shape'")
            .help("the file is damaged; write it again")
    })?;
    Ok(Header { dtype, shape, data_len, data_offset, fortran_order, big_endian })
}

/// Reads a whole `.npy` file.
///
/// # Errors
/// See [`header`]; and a file that is shorter or longer than its shape says.
pub fn parse(bytes: &[u8]) -> Result<Array> {
    let header = header(bytes)?;
    let available = bytes.len() - header.data_offset;
    if available != header.data_len {
        let (problem, help) = if available < header.data_len {
            ("ends too early", "the file was cut; write or copy it again")
        } else {
            ("has bytes after the array", "give a file with one array (np.save writes one)")
        };
        return Err(Error::new(format!(
            "the file {problem}: {} {} needs {} bytes of elements, {available} are there",
            header.dtype,
            Shape(&header.shape),
            header.data_len,
        ))
        .at(format!("offset {}", header.data_offset))
        .help(help));
    }
    let mut data = bytes[header.data_offset..].to_vec();
    let unit = header.dtype.swap_unit();
    if header.big_endian && unit > 1 {
        data.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
    if header.fortran_order && header.shape.len() > 1 {
        data = from_fortran(&data, &header.shape, header.dtype.size());
    }
    Array::new(header.dtype, header.shape, data)
}

/// Elements with the first index running fastest, brought to C order.
fn from_fortran(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    if data.is_empty() || size == 0 {
        return Vec::new();
    }
    // Distance in elements between neighbours along each dimension, as stored.
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1usize;
    for &n in shape {
        strides.push(stride);
        stride *= n; // the product fits: `byte_count` was checked
    }
    let mut out = Vec::with_capacity(data.len());
    let mut index = vec![0usize; shape.len()];
    let mut from = 0usize;
    loop {
        out.extend_from_slice(&data[from * size..(from + 1) * size]);
        let mut d = shape.len();
        loop {
            if d == 0 {
                return out;
            }
            d -= 1;
            index[d] += 1;
            from += strides[d];
            if index[d] < shape[d] {
                break;
            }
            from -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

/// The file of an array: version 1, or version 2 where the header is longer than 65535 bytes.
pub fn write(array: &Array) -> Vec<u8> {
    let shape = match array.shape.as_slice() {
        [] => "()".to_string(),
        [n] => format!("({n},)"),
        many => {
            let sizes: Vec<String> = many.iter().map(usize::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    };
    let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", array.dtype.descr());
    // 10 bytes before the text, a line feed behind it, and all of it a multiple of 64 bytes. The
    // longest text (64 dimensions of 20 digits) is far below version 1's 65535 bytes.
    let total = (10 + text.len() + 1).next_multiple_of(64);
    let length = total - 10;
    let mut out = Vec::with_capacity(total + array.data.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 0]);
    out.extend_from_slice(&u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.resize(total - 1, b' ');
    out.push(b'\n');
    out.extend_from_slice(&array.data);
    out
}

/// A reader of the one Python literal that a header is.
struct Literal<'a> {
    text: &'a str,
    at: usize,
    /// Offset of the text in the file, for messages.
    base: usize,
}

impl<'a> Literal<'a> {
    fn new(text: &'a str, base: usize) -> Literal<'a> {
        Literal { text, at: 0, base }
    }

    fn wrong(&self, what: impl fmt::Display) -> Error {
        Error::new(format!("the array's header does not read: {what}"))
            .at(format!("offset {}", self.base + self.at))
            .help("the file is damaged; write it again with np.save")
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.wrong(format_args!("'{token}' expected"))) }
    }

    fn string(&mut self) -> Result<String> {
        let quote = if self.accept("'") {
            '\''
        } else if self.accept("\"") {
            '"'
        } else if self.accept("[") {
            self.at -= 1;
            return Err(Error::new("the array has a structured element type, which is not supported")
                .at("header field 'descr'")
                .help("store each field as an array of its own"));
        } else {
            return Err(self.wrong("a quoted word expected"));
        };
        let rest = self.rest();
        let end = rest.find(quote).ok_or_else(|| self.wrong("a quotation mark is missing"))?;
        let word = &rest[..end];
        if word.contains('\\') {
            return Err(self.wrong("an escaped character in a word"));
        }
        self.at += end + 1;
        Ok(word.to_string())
    }

    fn boolean(&mut self) -> Result<bool> {
        if self.accept("True") {
            Ok(true)
        } else if self.accept("False") {
            Ok(false)
        } else {
            Err(self.wrong("True or False expected"))
        }
    }

    fn tuple(&mut self) -> Result<Vec<usize>> {
        self.expect("(")?;
        let mut sizes = Vec::new();
        loop {
            if self.accept(")") {
                return Ok(sizes);
            }
            self.skip_blanks();
            let rest = self.rest();
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if digits == 0 {
                return Err(self.wrong("a size without sign expected"));
            }
            let size = rest[..digits].parse().map_err(|_| self.wrong("a size is too large"))?;
            self.at += digits;
            // Python 2 wrote long integers with this letter.
            if self.rest().starts_with('L') {
                self.at += 1;
            }
            sizes.push(size);
            if sizes.len() > MAX_RANK {
                return Err(self.wrong(format_args!("more than {MAX_RANK} dimensions")));
            }
            if !self.accept(",") {
                self.expect(")")?;
                return Ok(sizes);
            }
        }
    }

    fn dictionary(mut self) -> Result<(String, bool, Vec<usize>)> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.accept("}") {
            let key = self.string()?;
            self.expect(":")?;
            let twice = match key.as_str() {
                "descr" => descr.replace(self.string()?).is_some(),
                "fortran_order" => fortran_order.replace(self.boolean()?).is_some(),
                "shape" => shape.replace(self.tuple()?).is_some(),
                other => return Err(self.wrong(format_args!("unknown field '{other}'"))),
            };
            if twice {
                return Err(self.wrong(format_args!("field '{key}' stands twice")));
            }
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        self.skip_blanks();
        if !self.rest().is_empty() {
            return Err(self.wrong("text after the dictionary"));
        }
        let missing = |name: &str| {
            Error::new(format!("the array's header lacks the field '{name}'"))
                .at("header")
                .help("the file is damaged; write it again with np.save")
        };
        Ok((
            descr.ok_or_else(|| missing("descr"))?,
            fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape.ok_or_else(|| missing("shape"))?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&[version, 0]);
        if version == 1 {
            out.extend_from_slice(&(text.len() as u16).to_le_bytes());
        } else {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(data);
        out
    }

    fn header_of(descr: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    }

    #[test]
    fn every_type_and_version_survives_a_round_trip() {
        let types = [
            Dtype::Bool,
            Dtype::Int8,
            Dtype::UInt8,
            Dtype::Int16,
            Dtype::UInt16,
            Dtype::Int32,
            Dtype::UInt32,
            Dtype::Int64,
            Dtype::UInt64,
            Dtype::Float16,
            Dtype::Float32,
            Dtype::Float64,
            Dtype::Complex64,
            Dtype::Complex128,
            Dtype::Bytes(5),
            Dtype::Void(3),
        ];
        for dtype in types {
            for shape in [vec![], vec![3], vec![2, 3], vec![0, 4], vec![1, 2, 3, 1]] {
                let n = shape.iter().product::<usize>() * dtype.size();
                let data = (0..n).map(|i| i as u8).collect();
                let array = Array::new(dtype, shape, data).unwrap();
                let bytes = write(&array);
                assert_eq!(header(&bytes).unwrap().data_offset % 64, 0);
                assert_eq!(parse(&bytes).unwrap(), array);
            }
        }
        for version in 1..=3 {
            let bytes = file(version, &header_of("<i2", "False", "(2,)"), &[1, 0, 255, 255]);
            let array = parse(&bytes).unwrap();
            assert_eq!(array.numbers().unwrap(), [1.0, -1.0]);
        }
    }

    #[test]
    fn fortran_order_is_brought_to_c_order() {
        // np.asfortranarray(np.arange(6, dtype='u1').reshape(2, 3)) stores 0 3 1 4 2 5.
        let bytes = file(1, &header_of("|u1", "True", "(2, 3)"), &[0, 3, 1, 4, 2, 5]);
        assert_eq!(parse(&bytes).unwrap().bytes(), [0, 1, 2, 3, 4, 5]);
        // The same with three dimensions and two bytes an element, against the definition.
        let shape = [2usize, 3, 4];
        let mut stored = vec![0u8; 48];
        let mut expected = Vec::new();
        for a in 0..shape[0] {
            for b in 0..shape[1] {
                for c in 0..shape[2] {
                    let value = (100 * a + 10 * b + c) as u16;
                    let at = a + shape[0] * (b + shape[1] * c);
                    stored[2 * at..2 * at + 2].copy_from_slice(&value.to_le_bytes());
                    expected.extend_from_slice(&value.to_le_bytes());
                }
            }
        }
        let bytes = file(1, &header_of("<u2", "True", "(2, 3, 4)"), &stored);
        assert_eq!(parse(&bytes).unwrap().bytes(), expected);
    }

    #[test]
    fn big_endian_elements_are_swapped() {
        let bytes = file(1, &header_of(">f4", "False", "(1,)"), &1.5f32.to_be_bytes());
        assert_eq!(parse(&bytes).unwrap().number(0), Some(1.5));
        let mut complex = 1.5f32.to_be_bytes().to_vec();
        complex.extend_from_slice(&2.5f32.to_be_bytes());
        let array = parse(&file(1, &header_of(">c8", "False", "(1,)"), &complex)).unwrap();
        assert_eq!(array.bytes()[..4], 1.5f32.to_le_bytes());
        assert_eq!(array.bytes()[4..], 2.5f32.to_le_bytes());
    }

    #[test]
    fn halves_are_exact() {
        for (bits, value) in [
            (0x0000u16, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x0400, 2f64.powi(-14)),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), value);
        }
        assert!(half_to_f64(0x7e00).is_nan());
    }

    #[test]
    fn python_2_headers_and_other_quotation_marks_are_read() {
        let text = "{\"shape\": (2L,), \"fortran_order\": False, \"descr\": \"|i1\"}   \n";
        assert_eq!(parse(&file(1, text, &[1, 2])).unwrap().shape(), [2]);
    }

    /// Each damage is told with its place and a remedy, and none of them allocates by the claim.
    #[test]
    fn damaged_files_are_refused_in_words() {
        let good = header_of("<f4", "False", "(2, 2)");
        let cases: Vec<(Vec<u8>, &str)> = vec![
            (vec![], "empty"),
            (b"\x93NUM".to_vec(), "ends inside the array's header"),
            (b"PK\x03\x04abcdefgh".to_vec(), "not a NumPy array"),
            (file(9, &good, &[0; 16]), "version 9"),
            (file(1, &good, &[0; 15]), "ends too early"),
            (file(1, &good, &[0; 17]), "bytes after the array"),
            (file(1, &good, &[0; 16])[..40].to_vec(), "ends inside"),
            (file(1, &header_of("|O", "False", "()"), &[]), "pickled"),
            (file(1, &header_of("<U4", "False", "()"), &[]), "Unicode"),
            (file(1, &header_of("<q9", "False", "()"), &[]), "not known"),
            (file(1, &header_of("", "False", "()"), &[]), "not known"),
            (file(1, &header_of("<f4", "false", "()"), &[]), "True or False"),
            (file(1, &header_of("<f4", "False", "(-1,)"), &[]), "without sign"),
            (file(1, &header_of("<f4", "False", "(9223372036854775807, 3)"), &[]), "larger than memory"),
            (file(1, &header_of("<f4", "False", "(99999999999999999999999,)"), &[]), "too large"),
            (file(1, &header_of("<f4", "False", "(1000000000000,)"), &[]), "ends too early"),
            (
                file(1, &header_of("<f4", "False", "(9223372036854775807, 9223372036854775807, 0)"), &[1]),
                "bytes after the array",
            ),
            (file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", &[]), "structured"),
            (file(1, "{'descr': '<f4', 'shape': (1,)}", &[0; 4]), "lacks the field 'fortran_order'"),
            (file(1, "{'descr': '<f4', 'descr': '<f4'}", &[]), "twice"),
            (file(1, "{'x': 1}", &[]), "unknown field 'x'"),
            (file(1, "{} x", &[]), "text after"),
            (file(1, "", &[]), "'{' expected"),
            (file(1, "{'descr", &[]), "quotation mark"),
            (
                {
                    let mut f = file(2, "", &[]);
                    f[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
                    f
                },
                "longer than any real one",
            ),
            (
                file(1, &header_of("|i1", "False", &format!("({})", "1, ".repeat(65))), &[0]),
                "more than 64 dimensions",
            ),
        ];
        for (bytes, message) in cases {
            let error = parse(&bytes).expect_err(message);
            assert!(error.what.contains(message), "{error}\nlacks: {message}");
            assert!(error.place.is_some() && error.help.is_some(), "{error}");
        }
    }

    /// Any single changed byte and any cut of a real header gives an array or an error, never a panic.
    #[test]
    fn no_damage_panics() {
        let good = file(1, &header_of("<f4", "True", "(2, 2)"), &[7; 16]);
        for cut in 0..good.len() {
            assert!(parse(&good[..cut]).is_err());
        }
        for at in 0..good.len() {
            for value in 0..=255 {
                let mut bad = good.clone();
                bad[at] = value;
                if let Ok(array) = parse(&bad) {
                    assert_eq!(array.bytes().len(), array.len() * array.dtype().size());
                }
            }
        }
    }
}
