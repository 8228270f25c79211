//! A method: values, operators, delegates, instructions, memory plan.

use crate::error::ErrorKind;
use crate::flat::{Cx, Table, Tables};
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
    /// Where the table stands.
    pos: usize,
    values: Tables,
    operators: Tables,
    delegates: Tables,
    chains: Tables,
    buffer_sizes: I64List<'a>,
}

impl<'a> Plan<'a> {
    pub(crate) fn read(program: &Program<'a>, table: Table<'_, 'a>) -> Option<Plan<'a>> {
        use schema::ExecutionPlan as f;
        let plan = Plan {
            program: *program,
            pos: table.pos,
            values: table.tables(f::values),
            operators: table.tables(f::operators),
            delegates: table.tables(f::delegates),
            chains: table.tables(f::chains),
            buffer_sizes: I64List::new(table.vector(f::non_const_buffer_sizes, 8)),
        };
        table.cx.ok().map(|()| plan)
    }

    fn table<'c>(&self, cx: &'c Cx<'a>) -> Table<'c, 'a> {
        Table { cx, pos: self.pos }
    }

    pub(crate) fn check(&self, cx: &Cx<'a>) -> Option<()> {
        use schema::ExecutionPlan as f;
        let table = self.table(cx);
        table.need_string(f::name);
        cx.spend(self.buffer_sizes.len().saturating_mul(8), f::non_const_buffer_sizes, table.pos);
        if self.buffer_sizes.iter().any(|size| size < 0) {
            return table.fail(ErrorKind::Negative, f::non_const_buffer_sizes);
        }
        for i in 0..self.value_count() {
            self.check_value(cx, i)?;
        }
        for field in [f::inputs, f::outputs] {
            self.check_indices(table, field);
        }
        for i in 0..self.operator_count() {
            self.read_operator(cx, i)?;
        }
        for i in 0..self.delegate_count() {
            let delegate = self.read_delegate(cx, i)?;
            for spec in 0..delegate.specs.len(cx.flat) {
                delegate.read_spec(cx, spec)?;
            }
        }
        let devices = table.tables(f::non_const_buffer_device);
        for i in 0..devices.len(cx.flat) {
            let device = devices.get(cx, i, f::non_const_buffer_device)?;
            device.index(schema::NonConstBufferDevice::buffer_idx, self.buffer_sizes.len());
            if device.u8(schema::NonConstBufferDevice::device_type) != 0 {
                return device.fail(ErrorKind::Unsupported, schema::NonConstBufferDevice::device_type);
            }
        }
        for i in 0..self.chain_count() {
            self.read_chain(cx, i)?.check(cx)?;
        }
        cx.ok()
    }

    fn check_value(&self, cx: &Cx<'a>, i: usize) -> Option<()> {
        let evalue = self.values.get(cx, i, schema::ExecutionPlan::values)?;
        let (bytes, wrong) = match Value::read(evalue, self)? {
            Value::IntList(items) => {
                let ok = items.iter().all(|item| self.has_kind(cx, item, [kind::INT; 2]));
                (items.len().saturating_mul(8), (!ok).then_some(schema::IntList::items))
            }
            list @ (Value::TensorList(items) | Value::OptionalTensorList(items)) => {
                let (kinds, field) = match list {
                    Value::TensorList(_) => ([kind::TENSOR; 2], schema::TensorList::items),
                    _ => ([kind::TENSOR, kind::NULL], schema::OptionalTensorList::items),
                };
                let optional = kinds.contains(&kind::NULL);
                let ok = items.iter().all(|i| optional && i == -1 || self.has_kind(cx, i.into(), kinds));
                (items.len().saturating_mul(4), (!ok).then_some(field))
            }
            _ => (0, None),
        };
        match wrong {
            Some(field) => cx.fail(ErrorKind::WrongValue, field, evalue.pos),
            None => {
                cx.spend(bytes, schema::EValue::val, evalue.pos);
                cx.ok()
            }
        }
    }

    /// Whether value `i` exists and is of one of these kinds.
    #[inline(never)]
    fn has_kind(&self, cx: &Cx<'a>, i: i64, kinds: [u8; 2]) -> bool {
        // With a context of its own: a wrong index is the list's fault.
        let cx = &Cx::new(cx.flat);
        let kind = usize::try_from(i)
            .ok()
            .and_then(|i| self.values.get(cx, i, schema::ExecutionPlan::values))
            .map(|evalue| evalue.u8(schema::EValue::val_type));
        kind.is_some_and(|kind| kinds.contains(&kind))
    }

    /// Checks a list of indices of values.
    #[inline(never)]
    fn check_indices(&self, of: Table<'_, 'a>, field: Field) {
        let list = I32List::new(of.vector(field, 4));
        let count = self.value_count();
        if list.iter().all(|i| usize::try_from(i).is_ok_and(|i| i < count)) {
            of.cx.spend(list.len().saturating_mul(4), field, of.pos);
        } else {
            of.note(ErrorKind::Index, field);
        }
    }

    fn read_value(&self, cx: &Cx<'a>, i: usize) -> Option<Value<'a>> {
        Value::read(self.values.get(cx, i, schema::ExecutionPlan::values)?, self)
    }

    fn read_operator(&self, cx: &Cx<'a>, i: usize) -> Option<Operator<'a>> {
        let table = self.operators.get(cx, i, schema::ExecutionPlan::operators)?;
        let operator = Operator {
            name: table.need_string(schema::Operator::name),
            overload: table.string(schema::Operator::overload),
        };
        cx.ok().map(|()| operator)
    }

    fn read_delegate(&self, cx: &Cx<'a>, i: usize) -> Option<DelegateDef<'a>> {
        use schema::BackendDelegate as f;
        let table = self.delegates.get(cx, i, schema::ExecutionPlan::delegates)?;
        let delegate = DelegateDef {
            id: table.need_string(f::id),
            blob: self.program.read_processed(table.need_table(f::processed))?,
            flat: cx.flat,
            specs: table.tables(f::compile_specs),
        };
        cx.ok().map(|()| delegate)
    }

    fn read_chain(&self, cx: &Cx<'a>, i: usize) -> Option<Chain<'a>> {
        let table = self.chains.get(cx, i, schema::ExecutionPlan::chains)?;
        let instructions = table.tables(schema::Chain::instructions);
        cx.ok()?;
        Some(Chain { plan: *self, pos: Some(table.pos), instructions })
    }

    fn indices(&self, field: Field) -> I32List<'a> {
        I32List::new(self.table(&self.program.cx()).vector(field, 4))
    }

    /// The program that the method belongs to.
    pub fn program(&self) -> &Program<'a> {
        &self.program
    }

    /// The method's name, mostly `forward`.
    pub fn name(&self) -> &'a str {
        self.table(&self.program.cx()).string(schema::ExecutionPlan::name)
    }

    /// The number of values.
    pub fn value_count(&self) -> usize {
        self.values.len(self.program.flat())
    }

    /// Value `i`.
    pub fn value(&self, i: usize) -> Value<'a> {
        self.read_value(&self.program.cx(), i).unwrap_or(Value::None)
    }

    /// The indices of the values that are the inputs.
    pub fn inputs(&self) -> I32List<'a> {
        self.indices(schema::ExecutionPlan::inputs)
    }

    /// The indices of the values that are the outputs.
    pub fn outputs(&self) -> I32List<'a> {
        self.indices(schema::ExecutionPlan::outputs)
    }

    /// The number of chains. ExecuTorch runs them one after the other; every known program has one.
    pub fn chain_count(&self) -> usize {
        self.chains.len(self.program.flat())
    }

    /// Chain `i`.
    pub fn chain(&self, i: usize) -> Chain<'a> {
        match self.read_chain(&self.program.cx(), i) {
            Some(chain) => chain,
            None => Chain { plan: *self, pos: None, instructions: Tables::default() },
        }
    }

    /// The number of operators.
    pub fn operator_count(&self) -> usize {
        self.operators.len(self.program.flat())
    }

    /// Operator `i`.
    pub fn operator(&self, i: usize) -> Operator<'a> {
        self.read_operator(&self.program.cx(), i).unwrap_or(Operator { name: "", overload: "" })
    }

    /// The number of delegates.
    pub fn delegate_count(&self) -> usize {
        self.delegates.len(self.program.flat())
    }

    /// Delegate `i`.
    pub fn delegate(&self, i: usize) -> DelegateDef<'a> {
        let none = DelegateDef { id: "", blob: &[], flat: &[], specs: Tables::default() };
        self.read_delegate(&self.program.cx(), i).unwrap_or(none)
    }

    /// The number of planned buffers. The placeholder at the front of the file's list is not counted.
    pub fn buffer_count(&self) -> usize {
        self.buffer_sizes.len().saturating_sub(1)
    }

    /// The bytes of planned buffer `i`.
    pub fn buffer_size(&self, i: usize) -> u64 {
        let size = i.checked_add(1).and_then(|i| self.buffer_sizes.get(i));
        size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0)
    }

    /// How the inputs and outputs were nested in Python, as torch's pytree text.
    pub fn pytrees(&self) -> Option<(&'a str, &'a str)> {
        use schema::ContainerMetadata as f;
        let cx = self.program.cx();
        let table = self.table(&cx).table(schema::ExecutionPlan::container_meta_type)?;
        let trees = (table.string(f::encoded_inp_str), table.string(f::encoded_out_str));
        // `parse` does not look at them.
        cx.ok().map(|()| trees)
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
    fn read_spec(&self, cx: &Cx<'a>, i: usize) -> Option<(&'a str, &'a [u8])> {
        use schema::CompileSpec as f;
        let spec = self.specs.get(cx, i, schema::BackendDelegate::compile_specs)?;
        let pair = (spec.need_string(f::key), spec.vector(f::value, 1));
        cx.ok().map(|()| pair)
    }

    /// What the backend was told when it compiled: keys and bytes.
    pub fn compile_specs(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let delegate = *self;
        let count = self.specs.len(self.flat);
        (0..count).filter_map(move |i| delegate.read_spec(&Cx::new(delegate.flat), i))
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
    /// Where the table stands; a chain that does not exist has none.
    pos: Option<usize>,
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
    fn check(&self, cx: &Cx<'a>) -> Option<()> {
        use schema::Chain as f;
        let pos = self.pos?;
        for field in [f::inputs, f::outputs] {
            self.plan.check_indices(Table { cx, pos }, field);
        }
        for i in 0..self.instruction_count() {
            let table = self.instructions.get(cx, i, f::instructions)?;
            let args = match self.read(table)? {
                Instruction::Kernel { .. } => Some(schema::KernelCall::args),
                Instruction::Delegate { .. } => Some(schema::DelegateCall::args),
                _ => None,
            };
            if let Some(field) = args {
                self.plan.check_indices(table.need_table(schema::Instruction::instr_args), field);
            }
        }
        cx.ok()
    }

    fn read(&self, instruction: Table<'_, 'a>) -> Option<Instruction<'a>> {
        use schema::Instruction as f;
        let args = instruction.need_table(f::instr_args);
        let values = self.plan.value_count();
        let read = match instruction.u8(f::instr_args_type) {
            1 => Instruction::Kernel {
                op: args.index(schema::KernelCall::op_index, self.plan.operator_count()),
                args: I32List::new(args.need_vector(schema::KernelCall::args, 4)),
            },
            2 => Instruction::Delegate {
                delegate: args.index(schema::DelegateCall::delegate_index, self.plan.delegate_count()),
                args: I32List::new(args.need_vector(schema::DelegateCall::args, 4)),
            },
            3 => Instruction::Move {
                from: args.index(schema::MoveCall::move_from, values),
                to: args.index(schema::MoveCall::move_to, values),
            },
            4 => {
                let targets = self.instruction_count().saturating_add(1);
                Instruction::JumpFalse {
                    cond: args.index(schema::JumpFalseCall::cond_value_index, values),
                    target: args.index(schema::JumpFalseCall::destination_instruction, targets),
                }
            }
            5 => Instruction::Free { value: args.index(schema::FreeCall::value_index, values) },
            _ => return instruction.fail(ErrorKind::Unknown, f::instr_args_type),
        };
        instruction.cx.ok().map(|()| read)
    }

    /// The number of instructions.
    pub fn instruction_count(&self) -> usize {
        self.instructions.len(self.plan.program.flat())
    }

    /// Instruction `i`, or `None` at and after the end.
    pub fn instruction(&self, i: usize) -> Option<Instruction<'a>> {
        let cx = self.plan.program.cx();
        self.read(self.instructions.get(&cx, i, schema::Chain::instructions)?)
    }

    /// The instructions in their order.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction<'a>> + use<'a> {
        let chain = *self;
        (0..self.instruction_count()).filter_map(move |i| chain.instruction(i))
    }

    /// Where instruction `i` comes from in the Python source, outermost call first; nothing unless the program
    /// was exported with `emit_stacktrace`. Of a damaged list, what can be read: nothing depends on it, so
    /// `parse` does not check it.
    pub fn stacktrace(&self, i: usize) -> impl Iterator<Item = Frame<'a>> + use<'a> {
        let program = self.plan.program;
        let frames = self.pos.and_then(|pos| {
            let cx = program.cx();
            let lists = Table { cx: &cx, pos }.tables(schema::Chain::stacktrace);
            let list = lists.get(&cx, i, schema::Chain::stacktrace)?.tables(schema::FrameList::items);
            cx.ok().map(|()| list)
        });
        let frames = frames.unwrap_or_default();
        (0..frames.len(program.flat())).map_while(move |i| {
            use schema::Frame as f;
            let cx = program.cx();
            let frame = frames.get(&cx, i, schema::FrameList::items)?;
            let frame = Frame {
                file: frame.string(f::filename),
                line: frame.u32(f::lineno) as i32,
                function: frame.string(f::name),
                source: frame.string(f::context),
            };
            cx.ok().map(|()| frame)
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
