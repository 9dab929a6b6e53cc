"""Find out what a softmax makes of other rows: far from 0, long ones, sorted ones.

Or its logarithm, or a mean whose weights it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.mismatch import Diagnosis
from helpers.testing.probes.influence import launched

MOST_OF_ROWS = 1 << 17  # elements
TIMES_FARTHER = 32  # from 0 than from their mean
FARTHER = (1, 3, 5)  # on the other side of 0
CLOSE = 1e-9  # what is right fits the formula so well
LONG = 4096  # numbers of a row, of which each thread has some of the largest
ROWS = 2
EQUAL = 1.5  # a number of rows of which all are the same
TOPS = (2.0, 5.0, 8.0)  # the largest numbers of rows
MOST = 1024  # threads of a block
SAME = 0.05  # relative
NEAR = 2.0**-8  # of the largest number that is weighted
NOT_SCALED = (
    "right where the numbers of a row {}, and wrong where they {}: is what has been summed up "
    "scaled, by exp(old maximum - new one), each time a {} number comes, and where parts are "
    "put together, and all of it (the sum of weights, and what they weight)? A factor is left "
    "out"
)
OFF = 2.0**-7  # relative
LEAST_SHARE = 2.0**-20  # of a row's sum
WIDTHS = (32, 64, 128, 256)  # threads of a warp or of a block


@dataclass(frozen=True)
class _Softmax:
    """What is right in a case: its rows' softmax(scale * x), or the logarithm of that."""

    scale: float
    is_log: bool

    def of(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.scale * x.double()
        return scores.log_softmax(dim=1) if self.is_log else scores.softmax(dim=1)


def _softmax_of(case: Case) -> _Softmax | None:
    """Recognise a softmax of the rows of a case's only input, with a temperature, say."""
    x, right = case.inputs[0] if len(case.inputs) == 1 else torch.zeros(()), case.expected[0]
    if case.reference is not None or x.dim() != 2 or not x.is_floating_point():
        return None
    if tuple(x.shape) != tuple(right.shape) or not 0 < x.numel() <= MOST_OF_ROWS:
        return None
    is_log = not bool((right > 0).any())
    logs = right.double() if is_log else right.double().log()
    if not bool(x.double().isfinite().all() & logs.isfinite().all()):
        return None
    off, scores = (y - y.mean(1, keepdim=True) for y in (x.double(), logs))
    if not bool(off.any()):
        return None
    found = _Softmax(float((off * scores).sum() / off.square().sum()), is_log)
    near = (found.of(x) - right).abs() <= CLOSE * (1 + right.abs())
    return found if bool(near.all()) else None


def of_equal_numbers(experiment: Experiment) -> Diagnosis | None:
    """Ask for rows of equal numbers, of which the right sums tell that each counts once.

    Of a softmax, its logarithm, or the logarithm of a sum of powers.
    """
    case = experiment.case
    if experiment.failure.fault or experiment.failure.diagnosis.specific:
        return None
    x = case.inputs[0] if len(case.inputs) == 1 else torch.zeros(())
    if len(case.expected) > 1 or x.dim() != 2 or x.shape[1] < 2 or not x.is_floating_point():
        return None
    equal = torch.full_like(x, EQUAL)
    if (softmax := _softmax_of(case)) is not None:
        right = softmax.of(equal)
    elif _is_log_sum(case):
        right = equal.double().logsumexp(1).reshape(case.expected[0].shape)
    else:
        return None
    if not experiment.right(replace(case, inputs=(equal,), expected=(right,))):
        return None
    return Diagnosis(
        "right where all numbers of a row are equal, so each counts once in its sum: where two "
        "sums of powers are put together, is one not multiplied by exp(its maximum - the new "
        "one), or is another part of the formula wrong?"
    )


def _is_log_sum(case: Case) -> bool:
    """Test whether what is right is the logarithm of each row's sum of powers."""
    x, right = case.inputs[0].double(), case.expected[0].reshape(-1)
    if case.reference is not None or right.numel() != len(x) or not bool(x.isfinite().all()):
        return False
    return torch.allclose(x.logsumexp(1), right, rtol=CLOSE, atol=CLOSE)


def digits_lost_far_from_0(experiment: Experiment) -> Diagnosis | None:
    """Take its distance from 0 off each row, which changes nothing of what is right.

    A start or an overflow shows on one side of 0 only, and digits are lost on both.
    """
    case = experiment.case
    if experiment.failure.fault or _softmax_of(case) is None:
        return None
    x = case.inputs[0].double()
    middle = (x - x.mean(1, keepdim=True)).abs().argmin(1, keepdim=True)
    level = x.gather(1, middle)  # a number of the row: what is left is one of its type
    near = x - level
    if not bool((level.abs() > TIMES_FARTHER * near.abs().amax(1, keepdim=True)).any()):
        return None
    if _goes_right(experiment, x) is not False or not _goes_right(experiment, near):
        return None
    beyond = (_goes_right(experiment, near - times * level) for times in FARTHER)
    if False not in beyond:
        return None
    far = float(level.flatten()[int(level.abs().argmax())])
    return Diagnosis(
        f"right if one of its numbers ({far:,.6g} in one row) is taken off each row, which "
        "changes nothing of what is right: do large numbers lose digits on the way, as in "
        "largest + log(sum), or where one is rounded to a narrower type? Take the row's "
        "largest number off first, and keep the precision of float"
    )


def _goes_right(experiment: Experiment, moved: torch.Tensor) -> bool | None:
    """Launch the case on moved rows; None if they are no numbers of their type, or not made."""
    case = experiment.case
    x = moved.to(case.inputs[0].dtype)
    if not torch.equal(x.double(), moved):
        return None
    if (got := launched(experiment.launcher, case, [x])) is None:
        return None
    numbers = got[0].view(case.dtypes[0]).reshape(-1)
    if not bool(numbers.double().isfinite().all()):
        return None
    return bool(case.right(0, numbers).all())


def sum_starts_with_the_largest(experiment: Experiment) -> Diagnosis | None:
    """Ask for long rows of two numbers: is the sum of powers too large by their largest one?

    In so long a row each thread has elements; by how many threads start so, it is multiplied.
    """
    case = experiment.case
    if experiment.failure.fault or (of := _softmax_of(case)) is None or of.scale <= 0:
        return None
    chosen = torch.rand(LONG, generator=torch.Generator().manual_seed(0)) < 0.5
    times = []
    for top in TOPS:
        x = torch.where(chosen, top, 0.0).repeat(ROWS, 1).to(case.inputs[0].dtype)
        longer = replace(case, inputs=(x,), expected=(of.of(x), *case.expected[1:]), within=())
        if (sums := _sums(experiment, longer, of, chosen)) is None:
            return None
        times.append((sums - float((of.scale * (x[0].double() - top)).exp().sum())) / top)
    least, most = min(float(t.min()) for t in times), max(float(t.max()) for t in times)
    if not 0.5 * of.scale < least <= most <= (1 + SAME) * least:
        return None
    if most > MOST * max(1.0, of.scale):
        return None
    return Diagnosis(
        "the sum of a row's powers is too large by its largest number, or a multiple of that: "
        "does the sum start with the maximum, as where one name holds both, and is not set to "
        "0 between them? Start from 0"
    )


def _sums(
    experiment: Experiment, case: Case, of: _Softmax, chosen: torch.Tensor
) -> torch.Tensor | None:
    """Return the sum that each row was divided by, as its largest numbers tell."""
    got = launched(experiment.launcher, case, list(case.inputs))
    if got is None:
        return None
    largest = got[0].view(case.dtypes[0]).double().reshape(case.expected[0].shape)[:, chosen]
    sums = (-largest).exp() if of.is_log else 1 / largest
    return sums.median(dim=1).values if bool(sums.isfinite().all()) else None


def weighted_means(experiment: Experiment) -> Diagnosis | None:
    """For means weighted by the softmax of rows: ask for rows that fall and that rise.

    Online, what was summed before a larger number came is scaled then. And test whether the
    numbers of the first columns are weighted again and again.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or experiment.failure.refused or told.specific:
        return None
    if not _is_weighted(case):
        return None
    x, numbers = case.inputs
    if (got := _means(experiment, x)) is None:
        return None
    for width in (w for w in WIDTHS if w < x.shape[1]):
        if _near(got, x, numbers[torch.arange(x.shape[1]) % width]):
            tensors = experiment.launcher.declaration.tensors
            name = [one.name for one in tensors if one.role == "input"][1]
            return Diagnosis(
                f"right for the first {width} columns, and then {name} counts from its "
                f"beginning again, each as another element: is its index the number of the "
                f"thread or of the lane, which ends at {width}, in the place of the column?"
            )
    falling, rising = (x.sort(dim=1, descending=down).values for down in (True, False))
    made = [_means(experiment, y) for y in (falling, rising)]
    if any(y is None for y in made):
        return None
    if _near(made[0], falling, numbers) and not _near(made[1], rising, numbers):
        return Diagnosis(NOT_SCALED.format("fall", "rise", "larger"))
    return None


def _is_weighted(case: Case) -> bool:
    """Test whether what is right are means, weighted by the softmax of the first input."""
    if case.reference is not None or len(case.inputs) != 2 or len(case.expected) != 1:
        return False
    x, numbers = case.inputs
    if x.dim() != 2 or not all(y.is_floating_point() for y in case.inputs):
        return False
    if numbers.dim() not in (1, 2) or len(numbers) != x.shape[1]:
        return False
    if not 0 < x.numel() <= MOST_OF_ROWS or not bool(x.isfinite().all()):
        return False
    right = x.double().softmax(dim=1) @ numbers.double()
    given = case.expected[0].double()
    if right.numel() != given.numel():
        return False
    off = (right.reshape(-1) - given.reshape(-1)).abs()
    return bool((off <= CLOSE * (1 + right.abs().reshape(-1))).all())


def _means(experiment: Experiment, x: torch.Tensor) -> torch.Tensor | None:
    """Return what is made of other rows, float64 and flat."""
    got = launched(experiment.launcher, experiment.case, [x, experiment.case.inputs[1]])
    return got[0].view(experiment.case.dtypes[0]).double().reshape(-1) if got else None


def _near(got: torch.Tensor, x: torch.Tensor, numbers: torch.Tensor) -> bool:
    right = (x.double().softmax(dim=1) @ numbers.double()).reshape(-1)
    return bool(((got - right).abs() <= NEAR * float(numbers.double().abs().max())).all())


def scaled_sums(experiment: Experiment) -> Diagnosis | None:
    """Where each row is off by a factor: ask for sorted rows, and for such of equal numbers.

    Online, and where parts are put together, sums of powers are scaled as a maximum changes.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or experiment.failure.refused or not told.rows:
        return None
    softmax = _softmax_of(case)
    if softmax is None or softmax.is_log or case.inputs[0].shape[1] < 2:
        return None
    x, up = case.inputs[0], softmax.scale < 0
    if _factors(experiment, softmax, x) is None:
        return None
    rows = (x.sort(dim=1, descending=not up).values, x.sort(dim=1, descending=up).values)
    made = [_factors(experiment, softmax, y) for y in (*rows, torch.full_like(x, EQUAL))]
    if any(y is None for y in made):
        return None
    first, second, equal = (bool(((y - 1).abs() <= OFF).all()) for y in made)
    if first and not second:
        words = ("rise", "fall", "smaller") if up else ("fall", "rise", "larger")
        return Diagnosis(NOT_SCALED.format(*words))
    sums = 1 / softmax.of(rows[0]).amax(dim=1) / made[0]  # what each is divided by
    if equal and not first and bool(((sums - sums.round()).abs() > OFF).any()):
        return Diagnosis(
            "right where all numbers of a row are equal, so that each counts once, and of "
            "others each row is divided by another sum: where parts of it are put together, is "
            "each scaled by exp(its own maximum - the row's), both of two? The formula is "
            "another one"
        )
    return None


def _factors(experiment: Experiment, softmax: _Softmax, x: torch.Tensor) -> torch.Tensor | None:
    """Return by what each row is off, [rows]; None if what is divided is off, too."""
    if (got := launched(experiment.launcher, experiment.case, [x])) is None:
        return None
    right = softmax.of(x)
    made = got[0].view(experiment.case.dtypes[0]).double().reshape(right.shape)
    factors = made / right
    of_row = factors.gather(1, right.argmax(dim=1, keepdim=True))
    off = (factors - of_row).abs() > OFF * of_row.abs()
    return None if bool((off & (right > LEAST_SHARE)).any()) else of_row[:, 0]
