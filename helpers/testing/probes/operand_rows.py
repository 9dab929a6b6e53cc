"""Ask for which rows of a result each row of an input counts: a scale's, say, or a residual's.

Each of some rows is replaced by another one of the same input, so that no number is new: what
is an index stays one. And ask how often an input is added, which a larger one tells.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.patterns.wrong_operands import SIDES
from helpers.testing.probes.influence import has_axes_of_output, launched, plain
from helpers.testing.references import bits

LEAST = 3  # rows
MOST_TIMES = 1024  # that an input may be added
UNITS = 64  # of a type, that the rounding of a sum may amount to
ADDED_OFTEN = (
    "{0} is added more than once: in each element {1} counts {2:,} times. Does each turn of a "
    "loop over tiles add it, or each of several threads or blocks?"
)
SOME = 8  # rows that are tried
ELEMENTS = 24  # that are tried
MOST = 1 << 16  # elements of an input, or of the output
ONE_FOR_ALL = (
    "row {0:,} of {1} counts for each row of the result, and no other does: does its index "
    "lack the row (row * columns + column), or has it another number there, so that row {0:,} "
    "is counted for another?"
)
ONE_BESIDE = (
    "row {0:,} of {1} counts for row {2:,} of the result, and likewise the others: is the row "
    "another one in its index, so that each is counted for another?"
)
TURNED = (
    "element {0:,} of {1} counts for row {2:,} of the result, not for row {3:,}, in which it "
    "is: do rows and columns change places in its index, so that each is counted for another? "
    "[row, column] is at row * columns + column"
)
ONE_OF_A_VECTOR = (
    "number {0:,} of {1} counts for row {2:,}, column {3:,} of the result, and should for "
    "{4} {0:,} alone, so that it is counted for another: is its index there the number of the "
    "{4}?"
)
LEFT_OUT = "{0} is left out: to each element {1} must be added, and is not"
TAKEN_OFF = (
    "{1} in {0} is taken off each element, to which it must be added: is the formula another "
    "one (a sign)?"
)


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name rows of an input that count for other rows of the first output than their own."""
    right = case.expected[0]
    if case.reference is not None or len(case.inputs) < 2 or right.numel() > MOST:
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    if len(names) != len(case.inputs) or not right.dim() or len(right) < LEAST:
        return None
    case = replace(case, inputs=tuple(map(plain, case.inputs)))  # beside 0 nothing counts
    usual = launched(launcher, case, list(case.inputs))
    if usual is None:
        return None
    for k, x in enumerate(case.inputs):
        if x.dim() < 2 or len(x) != len(right) or not 0 < x.numel() <= MOST:
            continue
        if not has_axes_of_output(launcher, k, first=True):
            continue
        sentence = _of_rows(launcher, case, k, names[k], usual[0])
        if sentence or (sentence := _of_elements(launcher, case, k, names[k], usual[0])):
            return sentence
    return None


def of_a_vector(launcher: Launcher, case: Case) -> str | None:
    """Name a number of a vector, one for each row or column, that counts for another's results.

    Where a result is made of other results' numbers, as in a softmax, that is so only if it
    does not count for its own.
    """
    right = case.expected[0]
    if case.reference is not None or right.dim() != 2 or not 0 < right.numel() <= MOST:
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    usual = launched(launcher, case, list(case.inputs))
    if len(names) != len(case.inputs) or usual is None or right.shape[0] == right.shape[1]:
        return None
    for k, x in enumerate(case.inputs):
        if x.dim() != 1 or len(x) not in right.shape:
            continue
        axis = tuple(right.shape).index(len(x))
        stays = _stays_in_its_line(launcher, case, usual[0], axis)
        found, tried = [], 0
        for place, other in _elements(x):
            changed = _differ(launcher, case, k, other, usual[0])
            if changed is None:
                return None
            tried += bool(changed.any())
            own = bool(changed.select(axis, place).any())
            changed.select(axis, place).fill_(False)
            if bool(changed.any()) and (stays or not own):
                found.append((place, changed.nonzero()[0].tolist()))
        if found and 2 * len(found) >= tried:
            place, (row, column) = found[0]
            return ONE_OF_A_VECTOR.format(place, names[k], row, column, SIDES[axis])
    return None


def _stays_in_its_line(launcher: Launcher, case: Case, usual: torch.Tensor, axis: int) -> bool:
    """Test whether elements of an input as large as the output count in their row or column."""
    shape = case.expected[0].shape
    k = next((k for k, x in enumerate(case.inputs) if x.shape == shape), None)
    if k is None:
        return False
    for place, other in itertools.islice(_elements(case.inputs[k]), 0, None, LEAST):
        changed = _differ(launcher, case, k, other.reshape(shape), usual)
        if changed is None:
            return False
        changed.select(axis, divmod(place, shape[1])[axis]).fill_(False)
        if bool(changed.any()):
            return False
    return True


def _differ(
    launcher: Launcher, case: Case, k: int, other: torch.Tensor, usual: torch.Tensor
) -> torch.Tensor | None:
    """Return which elements of the first output another input k changes; None if it fails."""
    inputs = [other if j == k else x for j, x in enumerate(case.inputs)]
    if (got := launched(launcher, case, inputs)) is None:
        return None
    return (got[0] != usual).reshape(*case.expected[0].shape, -1).any(dim=-1)


def added_often(launcher: Launcher, case: Case) -> str | None:
    """Name an input that is added to each element of the first output too often, or never."""
    right, dtype = case.expected[0], case.dtypes[0]
    if case.reference is not None or len(case.inputs) < 2 or not 0 < right.numel() <= MOST:
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    if len(names) != len(case.inputs) or right.dim() != 2 or not dtype.is_floating_point:
        return None
    for k, x in enumerate(case.inputs):
        if (most := _largest(x)) is None:
            continue
        for own, which in _own(x.double(), tuple(right.shape)):
            by = 2.0 ** math.ceil(math.log2(most + 1))
            inputs = [
                (x.double() + by).to(x.dtype) if j == k else y
                for j, y in enumerate(case.inputs)
            ]
            got, more = (launched(launcher, case, some) for some in (list(case.inputs), inputs))
            if got is None or more is None:
                return None
            made, larger = (y[0].view(dtype).double().reshape(right.shape) for y in (got, more))
            slope = (larger - made) / by
            times = round(float(slope.median())) if bool(slope.isfinite().all()) else 0
            limit = (
                UNITS * torch.finfo(dtype).eps * (made.abs() + right.abs() + abs(times) * by)
            )
            wanted = right + (times - 1) * own
            near = ((slope - times).abs() * by <= limit) & ((made - wanted).abs() <= limit)
            if times != 1 and -1 <= times <= MOST_TIMES and bool(near.all()):
                words = {0: LEFT_OUT, -1: TAKEN_OFF}.get(times, ADDED_OFTEN)
                return words.format(names[k], which, times)
    return None


def _largest(x: torch.Tensor) -> float | None:
    """Return the largest size in an input, if it is far below what its type can hold."""
    if not x.is_floating_point() or not x.numel():
        return None
    most = float(x.double().abs().max())
    return most if 4 * most + 4 < torch.finfo(x.dtype).max else None  # None for NaN, too


def _own(x: torch.Tensor, shape: tuple[int, int]) -> Iterator[tuple[torch.Tensor, str]]:
    """Yield which number of an input may be an element's own, and its words."""
    if tuple(x.shape) == shape:
        yield x, "its own number"
    if tuple(x.shape) == shape[1:]:
        yield x.expand(shape), "the number of its column"
    if tuple(x.shape) == shape[:1]:
        yield x[:, None].expand(shape), "the number of its row"


def _of_rows(
    launcher: Launcher, case: Case, k: int, name: str, usual: torch.Tensor
) -> str | None:
    """Test whether one row of input k counts for all, or each for one so many rows on."""
    x, m = case.inputs[k], len(case.expected[0])
    counts: dict[int, list[int]] = {}
    for row in sorted(
        {*range(min(m, SOME // 2)), *(m * j // SOME for j in range(SOME)), m - 1}
    ):
        others = (bits(x) != bits(x[row])).reshape(m, -1).any(dim=1).nonzero().flatten()
        if not len(others):
            continue
        other = x.clone()
        other[row] = x[int(others[0])]
        if (changed := _changed(launcher, case, k, other, usual)) is None:
            return None
        counts[row] = changed
    if len(counts) < LEAST:
        return None
    (row, most) = max(counts.items(), key=lambda item: len(item[1]))
    if not any(rows for one, rows in counts.items() if one != row) and 2 * len(most) > m:
        return ONE_FOR_ALL.format(row, name)
    beside = {one: rows[0] for one, rows in counts.items() if len(rows) == 1}
    steps = {(other - one) % m for one, other in beside.items()}
    # At an end one may count for none, or for two.
    if len(steps) == 1 and 0 not in steps and len(beside) >= max(LEAST, len(counts) - 2):
        row = next(iter(beside))
        return ONE_BESIDE.format(row, name, beside[row])
    return None


def _of_elements(
    launcher: Launcher, case: Case, k: int, name: str, usual: torch.Tensor
) -> str | None:
    """Test whether each element of input k counts for the row of its place in a column."""
    x, m = case.inputs[k].reshape(len(case.expected[0]), -1), len(case.expected[0])
    if x.shape[1] < 2:
        return None
    told = []
    for place, other in _elements(x):
        made = other.reshape(case.inputs[k].shape)
        if (changed := _changed(launcher, case, k, made, usual)) is None:
            return None
        if changed not in ([], [place % m]):
            return None
        told += [place] if changed else []
    of_others = [place for place in told if place % m != place // x.shape[1]]
    if len(told) < 2 * LEAST or len(of_others) < LEAST:
        return None
    place = of_others[0]
    return TURNED.format(place, name, place % m, place // x.shape[1])


def _elements(x: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield places of a matrix, and a copy of it that holds another of its numbers there."""
    flat = x.reshape(-1)
    for place in sorted({len(flat) * j // ELEMENTS for j in range(ELEMENTS)}):
        others = (bits(flat) != bits(flat)[place]).nonzero().flatten()
        if len(others):
            other = flat.clone()
            other[place] = flat[int(others[len(others) // 2])]
            yield place, other


def _changed(
    launcher: Launcher, case: Case, k: int, other: torch.Tensor, usual: torch.Tensor
) -> list[int] | None:
    """List the rows of the first output that another input k changes; None if a call fails."""
    inputs = [other if j == k else x for j, x in enumerate(case.inputs)]
    if (got := launched(launcher, case, inputs)) is None:
        return None
    m = len(case.expected[0])
    differ = (got[0] != usual).reshape(m, -1).any(dim=1)
    return differ.nonzero().flatten().tolist()
