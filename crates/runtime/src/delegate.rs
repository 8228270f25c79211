//! Delegates: parts of a program that something else than kernels executes.

use crate::arena::OutOfMemory;
use crate::kernel::{CallSpec, KernelError};
use crate::memory::Frame;
use crate::tensor::{Tensor, TensorMut};
use core::fmt;
use tombolo_pte::ptd::DataFile;
use tombolo_pte::{DelegateDef, Program};

/// A backend that executes delegated parts of programs. One backend serves all parts that name it.
///
/// The order of calls: [`init`](Delegate::init) once per part when a method is loaded,
/// [`check`](Delegate::check) once per call of that part in the method's instructions, then
/// [`execute`](Delegate::execute) at every such call.
pub trait Delegate {
    /// The name by which programs ask for this backend, as `EthosUBackend`.
    fn id(&self) -> &str;

    /// Validates the part's data. What is returned comes back with every later call.
    fn init(&mut self, part: &DelegateInstance<'_>) -> Result<DelegateState, DelegateError>;

    /// Compares the types, sizes and layouts of a call with what the part expects, and says how the
    /// arguments divide and what memory the call needs. All that can be refused is refused here.
    fn check(
        &self,
        part: &DelegateInstance<'_>,
        state: &DelegateState,
        call: &CallSpec<'_, '_>,
    ) -> Result<DelegateIo, DelegateError>;

    /// Runs the part.
    fn execute(
        &mut self,
        part: &DelegateInstance<'_>,
        state: &DelegateState,
        context: &DelegateContext<'_, '_>,
    ) -> Result<(), DelegateError>;
}

/// One delegated part of a program, and where its external data is found.
#[derive(Clone, Copy)]
pub struct DelegateInstance<'p> {
    pub(crate) def: DelegateDef<'p>,
    pub(crate) program: Program<'p>,
    pub(crate) files: &'p [DataFile<'p>],
}

impl<'p> DelegateInstance<'p> {
    /// The part of one delegate of `program`, with external data out of `files`.
    pub fn new(def: DelegateDef<'p>, program: Program<'p>, files: &'p [DataFile<'p>]) -> Self {
        DelegateInstance { def, program, files }
    }

    /// The part as the program holds it: backend name, data, compile specs.
    pub fn def(&self) -> DelegateDef<'p> {
        self.def
    }

    /// Named data, out of the program or of the external files.
    pub fn named(&self, key: &str) -> Option<&'p [u8]> {
        self.program.named(key).or_else(|| self.files.iter().find_map(|file| file.get(key)))
    }
}

/// Words that a backend keeps for each part between calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelegateState(pub [usize; 4]);

/// What a call of a part looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelegateIo {
    /// The first so many arguments are read.
    pub inputs: usize,
    /// The next so many are written.
    pub outputs: usize,
    /// Bytes that the call takes from the temporary arena.
    pub temp_bytes: usize,
    /// The alignment of these bytes.
    pub temp_align: usize,
}

/// What a running part sees.
pub struct DelegateContext<'c, 'p> {
    pub(crate) frame: Frame<'c, 'p>,
    pub(crate) io: DelegateIo,
}

impl<'c, 'p: 'c> DelegateContext<'c, 'p> {
    /// How the arguments divide, as [`Delegate::check`] said.
    pub fn io(&self) -> DelegateIo {
        self.io
    }

    /// Input `i`.
    pub fn input(&self, i: usize) -> Result<Tensor<'c>, KernelError> {
        if i >= self.io.inputs {
            return Err(KernelError::MissingArgument { position: crate::memory::clip(i) });
        }
        self.frame.shared(self.frame.index(i)?, i)
    }

    /// Output `i`; each once per call.
    pub fn output(&self, i: usize) -> Result<TensorMut<'c>, KernelError> {
        self.frame.exclusive(self.io.inputs.saturating_add(i), None)
    }

    /// Temporary memory, free again after the call.
    pub fn temp(&self, len: usize, align: usize) -> Result<&'c mut [u8], OutOfMemory> {
        let mut arena = self.frame.temp.take();
        let bytes = arena.bytes(len, align);
        self.frame.temp.set(arena);
        bytes
    }
}

/// Why a backend refused or failed. It carries the parts of its message, so that a device can tell
/// the code over a wire and a host prints the words; nothing is formatted until it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelegateError {
    /// The backend's own number for this error.
    pub code: u16,
    /// What is wrong. `{w0}`, `{w1}` stand for the words, `{0}` to `{3}` for the numbers in decimal,
    /// `{x0}` to `{x3}` for the numbers in hexadecimal.
    pub message: &'static str,
    /// What to do about it, with the same placeholders.
    pub help: &'static str,
    /// Words for the message.
    pub words: [&'static str; 2],
    /// Numbers for the message.
    pub numbers: [u64; 4],
}

impl DelegateError {
    /// An error without words and numbers.
    pub const fn new(code: u16, message: &'static str, help: &'static str) -> Self {
        DelegateError { code, message, help, words: ["", ""], numbers: [0; 4] }
    }

    /// The remedy, with the placeholders filled in.
    pub fn help(&self) -> impl fmt::Display + '_ {
        struct Help<'a>(&'a DelegateError);
        impl fmt::Display for Help<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.expand(self.0.help, f)
            }
        }
        Help(self)
    }

    fn expand(&self, template: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            f.write_str(before)?;
            let Some((name, tail)) = after.split_once('}') else {
                f.write_str("{")?;
                rest = after;
                continue;
            };
            match name {
                "w0" => f.write_str(self.words[0])?,
                "w1" => f.write_str(self.words[1])?,
                "0" => write!(f, "{}", self.numbers[0])?,
                "1" => write!(f, "{}", self.numbers[1])?,
                "2" => write!(f, "{}", self.numbers[2])?,
                "3" => write!(f, "{}", self.numbers[3])?,
                "x0" => write!(f, "{:#x}", self.numbers[0])?,
                "x1" => write!(f, "{:#x}", self.numbers[1])?,
                "x2" => write!(f, "{:#x}", self.numbers[2])?,
                "x3" => write!(f, "{:#x}", self.numbers[3])?,
                other => write!(f, "{{{other}}}")?,
            }
            rest = tail;
        }
        f.write_str(rest)
    }
}

impl fmt::Display for DelegateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expand(self.message, f)
    }
}

impl From<KernelError> for DelegateError {
    fn from(error: KernelError) -> Self {
        let message = match error {
            KernelError::Overlap { .. } => "an input shares memory with an output of the same call",
            KernelError::NoData { .. } => "an argument has no memory",
            KernelError::ReadOnly { .. } => "an output is a constant",
            KernelError::Misaligned => "a tensor's bytes are not aligned for its elements",
            KernelError::Temp(_) => "the temporary arena is too small",
            _ => "the arguments of the call do not fit the part",
        };
        DelegateError::new(0, message, "the program is inconsistent: export it again")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn messages_fill_in_words_and_numbers() {
        let error = DelegateError {
            code: 1,
            message: "made for {w0}, this is {w1}: {0} of {x1} {bytes",
            help: "use {w1}{?}",
            words: ["a", "b"],
            numbers: [7, 255, 0, 0],
        };
        assert_eq!(error.to_string(), "made for a, this is b: 7 of 0xff {bytes");
        assert_eq!(error.help().to_string(), "use b{?}");
    }
}
