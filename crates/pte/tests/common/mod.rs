//! What the tests and the fuzz target share: aligned bytes, and a walk that calls every getter.
#![allow(dead_code, unreachable_pub, reason = "each user needs a part, and none is a crate")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use tombolo_pte::bundled::{Bundle, CaseValue};
use tombolo_pte::ptd::DataFile;
use tombolo_pte::vela::{BinStream, Block, IoList, SCRATCH_REGION};
use tombolo_pte::{Instruction, MAX_RANK, Plan, Program, TensorData, TensorView, Value};

/// Bytes at a 16-byte aligned address.
pub struct Aligned {
    store: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub fn new(bytes: &[u8]) -> Aligned {
        let mut store = vec![0; bytes.len() + 15];
        let start = store.as_ptr().align_offset(16);
        store[start..start + bytes.len()].copy_from_slice(bytes);
        Aligned { store, start, len: bytes.len() }
    }

    pub fn read(path: impl AsRef<Path>) -> Aligned {
        let path = path.as_ref();
        Aligned::new(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.store[self.start..self.start + self.len]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.store[self.start..self.start + self.len]
    }
}

/// A file of the project's copy of the corpus.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus")).join(name)
}

/// A file of the whole corpus, which is beside the project on some machines only.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus")).join(name);
    if path.exists() {
        return Some(path);
    }
    println!("SKIPPED: {} is not there", path.display());
    None
}

/// Reads whatever the bytes are and looks at all of it. Says whether they were accepted.
pub fn walk(bytes: &[u8]) -> bool {
    let program = Program::parse(bytes);
    let data = DataFile::parse(bytes);
    let bundle = Bundle::parse(bytes);
    let stream = BinStream::parse(bytes);
    for error in [program.err(), data.err(), bundle.err(), stream.err()].into_iter().flatten() {
        assert!(!error.to_string().contains('?'), "a field without a name: {error:?}");
    }
    if let Ok(program) = &program {
        walk_program(program);
    }
    if let Ok(data) = &data {
        assert_eq!(data.iter().count(), data.len());
        for entry in data.iter() {
            assert!(data.get(entry.key).is_some());
            if let Some(layout) = entry.layout {
                assert!(layout.nbytes <= entry.data.len());
                assert_eq!(layout.dim_order.len(), layout.sizes.len());
            }
        }
        black_box(format!("{data:?}"));
    }
    if let Ok(bundle) = &bundle {
        if let Ok(program) = Program::parse(bundle.program()) {
            walk_program(&program);
        }
        for suite in bundle.suites() {
            black_box(suite.method());
            for case in suite.cases() {
                for value in case.inputs().chain(case.expected_outputs()) {
                    if let CaseValue::Tensor { dtype, sizes, data, .. } = value {
                        let count: usize = sizes.iter().map(|s| s as usize).product();
                        assert_eq!(data.len(), count * dtype.size());
                    }
                }
            }
        }
    }
    if let Ok(stream) = &stream {
        walk_stream(stream);
    }
    program.is_ok() || data.is_ok() || bundle.is_ok() || stream.is_ok()
}

fn walk_program(program: &Program) {
    for (key, data) in program.named_data() {
        assert!(program.named(key).is_some());
        black_box(data.len());
    }
    for i in 0..program.segment_count() {
        black_box(program.segment(i).expect("a segment that was checked"));
    }
    assert!(program.segment(program.segment_count()).is_none());
    assert_eq!(program.methods().count(), program.method_count());
    black_box((program.version(), program.extended_header(), program.inline_delegate_bytes()));
    for plan in program.methods() {
        assert!(program.find_method(plan.name()).is_some());
        walk_plan(&plan);
    }
    black_box(format!("{program:?}"));
}

fn walk_plan(plan: &Plan) {
    let index = |i: i32| assert!((i as usize) < plan.value_count(), "value {i}");
    plan.inputs().iter().chain(plan.outputs().iter()).for_each(index);
    for i in 0..plan.value_count() {
        match plan.value(i) {
            Value::Tensor(tensor) => walk_tensor(plan, &tensor),
            Value::IntList(list) => {
                list.iter().for_each(|item| assert!(matches!(plan.value(item as usize), Value::Int(_))));
            }
            Value::TensorList(list) => {
                list.iter().for_each(|item| assert!(matches!(plan.value(item as usize), Value::Tensor(_))));
            }
            Value::OptionalTensorList(list) => {
                let ok = |item| matches!(plan.value(item as usize), Value::Tensor(_) | Value::None);
                assert!(list.iter().all(|item| item == -1 || ok(item)));
            }
            Value::DoubleList(list) => assert_eq!(list.iter().count(), list.len()),
            Value::BoolList(list) => assert_eq!(list.iter().count(), list.len()),
            Value::None | Value::Int(_) | Value::Bool(_) | Value::Double(_) | Value::String(_) => {}
        }
    }
    assert!(matches!(plan.value(plan.value_count()), Value::None));
    for i in 0..plan.operator_count() {
        black_box(plan.operator(i));
    }
    for i in 0..plan.delegate_count() {
        let delegate = plan.delegate(i);
        for (key, value) in delegate.compile_specs() {
            assert!(delegate.compile_spec(key).is_some());
            black_box(value);
        }
        if let Ok(stream) = BinStream::parse(delegate.blob) {
            walk_stream(&stream);
        }
    }
    for i in 0..plan.buffer_count() {
        black_box(plan.buffer_size(i));
    }
    black_box(plan.pytrees());
    for i in 0..plan.chain_count() {
        let chain = plan.chain(i);
        assert_eq!(chain.instructions().count(), chain.instruction_count());
        for (i, instruction) in chain.instructions().enumerate() {
            black_box(chain.stacktrace(i).count());
            match instruction {
                Instruction::Kernel { op, args } => {
                    assert!((op as usize) < plan.operator_count());
                    args.iter().for_each(index);
                }
                Instruction::Delegate { delegate, args } => {
                    assert!((delegate as usize) < plan.delegate_count());
                    args.iter().for_each(index);
                }
                Instruction::Move { from, to } => [from, to].into_iter().for_each(|i| index(i as i32)),
                Instruction::JumpFalse { cond, target } => {
                    index(cond as i32);
                    assert!(target as usize <= chain.instruction_count());
                }
                Instruction::Free { value } => index(value as i32),
            }
        }
        assert!(chain.instruction(chain.instruction_count()).is_none());
    }
    black_box(format!("{plan:?}"));
}

fn walk_tensor(plan: &Plan, tensor: &TensorView) {
    let rank = tensor.sizes().len();
    assert!(rank <= MAX_RANK && tensor.dim_order().len() == rank);
    for dim in 0..rank {
        assert_eq!(tensor.dim_order().iter().filter(|&&d| usize::from(d) == dim).count(), 1);
    }
    let count = tensor.sizes().iter().fold(1usize, |n, size| n.wrapping_mul(size as usize));
    assert_eq!(tensor.nbytes(), count.wrapping_mul(tensor.dtype().size()));
    match tensor.data() {
        TensorData::Constant(data) => {
            assert_eq!(data.len(), tensor.nbytes());
            assert_eq!(data.as_ptr().align_offset(tensor.dtype().size()), 0);
        }
        TensorData::Planned { buffer, offset, .. } | TensorData::PlannedExternal { buffer, offset, .. } => {
            assert!((buffer as usize) < plan.buffer_count());
            assert!((offset + tensor.nbytes()) as u64 <= plan.buffer_size(buffer as usize));
            assert_eq!(offset % tensor.dtype().size(), 0);
            if let TensorData::Planned { initial: Some(initial), .. } = tensor.data() {
                assert_eq!(initial.len(), tensor.nbytes());
            }
        }
        TensorData::External { key } => assert_eq!(tensor.name(), Some(key)),
        TensorData::Unplanned => {}
    }
    black_box((tensor.dynamism(), tensor.name()));
}

fn walk_stream(stream: &BinStream) {
    let ios = |list: &IoList| {
        assert_eq!(list.iter().count(), list.len());
        for io in list.iter() {
            assert!(io.region < 8 && io.elem_size > 0);
            if io.region == SCRATCH_REGION {
                assert!(io.offset as usize + io.nbytes() <= stream.scratch_size as usize);
            }
        }
    };
    ios(&stream.inputs);
    ios(&stream.outputs);
    for block in [stream.cmd_data, stream.weight_data] {
        match block {
            Block::Inline(data) => assert_eq!(data.as_ptr().align_offset(16), 0),
            Block::External { key } => assert_eq!(key.len(), 64),
        }
    }
    black_box(format!("{stream:?}"));
}
