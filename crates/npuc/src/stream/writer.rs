//! Words, without what is there already.

use std::collections::BTreeMap;

use tombolo_ethosu::cmd::{Command, Opcode};
use tombolo_ethosu::{Field, Generation, encode};

/// A command stream under construction. Registers keep their values between operations, so a SET of the value that
/// a register holds is left out.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) generation: Generation,
    pub(super) words: Vec<u32>,
    registers: BTreeMap<Opcode, Command>,
}

impl Writer {
    pub(super) fn new(generation: Generation) -> Writer {
        Writer { generation, words: Vec::new(), registers: BTreeMap::new() }
    }

    /// Sets a register by its fields; those not named are 0.
    pub(super) fn set(&mut self, opcode: Opcode, values: &[(&Field, i64)]) -> Result<(), String> {
        let command = encode::fields(self.generation, opcode, values).map_err(|e| e.to_string())?;
        self.put(command);
        Ok(())
    }

    /// Sets a register of one field.
    pub(super) fn number(&mut self, opcode: Opcode, value: i64) -> Result<(), String> {
        let command = encode::number(self.generation, opcode, value).map_err(|e| e.to_string())?;
        self.put(command);
        Ok(())
    }

    /// Sets a register that holds a size less one.
    pub(super) fn less_one(&mut self, opcode: Opcode, size: usize) -> Result<(), String> {
        self.number(opcode, signed(size)? - 1)
    }

    /// Sets a register of an address, length or stride.
    pub(super) fn wide(&mut self, opcode: Opcode, value: i64) -> Result<(), String> {
        let command = encode::wide(self.generation, opcode, value).map_err(|e| e.to_string())?;
        self.put(command);
        Ok(())
    }

    /// Sets a register of an address or length.
    pub(super) fn address(&mut self, opcode: Opcode, value: u64) -> Result<(), String> {
        self.wide(opcode, signed(value)?)
    }

    /// Writes an operation or a wait; where its first word stands.
    pub(super) fn operation(&mut self, opcode: Opcode, values: &[(&Field, i64)]) -> Result<usize, String> {
        let command = encode::fields(self.generation, opcode, values).map_err(|e| e.to_string())?;
        let place = self.words.len();
        self.push(command);
        Ok(place)
    }

    fn put(&mut self, command: Command) {
        if self.registers.insert(command.opcode, command) != Some(command) {
            self.push(command);
        }
    }

    fn push(&mut self, command: Command) {
        let (words, count) = command.encode();
        self.words.extend(words.into_iter().take(count));
    }
}

/// A size or address as the encoder takes it.
pub(super) fn signed(value: impl TryInto<i64> + Copy + std::fmt::Display) -> Result<i64, String> {
    value.try_into().map_err(|_| format!("{value} is too large"))
}
