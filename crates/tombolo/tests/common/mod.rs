//! What the tests share: binding conformance cases to the host runtime, and running the command.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tombolo::compare::{Comparison, Tolerance, compare};
use tombolo::error::{Error, Result};
use tombolo::host::{self, Model, Setup};
use tombolo::npy::{self, Array};
use tombolo::npz::Npz;
use tombolo::{container, files, npu, program};
use tombolo_conformance::{ModelCase, SequenceCase, StreamCase};

/// The workspace's root.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the small corpus.
pub(crate) fn corpus(file: &str) -> PathBuf {
    workspace().join("fixtures/corpus").join(file)
}

/// A file of the examples.
pub(crate) fn example(file: &str) -> PathBuf {
    workspace().join("examples").join(file)
}

/// Reads an array.
pub(crate) fn array(path: &Path) -> Array {
    npy::parse(&files::read(path).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs `forward` of a program once on the host runtime.
pub(crate) fn run_once(program: &Path, data: &[PathBuf], inputs: Vec<Array>) -> Result<Vec<Array>> {
    run_model(&Model::open(program, data)?, vec![inputs]).map(|mut runs| runs.remove(0))
}

/// Runs `forward` of a model on the host runtime, once for each set of inputs.
pub(crate) fn run_model(model: &Model, runs: Vec<Vec<Array>>) -> Result<Vec<Vec<Array>>> {
    let parsed = model.program()?;
    let files = model.data_files()?;
    let mut runs = runs.into_iter();
    let mut outputs = Vec::new();
    host::run(
        &parsed,
        &files,
        Setup { method: "forward", target: None, system: None },
        &mut |_| runs.next(),
        &mut |_, result| {
            outputs.push(result);
            Ok(())
        },
    )?;
    Ok(outputs)
}

/// The library's tolerance for a case's.
fn tolerance_of(tolerance: tombolo_conformance::Tolerance) -> Tolerance {
    match tolerance {
        tombolo_conformance::Tolerance::Exact => Tolerance::Exact,
        tombolo_conformance::Tolerance::Steps(n) => Tolerance::Steps(n),
        tombolo_conformance::Tolerance::Relative(n) => Tolerance::Relative(n),
    }
}

/// Runs a sequence and compares all outputs; how many there were.
pub(crate) fn check_sequence(case: &SequenceCase) -> Result<usize> {
    let arrays = |paths: &[PathBuf]| paths.iter().map(|path| array(path)).collect::<Vec<_>>();
    let inputs = case.runs.iter().map(|(inputs, _)| arrays(inputs)).collect();
    let outputs = run_model(&Model::open(&case.program, &[])?, inputs)?;
    assert_eq!(outputs.len(), case.runs.len());
    let mut count = 0;
    for (r, (outputs, (_, expected))) in outputs.iter().zip(&case.runs).enumerate() {
        assert_eq!(outputs.len(), expected.len(), "{}, run {r}", case.name);
        for (i, (output, expected)) in outputs.iter().zip(arrays(expected)).enumerate() {
            if output.dtype() != expected.dtype() {
                return Err(Error::new(format!("run {r}, output {i}: {} elements", output.dtype())));
            }
            let found = compare(output, &expected, tolerance_of(case.tolerance), None)?;
            if !found.passed() {
                return Err(Error::new(format!("run {r}, output {i}: {found:?}")));
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Runs a model case and compares its output.
pub(crate) fn check_model(case: &ModelCase) -> Result<Comparison> {
    let inputs = case.inputs.iter().map(|path| array(path)).collect();
    let outputs = run_once(&case.program, &case.data, inputs)?;
    let model = Model::open(&case.program, &case.data)?;
    let plan = host::find_plan(&model.program()?, "forward")?;
    let output = outputs.first().ok_or_else(|| Error::new("no output"))?;
    compare(output, &array(&case.expected), tolerance_of(case.tolerance), program::output_step(&plan, 0))
}

/// Runs a stream case; the number of outputs whose bytes were compared, or what differs.
pub(crate) fn check_stream(case: &StreamCase) -> Result<usize> {
    let found = container::streams(&case.stream, &case.data)?;
    let [found] = found.as_slice() else { return Err(Error::new(format!("{} streams", found.len()))) };
    let stream = found.program.as_ref().ok_or_else(|| Error::new("a payload alone"))?;
    let target = program::target(&case.target)?;
    assert_eq!(stream.accelerator()?, target, "{}", case.name);
    let mut golden = Npz::read(&case.golden)?;
    let mut arrays = |prefix: &str, count: usize| -> Result<Vec<Array>> {
        (0..count).map(|i| golden.require(&format!("{prefix}{i}"))).collect()
    };
    let inputs = arrays("in", stream.inputs.len())?;
    let expected = arrays("out", stream.outputs.len())?;
    let bytes: Vec<&[u8]> = inputs.iter().map(Array::bytes).collect();
    let result = npu::run_stream(stream, target, &bytes)?;
    for (i, (actual, expected)) in result.outputs.iter().zip(&expected).enumerate() {
        let differ = actual.iter().zip(expected.bytes()).filter(|(a, e)| a != e).count();
        if actual.len() != expected.bytes().len() || differ > 0 {
            return Err(Error::new(format!("out{i}: {differ} of {} bytes differ", expected.bytes().len())));
        }
    }
    Ok(expected.len())
}

/// Runs every case, prints a line for each, and fails with the list of those that failed.
pub(crate) fn all<C, T>(
    cases: &[C],
    name: impl Fn(&C) -> &str,
    check: impl Fn(&C) -> std::result::Result<T, String>,
) where
    T: std::fmt::Display,
{
    assert!(!cases.is_empty(), "no cases");
    let mut failed = Vec::new();
    for case in cases {
        match check(case) {
            Ok(found) => println!("{:40} {found}", name(case)),
            Err(error) => failed.push(format!("{}: {error}", name(case))),
        }
    }
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Runs the command in the workspace's root, as a user would.
pub(crate) fn tombolo<I, S>(args: I) -> Output
where
    I: IntoIterator<Item = S>,
    S: AsRef<std::ffi::OsStr>,
{
    Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(args)
        .current_dir(workspace())
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the command starts")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A directory for one test, empty at first and removed at its end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(test: &str) -> Scratch {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
