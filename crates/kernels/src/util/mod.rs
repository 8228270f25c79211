//! What the operators share.

pub(crate) mod args;
#[cfg(test)]
pub(crate) mod cases;
pub(crate) mod cast;
pub(crate) mod elementwise;
pub(crate) mod fixtures;
pub(crate) mod gemm;
pub(crate) mod math;
pub(crate) mod movement;
pub(crate) mod norm;
pub(crate) mod num;
pub(crate) mod quant;
pub(crate) mod reduce;
pub(crate) mod softmax;
pub(crate) mod tile;
pub(crate) mod upsample;
pub(crate) mod walk;
pub(crate) mod window;
