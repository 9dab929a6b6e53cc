"""Ask a launcher of normalised rows how often each element of a row counts.

A softmax divides by a sum of powers, a norm by the root of a mean of squares, and layer norm
takes off a mean before. Asked with one large number at a place of a row, each of them tells how
often that place counts in such a sum: it should be once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.patterns.wrong_norms import epsilon
from helpers.testing.patterns.wrong_softmax import is_softmax
from helpers.testing.probes.influence import launched

MOST = 300  # columns
MOST_TIMES = 1024  # that an element counts: a larger number is of another formula
LEAST = 3
CALLS = 160
PEAK = 4096.0  # beside which an epsilon is nothing
DEEP = -80.0  # exp of it is nothing beside 1
CLOSE = 1e-4  # relative: rounding of a sum
NEAR = 2.0**-6  # how near to a whole number a weight must be
SUM = "the sum of its powers"
SQUARES = "the sum of each number times itself"
MEAN = "the mean"


@dataclass(frozen=True)
class _Rows:
    """A case of which output number `place` is the rows x, normalised, or their softmax.

    x, float64, is the first input, or the sum of all matrices.
    """

    launcher: Launcher
    case: Case
    place: int
    x: torch.Tensor

    @property
    def right(self) -> torch.Tensor:
        return self.case.expected[self.place]

    @property
    def others(self) -> list[torch.Tensor]:
        """The inputs that are no matrix."""
        return [y for y in self.case.inputs if y.dim() != 2]

    def made(self, inputs: list[torch.Tensor]) -> torch.Tensor | None:
        """Return what comes out of inputs, float64; None if the call fails."""
        if (got := launched(self.launcher, self.case, inputs)) is None:
            return None
        numbers = got[self.place].view(self.case.dtypes[self.place])
        return numbers.double().reshape(self.right.shape)

    def made_of(self, x: torch.Tensor) -> torch.Tensor | None:
        """Return what comes out of other rows; further matrices are zeros, vectors ones."""
        first, *more = self.case.inputs
        rest = [torch.zeros_like(y) if y.dim() == 2 else torch.ones_like(y) for y in more]
        return self.made([x.to(first.dtype), *rest])


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name elements of a row that count more than once, or never, in a sum over it.

    Where the sum of several matrices is normalised, the others hold zeros.
    """
    if case.reference is not None or (rows := _rows(launcher, case)) is None:
        return None
    if not 1 < rows.x.shape[1] <= MOST:
        return None
    if not all(y.is_floating_point() for y in case.inputs) or not _may_be_asked(rows):
        return None
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    for where, weights in _weights(rows):
        if sentence := _sentence(name, where, weights):
            return sentence
    return None


def _rows(launcher: Launcher, case: Case) -> _Rows | None:
    """Say which rows are normalised: of one matrix, or of a sum that comes out, too."""
    first = case.inputs[0] if case.inputs else torch.zeros(())
    matrices = [y.double() for y in case.inputs if y.dim() == 2 and y.shape == first.shape]
    if not matrices or any(y.shape != first.shape for y in case.expected):
        return None
    if len(matrices) == len(case.expected) == 1:
        return _Rows(launcher, case, 0, matrices[0])
    if len(matrices) < 2 or len(case.expected) != 2:
        return None
    total, eps = sum(matrices), torch.finfo(first.dtype).eps if first.is_floating_point() else 0
    for place, sums in enumerate(case.expected):
        if torch.allclose(sums.double(), total, rtol=eps, atol=eps):
            return _Rows(launcher, case, 1 - place, sums.double())
    return None


def _may_be_asked(rows: _Rows) -> bool:
    m, n = rows.x.shape
    return n <= CALLS * m and all(tuple(y.shape) == (n,) for y in rows.others)


def _weights(rows: _Rows) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield for each sum over a row its name, and how often each column counts in it.

    Only if that explains what comes out of the case's own inputs, too.
    """
    x, right, n = rows.x, rows.right, rows.x.shape[1]
    others = [y.double() for y in rows.others]
    if is_softmax(right) or is_softmax(right.exp()):
        if not others and (got := _responses(rows, DEEP, 0.0)) is not None:
            own = got.diagonal()
            weights = 1 / own if is_softmax(right) else (-own).exp()
            powers = (x - x.amax(dim=1, keepdim=True)).exp()
            made = powers / (powers * weights.round()).sum(dim=1, keepdim=True)
            if _explains(rows, made if is_softmax(right) else made.log()):
                yield SUM, weights
        return
    if len(others) > 2 or n < LEAST or (way := _way(rows, others)) is None:
        return
    if (got := _responses(rows, 0.0, PEAK)) is None:
        return
    got = got - float(len(others) == 2)  # what is added to each column is 1
    own, ones = got.diagonal(), torch.ones(n).double()
    if not way.centred:
        weights = n / own.square()
        if _explains(rows, way.made(x, 0 * ones, weights.round())):
            yield SQUARES, weights
        return
    rest = (got.sum(1) - own) / (n - 1)
    mean = -rest * n / (own - rest)
    if not bool(((mean - 1).abs() < NEAR).all()):
        if _explains(rows, way.made(x, mean.round(), ones)):
            yield MEAN, mean
        return
    # Place k adds (1 - 1 / n)^2 times its weight, each other one 1 / n^2 times its own.
    squares = n / (own - rest).square()
    total = squares.sum() * n / (n - 1)
    weights = (squares - total / n**2) / ((1 - 1 / n) ** 2 - 1 / n**2)
    if _explains(rows, way.made(x, ones, weights.round())):
        yield SQUARES, weights


def _explains(rows: _Rows, made: torch.Tensor) -> bool:
    """Test whether numbers are what comes out of the case's own inputs."""
    if (got := rows.made(list(rows.case.inputs))) is None:
        return False
    dtype = rows.case.dtypes[rows.place]
    limit = CLOSE + (64 * torch.finfo(dtype).eps if dtype.is_floating_point else 0)
    alike = (got - made).abs() <= limit * (made.abs() + made.abs().median())
    return bool((alike | (got == made)).all())


@dataclass(frozen=True)
class _Way:
    """How rows are normalised: with their mean, or without; epsilon, a factor, a shift."""

    centred: bool
    eps: float
    gain: torch.Tensor
    shift: torch.Tensor

    def made(
        self, x: torch.Tensor, of_mean: torch.Tensor, of_squares: torch.Tensor
    ) -> torch.Tensor:
        """Return what comes out if columns count so often in the mean and in the squares."""
        off = x - (x * of_mean).mean(dim=1, keepdim=True)
        squares = (off.square() * of_squares).mean(dim=1, keepdim=True)
        return off * (squares + self.eps).rsqrt() * self.gain + self.shift


def held_in_an_integer(launcher: Launcher, case: Case) -> str | None:
    """For a softmax, or its logarithm: test whether each row's sum is a whole number.

    The largest number's own power is 1, so that its result tells the sum; that of equal numbers
    is whole anyway, and comes out right.
    """
    if case.reference is not None or len(case.inputs) != 1 or len(case.expected) != 1:
        return None
    x, right = case.inputs[0], case.expected[0]
    if x.dim() != 2 or x.shape != right.shape or x.shape[1] < LEAST:
        return None
    if not (is_softmax(right) or is_softmax(right.exp())):
        return None
    sums = []
    for asked in (x, torch.zeros_like(x)):
        if (got := launched(launcher, case, [asked])) is None:
            return None
        most = got[0].view(case.dtypes[0]).double().reshape(x.shape).amax(dim=1)
        sums.append(1 / most if is_softmax(right) else (-most).exp())
    made, alike = sums
    true = 1 / right.amax(dim=1) if is_softmax(right) else (-right.amax(dim=1)).exp()
    if bool(((alike - x.shape[1]).abs() > NEAR).any()) or not bool(made.isfinite().all()):
        return None
    if bool(((made - made.round()).abs() > CLOSE * made).any()) or bool(
        (made < 1 - NEAR).any()
    ):
        return None
    if bool((made > true + NEAR).any()) or not bool(((true - true.round()).abs() > NEAR).any()):
        return None
    return (
        "the sum of each row's powers comes out as a whole number, and rows of equal numbers "
        "are right: is the sum, or a part of it, held in an integer, in which powers below 1 "
        "are truncated?"
    )


def _way(rows: _Rows, others: list[torch.Tensor]) -> _Way | None:
    """Say how the rows are normalised; None if in no known way."""
    x, right, n = rows.x, rows.right, rows.x.shape[1]
    one, zero = torch.ones(n).double(), torch.zeros(n).double()
    ways = [(one, zero)] if not others else [(*others, zero)[:2], tuple(reversed(others))]
    for centred in (True, False):
        for way in ways:
            if len(way) < 2:
                continue
            if (eps := epsilon(x, right, *way, centred)) is not None:
                return _Way(centred, eps, *way)
    return None


def _responses(rows: _Rows, others: float, one: float) -> torch.Tensor | None:
    """Return [n, n]: row k of which all numbers are `others`, but for `one` at place k.

    None if a call fails.
    """
    m, n = rows.x.shape
    places = torch.full((n, n), others).fill_diagonal_(one)
    made = []
    for first in range(0, n, m):
        asked = torch.full((m, n), others)
        part = places[first : first + m]
        asked[: len(part)] = part
        asked[len(part) :] = part[-1]
        if (got := rows.made_of(asked)) is None:
            return None
        made.append(got[: len(part)])
    return torch.cat(made)


def _sentence(name: str, where: str, weights: torch.Tensor) -> str | None:
    """Say which places count more than once; None if a weight is no whole number."""
    whole = weights.round()
    finite = weights.isfinite()
    if bool(weights.isnan().any()) or bool((whole < 0).any()):
        return None
    if bool((whole > MOST_TIMES)[finite].any()):
        return None
    if bool(((weights - whole).abs() > NEAR * whole.clamp(min=1))[finite].any()):
        return None
    often = (finite & (whole > 1)).nonzero().flatten().tolist()
    lost = (finite & (whole == 0)).nonzero().flatten().tolist()
    if not often and 0 < len(lost) < len(weights):
        verb = "is" if len(lost) == 1 else "are"
        return (
            f"{len(lost):,} of {len(weights):,} elements of a row {verb} left out of {where}, "
            f"the first is {name}[{lost[0]:,}]: does a loop begin or end at another place, or "
            "has a thread no part in it?"
        )
    if not often:
        return None
    times = int(whole[often[0]])
    how = "twice" if times == 2 else f"{times:,} times"
    which = f"{len(often):,} of {len(weights):,} elements of a row count"
    if len(often) == len(weights):
        which = "each element of a row counts"
        if where != SUM and bool((whole == times).all()):
            return (
                f"{where} comes out {times:,} times as large as it should be: is the formula "
                "another one, as where it is divided by another count than the "
                f"{len(weights):,} elements of a row (of packs, or of threads), or do several "
                "threads add each?"
            )
    return (
        f"{which} more than once in {where}, the first, {name}[{often[0]:,}], {how}: do two "
        "threads add them, or two steps of a loop?"
    )
