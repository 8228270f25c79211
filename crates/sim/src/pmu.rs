//! Registers of the performance monitoring unit.
//!
//! The registers behave; nothing counts yet, because there is no cycle model: all counters stay
//! where software puts them. [`Pmu::MODELLED`] says so to whoever prints them.

use tombolo_ethosu::Generation;
use tombolo_ethosu::regs::{Register, fields};

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
}

impl Pmu {
    /// Whether counters count.
    pub(crate) const MODELLED: bool = false;

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
