#!/usr/bin/env python3
"""Writes tests/data_a/*.txt: calls of operators and what torch gives for them.

Seeded: the same torch writes the same files. Run it in an environment with torch and numpy:
    python crates/kernels/tests/make_fixtures_a.py
The format is described in src/util/cases.rs. Tensors whose memory format is channels-last are written
in memory order with dimension order 0,2,3,1.
"""
import pathlib
import zlib

import numpy as np
import torch

FOLDER = pathlib.Path(__file__).parent / "data_a"
NAMES = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16",
    torch.int8: "int8", torch.uint8: "uint8", torch.int16: "int16", torch.int32: "int32",
    torch.int64: "int64", torch.bool: "bool",
}
NAN, INF = float("nan"), float("inf")
torch.set_num_threads(1)


class Out:
    """An output with what it must hold; the sizes of one that torch leaves empty may be given."""

    def __init__(self, tensor):
        self.tensor = tensor


def rand(*sizes, scale=1.0):
    """Random floats of few digits, so that files stay small."""
    x = np.asarray(np.round(np.random.standard_normal(sizes) * scale, 3), dtype=np.float32)
    return torch.from_numpy(x)


def last(x):
    return x.contiguous(memory_format=torch.channels_last)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return str(int(x))
    text = str(x)
    return text[:-2] if text.endswith(".0") else text


def tensor(x, like_channels_last=None):
    channels_last = x.dim() == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)
    if like_channels_last is not None:
        channels_last = like_channels_last and x.dim() == 4
    order = [0, 2, 3, 1] if channels_last else list(range(x.dim()))
    values = x.detach().permute(order).contiguous().numpy().reshape(-1)
    join = lambda items: ",".join(str(i) for i in items) or "-"
    return " ".join([NAMES[x.dtype], join(x.shape), join(order)] + [number(v) for v in values])


class File:
    def __init__(self, operator):
        self.operator = operator
        self.lines = [f"# Written by make_fixtures_a.py with torch {torch.__version__.split('+')[0]}."]
        seed = zlib.crc32(operator.encode())
        np.random.seed(seed)
        torch.manual_seed(seed)

    def case(self, name, tolerance, args, outs, channels_last=None):
        """`args` in the order of the schema, `outs` the expected tensors. `channels_last` forces the
        memory order of the outputs (sizes of 1 leave torch's own answer open)."""
        self.lines.append(f"case {name} {tolerance}")
        for arg in args:
            self.lines.append(self.argument(arg))
        for out in outs:
            self.lines.append("out " + tensor(out, channels_last))

    @staticmethod
    def argument(arg):
        if arg is None:
            return "none"
        if isinstance(arg, bool):
            return f"bool {int(arg)}"
        if isinstance(arg, int):
            return f"int {arg}"
        if isinstance(arg, float):
            return f"double {arg!r}"
        if isinstance(arg, str):
            return f"string {arg}"
        if isinstance(arg, (list, tuple)):
            kind = "doubles" if arg and isinstance(arg[0], float) else "ints"
            return f"{kind} " + (",".join(str(x) for x in arg) or "-")
        return "tensor " + tensor(arg)

    def write(self):
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{self.operator}.txt").write_text("\n".join(self.lines) + "\n")


def convolution():
    f = File("convolution")

    def case(x, w, bias=True, stride=(1, 1), padding=(0, 0), dilation=(1, 1), transposed=False, extra=(0, 0),
             groups=1, x_last=False, w_last=False, out_last=None):
        x, w = rand(*x), rand(*w, scale=0.5)
        outputs = w.shape[1] * groups if transposed else w.shape[0]
        b = rand(outputs) if bias else None
        x, w = last(x) if x_last else x, last(w) if w_last else w
        lists = [list(v) for v in (stride, padding, dilation)]
        args = [x, w, b, *lists, transposed, list(extra), groups]
        y = torch.ops.aten.convolution.default(*args)
        f.case("aten::convolution.out", "max1e-6", args, [y], x_last if out_last is None else out_last)

    # Pointwise, rows that fill no tile, one and many output channels.
    case((1, 5, 3, 3), (6, 5, 1, 1))
    case((2, 3, 4, 5), (1, 3, 1, 1), bias=False)
    case((1, 17, 7, 7), (9, 17, 1, 1))
    case((1, 4, 6, 5), (5, 4, 1, 1), stride=(2, 2))
    case((1, 4, 3, 3), (5, 4, 1, 1), padding=(1, 2))
    # Windows.
    case((1, 3, 8, 9), (4, 3, 3, 3), padding=(1, 1))
    case((2, 3, 7, 11), (5, 3, 3, 3), stride=(2, 2), padding=(1, 1))
    case((1, 2, 11, 13), (6, 2, 5, 3), stride=(3, 2), padding=(2, 1), bias=False)
    case((1, 2, 12, 10), (3, 2, 3, 3), padding=(2, 3), dilation=(2, 3))
    case((1, 3, 4, 4), (2, 3, 4, 4))
    case((1, 2, 1, 9), (3, 2, 1, 4), padding=(0, 5), stride=(1, 3))
    case((1, 1, 20, 10), (8, 1, 10, 4), stride=(2, 2), padding=(5, 1))
    case((1, 2, 3, 3), (2, 2, 3, 3), padding=(3, 3))
    # Groups and depthwise, also with a multiplier.
    case((1, 6, 5, 6), (9, 2, 3, 3), padding=(1, 1), groups=3)
    case((1, 5, 9, 10), (5, 1, 3, 3), padding=(1, 1), groups=5)
    case((2, 4, 7, 7), (4, 1, 3, 3), stride=(2, 2), padding=(1, 1), groups=4, bias=False)
    case((1, 3, 6, 7), (12, 1, 3, 3), padding=(1, 1), groups=3)
    case((1, 4, 6, 9), (8, 2, 1, 1), groups=2)
    # Channels-last, in all mixtures.
    case((1, 5, 6, 7), (6, 5, 3, 3), padding=(1, 1), x_last=True, w_last=True)
    case((2, 6, 5, 5), (7, 6, 1, 1), x_last=True, w_last=True)
    case((1, 6, 7, 6), (6, 1, 3, 3), stride=(2, 1), padding=(1, 1), groups=6, x_last=True)
    case((1, 4, 5, 6), (5, 4, 2, 2), x_last=True, out_last=False)
    case((1, 4, 5, 6), (5, 4, 2, 2), w_last=True, out_last=True)
    # Transposed.
    case((1, 3, 4, 5), (3, 4, 3, 3), stride=(2, 2), padding=(1, 1), extra=(1, 1), transposed=True)
    case((2, 2, 3, 4), (2, 3, 2, 2), stride=(2, 2), transposed=True, bias=False)
    case((1, 4, 5, 4), (4, 2, 3, 3), padding=(1, 0), transposed=True, groups=2)
    case((1, 2, 4, 3), (2, 3, 3, 2), stride=(3, 1), padding=(1, 1), dilation=(2, 2), extra=(2, 0), transposed=True)
    case((1, 3, 4, 4), (3, 1, 4, 4), stride=(2, 2), padding=(1, 1), transposed=True, groups=3)
    case((1, 3, 4, 5), (3, 2, 1, 1), transposed=True)
    case((1, 3, 4, 5), (3, 2, 3, 3), stride=(2, 2), transposed=True, x_last=True)
    # One spatial dimension.
    case((1, 3, 12), (4, 3, 3), stride=(1,), padding=(1,), dilation=(1,), extra=(0,))
    case((2, 4, 15), (6, 2, 5), stride=(2,), padding=(2,), dilation=(1,), extra=(0,), groups=2)
    case((1, 4, 10), (4, 1, 3), stride=(1,), padding=(2,), dilation=(2,), extra=(0,), groups=4, bias=False)
    case((1, 3, 6), (3, 2, 4), stride=(2,), padding=(1,), dilation=(1,), extra=(1,), transposed=True)
    # Nothing.
    case((0, 3, 4, 4), (2, 3, 3, 3))
    # Many products in a sum.
    case((1, 200, 2, 3), (4, 200, 1, 1))
    # NaN and infinity go where torch lets them go (they stay out of padding).
    x, w = rand(1, 2, 4, 4), rand(3, 2, 3, 3)
    x[0, 1, 0, 0], x[0, 0, 3, 3] = NAN, INF
    args = [x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1]
    f.case("aten::convolution.out", "max1e-6", args, [torch.ops.aten.convolution.default(*args)])
    f.write()


def matrices():
    f = File("mm")
    for m, k, n in [(1, 1, 1), (3, 4, 5), (4, 8, 8), (7, 33, 9), (1, 64, 10), (13, 5, 1), (0, 3, 4), (3, 4, 0), (5, 0, 6), (2, 300, 3)]:
        a, b = rand(m, k), rand(k, n)
        f.case("aten::mm.out", "max1e-6", [a, b], [torch.mm(a, b)])
    f.write()

    f = File("bmm")
    for s, m, k, n in [(1, 2, 3, 4), (3, 5, 7, 9), (2, 4, 8, 16), (2, 1, 20, 1), (0, 2, 3, 4), (2, 3, 0, 4)]:
        a, b = rand(s, m, k), rand(s, k, n)
        f.case("aten::bmm.out", "max1e-6", [a, b], [torch.bmm(a, b)])
    f.write()

    f = File("addmm")
    for bias, (m, k, n), beta, alpha in [
        ((10,), (1, 64, 10), 1, 1), ((5, 9), (5, 6, 9), 1, 1), ((5, 1), (5, 6, 9), 2.5, 1), ((1, 9), (5, 6, 9), 1, -0.5),
        ((), (3, 4, 5), 0.5, 2), ((1,), (3, 4, 5), 3, 2), ((7,), (4, 0, 7), 1, 1), ((7,), (0, 3, 7), 1, 1),
    ]:
        s, a, b = rand(*bias), rand(m, k), rand(k, n)
        y = torch.addmm(s, a, b, beta=beta, alpha=alpha)
        f.case("aten::addmm.out", "max1e-6", [s, a, b, beta, alpha], [y])
    # A beta of 0 leaves NaN out.
    s, a, b = torch.full((5,), NAN), rand(3, 4), rand(4, 5)
    f.case("aten::addmm.out", "max1e-6", [s, a, b, 0, 1], [torch.addmm(s, a, b, beta=0)])
    f.write()

    f = File("linear")
    for x, features, bias in [((4, 7), 5, True), ((1, 64), 10, True), ((2, 3, 9), 11, False), ((6,), 3, True), ((2, 2, 2, 3), 9, True), ((0, 4), 3, True), ((3, 4), 0, False)]:
        x, w = rand(*x), rand(features, x[-1])
        b = rand(features) if bias else None
        f.case("aten::linear.out", "max1e-6", [x, w, b], [torch.nn.functional.linear(x, w, b)])
    f.write()


def pools():
    f = File("avg_pool2d")

    def avg(x, kernel, stride=(), padding=(0, 0), ceil=False, count_pad=True, divisor=None, x_last=False):
        x = last(rand(*x)) if x_last else rand(*x)
        args = [x, list(kernel), list(stride), list(padding), ceil, count_pad, divisor]
        f.case("aten::avg_pool2d.out", "max1e-6", args, [torch.ops.aten.avg_pool2d.default(*args)], x_last)

    avg((1, 2, 6, 8), (2, 2), (2, 2))
    avg((1, 2, 7, 9), (3, 2))
    avg((2, 2, 7, 7), (3, 3), (2, 2), (1, 1))
    avg((2, 2, 7, 7), (3, 3), (2, 2), (1, 1), count_pad=False)
    avg((1, 2, 8, 7), (3, 3), (2, 2), (1, 1), ceil=True)
    avg((1, 2, 8, 7), (3, 3), (2, 2), (1, 1), ceil=True, count_pad=False)
    avg((1, 1, 5, 5), (2, 2), (3, 3), (1, 1), ceil=True)
    avg((1, 1, 6, 6), (2, 3), (4, 4), ceil=True, divisor=3)
    avg((1, 2, 6, 5), (3, 3), (1, 2), (1, 1), divisor=-2)
    avg((3, 7, 6), (7, 6), (1, 1))
    avg((3, 5, 6), (2,), (2,), (1,))
    avg((2, 5, 6, 7), (3, 3), (2, 1), (1, 0), x_last=True)
    avg((0, 2, 6, 6), (2, 2))
    f.write()

    f = File("max_pool2d_with_indices")

    def most(x, kernel, stride=(), padding=(0, 0), dilation=(1, 1), ceil=False, x_last=False):
        x = x if isinstance(x, torch.Tensor) else rand(*x)
        x = last(x) if x_last else x
        args = [x, list(kernel), list(stride), list(padding), list(dilation), ceil]
        outs = torch.ops.aten.max_pool2d_with_indices.default(*args)
        f.case("aten::max_pool2d_with_indices.out", "exact", args, outs, x_last)

    most((1, 2, 6, 8), (2, 2), (2, 2))
    most((1, 2, 7, 9), (3, 2))
    most((2, 2, 7, 7), (3, 3), (2, 2), (1, 1))
    most((1, 2, 8, 7), (3, 3), (2, 2), (1, 1), ceil=True)
    most((1, 1, 5, 5), (2, 2), (3, 3), (1, 1), ceil=True)
    most((1, 2, 9, 10), (2, 3), (1, 2), (1, 1), (3, 2))
    most((1, 1, 9, 8), (3, 3), (2, 2), (1, 1), (2, 3), ceil=True)
    most((3, 5, 6), (2,), (2,), (1,), (1,))
    most((2, 5, 6, 7), (3, 3), (2, 1), (1, 0), x_last=True)
    most((0, 2, 6, 6), (2, 2))
    # Equal elements, NaN, minus infinity.
    most(torch.zeros(1, 1, 4, 4), (3, 3), (1, 1), (1, 1))
    x = rand(1, 1, 5, 5)
    x[0, 0, 1, 1], x[0, 0, 1, 2], x[0, 0, 4, 4] = NAN, NAN, INF
    most(x, (3, 3), (1, 1), (1, 1))
    most(torch.full((1, 1, 4, 4), -INF), (2, 2), (2, 2), (1, 1))
    f.write()

    f = File("adaptive_avg_pool2d")
    for x, size, x_last in [
        ((1, 3, 7, 7), (1, 1), False), ((2, 2, 8, 6), (4, 3), False), ((1, 2, 7, 9), (3, 4), False), ((1, 2, 3, 4), (5, 7), False),
        ((3, 5, 5), (2, 3), False), ((1, 4, 6, 5), (3, 2), True), ((1, 2, 5, 5), (5, 5), False), ((0, 2, 5, 5), (2, 2), False),
        ((1, 2, 5, 5), (0, 2), False),
    ]:
        x = last(rand(*x)) if x_last else rand(*x)
        args = [x, list(size)]
        f.case("aten::_adaptive_avg_pool2d.out", "max1e-6", args, [torch.ops.aten._adaptive_avg_pool2d.default(*args)], x_last)
    f.write()


def norms():
    f = File("native_layer_norm")
    for x, shape, affine, scale, shift in [
        ((2, 6, 32), (32,), True, 1, 0), ((3, 5), (5,), False, 1, 0), ((2, 3, 4, 5), (4, 5), True, 10, 0), ((4, 7), (4, 7), True, 1, 0),
        ((3, 40), (40,), True, 1, 100), ((2, 1), (1,), True, 1, 0), ((0, 8), (8,), True, 1, 0), ((5, 130), (130,), True, 0.01, 0),
    ]:
        x = rand(*x, scale=scale) + shift
        w, b = (rand(*shape), rand(*shape)) if affine else (None, None)
        args = [x, list(shape), w, b, 1e-5]
        f.case("aten::native_layer_norm.out", "max5e-6", args, torch.ops.aten.native_layer_norm.default(*args))
    args = [rand(2, 6), [6], rand(6), None, 0.001]
    f.case("aten::native_layer_norm.out", "max5e-6", args, torch.ops.aten.native_layer_norm.default(*args))
    args = [rand(2, 6), [6], None, rand(6), 0.1]
    f.case("aten::native_layer_norm.out", "max5e-6", args, torch.ops.aten.native_layer_norm.default(*args))
    x = rand(2, 6)
    x[1, 3] = NAN
    args = [x, [6], rand(6), rand(6), 1e-5]
    f.case("aten::native_layer_norm.out", "max5e-6", args, torch.ops.aten.native_layer_norm.default(*args))
    f.write()

    f = File("native_group_norm")
    for (n, c, *pixels), groups, affine in [
        ((2, 6, 4, 5), 3, True), ((1, 8, 9), 2, True), ((2, 4, 3, 3), 4, False), ((1, 5, 2, 2), 1, True), ((2, 4), 2, True), ((0, 4, 3), 2, True),
    ]:
        x = rand(n, c, *pixels)
        w, b = (rand(c), rand(c)) if affine else (None, None)
        args = [x, w, b, n, c, int(np.prod(pixels)), groups, 1e-5]
        f.case("aten::native_group_norm.out", "max5e-6", args, torch.ops.aten.native_group_norm.default(*args))
    f.write()

    f = File("native_batch_norm_legit_no_training")
    for x, affine, x_last in [
        ((1, 3, 5, 6), True, False), ((2, 4, 3, 3), False, False), ((2, 5, 4, 3), True, True), ((4, 6), True, False), ((2, 3, 7), True, False),
        ((0, 3, 2, 2), True, False), ((2, 1, 3, 2), True, False),
    ]:
        c = x[1]
        x = last(rand(*x)) if x_last else rand(*x)
        w, b = (rand(c), rand(c)) if affine else (None, None)
        args = [x, w, b, rand(c), rand(c).abs() + 0.1, 0.1, 1e-5]
        y = torch.ops.aten._native_batch_norm_legit_no_training.default(*args)[0]
        outs = [y, torch.empty(0), torch.empty(0)]
        f.case("aten::_native_batch_norm_legit_no_training.out", "max1e-6", args, outs, x_last)
    f.write()


def softmaxes():
    for operator, op in [("softmax", torch.ops.aten._softmax.default), ("log_softmax", torch.ops.aten._log_softmax.default)]:
        f = File(operator)
        case = lambda x, dim, x_last=None: f.case(f"aten::_{operator}.out", "max1e-6", [x, dim, False], [op(x, dim, False)], x_last)
        for x, dim, scale in [((1, 10), 1, 1), ((3, 7), 0, 3), ((2, 3, 5), 1, 10), ((2, 3, 5), -1, 1), ((2, 3, 4, 5), -3, 50), ((4,), 0, 1), ((0, 5), 1, 1), ((3, 1), 1, 1)]:
            case(rand(*x, scale=scale), dim)
        case(torch.tensor(2.5), 0)
        case(last(rand(2, 4, 3, 5)), 1, True)
        case(last(rand(2, 4, 3, 5)), 3, True)
        case(torch.tensor([[1e4, 1e4, -1e4], [-200.0, -300.0, -1000.0], [100.0, 0.0, -100.0]]), 1)
        case(torch.tensor([[0.0, -INF, 1.0], [-INF, -INF, -INF], [NAN, 1.0, 2.0], [INF, 1.0, 2.0]]), 1)
        f.write()


def upsampling():
    f = File("upsample_nearest2d")
    n = torch.ops.aten.upsample_nearest2d
    vec = lambda args, x_last=None: f.case("aten::upsample_nearest2d.vec_out", "exact", args, [n.vec(*args)], x_last)
    out = lambda args, x_last=None: f.case("aten::upsample_nearest2d.out", "exact", args, [n.default(*args)], x_last)
    vec([rand(1, 2, 3, 4), None, [2.0, 2.0]])
    vec([rand(1, 2, 3, 4), None, [1.5, 2.3]])
    vec([rand(1, 1, 7, 5), None, [0.6, 0.5]])
    vec([rand(2, 2, 3, 4), [7, 9], None])
    vec([rand(1, 1, 10, 11), [4, 30], None])
    vec([last(rand(2, 3, 3, 4)), None, [2.0, 3.0]], True)
    vec([torch.arange(12, dtype=torch.uint8).reshape(1, 1, 3, 4), [5, 6], None])
    vec([rand(0, 2, 3, 4), [5, 6], None])
    out([rand(1, 2, 3, 4), [6, 8], None, None])
    out([rand(1, 2, 3, 4), [6, 8], 2.0, 2.0])
    out([rand(1, 2, 5, 4), [9, 7], 1.9, None])
    f.write()

    f = File("upsample_bilinear2d")
    b = torch.ops.aten.upsample_bilinear2d
    vec = lambda args, x_last=None: f.case("aten::upsample_bilinear2d.vec_out", "max1e-6", args, [b.vec(*args)], x_last)
    out = lambda args, x_last=None: f.case("aten::upsample_bilinear2d.out", "max1e-6", args, [b.default(*args)], x_last)
    for align in (False, True):
        vec([rand(1, 2, 3, 4), None, align, [2.0, 2.0]])
        vec([rand(1, 1, 3, 4), None, align, [1.5, 2.3]])
        vec([rand(1, 1, 9, 8), None, align, [0.4, 0.5]])
        vec([rand(2, 1, 3, 4), [7, 9], align, None])
        vec([rand(1, 1, 3, 4), [1, 1], align, None])
        vec([rand(1, 1, 1, 1), [3, 2], align, None])
        vec([last(rand(1, 3, 3, 4)), [6, 5], align, None], True)
    out([rand(1, 2, 3, 4), [6, 8], False, None, None])
    out([rand(1, 2, 5, 4), [9, 7], False, 1.9, None])
    out([rand(1, 2, 5, 4), [9, 7], True, 1.9, 1.8])
    vec([rand(0, 2, 3, 4), [5, 6], False, None])
    f.write()


def elementwise():
    f = File("gelu")
    special = torch.tensor([0.0, -0.0, 100.0, -100.0, -INF, NAN, 1e-30, -6.5, -5.0, 5.0])
    for approximate in ("none", "tanh"):
        # Infinity is left out: torch's vector loop gives NaN for it, its scalar loop infinity.
        x = torch.cat([rand(60, scale=3), special])
        f.case("aten::gelu.out", "max1e-6", [x, approximate], [torch.ops.aten.gelu.default(x, approximate=approximate)])
        x2 = last(rand(1, 3, 2, 4))
        f.case("aten::gelu.out", "max1e-6", [x2, approximate], [torch.ops.aten.gelu.default(x2, approximate=approximate)], True)
    f.case("aten::gelu.out", "exact", [rand(0, 3), "none"], [rand(0, 3)])
    f.write()

    f = File("constant_pad_nd")
    for x, pad, value in [
        (rand(2, 3), [1, 2], 0), (rand(2, 3), [1, 2, 3, 0], 1.5), (rand(1, 2, 3, 4), [1, 1, 2, 0], -2), (rand(2, 3), [-1, 2], 0), (rand(3, 5), [-1, -2, 1, -1], 7),
        (rand(4), [0, 0], 0), (rand(2, 2, 2), [1, 0, 0, 1, 1, 1], INF), (rand(0, 3), [1, 1, 1, 2], 4), (rand(2, 3), [], 4),
        (torch.arange(6, dtype=torch.int8).reshape(2, 3), [1, 1, 0, 1], -5), (torch.arange(4), [2, 1], 2**40),
        (torch.tensor([True, False]), [1, 1], True), (torch.arange(4, dtype=torch.int32), [2, 1], 3), (rand(2, 3).double(), [1, 0], 0.1),
        (rand(2, 3).half(), [0, 1], 0.1), (rand(3, 4), [-3, 1, -1, 2], 0.5),
    ]:
        f.case("aten::constant_pad_nd.out", "exact", [x, pad, value], [torch.ops.aten.constant_pad_nd.default(x, pad, value)])
    x = last(rand(1, 3, 2, 4))
    f.case("aten::constant_pad_nd.out", "exact", [x, [1, 2, 0, 1, 1, 0], 0.25], [torch.ops.aten.constant_pad_nd.default(x, [1, 2, 0, 1, 1, 0], 0.25)], True)
    f.write()

    f = File("cumsum")
    for x, dim in [(rand(3, 4), 0), (rand(3, 4), 1), (rand(2, 3, 4), -2), (rand(300), 0), (rand(0, 3), 1), (torch.tensor(2.5), 0), (rand(2, 1), 1),
                   (torch.tensor([1.0, INF, 2.0, -INF, 1.0]), 0), (torch.tensor([1e8, 1.0, 1.0, -1e8, 1.0]), 0)]:
        f.case("aten::cumsum.out", "max2e-7", [x, dim, None], [torch.ops.aten.cumsum.default(x, dim)])
    for x in [torch.tensor([100, 100, -3], dtype=torch.int8), torch.tensor([[1, 2], [2**40, -5]]), torch.tensor([True, True, False, True])]:
        f.case("aten::cumsum.out", "exact", [x, 0, None], [torch.ops.aten.cumsum.default(x, 0)])
    x = torch.tensor([3, 4, 5], dtype=torch.int32)
    f.case("aten::cumsum.out", "exact", [x, 0, 6], [torch.ops.aten.cumsum.default(x, 0, dtype=torch.float32)])
    x = torch.tensor([100, 100, 100], dtype=torch.int8)
    f.case("aten::cumsum.out", "exact", [x, 0, 1], [torch.ops.aten.cumsum.default(x, 0, dtype=torch.int8)])
    f.write()


if __name__ == "__main__":
    convolution()
    matrices()
    pools()
    norms()
    softmaxes()
    upsampling()
    elementwise()
