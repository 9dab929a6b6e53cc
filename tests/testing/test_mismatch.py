"""A wrong output beside what is right: its inputs, its numbers in words."""

import math

import torch

from helpers.testing.mismatch import describe, same
from tests.testing.mismatches import mismatch


def test_one_element_is_formatted():
    assert describe(torch.tensor(0.1)) == "0.1"
    assert describe(torch.tensor(1 / 3, dtype=torch.float64)) == "0.33333333"
    assert describe(torch.tensor(-7)) == "-7"
    assert describe(torch.tensor(math.nan)) == "nan"


def test_inputs_of_the_output_s_shape_are_like_it():
    a, b, c = torch.zeros(3), torch.zeros(4), torch.zeros(1, 3)
    assert mismatch(torch.ones(3), torch.zeros(3), a, b, c).like_output == [a]


def test_numbers_are_the_same_after_rounding():
    third = torch.tensor([1 / 3, math.nan], dtype=torch.float64)
    assert same(third.float(), third) and not same(third.half().float(), third)
