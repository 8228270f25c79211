//! Ethos-U55 and U65: decoding of their registers and their data path.

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::Command;

use crate::fault::Cause;
use crate::mem::Memory;
use crate::npu::Flow;
use crate::state::State;

/// What an Ethos-U55 or U65 keeps between operations.
#[derive(Debug)]
pub(crate) struct Core {
    accelerator: Accelerator,
}

impl Core {
    pub(crate) fn new(accelerator: Accelerator) -> Core {
        Core { accelerator }
    }

    pub(crate) fn reset(&mut self) {}

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
