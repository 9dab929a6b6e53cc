"""Find out what a NaN does to a kernel whose threads compare numbers with one another."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import torch

from helpers.emulator import FORWARD, REVERSE, SHUFFLED
from helpers.errors import FaultKind
from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment, of_other_sizes
from helpers.testing.mismatch import Diagnosis
from helpers.testing.probes.influence import launched
from helpers.testing.references import bits

_OF_LARGE = re.compile(r"NaN came out of large numbers, from (\S+) on")
FOLLOWING, SOME = 40, 3  # cases that are looked at, and of those that are run
SECONDS = 1.0  # CPU time of a call without the NaN; the one with it took far longer


def endless(experiment: Experiment) -> Diagnosis | None:
    """Put numbers in the place of NaNs, where a kernel ran out of time: does it end then?"""
    case, failure = experiment.case, experiment.failure
    if failure.fault is not FaultKind.TIMEOUT or experiment.launcher.on_gpu:
        return None
    if case.before or (numbers := without_nan(case)) is None:
        return None
    with experiment.launcher.emulator.timeout(SECONDS):
        if launched(experiment.launcher, numbers, list(numbers.inputs)) is None:
            return None
    return Diagnosis(
        "with a NaN among the numbers it never ends, and without one it does: does a loop "
        "compare floats, as one around atomicCAS? A NaN is not equal even to itself, nor "
        "larger or smaller: compare the integers of their bits, or ask for it first (isnan)"
    )


def order_decides(experiment: Experiment) -> Diagnosis | None:
    """Run a case of a NaN in several orders of threads: does it come out in some only?

    Of numbers the same must come out in each order, else threads meet in another way.
    """
    case = experiment.case
    if experiment.launcher.on_gpu or experiment.failure.fault or experiment.failure.refused:
        return None
    if case.reference is not None or not case.dtypes[0].is_floating_point:
        return None
    if (numbers := without_nan(case)) is None:
        return None
    if len(_made(experiment, numbers)) != 1:
        return None
    made = [x.view(case.dtypes[0]) for x in _made(experiment, case)]
    if not any(bool((x.isnan() != made[0].isnan()).any()) for x in made[1:]):
        return None
    return Diagnosis(
        "a NaN that goes in comes out or is lost, by which warp or block is the last: is it "
        "only compared (a > b ? a : b), which is false with a NaN, so that the second number "
        "is taken? Ask for one in either of them (isnan(a) || isnan(b)), or drop it always "
        "(fmaxf)"
    )


def of_no_overflow(experiment: Experiment) -> Diagnosis | None:
    """Take back that large numbers overflow, where as large ones of either sign went right."""
    found = _OF_LARGE.match(experiment.failure.diagnosis.sentence)
    if not found:
        return None
    least = float(found[1])
    following = itertools.islice(experiment.following, FOLLOWING)
    larger = (x for x in following if isinstance(x, Case) and _has_both_signs(x, least))
    if any(_has_both_signs(x, least) for x in experiment.passed) or any(
        map(experiment.right, itertools.islice(larger, SOME))
    ):
        return Diagnosis(
            "NaN came out where none went in, and as large numbers of either sign came out "
            "right: is 0 divided by 0 on the way, as where there is nothing to add up?"
        )
    return None


def _has_both_signs(case: Case, least: float) -> bool:
    """Test whether an input has numbers of so much and more, above 0 and below."""
    numbers = [x.double() for x in case.inputs if x.is_floating_point()]
    numbers = [x[x.isfinite()] for x in numbers]
    return any(len(x) and bool(x.max() >= least and x.min() <= -least) for x in numbers)


def lost(experiment: Experiment) -> Diagnosis | None:
    """Recognise results of rows that are wrong only where a number of the row is NaN.

    Other cases of the same size, without one, went right.
    """
    case, failure = experiment.case, experiment.failure
    if failure.fault or failure.refused or failure.diagnosis.specific:
        return None
    if case.reference is not None or without_nan(case) is None:
        return None
    sizes = [x.shape for x in case.inputs]
    alike = [x for x in experiment.passed if [y.shape for y in x.inputs] == sizes]
    if not any(x.arguments == case.arguments and without_nan(x) is None for x in alike):
        return None
    if len(case.inputs) == 1 and not _belong_to_nan(experiment):
        return None
    if len(case.inputs) > 1 and _has_wrong_numbers(experiment):
        return None
    following = itertools.islice(experiment.following, FOLLOWING)
    others = (x for x in following if isinstance(x, Case) and without_nan(x) is None)
    if not all(map(experiment.right, itertools.islice(of_other_sizes(others), SOME))):
        return None  # there numbers go wrong, too
    return Diagnosis(
        "right for numbers of the same size, and wrong where one is NaN: is it passed "
        "over, or does a NaN that must win (or lose) do the other? Each comparison with one "
        "(a > b, a < b, a == b) is false: ask for it before (isnan)"
    )


def _has_wrong_numbers(experiment: Experiment) -> bool:
    """Test whether a number came out wrong where a number should: no NaN was lost there."""
    case = experiment.case
    if (got := launched(experiment.launcher, case, list(case.inputs))) is None:
        return False
    for k, (y, dtype, right) in enumerate(zip(got, case.dtypes, case.expected, strict=True)):
        made, right = y.view(dtype).reshape(-1), right.reshape(-1)
        wrong = ~case.right(k, made)
        if dtype.is_floating_point and bool((wrong & made.isfinite() & right.isfinite()).any()):
            return True
    return False


def _belong_to_nan(experiment: Experiment) -> bool:
    """Test whether all that is wrong belongs to rows of the input that hold a NaN, or to NaNs.

    Of one input as large as the output, each NaN may belong to an element at another place: it
    is another one if a number stands there.
    """
    case = experiment.case
    if (got := launched(experiment.launcher, case, list(case.inputs))) is None:
        return False
    x = case.inputs[0].double()
    rows = x.isnan().reshape(len(x), -1).any(dim=1) if x.dim() > 1 else x.isnan().any()[None]
    flags = [
        ~case.right(k, y.view(dtype).reshape(-1))
        for k, (y, dtype) in enumerate(zip(got, case.dtypes, strict=True))
    ]
    if not any(
        wrong.numel() % len(rows)
        or bool((wrong.reshape(len(rows), -1).any(dim=1) & ~rows).any())
        for wrong in flags
    ):
        return True
    if len(got) > 1 or flags[0].numel() != x.numel():
        return False
    other = launched(experiment.launcher, case, list(without_nan(case).inputs))
    if other is None:
        return False
    changed = (got[0] != other[0]).reshape(-1)
    return int(changed.sum()) == int(x.isnan().sum()) and not bool((flags[0] & ~changed).any())


def _made(experiment: Experiment, case: Case) -> list[torch.Tensor]:
    """List the different first outputs of a case, as bits; none if a call fails."""
    made = []
    for mode in (FORWARD, REVERSE, SHUFFLED):
        with experiment.launcher.emulator.schedule(mode):
            got = launched(experiment.launcher, case, list(case.inputs))
        if got is None:
            return []
        if not any(torch.equal(got[0], other) for other in made):
            made.append(got[0])
    return made


def without_nan(case: Case) -> Case | None:
    """Return a case with 1 in the place of each NaN; None if it has none."""
    inputs = [x.clone() for x in case.inputs]
    for x in inputs:
        if x.is_floating_point():
            bits(x)[x.double().isnan()] = bits(torch.ones(1).to(x.dtype))
    alike = all(torch.equal(bits(x), bits(y)) for x, y in zip(inputs, case.inputs, strict=True))
    return None if alike else replace(case, inputs=tuple(inputs))
