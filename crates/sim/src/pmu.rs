//! The performance monitoring unit: its registers, and what its counters count.
//!
//! Counters are brought up to date when a run ends, from the [`Timeline`] of the run. What the timeline
//! does not tell is not modelled: such a counter stays where software put it, and [`modelled`] says so
//! to whoever prints it.
//!
//! Between runs there is no time here: NPU_IDLE is not modelled, and as the event that stops the cycle
//! counter it is the end of a run. With PMCR.mask_en counting is off until NPU_OP_PMU_MASK turns it on;
//! no public source says what it is at the start of a stream.

use tombolo_ethosu::Generation;
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::regs::{Register, fields};

use crate::timing::{CommandTiming, PortBytes, Timeline};

const CYCLE: u32 = 1 << 31;

/// State of the unit.
#[derive(Debug, Clone)]
pub(crate) struct Pmu {
    counters: u32,
    pmcr: u32,
    enabled: u32,
    overflowed: u32,
    interrupts: u32,
    cycles: u64,
    cycle_config: u32,
    axi_channel: u32,
    events: [u32; 8],
    types: [u32; 8],
    generation: Generation,
    irq: bool,
}

/// What a command adds to an event.
enum Counts {
    /// Cycles of the run.
    Cycles,
    /// Something of each command.
    Command(fn(&CommandTiming) -> u64),
    /// Data beats of a port, of all that is read or written.
    Beats { port: usize, of: fn(&PortBytes) -> u64 },
}

/// The events that are modelled.
fn counts(event: Event) -> Option<Counts> {
    use Event as E;
    let beats = |port, of| Some(Counts::Beats { port, of });
    let mac = |of| Some(Counts::Command(of));
    match event {
        E::Cycle | E::NpuActive => Some(Counts::Cycles),
        E::MacActive => mac(|c| c.mac),
        E::MacActive8bit => mac(|c| if c.bits.0 == 8 { c.mac } else { 0 }),
        E::MacActive16bit => mac(|c| if c.bits.0 == 16 { c.mac } else { 0 }),
        E::MacActive32bit => mac(|c| if c.bits.0 == 32 { c.mac } else { 0 }),
        E::AoActive => mac(|c| c.output),
        E::AoActive8bit => mac(|c| if c.bits.1 == 8 { c.output } else { 0 }),
        E::AoActive16bit => mac(|c| if c.bits.1 == 16 { c.output } else { 0 }),
        E::Axi0RdDataBeatReceived | E::SramRdDataBeatReceived => beats(0, |bytes| bytes.read),
        E::Axi0WrDataBeatWritten | E::SramWrDataBeatWritten => beats(0, |bytes| bytes.written),
        E::Axi1RdDataBeatReceived | E::ExtRdDataBeatReceived => beats(1, |bytes| bytes.read),
        E::Axi1WrDataBeatWritten | E::ExtWrDataBeatWritten => beats(1, |bytes| bytes.written),
        _ => None,
    }
}

/// Whether counters of `event` count.
pub(crate) fn modelled(event: Event) -> bool {
    event == Event::NoEvent || counts(event).is_some()
}

/// Bytes of a data beat.
fn beat(generation: Generation) -> u64 {
    if generation == Generation::U55 { 8 } else { 16 }
}

impl Timeline {
    /// How often `event` happened, or for how many cycles; `None` if it is not modelled.
    pub fn count(&self, generation: Generation, event: Event) -> Option<u64> {
        if event == Event::NoEvent {
            return Some(0);
        }
        Some(self.count_where(generation, &counts(event)?, false))
    }

    /// The same, while NPU_OP_PMU_MASK lets count if `masked`.
    fn count_where(&self, generation: Generation, counts: &Counts, masked: bool) -> u64 {
        if matches!(counts, Counts::Cycles) {
            return if masked { self.unmasked.iter().map(|(from, to)| to - from).sum() } else { self.cycles };
        }
        self.commands
            .iter()
            .filter(|c| !masked || c.unmasked)
            .map(|c| of_command(generation, counts, c))
            .sum()
    }

    /// When `event` happens first from cycle `from` on.
    fn first(&self, generation: Generation, event: Event, from: u64) -> Option<u64> {
        let counts = counts(event)?;
        if matches!(counts, Counts::Cycles) {
            return Some(from);
        }
        let happens = |c: &&CommandTiming| c.end > from && of_command(generation, &counts, c) > 0;
        self.commands.iter().filter(happens).map(|c| c.start.max(from)).min()
    }
}

fn of_command(generation: Generation, counts: &Counts, command: &CommandTiming) -> u64 {
    match counts {
        Counts::Cycles => command.cycles(),
        Counts::Command(of) => of(command),
        Counts::Beats { port, of } => of(&command.data[*port]).div_ceil(beat(generation)),
    }
}

impl Pmu {
    pub(crate) fn new(generation: Generation) -> Pmu {
        Pmu {
            counters: Register::Pmevcntr.count(generation).min(8),
            pmcr: 0,
            enabled: 0,
            overflowed: 0,
            interrupts: 0,
            cycles: 0,
            cycle_config: 0,
            axi_channel: 0,
            events: [0; 8],
            types: [0; 8],
            generation,
            irq: false,
        }
    }

    /// Whether counters are to count in the run that starts.
    pub(crate) fn counting(&self) -> bool {
        fields::pmcr::CNT_EN.is_set(self.pmcr) && self.enabled != 0
    }

    /// Whether it holds the interrupt line.
    pub(crate) fn irq(&self) -> bool {
        self.irq
    }

    /// CMD.clear_irq.
    pub(crate) fn clear_irq(&mut self) {
        self.irq = false;
    }

    /// Counts what happened in a run.
    pub(crate) fn count(&mut self, timeline: &Timeline) {
        if !self.counting() {
            return;
        }
        let masked = fields::pmcr::MASK_EN.is_set(self.pmcr);
        let mut overflowed = 0;
        if self.enabled & CYCLE != 0 {
            let sum = self.cycles + self.window(timeline, masked);
            self.cycles = sum & ((1 << 48) - 1);
            if sum != self.cycles {
                overflowed |= CYCLE;
            }
        }
        for (index, (counter, &kind)) in self.events.iter_mut().zip(&self.types).enumerate() {
            let bit = 1 << index;
            if self.enabled & bit == 0 {
                continue;
            }
            let Some(counts) = Event::from_id(self.generation, kind).and_then(counts) else { continue };
            let sum = u64::from(*counter) + timeline.count_where(self.generation, &counts, masked);
            *counter = sum as u32;
            if sum > u64::from(u32::MAX) {
                overflowed |= bit;
            }
        }
        self.overflowed |= overflowed;
        if overflowed & self.interrupts != 0 {
            self.irq = true;
        }
    }

    /// Cycles of a run between the events that start and stop the cycle counter.
    fn window(&self, timeline: &Timeline, masked: bool) -> u64 {
        use fields::pmccntr_cfg::{CYCLE_CNT_CFG_START as START, CYCLE_CNT_CFG_STOP as STOP};
        let event = |id| Event::from_id(self.generation, id);
        let from = match event(START.of(self.cycle_config)) {
            Some(Event::NoEvent) => Some(0),
            Some(event) => timeline.first(self.generation, event, 0),
            None => None,
        };
        let Some(from) = from else { return 0 };
        let to = match event(STOP.of(self.cycle_config)) {
            Some(event) if event != Event::NoEvent => timeline.first(self.generation, event, from),
            _ => None,
        };
        let to = to.unwrap_or(timeline.cycles).max(from);
        match masked {
            false => to - from,
            true => {
                let within = |&(a, b): &(u64, u64)| b.min(to).saturating_sub(a.max(from));
                timeline.unmasked.iter().map(within).sum()
            }
        }
    }

    fn mask(&self) -> u32 {
        CYCLE | ((1 << self.counters) - 1)
    }

    /// Reads one of the unit's registers; `None` if `register` is none.
    pub(crate) fn read(&self, register: Register, index: u32) -> Option<u32> {
        Some(match register {
            Register::Pmcr => self.pmcr | fields::pmcr::NUM_EVENT_CNT.at(self.counters),
            Register::Pmcntenset | Register::Pmcntenclr => self.enabled,
            Register::Pmovsset | Register::Pmovsclr => self.overflowed,
            Register::Pmintset | Register::Pmintclr => self.interrupts,
            Register::Pmccntr => self.cycles as u32,
            Register::PmccntrHi => (self.cycles >> 32) as u32 & 0xffff,
            Register::PmccntrCfg => self.cycle_config,
            Register::PmcaxiChan => self.axi_channel,
            Register::Pmevcntr => *self.events.get(index as usize)?,
            Register::Pmevtyper => *self.types.get(index as usize)?,
            _ => return None,
        })
    }

    /// Writes one of the unit's registers; says whether `register` is one.
    pub(crate) fn write(&mut self, register: Register, index: u32, value: u32) -> bool {
        let bits = value & self.mask();
        match register {
            Register::Pmcr => {
                if fields::pmcr::EVENT_CNT_RST.is_set(value) {
                    self.events = [0; 8];
                }
                if fields::pmcr::CYCLE_CNT_RST.is_set(value) {
                    self.cycles = 0;
                }
                // The two reset bits read as 0.
                self.pmcr = fields::pmcr::CNT_EN.at(fields::pmcr::CNT_EN.of(value))
                    | fields::pmcr::MASK_EN.at(fields::pmcr::MASK_EN.of(value));
            }
            Register::Pmcntenset => self.enabled |= bits,
            Register::Pmcntenclr => self.enabled &= !bits,
            Register::Pmovsset => self.overflowed |= bits,
            Register::Pmovsclr => self.overflowed &= !bits,
            Register::Pmintset => self.interrupts |= bits,
            Register::Pmintclr => self.interrupts &= !bits,
            Register::Pmccntr => self.cycles = self.cycles & !0xffff_ffff | u64::from(value),
            Register::PmccntrHi => {
                self.cycles = self.cycles & 0xffff_ffff | u64::from(value & 0xffff) << 32;
            }
            Register::PmccntrCfg => self.cycle_config = value,
            Register::PmcaxiChan => self.axi_channel = value,
            Register::Pmevcntr => {
                if let Some(slot) = self.events.get_mut(index as usize) {
                    *slot = value;
                }
            }
            Register::Pmevtyper => {
                if let Some(slot) = self.types.get_mut(index as usize) {
                    *slot = value;
                }
            }
            _ => return false,
        }
        true
    }
}
