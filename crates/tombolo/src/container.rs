//! What kind of file it is, and the NPU streams that it holds.

use crate::aligned::AlignedBytes;
use crate::error::{Error, Result};
use crate::files;
use crate::host::{self, ETHOS_U, Model};
use crate::npz::Npz;
use crate::stream::{self, NpuProgram};
use std::path::{Path, PathBuf};
use tombolo_pte::bundled::Bundle;

/// Kinds of files, told by their first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// ExecuTorch program.
    Program,
    /// ExecuTorch program with test cases.
    Bundle,
    /// Named data.
    Data,
    /// NumPy array.
    Npy,
    /// NumPy archive; Vela's raw output is one.
    Npz,
    /// Blob of an `EthosUBackend` delegate.
    Blob,
    /// Driver payload alone.
    Payload,
}

impl Kind {
    /// The kind of a file with these first bytes.
    pub fn of(bytes: &[u8]) -> Option<Kind> {
        let id = bytes.get(4..8).unwrap_or_default();
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            Some(Kind::Npz)
        } else if bytes.starts_with(b"\x93NUMPY") {
            Some(Kind::Npy)
        } else if bytes.starts_with(b"vela_bin_stream") {
            Some(Kind::Blob)
        } else if bytes.starts_with(b"COP1") || bytes.starts_with(b"COP2") {
            Some(Kind::Payload)
        } else if Bundle::is(bytes) {
            Some(Kind::Bundle)
        } else if id == b"FT01" {
            Some(Kind::Data)
        } else if id.starts_with(b"ET") {
            Some(Kind::Program)
        } else {
            None
        }
    }

    /// The kind of a file, by its first bytes, or by its name where they say nothing: then its reader
    /// says what is wrong with them.
    ///
    /// # Errors
    /// Neither says.
    pub fn of_file(path: &Path, bytes: &[u8]) -> Result<Kind> {
        let by_name = || match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "pte" => Some(Kind::Program),
            "bpte" => Some(Kind::Bundle),
            "ptd" => Some(Kind::Data),
            "npy" => Some(Kind::Npy),
            "npz" => Some(Kind::Npz),
            _ => None,
        };
        Kind::of(bytes).or_else(by_name).ok_or_else(|| {
            Error::new("not a kind of file that is known")
                .in_file(path)
                .at("offset 0")
                .help("give a .pte, .bpte, .ptd, .npy or .npz file, a delegate's blob or a driver payload")
        })
    }
}

/// An NPU stream found in a file.
pub struct Found {
    /// Where in the file: `method forward, delegate 0`; empty if the file is the stream.
    pub label: String,
    /// The driver payload.
    pub payload: AlignedBytes,
    /// All that is needed to run it, unless the file is a payload alone.
    pub program: Option<NpuProgram>,
}

impl Found {
    fn new(label: String, program: NpuProgram) -> Found {
        Found { label, payload: program.payload.clone(), program: Some(program) }
    }
}

/// All NPU streams in a file, in its order. `data` are the `.ptd` files that a program needs.
///
/// # Errors
/// The file does not read, or holds no stream.
pub fn streams(path: &Path, data: &[PathBuf]) -> Result<Vec<Found>> {
    let bytes = files::read_aligned(path)?;
    let in_file = |e: Error| e.in_file(path);
    let found = match Kind::of_file(path, &bytes)? {
        Kind::Npz => {
            let mut npz = Npz::open(bytes.to_vec()).map_err(in_file)?;
            vec![Found::new(String::new(), NpuProgram::from_npz(&mut npz).map_err(in_file)?)]
        }
        Kind::Blob => {
            let program = NpuProgram::from_blob(&bytes, |_| None).map_err(in_file)?;
            vec![Found::new(String::new(), program)]
        }
        Kind::Payload => {
            stream::parse_payload(&bytes).map_err(in_file)?;
            vec![Found { label: String::new(), payload: bytes, program: None }]
        }
        Kind::Program | Kind::Bundle => {
            let model = Model::open(path, data)?;
            let program = model.program()?;
            let data = model.data_files()?;
            let mut found = Vec::new();
            for plan in program.methods() {
                for (index, stream) in host::npu_delegates(&program, &plan, &data).map_err(in_file)? {
                    found.push(Found::new(format!("method {}, delegate {index}", plan.name()), stream));
                }
            }
            found
        }
        Kind::Data | Kind::Npy => Vec::new(),
    };
    if found.is_empty() {
        return Err(Error::new("the file holds no NPU command stream").in_file(path).help(format!(
            "give Vela's _vela.npz, a program with an {ETHOS_U} delegate, or a delegate's blob"
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_content_first() {
        assert_eq!(Kind::of(b"\x24\0\0\0ET12"), Some(Kind::Program));
        assert_eq!(Kind::of(b"\x24\0\0\0BP08"), Some(Kind::Bundle));
        assert_eq!(Kind::of(b"\x24\0\0\0FT01"), Some(Kind::Data));
        assert_eq!(Kind::of(b"COP2"), Some(Kind::Payload));
        assert_eq!(Kind::of(b""), None);
        assert_eq!(Kind::of_file(Path::new("a.pte"), b"damaged!"), Ok(Kind::Program));
        assert_eq!(Kind::of_file(Path::new("a.pte"), b"PK\x03\x04"), Ok(Kind::Npz));
        assert!(Kind::of_file(Path::new("a.txt"), b"hello").is_err());
    }
}
