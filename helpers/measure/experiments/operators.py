"""Measure the template's operators beside eager PyTorch.

`OPERATORS` is the table that notebook 17 compares: for each operator its kernel, what it is in
float64, and the same in eager PyTorch. For bias + GELU + residual, which the template fuses,
eager PyTorch needs three kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pandas as pd
import torch
from torch.nn import functional
from tqdm import tqdm

from helpers.errors import CheckError, UnknownNameError
from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, experiment
from helpers.measure.measurement import Measurement
from helpers.model.dtypes import LAUNCHER_SUFFIX, dtype_name
from helpers.run import jit, machine

SIZES = (1 << 20, 1 << 24, 1 << 28)
ALPHA = 0.7  # of scale
COLUMNS = 4096  # of bias + GELU + residual
TOLERANCE_ULP = {torch.float32: 16, torch.float16: 1, torch.bfloat16: 1}
aten = torch.ops.aten


@dataclass(frozen=True)
class Operator:
    """One operator of the template beside PyTorch's.

    `exact` takes the inputs in float64, `eager` the inputs, out and a scratch tensor.
    """

    name: str
    file: str  # of kernels/
    reads: int  # inputs of n elements
    exact: Callable[..., torch.Tensor]
    eager: Callable[..., object]
    eager_tensors: int | None = None  # of n elements, that eager moves; None: reads + 1
    casts_to: torch.dtype | None = None  # from float32
    arguments: tuple[float, ...] = ()
    bias: bool = False  # the second input is one row

    def launcher(self, dtype: torch.dtype) -> Callable[..., None]:
        """Return the template's launcher for an output dtype; it takes the inputs, then out."""
        call = getattr(jit.load(self.file), self.name + LAUNCHER_SUFFIX[dtype_name(dtype)])
        return lambda *tensors: call(*tensors, *self.arguments)

    def inputs(self, elements: int, dtype: torch.dtype) -> list[torch.Tensor]:
        """Make random inputs on this machine: [elements], or [rows, COLUMNS] and a bias."""
        device = machine.present().device
        dtype = torch.float32 if self.casts_to else dtype
        if not self.bias:
            return [torch.randn(elements, device=device).to(dtype) for _ in range(self.reads)]
        shape = (max(1, elements // COLUMNS), COLUMNS)
        shapes = [shape, (COLUMNS,), shape]
        return [torch.randn(shape, device=device).to(dtype) for shape in shapes]

    def bytes_moved(self, elements: int, dtype: torch.dtype, eager: bool = False) -> int:
        """Return the bytes that must move, or that eager PyTorch moves; a bias counts 0."""
        if self.casts_to:
            return elements * (4 + dtype.itemsize)
        return elements * dtype.itemsize * ((eager and self.eager_tensors) or self.reads + 1)


def _unfused(x, bias, residual, out, scratch) -> None:
    torch.add(x, bias, out=scratch)
    aten.gelu.out(scratch, out=out)
    torch.add(out, residual, out=scratch)


def _cast(dtype: torch.dtype) -> Operator:
    def copy(x, out, scratch) -> None:
        out.copy_(x)

    return Operator("cast", "op_cast", 1, lambda x: x, copy, casts_to=dtype)


OPERATORS = (
    Operator(
        "add", "op_add", 2, lambda a, b: a + b, lambda a, b, out, _: torch.add(a, b, out=out)
    ),
    # torch.relu is this clamp; its own form with `out` would compute and then copy.
    Operator(
        "relu", "op_relu", 1, torch.relu, lambda x, out, _: torch.clamp_min(x, 0, out=out)
    ),
    Operator(
        "gelu", "op_gelu", 1, functional.gelu, lambda x, out, _: aten.gelu.out(x, out=out)
    ),
    Operator(
        "gelu_tanh",
        "op_gelu",
        1,
        partial(functional.gelu, approximate="tanh"),
        lambda x, out, _: aten.gelu.out(x, approximate="tanh", out=out),
    ),
    Operator(
        "scale",
        "op_scale",
        1,
        lambda x: ALPHA * x,
        lambda x, out, _: torch.mul(x, ALPHA, out=out),
        arguments=(ALPHA,),
    ),
    _cast(torch.float16),
    _cast(torch.bfloat16),
    Operator(
        "multiply_add",
        "op_fma",
        3,
        lambda a, b, c: a * b + c,
        lambda a, b, c, out, _: torch.addcmul(c, a, b, out=out),
    ),
    Operator(
        "bias_gelu_residual",
        "op_bias_gelu_residual",
        2,
        lambda x, bias, residual: functional.gelu(x + bias) + residual,
        _unfused,
        eager_tensors=7,
        bias=True,
    ),
)


def operator(name: str) -> Operator:
    """Return an operator by its name. Raises KeyError, with the names there are."""
    for one in OPERATORS:
        if one.name == name:
            return one
    names = dict.fromkeys(one.name for one in OPERATORS)
    raise UnknownNameError(f"no operator {name!r}; there are {', '.join(names)}")


def difference(one: Operator, dtype: torch.dtype, elements: int) -> tuple[float, float]:
    """Return the largest error of the template's result and of PyTorch's, against float64.

    In units of the output dtype's eps times max(1, |exact|).
    """
    inputs = one.inputs(elements, dtype)
    exact = one.exact(*[x.double() for x in inputs])
    ours, scratch = (torch.full_like(inputs[0], float("nan"), dtype=dtype) for _ in range(2))
    one.launcher(dtype)(*inputs, ours)
    theirs = torch.empty_like(ours)
    one.eager(*inputs, theirs, scratch)
    if one.eager_tensors:
        theirs = scratch
    scale = torch.finfo(dtype).eps * exact.abs().clamp(min=1)
    return tuple(
        float(((result.double() - exact).abs() / scale).nan_to_num(nan=1e9).max())
        for result in (ours, theirs)
    )


def require_right(one: Operator, dtype: torch.dtype) -> None:
    """Check an operator at a size with a tail and at 2^20 elements. Raises CheckError."""
    for n in (1003 * (COLUMNS if one.bias else 1), 1 << 20):
        if difference(one, dtype, n)[0] > TOLERANCE_ULP[dtype]:
            raise CheckError(f"{one.name} of {dtype} is wrong")


# ---- the experiment ------------------------------------------------------------------------


class Call(NamedTuple):
    """One measured call, and the bytes that count for its bandwidth."""

    kernel: str
    run: Callable[[], object]
    bytes_moved: int


def calls(one: Operator, elements: int, dtype: torch.dtype) -> Iterator[Call]:
    """Yield the template's call, eager PyTorch's and, for the fused operator, its parts."""
    inputs = one.inputs(elements, dtype)
    out = torch.empty_like(inputs[0], dtype=dtype)
    scratch = torch.empty_like(out) if one.eager_tensors else None
    fewest = one.bytes_moved(elements, dtype)
    yield Call(one.name, partial(one.launcher(dtype), *inputs, out), fewest)
    eager = partial(one.eager, *inputs, out, scratch)
    yield Call(f"torch {one.name}", eager, one.bytes_moved(elements, dtype, eager=True))
    if one.bias:
        yield from _fusion_calls(one.name, inputs, out, scratch, fewest)


def _fusion_calls(
    name: str,
    inputs: Sequence[torch.Tensor],
    out: torch.Tensor,
    scratch: torch.Tensor,
    fewest: int,
) -> Iterator[Call]:
    """Yield torch.compile's fused bias + GELU + residual, and the three parts of the eager."""
    compiled = torch.compile(
        lambda x, bias, r, o: o.copy_(functional.gelu(x + bias) + r), dynamic=False
    )
    yield Call(f"torch.compile {name}", partial(compiled, *inputs, out), fewest)
    x, bias, residual = inputs
    yield Call("torch part 1: x + bias", partial(torch.add, x, bias, out=scratch), 2 * x.nbytes)
    yield Call("torch part 2: gelu", partial(aten.gelu.out, x, out=out), 2 * x.nbytes)
    add = partial(torch.add, x, residual, out=out)
    yield Call("torch part 3: + residual", add, 3 * x.nbytes)


def _runs(call: Call, required: bool) -> bool:
    """Try a call once; where a library's fails, say so. Raises the error if `required`."""
    try:
        call.run()
    except Exception as error:
        if required:
            raise
        words = f"{type(error).__name__}: {str(error)[:120]}"
        tqdm.write(f"{call.kernel} is left out: {words}")
        return False
    return True


@experiment("operators")
def measure_operators(
    sizes: Sequence[int] = SIZES,
    dtypes: Sequence[torch.dtype] = (torch.float32, torch.float16),
) -> list[Measurement]:
    """Measure every operator of the template and the same in eager PyTorch ("torch ...").

    Each is checked first. gb_per_s counts for each what it must move: 7 tensors for eager bias
    + GELU + residual, 3 for the fused kernel. Raises CheckError where the template's is wrong.
    """
    bench.require_gpu()
    todo = [
        (one, dtype)
        for one in OPERATORS
        for dtype in ((one.casts_to,) if one.casts_to else dtypes)
    ]
    results = []
    for one, dtype in tqdm(todo, desc="operators", leave=False):
        require_right(one, dtype)
        tensors = one.reads + 3  # and the output, a scratch tensor, what a compiler keeps
        for n in dict.fromkeys(bench.largest_that_fits(n, 4 * tensors) for n in sizes):
            results += [
                bench.measure_calls(
                    [call.run],
                    kernel=call.kernel,
                    elements=n,
                    dtype=dtype_name(dtype),
                    bytes_moved=call.bytes_moved,
                    precision=PRECISION,
                )
                for call in calls(one, n, dtype)
                if _runs(call, required=call.kernel == one.name)
            ]
    return results


def beside_torch(
    rows: pd.DataFrame, index: Sequence[str] = ("kernel", "dtype", "elements")
) -> pd.DataFrame:
    """Return rows of "operators" or "layer norm" as one row each: ours, PyTorch's, the ratio.

    Times in us; torch / ours above 1: the template is faster. GB/s are ours.
    """
    columns = ["kernel", *(column for column in index if column != "kernel")]
    is_torch = rows.kernel.str.startswith("torch ")
    theirs = rows[is_torch].assign(kernel=rows[is_torch].kernel.str.removeprefix("torch "))
    ours = rows[~rows.kernel.str.startswith("torch")]
    both = ours.merge(theirs[[*columns, "time_us"]], on=columns, suffixes=("", "_torch"))
    both["torch / ours"] = both.time_us_torch / both.time_us
    names = {"time_us": "ours (us)", "time_us_torch": "torch (us)", "gb_per_s": "GB/s"}
    both = both.rename(columns=names)
    return both[[*columns, "ours (us)", "torch (us)", "torch / ours", "GB/s"]]
