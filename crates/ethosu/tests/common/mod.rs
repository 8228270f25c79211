//! Fixtures: where they are, and just enough of `.npz` to read Vela's raw output.
#![allow(dead_code, reason = "each test program uses some of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")).to_path_buf()
}

/// The corpus with MobileNetV2 is too large for the repository: beside the workspace, if at all.
pub(crate) fn outside_corpus() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus")).to_path_buf()
}

/// An array of an `.npz`: its data, little-endian, and what the header says of the element type.
pub(crate) struct Array {
    pub(crate) descr: String,
    pub(crate) data: Vec<u8>,
}

impl Array {
    pub(crate) fn integers(&self) -> Vec<i64> {
        assert_eq!(self.descr, "<i8");
        self.data.chunks_exact(8).map(|c| i64::from_le_bytes(c.try_into().unwrap())).collect()
    }

    pub(crate) fn integer(&self) -> i64 {
        self.integers()[0]
    }
}

fn u16_at(b: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes(b[at..at + 2].try_into().unwrap()))
}

fn u32_at(b: &[u8], at: usize) -> usize {
    u32::from_le_bytes(b[at..at + 4].try_into().unwrap()) as usize
}

/// Reads the arrays of a stored (not compressed) `.npz`, leaving out pickled ones.
pub(crate) fn npz(path: &Path) -> BTreeMap<String, Array> {
    let b = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let end = b.len() - 22;
    assert_eq!(&b[end..end + 4], b"PK\x05\x06", "{}", path.display());
    let count = u16_at(&b, end + 10);
    let mut at = u32_at(&b, end + 16);
    let mut arrays = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(u16_at(&b, at + 10), 0, "stored");
        let size = u32_at(&b, at + 24);
        let (name, extra, comment) = (u16_at(&b, at + 28), u16_at(&b, at + 30), u16_at(&b, at + 32));
        let local = u32_at(&b, at + 42);
        let key = String::from_utf8(b[at + 46..at + 46 + name].to_vec()).unwrap();
        at += 46 + name + extra + comment;
        let from = local + 30 + u16_at(&b, local + 26) + u16_at(&b, local + 28);
        let npy = &b[from..from + size];
        assert_eq!(&npy[..6], b"\x93NUMPY");
        let header = 10 + u16_at(npy, 8);
        let text = std::str::from_utf8(&npy[10..header]).unwrap();
        let descr = text.split('\'').nth(3).unwrap().to_owned();
        if descr != "|O" {
            arrays.insert(
                key.trim_end_matches(".npy").to_owned(),
                Array { descr, data: npy[header..].to_vec() },
            );
        }
    }
    arrays
}

/// A raw output of Vela in the corpus.
pub(crate) struct Raw {
    pub(crate) name: String,
    pub(crate) target: String,
    pub(crate) arrays: BTreeMap<String, Array>,
}

/// All raw outputs: those in the repository, those of the corpus beside it if it is there, and those
/// in the folder that `TOMBOLO_STREAMS` names (`MODEL/TARGET.….vela.npz`).
pub(crate) fn raw_outputs() -> Vec<Raw> {
    let mut found = Vec::new();
    let mut roots = vec![fixtures().join("corpus")];
    if outside_corpus().join("mv2").is_dir() {
        roots.push(outside_corpus().join("mv2"));
    } else {
        println!("SKIPPED: the streams of MobileNetV2 (../shared/corpus/mv2 is not there)");
    }
    roots.extend(std::env::var_os("TOMBOLO_STREAMS").map(PathBuf::from));
    while let Some(folder) = roots.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                roots.push(path);
            } else if name.ends_with(".vela.npz") {
                found.push(Raw {
                    name: format!("{}/{name}", folder.file_name().unwrap().to_str().unwrap()),
                    target: name.split('.').next().unwrap().to_owned(),
                    arrays: npz(&path),
                });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(found.len() >= 125, "{} streams", found.len());
    found
}
