"""Recognise a wrong output by whose values go wrong: those at a bound, or of some inputs.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import torch

from helpers.testing.mismatch import NO_SUCH, SEVERAL, SHORT, TINY, Mismatch, describe
from helpers.testing.patterns import wrong_ranges

LEAST_BETWEEN = 5  # wrong elements whose numbers lie next to each other
LEAST_END = 127  # of a type of integers
LITTLE_OFF = 4  # what parts that are rounded are off by together
MOST = 0.75  # of the results at a bound
MOST_ROUNDED = 2.0**-10  # of a result, in which digits were lost
LEAST_BELOW = 0.2  # of the wrong results, so that not one term is lost
LOST = 2.0**-24  # of a float, beside which a number is lost
PACKS = (2, 4, 8)  # elements
LEAST_PACKS = 3  # of which a member is left out
LAST_DIGITS = 2.0**-14  # relative
FEW_VALUES = 3  # of an input, for which alone a kernel is right
SOME_OF_TWO = 0.25  # of those whose inputs are in one order, if a third one counts, too
MOST_OF_TWO = 0.9  # of those, if there is no other input
MOST_OF_A_SIGN = 0.6  # of the numbers of one sign, so that no other sign is by chance
COMPARISONS = (
    (">", torch.gt),
    (">=", torch.ge),
    ("<", torch.lt),
    ("<=", torch.le),
    ("==", torch.eq),
    ("!=", torch.ne),
)
BETWEEN = 0.3  # of which an operator that rounds makes whole numbers, too
SMALL_BESIDE = 2.0**-9  # of a product, which a rounded sum may be off by
FARTHER = 8  # times as large are inputs of which results may lie beyond a bound
COUNTED = "is it counted though it should not be (the formula of another sum)"
BOTH = (("and", torch.logical_and), ("or", torch.logical_or))
KINDS: tuple[tuple[str, Callable[[torch.Tensor], torch.Tensor]], ...] = (
    ("NaN", torch.isnan),
    ("infinite", torch.isinf),
    ("zero", lambda x: x == 0),
)


def limited(m: Mismatch) -> str | None:
    """Test whether only results at a bound of the operator go wrong, as of a clamp.

    Most of them (not those, say, of inputs at the bound), or some at the limit of an integer
    type, as a lane may be right. Without a known operator, of a cast to integers only.
    """
    if m.got.dtype is torch.bool or bool(m.got.isnan()[m.wrong].any()):
        return None
    if m.reference is None and not _narrows(m):
        return None
    right = m.expected  # not rounded: tanh comes near to 1, but is not limited there
    if not bool(right.isfinite()[m.wrong].all()):
        return None
    of_float = m.got.dtype.is_floating_point
    info = None if of_float else torch.iinfo(m.got.dtype)
    if len(right.unique()) <= 2:  # truth values, say, or all are beyond the range of integers
        ends = info and right.unique().tolist() == [info.min, info.max]
        if not ends or len(m.got[m.wrong].unique()) < SEVERAL // 2:
            return None
    limits = (info.min, -info.max, info.max) if info else ()
    finite = right[right.isfinite()]
    if sentence := _both_limits(m, right):
        return sentence
    for name, bound in (("largest", float(finite.max())), ("smallest", float(finite.min()))):
        at = right == bound
        some = bound in limits and int(m.wrong.sum()) >= SEVERAL // 2
        most = int(m.wrong.sum()) >= MOST * int(at.sum())
        if bool((m.wrong & ~at).any()) or not (some or most):
            continue
        if bound not in limits and (m.reference is None or not _is_end(m, bound)):
            continue
        inputs = [x.reshape(-1)[m.wrong] for x in m.inputs if x.numel() == at.numel()]
        numbers = [x[~x.isnan()] for x in inputs]
        if (bound == 0 and of_float) or not any(len(x.unique()) > 1 for x in numbers):
            continue
        if bool(at.all()):
            continue
        values = m.got[m.wrong].unique()
        goes_to = f", and comes out as {describe(values[0])}" if len(values) == 1 else ""
        if bound in limits and len(values) >= SEVERAL // 2:
            return (
                f"only what should be {bound:.0f}, the {name} of all results, goes wrong, and "
                "comes out as several numbers, as what wraps around: is the result limited "
                f"(saturated) to the range of {info.dtype} too late, or not at all?"
            )
        how = "is the formula of the limit another one, or is there none"
        if not of_float:
            how = "is the range limited (saturated) at another number, or not at all"
        return (
            f"only what should be {bound:.8g}, the {name} of all results, goes wrong{goes_to}: "
            f"{how}?"
        )
    return None


def _is_end(m: Mismatch, bound: float) -> bool:
    """Test whether no result of integers lies beyond a bound, of larger inputs either."""
    if m.got.dtype.is_floating_point:
        return True  # of which several numbers lie near it
    larger = m.reference(*[FARTHER * x.double() for x in m.inputs])
    if not isinstance(larger, torch.Tensor):
        return True
    right, finite = m.expected, larger[larger.isfinite()]
    below = bound == float(right[right.isfinite()].min())
    return not bool((finite < bound if below else finite > bound).any())


def _narrows(m: Mismatch) -> bool:
    """Test whether integers come out, an element each, of floats or of wider integers."""
    if m.got.dtype.is_floating_point or not m.elementwise:
        return False
    own = m.got.element_size()
    some = (x for x in m.inputs if x.numel() == m.got.numel())
    return any(x.is_floating_point() or x.element_size() > own for x in some)


def _both_limits(m: Mismatch, right: torch.Tensor) -> str | None:
    """Test whether just the results at both limits of an integer type go wrong."""
    if m.got.dtype.is_floating_point:
        return None
    info = torch.iinfo(m.got.dtype)
    least = -info.max if info.min < 0 and bool((right >= -info.max).all()) else info.min
    low, high = right == least, right == info.max
    at, some = low | high, SEVERAL // 2
    if bool((m.wrong & ~at).any()) or min(int((m.wrong & x).sum()) for x in (low, high)) < some:
        return None
    if int(m.wrong.sum()) < MOST * int(at.sum()) or int((~at).sum()) < some:
        return None
    return (
        f"only what should be {least} or {info.max}, the limits of {info.dtype}, goes "
        "wrong: results beyond them must be limited (saturated), and not wrap around"
    )


def between(m: Mismatch) -> str | None:
    """For an operator: test whether elements go wrong of which a number lies in a range.

    An input, its size, or a sum, a difference or its size of two: as of a bound of a piecewise
    formula that is another one.
    """
    inputs = [x.reshape(-1).double() for x in m.inputs if x.numel() == m.got.numel()]
    if m.reference is None or m.got.dtype is torch.bool or len(inputs) < len(m.inputs):
        return None
    if not LEAST_BETWEEN <= int(m.wrong.sum()) <= m.got.numel() - SEVERAL:
        return None
    for words, x in _quantities(inputs):
        inside = m.wrong & x.isfinite()
        if not torch.equal(inside, m.wrong):
            continue
        low, high = float(x[m.wrong].min()), float(x[m.wrong].max())
        right = x[~m.wrong & x.isfinite()]
        if low == high or bool(((right >= low) & (right <= high)).any()):
            continue
        if not int((right < low).sum()) or not int((right > high).sum()):
            continue
        if bool(m.expected[m.wrong].isnan().all()):
            return (
                f"only elements go wrong whose {words} lies from {low:.6g} to {high:.6g}, and "
                f"NaN must come out of these, not {describe(m.got[m.wrong][0])}: {NO_SUCH}"
            )
        return (
            f"only elements go wrong whose {words} lies from {low:.6g} to {high:.6g}: is the "
            "formula another one there, or a bound of it?"
        )
    return None


def one_value(m: Mismatch) -> str | None:
    """For an operator: test whether just elements go wrong of which an input has one value.

    Most of those that have it, so that a comparison with it may be another one.
    """
    n, count = m.got.numel(), int(m.wrong.sum())
    if m.reference is None or count < SEVERAL or any(x.numel() != n for x in m.inputs):
        return None
    for place, x in enumerate((x.reshape(-1).double() for x in m.inputs), 1):
        value = float(x[m.wrong][0]) + 0.0  # no -0
        same = x == value
        some = 2 * int(same.sum()) <= n and len(m.expected[~same].unique()) >= SEVERAL
        if not some or bool((m.wrong & ~same).any()) or count < MOST * int(same.sum()):
            continue
        return (
            f"only elements go wrong whose input {place} is {value:g}: is the formula another "
            "one there, as where a comparison takes it to the other side (< for <=)?"
        )
    return None


def _quantities(inputs: list[torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what a formula of several parts may ask for."""
    for j, x in enumerate(inputs, 1):
        yield f"input {j}", x
        yield f"input {j} (its absolute value)", x.abs()
    for (j, x), (k, y) in itertools.combinations(enumerate(inputs, 1), 2):
        yield f"difference of inputs {j} and {k}", x - y
        yield f"difference of inputs {j} and {k} (its absolute value)", (x - y).abs()
        yield f"sum of inputs {j} and {k}", x + y


def little_off(m: Mismatch) -> str | None:
    """For integers: test whether all wrong elements are off by little, in one direction."""
    if m.reference is None or m.got.dtype.is_floating_point or m.got.dtype is torch.bool:
        return None
    off = (m.got.double() - m.expected)[m.wrong]
    if len(off) < SEVERAL or not 1 < float(off.abs().max()) <= LITTLE_OFF:
        return None
    if float(off.min()) * float(off.max()) <= 0 or len(m.expected.unique()) < 2 * SEVERAL:
        return None
    way = "small" if float(off[0]) < 0 else "large"
    return (
        f"each wrong element is too {way}, by up to {int(off.abs().max())}: is each part of "
        "the formula rounded for itself (a division of integers truncates)? Divide once, at "
        "the end"
    )


def few_values(m: Mismatch) -> str | None:
    """Test whether elements are right only where an integer input is one of a few numbers."""
    if m.got.numel() <= SHORT:
        return None
    for place, x in enumerate(m.inputs, 1):
        if x.is_floating_point() or x.numel() != m.got.numel() or x.dtype is torch.bool:
            continue
        right, wrong = (x.reshape(-1)[w].unique() for w in (~m.wrong, m.wrong))
        if not 1 < len(right) <= FEW_VALUES or len(wrong) < SEVERAL:
            continue
        if int((~m.wrong).sum()) <= len(right):
            continue  # each is right once, as by chance
        if bool(torch.isin(wrong, right).any()):
            continue
        some = " or ".join(str(value) for value in right.tolist())
        return (
            f"right only for elements whose input {place} is {some}: are all other values "
            "treated as one of these?"
        )
    return None


def off_by_input(m: Mismatch) -> str | None:
    """For no elementwise operator: test whether each element is off by its own input."""
    if m.reference is not None or int(m.wrong.sum()) < SEVERAL:
        return None
    off = (m.got.double() - m.expected)[m.wrong]
    if bool((m.got.double().abs() < TINY)[m.wrong].all()) and _of_one_sign(m.expected[m.wrong]):
        return None  # a search that starts with 0, say, makes that of all numbers of a sign
    for place, x in enumerate(m.inputs, 1):
        if x.numel() != m.got.numel() or len(off.unique()) < SEVERAL:
            continue
        own = x.reshape(-1).double()[m.wrong]
        if _is_lost(m, place, own):
            continue
        # As in sums of one number, and casts.
        alone = torch.allclose(m.expected[m.wrong], own, rtol=1e-6, atol=0.0)
        added = "is it counted twice, as a sum's start and in its loop" if alone else COUNTED
        # A number that is small beside its own element is off by that, too.
        left_out = not alone or bool((m.got.double().abs() < TINY)[m.wrong].all())
        for what, by in ((added, own), *[("is it left out", -own)] * left_out):
            if torch.allclose(off, by, rtol=1e-5, atol=0.0):
                return f"each wrong element is off by its own element of input {place}: {what}?"
    return None


def _of_one_sign(x: torch.Tensor) -> bool:
    return bool((x > 0).all()) or bool((x < 0).all())


def _is_lost(m: Mismatch, place: int, own: torch.Tensor) -> bool:
    """Test whether an input's numbers would be lost if they were added to those of another.

    Then many formulas in which they have no effect are off by them.
    """
    others = [x for k, x in enumerate(m.inputs, 1) if k != place]
    alike = [x.reshape(-1).double()[m.wrong] for x in others if x.numel() == m.got.numel()]
    return any(bool((own.abs() <= LOST * x.abs()).all()) for x in alike)


def alike(m: Mismatch) -> str | None:
    """Test whether each wrong element comes out as the same number, whatever it should be."""
    if m.got.dtype is torch.bool or int(m.wrong.sum()) < SEVERAL // 2:
        return None
    values = m.got[m.wrong].unique()
    if len(values) > 1 or len(m.expected[m.wrong].unique()) < SEVERAL // 2:
        return None
    if bool((m.got == values[0]).all()):
        return None
    if bool(values.isinf().all()) and bool(m.expected[m.wrong].isfinite().all()):
        return (
            "each wrong element is infinity, where the result is finite: does something "
            "overflow on the way (as a float does from 3.4e38 on), or is a limit another one?"
        )
    if bool(m.expected[m.wrong].isnan().any()) and not bool(values.isnan().any()):
        return (
            f"each wrong element is {describe(values[0])}, and NaN must come out of some of "
            f"these: {NO_SUCH}"
        )
    if m.elementwise and (members := _of_packs(m, values[0])):
        return (
            f"{members}, and all others are right: is one of a pack's members left out, never "
            "set?"
        )
    return (
        f"each wrong element is {describe(values[0])}, whatever it should be: is the formula "
        "another one there, or a number in it (a limit, say)?"
    )


def _of_packs(m: Mismatch, value: torch.Tensor) -> str:
    """Say which element of every 2, 4 or 8 is one value; "" if no such one always is."""
    where = m.wrong.nonzero().flatten()
    may_be = m.wrong | (m.expected == value.double())
    for step in PACKS:
        member = int(where[0]) % step
        its = torch.arange(member, int(where[-1]) + 1, step)
        if len(its) >= LEAST_PACKS and bool((where % step == member).all() & may_be[its].all()):
            return f"element {member} of every {step} comes out as {describe(value)}"
    return ""


def elsewhere(m: Mismatch) -> str | None:
    """For counts: test whether all are there, but lie in other places."""
    if m.got.is_floating_point() or m.got.dtype is torch.bool or m.reference is not None:
        return None
    if m.got.numel() < SEVERAL or any(x.numel() == m.got.numel() for x in m.inputs):
        return None
    got, right = m.got.double(), m.expected
    if bool((torch.stack((got, right)) < 0).any()) or float(got.sum()) != float(right.sum()):
        return None
    lost = (got == 0) & (right > 0)
    if int(lost.sum()) < SEVERAL // 2:
        return None
    if bits := _cut_index(got, right):
        return (
            f"all add up to {float(right.sum()):,.0f}, as they should, but "
            f"{int(lost.sum()):,} lie a multiple of {1 << bits:,} from their place: is an "
            f"index held in {bits} bits, too narrow for it, so that it wraps around?"
        )
    return (
        f"all add up to {float(right.sum()):,.0f}, as they should, but {int(lost.sum()):,} of "
        f"{m.got.numel():,} are 0, the first at index {int(lost.nonzero()[0]):,}: is what "
        "belongs there counted for another element (a mask, a remainder, an index)?"
    )


def _cut_index(got: torch.Tensor, right: torch.Tensor) -> int:
    """Return of how many bits an index is held by which counts lie in other places; else 0."""
    for bits in (8, 16):
        lost = (right > got).nonzero().flatten()
        added = (got > right).nonzero().flatten()
        off = lost[:, None] - added[None, :]
        moved = ((off > 0) & (off % (1 << bits) == 0)).any(dim=1)
        if len(lost) and len(lost) == len(added) and bool(moved.all()):
            return bits
    return 0


def comparison(m: Mismatch) -> str | None:
    """For truth values, or zeros and ones: say of which comparison they are.

    An output of both values, of at least one input of its shape.
    """
    numbers = [x.reshape(-1).double() for x in m.inputs if x.numel() == m.got.numel()]
    got, right = m.got.double(), m.expected.double()
    values = torch.stack((got, right))
    if not numbers or not bool(((values == 0) | (values == 1)).all()) or len(got) <= SHORT:
        return None
    if len(right.unique()) < 2:
        return None
    if bool(m.wrong.all()):
        return "each element is the opposite of what it should be: is the comparison turned?"
    known = sorted(_comparisons(numbers), key=lambda one: one[0].count(" 0"))
    of_right = [words for words, truth in known if torch.equal(truth.double(), right)]
    of_got = [words for words, truth in known if torch.equal(truth.double(), got)]
    if of_got and of_right:
        made, wanted = min(
            itertools.product(of_got, of_right), key=lambda pair: _distance(*pair)
        )
        return (
            f"each element tells whether {made}, not whether {wanted}: is the formula of the "
            "comparison another one?"
        )
    for (j, x), (k, y) in itertools.combinations(enumerate(numbers, 1), 2):
        if bool((x == y)[m.wrong].all()) and bool((x != y).any()):
            if bool(x.isinf()[m.wrong].all()):
                return (
                    f"only elements go wrong whose inputs {j} and {k} are both infinite: is "
                    "one taken from the other? Infinity - infinity is NaN: compare them "
                    "themselves"
                )
            return (
                f"only elements go wrong whose inputs {j} and {k} are equal: is < in the place "
                "of <=, or the other way round?"
            )
        near, right = (x - y).abs(), (x - y).abs()[~m.wrong & (x != y)]
        if int((right > 0).sum()) >= SEVERAL and not bool(near[m.wrong].isnan().any()):
            most = float(near[m.wrong].max())
            if most < float(right[right > 0].min()):
                return (
                    f"only elements go wrong whose inputs {j} and {k} differ by up to "
                    f"{most:.3g}: are they compared with a tolerance?"
                )
    return None


def _distance(one: str, other: str) -> tuple[int, int]:
    """Count the words in which two comparisons differ; of alike ones the shorter is meant."""
    a, b = one.split(), other.split()
    differ = sum(x != y for x, y in itertools.zip_longest(a, b))
    return differ, len(a) + len(b)


def _comparisons(numbers: list[torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield comparisons of inputs with each other and with 0, and pairs of those with 0."""
    single = [
        (f"input {j} {sign} 0", of(x, torch.zeros(())))
        for j, x in enumerate(numbers, 1)
        for sign, of in COMPARISONS
    ]
    single += [
        (f"input {j} {sign} input {k}", of(x, y))
        for (j, x), (k, y) in itertools.combinations(enumerate(numbers, 1), 2)
        for sign, of in COMPARISONS
    ]
    yield from single
    for (one, a), (two, b) in itertools.combinations(single, 2):
        for word, both in BOTH:
            yield f"{one} {word} {two}", both(a, b)


def special_inputs(m: Mismatch) -> str | None:
    """For outputs that are no floats: test whether only NaN, infinity or zeros go wrong."""
    numbers = [x for x in m.like_output if x.is_floating_point()]
    if m.got.dtype.is_floating_point or not numbers or int(m.wrong.sum()) == m.got.numel():
        return None
    left, names = m.wrong.clone(), []
    for name, holds in KINDS:
        has = torch.stack([holds(x) for x in numbers]).any(dim=0)
        if bool((has & left).any()):
            names.append(name)
        left &= ~has
    if bool(left.any()) or len(names) == len(KINDS):
        return None
    if names == ["NaN"] and bool(((m.expected == 0) | (m.expected == 1)).all()):
        return "only NaN goes wrong: with NaN every comparison is false, and != is true"
    if names == ["NaN"]:
        return (
            "only NaN goes wrong: fmaxf, fminf and comparisons drop it, so a limit takes its "
            "place"
        )
    return (
        f"only elements go wrong whose input is {' or '.join(names)}: is the formula another "
        "one there (a comparison, a type on the way)?"
    )


def special_lines(m: Mismatch) -> str | None:
    """For results of rows or columns: test whether only those that hold NaN or infinity fail.

    Nearly all of these, so that it is not by chance; and several others are right.
    """
    if m.reference is not None or len(m.inputs) != 1 or m.inputs[0].dim() != 2:
        return None
    x, n = m.inputs[0], m.got.numel()
    if not x.is_floating_point() or x.numel() <= n:
        return None
    lines = (("rows", x), ("columns", x.T))
    for name, side in ((name, side) for name, side in lines if len(side) == n):
        for kind, holds in KINDS[:2]:
            has = holds(side).any(dim=1)
            if int((~has).sum()) < SEVERAL // 2 or int(m.wrong.sum()) < SEVERAL // 2:
                continue
            if bool((m.wrong & ~has).any()) or m.wrong.sum() < MOST * has.sum():
                continue
            if kind == "NaN":
                return (
                    f"only {name} that hold a NaN go wrong: is a NaN that should count passed "
                    "over, or one that should not taken? Every comparison with a NaN is false: "
                    "ask for it (isnan)"
                )
            return (
                f"only {name} that hold an infinite number go wrong: is a limit, or the number "
                "that a search starts with, in the way?"
            )
    return None


def products_cancel(m: Mismatch) -> bool:
    """Test whether sums of products that are 0 come out as what is small beside these."""
    if len(m.inputs) != 2 or not bool((m.expected == 0)[m.wrong].all()):
        return False
    size = math.prod(float(x.double().abs().max()) for x in m.inputs if x.numel())
    off = m.got.double().abs()[m.wrong]
    return math.isfinite(size) and bool((off <= SMALL_BESIDE * size).all())


def should_be_zero(m: Mismatch) -> str | None:
    """Test whether all wrong elements should be 0, and are ordinary numbers."""
    if m.reference is not None or int(m.wrong.sum()) < FEW_VALUES or len(m.expected) < SEVERAL:
        return None
    got = m.got.double()[m.wrong]
    if bool((m.expected != 0)[m.wrong].any()) or not bool((m.expected != 0).any()):
        return None
    if comparison(m) or special_inputs(m):  # which say more
        return None
    if _may_be_places(m) or products_cancel(m):
        return None
    if not bool(got.isfinite().all()) or bool((got == 0).any()):
        return None
    tiny = torch.finfo(m.got.dtype).tiny if m.got.is_floating_point() else 0
    if tiny and bool((got == tiny).all()):
        return (
            f"{describe(got[0])}, FLT_MIN of its type, comes out in the place of 0: does a "
            "maximum start with that? It is positive: start with the first element"
        )
    return (
        "only elements that should be 0 go wrong, and hold other numbers: is a limit (the "
        "larger of a number and 0), a mask or a comparison another one, or left out?"
    )


def _may_be_places(m: Mismatch) -> bool:
    """Test whether integers, one a row of floats, lie where there are elements of a row."""
    if m.got.is_floating_point() or not all(x.is_floating_point() for x in m.inputs):
        return False
    x = max(m.inputs, key=torch.numel, default=m.got)
    made = torch.stack([m.expected, m.got.double()])
    return x.dim() > 1 and len(x) == m.got.numel() and bool(made.max() < x[0].numel())


def ends_of_a_byte(m: Mismatch) -> str | None:
    """For bytes made of bytes: test whether all wrong elements should be an end of the type."""
    types = (torch.uint8, torch.int8)
    if m.got.dtype not in types or any(x.dtype is not m.got.dtype for x in m.inputs):
        return None
    ends = torch.iinfo(m.got.dtype)
    at_an_end = (m.expected == ends.min) | (m.expected == ends.max)
    if int(m.wrong.sum()) < FEW_VALUES or not bool(at_an_end[m.wrong].all()):
        return None
    if not bool((~at_an_end).any()) or bool(
        torch.isin(m.got, m.expected[m.wrong])[m.wrong].all()
    ):
        return None
    which = " or ".join(f"{int(value)}" for value in m.expected[m.wrong].unique())
    return (
        f"only elements that should be {which}, an end of their type, go wrong, and hold other "
        "numbers: is what lies beyond that end saturated, or does it wrap around?"
    )


def magnitude(m: Mismatch) -> str | None:
    """Test whether the elements of large integers go wrong, and all others right.

    The integers are inputs, or what comes out.
    """
    integers = [x for x in m.like_output if not x.dtype.is_floating_point]
    of_inputs = bool(integers)
    if not m.got.dtype.is_floating_point and not integers:
        integers = [m.expected]
    if not integers or m.got.numel() < SEVERAL or m.got.dtype is torch.bool:
        return None
    size = torch.stack([x.double().abs() for x in integers]).amax(dim=0)
    right, wrong = size[~m.wrong], size[m.wrong]
    if len(right) < SEVERAL or float(right.max()) >= float(wrong.min()):
        return None
    if len(right.unique()) == 1:  # as only of zeros, of which many formulas make zeros
        return None
    if not of_inputs and float(wrong.min()) < LEAST_END:
        return None
    if m.reference is None and (little := _little_of_a_byte(m)):
        return f"right for numbers up to {float(right.max()):,.0f}, and {little}"
    limits = (2.0**k for k in range(1, 64))
    if _grow(m) and not any(right.max() < x <= wrong.min() + 1 for x in limits):
        return None  # where no type ends, as in running sums, the place may matter as well
    return (
        f"right for numbers up to {float(right.max()):,.0f}, wrong from "
        f"{float(wrong.min()):,.0f} on: do they pass through a narrower integer type, or out "
        "of its range?"
    )


def _little_of_a_byte(m: Mismatch) -> str | None:
    """For results of 8 bits: say that large ones are off by little, as no narrow type does."""
    off = (m.got.double() - m.expected)[m.wrong]
    if m.got.element_size() > 1 or float(off.abs().max()) > LITTLE_OFF:
        return None
    if float(off.min()) * float(off.max()) <= 0:
        return None
    way = "small" if float(off[0]) < 0 else "large"
    return (
        f"larger ones are too {way}, by up to {float(off.abs().max()):.0f}: is a factor or a "
        "divisor nearly the right one (a shift by 8 divides by 256, not by 255), or is the "
        "quotient rounded another way?"
    )


def _grow(m: Mismatch) -> bool:
    """Test whether what is right grows along each row of the output, as running sums do."""
    rows = m.expected.abs().reshape(-1, m.shape[-1] if m.shape else m.got.numel())
    grow = bool((rows.diff(dim=1) >= 0).all()) and bool((rows[:, -1] > rows[:, 0]).any())
    return m.reference is None and grow


def sign_on_the_way(m: Mismatch) -> str | None:
    """For sums that are never below 0: test whether terms cancel, as without their sizes.

    Numbers below 0 come out then, and none that is larger in size than the right one.
    """
    if m.reference is not None or m.elementwise or m.got.numel() < SEVERAL:
        return None
    if not m.got.is_floating_point():
        return None
    got, right = m.got.double()[m.wrong], m.expected[m.wrong]
    if not bool(got.isfinite().all() & right.isfinite().all()) or len(got) < SEVERAL:
        return None
    if bool((m.expected < 0).any()) or float((got < 0).double().mean()) < LEAST_BELOW:
        return None
    if bool((got.abs() > right * (1 + MOST_ROUNDED)).any()):
        return None
    if m.inputs and all(bool((x.double() >= 0).all()) for x in m.inputs):
        return (
            "numbers below 0 came out of numbers that are all 0 or more: is something "
            "subtracted that must be added?"
        )
    return (
        "numbers below 0 came out, where none should, and none is larger in size than the "
        "right one: is a sign never dropped on the way (fabsf, or the product with itself), so "
        "that terms cancel? The formula is another one"
    )


def half_line(m: Mismatch) -> str | None:
    """Test whether all elements of one sign of an input go wrong, and no others.

    With two inputs, of one sign of their product or their difference, too.
    """
    if m.got.numel() <= SHORT or (m.reference is None and _is_all_but_zero(m)):
        return None
    if m.got.element_size() >= 4 and _most_off(m) < MOST_ROUNDED:
        return None  # digits are lost there, by no other formula
    if sentence := _of_an_infinite_power(m):
        return sentence
    inputs = [
        (str(place), x.reshape(-1).double())
        for place, x in enumerate(m.inputs, 1)
        if x.numel() == m.got.numel()
    ]
    inputs = inputs or [*_halves(m)]
    return (
        _from_a_number_on(m, inputs)
        or _of_a_sign(m, _signed(m, inputs))
        or _of_a_sign(m, _signed_pairs(m, inputs))
        or (_from_a_size_on(m) if len(m.like_output) == 1 else None)
    )


def _most_off(m: Mismatch) -> float:
    """Return by what part of itself the worst result is off; of integers infinity."""
    if not m.got.is_floating_point():
        return math.inf
    off = (m.got.double() - m.expected)[m.wrong] / m.expected[m.wrong]
    return float(off.abs().max())


def _halves(m: Mismatch) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield both numbers of each result, of inputs with twice as many numbers as the output.

    They lie in pairs, or in the halves of a row. With what is added to each row, if something
    of that shape goes in, too.
    """
    for place, x in enumerate(m.inputs, 1):
        if not len(m.shape) or x.numel() != 2 * m.got.numel() or x.shape[0] != m.shape[0]:
            continue
        ways = [("", x.double())]
        if x.dim() > 1:
            ways += [
                (f" plus input {k}", x.double() + y.double())
                for k, y in enumerate(m.inputs, 1)
                if y.shape == x.shape[1:]
            ]
        for plus, y in ways:
            rows, half = y.reshape(-1, 2 * m.shape[-1]), m.shape[-1]
            for where, part in (
                ("even columns", rows[:, ::2]),
                ("odd columns", rows[:, 1::2]),
                (f"columns up to {half - 1:,}", rows[:, :half]),
                (f"columns from {half:,} on", rows[:, half:]),
            ):
                yield f"{place}{plus} in its {where}", part.reshape(-1)


def _is_all_but_zero(m: Mismatch) -> bool:
    """Test whether each wrong element is so small as a search may start with, and not 0."""
    sizes = m.got[m.wrong].double().abs()
    return bool(((sizes > 0) & (sizes < TINY)).all())


def _in_order(x: torch.Tensor) -> bool:
    """Test whether numbers, or their sizes, rise or fall, so that the place may matter."""
    steps = [y.diff() for y in (x, x.abs())]
    return any(bool((y >= 0).all()) or bool((y <= 0).all()) for y in steps)


def _of_a_sign(
    m: Mismatch, signed: Iterator[tuple[torch.Tensor, dict[str, str], float]]
) -> str | None:
    """Test whether all wrong elements are those of one sign of a number, and most of these."""
    if _are_digits(m):
        return None
    told = ~m.expected.isnan()  # where it is NaN, as of a root, a sign tells nothing
    for numbers, words, share in signed:
        numbers = numbers.where(told, torch.nan)
        wrong = m.wrong & told
        if not torch.equal(wrong, m.wrong):
            continue
        if sign := one_sign(numbers, wrong, share, told):
            many = int((numbers < 0 if sign == "negative" else numbers > 0).sum())
            share = f"{int(m.wrong.sum()):,} of {many:,}"
            if one_sign(numbers, m.wrong):
                share = "nearly all of them"
            if by := _direction(m):
                return f"only {words[sign]}, and {share}, each by {by}"
            why = "is the formula another one there"
            if not any(x.is_floating_point() for x in m.inputs):
                why += " (a division, a shift or an unsigned type, of a negative number)"
            return f"only {words[sign]}, and {share}: {why}?"
    return None


def _are_digits(m: Mismatch) -> bool:
    """Test whether some floats of 32 bits, or more, are right but for their last digits."""
    if not m.got.is_floating_point() or m.got.element_size() < 4:
        return False
    right, off = m.expected[m.wrong], (m.got.double() - m.expected)[m.wrong].abs()
    return bool((off <= LAST_DIGITS * right.abs()).all())


def _from_a_number_on(m: Mismatch, inputs: list[tuple[str, torch.Tensor]]) -> str | None:
    """Of several inputs: test whether a number of one parts what is wrong from what is right.

    Neither may be few, and all numbers must be finite, in no order; nor must nearly all of a
    sign be wrong.
    """
    if len(inputs) < 2 or min(int(m.wrong.sum()), int((~m.wrong).sum())) < SEVERAL:
        return None
    for place, x in inputs:
        right, wrong = x[~m.wrong], x[m.wrong]
        if not bool(x.isfinite().all()) or _in_order(x) or one_sign(x, m.wrong):
            continue
        for beyond, way, of in (
            (wrong.min(), "more", right.max()),
            (-wrong.max(), "less", -right.min()),
        ):
            if of < beyond:
                end = float(beyond) if way == "more" else -float(beyond)
                return (
                    f"only elements go wrong whose input {place} is {end:.6g} or {way}, and "
                    "all of them: is the formula another one there?"
                )
    return None


def _direction(m: Mismatch) -> str:
    """For integers off by 1, of an operator that rounds, say so; else ""."""
    off = (m.got.double() - m.expected)[m.wrong]
    if m.got.is_floating_point() or len(off.unique()) > 1 or abs(float(off[0])) != 1:
        return ""
    inputs = [x.double() + BETWEEN for x in m.inputs]
    made = m.reference(*inputs) if m.reference else None
    if not isinstance(made, torch.Tensor) or not bool((made == made.trunc()).all()):
        return ""
    return (
        "1: are they rounded in another direction (a division of integers truncates, toward "
        "zero, and a shift rounds down)?"
    )


def _signed(
    m: Mismatch, inputs: list[tuple[str, torch.Tensor]]
) -> Iterator[tuple[torch.Tensor, dict[str, str], float]]:
    """Yield the numbers of each input, what each sign means, and how many must be wrong.

    The last is a share of those of one sign.
    """
    several = max(len(m.inputs), len(inputs)) > 1
    for place, x in inputs:
        whose = f"elements go wrong whose input {place} is"
        yield (
            x,
            {
                sign: f"{whose} {sign}" if several else f"{sign} inputs go wrong"
                for sign in ("negative", "positive")
            },
            MOST_OF_A_SIGN,
        )


def _signed_pairs(
    m: Mismatch, inputs: list[tuple[str, torch.Tensor]]
) -> Iterator[tuple[torch.Tensor, dict[str, str], float]]:
    """Yield products and differences of two inputs, as `_signed` does numbers of one."""
    for (j, x), (k, y) in itertools.combinations(inputs, 2):
        whose = f"elements go wrong whose inputs {j} and {k} have"
        signs = {"negative": f"{whose} different signs", "positive": f"{whose} one sign"}
        yield x * y, signs, MOST_OF_A_SIGN
        whose = f"elements go wrong whose input {j} is"
        yield (
            x - y,
            {
                "negative": f"{whose} less than input {k}",
                "positive": f"{whose} more than input {k}",
            },
            SOME_OF_TWO if len(m.inputs) > 2 else MOST_OF_TWO,
        )


def bit(m: Mismatch) -> str | None:
    """Test whether all elements go wrong of whose integer input one bit is set, or is not."""
    for place, x in enumerate(m.inputs, 1):
        if x.is_floating_point() or x.shape != m.got.shape or x.dtype is torch.bool:
            continue
        for k in range(8):
            for is_set in (True, False):
                side = ((x.long() >> k & 1) == is_set) & (x != 0)
                if int((~side & ~m.wrong).sum()) < SEVERAL or bool((m.wrong & ~side).any()):
                    continue
                if int((side & m.wrong).sum()) >= 0.9 * int(side.sum()) >= SEVERAL:
                    which = f"whose input {place} has bit {k} {'set' if is_set else 'clear'}"
                    return f"only elements go wrong {which}: is the formula another one there?"
    return None


def one_sign(
    x: torch.Tensor,
    wrong: torch.Tensor,
    share: float = 0.9,
    told: torch.Tensor | None = None,
) -> str:
    """Return the sign of which a share of the numbers go wrong, and no others; "" for none.

    told: which numbers count as right, if not all do.
    """
    others = ~wrong if told is None else ~wrong & told
    for name, side in (("negative", x < 0), ("positive", x > 0)):
        of_them = int((side & wrong).sum())
        if int((~side & others).sum()) < SEVERAL:
            continue
        count = int(side.sum())
        if of_them == int(wrong.sum()) and of_them >= share * count and count > SEVERAL:
            return name
    return ""


def _from_a_size_on(m: Mismatch) -> str | None:
    """Test whether inputs from a size on go wrong, and all others right."""
    if bool((m.expected.isnan() & ~m.got.isnan())[m.wrong].any()):
        return None  # a NaN is lost, too
    for note, right, wrong, values in _beyond_a_size(m):
        clamped = len(values) == 1 and bool(values.isfinite()) and bool(values != 0)
        end = f", where all are clamped to {describe(values[0])}" if clamped else ""
        if len(values) == 2 and bool(values.isfinite().all()) and _of_a_side(m):
            both = " or ".join(map(describe, values))
            end = f", where all are clamped to {both}, by their sign"
        return (
            f"right for inputs up to {right:.6g}, wrong from {wrong:.6g} on{note}{end}: is the "
            "formula another one there?"
        )
    return None


def _of_an_infinite_power(m: Mismatch) -> str | None:
    """Test whether inputs go wrong from a size on of which exp is infinite."""
    ways = _beyond_a_size(m) if len(m.like_output) == 1 else ()
    return next(filter(None, itertools.starmap(wrong_ranges.infinite_power, ways)), None)


def _of_a_side(m: Mismatch) -> bool:
    """Test whether all wrong elements whose input has one sign come out as one number."""
    x = m.like_output[0]
    sides = (m.got[m.wrong & (x > 0)], m.got[m.wrong & (x < 0)])
    return all(len(side) >= SEVERAL // 2 and len(side.unique()) == 1 for side in sides)


def _beyond_a_size(m: Mismatch) -> Iterator[tuple[str, float, float, torch.Tensor]]:
    """Yield a note on sizes of inputs by which they go wrong, the ends, and what comes out.

    The ends are the largest of those that are right, and the smallest of those that are not.
    """
    x = m.like_output[0].double()
    for size, note in ((x.abs(), " (their absolute values)"), (x, ""), (-x, " (negated)")):
        told = x.isfinite() & ~m.expected.isnan()
        right, wrong = size[told & ~m.wrong], size[told & m.wrong]
        if min(len(right), len(wrong)) >= SEVERAL and float(right.max()) < float(wrong.min()):
            yield note, float(right.max()), float(wrong.min()), m.got[told & m.wrong].unique()
