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
    alias_copy: OUT;
    all: OUT, ALL_OUT;
    amax: OUT;
    amin: OUT;
    any: OUT, DIMS_OUT, ALL_OUT;
    arange: OUT, START_OUT;
    argmax: OUT;
    argmin: OUT;
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
    cat: OUT;
    ceil: OUT;
    clamp: OUT, TENSOR_OUT;
    clone: OUT;
    clone_dim_order: OUT;
    constant_pad_nd: OUT;
    convolution: OUT;
    copy: OUT, IN_PLACE;
    cos: OUT;
    cosh: OUT;
    cumsum: OUT;
    dequantize_per_channel: OUT;
    dequantize_per_tensor: OUT, TENSOR_OUT;
    detach_copy: OUT;
    div: OUT, SCALAR_OUT, OUT_MODE, SCALAR_MODE_OUT;
    elu: OUT;
    embedding: OUT;
    empty: OUT;
    empty_dim_order: OUT;
    eq: TENSOR_OUT, SCALAR_OUT;
    erf: OUT;
    et_copy_index: TENSOR;
    et_view: DEFAULT;
    exp: OUT;
    expand_copy: OUT;
    expm1: OUT;
    fill: SCALAR_OUT, TENSOR_OUT;
    flip: OUT;
    floor: OUT;
    floor_divide: OUT;
    fmod: TENSOR_OUT, SCALAR_OUT;
    full: OUT;
    full_like: OUT;
    gather: OUT;
    ge: TENSOR_OUT, SCALAR_OUT;
    gelu: OUT;
    gt: TENSOR_OUT, SCALAR_OUT;
    hardsigmoid: OUT;
    hardswish: OUT;
    hardtanh: OUT;
    index_select: OUT;
    isinf: OUT;
    isnan: OUT;
    le: TENSOR_OUT, SCALAR_OUT;
    leaky_relu: OUT;
    lift_fresh_copy: OUT;
    linear: OUT;
    local_scalar_dense: DEFAULT;
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
    masked_fill: SCALAR_OUT;
    max: DIM_MAX, UNARY_OUT;
    max_pool2d_with_indices: OUT;
    maximum: OUT;
    mean: OUT, DTYPE_OUT;
    min: DIM_MIN, UNARY_OUT;
    minimum: OUT;
    mm: OUT;
    mul: OUT, SCALAR_OUT;
    narrow_copy: OUT;
    native_batch_norm_legit_no_training: OUT;
    native_group_norm: OUT;
    native_layer_norm: OUT;
    ne: TENSOR_OUT, SCALAR_OUT;
    neg: OUT;
    ones: OUT;
    permute_copy: OUT;
    pow: TENSOR_TENSOR_OUT, TENSOR_SCALAR_OUT, SCALAR_OUT;
    prod: INT_OUT, OUT;
    quantize_per_channel: OUT;
    quantize_per_tensor: OUT, TENSOR_OUT;
    quantized_add: OUT;
    reciprocal: OUT;
    relu: OUT;
    remainder: TENSOR_OUT, SCALAR_OUT;
    repeat: OUT;
    round: OUT;
    rsqrt: OUT;
    rsub: SCALAR_OUT;
    scalar: ADD, SUB, MUL, FLOORDIV, FLOORDIV_INT, TRUEDIV, MOD, MOD_INT, SYM_MAX, SYM_MIN, EQ, GT, LT, GE, LE, NEG, SYM_FLOAT, SYM_INT, SYM_NOT, SYM_ITE, CEIL, ROUND, TRUNC;
    scalar_tensor: OUT;
    select_copy: INT_OUT;
    sigmoid: OUT;
    sign: OUT;
    silu: OUT;
    sin: OUT;
    sinh: OUT;
    slice_copy: TENSOR_OUT;
    softmax: OUT;
    split_copy: TENSOR_OUT;
    split_with_sizes_copy: OUT;
    sqrt: OUT;
    squeeze_copy: DIM_OUT, DIMS_OUT;
    stack: OUT;
    sub: OUT, SCALAR_OUT;
    sum: INT_LIST_OUT;
    sym_numel: DEFAULT;
    sym_size: INT;
    t_copy: OUT;
    tan: OUT;
    tanh: OUT;
    to_copy: OUT;
    to_dim_order_copy: OUT;
    transpose_copy: INT_OUT;
    trunc: OUT;
    unbind_copy: INT_OUT;
    unsqueeze_copy: OUT;
    upsample_bilinear2d: VEC_OUT, OUT;
    upsample_nearest2d: VEC_OUT, OUT;
    var: CORRECTION_OUT, OUT;
    view_copy: OUT;
    where_: SELF_OUT;
    zeros: OUT;
}
