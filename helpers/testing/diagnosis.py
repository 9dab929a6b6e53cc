"""Guess from a wrong output, its reference and its inputs what went wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from helpers.testing.references import rounded, same_bits, ulp_distance

NARROW_INDEX = 1 << 15  # from this index on, an index or a count may be too narrow
SHIFTS = (1, -1, 2, -2, 4, -4, 8, -8)
LONGEST_TAIL = 16  # elements
SHORT = 32  # elements; of fewer the place of a wrong one says little
SEVERAL = 8  # elements that must agree on a pattern


@dataclass(frozen=True)
class Diagnosis:
    """What looks wrong, in a clause for the learner.

    specific: False for the fallback, where no pattern was recognised. written: how many
    elements are right, if nothing is written behind them. unordered: it may be a race.
    """

    sentence: str
    specific: bool = True
    written: int = 0
    unordered: bool = False


@dataclass(frozen=True)
class Mismatch:
    """A wrong output: got, expected (float64) and wrong (bool) are CPU tensors [n].

    At least one element is wrong. inputs: of any shape. poison: the bits that the output was
    filled with before the call. reference: a function of the float64 inputs, or None if it is
    not known. shape: of the output, which may be a matrix.
    """

    got: torch.Tensor
    expected: torch.Tensor
    wrong: torch.Tensor
    inputs: Sequence[torch.Tensor] = ()
    poison: int = 0
    reference: Callable[..., torch.Tensor] | None = None
    shape: tuple[int, ...] = ()

    @property
    def like_output(self) -> list[torch.Tensor]:
        """The inputs that have the output's shape."""
        return [x for x in self.inputs if x.shape == self.got.shape]


def describe(value: torch.Tensor) -> str:
    """Format one element for an error message."""
    return f"{value.item():.8g}" if value.dtype.is_floating_point else str(value.item())


def _same(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Compare after rounding to the dtype of `got`; NaN equals NaN."""
    return bool((ulp_distance(got, expected) == 0).all())


def _elements(count: int) -> str:
    return "element was" if count == 1 else f"{count:,} elements were"


def _unwritten(m: Mismatch) -> str | None:
    """Find elements that still hold what was there before the call."""
    unwritten = same_bits(m.got, m.poison) & m.wrong
    if not bool(unwritten.any()):
        return None
    if bool(unwritten.all()):
        return (
            "nothing was written: does the kernel store to its output, and does the launch "
            "cover every element?"
        )
    n, where = m.got.numel(), unwritten.nonzero().flatten()
    first, count = int(where[0]), len(where)
    others = int((m.wrong & ~unwritten).sum())
    if count == n - first and n >> 16 and first == n % (1 << 16):
        return (
            f"nothing is written from index {first:,} on, the remainder of {n:,} and 2^16: is "
            "a count of 16 bits too narrow?"
        )
    if len(m.shape) == 2 and others:
        return (
            f"{count:,} of {n:,} elements were never written, and {others:,} hold another "
            "number than theirs: do rows and columns change places, in an index or in a bound?"
        )
    if len(m.shape) == 2 and count > LONGEST_TAIL:
        return (
            f"{count:,} of {n:,} elements were never written, the first at row "
            f"{first // m.shape[1]:,}, column {first % m.shape[1]:,}: what the output held "
            "before stays there"
        )
    if first >= NARROW_INDEX and first & (first - 1) == 0:
        return (
            f"all is right below index {first:,}, and nothing is written from there on: is an "
            "index too narrow?"
        )
    if count == n - first:
        return (
            f"the last {_elements(count)} never written: is the tail handled, is the grid "
            "rounded up?"
        )
    return (
        f"{count:,} of {n:,} elements were never written, the first at index {first:,}: what "
        "the output held before stays there"
    )


def _copy(m: Mismatch) -> str | None:
    """Compare the output with each input."""
    for place, x in enumerate(m.inputs, 1):
        if m.got.numel() <= 2 or x.numel() != m.got.numel():
            continue
        if torch.equal(m.got.double(), x.reshape(-1).double()):
            return f"the output is a copy of input {place}"
    return None


def _rows(m: Mismatch) -> str | None:
    """For rows that are normalised: compare the sum, the mean and the deviation of each."""
    if len(m.shape) != 2 or not bool(m.got.isfinite().all()):
        return None
    right, got = (x.double().reshape(m.shape) for x in (m.expected, m.got))
    ones = torch.ones(len(right), dtype=torch.float64)
    also = ", or is it that {} not count every element of the row" * (m.shape[1] > SEVERAL)
    if bool((right >= 0).all()) and torch.allclose(right.sum(1), ones):
        sums = got.sum(1)
        if bool((got == got[:, :1]).all()) and not bool((right == right[:, :1]).all()):
            return (
                "all elements of a row are alike: is the formula another one, or does the "
                "maximum or the sum not count every element of its row?"
            )
        k = int((sums - 1).abs().argmax())
        if abs(float(sums[k]) - 1) < 2.0**-5:
            return None
        return (
            f"the elements of row {k:,} add up to {float(sums[k]):.6g}, not to 1: is the "
            "formula another one" + also.format("its sum and its maximum do") + "?"
        )
    if m.shape[1] < 2 or not torch.allclose(right.mean(1), 0 * ones, atol=1e-9):
        return None
    means, deviations = got.mean(1), got.std(1, unbiased=False)
    k = int(means.abs().argmax())
    if abs(float(means[k])) > 1e-4:
        return (
            f"the mean of row {k:,} is {float(means[k]):.6g}, not 0: is the formula of the "
            "mean another one" + also.format("the mean does") + "?"
        )
    ratio = deviations / right.std(1, unbiased=False)
    k = int((ratio - 1).abs().nan_to_num(0.0).argmax())
    if abs(float(ratio[k]) - 1) > 2.0**-10:
        return (
            f"the standard deviation of row {k:,} is {float(ratio[k]):.6g} times the right "
            "one: is the formula of the variance another one?"
        )
    return None


def _constant(m: Mismatch) -> str | None:
    """Test whether all elements are equal."""
    if m.got.numel() > 2 and bool((m.got == m.got[0]).all()):
        return f"every element is {describe(m.got[0])}, a constant"
    return None


def _made_nan(m: Mismatch) -> str | None:
    """Test whether every wrong element is NaN, and no right one would be."""
    if not m.got.dtype.is_floating_point:
        return None
    if not bool(m.got.isnan()[m.wrong].all()) or bool(m.expected.isnan()[m.wrong].any()):
        return None
    if (least := _overflows(m)) is not None:
        return (
            f"NaN came out of large numbers, from {least:.6g} on: does something overflow on "
            "the way (infinity / infinity, infinity - infinity)?"
        )
    if bool(m.expected.isnan().any()):
        return None
    return (
        "NaN came out where none went in: was memory read before anybody wrote it (the output, "
        "shared memory before a barrier)?"
    )


def _overflows(m: Mismatch) -> float | None:
    """Return the least input of a wrong element, if exp of half of it would overflow.

    None, too, if an input of a wrong element is NaN.
    """
    inputs = [x.reshape(-1).double() for x in m.inputs if x.numel() == m.got.numel()]
    if not inputs:
        return None
    largest = torch.stack(inputs).abs().amax(dim=0)
    least = float(largest[m.wrong].min())
    finite = not bool(torch.stack(inputs).isnan().any(dim=0)[m.wrong].any())
    limit = math.log(torch.finfo(m.got.dtype).max) / 2
    return least if finite and limit < least < math.inf else None


def _one_operand(m: Mismatch) -> str | None:
    """Compare with the reference of one input in the place of another."""
    if m.reference is None or m.got.numel() < 3 or len(m.inputs) < 2:
        return None
    for ignored, taken in itertools.permutations(range(len(m.inputs)), 2):
        inputs = [x.double() for x in m.inputs]
        inputs[ignored] = inputs[taken]
        other = m.reference(*inputs)
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            if _same(m.got, other):
                return (
                    f"input {ignored + 1} has no effect: this is the result with input "
                    f"{taken + 1} in its place"
                )
    return None


def _clamped(m: Mismatch) -> str | None:
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
    too = ", and NaN likewise" if bool(right.isnan()[m.wrong].any()) else ""
    return (
        f"an infinite result comes out as {most:.8g}, the largest number{too}: is it clamped "
        "to that? A result that overflows is infinite"
    )


def _other_operands(m: Mismatch) -> str | None:
    """Compare with the reference of the inputs in every other order."""
    if m.reference is None or m.got.numel() < 3:
        return None
    for order in list(itertools.permutations(m.inputs))[1:]:
        other = m.reference(*[x.double() for x in order])
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            if _same(m.got, other):
                return (
                    "this is the result with its operands swapped: are they in the launcher's "
                    "order?"
                )
    return None


def _is_subnormal(x: torch.Tensor) -> torch.Tensor:
    return (x != 0) & (x.abs() < torch.finfo(x.dtype).smallest_normal)


def _is_special(x: torch.Tensor) -> torch.Tensor:
    return _is_subnormal(x) | x.isnan() | x.isinf() | (x == 0)


def _special(m: Mismatch) -> str | None:
    """Test whether only one class of special values goes wrong."""
    inputs = m.like_output
    if not all(x.dtype.is_floating_point for x in (m.got, *inputs)):
        return None
    right = rounded(m.expected, m.got.dtype)
    if not inputs:
        inputs = [right]

    def all_have(holds: Callable[[torch.Tensor], torch.Tensor], *more: torch.Tensor) -> bool:
        """Test whether in each wrong element one of the inputs (or of `more`) holds it."""
        return bool(torch.stack([holds(x) for x in (*inputs, *more)]).any(dim=0)[m.wrong].all())

    if bool(((m.got == 0) & (right == 0))[m.wrong].all()):
        return (
            "only the sign of zero goes wrong: -0.0 must stay -0.0 (0.0f + x loses it, and x + "
            "0.0f too)"
            if bool(right.signbit()[m.wrong].any())
            else "only the sign of zero goes wrong: -0.0 comes out where the result is 0.0"
        )
    zeros, nans = (m.got == 0) & (right == 0), right.isnan()
    if bool((zeros | nans)[m.wrong].all()) and bool((zeros & m.wrong).any()):
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
        return "only subnormal numbers go wrong: are they flushed to zero (--use_fast_math)?"
    if all_have(torch.isinf, right):
        return (
            "only infinity goes wrong: a result that overflows is infinite, and infinity plus "
            "a number stays so"
        )
    ordinary = torch.where(right.isnan() | (right == 0), torch.ones_like(right), right)
    if all_have(_is_special, ordinary):
        return _kinds(m, [*inputs, ordinary])
    return None


def _kinds(m: Mismatch, tensors: list[torch.Tensor]) -> str | None:
    """Name the kinds of special values that go wrong; None if there are more than two."""
    kinds = {
        "NaN": torch.isnan,
        "infinity": torch.isinf,
        "subnormal numbers": _is_subnormal,
        "zeros": lambda x: x == 0,
    }
    left, names = m.wrong.clone(), []
    for name, holds in kinds.items():
        has = torch.stack([holds(x) for x in tensors]).any(dim=0) & left
        if bool(has.any()):
            names.append(name)
        left &= ~has
    if len(names) > 2:
        return None
    which = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"only {which} go wrong: are they treated as IEEE 754 asks?"


def _whole_range(m: Mismatch) -> str | None:
    """For integer outputs: test whether only large numbers go wrong, and in which way."""
    if m.got.dtype.is_floating_point or m.got.dtype is torch.bool:
        return None
    info = torch.iinfo(m.got.dtype)
    beyond = (m.expected < info.min) | (m.expected > info.max)
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
    if float(rounded_ones.double().mean()) > 0.9:  # but for those that are rounded out of range
        return (
            "large whole numbers come out rounded: is it computed in a narrower precision, in "
            "float, which is exact only up to 16,777,216?"
        )
    return None


def _magnitude(m: Mismatch) -> str | None:
    """Test whether the elements of large integer inputs go wrong, and all others right."""
    integers = [x for x in m.like_output if not x.dtype.is_floating_point]
    if not integers or m.got.numel() < SEVERAL:
        return None
    size = torch.stack([x.double().abs() for x in integers]).amax(dim=0)
    right, wrong = size[~m.wrong], size[m.wrong]
    if len(right) < SEVERAL or float(right.max()) >= float(wrong.min()):
        return None
    return (
        f"right for numbers up to {float(right.max()):,.0f}, wrong from "
        f"{float(wrong.min()):,.0f} on: do they pass through a narrower integer type, or out "
        "of its range?"
    )


def _whole_numbers(m: Mismatch) -> str | None:
    """Test whether whole numbers came out where fractions should."""
    if not m.got.dtype.is_floating_point or not bool(m.got.isfinite().all()):
        return None
    fractions = m.expected != m.expected.round()
    if not bool(fractions[m.wrong].all()) or not bool((m.got == m.got.round())[m.wrong].all()):
        return None
    if len(m.got[m.wrong].unique()) < 4:
        return None  # one value may be whole by chance
    return "a whole number came out where a fraction should: are numbers truncated on the way?"


def _factor(m: Mismatch) -> str | None:
    """Test whether each wrong element is the right one times the same number."""
    if int(m.wrong.sum()) < SEVERAL:
        return None
    ratio = (m.got.double() / m.expected)[m.wrong]
    if not bool(ratio.isfinite().all()):
        return None
    middle = float(ratio.median())
    if not bool(((ratio - middle).abs() <= 1e-4 * abs(middle)).all()):
        return None
    if abs(middle - 1) < 2.0**-12 or middle == 0:
        return None
    return f"each wrong element is {middle:.6g} times the right one: another factor, a formula?"


def _half_line(m: Mismatch) -> str | None:
    """Test whether all elements of one sign of an input go wrong, and no others."""
    if len(m.like_output) != 1 or m.got.numel() <= SHORT:
        return None
    x = m.like_output[0].double()
    for name, side in (("negative", x < 0), ("positive", x > 0)):
        of_them = int((side & m.wrong).sum())
        if int((~side & ~m.wrong).sum()) < SEVERAL:
            continue
        if of_them == int(m.wrong.sum()) and of_them >= 0.9 * int(side.sum()) >= SEVERAL:
            return (
                f"only {name} inputs go wrong, and nearly all of them: is the formula another "
                "one there?"
            )
    for size, note in ((x.abs(), " (their absolute values)"), (x, ""), (-x, " (negated)")):
        right, wrong = size[x.isfinite() & ~m.wrong], size[x.isfinite() & m.wrong]
        if min(len(right), len(wrong)) < SEVERAL or float(right.max()) >= float(wrong.min()):
            continue
        return (
            f"right for inputs up to {float(right.max()):.6g}, wrong from "
            f"{float(wrong.min()):.6g} on{note}: is the formula another one there?"
        )
    return None


def _neighbour(m: Mismatch) -> str | None:
    """Test whether each element is the right one of another index."""
    n = m.got.numel()
    for shift in SHIFTS:
        inside = slice(max(0, -shift), n - max(0, shift))
        if n > 32 and _same(m.got[inside], m.expected.roll(-shift)[inside]):
            sign = "+" if shift > 0 else "-"
            return f"each element is the right one of index i {sign} {abs(shift)}"
    return None


def _tail(m: Mismatch) -> str | None:
    """Test whether all elements from some index on are wrong, and none before."""
    index = m.wrong.nonzero().flatten()
    first, count = int(index[0]), len(index)
    if first == 0 or not bool(m.wrong[first:].all()) or m.got.numel() <= SHORT:
        return None
    if LONGEST_TAIL < count and first < NARROW_INDEX:
        return None
    if first >= NARROW_INDEX:
        return (
            f"all is right below index {first:,} and wrong from there on: is an index or a "
            "count too narrow?"
        )
    which = "the last element is" if count == 1 else f"the last {count:,} elements are"
    return f"{which} wrong: is the tail of n % width done once, at the right place?"


def _suffix_sum(m: Mismatch) -> str | None:
    """For one result of many numbers: test whether it is off by the sum of the last few."""
    if m.got.numel() != 1 or not m.inputs:
        return None
    off, x = float(m.got.double() - m.expected), m.inputs[0].double().flatten()
    if x.numel() == 1:
        return None
    for count in range(1, min(LONGEST_TAIL, x.numel()) + 1):
        total = float(x[-count:].sum())
        if off and off in (total, -total):
            what = "added twice" if off == total else "left out"
            which = "last element" if count == 1 else f"sum of the last {count} elements"
            return f"it is off by just the {which}: is the tail {what}?"
    return None


def _precision(m: Mismatch) -> str | None:
    """Test whether the wrong elements are nearly right."""
    if not m.got.dtype.is_floating_point:
        return None
    if float(ulp_distance(m.got, m.expected)[m.wrong].max()) <= 1:
        return (
            "off by one in the last place: is it rounded twice on the way, or not to the "
            "nearest (a tie to even)?"
        )
    relative = ((m.got.double() - m.expected) / m.expected)[m.wrong].abs()
    if not bool((relative < 2.0**-5).all()):  # NaN and infinity, too
        return None
    if m.like_output and len(relative) < SEVERAL / 2:
        return None  # a few near ones may be so by chance
    agree = int(-math.log2(float(relative.max())))
    of = int(1 - math.log2(torch.finfo(m.got.dtype).eps))
    return (
        f"right to only {agree} of {of} bits: is it computed, summed or rounded in a narrower "
        "precision on the way?"
    )


PATTERNS = (
    _unwritten,
    _copy,
    _rows,
    _constant,
    _made_nan,
    _other_operands,
    _one_operand,
    _clamped,
    _special,
    _neighbour,
    _whole_range,
    _magnitude,
    _half_line,
    _factor,
    _tail,
    _suffix_sum,
    _whole_numbers,
    _precision,
)  # the most telling first


def diagnose(m: Mismatch) -> Diagnosis:
    """Return the first pattern that fits, else the number of wrong elements."""
    for pattern in PATTERNS:
        if sentence := pattern(m):
            return Diagnosis(sentence, written=_written(m), unordered=pattern is _made_nan)
    count, n = int(m.wrong.sum()), m.got.numel()
    sentence = f"{count:,} of {n:,} elements are wrong"
    if n > SHORT and count > 0.9 * n:
        sentence += ", nearly all: is the formula another one?"
    return Diagnosis(sentence, specific=False)


def _written(m: Mismatch) -> int:
    """Count the elements before those that were never written, if they are right."""
    where = m.wrong.nonzero().flatten()
    alone = torch.equal(same_bits(m.got, m.poison) & m.wrong, m.wrong)
    return int(where[0]) if alone and len(where) == m.got.numel() - int(where[0]) else 0
