"""Recognise a wrong output [m] of a matrix [m, n] by its rows, and wrong counts of elements.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from helpers.specs import WARP_SIZE
from helpers.testing.mismatch import (
    SEVERAL,
    TINY,
    Mismatch,
    describe,
    of_columns,
    rounding_error,
)
from helpers.testing.patterns.wrong_places import LONGEST_TAIL
from helpers.testing.references import same_bits

Function = Callable[[torch.Tensor], torch.Tensor]
FIRST = torch.tensor([0])  # a column
LEAST_MOVED = 2  # rows in which something is counted for another element
NEARLY_AS_MUCH = 2.0**-10
BY_BITS = (
    "another element is found, the one whose bits, as an integer ({}), are the {}: below 0 "
    "those grow with the amount, and unsigned ones lie above all others. Is the formula of the "
    "key another one? Flip the sign bit, and of a negative number all bits"
)
PLACE_OF = (
    "it is the place of the {} number of each row, not of the {} one: is the formula another "
    "one?"
)
LIMITS = (1 << 15, 1 << 31)  # beyond which a place wraps around in a signed type
NO_PLACE = "of rows that are all -infinity the place comes out as {:,}, which is none of a row"
FIRST_PLACE = (
    "is it the place with which the search starts? None of such a row is larger than the "
    "number with which it starts, and the first element must win there, too"
)
NARROW_PLACE = (
    "is a place held on the way in a type that is too narrow for {:,} columns, as of 16 bits?"
)
OF_ITS_PACK = (
    "each wrong place is that of the first of the {0} elements among which the right one lies: "
    "is the place within these {0}, which a thread takes at once, left out of what is stored?"
)
OTHER_SIDE = (
    "does a comparison with 0 take it to the other side, so that its formula is another one (> "
    "or >=)"
)
IN_ITS_PACK = (
    "each wrong place is the one within {0} elements (place % {0}), that of another element: "
    "is the place of the first of these left out, or a lane stored in the place of its element?"
)
NUMBER_OF_PACK = (
    "each wrong place is the right one divided by {0}: is the number of a pack, or of a "
    "thread, stored in the place of an element's, which it is counted for?"
)
WIDTHS = (2, 4, 8, 16, 32, 64, 96, 128, 256, 512, 1024)  # of packs, warps and blocks
OF_EQUAL = "wrong only for equal numbers"
_LEAST = {of: torch.iinfo(of).min for of in (torch.int8, torch.int16, torch.int32)}
NOT_DROPPED = "is the sign never dropped (fabsf), or is the formula another one?"
LEAST = 3  # results that must tell the same
BY_CHANCE = 1000  # places of which one is found by chance
SHARES = (32, 64, 128, 256, 512, 1024)  # threads that have the numbers of a row
MOST_TIMES = 1025  # that each element may be counted
RARE = 1 / 16  # of the elements, so that a number tells its place
MOST_OF_ALL = 0.9  # elements of one kind
FEW_OF = 1 / 16  # of the elements, which are the ends of pieces
ENDS = (65504.0, torch.finfo(torch.float32).max, torch.finfo(torch.bfloat16).max)
OF_A_ROW: tuple[tuple[str, Function], ...] = (
    ("sum", lambda x: x.sum(1)),
    ("mean", lambda x: x.mean(1)),
    ("largest number", lambda x: x.amax(1)),
    ("smallest number", lambda x: x.amin(1)),
    ("product", lambda x: x.prod(1)),
    ("norm", lambda x: x.square().sum(1).sqrt()),
    ("root of the mean", lambda x: x.mean(1).sqrt()),
    ("logarithm of the sum", lambda x: x.sum(1).log()),
    ("logarithm of the mean", lambda x: x.mean(1).log()),
    ("variance (divided by n)", lambda x: x.var(1, unbiased=False)),
    ("variance (divided by n - 1)", lambda x: x.var(1)),
    ("standard deviation (of n)", lambda x: x.std(1, unbiased=False)),
    ("standard deviation (of n - 1)", lambda x: x.std(1)),
)
NUMBERS: tuple[tuple[str, Function], ...] = (
    ("", lambda x: x),
    (" of the absolute values", torch.abs),
    (" of the numbers times themselves", torch.square),
    (" of -1 times the numbers", torch.neg),
    (" of the third powers of the numbers", lambda x: x**3),
    (" of exp of the numbers", torch.exp),
    (" of exp of -1 times the numbers", lambda x: (-x).exp()),
)
# Along each row, in the row's shape.
ALONG_A_ROW: tuple[tuple[str, Function], ...] = (
    ("the running sum", lambda x: x.cumsum(1)),
    ("the running sum without the own element", lambda x: x.cumsum(1) - x),
    ("the running sum from the end", lambda x: x.flip(1).cumsum(1).flip(1)),
    ("the running maximum", lambda x: x.cummax(1).values),
    ("the running minimum", lambda x: x.cummin(1).values),
    ("the row from its end", lambda x: x.flip(1)),
    ("the row itself", lambda x: x),
    ("the element before each, after 0", lambda x: x.roll(1, 1).index_fill(1, FIRST, 0.0)),
    ("the element behind each", lambda x: x.roll(-1, 1)),
    ("the step from the element before", lambda x: x - x.roll(1, 1).index_fill(1, FIRST, 0.0)),
)


def moved_along(m: Mismatch) -> str | None:
    """Test whether in wrong rows one element has too much by what another one lacks.

    As where the 1 of a one-hot row counts for the element beside its own, if there is one.
    """
    if m.reference is not None or len(m.shape) != 2 or not bool(m.got.isfinite().all()):
        return None
    wrong = m.wrong.reshape(m.shape)
    rows = (wrong.sum(dim=1) == 2).nonzero().flatten()
    if len(rows) < LEAST_MOVED or bool((wrong.sum(dim=1) > 2).any()):
        return None
    pairs = wrong[rows].nonzero()[:, 1].reshape(-1, 2)
    got, right = (
        x.double().reshape(m.shape)[rows].gather(1, pairs) for x in (m.got, m.expected)
    )
    off, step = got - right, int(pairs[0, 1] - pairs[0, 0])
    alike = off.sum(dim=1).abs() <= NEARLY_AS_MUCH * off.abs().amax(dim=1)
    exchanged = bool((got == right.flip(1)).all())
    if exchanged or not bool((alike & (pairs.diff(dim=1)[:, 0] == step)).all()):
        return None
    sums, size = m.expected.double().reshape(m.shape).sum(dim=1), m.expected.abs().max()
    if m.shape[1] == 2 and bool(((sums - sums[0]).abs() <= NEARLY_AS_MUCH * size).all()):
        return None  # of two numbers that are normalised the sum is always the same
    apart = right.diff(dim=1)[:, 0]
    by = off[:, 0] / apart  # the two are farther from their middle, each by one factor
    one_factor = (by - by[0]).abs() <= NEARLY_AS_MUCH * by.abs()
    if bool((one_factor & (apart != 0)).all()):
        return None
    less, more = pairs[0].tolist() if float(off[0, 0]) < 0 else pairs[0].tolist()[::-1]
    return (
        f"in wrong rows one element has too much by what another lacks (row {int(rows[0])}: "
        f"column {more} by what column {less} lacks): is it counted for another element, "
        f"{step} beside its own?"
    )


def another_function(m: Mismatch) -> str | None:
    """For a known function of each row: test whether another known one comes out."""
    if len(m.inputs) != 1 or m.inputs[0].dim() != 2 or m.reference is not None:
        return None
    x = m.inputs[0].double()
    if x.shape[1] < 2 or m.got.numel() < SEVERAL // 2 or not m.got.is_floating_point():
        return None
    if tuple(m.shape) not in (tuple(x.shape), tuple(x.shape[:1])):
        return None
    if bool((m.got == m.got[0]).all()):
        return None  # one number may be that of many functions
    functions = list(_functions(x, len(m.shape) == 1))
    right = [words for words, values in functions if _are(m, m.expected, values)]
    made = [words for words, values in functions if _are(m, m.got.double(), values)]
    if not right or not made or set(right) & set(made):
        return None
    return f"each row's result is {made[0]}, not {right[0]}: is the formula another one?"


def _functions(x: torch.Tensor, reduces: bool) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the known functions of the rows of x [m, n], flat: their words and values."""
    if not reduces:
        yield from ((words, of(x).reshape(-1)) for words, of in ALONG_A_ROW)
        return
    for words, of in OF_A_ROW:
        for which, change in NUMBERS:
            yield f"the {words}{which}", of(change(x))


def _are(m: Mismatch, numbers: torch.Tensor, values: torch.Tensor) -> bool:
    """Test whether numbers are values, but for what rounding on the way may amount to."""
    limit = rounding_error(m) * (values.abs() + values.abs().median())
    return bool(((numbers - values).abs() <= limit).all())


def largest_once(m: Mismatch) -> str | None:
    """For softmax: test whether each row is off by exp of its largest number."""
    if len(m.shape) != 2 or min(m.shape) < 2 or m.reference is not None:
        return None
    if [tuple(x.shape) for x in m.inputs] != [tuple(m.shape)]:
        return None
    got, right = (y.double().reshape(m.shape) for y in (m.got, m.expected))
    if bool((right < 0).any()) or bool(((right.sum(1) - 1).abs() > 1e-6).any()):
        return None
    top = m.inputs[0].double().amax(dim=1, keepdim=True)
    for words, factor in (("times", top.exp()), ("divided by", (-top).exp())):
        made = factor * right
        if not bool(made.isfinite().all()):
            continue
        if bool(((got - made).abs() <= 1e-4 * made).all()):
            return (
                f"each row is the right one {words} exp of its largest number: must the "
                "formula not take that off in the powers and in their sum, or in neither?"
            )
    return None


def place_of_element(m: Mismatch) -> str | None:
    """For the place of a row's largest or smallest element: say which other one is taken.

    Or for that of a column, or of an array, which is one row.
    """
    if sentence := _place_of_element(m):
        return sentence
    x = m.inputs[0] if len(m.inputs) == 1 else None
    if x is None or x.dim() != 2 or tuple(m.shape) != tuple(x.shape[1:]):
        return None
    if not _are_places(x.double(), m.expected.long()):  # but counts, say
        return None
    inside = (m.expected.long() * x.shape[1] + torch.arange(x.shape[1]))[m.wrong]
    if (
        x.shape[1] > 1
        and len(inside.unique()) >= LEAST
        and torch.equal(m.got.long()[m.wrong], inside)
    ):
        return (
            "it is the place in the whole matrix, not in its column: is the formula of what is "
            "stored row * columns + column, where it must be the row alone?"
        )
    sentence = _place_of_element(replace(m, inputs=(x.T.contiguous(),)))
    return sentence and of_columns(sentence)


def _are_places(x: torch.Tensor, places: torch.Tensor) -> bool:
    """Test whether places are those of the largest, or the smallest, of each column of x."""
    if bool((places < 0).any()) or bool((places >= len(x)).any()):
        return False
    values = x.gather(0, places[None])[0]
    return any(torch.equal(values, of(x, 0)) for of in (torch.amax, torch.amin))


def _place_of_element(m: Mismatch) -> str | None:
    """Say which other element of a row is taken."""
    x = _searched(m)
    if x is None or m.got.dtype.is_floating_point or m.got.dtype is torch.bool:
        return None
    got, right = m.got.long()[m.wrong], m.expected.long()[m.wrong]
    inside = (m.expected >= 0).all() and (m.expected < x.shape[1]).all()
    if not bool(inside):
        return None
    inside = (got >= 0) & (got < x.shape[1])
    if not bool(inside.all()):
        nowhere = (got < 0) | (got >= x.numel())  # not even of the whole matrix
        if x.is_floating_point() and len(got.unique()) == 1 and bool(nowhere.all()):
            if bool((x[m.wrong].double() == -math.inf).all()):
                return _no_place(int(got[0]), x.shape[1])
        start = torch.arange(len(x))[m.wrong] * x.shape[1]
        if len(got) > 1 and torch.equal(got - right, start):
            return (
                "it is the place in the whole matrix, not in its row: is the formula of what "
                "is stored row * columns + column, where it must be the column alone?"
            )
        return _wrapped_place(m, x) or _off_by_one_number(got - right)
    rows = x[m.wrong].double()
    taken, wanted = (rows.gather(1, place[:, None]).flatten() for place in (got, right))
    extremes = {"largest": rows.amax(dim=1), "smallest": rows.amin(dim=1)}
    if rows.is_floating_point() and (sentence := _place_of_nan(rows, got, right)):
        return sentence
    of = next((name for name, values in extremes.items() if torch.equal(values, wanted)), None)
    if of is None:
        return None
    if sentence := _place_of_16_bits(rows, got, wanted):
        return sentence
    if torch.equal(taken, wanted):
        of_array = m.inputs[0].dim() == 1
        if of_array and 2 * int((rows == wanted[:, None]).sum()) > rows.numel():
            return None  # among so many any number is the place of one
        equal = (rows == wanted[:, None]).int()
        ends = {"first": equal.argmax(1), "last": len(equal[0]) - 1 - equal.flip(1).argmax(1)}
        which = next((name for name, place in ends.items() if torch.equal(right, place)), None)
        if which is None:
            return None  # as a count that is the place of such a number by chance
        number = f"{of} number" if of_array else f"{of} number of a row"
        if _signs_of_zeros_decide(taken, wanted, of):
            zero = "0" if of == "largest" else "-0"
            return (
                f"the {number} is 0, and its place is that of {zero}, behind a zero of the "
                f"other sign, which is equal: {OF_EQUAL} that differ in the sign of zero. Does "
                "a comparison of bits, or of keys made of them, tell -0 from 0? Make one of "
                "the other first"
            )
        return (
            f"the {number} is found, but at another place than the {which} of equal ones, so "
            f"that one is counted for another: {OF_EQUAL}. Which of two does each comparison "
            "take (>, or >=)?"
        )
    if sentence := _in_a_pack(m, x.shape[1]) or _place_of_the_first(m, x.double(), of):
        return sentence
    if sentence := _off_by_one_number(got - right):
        return sentence
    sizes = rows.abs()
    extremes["smallest absolute"] = sizes.amin(dim=1)
    extremes["largest absolute"] = sizes.amax(dim=1)
    for other, values in extremes.items():
        found = taken.abs() if "absolute" in other else taken
        as_many = (rows.abs() if "absolute" in other else rows) == values[:, None]
        by_chance = float(as_many.double().mean(dim=1).prod())  # of masked ones there are many
        sure = len(got) >= SEVERAL // 2 or BY_CHANCE * by_chance <= 1
        if other != of and sure and torch.equal(found, values):
            return PLACE_OF.format(other, of)
    for kind, keys in keys_of_bits(x[m.wrong]):
        end = keys.amax(dim=1) if of == "largest" else keys.amin(dim=1)
        by_chance = float((keys == end[:, None]).double().mean(dim=1).prod())
        if BY_CHANCE * by_chance <= 1 or len(got) >= SEVERAL // 2:
            if torch.equal(keys.gather(1, got[:, None]).flatten(), end):
                return BY_BITS.format(kind, of)
    return _place_of_some_threads(m, x.double(), of) or _place_of_a_share(rows, got, of)


def _signs_of_zeros_decide(taken: torch.Tensor, wanted: torch.Tensor, of: str) -> bool:
    """Test whether each number taken is 0 and each wanted -0; the reverse of the smallest."""
    if not taken.is_floating_point() or bool((taken != 0).any() or (wanted != 0).any()):
        return False
    above, below = (taken, wanted) if of == "largest" else (wanted, taken)
    return bool((~above.signbit() & below.signbit()).all())


def _place_of_some_threads(m: Mismatch, x: torch.Tensor, of: str) -> str | None:
    """Test whether each place is that of the largest, or smallest, number of some threads.

    A thread of a block takes each so-many-th column. In rows that are right the place must be
    one of theirs, too.
    """
    columns = torch.arange(x.shape[1])
    got, right = (place.long().reshape(-1, 1) for place in (m.got, m.expected))
    taken = x.gather(1, got)
    for threads in (k for k in WIDTHS if k >= WARP_SIZE):
        for first in (k for k in (1, *WIDTHS) if k < threads):
            own = columns % threads < first
            known = torch.equal(own[right].flatten(), ~m.wrong.flatten())
            if not known or not bool(own[got].all()):
                continue
            above = x > taken if of == "largest" else x < taken
            by_chance = float(int(own.sum())) ** -int(m.wrong.sum())
            if first == 1 and len(got.unique()) > 1:  # of one thread that none is another's
                by_chance = float(x.shape[1]) ** -int(m.wrong.sum())
            if BY_CHANCE * by_chance <= 1 and not bool((above & own).any()):
                which = f"elements whose number % {threads} is below {first}"
                if threads >= x.shape[1]:
                    which = f"first {first} elements of a row"
                if first == 1:
                    return (
                        f"the place is that of the {of} of one in {threads} numbers, the first "
                        "thread's, and the others are left out: do shuffles, or a tree, not "
                        "reach it, or is a number handed on without its place, so that one is "
                        "counted for another?"
                    )
                return (
                    f"the place is that of the {of} of the {which}, and the others are left "
                    "out: does a tree, or do shuffles, not reach all threads of a block?"
                )
    return None


def _place_of_the_first(m: Mismatch, x: torch.Tensor, of: str) -> str | None:
    """Test whether each place is that of the largest, or smallest, of a row's first numbers.

    In rows that are right the place must be one of theirs. In rows that rise or fall throughout
    each place may be one too small, as well.
    """
    wrong = m.wrong
    got, right, rows = m.got.long()[wrong], m.expected.long()[wrong], x[wrong]
    known = m.expected.long()[~wrong] + 1
    least, most = int(known.amax()) if len(known) else 1, int(right.amin())
    taken = rows.gather(1, got[:, None]).flatten()
    for count in sorted({most, *(k for k in WIDTHS if least <= k < most)}, reverse=True):
        if count < max(2, least) or bool((got >= count).any()):
            return None
        first = rows[:, :count]
        end = first.amax(dim=1) if of == "largest" else first.amin(dim=1)
        if torch.equal(end, taken) and float(count) ** len(got) >= BY_CHANCE:
            words = f"the place is that of the {of} of the first {count:,} elements of a row"
            if bool((right - got == 1).all()):
                return f"{words}: is the last left out, or is each place one too small?"
            return (
                f"{words}, and the others are left out: does a loop end there, or do shuffles, "
                "or a tree, not reach all threads of a block?"
            )
    return None


def _place_of_a_share(rows: torch.Tensor, got: torch.Tensor, of: str) -> str | None:
    """Test whether each place is that of the largest, or smallest, of a thread's numbers."""
    taken = rows.gather(1, got[:, None])
    for threads in (x for x in SHARES if x < rows.shape[1]):
        own = torch.arange(rows.shape[1]) % threads == got[:, None] % threads
        above = rows > taken if of == "largest" else rows < taken
        by_chance = float((1 / own.sum(dim=1)).double().prod())
        if BY_CHANCE * by_chance <= 1 and not bool((above & own).any()):
            return (
                f"the place is that of the {of} of one in {threads} numbers, a thread's share, "
                "and not of the whole row, so that one is counted for another: does one "
                "comparison decide of a number and its place, and is the number replaced first?"
            )
    return None


def _place_of_nan(rows: torch.Tensor, got: torch.Tensor, right: torch.Tensor) -> str | None:
    """Test whether numbers are found where a NaN should be, or the other way round.

    The first NaN of a row: a count may be the place of another one by chance.
    """
    taken, wanted = (rows.gather(1, place[:, None]).flatten() for place in (got, right))
    firsts = bool(wanted.isnan().all()) and torch.equal(right, rows.isnan().int().argmax(dim=1))
    if firsts and not bool(taken.isnan().any()):
        return (
            "the place of a number comes out, and that of the NaN among them should: NaN must "
            "win, as in PyTorch. Each comparison with one is false: ask for it before (isnan)"
        )
    if bool(taken.isnan().all()) and not bool(wanted.isnan().any()):
        return (
            "the place of a NaN comes out, and that of a number should: only NaN that goes in "
            "must not count. Each comparison with one is false: ask for it before (isnan)"
        )
    return None


def keys_of_bits(x: torch.Tensor) -> list[tuple[str, torch.Tensor]]:
    """Return the bits of floats as unsigned and as signed integers, in an order for these.

    The unsigned ones have the sign bit turned, so that they are in order as signed ones.
    """
    if not x.is_floating_point() or x.element_size() == 1:
        return []
    types = {2: torch.int16, 4: torch.int32, 8: torch.int64}
    bits = x.contiguous().view(types[x.element_size()])
    return [("unsigned", bits ^ torch.iinfo(bits.dtype).min), ("signed", bits)]


def _place_of_16_bits(x: torch.Tensor, got: torch.Tensor, wanted: torch.Tensor) -> str | None:
    """Test whether each place, of long rows, lies a multiple of 2^16 before a right one."""
    if x.shape[1] <= 1 << 16:
        return None
    again = torch.arange(1 << 16, x.shape[1], 1 << 16)
    at = (got[:, None] + again).clamp(max=x.shape[1] - 1)
    found = (x.gather(1, at) == wanted[:, None]) & (got[:, None] + again < x.shape[1])
    if bool((got >= 1 << 16).any()) or not bool(found.any(dim=1).all()):
        return None
    if torch.equal(x.gather(1, got[:, None]).flatten(), wanted):
        return None
    place = int(at[0][found[0]][0])
    return (
        f"the place comes out as {int(got[0]):,}, and the number that is searched is at "
        f"{place:,}, a multiple of 65,536 behind: is a place held in 16 bits, too narrow for "
        "it?"
    )


def _wrapped_place(m: Mismatch, x: torch.Tensor) -> str | None:
    """Test whether each negative place is a right one less 2^8 or 2^16, as of a narrow type.

    Or that of an equal number, which wins against the first one for being negative.
    """
    got, right = m.got.long(), m.expected.long()
    below = m.wrong & (got < 0)
    rows = x.double()[below]
    wanted = rows.gather(1, right[below][:, None])
    for width, kind in ((8, "signed char"), (16, "short")):
        there = got[below] + (1 << width)
        if not len(there) or bool((got[below] < -(1 << width - 1)).any()):
            continue
        if bool((there >= rows.shape[1]).any()):
            continue
        if torch.equal(rows.gather(1, there[:, None]), wanted):
            return (
                f"the place comes out as {int(got[below][0]):,}, and the number that is "
                f"searched is at {int(there[0]):,}, {1 << width:,} more: is a place held in "
                f"{width} bits (a {kind}), too narrow for it?"
            )
    return None


def _no_place(got: int, columns: int) -> str:
    """Say of rows of -infinity where a place may come from that is none of a row."""
    if got < -1 and any(-limit <= got < columns - 2 * limit for limit in LIMITS):
        return f"{NO_PLACE.format(got)}: {NARROW_PLACE.format(columns)}"
    return f"{NO_PLACE.format(got)}: {FIRST_PLACE}"


def _in_a_pack(m: Mismatch, columns: int) -> str | None:
    """Say that a place is that of the first of its pack, or the place in it, and no more."""
    got, right = m.got.long(), m.expected.long()
    if len(got[m.wrong].unique()) < 2 or int(m.wrong.sum()) < SEVERAL // 2:
        return None
    if len((got - right).unique()) < 2:  # of two elements each place may be 1 too small
        return None
    for width in WIDTHS:
        whole = right < columns // width * width  # what is left of a row is no pack
        for words, made in (
            (OF_ITS_PACK, right // width * width),
            (IN_ITS_PACK, right % width),
            (NUMBER_OF_PACK, right // width),
        ):
            some = (torch.where(cut, made, right) for cut in (whole, right >= 0))
            if any(torch.equal(got, one) for one in some):
                return words.format(width)
    return None


def _off_by_one_number(off: torch.Tensor) -> str | None:
    """Say that each place is off by the same number, as if counted from another one."""
    if len(off) < SEVERAL // 2 or len(off.unique()) > 1:
        return None
    return f"each wrong place is {abs(int(off[0])):,} too {'small' if off[0] < 0 else 'large'}"


def rows_of_a_sign(m: Mismatch) -> str | None:
    """Test whether only rows go wrong whose numbers have one sign, and all of these."""
    x = _rows(m)
    if x is None:
        return None
    for sign, holds in (("negative", (x < 0).all(dim=1)), ("positive", (x > 0).all(dim=1))):
        values = m.got[m.wrong].unique()
        if len(values) != 1 or not torch.equal(holds, m.wrong) or bool(holds.all()):
            continue
        only = f"only rows go wrong whose numbers are all {sign}"
        chosen = (x[m.wrong].double() == m.expected[m.wrong][:, None]).any(dim=1)
        if int(m.wrong.sum()) < 2 and not bool(chosen.all()):
            continue  # one row, of which a sum is nothing for another reason
        if abs(float(values[0])) < TINY:
            return (
                f"{only}: does something start with 0, as the largest or smallest one? Start "
                "with the first element"
            )
        if bool(same_bits(m.got, m.poison)[m.wrong].all()):
            return f"{only}: nothing is written for them. Is a comparison in the way?"
        if int(m.wrong.sum()) < 2:
            continue  # one row may be so by chance
        return f"{only}: each comes out as {describe(values[0])}. Which line makes that?"
    return None


def started_with(m: Mismatch) -> str | None:
    """For the largest or smallest of each column: test whether a search starts with a number.

    Where that comes out, all of a column lie beyond it. Of one row, that may be by chance, and
    if nothing else comes out, it may be a sum to which nothing is added.
    """
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(())
    if x.dim() != 2 or tuple(m.shape) != tuple(x.shape[1:]) or m.reference is not None:
        return None
    got, right = m.got.double(), m.expected
    if len(x) < 2 and len(got.unique()) < 2:
        return None
    value = float(got[m.wrong][0])
    if not math.isfinite(value) or bool((got[m.wrong] != value).any()):
        return None
    if len(right[m.wrong].unique()) < LEAST and abs(value) not in ENDS:
        return None
    for name, of, sign in (("largest", torch.amax, 1), ("smallest", torch.amin, -1)):
        beyond = sign * right < sign * value
        if torch.equal(of(x, 0), right) and torch.equal(beyond, m.wrong):
            side, end = ("less", "-INFINITY") if sign > 0 else ("more", "INFINITY")
            return (
                f"{describe(m.got[m.wrong][0])} comes out as the {name} number of a column "
                f"where all are {side} than that: does the search start with it? Start with "
                f"the first element, or with {end}"
            )
    return None


def first_of_all(m: Mismatch) -> str | None:
    """For the largest or smallest of each row: test whether all start with one element."""
    if m.reference is not None or int(m.wrong.sum()) < SEVERAL // 2:
        return None
    got, right = m.got.double(), m.expected
    for place, x in enumerate(m.inputs, 1):
        if x.numel() <= got.numel():
            continue
        numbers = x.reshape(-1).double()
        first = numbers[0]
        if not bool((got[m.wrong] == first).all()) or len(right[m.wrong].unique()) < 2:
            continue
        ends = numbers[numbers.isfinite()].aminmax()
        if first in ends:  # which may be the largest of all for other reasons
            continue
        for of in (torch.maximum, torch.minimum):
            if torch.equal(of(right, first).nan_to_num(), got.nan_to_num()):
                return (
                    f"each wrong result is {describe(m.got[m.wrong][0])}, the first element "
                    f"of input {place}: does each row start with the first element of all, in "
                    "the place of its own?"
                )
    return None


def sign_kept(m: Mismatch) -> str | None:
    """For the largest or smallest size: test whether a negative number comes out."""
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(0)
    if m.reference is not None or not x.numel() or x.numel() % m.got.numel():
        return None
    if m.inputs[0].is_floating_point() and not m.got.is_floating_point():
        return None  # a count, or a place
    ways = [x.reshape(m.got.numel(), -1)]
    if x.dim() == 2 and x.shape[1] == m.got.numel() > 1:
        ways.append(x.T)
    for rows in ways:
        sizes, right = rows.abs(), m.expected.nan_to_num()
        ends = [end.nan_to_num() for end in sizes.aminmax(dim=1)]
        if not any(torch.equal(end, right) for end in ends):
            continue
        held = (rows == right[:, None]) & (rows != 0)
        if len(rows) > 1 and bool(held.any(dim=1)[m.wrong].all()):
            continue  # of two of one size the other may have been taken
        if _is_signed(m, rows) and _is_of_the_right_size(m, rows):
            least = _LEAST.get(m.inputs[0].dtype)
            if least is not None and bool((m.got[m.wrong] == least).all()):
                return (
                    f"{least} came out where its absolute value should, which its own type is "
                    "too narrow for: is it taken (abs, or a minus sign) before the number is "
                    "in a wider one? Make it an int64_t first"
                )
            return (
                f"{describe(m.got[m.wrong][0])} came out, a number as it went in, where an "
                f"absolute value should: {NOT_DROPPED}"
            )
        if torch.equal(ends[1], right) and _is_largest(m, rows):
            return (
                "the largest number came out, or 0, and not the largest absolute value: "
                f"{NOT_DROPPED}"
            )
    return None


def _is_signed(m: Mismatch, rows: torch.Tensor) -> bool:
    """Test whether each wrong result is a negative number of its row."""
    got = m.got.double()
    as_it_is = (rows == got[:, None]) & (rows.signbit() == got.signbit()[:, None])
    own = as_it_is.any(dim=1) & ~m.expected.isnan()
    return bool((own & got.signbit())[m.wrong].all())


def _is_of_the_right_size(m: Mismatch, rows: torch.Tensor) -> bool:
    """Test whether a number comes out of which the size is right, or absolute values must be.

    Where what is right is the largest number of each row as well, no absolute value may be
    meant, and another number that comes out may be that of a part of the row.
    """
    if not torch.equal(rows.amax(dim=1), m.expected):
        return True
    return torch.equal(m.got.double().abs()[m.wrong], m.expected[m.wrong])


def _is_largest(m: Mismatch, rows: torch.Tensor) -> bool:
    """Test whether each result is the largest number of its row, or 0 if that is larger."""
    if int(m.wrong.sum()) < LEAST or not bool(rows.isfinite().all()):
        return False
    got, largest = m.got.double(), rows.amax(dim=1)
    if not bool(got.any()):
        return False  # 0 may come of anything
    return torch.equal(got, largest) or torch.equal(got, largest.clamp(min=0))


def counted_kind(m: Mismatch) -> str | None:
    """For one count among floats, or in each row: test by which kind of numbers it is off."""
    if m.got.is_floating_point() or m.got.dtype is torch.bool or m.reference is not None:
        return None
    if len(m.inputs) != 1 or not m.inputs[0].is_floating_point() or not m.inputs[0].numel():
        return None
    rows = m.inputs[0].reshape(1, -1) if m.got.numel() == 1 else _rows(m)
    if rows is None:
        return None
    x, right, got = rows.double(), m.expected.long(), m.got.long()
    both = torch.stack([right, got])
    if int(both.min()) < 0 or int(both.max()) > x.shape[1]:
        return None
    zero = x == 0
    least = torch.finfo(m.inputs[0].dtype).tiny
    kinds = {
        "-0.0": zero & x.signbit(),
        "0.0": zero & ~x.signbit(),
        "NaN": x.isnan(),
        "infinite": x.isinf(),
        "subnormal": ~zero & (x.abs() < least),
    }
    if bool(kinds["-0.0"].any() and kinds["0.0"].any()):
        kinds["0"] = zero
    off, sign = got - right, 1 if bool((got >= right).all()) else -1
    found = [
        name
        for name, is_one in kinds.items()
        if bool(is_one.any()) and torch.equal(is_one.sum(1), sign * off)
    ]
    by = int(off.abs().sum())
    if found in (["0.0"], ["-0.0"]) and by == 1:
        return None  # any one may be too much, or missing
    if not bool(got.any()):
        return None  # nothing is counted, of which that may be all
    if len(found) != 1:
        return None
    many, (name,) = "many" if sign > 0 else "few", found
    why = {
        "-0.0": "it is equal to 0, and its bits are not: has the sign of zero an effect",
        "0.0": OTHER_SIDE,
        "0": OTHER_SIDE,
        "NaN": "is one compared, which is false, but true with !=, so that only NaN goes wrong",
        "infinite": "does a comparison take infinity to the other side",
        "subnormal": "are subnormal numbers flushed to zero, or taken for 0",
    }[name]
    return f"{by:,} too {many} are counted, as many as are {name}: {why}?"


def counts(m: Mismatch) -> str | None:
    """For counts: test whether the last elements count too often, or not at all."""
    if m.got.is_floating_point() or m.got.dtype is torch.bool or m.reference is not None:
        return None
    if len(m.inputs) != 1 or m.inputs[0].is_floating_point() or m.inputs[0].numel() < SEVERAL:
        return None
    x, off = m.inputs[0].reshape(-1), m.got.double() - m.expected
    if bool((m.expected < 0).any()) or float(m.expected.sum()) != x.numel():
        return None
    if bool((off < 0).any()) and bool((off > 0).any()):
        return None
    often = bool((off > 0).any())
    times = (m.got.double() / m.expected)[m.expected > 0].unique()
    if (
        len(times) == 1
        and float(times[0]) in range(2, MOST_TIMES)
        and torch.equal(m.got.double(), times[0] * m.expected)
    ):
        how = "twice" if float(times[0]) == 2 else f"{float(times[0]):,.0f} times"
        return (
            f"each count is {float(times[0]):g} times the right one: is each element counted "
            f"{how}, or each count added {how}, as by so many threads or blocks?"
        )
    share = m.expected / x.numel()
    by_chance = 1.0
    for count in range(1, min(LONGEST_TAIL, x.numel() - 1) + 1):
        tail = x[-count:].long()
        if bool(((tail < 0) | (tail >= off.numel())).any()):
            break
        by_chance *= count * float(share[tail[0]])
        if by_chance > RARE:
            continue  # another element may be as well meant
        alone = torch.bincount(tail, minlength=off.numel()).double()
        times = float(off[tail[-1]] / alone[tail[-1]])
        if times and torch.equal(off, times * alone):
            which = "last element" if count == 1 else f"last {count} elements"
            how = "left out"
            if often:
                how = "counted twice" if times == 1 else f"counted {times + 1:,.0f} times"
            return f"the counts are off by just the {which}: is the tail {how}?"
    if bool((off.abs() == m.expected)[off != 0].all()):
        return None  # all of one kind, and not some places
    bins = off.nonzero().flatten().tolist()
    several = abs(float(off.sum())) > 1 and float(share[bins[0]]) < MOST_OF_ALL
    if len(bins) == 1 and (several or not float(share[bins[0]])):
        return _of_one_bin(bins[0], int(off.sum()))
    if often and bool((m.expected == 0)[bins].any()):
        return None  # what is not there
    return _few_counted(x.numel(), int(off.sum()))


def _of_one_bin(which: int, off: int) -> str | None:
    """Tell of counts of which only one is off, by more than one, or where there is none."""
    if off < 0:
        return None
    return (
        f"only the count of {which:,} is wrong, too large by {off:,}: do threads that have no "
        f"element, or what lies beyond the end, count as {which:,}?"
    )


def _few_counted(n: int, off: int) -> str | None:
    """Tell of counts that are all right, or too large, or too small, by how many elements."""
    if not 0 < abs(off) <= FEW_OF * n:
        return None
    are = "is" if abs(off) == 1 else "are"
    how = (
        "counted more than once: do the pieces of two blocks, or of two threads, overlap at an "
        "end"
    )
    if off < 0:
        how = "not counted: is one left out between two pieces, or at an end"
    return f"the counts add up to {n + off:,}, of {n:,} elements: {abs(off):,} {are} {how}?"


def of_each_row(m: Mismatch) -> str | None:
    """Test whether each wrong row of a matrix is off by a factor, or a number, of its own."""
    if len(m.shape) != 2 or m.shape[1] < SEVERAL // 2 or m.reference is not None:
        return None
    rows = m.wrong.reshape(m.shape).any(dim=1)
    got, right = (x.double().reshape(m.shape)[rows] for x in (m.got, m.expected))
    if len(got) < 2 or not bool((got.isfinite() & right.isfinite()).all()):
        return None
    size = right.abs().amax(dim=1, keepdim=True)
    limit = max(rounding_error(m), torch.finfo(torch.float64).eps)
    off = got - right
    by = off.median(dim=1, keepdim=True).values
    different = float(by.max() - by.min()) > 8 * limit * float(size.max())
    if different and bool(((off - by).abs() <= limit * (size + by.abs())).all()):
        k = int(rows.nonzero()[0])
        return (
            f"all elements of a row are off by one number, those of row {k:,} by "
            f"{float(by[0]):.6g}, and each wrong row by another: is what is added to a row, or "
            "taken off, made of other elements than its own, or by another formula?"
        )
    factor = (got * right).sum(dim=1, keepdim=True) / right.square().sum(dim=1, keepdim=True)
    explained = (got - factor * right).abs() <= limit * size * (1 + factor.abs())
    if not bool(explained.all()) or float(factor.max() - factor.min()) <= 8 * limit:
        return None
    return (
        "the elements of each wrong row are off by one factor, from "
        f"{float(factor.min()):.5g} to {float(factor.max()):.5g}: is what a row is divided by, "
        "or multiplied with, made of other elements than its own, or by another formula?"
    )


def _searched(m: Mismatch) -> torch.Tensor | None:
    """Return the matrix of whose rows places may come out; an array is one row."""
    x = m.inputs[0] if len(m.inputs) == 1 and m.reference is None else None
    if x is not None and x.dim() == 1 and x.numel() > 1 == m.got.numel():
        return x[None]
    return _rows(m)


def _rows(m: Mismatch) -> torch.Tensor | None:
    """Return the matrix whose rows the elements of the output are made of, if it is one."""
    if len(m.inputs) != 1 or m.inputs[0].dim() != 2 or m.reference is not None:
        return None
    x = m.inputs[0]
    return x if tuple(m.shape) == tuple(x.shape[:1]) and x.shape[1] > 1 else None
