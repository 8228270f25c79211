//! `tombolo inspect`.

use super::Report;
use super::table::{Table, bytes};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tombolo::container::Kind;
use tombolo::error::{Error, Result};
use tombolo::files;
use tombolo::host::{self, ETHOS_U, Model};
use tombolo::npy::{self, Shape};
use tombolo::npz::Npz;
use tombolo::stream::{self, Io, NpuProgram};
use tombolo_pte::ptd::DataFile;
use tombolo_pte::vela::{BinStream, Block};
use tombolo_pte::{DelegateDef, Dynamism, Instruction, Plan, Program, TensorData, TensorView, Value};
use tombolo_runtime::{Method, MissingItem, Tables};

/// Show what a file holds: a program, a command stream, arrays.
///
/// Of a program: its methods, the operators that they call and whether the kernels are here, its NPU
/// delegates, the memory plan, and the pools that a firmware must give it.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tombolo inspect examples/digits/ethos-u65-256.pte")]
pub(crate) struct Args {
    /// A .pte, .bpte, .ptd, .npy or .npz file, a delegate's blob or a driver payload
    file: PathBuf,
    /// A .ptd file with constants or NPU blocks that the program keeps outside
    #[arg(long, value_name = "FILE.ptd")]
    data: Vec<PathBuf>,
    /// List every planned tensor, not only the buffers
    #[arg(long)]
    tensors: bool,
}

/// Text and JSON of one thing.
struct Told {
    text: String,
    json: Json,
}

pub(crate) fn run(args: &Args) -> Result<Report> {
    let file = files::read_aligned(&args.file)?;
    let in_file = |e: Error| e.in_file(&args.file);
    let name = args.file.display();
    let told = match Kind::of_file(&args.file, &file)? {
        Kind::Program | Kind::Bundle => program(args)?,
        Kind::Data => {
            let parsed = DataFile::parse(&file).map_err(host::pte_error).map_err(in_file)?;
            data_file(&name.to_string(), file.len(), &parsed)
        }
        Kind::Npy => {
            let array = npy::parse(&file).map_err(in_file)?;
            let header = npy::header(&file).map_err(in_file)?;
            Told {
                text: format!("{name}: NumPy array, {} {}\n", array.dtype(), Shape(array.shape())),
                json: json!({ "kind": "npy", "array": header_json(&header) }),
            }
        }
        Kind::Npz => npz(&args.file, file.to_vec()).map_err(in_file)?,
        Kind::Blob => {
            let program = NpuProgram::from_blob(&file, |_| None).map_err(in_file)?;
            let mut told = npu_stream(&program).map_err(in_file)?;
            told.text =
                format!("{name}: blob of an {ETHOS_U} delegate, {} bytes\n\n{}", file.len(), told.text);
            told.json = json!({ "kind": "blob", "stream": told.json });
            told
        }
        Kind::Payload => {
            let payload = stream::parse_payload(&file).map_err(in_file)?;
            let npu = stream::accelerator_of(&payload).map_err(in_file)?;
            Told {
                text: format!(
                    "{name}: driver payload for {npu}, a stream of {} bytes\n",
                    payload.stream.len()
                ),
                json: json!({ "kind": "payload", "npu": npu.name(), "stream_bytes": payload.stream.len() }),
            }
        }
    };
    let mut json = told.json;
    if let Some(object) = json.as_object_mut() {
        object.insert("file".into(), json!(name.to_string()));
    }
    Ok(Report { text: told.text, json, passed: true })
}

fn header_json(header: &npy::Header) -> Json {
    json!({ "dtype": header.dtype.to_string(), "shape": header.shape })
}

fn npz(path: &Path, file: Vec<u8>) -> Result<Told> {
    let mut npz = Npz::open(file)?;
    let mut table = Table::new(&["array", "dtype", "shape"]);
    let mut arrays = serde_json::Map::new();
    for name in npz.names().to_vec() {
        let (dtype, shape, json) = match npz.header(&name) {
            Ok(header) => (header.dtype.to_string(), Shape(&header.shape).to_string(), header_json(&header)),
            // Vela stores quantization as pickled objects, which nobody needs here.
            Err(error) => (error.what.clone(), String::new(), json!({ "unreadable": error.what })),
        };
        table.row([name.clone(), dtype, shape]);
        arrays.insert(name, json);
    }
    let mut text = format!("{}: NumPy archive of {} arrays\n\n", path.display(), npz.names().len());
    let mut json = json!({ "kind": "npz" });
    if npz.names().iter().any(|n| n == "cmd_data") {
        let told = npu_stream(&NpuProgram::from_npz(&mut npz)?)?;
        let _ = write!(text, "NPU command stream as Vela writes it\n{}\n", told.text);
        json = json!({ "kind": "vela.npz", "stream": told.json });
    }
    text.push_str(&table.render());
    if let Some(object) = json.as_object_mut() {
        object.insert("arrays".into(), Json::Object(arrays));
    }
    Ok(Told { text, json })
}

fn data_file(name: &str, len: usize, file: &DataFile<'_>) -> Told {
    let mut table = Table::new(&["key", "bytes", "tensor"]);
    let mut entries = Vec::new();
    for entry in file.iter() {
        let layout = entry.layout.map(|l| {
            let shape: Vec<i32> = l.sizes.iter().collect();
            format!("{} {shape:?}", l.dtype.name())
        });
        table.row([entry.key.into(), entry.data.len().to_string(), layout.clone().unwrap_or_default()]);
        entries.push(json!({ "key": entry.key, "bytes": entry.data.len(), "tensor": layout }));
    }
    Told {
        text: format!("{name}: named data, {len} bytes\n\n{}", table.render()),
        json: json!({ "kind": "ptd", "bytes": len, "entries": entries }),
    }
}

/// An NPU stream: sizes, regions, inputs and outputs.
fn npu_stream(program: &NpuProgram) -> Result<Told> {
    let npu = program.accelerator()?;
    let payload = program.parsed()?;
    let mut text = format!(
        "  for {npu}: command stream {} B, weights {}, scratch {}, fast scratch {}\n",
        payload.stream.len(),
        bytes(program.weights.len() as u64),
        bytes(program.scratch() as u64),
        match program.fast_scratch() {
            None => "none".to_string(),
            Some((size, true)) => bytes(size as u64),
            Some((size, false)) => format!("{} (derived from the stream's accesses)", bytes(size as u64)),
        }
    );
    let mut table = Table::new(&["", "shape", "bytes/element", "bytes", "region:offset"]);
    let row = |table: &mut Table, name: String, io: &Io| {
        table.row([
            name,
            Shape(&io.shape).to_string(),
            io.elem_size.to_string(),
            io.bytes().to_string(),
            format!("{}:{:#x}", io.region, io.offset),
        ]);
    };
    for (i, io) in program.inputs.iter().enumerate() {
        row(&mut table, format!("in{i}"), io);
    }
    for (i, io) in program.outputs.iter().enumerate() {
        row(&mut table, format!("out{i}"), io);
    }
    text.push_str(&table.render());
    let io = |list: &[Io]| -> Vec<Json> {
        list.iter()
            .map(|io| json!({ "shape": io.shape, "elem_size": io.elem_size, "bytes": io.bytes(), "region": io.region, "offset": io.offset }))
            .collect()
    };
    let regions: Vec<Json> = program
        .regions
        .iter()
        .enumerate()
        .filter_map(|(i, plan)| {
            let plan = plan.as_ref()?;
            Some(json!({ "region": i, "role": plan.role, "bytes": plan.size, "stated": plan.stated }))
        })
        .collect();
    let json = json!({
        "npu": npu.name(),
        "config": payload.config,
        "id": payload.id,
        "payload_bytes": program.payload.len(),
        "stream_bytes": payload.stream.len(),
        "weight_bytes": program.weights.len(),
        "scratch_bytes": program.scratch(),
        "fast_scratch_bytes": program.fast_scratch().map(|(size, _)| size),
        "fast_scratch_stated": program.fast_scratch().map(|(_, stated)| stated),
        "regions": regions,
        "inputs": io(&program.inputs),
        "outputs": io(&program.outputs),
    });
    Ok(Told { text, json })
}

fn program(args: &Args) -> Result<Told> {
    let model = Model::open(&args.file, &args.data)?;
    let parsed = model.program()?;
    let data = model.data_files()?;
    let bundle = model.bundle()?;
    let mut text = format!("{}: ExecuTorch program", args.file.display());
    if bundle.is_some() {
        text.push_str(" in a bundle");
    }
    let _ = writeln!(
        text,
        ", {} bytes: flatbuffer {}, {} delegate bytes in it",
        parsed.bytes().len(),
        parsed.flatbuffer_size(),
        parsed.inline_delegate_bytes()
    );
    let mut cases = Vec::new();
    for suite in bundle.iter().flat_map(|b| b.suites()) {
        let count = suite.cases().count();
        let _ = writeln!(text, "  test cases of {}: {count}", suite.method());
        cases.push(json!({ "method": suite.method(), "cases": count }));
    }
    let mut segments = Table::new(&["segment", "bytes"]);
    let sizes: Vec<usize> =
        (0..parsed.segment_count()).map(|i| parsed.segment(i).map_or(0, <[u8]>::len)).collect();
    for (i, size) in sizes.iter().enumerate() {
        segments.row([i.to_string(), size.to_string()]);
    }
    if !segments.is_empty() {
        let _ = write!(text, "\n{}", segments.render());
    }
    let mut named = Table::new(&["named data", "bytes"]);
    let mut named_json = Vec::new();
    for (key, data) in parsed.named_data() {
        named.row([key.into(), data.len().to_string()]);
        named_json.push(json!({ "key": key, "bytes": data.len() }));
    }
    if !named.is_empty() {
        let _ = write!(text, "\n{}", named.render());
    }
    let mut methods = Vec::new();
    let mut constants = Table::new(&["constant method", "value"]);
    for plan in parsed.methods() {
        if let Some(value) = constant(&plan) {
            constants.row([plan.name().into(), value.0]);
            methods.push(json!({ "name": plan.name(), "constant": value.1 }));
        } else {
            let told = method(args, &parsed, &plan, &data)?;
            let _ = write!(text, "\n{}", told.text);
            methods.push(told.json);
        }
    }
    if !constants.is_empty() {
        let _ = write!(text, "\n{}", constants.render());
    }
    let header = parsed.extended_header().map(|h| {
        json!({
            "length": h.length,
            "program_size": h.program_size,
            "segment_base_offset": h.segment_base_offset,
            "segment_data_size": h.segment_data_size,
        })
    });
    let json = json!({
        "kind": if bundle.is_some() { "bpte" } else { "pte" },
        "bytes": parsed.bytes().len(),
        "version": parsed.version(),
        "flatbuffer_bytes": parsed.flatbuffer_size(),
        "inline_delegate_bytes": parsed.inline_delegate_bytes(),
        "extended_header": header,
        "segments": sizes,
        "named_data": named_json,
        "test_cases": cases,
        "methods": methods,
    });
    Ok(Told { text, json })
}

/// The values of a method that has no instructions: upstream stores quantization parameters so.
fn constant(plan: &Plan<'_>) -> Option<(String, Json)> {
    let empty = (0..plan.chain_count()).all(|c| plan.chain(c).instruction_count() == 0);
    if !empty || !plan.inputs().is_empty() || plan.outputs().is_empty() {
        return None;
    }
    let values: Vec<(String, Json)> = plan
        .outputs()
        .iter()
        .map(|index| match usize::try_from(index).map_or(Value::None, |i| plan.value(i)) {
            Value::Int(v) => (v.to_string(), json!(v)),
            Value::Bool(v) => (v.to_string(), json!(v)),
            Value::Double(v) => (v.to_string(), json!(v)),
            Value::String(v) => (format!("{v:?}"), json!(v)),
            Value::Tensor(t) => (tensor_text(&t), json!(tensor_text(&t))),
            _ => ("none".into(), Json::Null),
        })
        .collect();
    let text = values.iter().map(|(t, _)| t.as_str()).collect::<Vec<_>>().join(", ");
    let json = match values.as_slice() {
        [(_, one)] => one.clone(),
        many => many.iter().map(|(_, v)| v.clone()).collect(),
    };
    Some((text, json))
}

fn tensor_text(tensor: &TensorView<'_>) -> String {
    let shape: Vec<i32> = tensor.sizes().iter().collect();
    let bound = if matches!(tensor.dynamism(), Dynamism::Static) { "" } else { "up to " };
    let order = tensor.dim_order();
    // Where a dimension lies in memory matters only if it is longer than 1.
    let long: Vec<u8> =
        order.iter().copied().filter(|&d| shape.get(usize::from(d)).is_some_and(|&n| n != 1)).collect();
    let layout = if long.is_sorted() { String::new() } else { format!(" in memory order {order:?}") };
    format!("{} {bound}{shape:?}{layout}", tensor.dtype().name())
}

fn values_text(plan: &Plan<'_>, outputs: bool) -> Vec<String> {
    let list = if outputs { plan.outputs() } else { plan.inputs() };
    list.iter()
        .map(|index| match usize::try_from(index).map_or(Value::None, |i| plan.value(i)) {
            Value::Tensor(t) => tensor_text(&t),
            Value::Int(_) => "int".into(),
            Value::Bool(_) => "bool".into(),
            Value::Double(_) => "double".into(),
            Value::String(_) => "string".into(),
            _ => "none".into(),
        })
        .collect()
}

fn method<'p>(args: &Args, program: &Program<'p>, plan: &Plan<'p>, data: &'p [DataFile<'p>]) -> Result<Told> {
    let (inputs, outputs) = (values_text(plan, false), values_text(plan, true));
    let mut text = format!("method {}\n", plan.name());
    let listed = |list: &[String]| if list.is_empty() { "none".to_string() } else { list.join(", ") };
    let _ = writeln!(text, "  inputs   {}\n  outputs  {}", listed(&inputs), listed(&outputs));

    let mut calls = vec![0u64; plan.operator_count()];
    let mut delegate_calls = vec![0u64; plan.delegate_count()];
    let (mut moves, mut jumps, mut frees) = (0u64, 0u64, 0u64);
    for c in 0..plan.chain_count() {
        for instruction in plan.chain(c).instructions() {
            let counter = match instruction {
                Instruction::Kernel { op, .. } => calls.get_mut(op as usize),
                Instruction::Delegate { delegate, .. } => delegate_calls.get_mut(delegate as usize),
                Instruction::Move { .. } => Some(&mut moves),
                Instruction::JumpFalse { .. } => Some(&mut jumps),
                Instruction::Free { .. } => Some(&mut frees),
            };
            if let Some(counter) = counter {
                *counter += 1;
            }
        }
    }
    let _ = writeln!(
        text,
        "  {} kernel calls, {} delegate calls, {moves} moves, {jumps} jumps, {frees} frees",
        calls.iter().sum::<u64>(),
        delegate_calls.iter().sum::<u64>()
    );

    // Operators, and whether their kernels are here.
    let missing: Vec<MissingItem<'_>> = Method::missing(*plan, tombolo_kernels::ALL, &[ETHOS_U])
        .map(|m| m.iter().collect())
        .unwrap_or_default();
    let mut table = Table::new(&["operator", "calls", "kernel"]);
    let mut operators = Vec::new();
    for (i, &count) in calls.iter().enumerate() {
        let name = host::full_name(&plan.operator(i));
        let lack = missing.iter().find_map(|item| match item {
            MissingItem::Operator { index, dtypes, .. } if *index == i => {
                Some(format!("MISSING for ({dtypes})"))
            }
            MissingItem::Dtypes { index, dtypes, .. } if *index == i => {
                Some(format!("MISSING: it takes other types than ({dtypes})"))
            }
            _ => None,
        });
        let here = lack.is_none();
        table.row([name.clone(), count.to_string(), lack.unwrap_or_else(|| "here".into())]);
        operators.push(json!({ "name": name, "calls": count, "kernel_present": here }));
    }
    if !table.is_empty() {
        let _ = write!(text, "\n{}", table.render());
    }
    if !missing.is_empty() {
        text.push_str(
            "  help: what is MISSING stops the program from loading; delegate that part of the model, or add a kernel\n        \
             (docs/adding-an-operator.md)\n",
        );
    }

    let mut delegates = Vec::new();
    for (i, &count) in delegate_calls.iter().enumerate() {
        let def = plan.delegate(i);
        let _ =
            writeln!(text, "\n  delegate {i}: {}, {} bytes, called {count} times", def.id, def.blob.len());
        let mut specs = serde_json::Map::new();
        for (key, value) in def.compile_specs() {
            let value = String::from_utf8_lossy(value);
            let _ = writeln!(text, "    {key} = {}", shortened(&value));
            specs.insert(key.to_string(), json!(value));
        }
        let mut json =
            json!({ "id": def.id, "bytes": def.blob.len(), "calls": count, "compile_specs": specs });
        if def.id == ETHOS_U {
            match absent_block(program, &def, data) {
                // A block in a file that was not given is no reason to show nothing of the rest.
                Some(key) => {
                    let _ = writeln!(
                        text,
                        "    the block {key} is in another file: give the .ptd file with --data"
                    );
                    json["stream"] = json!({ "external_block": key });
                }
                None => {
                    let place = |e: Error| e.in_file(&args.file).at(format!("delegate {i}"));
                    let told =
                        host::npu_program(program, &def, data).and_then(|p| npu_stream(&p)).map_err(place)?;
                    text.push_str(&told.text);
                    json["stream"] = told.json;
                }
            }
        } else {
            let _ = writeln!(text, "    MISSING: no backend of that name is here");
        }
        delegates.push(json);
    }

    let plan_told = memory_plan(args, plan);
    let _ = write!(text, "\n{}", plan_told.text);

    // Counts, from which a firmware computes its arena for its own word size.
    let tables = Tables::of(*plan);
    let pools = host::measure(program, data, plan.name());
    let pools_json = match &pools {
        Ok(p) => {
            let mut table = Table::new(&["pool that a firmware gives", "bytes"]);
            table.row(["method arena (on this 64-bit machine)".into(), p.method.to_string()]);
            table.row(["planned buffers".into(), p.planned.to_string()]);
            table.row(["temporary arena, NPU scratch".into(), p.temp.to_string()]);
            table.row(["NPU fast scratch".into(), p.fast_scratch.to_string()]);
            let _ = write!(text, "\n{}", table.render());
            json!({ "method_arena_64bit": p.method, "planned": p.planned, "temp": p.temp, "npu_fast_scratch": p.fast_scratch })
        }
        Err(error) => {
            let _ = writeln!(text, "\n  pools: unknown, the method does not load: {}", error.what);
            if let Some(help) = &error.help {
                let _ = writeln!(text, "  help: {help}");
            }
            json!({ "error": error.what, "help": error.help })
        }
    };
    let json = json!({
        "name": plan.name(),
        "inputs": inputs,
        "outputs": outputs,
        "values": plan.value_count(),
        "operators": operators,
        "delegates": delegates,
        "moves": moves, "jumps": jumps, "frees": frees,
        "planned_buffers": plan_told.json,
        "method_arena_tables": {
            "values": tables.values,
            "dims": tables.dims,
            "buffers": tables.buffers,
            "operators": tables.operators,
            "delegates": tables.delegates,
        },
        "pools": pools_json,
    });
    Ok(Told { text, json })
}

/// The key of a block of an NPU delegate that is neither in the program nor in the files given.
fn absent_block<'p>(program: &Program<'p>, def: &DelegateDef<'p>, data: &[DataFile<'p>]) -> Option<&'p str> {
    let stream = BinStream::parse(def.blob).ok()?;
    [stream.cmd_data, stream.weight_data].into_iter().find_map(|block| match block {
        Block::External { key }
            if program.named(key).is_none() && data.iter().all(|f| f.get(key).is_none()) =>
        {
            Some(key)
        }
        _ => None,
    })
}

/// Planned buffers and the tensors in them; constants and others beside.
fn memory_plan(args: &Args, plan: &Plan<'_>) -> Told {
    #[derive(Default)]
    struct Buffer {
        tensors: Vec<(usize, String, usize, bool)>,
    }
    let mut buffers: Vec<Buffer> = (0..plan.buffer_count()).map(|_| Buffer::default()).collect();
    let (mut constants, mut constant_bytes, mut external, mut unplanned) = (0u64, 0u64, 0u64, 0u64);
    for i in 0..plan.value_count() {
        let Value::Tensor(tensor) = plan.value(i) else { continue };
        let (buffer, offset, initial) = match tensor.data() {
            TensorData::Constant(data) => {
                constants += 1;
                constant_bytes += data.len() as u64;
                continue;
            }
            TensorData::External { .. } => {
                external += 1;
                continue;
            }
            TensorData::Unplanned => {
                unplanned += 1;
                continue;
            }
            TensorData::Planned { buffer, offset, initial } => (buffer, offset, initial.is_some()),
            TensorData::PlannedExternal { buffer, offset, .. } => (buffer, offset, true),
        };
        if let Some(buffer) = buffers.get_mut(buffer as usize) {
            buffer.tensors.push((offset, tensor_text(&tensor), tensor.nbytes(), initial));
        }
    }
    let mut text = String::new();
    let mut table = Table::new(&["planned buffer", "bytes", "tensors"]);
    let mut json = Vec::new();
    let mut all = Table::new(&["buffer:offset", "bytes", "tensor"]);
    for (i, buffer) in buffers.iter_mut().enumerate() {
        buffer.tensors.sort();
        table.row([i.to_string(), plan.buffer_size(i).to_string(), buffer.tensors.len().to_string()]);
        let mut tensors = Vec::new();
        for (offset, text, nbytes, initial) in &buffer.tensors {
            let words = format!("{text}{}", if *initial { ", with an initial value" } else { "" });
            all.row([format!("{i}:{offset:#x}"), nbytes.to_string(), words]);
            tensors.push(json!({ "offset": offset, "bytes": nbytes, "tensor": text, "initial": initial }));
        }
        json.push(json!({ "bytes": plan.buffer_size(i), "tensors": tensors }));
    }
    if !table.is_empty() {
        text.push_str(&table.render());
    }
    if args.tensors && !all.is_empty() {
        let _ = write!(text, "\n{}", all.render());
    }
    let _ = writeln!(
        text,
        "  constants: {constants} tensors, {constant_bytes} bytes in the file; {external} in other files; {unplanned} tensors without memory"
    );
    Told { text, json: json!(json) }
}

fn shortened(value: &str) -> String {
    let line: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= 80 {
        line
    } else {
        format!("{}…", line.chars().take(79).collect::<String>())
    }
}
