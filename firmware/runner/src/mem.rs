//! The functions that copies and fills are compiled to, in a few instructions each.
//!
//! Those that come with the compiler are unrolled and treat every alignment apart, which is a kilobyte.
//! Here, what is copied in a run are inputs and small structures. ARMv8-M loads and stores words at any
//! address of normal memory.
#![expect(unsafe_code, reason = "functions that the compiler calls by name, in assembly")]

use core::arch::global_asm;

// Registers as the procedure call standard has them: arguments and results in r0 to r3, r12 free.
global_asm!(
    ".macro function name",
    ".global \\name",
    ".type \\name, %function",
    ".thumb_func",
    "\\name:",
    ".endm",
    ".section .text.memcpy, \"ax\"",
    // To r0, from r1, r2 bytes; the ranges do not overlap. Returns r0.
    "function __aeabi_memcpy",
    "function __aeabi_memcpy4",
    "function __aeabi_memcpy8",
    "function memcpy",
    "mov r12, r0",
    "0: subs r2, #4",
    "blo 1f",
    "ldr r3, [r1], #4",
    "str r3, [r12], #4",
    "b 0b",
    "1: adds r2, #4",
    "2: subs r2, #1",
    "it lo",
    "bxlo lr",
    "ldrb r3, [r1], #1",
    "strb r3, [r12], #1",
    "b 2b",
    // The same for ranges that may overlap: from the end where the destination starts within the source.
    ".section .text.memmove, \"ax\"",
    "function __aeabi_memmove",
    "function __aeabi_memmove4",
    "function __aeabi_memmove8",
    "function memmove",
    "subs r3, r0, r1",
    "cmp r3, r2",
    "bhs memcpy",
    "3: subs r2, #1",
    "it lo",
    "bxlo lr",
    "ldrb r3, [r1, r2]",
    "strb r3, [r0, r2]",
    "b 3b",
    // r1 bytes from r0 on: zeros, or the byte in r2.
    ".section .text.memset, \"ax\"",
    "function __aeabi_memclr",
    "function __aeabi_memclr4",
    "function __aeabi_memclr8",
    "movs r2, #0",
    "function __aeabi_memset",
    "function __aeabi_memset4",
    "function __aeabi_memset8",
    "mov r3, r1",
    "mov r1, r2",
    "mov r2, r3",
    // r2 bytes from r0 on: the byte in r1. Returns r0.
    "function memset",
    "mov r12, r0",
    "4: subs r2, #1",
    "it lo",
    "bxlo lr",
    "strb r1, [r12], #1",
    "b 4b",
);
