"""Recognise a wrong output by the places of its wrong elements, or by whose they are.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
import math

import torch

from helpers.testing.mismatch import (
    SEVERAL,
    SHORT,
    TINY,
    Mismatch,
    are_among,
    describe,
    fits,
    only_chooses,
    rounding_error,
    same,
)
from helpers.testing.patterns import wrong_numbers, wrong_rounding
from helpers.testing.references import bits, rounded, same_bits

LIMITS = tuple(1 << k for k in (15, 16, 24, 31, 32))  # of integers, and of whole floats
FLOAT_END = 1 << 24  # float32 holds every whole number up to here
MOST_BLOCKS_Y = 65_535  # of a grid, in y and in z
SHIFTS = (1, -1, 2, -2, 4, -4, 8, -8)
FAR_SHIFTS = tuple(sign << k for k in range(4, 11) for sign in (1, -1))  # a block's threads
BLOCKS = (32, 64, 128, 256, 512, 1024)
FIRST_ALONE = "only element 0 was written, and the others were never written"
NARROW_INDEX = "is an index too narrow?"
TOO_FEW_THREADS = "has the launch fewer threads"  # asked where nothing more is known
FOR_COLUMNS = "is the grid made for the columns"
NOTHING_REPLACES = "a start value that nothing replaces"
WARP = 32
SURE_OF_BLOCKS = 256  # elements of a matrix; a column says more of a place before
OF_TAIL = "is the tail of n % width done once, at the right place?"
OF_A_BLOCK = range(WARP + 1, 1025)  # threads of which some are in no whole warp, say
LONGEST_TAIL = 16  # elements
BY_CHANCE = 16  # wrong bytes for each that was perhaps not written
PACKS = (4, 8, 16, 32)  # elements of which one may be left out each time
PACK_WIDTHS = (2, 4, 8, 16)
LEFT_WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256)  # of packs, warps and blocks
MOST_OF = 0.9  # of the elements at some places, that are wrong if the place decides
LEAST = 3  # elements of which one is left out, or that agree on another place
NEARLY = 2.0**-6  # relative, of numbers that are all alike
LITTLE = 2.0**-10  # of the largest result, beside which one is as good as 0
TIMES_ZERO = (
    "with the sign of what is right: is it multiplied by a factor that is 0, as 1 / n and 1 / "
    "2 are, of integers, whose quotient has no fraction? Divide by n, or by a float: 1.0f / n"
)
MANY = 500  # different numbers, each of which tells its place


def _elements(count: int) -> str:
    return "element was" if count == 1 else f"{count:,} elements were"


def unwritten(m: Mismatch) -> str | None:
    """Find elements that still hold what was there before the call."""
    unwritten = same_bits(m.got, m.poison) & m.wrong
    if not bool(unwritten.any()):
        return None
    unwritten = _with_nans(m, unwritten)
    if bool(unwritten.all()):
        return (
            "nothing was written: does the kernel store to its output, and does the launch "
            "cover every element?"
        )
    n, where = m.got.numel(), unwritten.nonzero().flatten()
    first, count = int(where[0]), len(where)
    others = int((m.wrong & ~unwritten).sum())
    if m.got.element_size() == 1:  # a byte may be what stood there before by chance
        right = int((m.expected == m.got[unwritten][0].double()).sum())  # somewhere else
        if count * BY_CHANCE < others or (others and count <= right):
            return None
    if count == n - first and n >> 16 and first == n % (1 << 16):
        return (
            f"nothing is written from index {first:,} on, the remainder of {n:,} and 2^16: is "
            "a count of 16 bits too narrow?"
        )
    if count == n - first and first % MOST_BLOCKS_Y == 0:
        return (
            f"nothing is written from index {first:,} on, which is 65,535 x "
            f"{first // MOST_BLOCKS_Y}: does the grid end there, at 65,535 blocks?"
        )
    if others and count == n - first and first in LIMITS and _are_those_behind(m, first):
        return (
            f"nothing is written from index {first:,} on, which is 2^{first.bit_length() - 1}, "
            f"and numbers that belong there are found before it: {NARROW_INDEX}"
        )
    if len(m.shape) >= 2 and others:
        return _partly_unwritten(m, where, others)
    if len(m.shape) < 2 and (sentence := _first_alone(m, where) or _elsewhere(m, where)):
        return sentence
    if len(m.shape) == 2 and (sentence := _sides_from_on(m, where)):
        return sentence
    if len(m.shape) == 2 and (sentence := _sides_in_gaps(m, where) or _gap_in_rows(m, where)):
        return sentence
    regular = runs(where, n)
    of_columns = regular is not None and regular[1:] == m.shape[1:]
    if len(m.shape) == 2 and (count > LONGEST_TAIL or of_columns):
        return (
            f"{count:,} of {n:,} elements were never written, the first at row "
            f"{first // m.shape[1]:,}, column {first % m.shape[1]:,}: what the output held "
            "before stays there"
        )
    if FLOAT_END <= first <= FLOAT_END + 2 and count < n - first:
        return (
            f"all is right below index {first:,}, and {count:,} elements after it were never "
            "written: is an index held in a float, too narrow for it? That holds every whole "
            "number only up to 2^24 = 16,777,216"
        )
    if first in LIMITS and count < n - first:
        return (
            f"{count:,} of {n:,} elements were never written, the first at index {first:,}, "
            f"which is 2^{first.bit_length() - 1}: {NARROW_INDEX}"
        )
    if first in LIMITS:
        return (
            f"all is right below index {first:,}, and nothing is written from there on: "
            f"{NARROW_INDEX}"
        )
    if count == n - first > LONGEST_TAIL and (place := _of_as_many_columns(m, first)):
        return (
            f"nothing is written from index {first:,} on, as many as input {place} has "
            f"columns, and there is a result for each of its {n:,} rows: {FOR_COLUMNS}, the "
            "other one of the sides?"
        )
    if count == n - first > LONGEST_TAIL:
        return (
            f"nothing is written from index {first:,} on: {TOO_FEW_THREADS} (blocks x threads "
            "of a block) than it needs, or does a loop end too early?"
        )
    if rest := tail_behind(m, where):
        which = "one" if rest == 1 else f"{rest}"
        return (
            f"nothing is written from index {first:,} on but the last {which}: "
            f"{TOO_FEW_THREADS} (blocks x threads of a block) than it needs, or does a "
            "loop end too early?"
        )
    if count == n - first:
        return (
            f"the last {_elements(count)} never written: is the tail handled, is the grid "
            "rounded up?"
        )
    if regular:
        length, step = regular
        some = "one" if length == 1 else f"{length:,}"
        why = "Have some lanes, warps or blocks nothing to do?"
        written = step - length
        # Half of a step and one more may also be a block of so few threads, in a larger step.
        beside = (k for k in (2, 3, 4, 8) if step > 2 * WARP and written == step / k + k - 1)
        if k := next(beside, 0):
            why = (
                f"Have threads {k} elements each that lie next to each other, as the threads "
                f"do, so that many are written {k} times? A thread's next one must lie as many "
                f"further as a block has threads, {step // k}"
            )
        elif (
            first == written in OF_A_BLOCK and written % WARP > 0 == step % WARP and length > 1
        ):
            why = (
                f"Do blocks of {written:,} threads begin {step:,} elements apart, by a fixed "
                "number in the place of blockDim.x?"
            )
        return (
            f"{some} of every {step:,} elements {'was' if length == 1 else 'were'} never "
            f"written, from index {first:,} on: what the output held before stays there. {why}"
        )
    return (
        f"{count:,} of {n:,} elements were never written, the first at index {first:,}: what "
        "the output held before stays there"
    )


def tail_behind(m: Mismatch, where: torch.Tensor) -> int:
    """Count the elements behind those that were never written, if they may be a tail of packs.

    where: the indices of those, which lie side by side, from that of a pack on; else 0.
    """
    first, count = int(where[0]), len(where)
    rest = m.got.numel() - first - count
    if count <= LONGEST_TAIL or int(where[-1]) != first + count - 1:
        return 0
    fits = any(rest < k and first % k == 0 and count % k == 0 for k in PACK_WIDTHS)
    return rest if fits and not bool(m.wrong[first + count :].any()) else 0


def _with_nans(m: Mismatch, unwritten: torch.Tensor) -> torch.Tensor:
    """Return which elements were not written, with some of the last ones that look right.

    What stood there before may be NaN, too, or the byte that is right.
    """
    first = int(unwritten.nonzero()[0])
    kept = same_bits(m.got, m.poison) & (torch.arange(len(m.got)) >= first)
    right = kept & ~m.wrong
    by_chance = bool(m.expected.isnan()[right].all()) or m.got.element_size() == 1
    return kept if by_chance and int(kept.sum()) == len(m.got) - first else unwritten


def _first_alone(m: Mismatch, where: torch.Tensor) -> str | None:
    """Say that of several results only the first was written, perhaps with another's."""
    n = m.got.numel()
    if len(where) < n - 1 or n <= LEAST or bool((where == 0).any()) or m.like_output:
        return None
    index = "is the index at which it is stored another one (threadIdx.x, say, or none)?"
    right = rounded(m.expected, m.got.dtype)
    theirs = (right == m.got[0]).nonzero().flatten()
    if not bool(m.wrong[0]):
        return f"{FIRST_ALONE}: {index}"
    if not len(theirs):
        return None
    return (
        f"only element 0 was written, and holds what belongs to element {int(theirs[-1]):,}, "
        f"and the others were never written: {index}"
    )


def _elsewhere(m: Mismatch, where: torch.Tensor) -> str | None:
    """Say that results of elements that were never written are in the places of others."""
    right = rounded(m.expected, m.got.dtype)
    others = m.wrong.clone()
    others[where] = False
    if m.like_output or not bool(others.any()) or m.reference is not None:
        return None
    theirs = right[where].double()
    off = (m.got[others, None].double() - theirs).abs()
    digits = rounding_error(m) / 8 if m.got.dtype in (torch.float32, torch.float64) else 0.0
    near = off <= digits * (theirs.abs() + float(theirs.abs().median()))
    if len(right.unique()) < len(right) // 2 or not bool(near.any(dim=1).all()):
        return None
    k = int(others.nonzero()[0])
    other = int(where[int(off[0].argmin())])
    return (
        f"element {k:,} holds what belongs to element {other:,}, which was never written: is "
        "the index at which it is stored another one (a block's number in the place of that of "
        "a row, say)?"
    )


def _sides_from_on(m: Mismatch, where: torch.Tensor) -> str | None:
    """Say from which row or column of a matrix on nothing is written, if that is a limit."""
    left = torch.zeros(m.got.numel(), dtype=torch.bool)
    left[where] = True
    left = left.reshape(m.shape)
    for name, axis in (("column", 0), ("row", 1)):
        of_side = left.all(dim=axis)
        first = int(of_side.int().argmax())
        if not first or not bool(of_side[first:].all()):
            continue
        if int(left.sum()) != left.numel() // len(of_side) * (len(of_side) - first):
            continue
        if first in LIMITS:
            return (
                f"nothing is written from {name} {first:,} on, which is 2^"
                f"{first.bit_length() - 1}: is a number of a {name}, or of a row or column of "
                "the input, held in a type that is too narrow for it?"
            )
    return None


def _sides_in_gaps(m: Mismatch, where: torch.Tensor) -> str | None:
    """Say that of every so many rows, or columns, of a matrix some were never written."""
    left = torch.zeros(m.got.numel(), dtype=torch.bool)
    left[where] = True
    left = left.reshape(m.shape)
    for name, axis in (("row", 1), ("column", 0)):
        lost = left.all(dim=axis)
        sides = lost.nonzero().flatten()
        if len(where) != len(sides) * m.shape[axis] or not len(sides):
            continue
        regular = runs(sides, len(lost))
        if regular is None or int(sides[0]) != regular[1] - regular[0]:
            continue
        length, step = regular
        return (
            f"{length:,} of every {step:,} {name}s {'was' if length == 1 else 'were'} never "
            f"written, from {name} {step - length:,} on: do steps of a loop, or blocks, begin "
            f"{step:,} {name}s apart where they have {step - length:,} each?"
        )
    return None


def _are_turned(
    got: torch.Tensor, right: torch.Tensor, places: torch.Tensor, shape: tuple[int, ...]
) -> bool:
    """Test whether most elements are of the place with row and column exchanged.

    Or of one whose row is as long as a column is. places: of the elements, flat.
    """
    rows, columns = shape
    fits = torch.zeros(len(places), dtype=torch.bool)
    for row, column in ((places // columns, places % columns), (places // rows, places % rows)):
        for place in (
            row * rows + column,
            column * rows + row,
            row * columns + column,
            column * columns + row,
        ):
            inside = (place < len(right)) & (place != places)
            fits |= inside & (right[place.clamp_max(len(right) - 1)] == got[places])
    return 2 * int(fits.sum()) > len(places)


def _gap_in_rows(m: Mismatch, where: torch.Tensor) -> str | None:
    """Say of a matrix that some columns were never written, and those behind them were."""
    lost = torch.zeros(m.got.numel(), dtype=torch.bool)
    lost[where] = True
    rows = lost.reshape(m.shape)
    of_all, columns = rows.all(dim=0), rows.any(dim=0).nonzero().flatten()
    first, last = int(columns[0]), int(columns[-1])
    if not 0 < first <= last < m.shape[1] - 1 or len(columns) != last - first + 1:
        return None
    if len(columns) < LEAST or not bool(of_all[columns].all()):
        return None
    return (
        f"columns {first:,} to {last:,} of each row were never written, and those behind them "
        "were: does a loop over a row go on by more than the threads that share it?"
    )


def _are_those_behind(m: Mismatch, first: int) -> bool:
    """Test whether each wrong element before a place holds what belongs so far behind it."""
    right = rounded(m.expected, m.got.dtype)
    places = m.wrong[:first].nonzero().flatten()
    behind = places + first
    if not len(places) or int(behind[-1]) >= len(right):
        return False
    return bool((m.got[places].double() == right[behind].double()).all())


def _partly_unwritten(m: Mismatch, where: torch.Tensor, others: int) -> str:
    """Tell of a matrix of which some elements were never written, and others are wrong."""
    n, count, columns = m.got.numel(), len(where), m.shape[-1]
    written = m.wrong.clone()
    written[where] = False
    right = rounded(m.expected, m.got.dtype).double()
    moved = torch.isin(m.got[written].double(), right)
    if bool(moved.all()):
        places = written.nonzero().flatten()
        of_their_rows = right.reshape(-1, columns)[places // columns]
        if bool((of_their_rows == m.got[places, None].double()).any(dim=1).all()):
            return (
                f"{others:,} of {n:,} elements hold what belongs to another element of their "
                f"row, and {count:,} what was there before: is the index at which they are "
                "stored another one?"
            )
        asked = "is an index of what is read, or written, another one?"
        if len(m.shape) == 2 and _are_turned(m.got.double(), right, places, m.shape):
            asked = "do rows and columns change places, in an index or in a bound?"
        return (
            f"{others:,} of {n:,} elements hold another element's number, and {count:,} what "
            f"was there before: {asked}"
        )
    rest = "1 other is wrong" if others == 1 else f"{others:,} others are wrong"
    lost = sorted({place % columns for place in where.tolist()})
    of_each = count == len(lost) * (n // columns)
    if of_each and lost == list(range(columns - len(lost), columns)) and len(lost) < columns:
        which = "last element" if len(lost) == 1 else f"last {len(lost):,} elements"
        return (
            f"the {which} of each row {'was' if len(lost) == 1 else 'were'} never written, and "
            f"{rest}: does a loop over a row end too early, and is that left out of what the "
            "others are made of?"
        )
    return (
        f"{count:,} of {n:,} elements were never written, the first at row "
        f"{int(where[0]) // columns:,}, column {int(where[0]) % columns:,}, and {rest}"
    )


def runs(where: torch.Tensor, n: int) -> tuple[int, int] | None:
    """Return the length and the distance of runs of indices below n, if all are alike.

    There are at least two runs; the last one may end with n.
    """
    starts = where[torch.cat([torch.tensor([True]), where.diff() > 1])]
    if len(starts) < 2:
        return None
    step = int(starts[1] - starts[0])
    length = int((where < starts[1]).sum())
    inside = torch.arange(int(starts[0]), n)
    inside = inside[(inside - int(starts[0])) % step < length]
    return (length, step) if torch.equal(inside, where) else None


def copy(m: Mismatch) -> str | None:
    """Compare the output with each input."""
    for place, x in enumerate(m.inputs, 1):
        if m.got.numel() <= 2 or x.numel() != m.got.numel():
            continue
        if torch.equal(m.got.double(), x.reshape(-1).double()):
            if _is_near(m):
                return (
                    f"what comes out is input {place} itself, which is nearly right: does a "
                    "sum on the way keep too few digits of so small numbers (expf(x) - 1, of "
                    "which expm1f keeps all), in too low a precision?"
                )
            words = f"the output is a copy of input {place}"
            if sentence := wrong_numbers.factor(m):
                words += f", and {sentence}"
            if torch.equal(m.expected.sort().values, x.double().flatten().sort().values):
                words += (
                    ", of which no element changes its place: where do rows and columns, say? "
                    "Of the index that is read and the one that is written, in a tile too, one "
                    "must have them the other way round"
                )
            return words
    return None


def _is_near(m: Mismatch) -> bool:
    """Test whether each wrong number is right but for a little."""
    right = m.expected[m.wrong]
    return bool(((m.got.double()[m.wrong] - right).abs() <= LITTLE * right.abs()).all())


def left_as_they_were(m: Mismatch) -> str | None:
    """Test whether the wrong elements, and not all, are those of an input, with nothing done.

    Of those at the same places in each pack, lane or block, too, none may come out right but
    where the operator changes nothing.
    """
    n, where = m.got.numel(), m.wrong.nonzero().flatten()
    if n <= SHORT or len(where) < SEVERAL or bool(m.expected[where].isnan().all()):
        return None  # that a NaN is lost tells no place
    for place, x in enumerate(m.inputs, 1):
        if x.numel() != n or x.dtype is not m.got.dtype or not _several_values(m.got[where]):
            continue
        same_as_input = bits(m.got) == bits(x.reshape(-1))
        if not bool(same_as_input[where].all()) or not bool((~same_as_input).any()):
            continue
        for width in LEFT_WIDTHS:
            inside = torch.zeros(width, dtype=torch.bool)
            inside[where % width] = True
            among = inside[torch.arange(n) % width]
            groups = len((where // width).unique())
            if groups < LEAST or 4 * int(inside.sum()) > 3 * width:
                continue
            if bool((same_as_input | ~among).all()):
                first, count = int(inside.nonzero()[0]), int(inside.sum())
                some = "one" if count == 1 else f"{count:,}"
                return (
                    f"{some} of every {width:,} elements, from index {first:,} on, "
                    f"{'comes' if count == 1 else 'come'} out as input {place} itself, with "
                    "nothing done to it: is it left out by a loop over a thread's elements, or "
                    "by some lanes?"
                )
        if bool((where.diff() == 1).all()) and bool(same_as_input[where[0] :].all()):
            return (
                f"from index {int(where[0]):,} on all comes out as input {place} itself: is it "
                "left out, as by a loop that ends too early?"
            )
    return None


def other_output(m: Mismatch) -> str | None:
    """Compare with what is right in the other outputs, unless two inputs are the same."""
    pairs = itertools.combinations(m.inputs, 2)
    alike = any(x.shape == y.shape and torch.equal(x, y) for x, y in pairs)
    for other in () if alike else m.others:
        if other.shape != m.got.shape or len(m.got.unique()) < LEAST:
            continue  # a few zeros come out of many faults
        if same(m.got, other):
            return "this is the result of another output: are two outputs swapped?"
    return None


def _of_as_many_columns(m: Mismatch, written: int) -> int:
    """Return the place of a matrix of which each row has a result, of so many columns; or 0."""
    n = m.got.numel()
    found = (k for k, x in enumerate(m.inputs, 1) if tuple(x.shape) == (n, written))
    return next(found, 0) if written > 1 else 0


def truth_values(m: Mismatch) -> str | None:
    """Test whether integers came out as what && and || make of the inputs, or !: 1 or 0."""
    if m.got.is_floating_point() or m.got.dtype is torch.bool or m.got.numel() < SEVERAL:
        return None
    inputs = [x.reshape(-1) for x in m.inputs if x.numel() == m.got.numel()]
    if len(m.expected.unique()) < LEAST or bool((m.got == 0).all()):
        return None
    true = [(f"input {k}", x != 0) for k, x in enumerate(inputs, 1)]
    pairs = list(itertools.combinations(true, 2))
    both = ((f"{one} and {other} are", x & y) for (one, x), (other, y) in pairs)
    either = ((f"{one} or {other} is", x | y) for (one, x), (other, y) in pairs)
    each = ((f"{one} is", x) for one, x in true)
    neither = ((f"{one} is not", ~x) for one, x in true)
    for what, truth in (*both, *either, *each, *neither):
        if torch.equal(m.got, truth.to(m.got.dtype)):
            return (
                f"each element is 1 where {what} true, as all but 0 is, and else 0: is the "
                "formula one of truth values, where it must be one of bits (&& for &, || for "
                "|, ! for ~)?"
            )
    return None


def nothing_replaces(m: Mismatch) -> str | None:
    """Test whether all results are the end of an integer type, with which a search starts."""
    if m.got.dtype not in (torch.int32, torch.int64) or m.got.numel() <= 2:
        return None
    if any(tuple(x.shape) == tuple(m.shape) for x in m.inputs):
        return None
    value, ends = int(m.got[0]), torch.iinfo(m.got.dtype)
    if value not in (ends.min, ends.max) or not bool((m.got == value).all()):
        return None
    end = "largest" if value == ends.max else "smallest"
    return f"every element is {value}, the {end} int{ends.bits}: is it {NOTHING_REPLACES}?"


def constant(m: Mismatch) -> str | None:
    """Test whether all elements are equal."""
    if m.got.numel() <= 2 or not bool((m.got == m.got[0]).all()):
        return None
    if m.got.numel() < SEVERAL and any(x.dim() > 1 for x in m.inputs) and m.got[0] != 0:
        return None  # a few rows may have one result by chance
    if m.got.dtype.is_floating_point and bool(m.got[0].isinf() & m.expected.isfinite().any()):
        return None  # something overflows
    if m.got[0] == 0 and m.reference is None:
        if _all_subnormal(m):
            return (
                "every element is 0, where what is right is a subnormal number of its type: "
                "are those flushed to zero, or counted as too small for it?"
            )
        if _times_zero(m):
            return f"every element is 0, {TIMES_ZERO}"
        return "every element is 0, and should not be: is what makes it left out?"
    own = torch.finfo(m.got.dtype) if m.got.dtype.is_floating_point else None
    if m.reference is None and own and abs(float(m.got[0])) in (own.tiny, own.max):
        name = "FLT_MIN" if abs(float(m.got[0])) == own.tiny else "FLT_MAX"
        return (
            f"every element is {describe(m.got[0])}, {name} of its type: does a maximum or a "
            "minimum start with that? Start with the first element"
        )
    if m.reference is None and (sides := _all_counted(m)):
        return (
            f"every count is {int(m.got[0])}, that of {sides}: are those counted, too, which "
            "should not be (a NaN that goes in, or what a test leaves out)?"
        )
    if _alike(m.expected):  # as what is right
        return None
    if sentence := _of_the_first(m):
        return sentence
    if sentence := _end_of_bytes(m):
        return sentence
    return f"every element is {describe(m.got[0])}, {_as_of_equals(m) or 'a constant'}"


def _as_of_equals(m: Mismatch) -> str:
    """Test whether a softmax, or its logarithm, came out as of rows of equal numbers."""
    if m.reference is not None or len(m.shape) < 2 or not m.got.is_floating_point():
        return ""
    n, got = m.shape[-1], float(m.got[0])
    rows, near = m.expected.reshape(-1, n), 8 * torch.finfo(m.got.dtype).eps
    for powers, share in ((rows, got), (rows.exp(), math.exp(min(got, 0.0)))):
        if bool((powers.sum(dim=1) - 1).abs().max() <= n * near) and abs(share * n - 1) <= near:
            return (
                f"as if all {n:,} numbers of a row were equal: is the number that is taken off "
                "each thread's own, and not the largest of all the row? Some are left out of "
                "it, then"
            )
    return ""


def _end_of_bytes(m: Mismatch) -> str | None:
    """For what chooses among bytes: test whether the largest or the smallest byte comes out."""
    if m.elementwise or m.reference is not None or m.got.dtype not in (torch.uint8, torch.int8):
        return None
    limits = torch.iinfo(m.got.dtype)
    if int(m.got[0]) not in (limits.min, limits.max):
        return None
    end = "largest" if int(m.got[0]) == limits.max else "smallest"
    return (
        f"every result is {int(m.got[0])}, the {end} number of its type: are bytes held or "
        "compared in a type of another range, as one with a sign in place of one without?"
    )


def _of_the_first(m: Mismatch) -> str | None:
    """For a result of each row or column: test whether all are that of the first one."""
    right = rounded(m.expected, m.got.dtype)
    matrices = [x for x in m.inputs if x.dim() == 2 and m.got.numel() in x.shape]
    if m.reference is not None or len(m.shape) > 1 or len(matrices) != 1:
        return None
    if bool(m.wrong[0]) or int((right == m.got[0]).sum()) > m.got.numel() // 4:
        return None
    name, other, each = "row", "column", "row * columns + column"
    if m.got.numel() != len(matrices[0]):
        name, other, each = other, name, each
    return (
        f"every element is {describe(m.got[0])}, the right one of {name} 0: is the {name} left "
        f"out of the index at which the input is read ({each}), so that {name} 0 is "
        "counted for another, or is the result of one stored for all?"
    )


def _all_subnormal(m: Mismatch) -> bool:
    """Test whether what is right of floats is subnormal in the output's type."""
    if not all(x.is_floating_point() for x in (m.got, *m.inputs)):
        return False
    right = rounded(m.expected, m.got.dtype).abs()[m.wrong]
    return bool(((right > 0) & (right < torch.finfo(m.got.dtype).tiny)).all())


def _times_zero(m: Mismatch) -> bool:
    """Test whether zeros came out with the signs of what is right, as of numbers times 0.

    Not where a square may overflow on the way, of which a quotient is 0, too.
    """
    signs, numbers = m.expected[m.wrong].signbit(), [x.double() for x in m.inputs]
    if not m.got.dtype.is_floating_point or not torch.equal(m.got[m.wrong].signbit(), signs):
        return False
    if min(int(signs.sum()), int((~signs).sum())) < LEAST:
        return False
    sizes = [x.nan_to_num().square().sum(-1) for x in numbers if x.dim()]
    floats = [x.dtype for x in (m.got, *m.inputs) if x.is_floating_point()]
    limit = min(torch.finfo(dtype).max for dtype in floats)
    return all(bool((size < limit).all()) for size in sizes)


def _alike(x: torch.Tensor) -> bool:
    """Test whether all numbers are nearly the same."""
    middle = x.median()
    return bool(((x - middle).abs() <= NEARLY * middle.abs()).all())


def _all_counted(m: Mismatch) -> str:
    """Say of a matrix whose rows or columns all outputs count; "" where they do not."""
    matrices = [x for x in m.inputs if x.dim() == 2]
    if len(matrices) != 1 or bool((m.expected != m.expected.round()).any()):
        return ""
    (rows, columns), most = matrices[0].shape, float(m.expected.max())
    for side, others, words in ((rows, columns, "all rows"), (columns, rows, "all columns")):
        if len(m.got) == others and float(m.got[0]) == side >= most >= 0:
            return words
    return ""


def other_operands(m: Mismatch) -> str | None:
    """Compare with the reference of the inputs in every other order."""
    if m.reference is None or m.got.numel() < 3:
        return None
    for order in list(itertools.permutations(m.inputs))[1:]:
        other = m.reference(*[x.double() for x in order])
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            if same(m.got, other) or fits(m, other):
                return (
                    "this is the result with its operands swapped: are they in the launcher's "
                    "order?"
                )
    return None


def some_operands(m: Mismatch) -> str | None:
    """Test whether only the wrong elements are those of operands in another order."""
    if m.reference is None or not m.inputs:
        return None
    for order in list(itertools.permutations(m.inputs))[1:]:
        other = m.reference(*[x.double() for x in order])
        if not isinstance(other, torch.Tensor) or other.shape != m.got.shape:
            return None
        if _several_values(m.got[m.wrong]) and same(m.got[m.wrong], other[m.wrong]):
            return "each wrong element has its operands swapped, and all others do not"
    return None


def one_operand(m: Mismatch) -> str | None:
    """Compare with the reference of an input, 0 or 1 in the place of another input."""
    if m.reference is None or m.got.numel() < 3 or len(m.inputs) < 2:
        return None
    doubles = [x.double() for x in m.inputs]
    others = {f"input {k + 1}": x for k, x in enumerate(doubles)}
    others |= {str(c): torch.full_like(doubles[0], c) for c in (0, 1)}
    for place, (name, x) in itertools.product(range(len(doubles)), others.items()):
        inputs = [*doubles[:place], x, *doubles[place + 1 :]]
        other = None if x is doubles[place] else m.reference(*inputs)
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            if same(m.got, other) or fits(m, other):
                return (
                    f"input {place + 1} has no effect: this is the result with {name} in its "
                    "place"
                )
    return None


def neighbour(m: Mismatch) -> str | None:
    """Test whether each element, or each wrong one, is the right one of another index.

    Of numbers that rise by one step, a number that is added makes the same.
    """
    off = (m.got.double() - m.expected)[m.wrong]
    if len(off) == m.got.numel() and bool((off == off[0]).all()):
        return None
    n, wrong = m.got.numel(), m.wrong.nonzero().flatten()
    for shift in SHIFTS if n > SHORT else ():
        inside = slice(max(0, -shift), n - max(0, shift))
        index = f"index i {'+' if shift > 0 else '-'} {abs(shift)}"
        right = m.expected.roll(-shift)
        if _tells(m, inside) and same(m.got[inside], right[inside]):
            return f"each element is the right one of {index}"
        copied = any(same(m.got[wrong], x.reshape(-1)[wrong]) for x in m.like_output)
        if _several_values(m.got[wrong]) and same(m.got[wrong], right[wrong]) and not copied:
            return f"each wrong element, the first at index {wrong[0]}, is that of {index}"
    return None


def _tells(m: Mismatch, part: slice) -> bool:
    """Test whether several numbers came out among the wrong ones: one may agree by chance."""
    return len(m.got[part][m.wrong[part]].nan_to_num().unique()) >= LEAST


def _several_values(x: torch.Tensor) -> bool:
    """Test whether numbers differ enough to tell their places: special ones recur."""
    return len(x.nan_to_num().unique()) >= SEVERAL


def operand_neighbour(m: Mismatch) -> str | None:
    """Compare with the reference of one input that is read at another index."""
    n = m.got.numel()
    if m.reference is None or n <= SHORT or any(x.numel() != n for x in m.inputs):
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    for place, x in enumerate(inputs):
        if len(x.abs().unique()) < min(n // 4, MANY):  # its numbers recur
            continue
        for shift in (*SHIFTS, *FAR_SHIFTS):
            shifted = x.roll(-shift)
            other = m.reference(*inputs[:place], shifted, *inputs[place + 1 :])
            inside = slice(max(0, -shift), n - max(0, shift))
            if not isinstance(other, torch.Tensor):
                return None
            index = f"index i {'+' if shift > 0 else '-'} {abs(shift)}"
            if n - abs(shift) < SEVERAL:
                continue
            agrees = _tells(m, inside) and same(m.got[inside], other[inside])
            if agrees or fits(m, other, inside):
                return f"input {place + 1} is read at {index}, not at i{_of_blocks(m, shift)}"
            several = _several_values(m.got[m.wrong])
            if several and same(m.got[m.wrong], other[m.wrong]):
                return f"of each wrong element, input {place + 1} is read at {index}, not at i"
    return None


def _of_blocks(m: Mismatch, shift: int) -> str:
    """Say so where the elements before a block's end, which the shift is, are right."""
    if shift >= 0 or shift % WARP or bool(m.wrong.flatten()[:-shift].any()):
        return ""
    return (
        f", from index {-shift} on, so that one element is counted for another: is "
        "threadIdx.x its index, without blockIdx.x * blockDim.x?"
    )


def within_packs(m: Mismatch) -> str | None:
    """Test whether the elements of each pack are right ones of other places in it."""
    n, right = m.got.numel(), rounded(m.expected, m.got.dtype)
    if n <= SHORT or len(m.shape) > 1 or not _several_values(right[m.wrong]):
        return None
    for width in PACK_WIDTHS:
        whole = n // width * width
        if not bool(m.wrong[:whole].any()):
            continue  # what is wrong lies behind the last pack
        got, expected = (x[:whole].reshape(-1, width) for x in (m.got, right))
        if torch.equal(got.sort(dim=1).values, expected.sort(dim=1).values):
            return (
                f"in each {width} elements, from index 0 on, every one is the right one of "
                "another place among them: are the elements of a pack swapped?"
            )
    return None


def one_of_every(m: Mismatch) -> str | None:
    """Test whether every second, fourth, ... element goes wrong, and no other."""
    index = m.wrong.nonzero().flatten()
    columns = m.shape[1] if len(m.shape) == 2 and m.reference is None else 0
    for step in PACKS:
        if step == columns:  # one column, of which a longer row tells more
            continue
        place = int(index[0])
        which = torch.arange(place, m.got.numel(), step)
        if place < step and len(which) >= LEAST and torch.equal(index, which):
            words = f"one of every {step} elements is wrong, from index {place} on"
            if bool((m.got[index] == 0).all()):
                return (
                    f"{words}, and 0: is it left out of a thread's pack, or of a warp's lanes?"
                )
            for k, x in enumerate(m.inputs, 1):
                if x.numel() == m.got.numel() and x.dtype == m.got.dtype:
                    if torch.equal(bits(x.reshape(-1)[index]), bits(m.got[index])):
                        return (
                            f"{words}, and is that of input {k}, as it goes in: is it left "
                            "out of a loop over the elements of a thread, or of its pack?"
                        )
            return (
                f"{words}, and no other: what does a thread do with that one of its elements, "
                "or that lane of a warp?"
            )
    return None


def at_edges_of_blocks(m: Mismatch) -> str | None:
    """Test whether the first element of each block but one is wrong alone, or the last."""
    index, n = m.wrong.nonzero().flatten(), m.got.numel()
    if m.reference is not None or len(m.shape) > 1 or not m.inputs:
        return None
    if not any(x.numel() == n for x in m.inputs):
        return None
    for width in reversed(BLOCKS):
        firsts = torch.arange(width, max(n, width), width)
        for which, words, side in (
            (firsts, "the first", "before"),
            (firsts - 1, "the last", "behind"),
        ):
            if len(firsts) and torch.equal(index, which) and n > int(firsts[-1]) + 1:
                one = f"element {int(index[0]):,} alone is"
                each = f"elements {int(index[0]):,}, {int(index[-1]):,} and so on are"
                return (
                    f"{one if len(index) == 1 else each} wrong, {words} of a block of {width}: "
                    f"is what stands {side} it, in another block, needed there, and another "
                    "element read in its place?"
                )
    return None


def every_second(m: Mismatch) -> str | None:
    """Test whether every second element goes wrong, or most of these, and no other."""
    n, count = m.got.numel(), int(m.wrong.sum())
    if n <= SHORT:
        return None
    place = int(m.wrong.nonzero()[0]) % 2
    of_these = int((torch.arange(n) % 2 == place).sum())
    if not bool(m.wrong[place::2].sum() == count) or count < MOST_OF * of_these:
        return None
    every = (
        "every second element is" if count == of_these else f"of every second, {count:,} are"
    )
    return (
        f"{every} wrong, from index {place} on, and no other: is the formula another one "
        "there, or does it read what was written a line before?"
    )


def only_first_lanes(m: Mismatch) -> str | None:
    """Test whether only every 32nd element, or the first of each row's 32, is right."""
    width = m.shape[1] if len(m.shape) == 2 else m.got.numel()
    if (
        m.reference is not None or width <= WARP
    ):  # the first of a row may be right by itself, as of a sum
        return None
    lane = torch.arange(m.got.numel()) % width % WARP
    right = ~m.wrong
    others = right & (lane != 0)
    if not bool(right[lane == 0].all()) or 20 * int(others.sum()) > m.got.numel():
        return None
    return (
        f"only every {WARP}nd element is right, from the first on: has only the first lane of "
        "each warp the result (__shfl_down_sync and WarpReduce leave it there alone: in what "
        "other lanes have, elements are left out), or only one thread?"
    )


def tail(m: Mismatch) -> str | None:
    """Test whether all elements from some index on are wrong, and none before."""
    index = m.wrong.nonzero().flatten()
    first, count = int(index[0]), len(index)
    if first == 0 or not bool(m.wrong[first:].all()) or m.got.numel() <= SHORT:
        return None
    if first in LIMITS:
        return (
            f"all is right below index {first:,} and wrong from there on: is an index or a "
            "count too narrow?"
        )
    if LONGEST_TAIL < count or _made_of_nothing(m):
        return None
    which = "the last element is" if count == 1 else f"the last {count:,} elements are"
    if wrong_rounding.in_fewer_bits(m):
        return (
            f"only {which} off, and nearly right: is the tail of n % width computed or rounded "
            "in a narrower precision than the rest, or in another way?"
        )
    return f"{which} wrong: {OF_TAIL}"


def _made_of_nothing(m: Mismatch) -> bool:
    """Test whether all right ones are one number, as counts of classes that nothing is in."""
    right, wrong = m.expected[~m.wrong], m.expected[m.wrong]
    return not m.elementwise and bool((right == right[0]).all() and (wrong != right[0]).all())


def from_on(m: Mismatch) -> str | None:
    """Test whether nearly all elements from some index on are wrong, and none before."""
    index = m.wrong.nonzero().flatten()
    first, behind = int(index[0]), m.got.numel() - int(index[0])
    if first < SEVERAL or behind <= LONGEST_TAIL or len(index) < 0.95 * behind:
        return None
    if len(m.shape) == 2 and (first % m.shape[1] == 0 or first < SURE_OF_BLOCKS):
        return None  # whole rows are right: they do not depend on one another
    if len(m.shape) > 2 and first % (m.got.numel() // m.shape[0]) == 0:
        return None  # nor do whole matrices
    if any(grows(x) for x in m.like_output):
        return None  # then it may as well be the size of the numbers
    if m.reference is None and not bool((m.got[m.wrong] != 0).any()):
        return (
            f"all is right below index {first:,}, and 0 from there on: is nothing added there, "
            "as by too few blocks, another index, or a loop that ends too early?"
        )
    return (
        f"all is right below index {first:,}, and wrong from there on: do blocks, warps or "
        f"chunks of {first:,} elements depend on those before them, and is that left out?"
    )


def grows(x: torch.Tensor) -> bool:
    """Test whether a tensor's numbers, but for their signs, grow or shrink with the index."""
    steps = x.reshape(-1).double().abs().diff()
    return bool(steps.any()) and (bool((steps >= 0).all()) or bool((steps <= 0).all()))


def left_zero(m: Mismatch) -> str | None:
    """For no elementwise operator: test whether each wrong element is 0, as if left out.

    Or another number that is as good as 0 beside what is right, as FLT_MIN.
    """
    values = m.got[m.wrong].double().unique()
    if m.reference is not None or len(values) > 1 or float(values[0].abs()) > TINY:
        return None
    if bool(values[0]) and float(m.expected[m.wrong].abs().min()) < TINY:
        return None  # small numbers that are a little off
    size = m.expected.abs()
    if m.elementwise and float(size[m.wrong].max()) < LITTLE * float(size.max()):
        return None  # beside the others they are as good as 0
    if only_chooses(m) and bool((m.inputs[0] == 0).any()):
        return None  # one of the elements
    if not m.elementwise and _is_one_of_an_input(m):
        return None
    for sign, side in (("below", m.expected < 0), ("above", m.expected > 0)):
        if LEAST <= int(side.sum()) <= m.got.numel() - SEVERAL and torch.equal(side, m.wrong):
            value = describe(m.got[m.wrong][0]) if bool(values[0]) else "0"
            return (
                f"each result {sign} 0 comes out as {value}: does something start with "
                f"{value}, as the largest or smallest one? Start with the first element"
            )
    if bool(values[0]):
        return None
    if sentence := _searched_from_zero(m):
        return sentence
    if _of_zeros(m):
        if all(bool(x.signbit().all()) for x in m.inputs):
            return (
                f"of -0.0 alone 0 comes out, and {describe(m.expected[m.wrong][0])} should: is "
                "the sign of zero compared, as of bits? -0.0 is equal to 0.0"
            )
        return (
            f"of zeros 0 comes out, and {describe(m.expected[m.wrong][0])} should: has the "
            "formula no case of its own for them (a divisor that is 0, say)?"
        )
    if _times_zero(m):
        return f"each wrong element is 0, {TIMES_ZERO}"
    if _of_a_range(m):
        return None
    if m.got.numel() == 1 and len(m.inputs) == 1:  # of which much else makes 0
        right = m.expected if m.got.is_floating_point() else m.expected.long()
        return f"0 comes out, and {describe(right[0])} should"
    first = int(m.wrong.nonzero()[0])
    if m.got.dtype is torch.bool:
        return f"element {first:,} is False, and should be True"
    return f"element {first:,} is 0, and should not be: is it left out?"


def _is_one_of_an_input(m: Mismatch) -> bool:
    """Test whether all that is right, and 0, are numbers of one of several inputs."""
    alike = (x.double() for x in m.inputs if x.dtype is m.got.dtype and len(m.inputs) > 1)
    known = (bool((x == 0).any()) and are_among(m.expected, x) for x in alike)
    return not m.got.is_floating_point() and any(known)


def _searched_from_zero(m: Mismatch) -> str | None:
    """For the largest or smallest of each row or column: test which of them come out as 0."""
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(())
    if x.dim() != 2 or not 0 < int(m.wrong.sum()) <= m.got.numel() - SEVERAL:
        return None
    for dim, what in ((1, "row"), (0, "column")):
        if x.shape[1 - dim] != m.got.numel():
            continue
        for most, side, end in (
            (x.amax(dim), m.expected < 0, "negative"),
            (x.amin(dim), m.expected > 0, "positive"),
        ):
            if torch.equal(most, m.expected) and torch.equal(side, m.wrong):
                which = "largest" if end == "negative" else "smallest"
                return (
                    f"0 comes out where all numbers of a {what} are {end}: does the search "
                    f"start with 0, as the {which} one? Start with the first element"
                )
    return None


def _of_zeros(m: Mismatch) -> bool:
    """Test whether a number other than 0 should come out where all that go in are 0."""
    return bool(m.inputs) and not any(bool(x.double().any()) for x in m.inputs)


def _of_a_range(m: Mismatch) -> bool:
    """Test whether all elements go wrong whose own input lies in a range, and no others.

    As of a function of each element that is another one there.
    """
    count = int(m.wrong.sum())
    for x in (y.reshape(-1).double() for y in m.inputs if y.numel() == m.got.numel()):
        ends = x[m.wrong].aminmax()
        inside = (x >= ends.min) & (x <= ends.max)
        if SEVERAL <= count < len(x) - 1 and torch.equal(inside, m.wrong):
            return len(x[m.wrong].unique()) >= SEVERAL
    return False


def suffix_sum(m: Mismatch) -> str | None:
    """For one result of many numbers: test whether it is off by the sum of the last few."""
    if m.got.numel() != 1 or not m.inputs or m.inputs[0].dtype is not m.got.dtype:
        return None
    off, x = float(m.got.double() - m.expected), m.inputs[0].double().flatten()
    if x.numel() == 1 or m.inputs[0].dim() > 1 or len(m.inputs) > 1:
        return None
    if not torch.isclose(x.sum(), m.expected.double().reshape(())):  # no sum
        return None
    if int(x.count_nonzero()) == 1:  # which may be the largest or smallest number as well
        return None
    for count in range(1, min(LONGEST_TAIL, x.numel()) + 1):
        total = float(x[-count:].sum())
        if off and off in (total, -total):
            what = "added twice" if off == total else "left out"
            which = "last element" if count == 1 else f"sum of the last {count} elements"
            return f"it is off by just the {which}: is the tail {what}?"
    return None
