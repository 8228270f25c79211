//! `tombolo disasm`.

use super::Report;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use tombolo::error::{Error, Result};
use tombolo::{container, program, stream};
use tombolo_ethosu::disasm::disassemble;

/// Print an NPU command stream as text, with addresses resolved.
///
/// FILE is a program (each of its delegates), Vela's `_vela.npz`, a delegate's blob, or a driver payload.
/// Each line has the position in the stream, the words, and the command; an address is written as
/// REGION:OFFSET.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tombolo disasm fixtures/corpus/add/u65-256.0.vela.npz")]
pub(crate) struct Args {
    /// The file
    file: PathBuf,
    /// Read the stream as one for this NPU, instead of the one that it names
    #[arg(long, value_name = "NPU")]
    target: Option<String>,
    /// A .ptd file with NPU blocks that the program keeps outside
    #[arg(long, value_name = "FILE.ptd")]
    data: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Report> {
    let target = args.target.as_deref().map(program::target).transpose()?;
    let mut text = String::new();
    let mut list = Vec::new();
    for found in container::streams(&args.file, &args.data)? {
        let in_file = |e: Error| {
            let e = e.in_file(&args.file);
            if found.label.is_empty() { e } else { e.at(found.label.clone()) }
        };
        let payload = stream::parse_payload(&found.payload).map_err(in_file)?;
        let npu = match target {
            Some(npu) => npu,
            None => stream::accelerator_of(&payload).map_err(in_file)?,
        };
        let colon = if found.label.is_empty() { "" } else { ": " };
        let _ = writeln!(
            text,
            "; {}{colon}{npu}, config {:#010x}, id {:#010x}, {} bytes",
            found.label,
            payload.config,
            payload.id,
            payload.stream.len()
        );
        let mut commands = Vec::new();
        for item in disassemble(npu.generation(), payload.stream) {
            let line = item.map_err(|e| in_file(stream::decode_error(&e)))?;
            let _ = writeln!(text, "{line}");
            let (words, count) = line.words();
            commands.push(json!({
                "position": line.position,
                "words": words.get(..count).unwrap_or_default(),
                "name": line.command.opcode.name(),
                "text": line.to_string(),
            }));
        }
        list.push(json!({
            "label": found.label,
            "npu": npu.name(),
            "config": payload.config,
            "id": payload.id,
            "stream_bytes": payload.stream.len(),
            "commands": commands,
        }));
    }
    Ok(Report {
        text,
        json: json!({ "file": args.file.display().to_string(), "streams": list }),
        passed: true,
    })
}
