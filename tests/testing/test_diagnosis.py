"""Each pattern of wrong numbers is recognised by itself, and not where it does not fit."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing import diagnosis
from helpers.testing.diagnosis import Diagnosis, Mismatch, describe, diagnose

INF, NAN = math.inf, math.nan
POISON = 0x7FC0DEAD


def doubles(values):
    return torch.as_tensor(values).double()


def mismatch(got, expected, *inputs, wrong=None, poison=POISON, reference=None):
    got, expected = torch.as_tensor(got), doubles(expected)
    if wrong is None:
        same = got.double() == expected
        wrong = ~(same | (got.isnan() & expected.isnan()))
    return Mismatch(got, expected, torch.as_tensor(wrong), inputs, poison, reference)


def random(n, seed=0):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed))


def said(*args, **options):
    answer = diagnose(mismatch(*args, **options))
    assert answer.specific
    return answer.sentence


# ---- nothing recognised


def test_the_fallback_counts_the_wrong_elements():
    got = torch.tensor([5.0, 2.0, 7.0, 9.0] * 1000)
    expected = torch.tensor([1.0, 2.0, 3.0, 9.0] * 1000)
    answer = diagnose(mismatch(got, expected))
    assert answer == Diagnosis("2,000 of 4,000 elements are wrong", specific=False)


def test_patterns_are_tried_from_the_most_to_the_least_telling():
    assert [pattern.__name__ for pattern in diagnosis.PATTERNS] == [
        "_unwritten",
        "_copy",
        "_rows",
        "_constant",
        "_made_nan",
        "_other_operands",
        "_one_operand",
        "_clamped",
        "_special",
        "_neighbour",
        "_whole_range",
        "_magnitude",
        "_half_line",
        "_factor",
        "_tail",
        "_suffix_sum",
        "_whole_numbers",
        "_precision",
    ]


def test_one_element_is_formatted():
    assert describe(torch.tensor(0.1)) == "0.1"
    assert describe(torch.tensor(1 / 3, dtype=torch.float64)) == "0.33333333"
    assert describe(torch.tensor(-7)) == "-7"
    assert describe(torch.tensor(NAN)) == "nan"


# ---- never written


def unwritten(n, where):
    """Make n right elements, of which those at `where` hold the poison."""
    got = torch.arange(1.0, n + 1)
    expected = got.clone()
    got.view(torch.int32)[where] = POISON
    return said(got, expected)


def test_nothing_was_written():
    assert unwritten(5, slice(None)) == (
        "nothing was written: does the kernel store to its output, and does the launch cover "
        "every element?"
    )


def test_a_tail_was_never_written():
    question = "is the tail handled, is the grid rounded up?"
    assert unwritten(5, slice(4, None)) == f"the last element was never written: {question}"
    assert unwritten(5000, slice(7, None)) == (
        f"the last 4,993 elements were never written: {question}"
    )


def test_an_index_of_few_bits():
    at = 1 << 15
    assert unwritten(at + 3, slice(at, None)) == (
        "all is right below index 32,768, and nothing is written from there on: is an index "
        "too narrow?"
    )
    for first in (at + 1, at // 2):
        assert "the last" in unwritten(first + 3, slice(first, None))


def test_some_elements_were_never_written():
    assert unwritten(4000, slice(1000, 3000)) == (
        "2,000 of 4,000 elements were never written, the first at index 1,000: what the output "
        "held before stays there"
    )


def test_poison_that_is_the_right_value_counts_as_written():
    got = torch.zeros(3)
    assert "constant" in said(got, [0.0, 1.0, 0.0], wrong=[False, False, True], poison=1)
    assert diagnosis._unwritten(mismatch(got, [0.0, 0, 0], wrong=[0, 0, 1], poison=1)) is None
    partly = mismatch([0.0, 5.0, 5.0], [0.0, 1.0, 2.0], poison=0)
    assert diagnosis._unwritten(partly) is None


# ---- a copy, a constant, NaN


def test_a_copy_of_an_input():
    a, b = random(3, 1), random(3, 2)
    assert said(b.clone(), a + b, a, b) == "the output is a copy of input 2"
    assert (
        said(a.half(), a + b, a.half(), b, poison=0x7E5A) == "the output is a copy of input 1"
    )
    assert diagnosis._copy(mismatch(a[:2], (a + b)[:2], a[:2], b[:2])) is None
    assert diagnosis._copy(mismatch(a, a + b, torch.zeros(4))) is None
    assert said(a, a + b, torch.zeros(4), a[None]) == "the output is a copy of input 2"


def test_a_constant():
    assert said([2.5] * 3, [1.0, 2.0, 3.0]) == "every element is 2.5, a constant"
    assert diagnosis._constant(mismatch([2.5] * 2, [1.0, 2.0])) is None
    assert diagnosis._constant(mismatch([2.5, 2.5, 2.0], [1.0, 2.0, 3.0])) is None


def test_nan_out_of_nothing():
    words = (
        "NaN came out where none went in: was memory read before anybody wrote it (the output, "
        "shared memory before a barrier)?"
    )
    assert said([1.0, NAN, 3.0], [1.0, 2.0, 3.0]) == words
    assert diagnosis._made_nan(mismatch([5.0, NAN, 3.0], [1.0, 2.0, 3.0])) is None
    assert diagnosis._made_nan(mismatch([1.0, NAN, NAN], [1.0, 2.0, NAN])) is None
    assert diagnosis._made_nan(mismatch([1, 2], [1, 3])) is None


# ---- operands, neighbours, tails


def test_swapped_operands():
    a, b = random(3, 1), random(3, 2)
    words = "this is the result with its operands swapped: are they in the launcher's order?"

    def subtract(a, b):
        return a - b

    assert said(b - a, a - b, a, b, reference=subtract) == words
    c = random(3, 3)

    def weighted(a, b, c):
        return a + 2 * b + 3 * c

    a64, b64, c64 = a.double(), b.double(), c.double()
    got, expected = weighted(b64, c64, a64).float(), weighted(a64, b64, c64)
    assert said(got, expected, a, b, c, reference=weighted) == words
    two = mismatch((b - a)[:2], (a - b)[:2], a[:2], b[:2], reference=subtract)
    assert diagnosis._other_operands(two) is None
    assert diagnosis._other_operands(mismatch(b - a, a - b, a, b)) is None
    almost = (b - a) + torch.tensor([0, 0, 1.0])
    assert diagnosis._other_operands(mismatch(almost, a - b, a, b, reference=subtract)) is None
    for other in (lambda a, b: (b - a, a), lambda a, b: (b - a)[:2]):
        assert diagnosis._other_operands(mismatch(b - a, a - b, a, b, reference=other)) is None


@pytest.mark.parametrize("shift", [1, -1, 2, -2, 4, -4, 8, -8])
def test_a_neighbour_s_element(shift):
    x = random(33)
    got = x.roll(-shift)
    edge = slice(-shift, None) if shift > 0 else slice(None, -shift)
    got[edge] = x[edge] + 100  # no neighbour is known there
    sign = "+" if shift > 0 else "-"
    assert said(got, x) == f"each element is the right one of index i {sign} {abs(shift)}"
    got[16] += 1
    assert diagnosis._neighbour(mismatch(got, x)) is None


def test_a_few_elements_have_no_neighbours():
    x = random(32)
    assert diagnosis._neighbour(mismatch(x.roll(1), x)) is None


def wrong_from(n, first, until=None):
    expected = random(n)
    got = expected.clone()
    got[first:until] += 7.0
    return mismatch(got, expected)


def test_a_wrong_tail():
    question = "is the tail of n % width done once, at the right place?"
    assert diagnosis._tail(wrong_from(33, 32)) == f"the last element is wrong: {question}"
    assert diagnosis._tail(wrong_from(33, 31)) == f"the last 2 elements are wrong: {question}"
    assert diagnosis._tail(wrong_from(5000, 4984)) == (
        f"the last 16 elements are wrong: {question}"
    )
    assert diagnosis._tail(wrong_from(5000, 4983)) is None  # longer than any pack
    assert diagnosis._tail(wrong_from(32, 31)) is None  # in so few it says little
    assert diagnosis._tail(wrong_from(33, 0)) is None
    assert diagnosis._tail(wrong_from(33, 3, 5)) is None


def test_a_tail_past_2_15_is_a_narrow_index():
    at = 1 << 15
    assert diagnosis._tail(wrong_from(at + 2, at)) == (
        "all is right below index 32,768 and wrong from there on: is an index or a count too "
        "narrow?"
    )
    assert "the last 3 elements are wrong" in diagnosis._tail(wrong_from(at + 2, at - 1))


# ---- special values


def special(got, expected, *inputs, dtype=torch.float32):
    inputs = [torch.tensor(x, dtype=dtype) for x in inputs]
    return diagnosis._special(
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
    assert diagnosis._special(mismatch([1, 0], [1, 5], torch.tensor([1.0, NAN]))) is None
    assert diagnosis._special(mismatch([1.0, 0.0], [1, NAN], torch.tensor([1, 2]))) is None
    assert "only NaN" in diagnosis._special(mismatch([1.0, 0.0], [1, NAN], torch.tensor([NAN])))


# ---- one sum


def test_one_sum_of_which_the_last_elements_are_missing_or_doubled():
    x = torch.tensor([100.0, 30.0, 7.0, 2.0])
    question = "is the tail"
    assert said([137.0], [139.0], x) == (
        f"it is off by just the last element: {question} left out?"
    )
    assert said([148.0], [139.0], x) == (
        f"it is off by just the sum of the last 2 elements: {question} added twice?"
    )
    long = torch.arange(100.0, 120.0)
    off = float(long[-16:].sum())
    assert f"last 16 elements: {question} left out" in said([0.0], [off], long)
    off = float(long[-17:].sum())
    assert diagnosis._suffix_sum(mismatch([0.0], [off], long)) is None


def test_no_sum_no_suffix():
    x = torch.tensor([1.0, 2.0])
    assert diagnosis._suffix_sum(mismatch([1.0, 1.0], [3.0, 1.0], x)) is None
    assert diagnosis._suffix_sum(mismatch([1.0], [3.0])) is None
    assert diagnosis._suffix_sum(mismatch([3.5], [3.0], x)) is None
    assert diagnosis._suffix_sum(mismatch([3.0], [3.0], torch.zeros(2), wrong=[True])) is None


# ---- precision

LAST_PLACE = "off by one in the last place"
NARROWER = "is it computed, summed or rounded in a narrower precision on the way?"


def precision(got, expected, dtype=torch.float32):
    got = torch.tensor(got, dtype=dtype)
    return diagnosis._precision(mismatch(got, torch.tensor(expected, dtype=torch.float64)))


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
    assert diagnosis._precision(mismatch([100], [101])) is None


# ---- integers, formulas


def test_integers_that_saturate():
    some = mismatch([2**31 - 1, 5], [2.0**31 + 7, 5.0], torch.tensor([1, 2], dtype=torch.int32))
    some = replace(some, got=some.got.int())
    assert diagnosis._whole_range(some).startswith("only results beyond the range of int32")


def test_integers_that_went_through_float():
    exact = 2.0**26 + torch.arange(16).double()
    got = exact.float().int()
    wrong = got.double() != exact
    sentence = diagnosis._whole_range(Mismatch(got, exact, wrong))
    assert sentence.startswith("large whole numbers come out rounded")
    assert diagnosis._whole_range(Mismatch(got * 2, exact, wrong | True)) is None


def test_numbers_out_of_a_narrower_integer():
    x = torch.cat([torch.arange(-100, 100), torch.arange(40_000, 40_016)])
    got = x.to(torch.int16).double()
    sentence = diagnosis._magnitude(Mismatch(got, x.double(), got != x, [x]))
    assert sentence.startswith("right for numbers up to 100, wrong from 40,000 on")
    assert diagnosis._magnitude(Mismatch(got, x.double(), x > 50, [x])) is None


def test_a_formula_that_is_another_one_on_one_side():
    x = torch.linspace(-4, 4, 81)
    exact = torch.where(x < 0, x * 0.125, x).double()
    got = torch.where(x < 0, x * 0.25, x)
    sentence = diagnosis._half_line(Mismatch(got, exact, got != exact, [x]))
    assert sentence.startswith("only negative inputs go wrong")
    clamped = Mismatch(x.clamp(-2, 2), x.clamp(-1, 1).double(), x.abs() > 1.01, [x])
    assert diagnosis._half_line(clamped).startswith("right for inputs up to 1, wrong from 1.1")
    assert diagnosis._half_line(Mismatch(got, exact, x == x, [x])) is None


def test_a_factor():
    exact = torch.arange(1.0, 9).double()
    assert diagnosis._factor(Mismatch(0.5 * exact.float(), exact, exact > 0)) == (
        "each wrong element is 0.5 times the right one: another factor, a formula?"
    )
    assert diagnosis._factor(Mismatch(exact.float() + 1, exact, exact > 0)) is None
    assert diagnosis._factor(Mismatch(2 * exact[:7].float(), exact[:7], exact[:7] > 0)) is None


def test_whole_numbers_in_the_place_of_fractions():
    exact = torch.tensor([3.5, 7.25, 8.75, 9.125], dtype=torch.float64)
    some = Mismatch(exact.trunc().float(), exact, exact > 0)
    assert diagnosis._whole_numbers(some).startswith("a whole number came out")
    assert diagnosis._whole_numbers(Mismatch(exact.float() + 1, exact, exact > 0)) is None
    by_chance = Mismatch(exact[:3].trunc().float(), exact[:3], exact[:3] > 0)
    assert diagnosis._whole_numbers(by_chance) is None
