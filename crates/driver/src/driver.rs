//! Reset, checks, run: the register sequences of the three generations.
//!
//! The order of register accesses is that of Arm's core driver (`ethosu_device_u55_u65.c`,
//! `ethosu_device_u85.c`): each run starts with a soft reset, keeps power and clock on while the
//! NPU runs and gives them back afterwards.

use tombolo_ethosu::pmu::{self, Event};
use tombolo_ethosu::regs::{Register, fields};
use tombolo_ethosu::{Accelerator, Generation};

use crate::config::{DriverConfig, Limits};
use crate::error::NpuError;
use crate::io::{Job, Npu, REGIONS, Region};

/// What the NPU says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NpuInfo {
    /// Generation.
    pub generation: Generation,
    /// The configuration, if it is one of the eleven.
    pub accelerator: Option<Accelerator>,
    /// The CONFIG register.
    pub config: u32,
    /// The ID register.
    pub id: u32,
}

/// What to count during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PmuConfig {
    /// Count cycles from when the NPU becomes active until it is idle.
    pub cycles: bool,
    /// An event per counter: 4 counters on U55 and U65, 8 on U85.
    pub events: [Option<Event>; 8],
}

impl PmuConfig {
    /// Cycles only.
    pub const CYCLES: PmuConfig = PmuConfig { cycles: true, events: [None; 8] };

    fn is_off(&self) -> bool {
        !self.cycles && self.events.iter().all(Option::is_none)
    }
}

/// What a run left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunStats {
    /// The mask that the stream's STOP (and IRQ) commands left in STATUS.
    pub history: u16,
    /// Cycles from active to idle, if they were counted.
    pub cycles: Option<u64>,
    /// Each counter asked for.
    pub events: [Option<u32>; 8],
    /// Counters that overflowed: bit 0 to 7 those of events, bit 31 that of cycles.
    pub overflows: u32,
}

/// Bits of CMD that hold power and clock requests and are carried along.
const POWER_AND_CLOCK: u32 = 0xc;

/// The driver of one NPU.
#[derive(Debug)]
pub struct Driver<N> {
    npu: N,
    config: Option<DriverConfig>,
    pmu: PmuConfig,
}

impl<N: Npu> Driver<N> {
    /// A driver with the default settings of whatever generation the NPU turns out to be.
    pub const fn new(npu: N) -> Driver<N> {
        Driver { npu, config: None, pmu: PmuConfig { cycles: false, events: [None; 8] } }
    }

    /// A driver with settings of one's own.
    pub const fn with_config(npu: N, config: DriverConfig) -> Driver<N> {
        Driver { npu, config: Some(config), pmu: PmuConfig { cycles: false, events: [None; 8] } }
    }

    /// The NPU.
    pub fn npu(&self) -> &N {
        &self.npu
    }

    /// The NPU, to be changed.
    pub fn npu_mut(&mut self) -> &mut N {
        &mut self.npu
    }

    /// The NPU back.
    pub fn into_npu(self) -> N {
        self.npu
    }

    fn read(&mut self, generation: Generation, register: Register) -> u32 {
        match register.offset(generation) {
            Some(offset) => self.npu.read(offset),
            None => 0,
        }
    }

    fn write(&mut self, generation: Generation, register: Register, value: u32) {
        self.write_at(generation, register, 0, value);
    }

    fn write_at(&mut self, generation: Generation, register: Register, index: u32, value: u32) {
        if let Some(offset) = register.offset_of(generation, index) {
            self.npu.write(offset, value);
        }
    }

    /// Reads what the NPU is.
    ///
    /// # Errors
    /// [`NpuError::UnknownProduct`] if nothing known answers.
    pub fn info(&mut self) -> Result<NpuInfo, NpuError> {
        // CONFIG and ID stand at the same place in all generations.
        let config = self.read(Generation::U55, Register::Config);
        let generation = Generation::from_product(config >> 28).ok_or(NpuError::UnknownProduct { config })?;
        let id = self.read(generation, Register::Id);
        Ok(NpuInfo { generation, accelerator: Accelerator::from_config_word(config), config, id })
    }

    /// Whether a stream compiled for `config` and `id` (as its payload says) runs here: the product,
    /// the MACs, the stream version, on U85 the number of ports, the major architecture must be the
    /// same, the minor architecture of the NPU at least the stream's, and an added DMA unit there if
    /// the stream wants one.
    pub fn check(&mut self, config: u32, id: u32) -> Result<NpuInfo, NpuError> {
        use fields::config as f;
        let info = self.info()?;
        let npu = info.config;
        let differs = |field: tombolo_ethosu::Field| field.of(config) != field.of(npu);
        if differs(f::PRODUCT) || differs(f::MACS_PER_CC) {
            return Err(NpuError::WrongNpu { stream: config, npu });
        }
        let ports =
            info.generation == Generation::U85 && (differs(f::NUM_AXI_SRAM) || differs(f::NUM_AXI_EXT));
        let dma = f::CUSTOM_DMA.is_set(config) && !f::CUSTOM_DMA.is_set(npu);
        if differs(f::CMD_STREAM_VERSION) || ports || dma {
            return Err(NpuError::WrongBuild { stream: config, npu });
        }
        let (major, minor) = (fields::id::ARCH_MAJOR_REV, fields::id::ARCH_MINOR_REV);
        if major.of(id) != major.of(info.id) || minor.of(id) > minor.of(info.id) {
            return Err(NpuError::WrongArchitecture { stream: id, npu: info.id });
        }
        Ok(info)
    }

    /// Resets the NPU into the security and privilege of the settings and sets the bus limits.
    pub fn reset(&mut self) -> Result<NpuInfo, NpuError> {
        let info = self.info()?;
        let generation = info.generation;
        let config = self.config_for(generation)?;
        let wanted = fields::reset::PENDING_CPL.at(u32::from(config.privileged))
            | fields::reset::PENDING_CSL.at(u32::from(!config.secure));
        self.write(generation, Register::Reset, wanted);
        let mut status = self.read(generation, Register::Status);
        let mut polls = config.reset_polls;
        while fields::status::RESET_STATUS.is_set(status) {
            if polls == 0 {
                return Err(NpuError::ResetTimeout { status });
            }
            polls -= 1;
            core::hint::spin_loop();
            status = self.read(generation, Register::Status);
        }
        let found = self.read(generation, Register::Prot) & 3;
        if found != wanted {
            return Err(NpuError::AccessState { found, wanted });
        }
        match config.limits {
            Limits::Counters(limits) => {
                let registers =
                    [Register::AxiLimit0, Register::AxiLimit1, Register::AxiLimit2, Register::AxiLimit3];
                for (register, limit) in registers.into_iter().zip(limits) {
                    self.write(generation, register, limit.counter_word(generation));
                }
            }
            Limits::Ports { attributes, sram, external } => {
                for (index, attribute) in (0..).zip(attributes) {
                    self.write_at(generation, Register::MemAttr, index, attribute.word());
                }
                self.write(generation, Register::AxiSram, sram.port_word());
                self.write(generation, Register::AxiExt, external.port_word());
                let ramp = fields::power_ctrl::MAC_STEP_CYCLES.at(u32::from(config.power_ramp));
                self.write(generation, Register::PowerCtrl, ramp);
            }
        }
        Ok(info)
    }

    fn config_for(&self, generation: Generation) -> Result<DriverConfig, NpuError> {
        let config = match self.config {
            Some(config) => config,
            None => DriverConfig::new(generation),
        };
        let ports = matches!(config.limits, Limits::Ports { .. });
        if ports != (generation == Generation::U85) {
            return Err(NpuError::WrongSettings { npu: generation });
        }
        Ok(config)
    }

    /// Counts during the runs that follow.
    ///
    /// # Errors
    /// The generation does not count an event, or has fewer counters.
    pub fn set_pmu(&mut self, config: PmuConfig) -> Result<(), NpuError> {
        let generation = self.info()?.generation;
        let counters = pmu::counters(generation);
        for (index, event) in config.events.iter().enumerate() {
            let Some(event) = *event else { continue };
            if index >= counters {
                return Err(NpuError::TooManyEvents { counters: counters as u8 });
            }
            if !event.generations().contains(generation) {
                return Err(NpuError::UnknownEvent { event, npu: generation });
            }
        }
        self.pmu = config;
        Ok(())
    }

    /// Runs a stream to its end. The NPU is reset before, and again after a failure.
    ///
    /// Whether the stream was compiled for this NPU is for [`check`](Driver::check) to say.
    ///
    /// # Errors
    /// Before anything starts: stream or regions are misaligned or out of reach. After: what the NPU
    /// says went wrong, or that it did not finish.
    pub fn run(&mut self, job: &mut Job<'_>) -> Result<RunStats, NpuError> {
        let generation = self.info()?.generation;
        let length = u32::try_from(job.stream.len()).ok().filter(|n| *n != 0 && n & 3 == 0);
        let length = length.ok_or(NpuError::StreamLength { bytes: job.stream.len() })?;
        let queue = self.place(generation, None, job.stream)?;
        let mut bases = [0u64; REGIONS];
        let mut used = 0;
        for (index, (base, region)) in bases.iter_mut().zip(&job.regions).enumerate() {
            if !matches!(region, Region::Absent) && !region.bytes().is_empty() {
                *base = self.place(generation, Some(index as u8), region.bytes())?;
                used = index.saturating_add(1);
            }
        }
        let config = self.config_for(generation)?;

        self.reset()?;
        // Hold power and clock: after a reset they stay on only until CMD is written.
        self.command(generation, !POWER_AND_CLOCK, 0);
        self.start_pmu(generation);
        self.npu.before_run(job);

        self.write(generation, Register::Qbase, queue as u32);
        if generation != Generation::U55 {
            self.write(generation, Register::QbaseHi, (queue >> 32) as u32);
        }
        self.write(generation, Register::Qsize, length);
        self.write(generation, Register::Qconfig, u32::from(config.queue & 3));
        let mut attributes = 0;
        for (index, (base, attribute)) in bases.into_iter().zip(config.regions).take(used).enumerate() {
            if let Some(offset) = Register::Basep.offset_of(generation, index as u32) {
                self.npu.write(offset, base as u32);
                if generation != Generation::U55 {
                    self.npu.write(offset.wrapping_add(4), (base >> 32) as u32);
                }
            }
            attributes |= u32::from(attribute & 3) << (2 * (index as u32 & 7));
        }
        self.write(generation, Register::Regioncfg, attributes);
        self.command(generation, POWER_AND_CLOCK, fields::cmd::TRANSITION_TO_RUNNING_STATE.at(1));

        let waited = self.npu.wait(job);
        if waited.is_ok() {
            self.command(generation, POWER_AND_CLOCK, fields::cmd::CLEAR_IRQ.at(1));
        }
        let status = self.read(generation, Register::Status);
        let position = self.read(generation, Register::Qread);
        self.npu.after_run(job);
        let outcome = match waited {
            Err(_) => Err(NpuError::Timeout { position, status }),
            Ok(()) => judge(generation, status, position),
        };
        let stats = outcome.map(|()| {
            let mut stats = self.stop_pmu(generation);
            stats.history = fields::status::IRQ_HISTORY_MASK.of(status) as u16;
            stats
        });
        if stats.is_err() {
            // Faults are sticky until reset; an NPU that hangs is stopped by it.
            let _ = self.reset();
        }
        self.command(generation, 0, POWER_AND_CLOCK);
        stats
    }

    /// The bus address of memory, if the NPU can use it.
    fn place(&self, generation: Generation, region: Option<u8>, bytes: &[u8]) -> Result<u64, NpuError> {
        let address = self.npu.address(region, bytes.as_ptr());
        if address & 15 != 0 {
            return Err(NpuError::Misaligned { region, address });
        }
        let bits = if generation == Generation::U55 { 32 } else { 40 };
        let end = address.saturating_add(bytes.len() as u64);
        if end > 1 << bits {
            return Err(NpuError::Unreachable { region, address: end, bits });
        }
        Ok(address)
    }

    /// Writes CMD: the `keep` bits as they are, and `set`.
    fn command(&mut self, generation: Generation, keep: u32, set: u32) {
        let old = self.read(generation, Register::Cmd) & POWER_AND_CLOCK & keep;
        self.write(generation, Register::Cmd, old | set);
    }

    /// The counters that the settings switch on, as bits of PMCNTENSET.
    fn counter_mask(&self) -> u32 {
        let cycle = if self.pmu.cycles { 1 << 31 } else { 0 };
        (0u32..).zip(&self.pmu.events).fold(cycle, |mask, (index, event)| match event {
            Some(_) => mask | (1 << (index & 7)),
            None => mask,
        })
    }

    fn start_pmu(&mut self, generation: Generation) {
        if self.pmu.is_off() {
            return;
        }
        use fields::pmcr as f;
        let on = f::CNT_EN.at(1);
        self.write(generation, Register::Pmcr, on);
        for (index, event) in (0..).zip(self.pmu.events) {
            if let Some(event) = event {
                self.write_at(generation, Register::Pmevtyper, index, event.id());
            }
        }
        if self.pmu.cycles {
            use fields::pmccntr_cfg as c;
            let range = c::CYCLE_CNT_CFG_START.at(Event::NpuActive.id())
                | c::CYCLE_CNT_CFG_STOP.at(Event::NpuIdle.id());
            self.write(generation, Register::PmccntrCfg, range);
        }
        self.write(generation, Register::Pmcr, on | f::EVENT_CNT_RST.at(1) | f::CYCLE_CNT_RST.at(1));
        let mask = self.counter_mask();
        self.write(generation, Register::Pmovsclr, mask);
        self.write(generation, Register::Pmcntenset, mask);
    }

    fn stop_pmu(&mut self, generation: Generation) -> RunStats {
        let mut stats = RunStats::default();
        if self.pmu.is_off() {
            return stats;
        }
        let mask = self.counter_mask();
        self.write(generation, Register::Pmcntenclr, mask);
        if self.pmu.cycles {
            let low = self.read(generation, Register::Pmccntr);
            let high = self.read(generation, Register::PmccntrHi) & 0xffff;
            stats.cycles = Some((u64::from(high) << 32) | u64::from(low));
        }
        for (index, (event, value)) in (0..).zip(self.pmu.events.into_iter().zip(&mut stats.events)) {
            *value = event
                .and(Register::Pmevcntr.offset_of(generation, index))
                .map(|offset| self.npu.read(offset));
        }
        stats.overflows = self.read(generation, Register::Pmovsset) & mask;
        self.write(generation, Register::Pmcr, 0);
        stats
    }
}

/// What STATUS says after the interrupt.
fn judge(generation: Generation, status: u32, position: u32) -> Result<(), NpuError> {
    use fields::status as f;
    if f::BUS_STATUS.is_set(status) {
        return Err(NpuError::Bus {
            generation,
            interface: f::FAULTING_INTERFACE_U85.of(status) as u8,
            channel: f::FAULTING_CHANNEL.of(status) as u8,
            position,
        });
    }
    if f::CMD_PARSE_ERROR.is_set(status) {
        return Err(NpuError::Parse { position });
    }
    if generation == Generation::U85 {
        if f::BRANCH_FAULT.is_set(status) {
            return Err(NpuError::Branch { position });
        }
    } else if f::WD_FAULT.is_set(status) {
        return Err(NpuError::Weights { position });
    }
    if f::ECC_FAULT.is_set(status) {
        return Err(NpuError::Ecc { position });
    }
    if !f::CMD_END_REACHED.is_set(status) {
        return Err(NpuError::NotFinished { position, status });
    }
    Ok(())
}
