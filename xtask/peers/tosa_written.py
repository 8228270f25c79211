#!/usr/bin/env python3
"""Files that crates/tosa writes, in the TOSA reference model: the same outputs as the originals give.

    tosa_written.py BINARY FOLDER...    # BINARY: the example rewrite; FOLDER: with NAME.0.tosa and NAME.golden.npz

Needs the Python packages tosa-tools and numpy.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import tosa_reference_model as model


def main():
    binary, folders = sys.argv[1], sys.argv[2:]
    same = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            for file in sorted(os.listdir(folder)):
                golden = os.path.join(folder, file.replace(".0.tosa", ".golden.npz"))
                if not file.endswith(".0.tosa") or not os.path.exists(golden):
                    continue
                written = os.path.join(scratch, "written.tosa")
                subprocess.run([binary, os.path.join(folder, file), written], check=True)
                arrays = np.load(golden)
                inputs = [arrays[k] for k in sorted(arrays) if k.startswith("in")]
                expected = [arrays[k] for k in sorted(arrays) if k.startswith("out")]
                with open(written, "rb") as f:
                    outputs, status = model.run(f.read(), inputs, verbosity="LOW")
                assert len(outputs) == len(expected), (folder, file)
                for a, b in zip(outputs, expected):
                    assert np.array_equal(np.array(a), b), (folder, file)
                same += 1
    print(same, "written files give the same outputs in the reference model")


if __name__ == "__main__":
    main()
