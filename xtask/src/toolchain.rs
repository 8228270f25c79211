//! A compiler for bare-metal Arm: the one that is active where it has the target, else Debian's.

use crate::Result;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Cortex-M33 with its single-precision floating-point unit.
pub(crate) const TARGET: &str = "thumbv8m.main-none-eabihf";

/// How to build for [`TARGET`].
pub(crate) enum Toolchain {
    /// The active toolchain has `core` for the target.
    Active,
    /// Debian's compiler builds `core` itself, from its source package.
    Debian {
        /// Debian ships no linker for the target; each rustup toolchain does.
        linker: PathBuf,
    },
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Toolchain::Active => "the active toolchain",
            Toolchain::Debian { .. } => "Debian's rustc, which builds core from source",
        })
    }
}

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";

impl Toolchain {
    /// Finds one.
    pub(crate) fn detect() -> Result<Toolchain> {
        let active = sysroot(Path::new("rustc"));
        if active.as_ref().is_some_and(|root| root.join("lib/rustlib").join(TARGET).is_dir()) {
            return Ok(Toolchain::Active);
        }
        let remedy = format!(
            "either `rustup target add {TARGET}`, or on Debian `apt-get install rustc-web rust-web-src cargo-web`"
        );
        let debian = sysroot(Path::new(DEBIAN_RUSTC));
        let source = debian.as_ref().map(|root| root.join("lib/rustlib/src/rust/library/core/src/lib.rs"));
        if !source.is_some_and(|path| path.is_file()) || !Path::new(DEBIAN_CARGO).is_file() {
            return Err(format!("no Rust compiler here builds for {TARGET}: {remedy}"));
        }
        let linker = active.as_deref().and_then(lld).or_else(any_lld).ok_or_else(|| {
            format!(
                "Debian's compiler is here but no linker for {TARGET}: rust-lld of a rustup toolchain is looked for \
                 in lib/rustlib/*/bin, and ld.lld on the path. Install a toolchain with rustup, or `apt-get install lld`"
            )
        })?;
        Ok(Toolchain::Debian { linker })
    }

    /// `cargo COMMAND` in `folder`, set up for the target; its options come next.
    pub(crate) fn cargo_with(&self, command: &str, folder: &Path) -> Command {
        let mut cargo;
        match self {
            Toolchain::Active => {
                cargo = Command::new("cargo");
                cargo.arg(command);
            }
            Toolchain::Debian { linker } => {
                cargo = Command::new(DEBIAN_CARGO);
                cargo.args([command, "-Zbuild-std=core"]);
                cargo.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
                cargo.env("CARGO_TARGET_THUMBV8M_MAIN_NONE_EABIHF_LINKER", linker);
                // `cargo clippy` looks for its driver beside itself, and cargo for subcommands on the path.
                let path = std::env::var_os("PATH").unwrap_or_default();
                let folders = std::iter::once(PathBuf::from("/usr/bin")).chain(std::env::split_paths(&path));
                if let Ok(path) = std::env::join_paths(folders) {
                    cargo.env("PATH", path);
                }
                // What the cargo that started this chore says of its own toolchain is not of this one.
                for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTDOC", "LD_LIBRARY_PATH"] {
                    cargo.env_remove(name);
                }
            }
        }
        cargo.current_dir(folder);
        cargo.env("CARGO_BUILD_TARGET", TARGET).env("CARGO_TARGET_DIR", target_dir(&crate::root()));
        cargo
    }

    /// How to get clippy for this toolchain.
    pub(crate) fn clippy_remedy(&self) -> &'static str {
        match self {
            Toolchain::Active => "`rustup component add clippy`",
            Toolchain::Debian { .. } => "`apt-get install rust-web-clippy`",
        }
    }
}

/// Where builds for devices go: apart from the host's, since another compiler may make them.
pub(crate) fn target_dir(root: &Path) -> PathBuf {
    let host = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
    host.join("device")
}

/// Runs a command; an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("{name} cannot be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{name} failed with {status}: see its messages above"))
    }
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    let output = Command::new(rustc).args(["--print", "sysroot"]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| PathBuf::from(text.trim()))
}

/// `rust-lld` of the toolchain at `sysroot`.
fn lld(sysroot: &Path) -> Option<PathBuf> {
    let hosts = std::fs::read_dir(sysroot.join("lib/rustlib")).ok()?;
    hosts.flatten().map(|host| host.path().join("bin/rust-lld")).find(|path| path.is_file())
}

/// `rust-lld` of any rustup toolchain, or `ld.lld` on the path.
fn any_lld() -> Option<PathBuf> {
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".rustup")))?;
    let toolchains = std::fs::read_dir(home.join("toolchains")).into_iter().flatten().flatten();
    let bundled = toolchains.filter_map(|toolchain| lld(&toolchain.path())).next();
    bundled.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("ld.lld")).find(|file| file.is_file())
    })
}
