//! The table of operators.

use crate::attr::{Attr, Attributes, Field};
use crate::ops;
use crate::rule::Operator;

macro_rules! operators {
    ($( $code:literal $name:literal $variant:ident $module:ident )*) => {
        /// An operator with its attributes. What each computes stands in its file of `src/ops`.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Op {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant(ops::$module::$variant),
            )*
        }

        impl Op {
            /// Every operator of the schema: its number and name.
            pub const ALL: &'static [(u32, &'static str)] = &[ $( ($code, $name) ),* ];

            /// The number in the schema; that of its attributes too.
            pub fn code(&self) -> u32 {
                match self { $( Op::$variant(_) => $code ),* }
            }

            /// The name in the schema.
            pub fn name(&self) -> &'static str {
                match self { $( Op::$variant(_) => $name ),* }
            }

            pub(crate) fn name_of(code: u32) -> Option<&'static str> {
                match code { $( $code => Some($name), )* _ => None }
            }

            pub(crate) fn code_of(name: &str) -> Option<u32> {
                match name { $( $name => Some($code), )* _ => None }
            }

            pub(crate) fn fields_of(code: u32) -> &'static [Field] {
                match code { $( $code => ops::$module::$variant::FIELDS, )* _ => &[] }
            }

            pub(crate) fn from_attrs(code: u32, attrs: &[Attr]) -> Option<Op> {
                match code {
                    $( $code => Some(Op::$variant(ops::$module::$variant::from_attrs(attrs)?)), )*
                    _ => None,
                }
            }

            pub(crate) fn to_attrs(&self) -> Vec<Attr> {
                match self { $( Op::$variant(op) => op.to_attrs() ),* }
            }

            pub(crate) fn rules(&self) -> &dyn Operator {
                match self { $( Op::$variant(op) => op ),* }
            }
        }
    };
}

operators! {
    1 "ARGMAX" ArgMax argmax
    2 "AVG_POOL2D" AvgPool2d avg_pool2d
    3 "CONV2D" Conv2d conv2d
    4 "CONV3D" Conv3d conv3d
    5 "DEPTHWISE_CONV2D" DepthwiseConv2d depthwise_conv2d
    6 "FFT2D" Fft2d fft2d
    7 "MATMUL" MatMul matmul
    8 "MAX_POOL2D" MaxPool2d max_pool2d
    9 "RFFT2D" Rfft2d rfft2d
    10 "TRANSPOSE_CONV2D" TransposeConv2d transpose_conv2d
    11 "CLAMP" Clamp clamp
    12 "ERF" Erf erf
    13 "SIGMOID" Sigmoid sigmoid
    14 "TANH" Tanh tanh
    15 "ADD" Add add
    16 "ARITHMETIC_RIGHT_SHIFT" ArithmeticRightShift arithmetic_right_shift
    17 "BITWISE_AND" BitwiseAnd bitwise_and
    18 "BITWISE_OR" BitwiseOr bitwise_or
    19 "BITWISE_XOR" BitwiseXor bitwise_xor
    20 "INTDIV" IntDiv intdiv
    21 "LOGICAL_AND" LogicalAnd logical_and
    22 "LOGICAL_LEFT_SHIFT" LogicalLeftShift logical_left_shift
    23 "LOGICAL_RIGHT_SHIFT" LogicalRightShift logical_right_shift
    24 "LOGICAL_OR" LogicalOr logical_or
    25 "LOGICAL_XOR" LogicalXor logical_xor
    26 "MAXIMUM" Maximum maximum
    27 "MINIMUM" Minimum minimum
    28 "MUL" Mul mul
    29 "POW" Pow pow
    30 "SUB" Sub sub
    31 "TABLE" Table table
    32 "ABS" Abs abs
    33 "BITWISE_NOT" BitwiseNot bitwise_not
    34 "CEIL" Ceil ceil
    35 "CLZ" Clz clz
    36 "COS" Cos cos
    37 "EXP" Exp exp
    38 "FLOOR" Floor floor
    39 "LOG" Log log
    40 "LOGICAL_NOT" LogicalNot logical_not
    41 "NEGATE" Negate negate
    42 "RECIPROCAL" Reciprocal reciprocal
    43 "RSQRT" Rsqrt rsqrt
    44 "SIN" Sin sin
    45 "SELECT" Select select
    46 "EQUAL" Equal equal
    47 "GREATER" Greater greater
    48 "GREATER_EQUAL" GreaterEqual greater_equal
    49 "REDUCE_ALL" ReduceAll reduce_all
    50 "REDUCE_ANY" ReduceAny reduce_any
    51 "REDUCE_MAX" ReduceMax reduce_max
    52 "REDUCE_MIN" ReduceMin reduce_min
    53 "REDUCE_PRODUCT" ReduceProduct reduce_product
    54 "REDUCE_SUM" ReduceSum reduce_sum
    55 "CONCAT" Concat concat
    56 "PAD" Pad pad
    57 "RESHAPE" Reshape reshape
    58 "REVERSE" Reverse reverse
    59 "SLICE" Slice slice
    60 "TILE" Tile tile
    61 "TRANSPOSE" Transpose transpose
    62 "GATHER" Gather gather
    63 "SCATTER" Scatter scatter
    64 "RESIZE" Resize resize
    65 "CAST" Cast cast
    66 "RESCALE" Rescale rescale
    67 "CONST" Const const_
    68 "IDENTITY" Identity identity
    69 "CUSTOM" Custom custom
    70 "COND_IF" CondIf cond_if
    71 "WHILE_LOOP" WhileLoop while_loop
    72 "VARIABLE" Variable variable
    73 "VARIABLE_WRITE" VariableWrite variable_write
    74 "VARIABLE_READ" VariableRead variable_read
    75 "CONST_SHAPE" ConstShape const_shape
    76 "MATMUL_T_BLOCK_SCALED" MatMulTBlockScaled matmul_t_block_scaled
    77 "CAST_FROM_BLOCK_SCALED" CastFromBlockScaled cast_from_block_scaled
    78 "CAST_TO_BLOCK_SCALED" CastToBlockScaled cast_to_block_scaled
    79 "DIM" Dim dim
    80 "CONCAT_SHAPE" ConcatShape concat_shape
    81 "ADD_SHAPE" AddShape add_shape
    82 "SUB_SHAPE" SubShape sub_shape
    83 "MUL_SHAPE" MulShape mul_shape
    84 "SLICE_SHAPE" SliceShape slice_shape
    85 "EXP2_SHAPE" Exp2Shape exp2_shape
    86 "LOG2_CEIL_SHAPE" Log2CeilShape log2_ceil_shape
    87 "LOG2_FLOOR_SHAPE" Log2FloorShape log2_floor_shape
    88 "MAX_SHAPE" MaxShape max_shape
    89 "MIN_SHAPE" MinShape min_shape
    90 "MOD_SHAPE" ModShape mod_shape
    91 "DIV_CEIL_SHAPE" DivCeilShape div_ceil_shape
    92 "DIV_FLOOR_SHAPE" DivFloorShape div_floor_shape
    93 "ASSERT_EQUAL_SHAPE" AssertEqualShape assert_equal_shape
    94 "CONV2D_BLOCK_SCALED" Conv2dBlockScaled conv2d_block_scaled
    95 "MAX_POOL2D_ADAPTIVE" MaxPool2dAdaptive max_pool2d_adaptive
    96 "AVG_POOL2D_ADAPTIVE" AvgPool2dAdaptive avg_pool2d_adaptive
    97 "RESHAPE_BLOCK_SCALED" ReshapeBlockScaled reshape_block_scaled
    98 "ROW_GATHER_BLOCK_SCALED" RowGatherBlockScaled row_gather_block_scaled
    99 "ROW_GATHER" RowGather row_gather
    100 "MATMUL_T" MatMulT matmul_t
}
