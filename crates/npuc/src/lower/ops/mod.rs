//! The lowering of each operator.

mod computed;
mod conv3d;
mod convs;
mod elementwise;
mod gather;
mod logical;
mod matmul;
mod movement;
mod pools;
mod reductions;
mod rescale;
mod resize;
mod transpose_conv;

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
        Op::IntDiv(_) => elementwise::binary(cx, op, Elementwise::Div),
        Op::BitwiseAnd(_) => elementwise::binary(cx, op, Elementwise::And),
        Op::BitwiseOr(_) => elementwise::binary(cx, op, Elementwise::Or),
        Op::BitwiseXor(_) => elementwise::binary(cx, op, Elementwise::Xor),
        Op::BitwiseNot(_) => elementwise::unary(cx, op, Elementwise::Not),
        Op::LogicalLeftShift(_) => elementwise::binary(cx, op, Elementwise::Shl),
        Op::LogicalRightShift(_) => elementwise::binary(cx, op, Elementwise::Lsr),
        Op::ArithmeticRightShift(attrs) => {
            elementwise::binary(cx, op, Elementwise::Asr { round: attrs.round })
        }
        Op::Equal(_) => elementwise::binary(cx, op, Elementwise::CmpEq),
        Op::GreaterEqual(_) => elementwise::binary(cx, op, Elementwise::CmpGe),
        Op::Greater(_) => elementwise::binary(cx, op, Elementwise::CmpGt),
        Op::Abs(_) => elementwise::unary(cx, op, Elementwise::Abs),
        Op::Clz(_) => elementwise::unary(cx, op, Elementwise::Clz),
        Op::Negate(_) => elementwise::negate(cx, op),
        // Of 0 and 1 these are the same.
        Op::LogicalAnd(_) => elementwise::binary(cx, op, Elementwise::Min),
        Op::LogicalOr(_) => elementwise::binary(cx, op, Elementwise::Max),
        Op::LogicalXor(_) => logical::xor(cx, op),
        Op::LogicalNot(_) => logical::not(cx, op),
        Op::Select(_) => logical::select(cx, op),
        Op::Cast(_) => logical::cast(cx, op),
        Op::MatMul(_) => matmul::matmul(cx, op, false),
        Op::MatMulT(_) => matmul::matmul(cx, op, true),
        Op::Resize(attrs) => resize::resize(cx, op, attrs),
        Op::Reverse(attrs) => movement::reverse(cx, op, attrs.axis),
        Op::Gather(_) => gather::gather(cx, op, None),
        Op::RowGather(_) => {
            let count = cx.int(op, 2, "row_count")?;
            gather::gather(cx, op, Some(count))
        }
        Op::Scatter(_) => gather::scatter(cx, op),
        Op::Conv3d(attrs) => conv3d::conv3d(cx, op, attrs),
        Op::TransposeConv2d(attrs) => transpose_conv::transpose_conv2d(cx, op, attrs),
        Op::MaxPool2d(attrs) => pools::max(cx, op, (attrs.kernel, attrs.stride, attrs.pad)),
        Op::AvgPool2d(attrs) => pools::average(cx, op, (attrs.kernel, attrs.stride, attrs.pad)),
        Op::MaxPool2dAdaptive(_) => pools::max(cx, op, pools::operands(cx, op, 1)?),
        Op::AvgPool2dAdaptive(_) => pools::average(cx, op, pools::operands(cx, op, 3)?),
        Op::ReduceSum(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Sum),
        Op::ReduceMax(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Max),
        Op::ReduceMin(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Min),
        Op::ReduceAll(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Min),
        Op::ReduceAny(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::Max),
        Op::ArgMax(attrs) => reductions::reduce(cx, op, attrs.axis, Reduce::ArgMax),
        _ => Err("there is no lowering for this operator yet".into()),
    }
}
