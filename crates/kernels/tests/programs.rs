//! Whole programs that upstream wrote (`fixtures/extra`): control flow, computed sizes, views, state,
//! several outputs, bool and int64. `xtask/peers/make_extra.py` made them, and torch their outputs.

use serde_json::Value as Json;
use std::path::Path;
use tombolo_kernels::ALL;
use tombolo_runtime::{Dtype, Memory, Method, Options, Program};

/// Bytes that start at a multiple of 16.
struct Aligned(Vec<u8>, usize);

impl Aligned {
    fn zeroed(len: usize) -> Aligned {
        Aligned(vec![0; len + 16], len)
    }

    fn of(bytes: &[u8]) -> Aligned {
        let mut aligned = Aligned::zeroed(bytes.len());
        aligned.bytes_mut().copy_from_slice(bytes);
        aligned
    }

    fn start(&self) -> usize {
        (self.0.as_ptr() as usize).wrapping_neg() % 16
    }

    fn bytes(&self) -> &[u8] {
        &self.0[self.start()..][..self.1]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let start = self.start();
        &mut self.0[start..][..self.1]
    }
}

/// A `.npy` file of version 1 in C order.
struct Npy {
    dtype: Dtype,
    sizes: Vec<u32>,
    data: Vec<u8>,
}

impl Npy {
    fn read(path: &Path) -> Npy {
        let file = std::fs::read(path).unwrap();
        let (head, data) = file[10..].split_at(usize::from(u16::from_le_bytes([file[8], file[9]])));
        let head = std::str::from_utf8(head).unwrap();
        let after = |key: &str| head.split_once(key).unwrap().1;
        assert!(after("'fortran_order': ").starts_with("False"));
        let dtype = match after("'descr': '").split('\'').next().unwrap() {
            "<f4" => Dtype::Float,
            "<i8" => Dtype::Long,
            "|b1" => Dtype::Bool,
            other => panic!("{}: elements of type {other}", path.display()),
        };
        let sizes = after("'shape': (").split(')').next().unwrap();
        let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
        Npy { dtype, sizes: sizes.map(|size| size.parse().unwrap()).collect(), data: data.to_vec() }
    }
}

fn compare(what: &str, got: &[u8], expected: &Npy, tolerance: f64) {
    if expected.dtype != Dtype::Float {
        assert_eq!(got, expected.data, "{what}");
        return;
    }
    let floats = |bytes: &[u8]| -> Vec<f64> {
        bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect()
    };
    let (got, expected) = (floats(got), floats(&expected.data));
    assert_eq!(got.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0f64, |m, x| m.max(x.abs()));
    for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
        let fits = (got - expected).abs() <= tolerance * largest;
        assert!(fits, "{what}: element {i} is {got}, torch has {expected}");
    }
}

fn run(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/extra").join(name);
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: Json = serde_json::from_str(&manifest).unwrap();
    let file = Aligned::of(&std::fs::read(folder.join(manifest["program"].as_str().unwrap())).unwrap());
    let program = Program::parse(file.bytes()).unwrap();
    let method = manifest["method"].as_str().unwrap();
    let plan = program.find_method(method).unwrap();
    let mut tables = Aligned::zeroed(Method::arena_bytes(&program, method).unwrap());
    let mut buffers: Vec<_> =
        (0..plan.buffer_count()).map(|i| Aligned::zeroed(plan.buffer_size(i) as usize)).collect();
    let mut planned: Vec<&mut [u8]> = buffers.iter_mut().map(Aligned::bytes_mut).collect();
    let mut temp = Aligned::zeroed(4096);
    let memory = Memory { method: tables.bytes_mut(), planned: &mut planned, temp: temp.bytes_mut() };
    let loaded = Method::load(&program, method, ALL, &mut [], memory, Options::default());
    let mut loaded = loaded.unwrap_or_else(|error| panic!("{name}: {error}"));
    let runs = manifest["runs"].as_array().unwrap();
    assert!(!runs.is_empty(), "{name} has no runs");
    for (r, run) in runs.iter().enumerate() {
        let files = |key: &str| -> Vec<Npy> {
            let list = run[key].as_array().unwrap();
            list.iter().map(|file| Npy::read(&folder.join(file.as_str().unwrap()))).collect()
        };
        for (i, input) in files("inputs").iter().enumerate() {
            loaded
                .set_input(i, input.dtype, &input.sizes, &input.data)
                .unwrap_or_else(|error| panic!("{name}, input {i}: {error}"));
        }
        loaded.execute().unwrap_or_else(|error| panic!("{name}, run {r}: {error}"));
        let expected = files("expected");
        assert!(!expected.is_empty());
        for (i, expected) in expected.iter().enumerate() {
            let what = format!("{name}, run {r}, output {i}");
            let out = loaded.output(i).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!((out.dtype(), &*out.shape()), (expected.dtype, &expected.sizes[..]), "{what}");
            compare(&what, out.bytes(), expected, run["tolerance"].as_f64().unwrap());
        }
    }
}

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        #[test]
        fn every_folder_has_a_test() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/extra");
            let mut names: Vec<_> = std::fs::read_dir(folder).unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.join("model.pte").exists())
                .map(|path| path.file_name().unwrap().to_str().unwrap().to_string())
                .collect();
            names.sort();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

programs![bool_int, cond, dynamic, item, map, nested_cond, split, state, two_outputs, views];
