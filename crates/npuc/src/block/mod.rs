//! How operations are cut into blocks: all cuts that the memories inside the NPU hold, what each takes, and the best.
//!
//! [`candidates`] lists what fits, [`estimate`] says what a cut costs, [`best`] picks. Nothing here changes what is
//! computed; only the order of the weights follows the block (`Config::part_kernel`, depth of the block,
//! micro-block), so the choice comes before they are encoded.
//!
//! Sources: `facts/ethosu.md` sections 6 and 7, `ethos_u55.cpp`, `ethos_u85.cpp` and `*_performance.cpp` of Vela 5.2.0.

mod cycles;
mod rams;
mod search;
mod shape;
mod shram;
mod task;

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::system::{MemoryMode, SystemConfig};

use crate::hw::{Config, KernelOp};
use cycles::{Cut, Model};
use search::Space;
use shape::Shape;
use task::Task;
pub use task::accumulators;

/// The memories around the NPU, and what lies where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct System<'a> {
    /// Clock and memories.
    pub config: &'a SystemConfig<'a>,
    /// Which region lies behind which port.
    pub mode: &'a MemoryMode<'a>,
}

/// What limits an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Multiply-accumulates.
    Mac,
    /// The output stage: scaling, activation, elementwise arithmetic.
    Output,
    /// Starting blocks.
    Issue,
    /// The memory behind AXI0 (U85: SRAM).
    Axi0,
    /// The memory behind AXI1 (U85: EXT).
    Axi1,
    /// Weights: to fetch them, or to decode them.
    Weights,
}

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycles {
    /// NPU cycles from start to end.
    pub total: u64,
    /// What limits it.
    pub bound: Bound,
    /// Cycles in which the MAC array works.
    pub mac: u64,
    /// Cycles in which the output stage works.
    pub output: u64,
    /// Cycles that the memory behind AXI0 and AXI1 is busy.
    pub ports: [u64; 2],
    /// Bytes through AXI0 and AXI1, bursts that are only partly used counted whole.
    pub bytes: [u64; 2],
}

impl Cycles {
    const NONE: Cycles =
        Cycles { total: 0, bound: Bound::Mac, mac: 0, output: 0, ports: [0; 2], bytes: [0; 2] };
}

/// Whether an operation's first read and last write show, or overlap other parts of the same layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbours {
    /// The operation before is no part of the same layer.
    pub first: bool,
    /// The operation behind is no part of the same layer.
    pub last: bool,
}

impl Neighbours {
    /// An operation that is a layer of its own.
    pub const NONE: Neighbours = Neighbours { first: true, last: true };
}

/// All configurations of `op` that fit in the memories of `accelerator`. `op.block` and where the operands lie
/// do not matter. Empty if the accelerator cannot do the operation.
pub fn candidates(op: &KernelOp, accelerator: Accelerator) -> Vec<Config> {
    let Ok(task) = Task::new(op, accelerator, None) else { return Vec::new() };
    let Ok(space) = Space::new(op, &task) else { return Vec::new() };
    space.all()
}

/// Whether `config` is one of [`candidates`]: the buffers for the operands, accumulators and tables fit, with the
/// registers that they need.
pub fn fits(op: &KernelOp, config: &Config, accelerator: Accelerator) -> bool {
    let Ok(task) = Task::new(op, accelerator, None) else { return false };
    Space::new(op, &task).is_ok_and(|space| space.contains(config))
}

/// The configuration that takes the fewest cycles; of those that take the same but for less than a hundredth, the one
/// that moves the fewest bytes, then the one that takes the fewest cycles, then the one with the largest block.
///
/// The size of weights that are not encoded yet ([`KernelOp::parameters`] is absent or has no lengths) counts as one
/// byte each.
///
/// # Errors
/// Says why the accelerator cannot do the operation.
pub fn best(op: &KernelOp, accelerator: Accelerator, system: &System<'_>) -> Result<Config, String> {
    let task = Task::new(op, accelerator, Some(system.mode))?;
    let space = Space::new(op, &task)?;
    space.best(&Model::new(task, system)).ok_or_else(|| {
        format!("no block of {:?} fits in the memories of {accelerator}: {:?}", op.kind, op.ofm.shape)
    })
}

/// What `op` takes with `config`, which need not be one of [`candidates`].
///
/// # Errors
/// Says what of the operation or the configuration makes no sense.
pub fn estimate(
    op: &KernelOp,
    config: &Config,
    accelerator: Accelerator,
    system: &System<'_>,
    neighbours: Neighbours,
) -> Result<Cycles, String> {
    let task = Task::new(op, accelerator, Some(system.mode))?;
    let cut = Cut {
        ofm: Shape::checked(config.ofm, "a block")?,
        ublock: Shape::checked(config.ublock, "a micro-block")?,
        part_kernel: config.part_kernel,
    };
    Ok(Model::new(task, system).estimate(&cut, neighbours))
}
