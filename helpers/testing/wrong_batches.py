"""Recognise products of a batch of matrices of which one begins at the place of another.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import torch

from helpers.testing.mismatch import Mismatch, rounding_error

EXACT = 1e-9  # what is right is a product so well
MOST = 1 << 16  # elements of an input


def strides(m: Mismatch) -> str | None:
    """For products [g, m, n] of [g, m, k] and [g, k, n]: name the other step of a batch."""
    if m.reference is not None or len(m.shape) != 3 or len(m.inputs) != 2 or m.shape[0] < 2:
        return None
    a, b = (x.double() for x in m.inputs)
    if not all(x.dim() == 3 and len(x) == m.shape[0] and x.numel() <= MOST for x in (a, b)):
        return None
    if a.shape[2] != b.shape[1] or not bool(m.got.isfinite().all()):
        return None
    right, got = (y.double().reshape(m.shape) for y in (m.expected, m.got))
    if right.shape != (len(a), a.shape[1], b.shape[2]) or not _alike(a @ b, right, EXACT):
        return None
    limit = max(EXACT, rounding_error(m))
    sides = {1, *a.shape[1:], *b.shape[1:]}
    steps = sorted({0, *sides, *(x * y for x in sides for y in sides)})
    for place, (x, other) in enumerate(((a, b), (b, a)), 1):
        own = x[0].numel()
        for step in steps:
            if step == own or step * (len(x) - 1) + own > x.numel():
                continue
            moved = _at(x, step)
            made = moved @ other if place == 1 else other @ moved
            if _alike(made, got, limit):
                rows, columns = x.shape[1:]
                if not step:
                    return (
                        f"each product of the batch is made with the first matrix of input "
                        f"{place}, and the others are left out: is what is added to its "
                        "address missing?"
                    )
                return (
                    f"each matrix of input {place} is read {step:,} elements behind the one "
                    f"before it, and not {own:,} ({rows:,} rows of {columns:,}): is its place "
                    "in the batch computed from the sides of another matrix?"
                )
    return None


def _at(x: torch.Tensor, step: int) -> torch.Tensor:
    """Return matrices [g, p, q] that begin `step` elements behind one another."""
    g, p, q = x.shape
    return x.reshape(-1).as_strided((g, p, q), (step, q, 1))


def _alike(made: torch.Tensor, numbers: torch.Tensor, limit: float) -> bool:
    return bool(((made - numbers).abs() <= limit * (1 + made.abs())).all())


def only_the_first(m: Mismatch) -> str | None:
    """Test whether the first of several matrices is right, and most of each other one wrong."""
    if m.reference is not None or len(m.shape) != 3 or m.shape[0] < 3:
        return None
    wrong = m.wrong.reshape(m.shape[0], -1)
    share = wrong.double().mean(dim=1)
    if bool(wrong[0].any()) or not bool((share[1:] > 0.5).all()):
        return None
    if m.got.numel() // m.shape[0] < 2:
        return None
    return (
        "the first matrix of the batch is right, and all others are wrong: does each begin at "
        "its own place, or does something of the one before it stay (a sum, say)?"
    )
