//! The lowering of each operator.

mod convs;
mod elementwise;
mod movement;
mod pools;
mod reductions;
mod rescale;

use super::Cx;
use crate::ir::{Elementwise, Reduce};
use tombolo_tosa::{Op, Operation};

/// Lowers one operator, or says why not.
pub(super) fn lower(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    match &op.op {
        Op::Const(_) | Op::ConstShape(_) => movement::constant(cx, op),
        Op::Identity(_) | Op::Reshape(_) => movement::reshape(cx, op),
        Op::Concat(attrs) => movement::concat(cx, op, attrs.axis),
        Op::Slice(_) => movement::slice(cx, op),
        Op::Pad(_) => movement::pad(cx, op),
        Op::Transpose(attrs) => movement::transpose(cx, op, &attrs.perms),
        Op::Tile(_) => movement::tile(cx, op),
        Op::Conv2d(attrs) => convs::conv2d(cx, op, attrs),
        Op::DepthwiseConv2d(attrs) => convs::depthwise(cx, op, attrs),
        Op::Rescale(attrs) => rescale::rescale(cx, op, attrs),
        Op::Clamp(attrs) => rescale::clamp(cx, op, attrs),
        Op::Table(_) => rescale::table(cx, op),
        Op::Add(_) => elementwise::binary(cx, op, Elementwise::Add),
        Op::Sub(_) => elementwise::binary(cx, op, Elementwise::Sub),
        Op::Mul(_) => elementwise::mul(cx, op),
        Op::Maximum(_) => elementwise::binary(cx, op, Elementwise::Max),
        Op::Minimum(_) => elementwise::binary(cx, op, Elementwise::Min),
        Op::Abs(_) => elementwise::abs(cx, op),
        Op::MaxPool2d(attrs) => pools::max(cx, op, attrs),
        Op::AvgPool2d(attrs) => pools::average(cx, op, attrs),
        Op::ReduceSum(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Sum),
        Op::ReduceMax(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Max),
        Op::ReduceMin(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Min),
        _ => Err("there is no lowering for this operator yet".into()),
    }
}
