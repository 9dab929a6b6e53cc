"""Find out whether a kernel takes one side of a matrix for the other: are equal ones right?"""

from __future__ import annotations

import itertools
import re

from helpers.errors import FaultKind
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis

QUESTION = re.compile(r": (?:is the index tested against n\?|far outside of it, .*)$")
MOST = 1 << 16  # elements of a case that is tried


def square_only(experiment: Experiment) -> Diagnosis | None:
    """Try matrices of equal sides, where one of other sides has led outside of a tensor.

    Their side must be odd: an even one may be right for what its last few elements are spared.
    """
    failure = experiment.failure
    if failure.fault is not FaultKind.OUT_OF_BOUNDS or _side(experiment.case) != 0:
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    some = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    square = next((x for x in some if _side(x) > 1 and _side(x) % 2 and x.size <= MOST), None)
    if square is None or not experiment.right(square):
        return None
    seen = QUESTION.sub("", failure.diagnosis.sentence)
    return Diagnosis(
        f"{seen}. With equal sides it is right ({square.label}): is one side taken for the "
        "other, in the index or in what it is divided by?"
    )


def _side(case: Case) -> int:
    """Return the side of the square matrices of a case; 0 if one is not square, 1 if none is.

    What counts is the last two sides of each tensor that has two or more.
    """
    sides = {x.shape[-2:] for x in (*case.inputs, *case.expected) if x.dim() > 1}
    if len(sides) == 1 and len(set(*sides)) == 1:
        return int(next(iter(sides))[0])
    return 0 if sides else 1
