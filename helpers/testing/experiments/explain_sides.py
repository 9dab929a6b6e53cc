"""Find out whether a kernel takes one side of a matrix for the other: are equal ones right?"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.errors import FaultKind
from helpers.testing.buffers import BEFORE, FAR, INSIDE
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis

QUESTION = re.compile("|".join(f": {re.escape(one)}$" for one in (INSIDE, BEFORE, FAR)))
MOST = 1 << 16  # elements of a case that is tried
SIDES = (5, 33, 67)  # of squares that are made


def square_only(experiment: Experiment) -> Diagnosis | None:
    """Try matrices of equal sides, where one of other sides has led outside of a tensor.

    Their side must be odd: an even one may be right for what its last few elements are spared.
    Where a smaller one as long, or as wide, was right, the sides are not what makes it wrong.
    """
    failure = experiment.failure
    if failure.fault is not FaultKind.OUT_OF_BOUNDS or _side(experiment.case) != 0:
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    some = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    if any(_is_like(one, experiment.case) for one in experiment.passed):
        return None
    square = next((x for x in some if _side(x) > 1 and _side(x) % 2 and x.size <= MOST), None)
    if square is None or not experiment.right(square):
        return None
    seen = QUESTION.sub("", failure.diagnosis.sentence)
    return Diagnosis(
        f"{seen}. With equal sides it is right ({square.label}): is one side taken for the "
        "other, in the index or in what it is divided by?"
    )


def equal_sides(experiment: Experiment) -> Diagnosis | None:
    """Transpose matrices of equal sides, no smaller than those of one that goes wrong.

    Then it is not the number of rows, or of columns, that makes it wrong.
    """
    told, case = experiment.failure.diagnosis, experiment.case
    if experiment.failure.fault or (told.specific and not told.unordered) or _side(case):
        return None
    least = max(max(x.shape[-2:]) for x in (*case.inputs, *case.expected) if x.dim() > 1)
    squares = list(_turned(case))
    larger = [x for x in squares if _side(x) >= least]
    if not larger or not all(map(experiment.right, squares)):
        return None
    return Diagnosis(
        f"right for matrices of equal sides ({larger[0].label}), and wrong for smaller "
        "ones of other sides: is one side taken for the other, in an index, in what it is "
        "tested against, or in the grid?"
    )


def _is_like(case: Case, other: Case) -> bool:
    """Test whether each matrix of a case is longer than it is wide, or wider, as in another."""
    ours, others = ((*one.inputs, *one.expected) for one in (case, other))
    pairs = zip(ours, others, strict=False)
    shapes = [(x.shape[-2:], y.shape[-2:]) for x, y in pairs if x.dim() > 1 and y.dim() > 1]
    same = all((a < b) == (c < d) and (a > b) == (c > d) for (a, b), (c, d) in shapes)
    return bool(shapes) and same and all(min(x) > 1 for x, _ in shapes)


def _turned(case: Case) -> Iterator[Case]:
    """Yield square matrices to transpose, if that is what is right in a case."""
    if len(case.inputs) != 1 or len(case.expected) != 1:
        return
    x, right = case.inputs[0], case.expected[0]
    if x.dim() != 2 or not torch.equal(x.double().nan_to_num().T, right.nan_to_num()):
        return
    for side in SIDES:
        square = (torch.arange(side * side) % 101).reshape(side, side).to(x.dtype)
        turned = square.double().T.contiguous()
        yield replace(case, label=f"{side} x {side}", inputs=(square,), expected=(turned,))


def _side(case: Case) -> int:
    """Return the side of the square matrices of a case; 0 if one is not square, 1 if none is.

    What counts is the last two sides of each tensor that has two or more.
    """
    sides = {x.shape[-2:] for x in (*case.inputs, *case.expected) if x.dim() > 1}
    if len(sides) == 1 and len(set(*sides)) == 1:
        return int(next(iter(sides))[0])
    return 0 if sides else 1
