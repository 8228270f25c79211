//! One execution plan of a program, loaded into memory of the caller.
#![expect(clippy::result_large_err, reason = "an error is returned once and last; boxing it needs a heap")]

use crate::arena::{Arena, OutOfMemory};
use crate::delegate::{Delegate, DelegateContext, DelegateInstance, DelegateIo, DelegateState};
use crate::error::{ExecuteError, InputError, LoadError, Missing, operator_gap};
use crate::kernel::{CallSpec, KernelContext, KernelDef, TensorSpec};
use crate::memory::{Frame, Lent, Writes, locate, shape_of, store, view};
use crate::tensor::Tensor;
use crate::trace::{Event, Observer};
use crate::value::{Data, Sizes, TensorMeta, Value};
use core::cell::Cell;
use core::mem::{align_of, size_of};
use tombolo_pte::ptd::DataFile;
use tombolo_pte::{Dtype, Dynamism, Instruction, Plan, Program, TensorData, TensorView, Value as PlanValue};

/// The memory that a method works in. Everything must start at a multiple of 16.
pub struct Memory<'m> {
    /// The runtime's own tables; [`Method::arena_bytes`] says how much.
    pub method: &'m mut [u8],
    /// One buffer per planned buffer of the plan (`Plan::buffer_size`), in order.
    pub planned: &'m mut [&'m mut [u8]],
    /// Temporary memory of kernels and delegates, the largest need of any one call.
    pub temp: &'m mut [u8],
}

/// How a method is loaded and run.
#[derive(Clone, Copy)]
pub struct Options<'p> {
    /// Files with external constants and delegate blocks.
    pub data: &'p [DataFile<'p>],
    /// A run stops with an error after so many instructions, so that no file can hang the caller.
    pub max_instructions: u64,
}

impl Default for Options<'_> {
    fn default() -> Self {
        // The cap that upstream's runtime has.
        Options { data: &[], max_instructions: 10_000_000 }
    }
}

/// Bytes of one pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolUsage {
    /// Bytes given by the caller.
    pub given: usize,
    /// Bytes that the method needs.
    pub needed: usize,
    /// The most that was in use at once so far.
    pub peak: usize,
}

/// Memory of a loaded method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The runtime's own tables.
    pub method: PoolUsage,
    /// All planned buffers together.
    pub planned: PoolUsage,
    /// The temporary arena.
    pub temp: PoolUsage,
}

#[derive(Clone, Copy)]
struct Slot {
    backend: u32,
    state: DelegateState,
    io: DelegateIo,
}

/// An execution plan that is ready to run.
pub struct Method<'p, 'm> {
    plan: Plan<'p>,
    program: Program<'p>,
    kernels: &'p [KernelDef],
    options: Options<'p>,
    values: &'m [Cell<Value<'p>>],
    dims: &'m [Cell<u32>],
    buffers: &'m [Lent],
    /// For each operator of the plan its entry in `kernels`.
    resolved: &'m [u16],
    /// For each delegate of the plan its backend and what the backend keeps.
    slots: &'m [Slot],
    delegates: &'m mut [&'m mut dyn Delegate],
    temp: &'m mut [u8],
    usage: Usage,
    /// A bit for each of the first 64 inputs that is set for the next run.
    set: u64,
}

/// The tables that a plan needs in the method arena. The counts are those of the program; how many
/// bytes they take differs from target to target, so that a firmware whose build counted them on the
/// host asks [`Tables::bytes`] for the size of its pool in a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Values of the plan.
    pub values: usize,
    /// Sizes of all tensors whose shape is dynamic.
    pub dims: usize,
    /// Planned buffers.
    pub buffers: usize,
    /// Operators that the plan names.
    pub operators: usize,
    /// Delegates of the plan.
    pub delegates: usize,
}

impl Tables {
    /// The tables of `plan`.
    pub fn of(plan: Plan<'_>) -> Tables {
        let mut dims = 0;
        for i in 0..plan.value_count() {
            if let PlanValue::Tensor(tensor) = plan.value(i)
                && is_dynamic(&tensor)
            {
                dims += tensor.sizes().len();
            }
        }
        Tables {
            values: plan.value_count(),
            dims,
            buffers: plan.buffer_count(),
            operators: plan.operator_count(),
            delegates: plan.delegate_count(),
        }
    }

    /// Bytes of the method arena on the target that this is compiled for.
    pub const fn bytes(&self) -> usize {
        const fn put<T>(used: u64, count: usize) -> u64 {
            // At most 2^32 of less than 2^8 bytes each on a device, 2^40 on a host: no overflow.
            used.next_multiple_of(align_of::<T>() as u64) + count as u64 * size_of::<T>() as u64
        }
        let mut used = put::<Value<'_>>(0, self.values);
        used = put::<Slot>(used, self.delegates);
        used = put::<Lent>(used, self.buffers);
        used = put::<u32>(used, self.dims);
        used = put::<u16>(used, self.operators);
        if used > usize::MAX as u64 { usize::MAX } else { used as usize }
    }
}

fn is_dynamic(tensor: &TensorView<'_>) -> bool {
    !matches!(tensor.dynamism(), Dynamism::Static)
}

impl<'p, 'm> Method<'p, 'm> {
    /// Bytes of the method arena that `method` of `program` needs, if there is such a method.
    pub fn arena_bytes(program: &Program<'_>, method: &str) -> Option<usize> {
        program.find_method(method).map(|plan| Tables::of(plan).bytes())
    }

    /// All that `plan` needs and the tables do not have, or `None` if nothing is missing.
    /// `delegates` are the names of the backends.
    pub fn missing(plan: Plan<'p>, kernels: &'p [KernelDef], delegates: &[&str]) -> Option<Missing<'p>> {
        let mut absent = 0u64;
        for index in 0..plan.delegate_count() {
            if !delegates.contains(&plan.delegate(index).id) {
                absent |= 1u64.checked_shl(u32::try_from(index).unwrap_or(u32::MAX)).unwrap_or(1 << 63);
            }
        }
        let gap = (0..plan.operator_count()).any(|index| operator_gap(&plan, kernels, index).is_some());
        (gap || absent != 0).then_some(Missing { plan, kernels, delegates: absent })
    }

    /// Loads method `name` of `program`: finds every kernel and delegate, lays out the tables in
    /// `memory`, and lets the delegates check their parts.
    ///
    /// # Errors
    /// [`LoadError::Missing`] names everything that the tables lack at once; the others say which
    /// memory is too small and by how much, or what a delegate refused.
    pub fn load(
        program: &Program<'p>,
        name: &str,
        kernels: &'p [KernelDef],
        delegates: &'m mut [&'m mut dyn Delegate],
        memory: Memory<'m>,
        options: Options<'p>,
    ) -> Result<Self, LoadError<'p>> {
        let plan = program.find_method(name).ok_or(LoadError::NoSuchMethod)?;
        let mut absent = 0u64;
        for index in 0..plan.delegate_count() {
            let id = plan.delegate(index).id;
            if !delegates.iter().any(|backend| backend.id() == id) {
                absent |= 1u64.checked_shl(u32::try_from(index).unwrap_or(u32::MAX)).unwrap_or(1 << 63);
            }
        }
        let gap = (0..plan.operator_count()).any(|index| operator_gap(&plan, kernels, index).is_some());
        if gap || absent != 0 {
            return Err(LoadError::Missing(Missing { plan, kernels, delegates: absent }));
        }

        let tables = Tables::of(plan);
        let needed = tables.bytes();
        let given = memory.method.len();
        if needed > given {
            return Err(LoadError::MethodArena(OutOfMemory { needed, available: given }));
        }
        if needed > 0 && !(memory.method.as_ptr() as usize).is_multiple_of(16) {
            return Err(LoadError::Misaligned { index: 0 });
        }
        let full = LoadError::MethodArena;
        let mut arena = Arena::new(memory.method);
        let values = arena.slice(tables.values, Value::None).map_err(full)?;
        let no_slot = Slot { backend: 0, state: DelegateState::default(), io: DelegateIo::default() };
        let slots = arena.slice(tables.delegates, no_slot).map_err(full)?;
        let buffers = arena.slice(tables.buffers, Lent::NONE).map_err(full)?;
        let dims = arena.slice(tables.dims, 0u32).map_err(full)?;
        let resolved = arena.slice(tables.operators, 0u16).map_err(full)?;
        let mut usage = Usage { method: PoolUsage { given, needed, peak: arena.used() }, ..Usage::default() };

        let mut planned = memory.planned.iter_mut();
        for (index, buffer) in buffers.iter_mut().enumerate() {
            let needed = plan.buffer_size(index);
            let memory = planned.next().map(|memory| &mut **memory).unwrap_or_default();
            if (memory.len() as u64) < needed {
                return Err(LoadError::PlannedBuffer { index, needed, given: memory.len() });
            }
            if needed > 0 && !(memory.as_ptr() as usize).is_multiple_of(16) {
                return Err(LoadError::Misaligned { index: index + 1 });
            }
            let needed = usize::try_from(needed).unwrap_or(usize::MAX);
            usage.planned.given = usage.planned.given.saturating_add(memory.len());
            usage.planned.needed = usage.planned.needed.saturating_add(needed);
            *buffer = Lent::exclusive(memory);
        }
        usage.planned.peak = usage.planned.needed;

        for (index, entry) in resolved.iter_mut().enumerate() {
            let operator = plan.operator(index);
            let found = kernels.iter().position(|kernel| kernel.is(operator.name, operator.overload));
            let found = found.and_then(|at| u16::try_from(at).ok());
            *entry = found.ok_or(LoadError::Limit("the kernel table has more than 65536 entries"))?;
        }

        let part = |index: usize| DelegateInstance::new(plan.delegate(index), *program, options.data);
        let mut next_dim = 0u32;
        let dims = Cell::from_mut(dims).as_slice_of_cells();
        for (index, value) in values.iter_mut().enumerate() {
            *value = match plan.value(index) {
                PlanValue::None => Value::None,
                PlanValue::Int(value) => Value::Int(value),
                PlanValue::Bool(value) => Value::Bool(value),
                PlanValue::Double(value) => Value::Double(value),
                PlanValue::String(value) => Value::String(value),
                PlanValue::IntList(list) => Value::IntList(list),
                PlanValue::DoubleList(list) => Value::DoubleList(list),
                PlanValue::BoolList(list) => Value::BoolList(list),
                PlanValue::TensorList(list) => Value::TensorList(list),
                PlanValue::OptionalTensorList(list) => Value::OptionalTensorList(list),
                PlanValue::Tensor(tensor) => {
                    let external = match tensor.data() {
                        TensorData::External { key } | TensorData::PlannedExternal { key, .. } => {
                            Some(external(program, options.data, &tensor, key)?)
                        }
                        _ => None,
                    };
                    let mut initial = external;
                    let data = match tensor.data() {
                        TensorData::Constant(bytes) => Data::Constant(bytes),
                        TensorData::External { .. } => {
                            initial = None;
                            Data::Constant(external.unwrap_or_default())
                        }
                        TensorData::Planned { buffer, offset, initial: bytes } => {
                            initial = bytes;
                            Data::Planned { buffer, offset }
                        }
                        TensorData::PlannedExternal { buffer, offset, .. } => {
                            Data::Planned { buffer, offset }
                        }
                        TensorData::Unplanned => Data::Unbound,
                    };
                    let sizes = if is_dynamic(&tensor) {
                        let start = next_dim;
                        let cells = dims.get(start as usize..).unwrap_or(&[]);
                        for (cell, size) in cells.iter().zip(tensor.sizes().iter()) {
                            cell.set(u32::try_from(size).unwrap_or(0));
                            next_dim += 1;
                        }
                        Sizes::Dynamic { start, bound: tensor.sizes() }
                    } else {
                        Sizes::Static(tensor.sizes())
                    };
                    let meta =
                        TensorMeta { dtype: tensor.dtype(), sizes, dim_order: tensor.dim_order(), data };
                    if let Some(initial) = initial
                        && let Some(span) = locate(&meta, buffers)
                    {
                        let bytes = initial.get(..span.len()).unwrap_or(initial);
                        if !store(buffers, span, bytes) {
                            return Err(LoadError::Limit("an initial value does not fit its planned buffer"));
                        }
                    }
                    Value::Tensor(meta)
                }
            };
        }
        let values: &[Cell<Value<'p>>] = Cell::from_mut(values).as_slice_of_cells();

        for (index, slot) in slots.iter_mut().enumerate() {
            let instance = part(index);
            let id = instance.def().id;
            let position = delegates.iter().position(|backend| backend.id() == id).unwrap_or(0);
            if let Some(backend) = delegates.get_mut(position) {
                let state = backend.init(&instance);
                slot.state = state.map_err(|error| LoadError::Delegate { index, id, error })?;
                slot.backend = u32::try_from(position).unwrap_or(u32::MAX);
            }
        }
        let mut checked = 0u64;
        for c in 0..plan.chain_count() {
            let chain = plan.chain(c);
            for i in 0..chain.instruction_count() {
                let Some(instruction) = chain.instruction(i) else { continue };
                let temp = match instruction {
                    Instruction::Kernel { op, args } => {
                        let kernel = resolved.get(op as usize).and_then(|&k| kernels.get(usize::from(k)));
                        let Some(kernel) = kernel else { continue };
                        let needed = usize::from(kernel.args);
                        if args.len() < needed {
                            return Err(LoadError::Arguments {
                                operator: op as usize,
                                needed,
                                given: args.len(),
                            });
                        }
                        kernel.temp_bytes.map_or(0, |bytes| bytes(&CallSpec { values, dims, args }))
                    }
                    Instruction::Delegate { delegate, args } => {
                        let index = delegate as usize;
                        let Some(slot) = slots.get_mut(index) else { continue };
                        let Some(backend) = delegates.get(slot.backend as usize) else { continue };
                        let instance = part(index);
                        let io = backend
                            .check(&instance, &slot.state, &CallSpec { values, dims, args })
                            .map_err(|error| LoadError::Delegate { index, id: instance.def().id, error })?;
                        let bit = 1u64.checked_shl(delegate).unwrap_or(0);
                        if checked & bit != 0 && io != slot.io {
                            return Err(LoadError::Limit("a delegate is called in two ways by one method"));
                        }
                        checked |= bit;
                        slot.io = io;
                        let align = io.temp_align.max(1);
                        let start = memory.temp.as_ptr() as usize;
                        (start.wrapping_neg() & align.wrapping_sub(1)).saturating_add(io.temp_bytes)
                    }
                    _ => 0,
                };
                usage.temp.needed = usage.temp.needed.max(temp);
            }
        }
        usage.temp.given = memory.temp.len();
        if usage.temp.needed > usage.temp.given {
            let error = OutOfMemory { needed: usage.temp.needed, available: usage.temp.given };
            return Err(LoadError::TempArena(error));
        }

        Ok(Method {
            plan,
            program: *program,
            kernels,
            options,
            values,
            dims,
            buffers,
            resolved,
            slots,
            delegates,
            temp: memory.temp,
            usage,
            set: 0,
        })
    }

    /// The plan that was loaded.
    pub fn plan(&self) -> Plan<'p> {
        self.plan
    }

    /// What the method needs of each pool, and the high-water marks so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The number of inputs.
    pub fn input_count(&self) -> usize {
        self.plan.inputs().len()
    }

    /// The number of outputs.
    pub fn output_count(&self) -> usize {
        self.plan.outputs().len()
    }

    fn value_of(&self, list: tombolo_pte::I32List<'p>, i: usize) -> Result<(usize, Value<'p>), InputError> {
        let none = InputError::Index { count: list.len() };
        let index = list.get(i).and_then(|index| usize::try_from(index).ok()).ok_or(none)?;
        self.values.get(index).map(|value| (index, value.get())).ok_or(none)
    }

    #[inline(never)]
    fn tensor_of(&self, list: tombolo_pte::I32List<'p>, i: usize) -> Result<TensorMeta<'p>, InputError> {
        match self.value_of(list, i)? {
            (_, Value::Tensor(meta)) => Ok(meta),
            (_, other) => Err(InputError::Kind { found: other.kind() }),
        }
    }

    fn spec(&self, value: Value<'p>) -> Result<TensorSpec<'p>, InputError> {
        match value {
            Value::Tensor(meta) => Ok(TensorSpec {
                dtype: meta.dtype,
                shape: shape_of(&meta, self.dims),
                dim_order: meta.dim_order,
            }),
            other => Err(InputError::Kind { found: other.kind() }),
        }
    }

    /// Element type, sizes and memory order of input `i`.
    pub fn input_spec(&self, i: usize) -> Result<TensorSpec<'p>, InputError> {
        self.spec(self.value_of(self.plan.inputs(), i)?.1)
    }

    /// Element type, sizes and memory order of output `i`; for a dynamic shape the current sizes.
    pub fn output_spec(&self, i: usize) -> Result<TensorSpec<'p>, InputError> {
        self.spec(self.value_of(self.plan.outputs(), i)?.1)
    }

    /// Sets input `i`: `bytes` in the memory order of [`Method::input_spec`], copied into planned memory.
    pub fn set_input(
        &mut self,
        i: usize,
        dtype: Dtype,
        sizes: &[u32],
        bytes: &[u8],
    ) -> Result<(), InputError> {
        let meta = self.accept_input(i, dtype, sizes, bytes)?;
        if !matches!(meta.data, Data::Planned { .. }) {
            return Err(InputError::NotPlanned);
        }
        let span = locate(&meta, self.buffers).ok_or(InputError::NotPlanned)?;
        if !store(self, span, bytes) {
            return Err(InputError::Bytes { expected: span.len(), given: bytes.len() });
        }
        self.mark(i);
        Ok(())
    }

    /// Binds memory to input `i`, which has none in the plan. It is read at every run from now on.
    pub fn bind_input(
        &mut self,
        i: usize,
        dtype: Dtype,
        sizes: &[u32],
        bytes: &'m [u8],
    ) -> Result<(), InputError> {
        let meta = self.accept_input(i, dtype, sizes, bytes)?;
        self.bind(self.plan.inputs(), i, meta, Lent::shared(bytes), bytes.as_ptr() as usize)?;
        self.mark(i);
        Ok(())
    }

    /// Binds memory to output `i`, which has none in the plan. It is written at every run from now on.
    pub fn bind_output(&mut self, i: usize, bytes: &'m mut [u8]) -> Result<(), InputError> {
        let (_, value) = self.value_of(self.plan.outputs(), i)?;
        let Value::Tensor(meta) = value else { return Err(InputError::Kind { found: value.kind() }) };
        let expected = self.spec(value)?.nbytes();
        if bytes.len() < expected {
            return Err(InputError::Bytes { expected, given: bytes.len() });
        }
        let address = bytes.as_ptr() as usize;
        self.bind(self.plan.outputs(), i, meta, Lent::exclusive(bytes), address)
    }

    fn bind(
        &mut self,
        list: tombolo_pte::I32List<'p>,
        i: usize,
        meta: TensorMeta<'p>,
        lent: Lent,
        address: usize,
    ) -> Result<(), InputError> {
        if !matches!(meta.data, Data::Unbound | Data::Bound(_)) {
            return Err(InputError::Planned);
        }
        if !address.is_multiple_of(meta.dtype.size().max(1)) {
            return Err(InputError::Misaligned);
        }
        let (index, _) = self.value_of(list, i)?;
        if let Some(cell) = self.values.get(index) {
            cell.set(Value::Tensor(TensorMeta { data: Data::Bound(lent), ..meta }));
        }
        Ok(())
    }

    /// Sets input `i`, which is a number: an int, bool or double.
    pub fn set_scalar(&mut self, i: usize, value: Value<'p>) -> Result<(), InputError> {
        let (index, old) = self.value_of(self.plan.inputs(), i)?;
        let fits = matches!(
            (old, value),
            (Value::Int(_), Value::Int(_))
                | (Value::Bool(_), Value::Bool(_))
                | (Value::Double(_), Value::Double(_))
        );
        if !fits {
            return Err(InputError::Kind { found: old.kind() });
        }
        if let Some(cell) = self.values.get(index) {
            cell.set(value);
        }
        Ok(())
    }

    fn mark(&mut self, i: usize) {
        self.set |= u32::try_from(i).ok().and_then(|i| 1u64.checked_shl(i)).unwrap_or(0);
    }

    /// Compares what is given with input `i`, and sets the current sizes of a dynamic one.
    fn accept_input(
        &mut self,
        i: usize,
        dtype: Dtype,
        sizes: &[u32],
        bytes: &[u8],
    ) -> Result<TensorMeta<'p>, InputError> {
        let meta = self.tensor_of(self.plan.inputs(), i)?;
        if meta.dtype != dtype {
            return Err(InputError::Dtype { expected: meta.dtype, given: dtype });
        }
        let (list, start) = match meta.sizes {
            Sizes::Static(list) => (list, None),
            Sizes::Dynamic { start, bound } => (bound, Some(start)),
        };
        let rank = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        if list.len() != sizes.len() {
            let (expected, given) = (rank(list.len()), rank(sizes.len()));
            return Err(InputError::Shape { dim: sizes.len().min(list.len()), expected, given });
        }
        let mut count = meta.dtype.size();
        for (dim, (&given, expected)) in sizes.iter().zip(list.iter()).enumerate() {
            let expected = u32::try_from(expected).unwrap_or(0);
            let fits = if start.is_some() { given <= expected } else { given == expected };
            if !fits {
                return Err(InputError::Shape { dim, expected, given });
            }
            count = count.saturating_mul(given as usize);
        }
        if bytes.len() != count {
            return Err(InputError::Bytes { expected: count, given: bytes.len() });
        }
        if let Some(start) = start {
            for (cell, &size) in self.dims.get(start as usize..).unwrap_or(&[]).iter().zip(sizes) {
                cell.set(size);
            }
        }
        Ok(meta)
    }

    /// Output `i` after a run.
    pub fn output(&self, i: usize) -> Result<Tensor<'_>, InputError> {
        let meta = self.tensor_of(self.plan.outputs(), i)?;
        let span = locate(&meta, self.buffers).ok_or(InputError::NotPlanned)?;
        let shape = shape_of(&meta, self.dims);
        let len = shape.count().saturating_mul(meta.dtype.size());
        let bytes = view(self, span).get(..len).ok_or(InputError::NotPlanned)?;
        Ok(Tensor { dtype: meta.dtype, shape, dim_order: meta.dim_order, bytes })
    }

    /// The value of output `i`: for outputs that are numbers.
    pub fn output_value(&self, i: usize) -> Result<Value<'p>, InputError> {
        self.value_of(self.plan.outputs(), i).map(|(_, value)| value)
    }

    /// Runs the method once.
    pub fn execute(&mut self) -> Result<(), ExecuteError> {
        self.execute_with(&mut ())
    }

    /// Runs the method once and tells `observer` of every instruction.
    pub fn execute_with(&mut self, observer: &mut impl Observer) -> Result<(), ExecuteError> {
        let mut set = self.set;
        for index in 0..self.input_count().min(64) {
            let Ok(meta) = self.tensor_of(self.plan.inputs(), index) else { continue };
            if set & (1 << index) == 0 {
                return Err(ExecuteError::InputNotSet { index });
            }
            // Bound inputs stay; the memory of planned ones may be reused by the plan.
            if matches!(meta.data, Data::Planned { .. }) {
                set &= !(1 << index);
            }
        }
        self.set = set;
        let mut left = self.options.max_instructions;
        for c in 0..self.plan.chain_count() {
            let chain = self.plan.chain(c);
            let mut i = 0;
            while let Some(instruction) = chain.instruction(i) {
                left = left.checked_sub(1).ok_or(ExecuteError::InstructionLimit)?;
                let at = (c, i);
                observer.event(Event::Begin { at, instruction });
                i += 1;
                let mut temp_used = 0;
                match instruction {
                    Instruction::Kernel { op, args } => {
                        let operator = op as usize;
                        let kernels = self.kernels;
                        let kernel = self.resolved.get(operator).and_then(|&k| kernels.get(usize::from(k)));
                        if let Some(kernel) = kernel {
                            let frame = self.frame(args, Writes::At(kernel.outs));
                            let context = KernelContext { frame };
                            let result = (kernel.run)(&context);
                            temp_used = context.frame.temp.take().used();
                            result.map_err(|error| ExecuteError::Kernel { at, operator, error })?;
                        }
                    }
                    Instruction::Delegate { delegate, args } => {
                        temp_used = self.delegate(at, delegate as usize, args)?;
                    }
                    Instruction::Move { from, to } => {
                        let value = self.values.get(from as usize).map_or(Value::None, Cell::get);
                        if let Some(cell) = self.values.get(to as usize) {
                            cell.set(value);
                        }
                    }
                    Instruction::JumpFalse { cond, target } => {
                        if !self.truth(cond as usize).ok_or(ExecuteError::Condition { at })? {
                            i = target as usize;
                        }
                    }
                    // Values own no memory here, so that there is nothing to free.
                    Instruction::Free { .. } => {}
                }
                self.usage.temp.peak = self.usage.temp.peak.max(temp_used);
                observer.event(Event::End { at, temp_used });
            }
        }
        Ok(())
    }

    fn frame(&mut self, args: tombolo_pte::I32List<'p>, writes: Writes) -> Frame<'_, 'p> {
        Frame {
            values: self.values,
            dims: self.dims,
            buffers: self.buffers,
            args,
            writes,
            taken: Cell::new(0),
            temp: Cell::new(Arena::new(self.temp)),
        }
    }

    fn delegate(
        &mut self,
        at: (usize, usize),
        delegate: usize,
        args: tombolo_pte::I32List<'p>,
    ) -> Result<usize, ExecuteError> {
        let Some(&slot) = self.slots.get(delegate) else { return Ok(0) };
        let part = DelegateInstance::new(self.plan.delegate(delegate), self.program, self.options.data);
        let frame = Frame {
            values: self.values,
            dims: self.dims,
            buffers: self.buffers,
            args,
            writes: Writes::From { first: slot.io.inputs, count: slot.io.outputs },
            taken: Cell::new(0),
            temp: Cell::new(Arena::new(self.temp)),
        };
        let context = DelegateContext { frame, io: slot.io };
        let Some(backend) = self.delegates.get_mut(slot.backend as usize) else { return Ok(0) };
        let result = backend.execute(&part, &slot.state, &context);
        let used = context.frame.temp.take().used();
        result.map_err(|error| ExecuteError::Delegate { at, delegate, error })?;
        Ok(used)
    }

    /// A bool, or a bool tensor of one element.
    fn truth(&self, index: usize) -> Option<bool> {
        match self.values.get(index)?.get() {
            Value::Bool(value) => Some(value),
            Value::Int(value) => Some(value != 0),
            Value::Tensor(meta) if meta.dtype == Dtype::Bool && shape_of(&meta, self.dims).count() == 1 => {
                view(self, locate(&meta, self.buffers)?).first().map(|&byte| byte != 0)
            }
            _ => None,
        }
    }
}

/// A constant out of external data.
fn external<'p>(
    program: &Program<'p>,
    files: &'p [DataFile<'p>],
    tensor: &TensorView<'p>,
    key: &'p str,
) -> Result<&'p [u8], LoadError<'p>> {
    let found = program.named(key).or_else(|| files.iter().find_map(|file| file.get(key)));
    let bytes = found.ok_or(LoadError::ExternalData { key })?;
    let needed = tensor.nbytes();
    // An initial value is copied into its planned buffer; a constant is used where it lies.
    let copied = matches!(tensor.data(), TensorData::PlannedExternal { .. });
    let aligned = copied || (bytes.as_ptr() as usize).is_multiple_of(tensor.dtype().size().max(1));
    if bytes.len() < needed || !aligned {
        return Err(LoadError::ExternalSize { key, needed, found: bytes.len() });
    }
    Ok(bytes)
}
