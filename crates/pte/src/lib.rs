//! ExecuTorch program files: a zero-copy reader without heap, named data, and the framing of Vela's binary stream.
//!
//! | file | read with | gives |
//! |---|---|---|
//! | `.pte` | [`Program::parse`] | methods ([`Plan`]), their values, operators, delegates and instructions |
//! | `.ptd` | [`ptd::DataFile::parse`] | data under names |
//! | `.bpte` | [`bundled::Bundle::parse`] | a program, and test cases for it |
//! | the blob of an `EthosUBackend` delegate | [`vela::BinStream::parse`] | command stream, weights, inputs, outputs |
//!
//! `parse` checks everything once; then no getter fails, and nothing panics. The bytes stay where they are, in flash
//! for example, and must start at a multiple of 16 ([`ALIGNMENT`]). Views of them are [`Copy`] and small.
//!
//! ```no_run
//! use tombolo_pte::{Instruction, Program};
//!
//! # fn aligned(_: &str) -> &'static [u8] { &[] }
//! let program = Program::parse(aligned("model.pte"))?;
//! let plan = program.find_method("forward").expect("a forward method");
//! for instruction in plan.chain(0).instructions() {
//!     if let Instruction::Kernel { op, .. } = instruction {
//!         println!("{}", plan.operator(op as usize).name);
//!     }
//! }
//! # Ok::<(), tombolo_pte::Error>(())
//! ```
//!
//! # Why the reader is not generated
//! Checking a program and visiting all of it takes 9.4 KB of code on a Cortex-M with this crate, 12.5 KB with planus,
//! 38.9 KB with `flatc`, and the latter two check no meaning: no index, no memory plan, no alignment. Both link panic
//! code, and `flatc`'s verifier allocates. It is also the fastest check: 68 µs for MobileNetV2 on a host, against
//! 126 µs. `docs/pte-reader.md` has the table, what exactly is checked, and which versions are supported.
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
