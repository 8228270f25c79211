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
    abs: OUT;
    acos: OUT;
    acosh: OUT;
    adaptive_avg_pool2d: OUT;
    add: OUT, SCALAR_OUT;
    addmm: OUT;
    asin: OUT;
    asinh: OUT;
    atan: OUT;
    atan2: OUT;
    atanh: OUT;
    avg_pool2d: OUT;
    bitwise_and: TENSOR_OUT, SCALAR_OUT;
    bitwise_left_shift: TENSOR_OUT, TENSOR_SCALAR_OUT;
    bitwise_not: OUT;
    bitwise_or: TENSOR_OUT, SCALAR_OUT;
    bitwise_right_shift: TENSOR_OUT, TENSOR_SCALAR_OUT;
    bitwise_xor: TENSOR_OUT, SCALAR_OUT;
    bmm: OUT;
    ceil: OUT;
    clamp: OUT, TENSOR_OUT;
    constant_pad_nd: OUT;
    convolution: OUT;
    cos: OUT;
    cosh: OUT;
    cumsum: OUT;
    div: OUT, SCALAR_OUT, OUT_MODE, SCALAR_MODE_OUT;
    elu: OUT;
    eq: TENSOR_OUT, SCALAR_OUT;
    erf: OUT;
    exp: OUT;
    expm1: OUT;
    floor: OUT;
    floor_divide: OUT;
    fmod: TENSOR_OUT, SCALAR_OUT;
    ge: TENSOR_OUT, SCALAR_OUT;
    gelu: OUT;
    gt: TENSOR_OUT, SCALAR_OUT;
    hardsigmoid: OUT;
    hardswish: OUT;
    hardtanh: OUT;
    isinf: OUT;
    isnan: OUT;
    le: TENSOR_OUT, SCALAR_OUT;
    leaky_relu: OUT;
    linear: OUT;
    log: OUT;
    log10: OUT;
    log1p: OUT;
    log2: OUT;
    log_softmax: OUT;
    logical_and: OUT;
    logical_not: OUT;
    logical_or: OUT;
    logical_xor: OUT;
    logit: OUT;
    lt: TENSOR_OUT, SCALAR_OUT;
    max_pool2d_with_indices: OUT;
    maximum: OUT;
    minimum: OUT;
    mm: OUT;
    mul: OUT, SCALAR_OUT;
    native_batch_norm_legit_no_training: OUT;
    native_group_norm: OUT;
    native_layer_norm: OUT;
    ne: TENSOR_OUT, SCALAR_OUT;
    neg: OUT;
    pow: TENSOR_TENSOR_OUT, TENSOR_SCALAR_OUT, SCALAR_OUT;
    reciprocal: OUT;
    relu: OUT;
    remainder: TENSOR_OUT, SCALAR_OUT;
    round: OUT;
    rsqrt: OUT;
    rsub: SCALAR_OUT;
    sigmoid: OUT;
    sign: OUT;
    silu: OUT;
    sin: OUT;
    sinh: OUT;
    softmax: OUT;
    sqrt: OUT;
    sub: OUT, SCALAR_OUT;
    tan: OUT;
    tanh: OUT;
    trunc: OUT;
    upsample_bilinear2d: VEC_OUT, OUT;
    upsample_nearest2d: VEC_OUT, OUT;
}
