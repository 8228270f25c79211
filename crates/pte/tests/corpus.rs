//! Every program that upstream wrote, against numbers that were measured without this reader.

mod common;

use common::{Aligned, fixture, shared, walk};
use std::fs;
use std::path::PathBuf;
use tombolo_pte::bundled::{Bundle, CaseValue};
use tombolo_pte::ptd::DataFile;
use tombolo_pte::vela::{BinStream, Block, Io};
use tombolo_pte::{Dtype, Instruction, Program, TensorData, Value};

/// `.pte` bytes, `cmd_data`, `weight_data`, scratch size of the U65-256 programs, as listed by the people who
/// collected the corpus, from the files of Vela.
const U65_256: [(&str, usize, usize, usize, u32); 24] = [
    ("add", 3520, 376, 1, 512),
    ("add1d", 3456, 376, 1, 32),
    ("mul", 3488, 360, 1, 1120),
    ("sub_bcast", 3536, 376, 1, 304),
    ("conv3x3_relu", 5712, 1492, 1520, 2304),
    ("conv_s2", 6032, 2208, 1152, 6528),
    ("conv1x1", 6176, 1808, 1696, 3248),
    ("dwconv", 4432, 1384, 368, 1600),
    ("linear", 3888, 332, 896, 80),
    ("maxpool", 3888, 1192, 1, 2048),
    ("avgpool", 3888, 1192, 1, 2048),
    ("globalavg", 3296, 596, 1, 1568),
    ("sigmoid", 3280, 340, 256, 128),
    ("tanh", 3280, 340, 256, 128),
    ("softmax", 4528, 1240, 624, 16),
    ("hardswish", 3296, 340, 256, 288),
    ("transpose", 3152, 464, 1, 128),
    ("cat", 3488, 344, 1, 736),
    ("bmm", 6512, 3380, 1, 896),
    ("layernorm", 4656, 1548, 432, 192),
    ("upsample", 3760, 1056, 1, 1152),
    ("mean", 3648, 956, 16, 1024),
    ("gelu", 3280, 340, 256, 288),
    ("dscnn", 36128, 2736, 30736, 496),
];

fn files(extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(fixture(""))
        .expect("fixtures/corpus")
        .flat_map(|model| fs::read_dir(model.expect("a folder").path()).expect("a model"))
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

fn inline<'a>(block: Block<'a>) -> &'a [u8] {
    match block {
        Block::Inline(data) => data,
        Block::External { key } => panic!("external: {key}"),
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn every_program_is_read_and_walked() {
    let files = files("pte");
    assert!(files.len() >= 80, "only {} programs", files.len());
    for path in files {
        let file = Aligned::read(&path);
        let program = Program::parse(file.bytes()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(walk(file.bytes()));
        let plan = program.find_method("forward").expect("forward");
        assert_eq!((plan.chain_count(), plan.buffer_count()), (1, 1), "{}", path.display());
        let delegated = !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cpu_"));
        let delegates = if path.ends_with("two_delegates.pte") { 2 } else { usize::from(delegated) };
        assert_eq!(plan.delegate_count(), delegates, "{}", path.display());
    }
}

#[test]
fn blobs_have_the_sizes_and_the_bytes_that_vela_made() {
    for (model, size, cmd_data, weight_data, scratch) in U65_256 {
        let file = Aligned::read(fixture(&format!("{model}/u65-256.pte")));
        assert_eq!(file.bytes().len(), size, "{model}");
        let program = Program::parse(file.bytes()).expect(model);
        let delegate = program.find_method("forward").expect("forward").delegate(0);
        assert_eq!(delegate.id, "EthosUBackend");
        assert_eq!(delegate.compile_spec("target"), Some(b"ethos-u65-256".as_slice()));
        assert_eq!(delegate.compile_spec("tosa_spec"), Some(b"TOSA-1.0+INT+int16+int4+u55".as_slice()));
        assert_eq!(delegate.compile_spec("output_format"), Some(b"vela".as_slice()));
        assert_eq!(delegate.blob.as_ptr() as usize - file.bytes().as_ptr() as usize, 112, "{model}");
        let stream = BinStream::parse(delegate.blob).expect(model);
        let (cmd, weights) = (inline(stream.cmd_data), inline(stream.weight_data));
        assert_eq!(
            (cmd.len(), weights.len(), stream.scratch_size),
            (cmd_data, weight_data, scratch),
            "{model}"
        );
        assert_eq!((stream.persistent_size, stream.persistent_init, stream.vela_model), (0, None, None));
        // Vela's own file is an uncompressed archive of the same bytes.
        let npz = fs::read(fixture(&format!("{model}/u65-256.0.vela.npz"))).expect("vela.npz");
        assert!(contains(&npz, cmd) && contains(&npz, weights), "{model}: other bytes than Vela's");
    }
}

#[test]
fn a_delegated_program_quantizes_delegates_and_dequantizes() {
    for (model, ..) in U65_256 {
        let file = Aligned::read(fixture(&format!("{model}/u65-256.pte")));
        let program = Program::parse(file.bytes()).expect(model);
        assert!(program.extended_header().is_none(), "{model} has no segments");
        let plan = program.find_method("forward").expect("forward");
        let mut shape = Vec::new();
        for instruction in plan.chain(0).instructions() {
            shape.push(match instruction {
                Instruction::Kernel { op, args } => {
                    let out = args.get(args.len() - 1);
                    assert_eq!(args.get(args.len() - 2), out, "{model}: the out argument appears twice");
                    plan.operator(op as usize).name
                }
                Instruction::Delegate { args, .. } => {
                    assert_eq!(args.len(), plan.inputs().len() + plan.outputs().len(), "{model}");
                    "delegate"
                }
                other => panic!("{model}: {other:?}"),
            });
        }
        let mut expected = vec!["quantized_decomposed::quantize_per_tensor"; plan.inputs().len()];
        expected.extend(["delegate", "quantized_decomposed::dequantize_per_tensor"]);
        assert_eq!(shape, expected, "{model}");
    }
}

#[test]
fn the_plan_of_dwconv_is_the_one_that_was_read_by_hand() {
    let file = Aligned::read(fixture("dwconv/u65-256.pte"));
    let program = Program::parse(file.bytes()).expect("dwconv");
    let plan = program.find_method("forward").expect("forward");
    let planned = |i: i32| match plan.value(i as usize) {
        Value::Tensor(t) => match t.data() {
            TensorData::Planned { buffer, offset, initial: None } => {
                (t.dtype(), t.sizes().iter().collect::<Vec<_>>(), t.nbytes(), buffer, offset)
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!((plan.buffer_count(), plan.buffer_size(0)), (1, 9600));
    let input = planned(plan.inputs().get(0).expect("an input"));
    assert_eq!(input, (Dtype::Float, vec![1, 16, 10, 10], 6400, 0, 0));
    assert_eq!(plan.buffer_size(1), 0, "no such buffer");
}

#[test]
fn constants_are_the_weights_of_the_float_model() {
    let file = Aligned::read(fixture("linear/cpu_float.pte"));
    let program = Program::parse(file.bytes()).expect("linear");
    let header = program.extended_header().expect("a header");
    assert_eq!((header.length, header.program_size as usize), (32, program.flatbuffer_size()));
    let plan = program.find_method("forward").expect("forward");
    let mut constants = 0;
    for i in 0..plan.value_count() {
        let Value::Tensor(t) = plan.value(i) else { continue };
        let TensorData::Constant(data) = t.data() else { continue };
        let numbers = data.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four")));
        assert!(numbers.clone().all(|x| x.abs() < 1.0), "weights of a default nn.Linear");
        assert!(numbers.clone().any(|x| x != 0.0));
        constants += data.len();
    }
    let base = header.segment_base_offset as usize;
    assert!(constants > 0 && base + constants <= file.bytes().len(), "{constants} bytes");
    assert_eq!(program.segment(0).map(<[u8]>::len), Some(header.segment_data_size as usize));
}

#[test]
fn a_delegate_in_a_segment_is_the_one_that_is_inline_elsewhere() {
    let [segment, inline] =
        ["segment", "bundled"].map(|n| Aligned::read(fixture(&format!("variants/{n}.pte"))));
    let segment = Program::parse(segment.bytes())
        .expect("segment")
        .find_method("forward")
        .expect("forward")
        .delegate(0);
    let program = Program::parse(inline.bytes()).expect("inline");
    assert_eq!(program.segment_count(), 1);
    assert_eq!(program.segment(0), Some([].as_slice()), "the empty constant segment");
    let inline = program.find_method("forward").expect("forward").delegate(0);
    assert_eq!(program.inline_delegate_bytes(), inline.blob.len());
    assert_eq!(segment.blob, inline.blob);
    assert_eq!(segment.blob.len(), 3312);
}

#[test]
fn external_blocks_are_found_in_the_data_files() {
    let file = Aligned::read(fixture("variants/external_blocks.pte"));
    let program = Program::parse(file.bytes()).expect("external_blocks");
    assert_eq!(program.named_data().count(), 0);
    let delegate = program.find_method("forward").expect("forward").delegate(0);
    let stream = BinStream::parse(delegate.blob).expect("stream");
    let inline_program = Aligned::read(fixture("variants/bundled.pte"));
    let inline_program = Program::parse(inline_program.bytes()).expect("bundled");
    let whole = BinStream::parse(inline_program.find_method("forward").expect("forward").delegate(0).blob);
    let whole = whole.expect("stream");
    for (block, name, in_file) in
        [(stream.cmd_data, "npu_cmd", whole.cmd_data), (stream.weight_data, "npu_weights", whole.weight_data)]
    {
        let Block::External { key } = block else { panic!("{name} is inline") };
        let file = Aligned::read(fixture(&format!("variants/external_blocks.{name}.ptd")));
        let data = DataFile::parse(file.bytes()).expect(name);
        assert_eq!((data.len(), data.is_empty()), (1, false));
        assert_eq!(data.get(key), Some(inline(in_file)), "{name}");
        assert_eq!(data.get("nothing"), None);
        assert!(data.iter().all(|entry| entry.layout.is_none()), "a blob is no tensor");
    }
}

#[test]
fn quantized_inputs_come_with_ten_methods_that_have_no_instructions() {
    let file = Aligned::read(fixture("variants/quantized_io.pte"));
    let program = Program::parse(file.bytes()).expect("quantized_io");
    assert_eq!(program.method_count(), 11);
    let forward = program.find_method("forward").expect("forward");
    assert_eq!(forward.operator_count(), 0);
    assert_eq!(forward.buffer_size(0), 3456);
    for list in [forward.inputs(), forward.outputs()] {
        let Some(Value::Tensor(t)) = list.get(0).map(|i| forward.value(i as usize)) else {
            panic!("no tensor")
        };
        assert_eq!(t.dtype(), Dtype::Char);
    }
    let constant = |name| {
        let plan = program.find_method(name).expect(name);
        assert_eq!((plan.value_count(), plan.inputs().len(), plan.buffer_count()), (1, 0, 0), "{name}");
        assert_eq!(plan.chain(0).instruction_count(), 0, "{name}");
        assert_eq!(plan.outputs(), [0]);
        plan.value(0)
    };
    assert!(matches!(constant("input0_zp"), Value::Int(-1)));
    assert!(matches!(constant("input0_scale"), Value::Double(x) if x == 0.007825258187949657));
    assert!(matches!(constant("output0_zp"), Value::Int(-128)));
    assert!(matches!(constant("output0_scale"), Value::Double(x) if x == 0.004207763820886612));
}

#[test]
fn the_layouts_of_other_variants() {
    let stream = |name: &str| {
        let file = Aligned::read(fixture(&format!("variants/{name}.pte")));
        let plan = Program::parse(file.bytes()).expect(name).find_method("forward").expect("forward");
        let stream = BinStream::parse(plan.delegate(0).blob).expect(name);
        let Some(Value::Tensor(input)) = plan.inputs().get(0).map(|i| plan.value(i as usize)) else {
            panic!()
        };
        let cmd = inline(stream.cmd_data);
        let io = (stream.inputs.get(0).expect("an input"), stream.outputs.get(0).expect("an output"));
        (cmd.len(), cmd[..4].to_vec(), stream.scratch_size, io, input.dim_order().to_vec())
    };
    let (cmd, _, scratch, (input, _), dim_order) = stream("channels_last");
    assert_eq!((cmd, scratch, input.shape, dim_order), (328, 3456, [1, 1, 1, 12, 12, 8], vec![0, 2, 3, 1]));

    let (_, magic, scratch, (input, output), _) = stream("cop2_direct_drive_u85");
    assert_eq!((magic.as_slice(), scratch), (b"COP2".as_slice(), 2304));
    assert_eq!((input.region, input.offset, output.region, output.offset), (3, 0, 4, 0));

    let (.., (input, output), _) = stream("a16w8_u55");
    assert_eq!((input.elem_size, output.elem_size), (2, 2));
    let int16 = Io { shape: [1, 1, 1, 8, 12, 12], elem_size: 2, offset: input.offset, region: 1 };
    assert_eq!((input, input.count(), input.nbytes()), (int16, 1152, 2304));
}

#[test]
fn a_bundled_program_holds_the_program_and_its_test() {
    let file = Aligned::read(fixture("variants/bundled.bpte"));
    let plain = Aligned::read(fixture("variants/bundled.pte"));
    assert!(Bundle::is(file.bytes()) && !Bundle::is(plain.bytes()));
    let bundle = Bundle::parse(file.bytes()).expect("bundled");
    assert_eq!(bundle.program(), plain.bytes());
    assert!(walk(file.bytes()));
    let suites: Vec<_> = bundle.suites().collect();
    assert_eq!(suites.len(), 1);
    assert_eq!(suites[0].method(), "forward");
    let case = suites[0].cases().next().expect("a case");
    // The input is the file that the corpus has beside it, behind the header of `.npy`.
    let npy = fs::read(fixture("variants/bundled.in0.npy")).expect("in0.npy");
    let inputs: Vec<_> = case.inputs().collect();
    match inputs.as_slice() {
        [CaseValue::Tensor { dtype: Dtype::Float, sizes, dim_order: [0, 1, 2, 3], data }] => {
            assert_eq!(*sizes, [1, 8, 12, 12]);
            assert_eq!(*data, &npy[npy.len() - data.len()..]);
        }
        other => panic!("{other:?}"),
    }
    match case.expected_outputs().next() {
        Some(CaseValue::Tensor { dtype: Dtype::Float, sizes, data, .. }) => {
            assert_eq!((sizes.iter().product::<i32>(), data.len()), (2304, 9216));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_large_programs_are_read() {
    for target in ["cpu_float", "cpu_int8", "u55-128", "u65-256", "u65-512", "u85-256"] {
        let Some(path) = shared(&format!("mv2/{target}.pte")) else { continue };
        let file = Aligned::read(path);
        assert!(walk(file.bytes()), "mv2 {target}: {}", Program::parse(file.bytes()).unwrap_err());
        let start = std::time::Instant::now();
        let program = Program::parse(file.bytes()).expect("mv2");
        println!("mv2 {target}: {:?} for {} bytes", start.elapsed(), file.bytes().len());
        if let Some(delegate) =
            (!target.starts_with("cpu")).then(|| program.method(0).expect("forward").delegate(0))
        {
            let stream = BinStream::parse(delegate.blob).expect("stream");
            let scratch =
                [("u55-128", 1509824), ("u65-256", 313600), ("u65-512", 313600), ("u85-256", 1505280)];
            assert!(scratch.contains(&(target, stream.scratch_size)));
        }
    }
}
