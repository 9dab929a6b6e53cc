"""Recognise results with another number of a vector than their own: another row's scale, say.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

SIDES = ("row", "column")
LEAST = 3  # results that must tell the same, and numbers of a vector
MOST = 1 << 17  # elements of an output
MOST_BY_CHANCE = 1 / 4  # of the elements, made with some number as another element is
PARTS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)  # of a warp or a block
FAR, MOST_FAR = 4, 0.5  # times what rounding may do: of so many of the wrong elements
MOST_REPEATED = 64  # numbers, of which one may fit by chance
OF_TWO = (torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum)


def of_another_place(m: Mismatch) -> str | None:
    """Test whether a number of each row or column, a factor or an addend, is another's."""
    if m.reference is not None or len(m.inputs) < 2 or not 1 <= len(m.shape) <= 2:
        return None
    if not LEAST <= m.got.numel() <= MOST or not m.got.is_floating_point():
        return None
    if not bool(m.got.isfinite().all()) or not bool(m.expected.isfinite().all()):
        return None
    for k, x in enumerate(m.inputs, 1):
        s = x.double()
        if s.dim() != 1 or len(s.unique()) < LEAST or not bool(s.isfinite().all()):
            continue
        for axis in range(len(m.shape)):
            if m.shape[axis] == len(s) and (sentence := _of_axis(m, k, s, axis)):
                return sentence
    return None


def of_a_repeated_input(m: Mismatch) -> str | None:
    """Test whether an operator of two takes another number of an input that is repeated.

    One input has an element for each of the output's, the other a few, of which the first
    follows the last.
    """
    n, got = m.got.numel(), m.got.double()[m.wrong]
    if m.reference is not None or len(m.inputs) != 2 or len(m.shape) > 1:
        return None
    if int(m.wrong.sum()) < LEAST or n > MOST:
        return None
    for k, (few, x) in enumerate(itertools.permutations(m.inputs), 1):
        count = few.numel()
        if x.numel() != n or few.dim() > 1 or not LEAST <= count <= min(MOST_REPEATED, n - 1):
            continue
        each, few = x.reshape(-1).double(), few.double()
        own = few.repeat(n // count + 1)[:n]
        for operator in OF_TWO:
            right = operator(each, own) if k == 2 else operator(own, each)
            limit = rounding_error(m) * (right.abs() + each.abs())
            if not bool(((right - m.expected).abs() <= limit).all()):
                continue
            some = each[m.wrong, None]
            made = operator(some, few) if k == 2 else operator(few, some)
            if bool(((made - got[:, None]).abs() <= limit[m.wrong, None]).any(dim=1).all()):
                return (
                    f"each wrong element is made with another element of input {k}, which has "
                    f"{count:,} and is repeated, than number i % {count:,}: what becomes of "
                    "its index at the end, where a step goes past it?"
                )
    return None


def of_another_number(m: Mismatch) -> str | None:
    """Test whether wrong elements are made with another number of a vector than their own."""
    if m.reference is not None or not SEVERAL <= int(m.wrong.sum()) or m.got.numel() > MOST:
        return None
    wrong = m.wrong.nonzero().flatten()[:MOST_REPEATED]
    got, right = m.got.double()[wrong, None], m.expected[wrong, None]
    far = (got - right).abs() > FAR * rounding_error(m) * (got.abs() + right.abs())
    if float(far.double().mean()) < MOST_FAR:
        return None  # its own number may be rounded
    for (j, x), (k, s) in itertools.permutations(enumerate(m.inputs, 1), 2):
        if x.numel() != m.got.numel() or s.dim() != 1 or s.numel() >= x.numel():
            continue
        few = s.double().unique()
        if not LEAST <= len(few) <= MOST_REPEATED or not bool(few.isfinite().all()):
            continue
        own = x.reshape(-1).double()[wrong, None]
        for how, operator, neutral in (
            ("multiplied by", torch.mul, 1.0),
            ("added to", torch.add, 0.0),
        ):
            made = operator(own, few[few != neutral])  # which any number may be made with
            limit = rounding_error(m) * (made.abs() + own.abs())

            def fit(one: torch.Tensor, made=made, limit=limit) -> torch.Tensor:
                return ((made - one).abs() <= limit).any(dim=1)

            by_chance = float(fit(got.roll(1, dims=0)).double().mean())
            if by_chance < MOST_BY_CHANCE and bool((fit(got) & fit(right)).all()):
                return (
                    f"each wrong result is an element of input {j} {how} another element of "
                    f"input {k} than its own: is the index there made of another one, the "
                    "first of a block, say?"
                )
    return None


def _of_axis(m: Mismatch, k: int, s: torch.Tensor, axis: int) -> str | None:
    """Test whether one side of the output takes the numbers s of input k at other places."""
    indices = torch.meshgrid(*(torch.arange(n) for n in m.shape), indexing="ij")
    own = indices[axis].reshape(-1)
    side = SIDES[axis] if len(m.shape) > 1 else "result"
    beside = indices[1 - axis].reshape(-1) if len(m.shape) > 1 else None
    for words, place in _places(own, beside, len(s), side, SIDES[1 - axis]):
        for role, made, known in _made(m.expected, s[own], s[place]):
            if not _explains(m, made, known):
                continue
            i = int((m.wrong & known).nonzero()[0])
            return (
                f"number {int(place[i]):,} of input {k} {role} {side} {int(own[i]):,}, in the "
                f"place of number {int(own[i]):,}: is the index there {words}, so that each is "
                "counted for another?"
            )
    return None


def _places(
    own: torch.Tensor, beside: torch.Tensor | None, n: int, side: str, other: str
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield which of n numbers may be read in the place of the own one, in words."""
    yield "always 0", 0 * own
    if beside is not None and bool((beside < n).all()):
        yield f"the {other}'s in the place of the {side}'s", beside
    elif beside is not None:
        yield f"the {other}'s in the place of the {side}'s", beside % n
    if beside is not None:
        whole = torch.arange(len(own))
        yield f"the element's % {n}, not the {side}'s", whole % n
        if len(own) <= n * n:
            yield f"the element's / {n}, not the {side}'s", whole // n
    yield "one too small", (own - 1).clamp(min=0)
    yield "one too small", (own - 1) % n
    yield "one too large", (own + 1).clamp(max=n - 1)
    yield "one too large", (own + 1) % n
    for part in (part for part in PARTS if part < n):
        yield f"the {side}'s % {part}, as of a place in a warp or block", own % part
    for part in (part for part in PARTS if part < n):
        yield f"the {side}'s / {part}, as the number of a warp or block", own // part


def _made(
    right: torch.Tensor, own: torch.Tensor, other: torch.Tensor
) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    """Yield what another number makes: its role, the results, and which of them it tells.

    Where all that is below 0 is 0, that tells nothing of a number that is added.
    """
    tells = own != 0
    yield "multiplies", torch.where(tells, right / own * other, right), tells
    cut = bool((right >= 0).all()) and bool((right == 0).any())
    added = right - own + other
    yield "is added to", added.clamp(min=0) if cut else added, (right > 0) | (not cut)


def _explains(m: Mismatch, made: torch.Tensor, known: torch.Tensor) -> bool:
    """Test whether results came out so, several of them wrong and by different numbers."""
    got = m.got.double()
    limit = rounding_error(m) * (made.abs() + m.expected.abs())
    if not bool(((got - made).abs() <= limit)[known].all()):
        return False
    tells = known & m.wrong & ((made - m.expected).abs() > 8 * limit)
    off = (made - m.expected)[tells]
    return len(off.unique()) >= LEAST and 2 * len(off) >= int(m.wrong.sum())
