//! The host side of Tombolo as a library, and the command line on top of it.
#![forbid(unsafe_code)]

pub mod aligned;
pub mod error;
pub mod files;
pub mod npy;
pub mod npz;
