"""References are rounded once, and distances are exact counts of representable numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.testing import references
from helpers.testing.references import (
    REFERENCES,
    in_float64,
    largest_ulp,
    multiply_add,
    rounded,
    ulp_distance,
)

INF, NAN = math.inf, math.nan


def nearest(exact: Fraction, dtype: torch.dtype) -> float:
    """Round `exact` to the nearest number of `dtype`, a tie to even."""
    info = torch.finfo(dtype)
    digits, lowest = round(-math.log2(info.eps)), math.log2(info.smallest_normal)
    exponent = max(math.floor(math.log2(abs(exact))) if exact else lowest, lowest)
    unit = Fraction(2) ** int(exponent - digits)
    return float(round(exact / unit) * unit)  # Python rounds a half to even


def doubles(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


# ---- bits


@pytest.mark.parametrize(
    ("dtype", "integer"),
    [
        (torch.int8, torch.int8),
        (torch.bool, torch.int8),
        (torch.float16, torch.int16),
        (torch.bfloat16, torch.int16),
        (torch.float32, torch.int32),
        (torch.float64, torch.int64),
        (torch.int64, torch.int64),
    ],
)
def test_bits_have_the_width_of_the_elements(dtype, integer):
    assert references.bits(torch.ones(3, dtype=dtype)).dtype is integer


def test_same_bits_finds_a_pattern_and_not_its_value():
    x = torch.tensor([0.0, -0.0, 1.0])
    assert references.same_bits(x, 0).tolist() == [True, False, False]
    assert references.same_bits(x, 0x3F800000).tolist() == [False, False, True]


# ---- operators


def test_references_compute_what_their_names_say():
    a, b, c = doubles(5.0, -2.0), doubles(3.0, 0.5), doubles(1.0, 4.0)
    assert REFERENCES["add"](a, b).tolist() == [8.0, -1.5]
    assert REFERENCES["subtract"](a, b).tolist() == [2.0, -2.5]
    assert REFERENCES["multiply"](a, b).tolist() == [15.0, -1.0]
    assert REFERENCES["multiply_add"](a, b, c).tolist() == [16.0, 3.0]
    assert REFERENCES["cast"](a) is a
    assert set(REFERENCES) == {"add", "subtract", "multiply", "multiply_add", "cast"}


def test_multiply_add_is_rounded_once():
    generator = torch.Generator().manual_seed(1)
    a, b, c = (torch.randn(600, generator=generator) for _ in range(3))
    a[::3] = 1 + 2.0**-23
    b[::3] = 3
    c[::3] = -(2.0**-60)
    got = multiply_add(a.double(), b.double(), c.double()).float()
    for x, y, z, result in zip(a.tolist(), b.tolist(), c.tolist(), got.tolist(), strict=True):
        assert result == nearest(Fraction(x) * Fraction(y) + Fraction(z), torch.float32)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("little", [2.0**-70, -(2.0**-70), 0.0])
@pytest.mark.parametrize("bit", [0, 1])
def test_an_inexact_sum_is_rounded_to_odd(sign, little, bit):
    """Move an even last bit away from zero or towards it; keep an odd one, or an exact sum."""
    big = sign * (1.0 + bit * 2.0**-52)
    got = multiply_add(doubles(big), doubles(1.0), doubles(little)).item()
    towards = INF if little > 0 else -INF
    expected = math.nextafter(big, towards) if little and not bit else big
    assert got == expected


def test_multiply_add_keeps_infinity_nan_and_signed_zero():
    a, b = doubles(INF, 0.0, 2.0, -0.0), doubles(1.0, INF, -INF, 1.0)
    got = multiply_add(a, b, doubles(1.0, 1.0, 1.0, -0.0)).tolist()
    assert (got[0], got[2], math.copysign(1, got[3])) == (INF, -INF, -1)
    assert math.isnan(got[1])


# ---- rounding


@settings(max_examples=100, deadline=None)
@given(
    st.floats(-60000, 60000), st.sampled_from([0, 1, -1, 1e-9, -1e-9]), st.sampled_from([8, 11])
)
def test_half_numbers_are_rounded_once(start, little, digits):
    """Near ties above all: PyTorch's own conversion, by way of float32, is wrong there."""
    dtype = torch.float16 if digits == 11 else torch.bfloat16
    low = torch.tensor(start, dtype=torch.float64).to(dtype)
    high = torch.nextafter(low, torch.tensor(INF, dtype=dtype)) if digits == 11 else low
    value = (low.double() + high.double()) / 2
    value = value * (1 + little * 2.0**-20)
    got = rounded(value.reshape(1), dtype).double().item()
    want = nearest(Fraction(value.item()), dtype)
    assert got == want or (abs(want) > torch.finfo(dtype).max and math.isinf(got))


def test_half_numbers_are_rounded_as_numpy_does():
    x = torch.randn(5_000, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x *= 10
    ties = x.half().double() + torch.exp2(x.abs().log2().floor() - 11) * (1 + 1e-9)
    for values in (x, ties, x * 1e-7, x * 1e4):
        with np.errstate(over="ignore"):
            want = torch.from_numpy(values.numpy().astype(np.float16))
        assert torch.equal(rounded(values, torch.float16), want)
    assert not torch.equal(ties.to(torch.float16), rounded(ties, torch.float16))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_just_beside_a_tie_goes_to_the_right_side(sign):
    tie = 1 + 2.0**-11
    values = doubles(tie, tie + 2.0**-40, tie - 2.0**-40, 1 + 3 * 2.0**-11) * sign
    wanted = [1.0, 1 + 2.0**-10, 1.0, 1 + 2.0**-9]
    assert rounded(values, torch.float16).tolist() == [sign * x for x in wanted]


def test_wider_and_whole_dtypes_are_converted_directly():
    x = doubles(1 + 2.0**-24 + 2.0**-50, -3.0)
    assert rounded(x, torch.float32).tolist() == [1 + 2.0**-23, -3.0]
    assert rounded(x, torch.float64) is x
    assert rounded(doubles(3.0, -4.0), torch.int8).tolist() == [3, -4]
    special = rounded(doubles(INF, -INF, NAN, -0.0, 1e300), torch.bfloat16)
    assert special[:2].tolist() == [INF, -INF] and special[2].isnan()
    assert special[3].signbit() and special[4] == INF


# ---- distance


def test_distance_counts_representable_numbers():
    got = torch.tensor([1.0, 1.0, -0.0, NAN, INF, 65504.0], dtype=torch.float16)
    exact = doubles(1.0, 1.0 + 2.0**-10, 0.0, NAN, 65504.0, 65504.0)
    assert ulp_distance(got, exact).tolist() == [0, 1, INF, 0, INF, 0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_distance_is_the_same_in_every_dtype(dtype):
    eps, tiny = torch.finfo(dtype).eps, torch.finfo(dtype).smallest_normal
    least = tiny * eps
    got = torch.tensor([1 + 3 * eps, 1 - eps / 2, least, -least, NAN, 1.0], dtype=dtype)
    exact = doubles(1.0, 1.0, -least, -3 * least, 1.0, NAN)
    assert ulp_distance(got, exact).tolist() == [3, 1, 2, 2, INF, INF]


def test_distance_between_far_numbers_does_not_overflow():
    largest = torch.finfo(torch.float64).max
    far = ulp_distance(torch.tensor([largest], dtype=torch.float64), doubles(-largest))
    assert far.item() == pytest.approx(2 * 0x7FEFFFFFFFFFFFFF, rel=1e-12)


def test_distance_of_infinities_and_of_zeros():
    got = torch.tensor([INF, -INF, INF, 0.0, 0.0])
    assert ulp_distance(got, doubles(INF, -INF, -INF, 0.0, -0.0)).tolist()[:2] == [0, 0]
    assert ulp_distance(got, doubles(INF, -INF, -INF, 0.0, -0.0)).tolist()[2:] == [
        2.0 * 0x7F800000,
        0,
        INF,
    ]


def test_distance_of_whole_numbers_is_their_difference():
    got = torch.tensor([3, -5, 7], dtype=torch.int64)
    assert ulp_distance(got, doubles(1.0, -1.0, 7.0)).tolist() == [2, 4, 0]
    assert ulp_distance(got, doubles(1.0, -1.0, 7.0)).dtype is torch.float64


# ---- float8


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_float8_is_rounded_once_and_saturates(dtype):
    largest = torch.finfo(dtype).max
    exact = doubles(1e9, -INF, 1 + 2.0**-4, 1 + 2.0**-4 + 2.0**-40, NAN)
    right = rounded(exact, dtype).float()
    above = 1.125 if dtype is torch.float8_e4m3fn else 1.0
    assert right[:4].tolist() == [largest, -largest, 1.0, above] and bool(right[4].isnan())


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_a_distance_in_float8(dtype):
    got = torch.arange(1, 100).to(torch.uint8).view(dtype)
    assert not ulp_distance(got, got.double()).any()
    next_one = torch.arange(2, 101).to(torch.uint8).view(dtype)
    assert bool((ulp_distance(got, next_one.double()) == 1).all())
    zeros = torch.zeros(2).to(dtype)
    assert ulp_distance(zeros, doubles(-0.0, NAN)).tolist() == [INF, INF]


def test_a_byte_that_is_neither_0_nor_1_is_no_truth_value():
    got = torch.tensor([0, 1, 90, 90, 0], dtype=torch.uint8).view(torch.bool)
    assert ulp_distance(got, doubles(0, 1, 1, 0, 1)).tolist() == [0, 0, INF, INF, INF]


def test_a_zero_is_one_number_from_the_least_of_the_other_sign():
    least = 2.0**-149
    got = torch.tensor([0.0, -0.0, -least, 0.0])
    exact = doubles(-least, least, 0.0, least)
    assert ulp_distance(got, exact).tolist() == [1, 1, 1, 1]


def test_a_difference_of_large_integers_is_exact():
    a, b = torch.tensor([2**62 + 1000, -(2**62)]), torch.tensor([2**62 + 1, 2**62])
    assert references.difference(a, b).tolist() == [999, 2.0**63]


def test_integers_that_float64_does_not_hold_are_rounded_to_odd():
    large, tie = (1 << 53) + 1, (1 << 60) + (1 << 36)
    numbers = [5, large, -large, large + 2, tie, tie + 1, tie - 1, -tie - 1, (1 << 63) - 1]
    x = torch.tensor(numbers)
    odd = references.to_odd(x)
    assert odd[0] == 5 and odd[-1] == 2.0**63
    inexact = [k for k in range(len(x)) if k not in (0, 4, 8)]
    assert bool((references.bits(odd)[inexact] & 1 == 1).all())
    assert bool(((odd - x.double()).abs() <= 2.0**8).all())
    right = rounded(odd[4:8], torch.float32).tolist()
    assert right == [2.0**60, 2.0**60 + 2.0**37, 2.0**60, -(2.0**60) - 2.0**37]


def test_truth_values_that_differ_are_far_apart():
    got, right = torch.tensor([True, False, True]), torch.tensor([1.0, 1.0, 0.0]).double()
    assert ulp_distance(got, right).tolist() == [0.0, math.inf, math.inf]


@pytest.mark.parametrize(
    ("dtype", "largest"),
    [
        (torch.bool, 0),
        (torch.int8, 32),
        (torch.int16, 1 << 13),
        (torch.int32, 1 << 20),
        (torch.bfloat16, 16),
        (torch.float16, 128),
        (torch.float32, 1 << 20),
        (torch.float64, 1 << 20),
    ],
)
def test_the_largest_tolerance_is_an_eighth_of_a_number(dtype, largest):
    assert largest_ulp(dtype) == largest


def test_a_reference_returns_float64():
    greater = in_float64(lambda a, b: a > b)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0])
    assert torch.equal(greater(a, b), torch.tensor([0.0, 1.0]).double())
    two = in_float64(lambda a: (a.int(), a))(a)
    assert [x.dtype for x in two] == [torch.float64] * 2
    assert in_float64(lambda a: 3)(a) == 3
