"""MobileNetV2 on the simulated Ethos-U65 beside the TOSA reference model, in one run.

Both compute the same integers from the same inputs; the outputs are compared. Ours is a whole process (start, read
the files, simulate with the cycle estimate, compare with the golden); the reference model's time is that of its
`run` alone, in a process that has loaded its library already.

usage: bench_sim.py TOMBOLO CORPUS [ROUNDS]     (package: tosa-tools)
"""

import os
import statistics
import subprocess
import sys
import time

import numpy as np
import tosa_reference_model


def ours(command):
    """Seconds and peak kilobytes of one process."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - begin, usage.ru_maxrss


def main():
    tombolo, corpus = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    folder = f"{corpus}/mv2"
    golden = np.load(f"{folder}/u65-256.golden.npz")
    tosa = open(f"{folder}/u65-256.0.tosa", "rb").read()
    command = [tombolo, "npu", "run", f"{folder}/u65-256.0.vela.npz", "--target", "ethos-u65-256"]
    command += ["--golden", f"{folder}/u65-256.golden.npz", "--profile"]
    mine, theirs, memory = [], [], 0
    for _ in range(rounds):
        seconds, kilobytes = ours(command)
        mine.append(seconds)
        memory = max(memory, kilobytes)
        begin = time.perf_counter()
        outputs, _ = tosa_reference_model.run(
            tosa, [golden["in0"]], verbosity="LOW", initialize_variable_tensor_from_numpy=True, debug_mode=None
        )
        theirs.append(time.perf_counter() - begin)
        if not np.array_equal(np.array(outputs[0]), golden["out0"]):
            sys.exit("the reference model disagrees with the golden")
    ratio = statistics.median(a / b for a, b in zip(mine, theirs))
    print(f"tombolo npu run --profile: {min(mine):.3f} s at best, {statistics.median(mine):.3f} s median, {memory / 1024:.0f} MB")
    print(f"tosa_reference_model.run:  {min(theirs):.3f} s at best, {statistics.median(theirs):.3f} s median")
    print(f"ratio, median of {rounds} rounds side by side: {ratio:.2f}")


main()
