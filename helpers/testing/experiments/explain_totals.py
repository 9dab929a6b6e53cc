"""Find out how one number that is made of many elements is off, by other arrays of them.

A wrong total says little. Over several cases it tells a factor that depends on n, a sum that
goes on from another one, and what a search for the largest element starts with.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from helpers.testing import reachable
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import ROUNDING, Diagnosis
from helpers.testing.patterns import wrong_sums
from helpers.testing.patterns.wrong_rows import NO_PLACE
from helpers.testing.probes import influence
from helpers.testing.run_case import run_case

LEAST = 3  # totals that must tell the same
MOST = 1 << 17  # elements of a case that is tried
MANY_TOTALS = 8  # that are too large, by no chance
CASES = 40
ASKED = 1 << 11  # numbers of both signs, of which a sum is asked
FAR = 8  # times what rounding may amount to
BY_N = "is it divided by {}, where {} is meant?"
# What a result is multiplied with, by n, and what that may come from.
FACTORS: tuple[tuple[str, Callable[[int], float], str], ...] = (
    ("(n - 1) / n", lambda n: (n - 1) / n, BY_N.format("n", "n - 1")),
    ("n / (n - 1)", lambda n: n / (n - 1), BY_N.format("n - 1", "n")),
    ("n / (n + 1)", lambda n: n / (n + 1), BY_N.format("n + 1", "n")),
    ("the root of (n - 1) / n", lambda n: math.sqrt(1 - 1 / n), BY_N.format("n", "n - 1")),
    ("the root of n / (n - 1)", lambda n: math.sqrt(n / (n - 1)), BY_N.format("n - 1", "n")),
    ("n", lambda n: n, "is it not divided by n?"),
    ("n - 1", lambda n: n - 1, "is it not divided by n - 1?"),
    ("1 / n", lambda n: 1 / n, "is it divided by n, and should not be, or once more?"),
    ("n * n", lambda n: n * n, "is it multiplied by n, and not divided?"),
    ("1 / (n * n)", lambda n: 1 / (n * n), "is it divided by n, and not multiplied?"),
    ("the root of n", lambda n: math.sqrt(n), "is it not divided by the root of n?"),
    ("1 / the root of n", lambda n: n**-0.5, "is it divided by the root of n once more?"),
)
INSTEAD: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("the root of the right one", lambda y: math.sqrt(abs(y))),
    ("the right one times itself", lambda y: y * y),
    ("-1 times the right one", lambda y: -y),
)
LARGEST_PLACE = re.compile(
    r"\b(?:INT64_MAX|L?LONG_MAX)\b|\bnumeric_limits\s*<\s*(?:int64_t|long(?:\s+long)?)\s*>::max"
    r"|0x7f{15}",
    flags=re.I,
)
WIDTHS = tuple(1 << k for k in range(1, 11))  # of packs, warps and blocks
INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}  # by bytes
SCALED = (100.0, 1000.0, 10000.0)  # about what the numbers below 1 become
NEXT = 2.0**-10  # relative: two numbers that differ
GOES_ON = "does a second sum start with the first one, and not with 0?"
NOT_TAKEN_OFF = "is the mean not taken off each number, or is the formula another one?"
# What is added to a result, by n and the sum of all numbers.
ADDED: tuple[tuple[str, Callable[[int, float], float], str], ...] = (
    ("the sum of all numbers", lambda n, s: s, GOES_ON),
    ("the sum of all numbers divided by n", lambda n, s: s / n, GOES_ON),
    ("the sum of all numbers divided by n - 1", lambda n, s: s / (n - 1), GOES_ON),
    ("the mean times itself", lambda n, s: (s / n) ** 2, NOT_TAKEN_OFF),
    (
        "the mean times itself, times n / (n - 1)",
        lambda n, s: s * s / n / (n - 1),
        NOT_TAKEN_OFF,
    ),
)


@dataclass(frozen=True)
class _Total:
    """One number that came out of elements x [n], float64, and what is right."""

    x: torch.Tensor
    right: float
    got: float

    @property
    def n(self) -> int:
        return len(self.x)


def another_count(experiment: Experiment) -> Diagnosis | None:
    """Test whether each result is off by one factor that depends on n, as (n - 1) / n."""
    told, near = experiment.failure.diagnosis, _rounding(experiment)
    if (told.specific and not told.nearly) or not near:
        return None
    totals = sorted(_finite(experiment, arrays=2), key=lambda one: one.n)
    totals = [one for one in totals if one.n > 1 and one.right]
    for words, function in INSTEAD:
        off = {one.right for one in totals if abs(function(one.right) / one.right - 1) > NEXT}
        made = ((one.got, function(one.right)) for one in totals)
        if len(off) >= LEAST and all(abs(a - b) <= near * abs(b) for a, b in made):
            return Diagnosis(f"each result is {words}: is the formula another one?")
    for words, factor, why in FACTORS:
        sizes = {one.n for one in totals if abs(factor(one.n) - 1) > FAR * near}
        made = ((one.got, factor(one.n) * one.right) for one in totals)
        if len(sizes) >= LEAST and all(abs(a - b) <= near * abs(b) for a, b in made):
            return Diagnosis(
                f"each result of n numbers is the right one times {words}: {why} Or is the "
                "formula another one?"
            )
    return _of_rounded_count(totals, near) or _one_factor(totals, near)


def _of_rounded_count(totals: list[_Total], near: float) -> Diagnosis | None:
    """Test whether a mean is divided by n rounded up to a multiple, as of blocks and threads.

    Of more numbers than a grid has threads the count may be another one.
    """
    for width in WIDTHS:
        told, sizes = [], set()
        for one in totals:
            factor = one.n / (-(-one.n // width) * width)
            if abs(one.got - factor * one.right) > near * abs(factor * one.right):
                break
            told.append(one)
            if abs(factor - 1) > FAR * near:
                sizes.add(one.n)
        left = totals[len(told) :]
        if len(sizes) < LEAST or any(one.n <= max(sizes) for one in left):
            continue
        return Diagnosis(
            f"each result of n numbers is the right one times n / m, where m is the next "
            f"multiple of {width:,}: is the formula another one, which divides by the threads "
            "or the elements of whole blocks? Divide by n"
        )
    return None


def _one_factor(totals: list[_Total], near: float) -> Diagnosis | None:
    """Test whether each result of numbers that are not all 0 is the right one times a number.

    Not of a whole one, which may come of numbers that are counted so often.
    """
    some = [one for one in totals if bool(one.x.any())]
    if not all(one.right and math.isfinite(one.got / one.right) for one in some):
        return None
    factors = sorted(one.got / one.right for one in some)
    if len({one.right for one in some}) < LEAST or len({one.n for one in some}) < LEAST:
        return None
    factor, spread = factors[len(factors) // 2], factors[-1] - factors[0]
    if not factor or spread > 2 * near * abs(factor) or abs(factor - 1) < FAR * near:
        return None
    if abs(factor - round(factor)) < FAR * near:
        return None
    return Diagnosis(
        f"each result is the right one times {factor:.5g}: is the formula another one, or a "
        "number in it (a factor, a divisor)?"
    )


def starts_with_a_number(experiment: Experiment) -> Diagnosis | None:
    """Look whether all wrong results of sums and products are off by the same number.

    Of one case that may be so by chance: a few small whole numbers may add up to anything, and
    results that are all alike are off by a factor as well. Of an operator on each element it is
    a number of its formula.
    """
    told = experiment.failure.diagnosis
    if experiment.failure.fault or (told.specific and not told.tail) or _is_on_each(experiment):
        return None
    offs, rights, found = [], [], 0
    for case in (experiment.case, *itertools.islice(experiment.following, NEXT_CASES)):
        if not isinstance(case, Case) or sum(x.numel() for x in case.inputs) > MOST:
            continue
        if not all(bool(x.isfinite().all()) for x in case.expected):
            continue
        if case is not experiment.case:
            failure = run_case(experiment.launcher, case, experiment.how)
            if failure is None or failure.fault:
                continue
            if failure.diagnosis.tail and told.tail:
                return None
        if (off := _off(experiment, case)) is None:
            return None
        offs.append(off[0])
        rights.append(off[1])
        if (found := found + 1) > LEAST:
            break
    if found <= LEAST:
        return None
    by = torch.cat(offs)
    if len(by.unique()) > 1 or not by[0] or len(torch.cat(rights).unique()) < LEAST:
        return None
    return Diagnosis(wrong_sums.off_by(float(by[0])))


def _is_on_each(experiment: Experiment) -> bool:
    """Test whether an output is made of an input's elements, or of places, one each."""
    case = experiment.case
    if case.reference is not None or not case.inputs:
        return True
    if any(x.is_floating_point() for x in case.inputs) and not case.dtypes[0].is_floating_point:
        return True  # a place, or a count
    return any(
        x.numel() == y.numel() > 1 for x, y in itertools.product(case.inputs, case.expected)
    )


def _off(experiment: Experiment, case: Case) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Return by how much elements of the first wrong output are off, and what is right."""
    if (got := influence.launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    for k, (y, dtype, right) in enumerate(zip(got, case.dtypes, case.expected, strict=True)):
        made, right = y.view(dtype).reshape(-1), right.reshape(-1)
        wrong = ~case.right(k, made)
        if dtype is not torch.bool and bool(wrong.any()):
            return (made.double() - right)[wrong], right[wrong].double()
    return None


def another_sum(experiment: Experiment) -> Diagnosis | None:
    """Test whether each result, which is no sum, is off by a sum of all numbers."""
    told, near = experiment.failure.diagnosis, _rounding(experiment)
    if (told.specific and not told.nearly) or not near:
        return None
    totals = [one for one in _finite(experiment) if one.n > 1]
    for words, added, why in ADDED:
        explained = set()
        for one in totals:
            by = added(one.n, float(one.x.sum()))
            limit = near * (abs(one.right) + abs(one.got) + abs(by))
            if abs(one.got - one.right - by) > limit:
                break
            if abs(by) > FAR * limit and abs(by - one.right) > FAR * limit:
                explained.add(by)
        else:
            if len(explained) >= LEAST:
                return Diagnosis(f"each result of n numbers is off by {words}: {why}")
    return None


def amounts_of_sums(experiment: Experiment) -> Diagnosis | None:
    """For a sum of amounts: are numbers of both signs added up before the amount is taken?

    Of all of them, or in groups, as of a thread, a warp or a block.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or case.reference is not None or not _is_of_array(case):
        return None
    x, right = case.inputs[0].double(), float(case.expected[0])
    if not case.inputs[0].is_floating_point() or float(x.abs().sum()) != right:
        return None
    if (told.specific and not told.zeros) or not bool((x < 0).any()):
        return None
    generator = torch.Generator().manual_seed(4)
    numbers = torch.randint(-50, 51, (ASKED,), generator=generator)
    made = influence.launched(experiment.launcher, case, [numbers.to(case.inputs[0].dtype)])
    got = float(made[0].view(case.dtypes[0])) if made else math.nan
    for width in (ASKED, *WIDTHS):
        sums = torch.stack([part.sum() for part in numbers.split(width)])
        if got == float(sums.abs().sum()):
            of = "all numbers" if width == ASKED else f"{width} numbers each"
            return Diagnosis(
                f"the amount of the sum of {of} comes out, not the sum of their amounts: is "
                "fabsf taken of what is added up, in the place of each number, so that the "
                "formula is another one?"
            )
    return None


def compared_by_size(experiment: Experiment) -> Diagnosis | None:
    """For the largest or smallest number: test whether that of some size always comes out."""
    failure = experiment.failure
    if failure.diagnosis.specific or failure.fault or failure.refused:
        return None
    known = (experiment.case, *itertools.islice(experiment.following, CASES))
    ends: set[str] | None = None
    told: set[str] | None = None
    differ = 0
    for case in (x for x in known if isinstance(x, Case) and _is_of_array(x)):
        x, right = case.inputs[0].double(), float(case.expected[0])
        made = influence.launched(experiment.launcher, case, list(case.inputs))
        if made is None or not bool(x.isfinite().all()) or not math.isfinite(right):
            return None
        got = float(made[0].view(case.dtypes[0]))
        its = {"largest": float(x.amax()), "smallest": float(x.amin())}
        sizes = {"largest": float(x.abs().amax()), "smallest": float(x.abs().amin())}
        found = {name for name, end in its.items() if end == right}
        of_size = {name for name, end in sizes.items() if end == abs(got)}
        ends = found if ends is None else ends & found
        told = of_size if told is None else told & of_size
        if not ends or not told or not bool((x == got).any() | (x.abs() == got).any()):
            return None
        differ += got != right
        if differ == LEAST and len(ends) == len(told) == 1:
            return Diagnosis(
                f"the number of the {told.pop()} size comes out, and not the {ends.pop()} one: "
                "are absolute values compared (fabsf), by another function?"
            )
    return None


def _is_of_array(case: Case) -> bool:
    """Test whether one number is made of an array of several, of a size that is soon tried."""
    if len(case.inputs) != 1 or len(case.expected) != 1 or case.size != 1:
        return False
    return case.inputs[0].dim() == 1 and 1 < case.inputs[0].numel() <= MOST


def always_too_large(experiment: Experiment) -> Diagnosis | None:
    """Test whether results that are nearly right are all too large, as of no rounding.

    A sum that loses digits errs in both directions, or, of positive numbers, downwards.
    """
    told, near = experiment.failure.diagnosis, _rounding(experiment)
    if not told.nearly or not near:
        return None
    totals = [one for one in _finite(experiment) if one.n > 1 and one.right]
    off = [one.got / one.right - 1 for one in totals if one.got != one.right]
    some = [by for by in off if by > NEXT]
    if len(some) < MANY_TOTALS or min(off) < -FAR * near:
        return None
    return Diagnosis(
        f"{len(some):,} of {len(totals):,} results are too large, up to {1 + max(some):.3g} "
        "times the right one, and none is too small: rounding errs in both directions, so is "
        "the formula another one (a term, a count)?"
    )


def counted_often_in_a_mean(experiment: Experiment) -> Diagnosis | None:
    """Test whether some elements of a weighted mean count more often than others.

    Each is asked for alone, with weights that are all 1.
    """
    case = experiment.case
    if experiment.failure.fault or len(case.inputs) != 2 or not _is_total(case, arrays=2):
        return None
    if (which := _weights_of_a_mean(experiment)) is None:
        return None
    n = case.inputs[0].numel()
    places, counts = _places(n), []
    for place in places:
        inputs = [torch.zeros_like(case.inputs[0]), torch.ones_like(case.inputs[1])]
        if which == 0:
            inputs = [torch.ones_like(case.inputs[0]), torch.zeros_like(case.inputs[1])]
        inputs[1 - which].view(-1)[place] = 1
        if (got := influence.launched(experiment.launcher, case, inputs)) is None:
            return None
        counts.append(float(got[0].view(case.dtypes[0]).double()))
    often = _often(places, counts)
    return Diagnosis(f"in the weighted mean, {often}") if often else None


def counted_often(experiment: Experiment) -> Diagnosis | None:
    """Test whether some elements of a number that is made of all count more often than others.

    Or with the other sign. Of whatever formula: the same numbers stand at one place after the
    other, zeros elsewhere, or ones, where nothing comes out of zeros.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    arrays = len(case.inputs)
    if experiment.failure.fault or (told.specific and not told.nearly):
        return None
    if not arrays or not _is_total(case, arrays=arrays) or case.inputs[0].numel() < LEAST:
        return None
    flat = [x.reshape(-1) for x in case.inputs]
    if not all(x.is_floating_point() and bool(x.isfinite().all()) for x in flat):
        return None
    for base in (0, 1):
        alike = [torch.full_like(x, base) for x in case.inputs]
        if (nothing := influence.launched(experiment.launcher, case, alike)) is None:
            return None
        least = float(nothing[0].view(case.dtypes[0]).double())
        if math.isfinite(least):
            break
    largest = int(torch.stack([x.double() for x in flat]).abs().sum(dim=0).argmax())
    places, counts = _places(len(flat[0])), []
    for place in places:
        inputs = [torch.full_like(x, base) for x in case.inputs]
        for one, x in zip(inputs, flat, strict=True):
            one.view(-1)[place] = x[largest]
        if (got := influence.launched(experiment.launcher, case, inputs)) is None:
            return None
        counts.append(float(got[0].view(case.dtypes[0]).double()) - least)
    if max(counts) <= 0:
        counts = [-count for count in counts]
    often = _often(places, counts) or _subtracted(places, counts)
    return Diagnosis(often) if often else None


def _places(n: int) -> list[int]:
    """Return the places of n elements that are asked for."""
    return sorted({n // 2, n - 1, *(1 << k for k in range(n.bit_length() - 1)), 0})


def _often(places: list[int], counts: list[float]) -> str:
    """Say that an element counts several times what another does; "" if not."""
    least = min(counts)
    if not 0 < least < math.inf or not all(map(math.isfinite, counts)):
        return ""
    times = [count / least for count in counts]
    if any(abs(one - round(one)) > NEXT * one for one in times) or max(times) < 1.5:
        return ""
    often, once = (places[times.index(one)] for one in (max(times), min(times)))
    many = "twice" if round(max(times)) == 2 else f"{round(max(times)):,} times"
    return (
        f"element {often:,} counts {many} as often as element {once:,}: is it added more than "
        "once? The step of a grid-stride loop is gridDim.x * blockDim.x"
    )


def _subtracted(places: list[int], counts: list[float]) -> str:
    """Say that elements count as much as others, with the other sign; "" if not."""
    least, most = min(counts), max(counts)
    if not -math.inf < least < 0 or any(
        abs(abs(count) - most) > NEXT * most for count in (least, *counts)
    ):
        return ""
    other = next(at for at, count in zip(places, counts, strict=True) if count * counts[0] < 0)
    return (
        f"element {other:,} counts as much as element {places[0]:,}, but with the other sign: "
        "is one of them subtracted, where it must be added?"
    )


def _weights_of_a_mean(experiment: Experiment) -> int | None:
    """Return which input has the weights, if what is right are means weighted by it."""
    cases = [one for one in (experiment.case, *experiment.passed) if len(one.inputs) == 2]
    cases = [one for one in cases if _is_total(one, arrays=2)]
    told = [
        [x.reshape(-1).double() for x in one.inputs] + [one.expected[0].reshape(-1).double()]
        for one in cases[:CASES]
    ]
    for which in (1, 0):
        means = [((a * b).sum() / (a, b)[which].sum(), right) for a, b, right in told]
        near = [torch.allclose(mean, right, rtol=NEXT) for mean, right in means]
        if len(near) >= LEAST and all(near):
            return which
    return None


def quotient_of_integers(experiment: Experiment) -> Diagnosis | None:
    """Test whether means are right of one number, and 0 of more: 1 / n is so, of integers."""
    case = experiment.case
    if not experiment.failure.diagnosis.zeros or case.reference is not None:
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    others = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    means = [x for x in (case, *others[:CASES]) if _are_means(x)]
    single = [x for x in means if x.inputs[0].shape[-1] == 1]
    if not means or means[0] is not case or not any(bool(x.expected[0].any()) for x in single):
        return None
    for one in means:
        if (got := influence.launched(experiment.launcher, one, list(one.inputs))) is None:
            return None
        got = got[0].view(one.dtypes[0]).double()
        wanted = one.wanted[0].double() if one.inputs[0].shape[-1] == 1 else 0 * got
        if not torch.equal(got.reshape(-1), wanted.reshape(-1)):
            return None
    return Diagnosis(
        "the mean of one number is right, and that of more is 0: is 1 / n a division of "
        "integers, which is truncated? Divide by n, or by a float"
    )


def _are_means(case: Case) -> bool:
    """Test whether what is right are the means of an array, or of the rows of a matrix."""
    x = case.inputs[0].double() if len(case.inputs) == 1 else torch.zeros(())
    if not x.dim() or not x.numel() or len(case.expected) > 1 or not x.isfinite().all():
        return False
    means = x.mean(-1).reshape(-1)
    right = case.expected[0].reshape(-1)
    return means.shape == right.shape and torch.allclose(means, right, rtol=1e-9)


def of_no_size(experiment: Experiment) -> Diagnosis | None:
    """For the largest absolute value: ask for numbers of one sign, which have the same.

    If it is right of positive ones, and of negative ones the largest comes out, or 0, or what
    else a search starts with, the absolute values are not taken.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if told.specific and not (told.special or told.nearly or told.zeros):
        return None
    if case.function is not None or case.reference is not None or not _is_total(case):
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    known = [x for x in (case, *experiment.passed, *following) if isinstance(x, Case)]
    some = [x for x in known if _is_size(x)]
    if len(some) < LEAST or not any(float(x.inputs[0].max()) < x.expected[0] for x in some):
        return None  # the largest number may be right as well
    for one in some[:CASES]:
        x = one.inputs[0].abs()
        if not experiment.right(replace(one, inputs=(x,))):
            return None
        got = influence.launched(experiment.launcher, one, [-x])
        if got is None:
            return None
        if float(got[0].view(one.dtypes[0]).double()) > max(0.0, -float(x.min())):
            return None
    return Diagnosis(
        "right where all numbers are positive, and where they are negative it is not the "
        "largest absolute value that comes out: is the sign never dropped (fabsf), or is the "
        "formula another one?"
    )


def _is_size(case: Case) -> bool:
    """Test whether the largest absolute value of several numbers, none of them 0, is right."""
    if not _is_total(case) or not case.inputs[0].is_floating_point():
        return False
    sizes = case.inputs[0].double().abs()
    usual = bool(sizes.isfinite().all()) and len(sizes) >= LEAST and bool(sizes.all())
    return usual and float(sizes.max()) == float(case.expected[0])


def start_value(experiment: Experiment) -> Diagnosis | None:
    """Find a number that comes out of a search for the largest element, and is none of them.

    Or for the smallest one; of an array, or of each row. Where it does not come out, there are
    elements beyond it.
    """
    case = experiment.case
    if case.function is not None or case.reference is not None:
        return None
    totals = _totals(experiment)
    first = next(totals, None)
    if first and bool((first.x == first.got).any()):
        return None  # of most failures no further case need be launched
    totals = [first, *totals] if first else list(_of_rows(experiment))
    wrong = [one for one in totals if one.got != one.right]
    values = {one.got for one in wrong}
    if len(values) != 1 or len({(one.n, float(one.x.sum())) for one in wrong}) < 2:
        return None
    (value,) = values
    if not first and any(bool((one.x == value).any()) for one in totals):
        return None  # a number of another row
    told = experiment.failure.diagnosis
    if not math.isfinite(value) or (not value and not (told.special or told.zeros)):
        return None
    if told.zeros and not any(one.got == one.right != 0 for one in totals):
        return None  # 0 comes out of all
    for (end, sign, start), (of, key) in itertools.product(
        (("largest", 1, "-INFINITY"), ("smallest", -1, "INFINITY")),
        (("number", torch.clone), ("absolute value", torch.abs)),
    ):
        ends = [float((sign * key(one.x)).max()) for one in totals]
        if all(
            sign * one.right == most and (one.got == one.right) == (sign * value <= most)
            for one, most in zip(totals, ends, strict=True)
        ):
            side = "less" if sign > 0 else "more"
            start = "0" if key is torch.abs and sign > 0 else start
            floats = f", or with {start}" * case.dtypes[0].is_floating_point
            return Diagnosis(
                f"{_number(value, case.dtypes[0])} comes out as the {end} {of} where all are "
                f"{side} than that: does the search start with it? Start with the first element"
                f"{floats}"
            )
    return None


def cut_to_an_integer(experiment: Experiment) -> Diagnosis | None:
    """For the largest or smallest number: test whether 0 comes out as the fraction is cut.

    Of the same numbers times a power of two there comes out a whole one, or the bits of it.
    """
    case = experiment.case
    if not experiment.failure.diagnosis.zeros or not _is_total(case):
        return None
    x, dtype = case.inputs[0].double(), case.dtypes[0]
    right = abs(float(case.expected[0]))
    if not dtype.is_floating_point or not 0 < right < 1 or right not in x.abs():
        return None
    bits, kinds = INTEGERS.get(dtype.itemsize), set()
    for bound in SCALED:
        factor = 2.0 ** (math.floor(math.log2(bound / right)))
        got = influence.launched(experiment.launcher, case, [case.inputs[0] * factor])
        whole = math.trunc(float(case.expected[0]) * factor)
        if got is None or not whole:
            return None
        made = got[0].view(dtype)
        of_bits = bits is not None and int(made.view(bits)) == whole
        kinds.add("bits" if of_bits else "number" if float(made.double()) == whole else "")
    if len(kinds) > 1 or "" in kinds:
        return None
    comes = "a whole number's bits" if "bits" in kinds else "a whole number"
    meant = ", where its bits are meant (__float_as_int(x))" * ("bits" in kinds)
    return Diagnosis(
        f"0 comes out of numbers below 1, and of larger ones {comes}: is a number converted to "
        f"an integer on the way ((int)x), which truncates it{meant}?"
    )


def place_in_an_int(experiment: Experiment) -> Diagnosis | None:
    """Say of a place of -1 that it is left of the largest int64_t, if the code has that."""
    none = NO_PLACE.format(-1)
    if not experiment.failure.diagnosis.sentence.startswith(none):
        return None
    if not LARGEST_PLACE.search(reachable.code(experiment.launcher)):
        return None
    return Diagnosis(
        f"{none}: -1 is left in an int, of 32 bits, of the largest int64_t, with which the "
        "search starts. Is a place held, cast or shuffled as an int, which is too narrow? "
        "There the first element must win"
    )


def _number(value: float, dtype: torch.dtype) -> str:
    """Write a start value, and where it may come from."""
    if dtype.is_floating_point:
        limits = torch.finfo(torch.float32)
        name = " (FLT_MIN, which is positive)" * (value == limits.tiny)
        name += f" ({'-' * (value < 0)}FLT_MAX)" * (abs(value) == limits.max)
        return f"{value:.8g}{name}"
    bytes_ = int(value).to_bytes(dtype.itemsize, "little", signed=value < 0)
    same = value != 0 and len(bytes_) > 1 and len(set(bytes_)) == 1
    return f"{int(value)}{f' (0x{bytes_.hex()}, as cudaMemset makes it)' * same}"


def _rounding(experiment: Experiment) -> float:
    """Return what rounding may amount to, relative; 0 for what is no float."""
    dtype = experiment.case.dtypes[0]
    if not dtype.is_floating_point:
        return 0.0
    return ROUNDING.get(dtype.itemsize, 0) * torch.finfo(dtype).eps


def _totals(experiment: Experiment, arrays: int = 1) -> Iterator[_Total]:
    """Yield what comes out of the case and others, where one number is made of an array.

    arrays: of how many of one length it may be made; a total knows the first of them.
    """
    case = experiment.case
    if not _is_total(case, arrays) or experiment.failure.fault or experiment.failure.refused:
        return
    following = itertools.islice(experiment.following, NEXT_CASES)
    passed, ahead = (
        [x for x in some if isinstance(x, Case) and _is_total(x, arrays)]
        for some in (experiment.passed, following)
    )
    others = [*passed[: CASES // 2], *ahead, *passed[CASES // 2 :]]  # what goes wrong, too
    alike = [x for x in others if x.arguments == case.arguments]
    which = None
    for one in (case, *alike[:CASES]):
        got = influence.launched(experiment.launcher, one, list(one.inputs))
        if got is None:
            return
        made = [y.view(dtype) for y, dtype in zip(got, one.dtypes, strict=True)]
        if which is None:  # of several outputs the first that is wrong
            wrong = (k for k, y in enumerate(made) if not bool(one.right(k, y).all()))
            which = next(wrong, 0)
        x, right = one.inputs[0].double(), float(one.expected[which])
        if not any(math.isnan(float(x.double().sum())) for x in one.inputs):
            yield _Total(x, right, float(made[which].double()))


def _finite(experiment: Experiment, arrays: int = 1) -> list[_Total]:
    """List totals of finite numbers that are finite themselves."""
    totals = _totals(experiment, arrays)
    return [one for one in totals if math.isfinite(one.right) and one.x.isfinite().all()]


def _is_total(case: Case, arrays: int = 1) -> bool:
    alike = 1 <= len(case.inputs) <= arrays and len({x.shape for x in case.inputs}) == 1
    x = case.inputs[0] if alike else torch.zeros(())
    known = case.function is not None or case.reference is not None
    return not known and case.size == 1 and x.dim() == 1 and 0 < x.numel() <= MOST


def _of_rows(experiment: Experiment) -> Iterator[_Total]:
    """Yield what comes out of each row of a matrix, where that is one number."""
    case = experiment.case
    x, right = case.inputs[0] if len(case.inputs) == 1 else torch.zeros(()), case.expected[0]
    if experiment.failure.fault or experiment.failure.refused or len(case.expected) > 1:
        return
    if x.dim() != 2 or not 0 < x.numel() <= MOST or right.shape != x.shape[:1]:
        return
    if not bool(x.double().isfinite().all()):
        return
    if (got := influence.launched(experiment.launcher, case, list(case.inputs))) is not None:
        numbers = got[0].view(case.dtypes[0]).double()
        for row, one, made in zip(x.double(), right, numbers, strict=True):
            yield _Total(row, float(one), float(made))
