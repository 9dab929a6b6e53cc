"""Recognise from which other index a wrong output, or an input of it, was read.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from helpers.testing.mismatch import SEVERAL, SHORT, Mismatch, rounding_error

MOST = 300  # elements, each of which is compared with each other
MOST_FIT = 0.9  # of all elements, the right ones too: those of a tail may be done otherwise
WIDTHS = (2, 3, 4, 8, 16, 32, 64, 128, 256)

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
    from_where = m.expected[None, :].expand(n, n)
    if form := _form(m, from_where, m.expected):
        return f"each wrong element is the right one of index {form}, where i is its own"
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
