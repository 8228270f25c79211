//! The same program with every kernel in the table and the NPU's backend at hand. It is there to be checked:
//! what no program here calls must hold no panic code either.
#![no_std]
#![no_main]
#![expect(unsafe_code, reason = "the name that the startup code calls, and registers in memory")]

use core::hint::black_box;
use core::ptr::with_exposed_provenance_mut;
use tombolo_driver::{EthosUBackend, Job, Npu, RegisterIo, Timeout, poll};

/// Where Corstone-300 has the registers of its Ethos-U55. This board has none, and no program here asks for
/// the backend, so that they are never touched.
const REGISTERS: usize = 0x4810_2000;

struct Registers;

impl RegisterIo for Registers {
    fn read(&mut self, offset: u32) -> u32 {
        let register = with_exposed_provenance_mut::<u32>(REGISTERS + offset as usize);
        // SAFETY: a register of the block, which is a memory-mapped page without other users.
        unsafe { register.read_volatile() }
    }

    fn write(&mut self, offset: u32, value: u32) {
        let register = with_exposed_provenance_mut::<u32>(REGISTERS + offset as usize);
        // SAFETY: as in `read`.
        unsafe { register.write_volatile(value) }
    }
}

impl Npu for Registers {
    fn wait(&mut self, _job: &mut Job<'_>) -> Result<(), Timeout> {
        poll(self, 10_000_000)
    }
}

#[unsafe(no_mangle)]
extern "C" fn start() -> ! {
    let mut backend = EthosUBackend::new(Registers, &mut []);
    // What is in the tables must not be known to the compiler, lest it leaves out what is not called.
    tombolo_runner::run(
        black_box(tombolo_kernels::ALL),
        Some(black_box(&mut backend)),
        tombolo_runner::nothing,
    )
}
