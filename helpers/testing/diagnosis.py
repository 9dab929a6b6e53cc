"""What wrong numbers look like: from a result, what it should be and its inputs to the clause that helps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import torch

VAGUE = "elements are wrong"  # in a clause that knows no better
BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def same_bits(got: torch.Tensor, pattern: int) -> torch.Tensor:
    """Which elements of `got` consist of the bits of `pattern`, as bool in its shape."""
    bits = BITS[got.element_size()]
    return got.view(bits) == torch.tensor(pattern, dtype=bits)


def rounded(exact: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The float64 `exact` in `dtype`, rounded once, to nearest even.

    PyTorch makes a float16 of a float64 by way of float32, and so rounds twice. Here the step to float32 rounds
    to odd, as `check.multiply_add` does, which leaves nothing to be rounded wrongly.
    """
    if not dtype.is_floating_point or dtype.itemsize > 2:
        return exact.to(dtype)
    single = exact.float()
    even = single.view(torch.int32) & 1 == 0
    inexact = (single.double() != exact) & single.isfinite() & even
    towards = torch.where(exact > single.double(), float("inf"), float("-inf"))
    return torch.where(inexact, torch.nextafter(single, towards.float()), single).to(dtype)


def ulp_distance(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """How many representable numbers lie between `got` and the float64 `expected`, as float64. Shape as `got`.

    0 where both are NaN; infinite where one is NaN, or where exactly one is infinite, or the sign of zero differs.
    """
    right = rounded(expected, got.dtype)
    if not got.dtype.is_floating_point:
        return (got.double() - right.double()).abs()
    bits = BITS[got.element_size()]
    lowest = torch.iinfo(bits).min

    def ordered(
        x: torch.Tensor,
    ) -> torch.Tensor:  # the bit patterns of floats, in the order of their values
        whole = x.view(bits).to(torch.float64 if bits is torch.int64 else torch.int64).double()
        return torch.where(whole < 0, lowest - whole, whole)

    distance = (ordered(got) - ordered(right)).abs()
    differs = got.isnan() != right.isnan()
    differs |= got.isinf() != right.isinf()
    differs |= (got == 0) & (right == 0) & (got.signbit() != right.signbit())
    distance[differs] = float("inf")
    distance[got.isnan() & right.isnan()] = 0
    return distance


def describe(value: torch.Tensor) -> str:
    """A number as a sentence shows it."""
    return f"{value.item():.8g}" if value.dtype.is_floating_point else str(value.item())


def _same(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Equal after rounding to the dtype of `got`, NaN to NaN."""
    return bool((ulp_distance(got, expected) == 0).all())


def _elements(count: int) -> str:
    return "element was" if count == 1 else f"{count:,} elements were"


def _unwritten(got: torch.Tensor, wrong: torch.Tensor, poison: int) -> str | None:
    unwritten = same_bits(got, poison) & wrong
    if not bool(unwritten.any()):
        return None
    if bool(unwritten.all()):
        return "nothing was written: does the kernel store to its output, and does the launch cover every element?"
    n, where = got.numel(), unwritten.nonzero().flatten()
    if (first := int(where[0])) >= 1 << 15 and first & (first - 1) == 0:
        return f"all is right below index {first:,}, and nothing is written from there on: is an index too narrow?"
    if len(where) == n - first:
        return f"the last {_elements(len(where))} never written: is the tail handled, is the grid rounded up?"
    return (
        f"{len(where):,} of {n:,} elements were never written, the first at index {first:,}: what the output held "
        "before stays there"
    )


def _other_operands(
    got: torch.Tensor, inputs: Sequence[torch.Tensor], reference: Callable | None
) -> str | None:
    """Whether the operands seem to have changed places."""
    if reference is None or got.numel() < 3:
        return None
    for order in list(itertools.permutations(range(len(inputs))))[1:]:
        other = reference(*[inputs[place].double() for place in order])
        if isinstance(other, torch.Tensor) and other.shape == got.shape and _same(got, other):
            return "this is the result with its operands swapped: are they in the launcher's order?"
    return None


def _neighbour(got: torch.Tensor, expected: torch.Tensor) -> str | None:
    """Whether each element is the right one of another index."""
    n = got.numel()
    for shift in (1, -1, 2, -2, 4, -4, 8, -8):
        inside = slice(max(0, -shift), n - max(0, shift))
        if n > 32 and _same(got[inside], expected.roll(-shift)[inside]):
            return f"each element is the right one of index i {'+' if shift > 0 else '-'} {abs(shift)}"
    return None


def _tail(got: torch.Tensor, wrong: torch.Tensor) -> str | None:
    index = wrong.nonzero().flatten()
    first, count = int(index[0]), len(index)
    if first == 0 or not bool(wrong[first:].all()):
        return None
    if first >= 1 << 15:
        return f"all is right below index {first:,} and wrong from there on: is an index or a count too narrow?"
    which = "the last element is" if count == 1 else f"the last {count:,} elements are"
    return f"{which} wrong: is the tail of n % width done once, at the right place?"


def _special(
    got: torch.Tensor,
    expected: torch.Tensor,
    wrong: torch.Tensor,
    inputs: Sequence[torch.Tensor],
) -> str | None:
    """Whether only one class of odd numbers goes wrong."""
    if not inputs or not got.dtype.is_floating_point:
        return None
    right = rounded(expected, got.dtype)

    def any_of(holds: Callable[[torch.Tensor], torch.Tensor], *more: torch.Tensor) -> bool:
        return bool(torch.stack([holds(x) for x in (*inputs, *more)]).any(dim=0)[wrong].all())

    def is_subnormal(x: torch.Tensor) -> torch.Tensor:
        return (x != 0) & (x.abs() < torch.finfo(x.dtype).smallest_normal)

    if any(not x.dtype.is_floating_point for x in inputs):
        return None
    if bool(((got == 0) & (right == 0))[wrong].all()):
        return "only the sign of zero goes wrong: -0.0 must stay -0.0 (0.0f + x loses it, and x + 0.0f too)"
    if any_of(torch.isnan):
        return "only NaN goes wrong: a NaN that goes in must come out (fmaxf, fminf and comparisons drop it)"
    if any_of(is_subnormal, right):
        return "only subnormal numbers go wrong: are they flushed to zero (--use_fast_math)?"
    if any_of(torch.isinf, right):
        return "only infinity goes wrong: a result that overflows is infinite, and infinity plus a number stays so"
    if any_of(lambda x: is_subnormal(x) | x.isnan() | x.isinf() | (x == 0)):
        return "only special values (zeros, infinities, NaN, subnormals) go wrong"
    return None


def _suffix(
    got: torch.Tensor, expected: torch.Tensor, inputs: Sequence[torch.Tensor]
) -> str | None:
    """For one result of many numbers: whether it is off by the sum of the last few of them."""
    if got.numel() != 1 or not inputs:
        return None
    off, x = float(got.double() - expected), inputs[0].double().flatten()
    for count in range(1, min(16, x.numel()) + 1):
        total = float(x[-count:].sum())
        if off and total and off in (total, -total):
            what = "added twice" if off == total else "left out"
            which = "last element" if count == 1 else f"sum of the last {count} elements"
            return f"it is off by just the {which}: is the tail {what}?"
    return None


def _precision(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor) -> str | None:
    if not got.dtype.is_floating_point:
        return None
    distance = float(ulp_distance(got, expected)[wrong].max())
    if distance <= 1:
        return "off by one in the last place: is it rounded twice on the way, or not to the nearest (a tie to even)?"
    relative = ((got.double() - expected) / expected)[wrong].abs()
    worst = float(relative.max()) if bool(relative.isfinite().all()) else 1.0
    if worst < 2.0**-5:
        bits = _bits(torch.finfo(got.dtype).eps / 2)
        return (
            f"right to only {_bits(worst)} of {bits} bits: is it computed, summed or rounded in a narrower precision "
            "on the way?"
        )
    return None


def _bits(relative: float) -> int:
    """How many leading bits agree at that relative error."""
    return int(-math.log2(relative)) if relative else 64


def clause(
    got: torch.Tensor,
    expected: torch.Tensor,
    wrong: torch.Tensor,
    inputs: Sequence[torch.Tensor],
    poison: int,
    reference: Callable | None = None,
) -> str:
    """The most telling guess at what went wrong, in a clause.

    got, expected (float64), wrong (bool): [n] on the CPU, with at least one wrong. inputs: of any shape.
    poison: the bits that the output was filled with. reference: as `check.Case.reference`.
    """
    n, same_shape = got.numel(), [x for x in inputs if x.shape == got.shape]
    if found := _unwritten(got, wrong, poison):
        return found
    for place, x in enumerate(same_shape):
        if n > 2 and torch.equal(got.double(), x.double()):
            return f"the output is a copy of input {place + 1}"
    if n > 2 and bool((got == got[0]).all()):
        return f"every element is {describe(got[0])}, a constant"
    if (
        got.dtype.is_floating_point
        and bool(got.isnan()[wrong].all())
        and not bool(expected.isnan().any())
    ):
        return (
            "NaN came out where none went in: was memory read before anybody wrote it (the output, shared memory "
            "before a barrier)?"
        )
    guesses = (
        lambda: _other_operands(got, inputs, reference),
        lambda: _special(got, expected, wrong, same_shape),
        lambda: _neighbour(got, expected),
        lambda: _tail(got, wrong),
        lambda: _suffix(got, expected, inputs),
        lambda: _precision(got, expected, wrong),
    )
    for guess in guesses:
        if found := guess():
            return found
    return f"{int(wrong.sum()):,} of {n:,} {VAGUE}"
