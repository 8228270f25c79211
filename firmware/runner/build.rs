//! Loads the program on the host with the image's own kernel table, runs it once on zeros, and writes down
//! the sizes of the pools. What the table lacks, and what its kernels refuse, is thus known before the
//! image is linked.

use std::path::PathBuf;
use std::{env, fs};
use tombolo_pte::Program;
use tombolo_runtime::{LoadError, Memory, Method, Options, Tables};

#[expect(unreachable_pub, reason = "the library exports the same file")]
#[path = "src/kernels.rs"]
mod kernels;

const METHOD: &str = "forward";

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let path = here.join("../../fixtures/corpus/add/cpu_float.pte");
    println!("cargo::rerun-if-changed={}", path.display());
    println!("cargo::rerun-if-changed=link.ld");
    println!("cargo::rustc-link-arg-bins=-T{}", here.join("link.ld").display());

    match sizes(&path) {
        Ok(text) => {
            let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
            fs::write(out.join("sizes.rs"), text).expect("OUT_DIR can be written");
        }
        Err(error) => println!("cargo::error={}: {error}", path.display()),
    }
}

fn sizes(path: &PathBuf) -> Result<String, String> {
    let file = fs::read(path).map_err(|error| error.to_string())?;
    let mut pool = Pool::of(file.len());
    let bytes = pool.bytes();
    bytes.copy_from_slice(&file);
    let program = Program::parse(bytes).map_err(|error| error.to_string())?;
    let plan = program.find_method(METHOD).ok_or("there is no method 'forward'")?;
    let planned: Vec<usize> = (0..plan.buffer_count()).map(|i| plan.buffer_size(i) as usize).collect();
    let tables = Tables::of(plan);
    let temp = try_out(&program, &planned)?;
    Ok(format!(
        "pub(crate) const METHOD: &str = {METHOD:?};\n\
         pub(crate) const TABLES: Tables = {tables:?};\n\
         pub(crate) const PLANNED: [usize; {}] = {planned:?};\n\
         pub(crate) const TEMP: usize = {temp};\n",
        planned.len()
    ))
}

/// Loads the method and runs it once; the bytes that its calls need of the temporary arena.
fn try_out(program: &Program<'_>, planned: &[usize]) -> Result<usize, String> {
    let bytes = Method::arena_bytes(program, METHOD).ok_or("there is no such method")?;
    let mut temp_bytes = 0;
    loop {
        let (mut method, mut temp) = (Pool::of(bytes), Pool::of(temp_bytes));
        let mut buffers: Vec<Pool> = planned.iter().map(|&size| Pool::of(size)).collect();
        let mut buffers: Vec<&mut [u8]> = buffers.iter_mut().map(Pool::bytes).collect();
        let memory = Memory { method: method.bytes(), planned: &mut buffers, temp: temp.bytes() };
        let loaded = Method::load(program, METHOD, kernels::KERNELS, &mut [], memory, Options::default());
        let mut method = match loaded {
            Ok(method) => method,
            // The first time there is none; the error says how much it takes.
            Err(LoadError::TempArena(error)) if temp_bytes < error.needed => {
                temp_bytes = error.needed;
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        for i in 0..method.input_count() {
            let spec = method.input_spec(i).map_err(|error| format!("input {i}: {error}"))?;
            let zeros = vec![0; spec.nbytes()];
            let set = method.set_input(i, spec.dtype, &spec.shape, &zeros);
            set.map_err(|error| format!("input {i}: {error}"))?;
        }
        method.execute().map_err(|error| error.to_string())?;
        return Ok(method.usage().temp.needed);
    }
}

/// Bytes that start at a multiple of 16.
struct Pool {
    room: Vec<u8>,
    len: usize,
}

impl Pool {
    fn of(len: usize) -> Pool {
        Pool { room: vec![0; len + 15], len }
    }

    fn bytes(&mut self) -> &mut [u8] {
        let start = self.room.as_ptr().align_offset(16);
        &mut self.room[start..][..self.len]
    }
}
