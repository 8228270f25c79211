"""Writes crates/pte/tests/data/: small programs with what no program of the corpus has.

    python xtask/peers/make_pte_cases.py crates/pte/tests/data

Needs torch and executorch (1.5). The programs are upstream's own output; the ones marked `edited` are its own
output read, changed in one place, and written by its own writer, for parts of the format that its exporter
no longer or never emits.
"""

import copy
import os
import re
import sys

import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, schema, to_edge, to_edge_transform_and_lower
from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program, _program_to_flatbuffer
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from torch.export import Dim, export


class Counter(torch.nn.Module):
    """State that starts from a value and survives a run."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.arange(6, dtype=torch.float32))

    def forward(self, x):
        self.total.add_(x)
        return self.total.mean()


class Branch(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))


class Lists(torch.nn.Module):
    """Lists of every kind, text, an absent argument."""

    def forward(self, x, i):
        picked = x[:, i]
        wide = torch.cat([picked, x], 1)
        big = torch.nn.functional.interpolate(x[None], scale_factor=[2.0, 3.0], mode="nearest")
        return torch.nn.functional.gelu(wide, approximate="tanh"), torch.div(x, 3, rounding_mode="floor"), big


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.inner = torch.nn.Linear(3, 5)

    def forward(self, x):
        return self.inner(x) if self.inner.bias is not None else x


def lower(models, config=None, **options):
    if isinstance(models, tuple):
        models = {"forward": models}
    programs = {}
    for name, (model, inputs, *dynamic) in models.items():
        programs[name] = export(model.eval(), inputs, dynamic_shapes=dynamic[0] if dynamic else None)
    edge = to_edge(programs, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return edge.to_executorch(config or ExecutorchBackendConfig(**options))


def edited(program, change):
    program = copy.deepcopy(program)
    change(program)
    result = _program_to_flatbuffer(program)
    return bytes(result.data if hasattr(result, "data") else result)


def main(folder):
    os.makedirs(folder, exist_ok=True)

    def write(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(bytes(data))
        print(f"{name}: {len(bytes(data))} bytes")

    x = torch.ones(6)
    keep = [InitializedMutableBufferPass(["total"])]
    write("mutable.pte", lower((Counter(), (x,)), emit_mutable_buffer_names=True, passes=keep).buffer)
    write("cond.pte", lower((Branch(), (torch.ones(2, 3),))).buffer)
    write("lists.pte", lower((Lists(), (torch.ones(2, 4, 4), torch.tensor([0, 2])))).buffer)
    batch = Dim("batch", min=1, max=7)
    write("dynamic.pte", lower((Linear(), (torch.ones(2, 3),), {"x": {0: batch}})).buffer)
    two = {"forward": (Linear(), (torch.ones(2, 3),)), "other": (Branch(), (torch.ones(2, 3),))}
    write("methods.pte", lower(two).buffer)
    # Stack traces name the files of the machine: folders become x's of the same length, so that no offset moves.
    traced = bytes(lower((Linear(), (torch.ones(2, 3),)), emit_stacktrace=True).buffer)
    folders = re.compile(rb"/[\w./+-]+/(?=\w+\.py)")
    write("stacktrace.pte", folders.sub(lambda found: b"/" + b"x" * (len(found[0]) - 2) + b"/", traced))
    unplanned = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    write("unplanned.pte", lower((Linear(), (torch.ones(2, 3),)), memory_planning_pass=unplanned).buffer)

    external = lower((Linear(), (torch.ones(2, 3),)), external_constants=True)
    write("external.pte", external.buffer)
    external.write_tensor_data_to_file(folder)
    os.rename(os.path.join(folder, "_default_external_constant.ptd"), os.path.join(folder, "external.ptd"))

    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    exported = export(Linear().eval(), (torch.ones(2, 3),))
    delegated = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()
    write("named_data.pte", delegated.buffer)

    plain = lower((Linear(), (torch.ones(2, 3),)))
    program = plain.executorch_program

    def old_constants(p):
        """As written before 2024-09: constants inside of the flatbuffer."""
        p.constant_segment = schema.SubsegmentOffsets(segment_index=0, offsets=[])

    write("constant_buffer.pte", edited(program, old_constants))

    def rare(p):
        """What the exporter never emits: FreeCall, devices, lists of numbers and truth values, a planned tensor
        whose initial value is in a data file."""
        old_constants(p)
        plan = p.execution_plan[0]
        plan.values.append(schema.EValue(schema.DoubleList([0.5, -1.0])))
        plan.values.append(schema.EValue(schema.BoolList([True, False, True])))
        plan.values.append(schema.EValue(schema.OptionalTensorList([-1, 0])))
        plan.values.append(schema.EValue(schema.Double(float("inf"))))
        plan.values.append(schema.EValue(schema.Bool(True)))
        plan.chains[0].instructions.append(schema.Instruction(schema.FreeCall(0)))
        plan.chains[0].instructions.append(schema.Instruction(schema.MoveCall(1, 1)))
        info = schema.ExtraTensorInfo(fully_qualified_name="start", location=schema.TensorDataLocation.EXTERNAL)
        next(v.val for v in plan.values if getattr(v.val, "allocation_info", None)).extra_tensor_info = info
        plan.non_const_buffer_device = [schema.NonConstBufferDevice(1, schema.DeviceType.CPU, 0)]

    write("rare.pte", edited(program, rare))


main(sys.argv[1])
