"""What a delegated MobileNetV2 program gives exactly: quantize, the TOSA reference model, dequantize.

The corpus' `mv2/TARGET.out.npy` comes from torch's fake quantization, which drifts from the integers by up
to 11 steps over MobileNetV2's fifty layers. The tests compare with this instead.

usage: mv2_reference.py CORPUS OUT     (packages: executorch, torch, tosa-tools)
"""

import sys

import numpy as np
import torch
import tosa_reference_model
from executorch.exir._serialize._program import deserialize_pte_binary


def border(program):
    """Scale and zero point of the program's quantize and dequantize calls."""
    plan = program.execution_plan[0]
    found = {}
    for instruction in plan.chains[0].instructions:
        call = instruction.instr_args
        if type(call).__name__ != "KernelCall":
            continue
        name = plan.operators[call.op_index].name.split("::")[-1]
        scale, zero_point = (plan.values[i].val for i in call.args[1:3])
        found[name] = (scale.double_val, zero_point.int_val)
    return found["quantize_per_tensor"], found["dequantize_per_tensor"]


def main():
    corpus, out = sys.argv[1:]
    image = torch.tensor(np.load(f"{corpus}/mv2/in0.npy"))
    for target in ["u55-128", "u65-256", "u65-512", "u85-256"]:
        data = open(f"{corpus}/mv2/{target}.pte", "rb").read()
        read = deserialize_pte_binary(data)
        (scale_in, zero_in), (scale, zero) = border(getattr(read, "program", read))
        quantize = torch.ops.quantized_decomposed.quantize_per_tensor
        pixels = quantize(image, scale_in, zero_in, -128, 127, torch.int8).numpy()
        tosa = open(f"{corpus}/mv2/{target}.0.tosa", "rb").read()
        outputs, _ = tosa_reference_model.run(
            tosa, [pixels], verbosity="LOW", initialize_variable_tensor_from_numpy=True, debug_mode=None
        )
        logits = (np.array(outputs[0]).astype(np.float32) - zero) * np.float32(scale)
        torch_logits = np.load(f"{corpus}/mv2/{target}.out.npy")
        steps = np.abs(logits - torch_logits).max() / scale
        print(f"{target}: torch's fake quantization is off by up to {steps:.0f} steps")
        np.save(f"{out}/{target}.exact.npy", logits.astype(np.float32))


main()
