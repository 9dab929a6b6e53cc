"""Try a case of a learner's own past 2^31 elements, of which no right result is known.

A right kernel stays inside of its tensors in any size. So each size of a case that went right
is made larger in turn, until a tensor has more than 2^31 elements: a fault there, and none just
below, is an index of 32 bits. The inputs are zeros, which as an index or a length lead nowhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing import reachable
from helpers.testing.cases import Case
from helpers.testing.past_2_31 import PAST_2_31, SIZES, Huge, Layout, Outcome, limit, try_inside
from helpers.testing.run_cases import Finding, Tried

LARGEST = 1 << 16  # elements of the case that is made larger
OWN_MEMORY = re.compile(r"\b(?:cuda)?[mM]alloc\w*\s*\(|\bstd::vector\b|\bnew\b")
WHY_OWN_MEMORY = "its launcher takes memory of its own"
WHY_NO_CASE = "no case is small enough"


def past_2_31(launcher: Launcher, tried: Tried, cases: Sequence[Case | Huge]) -> Tried:
    """Add to what was tried of a launcher that is right what becomes of it past 2^31 elements.

    Nothing is added where one of the cases is so large itself, or says that it is not tried.
    """
    if tried.found or not cases or launcher.on_gpu or launcher.path is None:
        return tried
    if any(isinstance(case, Huge) or getattr(case, "label", "") == PAST_2_31 for case in cases):
        return tried
    reasons = []
    for label, huge in _larger(launcher, [x for x in cases if isinstance(x, Case)]):
        result = try_inside(launcher, huge)
        if result.outcome is Outcome.WRONG:
            found = Finding(f"{result.sentence} [{label}]", result.fault)
            return replace(tried, count=tried.count + 1, found=found)
        if result.outcome is Outcome.LIMITED:
            return replace(tried, limit=limit(result, label))
        reasons.append("" if result.outcome is Outcome.RIGHT else result.sentence)
    if "" in reasons:
        return tried
    why = WHY_OWN_MEMORY if _takes_memory(launcher) else (reasons or [WHY_NO_CASE])[0]
    return replace(tried, not_tried=(*tried.not_tried, f"{PAST_2_31} ({why})"))


def _takes_memory(launcher: Launcher) -> bool:
    """Test whether the file takes memory, which may be too much for this machine."""
    return bool(OWN_MEMORY.search(reachable.code(launcher)))


def _larger(launcher: Launcher, cases: Sequence[Case]) -> Iterator[tuple[str, Huge]]:
    """Yield the largest small case with each of its sizes made larger, and a label of it."""
    some = [x for x in cases if 0 < _elements(x) <= LARGEST and not x.before and x.size]
    if not some or _takes_memory(launcher):
        return
    case = max(some, key=_elements)
    declared = launcher.declaration.tensors
    shapes = _shapes(launcher, case)
    for name in dict.fromkeys(p.name for p in launcher.declaration.sizes):
        old = {
            extent
            for p, shape in zip(declared, shapes, strict=True)
            for named, extent in zip(p.shape, shape, strict=True)
            if named == name
        }
        if len(old) != 1 or any(p.shape.count(name) > 1 for p in declared):
            continue
        size = old.pop()
        each = max(
            math.prod(shape) // size
            for p, shape in zip(declared, shapes, strict=True)
            if name in p.shape
        )
        # A multiple of the old size, which may have to be one of a pack or a tile.
        n = size * -(-SIZES[0] // (each * size))
        below = size * (((1 << 31) - 1) // (each * size))
        if 0 < below < n:
            build = _Build(launcher, shapes, name)
            huge = Huge(f"{name} = {n:,}", build, n, below, case.arguments)
            yield f"{case.label}, but {name} = {n:,}", huge


def _elements(case: Case) -> int:
    return max((x.numel() for x in (*case.inputs, *case.expected)), default=0)


def _shapes(launcher: Launcher, case: Case) -> list[tuple[int, ...]]:
    """Return the shape of each tensor of a case, flat where it is declared so."""
    left = {"input": iter(case.inputs), "output": iter(case.expected)}
    found = [(p, next(left[p.role])) for p in launcher.declaration.tensors]
    return [tuple(x.shape) if len(p.shape) > 1 else (x.numel(),) for p, x in found]


class _Build:
    """The tensors of a case with another extent in the place of one named size."""

    def __init__(self, launcher: Launcher, shapes: list[tuple[int, ...]], name: str):
        self.launcher, self.shapes, self.name = launcher, shapes, name

    def __call__(self, n: int, end: int) -> Layout:
        """Lay them out: one zero is written of each input, and one element is looked at."""
        inputs, outputs, total = [], [], True
        for p, shape in zip(self.launcher.declaration.tensors, self.shapes, strict=True):
            named = zip(p.shape, shape, strict=True)
            larger = tuple(n if name == self.name else extent for name, extent in named)
            if p.role == "input":
                inputs.append((larger, (0,) * len(larger), torch.zeros(())))
            else:
                outputs.append((larger, torch.zeros(1, dtype=torch.float64)))
                total &= self.name not in p.shape
        return Layout(tuple(inputs), tuple(outputs), total=total)
