"""Find out whether a difference overflows, or has too few digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.model.launch_shape import MOST_THREADS
from helpers.specs import WARP_SIZE
from helpers.testing import reachable
from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.mismatch import SEVERAL, Diagnosis, are_among, of_columns
from helpers.testing.patterns import wrong_norms, wrong_numbers
from helpers.testing.probes.influence import launched

# Is it the largest that should be found?
_WITHOUT_SIGN = {
    largest: (
        f"right only for numbers that are all {own}; of both signs a {own} one comes out as "
        f"the {end}: are they compared without their signs, as unsigned, where -1 is the "
        "largest of all? Compare them in their own type"
    )
    for largest, own, end in ((True, "negative", "largest"), (False, "positive", "smallest"))
}
GROUPS = 4  # of threads, in turn with numbers above 0 and below
FEW_NUMBERS = 100  # that each integer type holds
IN_A_FLOAT = 1 << 24  # up to which float32 holds each whole number
MOST_OF_ROWS = 1 << 17  # elements
NEARLY = 2.0**-10  # relative
MOVED = 2.0**-6  # of the spread of a row
TIMES_FARTHER = 32  # from 0 than from their mean: their squares lose five digits and more
_WIDE = (torch.float32, torch.float64)
LARGER = (2.0**10, 2.0**20)  # times, from where on the epsilon of a norm makes no difference
# A logarithm, or a division by what is no whole number (in a kernel's text).
_MAKES_INFINITY = re.compile(r"\blog|\bpow|rcp|fdivide|/(?!=?\s*(?:\d+|[A-Z_]+)\b(?!\.))")


def differences_without_a_place(experiment: Experiment) -> Diagnosis | None:
    """Halve integers that lie farther apart than their type holds: are they compared then?

    For what chooses one of them, its place or their order: halves stay in theirs, so that what
    is right of them follows.
    """
    case = experiment.case
    if experiment.failure.fault or not case.inputs:
        return None
    dtype = case.inputs[0].dtype
    if not _is_signed(dtype):
        return None
    if any(x.dtype is not dtype or not x.numel() for x in case.inputs):
        return None
    least = min(int(x.min()) for x in case.inputs)
    most = max(int(x.max()) for x in case.inputs)
    if most - least <= torch.iinfo(dtype).max:
        return None
    inputs = tuple(x >> 1 for x in case.inputs)
    for right in _of_halves(case, inputs):
        halved = replace(case, inputs=inputs, expected=(right,), function=None)
        if experiment.right(halved):
            return Diagnosis(
                "right with the same numbers halved, and wrong where some lie 2^"
                f"{torch.iinfo(dtype).bits - 1} apart, or farther: does a difference wrap "
                "around by which they are compared, as in a - b > 0? Compare them themselves, "
                "a > b"
            )
    return None


def _of_halves(case: Case, halves: tuple[torch.Tensor, ...]) -> Iterator[torch.Tensor]:
    """Yield what may be right of the halves of a case's numbers, if it chooses among them."""
    right = case.expected[0]
    if len(case.expected) != 1 or not bool(right.isfinite().all()):
        return
    if case.reference is not None:
        among = [(x.reshape(-1) == right.reshape(-1)) for x in case.inputs]
        if case.dtypes[0] is torch.bool or bool(torch.stack(among).any(dim=0).all()):
            yield case.reference(*[x.double() for x in halves])
        return
    if len(halves) > 1:
        return
    x = case.inputs[0]
    if are_among(right, x):
        yield (right / 2).floor()
    rows = halves[0].reshape(-1, x.shape[-1])
    ends = torch.stack([rows.amin(dim=1), rows.amax(dim=1)])
    alone = (rows == ends[:, :, None]).sum(dim=2) == 1
    if right.numel() == len(rows) and bool(alone.all()):
        yield right


def start_far_below(experiment: Experiment) -> Diagnosis | None:
    """Move integers of which the largest is found below 0, and above: where are they right?

    One that loses above 0, and not below, loses against the least integer. Likewise for the
    smallest. A start that is merely too high shows on the other side.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None or len(case.inputs) != 1:
        return None
    x = case.inputs[0]
    if not _is_signed(x.dtype) or len(case.expected) != 1 or x.numel() < 2 * case.size:
        return None  # of one number the largest is the smallest, too
    if not x.numel():
        return None
    bits, least = torch.iinfo(x.dtype).bits, int(x.min())
    cut = max(0, (int(x.max()) - least).bit_length() - (bits - 3))
    low = (x >> cut) - (least >> cut)
    for largest in (True, False):
        if not _finds(case, x, largest):
            continue
        below, above = (
            replace(case, inputs=(moved,), expected=(_found(case, moved, largest),))
            for moved in (low - (1 << bits - 2), low + (1 << bits - 2))
        )
        good, bad = (below, above) if largest else (above, below)
        if not _finds(good, good.inputs[0], largest) or not experiment.right(good):
            continue
        if not experiment.right(bad):
            other_wins = _takes_the_other_sign(experiment, low, largest)
            if other_wins or _takes_it_of_warps(experiment, largest):
                return Diagnosis(_WITHOUT_SIGN[largest])
            side, other = ("negative", "positive") if largest else ("positive", "negative")
            start = "least" if largest else "largest"
            return Diagnosis(
                f"right where the same numbers are moved so that all are {side}, and wrong "
                f"where all are {other}: does a search start with the {start} integer, and "
                "compare by a difference, a - b > 0, which overflows, or the bits of the "
                "numbers as those of unsigned ones? Compare the numbers themselves, a > b"
            )
    return None


def _takes_the_other_sign(experiment: Experiment, low: torch.Tensor, largest: bool) -> bool:
    """Test whether, of numbers of both signs, those of one sign win: unsigned, they are larger.

    For what finds the largest of each row, or the smallest, and not its place. low: numbers
    from 0 on.
    """
    rows = low - ((int(low.max()) + 1) >> 1)
    of_sign, limits = rows < 0 if largest else rows >= 0, torch.iinfo(rows.dtype)
    if not bool((of_sign.any(dim=-1) & ~of_sign.all(dim=-1)).all()):
        return False
    case, of = experiment.case, torch.amax if largest else torch.amin
    right = case.expected[0]

    def end(x: torch.Tensor) -> torch.Tensor:
        return of(x.reshape(right.numel(), -1), 1).double().reshape(right.shape)

    if not torch.equal(end(case.inputs[0]), right):
        return False
    alone = torch.where(of_sign, rows, limits.min if largest else limits.max)
    return experiment.right(replace(case, inputs=(rows,), expected=(end(alone),)))


def _takes_it_of_warps(experiment: Experiment, largest: bool) -> bool:
    """Test the same of an array in which all numbers of a warp, or of a block, have one sign.

    Their threads may compare with the sign, and what they hand on be compared without.
    """
    case = experiment.case
    x, of = case.inputs[0], torch.amax if largest else torch.amin
    if x.dim() != 1 or not torch.equal(of(x, 0).double(), case.expected[0].squeeze()):
        return False
    for width in (WARP_SIZE, MOST_THREADS):
        numbers = 1 + torch.arange(GROUPS * width) % FEW_NUMBERS
        negative = (torch.arange(len(numbers)) // width) % 2 == 1
        numbers = torch.where(negative, -numbers, numbers)
        won = of(numbers[negative] if largest else numbers[~negative], 0)
        right = won.double().reshape(case.expected[0].shape)
        made = replace(case, inputs=(numbers.to(x.dtype),), expected=(right,))
        if experiment.right(made):
            return True
    return False


def _is_signed(dtype: torch.dtype) -> bool:
    whole = not dtype.is_floating_point and dtype is not torch.bool
    return whole and torch.iinfo(dtype).min < 0


def _finds(case: Case, x: torch.Tensor, largest: bool) -> bool:
    """Test whether what is right is the largest number of each row of x, or its place."""
    rows = x.reshape(-1, x.shape[-1])
    right = case.expected[0].reshape(-1)
    if right.numel() not in (1, len(rows)):
        return False
    rows = rows.reshape(right.numel(), -1)
    end = rows.amax(dim=1) if largest else rows.amin(dim=1)
    if torch.equal(end.double(), right):
        return True
    alone = (rows == end[:, None]).sum(dim=1) == 1
    place = (rows == end[:, None]).double().argmax(dim=1)
    return bool(alone.all()) and torch.equal(place.double(), right)


def _found(case: Case, moved: torch.Tensor, largest: bool) -> torch.Tensor:
    """Return what is right of moved numbers: their places stay, values do not."""
    x, right = case.inputs[0], case.expected[0]
    of = torch.amax if largest else torch.amin
    values = [of(y.reshape(right.numel(), -1), 1).double() for y in (x, moved)]
    return (
        values[1].reshape(right.shape) if torch.equal(values[0], right.reshape(-1)) else right
    )


def far_from_0(experiment: Experiment) -> Diagnosis | None:
    """Normalise rows, or columns, that are far from 0 with their distance from it taken off.

    That changes nothing of what is right, and a variance that is a difference of two large
    numbers comes out with all its digits. Rows of an input, or of the sum of two, which may be
    an output, too.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None or not case.inputs:
        return None
    like = [k for k, x in enumerate(case.inputs) if x.shape == case.expected[0].shape]
    if len(like) not in (1, 2) or not all(x.is_floating_point() for x in case.inputs):
        return None
    total = sum(case.inputs[k].double() for k in like)
    if total.dim() < 2 or not 0 < total.numel() <= MOST_OF_ROWS:
        return None
    if not bool(total.isfinite().all()):
        return None
    by_rows = _right_near_0(experiment, like, total, -1)
    if by_rows or total.dim() != 2 or (total.shape[1] == 1 and len(total) < SEVERAL):
        return Diagnosis(by_rows) if by_rows else None
    by_columns = _right_near_0(experiment, like, total, 0)
    return Diagnosis(of_columns(by_columns)) if by_columns else None


def _right_near_0(
    experiment: Experiment, like: list[int], total: torch.Tensor, dim: int
) -> str | None:
    """Say that all is right if a level is taken off each row, or each column (of dim 0)."""
    case, launcher = experiment.case, experiment.launcher
    level = total.mean(dim, keepdim=True).round()
    farther = level.abs() > TIMES_FARTHER * (total - level).abs().amax(dim, keepdim=True)
    if not bool(farther.any()):
        return None
    known = [k for k, y in enumerate(case.expected) if _is_normalised(case, y, total, dim)]
    near, left = list(case.inputs), level
    for k in like:
        by = left if k == like[-1] else (left / 2).round()
        near[k], left = (case.inputs[k].double() - by).to(case.inputs[k].dtype), left - by
        if not torch.equal(near[k].double() + by, case.inputs[k].double()):
            return None
    which = known[0] if known else 0
    if not known and not _keeps_no_scale(experiment, like, near):
        return None
    for inputs, is_right in ((list(case.inputs), False), (near, True)):
        got = launched(launcher, case, inputs)
        if got is None:
            return None
        values = got[which].view(case.dtypes[which]).reshape(-1)
        if bool(case.right(which, values).all()) is not is_right:
            return None
        if not is_right:
            made = values.double().reshape(total.shape)
            lost = ~values.double().isfinite() & case.expected[which].reshape(-1).isfinite()
    far = float(level.flatten()[int(level.abs().argmax())])
    if bool(lost.any()):
        return (
            f"right if a whole number near its mean ({far:,.0f} in one row) is taken off each "
            "row, which changes nothing of what is right, and else infinity or NaN comes out: "
            "does an exponential, or a sum of squares, overflow, of numbers from which the "
            "largest of their row, or its mean, is not taken off first?"
        )
    if len(case.inputs) == 1 and _has_another_mean(made, case.expected[which], dim):
        return (
            f"right if a whole number near its mean ({far:,.0f} in one row) is taken off each "
            "row, which changes nothing of what is right, and else a mean is another one: is "
            "the sum of a row added up, or its mean held, in a type of too little precision, "
            "as float16 is?"
        )
    return (
        f"right if a whole number near its mean ({far:,.0f} in one row) is taken off each row, "
        "which changes nothing of what is right: is the variance a difference of two large "
        "numbers, the mean of x * x less mean * mean? A float has too little precision for "
        "that: take the mean off first, and multiply what is left with itself"
    )


def _has_another_mean(made: torch.Tensor, right: torch.Tensor, dim: int) -> bool:
    """Test whether a row is not only scaled, but moved, beside how far its numbers spread."""
    right = right.double().reshape(made.shape)
    moved = (made.mean(dim) - right.mean(dim)).abs()
    return bool((moved > MOVED * (right - right.mean(dim, keepdim=True)).abs().amax(dim)).any())


def integers_far_from_0(experiment: Experiment) -> Diagnosis | None:
    """Take as much off large integers, and off those they are compared with, as lies between.

    That changes nothing of what is right of a count, or a place, and a float holds them then.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or case.reference is not None or not case.inputs:
        return None
    if told.specific and not told.zeros:
        return None
    if any(x.dtype not in (torch.int32, torch.int64) for x in case.inputs):
        return None
    numbers = torch.cat([x.reshape(-1) for x in case.inputs]).double()
    if not numbers.numel():
        return None
    level = int(numbers.mean())
    scalars = {k: v for k, v in case.arguments.items() if isinstance(v, int)}
    scalars = {k: v for k, v in scalars.items() if abs(v) > IN_A_FLOAT}
    if float((numbers - level).abs().max()) > IN_A_FLOAT or abs(level) <= IN_A_FLOAT:
        return None
    near = replace(
        case,
        inputs=tuple(x - level for x in case.inputs),
        arguments={**case.arguments, **{k: v - level for k, v in scalars.items()}},
    )
    if not experiment.right(near):
        return None
    return Diagnosis(
        f"right if {level:,} is taken off each number, which changes nothing of what is right: "
        "are such large numbers compared in too low a precision, as floats, which are exact "
        "only up to 16,777,216?"
    )


def _keeps_no_scale(experiment: Experiment, like: list[int], near: list[torch.Tensor]) -> bool:
    """Test whether larger numbers make the same results, as of normalised rows.

    Whatever is made of these then. A softmax of large numbers has but one element that is not
    0, and what only moves numbers makes whole ones of them.
    """
    case = experiment.case
    if len(case.expected) != 1 or any(near[k].dtype not in _WIDE for k in like):
        return False
    results = []
    for times in LARGER:
        inputs = [x * times if k in like else x for k, x in enumerate(near)]
        got = launched(experiment.launcher, case, inputs)
        if got is None:
            return False
        results.append(got[0].view(case.dtypes[0]).double())
    if not all(bool(y.isfinite().all()) for y in results):
        return False
    alike = (results[0] - results[1]).abs() <= NEARLY * results[0].abs().max()
    return bool(alike.all()) and bool((results[0] != results[0].round()).any())


def _is_normalised(case: Case, right: torch.Tensor, total: torch.Tensor, dim: int) -> bool:
    """Test whether what is right of an output is normalised rows, of a matrix or of more.

    Or columns, of dim 0. Of these and of more it is not known what normalises them: where they
    are far from 0, what is right is near it, and a number times how far each element is from
    the mean of its row, or of its column.
    """
    if dim == 0:
        if right.shape != total.shape:
            return False
        right, total = right.T, total.T
    if dim == 0 or total.dim() > 2:
        right = right.reshape(total.shape)
        x, y = (z - z.mean(-1, keepdim=True) for z in (total, right))
        times = (x * y).sum(-1, keepdim=True) / (x * x).sum(-1, keepdim=True)
        alike = ((y - times * x).abs() <= NEARLY * y.abs().amax(-1, keepdim=True)).all()
        means = (z.mean(-1, keepdim=True).abs() for z in (times * total, right))
        far, near = (z.amax() for z in means)
        return bool(alike and near * TIMES_FARTHER <= far)
    others = tuple(x for x in case.inputs if x.shape != total.shape)
    alone = replace(case, inputs=(total, *others), expected=(right,), dtypes=case.dtypes[:1])
    return right.shape == total.shape and True in wrong_norms.normalised(alone)


def infinity_of_small_numbers(experiment: Experiment) -> Diagnosis | None:
    """Launch on numbers of at most 1, where infinity came out: by no overflow, if again.

    What is neither divided nor a logarithm is then the infinity that something began with.
    """
    case, failure = experiment.case, experiment.failure
    infinite = (wrong_numbers.INFINITE, wrong_numbers.INFINITE_FROM)
    if failure.fault or not failure.diagnosis.sentence.startswith(infinite):
        return None
    if not all(x.is_floating_point() for x in case.inputs):
        return None
    largest = max(float(x.double().abs().max()) for x in case.inputs)
    small = [(x.double() / max(largest, 1.0)).to(x.dtype) for x in case.inputs]
    if (got := launched(experiment.launcher, case, small)) is None:
        return None
    made = [x.view(dtype) for x, dtype in zip(got, case.dtypes, strict=True)]
    if not any(bool(x.isinf().any()) for x in made if x.is_floating_point()):
        return None
    seen = f"{wrong_numbers.INFINITE}, of small ones, too, so that nothing overflows"
    of_threads = ("__global__", "__device__")
    code = reachable.definitions(experiment.launcher)
    if any(_MAKES_INFINITY.search(x) for x in code if any(word in x for word in of_threads)):
        return Diagnosis(f"{seen}: is something divided by zero, or the logarithm of 0 taken?")
    return Diagnosis(
        f"{seen}: it is what a variable held before a number took its place (INFINITY, say), "
        "and none did. Is an element, or a thread's result, left out of what is compared?"
    )
