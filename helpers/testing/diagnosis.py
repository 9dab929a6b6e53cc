"""Guess from a wrong output, its reference and its inputs what went wrong."""

from __future__ import annotations

from collections.abc import Callable

import torch

from helpers.testing import wrong_numbers, wrong_places, wrong_rounding, wrong_values
from helpers.testing.mismatch import SEVERAL, SHORT, Diagnosis, Mismatch
from helpers.testing.references import same_bits

PATTERNS = (
    wrong_places.unwritten,
    wrong_places.copy,
    wrong_places.other_output,
    wrong_places.other_row,
    wrong_numbers.rows,
    wrong_places.constant,
    wrong_numbers.nan_of_a_sign,
    wrong_numbers.made_nan,
    wrong_numbers.nan_of_nothing,
    wrong_numbers.overflowed,
    wrong_places.other_operands,
    wrong_places.one_operand,
    wrong_rounding.direction,
    wrong_rounding.rounded_product,
    wrong_rounding.another_type,
    wrong_numbers.clamped,
    wrong_values.limited,
    wrong_numbers.special,
    wrong_places.neighbour,
    wrong_places.operand_neighbour,
    wrong_places.permuted,
    wrong_places.within_packs,
    wrong_values.off_by_input,
    wrong_places.from_column_on,
    wrong_places.ends_of_rows,
    wrong_places.one_of_every,
    wrong_numbers.whole_range,
    wrong_rounding.integers,
    wrong_rounding.one_beside,
    wrong_values.few_values,
    wrong_numbers.magnitude,
    wrong_numbers.half_line,
    wrong_numbers.bit,
    wrong_numbers.variances,
    wrong_numbers.factor,
    wrong_places.tail,
    wrong_places.from_on,
    wrong_places.suffix_sum,
    wrong_rounding.whole_numbers,
    wrong_rounding.precision,
    wrong_values.elsewhere,
    wrong_places.left_zero,
)  # the most telling first


LESS_SURE = (
    wrong_numbers.clamped,
    wrong_places.tail,
    wrong_places.copy,
    wrong_places.constant,
    wrong_places.ends_of_rows,
)
NANS = (wrong_numbers.made_nan, wrong_numbers.nan_of_nothing)


def diagnose(m: Mismatch) -> Diagnosis:
    """Return the first pattern that fits, else the number of wrong elements."""
    for pattern in PATTERNS:
        if sentence := pattern(m):
            return Diagnosis(
                sentence,
                written=_written(m),
                unordered=pattern is wrong_numbers.nan_of_nothing,
                doubt=_doubt(m, pattern),
                nearly=pattern is wrong_rounding.precision,
                zeros=pattern is wrong_places.left_zero,
                tail=pattern is wrong_places.suffix_sum,
            )
    count, n = int(m.wrong.sum()), m.got.numel()
    made_of_many = m.inputs and all(x.numel() != n for x in m.inputs)
    sentence = f"{count:,} of {n:,} elements are wrong"
    share = 0.9 if m.got.dtype.is_floating_point else 0.75  # small integers are right by chance
    if (n > SHORT and count > share * n) or (count == n >= SEVERAL and made_of_many):
        sentence += ", nearly all: is the formula another one?"
    return Diagnosis(sentence, specific=False)


def _doubt(m: Mismatch, pattern: Callable) -> int:
    """Return how much a case of other sizes or numbers may tell more: see Diagnosis."""
    if pattern in LESS_SURE:
        return 1
    if pattern in NANS and m.got.numel() <= SHORT:
        return int(len(m.like_output) == 1)  # of which sign its inputs are, a larger one tells
    if pattern is wrong_rounding.precision:
        return int(int(m.wrong.sum()) < SEVERAL and bool(m.like_output))
    if pattern is not wrong_places.unwritten:
        return 0
    left = m.got.numel() - _written(m)
    if left < m.got.numel():
        return 1 if left <= wrong_places.LONGEST_TAIL else 0
    return 2 if left <= SHORT else 0


def _written(m: Mismatch) -> int:
    """Count the elements before those that were never written, if they are right."""
    where = m.wrong.nonzero().flatten()
    alone = torch.equal(same_bits(m.got, m.poison) & m.wrong, m.wrong)
    return int(where[0]) if alone and len(where) == m.got.numel() - int(where[0]) else 0
