//! Ethos-U driver over a register trait, and the EthosUBackend delegate on top of it.
//!
//! [`Driver`] brings an NPU of any generation out of reset, checks that a command stream was
//! compiled for it, runs the stream and says in words what went wrong. It knows registers only
//! through [`RegisterIo`] and never asks whether they are real: a board implements [`Npu`] over a
//! memory-mapped block and an interrupt, the host over the simulator.
//!
//! [`EthosUBackend`] is the [`Delegate`](tombolo_runtime::Delegate) that programs ask for: it
//! validates the delegated part when a method is loaded, and everything that can be refused is
//! refused there.
//!
//! ```no_run
//! use tombolo_driver::{Driver, DriverConfig, Job, MemoryMode, Npu, Region, RegisterIo, Timeout};
//! use tombolo_ethosu::{Generation, payload::Payload};
//!
//! struct Board; // holds the register block
//! # fn read_register(_: u32) -> u32 { 0 }
//! # fn write_register(_: u32, _: u32) {}
//! impl RegisterIo for Board {
//!     fn read(&mut self, offset: u32) -> u32 { read_register(offset) }
//!     fn write(&mut self, offset: u32, value: u32) { write_register(offset, value) }
//! }
//! impl Npu for Board {
//!     fn wait(&mut self, _job: &mut Job<'_>) -> Result<(), Timeout> {
//!         tombolo_driver::poll(self, 10_000_000)
//!     }
//! }
//!
//! fn infer(payload: &[u8], weights: &[u8], scratch: &mut [u8]) -> Result<(), tombolo_driver::NpuError> {
//!     let config = DriverConfig::new(Generation::U55).memory_mode(MemoryMode::SharedSram);
//!     let mut driver = Driver::with_config(Board, config);
//!     # let payload = Payload::parse(payload).unwrap();
//!     driver.check(payload.config, payload.id)?;
//!     let mut job = Job::new(payload.stream);
//!     job.regions[0] = Region::ReadOnly(weights);
//!     job.regions[1] = Region::ReadWrite(scratch);
//!     driver.run(&mut job)?;
//!     Ok(())
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod backend;
mod config;
mod driver;
mod error;
mod io;

pub use backend::{EthosUBackend, ID as BACKEND_ID};
pub use config::{AxiLimit, Burst, DriverConfig, Limits, MemoryAttribute, MemoryMode};
pub use driver::{Driver, NpuInfo, PmuConfig, RunStats};
pub use error::{BackendError, NpuError};
pub use io::{Job, Npu, REGIONS, Region, RegisterIo, Timeout, poll};
