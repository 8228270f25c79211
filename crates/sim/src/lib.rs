//! Register-level simulator of the Arm Ethos-U NPUs.
//!
//! [`Npu`] is the device: a driver writes its registers, [`Npu::run`] carries out the command
//! stream that QBASE points to on a [`Bus`], and STATUS and the interrupt line tell the end. It is
//! a pure state machine: no clock, no thread, no file. Results are bit-exact with the streams that
//! Vela compiles; what no public source defines is refused by name, never guessed
//! ([`Cause::NotModelled`]). Streams are untrusted: nothing in them makes the simulator panic,
//! hang or take unbounded memory.
//!
//! ```
//! use tombolo_ethosu::Accelerator;
//! use tombolo_sim::{Blocks, Npu};
//!
//! let mut bus = Blocks::new();
//! bus.map(0x1000_0000, vec![0x00, 0x00, 0xff, 0xff], false); // a stream of one command: STOP
//! let mut npu = Npu::new(Accelerator::U65_256);
//! npu.write(0x10, 0x1000_0000); // QBASE
//! npu.write(0x20, 4); // QSIZE
//! npu.write(0x08, 1); // CMD: run
//! npu.run(&mut bus);
//! assert!(npu.irq() && npu.fault().is_none());
//! ```
//!
//! # Inside
//!
//! | module | does | generations |
//! |---|---|---|
//! | `npu`, `pmu` | registers, reset, interrupt, the command loop | all |
//! | `timing` | cycle estimate per command and timeline | all |
//! | `check`, `ranges` | hazards, reads of undefined bytes | all |
//! | `state` | what SET commands left behind; "never set" is told apart from 0 | all |
//! | `op`, `decode` | what an operation works on (feature map, kernel, scale, streams), out of the registers | all |
//! | `mem` | regions, feature-map layouts and tiles to and from dense rows, checks, work budget | all |
//! | `scale` | multiply, shift, round | all |
//! | `weights` | entropy decoder of weight streams (`weights::stream`), traversal orders one module a generation | all |
//! | `conv`, `pool`, `dot` | arithmetic of convolutions and poolings on dense maps | all |
//! | `u5x` | registers of U55 and U65 to `op`, data path | U55, U65 |
//! | `u85` | the same for U85 | U85 |
//!
//! A generation is a `Core` with `new(accelerator)`, `reset()` and
//! `execute(command, &State, &mut Memory) -> Result<Flow, Cause>`; `npu` calls it for every
//! operation but STOP, IRQ, the waits and PMU_MASK. It decodes the registers it needs, checks all
//! that will be touched (`Memory::check_map`, `load_stream`), accounts for the work
//! (`Memory::work`) and only then takes memory.
#![forbid(unsafe_code)]

mod bus;
mod check;
mod conv;
mod decode;
mod dot;
mod fault;
mod mem;
mod npu;
mod op;
mod pmu;
mod pool;
mod ranges;
mod scale;
mod state;
mod stats;
mod timing;
mod u5x;
mod u85;
pub mod weights;

pub use bus::{Access, Blocks, Bus, BusFault};
pub use check::{Checks, Finding, Problem};
pub use fault::{Cause, Channel, Fault};
pub use npu::Npu;
pub use stats::OpStats;
pub use timing::{Bound, CommandTiming, PortBytes, System, Timeline};
