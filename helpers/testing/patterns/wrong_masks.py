"""Recognise a softmax of which other elements are masked, or whose rows have too many elements.

Each function takes a Mismatch and returns a clause for the learner, or None. What is named
explains every element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch
from helpers.testing.patterns.wrong_softmax import scale_of

CLOSE = 1e-5  # of what is right, which is computed in float64
NEAR = 2e-4  # relative, of what came out, unless its type is less precise
LEAST_ROWS = 2
MOST_ADDED = 1 << 12  # elements that a row may have too many
WHOLE = 0.05  # how near to a whole number an estimate of theirs must be
WHERE_STORED = "where results are stored, and not in the sums, the mask is another one"
IN_THE_SUMS = "in the sums, and not where results are stored, the mask is another one"
LEAST_LARGER = 12.0  # of which the power, exp(-12), is nearly 0 in a half
LARGEST = 600.0  # a score of which the power is finite


@dataclass(frozen=True)
class _Scores:
    """The rows of a softmax [m, n], float64: scores, which are masked, what is right, and got.

    Of a logarithm of softmax, its powers. zeros: a row of none but masked elements is 0.
    """

    scores: torch.Tensor
    masked: torch.Tensor
    right: torch.Tensor
    got: torch.Tensor
    limit: torch.Tensor
    zeros: bool = False

    def of(self, masked: torch.Tensor) -> torch.Tensor:
        """Return the softmax with other elements masked; a row of none but these is even."""
        made = torch.where(masked, -torch.inf, self.scores).softmax(dim=1)
        return made.nan_to_num(0.0 if self.zeros else 1 / made.shape[1])

    def of_two(self, stored: torch.Tensor, summed: torch.Tensor) -> torch.Tensor:
        """Return powers, of which others are masked where they are stored than in the sums."""
        seen = torch.where(self.masked, -torch.inf, self.scores)
        top = seen.amax(dim=1, keepdim=True).nan_to_num(0.0, 0.0, 0.0)
        powers = (self.scores - top).exp()
        sums = powers.masked_fill(summed, 0.0).sum(dim=1, keepdim=True)
        return (powers / sums).masked_fill(stored, 0.0)

    def came_out(self, made: torch.Tensor, rows: torch.Tensor) -> bool:
        """Test whether a softmax came out in some rows, and whether that tells it.

        What is 0 everywhere may come of a sum that is far too large.
        """
        near = (self.got - made).abs() <= self.limit * made + CLOSE
        near &= made.isfinite() | (self.got == made)
        off = (made - self.right).abs()
        tells = (off > 8 * (self.limit * self.right + CLOSE))[rows]
        several = int(tells.any(dim=1).sum()) >= LEAST_ROWS and int(tells.sum()) >= SEVERAL
        return several and bool(near[rows].all()) and bool(made[rows].any())


def _scores(m: Mismatch) -> _Scores | None:
    """Recognise the softmax of a float input, of which another input may mask elements.

    A mask of fewer rows is that of the first rows, of the next as many, and so on.
    """
    rows, n = _rows(m.shape)
    alike = [x for x in m.inputs if _rows(x.shape)[1] == n and _repeats(x, rows)]
    floats = [x for x in alike if x.is_floating_point() and tuple(x.shape) == tuple(m.shape)]
    if m.reference is not None or len(m.shape) < 2 or n < 2 or len(floats) != 1:
        return None
    if len(alike) != len(m.inputs) or len(alike) > 2 or not m.got.is_floating_point():
        return None
    x, right, got = (
        floats[0].double().reshape(rows, n),
        *(y.double().reshape(rows, n) for y in (m.expected, m.got)),
    )
    if not bool((right > 0).any()):
        right, got = right.exp(), got.exp()
    even, none = right == right[:, :1], (right == 0).all(dim=1)
    whole = none | ((right.sum(1) - 1).abs() <= CLOSE)
    if not bool(x.isfinite().all()) or bool(none.all()) or not bool(whole.all()):
        return None
    scores = scale_of(x, torch.where(even, 0.0, right)) * x
    limit = torch.tensor(max(NEAR, 2 * torch.finfo(m.got.dtype).eps))
    masks = [_repeated(y, rows, n) for y in alike if y is not floats[0]]
    mask = masks[0] if masks else torch.zeros(rows, n)
    for masked in (mask != 0, mask == 0):
        one = _Scores(scores, masked, right, got, limit, bool(none.any()))
        if bool(((one.of(masked) - right).abs() <= CLOSE).all()):
            return one
    return None


def _rows(shape: Sequence[int]) -> tuple[int, int]:
    """Return the rows of a tensor, over all dimensions but the last, and their elements."""
    return (math.prod(shape[:-1]), shape[-1]) if shape else (0, 0)


def _repeats(x: torch.Tensor, rows: int) -> bool:
    """Test whether the rows of a tensor are `rows`, or as many several times."""
    own = _rows(x.shape)[0]
    return own > 0 and rows % own == 0


def _repeated(x: torch.Tensor, rows: int, n: int) -> torch.Tensor:
    """Return a matrix [rows, n] of a tensor's rows, again and again."""
    return x.reshape(-1, n).repeat(rows // _rows(x.shape)[0], 1)


def other_mask(m: Mismatch) -> str | None:
    """For a softmax of masked elements: test whether others are masked, or none."""
    if len(m.inputs) != 2 or (one := _scores(m)) is None:
        return None
    all_rows = torch.ones(len(one.right), dtype=torch.bool)
    for words, masked in _others(one.masked):
        if one.came_out(one.of(masked), all_rows):
            return words
    return _as_a_number(one) or _maximum_of_all(one) or _in_one_step(one)


def _maximum_of_all(one: _Scores) -> str | None:
    """Test whether just the rows are 0, or NaN, in which what is masked is by far larger."""
    seen = ~one.masked.all(dim=1)
    top = torch.where(one.masked, -torch.inf, one.scores).amax(dim=1)
    larger = (one.scores.amax(dim=1) - top)[seen]
    off = (one.got - one.right).abs() > one.limit * one.right + CLOSE
    wrong = (off | one.got.isnan()).any(dim=1)[seen]
    nothing = ((one.got == 0) | one.got.isnan()).all(dim=1)[seen]
    if not bool(wrong.any()) or not bool(nothing[wrong].all()):
        return None
    least = float(larger[wrong].min())
    if least < LEAST_LARGER or bool((larger[~wrong] >= least).any()):
        return None
    came = "NaN came" if bool(one.got[seen][wrong].isnan().all()) else "nothing came"
    return (
        f"{came} out of the rows, and of no others, in which masked elements are larger than "
        f"all others, by {least:.0f} and more: is the maximum that is taken off that of "
        "all elements, masked ones too? Then the powers of the others are 0: mask elements "
        "there as well"
    )


def _in_one_step(one: _Scores) -> str | None:
    """Test whether others are masked only where results are stored, or only in the sums."""
    seen = ~one.masked.all(dim=1)
    for words, masked in _others(one.masked):
        if one.came_out(one.of_two(masked, one.masked), seen):
            return f"{WHERE_STORED}: {words}"
        late = not bool(masked.any()) and not one.zeros  # wrong_softmax.masked_late tells more
        if not late and one.came_out(one.of_two(one.masked, masked), seen):
            return f"{IN_THE_SUMS}: {words}"
    return None


def _as_a_number(one: _Scores) -> str | None:
    """Test whether each masked element counts as one finite score, the same in all rows."""
    top = torch.where(one.masked, 0.0, one.right).argmax(dim=1, keepdim=True)
    ratio = (one.got / one.got.gather(1, top)).log() + one.scores.gather(1, top)
    known = one.masked & ~one.masked.all(dim=1, keepdim=True) & ratio.isfinite()
    if int(known.sum()) < SEVERAL:
        return None
    score = float(ratio[known].median())
    made = torch.where(one.masked, score, one.scores).softmax(dim=1)
    if not one.came_out(made, torch.ones(len(made), dtype=torch.bool)):
        return None
    return (
        "masked elements, which should be 0, come out as if each held a score of "
        f"{round(score, 2) + 0.0:g}: is that number written in the place of a mask's, "
        "-INFINITY say? What is in a row may be less than that"
    )


def _others(masked: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what else may be masked, in words."""
    yield (
        "masked elements count and the others do not, the two are swapped: is the mask tested "
        "the other way round (is it 0, or is it not)?",
        ~masked,
    )
    yield (
        "this is the softmax of all elements, masked ones too: is the mask left out?",
        torch.zeros_like(masked),
    )
    where = "is the place at which its row begins (row * columns) left out of its index?"
    yield (
        f"each row is masked as row 0 must be, whose mask is counted for another row: {where}",
        masked[:1].expand_as(masked),
    )
    yield (
        "each row is masked as a whole, by its column 0, whose mask is counted for another: is "
        "the column left out of its index?",
        masked[:, :1].expand_as(masked),
    )
    yield (
        "row r is masked as a whole, by element r of the whole mask, which is counted for "
        "another: is its index the row alone, not row * columns + column?",
        masked.reshape(-1)[: len(masked), None].expand_as(masked),
    )
    index = "is its index another one?"
    for name, dim in (("row", 0), ("column", 1)):
        for by, side in ((-1, "behind"), (1, "before")):
            words = f"for each {name} the mask of another {name} is counted, the one {side} it"
            yield f"{words}: it is counted for another element, {index}", masked.roll(by, dim)
    yield (
        "the mask is read as if rows and columns were swapped: are they, in its index?",
        masked.reshape(masked.shape[::-1]).T,
    )


def added_zeros(m: Mismatch) -> str | None:
    """For a softmax: test whether some elements of 0 too many count in the sum of each row."""
    if (one := _scores(m)) is None:
        return None
    scores = torch.where(one.masked, -torch.inf, one.scores)
    seen = ~one.masked.all(dim=1)
    if int(seen.sum()) < LEAST_ROWS or float(scores.max()) > LARGEST:
        return None
    powers = scores.exp()
    sums = powers.sum(dim=1)
    top = one.right.argmax(dim=1, keepdim=True)
    made = (powers.gather(1, top) / one.got.gather(1, top))[:, 0]
    added = torch.where(seen & (sums > 0), made - sums, torch.nan)
    least = int(torch.where(added.isfinite(), sums, torch.inf).argmin())  # which tells most
    count = round(float(added[least])) if bool(added[least].isfinite()) else 0
    if not 1 <= count <= MOST_ADDED or abs(float(added[least]) - count) > WHOLE * count:
        return None
    if not one.came_out(powers / (sums + count)[:, None], seen):
        return None
    n = scores.shape[1]
    return (
        f"the sum of each row's powers is too large by {count:,}, as if {n + count:,} elements "
        f"counted, and not {n:,}, the rest as 0 (exp(0) is 1): do lanes or threads without an "
        "element start with 0? Let them start with -INFINITY, of which exp is 0"
    )
