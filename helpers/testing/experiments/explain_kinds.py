"""Find out of which kind of cases a fault is, by the words of their labels."""

from __future__ import annotations

import itertools
from dataclasses import replace

from helpers.testing import races
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis

RUNS = 24  # further cases that are tried
LEAST_RIGHT = 3  # cases of other kinds


def only_of_a_kind(experiment: Experiment) -> Diagnosis | None:
    """Test whether just the cases of one kind go wrong, as those of ties, or just one is right.

    At least two go wrong, and several of other kinds come out right.
    """
    told, case = experiment.failure.diagnosis, experiment.case
    if told.specific or experiment.failure.fault or not case.kinds:
        return None
    known = [case, *experiment.passed]
    others = itertools.chain(
        experiment.tried, itertools.islice(experiment.following, NEXT_CASES)
    )
    new = (x for x in others if not any(x is y for y in known))
    small = (x for x in new if isinstance(x, Case) and races.is_small(x))
    right, wrong = list(experiment.passed), [case]
    for other in itertools.islice(small, RUNS):
        (right if experiment.right(other) else wrong).append(other)
    if len(wrong) < 2 or len(right) < LEAST_RIGHT:
        return None
    if not (words := _of_one_kind(right, wrong) or _right_of_one_kind(right, wrong)):
        return None
    if "formula" not in told.sentence:
        words += ": is the formula another one for such numbers?"
    return replace(told, sentence=f"{told.sentence}; {words}", depends=True)


def _of_one_kind(right: list[Case], wrong: list[Case]) -> str | None:
    for kind in wrong[0].kinds:
        if not any(kind in x.kinds for x in right) and all(kind in x.kinds for x in wrong):
            return f'only cases of "{kind}" go wrong, and {len(right)} others come out right'
    return None


def _right_of_one_kind(right: list[Case], wrong: list[Case]) -> str | None:
    kinds = {x.kinds for x in right}
    if len(kinds) > 1 or () in kinds or any(x.kinds in kinds for x in wrong):
        return None
    only = ", ".join(kinds.pop())
    return f'right in {len(right)} cases of "{only}", and wrong in all of other kinds'
