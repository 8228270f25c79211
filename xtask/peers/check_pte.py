"""Compares what tombolo-pte reads from programs with what ExecuTorch's own deserializer reads.

    cargo build -p tombolo-pte --example dump
    python xtask/peers/check_pte.py target/debug/examples/dump FILE.pte ...

Needs the Python package executorch (1.5). Every value, instruction, operator, delegate, compile spec, memory
plan and segment is compared; data by length and CRC-32. Exit status 1 if anything differs.
"""

import json
import math
import subprocess
import sys
import zlib

from executorch.exir import schema
from executorch.exir._serialize._program import (
    _flatbuffer_to_program,
    _get_extended_header,
)

SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 2, 6: 4, 7: 8, 11: 1, 15: 2, 27: 2, 28: 4, 29: 8}


def digest(data):
    data = bytes(data)
    return [len(data), zlib.crc32(data)]


class Reference:
    def __init__(self, path):
        data = open(path, "rb").read()
        header = _get_extended_header(data)
        header = header if header and header.is_valid() else None
        self.program = _flatbuffer_to_program(data[: header.program_size] if header else data)
        base = header.segment_base_offset if header else 0
        self.segments = [
            data[base + s.offset : base + s.offset + s.size] if s.size else b""
            for s in self.program.segments
        ]

    def sub(self, segment, index, nbytes):
        start = segment.offsets[index]
        return self.segments[segment.segment_index][start : start + nbytes]

    def tensor(self, t):
        nbytes = math.prod(t.sizes) * SIZES[int(t.scalar_type)]
        extra, plan, index = t.extra_tensor_info, t.allocation_info, t.data_buffer_idx
        name = extra.fully_qualified_name if extra and extra.location == schema.TensorDataLocation.EXTERNAL else None
        data = None
        if plan:
            data = {"buffer": plan.memory_id - 1, "offset": plan.memory_offset_high << 32 | plan.memory_offset_low}
            if name is not None:
                data["external"] = name
            elif index:
                segment = self.program.mutable_data_segments[extra.mutable_data_segments_idx if extra else 0]
                data["initial"] = digest(self.sub(segment, index, nbytes))
            else:
                data["initial"] = None
        elif name is not None:
            data = {"external": name}
        elif index:
            if len(self.program.constant_segment.offsets) > 1:
                data = {"constant": digest(self.sub(self.program.constant_segment, index, nbytes))}
            else:
                data = {"constant": digest(self.program.constant_buffer[index].storage[:nbytes])}
        return {
            "dtype": int(t.scalar_type),
            "sizes": list(t.sizes),
            "dim_order": list(t.dim_order),
            "dynamism": int(t.shape_dynamism),
            "nbytes": nbytes,
            "data": data,
        }

    def value(self, v):
        kind = type(v).__name__
        if kind == "Null":
            return {"Null": None}
        if kind == "Tensor":
            return {"Tensor": self.tensor(v)}
        if hasattr(v, "items"):
            return {kind: [number(i) for i in v.items]}
        (content,) = vars(v).values()
        return {kind: number(content) if kind == "Double" else content}

    def delegate(self, d):
        inline = d.processed.location == schema.DataLocation.INLINE
        blob = self.program.backend_delegate_data[d.processed.index].data if inline else self.segments[d.processed.index]
        return {
            "id": d.id,
            "blob": digest(blob),
            "compile_specs": [[s.key, digest(s.value)] for s in d.compile_specs],
        }

    def plan(self, p):
        return {
            "name": p.name,
            "encoded_inp_str": p.container_meta_type.encoded_inp_str,
            "encoded_out_str": p.container_meta_type.encoded_out_str,
            "values": [self.value(v.val) for v in p.values],
            "inputs": list(p.inputs),
            "outputs": list(p.outputs),
            "operators": [[o.name, o.overload] for o in p.operators],
            "delegates": [self.delegate(d) for d in p.delegates],
            "buffers": list(p.non_const_buffer_sizes[1:]),
            "chains": [
                [[type(i.instr_args).__name__, *vars(i.instr_args).values()] for i in c.instructions] for c in p.chains
            ],
        }

    def all(self):
        return {
            "version": self.program.version,
            "segments": [digest(s) for s in self.segments],
            "named_data": [[n.key, digest(self.segments[n.segment_index])] for n in self.program.named_data or []],
            "execution_plan": [self.plan(p) for p in self.program.execution_plan],
        }


def number(x):
    """Infinities and NaN, which both sides write as text, each in its own way."""
    if isinstance(x, str) or (isinstance(x, float) and not math.isfinite(x)):
        return str(float(x))
    return x


def normal(x):
    """Our side, in the form of the reference."""
    if isinstance(x, dict):
        return {k: (number(v) if k == "Double" else normal(v)) for k, v in x.items() if k != "stream"}
    return [normal(i) for i in x] if isinstance(x, list) else x


def differences(ours, theirs, at=""):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key, "absent"), theirs.get(key, "absent"), f"{at}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            yield from differences(a, b, f"{at}[{i}]")
    elif ours != theirs or type(ours) is not type(theirs):
        yield f"{at}: tombolo {ours!r}, executorch {theirs!r}"


def count(x):
    return sum(map(count, x.values() if isinstance(x, dict) else x)) if isinstance(x, (dict, list)) else 1


def main():
    dump, *paths = sys.argv[1:]
    bad = leaves = 0
    for path in paths:
        run = subprocess.run([dump, path], capture_output=True, text=True)
        if run.returncode:
            print(run.stderr.strip())
            bad += 1
            continue
        ours, theirs = normal(json.loads(run.stdout)), Reference(path).all()
        found = list(differences(ours, theirs))
        leaves += count(theirs)
        for line in found[:20]:
            print(f"{path}: {line}")
        bad += bool(found)
    print(f"{len(paths)} files, {leaves} facts compared, {bad} files with differences")
    return bad > 0


sys.exit(main())
