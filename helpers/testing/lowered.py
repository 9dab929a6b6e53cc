"""Move rows of a softmax, or of its logarithm, far below every number a maximum may start with.

A maximum that starts with -999, say, is right for all numbers above it. It shows only where all
numbers of a row are far smaller, and so the cases of one's own seldom show it.
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


def cases(passed: Iterable[Case]) -> Iterator[Case]:
    """Yield the largest case of rows whose powers are all 0, with its numbers moved down.

    Only such a case tells that the maximum is taken off, as it must be for large numbers.
    """
    some = [(case, function) for case in passed if (function := _function(case))]
    if not some:
        return
    case, function = max(some, key=lambda one: one[0].size)
    dtype = case.inputs[0].dtype
    x = (case.inputs[0].double() - LEVELS[dtype]).to(dtype)
    right = function(x.double(), dim=1)
    yield replace(
        case,
        label=f"{case.label}, and {LEVELS[dtype]:g} less",
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
