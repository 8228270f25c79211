//! Arm semihosting: text to, and the exit status for, the debugger or emulator that runs the image.
//!
//! Operation numbers and the breakpoint of the M profile are from Arm's "Semihosting for AArch32 and
//! AArch64", release 2.0.
#![expect(unsafe_code, reason = "the semihosting breakpoint")]

use core::arch::asm;

const SYS_WRITEC: usize = 0x03;
const SYS_EXIT_EXTENDED: usize = 0x20;
/// The reason for the exit: the application has ended.
const ADP_STOPPED_APPLICATION_EXIT: usize = 0x20026;

/// # Safety
/// `parameter` must be what `operation` takes: for pointers, memory as large as it reads.
unsafe fn call(operation: usize, parameter: *const ()) {
    // SAFETY: the breakpoint is served by the host, which reads the parameter as the caller promises
    // and changes nothing but r0.
    unsafe { asm!("bkpt 0xab", inout("r0") operation => _, in("r1") parameter, options(nostack, readonly)) };
}

/// Prints a byte of text.
#[inline(never)]
pub(crate) fn write(byte: u8) {
    // SAFETY: SYS_WRITEC reads one byte.
    unsafe { call(SYS_WRITEC, (&raw const byte).cast()) };
}

/// Ends the run with this exit status.
pub(crate) fn exit(status: u8) -> ! {
    let block = [ADP_STOPPED_APPLICATION_EXIT, usize::from(status)];
    loop {
        // SAFETY: SYS_EXIT_EXTENDED reads the two words of the block.
        unsafe { call(SYS_EXIT_EXTENDED, block.as_ptr().cast()) };
    }
}
