"""Move numbers of a softmax, or of its logarithm, where a wrong maximum shows.

A maximum that starts with -999, say, is right for all numbers above it: it shows where all
numbers of a row are far smaller. One that leaves out some numbers is right, too, since any
number may be taken off: it shows where one of those is so large that its power overflows. The
cases of one's own seldom have either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import torch

from helpers.testing.cases import Case

LEVELS = {torch.float16: 5e4, torch.bfloat16: 1e9, torch.float32: 1e9, torch.float64: 1e9}
VANISHES = -110.0  # exp of less is 0 in float32
MOST = 5_000  # elements
ROUNDED = 2.0**-8  # of a number's size: whatever rounds, as other cases tell of that
PEAK = 200.0  # exp of more than 89 is infinite in float32
PEAKS = 32  # cases with peaks, at most
LEFT_OUT = (
    "right for such rows until one number of a row is far larger than its others: is that one "
    "left out of the row's maximum, so that its power overflows?"
)


def cases(passed: Iterable[Case]) -> Iterator[tuple[Case, str]]:
    """Yield the largest case of rows whose powers are all 0, with its numbers moved down.

    Only such a case tells that the maximum is taken off, as it must be for large numbers. Then
    the same with one number of each row far above the others, at further and further places.
    With each case come the words for it, if all before it went right; "" where it must be seen.
    """
    some = [(case, function) for case in passed if (function := _function(case))]
    if not some:
        return
    case, function = max(some, key=lambda one: one[0].size)
    x = case.inputs[0]
    low = LEVELS[x.dtype]
    yield _of(case, function, x.double() - low, f"and {low:g} less"), ""
    yield from ((peak, LEFT_OUT) for peak in _peaks(case, function))


def _peaks(case: Case, function: Callable[..., torch.Tensor]) -> Iterator[Case]:
    """Yield the case with one number of each row raised, at evenly spread places."""
    x = case.inputs[0].double()
    rows, n = x.shape
    count = min(PEAKS, -(-n // rows))
    for k in range(count):
        places = (torch.arange(rows) * count + k) * n // (rows * count)
        raised = x.clone()
        raised[torch.arange(rows), places] = x.amax(dim=1) + PEAK
        label = f"and {PEAK:g} more at index {int(places[0])} of row 0"
        label += " and behind it in each further row" * (rows > 1)
        yield _of(case, function, raised, label)


def _of(case: Case, function: Callable[..., torch.Tensor], x: torch.Tensor, words: str) -> Case:
    """Return the case with other numbers, and what is right for them."""
    x = x.to(case.inputs[0].dtype)
    right = function(x.double(), dim=1)
    return replace(
        case,
        label=f"{case.label}, {words}",
        inputs=(x,),
        expected=(right,),
        within=(ROUNDED * (1 + right.abs() + x.double().abs() * (right < 0)),),
    )


def _function(case: Case) -> Callable[..., torch.Tensor] | None:
    """Return torch.softmax or its logarithm, if it makes what is right of very small rows."""
    x, right = case.inputs[0] if case.inputs else torch.zeros(0), case.expected[0]
    alone = len(case.inputs) == len(case.expected) == 1 and case.reference is None
    if not alone or x.dim() != 2 or x.shape != right.shape or not 0 < x.numel() <= MOST:
        return None
    if x.dtype not in LEVELS or case.dtypes[0] not in LEVELS or not bool(x.isfinite().all()):
        return None
    if not bool((x.double().amax(dim=1) < VANISHES).any()):
        return None
    for function in (torch.softmax, torch.log_softmax):
        if torch.allclose(function(x.double(), dim=1), right):
            return function
    return None
