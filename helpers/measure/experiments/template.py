"""Measure the six steps in which notebook 17 builds its template, kernels/rung*.cu.

A step is called a rung, after its file. Each computes out = x * x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, experiment
from helpers.measure.measurement import Measurement
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.testing import check
from helpers.testing.cases import Case, elementwise_cases

RUNGS = (
    "rung1_functor",
    "rung2_grid_stride",
    "rung3_pack",
    "rung4_alignment",
    "rung5_tail",
    "rung6_apply2",
)
WHOLE_PACKS_ONLY = ("rung3_pack", "rung4_alignment")  # no tail yet
WAVES = (1, 2, 4, 8, 32, 0)  # 0: no cap
SLICES = {16: 0, 8: 4, 4: 2, 2: 1}  # bytes of a pack -> where a float16 slice must start
LABELS = {
    "rung1_functor": "1 functor",
    "rung2_grid_stride": "2 grid-stride",
    "rung3_pack": "3 pack",
    "rung4_alignment": "4 alignment",
    "rung5_tail": "5 tail",
    "rung6_apply2 square_singles": "6 template, singles",
    "rung6_apply2 square_pairs": "6 template, pairs",
    "torch.mul": "torch.mul",
}
DEFAULTS = {"rung2_grid_stride": 32.0, "rung4_alignment": 16.0}  # `parameter` as launched


def whole_packs(launcher) -> list[Case]:
    """Return the checker's cases of a square without a tail: whole packs, aligned addresses."""
    every = elementwise_cases(launcher, lambda x: x * x)
    return [case for case in every if case.inputs[0].numel() % 8 == 0 and not case.offset]


def rung(name: str) -> Kernel:
    """Load a rung and check it: rungs 3 and 4, which have no tail, on aligned whole packs only.

    Raises CheckError.
    """
    kernel = jit.load(name)
    if name in WHOLE_PACKS_ONLY:
        check.check(kernel, cases=whole_packs)
    else:
        check.check(kernel, lambda x: x * x)
    return kernel


class Launch(NamedTuple):
    """One measured launch of a rung: run(x, out), on slices that start at `offset` elements."""

    kernel: str
    run: Callable[[torch.Tensor, torch.Tensor], object]
    offset: int = 0
    parameter: float | None = None


def launches(rungs: dict[str, Kernel]) -> Iterator[Launch]:
    """Yield every launch that is measured, in the order of the rungs."""
    yield Launch("rung1_functor", rungs["rung1_functor"].square_f16)
    grid_stride = rungs["rung2_grid_stride"].square_f16
    for waves in WAVES:
        yield Launch("rung2_grid_stride", partial(grid_stride, waves=waves), parameter=waves)
    yield Launch("rung3_pack", rungs["rung3_pack"].square_f16)
    for pack, offset in SLICES.items():
        yield Launch("rung4_alignment", rungs["rung4_alignment"].square_f16, offset, pack)
    yield Launch("rung5_tail", rungs["rung5_tail"].square_f16)
    for name in ("square_singles", "square_pairs"):
        yield Launch(f"rung6_apply2 {name}", getattr(rungs["rung6_apply2"], name))
    yield Launch("torch.mul", lambda x, out: torch.mul(x, x, out=out))


@experiment("template rungs")
def measure_rungs(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """Measure out = x * x in float16 by each rung, and by torch.mul.

    `parameter` is the number of waves for rung 2 (0: no cap), the bytes of a pack for rung 4.
    """
    here = bench.require_gpu()
    rungs = {name: rung(name) for name in tqdm(RUNGS, desc="checking", leave=False)}
    results = []
    for n in tqdm(sizes, desc="template rungs", leave=False):
        x = torch.randn(n + 8, device=here.device).half()
        out = torch.empty_like(x)
        for launch in launches(rungs):
            part = slice(launch.offset, launch.offset + n)
            results.append(
                bench.measure_calls(
                    [partial(launch.run, x[part], out[part])],
                    kernel=launch.kernel,
                    elements=n,
                    dtype="float16",
                    bytes_moved=4 * n,
                    precision=PRECISION,
                    parameter=launch.parameter,
                )
            )
    return results


# ---- tables --------------------------------------------------------------------------------


def _by_default(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of default launches: 32 waves, 16-byte packs."""
    varied = rows.parameter.fillna(-1).astype(float)
    return rows[varied == rows.kernel.map(DEFAULTS).fillna(varied).astype(float)]


def rung_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return times (us) of "template rungs": a row for each rung, a column for each size.

    Default launches only: 32 waves, 16-byte packs.
    """
    table = _by_default(rows).pivot_table(
        index="kernel", columns="elements", values="time_us", sort=False
    )
    return table.rename(index=LABELS)


def parameter_table(rows: pd.DataFrame, kernel: str) -> pd.DataFrame:
    """Return GB/s of one rung: a row for each `parameter`, a column for each size."""
    own = rows[rows.kernel == kernel]
    return own.pivot_table(index="parameter", columns="elements", values="gb_per_s", sort=False)


def rung_bandwidths(rows: pd.DataFrame, elements: int) -> pd.DataFrame:
    """Return label, gb_per_s and gpu of every rung at one size, for `plots.rung_bars`."""
    some = _by_default(rows[rows.elements == elements])
    return pd.DataFrame(
        {"label": some.kernel.map(LABELS), "gb_per_s": some.gb_per_s, "gpu": some.gpu}
    )
