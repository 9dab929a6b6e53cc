"""Hold a wrong output beside what is right, and the clause that says what looks wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from helpers.testing.references import bits, rounded, ulp_distance

SHORT = 32  # elements; of fewer the place of a wrong one says little
TINY = 1e-30  # what a search may start with in the place of 0, as FLT_MIN
SEVERAL = 8  # elements that must agree on a pattern
WIDE_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
ROUNDING = {2: 8, 4: 64, 8: 4096}  # by bytes: what a formula may add up, in units of eps


@dataclass(frozen=True)
class Diagnosis:
    """What looks wrong, in a clause for the learner.

    specific: False for the fallback, where no pattern was recognised. written: how many
    elements are right, if nothing is written behind them. unordered: it may be a race. doubt:
    0 if other cases tell no more; 1 if it rests on few elements, or on infinities; 2 if only
    the last few were not written; 3 if nothing was, in a small case. nearly: the wrong
    elements are right but for their last bits. zeros: every wrong element is 0. tail: one
    number is off by its last elements. wrong: how many elements are. formula: it says that the
    operator's formula is another one. numbers: it says of which numbers the wrong elements
    are. recurs: other cases must tell the same. ends: only elements beside the ends are wrong,
    those from a column on, or one of so many that are made of rows, as where something is read
    beyond them. special: it says that only special values are wrong. rows: rows of a matrix
    are off, each by a factor or a number of its own. direction: integers are rounded in another
    direction. unwritten: some were never written. garbage: numbers came out where 0 or others
    should, as of memory that nobody has set. constant: all elements came out as one number.
    made_nan: NaN came out of numbers of a certain size. depends: it only says that other
    numbers came out right. loses_digits: a sum, or something else, has too few digits.
    overflows: infinity came out of numbers of a certain size. copied: the output is a copy of
    an input. lanes: only one of so many elements is wrong. columns: as rows, of columns.
    """

    sentence: str
    specific: bool = True
    written: int = 0
    unordered: bool = False
    doubt: int = 0
    nearly: bool = False
    zeros: bool = False
    tail: bool = False
    wrong: int = 0
    formula: bool = False
    numbers: bool = False
    recurs: bool = False
    ends: bool = False
    special: bool = False
    rows: bool = False
    direction: bool = False
    unwritten: bool = False
    garbage: bool = False
    constant: bool = False
    made_nan: bool = False
    depends: bool = False
    loses_digits: bool = False
    overflows: bool = False
    copied: bool = False
    lanes: bool = False
    columns: bool = False


@dataclass(frozen=True)
class Mismatch:
    """A wrong output: got, expected (float64) and wrong (bool) are CPU tensors [n].

    At least one element is wrong. inputs: of any shape. poison: the bits that the output was
    filled with before the call. reference: a function of the float64 inputs, or None if it is
    not known. shape: of the output, which may be a matrix. others: what is right in the other
    outputs, float64, flat.
    """

    got: torch.Tensor
    expected: torch.Tensor
    wrong: torch.Tensor
    inputs: Sequence[torch.Tensor] = ()
    poison: int = 0
    reference: Callable[..., torch.Tensor] | None = None
    shape: tuple[int, ...] = ()
    others: Sequence[torch.Tensor] = ()

    @property
    def like_output(self) -> list[torch.Tensor]:
        """The inputs that have the output's shape."""
        return [x for x in self.inputs if x.shape == self.got.shape]

    @property
    def elementwise(self) -> bool:
        """Whether an input has as many elements as the output."""
        return any(x.numel() == self.got.numel() for x in self.inputs)


def of_columns(sentence: str) -> str:
    """Return what a sentence says of rows, said of columns."""
    return re.sub(r"\brow(s?)\b(?! and columns)", r"column\1", sentence)


def widened(m: Mismatch) -> Mismatch:
    """Return a mismatch with float16 in the place of float8, which holds all its numbers.

    And with int64 in the place of inputs of the wide unsigned types. PyTorch compares no
    numbers of either, and has no such questions as isnan for float8.
    """

    def wide(x: torch.Tensor) -> torch.Tensor:
        return x.half() if x.is_floating_point() and x.element_size() == 1 else x

    inputs = tuple(x.long() if x.dtype in WIDE_UNSIGNED else wide(x) for x in m.inputs)
    got = wide(m.got)
    if got is m.got:
        return replace(m, inputs=inputs)
    before = torch.full((1,), m.poison, dtype=torch.uint8).view(m.got.dtype)
    return replace(
        m,
        got=got,
        expected=rounded(m.expected, m.got.dtype).double(),
        inputs=inputs,
        poison=int(bits(wide(before))),
    )


# Where NaN should come out of a number.
NO_SUCH = (
    "is an input limited on the way (fmaxf and fminf drop NaN, too), of which there is no such "
    "root, logarithm or power?"
)


def describe(value: torch.Tensor) -> str:
    """Format one element for an error message."""
    return f"{value.item():.8g}" if value.dtype.is_floating_point else str(value.item())


def same(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Compare after rounding to the dtype of `got`; NaN equals NaN."""
    return bool((ulp_distance(got, expected) == 0).all())


def are_among(results: torch.Tensor, numbers: torch.Tensor) -> bool:
    """Test whether each result is one of the numbers."""
    return bool(torch.isin(results.double(), numbers.double()).all())


def are_chosen(results: torch.Tensor, numbers: torch.Tensor) -> bool:
    """Test whether each result is one of a larger number of numbers, as a maximum is."""
    return results.numel() < numbers.numel() and are_among(results, numbers)


def only_moves(m: Mismatch) -> bool:
    """Test whether the only input's numbers come out, all of them, at other places."""
    if len(m.inputs) != 1 or m.inputs[0].numel() != m.got.numel():
        return False
    right = rounded(m.expected, m.got.dtype)
    went_in, come_out = (x.double().reshape(-1).sort().values for x in (m.inputs[0], right))
    return torch.equal(went_in, come_out)


def only_chooses(m: Mismatch) -> bool:
    """Test whether each result is the size of a number of the only input, as of a maximum.

    Of an operator that may be so by chance, for large numbers, and of a softmax, whose results
    are up to 1.
    """
    if m.reference is not None or len(m.inputs) != 1 or not m.inputs[0].numel():
        return False
    sizes, size = m.inputs[0].double().abs(), m.expected.abs()
    return bool((size > 1).any()) and are_among(size, sizes)


def rounding_error(m: Mismatch) -> float:
    """Return what the rounding of a formula may amount to, relative to its numbers."""
    if not m.got.dtype.is_floating_point:
        return 0.0
    return ROUNDING.get(m.got.element_size(), 0) * torch.finfo(m.got.dtype).eps


def fits(m: Mismatch, other: torch.Tensor | None, part: slice = slice(None)) -> bool:
    """Test whether the float64 `other` [n] explains each element, where the right one does not.

    part: the elements that count. Numbers need not agree in their last bits, as a formula is
    rounded on its way; half of the wrong ones must be off by more than that.
    """
    if other is None:
        return False
    other, got = rounded(other[part], m.got.dtype).double(), m.got[part].double()
    right, wrong = m.expected[part], m.wrong[part]
    alike = (got == other) | (got.isnan() & other.isnan())
    numbers = right[right.isfinite()].abs()
    if not len(numbers) or not bool((alike | other.isfinite()).all()):
        return False
    limit = rounding_error(m) * (other.abs() + numbers.median())
    if not bool((alike | ((got - other).abs() <= limit)).all()):
        return False
    tells = wrong & ~(((right - other).abs() <= 8 * limit) | ~other.isfinite())
    several = len(other[tells].unique()) >= SEVERAL
    return several and 2 * int(tells.sum()) >= int(wrong.sum())
