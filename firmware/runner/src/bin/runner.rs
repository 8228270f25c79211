//! The image: the embedded program with exactly the kernels that it calls.
#![no_std]
#![no_main]

#[expect(unsafe_code, reason = "the name that the startup code calls")]
#[unsafe(no_mangle)]
extern "C" fn start() -> ! {
    tombolo_runner::run(tombolo_runner::kernels::KERNELS, None, tombolo_runner::nothing)
}
