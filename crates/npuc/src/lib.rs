//! The NPU compiler's layers: from the weights of a graph and the lifetimes of its tensors to what a command
//! stream addresses.
//!
//! The compiler takes a TOSA graph to legal NPU operations, a schedule, an allocation and a command stream. Its
//! layers are modules that know nothing of each other beyond the types they share, so that each can be proven by
//! itself. What is here:
//!
//! - [`ir`]: NPU operations before they are scheduled, with an evaluator that gives them their meaning.
//! - [`lower`]: a TOSA graph as such operations, one operator at a time.
//! - [`fuse`]: operations merged into what one pass through the data path can do.
//! - [`legalize`]: what the hardware lacks, made of what it has.
//! - [`select`]: legal operations as the hardware takes them.
//! - [`rules`]: what one pass of each generation can do.
//! - [`block`]: how operations are cut into blocks, and what they take.
//! - [`alloc`]: addresses for buffers that live for a while.
//! - [`report`]: what the compiler tells about its work.
//! - [`weights`]: weights and scales as the hardware reads them.
//! - [`hw`]: operations as the hardware takes them.
//! - [`stream`]: these as the words of a command stream.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod alloc;
pub mod block;
pub mod fuse;
pub mod hw;
pub mod ir;
pub mod legalize;
pub mod lower;
pub mod report;
pub mod rules;
pub mod select;
pub mod stream;
pub mod weights;
