#!/usr/bin/env python3
"""Makes cases for `tests/cases.rs`: TOSA programs, compiled by Vela, with what the TOSA reference model computes.

    make_cases.py corpus CORPUS OUT ACCELERATOR [MODEL ...] [-- OPTION ...]
        The `.tosa` programs of the corpus for another accelerator, or with other options of Vela; inputs and outputs
        are those of its goldens.
    make_cases.py tosa TESTS OUT ACCELERATOR N [OP ...]
        N random ones per operator and type out of TESTS, as `tosa_verif_build_tests` writes them.

Needs the Python packages ethos-u-vela (written with 5.2.0), tosa-tools and numpy. A case is one compressed `.npz`:
`stream` (COP1), `weights`, sizes, regions, places of inputs and outputs, `in0`, ..., `out0`, ...
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import ethosu.vela
import numpy as np

INI = Path(ethosu.vela.__file__).parent.parent / "config_files/Arm/vela.ini"
SYSTEM = {
    "u55": ("Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "u65": ("Ethos_U65_High_End", "Dedicated_Sram_384KB"),
    "u85": ("Ethos_U85_SYS_DRAM_Mid", "Sram_Only"),
}


def compile_tosa(tosa, accelerator, extra=()):
    """Vela's raw output for a program, or its last words."""
    system, mode = SYSTEM[accelerator[:3]]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["vela", "--config", INI, "--accelerator-config", "ethos-" + accelerator, "--system-config", system,
             "--memory-mode", mode, "--output-format", "raw", "--output-dir", folder, *extra, tosa],
            capture_output=True, text=True,
        )
        files = list(Path(folder).glob("*_vela.npz"))
        if not files:
            return None, (run.stdout + run.stderr).strip().split("\n")[-1]
        return dict(np.load(files[0], allow_pickle=True)), None


def save(path, vela, inputs, outputs):
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {
        "stream": np.frombuffer(vela["cmd_data"].tobytes(), np.uint8),
        "weights": np.frombuffer(vela["weight_data"].tobytes(), np.uint8),
    }
    for name in ("weight_region", "scratch_region", "scratch_size", "scratch_fast_region", "scratch_fast_size",
                 "input_region", "input_offset", "output_region", "output_offset"):
        arrays[name] = np.asarray(vela[name], np.int64).reshape(-1)
    for i, a in enumerate(inputs):
        arrays[f"in{i}"] = np.ascontiguousarray(a)
    for i, a in enumerate(outputs):
        arrays[f"out{i}"] = np.ascontiguousarray(a)
    np.savez_compressed(path, **arrays)


def from_corpus(corpus, out, accelerator, models, options):
    source = {"u55": "u55-128", "u65": "u65-256", "u85": "u85-256"}[accelerator[:3]]
    for folder in sorted(Path(corpus).iterdir()):
        tosa, golden = folder / f"{source}.0.tosa", folder / f"{source}.golden.npz"
        if not tosa.exists() or not golden.exists() or (models and folder.name not in models):
            continue
        vela, error = compile_tosa(tosa, accelerator, options)
        if vela is None:
            print(accelerator, folder.name, "refused by Vela:", error)
            continue
        golden = np.load(golden)
        count = lambda kind: sum(k.startswith(kind) for k in golden.files)
        save(Path(out) / accelerator / f"{folder.name}.npz", vela,
             [golden[f"in{i}"] for i in range(count("in"))], [golden[f"out{i}"] for i in range(count("out"))])


def from_tosa(tests, out, accelerator, count, ops):
    import tosa_reference_model

    random.seed(1)
    done = collections.Counter()
    for op in ops or sorted(os.listdir(tests)):
        groups = collections.defaultdict(list)
        for folder in sorted((Path(tests) / op).iterdir()):
            kind = [p for p in folder.name.split("_") if p[:2] in ("i4", "i8", "u8", "i1", "i3", "u1", "i4") or p == "b"]
            groups[kind[0] if kind else "?"].append(folder)
        for kind, folders in sorted(groups.items()):
            random.shuffle(folders)
            for folder in folders[:count]:
                desc = json.loads((folder / "desc.json").read_text())
                tosa = folder / desc["tosa_file"]
                inputs = [np.load(folder / name) for name in desc["ifm_file"]]
                try:
                    outputs, _ = tosa_reference_model.run(
                        tosa.read_bytes(), inputs, verbosity="LOW", initialize_variable_tensor_from_numpy=True,
                        debug_mode=None)
                except Exception:
                    done[op, kind, "no reference"] += 1
                    continue
                vela, error = compile_tosa(tosa, accelerator)
                if vela is None:
                    done[op, kind, "refused by Vela"] += 1
                    continue
                # The reference returns wider types than the program's where numpy has none.
                sizes = [int(s) for s in np.asarray(vela["output_elem_size"]).reshape(-1)]
                outputs = [np.asarray(o) for o in outputs]
                outputs = [o if o.dtype.itemsize == s else o.astype({1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}[s])
                           for o, s in zip(outputs, sizes)]
                save(Path(out) / accelerator / f"{op}-{folder.name[:120]}.npz", vela, inputs, outputs)
                done[op, kind, "made"] += 1
    for key, n in sorted(done.items()):
        print(accelerator, *key, n)


if __name__ == "__main__":
    if len(sys.argv) < 5 or sys.argv[1] not in ("corpus", "tosa"):
        sys.exit(__doc__)
    _, kind, source, out, accelerator, *rest = sys.argv
    if kind == "corpus":
        cut = rest.index("--") if "--" in rest else len(rest)
        from_corpus(source, out, accelerator, rest[:cut], rest[cut + 1:])
    else:
        from_tosa(source, out, accelerator, int(rest[0]), rest[1:])
