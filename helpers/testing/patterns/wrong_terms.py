"""Recognise the formula of a kernel of two inputs, and that another one came out.

No reference is known of a whole-array kernel, only what is right. But many are a sum over each
row of products, or add a row to a matrix: a table of such formulas is searched for the one that
makes the right numbers, and for the one that made the wrong ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

MOST = 1 << 17  # elements of an input
FEW = 3  # results that must agree
MOST_TIMES = 64  # that a number is added
A, B = "input 1", "input 2"
Named = tuple[str, torch.Tensor]
PLACE = re.compile(r"\[[^\]]*\]")  # of an element that is read


def terms(m: Mismatch) -> str | None:
    """Test whether what is right, and what came out, are two formulas of the two inputs."""
    if m.reference is not None or len(m.inputs) != 2 or m.got.dtype is torch.bool:
        return None
    is_float = m.got.dtype.is_floating_point
    if any(x.numel() > MOST or x.is_floating_point() != is_float for x in m.inputs):
        return None
    if len(m.expected.unique()) < min(FEW, m.got.numel()) or not _tells(m):
        return None
    if not bool((m.got != 0).any()):  # roots and limits of many formulas are that
        return None
    right, made = [], []
    for words, values in _formulas(m):
        if values.numel() != m.got.numel():
            continue
        if _are(m, m.expected, values):
            right.append(words)
        if _are(m, m.got.double(), values):
            made.append(words)
    if not right or not made or set(right) & set(made):
        return None
    whose = "the result is" if m.got.numel() == 1 else "each result is"
    why = "is the formula another one?"
    if place := _other_place(made[0], right[0]):
        why = f"is the index of {place} another one, so that each is counted for another?"
    return f"{whose} {made[0]}, not {right[0]}: {why}"


def _other_place(made: str, right: str) -> str:
    """Return which input is read at another index in one formula than in the other, or ""."""
    if PLACE.sub("", made) != PLACE.sub("", right):
        return ""
    one, other = (re.findall(rf"({A}|{B})(\[[^\]]*\])", words) for words in (made, right))
    return next((a[0] for a, b in zip(one, other, strict=True) if a != b), "")


def _tells(m: Mismatch) -> bool:
    """Test whether there are enough numbers: one formula may be another's of a few."""
    most = max(x.numel() for x in m.inputs)
    if m.got.numel() >= most:
        return m.got.numel() > SEVERAL
    return most // m.got.numel() > SEVERAL and (m.got.numel() == 1 or m.got.numel() >= FEW)


def _are(m: Mismatch, numbers: torch.Tensor, values: torch.Tensor) -> bool:
    """Test whether numbers are values, but for what rounding on the way may amount to."""
    values = values.reshape(-1)
    if not bool(values.isfinite().all()) or not bool(numbers.isfinite().all()):
        return False
    limit = rounding_error(m) * (values.abs() + values.abs().median())
    return bool(((numbers - values).abs() <= limit).all())


def _formulas(m: Mismatch) -> Iterator[Named]:
    """Yield formulas of the inputs a and b, with an element a row, or one an element."""
    a, b = (x.double() for x in m.inputs)
    shape, whole = m.shape, " over a row"
    if m.got.numel() == 1 and a.shape == b.shape:
        a, b, whole = a.reshape(1, -1), b.reshape(1, -1), ""
    if a.dim() == 2 and m.got.numel() == len(a):
        if b.shape not in (a.shape, a.shape[1:]):
            return
        yield from _of_rows(a, b.expand_as(a), whole)
    elif len(shape) == 2 and a.dim() <= 2 and b.dim() <= 2:
        yield from _of_elements(a, b, shape)


def _of_rows(a: torch.Tensor, b: torch.Tensor, whole: str) -> Iterator[Named]:
    """Yield formulas of each row of a and b, both [m, n]; whole: what of, in words."""
    total = b.sum(1)
    for words, term in _two(a, b):
        for name, of in (
            ("the sum of {}", term.sum(1)),
            ("the root of the sum of {}", term.sum(1).clamp(min=0).sqrt()),
            ("the largest {}", term.amax(1)),
            ("the smallest {}", term.amin(1)),
        ):
            name = name.format(words) + whole
            yield name, of
            if "the sum" in name:
                yield f"{name}, divided by n", of / a.shape[1]
                yield f"{name}, divided by the sum of {B}", of / total


def _two(a: torch.Tensor, b: torch.Tensor) -> Iterator[Named]:
    """Yield what two numbers may make."""
    for words, other in _instead(b):
        yield f"{A} * {words}", a * other
        yield f"{A} + {words}", a + other
        yield f"{A} - {words}", a - other
    yield A, a
    yield B, b
    yield f"{B} - {A}", b - a
    yield f"{A} * {A}", a * a
    yield f"{B} * {B}", b * b
    yield f"({A} - {B}) * ({A} - {B})", (a - b).square()
    yield f"|{A} - {B}|", (a - b).abs()
    yield f"|{A} * {B}|", (a * b).abs()
    yield f"|{A}| * {B}", a.abs() * b
    yield f"{A} * {B} * {B}", a * b * b
    yield f"{A} * {A} * {B}", a * a * b
    yield f"{A} / {B}", a / b


def _instead(b: torch.Tensor) -> Iterator[Named]:
    """Yield b, and what is read in its place."""
    last = b.dim() - 1
    yield B, b
    yield f"|{B}|", b.abs()
    yield f"{B} at index i + 1", b.roll(-1, last)
    yield f"{B} at index i - 1", b.roll(1, last)
    yield f"{B} at index 0", b.narrow(last, 0, 1).expand_as(b)
    yield f"{B} at index n - 1 - i", b.flip(last)


def _of_elements(a: torch.Tensor, b: torch.Tensor, shape: tuple[int, ...]) -> Iterator[Named]:
    """Yield formulas of each element of a matrix, of a row or a column beside it."""
    for first, a_all in _expanded(A, a, shape):
        for second, b_all in _expanded(B, b, shape):
            for sign, made in (
                ("+", a_all + b_all),
                ("-", a_all - b_all),
                ("*", a_all * b_all),
                ("/", a_all / b_all),
            ):
                yield f"{first} {sign} {second}", made
                yield f"the larger of {first} {sign} {second} and 0", made.clamp(min=0)
                if sign in "+-":
                    cut = a_all.clamp(min=0)
                    cut = cut + b_all if sign == "+" else cut - b_all
                    yield f"the larger of {first} and 0, {sign} {second}", cut
        yield first, a_all
        yield f"the larger of {first} and 0", a_all.clamp(min=0)


def _expanded(name: str, x: torch.Tensor, shape: tuple[int, ...]) -> Iterator[Named]:
    """Yield x in the output's shape [m, n]: a matrix, one of each row or of each column."""
    m, n = shape
    if tuple(x.shape) == tuple(shape):
        yield name, x
        return
    if x.dim() != 1:
        return
    rows, columns = torch.arange(m)[:, None], torch.arange(n)
    if x.numel() == n:
        yield f"{name}[column]", x[columns].expand(m, n)
    if x.numel() == m:
        yield f"{name}[row]", x[rows].expand(m, n)
    if x.numel() not in (m, n):
        return
    k = x.numel()
    flat = torch.arange(m * n).reshape(m, n)
    for words, index in (
        ("0", torch.zeros(m, n, dtype=torch.long)),
        ("row", rows % k),
        ("column", columns % k),
        ("column % m", columns % m % k),
        ("row % n", rows % n % k),
        ("(row * n + column) % m", flat % m % k),
        ("(row * n + column) % n", flat % n % k),
        ("column + 1", (columns + 1) % k),
        ("row + 1", (rows + 1) % k),
    ):
        yield f"{name}[{words}]", x[index.expand(m, n)]


def added_often(m: Mismatch) -> str | None:
    """For a matrix: test whether a row or a column beside it is added more than once.

    Or not at all, to some results. Those that are 0, of a limit, say, tell nothing.
    """
    if m.reference is not None or len(m.shape) != 2 or not m.got.dtype.is_floating_point:
        return None
    got, right = (x.double().reshape(m.shape) for x in (m.got, m.expected))
    told = m.wrong.reshape(m.shape) & (got != 0) & (right != 0)
    enough = max(SEVERAL, int(m.wrong.sum()) // 2)
    if int(told.sum()) < enough or len(right[told].unique()) < FEW:
        return None
    if not bool((got.isfinite() & right.isfinite())[told].all()):
        return None
    limit = (rounding_error(m) * (got.abs() + right.abs()))[told]
    for place, x in enumerate(m.inputs, 1):
        for beside, all_of_it in _beside(x.double(), m.shape):
            off, of_input = (got - right)[told], all_of_it[told]
            if not bool((of_input != 0).all()) or not bool(of_input.isfinite().all()):
                continue
            more = round(float((off / of_input).median()))
            if not bool(((off - more * of_input).abs() <= limit).all()):
                continue
            if more == -1 and not bool(m.wrong.all()):
                return (
                    f"each wrong result lacks input {place}, one number a {beside}: is it left "
                    "out there, as of all but one of the results that a thread makes?"
                )
            if 1 <= more <= MOST_TIMES:
                return (
                    f"input {place}, one number a {beside}, is added {more + 1} times to the "
                    "results that are not 0: more than once, as for each tile of a sum?"
                )
    return None


def _beside(x: torch.Tensor, shape: tuple[int, ...]) -> Iterator[Named]:
    """Yield a row or a column in the shape of the matrix beside which it lies."""
    if x.dim() == 1 and x.numel() == shape[1]:
        yield "column", x.expand(shape)
    if x.dim() == 1 and x.numel() == shape[0]:
        yield "row", x[:, None].expand(shape)


def gathered(m: Mismatch) -> str | None:
    """For out[i] = x[index[i]]: say what else is read."""
    numbers = [x for x in m.inputs if x.is_floating_point()]
    places = [x for x in m.inputs if not x.is_floating_point() and x.dtype is not torch.bool]
    if m.reference is not None or len(numbers) != 1 or len(places) != 1:
        return None
    x, index = numbers[0].reshape(-1).double(), places[0].reshape(-1).long()
    if numbers[0].dim() != 1 or index.numel() != m.got.numel() or len(index) < SEVERAL:
        return None
    if bool((index < 0).any()) or bool((index >= len(x)).any()):
        return None
    if not torch.equal(x[index], m.expected):
        return None
    i, n = torch.arange(len(index)), len(x)
    for words, other in (
        ("x[i], with no use of the index", i),
        ("x[index[i] + 1]", index + 1),
        ("x[index[i] - 1]", index - 1),
        ("x[n - 1 - index[i]], from the end", n - 1 - index),
        ("x[index[i + 1]]", index.roll(-1)),
        ("x[index[i - 1]]", index.roll(1)),
        ("x[index[0]], for all", index[:1].expand_as(index)),
        ("x[index[n - 1 - i]]", index.flip(0)),
        *((f"x[index[i % {k}]], of {k} threads", index[i % k]) for k in (32, 64, 128, 256)),
        *(
            (f"x[index[i] % 2^{bits}], as in a type that is too narrow", index % (1 << bits))
            for bits in (7, 8, 15, 16)
        ),
        ("x[index[index[i]]]", index[index % len(index)]),
    ):
        if torch.equal(x[other % n], m.got.double()):
            return (
                f"each element is {words}, not x[index[i]]: is the formula of the index wrong?"
            )
    return None
