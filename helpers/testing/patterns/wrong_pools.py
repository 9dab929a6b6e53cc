"""Recognise the largest number or the mean of windows of a plane, where a size is another one.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

MOST = 1 << 14  # elements of an input
EXACT = 1e-9
SIDES = (1, 2, 3, 4, 5)
PADS = (0, 1, 2)
HOW = ("largest", "smallest", "mean", "mean of all")  # the last: of what lies outside, too


@dataclass(frozen=True)
class _Windows:
    """The sides, the steps and the places of windows, down and along."""

    tall: int
    wide: int
    down: int
    along: int
    above: int
    left: int


WORDS = (
    "is {} tall, not {}",
    "is {} wide, not {}",
    "lies {} rows below the one above it, not {}",
    "lies {} columns behind the one before it, not {}",
    "begins {} rows above the plane, not {}",
    "begins {} columns before the plane, not {}",
)


def sizes(m: Mismatch) -> str | None:
    """For windows of planes: say which side, stride or place is that of other windows."""
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if m.reference is not None or x.dim() not in (2, 3, 4) or x.dim() != len(m.shape):
        return None
    if not x.is_floating_point() or x.numel() > MOST or x.shape[:-2] != m.shape[:-2]:
        return None
    if not bool(x.isfinite().all()) or not bool(m.expected.isfinite().all()):
        return None
    if len(m.expected.unique()) < SEVERAL // 2 or not m.got.is_floating_point():
        return None
    x = x.double().reshape(-1, *x.shape[-2:])
    right, got = (y.double().reshape(len(x), *m.shape[-2:]) for y in (m.expected, m.got))
    limit = max(EXACT, rounding_error(m))
    if bool(((got - right).abs() <= limit * right.abs()).all()):
        return None  # its own windows, rounded
    for own, how in _known(x, right):
        made = [
            other
            for other in _others(own)
            if _are(_pooled(x, got.shape[1:], other, how), got, limit, m.wrong)
        ]
        if made:
            told = " and ".join(
                words.format(a, b)
                .replace(" 1 rows", " 1 row")
                .replace(" 1 columns", " 1 column")
                for words, a, b in zip(WORDS, astuple(made[0]), astuple(own), strict=True)
                if a != b
            )
            what = how.removesuffix(" of all")
            return (
                f"each element is the {what} of another window, which {told}: is a side, a "
                "stride or the padding another one in the formula?"
            )
    return None


def _known(x: torch.Tensor, right: torch.Tensor) -> Iterator[tuple[_Windows, str]]:
    """Yield the square windows of which the right numbers are made."""
    for side, step, pad in itertools.product(SIDES, SIDES, PADS):
        if side == step == 1 or 2 * pad > side:
            continue
        own = _Windows(side, side, step, step, pad, pad)
        if all(
            p == (n + 2 * pad - side) // step + 1
            for n, p in zip(x.shape[1:], right.shape[1:], strict=True)
        ):
            for how in HOW:
                if _are(_pooled(x, right.shape[1:], own, how), right, EXACT):
                    yield own, how


def _others(own: _Windows) -> Iterator[_Windows]:
    """Yield windows of which one size is another one, or the same of both directions."""
    for names, values in (
        *((pair, SIDES) for pair in (("down",), ("along",), ("down", "along"))),
        *((pair, SIDES) for pair in (("tall",), ("wide",), ("tall", "wide"))),
        *((pair, PADS) for pair in (("above",), ("left",), ("above", "left"))),
    ):
        for value in values:
            other = replace(own, **dict.fromkeys(names, value))
            if other != own:
                yield other


def _pooled(x: torch.Tensor, shape: torch.Size, of: _Windows, how: str) -> torch.Tensor:
    """Return what is made of the windows of x [g, h, w]; NaN where one lies outside."""
    rows = torch.arange(shape[0])[:, None] * of.down - of.above + torch.arange(of.tall)
    columns = torch.arange(shape[1])[:, None] * of.along - of.left + torch.arange(of.wide)
    inside = ((rows >= 0) & (rows < x.shape[1]))[:, None, :, None] & (
        (columns >= 0) & (columns < x.shape[2])
    )[None, :, None, :]
    rows, columns = rows.clamp(0, x.shape[1] - 1), columns.clamp(0, x.shape[2] - 1)
    values = x[:, rows[:, None, :, None], columns[None, :, None, :]]
    if how in ("largest", "smallest"):
        sign = 1 if how == "largest" else -1
        found = sign * (sign * values).masked_fill(~inside, -torch.inf).amax(dim=(-2, -1))
        return found.masked_fill(found.isinf(), torch.nan)
    count = inside.sum(dim=(-2, -1)) if how == "mean" else of.tall * of.wide
    return values.masked_fill(~inside, 0.0).sum(dim=(-2, -1)) / count


def _are(
    made: torch.Tensor, numbers: torch.Tensor, limit: float, wrong: torch.Tensor | None = None
) -> bool:
    """Test whether windows explain the numbers, but for those outside; some must be wrong."""
    known = made.isfinite()
    if 2 * int((~known).sum()) > made.numel():
        return False
    if wrong is not None and int((known.reshape(-1) & wrong).sum()) < SEVERAL // 2:
        return False
    return bool(((made - numbers).abs() <= limit * (1 + made.abs()))[known].all())
