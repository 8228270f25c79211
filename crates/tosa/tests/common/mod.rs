//! Shared by the tests and the example: `.npz` files of integers, and cases made of them.
#![allow(dead_code, unreachable_pub, reason = "every file uses its own part of this")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tombolo_tosa::{Dtype, Graph, Limits, Value};

/// An array of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub dims: Vec<usize>,
    pub ints: Vec<i64>,
}

impl Array {
    /// An `.npy` file of integers or booleans.
    pub fn parse(file: &[u8]) -> Option<Array> {
        let rest = file.strip_prefix(b"\x93NUMPY")?;
        let (&[major, _], rest) = rest.split_first_chunk()?;
        let (length, rest) = if major == 1 {
            let (&length, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(length)), rest)
        } else {
            let (&length, rest) = rest.split_first_chunk()?;
            (u32::from_le_bytes(length) as usize, rest)
        };
        let (header, data) = rest.split_at_checked(length)?;
        let header = std::str::from_utf8(header).ok()?;
        let value = |key: &str| header.split(&format!("'{key}': ")).nth(1);
        if value("fortran_order")?.starts_with("True") {
            return None;
        }
        let dims = value("shape")?.trim_start_matches('(').split(')').next()?;
        let dims = dims.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        let descr = value("descr")?.split('\'').nth(1)?;
        let ints: Vec<i64> = match descr.trim_start_matches(['<', '|']) {
            "i1" => data.iter().map(|&b| (b as i8).into()).collect(),
            "u1" | "b1" => data.iter().map(|&b| b.into()).collect(),
            "i2" => data.chunks_exact(2).map(|b| i16::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "i4" => data.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "i8" => data.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect(),
            _ => return None,
        };
        Some(Array { dims, ints })
    }
}

/// The arrays of an `.npz` file without compression, as `numpy.savez` makes them.
pub fn npz(path: &Path) -> BTreeMap<String, Array> {
    let file = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes(file[at..at + 2].try_into().unwrap()));
    // The directory at the end has the sizes, which the members themselves may not.
    let end =
        (0..=file.len() - 22).rev().find(|&i| file[i..].starts_with(b"PK\x05\x06")).expect("a zip file");
    let mut at = word(end + 16);
    let mut arrays = BTreeMap::new();
    for _ in 0..half(end + 10) {
        assert_eq!(half(at + 10), 0, "{}: compressed", path.display());
        let (size, name, local) = (word(at + 24), half(at + 28), word(at + 42));
        let name_text = std::str::from_utf8(&file[at + 46..at + 46 + name]).unwrap();
        let data = local + 30 + half(local + 26) + half(local + 28);
        let array =
            Array::parse(&file[data..data + size]).unwrap_or_else(|| panic!("{name_text}: not integers"));
        arrays.insert(name_text.trim_end_matches(".npy").to_owned(), array);
        at += 46 + name + half(at + 30) + half(at + 32);
    }
    arrays
}

/// Runs a graph with `in0`, `in1`, … and compares with `out0`, …; says what differs.
pub fn check(graph: &Graph<'_>, arrays: &BTreeMap<String, Array>) -> Result<(), String> {
    let inputs = tombolo_tosa::inputs(graph)
        .into_iter()
        .enumerate()
        .map(|(i, (name, dtype, _))| {
            let array = arrays.get(&format!("in{i}")).ok_or_else(|| format!("no in{i} for '{name}'"))?;
            Value::from_ints(dtype, array.dims.clone(), &array.ints).map_err(|e| format!("in{i}: {e}"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let outputs = tombolo_tosa::run(graph, inputs, &Limits::default()).map_err(|e| e.to_string())?;
    let expected = arrays.keys().filter(|k| k.starts_with("out")).count();
    if expected != outputs.len() || expected == 0 {
        return Err(format!("{} outputs, {expected} expected", outputs.len()));
    }
    for (i, value) in outputs.iter().enumerate() {
        let array = &arrays[&format!("out{i}")];
        // A shape of rank 0 has no numbers; numpy writes it as an empty array.
        if value.dims() != array.dims && !(value.dtype() == Dtype::Shape && array.ints.is_empty()) {
            return Err(format!("out{i} has the shape {:?}, expected {:?}", value.dims(), array.dims));
        }
        let ints = value.ints();
        let wrong = ints.iter().zip(&array.ints).filter(|(a, b)| a != b).count();
        if wrong != 0 || ints.len() != array.ints.len() {
            let at = ints.iter().zip(&array.ints).position(|(a, b)| a != b).unwrap_or(0);
            return Err(format!(
                "out{i}: {wrong} of {} differ, the first at {at}: {:?}, expected {:?}",
                ints.len(),
                ints.get(at),
                array.ints.get(at)
            ));
        }
    }
    Ok(())
}

/// A path in `fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")).join(path)
}

/// Files below a folder with this ending, in order.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_str().is_some_and(|p| p.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}
