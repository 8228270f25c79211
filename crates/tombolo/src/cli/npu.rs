//! `tombolo npu`.

use super::profile::ProfileArgs;
use super::run::first_values;
use super::table::{Table, bytes};
use super::{Context, Report, trace};
use clap::Subcommand;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tombolo::compare::index_text;
use tombolo::container::{self, Found};
use tombolo::error::{Error, Result};
use tombolo::npu::{SimNpu, Watched, run_stream_on};
use tombolo::npy::{self, Array, Dtype};
use tombolo::npz::Npz;
use tombolo::stream::{Io, NpuProgram};
use tombolo::{files, program};

#[derive(Subcommand)]
pub(crate) enum Command {
    Run(Args),
}

/// Run a bare command stream on the simulator, through the driver: raw integers in and out.
///
/// STREAM is Vela's `_vela.npz`, a program with one NPU delegate, or a delegate's blob. Every byte of an
/// expected output must agree.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
        tombolo npu run fixtures/corpus/dscnn/u65-256.0.vela.npz --target ethos-u65-256 \\\n    \
            --golden fixtures/corpus/dscnn/u65-256.golden.npz")]
pub(crate) struct Args {
    /// The command stream
    stream: PathBuf,
    /// The NPU to simulate, instead of the one that the stream was compiled for
    #[arg(long, value_name = "NPU")]
    target: Option<String>,
    /// Inputs in0, in1, … and expected outputs out0, out1, … in one .npz
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["input", "expect"])]
    golden: Option<PathBuf>,
    /// An input: .npy, or raw bytes (any other suffix); repeat it for more inputs
    #[arg(long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// An expected output: .npy, or raw bytes (any other suffix); repeat it for more outputs
    #[arg(long, value_name = "FILE")]
    expect: Vec<PathBuf>,
    /// Write the outputs there as out0.npy, out1.npy, …
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// A .ptd file with NPU blocks that the program keeps outside
    #[arg(long, value_name = "FILE.ptd")]
    data: Vec<PathBuf>,
    /// Which of a program's NPU delegates, counted from 0
    #[arg(long, value_name = "N")]
    delegate: Option<usize>,
    /// What to check beside the results, and leave with status 1 if it is not right: hazards (waits and
    /// block dependencies that do not protect), poison (reads of bytes that nobody has written)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    check: Vec<Check>,
    #[command(flatten)]
    profile: ProfileArgs,
}

/// What `--check` checks.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Check {
    Hazards,
    Poison,
}

/// What the simulator is to look for.
fn watched(checks: &[Check], stream: &NpuProgram) -> Option<Watched> {
    let span = |io: &Io| (io.region, io.offset..io.offset + io.bytes());
    let poison = checks.contains(&Check::Poison);
    // Weights, inputs, and what the stream keeps between runs.
    let kept = stream.regions.iter().enumerate().filter_map(|(index, plan)| {
        let plan = plan.as_ref()?;
        let whole = index == stream.weight_region || plan.role == "persistent";
        whole.then_some((index, 0..plan.size))
    });
    (!checks.is_empty()).then(|| Watched {
        hazards: checks.contains(&Check::Hazards),
        defined: poison.then(|| kept.chain(stream.inputs.iter().map(span)).collect()),
        outputs: if poison { stream.outputs.iter().map(span).collect() } else { Vec::new() },
    })
}

pub(crate) fn run(command: &Command, _: Context) -> Result<Report> {
    let Command::Run(args) = command;
    run_one(args)
}

fn run_one(args: &Args) -> Result<Report> {
    args.profile.check()?;
    let target = args.target.as_deref().map(program::target).transpose()?;
    let found = choose(args)?;
    let in_stream = |e: Error| e.in_file(&args.stream);
    let Some(stream) = &found.program else {
        return Err(in_stream(
            Error::new("a driver payload alone has no weights and no table of inputs and outputs")
                .help("give the _vela.npz, the program or the delegate's blob that it came in"),
        ));
    };
    let compiled_for = stream.accelerator().map_err(in_stream)?;
    let npu = target.unwrap_or(compiled_for);
    let profiler = args.profile.profiler(npu)?;
    let layers = match &profiler {
        Some(profiler) => profiler.layers(&args.stream)?,
        None => None,
    };

    let (inputs, expected) = match &args.golden {
        Some(path) => {
            let mut npz = Npz::read(path)?;
            let mut read = |prefix: &str, list: &[Io]| -> Result<Vec<(String, Array)>> {
                list.iter()
                    .enumerate()
                    .map(|(i, io)| {
                        let name = format!("{prefix}{i}");
                        let array = npz.require(&name)?;
                        NpuProgram::check_array(io, &array, &name)?;
                        Ok((name, array))
                    })
                    .collect::<Result<_>>()
                    .map_err(|e| e.in_file(path))
            };
            (read("in", &stream.inputs)?, read("out", &stream.outputs)?)
        }
        None => (
            read_files(&args.input, &stream.inputs, "input", "--input")?,
            if args.expect.is_empty() {
                Vec::new()
            } else {
                read_files(&args.expect, &stream.outputs, "output", "--expect")?
            },
        ),
    };
    let input_bytes: Vec<&[u8]> = inputs.iter().map(|(_, array)| array.bytes()).collect();
    let device = SimNpu::new(npu)
        .with_system(profiler.as_ref().map(|profiler| profiler.system))
        .with_checks(watched(&args.check, stream));
    let result = run_stream_on(device, stream, &input_bytes).map_err(in_stream)?;
    let profiles = result.observed.profiles.list();

    let mut outputs = Vec::new();
    for (i, (bytes, io)) in result.outputs.into_iter().zip(&stream.outputs).enumerate() {
        // The expectation knows the type and the shape that the integers have at the delegate's border.
        let (dtype, shape) = match expected.get(i) {
            Some((_, array)) => (array.dtype(), array.shape().to_vec()),
            None => (integer_of(io.elem_size), io.shape.clone()),
        };
        outputs.push(Array::new(dtype, shape, bytes)?);
    }
    if let Some(dir) = &args.output_dir {
        for (i, array) in outputs.iter().enumerate() {
            files::write(&dir.join(format!("out{i}.npy")), &npy::write(array))?;
        }
    }

    let place = if found.label.is_empty() { String::new() } else { format!(" ({})", found.label) };
    let mut text = format!(
        "{}{place}: compiled for {compiled_for}, run on the simulated {npu}\n\n",
        args.stream.display()
    );
    let mut table = Table::new(&["", "dtype", "shape", "region:offset", "first values"]);
    let listed = |table: &mut Table, name: String, array: &Array, io: &Io| {
        table.row([
            name,
            array.dtype().to_string(),
            npy::Shape(array.shape()).to_string(),
            format!("{}:{:#x}", io.region, io.offset),
            first_values(array, 8),
        ]);
    };
    for (i, ((_, array), io)) in inputs.iter().zip(&stream.inputs).enumerate() {
        listed(&mut table, format!("in{i}"), array, io);
    }
    for (i, (array, io)) in outputs.iter().zip(&stream.outputs).enumerate() {
        listed(&mut table, format!("out{i}"), array, io);
    }
    text.push_str(&table.render());
    let mut memory = Table::new(&["region", "role", "bytes", "accessed up to"]);
    let mut regions = Vec::new();
    for (i, plan) in stream.regions.iter().enumerate() {
        let Some(plan) = plan else { continue };
        let accessed = result.observed.high_water[i];
        memory.row([i.to_string(), plan.role.into(), bytes(plan.size as u64), bytes(accessed as u64)]);
        regions.push(json!({ "region": i, "role": plan.role, "bytes": plan.size, "stated": plan.stated, "accessed": accessed }));
    }
    let _ = write!(text, "\n{}", memory.render());
    let _ = writeln!(text, "\ntime: {:.1} ms to simulate", result.elapsed.as_secs_f64() * 1e3);
    let names = ["stream".to_string()];
    let mut profile = None;
    if let Some(profiler) = &profiler {
        let step = trace::Step { name: "stream".into(), host: 0.0, profile: Some(0) };
        profiler.write_trace(profiles, &[step])?;
        text.push_str(&profiler.text(profiles, &names, layers.as_ref()));
        text.push('\n');
        profile = Some(profiler.json(profiles, &names, layers.as_ref()));
    }

    let mut passed = result.observed.findings.is_empty();
    if !args.check.is_empty() {
        for finding in &result.observed.findings {
            let _ = writeln!(text, "check: NOT as expected: {finding}");
        }
        if passed {
            text.push_str("check: nothing found\n");
        }
    }
    let mut comparisons = Vec::new();
    for (i, ((name, expected), actual)) in expected.iter().zip(&outputs).enumerate() {
        let size = expected.dtype().size().max(1);
        let differ: Vec<usize> = actual
            .bytes()
            .chunks(size)
            .zip(expected.bytes().chunks(size))
            .enumerate()
            .filter(|(_, (a, e))| a != e)
            .map(|(k, _)| k)
            .collect();
        let _ = match differ.first() {
            None => {
                writeln!(text, "out{i} against {name}: all {} elements equal, byte for byte", expected.len())
            }
            Some(&first) => writeln!(
                text,
                "out{i} against {name}: NOT as expected: {} of {} elements differ, the first at {}: {} instead of {}",
                differ.len(),
                expected.len(),
                index_text(first, expected.shape()),
                actual.integer(first).unwrap_or_default(),
                expected.integer(first).unwrap_or_default(),
            ),
        };
        passed &= differ.is_empty();
        comparisons.push(json!({
            "expected": name,
            "passed": differ.is_empty(),
            "elements": expected.len(),
            "different": differ.len(),
            "first_different": differ.first(),
        }));
    }
    let described = |arrays: &[Array]| -> Vec<_> {
        arrays
            .iter()
            .map(|a| json!({ "dtype": a.dtype().to_string(), "shape": a.shape(), "first": (0..a.len().min(16)).map(|k| a.number(k)).collect::<Vec<_>>() }))
            .collect()
    };
    let json = json!({
        "stream": args.stream.display().to_string(),
        "label": found.label,
        "compiled_for": compiled_for.name(),
        "npu": npu.name(),
        "inputs": described(&inputs.into_iter().map(|(_, a)| a).collect::<Vec<_>>()),
        "outputs": described(&outputs),
        "regions": regions,
        "seconds": result.elapsed.as_secs_f64(),
        "profile": profile,
        "findings": (!args.check.is_empty()).then_some(&result.observed.findings),
        "comparisons": comparisons,
        "passed": passed,
    });
    Ok(Report { text, json, passed })
}

/// The one stream that is meant.
fn choose(args: &Args) -> Result<Found> {
    let mut found = container::streams(&args.stream, &args.data)?;
    let count = found.len();
    match args.delegate {
        None if count == 1 => Ok(found.remove(0)),
        Some(n) if n < count => Ok(found.remove(n)),
        asked => Err(Error::new(match asked {
            Some(n) => format!("there is no NPU delegate {n}, the file has {count}"),
            None => format!("the file has {count} NPU delegates"),
        })
        .in_file(&args.stream)
        .help(format!("choose one with --delegate 0 to {}", count - 1))),
    }
}

fn integer_of(size: usize) -> Dtype {
    match size {
        1 => Dtype::Int8,
        2 => Dtype::Int16,
        4 => Dtype::Int32,
        8 => Dtype::Int64,
        n => Dtype::Void(n),
    }
}

/// One array per input or output, each from a file of its own.
fn read_files(paths: &[PathBuf], list: &[Io], what: &str, option: &str) -> Result<Vec<(String, Array)>> {
    if paths.len() != list.len() {
        return Err(Error::new(format!(
            "the stream has {} {what}s, {} files were given",
            list.len(),
            paths.len()
        ))
        .help(format!("give one {option} FILE for each, or all in one archive with --golden")));
    }
    paths
        .iter()
        .zip(list)
        .map(|(path, io)| {
            let array = read_file(path, io).map_err(|e| e.in_file(path))?;
            Ok((path.display().to_string(), array))
        })
        .collect()
}

fn read_file(path: &Path, io: &Io) -> Result<Array> {
    let bytes = files::read(path)?;
    let is_npy = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"));
    if is_npy || bytes.starts_with(b"\x93NUMPY") {
        let array = npy::parse(&bytes)?;
        NpuProgram::check_array(io, &array, "the array")?;
        return Ok(array);
    }
    let given = bytes.len();
    Array::new(integer_of(io.elem_size), io.shape.clone(), bytes).map_err(|_| {
        Error::new(format!("{given} raw bytes, where the stream has {}", io.bytes()))
            .help("give exactly the elements, or an .npy file")
    })
}
