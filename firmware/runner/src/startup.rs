//! From reset to [`crate::run`]: vector table, stack, `.data`, `.bss`, floating-point unit; and faults.
//!
//! Written here rather than taken from a crate because it is this little, and because a vector table
//! of 16 entries is enough where no interrupt is used.
#![expect(unsafe_code, reason = "the first instructions after reset, and a read of a fault register")]

use crate::semihosting;
use crate::text::{put, put_hex};
use core::arch::global_asm;

/// What fills the stack before the program starts, so that its high-water mark can be read.
pub(crate) const STACK_FILL: u32 = 0x5ac0_ffee;

global_asm!(
    // The vector table of ARMv8-M: initial stack pointer, reset, then the exceptions 2 to 15.
    // No exception is expected; each ends the run with a message.
    ".section .vectors, \"a\"",
    ".word stack_top",
    ".word reset",
    ".rept 14",
    ".word trap",
    ".endr",
    ".section .text.reset, \"ax\"",
    ".global reset",
    ".type reset, %function",
    ".thumb_func",
    "reset:",
    // A push below the limit is a fault instead of a silent overwrite.
    "ldr r0, =stack_limit",
    "msr msplim, r0",
    "ldr r1, =stack_top",
    "ldr r2, ={fill}",
    "0: cmp r0, r1",
    "beq 1f",
    "str r2, [r0], #4",
    "b 0b",
    "1: ldr r0, =data_start",
    "ldr r1, =data_end",
    "ldr r2, =data_load",
    "2: cmp r0, r1",
    "beq 3f",
    "ldr r3, [r2], #4",
    "str r3, [r0], #4",
    "b 2b",
    "3: ldr r0, =bss_start",
    "ldr r1, =bss_end",
    "movs r2, #0",
    "4: cmp r0, r1",
    "beq 5f",
    "str r2, [r0], #4",
    "b 4b",
    // Full access to coprocessors 10 and 11 (CPACR), which are the floating-point unit: without it
    // the first float instruction of an `eabihf` image faults.
    "5: ldr r0, =0xe000ed88",
    "ldr r1, [r0]",
    "orr r1, r1, #0xf00000",
    "str r1, [r0]",
    "dsb",
    "isb",
    "bl start",
    "udf #0",
    ".pool",
    ".section .text.trap, \"ax\"",
    ".type trap, %function",
    ".thumb_func",
    "trap:",
    // After an overflow there is no stack left: nothing returns from here, so the whole of it is free.
    "movs r0, #0",
    "msr msplim, r0",
    "ldr r0, =stack_top",
    "msr msp, r0",
    "bl trapped",
    "udf #0",
    ".pool",
    fill = const STACK_FILL,
);

unsafe extern "C" {
    static stack_limit: u32;
    static stack_top: u32;
}

/// The size of the stack and the most that was used of it so far, in bytes.
pub(crate) fn stack() -> (usize, usize) {
    let (bottom, top) = (&raw const stack_limit, &raw const stack_top);
    let size = (top as usize).wrapping_sub(bottom as usize);
    let mut untouched = 0;
    // SAFETY: the linker script places `size` bytes of RAM between the two symbols, whole words,
    // all written at reset.
    while untouched < size && unsafe { bottom.byte_add(untouched).read_volatile() } == STACK_FILL {
        untouched += 4;
    }
    (size, size - untouched)
}

#[unsafe(no_mangle)]
extern "C" fn trapped() -> ! {
    // The Configurable Fault Status Register says which of the faults it was.
    // SAFETY: a system register of every ARMv8-M mainline core, readable without side effect.
    let cfsr = unsafe { core::ptr::with_exposed_provenance::<u32>(0xe000_ed28).read_volatile() };
    put_hex("fault: cfsr ", cfsr);
    put(if cfsr & 1 << 20 != 0 { " (stack overflow)\n" } else { "\n" });
    semihosting::exit(crate::FAULT)
}

/// There must be no way to get here: `cargo xtask firmware` refuses an image that holds this function.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    semihosting::exit(crate::FAULT)
}
