"""Recognise a wrong log-sum-exp of rows, and a sum of powers that is taken in one pass.

Each function takes a Mismatch and returns a clause for the learner, or None. What is named
explains every row, the right ones too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from helpers.testing.mismatch import Mismatch
from helpers.testing.patterns.wrong_softmax import (
    BLOCKS,
    GROUPS,
    NEAR,
    WARP,
    powers_of,
    sums_made,
)

EXACT = 1e-9  # what is right is the logarithm so well
UNITS = 4  # of the type of the result, that rounding may amount to
OF_LANES_BEHIND = (
    "in each row's sum of powers the largest of each number and those behind it is taken off "
    "it, as what __shfl_down leaves in its lane: are the others left out there? Only lane 0 "
    "has the largest of all: hand it on to each lane (__shfl_sync), or use __shfl_xor_sync"
)
LEAST_COLUMNS = 3  # of which a sum in one pass tells its way
LEAST_ROWS = 3  # in which one column among many must tell the same
TELLS = 8  # times what rounding may amount to
MOST = 1 << 17  # elements
LANES = (32, 64, 128, 256, 512, 1024)  # threads that share a row
LEAST_LOG = 1e-3  # of a sum of powers, which is no 0
VANISHES = (-70.0, -160.0)  # powers of less become 0 in float32
MOST_ADDED = 1024  # threads of a block
FORMULA = "is the formula another one?"
RESCALED = (
    "is what was summed multiplied by exp(old maximum - new maximum), once, whenever a larger "
    "number comes, or is that left out, or is its formula another one?"
)
# How often what was summed is multiplied by exp(old - new) when the maximum grows.
TIMES = (
    (0, "not multiplied at all"),
    (2, "multiplied twice by what it should be"),
    (-1, "divided by what it should be multiplied with"),
)


@dataclass(frozen=True)
class _Sums:
    """Of rows x [m, n], float64: the logarithm of the sum of powers of what came out.

    Powers are of x less its row's largest number. limit: what rounding makes of a logarithm.
    """

    x: torch.Tensor
    got: torch.Tensor
    limit: torch.Tensor

    @property
    def top(self) -> torch.Tensor:
        return self.x.amax(1, keepdim=True)

    @property
    def powers(self) -> torch.Tensor:
        return (self.x - self.top).exp()

    def came_out(self, made: torch.Tensor, least: int = 1) -> bool:
        """Test whether logarithms came out that are not the right ones, in so many rows."""
        right = self.powers.sum(1).log()
        limit = self.limit + EXACT * made.abs()
        near = (self.got - made).abs() <= limit
        told = int(((made - right).abs() > TELLS * limit).sum())
        return bool(near.all()) and told >= least


def of_log_sum(m: Mismatch) -> str | None:
    """For the logarithm of each row's sum of powers: name the step that is another one."""
    if (sums := _log_sums(m)) is None:
        return None
    for words, made in _formulas(sums):
        if sums.came_out(made):
            return f"each result is {words}: {FORMULA}"
    return _in_one_pass(sums) or _of_columns(sums) or _of_lanes(sums) or _too_large(sums)


def of_a_quotient(m: Mismatch) -> str | None:
    """For logarithms: test whether -infinity comes out of all below a number."""
    lost = m.got == float("-inf")
    left = ~lost & m.expected.isfinite()
    if not bool((lost & m.wrong).any()) or not bool(left.any()) or m.got.dim() == 0:
        return None
    if not bool((m.wrong | ~lost).all()) or not bool(m.expected[lost].isfinite().all()):
        return None
    most, least = float(m.expected[lost].max()), float(m.expected[left].min())
    if most >= least or not VANISHES[1] < most < VANISHES[0]:
        return None
    if bool((m.got[left].isfinite() != m.expected[left].isfinite()).any()):
        return None
    return (
        f"-infinity comes out where the result is {most:.6g} or less, and not where it is "
        f"{least:.6g} or more: is it the logarithm of a power, or a quotient, that is 0 there? "
        "Take off the logarithm of the sum instead: x - max - log(sum)"
    )


def in_one_pass(m: Mismatch) -> str | None:
    """For a softmax, or its logarithm: test whether its sum was not brought to the maximum."""
    if m.got.numel() > MOST or (powers := powers_of(m)) is None:
        return None
    made = sums_made(m, powers)
    got = made.median(dim=1).values
    if bool((got <= 0).any()) or bool(((made - got[:, None]).abs() > NEAR * made).any()):
        return None
    return _in_one_pass(_Sums(m.inputs[0].double(), got.log(), NEAR + 0 * got))


def of_part(m: Mismatch) -> str | None:
    """For the logarithm of a softmax: test whether its sum is that of a part of each row."""
    if m.got.numel() > MOST or (powers := powers_of(m)) is None:
        return None
    if bool((m.expected > 0).any()):
        return None  # a softmax
    x, n = m.inputs[0].double(), powers.shape[1]
    off = m.got.double().reshape(x.shape) - x
    got = -off.median(dim=1).values
    limit = UNITS * torch.finfo(m.got.dtype).eps * (1 + m.got.abs().max() + x.abs().amax(1))
    if bool(((off + got[:, None]).abs() > limit[:, None]).any()):
        return None
    sums = _Sums(x, got - x.amax(1), limit.double())
    for k in range(WARP, n, WARP):
        if sums.came_out(powers[:, :k].sum(1).log()):
            return (
                f"each row's sum of powers is that of its first {k:,} of {n:,} elements: are "
                "the others left out, as by a loop, or where the sums of a block's warps are "
                "added up?"
            )
    return _of_columns(sums) or _of_lanes(sums)


def _log_sums(m: Mismatch) -> _Sums | None:
    """Recognise the logarithm of each row's sum of powers, of the only input."""
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(())
    if x.dim() != 2 or x.shape[1] < 2 or x.numel() > MOST or m.reference is not None:
        return None
    if not m.got.is_floating_point() or m.got.numel() != len(x):
        return None
    if not bool(x.isfinite().all()) or not bool(m.got.isfinite().all()):
        return None
    right = x.logsumexp(1)
    if bool(((right - m.expected).abs() > EXACT * (1 + right.abs())).any()):
        return None
    top, got = x.amax(1), m.got.double()
    size = 1 + got.abs() + top.abs()
    return _Sums(x, got - top, UNITS * torch.finfo(m.got.dtype).eps * size)


def _formulas(sums: _Sums) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what other formulas make, less the row's largest number, in words."""
    top, total, n = sums.top[:, 0], sums.powers.sum(1), sums.x.shape[1]
    log, once = total.log(), "the row's largest number plus"
    yield f"{once} log2 of the sum of its powers, not log (logf)", log / math.log(2)
    yield f"{once} log10 of the sum of its powers, not log (logf)", log / math.log(10)
    yield (
        f"{once} log of 1 plus the sum of its powers (log1pf, or a sum that starts with 1)",
        total.log1p(),
    )
    yield f"{once} the sum of its powers, of which no logarithm is taken", total
    if bool((log > LEAST_LOG).any()):  # else zeros come out
        yield "the logarithm of the sum, to which the largest number is not added", log - top
    yield "the logarithm of the sum less the largest number, not plus it", log - 2 * top
    yield "the row's largest number alone: the logarithm is left out, or a sum of 1", 0 * log
    yield f"{once} log of the mean of its powers, not of their sum", log - math.log(n)
    of_two = torch.exp2(sums.x - sums.top).sum(1)
    yield f"{once} log of the sum of powers of 2 (exp2f), not of e (expf)", of_two.log()
    yield f"{once} log2 of the sum of powers of 2, not of e", of_two.log2()


def _in_one_pass(sums: _Sums) -> str | None:
    """Test whether the sum so far is brought to a new maximum in another way, or never."""
    if bool((sums.got.abs() <= sums.limit).all()) or sums.x.shape[1] < LEAST_COLUMNS:
        return None  # sums of 1, and of two powers, do not tell how they were made
    for way, x in (("", sums.x), (" from its end", sums.x.flip(1))):
        largest = x.cummax(1).values
        before = largest.roll(1, 1)
        before[:, 0] = largest[:, 0]
        behind = largest - sums.top
        for times, words in TIMES:
            if sums.came_out((x - largest + times * behind).logsumexp(1)):
                if way and not times and sums.x.shape[1] <= WARP:
                    return OF_LANES_BEHIND
                return (
                    f"each row's sum of powers is what one pass{way} makes in which the sum so "
                    f"far is {words}: {RESCALED}"
                )
        if sums.came_out((x - before + behind).logsumexp(1)):
            return (
                f"each row's sum of powers is what one pass{way} makes in which the maximum "
                "before each number is taken off it, not that which counts it, too: is the "
                "formula another one?"
            )
    return _in_passes_of_lanes(sums)


def _in_passes_of_lanes(sums: _Sums) -> str | None:
    """Test the same of lanes that have every 32nd element, say, and whose sums are right."""
    rows, n = sums.x.shape
    for lanes in LANES:
        if lanes >= n:
            break
        x = torch.full((rows, -(-n // lanes) * lanes), -math.inf, dtype=sums.x.dtype)
        x[:, :n] = sums.x
        x = x.reshape(rows, -1, lanes)
        largest = x.cummax(1).values
        own = largest[:, -1:]  # of all that the lane has
        for times, words in TIMES:
            made = (x - largest + times * (largest - own) + own - sums.top[:, :, None]).flatten(
                1
            )
            if sums.came_out(made.logsumexp(1)):
                return (
                    f"each row's sum of powers is what {lanes} threads make, each in one pass "
                    f"over its elements in which its sum so far is {words}: {RESCALED}"
                )
    return None


def _of_columns(sums: _Sums) -> str | None:
    """Test whether one element counts twice in each row's sum, or never."""
    if bool((sums.got.abs() <= sums.limit).all()):
        return None  # sums of 1 do not tell what was left out
    powers = sums.powers
    total, n = powers.sum(1), powers.shape[1]
    places = [0, n - 1] if len(powers) < LEAST_ROWS else [0, n - 1, *range(1, n - 1)]
    least = min(LEAST_ROWS, len(powers))
    for k in places:
        if sums.came_out((total + powers[:, k]).log(), least):
            return (
                f"in each row's sum of powers element {k:,} counts twice: is it taken before "
                "the loop, or behind it, and in the loop, too?"
            )
        if sums.came_out((total - powers[:, k]).log()):
            return (
                f"in each row's sum of powers element {k:,} is left out: where do the loops "
                "begin and end?"
            )
    if len(powers) < LEAST_ROWS:
        return None
    for k in range(1, n):
        if sums.came_out(powers[:, :k].sum(1).log()):
            return (
                f"each row's sum of powers is that of its first {k:,} of {n:,} elements: are "
                "the others left out by a loop, or a thread whose sum does not count?"
            )
    return None


def _of_lanes(sums: _Sums) -> str | None:
    """Test whether each row's sum is that of some lanes, or of a block's first warp."""
    n = sums.x.shape[1]
    lane, column = torch.arange(n) % WARP, torch.arange(n)
    ways = [
        (f"{count} lanes of a warp", seen)
        for count in (*GROUPS, 1)
        for seen in (lane < count, lane % (WARP // count) == 0)
    ]
    for words, seen in ways:
        if n > WARP // 2 and sums.came_out((sums.powers * seen).sum(1).log()):
            return (
                f"each row's sum of powers is that of {words}, the others are left out: do the "
                "shuffles go through all distances, 16, 8, 4, 2 and 1?"
            )
    for threads in BLOCKS:
        if sums.came_out((sums.powers * (column % threads < WARP)).sum(1).log()):
            return (
                "each row's sum of powers is that of the first warp of a block, the others are "
                "left out: are the sums of all warps added up?"
            )
    return None


def _too_large(sums: _Sums) -> str | None:
    """Test whether each row's sum is too large by one whole number."""
    total = sums.powers.sum(1)
    count = round(float((sums.got.exp() - total).median().clamp(-1, MOST_ADDED + 1)))
    if not 1 < count <= MOST_ADDED or not sums.came_out((total + count).log()):
        return None
    return (
        f"each row's sum of powers is too large by {count:,}: does it start with 1, and not "
        f"with 0, in each of {count:,} threads?"
    )
