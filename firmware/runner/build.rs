//! Loads the program on the host with the image's own kernel table, and writes down the sizes of the
//! pools. What the table lacks is thus known before the image is linked.

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
    // A temporary arena that is too small is refused with the number of bytes that were needed.
    let temp = match temp_needed(&program, &planned, 0) {
        Err(LoadError::TempArena(error)) => temp_needed(&program, &planned, error.needed),
        other => other,
    };
    let temp = temp.map_err(|error| error.to_string())?;
    Ok(format!(
        "pub(crate) const METHOD: &str = {METHOD:?};\n\
         pub(crate) const TABLES: Tables = {tables:?};\n\
         pub(crate) const PLANNED: [usize; {}] = {planned:?};\n\
         pub(crate) const TEMP: usize = {temp};\n",
        planned.len()
    ))
}

/// The bytes that calls need of the temporary arena, when the method is loaded with `temp` bytes of it.
#[expect(clippy::result_large_err, reason = "once per build")]
fn temp_needed<'p>(program: &Program<'p>, planned: &[usize], temp: usize) -> Result<usize, LoadError<'p>> {
    let bytes = Method::arena_bytes(program, METHOD).ok_or(LoadError::NoSuchMethod)?;
    let (mut method, mut temp) = (Pool::of(bytes), Pool::of(temp));
    let mut buffers: Vec<Pool> = planned.iter().map(|&size| Pool::of(size)).collect();
    let mut buffers: Vec<&mut [u8]> = buffers.iter_mut().map(Pool::bytes).collect();
    let memory = Memory { method: method.bytes(), planned: &mut buffers, temp: temp.bytes() };
    let method = Method::load(program, METHOD, kernels::KERNELS, &mut [], memory, Options::default())?;
    Ok(method.usage().temp.needed)
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
