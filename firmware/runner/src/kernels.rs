//! The kernels that the program calls, written by hand: these are linked, and no others.

use tombolo_kernels::ops;
use tombolo_runtime::{KernelDef, kernels};

/// `corpus/add/cpu_float.pte` calls one operator, on floats.
pub const KERNELS: &[KernelDef] = kernels![ops::add::OUT_F32];
