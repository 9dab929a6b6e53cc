"""Sums that are added up in 16 bits."""

import pytest
import torch

from helpers.testing import wrong_sums
from tests.testing.mismatches import mismatch


def added(x, dtype, lanes):
    return wrong_sums._added(x, dtype, lanes)[0]


@pytest.mark.parametrize(("dtype", "held"), [(torch.float16, "2,048"), (torch.bfloat16, "256")])
@pytest.mark.parametrize("lanes", [1, 32, 256])
def test_an_accumulator_of_16_bits_is_named(dtype, held, lanes):
    x = torch.rand(4, 6000, generator=torch.Generator().manual_seed(1)) + 1
    got, name = added(x, dtype, lanes), str(dtype).removeprefix("torch.")
    told = wrong_sums.in_half(mismatch(got, x.double().sum(1), x, shape=(4,)))
    assert told.startswith(f"each sum is what comes out if it is added up in {name}: ")
    assert f"only up to {held}," in told
    told = wrong_sums.in_half(mismatch(got.float(), x.double().sum(1), x, shape=(4,)))
    assert "is added up in " in told


def test_equal_numbers_stop_at_a_limit():
    x = torch.ones(2, 5000).half()
    m = mismatch(torch.full((2,), 4096.0).half(), x.double().sum(1), x, shape=(2,))
    assert "in float16: " in wrong_sums.in_half(m)  # two threads
    x = torch.ones(2, 300_000).bfloat16()  # too many to be added up one by one
    m = mismatch(torch.full((2,), 256.0), x.double().sum(1), x, shape=(2,))
    assert "in bfloat16 (it stops at 256): " in wrong_sums.in_half(m)


def test_another_sum_is_not_named_so():
    x = torch.rand(4, 600, generator=torch.Generator().manual_seed(1))
    right = x.double().sum(1)
    for got in (right.float() + 1, x[:, 1:].sum(1), x.float().amax(1)):
        assert wrong_sums.in_half(mismatch(got, right, x, shape=(4,))) is None
    assert wrong_sums.in_half(mismatch(x.sum(1) + 1, x.double().amax(1), x, shape=(4,))) is None


def test_the_accumulator_may_be_of_the_other_type():
    x = torch.ones(3, 4000).half()
    m = mismatch(torch.full((3,), 256.0).half(), x.double().sum(1), x, shape=(3,))
    assert "is added up in bfloat16: " in wrong_sums.in_half(m)


def test_one_sum_that_is_little_off_tells_nothing():
    x = torch.rand(1, 600, generator=torch.Generator().manual_seed(1))
    m = mismatch(added(x, torch.bfloat16, 32).float(), x.double().sum(1), x, shape=(1,))
    assert wrong_sums.in_half(m) is None
