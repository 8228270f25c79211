"""Writes tests/data_b/*.txt: calls of kernels and what torch gives for them.

    python make_fixtures_b.py            # in an environment with torch and executorch

The format stands in src/util/cases.rs. Everything is seeded: the files change only with torch.
"""

import math
import pathlib

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers quantized_decomposed
from torch import nan, inf, tensor

HERE = pathlib.Path(__file__).parent / "data_b"
A = torch.ops.aten
FILES = {}
f32, f64, f16, bf16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
i8, u8, i16, i32, i64, b8 = torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool


class Out:
    """An output: a tensor, or a list of tensors, or a number."""

    def __init__(self, value):
        self.value = value


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


def joined(items):
    return ",".join(str(i) for i in items) or "-"


def number(value, dtype):
    if dtype == b8:
        return str(int(value))
    if not dtype.is_floating_point:
        return str(int(value))
    if dtype == f32:  # the shortest text that reads back as the same float32
        import numpy

        return str(numpy.float32(value))
    return repr(float(value))


def order_of(t):
    """Dimensions by falling stride; of equal strides the outer one first."""
    return sorted(range(t.dim()), key=lambda d: (-t.stride(d), d))


def described(t):
    order = order_of(t)
    flat = t.permute(order).contiguous().flatten().tolist()
    values = " ".join(number(v, t.dtype) for v in flat)
    return f"{name_of(t.dtype)} {joined(t.shape)} {joined(order)} {values}".rstrip()


def line(arg):
    if isinstance(arg, Out):
        if isinstance(arg.value, torch.Tensor):
            return ["out " + described(arg.value)]
        if isinstance(arg.value, (list, tuple)):
            return [f"outs {len(arg.value)}"] + ["out " + described(t) for t in arg.value]
        kind = type(arg.value).__name__.replace("float", "double")
        value = int(arg.value) if isinstance(arg.value, bool) else arg.value
        return [f"number {kind} {value}"]
    if arg is None:
        return ["none"]
    if isinstance(arg, bool):
        return [f"bool {int(arg)}"]
    if isinstance(arg, int):
        return [f"int {arg}"]
    if isinstance(arg, float):
        return [f"double {arg!r}"]
    if isinstance(arg, str):
        return [f"string {arg}"]
    if isinstance(arg, torch.Tensor):
        return ["tensor " + described(arg)]
    if isinstance(arg, torch.dtype):
        return [f"int {SCALAR_TYPES[arg]}"]
    if isinstance(arg, list) and arg and isinstance(arg[0], torch.Tensor):
        return [f"list {len(arg)}"] + ["tensor " + described(t) for t in arg]
    if isinstance(arg, list):
        return [f"ints {joined(arg)}"]
    raise TypeError(arg)


SCALAR_TYPES = {u8: 0, i8: 1, i16: 2, i32: 3, i64: 4, f16: 5, f32: 6, f64: 7, b8: 11, bf16: 15, torch.uint16: 27}


def case(file, name, tolerance, *args):
    lines = FILES.setdefault(file, [])
    lines.append(f"case {name} {tolerance}")
    for arg in args:
        lines += line(arg)


def rand(*sizes, dtype=f32, low=-4.0, high=4.0):
    if dtype == b8:
        return torch.rand(sizes) < 0.5
    if dtype.is_floating_point:
        return (torch.rand(sizes) * (high - low) + low).to(dtype)
    info = torch.iinfo(dtype)
    low, high = max(int(low), info.min), min(int(high), info.max)
    return torch.randint(low, high + 1, sizes, dtype=dtype)


def full_range(*sizes, dtype):
    info = torch.iinfo(dtype)
    return torch.randint(info.min, info.max, sizes, dtype=dtype)


def last(t):
    """The same numbers, channels last in memory."""
    return t.to(memory_format=torch.channels_last)


SPECIAL = tensor([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-40, -1e-40, 3e38, -3e38, 1e-7, 88.0, -88.0, 104.0, -104.0])


def unary():
    wide = torch.cat([SPECIAL, rand(40), rand(30, low=-80, high=80)])
    narrow = torch.cat([tensor([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 1.5]), rand(50, low=-1, high=1)])
    positive = torch.cat([tensor([nan, inf, -1.0, 0.0, 1.0, 1e-40, 3e38]), rand(40, low=0, high=5), rand(30, low=0, high=1e6)])
    angles = torch.cat([tensor([nan, inf, 0.0, -0.0, 1e-7]), rand(60, low=-7, high=7), rand(10, low=-1e4, high=1e4)])
    for name, op, x, tolerance in [
        ("exp", A.exp, wide, "2"),
        ("expm1", A.expm1, wide, "2"),
        ("log", A.log, positive, "2"),
        ("log2", A.log2, positive, "2"),
        ("log10", A.log10, positive, "2"),
        ("log1p", A.log1p, torch.cat([positive, narrow]), "2"),
        ("sqrt", A.sqrt, positive, "1"),
        ("rsqrt", A.rsqrt, positive, "1"),
        ("reciprocal", A.reciprocal, wide, "exact"),
        ("sin", A.sin, angles, "2"),
        ("cos", A.cos, angles, "2"),
        ("tan", A.tan, angles, "2"),
        ("asin", A.asin, narrow, "2"),
        ("acos", A.acos, narrow, "2"),
        ("atan", A.atan, wide, "2"),
        ("sinh", A.sinh, wide, "2"),
        ("cosh", A.cosh, wide, "2"),
        ("tanh", A.tanh, wide, "2"),
        ("asinh", A.asinh, wide, "3"),
        ("acosh", A.acosh, torch.cat([narrow, positive]), "3"),
        ("atanh", A.atanh, narrow, "3"),
        ("erf", A.erf, wide, "3"),
        ("sigmoid", A.sigmoid, wide, "2"),
        ("silu", A.silu, wide, "3"),
        ("hardsigmoid", A.hardsigmoid, wide, "1"),
        ("hardswish", A.hardswish, wide, "1"),
    ]:
        out = f"aten::{name}.out"
        case(name, out, tolerance, x, Out(op(x)))
        # Another memory order for the output, no elements, and half precision.
        x = x[7 : 7 + 24].reshape(1, 2, 3, 4)
        case(name, out, tolerance, x, Out(last(op(x))))
        case(name, out, tolerance, last(x), Out(last(op(x))))
        case(name, out, "exact", torch.empty(0, 3), Out(torch.empty(0, 3)))
        # One unit of float16 is 2^13 units of float32.
        half = rand(6, low=0.1, high=0.9).half()
        case(name, out, "8192", half, Out(op(half.float()).half()))
        if name not in ("silu", "hardsigmoid", "hardswish"):
            whole = rand(5, dtype=i32, low=1, high=9) if name not in ("asin", "acos", "atanh") else tensor([0, 1, -1, 1, 0], dtype=i32)
            case(name, out, tolerance, whole, Out(op(whole)))

    # Where x is at least half a step from the place where results underflow, torch flushes nothing.
    for name, op in [("neg", A.neg), ("abs", A.abs), ("floor", A.floor), ("ceil", A.ceil), ("trunc", A.trunc), ("round", A.round), ("sign", A.sign), ("relu", A.relu)]:
        out = f"aten::{name}.out"
        case(name, out, "exact", wide, Out(op(wide)))
        case(name, out, "exact", last(wide[:24].reshape(1, 2, 3, 4)), Out(op(wide[:24].reshape(1, 2, 3, 4))))
        for dtype in (i8, i16, i32, i64):
            x = torch.cat([tensor([torch.iinfo(dtype).min, torch.iinfo(dtype).max, 0, -1]).to(dtype), full_range(6, dtype=dtype)])
            if dtype != i64 and name == "abs":
                expected = x.to(i64).abs().to(dtype)
            else:
                expected = op(x)
            case(name, out, "exact", x, Out(expected))
        if name in ("neg", "abs", "sign"):
            x = tensor([0, 1, 200, 255], dtype=u8)
            case(name, out, "exact", x, Out(op(x)))

    for low, high in [(0.0, 6.0), (-1.0, 1.0), (-0.5, 0.25)]:
        case("hardtanh", "aten::hardtanh.out", "exact", wide, low, high, Out(A.hardtanh(wide, low, high)))
    whole = full_range(12, dtype=i8)
    case("hardtanh", "aten::hardtanh.out", "exact", whole, -6, 20, Out(A.hardtanh(whole, -6, 20)))
    for low, high in [(0, None), (None, 6), (-1.5, 1.5), (2.0, -2.0), (nan, None)]:
        case("clamp", "aten::clamp.out", "exact", wide, low, high, Out(A.clamp(wide, low, high)))
    for dtype in (i8, u8, i64):
        x = full_range(12, dtype=dtype)
        case("clamp", "aten::clamp.out", "exact", x, 3, 50, Out(A.clamp(x, 3, 50)))
    case("clamp", "aten::clamp.out", "exact", tensor([1, 5], dtype=i32), 1.5, 3.5, Out(A.clamp(tensor([1, 5], dtype=i32), 1.5, 3.5)))
    x, low, high = rand(2, 3, 4), rand(3, 1), rand(4)
    for l, h in [(low, high), (low, None), (None, high)]:
        case("clamp", "aten::clamp.Tensor_out", "exact", x, l, h, Out(A.clamp.Tensor(x, l, h)))
    x, low = full_range(2, 3, dtype=i16), full_range(3, dtype=i16)
    case("clamp", "aten::clamp.Tensor_out", "exact", x, low, None, Out(A.clamp.Tensor(x, low)))
    case("leaky_relu", "aten::leaky_relu.out", "exact", wide, 0.01, Out(A.leaky_relu(wide, 0.01)))
    case("leaky_relu", "aten::leaky_relu.out", "exact", wide, 2, Out(A.leaky_relu(wide, 2)))
    for args in [(1, 1, 1), (0.5, 2.0, 0.25), (1.6732632423543772, 1.0507009873554805, 1)]:
        case("elu", "aten::elu.out", "4+1e-7", wide, *args, Out(A.elu(wide, *args)))
    probabilities = torch.cat([tensor([0.0, 1.0, nan, 0.5, 2.0]), rand(30, low=0, high=1)])
    for eps in (None, 0.1):
        case("logit", "aten::logit.out", "3+1e-6", probabilities, eps, Out(A.logit(probabilities, eps)))
    for name, op in [("isnan", A.isnan), ("isinf", A.isinf), ("logical_not", A.logical_not)]:
        for x in (wide, tensor([0, 3], dtype=i32), tensor([True, False])):
            case(name, f"aten::{name}.out", "exact", x, Out(op(x)))
    for dtype in (i8, u8, i16, i32, i64, b8):
        x = rand(8, dtype=dtype) if dtype == b8 else full_range(8, dtype=dtype)
        case("bitwise_not", "aten::bitwise_not.out", "exact", x, Out(A.bitwise_not(x)))


SHAPES = [((2, 3), (2, 3)), ((2, 3, 4), (3, 1)), ((3, 1), (2, 1, 4)), ((), (2, 2)), ((2, 0, 3), (1, 3)), ((1, 4, 3, 3), (1, 4, 1, 1))]


def binary():
    for dtype in (f32, i8, u8, i16, i32, i64):
        for a, b in SHAPES if dtype in (f32, i32) else SHAPES[:2]:
            x = rand(*a, dtype=dtype) if dtype == f32 else full_range(*a, dtype=dtype)
            y = rand(*b, dtype=dtype) if dtype == f32 else full_range(*b, dtype=dtype)
            for name, op in [("add", A.add.Tensor), ("sub", A.sub.Tensor)]:
                case(name, f"aten::{name}.out", "exact", x, y, 1, Out(op(x, y)))
            case("mul", "aten::mul.out", "exact", x, y, Out(A.mul.Tensor(x, y)))
            for name, op in [("maximum", A.maximum), ("minimum", A.minimum)]:
                case(name, f"aten::{name}.out", "exact", x, y, Out(op(x, y)))
            case("div", "aten::div.out", "exact", x, torch.where(y == 0, 1, y).to(dtype), Out(A.div.Tensor(x, torch.where(y == 0, 1, y).to(dtype))))
    x, y = rand(1, 2, 3, 4), rand(1, 2, 3, 4)
    for a, b, back in [(last(x), last(y), last), (last(x), y, last), (x, last(y), lambda t: t.contiguous()), (last(x), last(rand(1, 2, 1, 1)), last)]:
        case("add", "aten::add.out", "exact", a, b, 1, Out(back(A.add.Tensor(a, b))))
        case("mul", "aten::mul.out", "exact", a, b, Out(back(A.mul.Tensor(a, b))))
    x, y = rand(6), rand(6)
    case("add", "aten::add.out", "1+5e-7", x, y, 2.5, Out(A.add.Tensor(x, y, alpha=2.5)))
    case("sub", "aten::sub.out", "1+5e-7", x, y, -3, Out(A.sub.Tensor(x, y, alpha=-3)))
    n, m = full_range(6, dtype=i8), full_range(6, dtype=i8)
    case("add", "aten::add.out", "exact", n, m, 3, Out(A.add.Tensor(n, m, alpha=3)))
    case("sub", "aten::sub.out", "exact", n, m, 3, Out(A.sub.Tensor(n, m, alpha=3)))
    t, u = tensor([True, False, True, False]), tensor([True, True, False, False])
    case("add", "aten::add.out", "exact", t, u, 1, Out(A.add.Tensor(t, u)))
    case("mul", "aten::mul.out", "exact", t, u, Out(A.mul.Tensor(t, u)))
    # Mixed types: a float and an integer make a float, two integers the wider one.
    mixed = rand(6, dtype=i32, low=-100, high=100)
    case("add", "aten::add.out", "exact", x, mixed, 1, Out(A.add.Tensor(x, mixed)))
    case("mul", "aten::mul.out", "exact", mixed, x, Out(A.mul.Tensor(mixed, x)))
    case("sub", "aten::sub.out", "exact", mixed, n, 1, Out(A.sub.Tensor(mixed, n)))
    half = rand(6, dtype=f16)
    case("add", "aten::add.out", "exact", half, half.flip(0), 1, Out(A.add.Tensor(half, half.flip(0))))
    specials = SPECIAL
    for other in (SPECIAL.flip(0), tensor([nan]), tensor(0.0)):
        case("add", "aten::add.out", "exact", specials, other, 1, Out(A.add.Tensor(specials, other)))
        case("mul", "aten::mul.out", "exact", specials, other, Out(A.mul.Tensor(specials, other)))
        case("div", "aten::div.out", "exact", specials, other, Out(A.div.Tensor(specials, other)))
        case("maximum", "aten::maximum.out", "exact", specials, other, Out(A.maximum(specials, other)))
        case("minimum", "aten::minimum.out", "exact", specials, other, Out(A.minimum(specials, other)))
    for other in (2.5, 3, -7):
        x, n = rand(2, 3), full_range(2, 3, dtype=i16)
        for t in (x, n):
            case("add", "aten::add.Scalar_out", "1+1e-6", t, other, 2, Out(A.add.Scalar(t, other, 2)))
            case("sub", "aten::sub.Scalar_out", "1+1e-6", t, other, 2, Out(A.sub.Scalar(t, other, 2)))
            case("rsub", "aten::rsub.Scalar_out", "exact", t, other, 1, Out(A.rsub.Scalar(t, other, 1)))
            case("mul", "aten::mul.Scalar_out", "exact", t, other, Out(A.mul.Scalar(t, other)))
            case("div", "aten::div.Scalar_out", "1", t, other, Out(A.div.Scalar(t, other)))

    # Division and remainders: all signs, and floats also by zero.
    a = tensor([7, -7, 7, -7, 0, 6, -6, 127, -128])
    b = tensor([3, 3, -3, -3, 5, 3, -3, -1, -1])
    x = torch.cat([tensor([7.0, -7.0, 7.0, -7.0, 0.0, -0.0, 1.0, nan, inf, 5.0, -1e30, 1e-3]), rand(20)])
    y = torch.cat([tensor([3.0, 3.0, -3.0, -3.0, 5.0, 2.0, 0.0, 1.0, 2.0, inf, 3.7, 1e5]), rand(20)])
    for dtype in (i8, i32, i64, f32):
        p, q = (x, y) if dtype == f32 else (a.to(dtype), b.to(dtype))
        for mode in ("trunc", "floor") + ((None,) if dtype == f32 else ()):
            expected = A.div.Tensor_mode(p, q, rounding_mode=mode)
            case("div", "aten::div.out_mode", "exact", p, q, mode, Out(expected))
            for scalar in (3, -2) + ((0.7,) if dtype == f32 else ()):
                # By a number torch multiplies with the reciprocal before it rounds down: use a tensor.
                expected = A.div.Tensor_mode(p, tensor(scalar, dtype=dtype), rounding_mode=mode)
                case("div", "aten::div.Scalar_mode_out", "exact", p, scalar, mode, Out(expected))
        case("floor_divide", "aten::floor_divide.out", "exact", p, q, Out(A.floor_divide(p, q)))
        for name, op in [("fmod", A.fmod), ("remainder", A.remainder)]:
            case(name, f"aten::{name}.Tensor_out", "exact", p, q, Out(op.Tensor(p, q)))
            for scalar in (3, -2) + ((0.7,) if dtype == f32 else ()):
                case(name, f"aten::{name}.Scalar_out", "exact", p, scalar, Out(op.Scalar(p, scalar)))
    y, x = rand(30), rand(30)
    case("atan2", "aten::atan2.out", "3", torch.cat([y, tensor([0.0, -0.0, 0.0, -0.0, 1.0])]), torch.cat([x, tensor([-1.0, -1.0, 1.0, 1.0, 0.0])]), Out(A.atan2(torch.cat([y, tensor([0.0, -0.0, 0.0, -0.0, 1.0])]), torch.cat([x, tensor([-1.0, -1.0, 1.0, 1.0, 0.0])]))))
    base = torch.cat([tensor([0.0, 1.0, -1.0, -2.0, -2.0, nan, inf]), rand(30, low=0, high=4)])
    exponent = torch.cat([tensor([0.0, nan, 3.0, 3.0, 0.5, 0.0, -1.0]), rand(30)])
    case("pow", "aten::pow.Tensor_Tensor_out", "2", base, exponent, Out(A.pow.Tensor_Tensor(base, exponent)))
    for e in (2, 2.0, 3, 0.5, -1, -0.5, 1.7, 0):
        case("pow", "aten::pow.Tensor_Scalar_out", "2", base, e, Out(A.pow.Tensor_Scalar(base, e)))
        case("pow", "aten::pow.Scalar_out", "2", abs(e) + 0.5, exponent, Out(A.pow.Scalar(abs(e) + 0.5, exponent)))
    for dtype in (i8, i64):
        n, e = rand(8, dtype=dtype, low=-9, high=9), tensor([0, 1, 2, 3, 5, 9, 2, 7], dtype=dtype)
        case("pow", "aten::pow.Tensor_Tensor_out", "exact", n, e, Out(A.pow.Tensor_Tensor(n, e)))
        case("pow", "aten::pow.Tensor_Scalar_out", "exact", n, 3, Out(A.pow.Tensor_Scalar(n, 3)))
        case("pow", "aten::pow.Tensor_Scalar_out", "exact", n, 2, Out(A.pow.Tensor_Scalar(n, 2)))
        case("pow", "aten::pow.Scalar_out", "exact", 3, e, Out(A.pow.Scalar(3, e)))
    n, e = tensor([1, -1, -1, 2, 5]), tensor([-3, -3, -2, -1, 0])
    case("pow", "aten::pow.Tensor_Tensor_out", "exact", n, e, Out(A.pow.Tensor_Tensor(n, e)))

    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        op = getattr(A, name)
        x, y = torch.cat([SPECIAL, rand(4)]), torch.cat([SPECIAL.roll(3), rand(4)])
        x[8], y[8] = 2.0, 2.0
        case(name, f"aten::{name}.Tensor_out", "exact", x, y, Out(op.Tensor(x, y)))
        case(name, f"aten::{name}.Scalar_out", "exact", x, 0.5, Out(op.Scalar(x, 0.5)))
        for dtype in (i8, u8, i64, b8):
            p, q = rand(2, 3, dtype=dtype, low=-2, high=2), rand(3, dtype=dtype, low=-2, high=2)
            case(name, f"aten::{name}.Tensor_out", "exact", p, q, Out(op.Tensor(p, q)))
            case(name, f"aten::{name}.Scalar_out", "exact", p, 1, Out(op.Scalar(p, 1)))
        p = tensor([1, 2, 3])
        case(name, f"aten::{name}.Scalar_out", "exact", p, 2.5, Out(op.Scalar(p, 2.5)))
        # The last bit of 64 counts.
        p = tensor([2**53, 2**53 + 1])
        case(name, f"aten::{name}.Scalar_out", "exact", p, 2**53 + 1, Out(op.Scalar(p, 2**53 + 1)))
    for name in ("logical_and", "logical_or", "logical_xor"):
        op = getattr(A, name)
        for p, q in [(tensor([True, False, True]), tensor([True, True, False])), (tensor([0.0, nan, 2.0, -0.0]), tensor([1.0, 0.0, 3.0, 0.0])), (tensor([[0], [7]], dtype=i8), tensor([0.0, 0.5]))]:
            case(name, f"aten::{name}.out", "exact", p, q, Out(op(p, q)))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        op = getattr(A, name)
        for dtype in (i8, u8, i16, i32, i64, b8):
            p = rand(2, 3, dtype=b8) if dtype == b8 else full_range(2, 3, dtype=dtype)
            q = rand(3, dtype=b8) if dtype == b8 else full_range(3, dtype=dtype)
            case(name, f"aten::{name}.Tensor_out", "exact", p, q, Out(op.Tensor(p, q)))
            scalar = True if dtype == b8 else 90
            case(name, f"aten::{name}.Scalar_out", "exact", p, scalar, Out(op.Scalar(p, scalar)))
    for name, op in [("bitwise_left_shift", A.bitwise_left_shift), ("bitwise_right_shift", A.bitwise_right_shift)]:
        for dtype in (i8, u8, i16, i32, i64):
            p = full_range(10, dtype=dtype)
            q = tensor([0, 1, 2, 3, 7, 8, 16, 31, 32, 64], dtype=dtype)
            case(name, f"aten::{name}.Tensor_out", "exact", p, q, Out(op.Tensor(p, q)))
            case(name, f"aten::{name}.Tensor_Scalar_out", "exact", p, 3, Out(op.Tensor_Scalar(p, 3)))
        p = full_range(3, dtype=i32)
        q = tensor([-1, -5, 100], dtype=i32)
        case(name, f"aten::{name}.Tensor_out", "exact", p, q, Out(op.Tensor(p, q)))

    c = rand(2, 3, dtype=b8)
    for x, y in [(rand(2, 3), rand(2, 3)), (rand(3), rand(2, 1)), (full_range(2, 3, dtype=i64), full_range(2, 3, dtype=i64)), (rand(2, 3), full_range(3, dtype=i16)), (full_range(3, dtype=i8), full_range(3, dtype=i32))]:
        case("where_", "aten::where.self_out", "exact", c, x, y, Out(A.where.self(c, x, y)))
    x, y = rand(1, 2, 3, 4), rand(1, 2, 3, 4)
    case("where_", "aten::where.self_out", "exact", x > 0, last(x), last(y), Out(last(A.where.self(x > 0, x, y))))
    for x, value in [(rand(2, 3), -inf), (full_range(2, 3, dtype=i8), 7), (rand(2, 3, dtype=f64), 0.1), (rand(2, 3, dtype=f16), 3), (rand(2, 3, dtype=b8), True)]:
        case("masked_fill", "aten::masked_fill.Scalar_out", "exact", x, c[0], value, Out(A.masked_fill.Scalar(x, c[0], value)))


def reductions():
    x = rand(2, 3, 4)
    x4 = rand(2, 3, 4, 5)
    big = rand(1, 700, low=0, high=1000)
    for t in (x, last(x4), rand(5), tensor(3.5)):
        for dims in ([], [0], [-1], [0, -1]) if t.dim() > 1 else ([], [0]):
            if t.dim() == 0 and dims:
                continue
            for keep in (False, True):
                for name, op, tolerance in [("mean", A.mean.dim, "2+1e-7"), ("sum", A.sum.dim_IntList, "2+1e-6"), ("amax", A.amax, "exact"), ("amin", A.amin, "exact")]:
                    out = "aten::sum.IntList_out" if name == "sum" else f"aten::{name}.out"
                    rest = (None,) if name in ("mean", "sum") else ()
                    case(name, out, tolerance, t, dims, keep, *rest, Out(op(t, dims, keep).contiguous()))
    case("mean", "aten::mean.out", "2+1e-7", last(x4), [2, 3], True, None, Out(last(A.mean.dim(x4, [2, 3], True))))
    case("mean", "aten::mean.out", "2", big, [1], False, None, Out(A.mean.dim(big.double(), [1]).float()))
    case("sum", "aten::sum.IntList_out", "1", big, [1], True, None, Out(A.sum.dim_IntList(big.double(), [1], True).float()))
    case("mean", "aten::mean.dtype_out", "2+1e-7", x, None, Out(A.mean(x)))
    case("mean", "aten::mean.out", "exact", torch.empty(2, 0), [1], False, None, Out(tensor([nan, nan])))
    case("sum", "aten::sum.IntList_out", "exact", torch.empty(2, 0), [1], False, None, Out(tensor([0.0, 0.0])))
    case("sum", "aten::sum.IntList_out", "exact", torch.empty(0, 2), [1], False, None, Out(torch.empty(0)))
    case("sum", "aten::sum.IntList_out", "exact", tensor([inf, 1.0, -2.0]), [0], False, None, Out(tensor(inf)))
    case("sum", "aten::sum.IntList_out", "exact", tensor([inf, 1.0, -inf]), None, False, None, Out(tensor(nan)))
    for dtype in (i8, i32, i64, b8):
        n = rand(3, 4, dtype=b8) if dtype == b8 else full_range(3, 4, dtype=dtype)
        case("sum", "aten::sum.IntList_out", "exact", n, [1], False, None, Out(A.sum.dim_IntList(n, [1])))
        case("prod", "aten::prod.int_out", "exact", n, 1, True, None, Out(A.prod.dim_int(n, 1, True)))
        case("prod", "aten::prod.out", "exact", n, None, Out(A.prod(n)))
        case("any", "aten::any.out", "exact", n, 0, False, Out(A.any.dim(n, 0)))
        case("all", "aten::all.out", "exact", n, 0, False, Out(A.all.dim(n, 0).to(b8)))
        for name, op in [("amax", A.amax), ("amin", A.amin)]:
            case(name, f"aten::{name}.out", "exact", n, [0], True, Out(op(n, [0], True)))
        for name, op, overload in [("max", A.max, "dim_max"), ("min", A.min, "dim_min")]:
            values, indices = op.dim(n, 1)
            if dtype != b8:
                case(name, f"aten::{name}.{overload}", "exact", n, 1, False, Out(values), Out(indices))
            case(name, f"aten::{name}.unary_out", "exact", n, Out(op(n)))
    case("prod", "aten::prod.int_out", "4", x, 1, False, None, Out(A.prod.dim_int(x, 1)))
    case("prod", "aten::prod.out", "24", x, None, Out(A.prod(x)))
    case("prod", "aten::prod.out", "exact", torch.empty(0), None, Out(tensor(1.0)))
    ties = tensor([[1.0, 3.0, 3.0, -2.0], [nan, 1.0, nan, 5.0], [-inf, -inf, -inf, -inf], [-1.0, -5.0, -5.0, 0.0]])
    for t in (ties, x[0], last(x4), tensor([2.0]), full_range(2, 5, dtype=i16)):
        for d in (None, 0, -1):
            for keep in (False, True):
                for name, op in [("argmax", A.argmax), ("argmin", A.argmin)]:
                    case(name, f"aten::{name}.out", "exact", t, d, keep, Out(op(t, d, keep).contiguous()))
                if d is not None:
                    for name, op, overload in [("max", A.max, "dim_max"), ("min", A.min, "dim_min")]:
                        values, indices = op.dim(t, d, keep)
                        case(name, f"aten::{name}.{overload}", "exact", t, d, keep, Out(values.contiguous()), Out(indices.contiguous()))
        for name, op in [("amax", A.amax), ("amin", A.amin)]:
            case(name, f"aten::{name}.out", "exact", t, [-1], False, Out(op(t, [-1]).contiguous()))
        for name, op in [("max", A.max), ("min", A.min)]:
            case(name, f"aten::{name}.unary_out", "exact", t, Out(op(t)))
    for t in (tensor([[0.0, -0.0], [nan, 0.0]]), tensor([[0, 0], [0, 4]]), torch.empty(0, 2)):
        for d in (0, 1):
            case("any", "aten::any.out", "exact", t, d, True, Out(A.any.dim(t, d, True)))
            case("all", "aten::all.out", "exact", t, d, True, Out(A.all.dim(t, d, True)))
        case("any", "aten::any.dims_out", "exact", t, [0, 1], False, Out(A.any.dims(t, [0, 1])))
        case("any", "aten::any.dims_out", "exact", t, None, True, Out(A.any.dims(t, None, True)))
        case("any", "aten::any.all_out", "exact", t, Out(A.any(t)))
        case("all", "aten::all.all_out", "exact", t, Out(A.all(t)))
    for t in (x, x + 1000, last(x4)):
        for dims, correction, keep in [([-1], 1, True), ([0, 1], 0, False), (None, None, False), ([2], 2.0, False)]:
            case("var", "aten::var.correction_out", "4", t, dims, correction, keep, Out(A.var.correction(t.double(), dims, correction=correction, keepdim=keep).float().contiguous()))
        case("var", "aten::var.out", "4", t, [1], True, False, Out(A.var.dim(t.double(), [1], True).float().contiguous()))
        case("var", "aten::var.out", "4", t, [1], False, True, Out(A.var.dim(t.double(), [1], False, True).float().contiguous()))
    case("var", "aten::var.correction_out", "exact", tensor([[1.0]]), [1], 1, False, Out(tensor([nan])))


def movement():
    def tensors():
        yield rand(2, 3, 4)
        yield full_range(2, 3, 4, dtype=i8)
        yield full_range(2, 3, 4, dtype=i64)
        yield rand(2, 3, 4, dtype=f16)
        yield rand(2, 3, 4, dtype=b8)

    x4 = rand(2, 3, 4, 2)
    for x in tensors():
        C = torch.Tensor.contiguous
        case("permute_copy", "aten::permute_copy.out", "exact", x, [2, 0, 1], Out(C(A.permute_copy(x, [2, 0, 1]))))
        case("transpose_copy", "aten::transpose_copy.int_out", "exact", x, 0, -1, Out(C(A.transpose_copy.int(x, 0, -1))))
        case("t_copy", "aten::t_copy.out", "exact", x[0], Out(C(A.t_copy(x[0]))))
        case("view_copy", "aten::view_copy.out", "exact", x, [4, -1], Out(A.view_copy(x, [4, -1])))
        case("expand_copy", "aten::expand_copy.out", "exact", x[:, :1], [2, -1, 3, 4], False, Out(C(A.expand_copy(x[:, :1], [2, -1, 3, 4]))))
        case("slice_copy", "aten::slice_copy.Tensor_out", "exact", x, 2, 1, 4, 2, Out(C(A.slice_copy.Tensor(x, 2, 1, 4, 2))))
        case("narrow_copy", "aten::narrow_copy.out", "exact", x, 1, -2, 2, Out(C(A.narrow_copy(x, 1, -2, 2))))
        case("select_copy", "aten::select_copy.int_out", "exact", x, 1, -1, Out(C(A.select_copy.int(x, 1, -1))))
        case("split_copy", "aten::split_copy.Tensor_out", "exact", x, 3, 2, Out([C(t) for t in A.split_copy.Tensor(x, 3, 2)]))
        case("split_with_sizes_copy", "aten::split_with_sizes_copy.out", "exact", x, [1, 0, 3], -1, Out([C(t) for t in A.split_with_sizes_copy(x, [1, 0, 3], -1)]))
        case("unbind_copy", "aten::unbind_copy.int_out", "exact", x, 1, Out([C(t) for t in A.unbind_copy.int(x, 1)]))
        case("flip", "aten::flip.out", "exact", x, [0, -1], Out(A.flip(x, [0, -1])))
        case("repeat", "aten::repeat.out", "exact", x[:, :2, 1:3], [2, 1, 1, 2], Out(A.repeat(x[:, :2, 1:3], [2, 1, 1, 2])))
        case("cat", "aten::cat.out", "exact", [x, x[:, :1], x[:, 1:]], 1, Out(A.cat([x, x[:, :1], x[:, 1:]], 1)))
        case("stack", "aten::stack.out", "exact", [x, x.flip(0)], 1, Out(A.stack([x, x.flip(0)], 1)))
        case("clone", "aten::clone.out", "exact", x, None, Out(x))
        for name in ("alias_copy", "detach_copy", "lift_fresh_copy"):
            case(name, f"aten::{name}.out", "exact", x, Out(x))
        index = tensor([2, 0, 2, 1])
        case("index_select", "aten::index_select.out", "exact", x, 1, index, Out(A.index_select(x, 1, index)))
        index = torch.randint(0, 3, (2, 2, 4))
        case("gather", "aten::gather.out", "exact", x, 1, index, False, Out(A.gather(x, 1, index)))
        index = tensor([[1, 0, 1], [0, 0, 1]])
        table = x[0, :2]
        case("embedding", "aten::embedding.out", "exact", table, index, -1, False, False, Out(table[index]))
    C = torch.Tensor.contiguous
    # Channels last on one side, on both, and between.
    case("permute_copy", "aten::permute_copy.out", "exact", last(x4), [0, 2, 3, 1], Out(C(x4.permute(0, 2, 3, 1))))
    case("permute_copy", "aten::permute_copy.out", "exact", x4, [1, 0, 3, 2], Out(last(x4.permute(1, 0, 3, 2))))
    case("clone", "aten::clone.out", "exact", last(x4), None, Out(x4))
    case("clone", "aten::clone.out", "exact", x4, None, Out(last(x4)))
    case("slice_copy", "aten::slice_copy.Tensor_out", "exact", last(x4), 1, 1, 3, 1, Out(last(x4[:, 1:3])))
    case("cat", "aten::cat.out", "exact", [last(x4), x4], 1, Out(last(torch.cat([x4, x4], 1))))
    case("cat", "aten::cat.out", "exact", [x4, x4], -1, Out(torch.cat([x4, x4], -1)))
    case("index_select", "aten::index_select.out", "exact", last(x4), 3, tensor([1, 0, 1], dtype=i32), Out(last(x4[..., [1, 0, 1]])))
    case("gather", "aten::gather.out", "exact", last(x4), 2, last(torch.randint(0, 1, (2, 3, 4, 2))), False, Out(last(x4[:, :, :1].repeat(1, 1, 4, 1))))
    case("flip", "aten::flip.out", "exact", last(x4), [1, 3], Out(last(x4.flip(1, 3))))
    case("unbind_copy", "aten::unbind_copy.int_out", "exact", last(x4), 0, Out([C(t) for t in x4.unbind(0)]))
    case("split_copy", "aten::split_copy.Tensor_out", "exact", last(x4), 2, 1, Out([C(t) for t in x4.split(2, 1)]))
    pooled = last(rand(2, 3, 1, 1))
    case("view_copy", "aten::view_copy.out", "exact", pooled, [2, 3], Out(pooled.reshape(2, 3)))
    # Odd sizes: nothing, scalars, negative and far limits.
    empty = torch.empty(0, 3)
    case("cat", "aten::cat.out", "exact", [torch.empty(0), x4[0], x4[1]], 0, Out(torch.cat([x4[0], x4[1]])))
    case("cat", "aten::cat.out", "exact", [empty, empty], 0, Out(empty))
    case("cat", "aten::cat.out", "exact", [empty, rand(1, 3) * 0 + 2], 0, Out(torch.full((1, 3), 2.0)))
    case("view_copy", "aten::view_copy.out", "exact", empty, [3, 0], Out(torch.empty(3, 0)))
    case("view_copy", "aten::view_copy.out", "exact", tensor(4.0), [1, 1], Out(tensor([[4.0]])))
    case("view_copy", "aten::view_copy.out", "exact", tensor([[4.0]]), [], Out(tensor(4.0)))
    case("permute_copy", "aten::permute_copy.out", "exact", empty, [1, 0], Out(torch.empty(3, 0)))
    case("permute_copy", "aten::permute_copy.out", "exact", tensor(4.0), [], Out(tensor(4.0)))
    case("transpose_copy", "aten::transpose_copy.int_out", "exact", tensor([1.0, 2.0]), 0, 0, Out(tensor([1.0, 2.0])))
    case("t_copy", "aten::t_copy.out", "exact", tensor([1.0, 2.0]), Out(tensor([1.0, 2.0])))
    case("flip", "aten::flip.out", "exact", empty, [0], Out(empty))
    case("repeat", "aten::repeat.out", "exact", tensor([1, 2]), [0, 2], Out(torch.empty(0, 4, dtype=i64)))
    case("repeat", "aten::repeat.out", "exact", tensor(7, dtype=i8), [3], Out(tensor([7, 7, 7], dtype=i8)))
    v = tensor([1, 2, 3, 4, 5], dtype=i16)
    for start, end, step in [(None, None, 1), (-2, None, 1), (None, -1, 2), (1, 2**62, 3), (4, 2, 1), (-9, 9, 1)]:
        case("slice_copy", "aten::slice_copy.Tensor_out", "exact", v, 0, start, end, step, Out(v[start:end:step]))
    case("stack", "aten::stack.out", "exact", [tensor(1), tensor(2)], 0, Out(tensor([1, 2])))
    case("stack", "aten::stack.out", "exact", [v, v], -1, Out(torch.stack([v, v], -1)))
    case("embedding", "aten::embedding.out", "exact", rand(1, 2) * 0 + 3, tensor(0), -1, False, False, Out(tensor([3.0, 3.0])))
    for d in (0, -1, 1):
        s = rand(2, 1, 3)
        case("unsqueeze_copy", "aten::unsqueeze_copy.out", "exact", s, d, Out(s.unsqueeze(d)))
        case("squeeze_copy", "aten::squeeze_copy.dim_out", "exact", s, d, Out(s.squeeze(d)))
    case("squeeze_copy", "aten::squeeze_copy.dims_out", "exact", s, [0, 1, 2], Out(s.squeeze(1)))
    case("squeeze_copy", "aten::squeeze_copy.dims_out", "exact", pooled, [2, -1], Out(pooled.reshape(2, 3)))
    case("unsqueeze_copy", "aten::unsqueeze_copy.out", "exact", tensor(1.0), 0, Out(tensor([1.0])))


def fills():
    for dtype, value in [(f32, 1.5), (f64, 0.1), (i8, -3), (i64, 2**40), (b8, True), (f16, 3), (u8, 200), (f32, 7), (f32, -inf)]:
        case("full", "aten::full.out", "exact", [2, 3], value, Out(torch.full((2, 3), value, dtype=dtype)))
        case("full_like", "aten::full_like.out", "exact", rand(2, 0, 3), value, None, Out(torch.full((2, 0, 3), value, dtype=dtype)))
        case("full_like", "aten::full_like.out", "exact", rand(3), value, None, Out(torch.full((3,), value, dtype=dtype)))
        case("fill", "aten::fill.Scalar_out", "exact", torch.zeros(3, dtype=dtype), value, Out(torch.full((3,), value, dtype=dtype)))
        case("fill", "aten::fill.Tensor_out", "exact", torch.zeros(3, dtype=dtype), tensor(value, dtype=dtype), Out(torch.full((3,), value, dtype=dtype)))
        case("scalar_tensor", "aten::scalar_tensor.out", "exact", value, Out(torch.scalar_tensor(value, dtype=dtype)))
        case("zeros", "aten::zeros.out", "exact", [2, 2], Out(torch.zeros(2, 2, dtype=dtype)))
        case("ones", "aten::ones.out", "exact", [2, 2], Out(torch.ones(2, 2, dtype=dtype)))
    case("fill", "aten::fill.Tensor_out", "exact", torch.zeros(3), tensor(2), Out(torch.full((3,), 2.0)))
    case("zeros", "aten::zeros.out", "exact", [], Out(tensor(0.0)))
    # Empty tensors are zero here.
    case("empty", "aten::empty.out", "exact", [2, 2], None, Out(torch.zeros(2, 2)))
    case("empty_dim_order", "dim_order_ops::_empty_dim_order.out", "exact", [2, 2], None, Out(torch.zeros(2, 2)))
    for dtype, end in [(i64, 5), (i32, 3), (f32, 4), (f32, 2.5), (i64, 0)]:
        case("arange", "aten::arange.out", "exact", end, Out(torch.arange(end, dtype=dtype)))
    for dtype, start, end, step in [(i64, 0, 8, 1), (i64, 10, -3, -4), (f32, 0.0, 1.0, 0.1), (f32, 1, 2, 0.3), (i8, -3, 4, 2), (f64, 0.5, 2.0, 0.5)]:
        case("arange", "aten::arange.start_out", "exact", start, end, step, Out(torch.arange(start, end, step, dtype=dtype)))


def casts():
    whole = tensor([0, 1, -1, 5, 127, -128, 100])
    floats = tensor([0.0, 0.5, -0.5, 1.9, -1.9, 100.7, -100.7])
    sources = [floats, floats.double(), floats.half(), whole.to(i8), whole.to(i16), whole.to(i32), whole, tensor([0, 1, 200, 255], dtype=u8), tensor([True, False])]
    for x in sources:
        for dtype in (f32, f64, f16, i8, i16, i32, i64, u8, b8):
            if dtype == u8 and x.dtype.is_floating_point:
                x = x.abs()
            expected = x.to(dtype)
            case("to_copy", "aten::_to_copy.out", "exact", x, False, None, Out(expected))
            case("to_dim_order_copy", "dim_order_ops::_to_dim_order_copy.out", "exact", x, False, [0], Out(expected))
    big = tensor([2**53 + 1, -(2**62), 16777217, 2**31])
    for dtype in (f32, f64, i32, i8, b8):
        case("to_copy", "aten::_to_copy.out", "exact", big, False, None, Out(big.to(dtype)))
    precise = tensor([1.0 + 2.0**-30, 2.0**40 + 0.5, -(2.0**52) - 1, nan, inf], dtype=f64)
    case("to_copy", "aten::_to_copy.out", "exact", precise, False, None, Out(precise.float()))
    case("to_copy", "aten::_to_copy.out", "exact", precise[:3], False, None, Out(precise[:3].to(i64)))
    case("to_copy", "aten::_to_copy.out", "exact", precise, False, None, Out(precise != 0))
    halves = tensor([65504.0, 65519.0, 65520.0, 1e-8, 6e-8, -2.0**-14, 0.1, nan])
    case("to_copy", "aten::_to_copy.out", "exact", halves, False, None, Out(halves.half()))
    x4 = rand(1, 2, 3, 2)
    for name, op in [("to_dim_order_copy", "dim_order_ops::_to_dim_order_copy.out"), ("clone_dim_order", "dim_order_ops::_clone_dim_order.out")]:
        case(name, op, "exact", x4, False, [0, 2, 3, 1], Out(last(x4)))
        case(name, op, "exact", last(x4), False, [0, 1, 2, 3], Out(x4))
        case(name, op, "exact", last(x4), False, [0, 2, 3, 1], Out(last(x4)))
    case("to_dim_order_copy", "dim_order_ops::_to_dim_order_copy.out", "exact", last(x4), False, [0, 1, 2, 3], Out(x4.to(i32)))
    case("to_dim_order_copy", "dim_order_ops::_to_dim_order_copy.out", "exact", tensor(7), False, [], Out(tensor(7.0)))
    for a, b in [(torch.zeros(2, 3), rand(2, 3)), (torch.zeros(2, 3), rand(3)), (torch.zeros(2, 3), full_range(2, 1, dtype=i8)), (torch.zeros(2, 3, dtype=i32), floats[1:7].reshape(2, 3)), (last(torch.zeros(1, 2, 3, 2)), x4)]:
        case("copy", "aten::copy.out", "exact", a, b, False, Out(A.copy(a, b)))
        # In place the output comes first.
        case("copy", "aten::copy_", "exact", Out(a.clone().copy_(b)), b, False)


def quantize():
    Q = torch.ops.quantized_decomposed
    ranges = {i8: (-128, 127), u8: (0, 255), i16: (-32768, 32767), i32: (-(2**31), 2**31 - 1)}
    scale32 = lambda s: float(torch.tensor(s, dtype=f32))
    for dtype, (low, high) in ranges.items():
        for scale, zero in [(0.05, 3), (0.0078311013, 0), (1.0, 5), (0.25, 0), (3.7e-3, 1)]:
            scale = scale32(scale)
            zero = zero if dtype != u8 else zero + 100
            # Ties, values next to ties, and values beyond the range.
            steps = torch.cat([torch.arange(-6, 6), torch.arange(low, high, max(1, (high - low) // 12))[:14] - zero]).double()
            x = ((steps + 0.5) * scale).float()
            x = torch.cat([x, torch.nextafter(x, tensor(inf)), torch.nextafter(x, tensor(-inf)), rand(20, low=-9, high=9)])
            if dtype == i32:
                # torch limits in float32, where 2^31 - 1 is 2^31: outside of the type.
                x = x[x.abs() < 2**22 * scale]
            else:
                x = torch.cat([x, tensor([1e30, -1e30, inf, -inf])])
            q = Q.quantize_per_tensor(x, scale, zero, low, high, dtype)
            case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", x, scale, zero, low, high, dtype, Out(q))
            if dtype in (i8, i16):
                s, z = tensor([scale], dtype=f64), tensor([zero])
                case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.Tensor_out", "exact", x, s, z, low, high, dtype, Out(q))
                case("dequantize_per_tensor", "quantized_decomposed::dequantize_per_tensor.Tensor_out", "exact", q, s, z, low, high, dtype, None, Out(Q.dequantize_per_tensor(q, scale, zero, low, high, dtype)))
            q = full_range(40, dtype=dtype) if dtype != i32 else rand(40, dtype=i32, low=-(2**23), high=2**23)
            case("dequantize_per_tensor", "quantized_decomposed::dequantize_per_tensor.out", "exact", q, scale, zero, low, high, dtype, None, Out(Q.dequantize_per_tensor(q, scale, zero, low, high, dtype)))
    # All 256 values, a narrow range, half precision, channels last, nothing.
    q = torch.arange(-128, 128).to(i8)
    case("dequantize_per_tensor", "quantized_decomposed::dequantize_per_tensor.out", "exact", q, scale32(0.1), -7, -128, 127, i8, f32, Out(Q.dequantize_per_tensor(q, scale32(0.1), -7, -128, 127, i8)))
    x = rand(30)
    case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", x, scale32(0.02), 1, -127, 20, i8, Out(Q.quantize_per_tensor(x, scale32(0.02), 1, -127, 20, i8)))
    half = rand(12).half()
    case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", half, scale32(0.02), 1, -128, 127, i8, Out(Q.quantize_per_tensor(half, scale32(0.02), 1, -128, 127, i8)))
    x4 = rand(1, 2, 3, 2)
    q4 = Q.quantize_per_tensor(x4, scale32(0.03), -5, -128, 127, i8)
    case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", last(x4), scale32(0.03), -5, -128, 127, i8, Out(last(q4)))
    case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", last(x4), scale32(0.03), -5, -128, 127, i8, Out(q4))
    case("dequantize_per_tensor", "quantized_decomposed::dequantize_per_tensor.out", "exact", q4, scale32(0.03), -5, -128, 127, i8, None, Out(last(Q.dequantize_per_tensor(q4, scale32(0.03), -5, -128, 127, i8))))
    case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", torch.empty(0), 0.5, 0, -128, 127, i8, Out(torch.empty(0, dtype=i8)))
    # NaN becomes 0, limited. torch leaves it undefined.
    case("quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.out", "exact", tensor([nan]), 0.5, 3, 5, 127, i8, Out(tensor([5], dtype=i8)))

    x = rand(3, 4, 2)
    for axis in (0, 1, 2, -1):
        n = x.shape[axis]
        scales, zeros = rand(n, low=0.01, high=0.05), torch.randint(-5, 5, (n,))
        for dtype, (low, high) in [(i8, (-127, 127)), (i16, ranges[i16])]:
            q = Q.quantize_per_channel(x, scales, zeros, axis % 3, low, high, dtype)
            case("quantize_per_channel", "quantized_decomposed::quantize_per_channel.out", "exact", x, scales, zeros, axis, low, high, dtype, Out(q.contiguous()))
            case("quantize_per_channel", "quantized_decomposed::quantize_per_channel.out", "exact", x, scales.double(), zeros.to(i32), axis, low, high, dtype, Out(q.contiguous()))
            d = Q.dequantize_per_channel(q, scales, zeros, axis % 3, low, high, dtype).contiguous()
            case("dequantize_per_channel", "quantized_decomposed::dequantize_per_channel.out", "exact", q.contiguous(), scales, zeros, axis, low, high, dtype, None, Out(d))
            case("dequantize_per_channel", "quantized_decomposed::dequantize_per_channel.out", "exact", q.contiguous(), scales.double(), None, axis, low, high, dtype, None, Out(Q.dequantize_per_channel(q, scales, None, axis % 3, low, high, dtype).contiguous()))
    scales, zeros = rand(2, low=0.01, high=0.05), torch.randint(-5, 5, (2,))
    q4 = full_range(1, 2, 3, 2, dtype=i8)
    d4 = Q.dequantize_per_channel(q4, scales, zeros, 1, -128, 127, i8)
    case("dequantize_per_channel", "quantized_decomposed::dequantize_per_channel.out", "exact", last(q4), scales, zeros, 1, -128, 127, i8, None, Out(d4.contiguous()))
    d4 = rand(1, 2, 3, 2)
    case("quantize_per_channel", "quantized_decomposed::quantize_per_channel.out", "exact", last(d4), scales, zeros, 1, -128, 127, i8, Out(last(Q.quantize_per_channel(d4, scales, zeros, 1, -128, 127, i8))))

    # Upstream's kernel, step by step: torch has no such operator for these tensors.
    for dtype, (low, high) in [(u8, (0, 255)), (i8, (0, 100))]:
        a, b = rand(40, dtype=dtype, low=0, high=high), rand(40, dtype=dtype, low=0, high=high)
        (sa, za), (sb, zb), (so, zo) = (0.02, 10), (0.035, 100), (0.04, 7)
        da = Q.dequantize_per_tensor(a, sa, za, *ranges[dtype], dtype)
        db = Q.dequantize_per_tensor(b, sb, zb, *ranges[dtype], dtype)
        q = Q.quantize_per_tensor(da + db, so, zo, low, high, dtype)
        case("quantized_add", "quantized_decomposed::add.out", "exact", a, sa, za, low, high, b, sb, zb, low, high, so, zo, low, high, Out(q))


def numbers():
    for t, d, size in [(rand(2, 3), 0, 2), (rand(2, 3), -1, 3), (torch.empty(0, 5), 0, 0)]:
        case("sym_size", "aten::sym_size.int", "exact", t, d, Out(size))
    case("sym_numel", "aten::sym_numel", "exact", rand(2, 3), Out(6))
    case("sym_numel", "aten::sym_numel", "exact", tensor(1.0), Out(1))
    for t in (tensor(1.5), tensor([0.1], dtype=f64), tensor(-7), tensor([200], dtype=u8), tensor(True), tensor(0.5, dtype=f16)):
        case("local_scalar_dense", "aten::_local_scalar_dense", "exact", t, Out(t.item()))
    P = "executorch_prim::"
    for a, b in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (0, 5), (7.5, 2), (-7.5, 2.0), (7, 0.5), (-7.25, -2)]:
        for name, result in [("add", a + b), ("sub", a - b), ("mul", a * b), ("floordiv", a // b), ("truediv", a / b), ("eq", a == b), ("gt", a > b), ("lt", a < b), ("ge", a >= b), ("le", a <= b)]:
            case("scalar", f"{P}{name}.Scalar", "exact", a, b, Out(result))
        if isinstance(a, int) and isinstance(b, int):
            case("scalar", f"{P}mod.Scalar", "exact", a, b, Out(a % b))
            case("scalar", f"{P}mod.int", "exact", a, b, Out(a % b))
            case("scalar", f"{P}floordiv.int", "exact", a, b, Out(a // b))
            case("scalar", f"{P}sym_max.Scalar", "exact", a, b, Out(max(a, b)))
            case("scalar", f"{P}sym_min.Scalar", "exact", a, b, Out(min(a, b)))
        case("scalar", f"{P}neg.Scalar", "exact", a, Out(-a))
        case("scalar", f"{P}sym_float.Scalar", "exact", a, Out(float(a)))
        case("scalar", f"{P}sym_int.Scalar", "exact", a, Out(int(a)))
    case("scalar", f"{P}add.Scalar", "exact", 2**63 - 1, 1, Out(-(2**63)))
    case("scalar", f"{P}floordiv.Scalar", "exact", -1.0, 0, Out(-inf))
    for a in (2.5, 3.5, -2.5, 0.3, -0.7, 4.0):
        case("scalar", f"{P}ceil.Scalar", "exact", a, Out(math.ceil(a)))
        case("scalar", f"{P}round.Scalar", "exact", a, Out(round(a)))
        case("scalar", f"{P}trunc.Scalar", "exact", a, Out(math.trunc(a)))
    for b in (True, False):
        case("scalar", f"{P}sym_not.Scalar", "exact", b, Out(not b))
        case("scalar", f"{P}sym_ite.Scalar", "exact", b, 3, 4.5, Out(3 if b else 4.5))
        case("scalar", f"{P}eq.Scalar", "exact", b, True, Out(b))


torch.manual_seed(20)
for group in (unary, binary, reductions, movement, fills, casts, quantize, numbers):
    group()
HERE.mkdir(exist_ok=True)
for old in HERE.glob("*.txt"):
    old.unlink()
for file, lines in FILES.items():
    head = f"# {file}: written by make_fixtures_b.py with torch {torch.__version__.split('+')[0]}\n"
    (HERE / f"{file}.txt").write_text(head + "\n".join(lines) + "\n")
