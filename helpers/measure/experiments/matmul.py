"""Measure products of square matrices: kernels/matmul.cu beside torch.matmul."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd
import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.testing import kernel_cases

SIDES = (1024, 2048, 4096, 4160)  # 4160: as large as 4096, and no power of two


@contextlib.contextmanager
def _full_float32() -> Iterator[None]:
    """Keep torch.matmul from rounding its inputs to TF32 while the context is open."""
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = allowed


@experiment("matmul")
def measure_matmul(sides: Sequence[int] = SIDES) -> list[Measurement]:
    """Measure the products of kernels/matmul.cu and torch.matmul (cuBLAS, no TF32), float32.

    `parameter` is the side. Bytes: each matrix once. Operations: 2 side^3.
    """
    here = bench.require_gpu()
    kernel = checked("matmul", kernel_cases.matmul)
    calls = [
        ("matmul_plain", kernel.matmul_plain, {}),
        ("matmul_tile16", kernel.matmul_tile16, {}),
        ("matmul_tile32", kernel.matmul_tile32, {"padding": 1}),
        ("matmul_tile32", kernel.matmul_tile32, {"padding": 0}),
        ("matmul_registers", kernel.matmul_registers, {}),
        ("torch.matmul", lambda a, b, c: torch.matmul(a, b, out=c), {}),
    ]
    results = []
    with _full_float32():
        todo = list(itertools.product(sides, calls))
        for side, (name, call, dials) in tqdm(todo, desc="matmul", leave=False):
            a, b = (torch.randn(side, side, device=here.device) for _ in range(2))
            c = torch.empty_like(a)
            results.append(
                bench.measure_calls(
                    [partial(call, a, b, c, **dials)],
                    kernel=name,
                    elements=side * side,
                    dtype="float32",
                    bytes_moved=3 * a.nbytes,
                    flops=2 * side**3,
                    precision=PRECISION,
                    parameter=side,
                    dials=dials,
                )
            )
    return results


def products_table(rows: pd.DataFrame, side: int) -> pd.Series:
    """Return the rows of "matmul" of one side as TFLOP/s by kernel: 2 side^3 over the time."""
    own = rows[rows.parameter == side]
    return pd.Series(
        (2 * side**3 / own.time_us / 1e6).to_numpy(float),
        index=own.kernel.to_numpy(str),
        dtype=float,
    )
