"""MobileNetV2 in float on the CPU: our kernels beside upstream's runtime, in one run.

Ours is a whole process with one run; upstream's time is that of one execution of a loaded method.

usage: bench_cpu.py TOMBOLO CORPUS [ROUNDS]     (package: executorch)
"""

import statistics
import subprocess
import sys
import time

import numpy as np
import torch
from executorch.runtime import Runtime, Verification


def main():
    tombolo, corpus = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    program, image = f"{corpus}/mv2/cpu_float.pte", f"{corpus}/mv2/in0.npy"
    method = Runtime.get().load_program(program, verification=Verification.Minimal).load_method("forward")
    value = torch.tensor(np.load(image))
    expected = np.load(f"{corpus}/mv2/float_out.npy")
    mine, theirs = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        subprocess.run([tombolo, "run", program, "--input", image], check=True, stdout=subprocess.DEVNULL)
        mine.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        output = method.execute([value])[0].numpy()
        theirs.append(time.perf_counter() - begin)
    off = np.abs(output - expected).max() / np.abs(expected).max()
    ratio = statistics.median(a / b for a, b in zip(mine, theirs))
    print(f"tombolo run:        {min(mine):.3f} s at best, {statistics.median(mine):.3f} s median")
    print(f"upstream's runtime: {min(theirs):.3f} s at best, {statistics.median(theirs):.3f} s median, {off:.1e} from torch")
    print(f"ratio, median of {rounds} rounds side by side: {ratio:.2f}")


main()
