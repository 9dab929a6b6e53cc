"""A divisor is named only if it explains every row."""

import pytest
import torch

from helpers.testing.patterns import wrong_softmax
from helpers.testing.patterns.wrong_softmax import (
    divided_by,
    divided_often,
    masked_by_a_number,
    masked_late,
    of_other_elements,
    of_some_lanes,
    own_maximum,
    sum_is_larger,
    sum_of_few_digits,
    sums_without_one,
    turned_round,
    without_itself,
)
from tests.testing.mismatches import mismatch, random


def told(divisor, rows=3):
    x = random(rows * 16).reshape(rows, 16).double()
    powers = (x - x.amax(dim=1, keepdim=True)).exp()
    right = powers / powers.sum(dim=1, keepdim=True)
    got = powers / divisor(powers).reshape(rows, 1)
    return divided_by(got, right, got.sum(dim=1))


def test_the_sum_of_the_first_elements():
    five = told(lambda powers: powers[:, :5].sum(dim=1))
    assert five == (
        "each row is divided by the sum of its first 5 of 16 elements alone: are the others "
        "left out of a loop?"
    )
    assert told(lambda powers: powers[:, :3].sum(dim=1)).endswith("rows and columns confused?")


def test_the_sum_of_all_but_the_first():
    assert told(lambda powers: powers[:, 1:].sum(dim=1)) == (
        "each row is divided by the sum of its last 15 of 16 elements: is the first left out, "
        "where the loop of the sum begins?"
    )
    assert "first left out" not in str(told(lambda powers: powers[:, 2:].sum(dim=1)))


def test_a_sum_in_an_integer():
    whole = told(lambda powers: powers.sum(dim=1).trunc())
    assert whole.endswith("is the sum held in an integer, or truncated?")


def test_what_explains_not_every_row_is_not_named():
    def one_row(powers):
        return torch.cat([powers[:1, :5].sum(dim=1), powers[1:].sum(dim=1) * 1.3])

    assert told(one_row) is None
    assert told(lambda powers: powers.sum(dim=1)) is None
    assert told(lambda powers: powers[:, :5].sum(dim=1), rows=1) is None


def test_columns_that_are_not_divided():
    def of_columns(count):
        x = random(48).reshape(3, 16).double()
        powers = (x - x.amax(dim=1, keepdim=True)).exp()
        right = powers / powers.sum(dim=1, keepdim=True)
        got = torch.cat([right[:, :count], powers[:, count:]], dim=1)
        return divided_by(got, right, got.sum(dim=1))

    assert of_columns(3).endswith("as many as there are rows: are rows and columns confused?")
    assert of_columns(5).startswith("the first 5 of 16 elements of each row are right, and")
    assert of_columns(16) is None


def test_powers_that_are_not_divided():
    plain = told(lambda powers: torch.ones(3).double())
    assert plain.endswith("which nothing divides by their sum: is the formula another one?")


# ---- the sum of some lanes


def of_lanes(key, is_log, n=70):
    x = random(3 * n).reshape(3, n).double()
    powers = (x - x.amax(dim=1, keepdim=True)).exp()
    key = key(torch.arange(n))
    sums = (powers[:, None] * (key[:, None] == key)).sum(2)
    got, right = powers / sums, x.softmax(1)
    if is_log:
        got, right = got.log(), x.log_softmax(1)
    return of_some_lanes(mismatch(got.float().flatten(), right.flatten(), x, shape=(3, n)))


@pytest.mark.parametrize("is_log", [False, True])
def test_the_sum_of_some_lanes(is_log):
    assert of_lanes(lambda at: at % 32 // 16, is_log) == (
        "each element's sum is that of 16 lanes of a warp, those next to each other: the "
        "others are left out. Do the shuffles go through all distances, 16, 8, 4, 2 and 1?"
    )
    assert "of 8 lanes of a warp, those 4 apart" in of_lanes(lambda at: at % 4, is_log)
    assert "that of one lane: " in of_lanes(lambda at: at % 32, is_log)
    assert of_lanes(lambda at: at % 32 // 20, is_log) is None
    assert of_lanes(lambda at: at % 32 // 16, is_log, n=16) is None
    assert of_lanes(lambda at: at, is_log, n=32) is None  # each by itself
    assert of_lanes(lambda at: at, is_log, n=3) is None


@pytest.mark.parametrize("threads", [64, 256])
def test_the_sum_of_one_warp(threads):
    told = of_lanes(lambda at: at % threads // 32, False, n=300)
    assert told == (
        "each element's sum is that of 32 elements next to each other, as of its own warp: the "
        "others are left out. Are the sums of a block's warps added up, for all of them?"
    )


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("n", [3, 32, 70])
def test_the_sum_of_shuffles_down(is_log, n):
    def said(change):
        x = random(3 * n).reshape(3, n).double()
        powers = (x - x.amax(dim=1, keepdim=True)).exp()
        lanes = torch.arange(n) % 32
        sums = torch.zeros(3, 32).double().index_add(1, lanes, powers)
        for distance in (16, 8, 4, 2, 1):
            other = torch.arange(32) + distance
            sums = sums + sums[:, torch.where(other < 32, other, torch.arange(32))]
        got, right = change(powers / sums[:, lanes]), x.softmax(1)
        if is_log:
            got, right = got.log(), x.log_softmax(1)
        wrong = mismatch(got.float().flatten(), right.flatten(), x, shape=(3, n))
        return wrong_softmax.shuffled_down(wrong)

    assert "leaves the sum of a warp there" in said(lambda y: y)
    assert said(lambda y: y * 1.5) is None


def divided(times, rows=3, columns=6, log=False):
    """Return what is said of rows that are divided so often by their sums, if anything."""
    x = random(rows * columns).reshape(rows, columns)
    powers = (x - x.amax(dim=1, keepdim=True)).double().exp()
    got = powers / powers.sum(dim=1, keepdim=True) ** times
    right = x.double().softmax(dim=1)
    got, right = (y.log() if log else y for y in (got, right))
    shape = (rows, columns)
    m = mismatch(got.float().reshape(-1), right.reshape(-1), x, shape=shape)
    return divided_often(m)


@pytest.mark.parametrize("log", [False, True])
def test_a_sum_by_which_each_thread_divides(log):
    for times in (2, 32, torch.tensor([[32.0]])):
        told = divided(times, log=log)
        count = 2 if isinstance(times, int) and times == 2 else 32
        assert told.startswith(f"each row is divided by its sum more than once, {count} times")
    assert divided(32, columns=300, log=log) is None or log  # all came out as 0
    for other in (1, 1.5, 0, torch.tensor([[2.0], [3.0], [2.0]])):
        assert divided(other, log=log) is None
    assert divided(2, rows=1, log=log) is None


# ---- masks


def of_causal(find, made, x=None, shape=(2, 5, 7), dtype=torch.float32):
    """Ask of a causal softmax; made: of the numbers, and of which are seen."""
    x = random(torch.Size(shape).numel()).reshape(shape) if x is None else x
    seen = torch.ones(shape[1:]).tril().bool()
    right = x.double().masked_fill(~seen, -torch.inf).softmax(dim=-1)
    got = made(x.double(), seen).to(dtype)
    wrong = ~((got.double() - right).abs() < 1e-6).flatten()
    m = mismatch(got.flatten(), right.flatten(), x, wrong=wrong, shape=shape)
    return find(m)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(2, 5, 7), (1, 7, 5)])
def test_a_mask_that_leaves_out_the_diagonal(dtype, shape):
    def strict(x, seen):
        return x.masked_fill(~seen.tril(-1), -torch.inf).softmax(dim=-1)

    def other(x, seen):
        return x.masked_fill(~seen.tril(-2), -torch.inf).softmax(dim=-1)

    told = of_causal(without_itself, strict, shape=shape, dtype=dtype)
    assert told.startswith(
        "the elements on the diagonal come out as 0, and are left out of the"
    )
    assert of_causal(without_itself, other, shape=shape, dtype=dtype) is None

    def with_zeros(x, seen):
        return strict(x, seen).nan_to_num(0.0)

    assert told.endswith("A row that has no other element is NaN")
    told = of_causal(without_itself, with_zeros, shape=shape, dtype=dtype)
    assert told.endswith("(<=)? A row that has no other element is 0")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(2, 5, 7), (1, 7, 5), (1, 6, 6)])
def test_a_mask_that_comes_behind_the_softmax(dtype, shape):
    def late(x, seen):
        return x.softmax(dim=-1) * seen

    def of_twice(x, seen):
        return (2 * x).softmax(dim=-1) * seen

    told = of_causal(masked_late, late, shape=shape, dtype=dtype)
    assert told.startswith("elements that are masked come out as 0, and count in the sums of")
    assert of_causal(masked_late, of_twice, shape=shape, dtype=dtype) is None
    assert of_causal(masked_late, lambda x, seen: x.softmax(-1), shape=shape) is None


def test_a_late_mask_of_scaled_numbers_is_an_input():
    x, mask = random(60).reshape(6, 10), random(60, 1).reshape(6, 10) > -0.5
    right = (x.double() / 4).masked_fill(~mask, -torch.inf).softmax(dim=-1)
    got = (x.double() / 4).softmax(dim=-1) * mask
    m = mismatch(got.float().flatten(), right.flatten(), x, mask, shape=(6, 10))
    assert "Is the formula that of a mask behind the softmax?" in masked_late(m)


def test_a_mask_of_a_finite_number():
    def of_number(x, seen, number=-10.0):
        return x.masked_fill(~seen, number).softmax(dim=-1)

    words = "elements that are masked, and should be 0, come out as one number in each row"
    x = random(70).reshape(2, 5, 7)
    assert of_causal(masked_by_a_number, of_number, x - 9).startswith(words)
    equal = torch.full((2, 5, 7), -40000.0)
    assert of_causal(masked_by_a_number, of_number, equal).startswith(words)
    for other in (x, equal):  # which is no mask at all
        assert of_causal(masked_by_a_number, lambda x, seen: x.softmax(-1), other) is None


def seen(x, keep):
    """Return the softmax of what is kept, float64."""
    return torch.where(keep, x.double(), -torch.inf).softmax(dim=-1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_mask_that_is_another_one(dtype):
    x = random(2 * 9 * 9, 3).reshape(2, 9, 9).to(dtype)
    lower = torch.ones(9, 9).tril().bool()
    right = seen(x, lower)

    def said(got):
        m = mismatch(got.to(dtype).flatten(), right.flatten(), x, shape=(2, 9, 9))
        return of_other_elements(m)

    first_head_only = torch.stack([lower, torch.ones(9, 9).bool()])
    assert said(seen(x, first_head_only)) == (
        "row 9 is the softmax of 9 of its elements, and should be that of 1: is the formula of "
        "the mask another one (a comparison, or the number of a row or column in it)?"
    )
    assert said(seen(x, torch.ones(9, 9).tril(1).bool())).startswith(
        "row 0 is the softmax of 2"
    )
    assert said(seen(x, torch.ones(9, 9).tril(-1).bool() | torch.eye(9).bool())) is None
    assert said(torch.where(first_head_only, x.double().softmax(dim=-1), 0.0)) is None
    alike = seen(x, first_head_only)
    alike[1, 8] = alike[1, 8].flip(0)
    assert said(alike) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("shape", [(12, 9), (2, 6, 9)])
def test_a_maximum_of_some_elements(dtype, shape):
    x = random(12 * 9, 5).reshape(shape).to(dtype)
    keep = torch.ones(shape).bool() if len(shape) == 2 else torch.ones(6, 9).tril().bool()
    right = seen(x, keep)

    def said(taken, scale=1.0):
        powers = torch.where(keep, (scale * x.double() - taken).exp(), 0.0)
        got = powers / powers.sum(dim=-1, keepdim=True)
        return own_maximum(mismatch(got.to(dtype).flatten(), right.flatten(), x, shape=shape))

    wide = x.double().where(keep, -torch.inf)
    behind = wide.flip(-1).cummax(dim=-1).values.flip(-1).nan_to_num(neginf=0.0)
    assert said(behind).startswith(
        "each row adds up to 1, as it should, but from some of its elements a number was taken "
        "off that is not the row's largest: are elements left out of the maximum"
    )
    assert said(wide.amax(dim=-1, keepdim=True)) is None
    assert said(wide.mean().nan_to_num(neginf=0.0)) is None  # one number for all
    assert said(0.0, 2.0) is None  # other powers
    assert said(behind + 0.1 * random(behind.numel(), 6).reshape(shape)) is None


def test_a_sum_without_the_diagonal_or_the_first_column():
    x = random(3 * 6 * 6).reshape(3, 6, 6)
    seen = torch.ones(6, 6).tril().bool()
    right = torch.where(seen, x.double(), -torch.inf).softmax(dim=-1)
    for lost, words in (
        (torch.eye(6), "element on the diagonal is left out"),
        (torch.eye(6)[0].expand(6, 6), "element in column 0 is left out"),
    ):
        made = torch.where(seen, right / (1 - (right * lost).sum(-1, keepdim=True)), 0.0)
        m = mismatch(made.float().flatten(), right.flatten(), x, shape=(3, 6, 6))
        assert words in sums_without_one(m)
    m = mismatch((right / 2).float().flatten(), right.flatten(), x, shape=(3, 6, 6))
    assert sums_without_one(m) is None
    steep = torch.where(torch.eye(6).bool(), 0.0, -40.0).expand(3, 6, 6)
    right = torch.where(seen, steep.double(), -torch.inf).softmax(dim=-1)
    got = torch.where(right < 0.5, 1.01 * right, right)  # without the diagonal nothing is left
    m = mismatch(got.float().flatten(), right.flatten(), steep, shape=(3, 6, 6))
    assert sums_without_one(m) is None


def test_rows_of_two_tell_nothing_of_the_end_of_a_loop():
    x = torch.tensor([[0.0, 1.0], [0.5, -1.0], [2.0, 0.25], [-1.0, 1.5]]).double()
    powers = x.exp()
    right = powers / powers.sum(1, keepdim=True)
    got = powers / powers[:, :1]
    assert divided_by(got, right, got.sum(1)) is None
    x = torch.cat([x, x.flip(1) - 1], dim=1)
    powers = x.exp()
    got, right = powers / powers[:, :1], powers / powers.sum(1, keepdim=True)
    assert "of its first 1 of 4 elements alone" in divided_by(got, right, got.sum(1))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_a_difference_that_is_turned_round(dtype):
    x = random(4 * 31).reshape(4, 31).to(dtype)
    off = x.double().amax(1, keepdim=True) - x.double()
    sums = (-off).exp().sum(1, keepdim=True)
    right = (-off).exp() / sums

    def said(got):
        return turned_round(
            mismatch(got.to(dtype).flatten(), right.flatten(), x, shape=(4, 31))
        )

    assert said(off.exp() / sums).endswith(
        "is a difference turned round, its operands swapped?"
    )
    assert said(off.exp()) is not None  # whatever divides it
    assert said((2 * off).exp() / sums) is None
    assert said((-off).exp()) is None  # nothing is turned round
    assert said(torch.where(off == 0, 2.0, off.exp() / sums)) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("is_log", [False, True])
def test_a_sum_that_starts_with_another_number(dtype, is_log):
    x = random(4 * 31).reshape(4, 31).to(dtype)
    powers = (x.double() - x.double().amax(1, keepdim=True)).exp()
    sums = powers.sum(1, keepdim=True)

    def said(divisor):
        made, right = ((y.log() if is_log else y) for y in (powers / divisor, powers / sums))
        of = (made.to(dtype).flatten(), right.flatten())
        return sum_is_larger(mismatch(*of, x, shape=(4, 31)))

    for more, words in ((2, "2"), (32, "32"), (0.5, "0.5")):
        assert said(sums + more) == (
            f"each row is divided by {words} more than the sum of its powers: does that sum, "
            "or a thread's share of it, start with another number than 0?"
        )
    assert said(sums * 1.5) is None
    assert said(sums - 1) is None  # without the largest
    assert said(sums + torch.tensor([2.0, 2, 2, 3])[:, None]) is None


@pytest.mark.parametrize("held", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("is_log", [False, True])
def test_a_sum_that_is_held_in_16_bits(held, is_log):
    x = random(4 * 31).reshape(4, 31)
    powers = (x.double() - x.double().amax(1, keepdim=True)).exp()
    sums = powers.sum(1, keepdim=True)

    def said(divisor):
        made, right = ((y.log() if is_log else y) for y in (powers / divisor, powers / sums))
        return sum_of_few_digits(
            mismatch(made.float().flatten(), right.flatten(), x, shape=(4, 31))
        )

    few = sums.to(held).double()
    assert said(few).startswith(f"each row is divided by a sum that {str(held)[6:]} holds, ")
    few[2] *= 1 + 1e-4
    assert said(few) is None
    assert said(sums.round()) is None  # an integer
