//! What the compiler tells about its work, for people and for machines.

pub mod memory;
