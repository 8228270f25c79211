//! The registers that SET commands write. They keep their values until set again; operations
//! read them. A register that the stream never set is told apart from one that is 0.

use tombolo_ethosu::Generation;
use tombolo_ethosu::cmd::{Command, Field, Kind, Opcode};

use crate::fault::Cause;

const CODES: usize = 1 << 10;

/// The registers behind the SET commands of one NPU.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) generation: Generation,
    one_word: Box<[Option<Command>]>,
    two_words: Box<[Option<Command>]>,
}

impl State {
    pub(crate) fn new(generation: Generation) -> State {
        State {
            generation,
            one_word: vec![None; CODES].into_boxed_slice(),
            two_words: vec![None; CODES].into_boxed_slice(),
        }
    }

    /// Forgets all registers.
    pub(crate) fn clear(&mut self) {
        self.one_word.fill(None);
        self.two_words.fill(None);
    }

    /// Carries out a SET command.
    pub(crate) fn set(&mut self, command: Command) {
        let bank = if command.opcode.kind() == Kind::Set1 { &mut self.two_words } else { &mut self.one_word };
        if let Some(slot) = bank.get_mut(usize::from(command.opcode.code())) {
            *slot = Some(command);
        }
    }

    /// The last command that set `opcode`'s register, if any did.
    pub(crate) fn find(&self, opcode: Opcode) -> Option<Command> {
        let bank = if opcode.kind() == Kind::Set1 { &self.two_words } else { &self.one_word };
        let command = (*bank.get(usize::from(opcode.code()))?)?;
        // Codes mean other registers on other generations.
        (command.opcode == opcode).then_some(command)
    }

    /// The last command that set `opcode`'s register; not set is a fault.
    pub(crate) fn get(&self, opcode: Opcode) -> Result<Command, Cause> {
        self.find(opcode).ok_or(Cause::NotSet(opcode))
    }

    /// The 16-bit parameter.
    pub(crate) fn param(&self, opcode: Opcode) -> Result<u16, Cause> {
        Ok(self.get(opcode)?.param)
    }

    /// A field as an unsigned number.
    pub(crate) fn field(&self, opcode: Opcode, field: &Field) -> Result<u32, Cause> {
        Ok(field.get(self.get(opcode)?))
    }

    /// The number in a `..._M1` register plus one, as wide as its field is here.
    pub(crate) fn plus_one(&self, opcode: Opcode) -> Result<u32, Cause> {
        let command = self.get(opcode)?;
        let field = opcode.fields_of(self.generation).next();
        Ok(field.map_or(u32::from(command.param), |f| f.get(command)) + 1)
    }

    /// An address or length: 40 bits, 32 on U55.
    pub(crate) fn address(&self, opcode: Opcode) -> Result<u64, Cause> {
        let command = self.get(opcode)?;
        Ok(match self.generation {
            Generation::U55 => u64::from(command.payload),
            _ => command.address(),
        })
    }

    /// A stride: 40 bits signed, 32 on U55.
    pub(crate) fn stride(&self, opcode: Opcode) -> Result<i64, Cause> {
        let command = self.get(opcode)?;
        Ok(match self.generation {
            Generation::U55 => i64::from(command.payload as i32),
            _ => command.stride(),
        })
    }
}
