//! TOSA graphs: flatbuffers in and out, a text form, validation, shape inference, and an interpreter of the
//! integer operators.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod attr;
mod dtype;
mod error;
mod flat;
mod graph;
mod infer;
mod interp;
mod op;
pub mod ops;
mod read;
mod rule;
mod schema;
mod spec;
#[cfg(test)]
mod testing;
mod text;
mod validate;
mod value;
mod write;

pub use attr::Attr;
pub use dtype::{BlockShape, BlockSize, Dtype, NanMode, ResizeMode, Rounding};
pub use error::{Error, ErrorKind, OperatorPlace, Place};
pub use graph::{
    Block, Compatibility, Graph, Operation, Region, RegionId, Scale, SoftwareVersion, Tensor, TensorId,
    Version,
};
pub use infer::infer_shapes;
pub use interp::{Limits, inputs, run};
pub use op::Op;
pub use read::{ReadError, read};
pub use spec::{Extensions, Level, Spec};
pub use text::{ParseError, parse, print};
pub use validate::validate;
pub use value::{Data, Value, ValueError};
pub use write::{WriteError, write};
