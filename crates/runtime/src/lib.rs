//! Runs ExecuTorch programs without heap: program, method, tensors, arenas, kernel registry, delegates.
//!
//! A [`Program`] is parsed and validated once, where its bytes lie (flash, a mapped file). A
//! [`Method`] is one of its execution plans, loaded into memory that the caller owns: planned
//! buffers for activations, a method arena for the runtime's own tables, a temporary arena that is
//! empty again after every instruction. Nothing else is allocated, and every size is known before
//! the first run ([`Method::usage`]).
//!
//! Kernels and delegates are linked because a table names them, and only then:
//!
//! ```ignore
//! static KERNELS: &[KernelDef] = kernels![ops::add::OUT, ops::softmax::OUT];
//! let program = Program::parse(bytes)?;
//! let mut backend = EthosUBackend::new(npu, &mut fast_scratch);
//! let mut method = Method::load(&program, "forward", KERNELS, &mut [&mut backend], Memory {
//!     method: &mut method_arena, planned: &mut [&mut activations], temp: &mut temp_arena,
//! }, Options::default())?;
//! method.set_input(0, Dtype::Float, &[1, 8], bytes)?;
//! method.execute()?;
//! let out = method.output(0)?;
//! ```
//!
//! What is missing is found when the method is loaded, all of it in one error ([`Missing`]), never
//! in the middle of a run.
//!
//! # Where `unsafe` is
//! Two small modules: `arena` (typed slices out of caller-owned bytes) and `memory` (shared and
//! exclusive views of tensors that live in the same buffer, handed out only when their byte ranges
//! do not overlap). Their tests also run under AddressSanitizer. Everything else is safe code.
#![no_std]
#![deny(unsafe_code)]

#[cfg(feature = "testing")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod delegate;
mod error;
mod kernel;
mod memory;
mod method;
mod tensor;
#[cfg(feature = "testing")]
pub mod testing;
mod trace;
mod value;

pub use arena::{Arena, OutOfMemory};
pub use delegate::{Delegate, DelegateContext, DelegateError, DelegateInstance, DelegateIo, DelegateState};
pub use error::{ExecuteError, InputError, LoadError, Missing, MissingItem, MissingItems};
pub use kernel::{CallSpec, DtypeSet, Ints, KernelContext, KernelDef, KernelError, KernelFn, TensorSpec};
pub use memory::Element;
pub use method::{Memory, Method, Options, PoolUsage, Tables, Usage};
pub use tensor::{MAX_RANK, Shape, Strides, Tensor, TensorMut};
pub use tombolo_pte::{Dtype, Program};
pub use trace::{Event, Observer};
pub use value::{Kind, Value};

/// A kernel table: `kernels![ops::add::OUT, …]` is `&[ops::add::OUT, …]` with the element type named.
#[macro_export]
macro_rules! kernels {
    ($($kernel:expr),* $(,)?) => {{
        const TABLE: &[$crate::KernelDef] = &[$($kernel),*];
        TABLE
    }};
}
