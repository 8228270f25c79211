//! Writes a program as JSON: everything that ExecuTorch's Python deserializer tells, under the same names.
//!
//! `cargo run -p tombolo-pte --example dump FILE.pte`. `xtask/peers/check_pte.py` compares it with upstream.

use std::fmt::Write;
use std::process::ExitCode;
use tombolo_pte::vela::{BinStream, Block, IoList};
use tombolo_pte::{Instruction, Plan, Program, TensorData, TensorView, Value};

/// JSON text of a string.
fn text(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32).expect("a string takes all"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn list<T>(items: impl IntoIterator<Item = T>, f: impl FnMut(T) -> String) -> String {
    format!("[{}]", items.into_iter().map(f).collect::<Vec<_>>().join(","))
}

fn numbers<T: ToString>(items: impl Iterator<Item = T>) -> String {
    list(items, |n| n.to_string())
}

/// Length and CRC-32 of bytes.
fn digest(bytes: &[u8]) -> String {
    let step = |crc: u32| (0..8).fold(crc, |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 });
    let table: Vec<u32> = (0..256).map(step).collect();
    let crc = bytes.iter().fold(!0u32, |crc, &b| table[usize::from(crc as u8 ^ b)] ^ crc >> 8);
    format!("[{},{}]", bytes.len(), !crc)
}

/// Numbers that JSON does not have become text.
fn double(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { text(&x.to_string()) }
}

fn tensor(tensor: &TensorView) -> String {
    let data = match tensor.data() {
        TensorData::Constant(data) => format!("{{\"constant\":{}}}", digest(data)),
        TensorData::External { key } => format!("{{\"external\":{}}}", text(key)),
        TensorData::Planned { buffer, offset, initial } => {
            let initial = initial.map_or("null".into(), digest);
            format!("{{\"buffer\":{buffer},\"offset\":{offset},\"initial\":{initial}}}")
        }
        TensorData::PlannedExternal { buffer, offset, key } => {
            format!("{{\"buffer\":{buffer},\"offset\":{offset},\"external\":{}}}", text(key))
        }
        TensorData::Unplanned => "null".into(),
    };
    format!(
        "{{\"dtype\":{},\"sizes\":{},\"dim_order\":{},\"dynamism\":{},\"nbytes\":{},\"data\":{data}}}",
        tensor.dtype().code(),
        numbers(tensor.sizes().iter()),
        numbers(tensor.dim_order().iter()),
        tensor.dynamism() as u8,
        tensor.nbytes(),
    )
}

fn value(value: Value) -> String {
    match value {
        Value::None => "{\"Null\":null}".into(),
        Value::Int(x) => format!("{{\"Int\":{x}}}"),
        Value::Bool(x) => format!("{{\"Bool\":{x}}}"),
        Value::Double(x) => format!("{{\"Double\":{}}}", double(x)),
        Value::String(x) => format!("{{\"String\":{}}}", text(x)),
        Value::Tensor(x) => format!("{{\"Tensor\":{}}}", tensor(&x)),
        Value::IntList(x) => format!("{{\"IntList\":{}}}", numbers(x.iter())),
        Value::DoubleList(x) => format!("{{\"DoubleList\":{}}}", list(x.iter(), double)),
        Value::BoolList(x) => format!("{{\"BoolList\":{}}}", numbers(x.iter())),
        Value::TensorList(x) => format!("{{\"TensorList\":{}}}", numbers(x.iter())),
        Value::OptionalTensorList(x) => format!("{{\"OptionalTensorList\":{}}}", numbers(x.iter())),
    }
}

fn instruction(instruction: Instruction) -> String {
    match instruction {
        Instruction::Kernel { op, args } => format!("[\"KernelCall\",{op},{}]", numbers(args.iter())),
        Instruction::Delegate { delegate, args } => {
            format!("[\"DelegateCall\",{delegate},{}]", numbers(args.iter()))
        }
        Instruction::Move { from, to } => format!("[\"MoveCall\",{from},{to}]"),
        Instruction::JumpFalse { cond, target } => format!("[\"JumpFalseCall\",{cond},{target}]"),
        Instruction::Free { value } => format!("[\"FreeCall\",{value}]"),
    }
}

fn stream(blob: &[u8]) -> String {
    let stream = match BinStream::parse(blob) {
        Ok(stream) => stream,
        Err(error) => return text(&error.to_string()),
    };
    let block = |block| match block {
        Block::Inline(data) => digest(data),
        Block::External { key } => text(key),
    };
    let ios = |ios: IoList| {
        list(ios.iter(), |io| {
            format!("[{},{},{},{}]", numbers(io.shape.iter()), io.elem_size, io.offset, io.region)
        })
    };
    format!(
        "{{\"cmd_data\":{},\"weight_data\":{},\"scratch_size\":{},\"inputs\":{},\"outputs\":{}}}",
        block(stream.cmd_data),
        block(stream.weight_data),
        stream.scratch_size,
        ios(stream.inputs),
        ios(stream.outputs)
    )
}

fn plan(plan: Plan) -> String {
    let (inputs, outputs) = plan.pytrees().unwrap_or_default();
    let delegates = list(0..plan.delegate_count(), |i| {
        let delegate = plan.delegate(i);
        let specs =
            list(delegate.compile_specs(), |(key, bytes)| format!("[{},{}]", text(key), digest(bytes)));
        let (id, blob) = (text(delegate.id), digest(delegate.blob));
        format!(
            "{{\"id\":{id},\"blob\":{blob},\"compile_specs\":{specs},\"stream\":{}}}",
            stream(delegate.blob)
        )
    });
    let operators = list(0..plan.operator_count(), |i| {
        let operator = plan.operator(i);
        format!("[{},{}]", text(operator.name), text(operator.overload))
    });
    let fields = [
        ("name", text(plan.name())),
        ("encoded_inp_str", text(inputs)),
        ("encoded_out_str", text(outputs)),
        ("values", list(0..plan.value_count(), |i| value(plan.value(i)))),
        ("inputs", numbers(plan.inputs().iter())),
        ("outputs", numbers(plan.outputs().iter())),
        ("operators", operators),
        ("delegates", delegates),
        ("buffers", list(0..plan.buffer_count(), |i| plan.buffer_size(i).to_string())),
        ("chains", list(0..plan.chain_count(), |i| list(plan.chain(i).instructions(), instruction))),
    ];
    object(&fields)
}

fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{}:{value}", text(name))).collect();
    format!("{{{}}}", fields.join(","))
}

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: dump FILE.pte");
        return ExitCode::from(2);
    };
    let file = match std::fs::read(&path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    let mut store = vec![0; file.len() + 15];
    let start = store.as_ptr().align_offset(16);
    store[start..start + file.len()].copy_from_slice(&file);
    match Program::parse(&store[start..start + file.len()]) {
        Ok(program) => {
            let segments =
                list(0..program.segment_count(), |i| digest(program.segment(i).unwrap_or_default()));
            let named = list(program.named_data(), |(key, data)| format!("[{},{}]", text(key), digest(data)));
            let fields = [
                ("version", program.version().to_string()),
                ("segments", segments),
                ("named_data", named),
                ("execution_plan", list(program.methods(), plan)),
            ];
            println!("{}", object(&fields));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::from(2)
        }
    }
}
