"""Recognise a wrong output by how it is rounded: directions, types on the way, precision.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.mismatch import SEVERAL, Mismatch, same
from helpers.testing.references import bits, rounded, ulp_distance

FLOAT_EPS = 2.0**-23  # relative: a double that a float made is off by less
MOST_NEAR = 0.75  # of the wrong elements
NARROWER = (torch.float32, torch.float16, torch.bfloat16)  # the widest that explains it
MANY = 256  # elements; a few of them that are off by little are so by no chance
LEAST_WHOLE = 4  # different whole numbers
NO_MORE = 1e-3  # of a whole number: what a factor leaves of one
MOST_WHOLE = 0.7  # of an input: numbers of halves are whole every second time
LITTLE = (-(2.0**-20), 2.0**-20)  # what moves a number off a tie
SYSTEMATIC = 2.0**-8  # a factor of a row that is off by more was not rounded to bfloat16
SMALL = 2.0**-8  # of the larger of 1 and the inputs
LEAST_OF_A_SIDE = 1 / 8  # of the wrong elements: so many are too large, and too small
LARGE_PART, SMALL_PART = 2.0**-12, 2.0**-19  # of a result
SMALL_BESIDE_1 = 0.25
WHOLE_DIGITS = 2.0**16  # times the last digit of 1: up to here a logarithm tells them
NEAR_WHOLE = 2.0**-6
NEARLY_RIGHT = 2.0**-6  # relative, of a tail that is rounded otherwise
LEAST_CUT = 2.0**-5  # that truncating takes off most numbers
STEPS_APART = 8  # times what is cut off, so far apart are results
MOST_ON_THE_WAY = 8  # one of so many elements: a step that is rounded spares the others
LITTLE_OF_SUMS = 2.0**-18  # of the largest
BESIDE_ONE = (
    "is a small one added to 1 on the way, or 1 taken off? log1p and expm1 keep its digits, "
    "and the precision"
)
LEAST_STEP = 2.0**-10  # of what is lost beside a larger number
MUCH_OF_STEP = 2.0**-5  # likewise, so much that a smaller part of a result is enough
FAR_OFF = 16  # times what inputs differ by is their mean, and results are smaller than squares
FAR_LARGER = 1 << 10  # times a result that may be lost beside it
FLOAT_BITS = 24  # of a float32
DOUBLE_BITS = 53  # of a float64
NEARLY_A_DOUBLE = 2.0**-48  # by which a sum of doubles is off, of its size
NEAR_A_FLOAT = 4  # bits: what a few steps in float lose, or an average of them gains
PROBES = (2.0**20, 64.0, 1.0)  # of which an operator tells its factor
WHOLE_IN_BFLOAT16 = 256  # it holds every whole number up to here
MOST_TERMS = 3  # of a sum
MANY_TERMS = 16  # elements for each of them
EXACT_SUM = 1e-9  # relative: what is right is such a sum so well
MOST_BITS, MOST_DECIMALS = 11, 5  # of a factor, where what is right is rounded already
MOST_ALIKE = 0.99  # of the elements: a step in float may be rounded, too
MOST_OF_INPUT = 4  # times a result that is small beside its input
LEAST_TURNS = 1 / 4  # of the neighbours: half, by chance
NOT_NEAREST = "not to the nearest (a tie to even)"


def direction(m: Mismatch) -> str | None:
    """Test whether each element is rounded in one direction, or its ties are.

    Not of float64, in which the reference itself is computed; nor where only infinities differ,
    as those may be clamped.
    """
    if not m.got.dtype.is_floating_point or m.got.element_size() not in (2, 4):
        return None
    right = rounded(m.expected, m.got.dtype)
    if int((m.wrong & right.isfinite()).sum()) < SEVERAL:
        return None
    for how, other in _directions(m.expected, right):
        if same(m.got[m.wrong], other[m.wrong].double()) and same(m.got, other.double()):
            return f"the results are rounded {how}, {NOT_NEAREST}"
    return None


def _directions(
    exact: torch.Tensor, right: torch.Tensor
) -> tuple[tuple[str, torch.Tensor], ...]:
    """Return the float64 `exact` rounded otherwise than `right`: how, and the numbers."""
    nearest, dtype = right.double(), right.dtype
    smaller, larger = ((bits(right) + step).view(dtype) for step in (-1, 1))
    above, below = nearest.abs() > exact.abs(), nearest.abs() < exact.abs()
    zero = torch.where(above, smaller, right)
    away = torch.where(below, larger, right)
    tie = (larger.double() - exact).abs() == (nearest - exact).abs()
    return (
        ("toward zero", zero),
        ("to the next smaller number", torch.where(exact < 0, away, zero)),
        ("to the next larger number", torch.where(exact < 0, zero, away)),
        ("away from zero", away),
        ("to the nearest, but ties away from zero", torch.where(below & tie, larger, right)),
    )


def rounded_product(m: Mismatch) -> str | None:
    """Test whether, of a product and a sum, the product is rounded for itself."""
    inputs = m.like_output
    if len(inputs) != 3 or not m.got.dtype.is_floating_point or m.got.element_size() > 4:
        return None
    for k in range(3):  # which one is added
        a, b, c = (inputs[j].double() for j in ((k + 1) % 3, (k + 2) % 3, k))
        if not same(rounded(m.expected, m.got.dtype), a * b + c):
            continue
        twice = rounded(rounded(a * b, m.got.dtype).double() + c, m.got.dtype)
        if int(m.wrong.sum()) >= SEVERAL and same(m.got, twice.double()):
            return (
                "the results are rounded twice, the product and then the sum: fmaf rounds once"
            )
    return None


def rounded_term(m: Mismatch) -> str | None:
    """For a sum of inputs, each times a number: test whether a term is rounded by itself.

    Then most results come out right, and those are off that are far smaller than their terms.
    """
    if not 2 <= len(m.inputs) <= MOST_TERMS or m.got.numel() < MANY_TERMS * len(m.inputs):
        return None
    floats = (m.got, *m.inputs)
    if not all(x.is_floating_point() and x.numel() == m.got.numel() for x in floats):
        return None
    if m.got.element_size() > 4 or int(m.wrong.sum()) < SEVERAL // 2:
        return None
    x = torch.stack([x.reshape(-1).double() for x in m.inputs], dim=1)
    usual = x.isfinite().all(dim=1) & m.expected.isfinite()
    if (
        not bool(usual[m.wrong].all())
        or (by := _factors(x[usual], m.expected[usual], m.got.dtype)) is None
    ):
        return None
    terms, got = (x * by)[usual], m.got[usual].double()
    for dtype in dict.fromkeys((m.got.dtype, *NARROWER)):
        near = rounded(terms, dtype).double()
        for k in (*range(len(by)), None):
            which = torch.ones(len(by), dtype=torch.bool)
            if k is not None:
                which[:] = torch.arange(len(by)) == k
            made = torch.where(which, near, terms).sum(dim=1)
            alike = rounded(made, m.got.dtype).double() == got
            if bool(alike[m.wrong[usual]].all()) and float(alike.double().mean()) > MOST_ALIKE:
                what = f"input {(k or 0) + 1} times {float(by[k or 0]):.6g}"
                how = "keep it in a wider type, for precision, and round once, at the end"
                if dtype is torch.float32:
                    how = "fmaf rounds once, and keeps the precision"
                return (
                    f"each result is what comes out if {'each term' if k is None else what} "
                    f"is rounded to {dtype_name(dtype)} before it is added: {how}"
                )
    return None


def whole_terms(m: Mismatch) -> str | None:
    """For a sum of integers, each times a number: test whether each term is rounded."""
    if any(x.is_floating_point() or x.dtype is torch.bool for x in (m.got, *m.inputs)):
        return None
    n, count = m.got.numel(), len(m.inputs)
    if not 2 <= count <= MOST_TERMS or n < MANY_TERMS * count:
        return None
    if any(x.numel() != n for x in m.inputs):
        return None
    limits = torch.iinfo(m.got.dtype)
    told = (m.expected > limits.min) & (m.expected < limits.max)
    if int((told & m.wrong).sum()) < SEVERAL:
        return None
    x = torch.stack([x.reshape(-1).double() for x in m.inputs], dim=1)[told]
    got, right = m.got.double()[told], m.expected[told]
    by = torch.linalg.lstsq(x, right[:, None], driver="gelsd").solution[:, 0]
    for terms in (x * exact for exact in _simple(by)):
        if not torch.equal(terms.sum(dim=1).round(), right):
            continue
        for how, rounded_so in (("rounded", torch.round), ("cut off", torch.trunc)):
            if torch.equal(rounded_so(terms).sum(dim=1), got):
                return (
                    f"each result is what comes out if each term is {how} to a whole number "
                    "before they are added: round once, at the end"
                )
    return None


def _factors(x: torch.Tensor, right: torch.Tensor, dtype: torch.dtype) -> torch.Tensor | None:
    """Return with which number each column of x is multiplied in a sum; None if it is none.

    A factor that a float holds, or nearly, is that float. What is right may be rounded to a
    type already: the factors are simple ones, then.
    """
    if len(x) < SEVERAL:
        return None
    by = torch.linalg.lstsq(x, right[:, None], driver="gelsd").solution[:, 0]
    for exact in (by.float().double(), by):
        made, size = (x * exact).sum(dim=1), (x * exact).abs().sum(dim=1)
        if bool(((made - right).abs() <= EXACT_SUM * size).all()) and bool((exact != 0).all()):
            return exact
    for exact in _simple(by):
        made = rounded((x * exact).sum(dim=1), dtype).double()
        if torch.equal(made, right) and bool((exact != 0).all()):
            return exact
    return None


def _simple(by: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield numbers of few bits, or of few decimal places, near some."""
    for k in range(MOST_BITS):
        yield (by * 2**k).round() / 2**k
    for k in range(1, MOST_DECIMALS):
        yield by.round(decimals=k).float().double()


def compared_as_floats(m: Mismatch) -> str | None:
    """For two inputs of doubles: test whether it goes wrong where they are the same as floats.

    The other one of the two comes out there; others of which a float holds every digit do not
    go wrong.
    """
    if m.got.dtype is not torch.float64 or len(m.inputs) != 2:
        return None
    if any(x.dtype is not torch.float64 or x.numel() != m.got.numel() for x in m.inputs):
        return None
    x, y = (z.reshape(-1) for z in m.inputs)
    alike, wrong = (x.float() == y.float()) & (x != y), m.wrong
    if not bool(alike[wrong].all()) or int(wrong.sum()) < SEVERAL:
        return None
    other = torch.where(m.expected == x, y, x)
    if not bool(((m.expected == x) | (m.expected == y))[wrong].all()):
        return None
    if not torch.equal(m.got[wrong], other[wrong]):
        return None
    return (
        "only of two numbers that are the same as floats, and are not as doubles, the wrong "
        "one comes out: are they compared as floats, in a narrower precision?"
    )


def another_type(m: Mismatch) -> str | None:
    """Test whether the exact result, or each input, is rounded to another type on the way."""
    if not m.got.dtype.is_floating_point:
        return _narrower_inputs(m)
    if int(m.wrong.sum()) < SEVERAL:
        return None
    own = torch.finfo(m.got.dtype)
    for dtype in NARROWER:
        if dtype is m.got.dtype:
            continue
        name = dtype_name(dtype)
        if same(m.got, rounded(m.expected, dtype).double()):
            if torch.finfo(dtype).max < own.max and torch.finfo(dtype).eps < own.eps:
                return (
                    f"the results are rounded twice: first to the precision of {name} on the "
                    f"way, which ends at {torch.finfo(dtype).max:,.0f}, then again"
                )
            if torch.finfo(dtype).eps < own.eps:
                return f"the results are rounded twice: first to {name} on the way, then again"
            return f"the results are rounded to {name} on the way, a narrower precision"
        if m.reference is None or torch.finfo(dtype).eps < own.eps or not m.inputs:
            continue
        other = m.reference(*[rounded(x.double(), dtype).double() for x in m.inputs])
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            if same(m.got, other):
                return f"the inputs are rounded to {name} on the way, a narrower precision"
    return None


def _narrower_inputs(m: Mismatch) -> str | None:
    """For integers made of floats: test whether the inputs are rounded to a narrower type."""
    if m.reference is None or m.got.dtype is torch.bool or m.got.numel() < SEVERAL:
        return None
    for dtype in NARROWER:
        if not all(x.is_floating_point() and x.dtype is not dtype for x in m.inputs):
            continue
        other = m.reference(*[rounded(x.double(), dtype).double() for x in m.inputs])
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            if same(m.got, other):
                name = dtype_name(dtype)
                return f"the inputs are rounded to {name} on the way, a narrower precision"
    return None


def integers(m: Mismatch) -> str | None:
    """Test whether rounded numbers come out one beside: ties, or all in one direction."""
    floats = m.like_output and all(x.is_floating_point() for x in m.inputs)
    if m.got.dtype.is_floating_point or m.got.dtype is torch.bool or not floats:
        return None
    if m.reference is None or not bool((m.expected == m.expected.trunc())[m.wrong].all()):
        return None
    got, right = m.got.double()[m.wrong], m.expected[m.wrong]
    if not bool(((got - right).abs() == 1).all()):
        return None
    beside = [m.reference(*[x.double() * (1 + off) for x in m.inputs]) for off in LITTLE]
    if not any(isinstance(x, tuple) for x in beside):
        if bool((beside[0] != beside[1]).reshape(-1)[m.wrong].all()):
            return "only halves go wrong: a tie must be rounded to the nearest even number"
    if len(right.unique()) < SEVERAL // 2:
        return None
    if _nearest_where_cut(m):
        return (
            "the results are rounded to the nearest whole number, and should be truncated, "
            "toward zero: a cast such as (int)x does that"
        )
    if bool((got.abs() < right.abs()).all()) and bool((right < 0).any()):
        return "the results are truncated, toward zero, and not rounded to the nearest"
    if bool((got < right).all()) or bool((got > right).all()):
        way = "smaller" if bool((got < right).all()) else "larger"
        return f"the results are rounded to the next {way} number, and not to the nearest"
    return None


def one_way(m: Mismatch) -> str | None:
    """For integers made of floats and others: test whether wrong ones are 1 beside, one way."""
    if m.got.dtype.is_floating_point or m.got.dtype is torch.bool or m.reference is not None:
        return None
    if not any(x.numel() == m.got.numel() for x in m.inputs):
        return None  # counts of something, say
    if not any(x.is_floating_point() for x in m.inputs):
        return None
    count, right = int(m.wrong.sum()), m.expected[m.wrong]
    if count < SEVERAL or 8 * int((~m.wrong).sum()) < count:
        return None
    off = m.got.double()[m.wrong] - right
    ways = {"more": off, "less": -off, "nearer to 0": -off * right.sign()}
    ways["further from 0"] = -ways["nearer to 0"]
    if way := next((way for way, by in ways.items() if bool((by == 1).all())), None):
        return (
            f"each wrong element is 1 {way}, and others are right: are numbers, or only "
            "halves, rounded in another direction, and not to the nearest, of a tie to the "
            "even one (rintf does that; floorf(x + 0.5f) rounds it up, roundf away from 0)?"
        )
    return None


def halves(m: Mismatch) -> str | None:
    """For integers made of floats by an unknown factor: test whether only halves go wrong.

    Half way between what came out and what is right lies what is rounded: a factor times the
    input, plus a number.
    """
    inputs = [x for x in m.inputs if x.is_floating_point() and x.numel() == m.got.numel()]
    if m.got.dtype.is_floating_point or m.got.dtype is torch.bool or len(inputs) != 1:
        return None
    x, got, right = inputs[0].reshape(-1).double(), m.got.double(), m.expected
    told = x.isfinite() & (right > right.min()) & (right < right.max())  # beyond no limit
    if bool(((got - right).abs() != 1)[m.wrong].any()) or not bool(x[m.wrong].isfinite().all()):
        return None
    if len(x[m.wrong].unique()) < LEAST_WHOLE:
        return None
    both_ways = bool((got > right)[m.wrong].any()) and bool((got < right)[m.wrong].any())
    if int((told & ~m.wrong).sum()) < SEVERAL and not (
        both_ways and int(m.wrong.sum()) >= SEVERAL
    ):
        return None
    columns = torch.stack([x, torch.ones_like(x)], dim=1)
    between = ((got + right) / 2)[m.wrong, None]
    factor, plus = torch.linalg.lstsq(columns[m.wrong], between).solution[:, 0]
    made = factor * x + plus
    if bool(((made - (got + right) / 2).abs() > NO_MORE)[m.wrong].any()):
        return None
    if bool(((made - right).abs() > 0.5 + NO_MORE)[told].any()):
        return None
    whole = float(plus.round())
    if abs(float(plus) - whole) < NO_MORE and bool(((right - whole) % 2 == 0)[m.wrong].all()):
        further = ((got - plus).abs() > (right - plus).abs())[m.wrong]
        if whole % 2 and bool(further.any()) and not bool(further.all()):  # no roundf
            return (
                f"only halves go wrong: a tie must be rounded to the nearest even number "
                f"before {whole:.0f} is added, and is rounded behind that"
            )
        return (
            "only halves go wrong: a tie must be rounded to the nearest even number, as rintf "
            "does, and roundf does not"
        )
    away = bool(((right - plus).abs() > (got - plus).abs())[m.wrong].all())
    to = "away from zero, as roundf does, and rintf does not" if away else "the other way"
    return f"only halves go wrong: a tie must be rounded {to}"


def _nearest_where_cut(m: Mismatch) -> bool:
    """Test whether a number, or its product with a factor, is rounded and should be cut."""
    if len(m.inputs) != 1 or m.inputs[0].numel() != m.got.numel():
        return False
    x, got, right = m.inputs[0].reshape(-1).double(), m.got.double(), m.expected
    for probe in PROBES:
        made = m.reference(torch.full_like(x, probe))
        if not isinstance(made, torch.Tensor) or not bool(made[0]):
            continue
        exact = x * (float(made[0]) / probe)
        nearest = (got - exact).abs() <= 0.5  # of a tie either
        cut = right == exact.trunc()
        if bool((nearest & cut)[m.wrong].all()) and bool(nearest[cut & exact.isfinite()].all()):
            return True
    return False


def held_in_a_double(m: Mismatch) -> str | None:
    """For integers of 64 bits: test whether large ones are rounded to a double."""
    if m.got.dtype is not torch.int64:
        return None
    got = m.got[m.wrong]
    top = got == torch.iinfo(got.dtype).max  # what 2^63 becomes
    made = (got.double() == m.expected[m.wrong]) & ((got.double().long() == got) | top)
    if not bool(made.all()):
        return None
    return (
        f"large integers come out rounded to what a double holds, {DOUBLE_BITS} bits: are they "
        "held, compared or added as doubles (fmax in the place of max, say), in that "
        "precision? Keep them integers"
    )


def summed_in_doubles(m: Mismatch) -> str | None:
    """For integers of 64 bits: test whether large ones are off by less than a double tells."""
    if m.got.dtype is not torch.int64 or any(x.is_floating_point() for x in m.inputs):
        return None
    got, right = m.got.double()[m.wrong], m.expected[m.wrong]
    if m.elementwise or not bool((right.abs() > 2.0**DOUBLE_BITS).all()):
        return None
    if bool(((got - right).abs() > NEARLY_A_DOUBLE * right.abs()).any()):
        return None
    return (
        f"large sums are right to only some {DOUBLE_BITS} of 64 bits: are they, or parts of "
        "them, added up in a double, of that precision? Keep them integers"
    )


def held_in_a_float(m: Mismatch) -> str | None:
    """For a few integers of 32 or 64 bits: test whether they are rounded to a float."""
    if m.got.dtype not in (torch.int32, torch.int64) or m.got.numel() >= SEVERAL:
        return None
    if any(x.is_floating_point() for x in m.inputs) or not m.inputs:
        return None
    right, got = m.expected[m.wrong], m.got.double()[m.wrong]
    made = right.float().double().clamp(max=float(torch.iinfo(m.got.dtype).max))
    if bool((right.abs() <= 1 << 24).any()) or not torch.equal(made, got):
        return None
    return (
        f"large numbers come out rounded to {FLOAT_BITS} bits, the precision of a float: are "
        "integers compared or added as floats (fmaxf in the place of max, say)?"
    )


def ties(m: Mismatch) -> str | None:
    """For floats that are rounded to whole numbers: test whether only halves go wrong."""
    if m.reference is None or not m.got.dtype.is_floating_point or len(m.inputs) != 1:
        return None
    right, x = m.expected, m.inputs[0].reshape(-1).double()
    if x.numel() != m.got.numel() or bool((right != right.round())[m.wrong].any()):
        return None
    finite = right[right.isfinite()]
    if not bool((finite == finite.round()).all()) or len(finite.unique()) < LEAST_WHOLE:
        return None
    halves = (x - x.trunc()).abs() == 0.5
    signs = (m.got == 0) & (right == 0)  # of a zero, which a sum with 0.5 loses
    left = m.wrong & ~signs
    if int(left.sum()) < 2 or not bool(halves[left].all()):
        return None
    if bool(((m.got.double() - right).abs() != 1)[left].any()):
        return None
    return "only halves go wrong: a tie must be rounded to the nearest even number"


def one_beside(m: Mismatch) -> str | None:
    """Test whether fractions come out as the whole number on the wrong side of them."""
    if m.got.dtype.is_floating_point or m.got.dtype is torch.bool:
        return None
    fractions = m.expected != m.expected.trunc()
    off = (m.got.double() - m.expected).abs()
    if int(m.wrong.sum()) < SEVERAL or not bool((fractions & (off < 1))[m.wrong].all()):
        return None
    return (
        "fractions come out as the whole number on their other side: are they rounded to the "
        "nearest, or down? A cast to an integer truncates, toward zero"
    )


CUT_OFF = "a whole number came out where a fraction should: are numbers truncated on the way?"


def whole_numbers(m: Mismatch) -> str | None:
    """Test whether whole numbers came out where fractions should."""
    if not m.got.dtype.is_floating_point or not bool(m.got.isfinite().all()):
        return None
    fractions = m.expected != m.expected.round()
    off = (m.got.double() - m.expected).abs()[m.wrong]
    if float(off.median()) < LEAST_CUT:
        return None  # of whole numbers a little of each is lost, by too few digits
    further = off >= 1
    if m.reference is not None and bool(further.any()):
        return None  # of one number each: no fraction that is cut off takes so much
    only_whole = bool((m.got == m.got.round()).all()) and len(m.got.unique()) >= SEVERAL
    if only_whole and (m.reference is not None or m.elementwise) and _far_off(m):
        return None
    most = 2 * int(fractions.sum()) >= len(fractions)  # some sums are whole by chance
    if only_whole and most and (_of_cut_steps(m) or not any(_has_whole(x) for x in m.inputs)):
        return (
            "only whole numbers came out where fractions should: is a sum held in an integer, "
            "or are numbers truncated on the way?"
        )
    fractions &= (m.got.double() - m.expected).abs() < 1
    if not bool(fractions[m.wrong].all()) or not bool((m.got == m.got.round())[m.wrong].all()):
        return None
    if len(m.got[m.wrong].unique()) < 4:
        return None  # one value may be whole by chance
    return CUT_OFF


def cut_off(m: Mismatch) -> str | None:
    """Test whether each fraction comes out truncated, and every whole number right."""
    if not m.got.dtype.is_floating_point or int(m.wrong.sum()) < SEVERAL:
        return None
    fractions = (m.expected != m.expected.trunc()) & m.expected.isfinite()
    if bool((m.wrong ^ fractions).any()) or len(m.got[m.wrong].unique()) < 2:
        return None
    cut = torch.equal(m.got.double()[m.wrong], m.expected[m.wrong].trunc())
    return CUT_OFF if cut else None


def _far_off(m: Mismatch) -> bool:
    """Test whether most numbers are off by more than what truncating one on the way makes."""
    off = (m.got.double() - m.expected).abs()
    return bool(off.median() > STEPS_APART * (m.expected.abs().median() + 1))


def _of_cut_steps(m: Mismatch) -> bool:
    """Test whether each result of many is near the right one, as where each step is cut.

    Then whole numbers among the inputs do not explain it.
    """
    if m.reference is not None or all(map(_has_whole, m.inputs)):
        return False
    off = (m.got.double() - m.expected).abs()
    steps = max(x.shape[-1] if x.dim() else 1 for x in m.inputs)
    far = STEPS_APART * float(off.median()) < float(
        (m.expected - m.expected.mean()).abs().median()
    )
    return far and float(off.max()) < steps


def _has_whole(x: torch.Tensor) -> bool:
    """Test whether an input is of integers, or most of its numbers are whole."""
    return not x.is_floating_point() or bool((x == x.round()).double().mean() > MOST_WHOLE)


def _whole(m: Mismatch) -> bool:
    """Test whether the results and all inputs are whole numbers that narrow types hold, too."""
    numbers = [x.double() for x in (m.got, m.expected, *m.inputs)]
    if m.got.numel() > 1 and float(m.expected.abs().max()) > WHOLE_IN_BFLOAT16:
        return False
    return all(bool(((x == x.round()) & (x.abs() < 1 << 24)).all()) for x in numbers)


def _of_each_row(m: Mismatch) -> str | None:
    """Test whether the wrong rows of a matrix are off by a factor each, as no rounding is."""
    if len(m.shape) != 2 or m.shape[1] < SEVERAL // 2:
        return None
    rows = m.wrong.reshape(m.shape).any(dim=1)
    ratio = (m.got.double() / m.expected).reshape(m.shape)[rows]
    middle = ratio.nanmedian(dim=1).values
    off, spread = (
        (middle - 1).abs(),
        (ratio - middle[:, None]).nan_to_num(0.0).abs().amax(dim=1),
    )
    if len(off) < 2 or not bool((spread <= off / 8).all()) or float(off.max()) < SYSTEMATIC:
        return None
    return (
        f"the elements of each row are off by one factor, from {float(middle.min()):.5g} to "
        f"{float(middle.max()):.5g}: is the formula another one (a count, an epsilon)?"
    )


def _of_one_sign(m: Mismatch) -> str | None:
    """Test whether all wrong elements are off by about as much, in one direction."""
    off = (m.got.double().abs() / m.expected.abs() - 1)[m.wrong]
    if len(off) < 2 * SEVERAL or float(off.min()) * float(off.max()) <= 0:
        return None
    middle = off.abs().sort().values[len(off) // 10 : -(len(off) // 10) or None]
    if float(middle[-1]) > 4 * float(middle[0]):
        return None
    if float(off.abs().max()) < 2 * torch.finfo(m.got.dtype).eps:
        return None  # of one unit in the last place
    least, most = (f"{float(1 + end):.7g}" for end in (off.min(), off.max()))
    if "1" in (least, most):
        return None  # which says nothing
    return (
        f"each wrong element is {least} to {most} times the right one: is the formula "
        "another one (a factor, a count, an epsilon)?"
    )


def _ends_in_zeros(x: torch.Tensor) -> bool:
    """Test whether the last quarter of the bits of each number is 0."""
    return bool((bits(x).long() % (1 << (2 * x.element_size())) == 0).all())


def _no_rounding(m: Mismatch) -> str | None:
    """Test whether errors have one sign, or follow an input: rounding errors do neither."""
    why = "is the formula another one (an epsilon, a factor)"
    off = (m.got.double().abs() / m.expected.abs() - 1).nan_to_num(0.0, 0.0, 0.0)
    if m.got.dtype is torch.float64 and float(off[m.wrong].abs().max()) < FLOAT_EPS:
        why = (
            "is a number in it a float (0.1f, say), of too little precision for a double, or "
            "is the formula another one"
        )
    signs, most = off[m.wrong].sign(), f"by up to {float(off[m.wrong].abs().max()):.2g} of it"
    if len(signs) >= 2 * SEVERAL and abs(float(signs.sum())) == len(signs):
        if _ends_in_zeros(m.got[m.wrong]):  # as what is cut off to a narrower type
            return None
        way = "small" if float(signs[0]) < 0 else "large"
        if _is_lost_beside_one(m):
            return (
                f"each wrong result is too {way}, {most}, which is less than a number near 1 "
                f"is off by when it is rounded: {BESIDE_ONE}"
            )
        if float(off[m.wrong].abs().max()) < 2 * torch.finfo(m.got.dtype).eps:
            return None  # of one unit in the last place
        return (
            f"each wrong element is too {way}, {most}: rounding errs in both directions, so "
            f"{why}?"
        )
    for place, x in enumerate(m.like_output, 1):
        if int(m.wrong.sum()) < 2 * SEVERAL:
            continue
        ordered = off[x.double().argsort()]
        steps, spread = ordered.diff().abs().median(), ordered.abs().median()
        if float(steps) < float(spread) / 4:
            return (
                f"each wrong element is off {most}, and the error follows input {place}, as no "
                f"rounding does: {why}?"
            )
    return None


def _is_lost_beside_one(m: Mismatch) -> bool:
    """Test whether float32 results are small, and off by what is lost beside 1.

    Numbers of few digits may all be off in one direction.
    """
    small = m.expected[m.wrong].abs() <= SMALL
    off = (m.got.double() - m.expected)[m.wrong].abs()
    lost = off <= torch.finfo(torch.float32).eps / 2
    inputs = all(bool((x.double().abs() <= SMALL).all()) for x in m.like_output)
    return m.got.dtype is torch.float32 and inputs and bool((small & lost).all())


def nearly_right(m: Mismatch) -> bool:
    """Test whether each wrong element is off by a few units in the last place."""
    if not m.got.dtype.is_floating_point:
        return False
    return float(ulp_distance(m.got, m.expected)[m.wrong].max()) <= SEVERAL


def beside_1(m: Mismatch) -> str | None:
    """Test whether small results keep but what a number beside 1 holds, as log(1 + y) does.

    Or exp(x) - 1. Each is then off by no more than the last digit of 1, and it, or the number
    of which it is the logarithm, is made of whole such digits.
    """
    if m.got.dtype not in (torch.float32, torch.float64):
        return None  # in few digits, other small numbers are such, too
    if not m.elementwise or int(m.wrong.sum()) < SEVERAL:
        return None
    got, right = m.got.double()[m.wrong], m.expected[m.wrong]
    eps = torch.finfo(m.got.dtype).eps / 2
    off = (got - right).abs()
    if not bool((off <= 4 * eps).all()) or float(off.max()) < eps / 8:
        return None
    if float(right.abs().max()) > SMALL_BESIDE_1 or len(got.unique()) < SEVERAL // 2:
        return None
    for made in (got, got.expm1()):
        digits = (made / eps)[made.abs() < WHOLE_DIGITS * eps]
        whole = (digits - digits.round()).abs() <= NEAR_WHOLE
        if len(digits) >= SEVERAL // 2 and bool(whole.all()):
            return (
                f"each wrong element is off by no more than {4 * eps:.2g}, as if only what a "
                "number beside 1 holds were kept: do small numbers lose their digits, in too "
                "low a precision, as in log(1 + y) or in exp(x) - 1? log1p and expm1 keep them"
            )
    return None


def in_fewer_bits(m: Mismatch) -> bool:
    """Test whether each wrong float is nearly right, of an operator, or right in fewer bits."""
    right = m.expected[m.wrong]
    if not m.got.dtype.is_floating_point or bool((right == 0).any()):
        return False
    near = ((m.got.double()[m.wrong] - right) / right).abs()
    if m.reference is not None:
        return bool((near < NEARLY_RIGHT).all())  # NaN and infinity are not
    types = (torch.float16, torch.bfloat16)
    return any(torch.equal(rounded(right, x).double(), m.got.double()[m.wrong]) for x in types)


def _only_small(m: Mismatch) -> float:
    """Return the size of the largest wrong result, if most others are far larger; else 0.

    Numbers that are rounded twice are so at every size.
    """
    size = m.expected.abs()
    largest = float(size[m.wrong].max())
    if m.reference is None or largest == 0 or int(m.wrong.sum()) < LEAST_WHOLE:
        return 0.0
    others = size[size.isfinite() & ~m.wrong]
    return largest if float(others.median()) > FAR_LARGER * largest else 0.0


def rounded_terms(m: Mismatch) -> str | None:
    """For 16 bits: test whether most wrong elements are off by one or two in the last place.

    The others by as little beside the largest ones, as where terms that were rounded cancel.
    """
    if m.reference is not None or m.got.dtype not in (torch.float16, torch.bfloat16):
        return None
    if int(m.wrong.sum()) < 2 * SEVERAL or not bool(m.got.isfinite().all()):
        return None
    right, off = m.expected[m.wrong], (m.got.double() - m.expected)[m.wrong].abs()
    if not bool(right.isfinite().all()):
        return None
    near = ulp_distance(m.got, m.expected)[m.wrong] <= 2
    little = off <= 2 * torch.finfo(m.got.dtype).eps * float(right.abs().max())
    if float(near.double().mean()) < MOST_NEAR or bool(near.all()) or not bool(little.all()):
        return None
    return (
        "most of the wrong results are off by one or two in the last place, the others by as "
        "little beside the largest: are terms rounded to the type of the output before they "
        "are added, in less precision than float32?"
    )


def precision(m: Mismatch) -> str | None:
    """Test whether the wrong elements are nearly right."""
    if not m.got.dtype.is_floating_point:
        return None
    if float(ulp_distance(m.got, m.expected)[m.wrong].max()) <= 1:
        if small := _only_small(m):
            return (
                f"only results of up to {small:.2g} are off, by one in the last place: is a "
                "larger number added and taken off on the way, beside which the digits of "
                "small ones are lost, and the precision?"
            )
        return (
            "off by one in the last place: is it rounded twice on the way, or not to the "
            "nearest (a tie to even)?"
        )
    relative = ((m.got.double() - m.expected) / m.expected)[m.wrong & ~_vanished(m)].abs()
    if not bool((relative < 2.0**-5).all()):  # NaN and infinity, too
        return None
    if _whole(m) and float(relative.max()) > 2.0**-8:
        return None  # sums of small whole numbers are exact in narrower types, too
    rare = m.got.numel() >= MANY and float(relative.max()) < 2.0**-12
    rare |= m.got.dtype is torch.float64 and float(relative.max()) < 2.0**-23
    if m.elementwise and len(relative) < SEVERAL / 2 and not rare:
        return None  # a few near ones may be so by chance
    agree = int(-math.log2(float(relative.max())))
    of = int(1 - math.log2(torch.finfo(m.got.dtype).eps))
    # A sum that a row's numbers share may err in one direction, and by one factor.
    if m.reference is None and of == DOUBLE_BITS and abs(agree - FLOAT_BITS) <= NEAR_A_FLOAT:
        return (
            f"right to only {agree} of {of} bits, about as many as a float has: is a step on "
            "the way made in float, as by a function of floats (expf, sqrtf), a variable, or a "
            "number such as 0.1f?"
        )
    if sentence := _of_each_row(m) or _of_one_sign(m) or _no_rounding(m):
        return sentence
    return (
        f"right to only {agree} of {of} bits: is it computed, summed or rounded in a narrower "
        "precision on the way?"
    )


def _vanished(m: Mismatch) -> torch.Tensor:
    """Return which elements are 0 and should be smaller than all others that are wrong.

    None of them where these are few: those may be lost beside larger ones, or by an overflow.
    """
    zero, size = m.wrong & (m.got == 0), m.expected.abs()
    rest = m.wrong & ~zero
    if int(rest.sum()) < max(SEVERAL, 2 * int(zero.sum())):
        return torch.zeros_like(zero)
    return zero & (size < size[rest].min())


def whole_in_float(m: Mismatch) -> str | None:
    """For sums of integers: test whether they are off by little, up and down, as in float."""
    if any(x.is_floating_point() or x.dtype is torch.bool for x in (m.got, *m.inputs)):
        return None
    if m.reference is not None or int(m.wrong.sum()) < SEVERAL:
        return None
    off, largest = (m.got.double() - m.expected)[m.wrong], float(m.expected.abs().max())
    few = float(off.abs().max())
    if not float(off.min()) < 0 < float(off.max()) or few > LITTLE_OF_SUMS * largest:
        return None
    return (
        f"the wrong results are off by up to {few:,.0f}, and as large as {largest:,.0f}, up "
        "and down: is something added up, or multiplied, in float, which is exact only up to "
        "16,777,216? Keep it in integers, for precision"
    )


def rounded_on_the_way(m: Mismatch) -> str | None:
    """For outputs of 16 bits: test whether few elements are off, by what rounds an input.

    Then these are small beside their inputs: of others such a step rounds away.
    """
    inputs = [x for x in m.like_output if x.is_floating_point()]
    if not m.got.dtype.is_floating_point or m.got.element_size() != 2 or len(inputs) < 2:
        return None
    count, n = int(m.wrong.sum()), m.got.numel()
    if n < MANY or not 2 <= count <= n / MOST_ON_THE_WAY:
        return None
    right, off = m.expected[m.wrong], (m.got.double() - m.expected)[m.wrong]
    beside = torch.stack([x.double().abs() for x in inputs]).sum(dim=0)[m.wrong]
    if not bool((off.abs() <= torch.finfo(m.got.dtype).eps * beside).all()):
        return None  # NaN and infinity, too
    if bool((2 * right.abs() > beside).any()):
        return None
    name = dtype_name(m.got.dtype)
    return (
        "only a few elements are off, results that are small beside their inputs, and by no "
        f"more than an input changes if it is rounded to {name}: is a step on the way, such as "
        f"a difference, rounded to {name}? Keep it in float, for precision, and round once, at "
        "the end"
    )


def rounded_step(m: Mismatch) -> str | None:
    """For outputs of 16 bits of one input: test whether small results are off, as by chance.

    By no more than the input is if it is rounded, once too large and once too small: with
    another formula neighbours are off in one direction.
    """
    inputs = [x for x in m.like_output if x.is_floating_point()]
    if len(inputs) != 1 or not m.got.dtype.is_floating_point or m.got.element_size() != 2:
        return None
    x, right = (x.double()[m.wrong] for x in (inputs[0], m.expected))
    off = m.got.double()[m.wrong] - right
    if len(off) < 2 * SEVERAL or not bool((MOST_OF_INPUT * right.abs() <= x.abs()).all()):
        return None
    if not bool((2 * off.abs() <= torch.finfo(m.got.dtype).eps * x.abs()).all()):
        return None  # NaN and infinity, too
    order = x.argsort()
    turns = (off[order].sign().diff() != 0)[x[order].diff() != 0]
    if len(turns) < SEVERAL or float(turns.double().mean()) < LEAST_TURNS:
        return None
    name = dtype_name(m.got.dtype)
    return (
        "only results that are small beside their input are off, some too large and some too "
        f"small, by less than the input changes if it is rounded to {name}: is a step on the "
        f"way rounded to {name}, as a tanh to which 1 is added? Keep it in float, for "
        "precision, and round once, at the end"
    )


def rounded_beside_one(m: Mismatch) -> str | None:
    """Test the same as `beside_one`, where results are too large as well as too small.

    That is by chance, and of no other formula for negative numbers, say. Half of them must be
    small.
    """
    above = float((m.got.double() > m.expected)[m.wrong].double().mean())
    by_chance = LEAST_OF_A_SIDE <= above <= 1 - LEAST_OF_A_SIDE
    return _beside_one(m, 0.5) if by_chance else None


def beside_one(m: Mismatch) -> str | None:
    """Test whether only small results are off, by what is lost where numbers near 1 are added.

    By no more than two steps of float32 (of float64, if that comes out) beside the larger of 1
    and the inputs, but by a large part of themselves.
    """
    return _beside_one(m, 1.0)


def beside_squares(m: Mismatch) -> str | None:
    """For sums of products: test whether they are lost beside the squares of what goes in.

    All inputs lie far from 0 beside what they differ by, and no result is off by more than
    their squares are when they are rounded, up and down.
    """
    inputs = [x.double() for x in m.inputs if x.is_floating_point()]
    if m.reference is not None or m.got.dtype is not torch.float32 or len(inputs) != 2:
        return None
    if any(x.dim() < 2 or x.numel() < SEVERAL or not bool(x.isfinite().all()) for x in inputs):
        return None
    if any(float(x.mean().abs()) < FAR_OFF * float(x.std()) for x in inputs):
        return None
    terms = min(x.shape[-1] for x in inputs)
    most = max(float(x.square().max()) for x in inputs) * terms
    off, right = (m.got.double() - m.expected)[m.wrong].abs(), m.expected[m.wrong].abs()
    above = float((m.got.double() > m.expected)[m.wrong].double().mean())
    if not LEAST_OF_A_SIDE <= above <= 1 - LEAST_OF_A_SIDE:
        return None  # a term is missing, say
    if not bool((off <= 4 * torch.finfo(torch.float32).eps * most).all()):  # NaN, too
        return None
    if float(right.max()) > most / FAR_OFF or float((off / right).median()) < LARGE_PART:
        return None
    return (
        f"the inputs are about {float(inputs[0].mean()):,.6g}, and the results off by no more "
        "than products of them are when they are rounded: do large numbers cancel on the way, "
        "as in a * a + b * b - 2 * a * b? Their precision is lost: take the difference first, "
        "and multiply then"
    )


def _beside_one(m: Mismatch, least_small: float) -> str | None:
    """Test that, where so large a part of the wrong results must be small."""
    inputs = [x for x in m.like_output if x.is_floating_point()]
    if not m.got.dtype.is_floating_point or not inputs:
        return None
    if float(ulp_distance(m.got, m.expected)[m.wrong].max()) <= 1:
        return None  # not by a large part of themselves, or of the smallest number there is
    got, right = m.got.double()[m.wrong], m.expected[m.wrong]
    finite = bool(got.isfinite().all()) and bool(right.isfinite().all())
    if len(right) < SEVERAL or not finite or bool((right == 0).any()):
        return None
    beside = torch.stack([x.double().abs() for x in inputs]).amax(dim=0)[m.wrong].clamp(min=1)
    wide = torch.float64 if m.got.dtype is torch.float64 else torch.float32
    off, step = (got - right).abs(), torch.finfo(wide).eps * beside
    own = torch.finfo(m.got.dtype).eps * got.abs()
    small = right.abs() <= SMALL * beside
    if bool((off > 2 * step + own).any()) or int(small.sum()) < least_small * len(small):
        return None
    lost = off / step
    if float(lost.max()) < LEAST_STEP:  # far less than what is lost beside an input
        return None
    part = SMALL_PART if float(lost[small].median()) > MUCH_OF_STEP else LARGE_PART
    if float((off / right.abs())[small].median()) < part:
        return None
    return (
        f"only results of up to {float(right.abs().max()):.2g} are off, by no more than a "
        f"number near 1 is when it is rounded: {BESIDE_ONE}"
    )
