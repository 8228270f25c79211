//! The Arm Ethos-U hardware, described once: configurations, registers, command stream, PMU events.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod accelerator;
mod commands;
mod field;
mod generation;
mod registers;

pub mod cmd;
pub mod disasm;
pub mod encode;
pub mod enums;
pub mod layout;
pub mod payload;
pub mod pmu;
pub mod reference;
pub mod regions;
pub mod regs;
pub mod system;

pub use accelerator::{Accelerator, Rams, Spec, Ublock, UnknownAccelerator};
pub use field::{Field, Format};
pub use generation::{Generation, Generations};
