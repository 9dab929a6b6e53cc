"""Measure products of square matrices.

matmul         kernels/matmul.cu beside torch.matmul
matmul sides   the product without shared memory, by the side: where does it fall?
fewer warps    the same with fewer and fewer blocks on an SM
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pandas as pd
import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.testing import kernel_cases, memory_cases

SIDES = (1024, 2048, 4096, 4160)  # 4160: as large as 4096, and no power of two

ALL_SIDES = (1024, 1536, 2048, 2304, 2560, 2816, 3072, 3328, 3584, 3840, 4096, 4160, 4608)
FEWER_SIDES = (1024, 2048, 4096)
BLOCKS_PER_SM = (8, 4, 2, 1)  # of 256 threads


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
            results.append(_measure(partial(call, **dials), name, side, dials=dials))
    return results


@experiment("matmul sides")
def measure_sides(sides: Sequence[int] = ALL_SIDES) -> list[Measurement]:
    """Measure matmul_plain at many sides (`parameter`)."""
    plain = checked("matmul", kernel_cases.matmul).matmul_plain
    return [
        _measure(plain, "matmul_plain", side) for side in tqdm(sides, desc="sides", leave=False)
    ]


@experiment("fewer warps")
def measure_fewer_warps(sides: Sequence[int] = FEWER_SIDES) -> list[Measurement]:
    """Measure kernels/fewer_blocks.cu; `parameter` is the number of blocks on each SM."""
    launcher = checked("fewer_blocks", memory_cases.fewer_blocks).matmul_fewer
    sm_count = bench.require_gpu().sm_count
    todo = list(itertools.product(sides, BLOCKS_PER_SM))
    return [
        _measure(
            partial(launcher, blocks=count * sm_count), "matmul_fewer", side, parameter=count
        )
        for side, count in tqdm(todo, desc="fewer warps", leave=False)
    ]


def _measure(call: Callable, name: str, side: int, **more) -> Measurement:
    """Time one product of two random matrices; `parameter` is the side by default."""
    device = bench.require_gpu().device
    a, b = (torch.randn(side, side, device=device) for _ in range(2))
    c = torch.empty_like(a)
    return bench.measure_calls(
        [partial(call, a, b, c)],
        kernel=name,
        elements=side * side,
        dtype="float32",
        bytes_moved=3 * a.nbytes,
        flops=2 * side**3,
        precision=PRECISION,
        **{"parameter": side, **more},
    )


def products_table(rows: pd.DataFrame, side: int) -> pd.Series:
    """Return the rows of "matmul" of one side as TFLOP/s by kernel: 2 side^3 over the time."""
    own = rows[rows.parameter == side]
    return pd.Series(
        (2 * side**3 / own.time_us / 1e6).to_numpy(float),
        index=own.kernel.to_numpy(str),
        dtype=float,
    )
