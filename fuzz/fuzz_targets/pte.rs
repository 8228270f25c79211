//! Any bytes, read as a program, as a data file, as a bundled program and as Vela's binary stream. What is accepted
//! is walked through entirely, with the promises of the readers checked on the way.
#![no_main]

#[path = "../../crates/pte/tests/common/mod.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    common::walk(common::Aligned::new(bytes).bytes());
});
