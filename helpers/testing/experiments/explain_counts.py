"""Find out what becomes of one whole number that is made of many elements, as a count is."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch

from helpers.specs import WARP_SIZE
from helpers.testing import races
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis
from helpers.testing.probes import influence

LEAST_ROUND = 2  # rows, or elements, that are done in the first round
FEW = 2  # wrong totals that must agree; of other numbers, so that no loss of elements is alike
WIDTHS = (32, 16, 8)  # bits
GROUPS = (WARP_SIZE, 64, 96, 128, 192, 256, 512, 1024)  # elements of a warp, or of a block
CUT = 1 << 16  # numbers of a type of 16 bits
WHOLE = 1 << 24  # up to which a float holds each whole number
MOST_PLACES = 1 << 25
MOST = 1 << 17  # elements of a case that is tried
SIZES = 3  # in which a group must count as one
DENSE = 4  # elements of which one counts, at least, so that each group has some


@dataclass(frozen=True)
class _Total:
    """One number that came out of n elements; varied: they are not all alike."""

    n: int
    right: float
    got: float
    varied: bool


def second_round(experiment: Experiment) -> Diagnosis | None:
    """Trace the launch: are just those rows wrong that blocks take as their second ones?

    Or just those elements that threads do.
    """
    told, case, launcher = experiment.failure.diagnosis, experiment.case, experiment.launcher
    vague = not told.specific or told.ends
    if experiment.failure.fault or not vague or launcher.on_gpu or not races.is_small(case):
        return None
    if not races.cooperates(launcher):
        return None
    if (got := influence.launched(launcher, case, list(case.inputs))) is None:
        return None
    shape = case.expected[0].shape
    wrong = ~case.right(0, got[0].view(case.dtypes[0]).reshape(-1))
    of_rows = len(shape) > 1 and shape[0] > 1
    places = wrong.reshape(shape[0], -1).any(1) if of_rows else wrong
    if not bool(places.any()) or (first := int(places.nonzero()[0])) < LEAST_ROUND:
        return None
    if (seen := races.traced(launcher, case)) is None or seen.stopped:
        return None
    if of_rows and first == seen.blocks:
        what, who, many = "row", "block", f"{seen.blocks:,} blocks"
    elif not of_rows and first == seen.threads:
        what, who, many = "element", "thread", f"{seen.threads:,} threads"
    else:
        return None
    return Diagnosis(
        f"right up to {what} {first - 1:,}, and wrong in {what}s behind it, and the launch "
        f"has {many}: just what a {who} does as its second {what} is wrong. Does something "
        "stay from the first one (a sum, a maximum, what shared memory holds), or is what "
        f"belongs to the first one counted for another? Set it anew for each {what}"
    )


def wrapped(experiment: Experiment) -> Diagnosis | None:
    """Test whether just large totals are wrong, each by a multiple of 2^8, 2^16 or 2^32."""
    wrong = [one for one in _totals(experiment) if one.got != one.right]
    if len(wrong) < FEW or not any(one.varied for one in wrong):
        return None
    for bits in WIDTHS:
        step = 1 << bits
        small = any(abs(one.right) < step for one in wrong)  # its parts may be larger
        off = [one.right - one.got for one in wrong]
        if not any(by % step for by in off) and not (small and bits == min(WIDTHS)):
            by = abs(wrong[0].right - wrong[0].got)
            return Diagnosis(
                f"each wrong total is off by a multiple of {step:,}, here by {by:,.0f}: is it, "
                f"or what a thread adds up, held in {bits} bits, too narrow for it, so that it "
                "wraps around?"
            )
    return None


def of_groups(experiment: Experiment) -> Diagnosis | None:
    """Test whether each warp, or each block, counts as one: some of its elements are enough."""
    totals = [one for one in _totals(experiment) if 0 <= one.right <= one.n]
    dense = [one for one in totals if DENSE * one.right >= one.n]
    wrong = {one.n: one for one in dense if one.got != one.right and one.got}
    if len(totals) < len(dense) or len(wrong) < SIZES:
        return None
    for size in GROUPS:
        if all(one.got in (one.n // size, -(-one.n // size)) for one in dense):
            few, many = wrong[min(wrong)], wrong[max(wrong)]
            whole = "warp" if size == WARP_SIZE else "block"
            how = " (__any_sync in the place of __ballot_sync, say)" * (size == WARP_SIZE)
            return Diagnosis(
                f"{few.got:,.0f} comes out of {few.n:,} elements, and {many.got:,.0f} of "
                f"{many.n:,}, one for each {size}: does a {whole} count as one{how}, so that "
                "its other threads are left out?"
            )
    return None


def index_in_a_float(experiment: Experiment) -> Diagnosis | None:
    """For a sum of more than 2^24 elements: are those at odd places beyond never read?

    A float holds even numbers alone there: an odd index is rounded to its neighbour.
    """
    case = experiment.case
    x = case.inputs[0] if len(case.inputs) == 1 else torch.zeros(())
    if experiment.failure.fault or x.dim() != 1 or not WHOLE < len(x) <= MOST_PLACES:
        return None
    if case.size != 1 or float(x.double().sum()) != float(case.expected[0]):
        return None
    made = []
    for first in (WHOLE + 1, WHOLE + 2):
        ones = torch.zeros_like(x)
        ones[first::2] = 1
        if (got := influence.launched(experiment.launcher, case, [ones])) is None:
            return None
        made.append((float(ones.double().sum()), float(got[0].view(case.dtypes[0]).double())))
    (odd, got_odd), (even, got_even) = made
    if not even or not odd or got_odd or got_even <= even:
        return None
    return Diagnosis(
        "of the elements from 2^24 on those at odd places are left out, and those at even ones "
        "counted twice: is an index held in a float, which has no odd numbers there?"
    )


def count_of_16_bits(experiment: Experiment) -> Diagnosis | None:
    """For a sum of more than 2^16 elements: do just those up to the remainder of that count?"""
    case = experiment.case
    x = case.inputs[0] if len(case.inputs) == 1 else torch.zeros(())
    if experiment.failure.fault or x.dim() != 1 or not CUT < len(x) <= MOST_PLACES:
        return None
    left = len(x) % CUT
    if case.size != 1 or not left or float(x.double().sum()) != float(case.expected[0]):
        return None
    made = influence.launched(experiment.launcher, case, [torch.ones_like(x)])
    if made is None or float(made[0].view(case.dtypes[0]).double()) != left:
        return None
    return Diagnosis(
        f"of {len(x):,} ones the sum is {left:,}, the remainder of their number and 2^16, and "
        "the others are left out: is a count of elements held in 16 bits, too narrow for it?"
    )


def nothing_of_2_to_the_16(experiment: Experiment) -> Diagnosis | None:
    """Where nothing was written of a multiple of 2^16 elements: were all of fewer?"""
    told, n = experiment.failure.diagnosis, experiment.case.size
    nothing = told.unwritten and told.wrong == n and not told.written
    fewer = any(CUT // 2 < one.size < n for one in experiment.passed)
    if experiment.failure.fault or not nothing or n == 0 or n % CUT or not fewer:
        return None
    return Diagnosis(
        f"nothing was written of {n:,} elements, a multiple of 2^16, and of fewer each: is a "
        "count of 16 bits too narrow?"
    )


def _totals(experiment: Experiment) -> list[_Total]:
    """List what comes out of the case and others, where one whole number is made of many."""
    case = experiment.case
    known = case.function is not None or case.reference is not None
    if experiment.failure.fault or experiment.failure.refused or known or case.size != 1:
        return []
    following = itertools.islice(experiment.following, NEXT_CASES)
    others = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    totals = []
    for one in (case, *(x for x in others if x.arguments == case.arguments)):
        n = max((x.numel() for x in one.inputs), default=0)
        if one.size != 1 or not 0 < n <= MOST:
            continue
        if (got := influence.launched(experiment.launcher, one, list(one.inputs))) is None:
            return []
        right, got = float(one.expected[0]), float(got[0].view(one.dtypes[0]).double())
        if not (right.is_integer() and got.is_integer()):
            return []
        varied = any(len(x.double().unique()) > 1 for x in one.inputs)
        totals.append(_Total(n, right, got, varied))
    return totals
