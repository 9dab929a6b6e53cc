"""The numbers that an operator is tried on: special ones, ties, NaNs, random bits."""

import math

import pytest
import torch

from helpers.testing import values
from helpers.testing.references import bits
from helpers.testing.values import (
    bit_patterns,
    halfway_everywhere,
    halfway_values,
    nan_payloads,
    nans_and_zeros,
    random_bits,
    special_values,
)

INF = math.inf
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize(
    ("dtype", "tiny", "eps", "largest"),
    [
        (torch.float32, 2.0**-126, 2.0**-23, (2 - 2.0**-23) * 2.0**127),
        (torch.float16, 2.0**-14, 2.0**-10, 65504.0),
        (torch.bfloat16, 2.0**-126, 2.0**-7, (2 - 2.0**-7) * 2.0**127),
    ],
)
def test_the_special_values(dtype, tiny, eps, largest):
    least = tiny * eps
    some = special_values(dtype)
    assert some.shape == (18,) and some.dtype is dtype
    expected = [0, 0, 1, -1, 1 + eps, 0.5, 3, least, -least, tiny - least, least - tiny]
    expected += [tiny, -tiny, largest, -largest, INF, -INF]
    assert some.tolist()[:-1] == expected
    assert some[-1].isnan()
    assert some[:2].signbit().tolist() == [False, True]


def test_every_special_value_meets_every_other():
    a, b, c = values.pairs_of_specials([torch.float32, torch.float16, torch.float32])
    first, second = special_values(torch.float32), special_values(torch.float16)
    assert len(a) == len(b) == len(c) == 18 * 18
    for i in range(18):
        for j in range(18):
            at = 18 * i + j
            assert a[at].equal(first[i]) or first[i].isnan()
            assert b[at].equal(second[j]) or second[j].isnan()
            third = first[(i + j) % 18]
            assert c[at].equal(third) or third.isnan()


def test_there_are_no_special_values_of_whole_numbers():
    assert values.pairs_of_specials([torch.float32, torch.int32]) == ()
    assert values.pairs_of_specials([]) == ()
    assert halfway_values([torch.int32], torch.float32) == ()
    assert halfway_values([torch.float32], torch.int32) == ()
    assert halfway_values([], torch.float32) == ()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_sum_of_halfway_values_is_a_tie(dtype):
    a, b, c = halfway_values([dtype] * 3, dtype)
    assert len(a) == len(b) == len(c) == 600 and (c == 1).all()
    unit = torch.exp2(a.double().abs().log2().floor()) * torch.finfo(dtype).eps
    assert torch.equal(b.double(), unit / 2)
    assert (a.double() % unit == 0).all()  # a has no bits below its unit
    assert bool((a[::2] < 0).all()) and bool((a[1::2] > 0).all())
    assert 2.0**-6 <= a.double().abs().min() < 2.0**-5
    assert 2.0**6 < a.double().abs().max() < 2.0**7
    odd = (a.double() / unit) % 2 == 1
    assert 200 < int(odd.sum()) < 400  # a tie to even goes up as often as down


def test_a_cast_of_halfway_values_is_near_a_tie():
    (x,) = halfway_values([torch.float64], torch.float16)
    unit = torch.exp2(x.abs().log2().floor()) * 2.0**-10
    beside = (x.abs() / unit) % 1 - 0.5  # in units; the sign of x inverts it
    expected = [0, 2.0**-8, 2.0**-8, 2.0**-30, 2.0**-30]
    assert torch.allclose(beside.abs(), torch.tensor(expected).double().repeat(120), atol=1e-12)
    assert (beside != 0).sum() == 480 and (beside > 0).sum() == (beside < 0).sum()


def test_values_of_another_narrower_dtype_are_not_shifted():
    (same,) = halfway_values([torch.float16], torch.float16)
    (wider,) = halfway_values([torch.float16], torch.float32)
    assert not torch.equal(same, wider)
    assert same.dtype is wider.dtype is torch.float16


@pytest.mark.parametrize("dtype", FLOATS)
def test_ties_reach_every_exponent_of_the_output(dtype):
    wider = torch.float64 if dtype is torch.float32 else torch.float32
    if dtype is torch.float64:
        wider = dtype
    (x,) = halfway_everywhere([wider], dtype)
    info = torch.finfo(dtype)
    assert x.isfinite().all() and x.dtype is wider and len(x) % 20 == 0
    assert x.abs().max() >= info.max / 4
    assert x.abs().min() <= 2 * info.smallest_normal * info.eps
    exponents = x.double().abs().log2().floor().unique()
    assert exponents.diff().max() == 1
    assert bool((x > 0).any()) and bool((x < 0).any())


def test_ties_of_whole_numbers_do_not_exist():
    assert halfway_everywhere([torch.int32], torch.float32) == ()
    assert halfway_everywhere([torch.float32], torch.int32) == ()


@pytest.mark.parametrize("dtype", FLOATS)
def test_nans_differ_in_their_bits(dtype):
    some = nan_payloads(dtype)
    assert some.dtype is dtype and some.isnan().all()
    patterns = bits(some).tolist()
    assert len(set(patterns)) == 8 and sum(pattern < 0 for pattern in patterns) == 4
    quiet = 1 << (round(-math.log2(torch.finfo(dtype).eps)) - 1)
    assert sum(pattern & quiet != 0 for pattern in patterns) == 6  # two signal


def test_a_nan_meets_zeros_and_ones_in_every_input():
    a, b = nans_and_zeros([torch.float32, torch.float16])
    assert len(a) == len(b) == 64
    assert a[:32].isnan().all() and b[32:].isnan().all()
    assert set(b[:32].tolist()) == {0.0, 1.0, -1.0} and b[8:16].signbit().all()
    assert nans_and_zeros([torch.int32]) == () and nans_and_zeros([]) == ()


def test_random_bits_reach_the_whole_range():
    generator = torch.Generator().manual_seed(1)
    assert random_bits(99, torch.bool, generator).unique().tolist() == [False, True]
    long = random_bits(999, torch.int64, generator)
    assert 1 << 50 < long.abs().max() <= 1 << 51
    assert random_bits(999, torch.uint8, generator).unique().numel() > 200
    assert random_bits(999, torch.float32, generator).isnan().any()


def test_bit_patterns_leave_out_what_is_not_defined():
    (x,) = bit_patterns([torch.float32], [torch.int32], lambda x: x, False)
    assert x.isfinite().all() and x.abs().max() < 2**31 and len(x) == 4099
    a, b = bit_patterns([torch.int32] * 2, [torch.int32], lambda a, b: a * b, False)
    assert (a.double() * b.double()).abs().max() < 2.0**53
    (x,) = bit_patterns([torch.float32], [torch.float32], lambda x: x / 4, True)
    assert ((x / 4).abs() >= 2.0**-126).logical_or(x == 0).logical_or(x.isnan()).all()
    (x,) = bit_patterns([torch.float32], [torch.float32], lambda x: x, False)
    assert (x.abs() < 2.0**-126).any() and x.isnan().any()
    assert bit_patterns([], [torch.float32], lambda: torch.zeros(4099).double(), False) == ()
