#!/usr/bin/env python3
"""The matrix of docs/simulator.md: TOSA programs, compiled by Vela, against what the TOSA reference model computes.

    matrix.py ops OUT --accelerators u55-128=36,u65-256=36,u65-512=6 [--seeds 1,2,3] [--ops add,conv2d] [--jobs 2]
        Programs for every operator that Vela lists for the generation: random ones of TOSA's conformance generator,
        and chains (operator between RESCALEs, as quantised models have them) of the generator below. Goes on until
        Vela accepted so many of them for each accelerator, or until the seeds have no more. Cases go to OUT/cases.
    matrix.py corpus OUT --corpus CORPUS [--accelerators u55-32,...] [--models add,...] [--jobs 2]
        The corpus' models for every accelerator with every memory mode of Arm's vela.ini.
    matrix.py run OUT
        Runs the cases in OUT on the simulator (cargo test) and prints the table. `ops` and `corpus` end with it.

Everything random hangs on the seeds: the same seeds give the same programs. Needs the Python packages ethos-u-vela
(written with 5.2.0), tosa-tools and numpy. Vela runs inside this process' children, for a start of Python for every
program would take most of the time.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "crates/sim/tests/data"))
import make_cases  # noqa: E402
import tosa_reference_model  # noqa: E402
import tosa_serializer as ts  # noqa: E402
from ethosu.vela import vela  # noqa: E402

ACCELERATORS = ["u55-32", "u55-64", "u55-128", "u55-256", "u65-256", "u65-512",
                "u85-128", "u85-256", "u85-512", "u85-1024", "u85-2048"]
MODES = ["Sram_Only", "Shared_Sram", "Dedicated_Sram", "Dedicated_Sram_256KB", "Dedicated_Sram_384KB",
         "Dedicated_Sram_512KB"]

KERNELS = ["1x1", "1x3", "2x2", "3x1", "3x3", "5x5"]
# Operator of Vela's SUPPORTED_OPS.md: names that the conformance generator knows it by.
BOTH = {name: [name] for name in (
    "abs add argmax arithmetic_right_shift avg_pool2d cast clamp clz concat const identity logical_left_shift matmul "
    "maximum max_pool2d minimum mul negate pad reduce_max reduce_min reduce_sum rescale reshape resize reverse slice "
    "sub table tile transpose").split()}
for name in ("conv2d", "depthwise_conv2d", "transpose_conv2d"):
    BOTH[name] = [f"{name}_{k}" for k in KERNELS]
BOTH["conv3d"] = [f"conv3d_{k}" for k in ("1x1x1", "1x1x2", "1x2x1", "2x1x1")]
ONLY_U85 = {name: [name] for name in (
    "bitwise_and bitwise_not bitwise_or bitwise_xor cond_if_binary cond_if_const equal gather greater greater_equal "
    "intdiv logical_and logical_not logical_or logical_right_shift logical_xor reduce_all reduce_any scatter select "
    "while_loop").split()}

DTYPES = {"i4": ts.DType.INT4, "i8": ts.DType.INT8, "i16": ts.DType.INT16, "i32": ts.DType.INT32,
          "i48": ts.DType.INT48}
NUMPY = {"i4": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i48": np.int64}
RANGE = {"i4": (-7, 7), "i8": (-128, 127), "i16": (-32768, 32767)}

# After so many programs of an operator and type without one accepted there will be none.
GIVE_UP = 10


# ------------------------------------------------------------------------------------------------------------- Vela

def compile_tosa(tosa, accelerator, system, mode, extra=()):
    """Vela's raw output for a program, or its words of refusal."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(300)
                fd = os.open(log, os.O_WRONLY | os.O_CREAT)
                os.dup2(fd, 1)
                os.dup2(fd, 2)
                sys.stdout = open(1, "w", closefd=False)
                sys.stderr = sys.stdout
                vela.main(["--config", str(make_cases.INI), "--accelerator-config", "ethos-" + accelerator,
                           "--system-config", system, "--memory-mode", mode, "--output-format", "raw",
                           "--output-dir", folder, *extra, str(tosa)])
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(0)
        _, status = os.waitpid(child, 0)
        files = list(Path(folder).glob("*_vela.npz"))
        if files:
            return dict(np.load(files[0], allow_pickle=True)), None
        words = log.read_text(errors="replace").strip().split("\n") if log.exists() else []
        words = [w for w in words if w.strip() and not w.startswith("SystemExit")]
        if os.WIFSIGNALED(status):
            words.append(f"signal {os.WTERMSIG(status)}")
        errors = [w for w in words if "rror" in w or "not supported" in w or "onstraint" in w]
        return None, (errors or words or ["no output"])[-1].strip()


def reference(tosa, inputs):
    """The reference model's outputs, or None where it calls the program unpredictable."""
    try:
        outputs, status = tosa_reference_model.run(
            tosa.read_bytes(), inputs, verbosity="LOW", initialize_variable_tensor_from_numpy=True, debug_mode=None)
    except Exception:
        return None
    if "VALID" not in str(status):
        return None
    return [np.asarray(o) for o in outputs]


def of_size(array, size):
    """The reference returns wider types than the program's where numpy has none."""
    return array if array.dtype.itemsize == size else array.astype(f"i{size}")


# ------------------------------------------------------------------------------------------------- chains, our own

class Program:
    """A TOSA program in the making, with its inputs."""

    def __init__(self, rng):
        self.rng = rng
        self.folder = tempfile.mkdtemp()
        self.ser = ts.TosaSerializer(self.folder, targetMajor=1, targetMinor=0, targetPatch=0)
        self.inputs = []

    def values(self, shape, kind):
        low, high = RANGE[kind]
        values = self.rng.integers(low, high + 1, shape)
        # The ends of the range are where saturation shows.
        ends = self.rng.random(shape) < 0.05
        return np.where(ends, np.where(values < 0, low, high), values).astype(NUMPY[kind])

    def input(self, shape, kind):
        values = self.values(shape, kind)
        self.inputs.append(values)
        return self.ser.addPlaceholder(list(shape), DTYPES[kind], values).name

    def const(self, values, kind):
        values = np.asarray(values, NUMPY[kind])
        return self.ser.addConst(list(values.shape), DTYPES[kind], values).name

    def shape(self, values):
        return self.ser.addConst([len(values)], ts.DType.SHAPE, np.asarray(values, np.int64)).name

    def tensor(self, shape, kind, last=False):
        make = self.ser.addOutput if last else self.ser.addIntermediate
        return make([int(n) for n in shape], DTYPES[kind]).name

    def op(self, op, inputs, shape, kind, attribute, arguments=(), last=False):
        result = self.tensor(shape, kind, last)
        attributes = ts.TosaSerializerAttribute()
        getattr(attributes, attribute)(*arguments)
        self.ser.addOperator(op, inputs, [result], attributes)
        return result

    def rescale(self, value, shape, source, target, ratio, last=False, zp_in=0, per_channel=None):
        """RESCALE by about `ratio`, with random rounding and, for 8-bit outputs, a random zero point."""
        rng = self.rng
        wide = source != "i48"
        channels = shape[-1] if (rng.random() < 0.5 if per_channel is None else per_channel) else 1
        bits = 31 if wide else 15
        mantissa, exponent = np.frexp(ratio * np.exp2(rng.uniform(-1, 1, channels)))
        multiplier = np.clip(np.round(mantissa * 2.0**bits), 2 ** (bits - 1), 2**bits - 1)
        shift = np.clip(bits - exponent, 2, 62)
        zp = int(rng.integers(-128, 128)) if target == "i8" and rng.random() < 0.8 else 0
        double = wide and rng.random() < 0.3
        mode = ts.RoundingMode.DOUBLE_ROUND if double else ts.RoundingMode.SINGLE_ROUND
        inputs = [value, self.const(multiplier, "i32" if wide else "i16"), self.const(shift, "i8"),
                  self.const([zp_in], source), self.const([zp], target)]
        return self.op(ts.Op.RESCALE, inputs, shape, target, "RescaleAttribute",
                       (wide, mode, channels > 1, False, False), last)

    def write(self):
        path = Path(self.folder) / "program.tosa"
        path.write_bytes(self.ser.serialize())
        return path


def chain_convolution(p, operator, types):
    """A convolution and the RESCALE behind it: kernels up to 7x7, strides to 3, dilations, paddings, batches."""
    rng = p.rng
    pick = lambda low, high: int(rng.integers(low, high + 1))
    feature, weight, result = types
    accumulator = "i32" if feature == "i8" else "i48"
    batch = 2 if rng.random() < 0.1 and operator != "transpose_conv2d" else 1
    channels, out = pick(1, 40), pick(1, 40)
    kernel = [pick(1, 7), pick(1, 7)]
    stride = [pick(1, 3), pick(1, 3)]
    if operator == "transpose_conv2d":
        stride = [2, 2] if rng.random() < 0.7 else [1, 1]
        size = [pick(1, 9), pick(1, 9)]
        # None of it in front: where the RESCALE is not fused, Vela 5.2.0 then writes its result from row or column 0 on
        # (docs/simulator.md). The conformance programs, which have no RESCALE, do have it.
        pad = [pick(1 - k, after) for k, after in zip((kernel[0], kernel[0], kernel[1], kernel[1]), (0, 2, 0, 2))]
        if stride == [1, 1]:
            pad = [min(n, 0) for n in pad]
        after = [(size[i] - 1) * stride[i] + pad[2 * i] + pad[2 * i + 1] + kernel[i] for i in (0, 1)]
        if min(after) < 1:
            return False
        arguments = (pad, stride, False, DTYPES[accumulator])
    else:
        dilation = [pick(1, 2), pick(1, 2)] if rng.random() < 0.4 else [1, 1]
        reach = [(k - 1) * d for k, d in zip(kernel, dilation)]
        pad = [pick(0, max(kernel[i // 2] - 1, 0)) for i in range(4)]
        after = [pick(1, 12), pick(1, 12)]
        # TOSA demands that the strides come out even.
        size = [(after[i] - 1) * stride[i] + 1 + reach[i] - pad[2 * i] - pad[2 * i + 1] for i in (0, 1)]
        if min(size) < 1:
            return False
        arguments = (pad, stride, dilation, False, DTYPES[accumulator])
    before, name, attribute = [batch, *size, channels], ts.Op.CONV2D, "Conv2dAttribute"
    terms = kernel[0] * kernel[1] * channels
    if operator == "conv2d":
        weights = [out, *kernel, channels]
    elif operator == "transpose_conv2d":
        name, attribute = ts.Op.TRANSPOSE_CONV2D, "TransposeConv2dAttribute"
        weights = [out, *kernel, channels]
    elif operator == "depthwise_conv2d":
        name, attribute = ts.Op.DEPTHWISE_CONV2D, "DepthwiseConv2dAttribute"
        multiplier = pick(2, 4) if rng.random() < 0.2 else 1
        weights, out, terms = [*kernel, channels, multiplier], channels * multiplier, kernel[0] * kernel[1]
    else:
        name, attribute = ts.Op.CONV3D, "Conv3dAttribute"
        depth, deep = (1, pick(1, 3)) if rng.random() < 0.7 else (2, 1)
        before, weights = [batch, deep + depth - 1, *size, channels], [out, depth, *kernel, channels]
        arguments = ([0, 0, *pad], [1, *stride], [1, *dilation], False, DTYPES[accumulator])
        after, terms = [deep, *after], terms * depth
    value = p.input(before, feature)
    made = p.values(weights, weight)
    zeros = rng.random()
    if zeros < 0.4:  # sparse weights have codes of their own
        made[rng.random(made.shape) < 2 * zeros] = 0
    low, high = RANGE[feature]
    size_of_sum = (high - low) / 3.5 * np.std(made.astype(float)) * np.sqrt(terms) + 1
    bias = rng.normal(0, size_of_sum, out if rng.random() < 0.9 else 1).astype(np.int64)
    zp = int(rng.integers(-128, 128)) if feature == "i8" else 0
    inputs = [value, p.const(made, weight), p.const(bias, accumulator), p.const([zp], feature), p.const([0], weight)]
    shape = [batch, *after, out]
    sums = p.op(name, inputs, shape, accumulator, attribute, arguments)
    spread = {"i8": 60, "i16": 12000, "i32": size_of_sum / 4}[result]
    p.rescale(sums, shape, accumulator, result, spread / size_of_sum, last=True)
    return True


def chain_binary(p, operator, types):
    """RESCALE of both operands to 32 bits, the operator, RESCALE back, as quantised models have it."""
    rng = p.rng
    feature, result = types
    rank = int(rng.integers(1, 5))
    shape = [1, *rng.integers(1, 20, 3)][4 - rank:] if rank > 1 else [int(rng.integers(1, 200))]
    other = [1 if rng.random() < 0.25 else n for n in shape]
    if rng.random() < 0.15:
        other = [1] * len(shape)
    swap = rng.random() < 0.5
    shapes = [other, shape] if swap else [shape, other]
    low, high = RANGE[feature]
    zp = lambda: int(rng.integers(-128, 128)) if feature == "i8" else 0
    wide = []
    for one in shapes:
        value = p.input(one, feature)
        up = 1.0 if operator == "mul" else 2.0 ** (20 if feature == "i8" else 12)
        if operator in ("mul",):
            multiplier, shift = 1 << 30, 30
            inputs = [value, p.const([multiplier], "i32"), p.const([shift], "i8"), p.const([zp()], feature),
                      p.const([0], "i32")]
            wide.append(p.op(ts.Op.RESCALE, inputs, one, "i32", "RescaleAttribute",
                             (True, ts.RoundingMode.SINGLE_ROUND, False, False, False)))
        else:
            wide.append(p.rescale(value, one, feature, "i32", up / 4, zp_in=zp(), per_channel=False))
    name, attribute, arguments = {
        "add": (ts.Op.ADD, "AddAttribute", ()), "sub": (ts.Op.SUB, "SubAttribute", ()),
        "mul": (ts.Op.MUL, "MulAttribute", ()),
        "maximum": (ts.Op.MAXIMUM, "MaximumAttribute", (ts.NanPropagationMode.PROPAGATE,)),
        "minimum": (ts.Op.MINIMUM, "MinimumAttribute", (ts.NanPropagationMode.PROPAGATE,)),
    }[operator]
    if operator == "mul":
        wide.append(p.const([0], "i8"))
    both = p.op(name, wide, shape, "i32", attribute, arguments)
    size = (high - low) ** 2 / 9 if operator == "mul" else (high - low) / 3 * 2.0 ** (20 if feature == "i8" else 12) / 4
    spread = {"i8": 60, "i16": 12000}[result]
    p.rescale(both, shape, "i32", result, spread / size, last=True, per_channel=False)
    return True


def chain_resize(p, operator, types):
    """Enlarging by powers of two; BILINEAR with the RESCALE that Vela wants behind it."""
    rng = p.rng
    feature, mode, form = types
    up = [1 << int(rng.integers(1, 4))] * 2
    size = [int(rng.integers(1, 12)), int(rng.integers(1, 12))]
    if form == "corners":
        scale = [up[0], 1, up[1], 1]
        offset, border = [0, 0], [0, 0]
    elif form == "edge":
        scale = [up[0], 1, up[1], 1]
        offset, border = [0, 0], [up[0] - 1, up[1] - 1]
    else:
        scale = [2 * up[0], 2, 2 * up[1], 2]
        offset, border = [1 - up[0], 1 - up[1]], [up[0] - 1, up[1] - 1]
    after = []
    for i in (0, 1):
        whole = (size[i] - 1) * scale[2 * i] - offset[i] + border[i]
        if whole % scale[2 * i + 1]:
            return False
        after.append(whole // scale[2 * i + 1] + 1)
    channels = int(rng.integers(1, 40))
    value = p.input([1, *size, channels], feature)
    inputs = [value, p.shape(scale), p.shape(offset), p.shape(border)]
    shape = [1, *after, channels]
    if mode == "nearest":
        p.op(ts.Op.RESIZE, inputs, shape, feature, "ResizeAttribute", (ts.ResizeMode.NEAREST,), last=True)
        return True
    wide = "i32" if feature == "i8" else "i48"
    sums = p.op(ts.Op.RESIZE, inputs, shape, wide, "ResizeAttribute", (ts.ResizeMode.BILINEAR,))
    # Vela wants a multiplier of 1; apply_scale_32 forbids values that large for so small a shift, apply_scale_16 not.
    shift = int(np.log2(scale[0] * scale[2]))
    inputs = [sums, p.const([1], "i16"), p.const([shift], "i8"), p.const([0], wide), p.const([0], feature)]
    p.op(ts.Op.RESCALE, inputs, shape, feature, "RescaleAttribute",
         (False, ts.RoundingMode.SINGLE_ROUND, False, False, False), last=True)
    return True


def chain_matmul(p, operator, types):
    """A matrix product and the RESCALE behind it."""
    rng = p.rng
    feature, result = types
    wide = "i32" if feature == "i8" else "i48"
    batch, rows, terms, columns = (int(rng.integers(1, high)) for high in (4, 25, 65, 25))
    zp = lambda: int(rng.integers(-128, 128)) if feature == "i8" else 0
    inputs = [p.input([batch, rows, terms], feature), p.input([batch, terms, columns], feature),
              p.const([zp()], feature), p.const([zp()], feature)]
    shape = [batch, rows, columns]
    sums = p.op(ts.Op.MATMUL, inputs, shape, wide, "MatMulAttribute")
    low, high = RANGE[feature]
    spread = {"i8": 60, "i16": 12000, "i32": 1 << 20}[result]
    p.rescale(sums, shape, wide, result, spread / ((high - low) ** 2 / 9 * np.sqrt(terms)), last=True,
              per_channel=False)
    return True


CONVOLUTION = [(f, w, r) for f, w in (("i8", "i8"), ("i8", "i4"), ("i16", "i8")) for r in ("i8", "i16", "i32")]
BINARY = [(f, r) for f in ("i8", "i16") for r in ("i8", "i16")]
RESIZE = [(f, m, o) for f in ("i8", "i16") for m in ("nearest", "bilinear") for o in ("corners", "edge", "half")]
CHAINS = {
    "conv2d": (chain_convolution, CONVOLUTION), "depthwise_conv2d": (chain_convolution, CONVOLUTION),
    "transpose_conv2d": (chain_convolution, CONVOLUTION), "conv3d": (chain_convolution, CONVOLUTION),
    "add": (chain_binary, BINARY), "sub": (chain_binary, BINARY), "mul": (chain_binary, BINARY),
    "matmul": (chain_matmul, [(f, r) for f in ("i8", "i16") for r in ("i8", "i16", "i32")]),
    "maximum": (chain_binary, BINARY), "minimum": (chain_binary, BINARY), "resize": (chain_resize, RESIZE),
}


def chains(operator, seed):
    """Chains of an operator, types in turn: name, type group, how to build it."""
    if operator not in CHAINS:
        return
    make, kinds = CHAINS[operator]
    for i in range(12):
        for j, types in enumerate(kinds):
            def build(i=i, j=j, types=types):
                p = Program(np.random.default_rng([seed, i, j, *operator.encode()]))
                if not make(p, operator, types):
                    shutil.rmtree(p.folder)
                    return None
                return p.write(), p.inputs, p.folder
            if make is chain_convolution:
                label = f"{types[0]}x{types[1]}>{types[2]}"
            else:
                form = {chain_binary: "{}>i32>{}", chain_matmul: "{}>{}", chain_resize: "{} {} {}"}[make]
                label = form.format(*types)
            yield f"chain{i}_{j}", label, build


# ------------------------------------------------------------------------------------------ TOSA's conformance suite

def conformance(names, seed, random_constants=False):
    """Programs of TOSA's conformance generator: only the list is made here, a program when it is asked for."""
    import generator.tosa_verif_build_tests as tests
    from generator.tosa_test_gen import TosaTestGen
    from generator.tosa_test_select import TosaTestSelect, TosaTestSelectList

    library = Path(tosa_reference_model.__file__).parent / "libtosa_reference_generate_lib.so"
    folder = tempfile.mkdtemp()
    arguments = ["--generate-lib-path", str(library), "--tosa-version", "1.0", "--profile", "tosa-pro-int",
                 "--extension", "tosa-ext-int16", "tosa-ext-int4", "tosa-ext-doubleround", "tosa-ext-controlflow",
                 "--test-type", "positive", "--no-special-tests", "--seed", str(seed), "-o", folder]
    args = tests.parseArgs(arguments + (["--random-const-inputs"] if random_constants else []))
    generator = TosaTestGen(args, tests._get_tosa_version("1.0"))
    for name in names:
        chosen = TosaTestSelectList({})
        for test in generator.genOpTestList(name, shapeFilter=args.target_shapes, rankFilter=args.target_ranks,
                                            dtypeFilter=args.target_dtypes, testType="positive"):
            chosen.add(TosaTestSelect(test))
        for test in chosen.all(profiles_chosen=args.profile, extensions_chosen=args.extension):
            label = str(test)[len(name):]
            parts = re.findall(r"(?<=_)(?:out)?(?:[iu]\d+(?:x[iu]\d+)*|b)(?=_|$)", label)
            group = ">".join(part.removeprefix("out") for part in parts) or "?"

            def build(test=test, name=name):
                try:
                    generator.serializeTest(test)
                except Exception:
                    return None
                at = Path(folder) / name / str(test)
                if not (at / "desc.json").exists():
                    return None
                desc = json.loads((at / "desc.json").read_text())
                inputs = [np.load(at / file) for file in desc["ifm_file"]]
                return at / desc["tosa_file"], inputs, str(at)
            yield str(test), group, build


# ------------------------------------------------------------------------------------------------------- operators

def make_operator(operator, names, wanted, seeds, random_constants, out):
    """Cases of one operator for accelerators of which each wants a number; returns what Vela said."""
    said = collections.Counter()  # (accelerator, group, "accepted" | "refused" | "no reference")
    words = {}
    left = dict(wanted)
    dead = collections.Counter()  # (accelerator, group): refused since the last accepted
    seen = set()
    for seed in seeds:
        if not any(left.values()):
            break
        groups = collections.defaultdict(list)
        for source in (conformance(names, seed, random_constants), () if random_constants else chains(operator, seed)):
            for name, group, build in source:
                groups[group].append((name, build))
        rng = random.Random(f"{operator} {seed}")
        for group in groups:
            rng.shuffle(groups[group])
        # Types in turn; of one seed no more than the others have a chance to add to.
        share = max(4, -(-3 * max(wanted.values()) // (2 * len(seeds) * max(len(groups), 1))))
        turns = [(g, *one) for i in range(share) for g in sorted(groups) for one in groups[g][i:i + 1]]
        for group, name, build in turns:
            todo = [a for a in left if left[a] > 0 and dead[a, group] < GIVE_UP]
            if not todo:
                continue
            program = build()
            if program is None:
                continue
            tosa, inputs, folder = program
            content = tosa.read_bytes() + b"".join(np.ascontiguousarray(a).tobytes() for a in inputs)
            if content in seen or sum(np.asarray(a).nbytes for a in inputs) > 1 << 20:
                shutil.rmtree(folder)
                continue
            seen.add(content)
            outputs = reference(tosa, inputs)
            if outputs is None:
                said[todo[0], group, "no reference"] += 1
                shutil.rmtree(folder)
                continue
            for accelerator in todo:
                system, mode = make_cases.SYSTEM[accelerator[:3]]
                compiled, error = compile_tosa(tosa, accelerator, system, mode)
                if compiled is None:
                    said[accelerator, group, "refused"] += 1
                    words.setdefault(f"{accelerator} {operator} {group}", error)
                    dead[accelerator, group] += 1
                    continue
                said[accelerator, group, "accepted"] += 1
                dead[accelerator, group] = 0
                left[accelerator] -= 1
                sizes = [int(s) for s in np.asarray(compiled["output_elem_size"]).reshape(-1)]
                shown = group.replace(">", "+").replace(" ", "+")
                make_cases.save(Path(out) / "cases" / accelerator / f"{operator}-{shown}-s{seed}-{name[:100]}.npz",
                                compiled, inputs, [of_size(o, s) for o, s in zip(outputs, sizes)])
            shutil.rmtree(folder)
    return operator, [[*key, n] for key, n in sorted(said.items())], words


def ops(args):
    wanted = {}
    for one in args.accelerators.split(","):
        accelerator, _, count = one.partition("=")
        wanted[accelerator] = int(count or 36)
    seeds = [int(s) for s in args.seeds.split(",")]
    generations = {a[:3] for a in wanted}
    table = dict(BOTH)
    if "u85" in generations:
        table |= ONLY_U85
    chosen = args.ops.split(",") if args.ops else sorted(table)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(args.jobs) as pool, (out / "vela.jsonl").open("a") as log:
        jobs = []
        for operator in chosen:
            mine = {a: n for a, n in wanted.items() if a.startswith("u85") or operator not in ONLY_U85}
            jobs.append(pool.submit(make_operator, operator, table[operator], mine, seeds, args.random_constants,
                                    args.out))
        for job in as_completed(jobs):
            operator, said, words = job.result()
            log.write(json.dumps({"operator": operator, "said": said, "words": words}) + "\n")
            log.flush()
            total = collections.Counter()
            for accelerator, _, what, n in said:
                total[accelerator, what] += n
            print(operator, *(f"{a} {w} {n};" for (a, w), n in sorted(total.items())), flush=True)


# ---------------------------------------------------------------------------------------------------------- corpus

def make_model(corpus, model, accelerators, modes, system, out):
    """A model of the corpus for every accelerator and memory mode; returns [accelerator, mode, words of refusal]."""
    said = []
    for accelerator in accelerators:
        source = {"u55": "u55-128", "u65": "u65-256", "u85": "u85-256"}[accelerator[:3]]
        tosa, golden = corpus / model / f"{source}.0.tosa", corpus / model / f"{source}.golden.npz"
        if not tosa.exists() or not golden.exists():
            said.append([accelerator, "*", "not in the corpus"])
            continue
        golden = np.load(golden)
        arrays = lambda kind: [golden[f"{kind}{i}"] for i in range(sum(k.startswith(kind) for k in golden.files))]
        for mode in modes:
            compiled, error = compile_tosa(tosa, accelerator, system or make_cases.SYSTEM[accelerator[:3]][0], mode)
            said.append([accelerator, mode, error])
            if compiled is not None:
                make_cases.save(out / "cases" / accelerator / f"{mode}-{model}.npz", compiled, arrays("in"),
                                arrays("out"))
    return model, said


def corpus(args):
    out, folder = Path(args.out), Path(args.corpus)
    out.mkdir(parents=True, exist_ok=True)
    accelerators = args.accelerators.split(",") if args.accelerators else ACCELERATORS
    models = args.models.split(",") if args.models else sorted(
        p.name for p in folder.iterdir() if any(p.glob("*.golden.npz")) and p.name != "variants")
    # The large ones first, so that they do not come last and alone.
    models.sort(key=lambda m: -max(p.stat().st_size for p in (folder / m).glob("*.0.tosa")))
    with ProcessPoolExecutor(args.jobs) as pool, (out / "corpus.jsonl").open("a") as log:
        jobs = [pool.submit(make_model, folder, m, accelerators, args.modes.split(","), args.system, out)
                for m in models]
        for job in as_completed(jobs):
            model, said = job.result()
            log.write(json.dumps({"model": model, "said": said}) + "\n")
            log.flush()
            print(model, sum(error is None for *_, error in said), "accepted", flush=True)


# ------------------------------------------------------------------------------------------------------------- run

def simulate(out):
    """Runs the cases; the failed ones as (accelerator, name): what is wrong."""
    command = os.environ.get("TOMBOLO_CASES_TEST")  # the test's binary, where it is built already
    command = [command] if command else ["cargo", "test", "--release", "-p", "tombolo-sim", "--test", "cases", "--"]
    run = subprocess.run([*command, "more", "--nocapture"], cwd=ROOT, capture_output=True, text=True,
                         env=os.environ | {"TOMBOLO_SIM_CASES": str((Path(out) / "cases").resolve())})
    text = run.stdout + run.stderr
    (Path(out) / "run.log").write_text(text)
    tally = re.findall(r"^(\S+) (\S+): (\d+) passed, (\d+) failed$", run.stdout, re.M)
    if not tally:
        sys.exit(f"the test did not run:\n{text[-3000:]}")
    failed = {}
    for accelerator, name, error in re.findall(r"^(?:ethos-)?(u\d\d-\d+) (\S+): (.*)$", text, re.M):
        if " passed, " not in error:
            failed[accelerator, name] = error
    count = sum(int(bad) for *_, bad in tally)
    assert count == len(failed), (count, failed)
    return failed


def vela_at_fault(accelerator, name):
    """Why a failure is Vela's: a program outside its documented support that it does not refuse."""
    scale = re.search(r"_sc(\d+)x(\d+)x(\d+)x(\d+)_", name)
    if scale and name.startswith("resize-") and not accelerator.startswith("u85"):
        yn, yd, xn, xd = map(int, scale.groups())
        if yn * xd != xn * yd:
            return "LegaliseResize looks at the larger factor only and doubles both axes as often as that one needs"
    return None


def of(passed, accepted):
    return "–" if not accepted else str(passed) if passed == accepted else f"{passed} of {accepted}"


def operator_table(out, files, failed, columns):
    """The table of operators for some accelerators: cases passed, and by type how many passed and were refused."""
    if not columns:
        return
    cells, by_type, refused = collections.Counter(), collections.defaultdict(collections.Counter), {}
    for accelerator, name in files:
        if accelerator in columns:
            operator, group = name.split("-")[:2]
            passed = (accelerator, name) not in failed
            cells[accelerator, operator, "accepted"] += 1
            cells[accelerator, operator, "passed"] += passed
            by_type[operator][group, "accepted"] += 1
            by_type[operator][group, "passed"] += passed
    for entry in map(json.loads, (out / "vela.jsonl").read_text().splitlines()):
        mine = [(group, n) for a, group, what, n in entry["said"] if what == "refused" and a in columns]
        counts = refused.setdefault(entry["operator"], collections.Counter())
        for group, n in mine:
            counts[group] += n
    arrows = lambda group: group.replace("+", "→").replace(">", "→").replace(" ", "→")
    print("| operator |", " | ".join(columns), "| by type, all sizes | refused by Vela |")
    print("|---|" + "---|" * (len(columns) + 2))
    total = collections.Counter()
    for operator in sorted(set(by_type) | set(refused)):
        counts, no = by_type[operator], refused.get(operator, {})
        if not counts and not no:
            continue
        sizes = [of(cells[a, operator, "passed"], cells[a, operator, "accepted"]) for a in columns]
        types = ", ".join(f"{arrows(t)} {of(counts[t, 'passed'], counts[t, 'accepted'])}"
                          for t in sorted({t for t, _ in counts}))
        words = ", ".join(f"{arrows(t)} {n}" for t, n in sorted(no.items()))
        print(f"| `{operator}` |", " | ".join(sizes), f"| {types or '–'} | {words or '–'} |")
    for accelerator in columns:
        names = [f for f in files if f[0] == accelerator]
        total[accelerator] = of(sum(f not in failed for f in names), len(names))
    print("| all |", " | ".join(total[a] for a in columns), "| | |\n")


def run(args):
    out = Path(args.out)
    failed = simulate(out)
    files = [(p.parent.name, p.stem) for p in sorted((out / "cases").glob("*/*.npz"))]
    columns = [a for a in ACCELERATORS if any(f[0] == a for f in files)]
    if (out / "corpus.jsonl").exists():
        cells = collections.Counter()
        for accelerator, name in files:
            mode = name.split("-")[0]
            cells[accelerator, mode, "accepted"] += 1
            cells[accelerator, mode, "passed"] += (accelerator, name) not in failed
        print("| accelerator |", " | ".join(f"`{m}`" for m in MODES), "|\n|---|" + "---|" * len(MODES))
        for a in columns:
            print(f"| {a} |", " | ".join(of(cells[a, m, "passed"], cells[a, m, "accepted"]) for m in MODES), "|")
        words = collections.Counter()
        for line in (out / "corpus.jsonl").read_text().splitlines():
            entry = json.loads(line)
            for accelerator, mode, error in entry["said"]:
                if error:
                    words[accelerator, mode, error[:160]] += 1
        for key, n in sorted(words.items()):
            print("refused:", *key, "models:", n)
    else:
        for generations in (("u55", "u65"), ("u85",)):
            operator_table(out, files, failed, [c for c in columns if c[:3] in generations])
    accepted = len(files)
    print(f"\n{accepted - len(failed)} of {accepted} passed")
    bad = 0
    for (accelerator, name), error in sorted(failed.items()):
        why = vela_at_fault(accelerator, name)
        bad += why is None
        print("FAILED" if why is None else "VELA'S", accelerator, name, error, f"({why})" if why else "")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ops", "corpus", "run"])
    parser.add_argument("out", help="folder for cases and logs")
    parser.add_argument("--accelerators")
    parser.add_argument("--seeds", default=",".join(map(str, range(1, 19))))
    parser.add_argument("--ops")
    parser.add_argument("--random-constants", action="store_true",
                        help="conformance programs only, whose weights, shapes and the like are at random no constants")
    parser.add_argument("--corpus", default=str(ROOT / "../shared/corpus"))
    parser.add_argument("--models")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--system", help="another system configuration than the generation's")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if args.what == "ops":
        args.accelerators = args.accelerators or "u55-128,u65-256,u85-256"
        ops(args)
    elif args.what == "corpus":
        corpus(args)
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
