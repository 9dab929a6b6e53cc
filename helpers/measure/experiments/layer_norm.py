"""Measure layer norm: kernels/layer_norm.cu beside PyTorch's."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import torch
from torch.nn import functional
from tqdm import tqdm

from helpers.errors import CheckError
from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, experiment
from helpers.measure.measurement import Measurement
from helpers.model.dtypes import dtype_name
from helpers.run import jit, machine

ELEMENTS = 1 << 26
COLUMNS = (256, 1024, 4096, 16384)
CHECKED_ROWS = 37
TOLERANCE = 64  # times the dtype's eps


def norm_inputs(
    rows: int, columns: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return x [rows, columns] with a mean far from 0, gamma and beta [columns]."""
    device = machine.present().device
    x = (torch.randn(rows, columns, device=device) * 3 + 10).to(dtype)
    gamma, beta = (torch.randn(columns, device=device).to(dtype) for _ in range(2))
    return x, gamma, beta


def norm_error(rows: int, columns: int, dtype: torch.dtype) -> tuple[float, float]:
    """Return the largest error of the course's layer norm and of PyTorch's, against float64."""
    x, gamma, beta = norm_inputs(rows, columns, dtype)
    exact = functional.layer_norm(x.double(), (columns,), gamma.double(), beta.double())
    out = torch.full_like(x, float("nan"))
    jit.load("layer_norm")(x, gamma, beta, out)
    theirs = functional.layer_norm(x, (columns,), gamma, beta)
    return tuple(
        float((result.double() - exact).abs().nan_to_num(nan=1e9).max())
        for result in (out, theirs)
    )


@experiment("layer norm")
def measure_layer_norm(
    columns: Sequence[int] = COLUMNS,
    dtypes: Sequence[torch.dtype] = (torch.float32, torch.float16),
) -> list[Measurement]:
    """Measure the course's layer norm and PyTorch's over 2^26 elements in rows of `parameter`.

    Bytes: one read, one write. Raises CheckError where the course's is wrong.
    """
    bench.require_gpu()
    kernel = jit.load("layer_norm")
    results = []
    todo = list(itertools.product(dtypes, columns))
    for dtype, cols in tqdm(todo, desc="layer norm", leave=False):
        if norm_error(CHECKED_ROWS, cols, dtype)[0] > TOLERANCE * torch.finfo(dtype).eps:
            raise CheckError(f"layer_norm of {dtype} in rows of {cols} is wrong")
        elements = bench.largest_that_fits(ELEMENTS, 4 * 4)
        x, gamma, beta = norm_inputs(elements // cols, cols, dtype)
        calls = {
            "layer_norm": partial(kernel, x, gamma, beta, torch.empty_like(x)),
            "torch layer_norm": partial(functional.layer_norm, x, (cols,), gamma, beta),
        }
        results += [
            bench.measure_calls(
                [call],
                kernel=name,
                elements=x.numel(),
                dtype=dtype_name(dtype),
                bytes_moved=2 * x.nbytes,
                precision=PRECISION,
                parameter=cols,
            )
            for name, call in calls.items()
        ]
    return results
