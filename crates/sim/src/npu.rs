//! The NPU as software sees it: registers in, an interrupt line out, and a bus to work on.

use tombolo_ethosu::cmd::{self, Command, Opcode, fields as cmd_fields};
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::regs::{Access as RegisterAccess, Register, fields};
use tombolo_ethosu::{Accelerator, Generation};

use crate::bus::{Access, Bus};
use crate::check::{Checker, Checks, Finding, Watch};
use crate::fault::{Cause, Channel, Fault};
use crate::mem::Memory;
use crate::pmu::{self, Pmu};
use crate::state::State;
use crate::stats::OpStats;
use crate::timing::{Recorder, System, Timeline};
use crate::{u5x, u85};

/// The largest stream Vela writes, and what fits the length in a `COP1` container.
const MAX_STREAM: u32 = 16 << 20;

/// Work that one run may do unless [`Npu::set_work_limit`] says otherwise: some minutes.
const DEFAULT_WORK_LIMIT: u64 = 1 << 40;

/// Work that a command is counted as beside what it does: it takes as long as some dozens of
/// multiply-accumulates, and on U85 commands may be repeated without end.
const COMMAND_WORK: u64 = 64;

/// Registers live below this offset on all generations but for the identification words.
const WORDS: usize = 0x1400 / 4;

/// What follows after an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next command.
    Next,
    /// The command at this byte of the stream. (U85)
    #[allow(dead_code, reason = "only the U85 branches")]
    Jump(u32),
}

/// What differs between the generations stands behind this.
#[derive(Debug)]
enum Core {
    U5x(Box<u5x::Core>),
    U85(Box<u85::Core>),
}

impl Core {
    fn new(accelerator: Accelerator) -> Core {
        match accelerator.generation() {
            Generation::U55 | Generation::U65 => Core::U5x(Box::new(u5x::Core::new(accelerator))),
            Generation::U85 => Core::U85(Box::new(u85::Core::new(accelerator))),
        }
    }

    fn reset(&mut self) {
        match self {
            Core::U5x(core) => core.reset(),
            Core::U85(core) => core.reset(),
        }
    }

    fn execute(&mut self, command: Command, state: &State, memory: &mut Memory<'_>) -> Result<Flow, Cause> {
        match self {
            Core::U5x(core) => core.execute(command, state, memory),
            Core::U85(core) => core.execute(command, state, memory),
        }
    }
}

/// A simulated Ethos-U. Program it through its registers as a driver does, then let it [`run`].
///
/// [`run`]: Npu::run
#[derive(Debug)]
pub struct Npu {
    accelerator: Accelerator,
    generation: Generation,
    core: Core,
    state: State,
    pmu: Pmu,
    /// What was written to registers that only keep it.
    words: Vec<u32>,
    /// SHRAM, or the table memory of a U85.
    internal: Vec<u8>,
    running: bool,
    irq: bool,
    end_reached: bool,
    stop_request: bool,
    irq_history: u16,
    /// Clock and power bits of CMD.
    q_enable: u32,
    prot: u32,
    qread: u32,
    fault: Option<Fault>,
    stream: Vec<u8>,
    work_limit: u64,
    record: bool,
    ops: Vec<OpStats>,
    system: Option<System>,
    recorder: Option<Recorder>,
    timeline: Option<Timeline>,
    checks: Option<Checks>,
    checker: Option<Checker>,
}

impl Npu {
    /// An NPU after reset.
    pub fn new(accelerator: Accelerator) -> Npu {
        let generation = accelerator.generation();
        let internal = match generation {
            Generation::U55 | Generation::U65 => accelerator.spec().shram_kib_per_core as usize * 1024,
            Generation::U85 => accelerator.lut_bytes() as usize,
        };
        let mut npu = Npu {
            accelerator,
            generation,
            core: Core::new(accelerator),
            state: State::new(generation),
            pmu: Pmu::new(generation),
            words: vec![0; WORDS],
            internal: vec![0; internal],
            running: false,
            irq: false,
            end_reached: false,
            stop_request: false,
            irq_history: 0,
            q_enable: 0,
            prot: 0,
            qread: 0,
            fault: None,
            stream: Vec::new(),
            work_limit: DEFAULT_WORK_LIMIT,
            record: false,
            ops: Vec::new(),
            system: None,
            recorder: None,
            timeline: None,
            checks: None,
            checker: None,
        };
        npu.reset(0);
        npu
    }

    /// What is simulated.
    pub fn accelerator(&self) -> Accelerator {
        self.accelerator
    }

    /// The line to the interrupt controller.
    pub fn irq(&self) -> bool {
        self.irq || self.pmu.irq()
    }

    /// Whether a run was started and has not ended: [`Npu::run`] would work.
    pub fn running(&self) -> bool {
        self.running
    }

    /// Why the last run ended badly. Cleared by reset, like the bits in STATUS.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Bounds what one run may do: about one unit for a multiply-accumulate, an element, or a byte
    /// of a stream or copy. A run that needs more ends with [`Cause::WorkLimit`]. Hardware has no
    /// such limit; the default allows for minutes of simulation.
    pub fn set_work_limit(&mut self, limit: u64) {
        self.work_limit = limit;
    }

    /// Whether runs record [`Npu::op_stats`] from now on.
    pub fn set_record_stats(&mut self, record: bool) {
        self.record = record;
    }

    /// What every operation of the last run did, in order, if it was recorded.
    pub fn op_stats(&self) -> &[OpStats] {
        &self.ops
    }

    /// Estimates the time of runs from now on, with these memories around the NPU. With `None`, as at
    /// first, only runs in which the PMU is to count are estimated, with the accelerator's default
    /// system ([`System::default_of`]).
    pub fn set_system(&mut self, system: Option<System>) {
        self.system = system;
        self.timeline = None;
    }

    /// The timeline of the last run, if its time was estimated: [`Npu::set_system`] asked for it, or
    /// the PMU was on.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// What runs are checked for from now on; `None`, as at first, for nothing.
    pub fn set_checks(&mut self, checks: Option<Checks>) {
        self.checks = checks;
        self.checker = None;
    }

    /// What the checks of the last run found, in the order of the stream: the first hundred.
    pub fn findings(&self) -> &[Finding] {
        self.checker.as_ref().map_or(&[], |checker| &checker.findings)
    }

    /// How many findings there were beyond [`Npu::findings`].
    pub fn more_findings(&self) -> u64 {
        self.checker.as_ref().map_or(0, |checker| checker.more)
    }

    /// The first of these bytes that were neither defined at the start of the last run nor written by it, if
    /// [`Checks::defined`] was asked for: first address, and the one behind the last of that piece.
    pub fn undefined(&self, address: u64, length: u64) -> Option<(u64, u64)> {
        self.checker.as_ref()?.undefined(address, length)
    }

    /// Whether the PMU counts `event`. Counters of others stay where software puts them: whoever prints
    /// one should say that it is not modelled.
    pub fn pmu_modelled(&self, event: Event) -> bool {
        event.generations().contains(self.generation) && pmu::modelled(event)
    }

    /// A soft reset into the given privilege and security. Done at once: STATUS.reset_status is
    /// never seen set.
    fn reset(&mut self, prot: u32) {
        self.core.reset();
        self.state.clear();
        self.pmu = Pmu::new(self.generation);
        self.words.fill(0);
        for &register in Register::ALL {
            if let (Some(offset), Some(value)) =
                (register.offset(self.generation), register.reset_value(self.generation))
                && let Some(word) = self.words.get_mut(offset as usize / 4)
            {
                *word = value;
            }
        }
        self.running = false;
        self.irq = false;
        self.end_reached = false;
        self.stop_request = false;
        self.irq_history = 0;
        self.q_enable = fields::cmd::CLOCK_Q_ENABLE.at(1) | fields::cmd::POWER_Q_ENABLE.at(1);
        self.prot = prot & 3;
        self.qread = 0;
        self.fault = None;
    }

    fn status(&self) -> u32 {
        use fields::status as f;
        let mut status = f::STATE.at(self.running.into())
            | f::IRQ_RAISED.at(self.irq.into())
            | f::PMU_IRQ_RAISED.at(self.pmu.irq().into())
            | f::CMD_END_REACHED.at(self.end_reached.into())
            | f::IRQ_HISTORY_MASK.at(self.irq_history.into());
        if let Some(fault) = &self.fault {
            status |= match &fault.cause {
                Cause::Bus { channel, interface, .. } => {
                    f::BUS_STATUS.at(1)
                        | f::FAULTING_INTERFACE_U55_U65.at(u32::from(*interface))
                        | f::FAULTING_CHANNEL.at(*channel as u32)
                }
                Cause::Weights { .. } if self.generation != Generation::U85 => f::WD_FAULT.at(1),
                Cause::Branch(_) => f::BRANCH_FAULT.at(1),
                _ => f::CMD_PARSE_ERROR.at(1),
            };
        }
        status
    }

    /// Reads the register at a byte offset. What is not there, or not modelled, reads 0.
    pub fn read(&mut self, offset: u32) -> u32 {
        if let Some(word) = self.mirror(offset) {
            return word;
        }
        let Some((register, index)) = Register::from_offset(self.generation, offset) else {
            return self.word(offset);
        };
        if let Some(value) = self.pmu.read(register, index) {
            return value;
        }
        match register {
            Register::Id => self.accelerator.id_word(),
            Register::Status => self.status(),
            Register::Cmd => self.q_enable,
            Register::Reset => 0,
            Register::Qread => self.qread,
            Register::Prot => self.prot,
            Register::Config => self.accelerator.config_word(),
            Register::CondStatus => match &self.core {
                Core::U85(core) => core.cond_status(),
                Core::U5x(_) => 0,
            },
            _ => self.word(offset),
        }
    }

    /// Writes the register at a byte offset. Writes to read-only registers and to what is not
    /// there are ignored.
    pub fn write(&mut self, offset: u32, value: u32) {
        let Some((register, index)) = Register::from_offset(self.generation, offset) else {
            // The second words of two-word registers have no row of their own.
            if let Some((Register::Basep, _)) = Register::from_offset(self.generation, offset.wrapping_sub(4))
            {
                self.set_word(offset, value);
            }
            return;
        };
        if self.pmu.write(register, index, value) {
            return;
        }
        match register {
            Register::Cmd => self.command(value),
            Register::Reset => self.reset(value),
            Register::Qbase | Register::QbaseHi | Register::Qsize => {
                self.set_word(offset, value);
                if !self.running {
                    self.end_reached = false;
                    self.qread = 0;
                }
            }
            _ if register.access() == RegisterAccess::ReadWrite => self.set_word(offset, value),
            _ => {}
        }
    }

    fn command(&mut self, value: u32) {
        use fields::cmd as f;
        self.q_enable = value & (f::CLOCK_Q_ENABLE.at(1) | f::POWER_Q_ENABLE.at(1));
        self.irq_history &= !(f::CLEAR_IRQ_HISTORY.of(value) as u16);
        if f::CLEAR_IRQ.is_set(value) {
            self.irq = false;
            self.pmu.clear_irq();
        }
        if f::STOP_REQUEST.is_set(value) {
            self.stop_request = true;
        }
        // After a fault nothing moves until the next reset.
        if f::TRANSITION_TO_RUNNING_STATE.is_set(value) && self.fault.is_none() {
            self.running = true;
        }
    }

    fn word(&self, offset: u32) -> u32 {
        if !offset.is_multiple_of(4) {
            return 0;
        }
        self.words.get(offset as usize / 4).copied().unwrap_or(0)
    }

    fn set_word(&mut self, offset: u32, value: u32) {
        if let Some(word) = self.words.get_mut(offset as usize / 4) {
            *word = value;
        }
    }

    fn kept(&self, register: Register, index: u32) -> u32 {
        register.offset_of(self.generation, index).map_or(0, |offset| self.word(offset))
    }

    /// Parameter and payload of SET commands can be read back.
    fn mirror(&self, offset: u32) -> Option<u32> {
        if !(0x800..0xc00).contains(&offset) {
            return None;
        }
        let value = Opcode::ALL.iter().filter(|opcode| self.accelerator.knows(**opcode)).find_map(|opcode| {
            let first = opcode.mirror_offset()?;
            let second = opcode.kind().has_payload().then_some(first + 4);
            let command = self.state.find(*opcode)?;
            match (offset == first, Some(offset) == second) {
                (true, _) if second.is_some() => Some(command.payload),
                (true, _) | (_, true) => Some(command.param.into()),
                _ => None,
            }
        });
        Some(value.unwrap_or(0))
    }

    /// The bits of an address that reach the bus.
    fn address_mask(&self) -> u64 {
        match self.generation {
            Generation::U55 => u32::MAX.into(),
            Generation::U65 | Generation::U85 => (1 << 40) - 1,
        }
    }

    /// AXI interface that a memory attribute (of REGIONCFG or QCONFIG) selects.
    fn interface(&self, attribute: u32) -> u8 {
        match self.generation {
            // Attributes 2 and 3 are the counters of AXI1.
            Generation::U55 | Generation::U65 => (attribute as u8 >> 1) & 1,
            Generation::U85 => {
                fields::mem_attr::AXI_PORT.of(self.kept(Register::MemAttr, attribute & 3)) as u8
            }
        }
    }

    /// Works until STOP, a fault or a stop request. Does nothing unless CMD started a run.
    pub fn run(&mut self, bus: &mut dyn Bus) {
        if !self.running {
            return;
        }
        if self.stop_request {
            self.stop_request = false;
            self.running = false;
            return;
        }
        if self.end_reached {
            self.running = false;
            return;
        }
        if self.qread == 0 {
            // A stream sets all that it needs; what an earlier one left is not to be relied on.
            self.state.clear();
            self.ops.clear();
        }
        self.timeline = None;
        let system =
            self.system.or_else(|| self.pmu.counting().then(|| System::default_of(self.accelerator)));
        self.recorder = system.map(|system| Recorder::new(self.accelerator, system));
        self.checker = self.checks.as_ref().map(|checks| Checker::new(self.accelerator, checks));
        let mut stream = std::mem::take(&mut self.stream);
        let outcome = self
            .fetch(bus, &mut stream)
            .map_err(|cause| (None, cause))
            .and_then(|()| self.run_stream(bus, &stream));
        self.stream = stream;
        self.timeline = self.recorder.take().map(Recorder::finish);
        if let Some(timeline) = &self.timeline {
            self.pmu.count(timeline);
        }
        self.running = false;
        self.irq = true;
        if let Err((command, cause)) = outcome {
            self.fault = Some(Fault { position: self.qread, command, cause });
        }
    }

    fn fetch(&mut self, bus: &mut dyn Bus, stream: &mut Vec<u8>) -> Result<(), Cause> {
        let high = u64::from(self.kept(Register::QbaseHi, 0)) << 32;
        let base = (u64::from(self.kept(Register::Qbase, 0)) | high) & self.address_mask();
        let size = self.kept(Register::Qsize, 0);
        if size > MAX_STREAM {
            return Err(Cause::invalid(format!(
                "QSIZE says {size} bytes; a command stream has at most {MAX_STREAM}"
            )));
        }
        let interface = self.interface(self.kept(Register::Qconfig, 0) & 3);
        let cause = |fault| Cause::Bus { channel: Channel::Command, interface, region: None, fault };
        bus.check(base, size.into(), Access::Read).map_err(cause)?;
        stream.clear();
        stream.resize(size as usize, 0);
        bus.read(base, stream).map_err(cause)
    }

    fn run_stream(&mut self, bus: &mut dyn Bus, stream: &[u8]) -> Result<(), (Option<Command>, Cause)> {
        let regioncfg = self.kept(Register::Regioncfg, 0);
        let mut basep = [0; 8];
        let mut interfaces = [0; 8];
        for i in 0..8u32 {
            if let Some(offset) = Register::Basep.offset_of(self.generation, i) {
                let high = u64::from(self.word(offset + 4)) << 32;
                basep[i as usize] = (u64::from(self.word(offset)) | high) & self.address_mask();
            }
            interfaces[i as usize] = self.interface(regioncfg >> (2 * i) & 3);
        }
        let mut budget = self.work_limit;
        loop {
            let position = self.qread;
            let (command, next) = match cmd::decode_at(self.generation, stream, position as usize) {
                Ok(Some((command, next))) => (command, next as u32),
                Ok(None) => {
                    return Err((None, Cause::invalid("the stream ends without STOP; is QSIZE too small?")));
                }
                Err(error) => return Err((None, Cause::Decode(error))),
            };
            let fail = |cause| (Some(command), cause);
            budget = budget.checked_sub(COMMAND_WORK).ok_or_else(|| fail(Cause::WorkLimit))?;
            self.qread = match command.opcode {
                Opcode::Stop => {
                    self.irq_history |= cmd_fields::stop::MASK.get(command) as u16;
                    self.end_reached = true;
                    self.qread = next;
                    return Ok(());
                }
                Opcode::Irq => {
                    self.irq_history |= cmd_fields::irq::MASK.get(command) as u16;
                    self.irq = true;
                    next
                }
                // Operations are carried out one after the other, each to its end.
                Opcode::DmaWait | Opcode::KernelWait | Opcode::PmuMask => {
                    if let Some(recorder) = &mut self.recorder {
                        recorder.command(position, command, &self.state);
                    }
                    if let Some(checker) = &mut self.checker {
                        checker.wait(command);
                    }
                    next
                }
                opcode if opcode.is_op() => {
                    let mut stats = OpStats::new(position, command);
                    let mut watch;
                    let bus: &mut dyn Bus = match &mut self.checker {
                        Some(checker) => {
                            checker.begin(command);
                            watch = Watch { bus: &mut *bus, checker };
                            &mut watch
                        }
                        None => &mut *bus,
                    };
                    let mut memory = Memory {
                        bus,
                        basep,
                        interfaces,
                        internal: &mut self.internal,
                        budget: &mut budget,
                        stats: &mut stats,
                    };
                    let flow = self.core.execute(command, &self.state, &mut memory).map_err(fail)?;
                    if let Some(checker) = &mut self.checker {
                        checker.operation(position, command, &self.state, &basep);
                    }
                    if self.record {
                        self.ops.push(stats);
                    }
                    if let Some(recorder) = &mut self.recorder {
                        recorder.command(position, command, &self.state);
                    }
                    match flow {
                        Flow::Next => next,
                        Flow::Jump(target) if (target as usize) < stream.len() => target,
                        Flow::Jump(target) => {
                            return Err(fail(Cause::Branch(
                                format!("the branch target {target:#x} is behind the end of the stream")
                                    .into(),
                            )));
                        }
                    }
                }
                _ => {
                    self.state.set(command);
                    next
                }
            };
        }
    }
}
