//! A method: values, operators, delegates, instructions, memory plan.

use crate::error::{Error, ErrorKind, fail};
use crate::flat::{Budget, Table, Tables};
use crate::list::{I32List, I64List};
use crate::program::Program;
use crate::schema::{self, Field};
use crate::value::{Value, kind};

/// A method of a program (`ExecutionPlan` in the schema).
///
/// Getters by index take any index: past the end they give the empty thing ([`Value::None`], an operator
/// without a name, …), so that an index never needs a check that can fail.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    program: Program<'a>,
    table: Table<'a>,
    values: Tables,
    operators: Tables,
    delegates: Tables,
    chains: Tables,
    buffer_sizes: I64List<'a>,
}

impl<'a> Plan<'a> {
    pub(crate) fn read(program: Program<'a>, table: Table<'a>) -> Result<Plan<'a>, Error> {
        use schema::ExecutionPlan as f;
        Ok(Plan {
            program,
            table,
            values: table.tables(f::values)?,
            operators: table.tables(f::operators)?,
            delegates: table.tables(f::delegates)?,
            chains: table.tables(f::chains)?,
            buffer_sizes: I64List::new(table.vector(f::non_const_buffer_sizes, 8)?.unwrap_or(&[])),
        })
    }

    pub(crate) fn check(&self, budget: &mut Budget) -> Result<(), Error> {
        use schema::ExecutionPlan as f;
        let name = self.table.need_string(f::name)?;
        budget.spend(name.len(), f::name, self.table.pos())?;
        budget.spend(
            self.buffer_sizes.len().saturating_mul(8),
            f::non_const_buffer_sizes,
            self.table.pos(),
        )?;
        if self.buffer_sizes.iter().any(|size| size < 0) {
            return Err(self.table.error(ErrorKind::Negative, f::non_const_buffer_sizes));
        }
        for i in 0..self.values.len() {
            self.check_value(i, budget)?;
        }
        for field in [f::inputs, f::outputs] {
            self.check_indices(self.read_indices(field)?, self.table, field, budget)?;
        }
        for i in 0..self.operators.len() {
            let Operator { name, overload } = self.read_operator(i)?;
            let bytes = name.len().saturating_add(overload.len()).saturating_add(16);
            budget.spend(bytes, f::operators, self.table.pos())?;
        }
        for i in 0..self.delegates.len() {
            let delegate = self.read_delegate(i)?;
            let bytes = delegate.id.len().saturating_add(16);
            budget.spend(bytes, f::delegates, self.table.pos())?;
            for spec in 0..delegate.specs.len() {
                let (key, _) = delegate.read_spec(spec)?;
                budget.spend(key.len().saturating_add(16), f::delegates, self.table.pos())?;
            }
        }
        let devices = self.table.tables(f::non_const_buffer_device)?;
        for i in 0..devices.len() {
            let device = devices.get(self.program.flat(), i, f::non_const_buffer_device)?;
            self.check_device(device)?;
            budget.spend(16, f::non_const_buffer_device, device.pos())?;
        }
        for i in 0..self.chains.len() {
            self.read_chain(i)?.check(budget)?;
        }
        Ok(())
    }

    fn check_value(&self, i: usize, budget: &mut Budget) -> Result<(), Error> {
        let evalue = self.values.get(self.program.flat(), i, schema::ExecutionPlan::values)?;
        let at = evalue.pos();
        let spend = |budget: &mut Budget, bytes| budget.spend(bytes, schema::EValue::val, at);
        // The table, the value's table, and the list of a tensor's sizes.
        spend(budget, 32)?;
        match Value::read(evalue, self)? {
            Value::None | Value::Int(_) | Value::Bool(_) | Value::Double(_) => Ok(()),
            Value::DoubleList(_) | Value::BoolList(_) => Ok(()),
            Value::String(text) => spend(budget, text.len()),
            Value::Tensor(tensor) => spend(budget, tensor.name().map_or(0, str::len)),
            Value::IntList(items) => {
                spend(budget, items.len().saturating_mul(8))?;
                let ok = items.iter().all(|item| self.has_kind(item, &[kind::INT]));
                if ok { Ok(()) } else { fail(ErrorKind::WrongValue, schema::IntList::items, at) }
            }
            Value::TensorList(items) => {
                spend(budget, items.len().saturating_mul(4))?;
                let ok = items.iter().all(|item| self.has_kind(i64::from(item), &[kind::TENSOR]));
                if ok { Ok(()) } else { fail(ErrorKind::WrongValue, schema::TensorList::items, at) }
            }
            Value::OptionalTensorList(items) => {
                spend(budget, items.len().saturating_mul(4))?;
                let kinds = [kind::TENSOR, kind::NULL];
                let ok = items.iter().all(|item| item == -1 || self.has_kind(i64::from(item), &kinds));
                if ok { Ok(()) } else { fail(ErrorKind::WrongValue, schema::OptionalTensorList::items, at) }
            }
        }
    }

    /// Whether value `i` exists and is of one of these kinds.
    fn has_kind(&self, i: i64, kinds: &[u8]) -> bool {
        let field = schema::ExecutionPlan::values;
        let kind = usize::try_from(i).ok().and_then(|i| {
            let evalue = self.values.get(self.program.flat(), i, field).ok()?;
            evalue.u8(schema::EValue::val_type).ok()
        });
        kind.is_some_and(|kind| kinds.contains(&kind))
    }

    /// Checks indices of values.
    fn check_indices(
        &self,
        list: I32List<'a>,
        of: Table<'a>,
        field: Field,
        budget: &mut Budget,
    ) -> Result<(), Error> {
        budget.spend(list.len().saturating_mul(4), field, of.pos())?;
        if list.iter().all(|i| self.has_value(i)) { Ok(()) } else { Err(of.error(ErrorKind::Index, field)) }
    }

    fn has_value(&self, i: i32) -> bool {
        usize::try_from(i).is_ok_and(|i| i < self.values.len())
    }

    fn check_device(&self, device: Table<'a>) -> Result<(), Error> {
        use schema::NonConstBufferDevice as f;
        let buffer = device.index(f::buffer_idx)?;
        if buffer as usize >= self.buffer_sizes.len() {
            return Err(device.error(ErrorKind::Index, f::buffer_idx));
        }
        if device.u8(f::device_type)? != 0 {
            return Err(device.error(ErrorKind::Unsupported, f::device_type));
        }
        Ok(())
    }

    fn read_indices(&self, field: Field) -> Result<I32List<'a>, Error> {
        Ok(I32List::new(self.table.vector(field, 4)?.unwrap_or(&[])))
    }

    pub(crate) fn read_buffer_size(&self, i: usize) -> Option<u64> {
        u64::try_from(self.buffer_sizes.get(i.checked_add(1)?)?).ok()
    }

    fn read_operator(&self, i: usize) -> Result<Operator<'a>, Error> {
        let table = self.operators.get(self.program.flat(), i, schema::ExecutionPlan::operators)?;
        Ok(Operator {
            name: table.need_string(schema::Operator::name)?,
            overload: table.string(schema::Operator::overload)?.unwrap_or(""),
        })
    }

    fn read_delegate(&self, i: usize) -> Result<DelegateDef<'a>, Error> {
        use schema::BackendDelegate as f;
        let table = self.delegates.get(self.program.flat(), i, schema::ExecutionPlan::delegates)?;
        Ok(DelegateDef {
            id: table.need_string(f::id)?,
            blob: self.program.read_processed(table.need_table(f::processed)?)?,
            flat: self.program.flat(),
            specs: table.tables(f::compile_specs)?,
        })
    }

    fn read_chain(&self, i: usize) -> Result<Chain<'a>, Error> {
        let table = self.chains.get(self.program.flat(), i, schema::ExecutionPlan::chains)?;
        Ok(Chain {
            plan: *self,
            table: Some(table),
            instructions: table.tables(schema::Chain::instructions)?,
        })
    }

    /// The program that the method belongs to.
    pub fn program(&self) -> &Program<'a> {
        &self.program
    }

    /// The method's name, mostly `forward`.
    pub fn name(&self) -> &'a str {
        self.table.need_string(schema::ExecutionPlan::name).unwrap_or("")
    }

    /// The number of values.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Value `i`.
    pub fn value(&self, i: usize) -> Value<'a> {
        self.values
            .get(self.program.flat(), i, schema::ExecutionPlan::values)
            .and_then(|evalue| Value::read(evalue, self))
            .unwrap_or(Value::None)
    }

    /// The indices of the values that are the inputs.
    pub fn inputs(&self) -> I32List<'a> {
        self.read_indices(schema::ExecutionPlan::inputs).unwrap_or_default()
    }

    /// The indices of the values that are the outputs.
    pub fn outputs(&self) -> I32List<'a> {
        self.read_indices(schema::ExecutionPlan::outputs).unwrap_or_default()
    }

    /// The number of chains. ExecuTorch runs them one after the other; every known program has one.
    pub fn chain_count(&self) -> usize {
        self.chains.len()
    }

    /// Chain `i`.
    pub fn chain(&self, i: usize) -> Chain<'a> {
        self.read_chain(i).unwrap_or(Chain { plan: *self, table: None, instructions: Tables::default() })
    }

    /// The number of operators.
    pub fn operator_count(&self) -> usize {
        self.operators.len()
    }

    /// Operator `i`.
    pub fn operator(&self, i: usize) -> Operator<'a> {
        self.read_operator(i).unwrap_or(Operator { name: "", overload: "" })
    }

    /// The number of delegates.
    pub fn delegate_count(&self) -> usize {
        self.delegates.len()
    }

    /// Delegate `i`.
    pub fn delegate(&self, i: usize) -> DelegateDef<'a> {
        self.read_delegate(i).unwrap_or(DelegateDef {
            id: "",
            blob: &[],
            flat: &[],
            specs: Tables::default(),
        })
    }

    /// The number of planned buffers. The placeholder at the front of the file's list is not counted.
    pub fn buffer_count(&self) -> usize {
        self.buffer_sizes.len().saturating_sub(1)
    }

    /// The bytes of planned buffer `i`.
    pub fn buffer_size(&self, i: usize) -> u64 {
        self.read_buffer_size(i).unwrap_or(0)
    }

    /// How the inputs and outputs were nested in Python, as torch's pytree text.
    pub fn pytrees(&self) -> Option<(&'a str, &'a str)> {
        use schema::ContainerMetadata as f;
        let table = self.table.table(schema::ExecutionPlan::container_meta_type).ok()??;
        Some((table.string(f::encoded_inp_str).ok()??, table.string(f::encoded_out_str).ok()??))
    }
}

impl core::fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Plan")
            .field("name", &self.name())
            .field("values", &self.value_count())
            .finish_non_exhaustive()
    }
}

/// An operator that a method calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator<'a> {
    /// With its namespace: `aten::add`.
    pub name: &'a str,
    /// `out`, `Scalar_out`, …; mostly not empty.
    pub overload: &'a str,
}

/// A delegate: a backend's name and what the backend compiled.
#[derive(Clone, Copy)]
pub struct DelegateDef<'a> {
    /// The backend, such as `EthosUBackend`.
    pub id: &'a str,
    /// What it compiled.
    pub blob: &'a [u8],
    flat: &'a [u8],
    specs: Tables,
}

impl<'a> DelegateDef<'a> {
    fn read_spec(&self, i: usize) -> Result<(&'a str, &'a [u8]), Error> {
        use schema::CompileSpec as f;
        let spec = self.specs.get(self.flat, i, schema::BackendDelegate::compile_specs)?;
        Ok((spec.need_string(f::key)?, spec.vector(f::value, 1)?.unwrap_or(&[])))
    }

    /// What the backend was told when it compiled: keys and bytes.
    pub fn compile_specs(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let delegate = *self;
        (0..self.specs.len()).filter_map(move |i| delegate.read_spec(i).ok())
    }

    /// The bytes of compile spec `key`.
    pub fn compile_spec(&self, key: &str) -> Option<&'a [u8]> {
        self.compile_specs().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

impl core::fmt::Debug for DelegateDef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DelegateDef")
            .field("id", &self.id)
            .field("bytes", &self.blob.len())
            .finish_non_exhaustive()
    }
}

/// A list of instructions.
#[derive(Clone, Copy)]
pub struct Chain<'a> {
    plan: Plan<'a>,
    table: Option<Table<'a>>,
    instructions: Tables,
}

/// An instruction. All indices are in range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instruction<'a> {
    /// Runs an operator.
    Kernel {
        /// The operator.
        op: u32,
        /// The values: arguments, then what is returned. The last out arguments appear twice.
        args: I32List<'a>,
    },
    /// Runs a delegate.
    Delegate {
        /// The delegate.
        delegate: u32,
        /// The values: inputs, then outputs.
        args: I32List<'a>,
    },
    /// Makes value `to` what `from` is.
    Move {
        /// The value read.
        from: u32,
        /// The value written.
        to: u32,
    },
    /// Goes on at `target` if the value is false.
    JumpFalse {
        /// The value: a truth value, or a tensor of them.
        cond: u32,
        /// The instruction to go on at; the number of instructions ends the chain.
        target: u32,
    },
    /// Gives back the memory of a dynamic tensor.
    Free {
        /// The tensor.
        value: u32,
    },
}

impl<'a> Chain<'a> {
    fn check(&self, budget: &mut Budget) -> Result<(), Error> {
        use schema::Chain as f;
        if let Some(table) = self.table {
            for field in [f::inputs, f::outputs] {
                let list = I32List::new(table.vector(field, 4)?.unwrap_or(&[]));
                self.plan.check_indices(list, table, field, budget)?;
            }
        }
        for i in 0..self.instructions.len() {
            let table = self.read_table(i)?;
            budget.spend(32, f::instructions, table.pos())?;
            match self.read(table)? {
                Instruction::Kernel { args, .. } => {
                    self.plan.check_indices(args, table, schema::KernelCall::args, budget)?
                }
                Instruction::Delegate { args, .. } => {
                    self.plan.check_indices(args, table, schema::DelegateCall::args, budget)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_table(&self, i: usize) -> Result<Table<'a>, Error> {
        self.instructions.get(self.plan.program.flat(), i, schema::Chain::instructions)
    }

    fn read(&self, instruction: Table<'a>) -> Result<Instruction<'a>, Error> {
        use schema::Instruction as f;
        let args = instruction.need_table(f::instr_args)?;
        let below = |field, limit: usize| {
            let index = args.index(field)?;
            if (index as usize) < limit { Ok(index) } else { Err(args.error(ErrorKind::Index, field)) }
        };
        let values = self.plan.values.len();
        Ok(match instruction.u8(f::instr_args_type)? {
            1 => Instruction::Kernel {
                op: below(schema::KernelCall::op_index, self.plan.operators.len())?,
                args: I32List::new(args.need_vector(schema::KernelCall::args, 4)?),
            },
            2 => Instruction::Delegate {
                delegate: below(schema::DelegateCall::delegate_index, self.plan.delegates.len())?,
                args: I32List::new(args.need_vector(schema::DelegateCall::args, 4)?),
            },
            3 => Instruction::Move {
                from: below(schema::MoveCall::move_from, values)?,
                to: below(schema::MoveCall::move_to, values)?,
            },
            4 => Instruction::JumpFalse {
                cond: below(schema::JumpFalseCall::cond_value_index, values)?,
                target: below(
                    schema::JumpFalseCall::destination_instruction,
                    self.instructions.len().saturating_add(1),
                )?,
            },
            5 => Instruction::Free { value: below(schema::FreeCall::value_index, values)? },
            _ => return Err(instruction.error(ErrorKind::Unknown, f::instr_args_type)),
        })
    }

    /// The number of instructions.
    pub fn instruction_count(&self) -> usize {
        self.instructions.len()
    }

    /// Instruction `i`, or `None` at and after the end.
    pub fn instruction(&self, i: usize) -> Option<Instruction<'a>> {
        self.read_table(i).and_then(|table| self.read(table)).ok()
    }

    /// The instructions in their order.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'a>> + use<'a> {
        let chain = *self;
        (0..self.instructions.len()).filter_map(move |i| chain.instruction(i))
    }

    /// Where instruction `i` comes from in the Python source, outermost call first; nothing unless the program
    /// was exported with `emit_stacktrace`. Of a damaged list, what can be read: nothing depends on it, so
    /// `parse` does not check it.
    pub fn stacktrace(&self, i: usize) -> impl Iterator<Item = Frame<'a>> + use<'a> {
        let flat = self.plan.program.flat();
        let frames = self.table.and_then(|table| {
            let lists = table.tables(schema::Chain::stacktrace).ok()?;
            let list = lists.get(flat, i, schema::Chain::stacktrace).ok()?;
            list.tables(schema::FrameList::items).ok()
        });
        let frames = frames.unwrap_or_default();
        (0..frames.len()).map_while(move |i| {
            use schema::Frame as f;
            let frame = frames.get(flat, i, schema::FrameList::items).ok()?;
            Some(Frame {
                file: frame.string(f::filename).ok()?.unwrap_or(""),
                line: frame.i32(f::lineno).ok()?,
                function: frame.string(f::name).ok()?.unwrap_or(""),
                source: frame.string(f::context).ok()?.unwrap_or(""),
            })
        })
    }
}

impl core::fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.instructions()).finish()
    }
}

/// A place in the Python source of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The file.
    pub file: &'a str,
    /// The line.
    pub line: i32,
    /// The function.
    pub function: &'a str,
    /// The text of the line.
    pub source: &'a str,
}
