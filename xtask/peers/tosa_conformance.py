#!/usr/bin/env python3
"""Conformance cases for crates/tosa: generated with tosa-tools, expected outputs from the TOSA reference model.

    tosa_conformance.py generate WORK            # every integer case that tosa_verif_build_tests makes
    tosa_conformance.py sample WORK N [--skip-large]   # N seeded cases a operator and type, with outputs, to WORK/cases
    tosa_conformance.py commit WORK FOLDER KIB   # the smallest of them, one or two a operator and type, to FOLDER
    tosa_conformance.py negative WORK BINARY     # cases that break a rule, for some operators: all must be refused
    tosa_conformance.py report WORK BINARY       # runs BINARY (the example check_cases); a table of passed cases

Needs the Python packages tosa-tools (with numpy) on the path. A case is NAME.tosa and NAME.npz (in0.., out0..).
"""

import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys

SEED = 42
GENERATOR = [
    "--seed", str(SEED), "--profile", "tosa-pro-int",
    "--extension", "tosa-ext-int16", "tosa-ext-int4", "tosa-ext-controlflow", "tosa-ext-variable",
    "tosa-ext-doubleround", "tosa-ext-inexactround", "tosa-ext-shape", "tosa-ext-int64",
    "--tosa-version", "1.1.0-draft", "--tensor-dim-range", "1,9", "--max-conv-padding", "1",
    "--max-pooling-padding", "1", "--max-resize-output-dim", "30", "--max-batch-size", "2",
    "--test-type", "positive",
]
TYPE = re.compile(r"^(b|i4|i8|i16|i32|i48|i64|u8|u16|outi\w+)(x\w+)?$")


def operator(folder):
    """The operator of a folder: the generator has one for each kernel of a convolution."""
    return re.sub("(?<=cond_if)_(binary|const)$|_\\d+x[x0-9]*$", "", folder)


def generate(work):
    import tosa_reference_model

    library = os.path.join(os.path.dirname(tosa_reference_model.__file__), "libtosa_reference_generate_lib.so")
    subprocess.run(
        ["tosa_verif_build_tests", "-o", os.path.join(work, "gen"), "--generate-lib-path", library, *GENERATOR],
        check=True,
    )


NEGATIVE = "add|argmax|concat|reshape|slice|tile|transpose|gather|reverse|table|matmul|clamp|select|reduce_sum"


def negative(work, binary):
    import tosa_reference_model

    library = os.path.join(os.path.dirname(tosa_reference_model.__file__), "libtosa_reference_generate_lib.so")
    folder = os.path.join(work, "negative")
    # A few of the generator's own cases fail to be made; the others are what counts.
    subprocess.run(
        ["tosa_verif_build_tests", "-o", folder, "--generate-lib-path", library, "--seed", str(SEED), "--filter",
         f"^({NEGATIVE})$", "--profile", "tosa-pro-int", "--extension", "tosa-ext-int16", "tosa-ext-int4",
         "--tosa-version", "1.0.0", "--tensor-dim-range", "1,5", "--max-batch-size", "2", "--test-type", "negative"],
        check=False,
    )
    done = subprocess.run([binary, "--refused", folder], check=True, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    for line in lines:
        if not line.startswith("ok "):
            print(line)
    print(sum(line.startswith("ok ") for line in lines), "of", len(lines), "refused")


def types_of(name):
    """The types in a case's name: i8xi8xi32, i16_outi8, ..."""
    return "_".join(part for part in name.split("_") if TYPE.match(part)) or "any"


def evaluate(model, graph, inputs, folder, desc, types):
    """What the reference model computes, or None and why it refuses."""
    import numpy as np

    if not re.search("i48|i16xi8|i4$|i4x|xi4|any", types):
        try:
            outputs, status = model.run(graph, inputs, verbosity="LOW")
        except Exception as error:  # the reference model refuses some of the generator's cases
            return None, str(error)[:60]
        return (outputs, None) if str(status).endswith("TOSA_VALID") else (None, str(status))
    # Its Python functions know neither 48 nor 4 bits nor shapes; the program does.
    done = subprocess.run(
        ["tosa_reference_model", f"--test_desc={os.path.join(folder, 'desc.json')}"], capture_output=True, text=True
    )
    paths = [os.path.join(folder, p) for p in desc["ofm_file"]]
    if done.returncode != 0 or not all(map(os.path.exists, paths)):
        return None, f"exit code {done.returncode}"
    return [np.load(p) for p in paths], None


def sample(work, count, skip_large):
    import numpy as np
    import tosa_reference_model as model

    rng = random.Random(SEED)
    out = os.path.join(work, "cases")
    shutil.rmtree(out, ignore_errors=True)
    refused = collections.Counter()
    made = 0
    for op in sorted(os.listdir(os.path.join(work, "gen"))):
        groups = collections.defaultdict(list)
        for name in sorted(os.listdir(os.path.join(work, "gen", op))):
            folder = os.path.join(work, "gen", op, name)
            if os.path.exists(os.path.join(folder, "desc.json")):
                groups[types_of(name[len(op):])].append(folder)
        for types, folders in sorted(groups.items()):
            rng.shuffle(folders)
            taken = 0
            for folder in folders:
                if taken == count:
                    break
                with open(os.path.join(folder, "desc.json")) as f:
                    desc = json.load(f)
                if "INEXACT" in json.dumps(desc["meta"]):
                    continue  # any of several results is right
                path = os.path.join(folder, desc["tosa_file"])
                if skip_large and os.path.getsize(path) > 1 << 20:
                    continue
                inputs = [np.load(os.path.join(folder, p)) for p in desc["ifm_file"]]
                if skip_large and sum(i.size for i in inputs) > 1 << 20:
                    continue
                with open(path, "rb") as f:
                    graph = f.read()
                outputs, why = evaluate(model, graph, inputs, folder, desc, types)
                if outputs is None:
                    refused[(op, types, why)] += 1
                    continue
                case = os.path.join(out, op)
                os.makedirs(case, exist_ok=True)
                name = os.path.join(case, f"{types}-{taken}")
                arrays = {}
                for kind, values in (("in", inputs), ("out", outputs)):
                    for i, value in enumerate(values):
                        value = np.array(value)
                        # Types that numpy lacks come as bytes or as a type of another package.
                        if value.dtype.kind not in "iub":
                            value = value.view(np.int8) if value.dtype.itemsize == 1 else value.astype(np.int64)
                        arrays[f"{kind}{i}"] = value
                shutil.copyfile(path, name + ".tosa")
                np.savez(name + ".npz", **arrays)
                with open(name + ".txt", "w") as f:
                    f.write(os.path.basename(folder) + "\n")
                taken += 1
                made += 1
        print(op, made, flush=True)
    for key, n in sorted(refused.items()):
        print("refused by the reference model:", *key, n)


def commit(work, folder, kib):
    cases = collections.defaultdict(list)
    root = os.path.join(work, "cases")
    for op in sorted(os.listdir(root)):
        for file in sorted(os.listdir(os.path.join(root, op))):
            if file.endswith(".tosa"):
                name = os.path.join(op, file[: -len(".tosa")])
                size = sum(os.path.getsize(os.path.join(root, name + e)) for e in (".tosa", ".npz"))
                cases[(operator(op), file.rsplit("-", 1)[0])].append((size, name))
    shutil.rmtree(folder, ignore_errors=True)
    # One of each operator and type, the smallest that is not trivially so; then what still fits.
    picked = []
    for group in cases.values():
        group.sort()
        picked.append(group[min(len(group) - 1, len(group) // 3)])
    # The smallest of each operator comes first, so that none is left out.
    seen = set()
    firsts = []
    for size, name in sorted(picked):
        firsts.append((operator(name.split("/")[0]) in seen, size, name))
        seen.add(operator(name.split("/")[0]))
    picked = [(size, name) for _, size, name in sorted(firsts)]
    total = 0
    for size, name in picked:
        if total + size > kib * 1024:
            print("left out for its size:", name, size)
            continue
        total += size
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        for ending in (".tosa", ".npz"):
            shutil.copyfile(os.path.join(root, name + ending), os.path.join(folder, name + ending))
    print(len(picked), "groups,", total, "bytes")


def report(work, binary):
    done = subprocess.run([binary, os.path.join(work, "cases")], check=True, capture_output=True, text=True)
    table = collections.defaultdict(lambda: [0, 0, set()])
    for line in done.stdout.splitlines():
        result, rest = line.split(" ", 1)
        path = rest.split(".tosa", 1)[0]
        op, name = path.split("/")[-2:]
        op = operator(op)
        row = table[op]
        row[0] += 1
        row[1] += result == "ok"
        row[2].add(name.rsplit("-", 1)[0])
        if result != "ok":
            print(line)
    print("| operator | cases | bit-exact | combinations of types |")
    print("|---|---|---|---|")
    for op, (total, good, types) in sorted(table.items()):
        print(f"| {op.upper()} | {total} | {good} | {len(types)} |")
    print("total", sum(r[0] for r in table.values()), "passed", sum(r[1] for r in table.values()))


if __name__ == "__main__":
    if sys.argv[1] == "generate":
        generate(sys.argv[2])
    elif sys.argv[1] == "sample":
        sample(sys.argv[2], int(sys.argv[3]), "--skip-large" in sys.argv)
    elif sys.argv[1] == "commit":
        commit(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    elif sys.argv[1] == "negative":
        negative(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "report":
        report(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
