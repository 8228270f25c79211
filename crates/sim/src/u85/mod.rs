//! Ethos-U85: decoding of its registers and its data path.

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::Command;

use crate::fault::Cause;
use crate::mem::Memory;
use crate::npu::Flow;
use crate::state::State;

/// What an Ethos-U85 keeps between operations.
#[derive(Debug)]
pub(crate) struct Core {
    accelerator: Accelerator,
}

impl Core {
    pub(crate) fn new(accelerator: Accelerator) -> Core {
        Core { accelerator }
    }

    pub(crate) fn reset(&mut self) {}

    /// COND_STATUS.
    pub(crate) fn cond_status(&self) -> u32 {
        0
    }

    pub(crate) fn execute(
        &mut self,
        command: Command,
        _state: &State,
        _memory: &mut Memory<'_>,
    ) -> Result<Flow, Cause> {
        let (prefix, name) = command.opcode.mnemonic();
        Err(Cause::not_modelled(format!("{prefix}{name} on {}", self.accelerator)))
    }
}
