"""Find out which numbers and elements go wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing import races
from helpers.testing.cases import Case, Untried
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.experiments import rearranged
from helpers.testing.experiments.explain_calls import BY_DEFAULT, right_by_default
from helpers.testing.mismatch import TINY, Diagnosis, are_among, describe
from helpers.testing.past_2_31 import Huge
from helpers.testing.patterns import wrong_places, wrong_rows
from helpers.testing.probes import (
    alone,
    beside,
    influence,
    named_sides,
    operand_rows,
    products,
    reduction,
    row_influence,
    row_places,
    row_weights,
    scans,
)
from helpers.testing.probes.lowered import VANISHES
from helpers.testing.run_case import ROUNDS, Round, offsets, run_case

SAME = 3  # shapes of inputs of which a factor must be the same
LEAST_ROW = 16  # numbers of a row that tells something of its sum
ANOTHER_FORMULA = "nearly all: is the formula another one?"
NEARLY = 2.0**-12  # relative, from a whole factor: sums are rounded
FEW_ALIKE = 8  # cases of other numbers that are tried
MOST = 1024  # threads of a block
ANY_ERROR = 1e38  # allowed, where only NaN and infinity count as wrong
MOST_MOVED = 10_000  # elements
MIXED = 4  # times
MOST_UNEQUAL = 2000  # numbers of a row
SOME = 0.25  # of the elements that are equal
UNTIL_MIXED = 10 * NEXT_CASES  # among which one is of many numbers, of both signs
LONGER = 2  # times the elements of a row
END_OF_16_BITS = (1 << 15, 1 << 16)  # with a sign, and without
FAR_CASES = 4 * NEXT_CASES  # to a longer array
MANY = 67  # numbers in the place of fewer
FEW = 32  # a failure of so few elements says little without an experiment


def other_inputs(experiment: Experiment) -> Diagnosis | None:
    """Ask which elements count, where one number is made of many."""
    told = experiment.failure.diagnosis
    if experiment.failure.fault:
        return None
    sentence = reduction.diagnose(experiment.launcher, _as_sum(experiment))
    if not told.specific or told.zeros:
        sentence = sentence or products.diagnose(
            experiment.launcher, experiment.case, told.zeros
        )
    of_many = _is_one_of_many(experiment) and not _is_size_of_one(experiment.case)
    if not sentence and told.nearly and (not of_many or told.loses_digits):
        sentence = influence.diagnose(experiment.launcher, experiment.case)
    if not sentence and told.rows:
        sentence = row_weights.held_in_an_integer(experiment.launcher, experiment.case)
        sentence = sentence or row_influence.across_rows(experiment.launcher, experiment.case)
        sentence = sentence or row_influence.of_own_row(experiment.launcher, experiment.case)
        sentence = sentence or row_weights.diagnose(experiment.launcher, experiment.case)
    if not sentence and (told.nearly or told.ends) and experiment.case.function is None:
        sentence = row_influence.counted_often(experiment.launcher, experiment.case)
        sentence = sentence or row_influence.unlike_others(experiment.launcher, experiment.case)
    if told.lanes and experiment.case.function is None:
        sentence = sentence or influence.of_a_neighbour(experiment.launcher, experiment.case)
    if (told.ends or told.lanes) and experiment.case.function is None:
        sentence = sentence or influence.of_another_column(experiment.launcher, experiment.case)
    if (not told.specific or told.doubt) and not told.unwritten:
        sentence = sentence or scans.diagnose(experiment.launcher, experiment.case)
    if not told.specific or told.special:
        sentence = sentence or row_influence.from_first_of_all(
            experiment.launcher, experiment.case
        )
    if not sentence and told.special and experiment.case.function is None:
        if all(x.shape != experiment.case.expected[0].shape for x in experiment.case.inputs):
            sentence = influence.diagnose(experiment.launcher, experiment.case)
    if not told.specific or told.zeros:
        others = [x for x in experiment.passed if isinstance(x, Case)][-FEW_ALIKE:]
        ahead = itertools.islice(experiment.following, FEW_ALIKE)
        others += [x for x in ahead if isinstance(x, Case)]
        sentence = sentence or row_places.diagnose(experiment.launcher, experiment.case, others)
    if not told.specific:
        sentence = sentence or rearranged.diagnose(experiment)
        sentence = sentence or row_influence.of_groups(experiment.launcher, experiment.case)
        sentence = sentence or named_sides.diagnose(experiment.launcher, experiment.case)
        if not sentence and experiment.case.function is None:
            sentence = row_influence.of_other_rows(experiment.launcher, experiment.case)
            sentence = sentence or operand_rows.diagnose(experiment.launcher, experiment.case)
            sentence = sentence or operand_rows.of_a_vector(
                experiment.launcher, experiment.case
            )
            sentence = sentence or operand_rows.added_often(
                experiment.launcher, experiment.case
            )
            sentence = sentence or influence.diagnose(experiment.launcher, experiment.case)
            sentence = sentence or row_influence.counted_often(
                experiment.launcher, experiment.case
            )
            sentence = sentence or row_influence.unlike_others(
                experiment.launcher, experiment.case
            )
            sentence = sentence or row_weights.diagnose(experiment.launcher, experiment.case)
        sentence = sentence or influence.without_effect(experiment.launcher, experiment.case)
        if not sentence and experiment.case.function is None:
            sentence = influence.numbers_without_effect(
                experiment.launcher, itertools.chain([experiment.case], experiment.following)
            )
    if not sentence and (told.zeros or not told.specific):
        sentence = _of_a_longer_array(experiment)
        sentence = sentence or alone.diagnose(experiment.launcher, experiment.case)
    if not sentence and told.tail and experiment.case.function is None:
        sentence = _left_out_of_more(experiment)
    if sentence and sentence.endswith(influence.LAST_LOST):
        sentence = _left_out_of_more(experiment) or sentence
    if sentence:
        return Diagnosis(_with_more(experiment, sentence))
    if experiment.case.function is not None and told.tail:
        return Diagnosis("the result is wrong", specific=False)  # each element counts once
    return None


def _left_out_of_more(experiment: Experiment) -> str | None:
    """Ask which elements count in longer rows: more than a few last ones may be left out.

    Or in a longer array.
    """
    case = experiment.case
    dims, cols = case.inputs[0].dim(), case.inputs[0].shape[-1]
    for other in itertools.islice(experiment.following, NEXT_CASES):
        if not isinstance(other, Case) or len(other.inputs) != len(case.inputs):
            continue
        least = max(LONGER * cols, FEW)
        of_more = all(x.dim() == dims and x.shape[-1] >= least for x in other.inputs)
        if of_more and sum(x.numel() for x in other.inputs) <= influence.MOST:
            said = influence.diagnose(experiment.launcher, other)
            if not said or said.endswith(influence.LAST_LOST):
                return None
            if said.startswith(influence.FIRST_ONLY):
                return said
            return f"with {other.inputs[0].shape[-1]:,} elements{' a row' * (dims > 1)}, {said}"
    return None


def _of_a_longer_array(experiment: Experiment) -> str | None:
    """Ask which elements count in a longer array, where one number is made of just one.

    That none counts may be the fault of a tail. The longer case may be right by chance.
    """
    case = experiment.case
    if len(case.inputs) != 1 or case.inputs[0].numel() != 1 or case.size != 1:
        return None
    if case.function is not None or case.reference is not None:
        return None
    if case.inputs[0].dim() == 2:  # a row, which may be longer
        row = 1 + torch.randperm(MANY, generator=torch.Generator().manual_seed(6))[None]
        longer = replace(case, inputs=(row.to(case.inputs[0].dtype),))
        return influence.diagnose(experiment.launcher, longer)
    for other in itertools.islice(experiment.following, FAR_CASES):
        if not isinstance(other, Case) or other.arguments.keys() != case.arguments.keys():
            continue
        if other.size == 1 and FEW < other.inputs[0].numel() <= MOST:
            said = influence.diagnose(experiment.launcher, other)
            return said or influence.of_one_output(experiment.launcher, other)
    return None


def _with_more(experiment: Experiment, sentence: str) -> str:
    """Say of first elements if the block size matters, and what is read for a last one."""
    if sentence.startswith(influence.FIRST_ONLY) and right_by_default(experiment):
        size = experiment.case.arguments["block_size"]
        return (
            f"{BY_DEFAULT}, wrong with block_size = {size}: is a number in the place of "
            f"blockDim.x, as in the step of a loop? ({sentence})"
        )
    if influence.LAST_LOST not in sentence:
        return sentence
    start = offsets(experiment.launcher, experiment.case, experiment.how)
    seen = beside.read(experiment.launcher, experiment.case, start)
    if not seen or beside.BEHIND not in seen:
        return sentence
    seen_too = sentence.partition(":")[0]
    return f"{seen}, and {seen_too}: is an index one too large? The last one is n - 1"


def _is_size_of_one(case: Case) -> bool:
    """Test whether each result is the size of a number that goes in, as of a maximum.

    Another one that comes out may be nearly right, and each element should have an effect.
    """
    sizes = torch.cat([x.double().abs().flatten() for x in case.inputs])
    return all(are_among(y.abs(), sizes) for y in case.expected)


def _as_sum(experiment: Experiment) -> Case:
    """Return the case, as one of a sum if a sum lacks its last elements: others may, too."""
    case = experiment.case
    is_float = bool(case.inputs) and case.inputs[0].dtype is torch.float32
    if case.function or not experiment.failure.diagnosis.tail or not is_float:
        return case
    return replace(case, function=torch.sum)


def long_rows_only(experiment: Experiment) -> Diagnosis | None:
    """Recognise errors of a few last digits that only long rows have, as of a short sum.

    Another formula shows in short ones, too, and more so if it is a count.
    """
    told, case = experiment.failure.diagnosis, experiment.case
    if not told.nearly or not told.specific or case.reference is not None:
        return None
    if "formula" not in told.sentence or not (n := _row_of(case)):
        return None
    right = [m for m in map(_row_of, experiment.passed) if m >= LEAST_ROW]
    if len(set(right)) < 2 or (longest := max(right)) >= n:
        return None
    for other in itertools.islice(experiment.following, NEXT_CASES):
        if not isinstance(other, Case) or not races.is_small(other):
            continue
        if _row_of(other) in range(1, longest + 1) and not experiment.right(other):
            return None
    return Diagnosis(
        f"right in rows of up to {longest:,} numbers, and only nearly right "
        f"in rows of {n:,}: is a sum kept in a narrower precision, as of float16 or bfloat16 "
        "(the larger it is, the more each addition loses), or is something of a long row left "
        "out?"
    )


def wrong_in_long_rows(experiment: Experiment) -> Diagnosis | None:
    """Ask no other formula of what is right in shorter rows, and wrong in each longer one."""
    told, case = experiment.failure.diagnosis, experiment.case
    vague = not told.specific and told.sentence.endswith(ANOTHER_FORMULA)
    if experiment.failure.fault or case.reference is not None or not vague:
        return None
    n = _row_of(case)
    right = [m for m in map(_row_of, experiment.passed) if m >= LEAST_ROW]
    if len(set(right)) < 2 or (longest := max(right)) >= n:
        return None
    ahead = itertools.islice(experiment.following, NEXT_CASES)
    others = [x for x in ahead if isinstance(x, Case) and races.is_small(x) and _row_of(x)]
    shorter = [x for x in others if _row_of(x) <= longest][:FEW_ALIKE]
    longer = [x for x in others if _row_of(x) >= n][:FEW_ALIKE]
    if not all(map(experiment.right, shorter)) or any(map(experiment.right, longer)):
        return None
    return Diagnosis(
        f"right in rows of up to {longest:,} numbers, and wrong in rows of {n:,}: is a part of "
        "a long row left out, as that of some warps, or of some rounds of a loop?"
    )


def _row_of(case: Case) -> int:
    """Return the numbers of a row of the first input, of whose rows an output is made; or 0."""
    x, made = case.inputs[0] if case.inputs else torch.zeros(()), case.expected[0]
    return x.shape[1] if x.dim() == 2 and made.shape[:1] == x.shape[:1] else 0


def nan_of_negative_rows(experiment: Experiment) -> Diagnosis | None:
    """Tell a maximum that starts too high from one of sizes, where exp of each is 0."""
    case = experiment.case
    x = case.inputs[0] if len(case.inputs) == len(case.expected) == 1 else None
    if x is None or x.dim() < 2 or x.shape != case.expected[0].shape:
        return None
    if (
        experiment.failure.fault
        or _one_sign(experiment.case) != "negative"
        or _is_finite(experiment, x)
    ):
        return None
    if not _is_finite(experiment, -x):
        return None
    if x.dim() > 2:  # of which two sides may have to be alike
        experiment = _of_longer_rows(experiment)
        x = experiment.case.inputs[0]
        if x.shape[-1] == 1:
            return None
    longer = [one for one in experiment.passed if one.inputs[0].shape[-1] > 1]  # than the first
    if any(map(_has_vanishing_rows, longer if x.shape[-1] > 1 else experiment.passed)):
        return Diagnosis(
            f"{_not_finite(experiment)} came out of rows of numbers of {float(x.max()):.4g} "
            "and less, and not of others that are negative: does the row's maximum start with "
            "a number that is larger than these, as -999 is? Start with -INFINITY, or with "
            "the row's first number"
        )
    one, others = torch.ones_like(x[..., :1]), x if x.dim() == 2 else x[..., 1:]
    with_one = torch.cat([one, others], dim=-1)
    if _is_finite(experiment, with_one):
        return Diagnosis(
            f"{_not_finite(experiment)} came out of rows of large negative numbers, not where "
            "one is positive, as where the row's maximum starts with 0, or another number "
            "larger than all: is that taken off, so that each power is 0? Start with the first "
            "number, or with -INFINITY"
        )
    return Diagnosis(
        "NaN came out of rows of large negative numbers, also where one is positive, as of 0 "
        "divided by 0, where exp of each is 0: is another function of the row taken off? It "
        "must be its largest number, not its largest absolute value, say"
    )


def _of_longer_rows(experiment: Experiment) -> Experiment:
    """Return the experiment, where rows are of one number with a longer case that fails."""
    case = experiment.case
    if case.inputs[0].shape[-1] > 1:
        return experiment
    for other in itertools.islice(experiment.following, NEXT_CASES):
        if not isinstance(other, Case) or other.arguments != case.arguments:
            continue
        longer = len(other.inputs) == 1 and other.inputs[0].shape[-1] > 1
        if longer and races.is_small(other) and _one_sign(other) == "negative":
            again = replace(experiment, failure=replace(experiment.failure, case=other))
            if not _is_finite(again, other.inputs[0]):
                return again
    return experiment


def _has_vanishing_rows(case: Case) -> bool:
    """Test whether a case has rows of numbers of which exp is 0."""
    x = case.inputs[0].double()
    return x.dim() > 1 and x.numel() > 0 and bool((x.amax(dim=-1) < VANISHES).any())


def _not_finite(experiment: Experiment) -> str:
    """Name what came out of the case: NaN, or infinity."""
    got = influence.launched(experiment.launcher, experiment.case, experiment.case.inputs)
    nan = got and bool(got[0].view(experiment.case.dtypes[0]).isnan().any())
    return "NaN" if nan else "infinity"


def _is_finite(experiment: Experiment, x: torch.Tensor) -> bool:
    """Test whether finite numbers come out of an input, whatever they are."""
    anything = (torch.full(x.shape, ANY_ERROR, dtype=torch.float64),)
    zeros = (torch.zeros(x.shape),)
    return experiment.right(
        replace(experiment.case, inputs=(x,), expected=zeros, within=anything)
    )


def started_with_zero(experiment: Experiment) -> Diagnosis | None:
    """Recognise zeros that come out only where all numbers are of one sign."""
    case, was = experiment.case, experiment.failure.diagnosis
    if case.reference is not None or not was.zeros:
        return None
    alike = [x for x in experiment.passed if _differ_in_numbers_only(case, x)]
    alike = alike or [x for x in experiment.passed if x.inputs and x.size]
    alike = alike or _right_of_the_other_sign(experiment)
    if not (sign := _one_sign(case)) or not alike:
        return None
    if any(_one_sign(other) == sign for other in alike):
        return None
    if more_than_a_start(experiment.launcher, experiment.following, experiment.how):
        return None
    scaled = (
        case.inputs[0].is_floating_point() and case.inputs[0].shape == case.expected[0].shape
    )
    to_integers = scaled and not case.dtypes[0].is_floating_point
    if to_integers and not bool(case.inputs[0].isfinite().all()):
        return None  # of infinite ones no scale is made: a limit is missing
    if sign == "negative" and to_integers:
        return Diagnosis(
            "0 comes out where all numbers are negative: is fabsf left out, where the largest "
            "magnitude is meant? The largest number is 0 then, with which the search starts"
        )
    return Diagnosis(_starts_with_zero(sign))


def _right_of_the_other_sign(experiment: Experiment) -> list[Case]:
    """List the following cases that differ in their sign only, if each of them is right."""
    following = itertools.islice(experiment.following, NEXT_CASES)
    some = (x for x in following if isinstance(x, Case))
    alike = [x for x in some if _differ_in_numbers_only(experiment.case, x)]
    others = [x for x in alike if _one_sign(x) not in ("", _one_sign(experiment.case))]
    same = [x for x in alike if _one_sign(x) == _one_sign(experiment.case)]
    if any(map(experiment.right, same[:FEW_ALIKE])):
        return []
    return others if all(map(experiment.right, others[:FEW_ALIKE])) else []


def other_end_is_chosen(experiment: Experiment) -> Diagnosis | None:
    """Recognise a maximum that is the smallest element where all numbers are of one sign.

    Of a whole input, or of each row.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None or len(case.inputs) != 1:
        return None
    x, sign = case.inputs[0], _one_sign(case)
    alike = [one for one in experiment.passed if _differ_in_numbers_only(case, one)]
    if not sign or x.numel() == 1:
        return None
    if not any(_one_sign(one) != sign for one in alike or _right_of_the_other_sign(experiment)):
        return None
    others = _longer(experiment)
    if not all(_chooses_other_end(experiment.launcher, one) for one in (case, *others)):
        return None
    if not others and not _places_of_other_end(experiment.launcher, case, sign):
        return None
    if start := _beyond_the_end(experiment.launcher, case):
        return Diagnosis(
            f"wrong only for numbers that are all {sign}: {start} comes out, with which the "
            "search may start, and none of them wins against it. Are they compared by their "
            "bits, or without their signs?"
        )
    return Diagnosis(
        f"wrong only for numbers that are all {sign}: the one at the other end is chosen. Are "
        "they compared by their bits, or without their signs?"
    )


def _longer(experiment: Experiment) -> list[Case]:
    """List cases of many numbers of the same sign, if places come out: a few tell little."""
    case, sign = experiment.case, _one_sign(experiment.case)
    if case.dtypes[0].is_floating_point or not case.inputs[0].is_floating_point():
        return []
    following = itertools.islice(experiment.following, NEXT_CASES)
    some = (x for x in following if isinstance(x, Case) and races.is_small(x))
    return [x for x in some if _one_sign(x) == sign and x.inputs[0].numel() > FEW][:SAME]


def _chooses_other_end(launcher: Launcher, case: Case) -> bool:
    """Test whether the number at the other end comes out of a case, or its place."""
    x = case.inputs[0]
    if (got := influence.launched(launcher, case, [x])) is None:
        return False
    return all(
        _is_other_end(x.double(), *_numbers_at(x, y.view(dtype), right))
        for y, right, dtype in zip(got, case.expected, case.dtypes, strict=True)
    )


def _places_of_other_end(launcher: Launcher, case: Case, sign: str) -> bool:
    """Where a place among a few numbers is right: is it that of the other end of many, too?"""
    x = case.inputs[0]
    of_places = x.is_floating_point() and not case.dtypes[0].is_floating_point
    if not of_places or x.dim() != 1 or len(x) > FEW or case.expected[0].numel() != 1:
        return True
    taken = x.double() == x.double()[case.expected[0].long().flatten()]
    largest = bool((x.double() <= x.double()[taken].min()).all())
    numbers = 1.0 + torch.randperm(MANY, generator=torch.Generator().manual_seed(1))
    numbers = numbers if sign == "positive" else -numbers
    got = influence.launched(launcher, case, [numbers.to(x.dtype)])
    other = numbers.argmin() if largest else numbers.argmax()
    return got is not None and int(got[0].view(case.dtypes[0]).flatten()[0]) == int(other)


def _beyond_the_end(launcher: Launcher, case: Case) -> str:
    """Return what came out, if it is less or more than all numbers of a case; else ""."""
    x = case.inputs[0]
    got = influence.launched(launcher, case, [x])
    y = got[0].view(case.dtypes[0]).flatten() if got else torch.zeros(0)
    if not x.is_floating_point() or not y.is_floating_point() or not len(y):
        return ""
    beyond = (y.double() < float(x.min())) | (y.double() > float(x.max()))
    return describe(y[0]) if bool(beyond.all()) else ""


def _numbers_at(
    x: torch.Tensor, got: torch.Tensor, right: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what came out and what is right; of places in an array of floats, the numbers."""
    places = torch.stack((got.double().reshape(-1), right.reshape(-1)))
    inside = bool(((places >= 0) & (places < x.numel())).all())
    if got.is_floating_point() or not x.is_floating_point() or x.dim() != 1 or not inside:
        return got.double(), right
    taken, wanted = x.double()[places.long()]
    return taken, wanted


def _is_other_end(x: torch.Tensor, got: torch.Tensor, right: torch.Tensor) -> bool:
    """Test whether the smallest of x, or less, came out for the largest, or the other way.

    Of all of x, or of each of its rows.
    """
    of_rows = x.dim() == 2 and x.shape[1] > 0 and tuple(right.shape) == (len(x),)
    rows = x if of_rows else x.reshape(1, -1)
    ends = [rows.amin(dim=1), rows.amax(dim=1)]
    if torch.equal(*ends):
        return False
    made, wanted = (y.flatten() if of_rows else y.flatten().unique() for y in (got, right))
    low, high = ends
    if made.shape != low.shape or wanted.shape != low.shape:
        return False
    if torch.equal(wanted, high):
        return bool((made <= low).all())
    return torch.equal(wanted, low) and bool((made >= high).all())


def started_too_high(experiment: Experiment) -> Diagnosis | None:
    """Move numbers of one sign, all by as much, as far to the other side of 0.

    A maximum that starts with 0, or FLT_MIN, is wrong where all numbers are negative. Rows that
    are right on the other side, and with one number there, too, tell of such a start. What is
    right there follows from the failed case: the results are moved as well, or stay.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None or len(case.inputs) != 1:
        return None
    x, sign = case.inputs[0], _one_sign(case)
    if not sign or not x.is_floating_point() or x.numel() > MOST_MOVED or not x.dim():
        return None
    if x.element_size() == 1:  # PyTorch adds no numbers of float8
        return None
    if not all(d.is_floating_point for d in case.dtypes) or _is_of_each(experiment):
        return None
    to = 1 if sign == "negative" else -1
    by = -float(x.double().min() + x.double().max())  # as far from 0 as they were
    for moves in (0.0, by):
        right = tuple(y + moves for y in case.expected)
        if not experiment.right(replace(case, inputs=(x + by,), expected=right)):
            continue
        # One number of each row beyond 0: what is right is what comes out farther on.
        most = (x if to > 0 else -x).argmax(dim=-1, keepdim=True)
        mixed = x.scatter(-1, most, float(to))
        got = influence.launched(experiment.launcher, case, [mixed + by])
        if got is None:
            return None
        farther = tuple(
            y.view(dtype).double() - moves for y, dtype in zip(got, case.dtypes, strict=True)
        )
        if experiment.right(replace(case, inputs=(mixed,), expected=farther)):
            return Diagnosis(_starts_with_zero(sign))
    return None


def left_out_of_few(experiment: Experiment) -> Diagnosis | None:
    """Where a start value alone comes out: does it also where there are more elements?"""
    told, of = experiment.failure.diagnosis, experiment.case
    if experiment.failure.fault or wrong_places.NOTHING_REPLACES not in told.sentence:
        return None
    taken = sum(x.numel() for x in of.inputs)
    for case in itertools.islice(experiment.following, NEXT_CASES):
        if not isinstance(case, Case) or case.dtypes != of.dtypes:
            continue
        if not taken < sum(x.numel() for x in case.inputs) <= MOST_MOVED or _has_an_end(case):
            continue
        failure = run_case(experiment.launcher, case, experiment.how)
        if failure and (failure.fault or 2 * failure.diagnosis.wrong > case.size):
            continue
        most = "most results are" if failure else "all is"
        return replace(
            told,
            sentence=f"{told.sentence} Of {case.label} {most} right: are all elements left out "
            "where there are few, as by a loop that takes whole steps alone?",
        )
    return None


def _has_an_end(case: Case) -> bool:
    """Test whether an end of its integer type is among what is right."""
    pairs = zip(case.expected, case.dtypes, strict=True)
    limits = [(y, torch.iinfo(d)) for y, d in pairs if d in (torch.int32, torch.int64)]
    return any(bool(((y == of.min) | (y == of.max)).any()) for y, of in limits)


def _is_of_each(experiment: Experiment) -> bool:
    """Test whether each result is made of its own element alone, as of an operator.

    Of a single element that cannot be seen, unless another length has one result.
    """
    case = experiment.case
    x, right = case.inputs[0], case.expected[0]
    if x.shape != right.shape:
        return False
    if x.numel() == 1:
        return len({p.shape for p in experiment.launcher.declaration.tensors}) == 1
    if (usual := influence.launched(experiment.launcher, case, [x])) is None:
        return True
    for place in (0, x.numel() - 1):
        changed = influence.changed_by(experiment.launcher, case, 0, place, usual)
        if changed is None or len(changed) > 1:
            return changed is None
    return True


def other_numbers(experiment: Experiment) -> Diagnosis | None:
    """Look for cases of the same size that went right: of a maximum, of both signs."""
    was = experiment.failure.diagnosis
    if was.specific or experiment.how != ROUNDS[0]:
        return None
    alike = [x for x in experiment.passed if _differ_in_numbers_only(experiment.case, x)]
    alike = [x for x in alike if any(map(_is_told, x.expected))]
    if _is_one_of_many(experiment) and (sign := _one_sign(experiment.case)):
        counts = all(map(_may_count, (experiment.case, *alike)))
        counts |= not _may_be_found(experiment.case)
        if alike and not counts and not any(_one_sign(other) == sign for other in alike):
            return Diagnosis(_without_signs(experiment, sign) or _starts_with_zero(sign))
    if alike:
        words = "though other numbers of the same size came out right"
    elif any(_is_ordinary(other, experiment.case) for other in experiment.passed):
        words = "though ordinary numbers came out right: it depends on the values"
    else:
        return None
    return replace(was, sentence=f"{was.sentence}, {words}")


def _is_told(right: torch.Tensor) -> bool:
    """Test whether some results tell a formula from others: those that are finite, and not 0.

    NaN and infinity come of many, and so does 0.
    """
    return bool((right.isfinite() & (right != 0)).any())


def _is_one_of_many(experiment: Experiment) -> bool:
    """Test whether one number is made of many, and no function of them is known."""
    known = experiment.case.function is not None or experiment.case.reference is not None
    many = sum(x.numel() for x in experiment.case.inputs) > FEW
    return experiment.case.size == 1 and many and not known


def flags_other_than_1(experiment: Experiment) -> Diagnosis | None:
    """Put 1 in the place of each integer of an input that is not 0: does the case go right?

    What is right stays, so that the input is a flag of each element.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None:
        return None
    names = [p.name for p in experiment.launcher.declaration.tensors if p.role == "input"]
    for k, x in enumerate(case.inputs):
        if x.is_floating_point() or x.dtype is torch.bool or not bool((x.double() > 1).any()):
            continue
        ones = (x.double() != 0).to(x.dtype)
        inputs = (*case.inputs[:k], ones, *case.inputs[k + 1 :])
        if experiment.right(replace(case, inputs=inputs)):
            which = int((x.double() > 1).reshape(-1).nonzero()[0])
            does = "are taken for 0" if _counts(experiment, which, k) else "are left out"
            return Diagnosis(
                f"elements whose number in {names[k]} is not 0 and not 1 {does}: right if each "
                "of them is 1, so that it depends on the values. Does a comparison ask for 1 "
                "(== 1)? Any but 0 must do"
            )
    return None


def _counts(experiment: Experiment, place: int, flags: int) -> bool:
    """Test whether an element of another input than the flags changes an output."""
    case = experiment.case
    usual = influence.launched(experiment.launcher, case, list(case.inputs))
    for k, x in enumerate(case.inputs):
        if k == flags or x.numel() != case.inputs[flags].numel():
            continue
        other = influence.launched(
            experiment.launcher, case, influence.changed_inputs(case, k, place, 1)
        )
        if usual and other and not all(map(torch.equal, usual, other)):
            return True
    return False


def of_unequal_numbers(experiment: Experiment) -> Diagnosis | None:
    """Search rows in which no two numbers are equal, where a place is that of an equal one.

    If the places are wrong there, too, more is left out than the choice among equal ones.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if wrong_rows.OF_EQUAL not in told.sentence or experiment.failure.fault:
        return None
    x = case.inputs[0]
    if len(case.inputs) != 1 or not 1 < x.shape[-1] <= MOST_UNEQUAL:
        return None
    rows = x.double().reshape(-1, x.shape[-1])
    following = itertools.islice(experiment.following, NEXT_CASES)
    if (of := _searched_end(case, itertools.chain(experiment.passed, following))) is None:
        return None
    for seed in range(MIXED):
        mixed = torch.Generator().manual_seed(seed)
        new = torch.stack([torch.randperm(rows.shape[1], generator=mixed) for _ in rows])
        new -= rows.shape[1] // 2 if x.dtype.is_signed else 0
        if not torch.equal(new.to(x.dtype).long(), new):
            return None  # too many for the type to tell apart
        other = _searched_for(case, of, new, f"{case.label}, no two equal")
        failure = run_case(experiment.launcher, other, experiment.how)
        if failure and not failure.fault:
            if failure.diagnosis.specific:
                return failure.diagnosis
            told = other_inputs(replace(experiment, failure=failure))
            return told or _never_reached(experiment, other)
    return None


def _never_reached(experiment: Experiment, case: Case) -> Diagnosis | None:
    """Say that no place comes out of numbers of which no two are equal, if that is so."""
    got = influence.launched(experiment.launcher, case, list(case.inputs))
    columns = case.inputs[0].shape[-1]
    if got is None:
        return None
    rows = case.inputs[0].double().reshape(-1, columns)
    for y, dtype, right in zip(got, case.dtypes, case.expected, strict=True):
        made, wanted = y.view(dtype).double().reshape(-1), right.reshape(-1)
        if not any(_are_places(rows, wanted, end) for end in rows.aminmax(dim=1)):
            continue
        which = int((made != wanted).int().argmax())
        if bool((made == wanted).all()) or 0 <= made[which] < columns:
            continue
        return Diagnosis(
            f"{made[which]:,.0f} comes out, which is no place, and the number that is searched "
            f"stands at {wanted[which]:,.0f}, and there only: is that element never reached, "
            "left out by a loop or a thread's index?"
        )
    return None


def lost_beyond_16_bits(experiment: Experiment) -> Diagnosis | None:
    """Search long rows for their one largest number, before and behind the end of 16 bits."""
    case = experiment.case
    if experiment.failure.fault or experiment.failure.diagnosis.specific:
        return None
    if len(case.inputs) != 1 or not case.inputs[0].dim():
        return None
    rows = case.inputs[0].reshape(-1, case.inputs[0].shape[-1])
    if not END_OF_16_BITS[0] < rows.shape[1] <= 2 * END_OF_16_BITS[-1]:
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    if (of := _searched_end(case, itertools.chain(experiment.passed, following))) is None:
        return None

    def right(place: int) -> bool:
        new = torch.full_like(rows, 5)
        new[:, place] = 9 if of[0] is torch.amax else 1
        return experiment.right(_searched_for(case, of, new, "one"))

    for end in END_OF_16_BITS:
        if end < rows.shape[1] and right(end - 1) and not right(end):
            return Diagnosis(
                f"what is searched is found before place {end:,}, and not from there on: is a "
                "place held in 16 bits, too narrow for it?"
            )
    return None


def _searched_for(
    case: Case, of: tuple[Callable, Callable], rows: torch.Tensor, label: str
) -> Case:
    """Return the case with other rows that are searched; of: as `_searched_end` returns it."""
    x = case.inputs[0]
    before = x.double().reshape(-1, x.shape[-1])
    of_values = [torch.equal(y.reshape(-1), of[0](before, 1)) for y in case.expected]
    right = [of[0 if is_value else 1](rows, 1).double() for is_value in of_values]
    return replace(
        case,
        label=label,
        inputs=(rows.reshape(x.shape).to(x.dtype),),
        expected=tuple(map(torch.reshape, right, (y.shape for y in case.expected))),
        whole=(),
    )


def of_some_equal_numbers(experiment: Experiment) -> Diagnosis | None:
    """Search an array with some equal extremes, where that of equal numbers goes wrong.

    Of numbers that are all equal, or one that is infinite, a wrong place tells little; and of
    numbers of one size, not whether that is what is searched.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None or len(case.inputs) != 1:
        return None
    x, outputs = case.inputs[0], case.expected
    places = [k for k, dtype in enumerate(case.dtypes) if not dtype.is_floating_point]
    if x.dim() != 1 or len(places) != 1 or any(y.numel() != 1 for y in outputs):
        return None
    place = int(outputs[places[0]])
    got = influence.launched(experiment.launcher, case, [x])
    if got is None or not 0 <= place < len(x):
        return None
    taken = int(got[places[0]].view(case.dtypes[places[0]]))
    others = (*experiment.passed, *itertools.islice(experiment.following, NEXT_CASES))
    others = [y for y in others if isinstance(y, Case) and races.is_small(y) and y.inputs]
    for of, key in _ends_that_are_searched(others, places[0]):
        keys = key(x.double())
        is_equal = 0 <= taken < len(x) and taken != place and keys[taken] == keys[place]
        if is_equal or bool((keys == keys[place]).all()):
            return _of_equal_ends(experiment, others, places[0], of)
    return None


def place_of_an_equal_one(experiment: Experiment) -> Diagnosis | None:
    """Ask whether a wrong place has the number that is right, by whatever formula it is made.

    Arrays, or rows, of which each element is that at the place make the same number then.
    Where they make another one, the place is not that of the number. Of one that is no place
    at all, as that of a start value, other cases are asked.
    """
    if experiment.failure.fault or experiment.failure.diagnosis.specific:
        return None
    launcher, case = experiment.launcher, experiment.case
    sentence, outside = _of_an_equal_one(launcher, case)
    if outside:
        behind = itertools.chain(experiment.tried, experiment.following)
        some = itertools.islice(behind, NEXT_CASES)
        others = (x for x in some if isinstance(x, Case) and x.size <= MOST_MOVED)
        asked = (_of_an_equal_one(launcher, other)[0] for other in others)
        sentence = next(filter(None, asked), None)
    return _unless_unequal(experiment, Diagnosis(sentence)) if sentence else None


def _unless_unequal(experiment: Experiment, told: Diagnosis) -> Diagnosis:
    """Return what is said of equal numbers, or what else goes wrong where there are none."""
    again = replace(experiment, failure=replace(experiment.failure, diagnosis=told))
    return of_unequal_numbers(again) or told


def _of_an_equal_one(launcher: Launcher, case: Case) -> tuple[str | None, bool]:
    """Return what a wrong place of a number says, and whether it is no place at all."""
    none = None, False
    if len(case.dtypes) < 2 or not case.inputs:
        return none
    shape = max((x.shape for x in case.inputs), key=len)
    counts = {y.numel() for y in case.expected}
    if len(counts) != 1 or case.reference is not None:
        return none
    if any(x.shape != shape[len(shape) - x.dim() :] for x in case.inputs):
        return none  # but for a number for each column
    wide, count = [x.expand(shape) for x in case.inputs], counts.pop()
    if (got := influence.launched(launcher, case, list(case.inputs))) is None:
        return none
    made = [y.view(dtype).reshape(-1) for y, dtype in zip(got, case.dtypes, strict=True)]
    value = [k for k, dtype in enumerate(case.dtypes) if dtype.is_floating_point]
    if not value:  # of integers, what is right of two
        rights = zip(made, case.expected, strict=True)
        value = [k for k, (y, z) in enumerate(rights) if torch.equal(y.double(), z.reshape(-1))]
        value = [k for k in value if torch.isin(made[k], wide[0]).all()]
    places = [k for k in range(len(made)) if k not in value]
    kept = len(shape) - len(places)  # directions, of which each array has its own
    if len(value) != 1 or kept < 0 or math.prod(shape[:kept]) != count:
        return none
    right = _flat([case.expected[k].reshape(-1) for k in places], shape[kept:])
    taken = _flat([made[k] for k in places], shape[kept:])
    number, n = made[value[0]], math.prod(shape[kept:])
    for row in (taken != right).nonzero().flatten()[:1].tolist():
        wanted, other = int(right[row]), int(taken[row])
        if not (0 <= wanted < n and 0 <= other < n):
            return None, 0 <= wanted < n
        own = wide[0].reshape(count, n)[row, wanted]
        if not case.dtypes[value[0]].is_floating_point and own != number[row]:
            return none  # no search for one of the numbers
        numbers = []
        for place in (wanted, other):
            filled = [
                torch.full_like(x, float(y.reshape(count, n)[row, place]))
                for x, y in zip(case.inputs, wide, strict=True)
            ]
            if (of := influence.launched(launcher, case, filled)) is None:
                return none
            numbers.append(of[value[0]].view(number.dtype).reshape(-1)[row])
        if not torch.equal(numbers[0], number[row]):
            return none
        where = f"at place {other:,} and not at {wanted:,}"
        if not torch.equal(*numbers):
            return (
                f"the number is found, and {where}, where another one stands, so that one "
                "element is counted for another: are the number and its place handed on in "
                "one step (a shuffle of both, say), and kept or replaced together?"
            ), False
        end = "first" if wanted < other else "last"
        return (
            f"the number is found, but {where}, the {end} of equal ones, so that one is "
            f"counted for another: {wrong_rows.OF_EQUAL}. Which of two does each comparison "
            "take (>, or >=), and each key that holds a place?"
        ), False
    return none


def _flat(places: list[torch.Tensor], shape: torch.Size) -> torch.Tensor:
    """Return a place in each direction as that in all elements of an array."""
    flat = torch.zeros_like(places[0], dtype=torch.int64)
    for place, size in zip(places, shape, strict=True):
        flat = flat * size + place.long()
    return flat


def _of_equal_ends(
    experiment: Experiment, others: list[Case], which: int, of: Callable
) -> Diagnosis | None:
    """Search an array of which some numbers are the largest, or the smallest."""
    case = max(others, key=lambda y: y.inputs[0].numel())
    n = min(case.inputs[0].numel(), MOST_UNEQUAL)
    new = torch.randperm(n, generator=torch.Generator().manual_seed(0)) + 1
    new = new.to(case.inputs[0].dtype)
    end = int(of(new))
    new[torch.rand(n, generator=torch.Generator().manual_seed(0)) < SOME] = new[end]
    equal = (new == new[end]).nonzero().flatten()
    right = [new[end].double().reshape(y.shape) for y in case.expected]
    first = equal[0 if int(experiment.case.expected[which]) == 0 else -1]
    if len(experiment.case.inputs[0].unique()) > 1:  # the first, or the last, by another rule
        first = equal[0]
    right[which] = first.double().reshape(case.expected[which].shape)
    label = f"n = {n:,}, some equal"
    other = replace(case, label=label, inputs=(new,), expected=tuple(right), whole=())
    failure = run_case(experiment.launcher, other, experiment.how)
    if failure and not failure.fault and wrong_rows.OF_EQUAL in failure.diagnosis.sentence:
        return _unless_unequal(experiment, failure.diagnosis)
    return None


def _ends_that_are_searched(
    cases: Iterable[Case], place: int
) -> Iterator[tuple[Callable[[torch.Tensor], torch.Tensor], Callable]]:
    """Yield argmax or argmin, of numbers or of their sizes, by which all places follow."""
    told = [y for y in cases if len(y.inputs[0].unique()) > 2]
    for key, of in itertools.product((torch.clone, torch.abs), (torch.argmin, torch.argmax)):
        keys = [(key(y.inputs[0].double()), int(y.expected[place])) for y in told]
        if keys and all(0 <= at < len(k) and k[at] == k[of(k)] for k, at in keys):
            yield of, key


def _searched_end(case: Case, others: Iterable[object]) -> tuple[Callable, Callable] | None:
    """Return the functions of the ends that rows are searched for, and of their places.

    others: by which it is decided where all numbers of a row are equal.
    """
    ends = ((torch.amax, torch.argmax), (torch.amin, torch.argmin))
    left = [of for of in ends if _are_searched(case, of[0])]
    for other in others:
        if len(left) < 2:
            break
        if isinstance(other, Case) and len(other.inputs) == 1 and other.size <= MOST_MOVED:
            left = [of for of in left if _are_searched(other, of[0])] or left
    return left[0] if left else None


def _are_searched(case: Case, of: Callable) -> bool:
    """Test whether each output is the ends of the rows, or where they stand."""
    rows = case.inputs[0].double().reshape(-1, case.inputs[0].shape[-1])
    outputs = [right.reshape(-1) for right in case.expected]
    if any(right.numel() != len(rows) for right in outputs):
        return False
    ends = of(rows, 1)
    return all(torch.equal(y, ends) or _are_places(rows, y, ends) for y in outputs)


def _are_places(rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> bool:
    """Test whether a number of each row stands at its place."""
    inside = (places >= 0) & (places < rows.shape[1])
    if not bool(inside.all()):
        return False
    return torch.equal(rows.gather(1, places.long()[:, None]).flatten(), values)


def so_many_times(experiment: Experiment) -> Diagnosis | None:
    """Test whether the one number that comes out is always so many times the right one."""
    if experiment.failure.diagnosis.specific or experiment.failure.fault:
        return None
    if not _is_one_of_many(experiment):
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    alike = [x for x in following if isinstance(x, Case) and x.size == 1 and races.is_small(x)]
    times, sizes = set(), set()
    for case in (experiment.case, *alike):
        right = float(case.expected[0])
        if right == 0 or not math.isfinite(right):
            continue
        if (got := influence.launched(experiment.launcher, case, list(case.inputs))) is None:
            return None
        ratio = float(got[0].view(case.dtypes[0]).double()) / right
        if not math.isfinite(ratio) or abs(ratio - round(ratio)) > NEARLY * abs(ratio):
            return None
        times.add(round(ratio))
        sizes.add(tuple(x.shape for x in case.inputs))
    if len(times) != 1 or len(sizes) < SAME:
        return None
    if (factor := times.pop()) == -1:
        return Diagnosis(
            "the result is always -1 times the right one: is what must be added subtracted, or "
            "is the formula another one?"
        )
    if not 2 <= factor <= MOST:
        return None
    return Diagnosis(
        f"the result is always {factor:,} times the right one: is it added more than once, "
        "as by each warp or thread in the place of one of a block?"
    )


def one_number(experiment: Experiment) -> Diagnosis | None:
    """Say what to look at where one number is made of many, and nothing is known of it."""
    if (
        experiment.failure.diagnosis.specific
        or experiment.failure.fault
        or not _is_one_of_many(experiment)
    ):
        return None
    if influence.all_count(experiment.launcher, experiment.case):
        return Diagnosis(
            "the result is wrong, though each element has an effect on it: is the formula "
            "another one?",
            specific=False,
        )
    return Diagnosis(
        "the result is wrong: is an element, or an input, left out, or is the formula "
        "another one?",
        specific=False,
    )


def _differ_in_numbers_only(case: Case, other: Case) -> bool:
    """Compare the shapes and arguments of two cases that have inputs."""
    same_shapes = [x.shape for x in case.inputs] == [x.shape for x in other.inputs]
    return bool(case.inputs) and same_shapes and case.arguments == other.arguments


def _may_count(case: Case) -> bool:
    """Test whether what is right is an integer up to the number of elements, and none of them.

    Then it may be a count, as of flags, which no start value of a maximum makes wrong.
    """
    right, many = case.expected[0].flatten(), max(x.numel() for x in case.inputs)
    if case.dtypes[0].is_floating_point or not bool(((right >= 0) & (right <= many)).all()):
        return False
    found = (torch.isin(right, x.double()).any() for x in case.inputs)
    return many > 0 and (not bool(right.any()) or not any(map(bool, found)))


def _may_be_found(case: Case) -> bool:
    """Test whether what is right is one of the numbers, or its size, or may be its place.

    If not, nothing is searched that could start with another number.
    """
    right, numbers = case.expected[0].abs().flatten(), [x.double().abs() for x in case.inputs]
    if not case.dtypes[0].is_floating_point:
        return True
    return any(are_among(right, x) for x in numbers)


def _without_signs(experiment: Experiment, sign: str) -> str | None:
    """Test whether sizes of negative numbers come out, which no start value is."""
    case = experiment.case
    got = influence.launched(experiment.launcher, case, case.inputs)
    if got is None or sign != "negative" or len(case.inputs) != 1:
        return None
    made = got[0].view(case.dtypes[0]).double().flatten()
    if not bool((made > 0).all() and torch.isin(made, -case.inputs[0].double()).all()):
        return None
    return (
        "where all numbers are negative, the size of one comes out: has the formula fabsf, or "
        "abs, where the numbers themselves are compared?"
    )


def _starts_with_zero(sign: str) -> str:
    return (
        f"wrong where all numbers are {sign}: does something start with 0, as the largest or "
        "smallest one? Start with the first element"
    )


def more_than_a_start(
    launcher: Launcher, cases: Iterable[Case | Huge | Untried], how: Round
) -> bool:
    """Test whether a case of both signs has more wrong elements than a start value explains.

    Of windows of a few numbers, some are of one sign.
    """
    mixed = next(filter(_has_mixed_rows, itertools.islice(cases, UNTIL_MIXED)), None)
    failure = mixed and run_case(launcher, mixed, how)
    if not failure:
        return False
    many = failure.fault or 4 * failure.diagnosis.wrong > mixed.size
    return bool(many) or _has_other_wrong_numbers(launcher, mixed)


def _has_other_wrong_numbers(launcher: Launcher, case: Case) -> bool:
    """Test whether of each element another number than 0 came out, and is wrong."""
    if any(x.numel() != case.inputs[0].numel() for x in case.expected):
        return False
    got = influence.launched(launcher, case, list(case.inputs))
    for place, made in enumerate(got or ()):
        y = made.view(case.dtypes[place]).reshape(-1)
        if bool((~case.right(place, y) & (y.double().abs() > TINY)).any()):
            return True
    return False


def _has_mixed_rows(case: Case | Huge | Untried) -> bool:
    """Test whether each row of a case's only input has several numbers of both signs."""
    if not isinstance(case, Case) or len(case.inputs) != 1 or not races.is_small(case):
        return False
    x = case.inputs[0].double()
    x = x.reshape(-1, x.shape[-1] if x.dim() else 1)
    return x.numel() > FEW and all(
        bool((side.sum(dim=1) >= 2).all()) for side in (x > 0, x < 0)
    )


def may_start_with_zero(case: Case) -> bool:
    """Test whether 0 is larger than all numbers of a case: those that go in and come out."""
    numbers = (*case.inputs, *case.expected)
    return bool(case.inputs) and all(bool((x.double() < 0).all()) for x in numbers)


def _one_sign(case: Case) -> str:
    """Return the sign that all numbers of a case's inputs have; "" if they have several."""
    numbers = [x.double() for x in case.inputs]
    if numbers and all(bool((x < 0).all()) for x in numbers):
        return "negative"
    return "positive" * (bool(numbers) and all(bool((x > 0).all()) for x in numbers))


def _is_ordinary(other: Case, case: Case) -> bool:
    """Test whether another case, of as many elements, should have shown the same fault."""
    alike = case.arguments == other.arguments and bool(case.inputs)
    of_many = all(x.numel() != case.size for x in case.inputs)
    if of_many or any(x.dim() > 1 for x in case.inputs):  # sides, or a rest, may matter
        alike &= [x.shape for x in case.inputs] == [x.shape for x in other.inputs]
    return alike and FEW < case.size <= other.size
