//! What can go wrong when a method is loaded or runs, with the remedy in the message.

use crate::arena::OutOfMemory;
use crate::delegate::DelegateError;
use crate::kernel::{KernelDef, KernelError};
use crate::value::Kind;
use core::fmt;
use tombolo_pte::{Dtype, Instruction, Plan, Value as PlanValue};

/// Why a method could not be loaded.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum LoadError<'p> {
    /// The program has no method of that name.
    NoSuchMethod,
    /// The kernel table or the delegates lack what the method needs: all of it.
    Missing(Missing<'p>),
    /// The method arena is too small.
    MethodArena(OutOfMemory),
    /// Fewer planned buffers were given than the plan has, or one is too small.
    PlannedBuffer {
        /// Buffer, counted from 0.
        index: usize,
        /// Bytes that the plan needs.
        needed: u64,
        /// Bytes given; 0 where no buffer was given.
        given: usize,
    },
    /// A planned buffer or the method arena does not start at a multiple of 16.
    Misaligned {
        /// Which buffer.
        index: usize,
    },
    /// The temporary arena is too small for some call.
    TempArena(OutOfMemory),
    /// A constant or a delegate's data is in an external file that was not given.
    ExternalData {
        /// The name under which it is looked up.
        key: &'p str,
    },
    /// External data has fewer bytes than the tensor, or is not aligned for it.
    ExternalSize {
        /// The name under which it was found.
        key: &'p str,
        /// Bytes that the tensor has.
        needed: usize,
        /// Bytes found.
        found: usize,
    },
    /// A backend refused its part of the program.
    Delegate {
        /// The part, counted from 0.
        index: usize,
        /// Backend name.
        id: &'p str,
        /// Why.
        error: DelegateError,
    },
    /// A call has fewer arguments than its operator.
    Arguments {
        /// Index of the operator in the plan.
        operator: usize,
        /// Arguments that the kernel takes.
        needed: usize,
        /// Arguments of the call.
        given: usize,
    },
    /// The program is valid but beyond a limit of this runtime.
    Limit(&'static str),
}

impl fmt::Debug for LoadError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for LoadError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NoSuchMethod => f.write_str("the program has no method of that name"),
            LoadError::Missing(missing) => missing.fmt(f),
            LoadError::MethodArena(error) => write!(f, "the method arena is too small: {error}"),
            LoadError::PlannedBuffer { index, needed, given } => {
                write!(f, "planned buffer {index} needs {needed} bytes, {given} were given")
            }
            LoadError::Misaligned { index } => {
                write!(f, "memory {index} does not start at a multiple of 16: align it")
            }
            LoadError::TempArena(error) => write!(f, "the temporary arena is too small: {error}"),
            LoadError::ExternalData { key } => {
                write!(
                    f,
                    "external data {key:?} is in none of the files given: give the .ptd file that holds it"
                )
            }
            LoadError::ExternalSize { key, needed, found } => {
                write!(f, "external data {key:?} has {found} bytes where {needed} aligned ones are needed")
            }
            LoadError::Delegate { index, id, error } => {
                write!(f, "delegate {index} ({id}): {error}; {}", error.help())
            }
            LoadError::Arguments { operator, needed, given } => {
                write!(
                    f,
                    "a call of operator {operator} has {given} arguments where it takes {needed}: export the program again"
                )
            }
            LoadError::Limit(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for LoadError<'_> {}

/// Everything that a method needs and the tables given do not have.
#[derive(Clone, Copy)]
pub struct Missing<'p> {
    pub(crate) plan: Plan<'p>,
    pub(crate) kernels: &'p [KernelDef],
    /// A bit for each of the first 64 delegates of the plan that no backend serves.
    pub(crate) delegates: u64,
}

/// One missing thing.
#[derive(Clone, Copy)]
pub enum MissingItem<'p> {
    /// No kernel of that name is in the table.
    Operator {
        /// The operator's index in the plan.
        index: usize,
        /// As `aten::add`.
        name: &'p str,
        /// As `out`; may be empty.
        overload: &'p str,
        /// Element types of the tensor arguments of the first call.
        dtypes: CallDtypes<'p>,
    },
    /// The kernel is in the table but does not take these element types.
    Dtypes {
        /// The operator's index in the plan.
        index: usize,
        /// As `aten::add`.
        name: &'p str,
        /// As `out`; may be empty.
        overload: &'p str,
        /// Element types of the tensor arguments of the first call that has others.
        dtypes: CallDtypes<'p>,
    },
    /// No backend of that name was given.
    Delegate {
        /// Its index in the plan.
        index: usize,
        /// As `EthosUBackend`.
        id: &'p str,
    },
}

impl<'p> Missing<'p> {
    /// All that is missing, delegates first.
    pub fn iter(&self) -> MissingItems<'p> {
        MissingItems { missing: *self, next: 0 }
    }
}

/// What is missing, item by item; see [`Missing::iter`].
#[derive(Clone)]
pub struct MissingItems<'p> {
    missing: Missing<'p>,
    /// The next delegate of the plan, or, beyond these, operator.
    next: usize,
}

impl<'p> Iterator for MissingItems<'p> {
    type Item = MissingItem<'p>;

    fn next(&mut self) -> Option<MissingItem<'p>> {
        let Missing { plan, kernels, delegates } = &self.missing;
        loop {
            let at = self.next;
            self.next = at.saturating_add(1);
            let Some(index) = at.checked_sub(plan.delegate_count()) else {
                if at < 64 && delegates & (1 << at) != 0 {
                    return Some(MissingItem::Delegate { index: at, id: plan.delegate(at).id });
                }
                continue;
            };
            if index >= plan.operator_count() {
                return None;
            }
            if let Some(item) = operator_gap(plan, kernels, index) {
                return Some(item);
            }
        }
    }
}

/// What is wrong with operator `index`, if anything.
///
/// Plain loops here and below: chains of adapters made the missing-kernel check a kilobyte larger.
#[inline(never)]
pub(crate) fn operator_gap<'p>(
    plan: &Plan<'p>,
    kernels: &[KernelDef],
    index: usize,
) -> Option<MissingItem<'p>> {
    let operator = plan.operator(index);
    let (name, overload) = (operator.name, operator.overload);
    let kernel = kernels.iter().find(|kernel| kernel.is(name, overload));
    for c in 0..plan.chain_count() {
        let chain = plan.chain(c);
        let mut i = 0;
        while let Some(instruction) = chain.instruction(i) {
            i += 1;
            let Instruction::Kernel { op, args } = instruction else { continue };
            if op as usize != index {
                continue;
            }
            let dtypes = CallDtypes { plan: *plan, args };
            let Some(kernel) = kernel else {
                return Some(MissingItem::Operator { index, name, overload, dtypes });
            };
            for dtype in dtypes.iter() {
                if !kernel.dtypes.contains(dtype) {
                    return Some(MissingItem::Dtypes { index, name, overload, dtypes });
                }
            }
        }
    }
    // Named, but never called.
    let dtypes = CallDtypes { plan: *plan, args: tombolo_pte::I32List::default() };
    kernel.is_none().then_some(MissingItem::Operator { index, name, overload, dtypes })
}

/// The element types of the tensor arguments of one call.
#[derive(Clone, Copy)]
pub struct CallDtypes<'p> {
    plan: Plan<'p>,
    args: tombolo_pte::I32List<'p>,
}

impl<'p> CallDtypes<'p> {
    /// The types, in argument order; a list of tensors counts with each of its tensors.
    pub fn iter(&self) -> impl Iterator<Item = Dtype> + use<'_, 'p> {
        Dtypes { call: self, arg: 0, item: 0 }
    }
}

struct Dtypes<'c, 'p> {
    call: &'c CallDtypes<'p>,
    arg: usize,
    /// The next item, where the argument is a list.
    item: usize,
}

impl Iterator for Dtypes<'_, '_> {
    type Item = Dtype;

    fn next(&mut self) -> Option<Dtype> {
        let value = |index: i32| match usize::try_from(index) {
            Ok(index) => self.call.plan.value(index),
            Err(_) => PlanValue::None,
        };
        loop {
            let mut found = value(self.call.args.get(self.arg)?);
            if let PlanValue::TensorList(list) | PlanValue::OptionalTensorList(list) = found
                && let Some(index) = list.get(self.item)
            {
                self.item += 1;
                found = value(index);
            } else {
                self.arg += 1;
                self.item = 0;
            }
            if let PlanValue::Tensor(tensor) = found {
                return Some(tensor.dtype());
            }
        }
    }
}

impl fmt::Display for CallDtypes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, dtype) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            f.write_str(dtype.name())?;
        }
        Ok(())
    }
}

struct FullName<'a>(&'a str, &'a str);

impl fmt::Display for FullName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        if !self.1.is_empty() {
            write!(f, ".{}", self.1)?;
        }
        Ok(())
    }
}

impl fmt::Display for MissingItem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingItem::Operator { name, overload, dtypes, .. } => {
                write!(f, "operator {} ({dtypes})", FullName(name, overload))
            }
            MissingItem::Dtypes { name, overload, dtypes, .. } => {
                write!(
                    f,
                    "operator {} for ({dtypes}): the kernel in the table takes other types",
                    FullName(name, overload)
                )
            }
            MissingItem::Delegate { id, .. } => write!(f, "delegate {id}"),
        }
    }
}

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the method needs what the tables do not have: ")?;
        for (i, item) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            item.fmt(f)?;
        }
        f.write_str(
            ". Add each operator's entry to the kernel table (kernels![…], an entry per overload in tombolo_kernels::ops) \
             and each delegate's backend to the list given to Method::load",
        )
    }
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExecuteError {
    /// A kernel failed.
    Kernel {
        /// Chain and instruction within it.
        at: (usize, usize),
        /// Index of the operator in the plan.
        operator: usize,
        /// Why.
        error: KernelError,
    },
    /// A delegate failed.
    Delegate {
        /// Chain and instruction within it.
        at: (usize, usize),
        /// Index of the delegate in the plan.
        delegate: usize,
        /// Why.
        error: DelegateError,
    },
    /// The condition of a jump is neither a bool nor a bool tensor of one element.
    Condition {
        /// Chain and instruction within it.
        at: (usize, usize),
    },
    /// An input was not set since the last run. A plan may reuse an input's memory, so that each run
    /// needs its inputs anew (bound ones excepted).
    InputNotSet {
        /// Input, counted from 0.
        index: usize,
    },
    /// The program ran longer than the limit on instructions.
    InstructionLimit,
}

impl fmt::Display for ExecuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExecuteError::Kernel { at, operator, error } => {
                write!(f, "instruction {}:{} (operator {operator}): {error}", at.0, at.1)
            }
            ExecuteError::Delegate { at, delegate, error } => {
                write!(f, "instruction {}:{} (delegate {delegate}): {error}; {}", at.0, at.1, error.help())
            }
            ExecuteError::Condition { at } => {
                write!(f, "instruction {}:{}: the condition of a jump is not a truth value", at.0, at.1)
            }
            ExecuteError::InputNotSet { index } => {
                write!(f, "input {index} was not set since the last run: call set_input before each run")
            }
            ExecuteError::InstructionLimit => {
                f.write_str("the program exceeded the limit on instructions: an endless loop, or raise Options::max_instructions")
            }
        }
    }
}

impl core::error::Error for ExecuteError {}

/// Why an input was not taken or an output is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// The method has fewer inputs or outputs.
    Index {
        /// How many it has.
        count: usize,
    },
    /// The value is no tensor but something else.
    Kind {
        /// What it is.
        found: Kind,
    },
    /// The element type differs.
    Dtype {
        /// Type that the method takes.
        expected: Dtype,
        /// Type given.
        given: Dtype,
    },
    /// The sizes differ.
    Shape {
        /// Dimension of the first difference; the rank where the ranks differ.
        dim: usize,
        /// Size (or rank) that the method takes; an upper bound for a dynamic one.
        expected: u32,
        /// Size (or rank) given.
        given: u32,
    },
    /// The bytes are fewer or more than the sizes say.
    Bytes {
        /// Bytes that the tensor has.
        expected: usize,
        /// Bytes given.
        given: usize,
    },
    /// The tensor has no memory of its own: bind some first.
    NotPlanned,
    /// The tensor has memory of its own: set it instead of binding.
    Planned,
    /// The memory bound is not aligned for the elements.
    Misaligned,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Index { count } => write!(f, "the method has {count}"),
            InputError::Kind { found } => write!(f, "it is {found}, not a tensor"),
            InputError::Dtype { expected, given } => {
                write!(f, "elements are {}, {} is needed", given.name(), expected.name())
            }
            InputError::Shape { dim, expected, given } => {
                write!(f, "dimension {dim}: size {given} given, {expected} is needed")
            }
            InputError::Bytes { expected, given } => {
                write!(f, "{given} bytes given, {expected} are needed")
            }
            InputError::NotPlanned => f.write_str("the tensor has no memory in the plan: bind memory to it"),
            InputError::Planned => f.write_str("the tensor has memory in the plan: set it, do not bind"),
            InputError::Misaligned => f.write_str("the memory is not aligned for the elements"),
        }
    }
}

impl core::error::Error for InputError {}
