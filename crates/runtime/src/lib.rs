//! Runs ExecuTorch programs without heap: program, method, tensors, arenas, kernel registry, delegates.
#![no_std]
#![forbid(unsafe_code)]
