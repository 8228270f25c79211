//! The command line as a user meets it.

mod common;

use common::{Scratch, array, corpus, example, stderr, stdout, tombolo};
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use tombolo::host::Model;
use tombolo::npy::{self, Array, Dtype};
use tombolo::npz;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn success(args: &[&str]) -> String {
    let output = tombolo(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}{}", stdout(&output), stderr(&output));
    assert_eq!(stderr(&output), "", "{args:?}");
    stdout(&output)
}

fn success_json(args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.push("--json");
    serde_json::from_str(&success(&all)).expect("one JSON object")
}

/// Status 2, one message that says all of `words`, a remedy, and nothing that looks like a crash.
fn refused(args: &[&str], words: &[&str]) -> Output {
    let output = tombolo(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}{}", stdout(&output));
    for word in words {
        assert!(message.contains(word), "{args:?}: '{word}' is not in: {message}");
    }
    assert!(!message.contains("panicked") && !message.contains("RUST_BACKTRACE"), "{message}");
    output
}

/// As [`refused`], for messages of Tombolo's own: `error: …` and `help: …`, a line each.
fn refused_with_remedy(args: &[&str], words: &[&str]) {
    let output = refused(args, words);
    let message = stderr(&output);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 2, "{args:?}: {message}");
    assert!(lines[0].starts_with("error: ") && lines[1].starts_with("help: "), "{args:?}: {message}");
    assert!(lines[1].len() > "help: ".len());
    assert_eq!(stdout(&output), "");
}

const ADD: &str = "fixtures/corpus/add";

/// README's first command.
#[test]
fn digits_are_recognised() {
    let digits = |more: &[&str]| {
        let mut args = vec![
            "run",
            "examples/digits/ethos-u65-256.pte",
            "--dataset",
            "examples/digits/test.npz",
            "--expect",
            "examples/digits/ethos-u65-256.test_logits.npy",
            "--tolerance",
            "1step",
        ];
        args.extend(more);
        args.iter().map(|s| (*s).to_string()).collect::<Vec<_>>()
    };
    let output = tombolo(digits(&[]));
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{told}{}", stderr(&output));
    for words in ["accuracy: 98.0 % (441 of 450)", "██", "ethos-u65-256", "fast scratch", "EthosUBackend"]
    {
        assert!(told.contains(words), "'{words}' is not in:\n{told}");
    }

    let json: Value = serde_json::from_str(&stdout(&tombolo(digits(&["--json"])))).unwrap();
    assert_eq!(json["accuracy"]["correct"], 441);
    assert_eq!(json["accuracy"]["samples"], 450);
    assert_eq!(json["comparisons"][0]["elements"], 4500);
    assert_eq!(json["comparisons"][0]["passed"], true);
    assert_eq!(json["runs"], 450);
    assert_eq!(json["passed"], true);

    let output = tombolo(digits(&["--min-accuracy", "99"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("NOT the 99 %"));
}

#[test]
fn run_compares_and_writes() {
    let scratch = Scratch::new("run");
    let (in0, in1) = (format!("{ADD}/in0.npy"), format!("{ADD}/in1.npy"));
    let out = scratch.path("out");
    let told = success(&[
        "run",
        &format!("{ADD}/cpu_float.pte"),
        "--input",
        &in0,
        "--input",
        &in1,
        "--expect",
        &format!("{ADD}/float_out.npy"),
        "--tolerance",
        "rel:1e-5",
        "--output-dir",
        text(&out),
    ]);
    assert!(told.contains("aten::add.out"), "{told}");
    let written = array(&out.join("out0.npy"));
    assert_eq!(written.shape(), array(&corpus("add/float_out.npy")).shape());

    // The same from raw bytes, and from one archive.
    let raw = scratch.file("in0.bin", array(&corpus("add/in0.npy")).bytes());
    let both =
        npz::write(&[("in0", &array(&corpus("add/in0.npy"))), ("in1", &array(&corpus("add/in1.npy")))]);
    let both = scratch.file("both.npz", &both.unwrap());
    for inputs in [vec!["--input", text(&raw), "--input", &in1], vec!["--input", text(&both)]] {
        let program = format!("{ADD}/cpu_float.pte");
        let expected = out.join("out0.npy");
        let mut args = vec!["run", &program, "--expect", text(&expected)];
        args.extend(inputs);
        assert!(success(&args).contains("elements equal"));
    }

    // A wrong expectation is status 1, with the place.
    let mut wrong = written.bytes().to_vec();
    wrong[4..8].copy_from_slice(&1e9f32.to_le_bytes());
    let wrong = Array::new(Dtype::Float32, written.shape().to_vec(), wrong).unwrap();
    let wrong = scratch.file("wrong.npy", &npy::write(&wrong));
    let output = tombolo([
        "run",
        &format!("{ADD}/cpu_float.pte"),
        "--input",
        &in0,
        "--input",
        &in1,
        "--expect",
        text(&wrong),
        "--tolerance",
        "1e-3",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("NOT as expected: 1 of 256"), "{}", stdout(&output));
    assert!(stdout(&output).contains("[0, 0, 0, 1]"), "{}", stdout(&output));
}

#[test]
fn npu_run_compares_bytes() {
    let stream = "fixtures/corpus/conv_s2/u65-256.0.vela.npz";
    let golden = "fixtures/corpus/conv_s2/u65-256.golden.npz";
    let told = success(&["npu", "run", stream, "--target", "ethos-u65-256", "--golden", golden]);
    assert!(told.contains("equal, byte for byte"), "{told}");
    let json = success_json(&["npu", "run", stream, "--golden", golden]);
    assert_eq!(json["passed"], true);
    assert_eq!(json["npu"], "ethos-u65-256");

    // One byte changed: status 1, the count and the index.
    let scratch = Scratch::new("npu-run");
    let mut npz = npz::Npz::read(&corpus("conv_s2/u65-256.golden.npz")).unwrap();
    let (input, output) = (npz.require("in0").unwrap(), npz.require("out0").unwrap());
    let mut bytes = output.bytes().to_vec();
    bytes[5] ^= 1;
    let changed = Array::new(output.dtype(), output.shape().to_vec(), bytes).unwrap();
    let file = npz::write(&[("in0", &input), ("out0", &changed)]).unwrap();
    let file = scratch.file("golden.npz", &file);
    let run = tombolo(["npu", "run", stream, "--golden", text(&file)]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stdout(&run).contains("NOT as expected: 1 of"), "{}", stdout(&run));

    // Inputs from files of their own, outputs to a directory.
    let in0 = scratch.file("in0.npy", &npy::write(&input));
    let out = scratch.path("out");
    success(&["npu", "run", stream, "--input", text(&in0), "--output-dir", text(&out)]);
    assert_eq!(array(&out.join("out0.npy")).bytes(), output.bytes());
    let raw = scratch.file("in0.bin", input.bytes());
    let expected = scratch.file("out0.bin", output.bytes());
    success(&["npu", "run", stream, "--input", text(&raw), "--expect", text(&expected)]);
}

/// The delegate of a program runs as its bare stream does.
#[test]
fn npu_run_takes_programs_and_blobs() {
    let golden = "fixtures/corpus/add/u65-256.golden.npz";
    success(&["npu", "run", "fixtures/corpus/add/u65-256.pte", "--golden", golden]);
    let program = std::fs::read(corpus("add/u65-256.pte")).unwrap();
    let start = program.windows(15).position(|w| w == b"vela_bin_stream").unwrap();
    let footer = program.windows(15).position(|w| w == b"vela_end_stream").unwrap();
    let scratch = Scratch::new("blob");
    let blob = scratch.file("blob.bin", &program[start..footer + 32]);
    success(&["npu", "run", text(&blob), "--golden", golden]);
    let payload = program.windows(4).position(|w| w == b"COP1").unwrap();
    let payload = scratch.file("payload.bin", &program[payload..payload + 376]);
    assert!(success(&["disasm", text(&payload)]).contains("NPU_OP_STOP"));
    refused_with_remedy(&["npu", "run", text(&payload)], &["payload alone"]);
    success(&["inspect", text(&blob)]);
    success(&["inspect", text(&payload)]);
    refused_with_remedy(&["npu", "run", "fixtures/corpus/variants/two_delegates.pte"], &["2 NPU delegates"]);
}

#[test]
fn inspect_tells_what_a_program_needs() {
    let told = success(&["inspect", "examples/digits/ethos-u65-256.pte"]);
    for words in ["quantize_per_tensor.out", "here", "ethos-u65-256", "derived", "pool that a firmware gives"]
    {
        assert!(told.contains(words), "'{words}' is not in:\n{told}");
    }
    assert!(!told.contains("MISSING"), "{told}");
    let json = success_json(&["inspect", "examples/digits/ethos-u65-256.pte"]);
    let method = &json["methods"][0];
    assert_eq!(method["name"], "forward");
    assert_eq!(method["delegates"][0]["stream"]["npu"], "ethos-u65-256");
    assert_eq!(method["planned_buffers"][0]["bytes"], 320);
    // The scratch of the delegate is the largest need of any call.
    assert!(method["pools"]["temp"].as_u64() >= method["delegates"][0]["stream"]["scratch_bytes"].as_u64());

    let json = success_json(&["inspect", "fixtures/corpus/variants/quantized_io.pte"]);
    let constants: Vec<&Value> =
        json["methods"].as_array().unwrap().iter().filter(|m| m.get("constant").is_some()).collect();
    assert!(constants.len() >= 4, "{json:#}");
    let told = success(&["inspect", "fixtures/corpus/variants/quantized_io.pte"]);
    assert!(told.contains("constant method") && told.contains("0.00782"), "{told}");

    let json = success_json(&["inspect", "fixtures/corpus/variants/bundled.bpte"]);
    assert_eq!(json["kind"], "bpte");
    assert_eq!(json["test_cases"][0]["cases"], 1);
    let json = success_json(&["inspect", "fixtures/corpus/variants/two_delegates.pte"]);
    assert_eq!(json["methods"][0]["delegates"].as_array().unwrap().len(), 2);

    // Blocks in other files: shown with --data, told without.
    let program = "fixtures/corpus/variants/external_blocks.pte";
    let ptd = |name: &str| format!("fixtures/corpus/variants/external_blocks.{name}.ptd");
    assert!(success(&["inspect", program]).contains("--data"));
    let told = success(&["inspect", program, "--data", &ptd("npu_cmd"), "--data", &ptd("npu_weights")]);
    assert!(told.contains("for ethos-u55-128"), "{told}");
    assert_eq!(success_json(&["inspect", &ptd("npu_cmd")])["kind"], "ptd");

    let json = success_json(&["inspect", "fixtures/corpus/dscnn/u65-256.0.vela.npz"]);
    assert_eq!(json["stream"]["fast_scratch_bytes"], 22208);
    assert_eq!(json["stream"]["fast_scratch_stated"], true);
    assert_eq!(success_json(&["inspect", "fixtures/corpus/add/in0.npy"])["array"]["dtype"], "float32");
    assert_eq!(success_json(&["inspect", "examples/digits/test.npz"])["arrays"]["labels"]["shape"][0], 450);
}

#[test]
fn every_variant_is_inspected() {
    let mut seen = 0;
    for entry in std::fs::read_dir(corpus("variants")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "pte" || e == "bpte" || e == "ptd") {
            success(&["inspect", text(&path), "--tensors"]);
            seen += 1;
        }
    }
    assert!(seen >= 19, "{seen}");
}

#[test]
fn disasm_resolves_addresses() {
    let told = success(&["disasm", "fixtures/corpus/conv_s2/u65-256.0.vela.npz"]);
    for words in
        ["ethos-u65-256", "NPU_OP_CONV", "NPU_SET_IFM_BASE0 1:", "NPU_SET_WEIGHT_BASE", "NPU_OP_STOP"]
    {
        assert!(told.contains(words), "'{words}' is not in:\n{told}");
    }
    let json = success_json(&["disasm", "fixtures/corpus/variants/two_delegates.pte"]);
    assert_eq!(json["streams"].as_array().unwrap().len(), 2);
    assert_eq!(json["streams"][0]["npu"], "ethos-u55-128");
}

#[test]
fn targets_are_listed() {
    assert!(success(&["targets"]).contains("ethos-u65-256"));
    let json = success_json(&["targets"]);
    let list = json["accelerators"].as_array().unwrap();
    assert_eq!(list.len(), 11);
    let macs = |name: &str| list.iter().find(|a| a["name"] == name).map(|a| a["macs_per_cycle"].clone());
    assert_eq!(macs("ethos-u65-512"), Some(512.into()));
    assert_eq!(macs("ethos-u85-2048"), Some(2048.into()));
}

/// A reader that goes away is no crash.
#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(["disasm", text(&corpus("dscnn/u65-256.0.vela.npz"))])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn bad_use_is_refused() {
    refused(&["run"], &["MODEL"]);
    refused(&["frobnicate"], &["frobnicate"]);
    refused(&["run", "x.pte", "--tolerance", "wide"], &["1step"]);
    refused(&["run", "x.pte", "--input", "a.npy", "--dataset", "b.npz"], &["--dataset"]);
    refused_with_remedy(
        &["disasm", "fixtures/corpus/add/u65-256.pte", "--target", "ethos-u99-1"],
        &["ethos-u99-1"],
    );
    refused_with_remedy(&["inspect", "no/such/file.pte"], &["no/such/file.pte", "no such file"]);
    refused_with_remedy(&["inspect", "fixtures"], &["directory"]);
    refused_with_remedy(&["inspect", "Cargo.toml"], &["not a kind of file"]);
    refused_with_remedy(&["disasm", "fixtures/corpus/add/cpu_float.pte"], &["no NPU command stream"]);
    // Errors for machines.
    let output = tombolo(["inspect", "no/such/file.pte", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["error"]["file"], "no/such/file.pte");
    assert!(json["error"]["help"].is_string());
}

#[test]
fn wrong_inputs_are_refused() {
    let program = "fixtures/corpus/conv_s2/u65-256.pte";
    let in0 = "fixtures/corpus/conv_s2/in0.npy";
    refused_with_remedy(&["run", program], &["1 input", "0 files"]);
    refused_with_remedy(&["run", program, "--input", in0, "--input", in0], &["1 input", "2 files"]);
    refused_with_remedy(&["run", program, "--input", "no.npy"], &["no.npy", "no such file"]);
    refused_with_remedy(
        &["run", program, "--input", "fixtures/corpus/add/in0.npy"],
        &[program, "shape [1, 4, 8, 8]"],
    );
    let scratch = Scratch::new("wrong-inputs");
    let right = array(&corpus("conv_s2/in0.npy"));
    let ints = Array::new(Dtype::Int32, right.shape().to_vec(), right.bytes().to_vec()).unwrap();
    let ints = scratch.file("ints.npy", &npy::write(&ints));
    refused_with_remedy(&["run", program, "--input", text(&ints)], &["int32", "float32"]);
    let cut = scratch.file("cut.npy", &std::fs::read(corpus("conv_s2/in0.npy")).unwrap()[..200]);
    refused_with_remedy(&["run", program, "--input", text(&cut)], &["cut.npy", "ends too early"]);
    let raw = scratch.file("short.bin", &[0; 12]);
    refused_with_remedy(&["run", program, "--input", text(&raw)], &["short.bin", "12 raw bytes"]);
    // A batch where one sample is taken: the message names the option for it.
    let digits = "examples/digits/ethos-u65-256.pte";
    let mut test = npz::Npz::read(&example("digits/test.npz")).unwrap();
    let images = scratch.file("images.npy", &npy::write(&test.require("images").unwrap()));
    let output = tombolo(["run", digits, "--input", text(&images)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--dataset"), "{}", stderr(&output));
    refused_with_remedy(
        &["run", digits, "--dataset", "fixtures/corpus/add/u65-256.golden.npz"],
        &["no array of samples"],
    );
    refused_with_remedy(&["run", program, "--input", in0, "--method", "backward"], &["no method 'backward'"]);
    refused_with_remedy(
        &["run", program, "--input", in0, "--expect", "fixtures/corpus/add/float_out.npy"],
        &["add/float_out.npy", "shape"],
    );
    // Raw integers at the NPU's border.
    let stream = "fixtures/corpus/add/u65-256.0.vela.npz";
    refused_with_remedy(&["npu", "run", stream], &["2 inputs", "0 files"]);
    refused_with_remedy(
        &["npu", "run", stream, "--golden", "fixtures/corpus/conv_s2/u65-256.golden.npz"],
        &["in0", "elements"],
    );
    refused_with_remedy(&["npu", "run", stream, "--golden", "examples/digits/test.npz"], &["no array 'in0'"]);
}

#[test]
fn a_stream_for_another_npu_is_refused_with_both_names() {
    refused_with_remedy(
        &[
            "npu",
            "run",
            "fixtures/corpus/add/u55-128.0.vela.npz",
            "--target",
            "ethos-u65-256",
            "--golden",
            "fixtures/corpus/add/u55-128.golden.npz",
        ],
        &["ethos-u55-128", "ethos-u65-256"],
    );
    refused_with_remedy(
        &[
            "run",
            "fixtures/corpus/variants/segment.pte",
            "--input",
            "fixtures/corpus/variants/segment.in0.npy",
            "--target",
            "ethos-u65-256",
        ],
        &["segment.pte", "ethos-u55-128", "ethos-u65-256"],
    );
}

#[test]
fn an_absent_operator_is_named_with_its_types() {
    let scratch = Scratch::new("absent");
    let mut program = std::fs::read(corpus("add/cpu_float.pte")).unwrap();
    let at = program.windows(9).position(|w| w == b"aten::add").unwrap();
    program[at..at + 9].copy_from_slice(b"aten::odd");
    let path = scratch.file("odd.pte", &program);
    let run = |more: &[&str]| {
        let (in0, in1) = (format!("{ADD}/in0.npy"), format!("{ADD}/in1.npy"));
        let mut args = vec!["run", text(&path), "--input", &in0, "--input", &in1];
        args.extend(more);
        refused_with_remedy(&args, &["odd.pte", "aten::odd.out", "float32"]);
    };
    run(&[]);
    let told = success(&["inspect", text(&path)]);
    assert!(told.contains("aten::odd.out") && told.contains("MISSING") && told.contains("help"), "{told}");
    // An absent backend.
    let mut program = std::fs::read(corpus("add/u65-256.pte")).unwrap();
    let at = program.windows(13).position(|w| w == b"EthosUBackend").unwrap();
    program[at..at + 13].copy_from_slice(b"OtherUBackend");
    let path = scratch.file("other.pte", &program);
    let (in0, in1) = (format!("{ADD}/in0.npy"), format!("{ADD}/in1.npy"));
    refused_with_remedy(
        &["run", text(&path), "--input", &in0, "--input", &in1],
        &["other.pte", "delegate OtherUBackend"],
    );
    // External blocks that were not given.
    refused_with_remedy(
        &[
            "run",
            "fixtures/corpus/variants/external_blocks.pte",
            "--input",
            "fixtures/corpus/variants/external_blocks.in0.npy",
        ],
        &["external_blocks.pte", "another file"],
    );
}

/// Damage of every kind, in the program and around it.
#[test]
fn damaged_programs_are_refused() {
    let scratch = Scratch::new("damaged");
    let good = std::fs::read(corpus("add/u65-256.pte")).unwrap();
    let in0 = format!("{ADD}/in0.npy");
    let in1 = format!("{ADD}/in1.npy");
    let refuse = |name: &str, bytes: &[u8], words: &[&str]| {
        let path = scratch.file(name, bytes);
        let mut all = vec![name];
        all.extend(words);
        for args in [
            vec!["run", text(&path), "--input", &in0, "--input", &in1],
            vec!["inspect", text(&path)],
            vec!["disasm", text(&path)],
        ] {
            refused_with_remedy(&args, &all);
        }
    };
    refuse("empty.pte", &[], &[]);
    for cut in [1, 7, 8, 100, 1000, good.len() / 2, good.len() * 9 / 10] {
        refuse(&format!("cut{cut}.pte"), &good[..cut], &[]);
    }
    let mut magic = good.clone();
    magic[4] ^= 0xff;
    refuse("magic.pte", &magic, &["mark", "ET12"]);
    let mut root = good.clone();
    root[..4].copy_from_slice(&0x7fff_fff0u32.to_le_bytes());
    refuse("root.pte", &root, &["outside"]);
    // Offsets inside: the vtable of the root, and its first field.
    let table = u32::from_le_bytes(good[..4].try_into().unwrap()) as usize;
    let mut vtable = good.clone();
    vtable[table..table + 4].copy_from_slice(&i32::MIN.to_le_bytes());
    refuse("vtable.pte", &vtable, &[]);
    let mut blob = good.clone();
    let at = good.windows(15).position(|w| w == b"vela_bin_stream").unwrap();
    blob[at] = b'w';
    refuse("blob.pte", &blob, &["vela_bin_stream"]);
    let mut payload = good.clone();
    let at = good.windows(4).position(|w| w == b"COP1").unwrap();
    payload[at + 3] = b'9';
    refuse("payload.pte", &payload, &["delegate 0"]);
}

/// A delegate's blob that does not lie at a multiple of 16, where the NPU could not read it.
#[test]
fn a_blob_at_an_odd_address_is_refused() {
    let scratch = Scratch::new("odd-address");
    let mut program = std::fs::read(corpus("variants/segment.pte")).unwrap();
    assert_eq!(program[8..12], *b"eh00");
    // All segments lie one byte further.
    let base = u64::from_le_bytes(program[24..32].try_into().unwrap());
    program.insert(usize::try_from(base).unwrap(), 0);
    program[24..32].copy_from_slice(&(base + 1).to_le_bytes());
    let path = scratch.file("odd.pte", &program);
    refused_with_remedy(
        &["run", text(&path), "--input", "fixtures/corpus/variants/segment.in0.npy"],
        &["odd.pte", "16"],
    );
}

/// Every cut and many single changed bytes of a real program: an answer or a refusal, never a crash. In this
/// process, so that thousands of files are tried.
#[test]
fn no_damage_crashes() {
    for file in ["add/u65-256.pte", "add/cpu_float.pte", "variants/bundled.bpte"] {
        let good = std::fs::read(corpus(file)).unwrap();
        let inputs: Vec<Array> = if file.starts_with("add") {
            vec![array(&corpus("add/in0.npy")), array(&corpus("add/in1.npy"))]
        } else {
            vec![array(&corpus("variants/bundled.in0.npy"))]
        };
        let attempt = |bytes: &[u8]| {
            let model = Model::from_bytes(Path::new(file), bytes);
            model.and_then(|model| common::run_model(&model, vec![inputs.clone()])).is_ok()
        };
        assert!(attempt(&good), "{file}");
        for cut in (0..good.len()).step_by(13) {
            attempt(&good[..cut]);
        }
        for at in (0..good.len()).step_by(3) {
            for value in [0x00, 0x01, 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = value;
                attempt(&bad);
            }
        }
    }
}

/// A program whose inputs and outputs are integers, from one archive that has both.
#[test]
fn a_program_of_integers_runs_exactly() {
    let chain = "fixtures/corpus/variants/quantized_io.chain.npz";
    let told =
        success(&["run", "fixtures/corpus/variants/quantized_io.pte", "--input", chain, "--expect", chain]);
    assert!(told.contains("all 2304 elements equal"), "{told}");
}

/// The bundle's own test cases are the inputs and the expectations.
#[test]
fn a_bundle_runs_its_test_cases() {
    let told = success(&["run", "fixtures/corpus/variants/bundled.bpte", "--tolerance", "1step"]);
    assert!(told.contains("test case 0"), "{told}");
}

/// The commands in a text: lines that begin with `prefix`, with the lines that a `\\` at the end adds.
fn commands(text: &str, prefix: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some(mut rest) = line.strip_prefix(prefix) else { continue };
        let mut words: Vec<String> = Vec::new();
        loop {
            let more = rest.strip_suffix('\\');
            words.extend(more.unwrap_or(rest).split_whitespace().map(String::from));
            if more.is_none() {
                break;
            }
            rest = lines.next().expect("a line follows a backslash");
        }
        found.push(words);
    }
    found
}

/// Every example in every command's help does what it says.
#[test]
fn examples_in_the_help_work() {
    let mut seen = 0;
    for command in [&["run"][..], &["npu", "run"], &["inspect"], &["disasm"], &["targets"]] {
        let help = success(&[command, &["--help"]].concat());
        let (_, examples) = help.split_once("Example").expect("an example");
        for example in commands(examples, "tombolo ") {
            assert!(example.iter().map(String::as_str).collect::<Vec<_>>().starts_with(command));
            success(&example.iter().map(String::as_str).collect::<Vec<_>>());
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen}");
}

/// Every command in the READMEs does what they say: those that a shell is shown to run succeed, those with
/// their output shown give that output, where it does not depend on time.
#[test]
fn commands_in_the_readmes_work() {
    let mut seen = 0;
    for file in ["README.md", "examples/digits/README.md"] {
        let text = std::fs::read_to_string(common::workspace().join(file)).unwrap();
        for command in commands(&text, "cargo run --release -- ") {
            success(&command.iter().map(String::as_str).collect::<Vec<_>>());
            seen += 1;
        }
        for block in text.split("```text\n$ ").skip(1) {
            let (block, _) = block.split_once("\n```").unwrap();
            let command = &commands(block, "tombolo ")[0];
            let output = tombolo(command);
            // Times differ from run to run, and with them the width of their column.
            let stable = |line: &str| {
                let mut words: Vec<&str> = line.split_whitespace().collect();
                words.pop_if(|last| last.contains('.') && last.parse::<f64>().is_ok());
                words.join(" ")
            };
            let told = format!("{}{}", stdout(&output), stderr(&output));
            let lines: Vec<String> = told.lines().map(stable).collect();
            let shown = block.lines().skip_while(|line| line.ends_with('\\')).skip(1);
            for line in shown.filter(|line| *line != "[…]" && !line.starts_with("time: ")) {
                assert!(
                    lines.contains(&stable(line)),
                    "{file}: {command:?} does not print '{line}':\n{told}"
                );
            }
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}
