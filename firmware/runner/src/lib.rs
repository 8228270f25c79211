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
use text::Text;
use tombolo_runtime::{
    Dtype, ExecuteError, KernelDef, LoadError, Memory, Method, MissingItem, Options, PoolUsage, Program,
};

/// Exit status: the numbers are there.
const SUCCESS: u8 = 0;
/// Exit status: the program was refused, or failed.
const REFUSED: u8 = 2;
/// Exit status: the processor trapped.
const FAULT: u8 = 3;

/// Runs the program with the kernels of `table`, prints the outputs, and ends the run.
pub fn run(table: &'static [KernelDef]) -> ! {
    semihosting::exit(match run_once(table) {
        Some(()) => SUCCESS,
        None => REFUSED,
    })
}

/// What `run` does; `None` after it has printed what is wrong.
fn run_once(table: &'static [KernelDef]) -> Option<()> {
    // A device's program is in flash and may be replaced: nothing about it may be known to the compiler.
    let bytes: &'static [u8] = black_box(&model::PROGRAM.0);
    let Ok(program) = Program::parse(bytes) else { return refuse("the program file is damaged") };
    let pools = pools::take()?;
    let memory =
        Memory { method: &mut pools.method.0, planned: &mut [&mut pools.planned.0], temp: &mut pools.temp.0 };
    let delegates = &mut [];
    match Method::load(&program, model::METHOD, table, delegates, memory, Options::default()) {
        Ok(mut method) => run_method(&mut method),
        Err(error) => print_refusal(&error),
    }
}

/// Runs the method and prints outputs and sizes; `None` after it has printed what is wrong.
fn run_method(method: &mut Method<'_, '_>) -> Option<()> {
    for (i, bytes) in model::inputs().into_iter().enumerate() {
        if method.set_input(i, Dtype::Float, model::SHAPE, bytes).is_err() {
            return refuse("an input has another type or other sizes than the program's");
        }
    }
    if let Err(error) = method.execute() {
        return print_failure(error);
    }
    for i in 0..method.output_count() {
        let Ok(output) = method.output(i) else { return refuse("an output is not there") };
        let Ok(elements) = output.as_slice::<f32>() else { return refuse("an output is not of floats") };
        for (j, &element) in elements.iter().enumerate() {
            let mut text = Text::new();
            text.put("out ").number(i).byte(b' ').number(j).byte(b' ');
            text.hex(element.to_bits()).byte(b' ').float(element).end();
        }
    }
    let usage = method.usage();
    let mut exact = print_pool("method", &usage.method);
    exact &= print_pool("planned", &usage.planned);
    exact &= print_pool("temp", &usage.temp);
    let (size, peak) = startup::stack();
    Text::new().put("stack given ").number(size).put(" peak ").number(peak).end();
    if !exact {
        return refuse("a pool is not of exactly the size that the program needs");
    }
    Text::new().put("done").end();
    Some(())
}

/// Prints one pool; whether its size is exactly what is needed.
fn print_pool(name: &str, pool: &PoolUsage) -> bool {
    let mut text = Text::new();
    text.put("pool ").put(name).put(" given ").number(pool.given);
    text.put(" needed ").number(pool.needed).put(" peak ").number(pool.peak).end();
    pool.given == pool.needed
}

/// Prints why the method was not loaded.
fn print_refusal(error: &LoadError<'_>) -> Option<()> {
    match error {
        LoadError::Missing(missing) => {
            for item in missing.iter() {
                print_missing(&item);
            }
            refuse("the kernel table lacks what the program calls: add it there")
        }
        LoadError::MethodArena(_) | LoadError::PlannedBuffer { .. } | LoadError::TempArena(_) => {
            refuse("a pool is too small: build the image again")
        }
        _ => refuse("the program cannot be loaded"),
    }
}

fn print_missing(item: &MissingItem<'_>) {
    let mut text = Text::new();
    let (what, name, overload, dtypes) = match item {
        MissingItem::Operator { name, overload, dtypes, .. } => ("operator ", name, *overload, Some(dtypes)),
        MissingItem::Dtypes { name, overload, dtypes, .. } => {
            ("types of operator ", name, *overload, Some(dtypes))
        }
        MissingItem::Delegate { id, .. } => ("delegate ", id, "", None),
    };
    text.put("missing ").put(what).put(name);
    if !overload.is_empty() {
        text.byte(b'.').put(overload);
    }
    if let Some(dtypes) = dtypes {
        let mut before = " (";
        for dtype in dtypes.iter() {
            text.put(before).put(dtype.name());
            before = ", ";
        }
        text.byte(b')');
    }
    text.end();
}

fn print_failure(error: ExecuteError) -> Option<()> {
    let mut text = Text::new();
    text.put("error: the run stopped");
    match error {
        ExecuteError::Kernel { at, operator, .. } => {
            text.put(" in instruction ").number(at.0).byte(b':').number(at.1);
            text.put(", operator ").number(operator);
        }
        ExecuteError::InputNotSet { index } => {
            text.put(": not set: input ").number(index);
        }
        _ => {}
    }
    text.end();
    None
}

fn refuse(why: &str) -> Option<()> {
    Text::new().put("error: ").put(why).end();
    None
}
