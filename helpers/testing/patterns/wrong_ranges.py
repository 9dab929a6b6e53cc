"""Recognise a wrong output by a range: of squares on the way, or of the results.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
import math

import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch, describe, fits, same
from helpers.testing.references import rounded

ENDS = tuple(2.0**k for k in (15, 16, 31, 32, 63, 64))  # of integer types, rounded to float
SIGNED = {
    torch.int8: False,
    torch.int16: False,
    torch.int32: False,
    torch.int64: False,
    torch.uint8: True,
}
INT32 = torch.iinfo(torch.int32)
OF_INFINITY = torch.tensor([0.0, 1.0, math.inf], dtype=torch.float64)  # what is made of it
FEW_ZEROS = 16  # of the results of ReLU at least one of so many is 0
NEAR = 1 / 32  # of a limit, between what is right and what is wrong
NEAR_BITS = 1e-6  # relative: of what is rounded to a float
LEAST = 3  # results that must tell the same
EXACT = 2.0**53  # up to here a double holds each integer
MOST_BEYOND = 0.6  # of what is wrong
FAR_BEYOND = 1 << 20  # of a type of 8 or 16 bits, also after it is scaled
NEAR_AN_END = 0.25  # of a type's range
FAR = 4.0  # times beyond a limit: where two numbers are added up, too


def squares(m: Mismatch) -> str | None:
    """For an operator: test whether just those elements go wrong whose square has no place."""
    inputs = [x.double() for x in m.like_output if x.dtype is m.got.dtype]
    if m.reference is None or not inputs or not m.got.dtype.is_floating_point:
        return None
    largest = torch.stack([x.abs() for x in inputs]).amax(dim=0)
    own = torch.finfo(m.got.dtype)
    ordinary = largest.isfinite() & (largest > 0)
    over, under = (
        ordinary & side
        for side in (largest.square() > own.max / 2, largest.square() < own.smallest_normal)
    )
    right = rounded(m.expected, m.got.dtype)
    made = (over & m.got.isinf() & right.isfinite()) | (under & (m.got == 0) & (right != 0))
    wrong = m.wrong & ~m.got.isnan()
    if int(wrong.sum()) < SEVERAL or not bool((over | under)[wrong].all()):
        return None
    if 2 * int((made & wrong).sum()) < int(wrong.sum()):
        return None
    certain = over & (largest.square() > own.max * FAR) & right.isfinite()
    lost = right.abs() > own.smallest_normal / 2  # a smaller one may be as good as 0
    certain |= under & (largest.square() < own.smallest_normal * own.eps / FAR) & lost
    if bool((certain & ~m.wrong).any()) or not bool((certain & wrong).any()):
        return None
    return (
        "only elements go wrong whose inputs, times themselves, are too large or too small for "
        f"{str(m.got.dtype).removeprefix('torch.')}: does x * x overflow to infinity on the "
        "way, or become 0?"
    )


def other_sign(m: Mismatch) -> str | None:
    """For an operator: test whether a signed integer input is read as unsigned, or the reverse.

    Of each input the numbers that are another one in the other type; or just those of some
    places, as of the packs, and not of the tail.
    """
    if m.reference is None or m.got.dtype is torch.bool or m.got.numel() <= SHORT:
        return None
    if int(m.wrong.sum()) < SEVERAL:
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    if any(x.shape != m.got.shape for x in inputs):
        return None
    for place, x in enumerate(m.inputs):
        if x.dtype not in SIGNED:
            continue
        bits, read_signed = 8 * x.element_size(), SIGNED[x.dtype]
        own, step = inputs[place], 2.0**bits
        other = own - step * (own >= step / 2) if read_signed else own + step * (own < 0)
        made = m.reference(*inputs[:place], other, *inputs[place + 1 :])
        if not isinstance(made, torch.Tensor) or made.shape != m.got.shape:
            continue
        of_some = torch.where(m.wrong, made.double(), m.expected)
        if not any(same(m.got, y) or fits(m, y) for y in (made.double(), of_some)):
            continue
        which, other = (
            "negative ones",
            f"{step:,.0f} more: is it read as uint{bits}",
        )
        end = "has no negative numbers"
        if read_signed:
            which, end = f"numbers from {step / 2:,.0f} on", f"ends at {step / 2 - 1:,.0f}"
            other = f"{step:,.0f} less: is it read as int{bits}"
        return f"the {which} of input {place + 1} are taken for {other}, whose range {end}?"
    return None


def from_an_int(m: Mismatch) -> str | None:
    """For the largest or least of each row: test whether it starts with an end of 32 bits."""
    if m.got.dtype is not torch.int64 or any(x.shape == m.got.shape for x in m.inputs):
        return None
    got, right = m.got[m.wrong], m.expected[m.wrong]
    for end, beyond, what in (
        (INT32.min, right < INT32.min, "smaller"),
        (INT32.max, right > INT32.max, "larger"),
    ):
        if bool(((got == end) & beyond).all()):
            return (
                f"{end:,}, an end of the range of 32 bits, comes out where all numbers are "
                f"{what}: does the result start with that? Start with the same end of int64_t, "
                "or with the first number"
            )
    return None


def of_two(m: Mismatch) -> str | None:
    """Test whether elements go wrong only where the sum of two integers, or so, is too large.

    Some of those may come out right, as where what is made of them is clamped.
    """
    whole = [
        (k, x.reshape(-1))
        for k, x in enumerate(m.inputs, 1)
        if x.numel() == m.got.numel() and x.dtype in (torch.int8, torch.int16, torch.uint8)
    ]
    if m.reference is not None or int(m.wrong.sum()) < SEVERAL:
        return None
    for (j, x), (k, y) in itertools.combinations(whole, 2):
        if x.dtype != y.dtype:
            continue
        own, made = torch.iinfo(x.dtype), {"plus": x.long() + y, "less": x.long() - y}
        for word, number in made.items():
            beyond = (number < own.min) | (number > own.max)
            if bool((m.wrong & ~beyond).any()) or int((~beyond).sum()) < SEVERAL:
                continue
            if 2 * int(m.wrong.sum()) >= int(beyond.sum()):
                name = dtype_name(x.dtype)
                return (
                    f"only elements go wrong for which input {j} {word} input {k} is beyond "
                    f"the range of {name}: is that held in {name}, in which it wraps around?"
                )
    return None


def bits_of_the_other(m: Mismatch) -> str | None:
    """Test whether a float holds the bits of an integer, or an integer those of a float.

    As of results that are compared by their bits. What is right must then be the number whose
    bits, as of the other type, came out.
    """
    pairs = {torch.float32: torch.int32, torch.float64: torch.int64}
    pairs |= {integer: real for real, integer in pairs.items()}
    if m.got.dtype not in pairs or m.got.numel() < 2 or not bool(m.expected.isfinite().all()):
        return None
    other = m.got.view(pairs[m.got.dtype]).double()
    wrong, right = m.wrong & (other != 0), m.expected
    if int(wrong.sum()) < LEAST or not bool(other.isfinite().all()):
        return None
    if not m.got.is_floating_point():
        if bool(((other - right).abs() > NEAR_BITS * right.abs()).any()):
            return None
        return (
            "each integer that came out holds the bits of a float, which is the right number: "
            "is it stored as its bits (__float_as_int), where it should be converted, (int)x?"
        )
    for way in (torch.trunc, torch.round, torch.floor, torch.ceil):
        if torch.equal(way(right), other):
            return (
                f"{describe(m.got[wrong][0])} came out, the bits of the integer "
                f"{int(other[wrong][0]):,}: is a number converted to an integer, which rounds "
                "it, where its bits are meant (__float_as_int(x), not (int)x)?"
            )
    return None


def bits_as_a_number(m: Mismatch) -> str | None:
    """Test whether each result is the integer that has the bits of its input, a float.

    Or those of what is right, as where bits are moved to their places first.
    """
    integers = {2: torch.int16, 4: torch.int32}
    of = [(f"input {place}", x) for place, x in enumerate(m.inputs, 1)]
    if m.got.is_floating_point():
        of.append(("what is right", m.expected.to(m.got.dtype)))
    for name, x in of:
        integer = integers.get(x.element_size())
        if x.numel() != m.got.numel() or not x.is_floating_point() or integer is None:
            continue
        signed = x.reshape(-1).view(integer).double()
        unsigned = signed.where(signed >= 0, signed + 2.0 ** (8 * x.element_size()))
        for number, kind in (
            (signed, "short" if integer is torch.int16 else "int"),
            (unsigned, ""),
        ):
            made = rounded(number, m.got.dtype)
            if len(made.unique()) >= LEAST and torch.equal(made, m.got):
                kind = kind or ("ushort" if integer is torch.int16 else "uint")
                own = {torch.bfloat16: "bfloat16", torch.float16: "half"}.get(x.dtype, "float")
                if name == "what is right":
                    return (
                        "each result is the integer that has the bits of what is right: is "
                        f"another function called, a conversion, which takes these for a "
                        f"number? __{kind}_as_{own} leaves them as they are"
                    )
                return (
                    f"each result is the integer that has the bits of {name}: is "
                    f"another function called, which takes these for a number, as "
                    f"__{own}_as_{kind} does? To widen a float, convert it (__half2float)"
                )
    return None


def nothing_found(m: Mismatch) -> str | None:
    """For the largest or smallest of an array, or of each row: test whether infinity comes out.

    Of finite numbers that is what a search starts with, and nothing that overflows.
    """
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(())
    if m.reference is not None or not m.got.dtype.is_floating_point or not x.isfinite().all():
        return None
    if not x.dim() or not m.got.numel() or x.numel() % m.got.numel() or not m.got.isinf().any():
        return None
    if m.got.numel() > 1 and tuple(m.shape) != tuple(x.shape[:-1]):
        return None
    rows, got = x.reshape(m.got.numel(), -1), m.got.double()[m.wrong]
    if rows.shape[1] < 2 or not bool((got == got[0]).all()) or not bool(got[0].isinf()):
        return None
    for end, sign, most in (("largest", 1, rows.amax(1)), ("smallest", -1, rows.amin(1))):
        other = rows.amin(1) if sign > 0 else rows.amax(1)
        if not torch.equal(most, m.expected) or torch.equal(most, other):
            continue
        name = "infinity" if got[0] > 0 else "-infinity"
        if sign * float(got[0]) > 0:
            return (
                f"{name} came out as the {end} of finite numbers: does the search start with "
                "it? Start with the other infinity, or with the first element"
            )
        return (
            f"{name} came out of finite numbers, and a search for the {end} starts with that: "
            f"does one of its steps take another function ({'min' if sign > 0 else 'max'} for "
            f"{'max' if sign > 0 else 'min'}), or the result of threads that have no element?"
        )
    return None


def negative(m: Mismatch) -> str | None:
    """Test whether negative numbers come out where 0 should, the least of all results.

    And others are too large, or just an input comes out: as where ReLU comes before a sum. If
    nothing else is wrong, its limit may be left out as well.
    """
    got, right = m.got.double(), m.expected
    if m.reference is not None or not m.got.dtype.is_floating_point or len(got) <= SHORT:
        return None
    zeros, below = right == 0, got < 0
    if bool((right < 0).any()) or FEW_ZEROS * int(zeros.sum()) < len(right) or zeros.all():
        return None
    others = m.wrong & ~below
    if bool((below & ~zeros).any()) or int((m.wrong & below).sum()) < SEVERAL // 2:
        return None
    copied = any(
        x.numel() == len(got) and torch.equal(x.double().reshape(-1), got) for x in m.inputs
    )
    if int(others.sum()) < SEVERAL // 2 and not (copied and len(m.inputs) > 1):
        return None
    if not bool((got > right)[others].all()):
        return None
    return (
        "negative numbers came out where 0 should, the least of all results: does the formula "
        "take the larger of a number and 0 (ReLU) before its last term is added, or not at all?"
    )


def saturated(m: Mismatch) -> str | None:
    """For an operator of floats: test whether results are limited that should not be."""
    if m.reference is None or not m.got.dtype.is_floating_point or m.got.numel() <= SHORT:
        return None
    right, got = rounded(m.expected, m.got.dtype), m.got
    finite = right.isfinite()
    if not bool(finite[m.wrong].all()) or not bool(got[m.wrong].isfinite().all()):
        return None
    low, high = got[finite].min(), got[finite].max()
    if not bool((right.clamp(low, high) == got)[finite].all()):
        return None
    below, above = m.wrong & (right < low), m.wrong & (right > high)
    limits = []
    for side, word, limit in ((below, "below", low), (above, "above", high)):
        if int(side.sum()) >= SEVERAL // 2:
            limits.append(f"{word} {describe(limit)}")
    if not limits or len(got[below | above].unique()) > 2:
        return None
    if all(abs(float(got[x][0])) in ENDS for x in (below, above) if bool(x.any())):
        return (
            f"wrong only for results {' and '.join(limits)}, where an integer type ends: do "
            "they pass through an integer, out of its range?"
        )
    return (
        f"wrong only for results {' and '.join(limits)}, each of which comes out as that: is "
        "the formula another one there, limited where it should not be?"
    )


def clamped_integers(m: Mismatch) -> str | None:
    """For integers: test whether each wrong element is an end of the type; both ends occur.

    Or one, of an operator whose right results wrap around there. Not of NaN alone.
    """
    if m.got.dtype.is_floating_point or m.got.dtype in (torch.bool, torch.uint8):
        return None
    info = torch.iinfo(m.got.dtype)
    low, high = ((m.got == end) & m.wrong for end in (info.min, info.max))
    if not torch.equal(low | high, m.wrong):
        return None
    if any(bool(x.isnan().reshape(-1)[m.wrong].all()) for x in m.like_output):
        return None  # an end is what a cast makes of NaN
    some = m.elementwise and m.got.numel() > SHORT and not bool(m.wrong.all())
    beyond = (m.expected > info.max) | (m.expected < info.min)
    wraps = beyond | ((m.expected < 0) != low)
    if not bool(low.any() and high.any()) and not (some and bool(wraps[m.wrong].all())):
        return None
    name = str(info.dtype).removeprefix("torch.")
    if any(_is_cast(m, x) for x in m.inputs):
        return (
            f"each wrong result is {info.min} or {info.max}, an end of {name}, and the right "
            "one is the number that goes in: does that overflow on the way, in a type of too "
            "small a range or precision (a half ends at 65,504)?"
        )
    return (
        f"each wrong result is {info.min} or {info.max}, an end of {name}: is what is beyond "
        f"the range clamped? The right one wraps around (modulo 2^{info.bits})"
    )


def _is_cast(m: Mismatch, x: torch.Tensor) -> bool:
    """Test whether what is right is an input's number, rounded, where the output is wrong."""
    if x.numel() != m.got.numel() or not x.is_floating_point():
        return False
    own, right = x.reshape(-1).double()[m.wrong], m.expected[m.wrong]
    return bool(((own - right).abs() <= 1).all())


def not_limited(m: Mismatch) -> str | None:
    """For a cast to integers that saturates: test whether numbers wrap around instead.

    A float is made an int32 first, as on a GPU, where what is beyond that is its end; for an
    int32 it was an int64.
    """
    if m.got.dtype.is_floating_point or m.got.element_size() > 4 or m.got.dtype is torch.bool:
        return None
    info, right, got = torch.iinfo(m.got.dtype), m.expected.double(), m.got.double()
    ends = (right == info.min) | (right == info.max)
    if not bool(m.wrong.any()) or bool((m.wrong & ~ends).any()):
        return None
    made = torch.iinfo(torch.int32 if info.bits < 32 else torch.int64)
    floats = [x for x in m.inputs if x.numel() == m.got.numel() and x.is_floating_point()]
    for way, one in itertools.product((torch.round, torch.trunc, torch.floor), floats):
        x = one.reshape(-1).double()[m.wrong]
        beyond = (x < info.min) | (x > info.max)
        if not bool(beyond.all()) or (info.bits == 32 and not bool((x.abs() < EXACT).all())):
            continue
        number = way(x).clamp(made.min, made.max)
        if torch.equal((number - info.min) % (1 << info.bits) + info.min, got[m.wrong]):
            name = str(m.got.dtype).removeprefix("torch.")
            return (
                f"what is beyond the range of {name} wraps around, and should be its end, "
                f"{info.min:,} or {info.max:,}: limit it (saturate) before it is converted"
            )
    return None


def beyond_an_end(m: Mismatch) -> str | None:
    """For small integers made of floats: test whether those beyond an end go wrong.

    Such as should be the largest number of the type, or the smallest: they are several numbers,
    as what wraps around is, or the other end, as of an int that does so on the way. What wraps
    around in a word of packed numbers may spoil a few others.
    """
    if m.got.dtype.is_floating_point or m.got.element_size() > 2 or m.got.dtype is torch.bool:
        return None
    same = [x for x in m.inputs if x.numel() == m.got.numel() and x.is_floating_point()]
    info, right, got = torch.iinfo(m.got.dtype), m.expected.double(), m.got.double()
    ends = (right == info.min) | (right == info.max)
    beyond, inside = m.wrong & ends, ~m.wrong & ~ends
    if len(same) != 1 or not bool(beyond.any()) or beyond.sum() < MOST_BEYOND * m.wrong.sum():
        return None
    x = same[0].reshape(-1)[m.wrong]
    if not bool(x.isfinite().all()):
        return None
    name = str(m.got.dtype).removeprefix("torch.")
    limit = f"limit it (saturate) to {info.min:,} and {info.max:,} before it is converted"
    other = torch.where(right == info.max, info.min, info.max)
    if float(x.abs().min()) > FAR_BEYOND and bool((got == other)[m.wrong].all()):
        return (
            f"what is far beyond the range of {name} comes out as its other end: does an int "
            f"wrap around on the way? While it is a float, {limit}"
        )
    several = len(got[beyond].unique()) >= SEVERAL // 2
    told = len(right[inside].unique()) >= SEVERAL // 2 or _goes_round(m, same[0].reshape(-1))
    if not (several and told):
        return None
    which = "only what" if bool((beyond == m.wrong).all()) else "mostly what"
    return (
        f"{which} is beyond the range of {name} goes wrong: does it wrap around? Then {limit}"
    )


def infinite_not_limited(m: Mismatch) -> str | None:
    """For small integers made of floats: test whether infinite ones alone go wrong.

    Where what is right is the farthest result on its side, a limit is left out there.
    """
    if m.got.dtype.is_floating_point or m.got.element_size() > 2 or m.got.dtype is torch.bool:
        return None
    same = [x for x in m.inputs if x.numel() == m.got.numel() and x.is_floating_point()]
    if len(same) != 1 or not bool(m.wrong.any()):
        return None
    x, right, got = same[0].reshape(-1)[m.wrong], m.expected[m.wrong], m.got[m.wrong].double()
    sides = x.sign().unique()
    if not bool(x.isinf().all()) or len(sides) > 1 or len(right.unique()) > 1:
        return None
    side = float(sides[0])
    if bool((m.expected * side > right[0] * side).any()) or right[0] * side <= 0:
        return None
    if bool((got * side >= right.double() * side).any()):
        return None
    return (
        f"{'-' * (side < 0)}infinity comes out as {describe(m.got[m.wrong][0])}, and should be "
        f"limited to {describe(right[0])}: is what is beyond the range limited (saturated) on "
        "that side, too, before it is converted?"
    )


def _goes_round(m: Mismatch, x: torch.Tensor) -> bool:
    """Test whether what should be an end begins at the other one, and follows the input."""
    info = torch.iinfo(m.got.dtype)
    for end, other in ((info.max, info.min), (info.min, info.max)):
        beyond = m.wrong & (m.expected == end)
        got = m.got.double()[beyond]
        if bool(((got - other).abs() > NEAR_AN_END * (info.max - info.min)).any()):
            return False
        in_order = got[x.double()[beyond].argsort(stable=True)].diff()
        if bool((in_order < 0).any()) and bool((in_order > 0).any()):
            return False
    return True


def of_another_type(m: Mismatch) -> str | None:
    """For a cast to small integers: test whether results are limited to other numbers.

    Those inside come out right, and those beyond a limit as that one. At the limits of the type
    itself anything may come out, as what lies beyond these may wrap around.
    """
    if m.got.dtype.is_floating_point or m.got.element_size() > 2 or m.got.dtype is torch.bool:
        return None
    if not any(x.numel() == m.got.numel() for x in m.inputs) or m.got.numel() <= SHORT:
        return None
    info, right, got = torch.iinfo(m.got.dtype), m.expected, m.got.double()
    inside = (right > info.min) & (right < info.max)
    if len(right[inside & ~m.wrong].unique()) < SEVERAL:
        return None
    limits = []
    for side, word in ((got > right, "below"), (got < right, "above")):
        values = got[m.wrong & inside & side].unique()
        if not len(values):
            limits.append(float(info.min if word == "below" else info.max))
            continue
        at = m.wrong & inside & side
        if len(values) > 1 or len(right[at].unique()) < SEVERAL // 2:
            return None
        limits.append(float(values[0]))
    low, high = limits
    if (low, high) == (info.min, info.max) or low >= high:
        return None
    if not torch.equal(right.clamp(low, high)[inside], got[inside]):
        return None
    kind = " (an unsigned one)" * (low == 0 > info.min)
    kind += " (a signed one)" * (info.min == 0 and high == info.max // 2)
    ends = [f"{x:,}" for x, end in ((int(low), info.min), (int(high), info.max)) if x != end]
    return (
        f"right where the result is {int(low):,} to {int(high):,}, and others come out as "
        f"{' or '.join(ends)}: is it clamped to the range of another type{kind}? That of this "
        f"one is {info.min:,} to {info.max:,}"
    )


def infinite_power(note: str, right: float, wrong: float, values: torch.Tensor) -> str | None:
    """Say that exp overflows, if what is wrong begins there, and comes of infinity.

    right, wrong: the sizes of inputs on both sides, of which a note says how they are meant;
    values: what comes out of the wrong ones.
    """
    if not bool(torch.isin(values.double().abs(), OF_INFINITY).all()):
        return None
    for dtype, times in itertools.product((torch.float16, torch.float32), (1, 2)):
        end = math.log(torch.finfo(dtype).max) / times
        if right <= end < wrong <= right + NEAR * end:
            name = str(dtype).removeprefix("torch.")
            of = "x" if times == 1 else "2 * x"
            return (
                f"right for inputs up to {right:.6g}, wrong from {wrong:.6g} on{note}: does "
                f"exp({of}) overflow there, in {name}, which ends at "
                f"{torch.finfo(dtype).max:.6g}? Compute it in a wider type, or in a form that "
                "takes exp of negative numbers only"
            )
    return None
