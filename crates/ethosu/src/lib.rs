//! The Arm Ethos-U hardware, described once: configurations, registers, command stream, PMU events.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod accelerator;
mod commands;
mod generation;

pub mod cmd;
pub mod enums;

pub use accelerator::{Accelerator, Rams, Spec, Ublock, UnknownAccelerator};
pub use generation::{Generation, Generations};
