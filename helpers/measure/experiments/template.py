"""Measure the six steps in which notebook 17 builds its template, kernels/step*.cu.

Each step computes out = x * x.
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
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases

STEPS = (
    "step1_functor",
    "step2_grid_stride",
    "step3_pack",
    "step4_alignment",
    "step5_tail",
    "step6_apply2",
)
WHOLE_PACKS_ONLY = ("step3_pack", "step4_alignment")  # no tail yet
WAVES = (1, 2, 4, 8, 32, 0)  # 0: no cap
SLICES = {16: 0, 8: 4, 4: 2, 2: 1}  # bytes of a pack -> where a float16 slice must start
LABELS = {
    "step1_functor": "1 functor",
    "step2_grid_stride": "2 grid-stride",
    "step3_pack": "3 pack",
    "step4_alignment": "4 alignment",
    "step5_tail": "5 tail",
    "step6_apply2 square_singles": "6 template, singles",
    "step6_apply2 square_pairs": "6 template, pairs",
    "torch.mul": "torch.mul",
}
DEFAULTS = {"step2_grid_stride": 32.0, "step4_alignment": 16.0}  # `parameter` as launched


def whole_packs(launcher) -> list[Case]:
    """Return the checker's cases of a square without a tail: whole packs, aligned addresses."""
    every = elementwise_cases(launcher, ElementwiseMaker.of(launcher, lambda x: x * x))
    return [case for case in every if case.inputs[0].numel() % 8 == 0 and not case.offset]


def step(name: str) -> Kernel:
    """Load a step and check it: steps 3 and 4, which have no tail, on aligned whole packs only.

    Raises CheckError.
    """
    kernel = jit.load(name)
    if name in WHOLE_PACKS_ONLY:
        check.check(kernel, cases=whole_packs)
    else:
        check.check(kernel, lambda x: x * x)
    return kernel


class Launch(NamedTuple):
    """One measured launch of a step: run(x, out), on slices that start at `offset` elements."""

    kernel: str
    run: Callable[[torch.Tensor, torch.Tensor], object]
    offset: int = 0
    parameter: float | None = None


def launches(steps: dict[str, Kernel]) -> Iterator[Launch]:
    """Yield every launch that is measured, in the order of the steps."""
    yield Launch("step1_functor", steps["step1_functor"].square_f16)
    grid_stride = steps["step2_grid_stride"].square_f16
    for waves in WAVES:
        yield Launch("step2_grid_stride", partial(grid_stride, waves=waves), parameter=waves)
    yield Launch("step3_pack", steps["step3_pack"].square_f16)
    for pack, offset in SLICES.items():
        yield Launch("step4_alignment", steps["step4_alignment"].square_f16, offset, pack)
    yield Launch("step5_tail", steps["step5_tail"].square_f16)
    for name in ("square_singles", "square_pairs"):
        yield Launch(f"step6_apply2 {name}", getattr(steps["step6_apply2"], name))
    yield Launch("torch.mul", lambda x, out: torch.mul(x, x, out=out))


@experiment("template steps")
def measure_steps(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """Measure out = x * x in float16 by each step, and by torch.mul.

    `parameter` is the number of waves for step 2 (0: no cap), the bytes of a pack for step 4.
    """
    here = bench.require_gpu()
    steps = {name: step(name) for name in tqdm(STEPS, desc="checking", leave=False)}
    results = []
    sizes = dict.fromkeys(bench.largest_that_fits(size, 2 * 2) for size in sizes)
    for n in tqdm(sizes, desc="template steps", leave=False):
        x = torch.randn(n + 8, device=here.device).half()
        out = torch.empty_like(x)
        for launch in launches(steps):
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


def step_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return times (us) of "template steps": a row for each step, a column for each size.

    Default launches only: 32 waves, 16-byte packs.
    """
    table = _by_default(rows).pivot_table(
        index="kernel", columns="elements", values="time_us", sort=False
    )
    return table.rename(index=LABELS)


def parameter_table(rows: pd.DataFrame, kernel: str) -> pd.DataFrame:
    """Return GB/s of one step: a row for each `parameter`, a column for each size."""
    own = rows[rows.kernel == kernel]
    return own.pivot_table(index="parameter", columns="elements", values="gb_per_s", sort=False)
