"""Recognise windows that lie a stride apart, of which the weights or the strides are wrong.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

MOST = 1 << 16  # elements of an input
STRIDES = range(1, 9)
OFFSETS = tuple(range(-2, 6))
EXACT = 1e-9
SIDES = (1, 2, 3, 4)  # of a window of a plane, and its strides


def strided(m: Mismatch) -> str | None:
    """For sums of windows [m] of x [n] that lie a stride apart: name the other one."""
    x = _only_input(m)
    if x is None or x.dim() != 1 or len(m.shape) != 1 or not 0 < m.shape[0] < x.numel():
        return None
    for stride in STRIDES[1:]:
        if wanted := _weights(x, m.expected, stride, EXACT):
            break
    else:
        return None
    for other in STRIDES:
        made = _weights(x, m.got.double(), other, max(rounding_error(m), EXACT))
        if made and (other, made) != (stride, wanted):
            return (
                f"inside, each element is {_sum(made, other)}, not {_sum(wanted, stride)}: is "
                "the window, its stride or a weight another one in the formula?"
            )
    return None


def _weights(
    x: torch.Tensor, y: torch.Tensor, stride: int, limit: float
) -> dict[int, float] | None:
    """Fit the inside of y [m] as a sum of x[stride * i + offset]: the weights, not zeros."""
    i = torch.arange(len(y))
    inside = (stride * i + OFFSETS[0] >= 0) & (stride * i + OFFSETS[-1] < len(x))
    i = i[inside]
    if len(i) < 2 * len(OFFSETS) + SEVERAL:
        return None
    numbers = torch.stack([x[stride * i + k] for k in OFFSETS], dim=1)
    found = torch.linalg.lstsq(numbers, y[inside][:, None]).solution[:, 0]
    size = float(numbers.abs().max() * found.abs().max())
    if not bool((numbers @ found - y[inside]).abs().max() <= limit * size):
        return None
    small = max(limit, 1e-6) * float(found.abs().max())
    weights = {k: round(float(w), 4) for k, w in zip(OFFSETS, found, strict=True)}
    kept = {k: w for k, w in weights.items() if abs(w) > small}
    return kept or None


def _sum(weights: dict[int, float], stride: int) -> str:
    """Write a sum of elements: "x[2 i] + 0.5 x[2 i + 1]"."""
    i = "i" if stride == 1 else f"{stride} i"
    terms = []
    for k, weight in weights.items():
        at = f"{i} {'+' if k > 0 else '-'} {abs(k)}" if k else i
        terms.append(f"x[{at}]" if weight == 1 else f"{weight:g} x[{at}]")
    return " + ".join(terms).replace("+ -", "- ")


def pooled(m: Mismatch) -> str | None:
    """For windows [p, q] of a plane [h, w]: say which step from row to row was taken."""
    x = _only_input(m)
    if x is None or x.dim() != 2 or len(m.shape) != 2 or x.numel() > MOST:
        return None
    (h, w), (p, q) = x.shape, m.shape
    if m.got.numel() >= x.numel() or len(m.expected.unique()) < SEVERAL:
        return None
    flat, right, got = x.reshape(-1), m.expected.reshape(p, q), m.got.double().reshape(p, q)
    sides = {w, q, h, p}
    for stride, side, of in itertools.product(SIDES[1:], SIDES, ("largest", "mean")):
        own = (stride * w, w)
        if not _same(m, _pool(flat, p, q, (*own, stride, side), of), right, EXACT):
            continue
        downs = sorted({k * a for k in (1, stride) for a in sides})
        for steps in itertools.product(downs, sorted(sides)):
            made = _pool(flat, p, q, (*steps, stride, side), of)
            if steps == own or not _same(m, made, got, rounding_error(m)):
                continue
            where = ("down from window to window", "from row to row within a window")
            told = " and ".join(
                f"{words} {step:,} elements on, not {right_one:,}"
                for words, step, right_one in zip(where, steps, own, strict=True)
                if step != right_one
            )
            return (
                f"each element is the {of} of another window, which steps {told}: is that the "
                "row of another shape?"
            )
        return None
    return None


def _pool(
    x: torch.Tensor, p: int, q: int, steps: tuple[int, int, int, int], of: str
) -> torch.Tensor:
    """Return the extreme or the mean of each window; NaN of those that end outside of x.

    steps: elements from window to window down, from row to row, from window to window along,
    and the side of a window.
    """
    down, row, along, side = steps
    begin = torch.arange(p)[:, None] * down + torch.arange(q) * along
    inner = (torch.arange(side)[:, None] * row + torch.arange(side)).reshape(-1)
    index = begin[..., None] + inner
    outside = (index >= len(x)).any(dim=-1)
    values = x[index.clamp(max=len(x) - 1)]
    result = values.amax(dim=-1) if of == "largest" else values.mean(dim=-1)
    return result.masked_fill(outside, torch.nan)


def _same(m: Mismatch, made: torch.Tensor, numbers: torch.Tensor, limit: float) -> bool:
    """Test whether windows explain all numbers, but for those that end outside, a few."""
    known = made.isfinite()
    if 4 * int((~known).sum()) > made.numel():
        return False
    off = (made - numbers).abs()[known]
    return bool((off <= limit * (1 + made[known].abs())).all())


def _only_input(m: Mismatch) -> torch.Tensor | None:
    """Return the only input in float64, if it is one of ordinary floats, and the output too."""
    if m.reference is not None or len(m.inputs) != 1 or not m.got.dtype.is_floating_point:
        return None
    x = m.inputs[0]
    if not x.is_floating_point() or x.numel() > MOST or not bool(x.isfinite().all()):
        return None
    usable = bool(m.got.isfinite().all()) and bool(m.expected.isfinite().all())
    return x.double() if usable else None
