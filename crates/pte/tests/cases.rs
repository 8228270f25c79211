//! Small programs by upstream with what no program of the corpus has; `xtask/peers/make_pte_cases.py` made them.

mod common;

use common::{Aligned, walk};
use std::path::Path;
use tombolo_pte::ptd::DataFile;
use tombolo_pte::{Dynamism, Instruction, Plan, Program, TensorData, TensorView, Value};

fn read(name: &str) -> Aligned {
    let file = Aligned::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).join(name));
    assert!(walk(file.bytes()), "{name}");
    file
}

fn parse<'a>(file: &'a Aligned) -> Program<'a> {
    Program::parse(file.bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn forward(file: &Aligned) -> Plan<'_> {
    parse(file).find_method("forward").expect("forward")
}

fn tensors<'a>(plan: Plan<'a>) -> impl Iterator<Item = TensorView<'a>> {
    (0..plan.value_count()).filter_map(move |i| match plan.value(i) {
        Value::Tensor(tensor) => Some(tensor),
        _ => None,
    })
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect()
}

#[test]
fn state_with_an_initial_value() {
    let file = read("mutable.pte");
    let state = tensors(forward(&file)).find(|t| t.name() == Some("total")).expect("the buffer's name");
    match state.data() {
        TensorData::Planned { buffer: 0, initial: Some(initial), .. } => {
            assert_eq!(floats(initial), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn control_flow() {
    let file = read("cond.pte");
    let chain = forward(&file).chain(0);
    let flow: Vec<_> = chain.instructions().filter(|i| !matches!(i, Instruction::Kernel { .. })).collect();
    assert_eq!(
        flow,
        [
            Instruction::JumpFalse { cond: 5, target: 7 },
            Instruction::Move { from: 12, to: 7 },
            Instruction::JumpFalse { cond: 19, target: 10 },
            Instruction::Move { from: 18, to: 7 },
        ]
    );
    assert!(matches!(forward(&file).value(19), Value::Bool(false)), "the jump over the other branch");
    assert_eq!(chain.instruction_count(), 10);
}

#[test]
fn lists_and_text() {
    let file = read("lists.pte");
    let plan = forward(&file);
    let mut seen = 0;
    for i in 0..plan.value_count() {
        seen += match plan.value(i) {
            Value::String(text) => usize::from(["tanh", "floor"].contains(&text)),
            Value::TensorList(list) => usize::from(list == [3, 1]),
            Value::OptionalTensorList(list) => usize::from(list == [-1, 2]),
            Value::DoubleList(list) => usize::from(list == [2.0, 3.0]),
            Value::None => 1,
            _ => 0,
        };
    }
    assert_eq!(seen, 6);
}

#[test]
fn a_dynamic_shape_has_memory_up_to_its_bound() {
    let file = read("dynamic.pte");
    let plan = forward(&file);
    let Value::Tensor(input) = plan.value(plan.inputs().get(0).expect("an input") as usize) else { panic!() };
    assert_eq!((input.dynamism(), input.nbytes()), (Dynamism::DynamicBound, 7 * 3 * 4));
    assert_eq!(input.sizes(), [7, 3]);
    assert!(tensors(plan).any(|t| t.dynamism() == Dynamism::Static));
}

#[test]
fn two_methods() {
    let file = read("methods.pte");
    let program = parse(&file);
    let names: Vec<_> = program.methods().map(|plan| plan.name()).collect();
    assert_eq!(names, ["forward", "other"]);
    assert!(program.find_method("third").is_none() && program.method(2).is_none());
    assert_ne!(forward(&file).operator(1), program.find_method("other").expect("other").operator(1));
}

#[test]
fn inputs_without_planned_memory() {
    let file = read("unplanned.pte");
    let plan = forward(&file);
    for i in plan.inputs().iter().chain(plan.outputs().iter()) {
        let Value::Tensor(t) = plan.value(i as usize) else { panic!("no tensor") };
        assert_eq!(t.data(), TensorData::Unplanned);
    }
}

#[test]
fn where_instructions_come_from() {
    let file = read("stacktrace.pte");
    let chain = forward(&file).chain(0);
    let frames: Vec<_> = (0..chain.instruction_count()).flat_map(|i| chain.stacktrace(i)).collect();
    let ours =
        frames.iter().find(|f| f.source == "return self.inner(x) if self.inner.bias is not None else x");
    let ours = ours.unwrap_or_else(|| panic!("{frames:?}"));
    assert_eq!(ours.function, "forward");
    assert!(ours.file.ends_with("make_pte_cases.py") && ours.line > 0, "{ours:?}");
    assert_eq!(chain.stacktrace(chain.instruction_count()).count(), 0);
    let none = read("unplanned.pte");
    assert_eq!(forward(&none).chain(0).stacktrace(0).count(), 0);
}

/// The weights of `Linear` in `make_pte_cases.py`, wherever a program has them.
fn weights() -> Vec<f32> {
    let file = read("constant_buffer.pte");
    assert!(parse(&file).extended_header().is_none() && parse(&file).segment_count() == 0);
    let constant = tensors(forward(&file)).find_map(|t| match t.data() {
        TensorData::Constant(data) if t.sizes() == [5, 3] => Some(floats(data)),
        _ => None,
    });
    constant.expect("the weights")
}

#[test]
fn constants_inside_of_the_flatbuffer_and_in_a_segment_are_the_same() {
    let file = read("unplanned.pte");
    let constant = tensors(forward(&file)).find_map(|t| match t.data() {
        TensorData::Constant(data) if t.sizes() == [5, 3] => Some(floats(data)),
        _ => None,
    });
    assert_eq!(constant, Some(weights()));
}

#[test]
fn constants_in_a_data_file() {
    let (file, data) = (read("external.pte"), read("external.ptd"));
    let data = DataFile::parse(data.bytes()).expect("external.ptd");
    let keys: Vec<_> = tensors(forward(&file))
        .filter_map(|t| match t.data() {
            TensorData::External { key } => Some((key, t)),
            _ => None,
        })
        .collect();
    assert_eq!(keys.iter().map(|(key, _)| *key).collect::<Vec<_>>(), ["inner.weight", "inner.bias"]);
    for (key, t) in keys {
        let entry = data.iter().find(|entry| entry.key == key).expect(key);
        let layout = entry.layout.expect("a tensor");
        assert_eq!((layout.dtype, layout.sizes, layout.nbytes), (t.dtype(), t.sizes(), t.nbytes()));
        assert_eq!(layout.dim_order, t.dim_order());
        assert_eq!(entry.data.len(), t.nbytes());
    }
    assert_eq!(data.get("inner.weight").map(floats), Some(weights()));
}

#[test]
fn named_data_inside_of_the_program() {
    let file = read("named_data.pte");
    let program = parse(&file);
    assert_eq!(forward(&file).delegate(0).id, "XnnpackBackend");
    let (key, data) = program.named_data().next().expect("named data");
    assert_eq!(key.len(), 64);
    assert_eq!(floats(data), weights());
    assert_eq!(program.named(key), Some(data));
    assert_eq!(program.named("nothing"), None);
}

#[test]
fn what_the_exporter_never_writes() {
    let file = read("rare.pte");
    let plan = forward(&file);
    assert!(plan.chain(0).instructions().any(|i| i == Instruction::Free { value: 0 }));
    assert!(
        tensors(plan)
            .any(|t| matches!(t.data(), TensorData::PlannedExternal { buffer: 0, key: "start", .. }))
    );
    let values: Vec<_> = (0..plan.value_count()).map(|i| plan.value(i)).collect();
    assert!(values.iter().any(|v| matches!(v, Value::BoolList(list) if *list == [true, false, true])));
    assert!(values.iter().any(|v| matches!(v, Value::DoubleList(list) if *list == [0.5, -1.0])));
    assert!(values.iter().any(|v| matches!(v, Value::Double(x) if x.is_infinite())));
    assert!(values.iter().any(|v| matches!(v, Value::Bool(true))));
}
