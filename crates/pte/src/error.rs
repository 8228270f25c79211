//! What can be wrong with a file.

use crate::schema::Field;

/// Why a file was refused: what is wrong, with which field, and where in the file.
///
/// `Display` tells it in one line with the remedy. An image that never shows the error carries none of the
/// text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The byte of the file (or blob) where the field, or the table that should have it, stands.
    pub offset: usize,
    /// The field.
    pub field: Field,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller's bytes do not start at a 16-byte aligned address.
    Address,
    /// The file ends before this, or its header says so.
    Truncated,
    /// The file is of another kind, or of another version of its format.
    Identifier,
    /// An offset, a length or a range leaves the file, its table or its segment.
    OutOfBounds,
    /// A field that every such table has is absent.
    Missing,
    /// Text that is not UTF-8.
    Utf8,
    /// An index to something that is not there.
    Index,
    /// A kind of value, instruction, element type, … that this reader does not know.
    Unknown,
    /// Known, but never written by ExecuTorch in this place, and not supported.
    Unsupported,
    /// A number that may not be negative.
    Negative,
    /// A size that does not fit this machine's address space.
    Overflow,
    /// More dimensions than 16.
    Rank,
    /// A dim order that is not a permutation of the dimensions.
    DimOrder,
    /// Data with fewer bytes than its tensor.
    DataTooSmall,
    /// Data at an address or offset that is no multiple of the element's size.
    DataMisaligned,
    /// A planned tensor that reaches beyond its buffer.
    PlanTooSmall,
    /// A list that refers to a value of another kind than it may hold.
    WrongValue,
    /// The same parts of the file used over and over; only a crafted file does that.
    TooComplex,
    /// A block twice.
    Duplicate,
    /// Bytes after the end.
    Trailing,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, field: Field, offset: usize) -> Error {
        Error { offset, field, kind }
    }
}

/// The error as a result.
pub(crate) fn fail<T>(kind: ErrorKind, field: Field, offset: usize) -> Result<T, Error> {
    Err(Error::new(kind, field, offset))
}

const DAMAGED: &str = "the file is damaged: copy or export it again";

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (what, remedy) = match self.kind {
            ErrorKind::Address => (
                "the bytes do not start at a 16-byte aligned address",
                "put them into an aligned buffer, or give the section that holds them an alignment of 16",
            ),
            ErrorKind::Truncated => ("the file ends too early", "it is incomplete: copy or export it again"),
            ErrorKind::Identifier => (
                "this is not the mark of such a file",
                "check that the right file was given, and that its format is the one this reader knows \
                 (ET12 for .pte, FT01 for .ptd, BP08 for .bpte)",
            ),
            ErrorKind::OutOfBounds => ("points outside of what it belongs to", DAMAGED),
            ErrorKind::Missing => ("is absent but every program has it", DAMAGED),
            ErrorKind::Utf8 => ("is not UTF-8 text", DAMAGED),
            ErrorKind::Index => ("is the index of something that does not exist", DAMAGED),
            ErrorKind::Unknown => (
                "has a value that this reader does not know",
                "the file is damaged, or newer than this reader: export it with ExecuTorch 1.5 or update the reader",
            ),
            ErrorKind::Unsupported => (
                "has a value that is not supported",
                "export the program again with the defaults of ExecuTorch 1.5",
            ),
            ErrorKind::Negative => ("is negative", DAMAGED),
            ErrorKind::Overflow => ("makes a size that does not fit this machine's address space", DAMAGED),
            ErrorKind::Rank => {
                ("has more than 16 dimensions", "reshape the tensor in the model, or the file is damaged")
            }
            ErrorKind::DimOrder => ("is not a permutation of the dimensions", DAMAGED),
            ErrorKind::DataTooSmall => ("has fewer bytes than its tensor needs", DAMAGED),
            ErrorKind::DataMisaligned => (
                "is not at a multiple of its element's size",
                "export the program again with the default alignment of 16",
            ),
            ErrorKind::PlanTooSmall => (
                "places the tensor beyond the end of its planned buffer",
                "export the program again with the default memory planning",
            ),
            ErrorKind::WrongValue => ("refers to a value of another kind", DAMAGED),
            ErrorKind::TooComplex => (
                "uses the same parts of the file over and over",
                "no exporter writes that: the file is damaged or malicious",
            ),
            ErrorKind::Duplicate => ("is there twice", DAMAGED),
            ErrorKind::Trailing => ("is followed by more bytes than it may be", DAMAGED),
        };
        write!(f, "{} at byte {:#x}: {what}; {remedy}", self.field, self.offset)
    }
}

impl core::error::Error for Error {}
