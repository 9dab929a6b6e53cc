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


@dataclass(frozen=True)
class Diagnosis:
    """What looks wrong, in a clause for the learner.

    specific: False for the fallback, where no pattern was recognised.
    """

    sentence: str
    specific: bool = True


@dataclass(frozen=True)
class Mismatch:
    """A wrong output: got, expected (float64) and wrong (bool) are CPU tensors [n].

    At least one element is wrong. inputs: of any shape. poison: the bits that the output was
    filled with before the call. reference: a function of the float64 inputs, or None if it is
    not known.
    """

    got: torch.Tensor
    expected: torch.Tensor
    wrong: torch.Tensor
    inputs: Sequence[torch.Tensor] = ()
    poison: int = 0
    reference: Callable[..., torch.Tensor] | None = None

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
    for place, x in enumerate(m.like_output, 1):
        if m.got.numel() > 2 and torch.equal(m.got.double(), x.double()):
            return f"the output is a copy of input {place}"
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
    if not bool(m.got.isnan()[m.wrong].all()) or bool(m.expected.isnan().any()):
        return None
    return (
        "NaN came out where none went in: was memory read before anybody wrote it (the output, "
        "shared memory before a barrier)?"
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
    if not inputs or not all(x.dtype.is_floating_point for x in (m.got, *inputs)):
        return None
    right = rounded(m.expected, m.got.dtype)

    def all_have(holds: Callable[[torch.Tensor], torch.Tensor], *more: torch.Tensor) -> bool:
        """Test whether in each wrong element one of the inputs (or of `more`) holds it."""
        return bool(torch.stack([holds(x) for x in (*inputs, *more)]).any(dim=0)[m.wrong].all())

    if bool(((m.got == 0) & (right == 0))[m.wrong].all()):
        return (
            "only the sign of zero goes wrong: -0.0 must stay -0.0 (0.0f + x loses it, and x + "
            "0.0f too)"
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
    if all_have(_is_special):
        return "only special values (zeros, infinities, NaN, subnormals) go wrong"
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
    if first == 0 or not bool(m.wrong[first:].all()):
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
    agree = int(-math.log2(float(relative.max())))
    of = int(1 - math.log2(torch.finfo(m.got.dtype).eps))
    return (
        f"right to only {agree} of {of} bits: is it computed, summed or rounded in a narrower "
        "precision on the way?"
    )


PATTERNS = (
    _unwritten,
    _copy,
    _constant,
    _made_nan,
    _other_operands,
    _special,
    _neighbour,
    _tail,
    _suffix_sum,
    _precision,
)  # the most telling first


def diagnose(m: Mismatch) -> Diagnosis:
    """Return the first pattern that fits, else the number of wrong elements."""
    for pattern in PATTERNS:
        if sentence := pattern(m):
            return Diagnosis(sentence)
    count, n = int(m.wrong.sum()), m.got.numel()
    return Diagnosis(f"{count:,} of {n:,} elements are wrong", specific=False)
