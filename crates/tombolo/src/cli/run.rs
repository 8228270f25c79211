//! `tombolo run`.

use super::draw::{Picture, draw};
use super::layers::Layers;
use super::profile::{ProfileArgs, Profiler};
use super::progress::Progress;
use super::table::{Table, bytes};
use super::{Context, Report, trace};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tombolo::compare::{Comparison, Tolerance, compare, index_text};
use tombolo::error::{Error, Result};
use tombolo::host::{self, Model, Port, Setup, Statistics};
use tombolo::npy::{self, Array, Dtype, Shape};
use tombolo::npz::Npz;
use tombolo::stream::NpuProgram;
use tombolo::{files, program};
use tombolo_ethosu::Accelerator;

/// Run a program on this machine; its NPU parts run on the simulator.
///
/// MODEL is an ExecuTorch program (.pte), or a bundled one (.bpte), whose test cases are run when no
/// input is given. Parts for the NPU run, through the driver, on the simulator of the NPU that they
/// were compiled for.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tombolo run fixtures/corpus/add/cpu_float.pte \\\n    \
            --input fixtures/corpus/add/in0.npy --input fixtures/corpus/add/in1.npy \\\n    \
            --expect fixtures/corpus/add/float_out.npy --tolerance rel:1e-5\n  \
        tombolo run examples/digits/ethos-u65-256.pte --dataset examples/digits/test.npz \\\n    \
            --expect examples/digits/ethos-u65-256.test_logits.npy --tolerance 1step")]
pub(crate) struct Args {
    /// The program
    model: PathBuf,
    /// An input: .npy, raw bytes (any other suffix), or one .npz with in0, in1, …; repeat it for more inputs
    #[arg(long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// A set of samples: .npz with an array of them, one per row, and if it has `labels`, the accuracy
    /// is told
    #[arg(long, value_name = "FILE.npz", conflicts_with = "input")]
    dataset: Option<PathBuf>,
    /// A .ptd file with constants or NPU blocks that the program keeps outside
    #[arg(long, value_name = "FILE.ptd")]
    data: Vec<PathBuf>,
    /// The method
    #[arg(long, value_name = "NAME", default_value = "forward")]
    method: String,
    /// The NPU to simulate, instead of the one that the program was compiled for
    #[arg(long, value_name = "NPU")]
    target: Option<String>,
    /// An expected output: .npy, or one .npz with out0, out1, …; repeat it for more outputs
    #[arg(long, value_name = "FILE")]
    expect: Vec<PathBuf>,
    /// How far an output may be from its expectation
    #[arg(long, value_name = "T", default_value = "exact", help = format!("How far an output may be from its expectation: {}", Tolerance::HELP))]
    tolerance: Tolerance,
    /// The least accuracy, in percent, that is as expected (with --dataset)
    #[arg(long, value_name = "PERCENT", requires = "dataset")]
    min_accuracy: Option<f64>,
    /// Write the outputs there as out0.npy, out1.npy, …
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// How many images of a data set are drawn
    #[arg(long, value_name = "N", default_value_t = 4)]
    show: usize,
    #[command(flatten)]
    profile: ProfileArgs,
}

/// Sets of inputs, and what they should give.
struct Work {
    /// For each run its inputs.
    runs: Vec<Vec<Array>>,
    /// For each run its expected outputs, where the file itself says.
    bundled: Option<Vec<Vec<Array>>>,
    dataset: Option<Dataset>,
}

struct Dataset {
    /// Name of the array that the samples come from.
    array: String,
    dtype: Dtype,
    shape: Vec<usize>,
    labels: Option<Vec<i128>>,
}

pub(crate) fn run(args: &Args, context: Context) -> Result<Report> {
    let target = args.target.as_deref().map(program::target).transpose()?;
    if args.min_accuracy.is_some_and(|percent| !(0.0..=100.0).contains(&percent)) {
        return Err(Error::new("--min-accuracy is a percentage").help("give a number from 0 to 100"));
    }
    args.profile.check()?;
    let model = Model::open(&args.model, &args.data)?;
    let parsed = model.program()?;
    let data = model.data_files()?;
    let in_model = |e: Error| e.in_file(model.path());
    let plan = host::find_plan(&parsed, &args.method).map_err(in_model)?;
    let (inputs, outputs) = (host::ports(&plan, false), host::ports(&plan, true));
    let profiler = if args.profile.wanted() {
        let found = host::accelerator(&parsed, &plan, &data, target).map_err(in_model)?;
        // Without NPU parts the options still say what to report, and on whose clock.
        args.profile.profiler(found.unwrap_or(Accelerator::U65_256))?
    } else {
        None
    };
    let work = gather(args, &model, &inputs)?;
    // Read before the run, which may take long.
    let expected = match args.expect.as_slice() {
        [] => Vec::new(),
        _ if work.runs.len() != 1 && work.dataset.is_none() => {
            return Err(Error::new("--expect needs one set of inputs, the bundle has several test cases")
                .help("leave --expect out to compare with the bundle's own expectations"));
        }
        files => arrays(files, "out", outputs.len(), "output", &outputs, "--expect")?,
    };

    let total = work.runs.len() as u64;
    let mut progress = Progress::new("running", total, context);
    let mut results: Vec<Vec<Array>> = Vec::with_capacity(work.runs.len());
    let statistics = host::run(
        &parsed,
        &data,
        Setup { method: &args.method, target, system: profiler.as_ref().map(|profiler| profiler.system) },
        &mut |i| work.runs.get(usize::try_from(i).ok()?).cloned(),
        &mut |i, outputs| {
            results.push(outputs);
            progress.at(i + 1);
            Ok(())
        },
    )
    .map_err(in_model)?;
    drop(progress);

    // A data set's outputs are one array each, a row a sample.
    let stacked = match &work.dataset {
        Some(_) => stack(&results)?,
        None if results.len() == 1 => results.concat(),
        None => Vec::new(),
    };
    let steps: Vec<Option<f64>> = (0..outputs.len()).map(|i| program::output_step(&plan, i)).collect();
    let mut comparisons: Vec<(String, Comparison, Array, Array)> = Vec::new();
    if !expected.is_empty() {
        for (i, ((file, expected), actual)) in expected.into_iter().zip(&stacked).enumerate() {
            let found = compare(actual, &expected, args.tolerance, steps.get(i).copied().flatten())
                .map_err(|e| e.in_file(&file).at(format!("output {i}")))?;
            comparisons.push((file.display().to_string(), found, actual.clone(), expected));
        }
    } else if let Some(bundled) = &work.bundled {
        for (case, (expected, actual)) in bundled.iter().zip(&results).enumerate() {
            for (i, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                let found = compare(actual, expected, args.tolerance, steps.get(i).copied().flatten())
                    .map_err(|e| e.in_file(model.path()).at(format!("test case {case}, output {i}")))?;
                comparisons.push((format!("test case {case}"), found, actual.clone(), expected.clone()));
            }
        }
    }
    if let Some(dir) = &args.output_dir {
        save(dir, if stacked.is_empty() { &results } else { std::slice::from_ref(&stacked) })?;
    }
    let classes = work.dataset.as_ref().map(|_| classify(&results));
    let accuracy = match (&work.dataset, &classes) {
        (Some(Dataset { labels: Some(labels), .. }), Some(classes)) => {
            let correct = classes.iter().zip(labels).filter(|(c, l)| **c == Some(**l)).count();
            Some((correct, labels.len()))
        }
        _ => None,
    };
    if args.min_accuracy.is_some() && accuracy.is_none() {
        return Err(Error::new("--min-accuracy needs labels, the data set has no array 'labels'")
            .help("add an array 'labels' with an integer per sample"));
    }
    let accurate = match (args.min_accuracy, accuracy) {
        (Some(least), Some((correct, all))) => percent(correct, all) >= least,
        _ => true,
    };
    let passed = accurate && comparisons.iter().all(|(_, found, ..)| found.passed());

    let mut profile = None;
    if let Some(profiler) = &profiler {
        let streams = host::npu_delegates(&parsed, &plan, &data).map_err(in_model)?;
        let named = |stream: &[u8]| {
            let of = |(_, program): &&(usize, NpuProgram)| program.parsed().is_ok_and(|p| p.stream == stream);
            streams.iter().find(of).map_or("stream".into(), |(index, _)| format!("delegate {index}"))
        };
        let names: Vec<String> =
            statistics.npu.profiles.list().iter().map(|profile| named(&profile.stream)).collect();
        profiler.write_trace(statistics.npu.profiles.list(), &steps_of(&statistics))?;
        let layers = profiler.layers(&args.model)?;
        profile = Some((
            profile_text(profiler, &statistics, &names, layers.as_ref()),
            profiler.json(statistics.npu.profiles.list(), &names, layers.as_ref()),
        ));
    }
    let (profile_text, profile_json) = profile.unzip();
    let seen = Seen {
        args,
        profile: profile_text.as_deref().unwrap_or_default(),
        profile_json,
        inputs: &inputs,
        results: if stacked.is_empty() { results.last().map_or(&[][..], |r| r) } else { &stacked },
        work: &work,
        classes: classes.as_deref(),
        accuracy,
        accurate,
        comparisons: &comparisons,
        statistics: &statistics,
    };
    Ok(Report { text: seen.text(), json: seen.json(passed), passed })
}

/// Finds the inputs of all runs.
fn gather(args: &Args, model: &Model, ports: &[Port]) -> Result<Work> {
    if let Some(path) = &args.dataset {
        return samples(path, ports);
    }
    if args.input.is_empty()
        && let Some(bundle) = model.bundle()?
    {
        let cases = program::test_cases(&bundle, &args.method).map_err(|e| e.in_file(model.path()))?;
        if !cases.is_empty() {
            let (runs, expected) = cases.into_iter().unzip();
            return Ok(Work { runs, bundled: Some(expected), dataset: None });
        }
    }
    let inputs = arrays(&args.input, "in", ports.len(), "input", ports, "--input")?;
    Ok(Work {
        runs: vec![inputs.into_iter().map(|(_, array)| array).collect()],
        bundled: None,
        dataset: None,
    })
}

/// Reads one array per port: from .npy or raw files in order, or from one .npz with `{prefix}0`, ….
fn arrays(
    paths: &[PathBuf],
    prefix: &str,
    count: usize,
    what: &str,
    ports: &[Port],
    option: &str,
) -> Result<Vec<(PathBuf, Array)>> {
    let is_npz = |p: &PathBuf| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz"));
    if let [path] = paths
        && is_npz(path)
    {
        let mut npz = Npz::read(path)?;
        return (0..count)
            .map(|i| npz.require(&format!("{prefix}{i}")).map(|a| (path.clone(), a)))
            .collect::<Result<_>>()
            .map_err(|e| e.in_file(path));
    }
    if paths.len() != count {
        return Err(Error::new(format!(
            "the method has {count} {what}{}, {} files were given",
            if count == 1 { "" } else { "s" },
            paths.len()
        ))
        .help(format!("give one {option} FILE for each: {}", host::describe(ports))));
    }
    paths
        .iter()
        .zip(ports)
        .map(|(path, port)| {
            let bytes = files::read(path)?;
            let is_npy = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
            let array = if is_npy || bytes.starts_with(b"\x93NUMPY") {
                npy::parse(&bytes)
            } else if is_npz(path) {
                Err(Error::new("an .npz archive stands for all arrays at once")
                    .help(format!("give it alone, or an .npy file for each {what}")))
            } else {
                raw(port, bytes)
            };
            array.map(|a| (path.clone(), a)).map_err(|e| e.in_file(path))
        })
        .collect()
}

/// Raw bytes as the elements of a port.
fn raw(port: &Port, bytes: Vec<u8>) -> Result<Array> {
    let dtype = host::npy_dtype(port.dtype);
    let given = bytes.len();
    Array::new(dtype, port.shape.clone(), bytes).map_err(|_| {
        let needed = port.shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d));
        Error::new(format!(
            "{given} raw bytes, where {dtype} {} has {}",
            Shape(&port.shape),
            needed.map_or("more".to_string(), |n| n.to_string())
        ))
        .help("give exactly the elements in C order, little endian; or an .npy file")
    })
}

/// The samples of a data set.
fn samples(path: &Path, ports: &[Port]) -> Result<Work> {
    let mut npz = Npz::read(path)?;
    let in_file = |e: Error| e.in_file(path);
    let mut columns: Vec<(String, Array)> = Vec::new();
    for (i, port) in ports.iter().enumerate() {
        let mut fitting = Vec::new();
        for name in npz.names().to_vec() {
            // Arrays that do not read as numbers are no samples.
            let Ok(header) = npz.header(&name) else { continue };
            if header.dtype == host::npy_dtype(port.dtype) && sample_shape(&header.shape, port).is_some() {
                fitting.push(name);
            }
        }
        let numbered = format!("in{i}");
        let name = match fitting.as_slice() {
            [one] if ports.len() == 1 => one.clone(),
            many => ["images", "inputs", "x", numbered.as_str()]
                .iter()
                .find(|name| (ports.len() == 1 || **name == numbered) && many.iter().any(|n| n == *name))
                .map(|name| (*name).to_string())
                .ok_or_else(|| {
                    let rest = port.shape.get(1..).unwrap_or_default();
                    Error::new(format!(
                        "no array of samples for input {i} in the data set: it needs {} [N{}]",
                        host::npy_dtype(port.dtype),
                        rest.iter().map(|d| format!(", {d}")).collect::<String>()
                    ))
                    .help(format!(
                        "name it {}; the file has: {}",
                        if ports.len() == 1 { "images".into() } else { numbered.clone() },
                        npz.names().join(", ")
                    ))
                })
                .map_err(in_file)?,
        };
        let array = npz.require(&name).map_err(in_file)?;
        columns.push((name, array));
    }
    let Some((name, first)) = columns.first() else {
        return Err(Error::new("the method has no inputs, so that a data set says nothing")
            .help("leave --dataset out"));
    };
    let count = first.shape().first().copied().unwrap_or(0);
    let dataset_array = name.clone();
    let (dtype, shape) = (first.dtype(), first.shape().to_vec());
    if count == 0 {
        return Err(in_file(
            Error::new("the data set has no samples").at(format!("array '{name}'")).help("give at least one"),
        ));
    }
    let labels = match npz.get("labels").map_err(in_file)? {
        None => None,
        Some(array) => {
            let labels: Option<Vec<i128>> = (0..array.len()).map(|i| array.integer(i)).collect();
            let labels = labels.filter(|l| l.len() == count).ok_or_else(|| {
                in_file(
                    Error::new(format!(
                        "labels are {} {}, where {count} integers are needed",
                        array.dtype(),
                        Shape(array.shape())
                    ))
                    .at("array 'labels'")
                    .help("give one integer per sample"),
                )
            })?;
            Some(labels)
        }
    };
    let mut runs: Vec<Vec<Array>> = (0..count).map(|_| Vec::with_capacity(ports.len())).collect();
    for ((name, array), port) in columns.iter().zip(ports) {
        let shape = sample_shape(array.shape(), port).unwrap_or_default();
        if array.shape().first() != Some(&count) {
            return Err(in_file(
                Error::new(format!(
                    "{} samples, the first input has {count}",
                    array.shape().first().unwrap_or(&0)
                ))
                .at(format!("array '{name}'"))
                .help("give as many of each input"),
            ));
        }
        let size = array.bytes().len() / count;
        for (run, bytes) in runs.iter_mut().zip(array.bytes().chunks(size.max(1))) {
            run.push(Array::new(array.dtype(), shape.clone(), bytes.to_vec())?);
        }
    }
    Ok(Work { runs, bundled: None, dataset: Some(Dataset { array: dataset_array, dtype, shape, labels }) })
}

/// The shape of one sample as the method takes it, if rows of this array are samples.
fn sample_shape(array: &[usize], port: &Port) -> Option<Vec<usize>> {
    let (_, row) = array.split_first()?;
    let batch_of_one = port.shape.split_first().is_some_and(|(&n, rest)| n == 1 && rest == row);
    (batch_of_one || port.shape == row).then(|| port.shape.clone())
}

/// The outputs of all runs as one array per output: `[1, …]` becomes `[N, …]`.
fn stack(results: &[Vec<Array>]) -> Result<Vec<Array>> {
    let Some(first) = results.first() else { return Ok(Vec::new()) };
    (0..first.len())
        .map(|i| {
            let shape = first[i].shape();
            let row = match shape.split_first() {
                Some((1, rest)) => rest,
                _ => shape,
            };
            let mut all = vec![results.len()];
            all.extend_from_slice(row);
            let data = results.iter().filter_map(|r| r.get(i)).flat_map(Array::bytes).copied().collect();
            Array::new(first[i].dtype(), all, data)
        })
        .collect()
}

/// The index of the largest element of each run's first output.
fn classify(results: &[Vec<Array>]) -> Vec<Option<i128>> {
    let largest = |array: &Array| {
        let numbers = array.numbers()?;
        let mut best: Option<(usize, f64)> = None;
        for (i, &v) in numbers.iter().enumerate() {
            if best.is_none_or(|(_, b)| v > b) {
                best = Some((i, v));
            }
        }
        best.map(|(i, _)| i as i128)
    };
    results.iter().map(|outputs| outputs.first().and_then(largest)).collect()
}

fn save(dir: &Path, results: &[Vec<Array>]) -> Result<()> {
    for (case, outputs) in results.iter().enumerate() {
        for (i, array) in outputs.iter().enumerate() {
            let name =
                if results.len() == 1 { format!("out{i}.npy") } else { format!("case{case}.out{i}.npy") };
            files::write(&dir.join(name), &npy::write(array))?;
        }
    }
    Ok(())
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all as f64
}

/// The first execution's steps.
fn steps_of(statistics: &Statistics) -> Vec<trace::Step> {
    let name = |index: usize| statistics.executed.get(index).map_or(String::new(), |e| e.name.clone());
    let steps = statistics.steps.iter();
    steps
        .map(|step| trace::Step {
            name: name(step.executed),
            host: step.time.as_secs_f64() * 1e6,
            profile: step.profile,
        })
        .collect()
}

/// The NPU's streams, then the operators of the CPU, whose time is that of this machine.
fn profile_text(
    profiler: &Profiler,
    statistics: &Statistics,
    names: &[String],
    layers: Option<&Layers>,
) -> String {
    let profiles = statistics.npu.profiles.list();
    let mut out = profiler.text(profiles, names, layers);
    if !profiler.tells() {
        return out;
    }
    let mut table = Table::new(&["step", "where", "us", ""]);
    let mut npu = 0.0;
    for (step, time) in steps_of(statistics).iter().zip(&statistics.steps) {
        let on_npu = step.profile.and_then(|index| profiles.get(index));
        let duration = on_npu.map(|profile| profiler.duration(profile).as_secs_f64() * 1e6);
        npu += duration.unwrap_or(0.0);
        table.row([
            step.name.clone(),
            place(statistics.executed.get(time.executed).and_then(|e| e.accelerator)),
            format!("{:.1}", duration.unwrap_or(step.host)),
            if duration.is_some() { "estimated" } else { "host time" }.into(),
        ]);
    }
    let _ = writeln!(out, "\n  first run, step by step:\n{}", table.render());
    let _ = writeln!(
        out,
        "NPU: {npu:.1} us in all, estimated; CPU operators are measured on this machine and say nothing about a board"
    );
    out
}

/// Everything that the report tells.
struct Seen<'a> {
    args: &'a Args,
    /// What `--profile` and `--trace` say.
    profile: &'a str,
    profile_json: Option<Json>,
    inputs: &'a [Port],
    results: &'a [Array],
    work: &'a Work,
    classes: Option<&'a [Option<i128>]>,
    accuracy: Option<(usize, usize)>,
    accurate: bool,
    comparisons: &'a [(String, Comparison, Array, Array)],
    statistics: &'a Statistics,
}

impl Seen<'_> {
    fn accelerator(&self) -> Option<Accelerator> {
        self.statistics.executed.iter().find_map(|e| e.accelerator)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let s = self.statistics;
        let _ = write!(out, "{}: method {}, ", self.args.model.display(), self.args.method);
        let _ = match self.accelerator() {
            Some(npu) => writeln!(out, "NPU parts on the simulated {npu}"),
            None => writeln!(out, "on the CPU alone"),
        };
        if let Some(dataset) = &self.work.dataset {
            let _ = writeln!(
                out,
                "{} samples: '{}' {} {}",
                self.work.runs.len(),
                dataset.array,
                dataset.dtype,
                Shape(&dataset.shape)
            );
            out.push('\n');
            out.push_str(&self.pictures());
        }
        out.push('\n');
        let mut outputs = Table::new(&["output", "dtype", "shape", "first values"]);
        for (i, array) in self.results.iter().enumerate() {
            outputs.row([
                format!("out{i}"),
                array.dtype().to_string(),
                Shape(array.shape()).to_string(),
                first_values(array, 6),
            ]);
        }
        if !outputs.is_empty() {
            out.push_str(&outputs.render());
            out.push('\n');
        }
        let mut operators = Table::new(&["executed", "where", "calls", "ms"]);
        for e in s.executed.iter().filter(|e| e.calls > 0) {
            operators.row([
                e.name.clone(),
                place(e.accelerator),
                e.calls.to_string(),
                format!("{:.3}", e.time.as_secs_f64() * 1e3),
            ]);
        }
        if !operators.is_empty() {
            out.push_str(&operators.render());
            out.push('\n');
        }
        let mut memory = Table::new(&["memory", "needed", "most in use"]);
        for (name, needed, peak) in self.pools() {
            memory.row([name.into(), bytes(needed), bytes(peak)]);
        }
        out.push_str(&memory.render());
        let _ = writeln!(
            out,
            "\ntime: {:.1} ms for {} run{}, {:.1} ms to load{}",
            s.run_time.as_secs_f64() * 1e3,
            s.runs,
            if s.runs == 1 { "" } else { "s" },
            s.load_time.as_secs_f64() * 1e3,
            if self.accelerator().is_some() { " (of this machine, not of the NPU)" } else { "" }
        );
        out.push_str(self.profile);
        if let Some((correct, all)) = self.accuracy {
            let _ = write!(out, "accuracy: {:.1} % ({correct} of {all})", percent(correct, all));
            if !self.accurate {
                let _ =
                    write!(out, ", NOT the {} % that are asked for", self.args.min_accuracy.unwrap_or(0.0));
            }
            out.push('\n');
        }
        for (i, (name, found, actual, expected)) in self.comparisons.iter().enumerate() {
            let _ = writeln!(out, "{}", verdict(i, name, found, actual, expected));
        }
        out
    }

    /// Pools: what is needed, and the most that was in use at once.
    fn pools(&self) -> [(&'static str, u64, u64); 4] {
        let u = &self.statistics.usage;
        let fast = self.statistics.npu.high_water[tombolo::stream::FAST_SCRATCH_REGION];
        [
            ("method arena (64-bit host)", u.method.needed as u64, u.method.peak as u64),
            ("planned buffers", u.planned.needed as u64, u.planned.peak as u64),
            ("temporary arena, NPU scratch", u.temp.needed as u64, u.temp.peak as u64),
            ("NPU fast scratch", self.statistics.fast_scratch as u64, fast as u64),
        ]
    }

    /// The first samples, and the first ones that were taken for something else.
    fn pictures(&self) -> String {
        let (Some(classes), Some(dataset)) = (self.classes, &self.work.dataset) else { return String::new() };
        let picture = |i: usize| {
            let class = classes.get(i).copied().flatten();
            let caption = match (class, dataset.labels.as_ref().and_then(|l| l.get(i))) {
                (Some(class), Some(label)) => format!("{class} (is {label})"),
                (Some(class), None) => class.to_string(),
                _ => String::new(),
            };
            image(self.work.runs.get(i)?.first()?, caption)
        };
        let mut out = String::new();
        let first: Vec<Picture> = (0..self.work.runs.len().min(self.args.show)).filter_map(picture).collect();
        out.push_str(&draw(&first));
        if let Some(labels) = &dataset.labels {
            let wrong: Vec<Picture> = (0..self.work.runs.len())
                .filter(|&i| classes.get(i).copied().flatten() != labels.get(i).copied())
                .take(self.args.show)
                .filter_map(picture)
                .collect();
            if !wrong.is_empty() {
                out.push_str("\n  taken for something else:\n");
                out.push_str(&draw(&wrong));
            }
        }
        out
    }

    fn json(&self, passed: bool) -> Json {
        let s = self.statistics;
        let outputs: Vec<Json> = self
            .results
            .iter()
            .enumerate()
            .map(|(i, array)| {
                let first: Vec<Option<f64>> = (0..array.len().min(16)).map(|k| array.number(k)).collect();
                json!({ "name": format!("out{i}"), "dtype": array.dtype().to_string(), "shape": array.shape(), "first": first })
            })
            .collect();
        let executed: Vec<Json> = s
            .executed
            .iter()
            .map(|e| {
                json!({ "name": e.name, "npu": e.accelerator.map(Accelerator::name), "calls": e.calls, "seconds": e.time.as_secs_f64() })
            })
            .collect();
        let comparisons: Vec<Json> =
            self.comparisons.iter().map(|(name, found, ..)| comparison_json(name, found)).collect();
        let pools: serde_json::Map<String, Json> = self
            .pools()
            .into_iter()
            .zip(["method_arena", "planned", "temp", "npu_fast_scratch"])
            .map(|((_, needed, peak), key)| {
                (key.to_string(), json!({ "needed": needed, "most_in_use": peak }))
            })
            .collect();
        json!({
            "model": self.args.model.display().to_string(),
            "method": self.args.method,
            "npu": self.accelerator().map(Accelerator::name),
            "inputs": self.inputs.iter().map(|p| json!({ "dtype": host::npy_dtype(p.dtype).to_string(), "shape": p.shape })).collect::<Vec<_>>(),
            "outputs": outputs,
            "executed": executed,
            "memory": pools,
            "runs": s.runs,
            "seconds": { "load": s.load_time.as_secs_f64(), "run": s.run_time.as_secs_f64() },
            "accuracy": self.accuracy.map(|(correct, all)| json!({ "correct": correct, "samples": all, "percent": percent(correct, all) })),
            "comparisons": comparisons,
            "passed": passed,
            "profile": self.profile_json,
        })
    }
}

pub(super) fn comparison_json(name: &str, found: &Comparison) -> Json {
    json!({
        "expected": name,
        "passed": found.passed(),
        "tolerance": found.tolerance.to_string(),
        "elements": found.elements,
        "unequal": found.unequal,
        "beyond": found.beyond,
        "first_beyond": found.first_beyond,
        "largest": found.largest,
        "largest_relative": found.largest_relative(),
        "largest_steps": found.largest_steps(),
        "step": found.step,
    })
}

fn place(accelerator: Option<Accelerator>) -> String {
    accelerator.map_or("CPU".to_string(), |npu| format!("{npu}, simulated"))
}

/// The first elements of an array as text.
pub(super) fn first_values(array: &Array, count: usize) -> String {
    let mut words: Vec<String> = (0..array.len().min(count))
        .map(|i| match (array.integer(i), array.number(i)) {
            (Some(v), _) => v.to_string(),
            (None, Some(v)) => number(v),
            (None, None) => "?".to_string(),
        })
        .collect();
    if array.len() > count {
        words.push("…".to_string());
    }
    words.join(" ")
}

/// A number with six significant digits.
fn number(v: f64) -> String {
    let magnitude = v.abs();
    if v == 0.0 || (1e-3..1e6).contains(&magnitude) {
        let digits = if magnitude >= 1.0 { 5usize.saturating_sub(magnitude.log10() as usize) } else { 6 };
        let text = format!("{v:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    } else {
        format!("{v:.5e}")
    }
}

fn verdict(i: usize, name: &str, found: &Comparison, actual: &Array, expected: &Array) -> String {
    let mut text = format!("out{i} against {name}: ");
    if found.unequal == 0 {
        let _ = write!(text, "all {} elements equal", found.elements);
        return text;
    }
    let mut deviation = number(found.largest);
    if let Some(steps) = found.largest_steps() {
        let _ = write!(deviation, ", {steps:.2} steps of {}", number(found.step.unwrap_or(0.0)));
    } else if found.magnitude > 0.0 {
        let _ = write!(
            deviation,
            " = {:.1e} of the largest magnitude {}",
            found.largest_relative(),
            number(found.magnitude)
        );
    }
    match found.first_beyond {
        None => {
            let _ = write!(
                text,
                "within the tolerance ({}); {} of {} elements differ, by at most {deviation}",
                found.tolerance, found.unequal, found.elements
            );
        }
        Some(first) => {
            let value = |array: &Array| first_at(array, first);
            let _ = write!(
                text,
                "NOT as expected: {} of {} elements are beyond the tolerance ({}), the first at {}: {} instead of {}; the largest deviation is {deviation}",
                found.beyond,
                found.elements,
                found.tolerance,
                index_text(first, actual.shape()),
                value(actual),
                value(expected),
            );
        }
    }
    text
}

fn first_at(array: &Array, i: usize) -> String {
    match (array.integer(i), array.number(i)) {
        (Some(v), _) => v.to_string(),
        (None, Some(v)) => number(v),
        (None, None) => "?".to_string(),
    }
}

/// A sample as a picture, if it looks like one: grey or colour, at most 64 pixels wide and high.
fn image(array: &Array, caption: String) -> Option<Picture> {
    let mut shape = array.shape();
    while let [1, rest @ ..] = shape
        && rest.len() >= 2
    {
        shape = rest;
    }
    let (channels, height, width) = match *shape {
        [h, w] => (1, h, w),
        [3, h, w] => (3, h, w),
        _ => return None,
    };
    if !(2..=64).contains(&width) || !(2..=64).contains(&height) {
        return None;
    }
    let numbers = array.numbers()?;
    let pixels = (0..height * width)
        .map(|p| (0..channels).map(|c| numbers[c * height * width + p]).sum::<f64>() / channels as f64)
        .collect();
    Some(Picture { width, pixels, caption })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (v, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (123456.0, "123456"),
            (0.0937, "0.0937"),
            (1e-9, "1.00000e-9"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(v), text);
        }
    }

    #[test]
    fn images_are_recognised() {
        let array = |shape: &[usize]| {
            let n: usize = shape.iter().product();
            Array::new(Dtype::Float32, shape.to_vec(), vec![0; 4 * n]).unwrap()
        };
        assert_eq!(image(&array(&[1, 1, 8, 8]), String::new()).unwrap().width, 8);
        assert_eq!(image(&array(&[3, 4, 6]), String::new()).unwrap().width, 6);
        for shape in [&[1, 10][..], &[1, 8, 8, 8], &[100, 100], &[8]] {
            assert!(image(&array(shape), String::new()).is_none(), "{shape:?}");
        }
    }
}
