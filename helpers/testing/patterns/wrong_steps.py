"""Recognise a wrong output by a step on the way: one that overflows, wraps, or tests a flag.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import torch

from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch, rounding_error, same
from helpers.testing.patterns.wrong_places import LONGEST_TAIL, grows
from helpers.testing.references import rounded

FEW_INSIDE = 5  # large numbers for one of which the step has a place, at most
MOST_RIGHT = 0.1  # of the elements whose step overflows: what is lost may not count
MOST_WRONG = 0.9  # of the results behind the first wrong one: a 0 may come out right
SURE = 6  # elements that lie in one half of a range by no chance
PARTS = (2, 4, 8)  # that are made of what wraps around
WIDTHS = (8, 16, 32)
FAR_OFF = 2.0**-10  # relative to the result: by more than a float rounds
CLOSE = 2.0**-20  # of float32: a few roundings of a formula
NARROW = (torch.int8, torch.uint8, torch.int16)
SIGNED_TYPES = (torch.int8, torch.int16, torch.int32)
MOST_TIMES = 9  # by which an integer may be multiplied before it wraps
NEAR_BORDER = 8  # of the range's half: so near to the border is one that is read otherwise
NEAR_WHOLE = 1e-3  # of a multiple: what a formula's own roundings make
MOST_NEAR = 0.1  # of a multiple, so that eight of them are so by no chance
EXACT = 1e-9  # relative: a sum is one so well
Function = Callable[..., torch.Tensor]
# What an integer input may be tested for, in the place of "is it 0?".
FLAGS: tuple[tuple[str, Function], ...] = (
    ("is it 1", lambda x: x == 1),
    ("is it odd (its lowest bit)", lambda x: x.long() % 2 == 1),
    ("is it more than 0, in a signed type", lambda x: (x > 0) & (x < 128)),
    ("is it negative", lambda x: (x < 0) | (x > 127)),
    ("is it 255", lambda x: (x == 255) | (x == -1)),
)


def flags(m: Mismatch) -> str | None:
    """Test whether numbers other than 1 count as 0 in an input that is a flag."""
    if m.reference is None or any(x.shape != m.got.shape for x in m.inputs):
        return None
    inputs = [x.double() for x in m.inputs]
    for place, x in enumerate(m.inputs):
        if x.is_floating_point() or x.dtype is torch.bool or len(x.unique()) < SEVERAL:
            continue
        plain = _with(m, inputs, place, (x != 0).double())
        if plain is None or not same(rounded(m.expected, m.got.dtype), plain):
            continue  # it is no flag
        for words, holds in FLAGS:
            if same(m.got, _with(m, inputs, place, holds(x).double())):
                return (
                    f'the result depends on the question "{words}?" of input {place + 1}, '
                    'not on "is it 0?": what of all other values?'
                )
    return None


def _with(
    m: Mismatch, inputs: list[torch.Tensor], place: int, x: torch.Tensor
) -> torch.Tensor | None:
    """Return the reference with x in one place; None if it returns several tensors."""
    other = m.reference(*inputs[:place], x, *inputs[place + 1 :])
    return other if isinstance(other, torch.Tensor) and other.shape == m.got.shape else None


def wrapped(m: Mismatch) -> str | None:
    """Test whether the wrong elements are right but for multiples of 2^8, 2^16 or 2^32."""
    if m.got.dtype is torch.bool or m.got.element_size() == 1:
        return None
    off = (m.got.double() - m.expected)[m.wrong]
    if len(off) < SEVERAL // 2 or not bool(off.isfinite().all()):
        return None
    if bool((m.got.double() % 1 != 0)[m.wrong].any()):
        return None  # no integer
    for bits in WIDTHS[: {2: 1, 4: 2}.get(m.got.element_size(), 3)]:
        step = 2.0**bits
        if bool((off % step != 0).any()) or bool((off % (2 * step) == 0).all()):
            continue  # of a bit further up, if all are multiples of that
        for low in (-step / 2, 0.0):
            name = f"{'' if low else 'u'}int{bits}"
            held = (m.got >= low) & (m.got < low + step)
            beyond = (m.expected < low) | (m.expected >= low + step)
            if bool(held.all()) and torch.equal(beyond, m.wrong):
                return (
                    f"only results beyond the range of {name} go wrong, by multiples of "
                    f"2^{bits}: does something wrap around on the way, held in that type?"
                )
    return None


def off_by_2_to_the_32(m: Mismatch) -> str | None:
    """For 64 bits: test whether wrong elements, or just one, are off by multiples of 2^32."""
    if m.got.is_floating_point() or m.got.element_size() < 8:
        return None
    off = (m.got.double() - m.expected)[m.wrong]
    if bool((off % 2.0**32 != 0).any()) or not bool(off.isfinite().all()):
        return None
    if float(off.abs().max()) >= 2.0**40:  # of the upper word, as of a key and a place
        return None
    if bool((off % 2.0**40 == 0).all()):  # of a bit further up
        return None
    which = "the result" if m.got.numel() == 1 else "each wrong element"
    return (
        f"{which} is off by a multiple of 2^32: is something on the way, as what a thread adds "
        "up, held in 32 bits, so that it wraps around?"
    )


def wraps_before_limit(m: Mismatch) -> str | None:
    """For integers of 8 and 16 bits: test whether sums that must stop at a limit wrap."""
    inputs = [x for x in m.inputs if x.numel() == m.got.numel()]
    if m.got.dtype not in NARROW or len(inputs) != len(m.inputs):
        return None
    if len(inputs) != 2 or any(x.dtype is not m.got.dtype for x in inputs):
        return None
    limits, (a, b) = torch.iinfo(m.got.dtype), (x.flatten().long() for x in inputs)
    for words, made in (("sum", a + b), ("difference", a - b), ("product", a * b)):
        limited = made.clamp(limits.min, limits.max)
        if not torch.equal(limited.double(), m.expected.flatten()):
            continue
        if torch.equal(made.to(m.got.dtype), m.got.flatten()):
            return (
                f"each wrong result is off by 2^{limits.bits}: must the {words} stop at "
                f"{limits.max}, the largest number, or {limits.min}, and wraps around before "
                "it is compared? Hold it in an int"
            )
    return None


def part_wrapped(m: Mismatch) -> str | None:
    """For 8 and 16 bits: test whether elements are off by a part of what wraps around.

    As (3 * a + b) / 4 is off by multiples of 64, if 3 * a + b is held in 8 bits.
    """
    if m.got.is_floating_point() or m.got.dtype is torch.bool or m.reference is None:
        return None
    bits, off = torch.iinfo(m.got.dtype).bits, (m.got.double() - m.expected)[m.wrong]
    if bits > 16 or len(off) < SEVERAL or len(m.expected.unique()) < 2 * SEVERAL:
        return None
    if not any(x.dtype is m.got.dtype for x in m.inputs) or len(off.unique()) < 2:
        return None
    for part in PARTS:
        step = 2.0**bits / part
        if bool((off % step == 0).all()):
            return (
                f"each wrong element is off by a multiple of {step:,.0f}, which is 2^{bits} / "
                f"{part}: is something on the way held in {bits} bits, so that it wraps around?"
            )
    return None


def wraps(m: Mismatch) -> str | None:
    """For integer inputs: test whether a sum, difference or product of them has no place."""
    inputs = [x for x in m.inputs if x.shape == m.got.shape]
    if m.reference is None or len(inputs) < len(m.inputs) or not inputs:
        return None
    if any(x.is_floating_point() or x.dtype is torch.bool for x in inputs):
        return None
    info = torch.iinfo(inputs[0].dtype)
    if any(x.dtype is not inputs[0].dtype for x in inputs) or info.bits == 64:
        return None
    size = torch.stack([x.double().abs() for x in inputs]).amax(dim=0)
    large = size >= float(size[m.wrong].min())
    for words, exact in _steps([x.double() for x in inputs]):
        beyond = (exact < info.min) | (exact > info.max)
        if bool((m.wrong & ~beyond).any()) or int(m.wrong.sum()) < SEVERAL:
            continue
        if int((beyond & ~m.wrong).sum()) > MOST_RIGHT * int(beyond.sum()):
            continue
        inside = int((large & ~beyond).sum())  # else it may as well be the numbers' size
        if inside >= SEVERAL and FEW_INSIDE * inside >= int(large.sum()):
            return (
                f"only elements go wrong whose {words} is beyond the range of "
                f"{info.dtype}: does it wrap around on the way? Compute it in a wider type"
            )
    return None


def scaled_wrap(m: Mismatch) -> str | None:
    """For floats that are sums of integers, each times a number: test whether one wraps.

    Each wrong result is then off by what 2^8 (or 2^16) more of an integer would add. Where what
    is held is a multiple of the integer, it is off by that part of it, up and down.
    """
    inputs = [x.reshape(-1) for x in m.inputs if x.numel() == m.got.numel()]
    if not m.got.is_floating_point() or not inputs or len(inputs) < len(m.inputs):
        return None
    if any(x.dtype not in NARROW for x in inputs) or m.got.numel() <= SHORT:
        return None
    if (by := _slopes([x.double() for x in inputs], m.expected)) is None:
        return None
    off, bits = (m.got.double() - m.expected)[m.wrong], 8 * inputs[0].element_size()
    size = (m.got.double().abs() + m.expected.abs())[m.wrong]
    for times, (place, slope) in itertools.product(range(1, MOST_TIMES), enumerate(by)):
        step = slope * 2.0**bits / times
        counts = off / step
        near = torch.finfo(m.got.dtype).eps * size / abs(step) + NEAR_WHOLE
        whole = ((counts - counts.round()).abs() <= near) & (counts.round() != 0)
        if len(off) < SEVERAL or float(near.max()) > MOST_NEAR or not bool(whole.all()):
            continue
        if times > 1 and len(counts.round().unique()) < 2:
            continue  # one number, which may be another's
        if sentence := _read_otherwise(m, inputs[place], place, counts.round()):
            return sentence
        return (
            f"each wrong result is off by what 2^{bits} more, or less, of input {place + 1} "
            f"would make{f', divided by {times}' * (times > 1)}: is a difference, a sum or a "
            f"product of integers held in {bits} bits on the way, too narrow for it, so that "
            "it wraps around? Hold it in an int"
        )
    return None


def scaled_low_bits(m: Mismatch) -> str | None:
    """For integers times a number: test whether only their low bits were multiplied.

    Those of all, or of some places, as where a thread holds one of its elements in a short.
    """
    inputs = [x.reshape(-1) for x in m.inputs if x.numel() == m.got.numel()]
    if not m.got.is_floating_point() or len(inputs) != 1 or len(m.inputs) > 1:
        return None
    x = inputs[0]
    if x.is_floating_point() or x.dtype in (torch.bool, *NARROW) or m.got.numel() <= SHORT:
        return None
    numbers, right = x.double(), m.expected
    ends = [int(numbers.argmin()), int(numbers.argmax())]
    apart, size = float(numbers[ends].diff()), float(numbers.abs().max())
    if int(m.wrong.sum()) < SEVERAL // 2 or not apart or not bool(right.isfinite().all()):
        return None
    by = float(right[ends].diff()) / apart
    added = right - by * numbers
    if by == 0 or not bool(((added - added[0]).abs() <= EXACT * abs(by) * size).all()):
        return None
    got, near = m.got.double()[m.wrong], torch.finfo(m.got.dtype).eps
    for bits, signed in itertools.product((16, 8), (True, False)):
        low = x.long()[m.wrong] & (1 << bits) - 1
        low = torch.where(low >= 1 << (bits - 1), low - (1 << bits), low) if signed else low
        made = by * low.double() + added[0]
        limit = near * made.abs() + EXACT * abs(by) * size
        if bool(((got - made).abs() <= limit).all()) and len(got.unique()) > 2:
            if float(numbers.min()) >= 0 and float(numbers.max()) < 1 << bits and signed:
                return (
                    "each wrong result is made of the bits of its number read as those of a "
                    f"signed one, {1 << bits:,} less: is it read, or held, as a "
                    f"{'short' if bits == 16 else 'signed char'}? Read it as it is, unsigned"
                )
            return (
                f"each wrong result is made of the lowest {bits} bits of its number alone: is "
                f"it held in {bits} bits on the way, as a {'short' if bits == 16 else 'char'}, "
                "too narrow for it, so that it wraps around? Hold it in an int"
            )
    return None


def compared_without_sign(m: Mismatch) -> str | None:
    """For the larger, or smaller, of two integers: test whether they count as unsigned ones."""
    if int(m.wrong.sum()) < SEVERAL // 2 or len(m.like_output) != len(m.inputs):
        return None
    if len(m.inputs) == 1:
        return _limited_without_sign(m)
    if len(m.inputs) != 2:
        return None
    dtype = m.inputs[0].dtype
    if dtype.is_floating_point or dtype is torch.bool or m.inputs[1].dtype is not dtype:
        return None
    info = torch.iinfo(dtype)
    if info.min == 0 or info.bits > 32:
        return None
    a, b = (x.double() for x in m.inputs)
    without = [torch.where(x < 0, x + 2.0**info.bits, x) for x in (a, b)]
    for word, chosen, first in (
        ("larger", torch.maximum(a, b), without[0] > without[1]),
        ("smaller", torch.minimum(a, b), without[0] < without[1]),
    ):
        made = torch.where(first, a, b)
        if torch.equal(m.expected, chosen) and torch.equal(m.got.double(), made):
            return (
                f"each result is the {word} of two integers if they are compared without their "
                f"sign, as of unsigned ones, whose range is 0 to {2**info.bits - 1:,}: is a "
                "type on the way an unsigned one?"
            )
    return None


def _limited_without_sign(m: Mismatch) -> str | None:
    """Test the same of integers that are compared with two limits."""
    x, right = m.inputs[0], m.expected
    if x.dtype not in SIGNED_TYPES or x.dtype is not m.got.dtype:
        return None
    low, high = float(right.min()), float(right.max())
    if low == high or not torch.equal(right, x.double().clamp(low, high)):
        return None
    size = 2.0 ** torch.iinfo(x.dtype).bits
    ends = torch.tensor([low, high], dtype=torch.float64)
    own, (least, most) = x.double() % size, ends % size  # as unsigned numbers
    least_first = torch.minimum(torch.maximum(own, least), most)
    most_first = torch.maximum(torch.minimum(own, most), least)
    in_turn = torch.where(own < least, least, torch.where(own > most, most, own))
    for made in (least_first, most_first, in_turn):
        if torch.equal(m.got.double() % size, made):
            return (
                f"each result is what comes out if the numbers and the limits {low:,.0f} and "
                f"{high:,.0f} are compared without their sign, as unsigned ones, whose range "
                f"is 0 to {size - 1:,.0f}: is a type on the way an unsigned one?"
            )
    return None


def _read_otherwise(
    m: Mismatch, x: torch.Tensor, place: int, counts: torch.Tensor
) -> str | None:
    """Say that an integer is read as unsigned, or the reverse, if that explains all.

    Some may be read rightly, as the last few are, behind packs.
    """
    signed = torch.iinfo(x.dtype).min < 0
    bits = 8 * x.element_size()
    other = x.double() < 0 if signed else x.double() >= 2.0 ** (bits - 1)
    if bool((m.wrong & ~other).any()) or not bool((counts == (1 if signed else -1)).all()):
        return None
    rest, last = (other & ~m.wrong).nonzero().flatten(), int(m.wrong.nonzero()[-1])
    if len(rest) > LONGEST_TAIL or bool((rest < last).any()):  # else they lie behind packs
        wrong, half = x.double()[m.wrong], 2.0 ** (bits - 1)
        nearest = -1 - float(wrong.max()) if signed else float(wrong.min()) - half
        if nearest > half / NEAR_BORDER:
            return None  # what wraps around on the way lies far from the border
    which = "negative numbers" if signed else "numbers of the upper half"
    return (
        f"only {which} of input {place + 1} go wrong, and count as 2^{bits} "
        f"{'more' if signed else 'less'}: is it read as {'u' * signed}int{bits}, whose "
        "range is another one?"
    )


def _slopes(inputs: list[torch.Tensor], right: torch.Tensor) -> list[float] | None:
    """Return what one more of each input adds to what is right; None if it is no such sum."""
    x = torch.stack([*inputs, torch.ones_like(inputs[0])], dim=1)
    if not bool(right.isfinite().all()):
        return None
    by = torch.linalg.lstsq(x, right[:, None], driver="gelsd").solution[:, 0]
    size = (x * by).abs().sum(dim=1)
    near = EXACT * size + 2.0**-50 * float(size.max())  # what lstsq leaves of a 0, too
    if not bool(((x * by).sum(dim=1) - right).abs().le(near).all()):
        return None
    slopes = by[:-1].tolist()
    return slopes if all(abs(slope) > EXACT * float(size.max()) for slope in slopes) else None


def _steps(inputs: list[torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what a formula may make of integer inputs on the way, in words."""
    for (j, x), (k, y) in itertools.combinations(enumerate(inputs, 1), 2):
        yield f"sum of inputs {j} and {k}", x + y
        yield f"difference of inputs {j} and {k}", x - y
        yield f"difference of inputs {k} and {j}", y - x
        yield f"product of inputs {j} and {k}", x * y
    for j, x in enumerate(inputs, 1):
        yield f"input {j} times itself", x * x
        yield f"input {j} times 2", 2 * x
        yield f"input {j} times -1", -x
    if len(inputs) > 2:
        yield "sum of all inputs", torch.stack(inputs).sum(0)


def upper_half(m: Mismatch) -> str | None:
    """For unsigned bytes: test whether a few of the upper half go wrong, and none below.

    As of a sum that is held in a signed type: a division rounds what wrapped around otherwise.
    """
    if m.got.dtype is not torch.uint8 or m.reference is None:
        return None
    half, off = 1 << 7, (m.got.double() - m.expected)[m.wrong].abs()
    if len(off) < SURE or bool((off != 1).any()) or bool((m.expected < half)[m.wrong].any()):
        return None
    above, below = int((m.expected > half).sum()), int((m.expected < half).sum())
    if below < above / 2 or 2 * len(off) > above:
        return None
    return (
        f"{len(off):,} of {above:,} results above {half} are off by 1, and none of the "
        f"{below:,} below: is a sum or a product on the way held in a signed type, of 16 bits "
        "say, in whose range the upper half of them has no place, so that it wraps around?"
    )


def left_out_from_on(m: Mismatch) -> str | None:
    """Test whether all results from one on are off in one way, and none before.

    By a factor, a number or a square, as of a last kernel, or of the end of one, that does not
    reach them.
    """
    first, n = int(m.wrong.nonzero()[0]), m.got.numel()
    if len(m.shape) > 1 or first < SHORT or int(m.wrong.sum()) < MOST_WRONG * (n - first):
        return None
    if any(map(grows, m.like_output)) or (m.elementwise and n - first <= LONGEST_TAIL):
        return None  # it may be the size of the numbers, or the rest of a pack
    got, right, wrong = m.got.double()[first:], m.expected[first:], m.wrong[first:]
    limit = rounding_error(m) * (got.abs() + right.abs())
    tells = ((got - right).abs() > 8 * limit) & wrong
    if len(right.unique()) < SEVERAL // 2 or 2 * int(tells.sum()) < int(wrong.sum()):
        return None
    times = float((got / right)[wrong].median())
    plus = float((got - right)[wrong].median())
    if not bool(got.any()):
        return (
            f"all is right below index {first:,}, and 0 comes out from there on: does an "
            "index, a loop or a test hold for the first threads or blocks alone, or are there "
            "no others, so that what belongs to them is left out?"
        )
    for words, made in (
        (f"times {times:.6g}", right * times),
        (f"plus {plus:.6g}", right + plus),
        ("times itself", right.square()),
    ):
        if bool(((got - made).abs() <= limit).all()):
            return (
                f"all is right below index {first:,}, and from there on each result is the "
                f"right one {words}: is a last step left out there, as where its launch has "
                f"fewer threads (blocks x threads of a block) than the {n:,} results?"
            )
    return None


def from_a_float(m: Mismatch) -> str | None:
    """For integers on the emulator: test whether they are casts of floats out of range.

    Such a cast makes the smallest number there, where a GPU saturates.
    """
    if m.got.dtype not in (torch.int32, torch.int64) or m.reference is None:
        return None
    if any(x.is_floating_point() for x in m.inputs) or int(m.wrong.sum()) < SEVERAL:
        return None
    lowest, largest = torch.iinfo(m.got.dtype).min, torch.iinfo(m.got.dtype).max
    got = m.got[m.wrong]
    if bool((got == largest).any()) or 2 * int((got == lowest).sum()) < len(got):
        return None
    return (
        f"{lowest} comes out where the result wraps around, as of a float that is cast out of "
        "its range: does it go through a float, which is exact only up to 16,777,216?"
    )


def large_integers(m: Mismatch) -> str | None:
    """For integers: test whether small numbers are right, and some of the large ones wrong."""
    inputs = [x for x in m.inputs if x.shape == m.got.shape]
    if m.reference is None or len(inputs) < len(m.inputs) or not inputs:
        return None
    if any(x.is_floating_point() or x.dtype is torch.bool for x in (m.got, *inputs)):
        return None
    size = torch.stack([x.double().abs() for x in inputs]).amax(dim=0)
    least = float(size[m.wrong].min())
    off = ((m.got.double() - m.expected) / m.expected)[m.wrong].abs()
    info = torch.iinfo(m.got.dtype)
    if info.bits < 32 or least < 2.0 ** (info.bits // 2) or int(m.wrong.sum()) < SEVERAL:
        return None
    if int((size < least).sum()) < SEVERAL or float(off.median()) < FAR_OFF:
        return None
    return (
        f"right for numbers below {least:,.0f}, and of larger ones {int(m.wrong.sum()):,} of "
        f"{int((size >= least).sum()):,} go wrong: does something wrap around on the way, "
        f"beyond the range of {info.dtype}? Compute it in a wider type"
    )


def cut_quotient(m: Mismatch) -> str | None:
    """For floats made of integers: test whether these count only as multiples of a number.

    Each element is then right for its input without the rest of a division.
    """
    if not m.got.dtype.is_floating_point or len(m.inputs) != 1 or not m.elementwise:
        return None
    x = m.inputs[0].reshape(-1)
    if x.is_floating_point() or x.dtype is torch.bool or m.got.numel() <= SHORT:
        return None
    x = x.long()
    multiples = x[~m.wrong].unique()
    if len(multiples) < 2 or len(x[m.wrong].unique()) < SEVERAL:
        return None
    step = int(multiples.diff().min())
    base = torch.div(x, step, rounding_mode="trunc") * step
    if step < 2 or not bool((torch.isin(base, multiples) & (m.wrong == (base != x))).all()):
        return None
    right, got = m.expected.to(m.got.dtype), m.got
    of_base = {int(k): float(y) for k, y in zip(x, right, strict=True)}
    made = torch.tensor([of_base[int(k)] for k in base], dtype=got.dtype)
    limit = rounding_error(m) * made.double().abs()
    if not bool(((made.double() - got.double()).abs() <= limit).all()):
        return None
    return (
        f"of the numbers that go in only multiples of {step:,} come out right, and each other "
        f"one as the next of these toward 0: is an integer divided by {step:,}, so that its "
        f"fraction is truncated? Divide by a float ({step}.0f), or make the number a float "
        "before"
    )


def _by_trunc(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a - b * (a / b).trunc()


def _by_floor(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a - b * (a / b).floor()


# An operator, the formula in its place, and what is wrong with that.
OF_INPUT_1 = (
    "the remainder has the sign of input 1, as of fmod and of % in C, and not that of input 2: "
    "the formula of another remainder"
)
OF_INPUT_2 = (
    "the remainder has the sign of input 2, and not that of input 1, as of fmod and of % in C: "
    "the formula of another remainder"
)
QUOTIENT = (
    "is it a - b * {0}(a / b)? Of a large quotient the last digits are lost, so that the "
    "precision is, and an infinite one makes NaN: {1}"
)
IN_STEPS: tuple[tuple[Function, Function, str], ...] = (
    (torch.fmod, _by_trunc, QUOTIENT.format("trunc", "fmod is exact")),
    (
        torch.remainder,
        _by_floor,
        QUOTIENT.format("floor", "take fmod, and add b where the signs differ"),
    ),
    *((torch.remainder, made, OF_INPUT_1) for made in (torch.fmod, _by_trunc)),
    *((torch.fmod, made, OF_INPUT_2) for made in (torch.remainder, _by_floor)),
)


def in_steps(m: Mismatch) -> str | None:
    """For an operator of two inputs: test whether it is made in steps that round too early."""
    if m.reference is None or len(m.inputs) != 2 or int(m.wrong.sum()) < SEVERAL:
        return None
    a, b = m.inputs
    if a.shape != m.got.shape or b.shape != m.got.shape or a.dtype is not b.dtype:
        return None
    if a.dtype is not m.got.dtype or a.dtype not in (torch.float32, torch.float64):
        return None
    for operator, steps, words in IN_STEPS:
        right = operator(a.double(), b.double())
        if not torch.equal(right.nan_to_num(), m.expected.nan_to_num()):
            continue
        made = steps(a, b)
        if _made(m, made, a) and not same(made, m.expected):
            return words
    return None


def _made(m: Mismatch, made: torch.Tensor, a: torch.Tensor) -> bool:
    """Test whether numbers came out, but for a rounding of the largest number on the way."""
    got, made = m.got.double(), made.double()
    close = (got - made).abs() <= CLOSE * a.double().abs().nan_to_num(0.0, 0.0, 0.0)
    return bool((close | (got == made) | (got.isnan() & made.isnan())).all())
