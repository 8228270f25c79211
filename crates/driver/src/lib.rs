//! Ethos-U driver over a register trait, and the EthosUBackend delegate on top of it.
#![no_std]
#![forbid(unsafe_code)]
