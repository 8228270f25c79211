//! Weight streams: entropy decoding (`stream`), and the order in which weights stand in them
//! (one module a generation).

use std::fmt;

#[doc(hidden)]
pub mod dense;
pub mod stream;
pub(crate) mod u5x;
pub(crate) mod u85;
pub(crate) mod u85_fwd;

/// Why a weight stream cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightError {
    /// The stream ends inside a slice.
    Truncated,
    /// The header has a value that the format reserves.
    BadHeader {
        /// Bit position of the header.
        bit: usize,
    },
    /// A weight does not fit the nine bits that the MAC array takes.
    WeightRange,
    /// The stream holds fewer weights than the operation needs.
    TooFew {
        /// Weights in the stream.
        got: usize,
        /// Weights that the operation needs.
        need: usize,
    },
    /// The stream holds more weights than the operation needs.
    TooMany {
        /// Weights that the operation needs.
        need: usize,
    },
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            WeightError::Truncated => f.write_str("the stream ends inside a slice"),
            WeightError::BadHeader { bit } => {
                write!(f, "the slice header at bit {bit} has a reserved value")
            }
            WeightError::WeightRange => f.write_str("a weight does not fit nine bits"),
            WeightError::TooFew { got, need } => write!(
                f,
                "the stream ends after {got} weights, the operation needs {need}; was it encoded for another block depth or accelerator?"
            ),
            WeightError::TooMany { need } => write!(
                f,
                "the stream holds more than the {need} weights that the operation needs; was it encoded for another block depth or accelerator?"
            ),
        }
    }
}

impl std::error::Error for WeightError {}
