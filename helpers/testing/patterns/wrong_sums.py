"""Recognise sums that are added up in a type of few digits, in which they stop, or wrap around.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import torch

from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch, are_chosen, rounding_error
from helpers.testing.patterns.wrong_norms import TOTALS
from helpers.testing.patterns.wrong_softmax import NEAR, powers_of, sums_made

EXACT = 1e-9  # what is right is a sum so well
MOST_STEPS = 1 << 13  # numbers that are added one after the other
LARGEST_HALF = torch.finfo(torch.float16).max
LANES = (
    1,
    2,
    4,
    8,
    16,
    32,
    64,
    128,
    256,
    512,
    1024,
)  # threads that add up a part of a row each
CLOSE = {2: 2.0**-9, 4: 2.0**-20, 8: 2.0**-20}  # relative, by the bytes of a result
LEAST = 3  # rows that must agree, where sums are little off
NEARLY = 2.0**-6  # by which sums that are found from their means may be off
FAR = 1 / 8
APART = 0.1  # of what is off by most: numbers that are no constant
SURE = 16  # bits that agree by no chance
FLOAT_BITS = 24  # of a float32
BY_NO_CHANCE = 4  # lowest bits that are 0 in all results together
LARGEST = 1 << 16  # elements of an output whose places are compared
MOST_WAYS = 16  # how far apart two of a thread's elements may be, in one output
MOST_PLACES = 64  # that one number may come from
MOST_OF = 0.9  # of the wrong elements: what went before an edge may not have been stored
HALVES = {torch.float16: "float16", torch.bfloat16: "bfloat16"}


def off_by(number: float, what: str = "each result") -> str:
    """Say that all results are off by one number."""
    return (
        f"{what} is {abs(number):,.8g} {'more' if number > 0 else 'less'} than the right "
        "one, whatever goes in: is that its start value, or those of several threads? Start "
        "with 0"
    )


def started(m: Mismatch) -> str | None:
    """Test whether results of no input's size are all off by exactly the same number.

    As of whole numbers, or of their means; what is about as much may be a factor, of a
    logarithm. An operator that is known has another formula, and a place is counted from
    another one.
    """
    if m.reference is not None or m.elementwise or int(m.wrong.sum()) < LEAST:
        return None
    if m.got.dtype is torch.bool or not m.inputs:
        return None
    if not m.got.is_floating_point() and any(x.is_floating_point() for x in m.inputs):
        return None
    right = m.expected[m.wrong]
    off = m.got.double()[m.wrong] - right
    if all(are_chosen(y, x.double()) for y in (right, right + off) for x in m.inputs[:1]):
        return None  # the largest of numbers that rise, say
    if len(right.unique()) < LEAST or not bool(off.isfinite().all()):
        return None
    if len(off.unique()) == 1:
        return off_by(float(off[0]), "each result" if m.wrong.all() else "each wrong result")
    count, rest = divmod(m.inputs[0].numel(), m.got.numel())
    sums, limit = count * off, count * rounding_error(m) * (right.abs() + off.abs())
    whole = float(sums[0].round())
    if rest or not whole or bool((limit > NEARLY).any() | ((sums - whole).abs() > limit).any()):
        return None
    if not torch.allclose(count * right, (count * right).round(), rtol=EXACT):
        return None  # no mean of whole numbers
    side = "column" if m.shape == tuple(m.inputs[0].shape[1:]) else "row"
    return off_by(whole, f"the sum of each {side}")


def in_half(m: Mismatch) -> str | None:
    """Test whether sums of rows are those that an accumulator of 16 bits makes."""
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if m.reference is not None or not x.dim() or x.numel() <= m.got.numel():
        return None
    if not x.is_floating_point() or not m.got.is_floating_point():
        return None
    if x.numel() != m.got.numel() * x.shape[-1] or not bool(x.isfinite().all()):
        return None
    off = (m.got.double() - m.expected).abs()[m.wrong]
    if not bool((off != 0).any()):  # a zero of the other sign
        return None
    if not bool(off.isfinite().any()) and float(x.double().abs().max()) > LARGEST_HALF:
        return None  # infinity is what many a wrong step makes of such numbers
    cancels = bool((x > 0).any()) and bool((x < 0).any())
    if len(off) < LEAST and (cancels or bool((off < FAR * m.expected.abs()[m.wrong]).any())):
        return None  # so few small errors, or sums of both signs, agree by chance
    rows = x.reshape(-1, x.shape[-1])
    sums = rows.double().sum(1)
    for name, divisor in (("sum", 1), ("mean", x.shape[-1])):
        size = rows.double().abs().sum(1)
        if bool(((m.expected * divisor - sums).abs() > EXACT * size).any()):
            continue
        own = [d for d in (x.dtype, m.got.dtype) if d in HALVES][:1]
        made = {dtype: _made(m, rows, dtype, divisor) for dtype in HALVES}
        found = [dtype for dtype, stops in made.items() if stops is not None]
        found = [d for d in found if d in own] or found
        if len(found) == 1:
            words = HALVES[found[0]]
            held = 2 / torch.finfo(found[0]).eps
            return (
                f"each {name} is what comes out if it is added up in {words}{made[found[0]]}: "
                f"a {words} holds whole numbers only up to {held:,.0f}, and what is small "
                "beside the sum is lost. Add up in float, for precision"
            )
        if found:
            return (
                f"each {name} is what comes out if it is added up in float16 or bfloat16: what "
                "is small beside the sum is lost. Add up in float, for precision"
            )
    return None


def _made(m: Mismatch, rows: torch.Tensor, dtype: torch.dtype, divisor: int) -> str | None:
    """Return what to say of the sums, "" for nothing, if a type makes them; else None."""
    got = m.got.double()
    for lanes in LANES:
        if lanes > max(1, rows.shape[1] // 2) or rows.shape[1] // lanes > MOST_STEPS:
            continue
        for made in _added(rows, dtype, lanes):
            if torch.equal((made.double() / divisor).to(m.got.dtype).double(), got):
                return ""
    return _at_a_limit(m, rows, dtype) if divisor == 1 else None


def _added(rows: torch.Tensor, dtype: torch.dtype, lanes: int) -> list[torch.Tensor]:
    """Add up rows, rounding each step: element by element in each lane, then the lanes.

    The lanes' sums are added in the same type, and exactly.
    """
    steps = -(-rows.shape[1] // lanes)
    padded = torch.zeros(len(rows), steps * lanes, dtype=dtype)
    padded[:, : rows.shape[1]] = rows.to(dtype)
    total = torch.zeros(len(rows), lanes, dtype=dtype)
    for part in padded.reshape(len(rows), steps, lanes).unbind(dim=1):
        total = total + part
    exactly = total.double().sum(1)
    while total.shape[1] > 1:
        half = total.shape[1] // 2
        total = total[:, :half] + total[:, half:]
    return [total[:, 0], exactly]


def _at_a_limit(m: Mismatch, rows: torch.Tensor, dtype: torch.dtype) -> str | None:
    """Test whether sums of equal numbers end where one more of them is lost."""
    first = rows[:, 0].double()
    if bool((rows.double() != first[:, None]).any()) or bool((first == 0).any()):
        return None
    parts = m.got.double() / first * torch.finfo(dtype).eps / 2
    known = set(LANES)
    if not all(float(part) in known for part in parts[m.wrong]):
        return None
    return f" (it stops at {float(m.got[m.wrong][0]):,.0f})"


def few_bits(m: Mismatch) -> str | None:
    """For integers: test whether all wrong sums are off by multiples of 2^8, 2^16 or 2^32.

    Numbers that wrap around are so, and those that are taken without their sign. Not of what
    may be places, which are off by multiples of a row.
    """
    if m.reference is not None or not m.inputs or m.got.dtype is torch.bool:
        return None
    if any(x.is_floating_point() or x.dtype is torch.bool for x in m.inputs):
        return None
    values, most = [x.long().unique() for x in m.inputs], max(x.numel() for x in m.inputs)
    got, off = m.got.double(), (m.got.double() - m.expected)[m.wrong]
    own = torch.finfo(m.got.dtype if m.got.is_floating_point() else torch.float64)
    numbers = torch.stack([got, m.expected])
    if min(map(len, values)) < SEVERAL or not bool((numbers.abs() < 2 / own.eps).all()):
        return None
    if bool(((numbers >= 0) & (numbers < most)).all()):
        return None
    alike = sum(map(_zero_bits, values))  # zeros in which all products end
    size = math.prod(float(x.double().abs().max()) for x in values)
    count = len(off) if len(off.unique()) > 1 else 1
    if count == 1 and any(bool((x.abs() == off[0].abs()).any()) for x in values):
        return None  # one number is left out, say
    for bits in (32, 16, 8):
        fits = bool((off % 2.0**bits == 0).all())
        fits &= float(off.abs().max()) <= most * (2.0**bits + size)
        if fits and count * (bits - alike) >= SURE:
            return (
                f"each wrong result is off by a multiple of 2^{bits}: is a number on the way "
                f"held in {bits} bits, so that it wraps around, or taken without its sign? Add "
                "up in a wider type, with the sign"
            )
    return None


def _zero_bits(x: torch.Tensor) -> int:
    """Count the lowest bits that are 0 in each of several integers."""
    return next(k for k in range(63) if bool((x % (2 << k) != 0).any()))


def kept_on(m: Mismatch) -> str | None:
    """Test whether rows are right up to one, and each later one's sum goes on from another's.

    As of a thread, a warp or a block that takes several rows, so many apart.
    """
    if not m.shape or m.got.numel() % m.shape[0]:
        return None
    wrong = m.wrong.reshape(m.shape[0], -1).any(dim=1)
    first = int(wrong.nonzero()[0])
    if not first or len(wrong) - first < LEAST:
        return None
    for own, made in _sums(m):
        on = own[first:] + made[:-first]
        limit = NEAR * (own[first:].abs() + made[:-first].abs())
        off = (on - own[first:]).abs() > 4 * limit
        if bool(((made[first:] - on).abs() <= limit).all()) and int(off.sum()) >= LEAST:
            return (
                f"rows are right up to row {first - 1:,}, and the sum of each row behind goes "
                f"on from that of the row {first:,} before: does the sum start from 0 for each "
                "row that a thread, a warp or a block takes?"
            )
    return None


def _sums(m: Mismatch) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield for each row what is added up, and the sum with which it came out."""
    if (powers := powers_of(m)) is not None:
        yield powers.sum(dim=1), sums_made(m, powers).median(dim=1).values
        return
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(())
    if x.dim() != 2 or m.reference is not None or tuple(m.shape) != tuple(x.shape[:1]):
        return
    for _, adds, total in TOTALS:
        own = adds(x).sum(dim=1)
        size = adds(x).abs().sum(dim=1)
        if bool(((total(m.expected, x.shape[1]) - own).abs() <= EXACT * size).all()):
            yield own, total(m.got.double(), x.shape[1])


def of_tiles_before(m: Mismatch) -> str | None:
    """Test whether each wrong element is the right one plus what came out at another place.

    As of sums that a thread does not set to 0 between two tiles: those are as far apart for
    many elements.
    """
    n, right = m.got.numel(), m.expected
    if m.reference is not None or not SHORT < n <= LARGEST or m.got.dtype is torch.bool:
        return None
    got = m.got.double()
    if not bool((got.isfinite() & right.isfinite()).all()):
        return None
    off = got - right
    eps = torch.finfo(m.got.dtype).eps if m.got.is_floating_point() else 0.0
    limit = 2 * eps * (got.abs() + right.abs() + off.abs())
    left = m.wrong & (off.abs() > 8 * limit)
    count, first = int(left.sum()), None
    if 2 * count < int(m.wrong.sum()) or len(off[left].unique()) < SEVERAL:
        return None
    if float(off[left].max() - off[left].min()) < APART * float(off[left].abs().max()):
        return None  # nearly one number, as a term that is left out of a formula
    if 2 * int((left & (right.abs() > limit)).sum()) < count:
        return None  # of 0 each is what came out at another place that is like it
    for _ in range(MOST_WAYS):
        if int(left.sum()) <= (1 - MOST_OF) * count:
            asked = "does a sum start from 0 for each tile, row or element that a thread takes?"
            if first[1] > first[0]:
                asked = (
                    "does a thread, or a block, go on through what those behind it have, so "
                    "that this counts more than once? The step of a loop over all must be the "
                    "threads of all blocks"
                )
            return (
                f"element {first[0]:,} is the right one plus what came out as element "
                f"{first[1]:,}, and likewise each wrong one: {asked}"
            )
        i = int(left.nonzero()[0])
        from_places = ((got - off[i]).abs() <= limit[i]).nonzero().flatten()[:MOST_PLACES]
        ways = [(_goes_on(left, got, off, limit, i - int(j)), int(j)) for j in from_places]
        explained, j = max(ways, key=lambda way: int(way[0].sum()), default=(left[:0], 0))
        if len(off[explained].unique() if len(explained) else off[:0]) < SEVERAL:
            return None
        first, left = first or (i, j), left & ~explained
    return None


def of_row_before(m: Mismatch) -> str | None:
    """For running sums: test whether each wrong row goes on from the end of one before it.

    As of a sum that a block does not set to 0 between two of its rows, so many apart.
    """
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if x.dim() != 2 or x.shape[1] < LEAST or tuple(x.shape) != tuple(m.shape):
        return None
    got, right = m.got.double().reshape(m.shape), m.expected.reshape(m.shape)
    if m.got.dtype is torch.bool or not bool((got.isfinite() & right.isfinite()).all()):
        return None
    size = x.double().abs().sum(dim=1, keepdim=True)
    if not bool(size.isfinite().all()):
        return None
    if bool(((x.double().cumsum(dim=1) - right).abs() > EXACT * size).any()):
        return None
    eps = torch.finfo(m.got.dtype).eps if m.got.dtype.is_floating_point else 0.0
    if not (first := int(m.wrong.nonzero()[0]) // x.shape[1]):
        return None
    ends = got[:-first, -1:]
    limit = 8 * eps * (size[first:] + ends.abs())
    if bool(((got - right)[first:] - ends).abs().gt(limit).any()):
        return None
    return (
        f"the running sum of row {first:,} goes on from the end of row 0, {first:,} "
        f"row{'s' * (first > 1)} before it, and so each row behind: does the sum start from 0 "
        "in each row that a block, a warp or a thread takes?"
    )


def _goes_on(
    left: torch.Tensor, got: torch.Tensor, off: torch.Tensor, limit: torch.Tensor, apart: int
) -> torch.Tensor:
    """Return which of the elements left are off by what came out so many elements before."""
    before = torch.arange(len(got)) - apart
    inside = (before >= 0) & (before < len(got)) & (before != torch.arange(len(got)))
    return left & inside & ((off - got[before % len(got)]).abs() <= limit)


def wrapped(m: Mismatch) -> str | None:
    """For sums or means of an integer matrix: test whether the sum has no place in its type."""
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if m.reference is not None or x.dim() != 2 or len(m.shape) != 1 or x.dtype is torch.bool:
        return None
    if x.is_floating_point() or not bool(m.got.isfinite().all()):
        return None
    if int(m.wrong.sum()) < LEAST:
        return None
    for axis in (1, 0):
        if x.shape[1 - axis] != m.got.numel() or x.shape[axis] < 2:
            continue
        for adds in (lambda x: x, torch.square, torch.abs):
            sums = adds(x.double()).sum(dim=axis)
            some = sums != 0
            by = (m.expected / sums)[some]
            if len(by) and float(by.amax() - by.amin()) <= EXACT * abs(float(by[0])):
                if by[0] != 0 and (sentence := _has_no_place(m, sums, float(by[0]))):
                    return sentence
    return None


def _has_no_place(m: Mismatch, sums: torch.Tensor, by: float) -> str | None:
    """Say in how many bits sums wrap around, or saturate, if that explains each result."""
    close = CLOSE.get(m.got.element_size(), 0.0) if m.got.is_floating_point() else EXACT
    other = m.got.double() / by
    for bits, low in itertools.product((8, 16, 32), (-0.5, 0.0)):
        low, whole = low * 2.0**bits, 2.0**bits
        ways = (
            ("wraps around", (sums - low).remainder(whole) + low),
            ("saturates", sums.clamp(low, low + whole - 1)),
        )
        for how, made in ways:
            off = (other - made).abs() > close * (sums.abs() + 1)
            if not bool(off.any()) and bool((made != sums)[m.wrong].all()):
                return (
                    f"each wrong result is that of a sum held in {bits} bits "
                    f"({'' if low else 'u'}int{bits}), beyond whose range it {how}: is the "
                    "type in which it is added up too narrow?"
                )
    return None


def scaled_groups(m: Mismatch) -> str | None:
    """For rows of integers with a scale for each group: test whether a group's sum is cut.

    Its sum, in a type too narrow, wraps around or saturates before it is scaled.
    """
    for q, scales, width in _groups_of(m):
        padded = torch.nn.functional.pad(q.double(), (0, scales.shape[1] * width - q.shape[1]))
        sums = padded.reshape(*scales.shape, width).sum(2)
        size = (scales * sums).abs().sum(1)
        if bool(((scales * sums).sum(1) - m.expected).abs().gt(EXACT * size).any()):
            continue
        limit = CLOSE.get(m.got.element_size(), 0.0) * (size + m.got.double().abs())
        for words, made in _cut(sums):
            cut = (scales * made).sum(1)
            near = (m.got.double() - cut).abs() <= limit
            if bool(near.all()) and bool(((cut - m.expected).abs() > 8 * limit)[m.wrong].all()):
                whose = "group" if scales.shape[1] > 1 else "row"
                return (
                    f"each wrong result is that of sums held in {words} before they are "
                    f"multiplied by the scale: is the type in which a {whose} is added up too "
                    "narrow?"
                )
    return None


def _groups_of(m: Mismatch) -> Iterator[tuple[torch.Tensor, torch.Tensor, int]]:
    """Yield integers [rows, columns], scales [rows, groups], and columns of a group."""
    if len(m.inputs) != 2 or m.reference is not None or not m.got.is_floating_point():
        return
    whole = [x for x in m.inputs if x.dim() == 2 and not x.is_floating_point()]
    scales = [x.double() for x in m.inputs if x.is_floating_point()]
    if len(whole) != 1 or len(scales) != 1 or whole[0].dtype is torch.bool:
        return
    q, rows = whole[0], len(whole[0])
    s = scales[0].reshape(-1, 1) if scales[0].dim() < 2 else scales[0]
    if m.got.numel() != rows or s.dim() != 2 or len(s) not in (1, rows):
        return
    if q.shape[1] <= s.shape[1]:  # of one number each, which may be read as of another type
        return
    s = s.expand(rows, s.shape[1])
    least = -(-q.shape[1] // s.shape[1])
    powers = (1 << k for k in range(least.bit_length() + 1))
    for width in dict.fromkeys((least, *powers)):
        if -(-q.shape[1] // width) == s.shape[1]:
            yield q, s, width


def _cut(sums: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what narrow types make of sums, in words."""
    for bits, signed in itertools.product((8, 16, 32), (True, False)):
        low, whole = (-(2.0 ** (bits - 1)) if signed else 0.0), 2.0**bits
        name = f"{bits} bits ({'' if signed else 'u'}int{bits})"
        around = (sums - low).remainder(whole) + low
        yield f"{name}, beyond whose range they wrap around,", around
        yield f"{name}, in which they saturate,", sums.clamp(low, low + whole - 1)


def in_a_float(m: Mismatch) -> str | None:
    """For integers made of many: test whether large ones are sums that a float kept."""
    if m.reference is not None or m.got.dtype not in (torch.int32, torch.int64):
        return None
    if not m.inputs or any(x.is_floating_point() for x in m.inputs):
        return None
    steps = max(x.shape[-1] if x.dim() else 1 for x in m.inputs)
    got, right = m.got.double()[m.wrong], m.expected[m.wrong]
    size = torch.minimum(got.abs(), right.abs())
    if bool((size < 1 << FLOAT_BITS).any()) or not torch.equal(got.float().double(), got):
        return None
    zeros = size.log2().floor() - (FLOAT_BITS - 1)  # bits that a float has not
    if float(zeros.sum()) < BY_NO_CHANCE or torch.equal(right.float().double(), got):
        return None
    if bool(((got - right).abs() > steps * 2.0**-FLOAT_BITS * size).any()):
        return None
    return (
        f"only results beyond {1 << FLOAT_BITS:,} are off, all by little, and none has more "
        "digits than a float: is a sum of integers kept in a float, whose precision is too "
        "little for it? Add up in an integer"
    )
