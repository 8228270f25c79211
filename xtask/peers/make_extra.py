"""Writes fixtures/extra/<name>/: small programs with what the corpus lacks (control flow, symbolic
sizes, views, state, several outputs, bool and int64), their inputs, and what torch gives for them.

    python make_extra.py [FOLDER]     # with the packages executorch and torch

Each folder has `model.pte`, `manifest.json` and `.npy` files. The manifest lists runs in order (state
goes on from run to run), each with its inputs, expected outputs and tolerance. Upstream's own runtime
runs every program here too, and must agree with torch.
"""

import json
import pathlib
import sys

import numpy
import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch.export import Dim, export

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "fixtures/extra")


def emit(name, about, model, example, runs, dynamic=None, tolerance=0.0, **config):
    """`runs`: a list of input tuples; the expected outputs are those of a fresh copy of the model."""
    folder = ROOT / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    model = model.eval()
    program = export(model, example, dynamic_shapes=dynamic, strict=True)
    edge = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    pte = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False, **config))
    (folder / "model.pte").write_bytes(pte.buffer)
    upstream = _load_for_executorch_from_buffer(pte.buffer)
    plan = pte.executorch_program.execution_plan[0]
    operators = sorted(f"{op.name}.{op.overload}".rstrip(".") for op in plan.operators)
    manifest = {"about": about, "program": "model.pte", "method": "forward", "operators": operators, "runs": []}
    with torch.no_grad():
        for r, inputs in enumerate(runs):
            expected = model(*inputs)
            expected = expected if isinstance(expected, (tuple, list)) else (expected,)
            got = upstream.forward(inputs)
            files = {"inputs": [], "expected": []}
            for kind, tensors in [("inputs", inputs), ("expected", expected)]:
                for i, t in enumerate(tensors):
                    file = f"run{r}_{'in' if kind == 'inputs' else 'out'}{i}.npy"
                    numpy.save(folder / file, t.contiguous().numpy())
                    files[kind].append(file)
            for g, e in zip(got, expected, strict=True):
                assert g.shape == e.shape and g.dtype == e.dtype, (name, g, e)
                assert torch.allclose(g, e, rtol=1e-5, atol=1e-6), (name, g, e)
            manifest["runs"].append({**files, "tolerance": tolerance})
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{name:14} {size:7} bytes  {' '.join(operators)}")


class Dynamic(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)

    def forward(self, x):
        n = x.shape[0]
        y = self.linear(x).reshape(n * 2, 2)
        return torch.cat([y, y[:n]]) * (n // 2 - 5)


class TwoOutputs(torch.nn.Module):
    def forward(self, x):
        values, indices = torch.max(x, dim=1)
        return values * 2.0, indices


class Cond(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0.0, lambda x: x + 1.0, lambda x: torch.relu(x) * 3.0, (x,))


class Nested(torch.nn.Module):
    """A condition inside of a branch."""

    def forward(self, x):
        def small(x):
            return torch.cond(x.sum() < -10.0, lambda x: x * 0.0, lambda x: -x, (x,))

        return torch.cond(x.sum() > 0.0, lambda x: x + 1.0, small, (x,)) * 2.0


class State(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("runs", torch.zeros(1, dtype=torch.int64))

    def forward(self, x):
        self.total.add_(x)
        self.runs.add_(1)
        return self.total * 1.0, self.runs + 0


class BoolInt(torch.nn.Module):
    def forward(self, x, mask, index):
        picked = torch.index_select(x, 0, index)
        return torch.where(mask, picked, torch.zeros_like(picked)), mask.logical_not(), index * 2 + 1


class Views(torch.nn.Module):
    def forward(self, x):
        y = (x + 1.0).view(2, 3, 4)
        return y.permute(2, 0, 1).reshape(4, 6).unsqueeze(0) * 2.0


class Split(torch.nn.Module):
    def forward(self, x):
        a, b, c = x.split([1, 2, 3], dim=1)
        d, e = (x * 2.0).chunk(2, dim=1)
        return torch.cat([c, a], dim=1), b, d + e


class Item(torch.nn.Module):
    def forward(self, x, n):
        return x * n.item()


class MapModel(torch.nn.Module):
    def forward(self, xs, y):
        from torch._higher_order_ops.map import map as higher_order_map

        return higher_order_map(lambda x, y: x * y + 1.0, xs, y)


torch.manual_seed(4)
r = torch.randn
batch = Dim("batch", min=1, max=8)
emit("dynamic", "sizes computed from an input of up to 8 rows", Dynamic(), (r(4, 3),), [(r(4, 3),), (r(8, 3),), (r(1, 3),)], dynamic={"x": {0: batch}}, tolerance=1e-6)
emit("two_outputs", "outputs of two types", TwoOutputs(), (r(3, 5),), [(r(3, 5),)])
emit("cond", "either branch of a condition", Cond(), (r(4),), [(torch.tensor([1.0, -2.0, 3.0, 0.5]),), (torch.tensor([1.0, -2.0, -3.0, 0.5]),)])
emit("nested_cond", "a condition inside of a branch", Nested(), (r(4),), [(torch.full((4,), v),) for v in (1.0, -1.0, -4.0)])
emit("state", "two buffers that keep their values from run to run", State(), (r(3),), [(torch.tensor([0.5, 0.25, -1.0]),)] * 3, passes=[InitializedMutableBufferPass(["total", "runs"])])
emit("bool_int", "bool and int64 inputs and outputs", BoolInt(), (r(4, 2), torch.ones(3, 2, dtype=torch.bool), torch.tensor([0, 1, 2])), [(r(4, 2), torch.tensor([[True, False], [False, True], [True, True]]), torch.tensor([3, 0, 3]))])
emit("views", "tensors in the memory of others", Views(), (r(4, 6),), [(r(4, 6),)])
emit("split", "lists of outputs of one operator", Split(), (r(2, 6),), [(r(2, 6),)])
emit("item", "an element of a tensor becomes a number", Item(), (r(3), torch.tensor(2)), [(r(3), torch.tensor(5)), (r(3), torch.tensor(-1))])
emit("map", "a loop over the rows of a tensor", MapModel(), (r(3, 4), r(4)), [(r(3, 4), r(4)), (r(3, 4), r(4))])
