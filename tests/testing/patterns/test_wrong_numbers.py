"""Patterns of numbers: each is recognised by itself, and not where it does not fit."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.mismatch import Mismatch
from helpers.testing.patterns import wrong_numbers
from tests.testing.mismatches import mismatch, random, said

INF, NAN = math.inf, math.nan

# ---- special values


def test_integers_that_are_rounded_before_they_wrap():
    a, b = (torch.arange(-60, 60) * k for k in (541, 317))
    right = (a * b).double()
    got = right.float().long().short()
    m = mismatch(got, right, a.short(), b.short(), reference=lambda a, b: a * b)
    m = replace(m, wrong=got != (a * b).short())
    told = wrong_numbers.whole_range(m)
    assert told.startswith("large whole numbers come out rounded, before they are cut to int16")
    other = replace(m, got=(a * b + 1).short(), wrong=torch.ones(120, dtype=torch.bool))
    assert "before they are cut" not in (wrong_numbers.whole_range(other) or "")


def test_nan_out_of_nothing():
    words = (
        "NaN came out where none went in: was memory read before anybody wrote it (the output, "
        "shared memory before a barrier)?"
    )
    assert said([1.0, NAN, 3.0], [1.0, 2.0, 3.0]) == words
    assert wrong_numbers.made_nan(mismatch([5.0, NAN, 3.0], [1.0, 2.0, 3.0])) is None
    assert wrong_numbers.made_nan(mismatch([1.0, NAN, NAN], [1.0, 2.0, NAN])) is None
    assert wrong_numbers.made_nan(mismatch([1, 2], [1, 3])) is None


def test_nan_of_negative_inputs():
    x = torch.arange(-20.0, 20)
    right = x.double().abs() + 1
    got = torch.where(x < 0, NAN, right.float())
    assert said(got, right, x) == (
        "NaN came out of negative inputs, and of no others: is it a root, a logarithm or a "
        "power that such a number does not have?"
    )
    for other in (mismatch(got, right, x, x), mismatch(got, right), mismatch(got, right, -x)):
        sentence = wrong_numbers.nan_of_a_sign(other)
        assert (sentence is not None) == (len(other.inputs) == 1)
    got[0] = 5.0
    assert wrong_numbers.nan_of_a_sign(mismatch(got, right, x)) is None


def test_an_overflow_makes_nan_of_infinity():
    x = torch.tensor([1.0, 60000.0, INF])
    right = x.double()
    assert "overflow on the way" in wrong_numbers.overflowed(
        mismatch(torch.tensor([1.0, INF, NAN]), right, x)
    )
    for got in ([1.0, 60000.0, NAN], [1.0, INF, 5.0], [1.0, 70000.0, NAN]):
        assert wrong_numbers.overflowed(mismatch(torch.tensor(got), right, x)) is None


def test_a_sum_that_overflows():
    x, right = torch.full((2, 40), 2000.0).half(), torch.tensor([2000.0, 2000.0])
    got = torch.tensor([INF, 2000.0]).half()
    sentence = wrong_numbers.overflowed(mismatch(got, right, x))
    assert sentence.startswith("infinity came out of finite numbers")
    x[0, 0] = INF
    assert wrong_numbers.overflowed(mismatch(got, right, x)) is None


def test_the_sign_of_zero_among_other_kinds():
    x = torch.tensor([1.0, NAN, -INF, -0.0, TINY])
    got, right = torch.tensor([1.0, 7.0, 7.0, 0.0, 7.0]), [1.0, 9.0, 9.0, -0.0, 9.0]
    four = torch.tensor([False, True, True, True, True])
    three = torch.tensor([False, True, True, True, False])
    said = wrong_numbers.special(mismatch(got, right, x, wrong=three))
    assert said.startswith("only NaN, infinity and the sign of zero go wrong")
    assert wrong_numbers.special(mismatch(got, right, x, wrong=four)) is None


@pytest.mark.parametrize("power", [1, 2])
def test_variances_that_cancel(power):
    x = torch.arange(12.0).reshape(4, 3) % 5
    x[1:3] += 3000
    right = x.double().std(dim=1, unbiased=False) ** power
    got = right.float()
    right = got.double()
    got[1:3] = 0
    sentence = said(got, right, x, shape=(4,))
    assert sentence.startswith("row 1, whose mean is 3,00") and "E[x^2] - E[x]^2" in sentence
    got[0] = 9.0  # a row of small mean
    assert wrong_numbers.variances(mismatch(got, right, x, shape=(4,))) is None
    means = mismatch(torch.zeros(4), x.double().mean(dim=1), x, shape=(4,))
    assert wrong_numbers.variances(means) is None
    squares = x.square().mean(dim=1) ** (power / 2)  # the mean is not taken off at all
    wrong = torch.tensor([False, True, True, False])
    squares = mismatch(torch.where(wrong, squares, right.float()), right, x, wrong=wrong)
    assert wrong_numbers.variances(replace(squares, shape=(4,))) is None


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


def test_a_nan_that_is_made_of_infinities_is_lost_too():
    x, y, words = [1.0, INF, NAN], [2.0, -INF, 1.0], "only results that must be NaN go wrong"
    assert special([3.0, 0.0, 0.0], [3.0, NAN, NAN], x, y).startswith(words)
    assert not special([3.0, 0.0, 0.0], [3.0, INF, NAN], x, y).startswith(words)


def test_any_of_the_inputs_may_be_the_special_one():
    a, b = [1.0, NAN, 1.0], [1.0, 1.0, NAN]
    assert special([5.0, 1.0, 1.0], [5.0, NAN, NAN], a, b).startswith("only NaN")
    assert special([5.0, 1.0, 1.0], [5.0, 2.0, 2.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0])


def test_the_right_value_alone_may_be_subnormal_or_infinite_but_not_nan():
    assert "subnormal" in special([5.0, 0.0], [5.0, TINY], [1.0, 1.0])
    assert "infinity" in special([5.0, 3e38], [5.0, INF], [1.0, 3e38])
    assert special([5.0, 1.0], [5.0, NAN], [1.0, 1.0]) is None


def test_an_exponential_that_overflows_is_not_flushing():
    """silu(-13) is subnormal in half; of an exp in half it becomes -13 / infinity."""
    x = torch.cat([torch.linspace(-13, -12.5, 50), torch.linspace(1e-4, 4, 50)]).half()
    right = torch.nn.functional.silu(x.double())
    half = right.half()
    got = torch.where(x < -11.1, torch.zeros_like(half), half)
    wrong = got != half
    words = wrong_numbers.special(mismatch(got, right, x, wrong=wrong))
    assert words.startswith("0 came out for inputs of a size from 12.5")
    assert "overflow" in words and "flushed" not in words
    flushed = torch.where(half.abs() < torch.finfo(torch.half).smallest_normal, 0, half)
    words = wrong_numbers.special(mismatch(flushed, right, x, wrong=flushed != half))
    assert "flushed" in words


def test_the_boundary_of_the_subnormal_numbers():
    least = 2.0**-14  # the smallest normal float16
    assert special([5.0, 0.0], [5.0, least], [1.0, 1.0], dtype=torch.float16) is None
    below = least - 2.0**-24
    assert special([5.0, 0.0], [5.0, below], [1.0, 1.0], dtype=torch.float16)


def test_subnormal_numbers_that_are_not_flushed():
    said = special([5.0, TINY / 2, -TINY], [5.0, TINY, -2 * TINY], [1.0, 1.0, 1.0])
    assert said == (
        "only subnormal numbers go wrong, each 0.5 times what it should be, and they are not "
        "flushed to zero: is the formula another one for them (another exponent, say)?"
    )
    assert special([5.0, TINY / 2, -TINY], [5.0, TINY, -TINY / 2], [1.0] * 3).startswith(
        "only subnormal numbers go wrong, and they are not flushed"
    )
    assert "are they flushed" in special([5.0, 0.0, -TINY], [5.0, TINY, TINY], [1.0] * 3)


def test_nan_of_rows_of_which_a_mask_leaves_nothing():
    x, mask = random(12).view(3, 4), torch.zeros(3, 4, dtype=torch.bool)
    mask[1] = True
    right = torch.where(mask, 0.0, x).double()
    got = torch.where(mask, NAN, x)
    told = said(got.flatten(), right.flatten(), x, mask, shape=(3, 4))
    assert told.startswith("NaN came out of rows of which nothing counts")
    got[2, 1] = NAN  # of a row of which something counts
    for other in (
        mismatch(got.flatten(), right.flatten(), x, mask, shape=(3, 4)),
        mismatch(got[1], right[1], x[1], mask[1]),
        mismatch(got[:2].flatten(), right[:2].flatten(), x[:2], shape=(2, 4)),
    ):
        assert "barrier" in wrong_numbers.nan_of_nothing(other)


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
    right = [5.0, NAN, NAN, -0.0]
    both = special([5.0, 0.0, 0.0, 0.0], right, [1.0, NAN, INF, -0.0])
    assert both.startswith("only the sign of zero and NaN go wrong")


# ---- rows


def softmax_of(x, factor):
    right = x.double().softmax(dim=1)
    got = (right * torch.tensor(factor).reshape(-1, 1)).float()
    return mismatch(got.reshape(-1), right.reshape(-1), shape=tuple(x.shape))


def test_rows_that_do_not_add_up_to_1():
    x = torch.linspace(-1, 1, 36).reshape(2, 18)
    words = "the elements of row 1 add up to {}, not to 1: is the formula another one, or is it"
    assert wrong_numbers.rows(softmax_of(x, [1.0, 1.5])).startswith(words.format("1.5"))
    less = wrong_numbers.rows(softmax_of(x, [1.0, 0.9998]))  # not of a sum that lacks numbers
    assert (
        less == "the elements of row 1 add up to 0.9998, not to 1: is the formula another one?"
    )
    assert wrong_numbers.rows(softmax_of(x, [1.0, 1 + 2.0**-19])) is None
    rounded = softmax_of(x, [1.0, 1.0])
    rounded = replace(rounded, got=rounded.got.half().float())
    assert wrong_numbers.rows(rounded) is None


def rows_of(got, right):
    """Say what `rows` says of a matrix."""
    right = torch.as_tensor(right).double()
    got = torch.as_tensor(got).float().reshape(-1)
    return wrong_numbers.rows(mismatch(got, right.reshape(-1), shape=tuple(right.shape)))


def probabilities(rows, columns):
    """Rows that add up to 1; no two elements of a row are equal."""
    return torch.linspace(1, 2, columns).double().softmax(0).repeat(rows, 1)


ALSO = ", or is it that its sum and its maximum do not count every element of the row?"


@pytest.mark.parametrize(("columns", "end"), [(8, "?"), (9, ALSO)])
def test_the_row_that_is_farthest_from_1_is_named(columns, end):
    right = probabilities(3, columns)
    got = right * torch.tensor([1.25, 1.5, 1.75]).reshape(3, 1)
    words = "the elements of row 2 add up to 1.75, not to 1: is the formula another one"
    assert rows_of(got, right) == words + end
    got[2] /= 7
    assert rows_of(got, right) == words.replace("1.75", "0.25") + "?"


def test_numbers_of_another_row_are_no_other_sum():
    right = torch.cat([probabilities(1, 3), probabilities(1, 3).sqrt().softmax(1)])
    elsewhere = right.flatten().roll(1).reshape(2, 3)
    assert rows_of(elsewhere * (1 + 2.0**-22), right) is None
    elsewhere[0, 0] += 0.5
    assert rows_of(elsewhere, right).startswith("the elements of row 0 add up to")


def test_what_is_about_0_is_no_number_less_its_mean():
    right = torch.tensor([[-2e-26, 2e-26, 0.0], [1e-26, 0.0, -1e-26]])
    got = torch.full((2, 3), -63.0)
    assert rows_of(got, right) is None
    assert rows_of(got, 1e26 * right).startswith("the mean of row 0 is -63, not 0")


def test_whole_numbers_are_no_shares_of_a_row():
    right = torch.tensor([[1, 0, 0], [0, 0, 1]])
    m = mismatch(right.roll(1, 0).flatten().int(), right.flatten(), shape=(2, 3))
    assert wrong_numbers.rows(m) is None


def test_rows_of_several_matrices():
    right = probabilities(6, 8).reshape(2, 3, 8)
    got = right * torch.tensor([1, 1, 1, 1, 1.5, 1]).reshape(2, 3, 1)
    words = "the elements of row 4 add up to 1.5, not to 1: is the formula another one?"
    assert rows_of(got, right) == words
    assert rows_of(right, right) is None


def test_elements_of_a_row_that_are_alike():
    right = probabilities(2, 9)
    words = (
        "all elements of a row are alike: is the formula another one, or does the maximum or "
        "the sum not count every element of its row?"
    )
    assert rows_of(torch.full((2, 9), 1 / 9), right) == words
    even = torch.full((2, 8), 0.125).double()
    assert rows_of(2 * even, even).startswith("the elements of row 0 add up to 2, not to 1")
    one_row_only = torch.cat([torch.full((1, 9), 1 / 9).double(), 1.5 * right[:1]])
    assert "row 1 add up to 1.5" in rows_of(one_row_only, right)


@pytest.mark.parametrize(("off", "said"), [(0.031, False), (-0.031, False), (0.0315, True)])
def test_a_sum_is_off_from_a_32nd_on_unless_all_are(off, said):
    right = probabilities(2, 9)
    got = right.clone()
    got[1, 4] += off
    assert bool(rows_of(got, right)) == said


@pytest.mark.parametrize(("columns", "said"), [(3, False), (4, True)])
def test_one_factor_of_all_is_off_even_if_it_is_small(columns, said):
    right = probabilities(2, columns)
    assert bool(rows_of(1.001 * right, right)) == said
    assert bool(rows_of((1 + 2.0**-17) * right, right)) == said
    assert not rows_of((1 + 2.0**-19) * right, right)
    some = 1.001 * right
    some[:, 0] += 0.001 * right[:, 0]  # one element is off by twice as much
    assert not rows_of(some, right)
    spread = 1.001 * right
    spread[:, 0] += 0.0001 * right[:, 0]  # within an eighth
    assert bool(rows_of(spread, right)) == said


def test_elements_that_should_be_0_have_no_factor():
    right = torch.cat([torch.zeros(2, 3), probabilities(2, 8)], dim=1)
    assert "row 0 add up to 1.001," in rows_of(1.001 * right, right)
    assert rows_of(1.001 * right + torch.eye(11)[:2] * 1e-9, right)


def test_what_is_no_matrix_of_finite_numbers_has_no_rows():
    right = probabilities(2, 9)
    got = (1.5 * right).float()
    assert wrong_numbers.rows(mismatch(got.reshape(-1), right.reshape(-1))) is None
    assert rows_of(got, right)
    got[0, 0] = INF
    assert rows_of(got, right) is None
    got[0, 0] = NAN
    assert rows_of(got, right) is None


@pytest.mark.parametrize("added", [0.0, 0.75])
def test_a_row_of_one_element_that_is_normalised(added):
    """A variance of a sample is 0 / 0 there."""
    x = torch.tensor([[-82.0], [400.0]])
    bias, gain = torch.tensor([added]), torch.tensor([-0.5])
    right, got = torch.full((2,), added).double(), torch.full((2,), NAN)
    told = wrong_numbers.made_nan(mismatch(got, right, x, gain, bias, shape=(2, 1)))
    assert told.startswith("NaN came out of rows of one element each: is 0 divided by 0, as")
    other = wrong_numbers.made_nan(mismatch(got, right + 1, x, gain, bias, shape=(2, 1)))
    assert not other or "of one element" not in other


@pytest.mark.parametrize("divisor", [128, 7, 20])
def test_rows_less_their_sums_by_another_number(divisor):
    x = torch.randint(-90, 90, (4, 20), generator=torch.Generator().manual_seed(1)).float()
    right = x.double() - x.double().mean(1, keepdim=True)
    got = x.double() - x.double().sum(1, keepdim=True) / divisor
    m = mismatch(got.flatten().float(), right.flatten(), x, shape=(4, 20))
    told = wrong_numbers.rows(m)
    if divisor == 20:
        assert told is None
        return
    assert told.startswith(f"each row less {20 / divisor:.6g} times its mean came out: is its")
    got[2] += 1
    m = mismatch(got.flatten().float(), right.flatten(), x, shape=(4, 20))
    assert wrong_numbers.rows(m).startswith("the mean of row")


NORMAL = torch.tensor([[-1.0, 1.0] * 5, [2.0, -2.0] * 5]).double()
EVERY = ", or is it that the mean does not count every element of the row?"


@pytest.mark.parametrize(("columns", "end"), [(8, "?"), (10, EVERY)])
def test_rows_whose_mean_is_not_0(columns, end):
    right = NORMAL[:, :columns]
    words = "the mean of row 1 is -0.25, not 0: is the formula of the mean another one"
    assert rows_of(right + torch.tensor([[0.125], [-0.25]]), right) == words + end
    assert rows_of(right + 1.1e-4, right).startswith("the mean of row")
    assert rows_of(right + 0.9e-4, right) is None


def test_rows_that_are_divided_by_another_power_of_their_deviation():
    x = random(400).reshape(8, 50).double() * torch.arange(1.0, 9)[:, None]
    x -= x.mean(1, keepdim=True)
    size = x.std(1, unbiased=False, keepdim=True)

    def told(got, right):
        m = mismatch(got.float().flatten(), right.flatten(), x, shape=(8, 50))
        return wrong_numbers.rows(m)

    by_variance = told(x / size.square(), x / size)
    assert by_variance.endswith(
        ", as if each row was divided by its variance, where it should be divided by its "
        "deviation, the root of its variance: is the formula of the variance another one?"
    )
    assert "multiplied by its deviation, where it should" in told(x * size, x / size)
    assert "not divided by its deviation, where it should" in told(x, x / size)
    assert "where it should be divided by its variance" in told(x / size, x / size.square())
    assert "as if" not in told(1.5 * x / size, x / size)


def test_rows_of_another_deviation():
    words = (
        "the standard deviation of row 1 is 0.5 times the right one: is the formula of the "
        "variance another one?"
    )
    assert rows_of(NORMAL * torch.tensor([[1.25], [0.5]]), NORMAL) == words
    farthest = rows_of(NORMAL * torch.tensor([[1.5], [0.75]]), NORMAL)
    assert farthest.startswith("the standard deviation of row 0 is 1.5 times")
    assert rows_of(NORMAL * (1 + 1.1 * 2.0**-10), NORMAL)
    assert rows_of(NORMAL * (1 + 0.9 * 2.0**-10), NORMAL) is None  # or rounded to float16
    assert rows_of(NORMAL * (1 + 1.1 * 2.0**-13), NORMAL) is None
    assert rows_of(NORMAL * (1 + 0.9 * 2.0**-13), NORMAL).startswith("the standard deviation")
    flat = torch.cat([torch.zeros(1, 10), NORMAL[1:]])  # a row without a deviation
    assert rows_of(flat * 0.5, flat).startswith("the standard deviation of row 1 is 0.5")


def test_rows_that_are_not_normalised_say_nothing():
    assert rows_of(NORMAL * 2 + 1, NORMAL + 1) is None
    assert rows_of([[1.0], [2.0]], [[0.0], [0.0]]) is None  # one column
    assert rows_of([[1.0, 2.0]], [[-1.0, 2.0]]) is None
    assert rows_of(0.5 * probabilities(2, 9), 2 * probabilities(2, 9)) is None


def columns_of(got, right):
    """Say what `columns` says of a matrix."""
    right = torch.as_tensor(right).double()
    got = torch.as_tensor(got).float().reshape(-1)
    return wrong_numbers.columns(mismatch(got, right.reshape(-1), shape=tuple(right.shape)))


def test_columns_of_which_a_row_does_not_count():
    x = torch.linspace(-1, 2, 17 * 6).reshape(6, 17).T.double().contiguous()
    right, powers = x.softmax(dim=0), x.exp()
    first = columns_of(powers / powers[1:].sum(dim=0), right)
    assert first.startswith("each column is divided by the sum of its last 16 of 17 elements")
    got = powers / powers[2:].sum(dim=0)
    told = columns_of(got, right)
    assert told.startswith("the elements of column ") and "add up to 1.1" in told
    assert told.endswith("do not count every element of the column?")
    assert "row" not in told
    assert said(got.float().reshape(-1), right.reshape(-1), shape=(17, 6)) == told
    assert columns_of(right, right) is None
    assert columns_of(got.T, right.T) is None and rows_of(got, right) is None


def test_the_column_that_is_farthest_off_is_named():
    right = probabilities(3, 9).T
    got = right * torch.tensor([1.25, 1.5, 1.75])
    assert columns_of(got, right).startswith("the elements of column 2 add up to 1.75, not to")
    told = columns_of(torch.full((9, 3), 1 / 9), right)
    assert told.startswith("all elements of a column are alike") and "row" not in told
    mean = columns_of(NORMAL.T + torch.tensor([0.125, -0.25]), NORMAL.T)
    assert mean.startswith("the mean of column 1 is -0.25, not 0") and "row" not in mean


def test_what_is_no_matrix_of_several_rows_has_no_columns():
    right = probabilities(1, 9).T
    assert columns_of(1.5 * right, right).startswith("the elements of column 0 add up to 1.5")
    for other in (right.T, right.reshape(-1), right.reshape(3, 3, 1), 2 * right):
        assert columns_of(1.5 * other, other) is None


# ---- overflow


OVERFLOW = (
    "NaN came out of large numbers, from {} on: does something overflow on the way (infinity / "
    "infinity, infinity - infinity)?"
)


def made_nan(x, *others, dtype=torch.float32):
    """Say what is said if every element but the first comes out as NaN."""
    got = torch.full((len(x),), NAN, dtype=dtype)
    got[0] = 1.0
    inputs = [torch.tensor(numbers, dtype=dtype) for numbers in (x, *others)]
    m = mismatch(got, torch.ones(len(x)), *inputs)
    return wrong_numbers.made_nan(m) or wrong_numbers.nan_of_nothing(m)


def test_a_nan_of_large_numbers():
    assert made_nan([1.0, 45.0, -50.0]) == OVERFLOW.format("45")
    assert made_nan([1.0, 6.0, 7.0], dtype=torch.float16) == OVERFLOW.format("6")
    assert made_nan([1.0, 2.0, 3.0], [9.0, -45.0, 50.0]) == OVERFLOW.format("45")
    nothing = "NaN came out where none went in"
    assert made_nan([90.0, 44.0, 90.0]).startswith(nothing)  # exp of half of it is finite
    assert made_nan([1.0, 5.5], dtype=torch.float16).startswith(nothing)
    assert made_nan([1.0, NAN, 90.0]).startswith(nothing)
    assert made_nan([1.0, INF, INF]).startswith(nothing)


def test_what_is_only_chosen_or_moved_overflows_nowhere():
    """As of a maximum, or of a matrix that is turned."""
    x = torch.tensor([[90.0, -250.0, 80.0], [100.0, 60.0, -99.0]])
    largest = mismatch([NAN, 100.0], x.abs().amax(1), x)
    turned = mismatch([NAN, *x.T.flatten().tolist()[1:]], x.T.flatten(), x.flatten())
    for m in (largest, turned):
        assert wrong_numbers.made_nan(m) is None
        assert wrong_numbers.nan_of_nothing(m)
    scaled = mismatch([NAN, 51.0], [91.0, 51.0], torch.tensor([90.0, 50.0]))
    assert "does something overflow" in wrong_numbers.made_nan(scaled)


def test_large_numbers_explain_a_nan_even_beside_a_right_one():
    got, right = torch.tensor([NAN, NAN, 1.0]), [NAN, 1.0, 1.0]
    x = torch.tensor([NAN, 90.0, 1.0])
    assert wrong_numbers.made_nan(mismatch(got, right, x)) == OVERFLOW.format("90")
    small = torch.tensor([NAN, 2.0, 1.0])
    assert wrong_numbers.made_nan(mismatch(got, right, small)) is None
    assert wrong_numbers.made_nan(mismatch(got, right, torch.tensor([90.0]))) is None
    assert wrong_numbers.nan_of_nothing(mismatch(got, right, small)) is None


# ---- clamped


def clamped(got, expected, dtype=torch.float16):
    got = torch.tensor(got, dtype=dtype)
    return wrong_numbers.clamped(mismatch(got, torch.tensor(expected).double()))


def test_infinite_results_that_are_clamped():
    words = (
        "an infinite result comes out as 65504, the largest number{}: is it clamped to that? "
        "A result that overflows is infinite"
    )
    assert clamped([1.0, 65504, -65504], [1.0, 1e9, -INF]) == words.format("")
    both = words.format(", and NaN likewise")
    assert clamped([1.0, 65504, 65504], [1.0, INF, NAN]) == both
    toward_0 = clamped([1.0, 65504, -65504, INF], [1.0, 1e9, -1e5, INF])
    assert toward_0.startswith("a number beyond the largest one comes out as that, 65504, and")
    assert "as 3.4028235e+38," in clamped([3.4028235e38], [INF], torch.float32)


def test_a_maximum_of_infinities_starts_with_the_largest_number():
    for value in (-INF, INF):
        most = math.copysign(torch.finfo(torch.float32).max, value)
        m = mismatch(torch.tensor([most]), torch.tensor([value]).double())
        told = wrong_numbers.clamped(replace(m, inputs=(torch.full((33,), value),)))
        assert told.startswith(f"of infinities only it makes {most:.8g}: does a maximum (or a")
        told = wrong_numbers.clamped(replace(m, inputs=(torch.tensor([1.0, value]),)))
        assert told.startswith("an infinite result comes out as")


def test_what_is_not_clamped():
    assert clamped([65504.0, 5.0], [INF, 6.0]) is None  # another element is wrong, too
    assert clamped([65504.0, 65504], [INF, 5.0]) is None
    assert clamped([65504.0], [NAN]) is None  # no infinite result
    assert clamped([65472.0], [INF]) is None
    assert clamped([INF, 65504.0], [INF, 5.0]) is None
    assert wrong_numbers.clamped(mismatch([5], [6.0])) is None


# ---- the sign of zero, kinds


def test_a_zero_of_the_wrong_sign():
    lost = special([5.0, 0.0, 0.0], [5.0, -0.0, -0.0], [1.0, 1.0, 1.0])
    assert lost == (
        "only the sign of zero goes wrong: -0.0 must stay -0.0 (0.0f + x loses it, and x + "
        "0.0f too)"
    )
    made = special([5.0, -0.0], [5.0, 0.0], [1.0, 1.0])
    assert made == "only the sign of zero goes wrong: -0.0 comes out where the result is 0.0"
    assert special([5.0, 1.0], [5.0, 0.0], [1.0, 1.0]) is None
    assert special([5.0, 0.0], [5.0, 1.0], [1.0, 1.0]) is None


def test_a_zero_of_the_wrong_sign_that_is_rounded():
    def told(got, right):
        right = torch.tensor(right, dtype=torch.float64)
        wrong = [x != 5.0 for x in got]
        x = torch.tensor([1.0, -1.0])
        return wrong_numbers.special(mismatch(got, right, x, wrong=wrong))

    assert told([5.0, 0.0], [5.0, -1e-60]) == (
        "only results too small for their type go wrong, which are zeros of their own sign: is "
        "a step on the way computed in less precision?"
    )
    assert "-0.0 must stay" in told([0.0, 0.0], [-0.0, -1e-60])


@pytest.mark.parametrize(
    ("x", "which"),
    [
        ([NAN, INF], "only NaN and infinity go wrong"),
        ([-0.0, TINY], "only subnormal numbers and zeros go wrong"),
        ([NAN, -INF, TINY], "only NaN, infinity and subnormal numbers go wrong"),
        ([NAN, 0.0, TINY, INF], None),
    ],
)
def test_up_to_three_kinds_are_named(x, which):
    said = special([5.0] + [7.0] * len(x), [5.0] + [9.0] * len(x), [1.0, *x])
    assert said == (which and f"{which}: are they treated as IEEE 754 asks?")


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


def test_a_zero_times_infinity_that_is_skipped():
    a, b = torch.tensor([[0.0, 2.0], [1.0, 3.0]]), torch.tensor([[INF, 1.0], [1.0, 1.0]])
    right = (a.double() @ b.double()).flatten()

    def told(got, a=a, b=b, right=right):
        return wrong_numbers.skipped_zeros(mismatch(torch.tensor(got), right, a, b))

    words = "each wrong result should be NaN, as of 0 * inf, or inf - inf: NaN must come out."
    assert told([2.0, 2.0, INF, 4.0]).startswith(words)
    assert told([2.0, 3.0, INF, 4.0]) is None  # another one is wrong, too
    assert told([2.0, 2.0, INF, 4.0], b=b.nan_to_num(0.0, 5.0)) is None
    assert told([2.0, 2.0, INF, 4.0], b=b * math.nan) is None


def test_a_factor():
    exact = torch.arange(1.0, 9).double()
    assert wrong_numbers.factor(Mismatch(0.5 * exact.float(), exact, exact > 0)) == (
        "each wrong element is 0.5 times the right one: another factor, a formula?"
    )
    assert wrong_numbers.factor(Mismatch(exact.float() + 1, exact, exact > 0)) is None
    assert (
        wrong_numbers.factor(Mismatch(2 * exact[:7].float(), exact[:7], exact[:7] > 0)) is None
    )


def overflowed(got, right, x, wrong):
    got, x = torch.tensor(got), torch.tensor(x)
    return wrong_numbers.overflowed(
        Mismatch(got, torch.tensor(right).double(), torch.tensor(wrong), [x])
    )


def test_a_maximum_of_nothing_is_minus_infinity():
    wrong = [False, True, True]
    x, got = [1.0, 89.0, -95.0], [1.0, -INF, -INF]
    assert overflowed(got, x, x, wrong).startswith("-inf came out, where each result is")
    other = overflowed(got, [1.0, 90.0, -95.0], x, wrong)
    assert other is None or "-infinity" not in other


def test_infinity_out_of_large_numbers():
    wrong = [False, True, True]
    told = overflowed([1.0, INF, NAN], [1.0, 89.0, 95.0], [1.0, 89.0, 95.0], wrong)
    assert told == (
        "infinity came out where the result is finite, for inputs of a size from 89 on: does "
        "something overflow on the way?"
    )
    assert overflowed([1.0, 3.0, INF], [1.0, 2.0, 95.0], [1.0, 89.0, 95.0], wrong) is None
    assert overflowed([1.0, INF, INF], [1.0, INF, 95.0], [1.0, 89.0, 95.0], wrong) is None
    assert overflowed([1.0, INF, INF], [1.0, 89.0, 95.0], [1.0, 9.0, 95.0], wrong) is None
    assert overflowed([1.0, NAN, NAN], [1.0, 89.0, 95.0], [1.0, 89.0, 95.0], wrong) is None
    assert overflowed([1, 2, 3], [1, 9, 9], [1.0, 89.0, 95.0], wrong) is None


def normed(mean, wrong_by, spread=1.0):
    """Return a layer norm of two rows, the second about `mean` and off by a factor."""
    x = spread * torch.tensor([-1.0, 1.0]).repeat(2, 16)
    x[1] += mean
    right = torch.nn.functional.layer_norm(x.double(), (32,))
    got = right.clone()
    got[1] *= wrong_by
    wrong = torch.arange(64) > 31
    return mismatch(got.float().reshape(-1), right.reshape(-1), x, shape=(2, 32), wrong=wrong)


def test_a_variance_whose_terms_cancel():
    told = wrong_numbers.rows(normed(1000.0, 1.01))
    assert told.startswith("row 1, whose mean is 1,000, comes out wrong: is its variance comp")
    assert told.endswith("E[x^2] - E[x]^2? The two cancel, and their precision is lost: sum up "
                         "(x - mean)^2")  # fmt: skip
    lost = normed(1000.0, NAN)
    assert wrong_numbers.made_nan(lost) == told
    assert wrong_numbers.cancelled(normed(51.0, 1.01))
    assert wrong_numbers.cancelled(normed(50.0, 1.01)) is None
    assert wrong_numbers.cancelled(normed(50.5, 1.01))  # by the deviation of the whole row
    assert wrong_numbers.cancelled(normed(400.0, 1.01, spread=10.0)) is None
    assert wrong_numbers.cancelled(normed(1.0, 1.01, spread=0.01))
    everywhere = replace(lost, wrong=torch.ones(64, dtype=torch.bool))
    assert wrong_numbers.cancelled(everywhere) is None  # row 0 has a mean of 0
    assert wrong_numbers.rows(normed(40.0, 1.01)).startswith("the standard deviation of row 1")
    assert wrong_numbers.rows(normed(1000.0, 2.5)) == told
    softmax = replace(lost, expected=lost.expected.abs())
    assert wrong_numbers.cancelled(softmax) is None
    assert wrong_numbers.made_nan(softmax).startswith("NaN came out of large numbers, from 999")
    flat = replace(lost, shape=(64,))
    assert wrong_numbers.cancelled(flat) is None
    two = replace(lost, inputs=lost.inputs * 2)
    assert wrong_numbers.cancelled(two) is None
    assert wrong_numbers.cancelled(replace(lost, inputs=(torch.ones(64, 1),))) is None


# ---- boundaries of the patterns above


def whole_range(got, expected, dtype=torch.int32):
    got, expected = torch.tensor(got, dtype=dtype), torch.tensor(expected).double()
    return wrong_numbers.whole_range(Mismatch(got, expected, got.double() != expected))


def test_the_range_of_an_integer_ends_at_its_last_number():
    beyond = (
        "only results beyond the range of int8 go wrong: they must wrap around (modulo 2^8), "
        "not saturate"
    )
    assert whole_range([127, 5], [128, 5], torch.int8) == beyond
    assert whole_range([-128, 5], [-129, 5], torch.int8) == beyond
    assert whole_range([5, 5], [127, 5], torch.int8) is None
    assert whole_range([5, 5], [-128, 5], torch.int8) is None
    right = torch.tensor([300.0, 300.0]).double()  # one of two is right beyond the range, too
    some = Mismatch(torch.tensor([44, 127]).to(torch.int8), right, torch.tensor([False, True]))
    assert wrong_numbers.whole_range(some) is None
    assert whole_range([2.0], [1.0], torch.float32) is None
    assert whole_range([True], [0.0], torch.bool) is None


@pytest.mark.parametrize(("n", "said"), [(7, False), (8, True)])
def test_eight_whole_numbers_that_come_out_rounded(n, said):
    exact = [(1 << 24) + 2 * k + 1 for k in range(n)]
    sentence = whole_range([x + 1 for x in exact], exact)
    assert bool(sentence) == said
    if said:
        assert sentence == (
            "large whole numbers come out rounded: is it computed in a narrower precision, in "
            "float, which is exact only up to 16,777,216?"
        )


def test_up_to_which_size_and_distance_a_whole_number_counts_as_rounded():
    least = [(1 << 24) + k for k in range(10)]
    assert whole_range([x + 15 for x in least], least)
    assert whole_range([x + 16 for x in least], least) is None  # 2^-20 of them
    assert whole_range([x + 1 for x in range(10)], range(10)) is None
    at_most = [(1 << 24) - 1] * 10
    assert whole_range([x + 1 for x in at_most], at_most) is None
    negative = [-x for x in least]
    assert whole_range([x + 1 for x in negative], negative)
    few = [x + (100 if k == 0 else 1) for k, x in enumerate(least)]  # 9 of 10
    assert whole_range(few, least) is None
    longer = [(1 << 24) + k for k in range(11)]
    assert whole_range([x + (100 if k == 0 else 1) for k, x in enumerate(longer)], longer)


def factor(ratio, n=8):
    right = torch.arange(1.0, n + 1).double()
    got = right * torch.as_tensor(ratio).double()
    return wrong_numbers.factor(Mismatch(got, right, right > 0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_factor_of_rounded_numbers(dtype):
    right = torch.linspace(1, 2, 50).double()

    def told(ratio, shape=()):
        got = (ratio * right).to(dtype)
        return wrong_numbers.factor(Mismatch(got, right, right > 0, shape=shape))

    assert told(5 / 6).startswith("each wrong element is 0.83")
    assert told(5 / 6, (2, 25)) and told(5 / 6, (50,))
    assert told(5 / 6, (1, 50)) is None  # it may be a number of the row
    eps = torch.finfo(dtype).eps
    assert told(1 + 12 * eps) and told(1 - 12 * eps)
    assert told(1 + 6 * eps) is None
    assert told(1 + 0.1 * torch.linspace(1, 2, 50).double()) is None


def test_how_near_to_one_number_the_factors_must_be():
    spread = torch.ones(8).double()
    spread[0] += 0.9e-4
    assert factor(3 * spread) and factor(-3 * spread)
    spread[0] += 0.2e-4
    assert factor(3 * spread) is None and factor(-3 * spread) is None
    assert factor(1 + 1.01 * 2.0**-12) and factor(1 - 1.01 * 2.0**-12)
    assert factor(1 + 0.99 * 2.0**-12) is None and factor(1 - 0.99 * 2.0**-12) is None
    assert factor(0.0) is None and factor(INF) is None and factor(-1.0)
    assert factor(2.0, 7) is None


def test_rows_of_two_elements_have_a_mean():
    said = rows_of([[-1.0, 2.0]], [[-1.0, 1.0]])
    assert said.startswith("the mean of row 0 is 0.5, not 0")


def test_a_nan_in_one_of_two_inputs_explains_no_overflow():
    nothing = "NaN came out where none went in"
    assert made_nan([1.0, NAN, 90.0], [1.0, 90.0, 90.0]).startswith(nothing)


def test_a_right_result_beyond_the_range_is_no_saturation():
    right = torch.tensor([300.0, 5.0, 300.0]).double()
    got = torch.tensor([44, 5, 127]).to(torch.int8)
    some = Mismatch(got, right, torch.tensor([False, False, True]))
    assert wrong_numbers.whole_range(some) is None


def test_only_the_floats_among_inputs_have_special_values():
    x, k = torch.tensor([-0.0, 1.0, 2.0]), torch.tensor([1, 2, 3])
    words = "only the sign of zero goes wrong"
    some = mismatch(x + 0.0, x, x, k, wrong=[True, False, False])
    assert wrong_numbers.special(some).startswith(words)
    whole = mismatch(k.float(), k, k, wrong=[True, False, False])
    assert wrong_numbers.special(whole) is None


def test_numbers_that_are_flushed_to_a_positive_zero():
    x = torch.tensor([1.0, -0.0, 1e-40, -1e-40, 2.0, -3e-39, 4e-39, 3.0, -0.0, 5.0])
    got = torch.where(x.abs() < 1e-37, 0.0, x)
    wrong = (x != got) | ((x == 0) & x.signbit())
    told = wrong_numbers.special(mismatch(got, x, x, wrong=wrong))
    assert told.startswith("each subnormal result comes out as 0: are small numbers flushed")
    got[2], wrong[2] = x[2], False  # a subnormal number that stays
    assert "flushed" not in wrong_numbers.special(mismatch(got, x, x, wrong=wrong))


def test_sums_of_rows_that_are_rounded():
    x = random(5 * 31).reshape(5, 31).double()
    right = x.softmax(dim=1)
    off = torch.tensor([3e-5, 5e-5, 4e-5, 2e-5, 6e-5]).double()[:, None]

    def told(got):
        flat, expected = got.float().reshape(-1), right.reshape(-1)
        return str(wrong_numbers.rows(mismatch(flat, expected, x.float(), shape=(5, 31))))

    assert "rounded to a narrower precision?" in told(right * (1 - off))
    powers = 1 / right.amax(dim=1, keepdim=True)
    assert "formula another one" in told(right / (1 + 1e-3 / powers))  # an epsilon
    assert "formula another one" in told(right * (1 - 1e-3))


def test_zeros_of_which_a_comparison_is_another_one():
    x = random(64)
    x[::8] = 0.0
    got = torch.where(x >= 0, 1.0, -1.0)
    case = mismatch(got, x.double().sign(), x, reference=torch.sign)
    assert wrong_numbers.special(case).startswith("only zeros go wrong: is the formula another")


def test_zeros_from_where_exp_overflows_in_a_type_on_the_way():
    x = torch.linspace(-14, 14, 400).half()

    def silu(x):
        return x * torch.sigmoid(x)

    right = silu(x.double()).half().double()
    got = right.half()
    got[x < -11.1] = -0.0
    sentence = said(got, right, x, reference=silu, poison=0x7FDA)
    assert sentence.startswith("0 came out for inputs of a size from 11.1") and (
        "exp of more than 11.09 overflows in float16" in sentence
    )
    got = right.half()
    got[x < -12] = -0.0
    m = mismatch(got, right, x, reference=silu, poison=0x7FDA)
    assert wrong_numbers.vanished(m) is None


def test_large_integers_that_were_rounded_before_a_shift():
    generator = torch.Generator().manual_seed(3)
    x = torch.randint(1 << 26, 1 << 31, (800,), generator=generator).int()
    by = torch.randint(0, 9, (800,), generator=generator).int()

    def shifted(x, by):
        return (x / 2**by).floor()

    right = shifted(x.double(), by.double())
    got = shifted(x.float().double(), by.double()).int()
    sentence = said(got, right, x, by, reference=shifted)
    assert sentence.startswith("large whole numbers come out rounded")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_zeros_of_the_other_sign_are_no_copy_and_nothing_left_out(dtype):
    zeros, how = torch.zeros(40, dtype=dtype), {"wrong": [True] * 40, "poison": 0x7FDA}
    assert "-0.0 must stay -0.0" in said(zeros, -zeros.double(), -zeros, **how)
    assert "-0.0 comes out where" in said(-zeros, zeros.double(), zeros, **how)
    assert wrong_numbers.sign_of_zero(mismatch(zeros, zeros.double() + 1)) is None


def test_zeros_from_where_exp_overflows_without_a_known_operator():
    x, g = torch.linspace(-14, 14, 400)[random(400, 2).argsort()], random(400, 3).sign()
    right = (g * x * torch.sigmoid(x)).double()
    got = torch.where(x < -11.1, torch.tensor(0.0), right.float())
    sentence = said(got, right, g, x)
    assert sentence.startswith("0 came out for numbers of input 2 from -11.1") and (
        "exp of more than 11.09 overflows in float16" in sentence
    )
    m = mismatch(got, right, x)
    assert wrong_numbers.vanished(m).startswith("0 came out for inputs from -11.1")
    m = mismatch(torch.where(x > -11.1, got, right.float()), right, g, x)  # nothing is lost
    assert not m.wrong.any()
    others = torch.where(x < -12, torch.tensor(0.0), right.float())
    assert wrong_numbers.vanished(mismatch(others, right, g, x)) is None  # no end of a type
    some = got.clone()
    some[x.argmin()] = 1.0  # beyond it
    assert wrong_numbers.vanished(mismatch(some, right, g, x, wrong=right != got)) is None
    rows = mismatch(got, right, g, x, shape=(20, 20))
    assert wrong_numbers.vanished(rows) is None


def test_a_nan_of_zero_times_infinity_that_is_left_out():
    x, y = random(40), random(40, 1)
    y[7] = y[9] = INF
    right = x.double() + 0.0 * y.double()
    case = mismatch(x.clone(), right, x, y, reference=lambda x, y: x + 0 * y)
    told = wrong_numbers.special(case)
    assert told.startswith("only infinity goes wrong: a number comes out where NaN must come")
    got = right.float()
    got[7] = -INF  # not of a term that is left out
    case = mismatch(got, right, x, y, reference=lambda x, y: x + 0 * y)
    assert "a number comes out where NaN" not in wrong_numbers.special(case)


# ---- numbers that go in


def test_a_nan_that_must_not_count():
    x, unset = random(40), torch.full((40,), NAN)
    got = torch.full((40,), NAN)
    words = "NaN came out of input 2, whose NaN must not count here"
    assert said(got, 2 * x, x, unset).startswith(words)
    assert "none went in" in said(got, 2 * x, x, random(40, 1))


def test_what_is_nearly_right_is_no_special_value():
    unset = torch.full((1,), NAN)
    got = torch.tensor([4.4166026e9], dtype=torch.float64)
    m = mismatch(got, got - 200, random(50), unset)
    assert wrong_numbers.special(m) is None
    assert "only NaN" in wrong_numbers.special(replace(m, got=torch.tensor([5.0]).double()))


def test_zeros_that_come_of_subnormal_numbers():
    x = torch.tensor([[1e-41, 0.0, -3e-40]])
    m = mismatch(torch.zeros(3), [4.0, 0.0, -127.0], x)
    assert "are they flushed to zero, or taken for 0" in wrong_numbers.zeros_of_subnormals(m)
    for other in (torch.zeros(1, 3), x + torch.tensor([0.0, 0.0, 1.0])):
        assert wrong_numbers.zeros_of_subnormals(replace(m, inputs=(other,))) is None


def test_infinity_beside_an_input_of_integers_as_long():
    """One of the losses of rows: targets are as many."""
    losses = torch.tensor([-INF, -INF, 2.5])
    m = mismatch(losses, [1.0, 2.0, 2.5], random(12).reshape(3, 4), torch.tensor([1, 0, 3]))
    assert wrong_numbers.overflowed(m).startswith("infinity came out of finite numbers")


def test_doubles_that_are_rounded_twice_become_infinite():
    numbers = [65519.999, 65519.9999999, -65519.9999999, 65510.0, 65520.0, 1.0]
    x = torch.tensor(numbers, dtype=torch.float64)
    right = x.half().double().where(x == 65520, x.sign() * x.abs().clamp(max=65504.0))

    def told(got):
        return wrong_numbers.overflowed(mismatch(got, right, x))

    assert "rounded twice, first to a float" in told(x.float().half())
    early = x.float().half().where(x.abs() < 65000, x.sign().half() * INF)
    assert "does something overflow on the way" in told(early)


def test_swapped_operands_change_the_sign_of_a_difference():
    x, y = torch.arange(9, 60).int(), torch.tensor([3, 1, 4]).int()
    right = x - y.repeat(17)
    sentence = wrong_numbers.factor(mismatch(-right, right, x, y))
    assert sentence.endswith("a formula, or are the operands of a difference swapped?")
    assert wrong_numbers.factor(mismatch(-right, right, x)).endswith(
        "another factor, a formula?"
    )


def test_rows_and_columns_that_are_confused_stay_both():
    """In the words on columns, too."""
    x = random(6 * 9, 4).reshape(9, 6).double()
    powers = x.exp()
    told = columns_of(powers / powers[:6].sum(dim=0), x.softmax(dim=0))
    assert told.endswith("as many as there are columns: are rows and columns confused?")
    assert told.startswith("each column is divided by the sum of its first 6 of 9 elements")


def test_subnormal_numbers_that_are_rounded_twice():
    step = 2.0**-24
    right = torch.tensor([5.0, 1.3 * step, 7.6 * step, 1.0])
    got = torch.tensor([5.0, 3 * step, 6 * step, 1.0]).half()
    wrong = torch.tensor([False, True, True, False])
    told = wrong_numbers.special(mismatch(got, right, torch.ones(4).half(), wrong=wrong))
    assert told.startswith("only subnormal numbers go wrong, by one or two of the steps")
    got[1] = 0  # as a factor that is rounded to 0
    told = wrong_numbers.special(mismatch(got, right, torch.ones(4).half(), wrong=wrong))
    assert told.startswith("only subnormal numbers go wrong, by one or two of the steps")
    got[1] = 9 * step
    told = wrong_numbers.special(mismatch(got, right, torch.ones(4).half(), wrong=wrong))
    assert told.startswith("only subnormal numbers go wrong, by a few of the steps between")
    got[1] = 40 * step
    told = wrong_numbers.special(mismatch(got, right, torch.ones(4).half(), wrong=wrong))
    assert "is the formula another one for them" in told


def test_integers_have_no_variance_that_is_lost():
    x = torch.full((3, 1), -(2**31))
    got, right = torch.full((3,), -1, dtype=torch.int32), torch.zeros(3)
    assert wrong_numbers.variances(mismatch(got, right, x, shape=(3,))) is None
    assert wrong_numbers.cancelled(mismatch(got, right, x, shape=(3, 1))) is None


def test_rows_that_are_divided_by_infinity():
    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    x = x - x.mean(1, keepdim=True)
    right = x / x.std(1, keepdim=True, unbiased=False)
    sizes = torch.tensor([[1.0], [1e3], [10.0], [1e4]])

    def told(zeros, dtype=torch.float32, times=1.0):
        got = torch.where(torch.tensor(zeros)[:, None], 0, right).to(dtype)
        inputs = (x * sizes * times).to(torch.float32)
        m = mismatch(got.flatten(), right.flatten(), inputs, shape=(4, 9))
        return wrong_numbers.rows(m) or ""

    of_half = "row 1 came out as zeros, as what is divided by infinity: does its variance overf"
    assert told([False, True, False, True]).startswith(of_half)
    assert "float16, which holds no more than 65504?" in told([False, True, False, True])
    assert "as in float32, which" in told([False, False, False, True], times=1e16)
    for zeros in ([True, False, False, False], [False, True, False, False], [True] * 4):
        assert "is 0 times the right one" in told(zeros), zeros


def test_softmax_less_1_in_one_place_is_no_normalised_row():
    """Its rows have the mean 0, too, and no variance by which they are divided."""
    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(3))
    hot = torch.nn.functional.one_hot(torch.tensor([1, 4, 0, 8]), 9)
    right = x.double().softmax(1) - hot
    got = x.double().softmax(1) - hot[[0, 0, 0, 0]]
    m = mismatch(got.float().flatten(), right.flatten(), x, shape=(4, 9))
    assert wrong_numbers.rows(m) is None
    off = x.double() - x.double().mean(1, keepdim=True)
    norm = off / off.std(1, keepdim=True, unbiased=False)
    m = mismatch((2 * norm).float().flatten(), norm.flatten(), x, shape=(4, 9))
    assert "the standard deviation of row" in wrong_numbers.rows(m)
