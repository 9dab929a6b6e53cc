"""The patterns are tried in order; where none fits, the wrong elements are counted."""

import torch

from helpers.testing import diagnosis
from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import Diagnosis
from tests.testing.mismatches import mismatch


def test_the_fallback_counts_the_wrong_elements():
    got = torch.tensor([5.0, 2.0, 7.0, 9.0] * 1000)
    expected = torch.tensor([1.0, 2.0, 3.0, 9.0] * 1000)
    answer = diagnose(mismatch(got, expected))
    assert answer == Diagnosis("2,000 of 4,000 elements are wrong", specific=False)


def test_patterns_are_tried_from_the_most_to_the_least_telling():
    named = [f"{p.__module__.rpartition('.')[2]}.{p.__name__}" for p in diagnosis.PATTERNS]
    assert named == [
        "wrong_places.unwritten",
        "wrong_places.copy",
        "wrong_places.other_row",
        "wrong_numbers.rows",
        "wrong_places.constant",
        "wrong_numbers.made_nan",
        "wrong_places.other_operands",
        "wrong_places.one_operand",
        "wrong_numbers.clamped",
        "wrong_numbers.special",
        "wrong_places.neighbour",
        "wrong_places.operand_neighbour",
        "wrong_places.permuted",
        "wrong_places.one_of_every",
        "wrong_numbers.whole_range",
        "wrong_numbers.magnitude",
        "wrong_numbers.half_line",
        "wrong_numbers.factor",
        "wrong_places.tail",
        "wrong_places.suffix_sum",
        "wrong_numbers.whole_numbers",
        "wrong_numbers.precision",
    ]
