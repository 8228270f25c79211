//! Runs one embedded program on a Cortex-M33 and prints what came out, over semihosting.
//!
//! The image has no heap and no panic code. It links the kernels of [`kernels::KERNELS`] and its
//! pools are exactly as large as the program needs: `build.rs` counts what the program has, the
//! compiler turns the counts into bytes of this target, and [`run`] checks that they were met.
//!
//! What it prints is meant to be read by `cargo xtask qemu`; each line starts with a keyword:
//! `out I J BITS DECIMAL` is element J of output I, `pool NAME given N needed N peak N` a pool.
#![no_std]
#![deny(unsafe_code)]

pub mod kernels;
mod mem;
mod model;
mod pools;
mod semihosting;
mod startup;
mod text;

use core::hint::black_box;
use text::{put, put_float, put_hex, put_number};
use tombolo_runtime::{
    Delegate, Dtype, ExecuteError, KernelDef, LoadError, Memory, Method, MissingItem, Options, Program,
};

/// Exit status: the numbers are there.
const SUCCESS: u8 = 0;
/// Exit status: the program was refused, or failed.
const REFUSED: u8 = 2;
/// Exit status: the processor trapped.
const FAULT: u8 = 3;

/// Runs the program with the kernels of `table` and, if there is one, a backend, prints the outputs, and ends the run.
/// `explain` gets the reason where the method cannot be loaded; [`nothing`] for an image that `build.rs` has
/// tried out.
pub fn run(
    table: &'static [KernelDef],
    backend: Option<&mut dyn Delegate>,
    explain: fn(&LoadError<'_>),
) -> ! {
    semihosting::exit(match run_once(table, backend, explain) {
        Some(()) => SUCCESS,
        None => REFUSED,
    })
}

/// Explains nothing.
pub fn nothing(_: &LoadError<'_>) {}

/// What `run` does; `None` after it has printed what is wrong.
fn run_once(
    table: &'static [KernelDef],
    backend: Option<&mut dyn Delegate>,
    explain: fn(&LoadError<'_>),
) -> Option<()> {
    // A device's program is in flash and may be replaced: nothing about it may be known to the compiler.
    let bytes: &'static [u8] = black_box(&model::PROGRAM.0);
    let Ok(program) = Program::parse(bytes) else { return refuse("damaged program") };
    let pools = pools::take()?;
    let memory =
        Memory { method: &mut pools.method.0, planned: &mut [&mut pools.planned.0], temp: &mut pools.temp.0 };
    let mut one;
    let delegates: &mut [&mut dyn Delegate] = match backend {
        Some(backend) => {
            one = [&mut *backend as &mut dyn Delegate];
            &mut one
        }
        None => &mut [],
    };
    match Method::load(&program, model::METHOD, table, delegates, memory, Options::default()) {
        Ok(mut method) => run_method(&mut method),
        Err(error) => {
            explain(&error);
            refuse("not for this image")
        }
    }
}

/// Runs the method and prints outputs and sizes; `None` after it has printed what is wrong.
fn run_method(method: &mut Method<'_, '_>) -> Option<()> {
    for (i, bytes) in model::INPUTS.iter().enumerate() {
        if method.set_input(i, Dtype::Float, model::SHAPE, bytes).is_err() {
            return refuse("wrong input");
        }
    }
    if let Err(error) = method.execute() {
        if let ExecuteError::Kernel { at, .. } = error {
            put_number("instruction ", at.1);
        }
        return refuse(" the run stopped");
    }
    for i in 0..method.output_count() {
        let elements = method.output(i).ok().and_then(|output| output.as_slice::<f32>().ok());
        let Some(elements) = elements else { return refuse("wrong output") };
        for (j, &element) in elements.iter().enumerate() {
            put_number("out ", i);
            put_number(" ", j);
            put_hex(" ", element.to_bits());
            put_float(" ", element);
            put("\n");
        }
    }
    let usage = method.usage();
    let mut exact = true;
    for (name, pool) in
        [("pool method", &usage.method), ("pool planned", &usage.planned), ("pool temp", &usage.temp)].iter()
    {
        put(name);
        put_number(" given ", pool.given);
        put_number(" needed ", pool.needed);
        put_number(" peak ", pool.peak);
        put("\n");
        exact &= pool.given == pool.needed;
    }
    let (size, peak) = startup::stack();
    put_number("stack given ", size);
    put_number(" peak ", peak);
    if !exact {
        return refuse(" wrong pool size");
    }
    put("\ndone\n");
    Some(())
}

/// Prints all that the tables of the image lack.
pub fn print_missing(error: &LoadError<'_>) {
    let LoadError::Missing(missing) = error else { return };
    for item in missing.iter() {
        let (name, overload, dtypes) = match &item {
            MissingItem::Operator { name, overload, dtypes, .. } => (name, *overload, Some(dtypes)),
            MissingItem::Dtypes { name, overload, dtypes, .. } => (name, *overload, Some(dtypes)),
            MissingItem::Delegate { id, .. } => (id, "", None),
        };
        put("missing ");
        put(name);
        if !overload.is_empty() {
            put(".");
            put(overload);
        }
        for dtype in dtypes.iter().flat_map(|dtypes| dtypes.iter()) {
            put(" ");
            put(dtype.name());
        }
        put("\n");
    }
}

fn refuse(why: &str) -> Option<()> {
    put("error: ");
    put(why);
    put("\n");
    None
}
