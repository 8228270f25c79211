//! TOSA graphs: flatbuffers in and out, a text form, validation, shape inference, and an interpreter of the
//! integer operators.
//!
//! [`read`] and [`write()`] convert between a file and a [`Graph`], [`parse`] and [`print`](print()) between a text and a
//! graph. [`validate`](validate()) checks a graph against a target ([`Spec`]); [`infer_shapes`] fills in what is not
//! declared; [`run`] computes. Each operator has a file in [`ops`].
//!
//! ```
//! use tombolo_tosa::{Dtype, Limits, Spec, Value, parse, read, run, validate, write};
//!
//! let graph = parse(
//!     "tosa 1.0.0
//!      region main { block main {
//!        tensor x: i32[2, 2]  tensor one: i32[1, 1] = (1)  tensor y: i32[2, 2]
//!        inputs x
//!        outputs y
//!        one = CONST()
//!        y = ADD(x, one) @ \"my model, line 3\"
//!      } }",
//! )?;
//! assert!(validate(&graph, &Spec::parse("TOSA-1.0+INT")?).is_empty());
//!
//! let file = write(&graph)?;
//! assert_eq!(read(&file)?, graph);
//!
//! let x = Value::from_ints(Dtype::I32, vec![2, 2], &[1, 2, 3, 4])?;
//! let outputs = run(&graph, vec![x], &Limits::default())?;
//! assert_eq!(outputs[0].ints(), [2, 3, 4, 5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
