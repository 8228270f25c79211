//! ExecuTorch program files: a zero-copy reader without heap, named data, and the framing of Vela's binary stream.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod dtype;
mod error;
mod flat;
mod list;
mod plan;
mod program;
mod schema;
mod value;

pub mod bundled;
pub mod ptd;
pub mod vela;

pub use dtype::Dtype;
pub use error::{Error, ErrorKind};
pub use list::{BoolList, F64List, I32List, I64List, U64List};
pub use plan::{Chain, DelegateDef, Frame, Instruction, Operator, Plan};
pub use program::{ALIGNMENT, ExtendedHeader, NamedDataIter, Program};
pub use schema::Field;
pub use value::{Dynamism, Layout, MAX_RANK, TensorData, TensorView, Value};
