"""Recognise sums that are added up in a type of few digits, in which they stop growing.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import torch

from helpers.testing.mismatch import Mismatch

EXACT = 1e-9  # what is right is a sum so well
MOST_STEPS = 1 << 13  # numbers that are added one after the other
LANES = (
    1,
    2,
    4,
    8,
    16,
    32,
    64,
    128,
    256,
    512,
    1024,
)  # threads that add up a part of a row each
LEAST = 3  # rows that must agree, where sums are little off
FAR = 1 / 8
HALVES = {torch.float16: "float16", torch.bfloat16: "bfloat16"}


def in_half(m: Mismatch) -> str | None:
    """Test whether sums of rows are those that an accumulator of 16 bits makes."""
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if m.reference is not None or not x.dim() or x.numel() <= m.got.numel():
        return None
    if not x.is_floating_point() or not m.got.is_floating_point():
        return None
    if x.numel() != m.got.numel() * x.shape[-1] or not bool(x.isfinite().all()):
        return None
    off = (m.got.double() - m.expected).abs()[m.wrong]
    if len(off) < LEAST and bool((off < FAR * m.expected.abs()[m.wrong]).any()):
        return None  # so few small errors agree by chance
    rows = x.reshape(-1, x.shape[-1])
    sums = rows.double().sum(1)
    for name, divisor in (("sum", 1), ("mean", x.shape[-1])):
        size = rows.double().abs().sum(1)
        if bool(((m.expected * divisor - sums).abs() > EXACT * size).any()):
            continue
        own = [d for d in (x.dtype, m.got.dtype) if d in HALVES][:1]
        made = {dtype: _made(m, rows, dtype, divisor) for dtype in HALVES}
        found = [dtype for dtype, stops in made.items() if stops is not None]
        found = [d for d in found if d in own] or found
        if len(found) == 1:
            words = HALVES[found[0]]
            held = 2 / torch.finfo(found[0]).eps
            return (
                f"each {name} is what comes out if it is added up in {words}{made[found[0]]}: "
                f"a {words} holds whole numbers only up to {held:,.0f}, and what is small "
                "beside the sum is lost. Add up in float, for precision"
            )
        if found:
            return (
                f"each {name} is what comes out if it is added up in 16 bits (float16 or "
                "bfloat16): what is small beside the sum is lost. Add up in float, for "
                "precision"
            )
    return None


def _made(m: Mismatch, rows: torch.Tensor, dtype: torch.dtype, divisor: int) -> str | None:
    """Return what to say of the sums, "" for nothing, if a type makes them; else None."""
    got = m.got.double()
    for lanes in LANES:
        if lanes > max(1, rows.shape[1] // 2) or rows.shape[1] // lanes > MOST_STEPS:
            continue
        for made in _added(rows, dtype, lanes):
            if torch.equal((made.double() / divisor).to(m.got.dtype).double(), got):
                return ""
    return _at_a_limit(m, rows, dtype) if divisor == 1 else None


def _added(rows: torch.Tensor, dtype: torch.dtype, lanes: int) -> list[torch.Tensor]:
    """Add up rows, rounding each step: element by element in each lane, then the lanes.

    The lanes' sums are added in the same type, and exactly.
    """
    steps = -(-rows.shape[1] // lanes)
    padded = torch.zeros(len(rows), steps * lanes, dtype=dtype)
    padded[:, : rows.shape[1]] = rows.to(dtype)
    total = torch.zeros(len(rows), lanes, dtype=dtype)
    for part in padded.reshape(len(rows), steps, lanes).unbind(dim=1):
        total = total + part
    exactly = total.double().sum(1)
    while total.shape[1] > 1:
        half = total.shape[1] // 2
        total = total[:, :half] + total[:, half:]
    return [total[:, 0], exactly]


def _at_a_limit(m: Mismatch, rows: torch.Tensor, dtype: torch.dtype) -> str | None:
    """Test whether sums of equal numbers end where one more of them is lost."""
    first = rows[:, 0].double()
    if bool((rows.double() != first[:, None]).any()) or bool((first == 0).any()):
        return None
    parts = m.got.double() / first * torch.finfo(dtype).eps / 2
    known = set(LANES)
    if not all(float(part) in known for part in parts[m.wrong]):
        return None
    return f" (it stops at {float(m.got[m.wrong][0]):,.0f})"
