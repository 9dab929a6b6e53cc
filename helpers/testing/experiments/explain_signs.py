"""Find out whether integers are read without their sign, or with one that they have not."""

from __future__ import annotations

import itertools

import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import SEVERAL, Diagnosis, are_among
from helpers.testing.probes.influence import launched

LEAST = 3  # results, or cases, that must tell the same
MOST_CASES, MOST_TRIED = 40, 200
SIGN = 128  # from which on a byte of a type with a sign is negative
TYPES = {
    torch.int8: ("uint8_t (unsigned char)", 8, True),
    torch.uint8: ("int8_t (signed char)", 8, False),
    torch.int16: ("uint16_t (unsigned short)", 16, True),
    torch.int32: ("uint32_t (unsigned int)", 32, True),
}
CLOSE = {2: 2.0**-6, 4: 2.0**-14, 8: 2.0**-14}  # relative, by the bytes of an output


def read_as_another_sign(experiment: Experiment) -> Diagnosis | None:
    """Ask what those numbers make whose highest bit is set, by a call with such alone.

    A sum of products, or each of them, is off by 2^bits times what 1 makes in each place.
    """
    case, failure = experiment.case, experiment.failure
    told = failure.diagnosis
    if failure.fault or failure.refused or (told.specific and not told.numbers):
        return None
    if not any(x.dtype in TYPES for x in case.inputs):
        return None
    if (got := launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    made = [y.view(dtype).reshape(-1) for y, dtype in zip(got, case.dtypes, strict=True)]
    wrong = [k for k, y in enumerate(made) if not bool(case.right(k, y).all())]
    names = [p.name for p in experiment.launcher.declaration.tensors if p.role == "input"]
    for which, x in enumerate(case.inputs):
        if x.dtype not in TYPES or not wrong:
            continue
        other, bits, signed = TYPES[x.dtype]
        half = 1 << bits - 1
        if (by := _response(experiment, which, x < 0 if signed else x >= half)) is None:
            continue
        step = 2.0**bits if signed else -(2.0**bits)
        if all(_are_off(case, k, made[k], step * by[k]) for k in wrong):
            how = (
                f"if {1 << bits:,} is added to each: are they read without their sign, as of "
                f"{other}, whose range is 0 to {(1 << bits) - 1:,}?"
                if signed
                else f"if {1 << bits:,} is taken off each: are they read with a sign, as of "
                f"{other}, whose range is {-half:,} to {half - 1:,}?"
            )
            which_ones = "the negative numbers" if signed else f"the numbers from {half} on"
            return Diagnosis(
                f"each wrong result is off by what {which_ones} of {names[which]} make {how}"
            )
    return None


def right_of_small_numbers(experiment: Experiment) -> Diagnosis | None:
    """Try other cases of bytes: are those right that a type with a sign holds, and no others?

    Of what chooses among its numbers, a maximum or a place, no result leaves their range.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or (told.specific and not (told.constant or told.numbers)):
        return None
    if not case.inputs or any(x.dtype is not torch.uint8 for x in case.inputs):
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    others = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    large, small = 0, 0
    for one in (case, *others[:MOST_CASES]):
        if any(x.dtype is not torch.uint8 for x in one.inputs):
            continue
        most = max((int(x.max()) for x in one.inputs if x.numel()), default=0)
        if not most:
            continue
        if experiment.right(one) is (most >= SIGN):
            return None
        large, small = large + (most >= SIGN), small + (most < SIGN)
    if min(large, small) < LEAST or not _chooses(case):
        return None
    return Diagnosis(
        f"right where all numbers are below {SIGN}, and wrong where some are not: are they "
        f"read or held with a sign, as of int8_t (signed char), whose range is -{SIGN} to "
        f"{SIGN - 1}?"
    )


def searched_without_sign(experiment: Experiment) -> Diagnosis | None:
    """Look at cases of a search among integers: is it wrong where both signs are, and only so?

    Read without its sign a negative number is larger than all others.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or (told.specific and not told.zeros):
        return None
    found = [(k, x) for k, x in enumerate(case.inputs) if x.dtype in (torch.int32, torch.int64)]
    values = [
        (k, j)
        for k, x in found
        for j, y in enumerate(case.expected)
        if case.dtypes[j] is x.dtype and are_among(y, x)
    ]
    behind = itertools.islice(
        itertools.chain(experiment.tried, experiment.following), MOST_TRIED
    )
    others = [x for x in (case, *experiment.passed, *behind) if isinstance(x, Case)]
    for k, j in values:
        wrong, right = 0, 0
        for one in others:
            if (is_right := _is_found(experiment, one, k, j)) is None:
                break
            wrong, right = wrong + (not is_right), right + is_right
        else:
            if min(wrong, right) >= LEAST:
                tensors = experiment.launcher.declaration.tensors
                name = [p.name for p in tensors if p.role == "input"][k]
                return Diagnosis(
                    "wrong only where a number of the other sign comes out than that which is "
                    f"right, and some of {name} are negative and others not: are they compared "
                    "without their sign, as of uint32_t (unsigned int), which takes a negative "
                    "number for a large one, out of its range?"
                )
    return None


def _is_found(experiment: Experiment, case: Case, which: int, output: int) -> bool | None:
    """Test whether a case is right; None if it is wrong in another way than by signs."""
    x, right = case.inputs[which], case.expected[output]
    if (got := launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    made = got[output].view(case.dtypes[output]).reshape(-1)
    wrong = made.double() != right.reshape(-1)
    if not bool(wrong.any()):
        return True
    both = bool((x < 0).any()) and bool((x >= 0).any())
    other = (made < 0) != (right.reshape(-1) < 0)
    known = are_among(made, x)
    return False if both and known and bool(other[wrong].all()) else None


def _chooses(case: Case) -> bool:
    """Test whether the results are numbers of the inputs, or places among them."""
    known = torch.cat([x.reshape(-1).double() for x in case.inputs])
    return all(
        bool(torch.isin(y.reshape(-1), known).all())
        or (not dtype.is_floating_point and bool((y < len(known)).all()))
        for y, dtype in zip(case.expected, case.dtypes, strict=True)
    )


def _response(
    experiment: Experiment, which: int, chosen: torch.Tensor
) -> list[torch.Tensor] | None:
    """Return what 1 in the chosen places of an input adds to the outputs, float64."""
    case, x = experiment.case, experiment.case.inputs[which]
    if not bool(chosen.any()):
        return None
    large = min(torch.iinfo(x.dtype).max, 127)  # the same number with a sign and without
    made = []
    for numbers in (large * chosen, 0 * chosen):
        inputs = [*case.inputs[:which], numbers.to(x.dtype), *case.inputs[which + 1 :]]
        if (got := launched(experiment.launcher, case, inputs)) is None:
            return None
        made.append(
            [y.view(d).double().reshape(-1) for y, d in zip(got, case.dtypes, strict=True)]
        )
    return [(some - none) / large for some, none in zip(*made, strict=True)]


def _are_off(case, which: int, got: torch.Tensor, by: torch.Tensor) -> bool:
    """Test whether an output is what is right plus other numbers, several of them."""
    right, got = case.expected[which].reshape(-1), got.double()
    if not bool((got.isfinite() & right.isfinite() & by.isfinite()).all()):
        return False
    close = CLOSE.get(case.dtypes[which].itemsize, 0.0)
    limit = close * (got.abs() + right.abs() + by.abs())
    near = (got - right - by).abs() <= limit
    near |= case.right(which, got.to(case.dtypes[which]))  # as those left of packs
    wrong = (by.abs() > 8 * limit) & ((got - right).abs() > 8 * limit)
    several = len(by[wrong].unique()) >= LEAST or len(got[wrong].unique()) >= SEVERAL
    return bool(near.all()) and several
