//! Files that are damaged or made to harm: each gets the error that names the fault, none a panic.

mod common;

use common::{Aligned, fixture, walk};
use std::path::Path;
use tombolo_pte::bundled::Bundle;
use tombolo_pte::ptd::DataFile;
use tombolo_pte::{Error, ErrorKind, Program};

fn data(name: &str) -> Vec<u8> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(bytes: &[u8]) -> Result<(), Error> {
    Program::parse(Aligned::new(bytes).bytes()).map(|_| ())
}

/// Expects a program to be refused for this reason.
#[track_caller]
fn refused(bytes: &[u8], field: &str, kind: ErrorKind) -> Error {
    let error = parse(bytes).expect_err("accepted");
    assert_eq!((error.field.name(), error.kind), (field, kind), "{error}");
    assert!(error.offset <= bytes.len());
    error
}

/// A flatbuffer to be damaged in one place. Reads without any check, so it has to be one of ours.
struct Editor(Vec<u8>);

impl Editor {
    /// The program with all kinds of values and instructions, without a header or segments.
    fn rare() -> Editor {
        Editor(data("rare.pte"))
    }

    fn u16(&self, at: usize) -> usize {
        u16::from_le_bytes(self.0[at..at + 2].try_into().unwrap()).into()
    }

    fn u32(&self, at: usize) -> usize {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap()) as usize
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// What the reference at `at` points to.
    fn follow(&self, at: usize) -> usize {
        at + self.u32(at)
    }

    fn root(&self) -> usize {
        self.follow(0)
    }

    fn vtable(&self, table: usize) -> usize {
        table.wrapping_sub((self.u32(table) as i32) as usize)
    }

    /// Where a field of a table stands.
    fn field(&self, table: usize, slot: usize) -> usize {
        let entry = self.u16(self.vtable(table) + 4 + 2 * slot);
        assert!(entry != 0, "absent");
        table + entry
    }

    /// Item `i` of the vector of tables that is field `slot`.
    fn item(&self, table: usize, slot: usize, i: usize) -> usize {
        let vector = self.follow(self.field(table, slot));
        assert!(i < self.u32(vector));
        self.follow(vector + 4 + 4 * i)
    }

    fn plan(&self) -> usize {
        self.item(self.root(), 1, 0)
    }

    /// The table of the first value with this type number, and the EValue.
    fn value(&self, kind: u8) -> (usize, usize) {
        let values = self.follow(self.field(self.plan(), 2));
        (0..self.u32(values))
            .map(|i| self.item(self.plan(), 2, i))
            .find(|&evalue| self.0[self.field(evalue, 0)] == kind)
            .map(|evalue| (self.follow(self.field(evalue, 1)), evalue))
            .expect("such a value")
    }

    /// The first tensor for which the slot is there.
    fn tensor_with(&self, slot: usize) -> usize {
        let values = self.follow(self.field(self.plan(), 2));
        (0..self.u32(values))
            .map(|i| self.item(self.plan(), 2, i))
            .filter(|&evalue| self.0[self.field(evalue, 0)] == 5)
            .map(|evalue| self.follow(self.field(evalue, 1)))
            .find(|&t| {
                let vtable = self.vtable(t);
                4 + 2 * slot < self.u16(vtable) && self.u16(vtable + 4 + 2 * slot) != 0
            })
            .expect("such a tensor")
    }

    /// The arguments of the first instruction of this kind.
    fn instruction(&self, kind: u8) -> (usize, usize) {
        let chain = self.item(self.plan(), 5, 0);
        let instructions = self.follow(self.field(chain, 2));
        (0..self.u32(instructions))
            .map(|i| self.item(chain, 2, i))
            .find(|&instruction| self.0[self.field(instruction, 0)] == kind)
            .map(|instruction| (self.follow(self.field(instruction, 1)), instruction))
            .expect("such an instruction")
    }

    /// Appends, at a multiple of `align` plus `off`.
    fn append(&mut self, align: usize, off: usize, bytes: &[u8]) -> usize {
        while self.0.len() % align != off {
            self.0.push(0);
        }
        let at = self.0.len();
        self.0.extend_from_slice(bytes);
        at
    }

    /// Makes the reference at `at` point to `target`, which is behind it.
    fn point(&mut self, at: usize, target: usize) {
        let distance = u32::try_from(target - at).unwrap();
        self.put(at, &distance.to_le_bytes());
    }

    /// Puts a new vector of numbers in the place of a field's.
    fn replace<T: Copy>(&mut self, table: usize, slot: usize, items: &[T], bytes: fn(T) -> Vec<u8>) {
        let mut vector = u32::try_from(items.len()).unwrap().to_le_bytes().to_vec();
        items.iter().for_each(|&item| vector.extend(bytes(item)));
        let target = self.append(4, 0, &vector);
        let at = self.field(table, slot);
        self.point(at, target);
    }

    fn replace_i32(&mut self, table: usize, slot: usize, items: &[i32]) {
        self.replace(table, slot, items, |i| i.to_le_bytes().to_vec());
    }

    fn replace_u8(&mut self, table: usize, slot: usize, items: &[u8]) {
        self.replace(table, slot, items, |i| vec![i]);
    }

    #[track_caller]
    fn refused(&self, field: &str, kind: ErrorKind) {
        refused(&self.0, field, kind);
    }
}

#[test]
fn the_editor_edits_what_is_accepted() {
    let mut editor = Editor::rare();
    assert_eq!(parse(&editor.0), Ok(()));
    let (kernel, _) = editor.instruction(1);
    let args = editor.follow(editor.field(kernel, 1));
    let args: Vec<i32> = (0..editor.u32(args)).map(|i| editor.u32(args + 4 + 4 * i) as i32).collect();
    editor.replace_i32(kernel, 1, &args);
    assert_eq!(parse(&editor.0), Ok(()));
}

#[test]
fn the_frame_of_the_file() {
    let good = data("unplanned.pte");
    assert_eq!(parse(&good), Ok(()));
    let with = |at: usize, bytes: &[u8]| {
        let mut editor = Editor(good.clone());
        editor.put(at, bytes);
        editor.0
    };
    refused(&[], "File.identifier", ErrorKind::Truncated);
    refused(&good[..7], "File.identifier", ErrorKind::Truncated);
    refused(&with(4, b"ET13"), "File.identifier", ErrorKind::Identifier);
    refused(&with(4, b"\x7fELF"), "File.identifier", ErrorKind::Identifier);
    refused(&with(0, &[0; 4]), "File.root", ErrorKind::OutOfBounds);
    refused(&with(0, &[0xff; 4]), "File.root", ErrorKind::OutOfBounds);
    assert_eq!(&good[8..12], b"eh00");
    refused(&with(12, &16u32.to_le_bytes()), "ExtendedHeader.length", ErrorKind::Unsupported);
    let end = (good.len() as u64 + 1).to_le_bytes();
    refused(&with(16, &end), "ExtendedHeader.program_size", ErrorKind::Truncated);
    refused(&with(24, &end), "ExtendedHeader.segment_base_offset", ErrorKind::Truncated);
    refused(&with(32, &end), "ExtendedHeader.segment_data_size", ErrorKind::Truncated);
    refused(&with(16, &[0xff; 8]), "ExtendedHeader.program_size", ErrorKind::Truncated);
    // The segment data as written by old exporters: no size, so up to the end of the file.
    let mut old = with(12, &24u32.to_le_bytes());
    old[32..40].fill(0xee);
    assert_eq!(parse(&old), Ok(()));
    assert_eq!(parse(&with(32, &[0; 8])), Ok(()));
    // Without segment data, the constants are nowhere.
    refused(&with(24, &[0; 8]), "DataSegment.offset", ErrorKind::OutOfBounds);
    refused(&with(32, &1u64.to_le_bytes()), "DataSegment.offset", ErrorKind::OutOfBounds);
    let error = refused(&good[..good.len() - 1], "ExtendedHeader.segment_data_size", ErrorKind::Truncated);
    assert_eq!(error.offset, 32);
}

#[test]
fn a_buffer_at_an_odd_address() {
    let good = data("unplanned.pte");
    for shift in 1..16 {
        let mut shifted = vec![0; shift];
        shifted.extend_from_slice(&good);
        let shifted = Aligned::new(&shifted);
        let error = Program::parse(&shifted.bytes()[shift..]).expect_err("misaligned");
        assert_eq!((error.field.name(), error.kind), ("File.address", ErrorKind::Address));
        assert!(error.to_string().contains("16-byte aligned"), "{error}");
    }
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    let mut editor = Editor::rare();
    let tensor = editor.tensor_with(5);
    let at = editor.field(tensor, 5);
    editor.put(at, &999u32.to_le_bytes());
    let error = parse(&editor.0).expect_err("no constant 999");
    assert_eq!(
        error.to_string(),
        format!(
            "Tensor.data_buffer_idx at byte {at:#x}: is the index of something that does not exist; \
             the file is damaged: copy or export it again"
        )
    );
}

#[test]
fn references_and_vtables_out_of_the_file() {
    let mut editor = Editor::rare();
    let plan = editor.plan();
    // A vtable before the start, behind the end, and too short to be one.
    for distance in [i32::MAX, i32::MIN, plan as i32 + 1, -(editor.0.len() as i32), 0] {
        let mut editor = Editor(editor.0.clone());
        editor.put(plan, &distance.to_le_bytes());
        editor.refused("Program.execution_plan", ErrorKind::OutOfBounds);
    }
    // A vector of four thousand million values.
    let vector = editor.follow(editor.field(plan, 2));
    editor.put(vector, &u32::MAX.to_le_bytes());
    editor.refused("ExecutionPlan.values", ErrorKind::OutOfBounds);
    // A reference to itself.
    let mut editor = Editor::rare();
    let at = editor.field(plan, 2);
    editor.put(at, &[0; 4]);
    editor.refused("ExecutionPlan.values", ErrorKind::OutOfBounds);
    // A field outside of the file, though its vtable is inside.
    let mut editor = Editor::rare();
    let vtable = editor.vtable(plan);
    editor.put(vtable + 4 + 2 * 2, &u16::MAX.to_le_bytes());
    editor.refused("ExecutionPlan.values", ErrorKind::OutOfBounds);
}

#[test]
fn another_schema_version() {
    let mut editor = Editor::rare();
    let root = editor.root();
    // A root whose version is where the reference to the plans stands: not 0.
    let plans = editor.u16(editor.vtable(root) + 4 + 2) as u16;
    let vtable = editor.vtable(root);
    editor.put(vtable + 4, &plans.to_le_bytes());
    editor.refused("Program.version", ErrorKind::Unknown);
}

#[test]
fn values_of_an_unknown_kind() {
    for kind in [0, 12, 255] {
        let mut editor = Editor::rare();
        let (_, evalue) = editor.value(4);
        let at = editor.field(evalue, 0);
        editor.put(at, &[kind]);
        editor.refused("EValue.val_type", ErrorKind::Unknown);
    }
    // A value without content.
    let mut editor = Editor::rare();
    let (_, evalue) = editor.value(2);
    let vtable = editor.vtable(evalue);
    editor.put(vtable + 4 + 2, &[0; 2]);
    editor.refused("EValue.val", ErrorKind::Missing);
}

#[test]
fn tensors_that_cannot_be() {
    let on_tensor = |f: &dyn Fn(&mut Editor, usize)| {
        let mut editor = Editor::rare();
        let tensor = editor.tensor_with(5);
        f(&mut editor, tensor);
        editor
    };
    let scalar_type = |code: u8| {
        on_tensor(&move |e, t| {
            let at = e.field(t, 0);
            e.put(at, &[code]);
        })
    };
    scalar_type(8).refused("Tensor.scalar_type", ErrorKind::Unknown);
    scalar_type(255).refused("Tensor.scalar_type", ErrorKind::Unknown);
    on_tensor(&|e, t| e.replace_i32(t, 2, &[5, -3])).refused("Tensor.sizes", ErrorKind::Negative);
    on_tensor(&|e, t| e.replace_i32(t, 2, &[i32::MAX; 3])).refused("Tensor.sizes", ErrorKind::Overflow);
    on_tensor(&|e, t| e.replace_i32(t, 2, &[1; 17])).refused("Tensor.sizes", ErrorKind::Rank);
    on_tensor(&|e, t| e.replace_i32(t, 2, &[5, 3, 1])).refused("Tensor.dim_order", ErrorKind::DimOrder);
    for order in [&[0, 0][..], &[0, 2], &[1], &[0, 1, 2], &[0, 255], &[32, 1]] {
        on_tensor(&|e, t| e.replace_u8(t, 3, order)).refused("Tensor.dim_order", ErrorKind::DimOrder);
    }
    // The largest rank is fine.
    let ranked = on_tensor(&|e, t| {
        e.replace_i32(t, 2, &[1; 16]);
        let order: Vec<u8> = (0..16).rev().collect();
        e.replace_u8(t, 3, &order);
    });
    assert_eq!(parse(&ranked.0), Ok(()));
    // Slots that are absent in written files, made to show another field that is not 0.
    for (slot, field, kind) in [
        (1, "Tensor.storage_offset", ErrorKind::Unsupported),
        (7, "Tensor.layout", ErrorKind::Unsupported),
        (8, "Tensor.shape_dynamism", ErrorKind::Unknown),
    ] {
        let made = on_tensor(&|e, t| {
            let (vtable, code) = (e.vtable(t), e.field(t, 0) - t);
            let mut copy = e.0[vtable..vtable + e.u16(vtable)].to_vec();
            copy.resize(24, 0);
            copy[..2].copy_from_slice(&24u16.to_le_bytes());
            copy[4 + 2 * slot..6 + 2 * slot].copy_from_slice(&(code as u16).to_le_bytes());
            let at = e.append(2, 0, &copy);
            let distance = t as i32 - at as i32;
            e.put(t, &distance.to_le_bytes());
        });
        made.refused(field, kind);
    }
}

#[test]
fn constants_that_are_too_short_or_askew() {
    let mut editor = Editor::rare();
    let tensor = editor.tensor_with(5);
    let index = editor.u32(editor.field(tensor, 5));
    let buffer = editor.item(editor.root(), 2, index);
    let storage = editor.follow(editor.field(buffer, 0));
    let bytes = editor.u32(storage);
    let content = editor.0[storage + 4..storage + 4 + bytes].to_vec();
    let good = Editor(editor.0.clone());
    editor.put(storage, &(bytes as u32 - 1).to_le_bytes());
    editor.refused("Buffer.storage", ErrorKind::DataTooSmall);
    for (off, result) in [(0, Ok(())), (1, Err(())), (2, Err(())), (3, Err(()))] {
        let mut editor = Editor(good.0.clone());
        let mut vector = (bytes as u32).to_le_bytes().to_vec();
        vector.extend_from_slice(&content);
        let target = editor.append(4, off, &vector);
        let at = editor.field(buffer, 0);
        editor.point(at, target);
        match result {
            Ok(()) => assert_eq!(parse(&editor.0), Ok(())),
            Err(()) => editor.refused("Tensor.data_buffer_idx", ErrorKind::DataMisaligned),
        }
    }
}

#[test]
fn planned_tensors_outside_of_their_buffer() {
    let on_plan = |slot, number: u32| {
        let mut editor = Editor::rare();
        let tensor = editor.tensor_with(6);
        let allocation = editor.follow(editor.field(tensor, 6));
        let at = editor.field(allocation, slot);
        editor.put(at, &number.to_le_bytes());
        editor
    };
    on_plan(0, 0).refused("AllocationDetails.memory_id", ErrorKind::Index);
    on_plan(0, 2).refused("AllocationDetails.memory_id", ErrorKind::Index);
    on_plan(0, u32::MAX).refused("AllocationDetails.memory_id", ErrorKind::Index);
    on_plan(1, 1 << 20).refused("AllocationDetails.memory_offset_low", ErrorKind::PlanTooSmall);
    on_plan(1, 144 - 20).refused("AllocationDetails.memory_offset_low", ErrorKind::PlanTooSmall);
    on_plan(1, 2).refused("AllocationDetails.memory_offset_low", ErrorKind::DataMisaligned);
    let mut editor = Editor::rare();
    let sizes = editor.follow(editor.field(editor.plan(), 8));
    editor.put(sizes + 4 + 8, &(-1i64).to_le_bytes());
    editor.refused("ExecutionPlan.non_const_buffer_sizes", ErrorKind::Negative);
    let mut editor = Editor::rare();
    let device = editor.item(editor.plan(), 9, 0);
    let at = editor.field(device, 0);
    editor.put(at, &2u32.to_le_bytes());
    editor.refused("NonConstBufferDevice.buffer_idx", ErrorKind::Index);
}

#[test]
fn indices_of_nothing() {
    for index in [-1, 1000, i32::MIN, i32::MAX] {
        for (slot, field) in [(3, "ExecutionPlan.inputs"), (4, "ExecutionPlan.outputs")] {
            let mut editor = Editor::rare();
            let plan = editor.plan();
            editor.replace_i32(plan, slot, &[0, index]);
            editor.refused(field, ErrorKind::Index);
        }
        let mut editor = Editor::rare();
        let (kernel, _) = editor.instruction(1);
        editor.replace_i32(kernel, 1, &[0, index]);
        editor.refused("KernelCall.args", ErrorKind::Index);
        let mut editor = Editor::rare();
        let (moves, _) = editor.instruction(3);
        let at = editor.field(moves, 1);
        editor.put(at, &index.to_le_bytes());
        editor.refused("MoveCall.move_to", ErrorKind::Index);
    }
    let operator = |number: i32| {
        let mut editor = Editor::rare();
        let chain = editor.item(editor.plan(), 5, 0);
        // The second call names its operator; the first one's is 0, which is not written.
        let kernel = editor.follow(editor.field(editor.item(chain, 2, 1), 1));
        let at = editor.field(kernel, 0);
        editor.put(at, &number.to_le_bytes());
        editor
    };
    operator(2).refused("KernelCall.op_index", ErrorKind::Index);
    operator(-1).refused("KernelCall.op_index", ErrorKind::Index);
    let (mut editor, kinds) = (Editor::rare(), [0, 6, 255]);
    let (_, instruction) = editor.instruction(1);
    let at = editor.field(instruction, 0);
    for kind in kinds {
        editor.put(at, &[kind]);
        editor.refused("Instruction.instr_args_type", ErrorKind::Unknown);
    }
    // A call of a delegate in a program without any.
    editor.put(at, &[2]);
    editor.refused("DelegateCall.delegate_index", ErrorKind::Index);
}

#[test]
fn jumps_end_at_the_end() {
    let good = data("cond.pte");
    for (target, result) in [(10, true), (11, false), (-1, false)] {
        let mut editor = Editor(good.clone());
        let (jump, _) = editor.instruction(4);
        let at = editor.field(jump, 1);
        editor.put(at, &i32::to_le_bytes(target));
        match result {
            true => assert_eq!(parse(&editor.0), Ok(())),
            false => editor.refused("JumpFalseCall.destination_instruction", ErrorKind::Index),
        }
    }
}

#[test]
fn lists_refer_to_values_of_the_right_kind() {
    let list = |name: &str, kind: u8, width: usize, item: i64| {
        let mut editor = Editor(data(name));
        let (list, _) = editor.value(kind);
        let items = editor.follow(editor.field(list, 0));
        assert!(editor.u32(items) > 0);
        editor.put(items + 4, &item.to_le_bytes()[..width]);
        editor
    };
    // Value 0 is a tensor in each.
    for item in [0, -1, 1000, i64::MAX, i64::MIN] {
        list("rare.pte", 7, 8, item).refused("IntList.items", ErrorKind::WrongValue);
    }
    let int = i64::from(i32::MAX);
    for item in [-1, 7, int] {
        list("lists.pte", 10, 4, item).refused("TensorList.items", ErrorKind::WrongValue);
    }
    for item in [-2, 7, int] {
        list("lists.pte", 11, 4, item).refused("OptionalTensorList.items", ErrorKind::WrongValue);
    }
    // -1 and a null value are both nothing.
    let null = {
        let editor = Editor(data("lists.pte"));
        let values = editor.follow(editor.field(editor.plan(), 2));
        (0..editor.u32(values))
            .find(|&i| editor.0[editor.field(editor.item(editor.plan(), 2, i), 0)] == 1)
            .expect("a null")
    };
    for item in [-1, null as i64] {
        assert_eq!(parse(&list("lists.pte", 11, 4, item).0), Ok(()));
    }
}

#[test]
fn names_that_are_not_text() {
    let mut editor = Editor::rare();
    let operator = editor.item(editor.plan(), 6, 0);
    let name = editor.follow(editor.field(operator, 0));
    editor.put(name + 4, &[0xff]);
    editor.refused("Operator.name", ErrorKind::Utf8);
    let mut editor = Editor::rare();
    let name = editor.follow(editor.field(editor.plan(), 0));
    editor.put(name + 4, &[0xc0, 0x80]);
    editor.refused("ExecutionPlan.name", ErrorKind::Utf8);
}

#[test]
fn delegates_that_are_not_there() {
    let file = std::fs::read(fixture("add/u65-256.pte")).expect("add");
    let on_reference = |slot: usize, bytes: &[u8]| {
        let mut editor = Editor(file.clone());
        let delegate = editor.item(editor.plan(), 7, 0);
        let reference = editor.follow(editor.field(delegate, 1));
        // Neither field of the first delegate is written, as both are 0: give the table another vtable.
        let mut table = vec![0; 8 + 12];
        table[..8].copy_from_slice(&[8, 0, 12, 0, 0, 0, 0, 0]);
        table[4 + 2 * slot] = 4;
        table[8..12].copy_from_slice(&8i32.to_le_bytes());
        table[12..12 + bytes.len()].copy_from_slice(bytes);
        let at = editor.append(4, 0, &table);
        let field = editor.field(delegate, 1);
        assert!(reference < at);
        editor.point(field, at + 8);
        editor
    };
    assert_eq!(parse(&on_reference(1, &0u32.to_le_bytes()).0), Ok(()));
    on_reference(1, &1u32.to_le_bytes()).refused("BackendDelegateDataReference.index", ErrorKind::Index);
    on_reference(0, &[2]).refused("BackendDelegateDataReference.location", ErrorKind::Unknown);
    // Segment 0 is the empty constant segment, which upstream writes into every file.
    assert_eq!(parse(&on_reference(0, &[1]).0), Ok(()));
}

#[test]
fn work_is_bounded() {
    // Ten thousand instructions that share one table, whose arguments are a list of ten thousand.
    let mut editor = Editor::rare();
    let (kernel, instruction) = editor.instruction(1);
    editor.replace_i32(kernel, 1, &[0; 10_000]);
    assert_eq!(parse(&editor.0), Ok(()));
    let chain = editor.item(editor.plan(), 5, 0);
    let target = editor.append(4, 0, &10_000u32.to_le_bytes());
    for _ in 0..10_000 {
        editor.append(4, 0, &[0; 4]);
    }
    // References only go forward, so the shared instruction is copied to the end.
    let (vtable, size) = (editor.vtable(instruction), 12);
    let vtable = editor.0[vtable..vtable + editor.u16(vtable)].to_vec();
    let vtable = editor.append(2, 0, &vtable);
    let table = editor.0[instruction..instruction + size].to_vec();
    let args = editor.0[kernel..kernel + size].to_vec();
    let kernel_vtable = editor.vtable(kernel);
    let list = editor.follow(editor.field(kernel, 1));
    let shared = editor.append(4, 0, &table);
    editor.put(shared, &((shared - vtable) as i32).to_le_bytes());
    let call = editor.append(4, 0, &args);
    editor.put(call, &((call - kernel_vtable) as i32).to_le_bytes());
    let count = editor.u32(list);
    let copy = editor.append(4, 0, &(count as u32).to_le_bytes());
    editor.0.extend(std::iter::repeat_n(0, 4 * count));
    let (at, to) = (editor.field(shared, 1), editor.field(call, 1));
    editor.point(at, call);
    editor.point(to, copy);
    for i in 0..10_000 {
        editor.point(target + 4 + 4 * i, shared);
    }
    let at = editor.field(chain, 2);
    editor.point(at, target);
    // Without the bound, 10^8 indices.
    let error = parse(&editor.0).expect_err("too much");
    assert_eq!(error.kind, ErrorKind::TooComplex, "{error}");
}

#[test]
fn data_files() {
    let good = data("external.ptd");
    let parse = |bytes: &[u8]| DataFile::parse(Aligned::new(bytes).bytes()).map(|file| file.len());
    assert_eq!(parse(&good), Ok(2));
    let with = |at: usize, bytes: &[u8]| {
        let mut editor = Editor(good.clone());
        editor.put(at, bytes);
        let error = parse(&editor.0).expect_err("accepted");
        (error.field.name(), error.kind)
    };
    let far = u64::MAX.to_le_bytes();
    assert_eq!(with(4, b"ET12"), ("File.identifier", ErrorKind::Identifier));
    assert_eq!(with(8, b"eh00"), ("ExtendedHeader.magic", ErrorKind::Identifier));
    assert_eq!(with(12, &[8, 0]), ("ExtendedHeader.length", ErrorKind::Unsupported));
    assert_eq!(with(16, &far), ("ExtendedHeader.flatbuffer_size", ErrorKind::Truncated));
    assert_eq!(with(24, &far), ("ExtendedHeader.flatbuffer_size", ErrorKind::Truncated));
    assert_eq!(with(32, &far), ("ExtendedHeader.segment_data_size", ErrorKind::Truncated));
    assert_eq!(with(40, &far), ("ExtendedHeader.segment_data_size", ErrorKind::Truncated));
    assert_eq!(with(40, &[1, 0, 0, 0]), ("DataSegment.offset", ErrorKind::OutOfBounds));
    let error = parse(&good[..good.len() - 1]).expect_err("accepted");
    assert_eq!((error.field.name(), error.kind), ("ExtendedHeader.segment_data_size", ErrorKind::Truncated));
}

#[test]
fn bundled_programs() {
    let good = std::fs::read(fixture("variants/bundled.bpte")).expect("bundled");
    let parse =
        |bytes: &[u8]| Bundle::parse(Aligned::new(bytes).bytes()).map(|bundle| bundle.suites().count());
    assert_eq!(parse(&good), Ok(1));
    let mut editor = Editor(good);
    let suite = editor.item(editor.root(), 1, 0);
    let case = editor.item(suite, 1, 0);
    let value = editor.item(case, 0, 0);
    let tensor = editor.follow(editor.field(value, 1));
    let bytes = editor.follow(editor.field(tensor, 2));
    for count in [4 * 1152 - 4, 4 * 1152 + 4u32] {
        editor.put(bytes, &count.to_le_bytes());
        let error = parse(&editor.0).expect_err("accepted");
        assert_eq!((error.field.name(), error.kind), ("BundledTensor.data", ErrorKind::DataTooSmall));
    }
    editor.put(bytes, &(4u32 * 1152).to_le_bytes());
    let at = editor.field(value, 0);
    editor.put(at, &[9]);
    let error = parse(&editor.0).expect_err("accepted");
    assert_eq!((error.field.name(), error.kind), ("BundledValue.val_type", ErrorKind::Unknown));
}

/// Files for the mutations below: one of each kind, all small.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<_> = [
        "rare.pte",
        "cond.pte",
        "lists.pte",
        "mutable.pte",
        "named_data.pte",
        "external.ptd",
        "stacktrace.pte",
    ]
    .map(data)
    .into();
    for name in ["add/u65-256.pte", "variants/segment.pte", "variants/quantized_io.pte"] {
        seeds.push(std::fs::read(fixture(name)).expect(name));
    }
    let stream = seeds[7].windows(16).position(|w| w == b"vela_bin_stream\0").expect("a stream");
    let end = seeds[7].windows(16).position(|w| w == b"vela_end_stream\0").expect("an end");
    seeds.push(seeds[7][stream..end + 32].to_vec());
    for seed in &seeds {
        assert!(walk(Aligned::new(seed).bytes()));
    }
    seeds
}

#[test]
fn truncated_anywhere() {
    for seed in seeds() {
        let whole = Aligned::new(&seed);
        for len in 0..seed.len() {
            walk(&whole.bytes()[..len]);
        }
    }
}

#[test]
fn every_byte_flipped() {
    for seed in seeds() {
        let mut file = Aligned::new(&seed);
        let (mut refused, mut taken) = (0, 0);
        for at in 0..seed.len() {
            for bits in [0xff, 0x01, 0x80] {
                file.bytes_mut()[at] ^= bits;
                if walk(file.bytes()) {
                    taken += 1
                } else {
                    refused += 1
                }
                file.bytes_mut()[at] ^= bits;
            }
        }
        assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
    }
}

/// A short run of what `fuzz/fuzz_targets/pte.rs` does for hours: the same mutations each time.
#[test]
fn random_mutations() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    };
    let seeds = seeds();
    let mut taken = 0;
    for _ in 0..40_000 {
        let mut bytes = seeds[random(seeds.len())].clone();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            let near = [0, 1, 2, 4, 8, 16, 0x7f, 0x80, 0xff][random(9)];
            match random(5) {
                0 => bytes[at] = near,
                1 => bytes[at] ^= 1 << random(8),
                // A number as references and counts are: small, negative, or the like of another place.
                2 => {
                    let at = at & !3;
                    let word =
                        [near.into(), u32::MAX - u32::from(near), random(bytes.len()) as u32][random(3)];
                    let end = bytes.len().min(at + 4);
                    bytes[at..end].copy_from_slice(&word.to_le_bytes()[..end - at]);
                }
                3 => {
                    let (from, len) = (random(bytes.len()), random(64));
                    let len = len.min(bytes.len() - from).min(bytes.len() - at);
                    bytes.copy_within(from..from + len, at);
                }
                _ => bytes.truncate(at.max(1)),
            }
        }
        taken += usize::from(walk(Aligned::new(&bytes).bytes()));
    }
    assert!(
        (1000..39_000).contains(&taken),
        "{taken} of 40000 accepted: the mutations are too weak or too strong"
    );
}
