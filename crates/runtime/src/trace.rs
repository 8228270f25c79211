//! What a method tells while it runs.

use tombolo_pte::Instruction;

/// Something that happened at an instruction.
#[derive(Clone, Copy)]
pub enum Event<'p> {
    /// An instruction is about to run.
    Begin {
        /// Chain and instruction within it.
        at: (usize, usize),
        /// The instruction.
        instruction: Instruction<'p>,
    },
    /// It has run.
    End {
        /// Chain and instruction within it.
        at: (usize, usize),
        /// Bytes of the temporary arena that it used.
        temp_used: usize,
    },
}

/// Sees every instruction of a run: for profiles, traces and progress.
pub trait Observer {
    /// Called for each event, in order.
    fn event(&mut self, event: Event<'_>);
}

impl Observer for () {
    fn event(&mut self, _: Event<'_>) {}
}

impl<F: FnMut(Event<'_>)> Observer for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}
