"""A wrong output beside what is right: its inputs, its numbers in words."""

import math

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import (
    SEVERAL,
    SHORT,
    Diagnosis,
    Mismatch,
    describe,
    only_chooses,
    only_moves,
    same,
    widened,
)
from helpers.testing.patterns import wrong_numbers
from helpers.testing.references import same_bits
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


def test_what_a_diagnosis_and_a_mismatch_leave_open():
    plain = Diagnosis("wrong")
    assert (plain.specific, plain.written, plain.unordered) == (True, 0, False)
    assert plain.doubt == 0
    bare = Mismatch(torch.ones(1), torch.zeros(1).double(), torch.tensor([True]))
    assert (bare.inputs, bare.poison, bare.reference, bare.shape) == ((), 0, None, ())
    assert bare.like_output == []


@pytest.mark.parametrize(("n", "seen"), [(32, False), (33, True)])
def test_up_to_32_elements_are_short(n, seen):
    """Nearly all wrong: of a short output that says little about the formula."""
    expected = torch.arange(1, n + 1).double()
    got = (expected.square() + torch.arange(n) % 7 + 40).float()
    assert ("nearly all" in diagnose(mismatch(got, expected)).sentence) == seen
    assert SHORT == 32


@pytest.mark.parametrize(("n", "seen"), [(7, False), (8, True)])
def test_8_elements_make_a_pattern(n, seen):
    exact = torch.arange(1.0, n + 1).double()
    assert bool(wrong_numbers.factor(mismatch(3 * exact.float(), exact))) == seen
    assert SEVERAL == 8


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_float8_is_compared_in_float16(dtype):
    got = torch.tensor([1.0, 2.0, 208.0]).to(dtype)
    got.view(torch.uint8)[2] = 0x5A
    right, wrong = torch.tensor([1.0, 3.3, 3.0]).double(), torch.tensor([False, True, True])
    m = widened(Mismatch(got, right, wrong, (got, torch.tensor([1, 2, 3])), 0x5A))
    assert m.got.dtype is m.inputs[0].dtype is torch.float16
    assert m.inputs[1].dtype is torch.int64
    assert m.got[:2].tolist() == [1.0, 2.0] and m.expected.tolist()[1] in (3.25, 3.5)
    assert same_bits(m.got, m.poison).tolist() == [False, False, True]
    plain = Mismatch(torch.ones(2), torch.zeros(2).double(), torch.ones(2).bool(), (), 7)
    assert widened(plain).got is plain.got and widened(plain).poison == 7


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.uint8])
def test_what_is_made_of_the_numbers_as_they_are(dtype):
    x = torch.tensor([[3, 1, 7], [2, 9, 1]]).to(dtype)
    turned = mismatch(torch.zeros(6, dtype=dtype), x.T.flatten(), x)
    largest = mismatch(torch.zeros(2, dtype=dtype), x.amax(1), x)
    sums = mismatch(torch.zeros(2, dtype=dtype), x.sum(1), x)
    assert [only_moves(m) for m in (turned, largest, sums)] == [True, False, False]
    assert [only_chooses(m) for m in (turned, largest, sums)] == [True, True, False]
    softmax = mismatch(torch.zeros(2, dtype=dtype), [1.0, 1.0], x)
    assert not only_chooses(softmax)
    empty = mismatch(torch.zeros(1, dtype=dtype), [1.0], x[:0])
    assert not only_moves(empty) and not only_chooses(empty)
