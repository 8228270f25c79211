//! The Arm Ethos-U hardware, described once: configurations, registers, command stream, PMU events.
#![no_std]
#![forbid(unsafe_code)]
