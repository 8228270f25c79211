//! Chores of this workspace that cargo alone does not do: builds for devices, checks of firmware
//! images, runs in QEMU. `cargo xtask help` lists them.

mod image;
mod npy;
mod qemu;
mod toolchain;

use image::Image;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use toolchain::Toolchain;

/// What went wrong, with the remedy.
type Result<T, E = String> = std::result::Result<T, E>;

const HELP: &str = "\
Chores of the Tombolo workspace.

Usage: cargo xtask COMMAND

  device-lint    clippy, warnings as errors, on the firmware for a Cortex-M33
  device-check   builds the device crates (pte, ethosu, runtime, kernels, driver) for a Cortex-M33
  firmware       builds the images of firmware/, prints their sizes, and refuses one that holds panic
                 code or exceeds its limit; --functions lists the largest functions too
  qemu           builds as above, runs the images in QEMU, and compares what they print, bit by bit,
                 with what torch computed
  device         all four, as CI does
  help           this text

Example: cargo xtask qemu
";

/// The crates that must build without an operating system.
const DEVICE_CRATES: [&str; 5] =
    ["tombolo-pte", "tombolo-ethosu", "tombolo-runtime", "tombolo-kernels", "tombolo-driver"];

/// Text and read-only data of the runner at most, program and test inputs not counted (bytes).
const CODE_LIMIT: u64 = 16 * 1024;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["device-lint"] => device_lint(),
        ["device-check"] => device_check(),
        ["firmware"] => firmware(false).map(drop),
        ["firmware", "--functions"] => firmware(true).map(drop),
        ["qemu"] => firmware(false).and_then(|images| run(&images)),
        ["device"] => device_lint()
            .and_then(|()| device_check())
            .and_then(|()| firmware(false))
            .and_then(|images| run(&images)),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => {
            eprint!("error: no such chore: '{}'\n\n{HELP}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

fn device_lint() -> Result<()> {
    let toolchain = Toolchain::detect()?;
    let start = Instant::now();
    let mut cargo = toolchain.cargo_with("clippy", &root().join("firmware"));
    cargo.args(["--release", "--locked", "--", "-D", "warnings"]);
    toolchain::run(&mut cargo)
        .map_err(|error| format!("{error} (if clippy itself is missing: {})", toolchain.clippy_remedy()))?;
    println!("device-lint: no warning with {toolchain} ({:.1} s)", start.elapsed().as_secs_f32());
    Ok(())
}

fn device_check() -> Result<()> {
    let toolchain = Toolchain::detect()?;
    let start = Instant::now();
    let mut cargo = toolchain.cargo_with("build", &root());
    cargo.args(["--release", "--locked"]);
    for name in DEVICE_CRATES {
        cargo.args(["--package", name]);
    }
    toolchain::run(&mut cargo)?;
    println!(
        "device-check: {} build for {} with {toolchain} ({:.1} s)",
        DEVICE_CRATES.join(", "),
        toolchain::TARGET,
        start.elapsed().as_secs_f32()
    );
    Ok(())
}

/// The images that `firmware` builds.
struct Images {
    runner: PathBuf,
    missing_kernel: PathBuf,
    everything: PathBuf,
}

fn firmware(functions: bool) -> Result<Images> {
    let toolchain = Toolchain::detect()?;
    let start = Instant::now();
    let mut cargo = toolchain.cargo_with("build", &root().join("firmware"));
    cargo.args(["--release", "--locked"]);
    toolchain::run(&mut cargo)?;
    println!("firmware: built with {toolchain} ({:.1} s)", start.elapsed().as_secs_f32());

    let folder = toolchain::target_dir(&root()).join(toolchain::TARGET).join("release");
    let images = Images {
        runner: folder.join("runner"),
        missing_kernel: folder.join("missing-kernel"),
        everything: folder.join("everything"),
    };
    for path in [&images.runner, &images.missing_kernel, &images.everything] {
        let image = Image::read(path)?;
        println!("\n{}", path.display());
        print!("{}", image.size_table());
        if functions {
            print!("{}", image.largest_functions(30));
        }
        image.check_no_panic()?;
        let code = image.code_bytes();
        println!("  {:<10} {:>10} {code:>10}  (text and read-only data)", "code", "");
        println!("no panic code, no formatting code");
        // The others carry what explains a refusal, and all there is.
        if path == &images.runner && code > CODE_LIMIT {
            return Err(format!(
                "{}: text and read-only data are {code} bytes, the limit is {CODE_LIMIT}: see what grew with \
                 `cargo xtask firmware --functions`",
                path.display()
            ));
        }
    }
    println!();
    Ok(images)
}

fn run(images: &Images) -> Result<()> {
    let limit = Duration::from_secs(60);
    let fixture = root().join("fixtures/corpus/add/float_out.npy");
    let expected = npy::read_floats(&fixture)?;
    for image in [&images.runner, &images.everything] {
        let run = qemu::run(image, limit)?;
        let place = image.display();
        if run.status != 0 {
            return Err(format!("{place} ended with status {}; it printed:\n{}", run.status, run.text));
        }
        println!("{place}");
        for line in run.text.lines().filter(|line| !line.starts_with("out ")) {
            println!("  {line}");
        }
        let equal = qemu::compare(&run.text, &expected).map_err(|error| format!("{place}: {error}"))?;
        println!("qemu: {equal} numbers, every bit as torch computed them ({:.2} s)", run.seconds);
    }

    let run = qemu::run(&images.missing_kernel, limit)?;
    println!("{}", images.missing_kernel.display());
    // Operator and overload, and the element types of the call: two inputs, the output, the output again as
    // the return value.
    let wanted = "missing aten::add.out float32 float32 float32 float32";
    if run.status != 2 || !run.text.lines().any(|line| line == wanted) {
        return Err(format!(
            "the image without kernels must end with status 2 and print '{wanted}'; it ended with status {} and printed:\n{}",
            run.status, run.text
        ));
    }
    for line in run.text.lines() {
        println!("  {line}");
    }
    println!("qemu: the image without kernels names what is missing and fails ({:.2} s)", run.seconds);
    Ok(())
}
