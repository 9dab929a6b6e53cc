"""Recognise a wrong output by the fractions of its numbers: cut off, or rounded otherwise.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import torch

from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch

SLACK = 0.12  # of a whole number: by which a line through rounded numbers is off
MOST_INPUTS = 3  # as the colours of a pixel
NEARLY_ALL = 0.98
OF_A_LINE = 0.2  # of a whole number, by which the number that is added misses one
PLUS_A_HALF = (
    "each wrong result is beside the right one: is it truncated, toward zero, once 0.5 is "
    "added? Of negative numbers that is not the nearest one (rintf, __float2int_rn)"
)


def cut_division(m: Mismatch) -> str | None:
    """For floats made of integers: test whether each is the right one without its fraction."""
    integers = [x for x in m.inputs if x.numel() == m.got.numel() and not x.is_floating_point()]
    if not m.got.is_floating_point() or m.got.numel() < SEVERAL:
        return None
    if not integers or any(x.dtype is torch.bool for x in integers):
        return None
    if not torch.equal(m.got.double(), m.expected.trunc()):
        return None
    if len(m.expected[m.wrong].unique()) < SEVERAL:
        return None
    return (
        "each result is the right one without its fraction: is an integer divided by an "
        "integer, which truncates, toward zero? Divide by a float (255.0f, say)"
    )


def rounded_otherwise(m: Mismatch) -> str | None:
    """For integers: test whether what lies near a line is cut off, or rounded otherwise.

    A number is added to one to three inputs, each times a factor, and all but the results at
    a limit are rounded to the nearest; each wrong one is beside the right one.
    """
    inputs = [x.reshape(-1).double() for x in m.inputs if x.numel() == m.got.numel()]
    if m.got.is_floating_point() or m.got.dtype is torch.bool or m.got.numel() <= SHORT:
        return None
    if not 0 < len(inputs) == len(m.inputs) <= MOST_INPUTS:
        return None
    if told := _converted_otherwise(m, inputs):
        return told
    got, right = m.got.double(), m.expected
    told = (right > right.min()) & (right < right.max())
    told &= torch.stack(inputs).isfinite().all(dim=0)
    wrong = m.wrong & told
    if bool(((got - right).abs() != 1)[m.wrong].any()) or int(wrong.sum()) < SEVERAL:
        return None
    if int((told & ~m.wrong).sum()) < SEVERAL:
        return None
    columns = torch.stack([*inputs, torch.ones_like(got)], dim=1)[told]
    by = torch.linalg.lstsq(columns, right[told, None], driver="gelsd").solution[:, 0]
    line, plus = columns @ by, float(by[-1])
    if abs(plus - round(plus)) > OF_A_LINE:
        return _cut_is_right(line, got[told], right[told], plus)
    if not _is(torch.round, line, right[told]):
        return None
    ties = (line - line.floor() - 0.5).abs() <= SLACK
    return _how(line, got[told], right[told], ties, wrong[told])


def _converted_otherwise(m: Mismatch, inputs: list[torch.Tensor]) -> str | None:
    """Test whether floats are rounded otherwise than by cutting off, or to the nearest."""
    if len(inputs) != 1 or not m.inputs[0].is_floating_point():
        return None
    (x,) = inputs
    limits = torch.iinfo(m.got.dtype)
    told = (x > limits.min) & (x < limits.max)
    if int((told & m.wrong).sum()) < SEVERAL:
        return None
    got, right = m.got.double()[told], m.expected[told]
    if torch.equal(right, x[told].round()) and torch.equal(got, (x[told] + 0.5).trunc()):
        return PLUS_A_HALF
    if not torch.equal(right, x[told].trunc()):
        return None
    for function, way in (
        (torch.round, "to the nearest integer"),
        (torch.floor, "down"),
        (torch.ceil, "up"),
    ):
        if torch.equal(got, function(x[told])):
            return (
                f"each result is the input rounded {way}, where the fraction must be cut off, "
                "toward zero, as (int)x does"
            )
    return None


def _how(
    line: torch.Tensor,
    got: torch.Tensor,
    right: torch.Tensor,
    ties: torch.Tensor,
    wrong: torch.Tensor,
) -> str | None:
    """Say how what should be rounded to the nearest is rounded; None if in no known way.

    ties: what lies nearly half way between two whole numbers.
    """
    nearer = bool((got.abs() < right.abs())[wrong].all())
    others = ~ties & ((line - line.round()).abs() > SLACK)  # of which a direction shows
    if bool(ties[wrong].all()) and not (nearer and not bool(others.any())):
        if bool((got.abs() > right.abs())[wrong].all()):
            return (
                "only halves go wrong: a tie must be rounded to the nearest even number, as "
                "rintf does, and roundf, or adding 0.5f, does not"
            )
        return (
            "only halves go wrong: is a tie rounded another way than to the nearest even one?"
        )
    if _is(lambda x: (x + 0.5).trunc(), line, got) and bool((right < 0)[wrong].all()):
        return PLUS_A_HALF
    for function, way in (
        (torch.trunc, "truncated, toward zero, as by (int)x"),
        (torch.floor, "rounded down"),
        (torch.ceil, "rounded up"),
    ):
        if _is(function, line, got):
            return (
                f"each wrong result is beside the right one: are they {way}, and not rounded "
                "to the nearest (rintf, __float2int_rn)?"
            )
    return None


def _cut_is_right(
    line: torch.Tensor, got: torch.Tensor, right: torch.Tensor, plus: float
) -> str | None:
    """Test whether what should be cut off is rounded to the nearest.

    A line through what is cut off lies half a number too low.
    """
    whole = line + 0.5
    if abs(plus + 0.5 - round(plus + 0.5)) > OF_A_LINE or not _is(torch.floor, whole, right):
        return None
    if not _is(torch.round, whole, got):
        return None
    return (
        "each wrong result is beside the right one: are they rounded to the nearest, where the "
        "fraction must be cut off (truncated), as a cast such as (int)x does?"
    )


def _is(function, line: torch.Tensor, numbers: torch.Tensor) -> bool:
    """Test whether nearly all numbers are those of a line, rounded by a function."""
    low, high = function(line - SLACK), function(line + SLACK)
    return float(((numbers >= low) & (numbers <= high)).double().mean()) >= NEARLY_ALL
