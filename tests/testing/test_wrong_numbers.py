"""Patterns of numbers: each is recognised by itself, and not where it does not fit."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing import wrong_numbers
from helpers.testing.mismatch import Mismatch
from tests.testing.mismatches import mismatch, said

INF, NAN = math.inf, math.nan

# ---- special values


def test_nan_out_of_nothing():
    words = (
        "NaN came out where none went in: was memory read before anybody wrote it (the output, "
        "shared memory before a barrier)?"
    )
    assert said([1.0, NAN, 3.0], [1.0, 2.0, 3.0]) == words
    assert wrong_numbers.made_nan(mismatch([5.0, NAN, 3.0], [1.0, 2.0, 3.0])) is None
    assert wrong_numbers.made_nan(mismatch([1.0, NAN, NAN], [1.0, 2.0, NAN])) is None
    assert wrong_numbers.made_nan(mismatch([1, 2], [1, 3])) is None


def special(got, expected, *inputs, dtype=torch.float32):
    inputs = [torch.tensor(x, dtype=dtype) for x in inputs]
    return wrong_numbers.special(
        mismatch(
            torch.tensor(got, dtype=dtype),
            expected,
            *inputs,
            wrong=[False] + [True] * (len(got) - 1),
        )
    )


TINY = 2.0**-130
CLASSES = {
    "only the sign of zero goes wrong": ([5.0, 0.0], [5.0, -0.0], [1.0, -0.0]),
    "only NaN goes wrong": ([5.0, 1.0, 2.0], [5.0, NAN, NAN], [1.0, NAN, NAN]),
    "only subnormal numbers go wrong": ([5.0, 0.0, 0.0], [5.0, TINY, 1.0], [1.0, 1.0, -TINY]),
    "only infinity goes wrong": ([5.0, 1.0, 2.0], [5.0, INF, 3.0], [1.0, 1.0, -INF]),
    "only infinity and zeros go wrong": ([5.0, 1.0, 2.0], [5.0, 9.0, 9.0], [1.0, 0.0, INF]),
}


@pytest.mark.parametrize("words", CLASSES)
def test_one_class_of_special_values(words):
    got, expected, x = CLASSES[words]
    assert special(got, expected, x).startswith(words)
    ordinary = special([*got, 3.0], [*expected, 4.0], [*x, 1.0])
    assert ordinary is None  # where another element is wrong, too


def test_any_of_the_inputs_may_be_the_special_one():
    a, b = [1.0, NAN, 1.0], [1.0, 1.0, NAN]
    assert special([5.0, 1.0, 1.0], [5.0, NAN, NAN], a, b).startswith("only NaN")
    assert special([5.0, 1.0, 1.0], [5.0, 2.0, 2.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0])


def test_the_right_value_alone_may_be_subnormal_or_infinite_but_not_nan():
    assert "subnormal" in special([5.0, 0.0], [5.0, TINY], [1.0, 1.0])
    assert "infinity" in special([5.0, 3e38], [5.0, INF], [1.0, 3e38])
    assert special([5.0, 1.0], [5.0, NAN], [1.0, 1.0]) is None


def test_the_boundary_of_the_subnormal_numbers():
    least = 2.0**-14  # the smallest normal float16
    assert special([5.0, 0.0], [5.0, least], [1.0, 1.0], dtype=torch.float16) is None
    below = least - 2.0**-24
    assert special([5.0, 0.0], [5.0, below], [1.0, 1.0], dtype=torch.float16)


def test_special_values_need_floating_point():
    assert "sign of zero" in special([5.0, 0.0], [5.0, -0.0])  # of the result alone
    assert wrong_numbers.special(mismatch([1, 0], [1, 5], torch.tensor([1.0, NAN]))) is None
    assert wrong_numbers.special(mismatch([1.0, 0.0], [1, NAN], torch.tensor([1, 2]))) is None
    assert "only NaN" in wrong_numbers.special(
        mismatch([1.0, 0.0], [1, NAN], torch.tensor([NAN]))
    )


def test_a_nan_that_is_lost_is_told_from_one_that_is_not_made():
    inputs, right = [1.0, NAN, -0.0], [5.0, NAN, -0.0]
    lost = special([5.0, 0.0, 0.0], right, inputs)
    assert lost.startswith("only NaN and the sign of zero go wrong: a NaN that goes in must")
    made = special([5.0, 0.0, 0.0], right, [1.0, INF, -0.0])
    assert made.startswith("only the sign of zero and NaN go wrong") and "0 * infinity" in made


# ---- rows


def softmax_of(x, factor):
    right = x.double().softmax(dim=1)
    got = (right * torch.tensor(factor).reshape(-1, 1)).float()
    return mismatch(got.reshape(-1), right.reshape(-1), shape=tuple(x.shape))


def test_rows_that_do_not_add_up_to_1():
    x = torch.linspace(-1, 1, 36).reshape(2, 18)
    words = "the elements of row 1 add up to {}, not to 1: is the formula another one, or is it"
    assert wrong_numbers.rows(softmax_of(x, [1.0, 1.5])).startswith(words.format("1.5"))
    assert wrong_numbers.rows(softmax_of(x, [1.0, 0.9998])).startswith(words.format("0.9998"))
    assert wrong_numbers.rows(softmax_of(x, [1.0, 1 + 2.0**-19])) is None
    rounded = softmax_of(x, [1.0, 1.0])
    rounded = replace(rounded, got=rounded.got.half().float())
    assert wrong_numbers.rows(rounded) is None


# ---- precision


LAST_PLACE = "off by one in the last place"
NARROWER = "is it computed, summed or rounded in a narrower precision on the way?"


def precision(got, expected, dtype=torch.float32):
    got = torch.tensor(got, dtype=dtype)
    return wrong_numbers.precision(mismatch(got, torch.tensor(expected, dtype=torch.float64)))


def test_off_by_one_in_the_last_place():
    eps = 2.0**-23
    assert precision([1.0, 2.0 + 2 * eps], [1.0, 2.0]).startswith(LAST_PLACE)
    assert (
        precision([1.0, 2.0 + 4 * eps], [1.0, 2.0])
        == f"right to only 22 of 24 bits: {NARROWER}"
    )


@pytest.mark.parametrize(
    ("dtype", "bits"), [(torch.float16, 11), (torch.bfloat16, 8), (torch.float64, 53)]
)
def test_the_bits_that_are_right(dtype, bits):
    assert precision([1.0 + 2.0**-6], [1.0], dtype) == (
        f"right to only 6 of {bits} bits: {NARROWER}"
    )


def test_the_worst_element_counts_and_must_agree_to_five_bits():
    assert "only 10 of 24" in precision([1.0 + 2.0**-10, 1 + 2.0**-20], [1.0, 1.0])
    assert precision([-1.0 - 2.0**-6], [-1.0]) is not None
    assert precision([1.0 + 2.0**-5], [1.0]) is None
    assert precision([1.0 + 2.0**-6, 2.0], [1.0, 1.0]) is None


def test_zero_infinity_nan_and_whole_numbers_have_no_precision():
    assert precision([1.0], [0.0]) is None
    assert precision([INF], [1.0]) is None
    assert precision([NAN], [1.0]) is None
    assert wrong_numbers.precision(mismatch([100], [101])) is None


# ---- integers, formulas


def test_integers_that_saturate():
    some = mismatch([2**31 - 1, 5], [2.0**31 + 7, 5.0], torch.tensor([1, 2], dtype=torch.int32))
    some = replace(some, got=some.got.int())
    assert wrong_numbers.whole_range(some).startswith("only results beyond the range of int32")


def test_integers_that_went_through_float():
    exact = 2.0**26 + torch.arange(16).double()
    got = exact.float().int()
    wrong = got.double() != exact
    sentence = wrong_numbers.whole_range(Mismatch(got, exact, wrong))
    assert sentence.startswith("large whole numbers come out rounded")
    assert wrong_numbers.whole_range(Mismatch(got * 2, exact, wrong | True)) is None


def test_numbers_out_of_a_narrower_integer():
    x = torch.cat([torch.arange(-100, 100), torch.arange(40_000, 40_016)])
    got = x.to(torch.int16).double()
    sentence = wrong_numbers.magnitude(Mismatch(got, x.double(), got != x, [x]))
    assert sentence.startswith("right for numbers up to 100, wrong from 40,000 on")
    assert wrong_numbers.magnitude(Mismatch(got, x.double(), x > 50, [x])) is None


def test_a_formula_that_is_another_one_on_one_side():
    x = torch.linspace(-4, 4, 81)
    exact = torch.where(x < 0, x * 0.125, x).double()
    got = torch.where(x < 0, x * 0.25, x)
    sentence = wrong_numbers.half_line(Mismatch(got, exact, got != exact, [x]))
    assert sentence.startswith("only negative inputs go wrong")
    clamped = Mismatch(x.clamp(-2, 2), x.clamp(-1, 1).double(), x.abs() > 1.01, [x])
    assert wrong_numbers.half_line(clamped).startswith(
        "right for inputs up to 1, wrong from 1.1"
    )
    assert wrong_numbers.half_line(Mismatch(got, exact, x == x, [x])) is None


def test_a_factor():
    exact = torch.arange(1.0, 9).double()
    assert wrong_numbers.factor(Mismatch(0.5 * exact.float(), exact, exact > 0)) == (
        "each wrong element is 0.5 times the right one: another factor, a formula?"
    )
    assert wrong_numbers.factor(Mismatch(exact.float() + 1, exact, exact > 0)) is None
    assert (
        wrong_numbers.factor(Mismatch(2 * exact[:7].float(), exact[:7], exact[:7] > 0)) is None
    )


def test_whole_numbers_in_the_place_of_fractions():
    exact = torch.tensor([3.5, 7.25, 8.75, 9.125], dtype=torch.float64)
    some = Mismatch(exact.trunc().float(), exact, exact > 0)
    assert wrong_numbers.whole_numbers(some).startswith("a whole number came out")
    assert wrong_numbers.whole_numbers(Mismatch(exact.float() + 1, exact, exact > 0)) is None
    by_chance = Mismatch(exact[:3].trunc().float(), exact[:3], exact[:3] > 0)
    assert wrong_numbers.whole_numbers(by_chance) is None
