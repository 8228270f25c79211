//! How long a stream takes: an estimate per command, and the timeline that follows from it.
//!
//! No public source states the timing of an Ethos-U. What is public is the estimate that Vela
//! makes for its scheduling, of which Arm says that it is no performance model. This module
//! carries the same kind of estimate from the compiler's layers to the commands of a stream: per
//! operation the MAC array, the output stage, the issue of blocks, and the memory behind each port
//! (`estimate`), from what the SET registers say (`operation`). Copies run beside operations; the
//! waits of the stream order them, as on hardware.
//!
//! What is not in it, and so never reported as 0: conflicts between a copy and an operation for
//! one port, refresh and bus arbitration, stalls between the units inside one block, the time to
//! parse SET commands.

mod estimate;
mod operation;

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::{Command, Opcode, fields};
use tombolo_ethosu::system::{MemoryMode, Port, SystemConfig};

use crate::state::State;
use estimate::Machine;
pub(crate) use operation::{Kind, Operation};

/// Operations and copies that a timeline holds; a stream with loops may run through more.
const MAX_COMMANDS: usize = 1 << 20;

/// Ends that are kept: a wait looks back over no more than 16 commands.
const MAX_ENDS: usize = 64;

/// The memories around the NPU, and what lies where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct System {
    /// Clock and memories.
    pub config: SystemConfig<'static>,
    /// Which region of a stream lies behind which port.
    pub mode: MemoryMode<'static>,
}

impl System {
    /// The system and memory mode that upstream compiles for if none is given.
    pub fn default_of(accelerator: Accelerator) -> System {
        let (config, mode) = tombolo_ethosu::system::defaults(accelerator);
        System { config, mode }
    }
}

/// What limits a command.
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
    /// The stream of weights: to fetch it, or to decode it.
    Weights,
}

impl Bound {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Bound::Mac => "MAC",
            Bound::Output => "output",
            Bound::Issue => "issue",
            Bound::Axi0 => "AXI0",
            Bound::Axi1 => "AXI1",
            Bound::Weights => "weights",
        }
    }
}

/// Bytes that go through a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortBytes {
    /// To the NPU.
    pub read: u64,
    /// From the NPU.
    pub written: u64,
}

/// Estimate for one operation or copy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommandTiming {
    /// Byte position in the stream.
    pub position: u32,
    /// The operation or copy.
    pub command: Command,
    /// When it starts, in cycles since the run began.
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// Cycles in which the MAC array works; 0 for what does not use it.
    pub mac: u64,
    /// Cycles in which the output stage works.
    pub output: u64,
    /// Cycles to fetch the weights once; 0 without weights.
    pub weights: u64,
    /// Cycles that the memory behind each port is busy.
    pub port_cycles: [u64; 2],
    /// Bytes through each port, bursts that are only partly used counted whole.
    pub ports: [PortBytes; 2],
    /// Bytes that are needed through each port: what is read again is counted again.
    pub data: [PortBytes; 2],
    /// Bits of an element of the first input and of the output; 0 for a copy.
    pub bits: (u8, u8),
    /// It goes block by block with the operation before it, whose cycles are those of both. (U85)
    pub chained: bool,
    /// Whether NPU_OP_PMU_MASK has let the PMU count when it was issued.
    pub unmasked: bool,
    /// Multiply-accumulates of the network, none of the padding to blocks.
    pub macs: u64,
    /// What limits it.
    pub bound: Bound,
}

impl CommandTiming {
    fn empty() -> CommandTiming {
        CommandTiming {
            position: 0,
            command: Command::new(Opcode::Stop, 0),
            start: 0,
            end: 0,
            mac: 0,
            output: 0,
            weights: 0,
            port_cycles: [0; 2],
            ports: [PortBytes::default(); 2],
            data: [PortBytes::default(); 2],
            bits: (0, 0),
            chained: false,
            unmasked: false,
            macs: 0,
            bound: Bound::Mac,
        }
    }

    /// Cycles from start to end.
    pub fn cycles(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it is a copy, which runs beside operations.
    pub fn is_copy(&self) -> bool {
        self.command.opcode == Opcode::DmaStart
    }
}

/// The timeline of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// Operations and copies, in the order of the stream.
    pub commands: Vec<CommandTiming>,
    /// From the start to STOP, with everything finished.
    pub cycles: u64,
    /// Operations and copies for which there is no estimate (see [`Timeline::complete`]).
    pub unknown: u32,
    /// Stretches in which NPU_OP_PMU_MASK lets the PMU count: from, to.
    pub unmasked: Vec<(u64, u64)>,
}

impl Timeline {
    /// Whether every operation has an estimate.
    pub fn complete(&self) -> bool {
        self.unknown == 0
    }

    /// Sum over all commands.
    pub fn sum(&self, of: impl Fn(&CommandTiming) -> u64) -> u64 {
        self.commands.iter().map(of).sum()
    }

    /// Share of the MAC array's capacity that the network used, 0 to 1.
    pub fn utilisation(&self, accelerator: Accelerator) -> f64 {
        let capacity = self.cycles as f64 * f64::from(accelerator.macs());
        if capacity > 0.0 { self.sum(|c| c.macs) as f64 / capacity } else { 0.0 }
    }
}

/// Builds the timeline while a stream runs.
#[derive(Debug)]
pub(crate) struct Recorder {
    machine: Machine,
    outstanding: (usize, usize),
    timeline: Timeline,
    /// When the command processor goes on.
    now: u64,
    /// Ends of the copies and operations issued, oldest first.
    copies: Vec<u64>,
    kernels: Vec<u64>,
    /// Since when NPU_OP_PMU_MASK lets the PMU count.
    unmasked: Option<u64>,
    /// An operation that waits for its successor: whether that continues it decides its end.
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    /// The operation, and those chained to it.
    chain: Vec<(u32, Command, Operation)>,
    /// Earliest start.
    ready: u64,
    continues: bool,
    unmasked: bool,
}

impl Recorder {
    pub(crate) fn new(accelerator: Accelerator, system: System) -> Recorder {
        Recorder {
            machine: Machine::new(accelerator, system),
            outstanding: (
                accelerator.max_outstanding_dma() as usize,
                accelerator.max_outstanding_kernels() as usize,
            ),
            timeline: Timeline::default(),
            now: 0,
            copies: Vec::new(),
            kernels: Vec::new(),
            unmasked: None,
            pending: None,
        }
    }

    /// Sees an operation, a copy or a wait that was carried out.
    pub(crate) fn command(&mut self, position: u32, command: Command, state: &State) {
        if self.timeline.commands.len() >= MAX_COMMANDS || self.timeline.unmasked.len() >= MAX_COMMANDS {
            self.timeline.unknown = self.timeline.unknown.saturating_add(u32::from(
                command.opcode.is_op() && !matches!(command.opcode, Opcode::DmaWait | Opcode::KernelWait),
            ));
            return;
        }
        trim(&mut self.copies);
        trim(&mut self.kernels);
        match command.opcode {
            Opcode::DmaWait => {
                let left = fields::dma_wait::K_U85.get(command) as usize;
                let until = finished(&self.copies, left);
                match &mut self.pending {
                    // The rest of a chain waits for its table, and so does the chain.
                    Some(pending) if pending.chain.last().is_some_and(|(_, _, last)| last.ofm.chained) => {
                        pending.ready = pending.ready.max(until);
                    }
                    _ => self.flush(false),
                }
                self.now = self.now.max(until);
            }
            Opcode::KernelWait => {
                let left = fields::kernel_wait::N_U85.get(command) as usize;
                self.flush(false);
                self.now = self.now.max(finished(&self.kernels, left));
            }
            Opcode::DmaStart => {
                // One more than may be outstanding holds the command processor up.
                self.now = self.now.max(finished(&self.copies, self.outstanding.0.saturating_sub(1)));
                let start = self.now.max(self.copies.last().copied().unwrap_or(0));
                match self.machine.copy(state) {
                    Some(mut timing) => {
                        let cycles = timing.end;
                        (timing.position, timing.command) = (position, command);
                        (timing.start, timing.end) = (start, start + cycles);
                        timing.unmasked = self.unmasked.is_some();
                        self.copies.push(timing.end);
                        self.timeline.commands.push(timing);
                    }
                    None => self.timeline.unknown += 1,
                }
            }
            Opcode::Conv | Opcode::Depthwise | Opcode::Pool | Opcode::Elementwise | Opcode::Resize => {
                let Some(operation) = self.machine.operation(command, state) else {
                    self.flush(false);
                    self.timeline.unknown += 1;
                    return;
                };
                let before = |pending: &Pending, test: fn(&Operation, &Operation) -> bool| {
                    pending.chain.last().is_some_and(|(_, _, last)| test(&operation, last))
                };
                if let Some(pending) = &mut self.pending
                    && before(pending, Operation::chained_to)
                    && pending.chain.len() < MAX_ENDS
                {
                    pending.chain.push((position, command, operation));
                    return;
                }
                let continues =
                    self.pending.as_ref().is_some_and(|pending| before(pending, Operation::continues));
                self.flush(continues);
                self.now = self.now.max(finished(&self.kernels, self.outstanding.1.saturating_sub(1)));
                self.pending = Some(Pending {
                    chain: vec![(position, command, operation)],
                    ready: self.now,
                    continues,
                    unmasked: self.unmasked.is_some(),
                });
            }
            Opcode::PmuMask => {
                let enable = fields::pmu_mask::ENABLE.get(command) == 1;
                match self.unmasked {
                    None if enable => self.unmasked = Some(self.now),
                    Some(since) if !enable => {
                        self.timeline.unmasked.push((since, self.now));
                        self.unmasked = None;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn flush(&mut self, continued: bool) {
        let Some(pending) = self.pending.take() else { return };
        let operations: Vec<&Operation> = pending.chain.iter().map(|(_, _, operation)| operation).collect();
        let timings = self.machine.estimate(&operations, !pending.continues, !continued);
        let start = pending.ready.max(self.kernels.last().copied().unwrap_or(0));
        let end = start + timings.first().map_or(0, |head| head.end);
        for (mut timing, (position, command, _)) in timings.into_iter().zip(&pending.chain) {
            (timing.position, timing.command) = (*position, *command);
            (timing.start, timing.end) = (if timing.chained { end } else { start }, end);
            timing.unmasked = pending.unmasked;
            self.kernels.push(end);
            self.timeline.commands.push(timing);
        }
    }

    /// The timeline up to now, everything outstanding finished.
    pub(crate) fn finish(mut self) -> Timeline {
        self.flush(false);
        self.now = self.now.max(finished(&self.copies, 0)).max(finished(&self.kernels, 0));
        self.timeline.cycles = self.now;
        if let Some(since) = self.unmasked {
            self.timeline.unmasked.push((since, self.now));
        }
        self.timeline.commands.sort_by_key(|command| command.position);
        self.timeline
    }
}

/// When at most `left` of the things that end at `ends`, in order, are outstanding.
fn finished(ends: &[u64], left: usize) -> u64 {
    ends.len().checked_sub(left + 1).and_then(|i| ends.get(i)).copied().unwrap_or(0)
}

/// Forgets the oldest of many ends.
fn trim(ends: &mut Vec<u64>) {
    if ends.len() > MAX_ENDS {
        ends.drain(..ends.len() / 2);
    }
}

/// AXI0 is 0, AXI1 is 1.
fn port_index(port: Port) -> usize {
    match port {
        Port::Axi0 => 0,
        Port::Axi1 => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_lets_so_many_go_on() {
        let ends = [10, 20, 30];
        assert_eq!(finished(&ends, 0), 30);
        assert_eq!(finished(&ends, 1), 20);
        assert_eq!(finished(&ends, 3), 0);
        assert_eq!(finished(&[], 0), 0);
    }
}
