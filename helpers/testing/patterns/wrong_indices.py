"""Recognise from which other index a wrong output, or an input of it, was read.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import torch

from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch, rounding_error
from helpers.testing.references import same_bits, ulp_distance

MOST = 300  # elements, each of which is compared with each other
LEAST = 3  # rows that come out as others
FEW_DIGITS = 4  # times what rounding makes: numbers so near to each other do not tell
MOST_ALIKE = 0.2  # share of places that make the same number
MOST_FIT = 0.9  # of all elements, the right ones too: those of a tail may be done otherwise
NEAR = 4  # units in the last place, of what an operator rounds on its way
FAR = 1 << 16  # elements, of which a wrong one is sought in all others
CUT = 1 << 16  # elements, of which an index of 16 bits is the remainder
TRIED = 64  # places from which the first wrong element may be read
WIDTHS = (2, 3, 4, 8, 16, 32, 64, 128, 256)
STORED_BY_BLOCK = "Is it stored at the number of its block"

Index = Callable[[torch.Tensor], torch.Tensor]


def _forms(n: int) -> Iterator[tuple[str, Index]]:
    """Yield the forms that a wrong index may have, of the index i [n] in the place of i."""
    for k in (k for k in WIDTHS if k < n):
        yield f"i % {k}", lambda i, k=k: i % k
        yield f"i - i % {k} (the first of each {k})", lambda i, k=k: i - i % k
        yield f"i / {k}", lambda i, k=k: i // k
        yield f"{k} * i", lambda i, k=k: k * i
        yield f"({k} * i) % n", lambda i, k=k: k * i % n
        yield f"i ^ {k - 1}", lambda i, k=k: i ^ (k - 1)
        yield f"(i + {k}) % n", lambda i, k=k: (i + k) % n
        yield f"(i - {k}) % n", lambda i, k=k: (i - k) % n
        yield f"i + 1 (within each {k})", lambda i, k=k: i - i % k + (i + 1) % k
        yield f"i - 1 (within each {k})", lambda i, k=k: i - i % k + (i - 1) % k
        yield f"{k - 1} - i % {k} of each {k}", lambda i, k=k: i - i % k + k - 1 - i % k


def other_index(m: Mismatch) -> str | None:
    """Test whether each wrong element is the right one of an index of a known form."""
    n = m.got.numel()
    if not _may_be_told(m) or len(m.shape) > 1:
        return None
    finite = m.expected[m.expected.isfinite()]
    spread = float(finite.max() - finite.min()) if len(finite) else 0.0
    if spread <= FEW_DIGITS * rounding_error(m) * float(finite.abs().nanmedian()):
        return None  # which another one may be by chance
    from_where = m.expected[None, :].expand(n, n)
    if form := _form(m, from_where, m.expected):
        return (
            f"each wrong element is what another element should be, that of index {form}, "
            "where i is its own"
        )
    return None


def started_again(m: Mismatch) -> str | None:
    """Test whether inputs are read from their beginning again, from some index on."""
    n, first = m.got.numel(), int(m.wrong.nonzero()[0])
    if m.reference is None or first < SEVERAL or len(m.got[first:].unique()) < 2:
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    if not inputs or len(m.shape) > 1 or any(x.numel() != n for x in inputs):
        return None
    again = [x[torch.arange(n) % first] for x in inputs]
    some = [(f"input {k + 1}", {k}) for k in range(len(inputs))] if len(inputs) > 1 else []
    for words, which in (("the input", set(range(len(inputs)))), *some):
        made = m.reference(*(again[k] if k in which else x for k, x in enumerate(inputs)))
        if isinstance(made, torch.Tensor) and made.shape == m.got.shape:
            if float(ulp_distance(m.got, made).max()) <= NEAR:
                return (
                    f"from index {first:,} on {words} is read from its beginning again, so "
                    "that another element is taken: does the index where it is read lack the "
                    "start of a part, of a launch or a chunk?"
                )
    return None


def operand_index(m: Mismatch) -> str | None:
    """Test whether one input of each wrong element is read at an index of a known form."""
    n = m.got.numel()
    if m.reference is None or not _may_be_told(m) or any(x.numel() != n for x in m.inputs):
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    for place, x in enumerate(inputs):
        columns = [y[:, None].expand(n, n).reshape(-1) for y in inputs]
        columns[place] = x[None, :].expand(n, n).reshape(-1)
        other = m.reference(*columns)
        if not isinstance(other, torch.Tensor) or other.numel() != n * n:
            return None
        if form := _form(m, other.reshape(n, n), x):
            return f"of each wrong element, input {place + 1} is read at index {form}, not at i"
    return None


def far_index(m: Mismatch) -> str | None:
    """For elementwise operators: test whether each wrong element is the one so many on.

    Or back, or one input of it is: as where a loop of several elements reads the next one in
    the place of that a step on. The distance is that of the first wrong element.
    """
    n, wrong = m.got.numel(), m.wrong.nonzero().flatten()
    if m.reference is None or not SHORT < n <= FAR or m.got.dtype is torch.bool:
        return None
    if len(wrong) < SEVERAL or any(x.numel() != n for x in m.inputs) or len(m.shape) > 1:
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    if any(_is_of_one_value(x, m.wrong) for x in inputs):
        return None  # a comparison with that number is wrong, of which a case has many pairs
    ways = [("the right one of", "", lambda at, source: m.expected[source])]
    for k in range(len(inputs) if len(inputs) > 1 else 0):
        made = functools.partial(_read, m, inputs, k)
        ways.append((f"made of input {k + 1} of", ", where i is its own", made))
    first, everywhere = wrong[:1], torch.arange(n)
    for words, rest, made in ways:
        values = made(first.expand(n), everywhere)
        if values is None:
            return None
        near = _close(m, m.got[first].double().expand(n), values).nonzero().flatten()
        for source in near[:TRIED]:
            shift = int(source) - int(first)
            at = wrong + shift
            if not shift or int(at.min()) < 0 or int(at.max()) >= n:
                continue
            values = made(wrong, at)
            if len(values.nan_to_num().unique()) < SEVERAL:
                continue
            if bool(_close(m, m.got[wrong].double(), values).all()) and _differ(m, values):
                sign = "+" if shift > 0 else "-"
                return (
                    f"each wrong element, from index {int(first):,} on, is {words} index i "
                    f"{sign} {abs(shift):,}{rest}: is its index another one, as i + 1 in the "
                    "place of i + step?"
                )
    return None


def _is_of_one_value(x: torch.Tensor, wrong: torch.Tensor) -> bool:
    """Test whether an input has one value in the wrong elements, and few others have it."""
    value = x[wrong][0]
    same = x == value
    return bool(same[wrong].all()) and 2 * int(wrong.sum()) >= int(same.sum())


def _read(
    m: Mismatch,
    inputs: list[torch.Tensor],
    place: int,
    at: torch.Tensor,
    source: torch.Tensor,
) -> torch.Tensor | None:
    """Return what some elements make if one input of each is read at another place."""
    columns = [x[source if k == place else at] for k, x in enumerate(inputs)]
    other = m.reference(*columns)
    return other.double() if isinstance(other, torch.Tensor) else None


def _close(m: Mismatch, got: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
    """Compare numbers, but for what a formula's rounding leaves."""
    limit = (rounding_error(m) * made.abs()).nan_to_num(0.0, 0.0, 0.0)
    return ((got - made).abs() <= limit) | (got == made) | (got.isnan() & made.isnan())


def _differ(m: Mismatch, made: torch.Tensor) -> bool:
    """Test whether what the wrong elements may be made of is mostly far from what is right."""
    right = m.expected[m.wrong]
    limit = 8 * rounding_error(m) * (made.abs() + right.abs()).nan_to_num(0.0, 0.0, 0.0)
    return 2 * int(((right - made).abs() > limit).sum()) >= len(right)


def _may_be_told(m: Mismatch) -> bool:
    floats = m.got.dtype is not torch.bool
    if len(m.expected[m.wrong].unique()) < SEVERAL:
        return False  # a few numbers do not tell their places
    return floats and SHORT < m.got.numel() <= MOST and int(m.wrong.sum()) >= SEVERAL


def _form(m: Mismatch, results: torch.Tensor, source: torch.Tensor) -> str | None:
    """Return the form of the index j that explains each wrong element i, or None.

    results: what comes out at i if the source is read at j, float64 [n, n].
    """
    got, wrong = m.got.double(), m.wrong
    limit = rounding_error(m) * (results.abs() + results.abs().nanmedian())
    fits = ((got[:, None] - results).abs() <= limit.nan_to_num(0.0)) | (
        got[:, None].isnan() & results.isnan()
    )
    if not bool(fits[wrong].any(dim=1).all()):
        return None
    if float(fits[wrong].double().mean()) > MOST_ALIKE:
        return None  # numbers that come out of many places do not tell theirs
    i = torch.arange(len(got))
    for words, index in _forms(len(got)):
        j = index(i)
        inside = (j >= 0) & (j < len(got))
        read = wrong & inside
        if bool((j == i)[read].any()):
            continue
        if int(read.sum()) < SEVERAL or 2 * int(read.sum()) < int(wrong.sum()):
            continue
        if len(source[j[read]].unique()) < 2 or not bool(fits[i[read], j[read]].all()):
            continue
        if float(fits[i[inside], j[inside]].double().mean()) >= MOST_FIT:
            return words
    return None


def of_the_block(m: Mismatch) -> str | None:
    """Test whether each block or thread that takes several rows stores all of them at one.

    Or each that takes several columns of a row, or several elements of an array.
    """
    if len(m.shape) == 2:
        return _of_the_block(m, 0, "row") or _of_the_block(m, 1, "column")
    return _of_the_block(m, 0, "row" if len(m.shape) > 1 else "element")


def _of_the_block(m: Mismatch, axis: int, what: str) -> str | None:
    """Test that of the rows, or along another axis."""
    count = m.shape[axis] if m.shape else 0
    if count < 2 or m.got.numel() % count:
        return None

    def parts(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(m.shape).movedim(axis, 0).reshape(count, -1)

    unwritten = parts(same_bits(m.got, m.poison) & m.wrong)
    first = int((~unwritten.all(dim=1)).sum())
    if not 1 < first < count or bool(unwritten[:first].any()):
        return None
    if not bool(unwritten[first:].all()):
        return None
    got, right = (parts(x.double()) for x in (m.got, m.expected))
    last = torch.arange(first) + (count - 1 - torch.arange(first)) // first * first
    moved = (parts(m.wrong) & (got != right))[:first].any(dim=1)  # not by the sign of 0
    moved = moved.nonzero().flatten()
    off = (got[:first] - right[last]).abs()
    near = off <= rounding_error(m) * (right[last].abs() + right.abs().median())
    if len(moved) < LEAST or not bool(near.all()):
        return None
    k = int(moved[0])
    return (
        f"{what}s from {first:,} on were never written, and what belongs there stands in those "
        f"before: {what} {k:,} holds that of {int(last[k]):,}. {STORED_BY_BLOCK} "
        f"(blockIdx.x) or thread, and not at that of the {what} that a loop has come to?"
    )


def rows_past_16_bits(m: Mismatch) -> str | None:
    """Test whether the first wrong row is the first that begins past element 2^16."""
    x = next((x for x in m.inputs if x.dim() == 2), None)
    if x is None or not m.shape or m.shape[0] != x.shape[0] or m.got.numel() % len(x):
        return None
    wrong = m.wrong.reshape(len(x), -1).any(dim=1)
    first, width = int(wrong.nonzero()[0]), x.shape[1]
    last = (first - 1) * width
    if first < LEAST or not last < CUT <= last + width:
        return None
    if int(wrong.sum()) < LEAST - 1 or not bool(wrong[first:].all()):
        return None
    return (
        f"all is right up to row {first - 1:,}, and wrong from row {first:,} on, the first "
        f"that begins past element 2^16 = {CUT:,}: is an index of 16 bits too narrow for the "
        "place where a row begins?"
    )
