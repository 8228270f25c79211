//! ExecuTorch program files: a zero-copy reader without heap, named data, and the framing of Vela's binary stream.
#![no_std]
#![forbid(unsafe_code)]
