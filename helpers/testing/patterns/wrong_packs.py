"""Recognise a thread's elements, of which one comes out as another of them should.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch, rounding_error
from helpers.testing.references import bits, rounded

MOST = 1 << 16  # elements of which all forms are tried
LEAST = 3  # numbers that tell the place which they are of
# How far a thread's elements are apart, and how many it has.
NEXT_TO_EACH_OTHER = tuple((1, k) for k in (2, 3, 4, 8, 16))
A_BLOCK_APART = tuple((32 << j, k) for k in (2, 3, 4, 8) for j in range(6))
IN_A_WORD = (2, 4, 8)  # numbers
MOST_BITS = 64  # of a word
PART = 4  # times the elements that go wrong: at least so many may
BLOCKS = range(32, 1025, 32)  # threads
SHARES = (2, 3, 4, 8)  # elements of a thread
MOST_IN_A_BLOCK = 8192
MOST_TOLD = 2  # places of which a sentence tells
APART_THEN_BESIDE = "read {} apart (blockDim.x), and stored side by side"
BESIDE_THEN_APART = "read side by side, and stored {} apart (blockDim.x)"
WORDS = (torch.uint8, torch.int8, torch.int16)
# What may be made of two unsigned words, in which what has no place is lost, or limited.
OF_WORDS: tuple[tuple[str, Callable[[np.ndarray, np.ndarray], np.ndarray]], ...] = (
    ("added", lambda a, b: a + b),
    ("added", lambda a, b: np.where(a + b < a, ~(a & 0), a + b)),
    ("subtracted", lambda a, b: a - b),
    ("subtracted", lambda a, b: np.where(a < b, a & 0, a - b)),
    ("added and halved", lambda a, b: a + b >> 1),
)
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def places(m: Mismatch) -> str | None:
    """Test whether those at one place, of each thread's elements, are made of another place.

    For elementwise operators. Of all inputs, or of one alone; every element at that place must
    come out so, also where it is right, and all others as they should.
    """
    n = m.got.numel()
    if m.reference is None or not SHORT < n <= MOST or len(m.shape) > 1 or not m.inputs:
        return None
    if any(x.numel() != n for x in m.inputs) or m.got.dtype is torch.bool:
        return None
    for apart, k in (*NEXT_TO_EACH_OTHER, *A_BLOCK_APART):
        groups = m.wrong.nonzero().flatten() // (apart * k)
        if len(groups.unique()) < 2:  # of one group nothing tells how many it has
            continue
        place = torch.arange(n) // apart % k
        which = place[m.wrong].unique().tolist()
        told = [_of_place(m, apart, k, place == j, j) for j in which] if len(which) < k else []
        if not told or None in told:
            continue
        whose = f"of every {k} elements"
        if apart > 1:
            whose = f"of every {k} elements that are {apart:,} apart (a thread's?)"
        some = ", and ".join(told[:MOST_TOLD]) + ", and so on" * (len(told) > MOST_TOLD)
        return f"{whose}, {some}: is an index in a thread's loop another one?"
    return None


def _of_place(m: Mismatch, apart: int, k: int, own: torch.Tensor, j: int) -> str | None:
    """Say what the elements at place j are made of; own: which those are."""
    for other in (q for q in range(k) if q != j):
        for words, values in _made(m, (other - j) * apart):
            if _are(m, own & values.isfinite(), values):
                return words.format(_ordinal(j), _ordinal(other))
    return None


def _made(m: Mismatch, step: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what comes out if each element, or one input of it, is of so many elements on.

    NaN where there is no such element.
    """
    n, inputs = m.got.numel(), [x.reshape(-1).double() for x in m.inputs]
    source = torch.arange(n) + step
    beyond = (source < 0) | (source >= n)
    source = source % n
    index = f"index i {'+' if step > 0 else '-'} {abs(step)}"
    made = m.expected[source].masked_fill(beyond, torch.nan)
    yield f"the {{}} is what the {{}} should be, that of {index}", made
    for place, x in enumerate(inputs if len(inputs) > 1 else ()):
        other = m.reference(*inputs[:place], x[source], *inputs[place + 1 :])
        if isinstance(other, torch.Tensor) and other.shape == m.got.shape:
            words = f"the {{}} takes input {place + 1} of another element, the {{}}"
            yield words, other.double().masked_fill(beyond, torch.nan)


def _are(m: Mismatch, part: torch.Tensor, values: torch.Tensor) -> bool:
    """Test whether values explain a part of the output, and are others than the right ones."""
    if 2 * int((part & m.wrong).sum()) < int(part.sum()):
        return False
    got, made = m.got[part].double(), rounded(values[part], m.got.dtype).double()
    right = m.expected[part]
    limit = rounding_error(m) * (made.abs() + right.abs().median())
    if not bool(((got == made) | ((got - made).abs() <= limit)).all()):
        return False
    tells = (right - made).abs() > 8 * limit
    return len(made[tells].unique()) >= LEAST


def _ordinal(place: int) -> str:
    return ORDINALS.get(place + 1, f"{place + 1}th")


def turned(m: Mismatch) -> str | None:
    """Test whether a thread's elements are read a block apart and stored side by side.

    Or the other way round. For elementwise operators: each wrong element is the right one of
    another place in its block, which is a matrix whose sides are turned.
    """
    n = m.got.numel()
    if m.reference is None or not SHORT < n <= MOST or len(m.shape) > 1:
        return None
    if m.got.dtype is torch.bool or int(m.wrong.sum()) < SEVERAL:
        return None
    at, first = torch.arange(n), m.wrong.nonzero()[0]
    near = [*_may_be(m, first).tolist(), *[True] * MOST_IN_A_BLOCK]  # what is not read
    for apart in BLOCKS:
        for k in (k for k in SHARES if apart * k <= n + 1):  # but for one element
            for rows, columns, how in (
                (k, apart, APART_THEN_BESIDE),
                (apart, k, BESIDE_THEN_APART),
            ):
                if near[int(_turned(first, rows, columns))] and _is_read_at(
                    m, _turned(at, rows, columns), apart * k
                ):
                    return (
                        "each wrong element is counted for another place: of each "
                        f"{apart * k:,}, place r holds the right one of place r / {rows} + "
                        f"{columns} * (r % {rows}). Are the {k} elements of a thread "
                        f"{how.format(apart)}?"
                    )
    return None


def _turned(at: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    """Return the index whose place in its block has the sides turned."""
    r = at % (rows * columns)
    return at - r + r // rows + columns * (r % rows)


def _may_be(m: Mismatch, at: torch.Tensor) -> torch.Tensor:
    """Return which elements one of them may be, before all are compared."""
    made = rounded(m.expected, m.got.dtype).double()
    limit = rounding_error(m) * (made.abs() + m.expected.abs().nanmedian())
    return (m.got[at].double() - made).abs() <= limit


def _is_read_at(m: Mismatch, source: torch.Tensor, group: int) -> bool:
    """Test whether elements are those of a source, in each group that has all of its own.

    What a thread has not read, at the end, it stores as it is.
    """
    n = len(source)
    groups = torch.arange(n) // group
    own = ~torch.isin(groups, groups[source >= n])
    if 2 * int(own.sum()) < n or bool((m.wrong & own & (source == torch.arange(n))).any()):
        return False
    made = m.expected[source.clamp(max=n - 1)]
    return _are(m, own & made.isfinite(), made)


def carries(m: Mismatch) -> str | None:
    """For integers of 8 or 16 bits: test whether several are added or subtracted as one word.

    Then a carry out of one of them goes on into the next; so does a bit, where the sum of two
    is halved. What is left behind the words must be right.
    """
    if m.got.dtype not in WORDS or m.reference is None or int(m.wrong.sum()) < SEVERAL // 2:
        return None
    inputs = [x.reshape(-1) for x in m.inputs if x.dtype is m.got.dtype]
    if len(inputs) != 2 or any(len(x) != m.got.numel() for x in inputs):
        return None
    width, numbers = m.got.element_size(), [x.contiguous().numpy() for x in (*inputs, m.got)]
    for size, count in ((k * width, k) for k in IN_A_WORD if k * width <= MOST_BITS // 8):
        end = len(m.got) // count * count
        if bool(m.wrong[end:].any()) or not bool(m.wrong[:end].any()):
            continue
        words = [x[:end].view(f"u{size}") for x in numbers]
        alone = [x[:end].view(f"u{width}") for x in numbers]
        for what, of in OF_WORDS:
            if _makes(of, *words) and not _makes(of, *alone):
                return (
                    f"this is what comes out of {count} numbers of {dtype_name(m.got.dtype)} "
                    f"that are {what} as one word of {size} bytes: what is beyond the range "
                    "of one goes on into its neighbour. Cut or limit each for itself"
                )
    return None


def _makes(of: Callable, a: np.ndarray, b: np.ndarray, got: np.ndarray) -> bool:
    return np.array_equal(of(a, b), got)


def signs(m: Mismatch) -> str | None:
    """For integers: test whether signs run over the numbers behind them in a word.

    Where several are put into one word, with | or with +, and none is cut to its bits first,
    or one is not.
    """
    if m.got.is_floating_point() or m.got.dtype is torch.bool:
        return None
    wrong = int(m.wrong.sum())
    if wrong < 2:
        return None
    width, info = 8 * m.got.element_size(), torch.iinfo(m.got.dtype)
    right, got = rounded(m.expected, m.got.dtype).long(), m.got.long()
    for count in (k for k in IN_A_WORD if k * width <= MOST_BITS and k <= len(right)):
        end = len(right) // count * count
        if not torch.equal(got[end:], right[end:]):
            continue
        places = [range(count)] * (wrong >= SEVERAL // 2) + [(k,) for k in range(count - 1)]
        ways = ((False, "have all bits set"), (True, "are too small by 1"))
        for whole, (adds, what) in itertools.product(places, ways):
            made = _in_words(right[:end], count, width, adds, info.min < 0, whole)
            if torch.equal(made, got[:end]):
                own = f" of place {whole[0]}" if len(whole) == 1 else ""
                return (
                    f"of every {count} elements, those behind a negative one{own} {what}: does "
                    "the sign of a number run over the bits of its neighbours, where several "
                    f"are put into one word? Cut each to its own width first (& "
                    f"{(1 << width) - 1:#x})"
                )
    return None


def one_byte(m: Mismatch) -> str | None:
    """For an operator of small integers: test whether one place of each word goes wrong.

    Not every time, as some numbers come out right by chance.
    """
    where = m.wrong.nonzero().flatten()
    bytes_ = m.got.element_size()
    if m.reference is None or not m.elementwise or m.got.is_floating_point() or bytes_ > 2:
        return None
    if len(where) < 2 * SEVERAL or m.got.dtype is torch.bool or len(m.shape) > 1:
        return None
    for count in (k for k in reversed(IN_A_WORD) if k * bytes_ * 8 <= MOST_BITS):
        place = int(where[0]) % count
        if bool((where % count == place).all()) and PART * len(where) * count >= len(m.wrong):
            return (
                f"of every {count} elements only the one of place {place} goes wrong: where "
                "several are put into one word, is one of them left out of a mask, is a shift "
                "of it another one, or does the formula lack brackets (+ and << come before &)?"
            )
    return None


def some_of_one_place(m: Mismatch) -> str | None:
    """Test whether all that go wrong are of one place of every 4 or 8, where others would.

    As where one of a thread's elements has another formula, which shows in some numbers only.
    """
    where = m.wrong.nonzero().flatten()
    alike = [x.reshape(-1) for x in m.inputs if x.numel() == m.got.numel()]
    if not m.elementwise or len(m.shape) > 1 or not len(where) or not alike:
        return None
    if not bool(torch.stack([x.double()[where].isfinite() for x in alike]).all()):
        return None
    for count, least in ((8, SEVERAL // 2), (4, SEVERAL)):
        place = int(where[0]) % count
        if len(where) < least or not bool((where % count == place).all()):
            continue
        others = ~m.wrong & (torch.arange(len(m.wrong)) % count != place)
        changed = others & (m.expected != alike[0].double())
        if int(changed.sum()) < (count - 1) * SEVERAL // 2:
            return None
        return (
            f"of every {count} elements only those of place {place} go wrong, {len(where):,} "
            f"of {int((~others).sum()):,}: is that one left out of a part of the formula, in a "
            "thread's line for it?"
        )
    return None


def lower_half(m: Mismatch) -> str | None:
    """For float32: test whether the 16 bits of a narrower float stand in its lower half."""
    if m.got.dtype is not torch.float32:
        return None
    got, numbers = bits(m.got)[m.wrong], ~m.expected[m.wrong].isnan()
    for dtype in (torch.bfloat16, torch.float16):
        half = rounded(m.expected[m.wrong], dtype)
        made = (
            (got == bits(half).int() & 0xFFFF)
            & (half.double() == m.expected[m.wrong])
            & (half != 0)
        )
        if bool(numbers.any()) and bool(made[numbers].all()):
            how = "Make a float of it first (__half2float)"
            if dtype is torch.bfloat16:
                how = "A bfloat16 is the upper half of a float: << 16"
            return (
                "tiny numbers come out, whose bits are those of the right "
                f"{dtype_name(dtype)}: is the formula of the bits another one, which leaves "
                f"them in the lower half of a float? {how}"
            )
    return None


def not_masked(m: Mismatch) -> str | None:
    """For bfloat16 that become floats: test whether a neighbour's bits stand in a lower half.

    As of the upper one of two in a word of 32 bits, which is taken as it is.
    """
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(0)
    if m.got.dtype is not torch.float32 or x.dtype is not torch.bfloat16:
        return None
    if x.shape != m.got.shape or int(m.wrong.sum()) < 2 or m.reference is None:
        return None
    own = bits(x).reshape(-1).int() << 16
    before = bits(x).reshape(-1).int().roll(1) & 0xFFFF
    got = bits(m.got)
    if not torch.equal(got[m.wrong], (own | before)[m.wrong]) or bool(m.wrong[0]):
        return None
    return (
        "in the lower half of each wrong element stands another element, the one before it, so "
        "that it has too many digits: of a word that holds two, is the upper one taken with "
        "the lower one behind it? Mask that off (& 0xffff0000)"
    )


def side_by_side(m: Mismatch) -> str | None:
    """For int64: test whether the right numbers stand side by side, as integers of 32 bits."""
    if m.got.dtype is not torch.int64 or m.got.numel() < 2 or int(m.wrong.sum()) < 2:
        return None
    stored = m.got.view(torch.int32)[: m.got.numel()]
    if not torch.equal(stored.double(), m.expected) or len(stored.unique()) < 2:
        return None
    return (
        "the right numbers stand side by side in 32 bits each, and the end of the array was "
        "never written: is each stored as an int, through a pointer that was cast? The array "
        "has int64_t"
    )


def _in_words(
    numbers: torch.Tensor,
    count: int,
    width: int,
    adds: bool,
    signed: bool,
    whole: Iterable[int],
) -> torch.Tensor:
    """Return what numbers become if those of some places are put into a word whole, flat.

    That is with their signs; the others are cut to their width.
    """
    shifts = width * torch.arange(count)
    uncut = torch.zeros(count, dtype=torch.bool)
    uncut[list(whole)] = True
    numbers = numbers.reshape(-1, count)
    parts = torch.where(uncut, numbers, numbers & (1 << width) - 1) << shifts
    words = parts[:, 0]
    for part in parts.unbind(dim=1)[1:]:
        words = words + part if adds else words | part
    made = words[:, None] >> shifts & (1 << width) - 1
    if signed:
        made = torch.where(made >= 1 << (width - 1), made - (1 << width), made)
    return made.reshape(-1)
