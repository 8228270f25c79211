//! The command line: arguments in, a report and an exit status out.
//!
//! Exit status: 0 done and as expected, 1 done but the result is not as expected, 2 bad use or bad
//! input. Messages go to the standard error as `error: FILE: what is wrong (place)` and
//! `help: remedy`; reports go to the standard output, as text or with `--json` as one JSON object.

mod disasm;
mod draw;
mod inspect;
mod layers;
mod npu;
mod profile;
mod progress;
mod run;
mod table;
mod targets;
mod trace;

use clap::{Parser, Subcommand};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use tombolo::error::{Error, Result};

/// PyTorch programs on Arm Ethos-U NPUs.
#[derive(Parser)]
#[command(name = "tombolo", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit status: 0 as expected, 1 the result is not as expected, 2 bad use or bad input.\n\
                  Each command's --help shows an example."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print the report as one JSON object
    #[arg(long, global = true)]
    json: bool,
}

// What each command does is said where its arguments are.
#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    /// Work with bare NPU command streams
    #[command(subcommand)]
    Npu(npu::Command),
    Inspect(inspect::Args),
    Disasm(disasm::Args),
    Targets(targets::Args),
}

/// What a command has to say.
pub(crate) struct Report {
    /// For people. Ends with a line feed.
    pub(crate) text: String,
    /// For machines.
    pub(crate) json: Value,
    /// Whether the result is as expected.
    pub(crate) passed: bool,
}

/// How a command was asked to behave.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// The report is for a machine.
    pub(crate) json: bool,
}

pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors, and clap knows which stream each goes to.
            let status = error.exit_code();
            let _ = error.print();
            return ExitCode::from(u8::try_from(status).unwrap_or(2));
        }
    };
    let context = Context { json: cli.json };
    let result = match &cli.command {
        Command::Run(args) => run::run(args, context),
        Command::Npu(command) => npu::run(command, context),
        Command::Inspect(args) => inspect::run(args),
        Command::Disasm(args) => disasm::run(args),
        Command::Targets(args) => targets::run(args),
    };
    let printed = result.and_then(|report| {
        if context.json {
            print(&format!("{:#}\n", report.json))?;
        } else {
            print(&report.text)?;
        }
        Ok(report.passed)
    });
    match printed {
        Ok(passed) => ExitCode::from(u8::from(!passed)),
        Err(error) => {
            complain(&error, context);
            ExitCode::from(2)
        }
    }
}

/// Prints to the standard output. A reader that has gone away (`| head`) is no error.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", "write", &error))
        }
        _ => Ok(()),
    }
}

fn complain(error: &Error, context: Context) {
    // The message is the last thing that is tried: nothing is left to do if nobody reads it.
    let _ = writeln!(std::io::stderr(), "{error}");
    if context.json {
        let value = json!({ "error": {
            "file": error.file, "what": error.what, "place": error.place, "help": error.help,
        }});
        let _ = writeln!(std::io::stdout(), "{value:#}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    /// Every command's help shows how it is used.
    #[test]
    fn every_help_has_an_example() {
        fn check(command: &clap::Command) {
            if command.has_subcommands() {
                command.get_subcommands().filter(|c| c.get_name() != "help").for_each(check);
            } else {
                let help = command.clone().render_long_help().to_string();
                assert!(help.contains("Example"), "{}: {help}", command.get_name());
                assert!(help.contains("tombolo "), "{}: {help}", command.get_name());
            }
        }
        check(&Cli::command());
    }
}
