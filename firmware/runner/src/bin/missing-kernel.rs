//! The same program with an empty kernel table: it must name what is missing, and end with an error.
#![no_std]
#![no_main]

#[expect(unsafe_code, reason = "the name that the startup code calls")]
#[unsafe(no_mangle)]
extern "C" fn start() -> ! {
    tombolo_runner::run(&[], None, tombolo_runner::print_missing)
}
