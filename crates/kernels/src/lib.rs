//! ATen and quantized kernels for the Tombolo runtime, a file per operator.
//!
//! Each module of [`ops`] is one operator and exports one [`KernelDef`] per overload, named as
//! upstream names them. A firmware lists those that its programs call and links nothing else:
//!
//! ```
//! use tombolo_kernels::ops;
//! use tombolo_runtime::{KernelDef, kernels};
//! static KERNELS: &[KernelDef] = kernels![ops::add::OUT, ops::relu::OUT];
//! assert_eq!(KERNELS[0].name, "aten::add.out");
//! ```
//!
//! A host, for which code size is no matter, takes [`ALL`]. How to add an operator stands in
//! `docs/adding-an-operator.md`.
//!
//! # Numerics
//! Kernels follow upstream's portable kernels and torch: integers wrap, float operators compute in
//! `float32` (also for `float16` and `bfloat16` elements), quantization rounds half to even. Where
//! the two leave a case undefined, such as a float beyond the range of the integer it is cast to,
//! the operator's module says what happens here.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod ops;
mod util;

use tombolo_runtime::KernelDef;

macro_rules! table {
    ($($module:ident: $($kernel:ident),+;)*) => {
        /// Every kernel of this crate, for hosts.
        pub const ALL: &[KernelDef] = &[$($(ops::$module::$kernel),+),*];
    };
}

// One line per operator, in the order of the modules.
table! {
}
