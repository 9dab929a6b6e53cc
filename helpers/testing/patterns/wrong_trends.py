"""Recognise results that are off by what follows from an input alone, or from two together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch

from helpers.testing.mismatch import Mismatch, rounding_error

MOST = 1 << 16  # elements
LEAST = 96  # elements; of fewer an order may be by chance
LEAST_ROWS = 3  # of an operator that is not known: what one row shares may follow, too
TURNS = 4.5  # times the largest of all errors that they may go up and down by
COARSE = 64  # numbers of an order that show its ups and downs
SMOOTH = 0.85  # of the way up and down, that those must make; the rest is noise
DISTINCT = 24  # numbers that an error must follow
FAR = 64  # times what rounding makes, by which numbers must be off


def follows(m: Mismatch) -> str | None:
    """For no known operator: test whether the error of each follows an input, or two together.

    As of an activation with another constant, of a sum to which a third input is added behind.
    Where elements lie tells no more then: numbers in an order of their own say nothing.
    """
    n = m.got.numel()
    if m.reference is not None or len(m.inputs) < 2:  # of one input all follows it
        return None
    if not LEAST <= n <= MOST or not m.got.dtype.is_floating_point:
        return None
    rows = m.shape[0] if len(m.shape) == 2 and m.shape[1] > 1 else 1
    if not any(tuple(x.shape) == tuple(m.shape) for x in m.inputs):
        return None
    if rows < LEAST_ROWS:
        return None
    off = m.got.double() - m.expected
    if not bool(off.isfinite().all()):
        return None
    size = m.expected.abs().median() + m.expected.abs()
    if not bool((off.abs() > FAR * rounding_error(m) * size).double().mean() > 0.25):
        return None
    found = [words for words, x in _candidates(m) if _is_told_by(off, x)]
    if not found:
        return None
    return (
        f"by how much each element is off follows {found[0]}, whatever else goes in: is the "
        "formula of that another one (a number in it, a factor, a function)?"
    )


def _candidates(m: Mismatch) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield inputs of the output's size, or of a number for each column, and their sums."""
    inputs = []
    for place, x in enumerate(m.inputs, 1):
        wide = x.double()
        if wide.numel() == m.got.numel():
            inputs.append((place, wide.reshape(-1)))
        elif len(m.shape) == 2 and wide.dim() == 1 and len(wide) == m.shape[1]:
            inputs.append((place, wide.expand(m.shape).reshape(-1)))
    for place, x in inputs:
        yield f"input {place}", x
    for (j, x), (k, y) in itertools.combinations(inputs, 2):
        yield f"the sum of input {j} and input {k}", x + y
        yield f"the difference of input {j} and input {k}", x - y
        yield f"the product of input {j} and input {k}", x * y


def _is_told_by(off: torch.Tensor, x: torch.Tensor) -> bool:
    """Test whether errors, in the order of x, hardly go up and down."""
    if not bool(x.isfinite().all()) or len(x.unique()) < DISTINCT:
        return False
    order = x.argsort(stable=True)
    if int((order.diff() == 1).sum()) > len(x) // 4:  # as they lie: their place may tell
        return False
    ordered = off[order]
    way, extent = float(ordered.diff().abs().sum()), float(off.max() - off.min())
    rough = float(ordered[:: max(2, len(x) // COARSE)].diff().abs().sum())
    return extent > 0 and way <= TURNS * extent and rough >= SMOOTH * way
