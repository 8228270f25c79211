//! The NPU compiler's layers: from the weights of a graph and the lifetimes of its tensors to what a command
//! stream addresses.
//!
//! The compiler takes a TOSA graph to legal NPU operations, a schedule, an allocation and a command stream. Its
//! layers are modules that know nothing of each other beyond the types they share, so that each can be proven by
//! itself. What is here:
//!
#![forbid(unsafe_code)]
#![deny(missing_docs)]
