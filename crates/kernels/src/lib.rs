//! ATen and quantized kernels for the Tombolo runtime, a file per operator.
#![no_std]
#![forbid(unsafe_code)]
