//! The host side of Tombolo as a library, and the command line on top of it.
//!
//! * [`npy`] and [`npz`] read and write NumPy's files, [`compare`] compares arrays;
//! * [`host`] runs a program with every kernel there is, its NPU parts on the simulator;
//! * [`npu`] puts the simulator behind the driver, [`stream`] is what the NPU is given to run, [`profile`] how long it
//!   takes;
//! * [`error`] is what all of them say when something is wrong.
#![forbid(unsafe_code)]

pub mod aligned;
pub mod compare;
pub mod container;
pub mod error;
pub mod files;
pub mod host;
pub mod npu;
pub mod npy;
pub mod npz;
pub mod profile;
pub mod program;
pub mod stream;
