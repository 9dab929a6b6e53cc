"""Recognise sums of which a function is taken of what threads add up, not of each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import torch

from helpers.testing.mismatch import Mismatch

MOST = 20_000  # elements of all rows
LEAST = 3  # elements of a row
WARP = 32
BLOCK = 1024
SURE = 32  # times what rounding makes, by which the right result must be off
SUMS_OF = {
    "threads": "what elements {0:,} apart add up to (those of one of {0:,} threads, say)",
    "groups": "what groups of {0:,} elements add up to",
}
ROUNDED = {4: 16, 8: 4096}  # by bytes: how much rounding makes of a sum, in units of eps
SEVERAL = 3  # rows that must have one factor, if that may be any

Function = Callable[[torch.Tensor], torch.Tensor]
FUNCTIONS: tuple[tuple[str, Function], ...] = (
    ("x * x", torch.square),
    ("|x|", torch.abs),
)


def of_sums(m: Mismatch) -> str | None:
    """For sums of squares, of absolute values or of products: are parts' sums taken in them?

    As in sum += x and then sum * sum, for what a thread, a warp or a block adds up. Likewise of
    means, and of roots of sums.
    """
    if m.reference is not None or not m.inputs or not m.got.dtype.is_floating_point:
        return None
    if not bool(m.got.isfinite().all()) or not bool(m.expected.isfinite().all()):
        return None
    if not bool(m.got[m.wrong].any()):
        return None  # 0 fits any sum of numbers less their mean
    for what, rows, function in _ways(m):
        for power in (1, 2):
            right, got = (x.double().pow(power) for x in (m.expected, m.got))
            whole = function(rows).sum(dim=-1)
            factor = _factor(whole, right, rows.shape[-1])
            if factor is None or (power == 2 and bool((m.expected < 0).any())):
                continue
            size = m.got.element_size()
            limit = power * ROUNDED.get(size, 1) * torch.finfo(m.got.dtype).eps * right.abs()
            if not bool(((got - right).abs() > SURE * limit)[m.wrong].any()):
                return None
            if part := _part(rows, function, got / factor, limit / abs(factor)):
                return (
                    f"it fits if {what} is taken of {part}, and not of each element: is the "
                    "formula another one, in which it is taken only of the sum that a thread, "
                    "a warp or a block has?"
                )
    return None


def _ways(m: Mismatch) -> Iterator[tuple[str, torch.Tensor, Function]]:
    """Yield rows of numbers [rows, 1 or 2, n] that may be added up, and of each its term."""
    count = m.got.numel()
    inputs = [x.double() for x in m.inputs if LEAST * count <= x.numel() <= MOST]
    if not count or any(x.numel() % count for x in inputs):
        return
    rows = [x.reshape(count, -1) for x in inputs if bool(x.isfinite().all())]
    pairs = [(a, b) for a, b in combinations(rows, 2) if a.shape == b.shape]
    for x in (*rows[: not pairs], *(a - b for a, b in pairs)):
        for name, function in FUNCTIONS:
            yield name, x[:, None], lambda y, f=function: f(y[:, 0])
    for x in rows[: not pairs]:
        centred = x - x.mean(dim=1, keepdim=True)
        yield "x * x", centred[:, None], lambda y: y[:, 0].square()
    for a, b in pairs:
        yield "x * y", torch.stack([a, b], dim=1), lambda y: y[:, 0] * y[:, 1]


def _factor(whole: torch.Tensor, right: torch.Tensor, n: int) -> float | None:
    """Return the one factor by which sums of n become what is right, as 1 / n of a mean."""
    if not bool((whole != 0).any()):
        return None
    largest = int(whole.abs().argmax())
    factor = float(right[largest] / whole[largest])
    near = torch.allclose(factor * whole, right, rtol=1e-6, atol=0)
    usual = (1.0, 0.5, 1 / n, 0.5 / n, 1 / (n - 1))
    if len(whole) < SEVERAL and not any(abs(factor / x - 1) < 1e-6 for x in usual):
        return None
    return factor if near and factor else None


def _part(rows: torch.Tensor, function: Function, got: torch.Tensor, limit) -> str | None:
    """Name the parts whose sums make what came out, if one way to divide a row does."""
    n, found = rows.shape[-1], set()
    if bool(((function(rows.sum(dim=-1, keepdim=True))[:, 0] - got).abs() <= limit).all()):
        return "the sum of all"
    for step in _steps(n):
        turns = -(-n // step)
        padded = torch.nn.functional.pad(rows, (0, turns * step - n))
        grid = padded.reshape(*rows.shape[:-1], turns, step)
        for side, sums in (("threads", grid.sum(dim=-2)), ("groups", grid.sum(dim=-1))):
            made = function(sums).sum(dim=-1)
            if bool(((made - got).abs() <= limit).all()) and 1 < turns:
                found.add((side, step))
    if len(found) != 1:
        return "what some of them add up to" if found else None
    side, step = found.pop()
    return SUMS_OF[side].format(step)


def _steps(n: int) -> list[int]:
    """List how many threads may share a row, or how many elements each may have."""
    powers = {1 << k for k in range(1, n.bit_length())}
    warps = set(range(WARP, min(n, 4 * BLOCK), WARP))
    return sorted(step for step in powers | warps | {3, 6, 12, 24, n} if 1 < step <= n)
