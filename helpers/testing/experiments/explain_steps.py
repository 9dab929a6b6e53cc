"""Find out what is cut off, or has no place, on the way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import SEVERAL, Diagnosis, Mismatch, widened
from helpers.testing.patterns import wrong_rounding
from helpers.testing.probes.influence import launched
from helpers.testing.references import bits

MANY_CASES = 5 * NEXT_CASES  # among which there is a larger one
SHORT_TYPES = (32, 16, 8)  # bits
HALVES = (torch.float16, torch.bfloat16)
NEARLY_HALF = 0.49  # of the way to the next number
NEARLY_NEXT = 0.99  # beyond a whole number
SEVENTHS = 7  # fractions that move numbers
SMALL = 8.0  # numbers whose squares every type holds
MOST = 0.5  # of the numbers of an input that have more digits
MOST_RESULTS = 0.5  # that a factor of integers changes
CHANGED = 0.75  # of an output, by another last digit: more than where only a result is rounded
WIDTHS = {torch.float32: 24, torch.float64: 53}
# Bits of a number, the first one too, and the types that keep so many.
KEPT_BITS = {8: "bfloat16", 11: "float16 or TF32", 24: "float32"}
WHOLE = 100  # numbers that all types hold
SMALL_NUMBERS = 1000
SMALL_POWERS = (13, 28)  # of two, that they are divided by
SOME_UNITS = 4  # of rounding
ROUNDED = 8  # units in the last place, which may be so by chance where an argument is too small
CLOSE = 2.0**-6  # relative: an epsilon counts more beside small numbers


def cut_arguments(experiment: Experiment) -> Diagnosis | None:
    """Launch with whole numbers in the place of scalar arguments: does that change nothing?

    And with the next whole number it does. The inputs are moved off whole numbers, beside which
    a limit, too, may be cut. Of integers, which cannot be moved, most results must change, as
    by a factor: a limit between two of them changes few.
    """
    if (made := _with_arguments(experiment, integers=True)) is None:
        return None
    whole_inputs = all(map(_is_integer, experiment.case.inputs))
    for name, value in experiment.case.arguments.items():
        if not isinstance(value, float) or not math.isfinite(value) or value.is_integer():
            continue
        whole, sign = math.trunc(value), math.copysign(1.0, value)
        usual = made(name, value)
        same = [made(name, whole + sign * more) for more in (0.0, NEARLY_NEXT)]
        following = made(name, whole + sign)
        if None in (usual, following) or None in same:
            continue
        least = MOST_RESULTS if whole_inputs else 0.0
        by_rounding = [ROUNDED * dtype.is_floating_point for dtype in experiment.case.dtypes]
        changed = any(
            int(((x.long() - y.long()).abs() > most).sum()) > least * x.numel()
            for x, y, most in zip(usual, following, by_rounding, strict=True)
        )
        if changed and all(_equal(usual, other) for other in same):
            return Diagnosis(
                f"{name} = {value:g} makes the same as {name} = {whole}: is it truncated to a "
                "whole number on the way, as in an int where a float is meant?"
            )
    return None


def wrapped_arguments(experiment: Experiment) -> Diagnosis | None:
    """Launch with the last bits of a large whole number: do they make the same as all of it?

    And with the number beside them another result.
    """
    if (made := _with_arguments(experiment, integers=True)) is None:
        return None
    arguments = experiment.case.arguments.items()
    whole = [(k, v) for k, v in arguments if isinstance(v, int) and not isinstance(v, bool)]
    for (name, value), width in itertools.product(whole, SHORT_TYPES):
        half = 1 << (width - 1)
        last = (value + half) % (2 * half) - half
        if last == value:
            continue
        usual, same, next_one = (made(name, x) for x in (value, last, last + 1))
        if None in (usual, same, next_one) or _equal(usual, next_one):
            continue
        if _equal(usual, same):
            return Diagnosis(
                f"{name} = {value:,} makes the same as {name} = {last:,}, which is its last "
                f"{width} bits: is it held in a type of {width} bits on the way, which is too "
                "narrow for it?"
            )
    return None


def rounded_arguments(experiment: Experiment) -> Diagnosis | None:
    """Launch with scalar arguments between two numbers of a narrower type: do they matter?

    Two that lie far apart, with the same nearest number, must make the same, and the next
    number of that type, and one just nearer to that, another result.
    """
    if (made := _with_arguments(experiment)) is None:
        return None
    arguments = experiment.case.arguments.items()
    for (name, value), dtype in itertools.product(arguments, HALVES):
        if not isinstance(value, float) or not math.isfinite(value):
            continue
        nearest = torch.tensor(value, dtype=torch.float64).to(dtype)
        below, here, above = (
            float(x) for x in (_next(nearest, -1), nearest, _next(nearest, 1))
        )
        if here == torch.tensor(value).item() or not math.isfinite(below + here + above):
            continue
        far = [here + NEARLY_HALF * (other - here) for other in (below, above)]
        usual, following = made(name, value), made(name, above)
        same = [made(name, other) for other in (*far, here)]
        beyond = made(name, here + (1 - NEARLY_HALF) * (above - here))
        if None in (usual, following, beyond) or None in same:
            continue
        if not _equal(beyond, following):
            continue  # what is too small to count beside others has no such steps
        differ = sum(int((x != y).sum()) for x, y in zip(usual, following, strict=True))
        if differ >= SEVERAL and all(_equal(usual, other) for other in same):
            kind = dtype_name(dtype)
            return Diagnosis(
                f"{name} = {value:g} makes the same as {name} = {here:g}, which is {value:g} "
                f"rounded to the nearest {kind}: is it held in one on the way, which has too "
                "little precision for it? Keep it a float"
            )
    return None


def small_numbers(experiment: Experiment) -> Diagnosis | None:
    """Run an operator on many small numbers, where few of a case are wrong: do they cancel?"""
    case, failure = experiment.case, experiment.failure
    vague = not failure.fault and not failure.refused and not failure.diagnosis.specific
    if not vague or case.reference is None or len(case.dtypes) != 1 or not case.inputs:
        return None
    shape = case.expected[0].shape
    if not all(x.is_floating_point() and x.shape == shape for x in case.inputs):
        return None
    generator = torch.Generator().manual_seed(SMALL_NUMBERS)
    inputs = tuple(
        (
            torch.randn(SMALL_NUMBERS, generator=generator, dtype=torch.float64)
            * 2.0 ** -torch.linspace(*SMALL_POWERS, SMALL_NUMBERS, dtype=torch.float64)
        ).to(x.dtype)
        for x in case.inputs
    )
    right = case.reference(*[x.double() for x in inputs])
    other = replace(case, inputs=inputs, expected=(right,), within=())
    if (made := launched(experiment.launcher, other, list(inputs))) is None:
        return None
    got = made[0].view(case.dtypes[0])
    if not bool((wrong := ~other.right(0, got)).any()):
        return None
    m = widened(Mismatch(got, right, wrong, inputs, reference=case.reference))
    sentence = wrong_rounding.beside_one(m)
    return Diagnosis(sentence) if sentence else None


def numbers_for_bits(experiment: Experiment) -> Diagnosis | None:
    """Launch on whole numbers: are they the bits of what comes out?

    Of each of them the highest bits come out that an output has; its sign may be any.
    """
    case = experiment.case
    if case.reference is None or len(case.inputs) != 1 or experiment.failure.fault:
        return None
    x, dtype = case.inputs[0], case.dtypes[0]
    if not x.is_floating_point() or min(x.element_size(), dtype.itemsize) < 2:
        return None
    steps = torch.arange(1, WHOLE + 1)
    moved = 8 * (x.element_size() - dtype.itemsize)
    numbers = (steps.double() * 2.0 ** max(moved, 0)).to(x.dtype)
    if numbers.dtype is torch.float16 and not bool(numbers.isfinite().all()):
        return None
    right = case.reference(numbers.double())
    right = right if isinstance(right, tuple) else (right,)
    of_whole = replace(case, inputs=(numbers,), expected=right, within=(), before=())
    if (made := launched(experiment.launcher, of_whole, [numbers])) is None:
        return None
    got = made[0].long() & ((1 << 8 * dtype.itemsize - 1) - 1)
    if not torch.equal(got, steps << max(-moved, 0)):
        return None
    if bool((made[0] == bits(of_whole.wanted[0])).any()):
        return None
    return Diagnosis(
        "the bits of what comes out are those of the number that goes in, as an integer: is it "
        "converted, as by (unsigned)x, where its bits are meant? Take these, with "
        "__float_as_uint(x), or through a pointer to integers"
    )


def _with_arguments(
    experiment: Experiment, integers: bool = False
) -> Callable[[str, float], list[torch.Tensor] | None] | None:
    """Return what launches the case with another scalar argument; None for other cases.

    Those are of floats, which are moved off whole numbers, and with `integers` also of these.
    In the place of a case of few elements stands a later one with the same arguments.
    """
    if experiment.failure.fault or experiment.failure.refused:
        return None
    case = experiment.case
    if case.size < SEVERAL:
        following = itertools.islice(experiment.following, MANY_CASES)
        more = (x for x in following if isinstance(x, Case) and x.size >= SEVERAL)
        case = next((x for x in more if x.arguments == case.arguments), case)
    if not case.inputs:
        return None
    wide = all(x.is_floating_point() and x.element_size() > 1 for x in case.inputs)
    if not wide and not (integers and all(map(_is_integer, case.inputs))):
        return None
    inputs = [_off_whole(x) if wide else x for x in case.inputs]

    def made(name: str, value: float) -> list[torch.Tensor] | None:
        other = replace(case, arguments={**case.arguments, name: value})
        return launched(experiment.launcher, other, inputs)

    return made


def _is_integer(x: torch.Tensor) -> bool:
    return not x.is_floating_point() and x.dtype is not torch.bool


def _next(x: torch.Tensor, sign: int) -> torch.Tensor:
    return torch.nextafter(x, torch.full_like(x, sign * math.inf))


def _off_whole(x: torch.Tensor) -> torch.Tensor:
    """Return numbers to each of which a fraction is added."""
    fractions = (torch.arange(x.numel()) % SEVENTHS + 0.5) / SEVENTHS
    return x + fractions.reshape(x.shape).to(x.dtype)


def _equal(some: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, some, others))


def cut_inputs(experiment: Experiment) -> Diagnosis | None:
    """Launch with inputs of fewer digits: does that change nothing, and do other digits?

    They are cut off, and rounded to the nearest, as a kernel may do either.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or not (told.nearly or told.depends or not told.specific):
        return None
    if not all(d in WIDTHS for d in case.dtypes) or case.size < SEVERAL:
        return None
    if (usual := launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    names = [p.name for p in experiment.launcher.declaration.tensors if p.role == "input"]

    def changed(which: int, x: torch.Tensor) -> float:
        """Return the share of the outputs' elements that another input changes."""
        inputs = [*case.inputs[:which], x, *case.inputs[which + 1 :]]
        if (made := launched(experiment.launcher, case, inputs)) is None:
            return math.nan
        pairs = zip(made, usual, strict=True)
        return float(torch.cat([(y != z).double().flatten() for y, z in pairs]).mean())

    for k, x in enumerate(case.inputs):
        width = WIDTHS.get(x.dtype, 0)
        for kept, types in KEPT_BITS.items():
            if kept >= width:
                break
            fewer = [_of_digits(x, width - kept, way) for way in ("cut", "nearest")]
            lost = (fewer[0] != x) & ~x.isnan()
            if (share := float(lost.double().mean())) < MOST:
                break
            if not any(changed(k, y) == 0 for y in fewer):
                continue
            following = _of_digits(x, width - kept, "next")
            of_those = torch.where(lost, following, x)  # do these have an effect at all?
            if changed(k, of_those) >= CHANGED * share and changed(k, following) >= CHANGED:
                return Diagnosis(
                    f"the output is the same where each number of {names[k]} keeps only its "
                    f"first {kept} of {width} bits: is it cut or rounded to a narrower "
                    f"precision on the way, as of {types}?"
                )
    return None


def _of_digits(x: torch.Tensor, lost: int, way: str) -> torch.Tensor:
    """Return numbers without their last `lost` bits; way: how they become so."""
    own, step = bits(x), 1 << lost
    if way == "nearest":
        own = own + (step // 2 - 1) + (own >> lost & 1)
    own = own & -step
    return (own + step if way == "next" else own).view(x.dtype)


def squares_without_a_place(experiment: Experiment) -> Diagnosis | None:
    """Launch with smaller numbers: do rows come out then that were 0 before?

    For norms of rows, or rows that are normalised, which divide by a root of squares: of the
    first input, or of another matrix, as of the sum of two that comes out, too.
    """
    case = experiment.case
    if experiment.failure.fault or case.reference is not None or not case.inputs:
        return None
    x = case.inputs[0]
    floats = (*case.inputs, *(torch.zeros(0, dtype=dtype) for dtype in case.dtypes))
    if not all(y.is_floating_point() and y.element_size() > 1 for y in floats):
        return None
    numbers = (*case.inputs, *case.expected)
    if x.dim() != 2 or not x.numel() or not all(bool(y.isfinite().all()) for y in numbers):
        return None  # of infinity, too, a 0 is made
    if (found := _zeros(experiment)) is None:
        return None
    place, lost = found
    others = (y for k, y in enumerate(case.expected) if k != place)
    matrices = [y.double() for y in (*case.inputs, *others) if y.shape == x.shape]
    most = max(float(y.abs().max()) for y in matrices)
    by = 2.0 ** math.ceil(math.log2(max(most / SMALL, 1.0)))
    for y, dtype in itertools.product(matrices, dict.fromkeys((x.dtype, torch.float16))):
        end, size = torch.finfo(dtype).max, y.abs().amax(dim=1)
        beyond, far = y.square().sum(dim=1) > end, size > 2 * math.sqrt(end)
        if not bool(beyond[lost].all()) or not bool(lost[far].all()):
            continue
        if not _scales(experiment, place, by):
            return None
        name = str(dtype).removeprefix("torch.")
        return Diagnosis(
            f"0 came out of rows of large numbers, from {float(size[lost].min()):,.6g} on, and "
            f"none where all are divided by {by:,.0f}: does a number times itself, or a sum "
            f"of such, overflow on the way, as in {name}, which ends at {end:,.5g}? What is "
            "divided by infinity is 0: compute them in a type that holds them"
        )
    return None


def _zeros(experiment: Experiment) -> tuple[int, torch.Tensor] | None:
    """Return which output has rows that came out as 0, and should not, and which rows.

    None if others are wrong, too, or if the output has no number for each row.
    """
    case, found = experiment.case, []
    if (got := launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    for place, (z, right) in enumerate(zip(got, case.expected, strict=True)):
        z = z.view(case.dtypes[place]).double()
        lost = (z == 0) & (right != 0)
        if not bool((lost | ((z - right).abs() <= CLOSE * right.abs())).all()):
            return None
        if bool(lost.any()):
            found.append((place, lost))
    shape = case.inputs[0].shape
    if len(found) != 1 or case.expected[found[0][0]].shape not in (shape, shape[:1]):
        return None
    place, lost = found[0]
    return place, lost.reshape(len(case.inputs[0]), -1).any(dim=1)


def _scales(experiment: Experiment, place: int, by: float) -> bool:
    """Test whether smaller matrices make the same, or the same divided by a power of `by`."""
    case, right = experiment.case, experiment.case.expected[place]
    shape = case.inputs[0].shape
    smaller = [x / by if x.shape == shape else x for x in case.inputs]
    if (got := launched(experiment.launcher, case, smaller)) is None:
        return False
    got = got[place].view(case.dtypes[place]).double()
    ways = (right, right / by, right / by / by)  # by**2 may be more than a float holds
    return any(bool(((got - y).abs() <= CLOSE * y.abs()).all()) for y in ways)


def added_too_late(experiment: Experiment) -> Diagnosis | None:
    """Set an input to 0: is each result what comes out then, plus the input?

    Where ReLU comes behind the sum, what is right is 0 where a sum is negative.
    """
    case, failure = experiment.case, experiment.failure
    if failure.fault or case.before or len(case.expected) != 1 or len(case.inputs) < 2:
        return None
    right, dtype = case.expected[0], case.dtypes[0]
    if not dtype.is_floating_point or right.dim() == 0 or not bool((right >= 0).any()):
        return None
    if bool((right < 0).any()):
        return None
    if (made := launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    got = made[0].view(dtype).double().reshape(right.shape)
    for k, x in enumerate(case.inputs):
        if not x.is_floating_point() or (by := _on_each(x.double(), right.shape)) is None:
            continue
        inputs = list(case.inputs)
        inputs[k] = torch.zeros_like(x)
        if (made := launched(experiment.launcher, case, inputs)) is None:
            return None
        rest = made[0].view(dtype).double().reshape(right.shape)
        limit = SOME_UNITS * torch.finfo(dtype).eps * (rest.abs() + by.abs())
        known = (got.isfinite() & rest.isfinite() & by.isfinite()) & (by != 0)
        above, at_zero = known & (rest > 0), known & (rest == 0)
        late = ((got - rest - by).abs() <= limit)[known].all() and (rest >= 0)[known].all()
        before = ((rest + by).clamp(min=0) - right).abs() <= limit
        before[at_zero] = (right <= by.clamp(min=0) + limit)[at_zero]
        if bool(late) and bool(before[known].all()) and bool(above.any() & at_zero.any()):
            name = [
                p.name for p in experiment.launcher.declaration.tensors if p.role == "input"
            ]
            return Diagnosis(
                f"each result is what comes out where {name[k]} is 0, plus {name[k]}: is it "
                "added behind a step that must come after it (ReLU)? The formula is another "
                f"one then: add {name[k]} first"
            )
    return None


def _on_each(x: torch.Tensor, shape: torch.Size) -> torch.Tensor | None:
    """Return an input as it counts for each result: itself, of its column or of its row."""
    if x.shape == shape:
        return x
    if x.dim() == 1 and x.shape[0] == shape[-1]:
        return x.expand(shape)
    if x.dim() == 1 and len(shape) == 2 and x.shape[0] == shape[0]:
        return x[:, None].expand(shape)
    return None
