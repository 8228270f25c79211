//! The host runtime: a program with all kernels, its NPU parts on the simulator.

use crate::aligned::AlignedBytes;
use crate::error::{Error, Result};
use crate::files;
use crate::npu::{Observed, SimNpu};
use crate::npy::{self, Array, Shape};
use crate::stream::NpuProgram;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tombolo_driver::EthosUBackend;
use tombolo_ethosu::Accelerator;
use tombolo_pte::bundled::Bundle;
use tombolo_pte::ptd::DataFile;
use tombolo_pte::{DelegateDef, Instruction, Plan, Program, TensorData};
use tombolo_runtime::{
    Delegate, Dtype, Event, ExecuteError, InputError, LoadError, Memory, Method, Options, Usage, Value,
};
use tombolo_sim::System;

/// The name under which programs ask for the NPU.
pub const ETHOS_U: &str = "EthosUBackend";

/// A program file in memory, with the files of external data that it needs.
pub struct Model {
    path: PathBuf,
    program: AlignedBytes,
    bundle: Option<AlignedBytes>,
    data: Vec<(PathBuf, AlignedBytes)>,
}

impl Model {
    /// Reads a `.pte` or `.bpte` file and its `.ptd` files. Nothing is parsed but the bundle's frame.
    ///
    /// # Errors
    /// A file does not read, or the bundle is damaged.
    pub fn open(path: &Path, data: &[PathBuf]) -> Result<Model> {
        let mut model = Model::from_bytes(path, &files::read(path)?)?;
        for path in data {
            model.data.push((path.clone(), files::read_aligned(path)?));
        }
        Ok(model)
    }

    /// The model of a file's bytes. `path` is for messages.
    ///
    /// # Errors
    /// The bytes are a damaged bundle.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Model> {
        let file = AlignedBytes::from(bytes);
        let path = path.to_path_buf();
        if !Bundle::is(&file) {
            return Ok(Model { path, program: file, bundle: None, data: Vec::new() });
        }
        // The program inside a bundle need not lie at a multiple of 16.
        let program = Bundle::parse(&file)
            .map(|bundle| AlignedBytes::from(bundle.program()))
            .map_err(|e| pte_error(e).in_file(&path))?;
        Ok(Model { path, program, bundle: Some(file), data: Vec::new() })
    }

    /// The file that was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of the program itself.
    pub fn bytes(&self) -> &[u8] {
        &self.program
    }

    /// Parses and validates the program.
    ///
    /// # Errors
    /// It is damaged, or not a program.
    pub fn program(&self) -> Result<Program<'_>> {
        Program::parse(&self.program).map_err(|e| pte_error(e).in_file(&self.path))
    }

    /// The bundle around the program, if the file is one.
    ///
    /// # Errors
    /// It is damaged.
    pub fn bundle(&self) -> Result<Option<Bundle<'_>>> {
        self.bundle
            .as_deref()
            .map(|bytes| Bundle::parse(bytes).map_err(|e| pte_error(e).in_file(&self.path)))
            .transpose()
    }

    /// Parses and validates the files of external data.
    ///
    /// # Errors
    /// One of them is damaged.
    pub fn data_files(&self) -> Result<Vec<DataFile<'_>>> {
        self.data
            .iter()
            .map(|(path, bytes)| DataFile::parse(bytes).map_err(|e| pte_error(e).in_file(path)))
            .collect()
    }
}

/// The parser's error as the host's.
pub fn pte_error(error: tombolo_pte::Error) -> Error {
    // The parser says `FIELD at byte OFFSET: what; remedy`, where `what` is a sentence of its own or one about
    // the field.
    let text = error.to_string();
    let (what, help) = text.split_once("; ").unwrap_or((&text, "copy the file again, or export it again"));
    let what = match what.split_once(": ") {
        Some((_, sentence)) if sentence.starts_with("the ") || sentence.starts_with("this ") => {
            sentence.to_string()
        }
        Some((_, predicate)) => format!("{} {predicate}", error.field),
        None => what.to_string(),
    };
    Error::new(what).at(format!("{} at byte {:#x}", error.field, error.offset)).help(help)
}

/// The streams of the NPU delegates of a plan, with their indices.
///
/// # Errors
/// A delegate's blob does not read.
pub fn npu_delegates<'p>(
    program: &Program<'p>,
    plan: &Plan<'p>,
    data: &[DataFile<'p>],
) -> Result<Vec<(usize, NpuProgram)>> {
    (0..plan.delegate_count())
        .map(|index| (index, plan.delegate(index)))
        .filter(|(_, def)| def.id == ETHOS_U)
        .map(|(index, def)| {
            npu_program(program, &def, data)
                .map(|p| (index, p))
                .map_err(|e| e.at(format!("delegate {index}")))
        })
        .collect()
}

/// The stream of one NPU delegate.
///
/// # Errors
/// Its blob does not read, or a block is in a file that was not given.
pub fn npu_program<'p>(
    program: &Program<'p>,
    def: &DelegateDef<'p>,
    data: &[DataFile<'p>],
) -> Result<NpuProgram> {
    NpuProgram::from_blob(def.blob, |key| {
        program.named(key).or_else(|| data.iter().find_map(|file| file.get(key)))
    })
}

/// The program's element type as NumPy's. bfloat16 and the types that NumPy lacks are opaque.
pub fn npy_dtype(dtype: Dtype) -> npy::Dtype {
    match dtype {
        Dtype::Byte | Dtype::QUInt8 => npy::Dtype::UInt8,
        Dtype::Char | Dtype::QInt8 => npy::Dtype::Int8,
        Dtype::Short => npy::Dtype::Int16,
        Dtype::Int | Dtype::QInt32 => npy::Dtype::Int32,
        Dtype::Long => npy::Dtype::Int64,
        Dtype::Half => npy::Dtype::Float16,
        Dtype::Float => npy::Dtype::Float32,
        Dtype::Double => npy::Dtype::Float64,
        Dtype::Bool => npy::Dtype::Bool,
        Dtype::UInt16 | Dtype::Bits16 => npy::Dtype::UInt16,
        Dtype::UInt32 => npy::Dtype::UInt32,
        Dtype::UInt64 => npy::Dtype::UInt64,
        other => npy::Dtype::Void(other.size()),
    }
}

/// Elements in C order brought to the order in which the dimensions lie in memory (`forward`), or back.
fn reorder(bytes: &[u8], shape: &[usize], dim_order: &[u8], size: usize, forward: bool) -> Vec<u8> {
    let in_order = dim_order.iter().enumerate().all(|(i, &d)| i == usize::from(d));
    if in_order || bytes.is_empty() || size == 0 || dim_order.len() != shape.len() {
        return bytes.to_vec();
    }
    // Strides of the C-order side for each dimension, then taken in memory order.
    let mut strides = vec![1usize; shape.len()];
    for d in (0..shape.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * shape[d + 1];
    }
    let order: Vec<usize> = dim_order.iter().map(|&d| usize::from(d)).collect();
    let mut out = vec![0u8; bytes.len()];
    let mut index = vec![0usize; shape.len()];
    let mut c_order = 0usize;
    for memory in 0..bytes.len() / size {
        let (from, to) = if forward { (c_order, memory) } else { (memory, c_order) };
        out[to * size..(to + 1) * size].copy_from_slice(&bytes[from * size..(from + 1) * size]);
        for &d in order.iter().rev() {
            index[d] += 1;
            c_order += strides[d];
            if index[d] < shape[d] {
                break;
            }
            c_order -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
    out
}

/// Elements in memory order brought to C order.
pub fn to_c_order(bytes: &[u8], shape: &[usize], dim_order: &[u8], size: usize) -> Vec<u8> {
    reorder(bytes, shape, dim_order, size, false)
}

/// How a model is to be run.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The method.
    pub method: &'a str,
    /// The NPU to simulate; `None`: the one that the program was compiled for.
    pub target: Option<Accelerator>,
    /// The memories around the NPU, if its time is to be estimated.
    pub system: Option<System>,
}

/// Calls and time of one operator or delegate.
#[derive(Debug, Clone)]
pub struct Executed {
    /// Operator with overload, or the delegate's name.
    pub name: String,
    /// The NPU, for a delegate that runs on one.
    pub accelerator: Option<Accelerator>,
    /// How many times it ran.
    pub calls: u64,
    /// Time of all calls on this machine; for an NPU that of the simulation.
    pub time: Duration,
}

/// What was used to run a model.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Operators and delegates that ran, in the order of the program's tables.
    pub executed: Vec<Executed>,
    /// Memory pools.
    pub usage: Usage,
    /// Bytes of fast scratch that the NPU streams need.
    pub fast_scratch: usize,
    /// What the simulator saw.
    pub npu: Observed,
    /// Time to load the method.
    pub load_time: Duration,
    /// Time of all executions.
    pub run_time: Duration,
    /// Executions.
    pub runs: u64,
    /// What the first execution did, step by step.
    pub steps: Vec<Step>,
}

/// An operator or delegate in an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Which of [`Statistics::executed`].
    pub executed: usize,
    /// Time on this machine.
    pub time: Duration,
    /// Which of the NPU's profiles, for a delegate whose time was estimated.
    pub profile: Option<usize>,
}

/// An input or output of a method.
#[derive(Debug, Clone)]
pub struct Port {
    /// Element type of the program.
    pub dtype: Dtype,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// Dimensions in the order in which they lie in memory.
    pub dim_order: Vec<u8>,
    /// Whether the sizes are upper bounds.
    pub dynamic: bool,
    /// Whether it is a number and no tensor.
    pub scalar: bool,
}

/// The inputs (or with `outputs` the outputs) of a plan.
pub fn ports(plan: &Plan<'_>, outputs: bool) -> Vec<Port> {
    let list = if outputs { plan.outputs() } else { plan.inputs() };
    list.iter()
        .map(|index| {
            let scalar = |dtype| Port {
                dtype,
                shape: Vec::new(),
                dim_order: Vec::new(),
                dynamic: false,
                scalar: true,
            };
            match usize::try_from(index).map(|i| plan.value(i)) {
                Ok(tombolo_pte::Value::Tensor(tensor)) => Port {
                    dtype: tensor.dtype(),
                    shape: tensor.sizes().iter().map(|d| usize::try_from(d).unwrap_or(0)).collect(),
                    dim_order: tensor.dim_order().to_vec(),
                    dynamic: !matches!(tensor.dynamism(), tombolo_pte::Dynamism::Static),
                    scalar: false,
                },
                Ok(tombolo_pte::Value::Double(_)) => scalar(Dtype::Double),
                Ok(tombolo_pte::Value::Bool(_)) => scalar(Dtype::Bool),
                _ => scalar(Dtype::Long),
            }
        })
        .collect()
}

/// Most bytes that a program's planned buffers may have together: programs name any number.
const MAX_PLANNED: u64 = 2 << 30;

/// Most steps of an execution that are kept: a program may loop.
const MAX_STEPS: usize = 1 << 16;

/// Gives the inputs of run `i`, or `None` after the last.
pub type Source<'s> = dyn FnMut(u64) -> Option<Vec<Array>> + 's;
/// Takes the outputs of run `i`.
pub type Sink<'s> = dyn FnMut(u64, Vec<Array>) -> Result<()> + 's;

/// Loads a method of `program` and runs it for every set of inputs that `source` gives.
///
/// # Errors
/// Everything that can be wrong with a program, its data or its inputs; none names the model's file yet.
pub fn run<'p>(
    program: &Program<'p>,
    data: &'p [DataFile<'p>],
    setup: Setup<'_>,
    source: &mut Source<'_>,
    sink: &mut Sink<'_>,
) -> Result<Statistics> {
    let plan = find_plan(program, setup.method)?;
    let streams = npu_delegates(program, &plan, data)?;
    let accelerator = simulated(&streams, setup.target)?;
    let fast_scratch = fast_scratch_of(&streams);
    planned_bytes(&plan)?;
    let mut host = Host {
        program,
        plan,
        data,
        setup,
        accelerator,
        fast_scratch,
        persistent: persistent_of(&streams),
        statistics: Statistics::default(),
    };
    host.statistics.executed = (0..plan.operator_count())
        .map(|i| Executed {
            name: full_name(&plan.operator(i)),
            accelerator: None,
            calls: 0,
            time: Duration::ZERO,
        })
        .chain((0..plan.delegate_count()).map(|i| Executed {
            name: plan.delegate(i).id.to_string(),
            accelerator,
            calls: 0,
            time: Duration::ZERO,
        }))
        .collect();
    host.statistics.fast_scratch = fast_scratch;
    let mut next = 0;
    let mut inputs = source(next);
    // How much temporary memory the method needs is known only after loading it: the first attempt
    // without any tells.
    let mut temp = 0;
    while let Some(first) = inputs.take() {
        match host.attempt(temp, &mut next, first, source, sink)? {
            Attempt::Temp { needed, first } => {
                // The second attempt has what the first asked for; a third would ask for the same.
                if needed > crate::stream::MAX_REGION || needed <= temp {
                    return Err(Error::new(format!("a call needs {needed} bytes of temporary memory"))
                        .help("export a smaller model"));
                }
                temp = needed;
                inputs = Some(first);
            }
            Attempt::Ran { following } => inputs = following,
        }
    }
    Ok(host.statistics)
}

/// The method `name`.
///
/// # Errors
/// There is none; the help lists those that there are.
pub fn find_plan<'p>(program: &Program<'p>, name: &str) -> Result<Plan<'p>> {
    program.find_method(name).ok_or_else(|| {
        let names: Vec<&str> =
            (0..program.method_count()).filter_map(|i| program.method(i)).map(|plan| plan.name()).collect();
        Error::new(format!("the program has no method '{name}'"))
            .help(format!("choose one with --method; it has: {}", names.join(", ")))
    })
}

/// Operator and overload: `aten::add.out`.
pub fn full_name(operator: &tombolo_pte::Operator<'_>) -> String {
    if operator.overload.is_empty() {
        operator.name.to_string()
    } else {
        format!("{}.{}", operator.name, operator.overload)
    }
}

/// The NPU that the NPU parts of a method run on, if it has any: `target`, or the one that they were compiled for.
///
/// # Errors
/// A delegate's blob does not read, or they were compiled for different NPUs.
pub fn accelerator<'p>(
    program: &Program<'p>,
    plan: &Plan<'p>,
    data: &[DataFile<'p>],
    target: Option<Accelerator>,
) -> Result<Option<Accelerator>> {
    simulated(&npu_delegates(program, plan, data)?, target)
}

/// The one NPU that all streams run on.
fn simulated(streams: &[(usize, NpuProgram)], target: Option<Accelerator>) -> Result<Option<Accelerator>> {
    let mut found: Option<(usize, Accelerator)> = None;
    for (index, stream) in streams {
        let accelerator = stream.accelerator().map_err(|e| e.at(format!("delegate {index}")))?;
        match found {
            Some((first, other)) if other != accelerator => {
                return Err(Error::new(format!(
                    "delegate {first} was compiled for {other}, delegate {index} for {accelerator}"
                ))
                .help("compile the whole program for one NPU"));
            }
            _ => found = Some((*index, accelerator)),
        }
    }
    Ok(found.map(|(_, accelerator)| target.unwrap_or(accelerator)))
}

/// Memory that a method needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pools {
    /// The runtime's tables, on this machine.
    pub method: usize,
    /// All planned buffers together.
    pub planned: u64,
    /// The temporary arena: the largest need of any one call.
    pub temp: usize,
    /// Fast scratch of the NPU.
    pub fast_scratch: usize,
}

/// What a method needs of each pool, found by loading it without running it.
///
/// # Errors
/// It does not load: a kernel or external data is missing, or a delegate refuses.
pub fn measure<'p>(program: &Program<'p>, data: &'p [DataFile<'p>], method: &str) -> Result<Pools> {
    let plan = find_plan(program, method)?;
    let streams = npu_delegates(program, &plan, data)?;
    let accelerator = simulated(&streams, None)?;
    let fast_scratch = fast_scratch_of(&streams);
    let planned = planned_bytes(&plan)?;
    let mut fast = AlignedBytes::zeroed(fast_scratch);
    let mut persistent = AlignedBytes::zeroed(persistent_of(&streams));
    let mut ethos_u = accelerator.map(|accelerator| {
        EthosUBackend::new(SimNpu::new(accelerator), &mut fast).with_persistent(&mut persistent)
    });
    let mut delegates: Vec<&mut dyn Delegate> = Vec::new();
    if let Some(backend) = &mut ethos_u {
        delegates.push(backend);
    }
    let arena = Method::arena_bytes(program, method).unwrap_or(0);
    let mut method_arena = AlignedBytes::zeroed(arena);
    let mut buffers = planned_buffers(&plan);
    let mut buffers: Vec<&mut [u8]> = buffers.iter_mut().map(|b| &mut **b).collect();
    // Empty, but aligned: the need that is told has no padding in it.
    let mut temp = AlignedBytes::zeroed(0);
    let memory = Memory { method: &mut method_arena, planned: &mut buffers, temp: &mut temp };
    let options = Options { data, ..Options::default() };
    let loaded = Method::load(program, method, tombolo_kernels::ALL, &mut delegates, memory, options);
    let temp = match loaded {
        Ok(method) => method.usage().temp.needed,
        Err(LoadError::TempArena(error)) => error.needed,
        Err(error) => return Err(load_error(&error)),
    };
    Ok(Pools { method: arena, planned, temp, fast_scratch })
}

fn fast_scratch_of(streams: &[(usize, NpuProgram)]) -> usize {
    streams.iter().filter_map(|(_, s)| s.fast_scratch()).map(|(size, _)| size).max().unwrap_or(0)
}

/// Bytes that the streams keep between runs: each has a piece of its own.
fn persistent_of(streams: &[(usize, NpuProgram)]) -> usize {
    streams.iter().map(|(_, s)| s.persistent().next_multiple_of(16)).sum()
}

/// Bytes of all planned buffers together.
fn planned_bytes(plan: &Plan<'_>) -> Result<u64> {
    let planned: u64 = (0..plan.buffer_count()).map(|i| plan.buffer_size(i)).fold(0, u64::saturating_add);
    if planned > MAX_PLANNED {
        return Err(Error::new(format!(
            "the method plans {planned} bytes of memory, more than the {MAX_PLANNED} that are given here"
        ))
        .help("export a smaller model"));
    }
    Ok(planned)
}

fn planned_buffers(plan: &Plan<'_>) -> Vec<AlignedBytes> {
    (0..plan.buffer_count())
        .map(|i| AlignedBytes::zeroed(usize::try_from(plan.buffer_size(i)).unwrap_or(usize::MAX)))
        .collect()
}

struct Host<'a, 'p> {
    program: &'a Program<'p>,
    plan: Plan<'p>,
    data: &'p [DataFile<'p>],
    setup: Setup<'a>,
    accelerator: Option<Accelerator>,
    fast_scratch: usize,
    persistent: usize,
    statistics: Statistics,
}

enum Attempt {
    /// The method needs that much temporary memory; nothing has run.
    Temp { needed: usize, first: Vec<Array> },
    /// It ran; these inputs follow and need another loading, because the method has inputs or outputs
    /// without planned memory.
    Ran { following: Option<Vec<Array>> },
}

impl<'p> Host<'_, 'p> {
    fn attempt(
        &mut self,
        temp: usize,
        next: &mut u64,
        first: Vec<Array>,
        source: &mut Source<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Attempt> {
        let load_start = Instant::now();
        let (inputs, outputs) = (ports(&self.plan, false), ports(&self.plan, true));
        let mut sample = prepare(&inputs, first.clone())?;
        // Memory of inputs and outputs that have none in the plan. They are bound to the method for its
        // whole life, so that the method is loaded again for each run.
        let unplanned = |list: tombolo_pte::I32List<'p>, ports: &[Port]| -> Vec<bool> {
            list.iter()
                .zip(ports)
                .map(|(index, _)| match usize::try_from(index).map(|i| self.plan.value(i)) {
                    Ok(tombolo_pte::Value::Tensor(t)) => matches!(t.data(), TensorData::Unplanned),
                    _ => false,
                })
                .collect()
        };
        let free_inputs = unplanned(self.plan.inputs(), &inputs);
        let free_outputs = unplanned(self.plan.outputs(), &outputs);
        let once = free_inputs.iter().chain(&free_outputs).any(|&free| free);
        let input_memory: Vec<AlignedBytes> =
            sample.iter().map(|s| AlignedBytes::from(s.bytes.as_slice())).collect();
        let mut output_memory = Vec::new();
        for port in &outputs {
            let bytes = port.shape.iter().try_fold(port.dtype.size(), |n, &d| n.checked_mul(d));
            let bytes = bytes.filter(|&n| n <= crate::stream::MAX_REGION).ok_or_else(|| {
                Error::new(format!("an output of shape {}", Shape(&port.shape)))
                    .help("export a smaller model")
            })?;
            output_memory.push(AlignedBytes::zeroed(bytes));
        }

        let mut backend = self.accelerator.map(|accelerator| {
            let npu = SimNpu::new(accelerator).with_system(self.setup.system);
            (npu.observer(), npu)
        });
        let observer = backend.as_ref().map(|(observer, _)| observer.clone());
        let mut fast_scratch = AlignedBytes::zeroed(self.fast_scratch);
        let mut persistent = AlignedBytes::zeroed(self.persistent);
        let mut ethos_u = backend
            .take()
            .map(|(_, npu)| EthosUBackend::new(npu, &mut fast_scratch).with_persistent(&mut persistent));
        let mut delegates: Vec<&mut dyn Delegate> = Vec::new();
        if let Some(backend) = &mut ethos_u {
            delegates.push(backend);
        }

        let arena_bytes = Method::arena_bytes(self.program, self.setup.method).unwrap_or(0);
        let mut method_arena = AlignedBytes::zeroed(arena_bytes);
        let mut buffers = planned_buffers(&self.plan);
        let mut planned: Vec<&mut [u8]> = buffers.iter_mut().map(|b| &mut **b).collect();
        let mut temp = AlignedBytes::zeroed(temp);
        let memory = Memory { method: &mut method_arena, planned: &mut planned, temp: &mut temp };
        let options = Options { data: self.data, ..Options::default() };
        let loaded = Method::load(
            self.program,
            self.setup.method,
            tombolo_kernels::ALL,
            &mut delegates,
            memory,
            options,
        );
        let mut method = match loaded {
            Ok(method) => method,
            Err(LoadError::TempArena(error)) => return Ok(Attempt::Temp { needed: error.needed, first }),
            Err(error) => return Err(load_error(&error)),
        };
        for (i, memory) in input_memory.iter().enumerate().filter(|(i, _)| free_inputs[*i]) {
            let (port, sample) = (&inputs[i], &sample[i]);
            method.bind_input(i, port.dtype, &sample.sizes, memory).map_err(|e| input_error(i, &e))?;
        }
        for (i, memory) in output_memory.iter_mut().enumerate().filter(|(i, _)| free_outputs[*i]) {
            method.bind_output(i, memory).map_err(|e| output_error(i, &e))?;
        }
        self.statistics.load_time += load_start.elapsed();

        let following = loop {
            for (i, (port, sample)) in inputs.iter().zip(&sample).enumerate() {
                if port.scalar {
                    method.set_scalar(i, sample.scalar).map_err(|e| input_error(i, &e))?;
                } else if !free_inputs[i] {
                    method
                        .set_input(i, port.dtype, &sample.sizes, &sample.bytes)
                        .map_err(|e| input_error(i, &e))?;
                }
            }
            let operators = self.plan.operator_count();
            let first_run = self.statistics.runs == 0;
            let Statistics { executed, steps, .. } = &mut self.statistics;
            let mut begun: Option<(usize, Instant)> = None;
            let start = Instant::now();
            let mut watch = |event: Event<'_>| match event {
                Event::Begin { instruction, .. } => {
                    begun = match instruction {
                        Instruction::Kernel { op, .. } => Some((op as usize, Instant::now())),
                        Instruction::Delegate { delegate, .. } => {
                            Some((operators + delegate as usize, Instant::now()))
                        }
                        _ => None,
                    };
                }
                Event::End { .. } => {
                    if let Some((index, start)) = begun.take()
                        && let Some(entry) = executed.get_mut(index)
                    {
                        let time = start.elapsed();
                        entry.calls += 1;
                        entry.time += time;
                        if first_run && steps.len() < MAX_STEPS {
                            let npu = observer.as_ref().filter(|_| entry.accelerator.is_some());
                            let profile = npu.and_then(|npu| npu.borrow().profiles.last());
                            steps.push(Step { executed: index, time, profile });
                        }
                    }
                }
            };
            method
                .execute_with(&mut watch)
                .map_err(|e| execute_error(&self.plan, &e, observer.as_ref().map(|o| o.borrow().clone())))?;
            self.statistics.run_time += start.elapsed();
            self.statistics.runs += 1;
            let results = (0..method.output_count()).map(|i| output(&method, i)).collect::<Result<_>>()?;
            sink(*next, results)?;
            *next += 1;
            match source(*next) {
                None => break None,
                Some(more) if once => break Some(more),
                Some(more) => sample = prepare(&inputs, more)?,
            }
        };
        let usage = method.usage();
        let peaks = [self.statistics.usage.method.peak, self.statistics.usage.temp.peak];
        self.statistics.usage = usage;
        self.statistics.usage.method.peak = usage.method.peak.max(peaks[0]);
        self.statistics.usage.temp.peak = usage.temp.peak.max(peaks[1]);
        if let Some(observer) = observer {
            let seen = observer.borrow();
            let total = &mut self.statistics.npu;
            total.jobs += seen.jobs;
            total.profiles.merge(&seen.profiles);
            for (total, seen) in total.high_water.iter_mut().zip(seen.high_water) {
                *total = seen.max(*total);
            }
        }
        Ok(Attempt::Ran { following })
    }
}

/// An input as the method takes it.
struct Sample<'p> {
    sizes: Vec<u32>,
    /// Elements in memory order.
    bytes: Vec<u8>,
    /// The value, for an input that is a number.
    scalar: Value<'p>,
}

/// Checks arrays against the inputs of a method.
fn prepare<'p>(ports: &[Port], arrays: Vec<Array>) -> Result<Vec<Sample<'p>>> {
    if ports.len() != arrays.len() {
        return Err(Error::new(format!(
            "the method takes {} inputs, {} were given",
            ports.len(),
            arrays.len()
        ))
        .help(format!("give one --input for each: {}", describe(ports))));
    }
    ports.iter().zip(arrays).enumerate().map(|(i, (port, array))| sample(i, port, &array)).collect()
}

fn sample<'p>(i: usize, port: &Port, array: &Array) -> Result<Sample<'p>> {
    let wanted = npy_dtype(port.dtype);
    if array.dtype() != wanted {
        return Err(Error::new(format!(
            "input {i} has {} elements, the method takes {wanted}",
            array.dtype()
        ))
        .help(format!(
            "convert it (numpy: a.astype(np.{wanted})); the method takes {}",
            describe_one(port)
        )));
    }
    if port.scalar {
        let scalar = match (port.dtype, array.integer(0), array.number(0)) {
            _ if array.len() != 1 => None,
            (Dtype::Double, _, Some(v)) => Some(Value::Double(v)),
            (Dtype::Bool, Some(v), _) => Some(Value::Bool(v != 0)),
            (_, Some(v), _) => i64::try_from(v).ok().map(Value::Int),
            _ => None,
        };
        let scalar = scalar.ok_or_else(|| {
            Error::new(format!("input {i} is a number, an array of shape {} was given", Shape(array.shape())))
                .help("give an array of one element")
        })?;
        return Ok(Sample { sizes: Vec::new(), bytes: Vec::new(), scalar });
    }
    let fits = array.shape().len() == port.shape.len()
        && array
            .shape()
            .iter()
            .zip(&port.shape)
            .all(|(given, wanted)| given == wanted || (port.dynamic && given <= wanted));
    if !fits {
        let batch = match (array.shape().split_first(), port.shape.split_first()) {
            (Some((_, given)), Some((1, wanted))) => given == wanted,
            _ => false,
        };
        let help = if batch {
            "to run it once for each of them, give the file with --dataset".to_string()
        } else {
            format!("the method takes {}", describe_one(port))
        };
        return Err(Error::new(format!(
            "input {i} has shape {}, the method takes {}{}",
            Shape(array.shape()),
            if port.dynamic { "at most " } else { "" },
            Shape(&port.shape)
        ))
        .help(help));
    }
    let sizes = array.shape().iter().map(|&d| u32::try_from(d).unwrap_or(u32::MAX)).collect();
    let bytes = reorder(array.bytes(), array.shape(), &port.dim_order, array.dtype().size(), true);
    Ok(Sample { sizes, bytes, scalar: Value::None })
}

/// Inputs or outputs in words: `float32 [1, 8, 12, 12], int64`.
pub fn describe(ports: &[Port]) -> String {
    let words: Vec<String> = ports.iter().map(describe_one).collect();
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}

fn describe_one(port: &Port) -> String {
    let dtype = npy_dtype(port.dtype);
    if port.scalar {
        format!("one {dtype}")
    } else {
        format!("{dtype} {}{}", if port.dynamic { "up to " } else { "" }, Shape(&port.shape))
    }
}

fn output(method: &Method<'_, '_>, i: usize) -> Result<Array> {
    match method.output_value(i) {
        Ok(Value::Tensor(_)) => {
            let tensor = method.output(i).map_err(|e| output_error(i, &e))?;
            let shape: Vec<usize> = tensor.shape().iter().map(|&d| d as usize).collect();
            let dtype = npy_dtype(tensor.dtype());
            let bytes = reorder(tensor.bytes(), &shape, tensor.dim_order(), dtype.size(), false);
            Array::new(dtype, shape, bytes)
        }
        Ok(Value::Int(v)) => Array::new(npy::Dtype::Int64, vec![], v.to_le_bytes().to_vec()),
        Ok(Value::Double(v)) => Array::new(npy::Dtype::Float64, vec![], v.to_le_bytes().to_vec()),
        Ok(Value::Bool(v)) => Array::new(npy::Dtype::Bool, vec![], vec![u8::from(v)]),
        Ok(other) => Err(Error::new(format!("output {i} is a {}, which has no array", other.kind()))
            .help("export a model whose outputs are tensors or numbers")),
        Err(error) => Err(output_error(i, &error)),
    }
}

fn input_error(i: usize, error: &InputError) -> Error {
    Error::new(format!("input {i} is not taken: {error}"))
        .help("give an array of the type and shape that inspect shows")
}

fn output_error(i: usize, error: &InputError) -> Error {
    Error::new(format!("output {i} is not there: {error}")).help("export the program again")
}

fn load_error(error: &LoadError<'_>) -> Error {
    match error {
        LoadError::Missing(missing) => {
            let items: Vec<String> = missing.iter().map(|item| item.to_string()).collect();
            Error::new(format!("the method needs what is not here: {}", items.join("; ")))
                .help("delegate that part of the model, or add a kernel: docs/adding-an-operator.md says how")
        }
        LoadError::Delegate { index, id, error } => {
            Error::new(error.to_string()).at(format!("delegate {index}, {id}")).help(error.help().to_string())
        }
        LoadError::ExternalData { key } => {
            Error::new(format!("external data '{key}' is neither in the program nor in the files given"))
                .help("give the .ptd file that holds it with --data")
        }
        other => Error::new(other.to_string()).help("export the program again"),
    }
}

fn execute_error(plan: &Plan<'_>, error: &ExecuteError, npu: Option<Observed>) -> Error {
    let place = |at: &(usize, usize), what: String| format!("chain {}, instruction {}, {what}", at.0, at.1);
    match error {
        ExecuteError::Kernel { at, operator, error } => {
            let name = if *operator < plan.operator_count() {
                full_name(&plan.operator(*operator))
            } else {
                String::new()
            };
            Error::new(error.to_string()).at(place(at, name)).help(
                "this use of the operator is beyond its kernel; delegate that part, or export it otherwise",
            )
        }
        ExecuteError::Delegate { at, delegate, error } => {
            let mut told = Error::new(error.to_string())
                .at(place(at, format!("delegate {delegate}")))
                .help(error.help().to_string());
            if let Some(fault) = npu.and_then(|npu| npu.fault) {
                told = told.at(format!("the simulator says: {fault}"));
            }
            told
        }
        other => Error::new(other.to_string()).help("export the program again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Channels-last memory of a [1, 2, 2, 3] tensor, against the definition.
    #[test]
    fn memory_order_and_back() {
        let shape = [1usize, 2, 2, 3];
        let c_order: Vec<u8> = (0..24).collect(); // two bytes an element
        let memory = reorder(&c_order, &shape, &[0, 2, 3, 1], 2, true);
        for (c, h, w) in (0..2).flat_map(|c| (0..2).flat_map(move |h| (0..3).map(move |w| (c, h, w)))) {
            let from = 2 * ((c * 2 + h) * 3 + w);
            let to = 2 * ((h * 3 + w) * 2 + c);
            assert_eq!(memory[to..to + 2], c_order[from..from + 2]);
        }
        assert_eq!(reorder(&memory, &shape, &[0, 2, 3, 1], 2, false), c_order);
        assert_eq!(reorder(&c_order, &shape, &[0, 1, 2, 3], 2, true), c_order);
    }
}
