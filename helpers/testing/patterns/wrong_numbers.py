"""Recognise a wrong output by its numbers: special values, ranges, formulas.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.mismatch import (
    SEVERAL,
    Mismatch,
    of_columns,
    only_chooses,
    rounding_error,
)
from helpers.testing.patterns.wrong_softmax import divided_by
from helpers.testing.patterns.wrong_values import one_sign, products_cancel
from helpers.testing.references import rounded

LARGE_ROUNDED = "large whole numbers come out rounded"
NAN_OF_NOTHING = "NaN came out where none went in"
MOST_KINDS = 3  # of special values that a sentence names
ONLY_ZEROS = "only the sign of zero goes wrong"
TINY = 2.0**-20  # what is not larger is no number less a mean, over a deviation
NO_HALF = 2.0**-13  # what a factor that was rounded to float16 is off by, in one of some rows
MOST_ROUNDED = 2.0**-8  # relative: of a sum that is rounded to bfloat16
OF_ONE = "NaN came out of rows of one element each"
EPS_OF_ROWS = 2.0**-18  # relative to a row's numbers: by which they are rounded
NEAR_WHOLE = 1e-3  # of a number that a sum is divided by
LEAST_ROWS = 3  # that tell how each is off
INFINITE = "infinity came out of finite numbers"
INFINITE_FROM = "infinity came out where the result is finite"
NEXT_STEPS = 2.5  # between subnormal numbers, by which one is off that is rounded twice
FEW_STEPS = 16.5  # by which one is off that was multiplied after it was rounded
MOST_LOST = 4  # times the rounding of a sum of squares
# From here on exp is infinite in a type, and the first number beyond that a case may have.
EXP_ENDS = {"float16": math.log(65520), "float32": math.log(torch.finfo(torch.float32).max)}
NEAR_END = 1.03
MOST_BELOW = 0.75  # of what is below such an end, and no 0
FAR_FACTOR = 8  # times what rounding to a narrow type makes of 1
LARGE_MEAN = 50  # standard deviations; from here on squares of a row's elements cancel


def columns(m: Mismatch) -> str | None:
    """For columns that are normalised: what `rows` says of the transposed matrix."""
    if len(m.shape) != 2 or m.shape[0] < 2:
        return None
    if m.shape[1] == 1 and m.shape[0] < SEVERAL:
        return None  # rows of one number each, perhaps
    turned = {
        name: getattr(m, name).reshape(m.shape).T.reshape(-1)
        for name in ("got", "expected", "wrong")
    }
    sentence = rows(replace(m, shape=m.shape[::-1], inputs=(), **turned))
    return sentence and of_columns(sentence)


NEAR = 2.0**-7  # of the logarithm of a deviation, which an epsilon moves
APART = 2.0**-4  # deviations of such logarithms
DIVIDED_BY = {
    0: "not divided by its deviation",
    0.5: "divided by the root of its deviation",
    1: "divided by its deviation, the root of its variance",
    2: "divided by its variance",
    -1: "multiplied by its deviation",
    -2: "multiplied by its variance",
}


def rows(m: Mismatch) -> str | None:
    """For rows that are normalised: compare the sum, the mean and the deviation of each."""
    if len(m.shape) > 2:  # of several matrices
        m = replace(m, shape=(math.prod(m.shape[:-1]), m.shape[-1]))
    if not m.got.is_floating_point():
        return None
    if len(m.shape) != 2 or m.shape[1] < 2 or not bool(m.got.isfinite().all()):
        return None  # of one element a row, 1 may be many a formula's
    right, got = (x.double().reshape(m.shape) for x in (m.expected, m.got))
    ones = torch.ones(len(right), dtype=torch.float64)
    also = ", or is it that {} not count every element of the row" * (m.shape[1] > SEVERAL)
    if bool((right >= 0).all()) and torch.allclose(right.sum(1), ones):
        sums = got.sum(1)
        if bool((got == got[:, :1]).all()) and not bool((right == right[:, :1]).all()):
            if bool((got == 1).all()):
                return (
                    "every element is 1, as if each was divided by itself: are the other "
                    "elements of its row left out of the sum (has each thread its own)?"
                )
            return (
                "all elements of a row are alike: is the formula another one, or does the "
                "maximum or the sum not count every element of its row?"
            )
        if sentence := divided_by(got, right, sums):
            return sentence
        k = int((sums - 1).abs().argmax())
        if abs(float(sums[k]) - 1) < 2.0**-5 and not _scaled(got[k], right[k]):
            return None
        near = (got - right).abs() <= 2 * MOST_ROUNDED * right + 2.0**-20
        if bool(near.all()) and _rounded_sums(sums, 1 / right.amax(dim=1)):
            return (
                f"the rows add up to {float(sums.min()):.7g} to {float(sums.max()):.7g}, and "
                "not to 1: is what is added up, or the sum, rounded to a narrower precision?"
            )
        if abs(float(sums[k]) - 1) <= torch.finfo(m.got.dtype).eps / 2:
            return None  # by what each element is rounded
        more = float(sums[k]) > 1  # as of a sum that is too small
        if _are_elsewhere(m):
            return None
        return (
            f"the elements of row {k:,} add up to {float(sums[k]):.6g}, not to 1: is the "
            "formula another one" + also.format("its sum and its maximum do") * more + "?"
        )
    if not torch.allclose(right.mean(1), 0 * ones, atol=1e-9) or not bool(
        right.abs().max() > TINY
    ):
        return None  # zeros have no deviation, and are not made by a mean
    if not _follow_an_input(m, right):
        return None  # as softmax less 1 in one place of each row
    means, deviations = got.mean(1), got.std(1, unbiased=False)
    is_off = means.abs() > 1e-4 * deviations.clamp(min=1)  # large numbers are rounded
    k = int((means.abs() * is_off).argmax())
    if bool(is_off[k]):
        if sentence := _times_their_mean(m, got, right):
            return sentence
        return (
            f"the mean of row {k:,} is {float(means[k]):.6g}, not 0: is the formula of the "
            "mean another one" + also.format("the mean does") + "?"
        )
    if sentence := cancelled(m):
        return sentence
    if sentence := _rows_of_infinity(m, got):
        return sentence
    ratio = deviations / right.std(1, unbiased=False)
    k = int((ratio - 1).abs().nan_to_num(0.0).argmax())
    off = abs(float(ratio[k]) - 1)
    if off > 2.0**-10 or (off < NO_HALF and _scaled(got[k], right[k])):
        return (
            f"the standard deviation of row {k:,} is {float(ratio[k]):.6g} times the right "
            f"one{_as_divided(m, got, right)}: is the formula of the variance another one?"
        )
    return None


def _times_their_mean(m: Mismatch, got: torch.Tensor, right: torch.Tensor) -> str | None:
    """Test whether so many times its mean is taken off each row."""
    inputs = [x.double() for x in m.inputs if tuple(x.shape) == tuple(m.shape)]
    if len(inputs) != 1 or not torch.allclose(right, inputs[0] - inputs[0].mean(1, True)):
        return None
    x, n = inputs[0], right.shape[1]
    means, taken = x.mean(1), (x - got).mean(1)
    size = 1 + x.abs().amax(1)
    if bool(((x - got - taken[:, None]).abs().amax(1) > EPS_OF_ROWS * size).any()):
        return None
    told = means.abs() > size / n
    times = taken[told] / means[told]
    if len(times) < LEAST_ROWS or not bool(((times - times[0]).abs() < EPS_OF_ROWS * n).all()):
        return None
    of = n / float(times[0])
    if abs(of - round(of)) > NEAR_WHOLE * of or round(of) in (0, n):
        return None
    return (
        f"each row less {float(times[0]):.6g} times its mean came out: is its sum divided by "
        f"{round(of):,}, as the number of threads or rows, and not by its {n:,} elements? Then "
        "the formula of the mean is another one"
    )


def _rows_of_infinity(m: Mismatch, got: torch.Tensor) -> str | None:
    """For rows of 0: test whether they, and no others, have squares that overflow.

    Of one input of that shape, in the type of the output or in a half.
    """
    inputs = [x.double() for x in m.inputs if tuple(x.shape) == tuple(m.shape)]
    zeros = (got == 0).all(1)
    if len(inputs) != 1 or not bool(zeros.any()):
        return None
    squares = (inputs[0] - inputs[0].mean(1, keepdim=True)).square()
    for dtype in dict.fromkeys((torch.float16, m.got.dtype)):
        largest = torch.finfo(dtype).max
        if not bool((squares.sum(1)[zeros] > largest).all()):
            continue
        if bool((squares.mean(1)[~zeros] < largest).all()):
            k = int(zeros.long().argmax())
            return (
                f"row {k:,} came out as zeros, as what is divided by infinity: does its "
                f"variance overflow, as in {dtype_name(dtype)}, which holds no more than "
                f"{largest:.6g}?"
            )
    return None


def _follow_an_input(m: Mismatch, right: torch.Tensor) -> bool:
    """Test whether each row is an input's times a number above 0, but for their means.

    Of several inputs of this shape it is not known which, or their sum.
    """
    alike = [x.double() for x in m.inputs if tuple(x.shape) == tuple(m.shape)]
    if len(alike) != 1 or not bool(alike[0].isfinite().all()):
        return True
    x, y = (z - z.mean(1, keepdim=True) for z in (alike[0], right))
    both, sizes = (x * y).sum(1), x.norm(dim=1) * y.norm(dim=1)
    return bool((both >= (1 - 2.0**-10) * sizes).all())


def _as_divided(m: Mismatch, got: torch.Tensor, right: torch.Tensor) -> str:
    """Say by what power of its deviation each row seems to be divided, and by which it should.

    "" if by none: there must be rows of different deviations to tell.
    """
    if not m.inputs or m.inputs[0].numel() != m.got.numel():
        return ""
    size = m.inputs[0].double().reshape(m.shape).std(1, unbiased=False)
    some = size > 2.0**-6 * size.max()  # beside an epsilon
    logs = size[some].log()
    if len(logs) < LEAST_ROWS or float(logs.std()) < APART:
        return ""
    words = []
    for y in (got, right):
        made = y.std(1, unbiased=False)[some].log() - logs
        power = next(
            (p for p in DIVIDED_BY if torch.allclose(made, -p * logs, atol=NEAR)), None
        )
        if power is None:
            return ""
        words.append(DIVIDED_BY[power])
    return f", as if each row was {words[0]}, where it should be {words[1]}"


def _are_elsewhere(m: Mismatch) -> bool:
    """Test whether all numbers are right ones, in other places."""
    got, right = (x.double().reshape(-1).sort().values for x in (m.got, m.expected))
    return bool(((got - right).abs() <= rounding_error(m) * right.abs()).all())


def _rounded_sums(sums: torch.Tensor, powers: torch.Tensor) -> bool:
    """Test whether sums of rows are off by little, by no one factor and no one number.

    powers: what each row is divided by, to which an epsilon may be added.
    """
    off = (sums - 1).abs()
    if len(off) < LEAST_ROWS or not 0 < float(off.max()) < MOST_ROUNDED:
        return False
    if float(off.min()) < float(off.max()) / (2 * SEVERAL):
        return False  # of some rows only
    ways = (sums - 1, (1 / sums - 1) * powers)
    return all(float(x.max() - x.min()) > float(x.abs().max()) / SEVERAL for x in ways)


def _scaled(got: torch.Tensor, right: torch.Tensor) -> bool:
    """Test whether all numbers are off by one factor, which rounding does not make."""
    ratio = (got / right)[right != 0]
    if len(ratio) < SEVERAL // 2 or not bool(ratio.isfinite().all()):
        return False
    off = abs(float(ratio.median()) - 1)
    return off > 2.0**-18 and float((ratio - ratio.median()).abs().max()) < off / 8


def overflowed(m: Mismatch) -> str | None:
    """Test whether infinity or NaN comes out where the right result is finite, and no else.

    What overflows for large inputs may make NaN of infinite ones.
    """
    if not m.got.dtype.is_floating_point:
        return None
    right = rounded(m.expected, m.got.dtype)
    finite = right.isfinite()
    if not bool((~m.got.isfinite() & (finite | m.got.isnan()))[m.wrong].all()):
        return None
    if not bool(finite[m.wrong].any()):
        return None
    if bool(m.got.isnan()[m.wrong].all()):
        return None
    floats = [x for x in m.inputs if x.is_floating_point()]
    if floats and all(x.numel() > m.got.numel() for x in floats):
        if not all(bool(x.isfinite().all()) for x in floats):
            return None
        return (
            f"{INFINITE}, where the result is finite: does something "
            "overflow on the way (a sum in a narrower type, say), is it divided by zero, or "
            "the logarithm of 0 taken?"
        )
    if (least := _overflows(m, by_rows=True)) is None:
        return None
    same = len(floats) == 1 and floats[0].dtype == m.got.dtype
    if same and only_chooses(m) and bool((m.got[m.wrong] == -math.inf).all()):
        return (
            "-inf came out, where each result is one of the numbers that go in: is that "
            "what a maximum starts with, and are the elements left out, as by a loop that "
            "ends too early?"
        )
    if _rounded_to_infinity(m):
        return (
            "infinity came out of numbers just below those from which on it is right: are they "
            "rounded twice, first to a float?"
        )
    return (
        f"{INFINITE_FROM}, for inputs of a size from {least:.6g} "
        "on: does something overflow on the way?"
    )


def _rounded_to_infinity(m: Mismatch) -> bool:
    """Test whether doubles became infinity that a float does not tell from larger ones."""
    doubles = [x.reshape(-1).abs() for x in m.like_output if x.dtype is torch.float64]
    if len(doubles) != 1 or m.got.element_size() > 2:
        return False
    own = torch.finfo(m.got.dtype)
    border = own.max * (1 + own.eps / (4 - 2 * own.eps))  # half a unit above the largest
    wrong = doubles[0][m.wrong]
    return bool(((wrong < border) & (wrong.float().double() >= border)).all())


def made_nan(m: Mismatch) -> str | None:
    """Test whether every wrong element is NaN, and the size of numbers explains it."""
    if not _only_nan(m):
        return None
    if sentence := cancelled(m):
        return sentence
    if _normalises_one(m):
        return (
            f"{OF_ONE}: is 0 divided by 0, as where a variance "
            "is divided by their number less 1, nothing is added to a variance of 0, or a "
            "thread without an element divides by its count?"
        )
    if not only_chooses(m) and (least := _overflows(m)) is not None:
        if _in_negative_rows(m):
            return (
                f"NaN came out of rows of large negative numbers, from {-least:.6g} on: is 0 "
                "divided by 0, as exp of each is 0? Take off the row's own maximum first, not "
                "what is larger than all of them (a maximum that began at 0, say)"
            )
        return (
            f"NaN came out of large numbers, from {least:.6g} on: does something overflow on "
            "the way (infinity / infinity, infinity - infinity)?"
        )
    return None


def _normalises_one(m: Mismatch) -> bool:
    """Test whether each row has one element, and its result does not depend on it."""
    if m.reference is not None or len(m.shape) != 2 or m.shape[1] != 1 or len(m.inputs) > 3:
        return False
    if not m.inputs or tuple(m.inputs[0].shape) != tuple(m.shape) or not m.wrong.all():
        return False
    added = [x.double().reshape(-1) for x in m.inputs[1:] if x.numel() == 1]
    return any(bool((m.expected == one).all()) for one in (torch.zeros(1).double(), *added))


def _in_negative_rows(m: Mismatch) -> bool:
    """Test whether the wrong elements lie in rows of which every number is negative."""
    if len(m.shape) != 2 or [tuple(x.shape) for x in m.inputs] != [tuple(m.shape)]:
        return False
    rows = m.wrong.reshape(m.shape).any(dim=1)
    return bool((m.inputs[0][rows] < 0).all())


def nan_that_must_not_count(m: Mismatch) -> str | None:
    """Test whether every wrong element is NaN, none should be, and an input holds a NaN."""
    if not _only_nan(m) or bool(m.expected.isnan().any()):
        return None
    held = [k for k, x in enumerate(m.inputs, 1) if bool(x.isnan().any())]
    if not held:
        return None
    names = " and ".join(map(str, held))
    return (
        f"NaN came out of input {names}, whose NaN must not count here: is it read and "
        "multiplied by 0, say, where it should not be read (0 * NaN is NaN)?"
    )


def nan_of_nothing(m: Mismatch) -> str | None:
    """Test whether every wrong element is NaN, and no element should be."""
    if not _only_nan(m) or bool(m.expected.isnan().any()):
        return None
    if _of_masked_rows(m):
        return (
            "NaN came out of rows of which nothing counts, and whose results should be 0: is "
            "it 0 divided by 0, or infinity taken from infinity? Give 0 where a mask leaves "
            "nothing"
        )
    return (
        f"{NAN_OF_NOTHING}: was memory read before anybody wrote it (the output, "
        "shared memory before a barrier)?"
    )


def _of_masked_rows(m: Mismatch) -> bool:
    """Test whether just those rows are wrong that should be 0, of a matrix with a mask."""
    if len(m.shape) < 2 or not any(x.dtype is torch.bool for x in m.inputs):
        return False
    zero, wrong = (x.reshape(-1, m.shape[-1]) for x in (m.expected == 0, m.wrong))
    return torch.equal(zero.all(dim=1), wrong.all(dim=1)) and bool(zero[wrong].all())


def _only_nan(m: Mismatch) -> bool:
    """Test whether every wrong element is NaN, and should not be."""
    if not m.got.dtype.is_floating_point:
        return False
    return bool((m.got.isnan() & ~m.expected.isnan())[m.wrong].all())


def nan_of_a_sign(m: Mismatch) -> str | None:
    """Test whether NaN came out of the inputs of one sign, and of no others."""
    if len(m.like_output) != 1 or not _only_nan(m):
        return None
    if not (sign := one_sign(m.like_output[0].double(), m.wrong)):
        return None
    return (
        f"NaN came out of {sign} inputs, and of no others: is it a root, a logarithm or a "
        "power that such a number does not have?"
    )


def variances(m: Mismatch) -> str | None:
    """For variances of rows, or their roots: test whether only those of large means are off.

    An array is one row.
    """
    if len(m.inputs) != 1 or m.inputs[0].dim() not in (1, 2) or not m.inputs[0].numel():
        return None
    x = m.inputs[0].double().reshape(-1, m.inputs[0].shape[-1])
    if not m.got.is_floating_point() or m.got.numel() != len(x) or len(m.shape) > 1:
        return None
    mean, deviations = x.mean(dim=1).abs(), x.std(dim=1, unbiased=False)
    powers = [p for p in (1, 2) if torch.allclose(m.expected, deviations**p)]
    if not powers or not bool((mean > LARGE_MEAN * deviations)[m.wrong].all()):
        return None
    off = (m.got.double() ** (2 / powers[0]) - deviations.square()).abs()
    if bool((off > (mean / LARGE_MEAN).square())[m.wrong].any()):
        return None  # more than rounding takes; NaN may come of a negative one
    return _cancels(int(m.wrong.nonzero()[0]), x)


def cancelled(m: Mismatch) -> str | None:
    """Test whether only rows go wrong whose mean is large beside their standard deviation."""
    if len(m.shape) != 2 or len(m.inputs) != 1 or tuple(m.inputs[0].shape) != m.shape:
        return None
    if not m.got.is_floating_point():
        return None
    if bool((m.expected >= 0).all()):  # of a softmax, which has no variance
        return None
    x, wrong = m.inputs[0].double(), m.wrong.reshape(m.shape).any(dim=1)
    ratio = (x.mean(dim=1).abs() / x.std(dim=1, unbiased=False)).nan_to_num(0.0)
    if not bool((ratio[wrong] > LARGE_MEAN).all()):
        return None
    right, got = (
        y.double().reshape(m.shape).std(1, unbiased=False) for y in (m.expected, m.got)
    )
    most = MOST_LOST * rounding_error(m) * ratio.square()  # of a variance, relative to it
    if bool(((got / right - 1).abs() > most)[wrong & (most < 1 / 4)].any()):
        return None
    return _cancels(int(wrong.nonzero()[0]), x)


def _cancels(k: int, x: torch.Tensor) -> str:
    """Say of row k of x [m, n] that its variance is lost."""
    return (
        f"row {k:,}, whose mean is {float(x[k].mean()):,.6g}, comes out wrong: is its variance "
        "computed as E[x^2] - E[x]^2? The two cancel, and their precision is lost: sum up (x - "
        "mean)^2"
    )


def _overflows(m: Mismatch, by_rows: bool = False) -> float | None:
    """Return the least input of a wrong element, if exp of half of it would overflow.

    None, too, if an input of a wrong element is NaN.
    """
    inputs = [x.reshape(-1).double() for x in m.inputs if x.numel() == m.got.numel()]
    if not inputs:
        return None
    largest = torch.stack(inputs).abs().amax(dim=0)
    if (
        by_rows and len(m.shape) == 2 and m.reference is None
    ):  # each row's largest counts for all of it
        largest = largest.reshape(m.shape).amax(dim=1, keepdim=True).expand(m.shape).reshape(-1)
    least = float(largest[m.wrong].min())
    finite = not bool(torch.stack(inputs).isnan().any(dim=0)[m.wrong].any())
    limit = math.log(torch.finfo(m.got.dtype).max) / 2
    return least if finite and limit < least < math.inf else None


def _zero_by_overflow(
    m: Mismatch, inputs: list[torch.Tensor], right: torch.Tensor
) -> float | None:
    """Return the least input of the wrong elements, if its size makes them 0; else None.

    Where numbers are flushed to zero, no subnormal result of other elements is right.
    """
    small = _is_subnormal(right)
    if not bool((small & ~m.wrong & (m.got != 0)).any()) or bool((m.got != 0)[m.wrong].any()):
        return None
    if bool(torch.stack([_is_subnormal(x) for x in inputs]).any(dim=0)[m.wrong].any()):
        return None
    return _overflows(m)


def zeros_of_subnormals(m: Mismatch) -> str | None:
    """For no operator: test whether 0 came out where all numbers that go in are subnormal."""
    floats = [x for x in m.inputs if x.is_floating_point()]
    if m.reference is not None or not floats or bool((m.got != 0)[m.wrong].any()):
        return None
    if not all(bool(x.any()) and bool((_is_subnormal(x) | (x == 0)).all()) for x in floats):
        return None
    return (
        "0 came out where all numbers are subnormal: are they flushed to zero, or taken for 0 "
        "(compared with FLT_MIN, or divided by something larger)?"
    )


def _steps_off(m: Mismatch) -> torch.Tensor:
    """Return how many steps between subnormal numbers each wrong element is off by."""
    info = torch.finfo(m.got.dtype)
    return (m.got.double() - m.expected)[m.wrong].abs() / (info.smallest_normal * info.eps)


def _another_subnormal(m: Mismatch) -> str:
    """Say of subnormal numbers that they go wrong, and by which factor, if by one."""
    info, steps = torch.finfo(m.got.dtype), _steps_off(m)
    if info.bits == 16 and bool((steps < FEW_STEPS).all()):
        few = "one or two" if bool((steps < NEXT_STEPS).all()) else "a few"
        return (
            f"only subnormal numbers go wrong, by {few} of the steps between such: is a "
            f"step on the way rounded to {dtype_name(m.got.dtype)}, in too little "
            "precision? Keep it in float, and round once, at the end"
        )
    ratio = m.got.double()[m.wrong] / m.expected[m.wrong]
    times = ""
    if bool((ratio == ratio[0]).all()) and bool(ratio.isfinite().all()):
        times = f", each {float(ratio[0]):.6g} times what it should be"
    return (
        f"only subnormal numbers go wrong{times}, and they are not flushed to zero: is the "
        "formula another one for them (another exponent, say)?"
    )


def vanished(m: Mismatch) -> str | None:
    """For an element of each: test whether 0 comes out from where exp overflows a type."""
    inputs = [x for x in m.like_output if x.is_floating_point()]
    if not m.got.dtype.is_floating_point or not inputs:
        return None
    if bool((m.got != 0)[m.wrong].any()) or int(m.wrong.sum()) < LEAST_ROWS:
        return None
    if m.reference is None:
        return _vanished_beyond(m)
    for x in (x.double().abs() for x in inputs):
        least = float(x[m.wrong].nan_to_num(0.0, 0.0, 0.0).min())
        for name, limit in EXP_ENDS.items():
            if limit <= least <= NEAR_END * limit:
                return f"0 came out for inputs of a size from {least:.6g} on, {_of_exp(name)}"
    return None


def _vanished_beyond(m: Mismatch) -> str | None:
    """Where no operator is known: test whether 0 comes out beyond such an end, and only there.

    Below it numbers other than 0 come out, in the most of the elements.
    """
    if len(m.shape) > 1 or any(x.shape != m.got.shape for x in m.inputs):
        return None
    if int(m.wrong.sum()) < SEVERAL:
        return None
    for place, x in enumerate((x.double() for x in m.inputs), 1):
        for side, sign in ((x, 1), (-x, -1)):
            least = float(side[m.wrong].min())
            for name, limit in EXP_ENDS.items():
                beyond = side >= least
                if not limit <= least <= NEAR_END * limit or bool((m.got != 0)[beyond].any()):
                    continue
                below = (m.got != 0)[~beyond]
                if int(below.sum()) < max(SEVERAL, MOST_BELOW * len(below)):
                    continue
                way = "on" if sign > 0 else "down"
                of = f"numbers of input {place}" if len(m.inputs) > 1 else "inputs"
                return f"0 came out for {of} from {sign * least:.6g} {way}, {_of_exp(name)}"
    return None


def _of_exp(name: str) -> str:
    """Ask whether exp overflows in a type, where results are small beyond its end."""
    return (
        f"where the result is small: exp of more than {EXP_ENDS[name]:.5g} overflows in "
        f"{name}. Is a step on the way held in that type, as a number divided by infinity is 0?"
    )


def clamped(m: Mismatch) -> str | None:
    """Test whether infinite results come out as the largest number."""
    if not m.got.dtype.is_floating_point:
        return None
    right = rounded(m.expected, m.got.dtype)
    infinite = right.isinf() & m.wrong
    most = torch.finfo(m.got.dtype).max
    if not bool(infinite.any()) or not bool((m.got.abs() == most)[m.wrong].all()):
        return None
    if not bool((right.isinf() | right.isnan())[m.wrong].all()):
        return None
    if bool(m.expected[m.wrong].isfinite().all()) and bool(m.expected.isinf().any()):
        return (
            f"a number beyond the largest one comes out as that, {most:.8g}, and infinity as "
            "infinity: is it rounded toward 0? To the nearest it is infinite"
        )
    too = ", and NaN likewise" if bool(right.isnan()[m.wrong].any()) else ""
    if m.inputs and all(x.numel() > m.got.numel() and x.isinf().all() for x in m.inputs):
        return (
            f"of infinities only it makes {float(m.got[m.wrong][0]):.8g}: does a maximum (or a "
            "minimum) start with that? Start with -INFINITY (with INFINITY), or with the first "
            "element"
        )
    return (
        f"an infinite result comes out as {most:.8g}, the largest number{too}: is it clamped "
        "to that? A result that overflows is infinite"
    )


def _is_subnormal(x: torch.Tensor) -> torch.Tensor:
    return (x != 0) & (x.abs() < torch.finfo(x.dtype).smallest_normal)


def _is_special(x: torch.Tensor) -> torch.Tensor:
    return _is_subnormal(x) | x.isnan() | x.isinf() | (x == 0)


def sign_of_zero(m: Mismatch) -> str | None:
    """Test whether all wrong elements are zeros of the other sign."""
    if not m.got.is_floating_point():
        return None
    zeros = (m.got == 0) & (m.expected == 0) & (m.got.signbit() != m.expected.signbit())
    return _other_zero(m.expected[m.wrong]) if bool(zeros[m.wrong].all()) else None


def _nearly_right(m: Mismatch) -> bool:
    """Test whether all wrong elements are finite, and nearly what they should be."""
    right = m.expected[m.wrong]
    near = (m.got.double()[m.wrong] - right).abs() <= NEAR * right.abs()
    return bool((near & right.isfinite() & (right != 0)).all())


def _other_zero(right: torch.Tensor) -> str:
    """Say of zeros that their sign is wrong; right: what they should be."""
    if bool(right.signbit().any()):
        return f"{ONLY_ZEROS}: -0.0 must stay -0.0 (0.0f + x loses it, and x + 0.0f too)"
    return f"{ONLY_ZEROS}: -0.0 comes out where the result is 0.0"


def skipped_zeros(m: Mismatch) -> str | None:
    """Test whether just sums go wrong that should be NaN, of numbers that are infinite."""
    numbers = [x for x in m.inputs if x.is_floating_point()]
    if m.reference is not None or not m.got.is_floating_point() or not numbers:
        return None
    if any(bool(x.isnan().any()) for x in numbers) or bool(m.got[m.wrong].isnan().any()):
        return None
    if not any(bool(x.isinf().any()) for x in numbers):
        return None
    if not bool(m.expected[m.wrong].isnan().all()):
        return None
    return (
        "each wrong result should be NaN, as of 0 * inf, or inf - inf: NaN must come out. Is a "
        "product skipped where one of its numbers is 0, or a sum ended before it?"
    )


def special(m: Mismatch) -> str | None:
    """Test whether only one class of special values goes wrong."""
    inputs = [x for x in m.like_output if x.is_floating_point()]
    if not m.got.is_floating_point() or (m.like_output and not inputs) or _nearly_right(m):
        return None
    right = rounded(m.expected, m.got.dtype)
    if not inputs:
        if _lost_nan(m, right):
            return (
                "each wrong result should be NaN, as what it is made of holds one: NaN must "
                "come out (fmaxf, fminf and comparisons drop it: a > b is false where a or b "
                "is NaN, whichever comes first)"
            )
        if bool(m.wrong.all()) or products_cancel(m):  # then "only" says nothing
            return None
        inputs = [right]

    def all_have(holds: Callable[[torch.Tensor], torch.Tensor], *more: torch.Tensor) -> bool:
        """Test whether in each wrong element one of the inputs (or of `more`) holds it."""
        return bool(torch.stack([holds(x) for x in (*inputs, *more)]).any(dim=0)[m.wrong].all())

    if bool(((m.got == 0) & (right == 0))[m.wrong].all()):
        if bool((m.expected != 0)[m.wrong].all()):
            return (
                "only results too small for their type go wrong, which are zeros of their own "
                "sign: is a step on the way computed in less precision?"
            )
        return _other_zero(right[m.wrong])
    zeros, nans = (m.got == 0) & (right == 0), right.isnan()
    if bool((zeros | nans)[m.wrong].all()) and bool((zeros & m.wrong).any()):
        went_in = torch.stack([x.isnan() for x in inputs]).any(dim=0)
        if bool(went_in[nans & m.wrong].all()):
            return (
                "only NaN and the sign of zero go wrong: a NaN that goes in must come out "
                "(fmaxf, fminf and comparisons drop it), and -0.0 is not 0.0"
            )
        return (
            "only the sign of zero and NaN go wrong: -0.0 is no 0.0, and what makes a NaN (0 * "
            "infinity, too) must be computed"
        )
    if all_have(torch.isnan):
        return (
            "only NaN goes wrong: a NaN that goes in must come out (fmaxf, fminf and "
            "comparisons drop it)"
        )
    if all_have(_is_subnormal, right):
        if (least := _zero_by_overflow(m, inputs, right)) is not None:
            return (
                f"0 came out for inputs of a size from {least:.6g} on, where the result is "
                "small: does something overflow on the way, as a number divided by infinity "
                "is 0?"
            )
        flushed = (m.got == 0)[m.wrong]
        few = m.got.element_size() == 2 and bool((_steps_off(m) < FEW_STEPS).all())
        if not bool(flushed.any()) or (few and not bool(flushed.all())):
            return _another_subnormal(m)
        return "only subnormal numbers go wrong: are they flushed to zero (--use_fast_math)?"
    infinite = bool(right.isinf()[m.wrong].all())
    if infinite and len(m.like_output) == 1 and bool((inputs[0] == 0)[m.wrong].all()):
        return "only inputs of 0 go wrong, whose result is infinite: what is divided by them?"
    if all_have(torch.isinf, right):
        if m.like_output and bool((m.got.isnan() & ~right.isnan())[m.wrong].all()):
            return (
                "NaN came out of infinite inputs, where the result is no NaN: is infinity "
                "divided by infinity, taken from infinity, or multiplied by 0 on the way?"
            )
        if m.like_output and bool((right.isnan() & m.got.isfinite())[m.wrong].all()):
            return (
                "only infinity goes wrong: a number comes out where NaN must come out, as of "
                "0 * infinity: is it computed behind a test (isfinite, or a comparison with "
                "0)? It must be computed there, too"
            )
        return (
            "only infinity goes wrong: a result that overflows is infinite, and infinity plus "
            "a number stays so"
        )
    told = ~right.isnan() & ((right != 0) | (zeros & m.wrong))  # of the others the inputs tell
    ordinary = torch.where(told, right, torch.ones_like(right))
    if not m.like_output and len(right) < SEVERAL:
        return None  # of a few elements of a matrix some are zeros by chance
    if all_have(_is_special, ordinary):
        return _kinds(m, [*inputs, ordinary])
    return None


def _lost_nan(m: Mismatch, right: torch.Tensor) -> bool:
    """Test whether all results are wrong, or one is, where a NaN that went in is lost."""
    if m.reference is not None or not bool(m.wrong.all()):
        return False
    went_in = any(x.is_floating_point() and bool(x.isnan().any()) for x in m.inputs)
    return went_in and bool(right.isnan().all()) and not bool(m.got.isnan().any())


def _kinds(m: Mismatch, tensors: list[torch.Tensor]) -> str | None:
    """Name the kinds of special values that go wrong; None if there are many."""
    kinds = {
        "NaN": torch.isnan,
        "infinity": torch.isinf,
        "subnormal numbers": _is_subnormal,
        "zeros": lambda x: x == 0,
    }
    right = rounded(m.expected, m.got.dtype)
    signs = m.wrong & (m.got == 0) & (right == 0)
    left, names = m.wrong & ~signs, []
    for name, holds in kinds.items():
        has = torch.stack([holds(x) for x in tensors]).any(dim=0) & left
        if bool(has.any()):
            names.append(name)
        left &= ~has
    if bool(signs.any()):
        names.append("the sign of zero")
    stays = _is_subnormal(right) & ~m.wrong
    lost = bool((m.got == 0)[m.wrong].all()) and not bool(stays.any())
    if names == ["subnormal numbers", "the sign of zero"] and lost:
        return (
            "each subnormal result comes out as 0: are small numbers flushed to zero? Then "
            "-0.0 comes out as 0.0, too"
        )
    if len(names) > MOST_KINDS:
        return None
    if names == ["zeros"] and not bool((m.got == 0)[m.wrong].any()):
        return (
            "only zeros go wrong: is the formula another one there (a >= in the place of a >, "
            "or the other way round)?"
        )
    if bool((right.isnan() & ~m.got.isnan())[m.wrong].all()):
        return (
            "only results that must be NaN go wrong: are they treated as IEEE 754 asks? The "
            "NaN is lost where a comparison with it decides, which is false, or in fmaxf and "
            "fminf"
        )
    which = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"only {which} go wrong: are they treated as IEEE 754 asks?"


def whole_range(m: Mismatch) -> str | None:
    """For integer outputs: test whether only large numbers go wrong, and in which way."""
    if m.got.dtype.is_floating_point or m.got.dtype is torch.bool:
        return None
    info = torch.iinfo(m.got.dtype)
    beyond = (m.expected < info.min) | (m.expected > info.max)
    if sentence := _rounded_before_it_wraps(m):
        return sentence
    if bool(beyond[m.wrong].all()) and not bool(beyond[~m.wrong].any()):
        return (
            f"only results beyond the range of {info.dtype} go wrong: they must wrap around "
            f"(modulo 2^{info.bits}), not saturate"
        )
    inside = m.wrong & ~beyond
    if int(inside.sum()) < SEVERAL:
        return None
    relative = ((m.got.double() - m.expected) / m.expected)[inside].abs()
    rounded_ones = (relative < 2.0**-20) & (m.expected[inside].abs() >= 1 << 24)
    beside = (m.got.double() - m.expected)[
        inside
    ].abs() == 1  # as of what is shifted or divided
    if 2 * int(rounded_ones.sum()) >= len(beside) and _is_large(m):
        rounded_ones |= beside
    if float(rounded_ones.double().mean()) > 0.9:  # but for those that are rounded out of range
        return (
            f"{LARGE_ROUNDED}: is it computed in a narrower precision, in "
            "float, which is exact only up to 16,777,216?"
        )
    return None


def _rounded_before_it_wraps(m: Mismatch) -> str | None:
    """Test whether each wrong integer is that of the right number, rounded to a float."""
    exact, bits_ = m.expected, torch.iinfo(m.got.dtype).bits
    if not bool((exact.abs()[m.wrong] > 1 << 24).all()) or int(m.wrong.sum()) < SEVERAL:
        return None
    if bits_ == 64 or not bool((exact.abs() < 2.0**52).all()):
        return None
    made = exact.float().double().long().remainder(1 << bits_)
    if not torch.equal(made, m.got.long().remainder(1 << bits_)):
        return None
    return (
        f"{LARGE_ROUNDED}, before they are cut to {dtype_name(m.got.dtype)}: are they computed "
        "in a narrower precision, in float, which is exact only up to 16,777,216?"
    )


def _is_large(m: Mismatch) -> bool:
    """Test whether each wrong element is made of an integer that a float does not hold."""
    inputs = [x for x in m.like_output if not x.is_floating_point()]
    large = [x.double().abs() > 1 << 24 for x in inputs if x.dtype is not torch.bool]
    return bool(large) and bool(torch.stack(large).any(dim=0)[m.wrong].all())


def factor(m: Mismatch) -> str | None:
    """Test whether each wrong element is the right one times the same number.

    If all that is right is one number, a sum of it and another one is so, too.
    """
    if int(m.wrong.sum()) < SEVERAL:
        return None
    if m.reference is None and len(m.expected[m.wrong].unique()) < 2:
        return None
    ratio = (m.got.double() / m.expected)[m.wrong]
    if not bool(ratio.isfinite().all()):
        return None
    middle, limit, least = float(ratio.median()), 1e-4, 2.0**-12
    if m.got.dtype in (torch.float16, torch.bfloat16) and m.shape[:-1] != (1,):
        limit = torch.finfo(m.got.dtype).eps
        least = FAR_FACTOR * limit
    if not bool(((ratio - middle).abs() <= limit * abs(middle)).all()):
        return None
    if abs(middle - 1) < least or middle == 0:
        return None
    turned = (
        ", or are the operands of a difference swapped"
        if middle == -1 and _is_of_two(m)
        else ""
    )
    return (
        f"each wrong element is {middle:.6g} times the right one: another factor, a "
        f"formula{turned}?"
    )


def _is_of_two(m: Mismatch) -> bool:
    """Test whether two inputs are of one type, that of the output."""
    return [x.dtype for x in m.inputs].count(m.got.dtype) == 2
