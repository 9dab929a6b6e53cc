"""Find out whether a variance is that within the parts of threads, each about its own mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.specs import WARP_SIZE
from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.mismatch import ROUNDING, Diagnosis
from helpers.testing.probes import influence

FAR = 8  # times what rounding may amount to
THREADS = tuple(1 << k for k in range(1, 11))  # whose parts take turns, element by element
WARPS = (2, 3, 4, 6, 8, 16, 32)  # whose parts take turns, 32 elements by 32
LONG = (2100, 2700, 3001)  # elements, of which each thread of a block has several
MOST_ROWS = 8


def variance_of_parts(experiment: Experiment) -> Diagnosis | None:
    """Ask for the variances of long arrays, or rows: are they those within parts of them?"""
    told, near = experiment.failure.diagnosis, _rounding(experiment.case)
    vague = not told.specific or told.zeros or told.constant or told.nearly
    if experiment.failure.fault or not vague or not near:
        return None
    if (way := _way(experiment.case, near)) is None:
        return None
    which, less = way
    made = list(_of_long(experiment, which))
    if len(made) < len(LONG) or all(_near(y, x.var(1, correction=less), near) for x, y in made):
        return None
    for width, step, words in _parts():
        if all(_near(y, _within(x, width, step, less), near) for x, y in made):
            return Diagnosis(
                f"each result is the variance within {width:,} parts, as those of {width:,} "
                f"{words}, each about its own mean: where two parts are put together, is the "
                "difference of their means left out? Add delta * delta * n1 * n2 / (n1 + n2)"
            )
    return None


def _way(case: Case, near: float) -> tuple[int, int] | None:
    """Say which output is the variance of the only input, or of its rows; over n - 1 or n."""
    x = case.inputs[0].double() if len(case.inputs) == 1 else torch.zeros(())
    if case.reference is not None or x.dim() not in (1, 2) or x.shape[-1] < 2:
        return None
    rows = x.reshape(-1, x.shape[-1])
    if not 0 < len(rows) <= MOST_ROWS or not bool(x.isfinite().all()):
        return None
    for which, right in enumerate(case.expected):
        for less in (1, 0):
            if right.numel() == len(rows) and bool((right > 0).all()):
                if _near(right.reshape(-1), rows.var(1, correction=less), near):
                    return which, less
    return None


def _of_long(experiment: Experiment, which: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield long rows, float64, and what comes out of each."""
    case = experiment.case
    for n in LONG:
        shape = (*case.inputs[0].shape[:-1], n)
        numbers = torch.randint(-60, 61, shape, generator=torch.Generator().manual_seed(n))
        longer = replace(case, inputs=(numbers.to(case.inputs[0].dtype),))
        got = influence.launched(experiment.launcher, longer, list(longer.inputs))
        if got is not None:
            y = got[which].view(case.dtypes[which]).double().reshape(-1)
            yield numbers.double().reshape(-1, n), y


def _parts() -> Iterator[tuple[int, int, str]]:
    """Yield how many parts a row may have, how many elements they take in turn, and whose."""
    yield from ((width, 1, "threads") for width in THREADS)
    yield from ((width, WARP_SIZE, "warps") for width in WARPS)


def _within(x: torch.Tensor, width: int, step: int, less: int) -> torch.Tensor:
    """Return for each row the squares about the mean of each part, over n - less."""
    part = torch.arange(x.shape[1]) // step % width
    off = torch.zeros(len(x)).double()
    for k in range(width):
        own = x[:, part == k]
        if own.shape[1]:
            off += (own - own.mean(1, keepdim=True)).square().sum(1)
    return off / (x.shape[1] - less)


def _near(got: torch.Tensor, right: torch.Tensor, near: float) -> bool:
    return bool(((got - right).abs() <= FAR * near * (right.abs() + got.abs())).all())


def _rounding(case: Case) -> float:
    """Return what rounding may amount to, relative; 0 for what is no float."""
    dtype = case.dtypes[0]
    if not dtype.is_floating_point:
        return 0.0
    return ROUNDING.get(dtype.itemsize, 0) * torch.finfo(dtype).eps
