"""Recognise a wrong output as the right one of a changed formula: another sign, factor or term.

Each function takes a Mismatch, of an elementwise operator whose reference is known if it says
nothing else, and returns a clause for the learner, or None. A change is named only if it
explains every element, the right ones too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.mismatch import (
    NO_SUCH,
    ROUNDING,
    SEVERAL,
    Mismatch,
    describe,
    fits,
    rounding_error,
)
from helpers.testing.patterns.wrong_places import grows
from helpers.testing.references import bits, rounded

NEAREST, TOWARD_0 = (-0.5, 0.5), (0.0, 1.0)  # how far a rounded number may be from its own
BESIDE = 1 / 8  # of a factor, by which another one may be off
NARROW, FEW_FACTORS = (torch.float16, torch.bfloat16), 8
GAP = 0.02  # of the elements, which may be right by the rounding inside a stretch
MOST_STRETCHES = 3  # of an input's numbers
MOST_OF_STRETCHES = 0.9  # of the elements inside are wrong

Change = Callable[[torch.Tensor], torch.Tensor]
# What stands in the place of an input; {} is the input.
IN_ITS_PLACE: tuple[tuple[str, Change], ...] = (
    ("-1 times {}", torch.neg),
    ("the absolute value of {}", torch.abs),
    ("2 times {}", lambda x: 2 * x),
    ("half of {}", lambda x: x / 2),
    ("{} times itself", torch.square),
    ("1 / {}", torch.reciprocal),
    ("1 - {}", lambda x: 1 - x),
    ("1 + {}", lambda x: 1 + x),
    ("{} without its fraction (truncated)", torch.trunc),
    ("0 for each negative number of {}", lambda x: x.clamp(min=0)),
    ("0 for each positive number of {}", lambda x: x.clamp(max=0)),
    ("{} limited to the range from 0 to 1", lambda x: x.clamp(0, 1)),
    ("{} limited to the range from -1 to 1", lambda x: x.clamp(-1, 1)),
)
# In the place of a float from which an integer is made.
SCALED: tuple[tuple[str, Change], ...] = tuple(
    (f"{top:g} / {bottom:g} times {{}}", lambda x, by=top / bottom: x * by)
    for top, bottom in (
        *((256, 255), (255, 256), (128, 127), (127, 128)),
        *((1 << k, 1) for k in range(1, 17)),
        *((1, 1 << k) for k in range(1, 17)),
    )
)
# Which element of an input is read in the place of element i.
READ_AT: tuple[tuple[str, Change], ...] = (
    ("0 for every element", lambda x: x[:1].expand(x.shape)),
    ("n - 1 - i", lambda x: x.flip(0)),
)
# What comes out in the place of the right result, made of that alone.
OF_RESULT: tuple[tuple[str, Change], ...] = (
    ("-1 times the right one", torch.neg),
    ("the absolute value of the right one", torch.abs),
    ("1 minus the right one", lambda y: 1 - y),
    ("1 / the right one", torch.reciprocal),
    ("the right one times itself", torch.square),
    ("the root of the right one", torch.sqrt),
)
# What comes out, made of the right result y and an input x.
WITH_INPUT: tuple[tuple[str, Callable[..., torch.Tensor]], ...] = (
    ("the right one plus {} (a term too many?)", lambda y, x: y + x),
    ("the right one minus {} (is a term not added?)", lambda y, x: y - x),
    ("{} minus the right one", lambda y, x: x - y),
    ("the right one times {} (a factor too many?)", lambda y, x: y * x),
    ("the right one divided by {} (is it not multiplied by it?)", lambda y, x: y / x),
)
NEAR_ONE = ((255, 256), (256, 255), (127, 128), (128, 127), (65535, 65536), (65536, 65535))
CLOSE = 1e-6
FAR = 8  # times what rounding may amount to
ANOTHER_DIRECTION = "is it rounded in another direction"
# What a number is off by that wrapped around in 8, 16 or 32 bits, or half of such a sum.
WRAPS = tuple(2.0**k for k in (7, 8, 15, 16, 31, 32))
OF_TWO: tuple[tuple[str, Callable[..., torch.Tensor]], ...] = (
    ("{} + {}", torch.add),
    ("{} - {}", torch.sub),
    ("{} * {}", torch.mul),
    ("{} / {}", torch.div),
    ("the smaller of {} and {}", torch.minimum),
    ("the larger of {} and {}", torch.maximum),
)


def changed_input(m: Mismatch) -> str | None:
    """Test whether this is the result with something else in the place of one input."""
    for place, inputs in _replaced(m, READ_AT):
        if fits(m, _reference(m, inputs)):
            return f"input {place[0]} is read at index {place[1]}, not at i"
    for place, inputs in _replaced(m, IN_ITS_PLACE):
        if fits(m, _reference(m, inputs)):
            return (
                f"this is the result with {place[1].format(f'input {place[0]}')} in the place "
                f"of input {place[0]}: is the formula another one?"
            )
    return None


def scaled(m: Mismatch) -> str | None:
    """For integers made of floats: test whether 256 stands in the place of 255, say."""
    if m.reference is None or m.got.dtype.is_floating_point or m.got.dtype is torch.bool:
        return None
    if int(m.wrong.sum()) < SEVERAL // 2 or len(m.expected[m.wrong].unique()) < SEVERAL // 2:
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    if not all(x.is_floating_point() and x.numel() == m.got.numel() for x in m.inputs):
        return None
    for words, change in SCALED:
        for k, x in enumerate(inputs):
            other = _reference(m, [*inputs[:k], change(x), *inputs[k + 1 :]])
            if other is not None and torch.equal(rounded(other, m.got.dtype), m.got):
                return (
                    f"this is the result with {words.format(f'input {k + 1}')} in its place: "
                    "is a factor of the formula another one?"
                )
    return None


def other_scale(m: Mismatch) -> str | None:
    """For integers made of floats by an unknown factor: test whether it is another one.

    Each number tells between which two factors it lies. What comes out as the smallest or the
    largest number of all may be beyond a limit, and tells nothing.
    """
    inputs = [x for x in m.inputs if x.is_floating_point() and x.numel() == m.got.numel()]
    whole = not m.got.dtype.is_floating_point and m.got.dtype is not torch.bool
    if not whole or len(inputs) != 1 or m.reference is not None:
        return None
    x, got, right = inputs[0].reshape(-1).double(), m.got.double(), m.expected
    told = x.isfinite() & (x != 0)
    for y in (got, right):
        told &= (y > y.min()) & (y < y.max())
    if int(told.sum()) < SEVERAL or not bool(m.wrong[told].any()):
        return None
    if sentence := _another_direction(x[told], got[told], right[told]):
        return sentence
    for ends in (NEAREST, TOWARD_0):
        made, asked = (_factors(x[told], y[told], ends) for y in (got, right))
        if not asked or (made and made[0] <= asked[1] and asked[0] <= made[1]):
            continue
        if sentence := _of_narrow_products(x[told], got[told], asked, ends):
            return sentence
        if not made:
            continue
        if abs(sum(made) - sum(asked)) > BESIDE * abs(sum(asked)):
            return None  # of which an argument, or the factor of each result, tells more
        return (
            f"these are the integers that a factor of about {sum(made) / 2:.7g} makes of the "
            f"numbers, and {sum(asked) / 2:.7g} should: is the scale another one?"
        )
    return None


def _of_narrow_products(
    x: torch.Tensor, got: torch.Tensor, asked: tuple[float, float], ends: tuple[float, float]
) -> str | None:
    """Test whether integers are made of products in a narrower type by the factor asked for."""
    for dtype in NARROW:
        least, most = (bits(torch.tensor([abs(end)]).to(dtype)) for end in asked)
        numbers = torch.arange(min(least, most).item(), max(least, most).item() + 1)
        if len(numbers) > FEW_FACTORS:
            continue
        factors = numbers.to(least.dtype).view(dtype)
        products = (x.abs().to(dtype)[:, None] * factors).double()
        low, high = (got.abs()[:, None] + by for by in ends)
        if bool(((low <= products) & (products <= high)).all(dim=0).any()):
            return (
                f"these are the integers of products in {dtype_name(dtype)}: the scale, or the "
                "product, loses precision before it becomes an integer. Multiply in float"
            )
    return None


def _another_direction(x: torch.Tensor, got: torch.Tensor, right: torch.Tensor) -> str | None:
    """Test whether one factor makes both of x, and just the direction of rounding differs."""
    for made_by, asked_by, words in (
        (TOWARD_0, NEAREST, "toward 0 (truncated), and should be rounded to the nearest"),
        (NEAREST, TOWARD_0, "to the nearest, and should be rounded toward 0 (truncated)"),
    ):
        made, asked = _factors(x, got, made_by), _factors(x, right, asked_by)
        if made and asked and made[0] <= asked[1] and asked[0] <= made[1]:
            scale = (max(made[0], asked[0]) + min(made[1], asked[1])) / 2
            return (
                f"a scale of about {scale:.7g} makes these of the numbers, and the right "
                f"ones, but these are rounded {words}"
            )
    return None


def _factors(
    x: torch.Tensor, y: torch.Tensor, ends: tuple[float, float]
) -> tuple[float, float] | None:
    """Return the least and the largest factor with which all x make y, up to rounding.

    ends: how far |x| times the factor may be from |y|, below and above. None if there is none.
    """
    signs = (x * y).sign()
    if bool((signs > 0).any()) and bool((signs < 0).any()):
        return None
    low, high = (((y.abs() + by).clamp(min=0) / x.abs()) for by in ends)
    least, most = float(low.max()), float(high.min())
    if least > most:
        return None
    return (-most, -least) if bool((signs < 0).any()) else (least, most)


def changed_result(m: Mismatch) -> str | None:
    """Test whether each element is made of the right one, of that and an input, or of two."""
    if not _may_be_told(m):
        return None
    right = m.expected
    made = [(words, change(right)) for words, change in OF_RESULT]
    for place, x in enumerate(m.inputs, 1):
        made += [
            (words.format(f"input {place}"), change(right, x.reshape(-1).double()))
            for words, change in WITH_INPUT
        ]
    columns = [x.reshape(-1).double() for x in m.inputs]
    for (j, x), (k, y) in itertools.permutations(enumerate(columns, 1), 2):
        made += [
            (words.format(f"input {j}", f"input {k}"), operator(x, y))
            for words, operator in OF_TWO
        ]
    for words, other in made:
        if fits(m, other):
            return f"each element is {words}: is the formula another one?"
    return None


def offset(m: Mismatch) -> str | None:
    """Test whether each wrong element is off by the same number."""
    off = (m.got.double() - m.expected)[m.wrong]
    if not _may_be_told(m) or not bool(off.isfinite().all()):
        return None
    by, right = float(off.median()), m.expected[m.wrong]
    limit = rounding_error(m) * (right.abs() + float(right.abs().median()) + abs(by))
    if len(right.unique()) < SEVERAL or bool((limit >= abs(by) / 2).any()):
        return None
    if not bool(((off - by).abs() <= limit).all()):
        return None
    which = f"{abs(by):.6g} {'less' if by < 0 else 'more'} than the right one"
    if not m.got.dtype.is_floating_point and abs(by) == 1 and not bool(m.wrong.all()):
        return (
            f"each wrong element is {which}: {ANOTHER_DIRECTION} (a division of "
            "integers truncates, toward zero, and a shift rounds down)?"
        )
    if not m.got.dtype.is_floating_point and abs(by) in WRAPS:
        return (
            f"each wrong element is {which}: is something on the way held in a type that is "
            "too narrow for it, so that it wraps around?"
        )
    return f"each wrong element is {which}: is the formula another one?"


def _which(m: Mismatch, by: float, limit: float) -> str:
    """Name what of an input a number is: its largest, smallest or mean."""
    for place, x in enumerate(m.inputs, 1):
        y = x.double().reshape(-1)
        ends = (("largest", y.max()), ("smallest", y.min()), ("mean", y.mean()))
        for words, value in ends if x.is_floating_point() and len(y) > 1 else ():
            if abs(abs(float(value)) - by) <= limit:
                what = "the mean" if words == "mean" else f"the {words} number"
                return f" (that is {what} of input {place})"
    return ""


def line(m: Mismatch) -> str | None:
    """For an output of an input's size: test whether all is off by a factor and a number.

    As where something is added before a product is made, or behind it. No operator need be
    known. Where what is right is a line of the only input, its own factor may be another one.
    """
    got, right = m.got.double(), m.expected
    if not m.got.dtype.is_floating_point or m.got.element_size() not in ROUNDING:
        return None
    if not m.elementwise or int(m.wrong.sum()) < SEVERAL or len(right.unique()) < 2 * SEVERAL:
        return None
    if not bool((got.isfinite() & right.isfinite()).all()):
        return None
    factor, more = _line_of(right, got)
    limit = rounding_error(m) * (float(right.abs().median()) + abs(more))
    if not bool(((got - factor * right - more).abs() <= limit).all()):
        return None
    spread = float(right.max() - right.min())
    if abs(factor) * spread <= FAR * limit or abs(more) <= FAR * limit:
        return None
    if by := _of_input(m, limit):
        near = (f" ({a} / {b})" for a, b in NEAR_ONE if abs(by - a / b) <= CLOSE * by)
        return (
            f"each element is what comes out if input 1 is {by:.6g} times what it "
            f"is{next(near, '')}: is a factor of the formula another one, or are parentheses "
            "missing?"
        )
    digits = 3 if m.got.element_size() == 2 else 6
    eps = torch.finfo(m.got.dtype).eps
    if abs(factor - 1) * spread <= limit and abs(more) <= eps and m.reference is None:
        return (
            f"each element is off by {abs(more):.{digits}g}, less than the precision of a "
            f"number near 1 ({eps:.{digits}g}): does such a number on the way lose digits, as "
            "one that is rounded to its type, or from which most is taken off?"
        )
    if abs(factor - 1) * spread <= limit:
        return (
            f"each element is {abs(more):.{digits}g} {'less' if more < 0 else 'more'} than the "
            f"right one{_which(m, abs(more), limit)}: is the formula another one, in which a "
            "number is added before all is multiplied, or behind it (are parentheses missing?)"
        )
    return (
        f"each element is {factor:.{digits}g} times the right one, "
        f"{'minus' if more < 0 else 'plus'} {abs(more):.{digits}g}: is the formula another "
        "one, in which only a part is multiplied (are parentheses missing?), or another number "
        "is added?"
    )


def _line_of(x: torch.Tensor, y: torch.Tensor) -> tuple[float, float]:
    """Return the factor of x and the number to add that come nearest to y."""
    columns = torch.stack([x, torch.ones_like(x)], dim=1)
    factor, more = torch.linalg.lstsq(columns, y[:, None]).solution[:, 0].tolist()
    return factor, more


def _of_input(m: Mismatch, limit: float) -> float:
    """Return what the only input is multiplied with, if nothing else is another; else 0."""
    x = m.inputs[0].reshape(-1).double() if len(m.inputs) == 1 else torch.zeros(0)
    if len(x) != len(m.expected) or not bool(x.isfinite().all()) or not bool(x.any()):
        return 0.0
    (own, more), (made, other) = (_line_of(x, y) for y in (m.expected, m.got.double()))
    off = (m.expected - own * x - more).abs().max()
    alike = float(off) <= limit and abs(more - other) <= limit
    return made / own if alike and own else 0.0


def _may_be_told(m: Mismatch) -> bool:
    """Test whether the operator is known, and the wrong elements are enough to tell."""
    if m.reference is None or m.got.dtype is torch.bool or int(m.wrong.sum()) < SEVERAL:
        return False
    if m.got.dtype.is_floating_point and m.got.element_size() not in ROUNDING:
        return False
    return bool(m.inputs) and all(x.numel() == m.got.numel() for x in m.inputs)


def _replaced(
    m: Mismatch, changes: tuple[tuple[str, Change], ...]
) -> Iterator[tuple[tuple[int, str], list[torch.Tensor]]]:
    """Yield each change of each input: its place and words, and the inputs in float64."""
    if not _may_be_told(m):
        return
    inputs = [x.reshape(-1).double() for x in m.inputs]
    for words, change in changes:
        for k, x in enumerate(inputs):
            yield (k + 1, words), [*inputs[:k], change(x), *inputs[k + 1 :]]


def _reference(m: Mismatch, inputs: list[torch.Tensor]) -> torch.Tensor | None:
    other = m.reference(*inputs)
    if not isinstance(other, torch.Tensor) or other.shape != m.got.shape:
        return None
    return other.double()


def stretches(m: Mismatch) -> str | None:
    """For one input an element: test whether it tells by its size which elements go wrong.

    As of a number in a formula that is another one: where that counts little, all is right. At
    the ends of a stretch either may be so, by the rounding.
    """
    x = m.like_output[0].double() if len(m.like_output) == len(m.inputs) == 1 else None
    if x is None or not m.inputs[0].is_floating_point() or not m.got.is_floating_point():
        return None
    n, count = m.got.numel(), int(m.wrong.sum())
    if len(m.shape) > 1 or min(count, n - count) < 2 * SEVERAL or grows(x):
        return None
    if not bool(x.isfinite().all()) or bool(_alone(x, m.wrong)):
        return None
    if bool((~m.got.isfinite() & m.expected.isfinite()).any()):
        return None  # something overflows on the way
    order = x.argsort()
    wrong, sizes = m.wrong[order], x[order]
    some = wrong.nonzero().flatten()
    parts, gap = [[some[0], some[0]]], max(2, int(GAP * n))
    for k in some[1:]:
        if int(k - parts[-1][1]) > gap:
            parts.append([k, k])
        parts[-1][1] = k
    within = sum(int(b - a) + 1 for a, b in parts)
    if len(parts) > MOST_STRETCHES or count < MOST_OF_STRETCHES * within:
        return None
    if any(int(b - a) < SEVERAL for a, b in parts):
        return None
    words = " or ".join(
        f"from {float(sizes[a]):.3g} to {float(sizes[b]):.3g}" for a, b in parts
    )
    if bool(m.expected[m.wrong].isnan().all()):
        return (
            f"only elements go wrong whose input lies {words}, and NaN must come out of these, "
            f"not {describe(m.got[m.wrong][0])}: {NO_SUCH}"
        )
    return (
        f"only elements go wrong whose input lies {words}, nearly all of them: is the formula "
        "another one there, or a number in it (a factor, say)?"
    )


def _alone(x: torch.Tensor, wrong: torch.Tensor) -> bool:
    """Test whether elements of one number come out right and wrong: then places matter."""
    return bool(torch.isin(x[wrong].unique(), x[~wrong].unique()).any())
