"""Measure the course's operators of PyTorch beside PyTorch's own: calls, then bandwidth.

eager calls        what one call costs the host, by the way of its registration
pytorch operators  bandwidth of large tensors, replayed from a CUDA graph
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from torch.nn import functional
from tqdm import tqdm

from helpers.errors import CheckError
from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, experiment
from helpers.measure.measurement import Measurement
from helpers.model.dtypes import dtype_name
from helpers.run import jit, pytorch_ops

FEW = 1024  # elements: the GPU has finished before the host calls again
MANY = 1 << 26
COLUMNS = 4096
ROUNDS = 5  # of the calls, interleaved: the host's speed drifts
TOLERANCE_ULP = 4
READS = {"add": 2, "gelu": 1, "bias_gelu_residual": 2, "swish": 1}  # large tensors; no bias

Ways = Mapping[str, Callable[..., torch.Tensor]]
TORCH: Ways = {
    "add": torch.add,
    "gelu": functional.gelu,
    "bias_gelu_residual": lambda x, bias, residual: functional.gelu(x + bias) + residual,
    "swish": functional.silu,
}


@functools.cache
def custom_op(name: str) -> Callable[..., torch.Tensor]:
    """Register "add" or "swish" by torch.library.custom_op, as lesson 20 does it."""
    kernel = jit.load("swish") if name == "swish" else jit.load("fast_operators").fast_add
    arguments = ", ".join(f"Tensor {letter}" for letter in "xy"[: READS[name]])

    @torch.library.custom_op(
        f"elementwise_python::{name}", mutates_args=(), schema=f"({arguments}) -> Tensor"
    )
    def operator(*inputs):
        out = torch.empty_like(inputs[0])
        kernel(*[x.detach() for x in inputs], out)
        return out

    operator.register_fake(lambda *inputs: torch.empty_like(inputs[0]))
    operator.register_autograd(  # never run here, but a call is to cost what it costs there
        lambda ctx, grad: (grad,) * READS[name],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    return operator


def ways(name: str) -> Ways:
    """Return the calls of an operator to compare, by their names; each returns a tensor."""
    found = {f"torch {name}": TORCH[name]}
    if name in ("add", "swish"):
        found[f"custom_op {name}"] = custom_op(name)
    if name == "swish":  # the lesson's own: it is in no compiled code
        return found
    found[f"compiled {name}"] = getattr(pytorch_ops.load(), name)
    found[f"torch.ops {name}"] = getattr(torch.ops.elementwise, name)
    if importlib.util.find_spec("triton"):
        from helpers.run.pytorch_ops import in_triton

        found[f"triton {name}"] = getattr(in_triton, name)
    return found


def inputs(name: str, elements: int, dtype: torch.dtype) -> list[torch.Tensor]:
    """Make random inputs on this GPU: [rows, COLUMNS], and a bias of one row; few are a row."""
    columns = min(elements, COLUMNS)
    shapes = [(elements // columns, columns)] * READS[name]
    if name == "bias_gelu_residual":
        shapes.insert(1, (columns,))
    device = bench.require_gpu().device
    return [torch.randn(shape, device=device, dtype=dtype) for shape in shapes]


def require_right(name: str, call: Callable[..., torch.Tensor], dtype: torch.dtype) -> None:
    """Compare an operator with PyTorch's in float64. Raises CheckError."""
    tensors = inputs(name, FEW, dtype)
    exact = TORCH[name](*[x.double() for x in tensors])
    scale = torch.finfo(dtype).eps * (1 + sum(x.double().abs() for x in tensors))
    error = ((call(*tensors).double() - exact).abs() / scale).nan_to_num(nan=1e9).max()
    if error > TOLERANCE_ULP:
        raise CheckError(f"{name} of {dtype_name(dtype)} is wrong by {float(error):.1f} ulp")


@experiment("eager calls")
def measure_eager_calls(
    names: Sequence[str] = tuple(READS), rounds: int = ROUNDS
) -> list[Measurement]:
    """Measure each way of a call on 1,024 float32 elements; `parameter` is the round."""
    results = []
    for name in tqdm(names, desc="eager calls", leave=False):
        tensors = inputs(name, FEW, torch.float32)
        calls = ways(name)
        for call in calls.values():
            require_right(name, call, torch.float32)
        results += [
            bench.measure_calls(
                [partial(call, *tensors)],
                kernel=way,
                elements=FEW,
                dtype="float32",
                bytes_moved=(READS[name] + 1) * FEW * 4,
                method="wall clock",
                parameter=float(number),
            )
            for number in range(rounds)
            for way, call in calls.items()
        ]
    return results


@experiment("pytorch operators")
def measure_bandwidth(
    names: Sequence[str] = tuple(READS),
    dtypes: Sequence[torch.dtype] = (torch.float32, torch.float16),
    elements: int = MANY,
) -> list[Measurement]:
    """Measure the operators' bandwidth; bytes: each large input and the result once."""
    results = []
    for dtype in dtypes:
        for name in tqdm(names, desc="pytorch operators", leave=False):
            count = bench.largest_that_fits(elements, (READS[name] + 3) * dtype.itemsize)
            tensors = inputs(name, count, dtype)
            for way, call in ways(name).items():
                if way.startswith("torch.ops") or way == "custom_op add":  # the same kernels
                    continue
                require_right(name, call, dtype)
                results.append(
                    bench.measure_calls(
                        [partial(call, *tensors)],
                        kernel=way,
                        elements=count,
                        dtype=dtype_name(dtype),
                        bytes_moved=(READS[name] + 1) * count * dtype.itemsize,
                        precision=PRECISION,
                    )
                )
    return results
