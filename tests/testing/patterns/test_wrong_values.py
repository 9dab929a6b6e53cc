"""A wrong output by its values: bounds, a few numbers of an input, counts in other places."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import Mismatch
from helpers.testing.patterns import wrong_values
from tests.testing.mismatches import mismatch, random, said

INF, NAN = math.inf, math.nan


def test_a_range_that_is_limited_at_another_number():
    x = torch.arange(-40, 40, dtype=torch.float32)
    right = x.clamp(-20, 20)

    def clamp(x):
        return x.clamp(-20, 20)

    got = x.clamp(-20, 25)
    sentence = said(got, right, x, reference=clamp)
    assert sentence.startswith("only what should be 20, the largest of all results, goes wrong")
    assert "comes out as" not in sentence
    some = mismatch(torch.where(x > 19, 25.0, x.clamp(min=-20)), right, x, reference=clamp)
    assert "goes wrong, and comes out as 25: is" in wrong_values.limited(some)
    assert wrong_values.limited(replace(some, reference=None)) is None
    wrong = some.wrong.clone()
    wrong[-10:] = False  # half of those at the bound are right
    assert wrong_values.limited(replace(some, wrong=wrong)) is None


def test_the_least_of_some_integers_is_no_limit_if_larger_inputs_have_less():
    """Of casts of small numbers -1 is the least result, at which nothing is limited."""
    x = torch.linspace(-1.4, 1.4, 41)
    got = (x + 0.5).trunc().to(torch.int8)
    m = mismatch(got, x.double().round(), x, reference=torch.round)
    assert wrong_values.limited(m) is None
    at_least = wrong_values.limited(replace(m, reference=lambda x: x.clamp(min=-1).round()))
    assert at_least.startswith(
        "only what should be -1, the smallest of all results, goes wrong"
    )


def test_products_that_cancel_tell_of_no_limit():
    a, b = torch.full((8, 2), 4000.0), torch.tensor([[3000.0], [-3000.0]])
    a[::2, 1] = 1.0
    right = a.double() @ b.double()
    got = right.flatten().clone()
    got[1::2] = 1.0
    m = mismatch(got.half(), right.flatten(), a.half(), b.half(), shape=(8, 1))
    m = replace(m, wrong=right.flatten() == 0)
    assert wrong_values.products_cancel(m) and wrong_values.should_be_zero(m) is None
    got[1::2] = 2.0**20
    m = replace(m, got=got.float())
    assert not wrong_values.products_cancel(m)
    assert "only elements that should be 0 go wrong" in wrong_values.should_be_zero(m)


def test_a_nan_is_no_number_at_a_limit():
    """Many NaN are one input: what they should become may be the least of an integer type."""
    x = torch.cat([torch.full((20,), NAN), torch.linspace(-20, 300, 40)])
    exact = x.double().nan_to_num(0).clamp(0, 255).round()
    got = torch.where(x.isnan(), 255, exact).to(torch.uint8)
    case = Mismatch(got, exact, got.double() != exact, [x], reference=torch.clone)
    assert wrong_values.limited(case) is None
    assert wrong_values.special_inputs(case).startswith("only NaN goes wrong")


def test_what_only_comes_near_to_a_bound_is_not_limited():
    x = torch.linspace(9.1, 12, 40)
    beside = torch.cat([torch.linspace(-3, 3, 40), x])
    right = beside.double().tanh()
    got = torch.where(beside > 9, 1.5, right.float())
    m = mismatch(got, right, beside, wrong=beside > 9, reference=torch.tanh)
    assert bool((right.float()[40:] == 1).all()) and wrong_values.limited(m) is None


def test_a_byte_that_wraps_in_one_lane():
    a = torch.arange(0, 240, 3).to(torch.uint8)
    exact = (a.double() + 100).clamp(max=255)
    got = exact.to(torch.uint8)
    got[2::4] = (a + 100)[2::4]
    sentence = said(got, exact, a, reference=lambda x: (x + 100).clamp(max=255), poison=7)
    assert sentence.startswith("only what should be 255, the largest of all results")


def test_an_input_of_which_few_values_are_right():
    mask = torch.arange(200).to(torch.uint8) % 50
    x = random(200)
    right = torch.where(mask != 0, x, 0 * x)
    got = torch.where(mask == 1, x, 0 * x)
    m = mismatch(got, right, x, mask)
    assert wrong_values.few_values(m).startswith(
        "right only for elements whose input 2 is 0 or 1: are all other values"
    )
    assert wrong_values.few_values(replace(m, inputs=(x, mask.float()))) is None
    each = replace(m, inputs=(torch.arange(len(x)),), wrong=torch.arange(len(x)) > 2)
    assert wrong_values.few_values(each) is None  # each is right once
    assert wrong_values.few_values(mismatch(got[:32], right[:32], x[:32], mask[:32])) is None


def test_an_element_that_counts_itself():
    x = random(60).reshape(6, 10)
    before = x.double().cumsum(1) - x.double()
    told = "each wrong element is off by its own element of input 1: is it "
    got = x.double().cumsum(1).flatten()
    m = mismatch(got, before.flatten(), x, shape=(6, 10))
    assert wrong_values.off_by_input(m).startswith(told + "counted though")
    back = mismatch(before.flatten(), got, x, shape=(6, 10))
    assert wrong_values.off_by_input(back).startswith(told + "left out")
    assert wrong_values.off_by_input(replace(m, got=got + 1)) is None
    large = torch.arange(1.0, 20.0) * 1e18
    own = large.long() + (1 << 33)  # of which a float has less
    assert wrong_values.off_by_input(mismatch(large * 1e-9, large, own)) is None
    below = -torch.arange(1.0, 20)  # of which 0 comes out, as the largest number
    zeros = mismatch(torch.zeros(19), below, below)
    assert wrong_values.off_by_input(zeros) is None
    mixed = torch.arange(-9.5, 9.5)
    assert wrong_values.off_by_input(mismatch(torch.zeros(19), mixed, mixed))


def test_counts_in_other_places():
    right = torch.arange(1, 17)
    got = right.clone()
    got[:8] += got[8:]
    got[8:] = 0
    m = mismatch(got.int(), right, torch.zeros(100))
    told = "all add up to 136, as they should, but 8 of 16 are 0, the first at index 8"
    assert wrong_values.elsewhere(m).startswith(told)
    got[0] += 1
    assert wrong_values.elsewhere(mismatch(got.int(), right, torch.zeros(100))) is None


def test_wrong_elements_that_are_one_number():
    x = random(100)
    got = x.clamp(max=1.0)

    def told(got, right=x):
        return wrong_values.alike(mismatch(got, right, x))

    assert told(got).startswith(
        "each wrong element is 1, whatever it should be: is the formula"
    )
    assert told(torch.ones(100)) is None  # a constant is told by another
    got[:2] = torch.where(x[:2] < 1, 2.0, 3.0)
    assert told(got) is None
    few = x.clone()
    few[:3] = 9.0
    assert told(few) is None
    few[3] = 9.0
    assert told(few).startswith("each wrong element is 9, whatever")
    assert told(few, torch.where(few == 9, 7.0, x)) is None  # one number is taken for another


PAIRS = random(400, 21).round(decimals=1), random(400, 22).round(decimals=1)


def compared(got, right, *inputs):
    return wrong_values.comparison(mismatch(got, right, *inputs))


def test_another_comparison_is_named():
    a, b = PAIRS
    told = "each element tells whether input 1"
    assert compared(a >= b, a > b, a, b) == (
        f"{told} >= input 2, not whether input 1 > input 2: is the formula of the comparison "
        "another one?"
    )
    within = compared((a > b) | (a < 1), (a > b) & (a < 1), a, b, torch.ones(400))
    assert within.startswith(
        f"{told} > input 2 or input 1 < input 3, not whether input 1 > inp"
    )
    assert compared(a != 0, a > 0, a).startswith(f"{told} != 0, not whether input 1 > 0")
    both, either = (a > 0) & (b > 0), (a > 0) | (b > 0)
    assert f"{told} > 0 or input 2 > 0, not whether" in compared(either, both, a, b)
    assert "the opposite of what it should be" in compared(a <= b, a > b, a, b)
    as_numbers = compared((a >= b).float(), (a > b).float(), a, b)
    assert as_numbers.startswith(f"{told} >= input 2")


def test_only_equal_or_near_numbers_go_wrong():
    a, b = PAIRS
    right = (a.abs() + b.abs() > 1) & (a < b)
    assert "whose inputs 1 and 2 are equal" in compared(right | (a == b), right, a, b)
    near = (a - b).abs() < 0.15
    assert "differ by up to 0.1: are they compared with a tolerance?" in compared(
        right | near, right & ~near, a, b
    )
    assert compared(right | (a > 1), right, a, b) is None
    assert compared(a, a > b, a, b) is None  # no truth values
    assert compared(a[:20] >= b[:20], a[:20] > b[:20], a[:20], b[:20]) is None


def test_only_special_inputs_of_no_float_go_wrong():
    x = random(100)
    x[::10], x[5::50], x[3::50] = float("nan"), float("inf"), 0.0

    def told(right, kinds):
        wrong = torch.zeros(100, dtype=torch.bool)
        for kind in kinds:
            wrong |= kind(x)
        return wrong_values.special_inputs(mismatch(right ^ wrong, right, x))

    zero = torch.zeros_like
    assert "every comparison is false, and != is true" in told(x > 0, [torch.isnan])
    assert "whose input is infinite:" in told(x > 0, [torch.isinf])
    assert "whose input is NaN or zero:" in told(x > 0, [torch.isnan, lambda x: x == 0])
    assert told(x > 0, [lambda x: x > 1]) is None
    whole = mismatch(x.isnan().int(), 2 + zero(x).int(), x, wrong=x.isnan())
    assert "fmaxf, fminf and comparisons drop it" in wrong_values.special_inputs(whole)
    floats = mismatch(x.isnan().float(), zero(x), x)
    assert wrong_values.special_inputs(floats) is None


def test_only_what_should_be_zero_goes_wrong():
    x = random(64, 2).reshape(8, 8)
    right = x.triu().flatten()
    m = mismatch(x.flatten(), right, x, shape=(8, 8))
    assert "only elements that should be 0 go wrong" in wrong_values.should_be_zero(m)
    assert wrong_values.should_be_zero(replace(m, reference=torch.triu)) is None
    other = right.clone()
    other[0] += 1
    assert wrong_values.should_be_zero(mismatch(other, right, x, shape=(8, 8))) is None
    everywhere = mismatch(x.flatten(), torch.zeros(64), x, shape=(8, 8))
    assert wrong_values.should_be_zero(everywhere) is None
    tiny = torch.where(right == 0, torch.finfo(torch.float32).tiny, right)
    told = wrong_values.should_be_zero(mismatch(tiny, right, x, shape=(8, 8)))
    assert "FLT_MIN of its type, comes out in the place of 0: does a maximum start" in told


def test_places_that_should_be_0_are_no_limit():
    """Of equal numbers the first is at 0, and others may be taken."""
    x = torch.ones(12, 5)
    right, got = torch.zeros(12), torch.full((12,), 4)
    right[3] = got[3] = 2
    assert wrong_values.should_be_zero(mismatch(got.int(), right, x)) is None
    got[5] = 5  # beyond the row
    assert wrong_values.should_be_zero(mismatch(got.int(), right, x)) is not None
    assert wrong_values.should_be_zero(mismatch(got.float(), right, x)) is not None


def test_numbers_out_of_a_narrower_integer():
    x = torch.cat([torch.arange(-100, 100), torch.arange(40_000, 40_016)])
    got = x.to(torch.int16).double()
    sentence = wrong_values.magnitude(Mismatch(got, x.double(), got != x, [x]))
    assert sentence.startswith("right for numbers up to 100, wrong from 40,000 on")
    assert wrong_values.magnitude(Mismatch(got, x.double(), x > 50, [x])) is None


def test_a_formula_that_is_another_one_on_one_side():
    x = torch.linspace(-4, 4, 81)
    exact = torch.where(x < 0, x * 0.125, x).double()
    got = torch.where(x < 0, x * 0.25, x)
    sentence = wrong_values.half_line(Mismatch(got, exact, got != exact, [x]))
    assert sentence.startswith("only negative inputs go wrong")
    clamped = Mismatch(x.clamp(-2, 2), x.clamp(-1, 1).double(), x.abs() > 1.01, [x])
    assert wrong_values.half_line(clamped).startswith(
        "right for inputs up to 1, wrong from 1.1"
    )
    assert wrong_values.half_line(Mismatch(got, exact, x == x, [x])) is None


def test_the_size_of_integers_that_come_out_of_floats():
    x = torch.cat([torch.linspace(-99.5, 99.5, 40), torch.linspace(4e4, 5e4, 9)])
    got = x.int().to(torch.int16).int()
    wrong = got != x.int()
    told = wrong_values.magnitude(Mismatch(got, x.double(), wrong, [x]))
    assert told.startswith("right for numbers up to 100, wrong from 40,000 on")
    assert "a narrower integer type" in told
    assert wrong_values.magnitude(Mismatch(got.float(), x.double(), wrong, [x])) is None
    assert wrong_values.magnitude(Mismatch(got > 0, x.double(), wrong, [x])) is None


def magnitude(x, wrong, dtype=torch.int64):
    x = torch.tensor(x, dtype=dtype)
    return wrong_values.magnitude(
        Mismatch(torch.zeros(len(x)), torch.ones(len(x)).double(), x.abs() >= wrong, [x])
    )


def test_the_size_from_which_integers_go_wrong():
    words = (
        "right for numbers up to 7, wrong from 9 on: do they pass through a narrower integer "
        "type, or out of its range?"
    )
    assert magnitude([*range(8), 9], 9) == words
    assert magnitude([0, -1, 2, -3, 4, -5, 6, -7, -9], 9) == words
    assert magnitude([*range(7), 9], 9) is None  # seven right ones
    assert magnitude([*range(8), 9], 9, torch.float32) is None
    sizes = torch.tensor([*range(8), 7])
    alike = Mismatch(torch.zeros(9), torch.ones(9).double(), torch.arange(9) == 8, [sizes])
    assert wrong_values.magnitude(alike) is None  # 7 is right once, and wrong once
    one = torch.tensor([1])
    short = Mismatch(torch.zeros(1), torch.ones(1).double(), one > 0, [one])
    assert wrong_values.magnitude(short) is None


def test_the_largest_of_several_integers_counts():
    small, large = torch.arange(9), torch.tensor([0] * 8 + [500])
    some = Mismatch(torch.zeros(9), torch.ones(9).double(), large > 0, [small, large])
    assert wrong_values.magnitude(some).startswith("right for numbers up to 7, wrong from 500")


def half_line(x, wrong, *others):
    x = torch.as_tensor(x)
    got, right = torch.zeros(len(x)), torch.ones(len(x)).double()
    return wrong_values.half_line(Mismatch(got, right, torch.as_tensor(wrong), [x, *others]))


def test_eight_others_must_be_right():
    for others, sign in ((7, ""), (8, "negative")):
        x = torch.cat([torch.full((80,), -1.0), torch.ones(others)])
        assert wrong_values.one_sign(x, torch.arange(80 + others) < 72) == sign


@pytest.mark.parametrize(("k", "is_set"), [(0, True), (0, False), (3, True)])
def test_elements_whose_integer_has_a_bit(k, is_set):
    x = torch.arange(1, 65)
    wrong = ((x >> k & 1) == 1) == is_set
    got = torch.where(wrong, 7.5, x.float())
    words = f"only elements go wrong whose input 1 has bit {k} {'set' if is_set else 'clear'}"
    assert wrong_values.bit(mismatch(got, x, x)).startswith(words)
    got[x == 21 + is_set] = 7.5
    got[x == 28 - 3 * is_set] = 7.5
    assert wrong_values.bit(mismatch(got, x, x.float())) is None


def test_nearly_all_inputs_of_one_sign():
    x = torch.linspace(-20, 19, 40)
    words = "only {} inputs go wrong, and nearly all of them: is the formula another one there?"
    assert half_line(x, x < 0) == words.format("negative")
    assert half_line(x, x > 0) == words.format("positive")
    some = x < 0
    some[:2] = False  # 18 of 20
    assert half_line(x, some) == words.format("negative")
    some[2] = False
    share = "only negative inputs go wrong, and {} of 20: is the formula another one there?"
    assert half_line(x, some) == share.format(17)
    some[:8] = False
    assert half_line(x, some) == share.format(12)
    some[8] = False
    assert half_line(x, some) is None
    two = "only elements go wrong whose input {} is negative, and nearly all of them: is the"
    assert half_line(x, x < 0, -x).startswith(two.format(1))
    assert half_line(torch.ones(40), x < 0, x).startswith(two.format(2))
    assert half_line(x, x > 10, x) is None  # in order: the place may matter
    assert half_line(x[4:36], (x < 0)[4:36]) is None  # 32 elements
    assert half_line(x[4:37], (x < 0)[4:37]) == words.format("negative")
    one_more = (x < 0) | (x == 19)
    assert half_line(x, one_more) is None


def test_a_few_inputs_of_one_sign_say_nothing():
    x = torch.cat([torch.full((32,), -1.0), torch.ones(7)])
    assert half_line(x, x < 0) is None  # seven right ones
    x = torch.cat([torch.ones(1), x])
    assert half_line(x, x < 0).startswith("only negative")
    few = torch.cat([torch.full((8,), -1.0), torch.ones(32)])
    assert not half_line(few, few < 0).startswith("only negative")  # 0.9 * 8 is less than 8
    nine = torch.cat([torch.full((9,), -1.0), torch.ones(32)])
    assert half_line(nine, nine < 0).startswith("only negative")


def test_the_size_from_which_inputs_go_wrong():
    x = torch.linspace(-20, 19, 40)
    words = "right for inputs up to {}, wrong from {} on{}: is the formula another one there?"
    assert half_line(x, x.abs() > 10) == words.format(10, 11, " (their absolute values)")
    assert half_line(x, x > 10) == words.format(10, 11, "")
    assert half_line(x, x < -10) == words.format(10, 11, " (negated)")
    clamped = words.replace(":", ", where all are clamped to 20:", 1).format(10, 11, "")
    got = torch.where(x > 10, 20.0, 1.0)
    some = Mismatch(got, torch.ones(len(x)).double(), x > 10, [x])
    assert wrong_values.half_line(some) == clamped
    signs = torch.where(x.abs() > 10, 20 * x.sign(), 1.0)
    some = Mismatch(signs, torch.ones(len(x)).double(), x.abs() > 10, [x])
    assert "where all are clamped to -20 or 20, by their sign" in wrong_values.half_line(some)
    assert half_line(x, x > 12) is None  # seven wrong ones
    assert half_line(x, x > 11) == words.format(11, 12, "")
    assert half_line(x, x > -13) == words.format(-13, -12, "")
    assert half_line(x, x > -14) is None  # seven right ones
    both = x.abs() > 10
    both[20] = True
    assert half_line(x, both) is None
    x = torch.cat([x, torch.tensor([INF, NAN])])
    assert half_line(x, (x.abs() > 10) & x.isfinite()) == words.format(
        10, 11, " (their absolute values)"
    )


def test_both_limits_of_an_integer_type():
    x = torch.linspace(-500, 700, 121)

    def saturate(x):
        return x.round().clamp(0, 255)

    got = x.round().to(torch.int64).to(torch.uint8)
    case = mismatch(got, saturate(x.double()), x, reference=saturate)
    assert wrong_values.limited(case).startswith("only what should be 0 or 255, the limits of")
    got[60] += 1  # an element within
    case = mismatch(got, saturate(x.double()), x, reference=saturate)
    assert wrong_values.limited(case) is None


def test_integers_that_all_lie_beyond_an_end():
    x = torch.cat([-torch.arange(300.0, 320), torch.arange(300.0, 340)])
    right = torch.where(x > 0, 255.0, 0.0)
    got = torch.where(x > 0, x % 256, 0).to(torch.uint8)
    case = mismatch(got, right, x.view(5, 12))
    assert wrong_values.limited(case).startswith("only what should be 255, the largest of all")
    ones = torch.where(x > 0, 1, 0).to(torch.uint8)  # truth values are no range
    assert wrong_values.limited(mismatch(0 * ones, ones.double(), x)) is None
    assert wrong_values.limited(mismatch(0 * got, right, x)) is None  # nothing wraps around


def test_infinities_that_are_subtracted_before_they_are_compared():
    x, y = random(64), random(64, 1)
    x[::8] = y[::8] = torch.inf
    y[1::8] = x[1::8]  # of which >= is right

    def at_least(x, y):
        return (x >= y).double()

    got = (x - y >= 0).to(torch.uint8)
    case = mismatch(got, at_least(x.double(), y.double()), x, y, reference=at_least)
    assert "inputs 1 and 2 are both infinite" in wrong_values.comparison(case)


def huber(x, y, bound=1):
    d = (x - y).abs()
    return torch.where(d < bound, d * d / 2, d - 0.5)


def test_a_bound_that_is_another_one():
    x, y = 2 * random(64), 2 * random(64, 1)
    case = mismatch(huber(x, y, 3), huber(x.double(), y.double()), x, y, reference=huber)
    case = replace(case, wrong=(huber(x, y, 3) - huber(x, y)).abs() > 1e-3)
    told = wrong_values.between(case)
    assert "whose difference of inputs 1 and 2 (its absolute value) lies from" in told
    case.wrong[int((x - y).abs().argmin())] = True
    assert wrong_values.between(case) is None


def test_parts_that_are_rounded_for_themselves():
    generator = torch.Generator().manual_seed(1)
    a, b = (torch.randint(0, 256, (64,), generator=generator) for _ in range(2))

    def blend(a, b):
        return ((3 * a + b) / 4).floor()

    got = (3 * (a // 4) + b // 4).to(torch.uint8)
    told = mismatch(got, blend(a.double(), b.double()), a, b, reference=blend)
    assert wrong_values.little_off(told).startswith("each wrong element is too small, by up to")
    got[:2] = 255 - got[:2]
    told = mismatch(got, blend(a.double(), b.double()), a, b, reference=blend)
    assert wrong_values.little_off(told) is None


def test_counts_that_lie_as_far_from_their_place_as_a_cut_index():
    places = torch.arange(3, 900, 25)
    right = torch.bincount(places, minlength=1024)
    got = torch.bincount(places % 256, minlength=1024)
    assert int((got > 1).sum()) == 0
    sentence = said(got.int(), right, places, shape=(1024,))
    assert "lie a multiple of 256 from their place: is an index held in 8 bits" in sentence
    moved = torch.bincount((places + 10) % 1024, minlength=1024)
    assert "counted for another element" in said(moved.int(), right, places, shape=(1024,))


def test_a_quotient_of_negative_numbers_that_is_truncated():
    x = torch.arange(-60, 60, dtype=torch.int32)

    def floored(x):
        return (x / 16).floor()

    right = floored(x.double())
    got = (x.double() / 16).trunc().int()
    got[got == right] = right.int()[got == right]
    sentence = said(got, right, x, reference=floored)
    assert "only negative inputs go wrong" in sentence and "toward zero" in sentence
    plain = said((x + (x < 0)).int(), x, x, reference=lambda x: x)
    assert "toward zero" not in plain  # which rounds nothing


def test_where_the_result_is_nan_a_sign_tells_nothing():
    x = random(200).double()
    right = x.rsqrt()
    got = right.float().double() * (1 + 2.0**-24)
    sentence = said(got, right, x, reference=torch.rsqrt)
    assert "positive" not in sentence and "inputs up to" not in sentence


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
def test_a_cast_that_wraps_at_one_end_of_its_type(dtype):
    info = torch.iinfo(dtype)
    x = torch.linspace(-2.5 * info.max, 2.5 * info.max, 300)
    exact = x.double().round()
    right = exact.clamp(info.min, info.max)
    for end, got in (
        ("largest", exact.clamp(min=info.min)),
        ("smallest", exact.clamp(max=info.max)),
    ):
        case = mismatch(got.long().to(dtype), right, x)
        told = wrong_values.limited(case)
        assert f"the {end} of all results, goes wrong, and comes out as several" in told
        assert f"limited (saturated) to the range of {info.dtype}" in told
        assert wrong_values.limited(replace(case, inputs=(x[:7],))) is None  # no cast
        narrow = x.clamp(info.min, info.max).to(dtype)
        assert wrong_values.limited(replace(case, inputs=(narrow,))) is None  # nothing is cut


@pytest.mark.parametrize("least", [-127, -128])
def test_the_limits_of_bytes_may_be_of_one_size(least):
    x = torch.arange(-300.0, 300.0) / 2
    got, right = x.to(torch.int64).to(torch.int8), x.trunc().clamp(least, 127)
    told = said(got, right, x, poison=0x5A)
    assert told.startswith(f"only what should be {least} or 127, the limits of int8, goes")
    low = right < 127  # the other limit is kept
    told = said(torch.where(low, got, right.to(torch.int8)), right, x, poison=0x5A)
    assert told.startswith(f"only what should be {least}, the smallest of all results, goes")


def test_a_mask_of_another_comparison():
    x = torch.arange(100) % 9 - 4.0
    m = mismatch((x >= 0).to(torch.uint8), x > 0, x)
    assert wrong_values.should_be_zero(m) is None
    assert said((x >= 0).to(torch.uint8), x > 0, x, poison=0x5A).startswith(
        "each element tells whether input 1 >= 0, not whether input 1 > 0"
    )


def test_an_input_that_is_lost_beside_another_tells_nothing():
    x, a, b = random(60), 2.0**90 * random(60, 1), 2.0**90 * (random(60, 2).abs() + 1)
    right, got = x.double() + a.double() / b.double(), (x + a) / b
    m = mismatch(got, right, x, a, b)
    assert wrong_values.off_by_input(m) is None
    alone = wrong_values.off_by_input(replace(m, inputs=(x,)))
    assert alone == "each wrong element is off by its own element of input 1: is it left out?"


def test_sums_that_grow_tell_of_no_narrow_type_but_where_one_ends():
    right = torch.arange(10, 50).double().cumsum(0)  # 10 to 1,180
    got = right.int()
    got[32:] -= 500  # from 848 on
    of_rows = mismatch(got, right, shape=(1, 40))
    assert wrong_values.magnitude(of_rows) is None
    turned = torch.randperm(40, generator=torch.Generator().manual_seed(2))
    mixed = mismatch(got[turned], right[turned], shape=(1, 40))
    words = "right for numbers up to 816, wrong from 858 on"
    assert wrong_values.magnitude(mixed).startswith(words)
    got = right.int()
    got[right > 512] -= 500
    assert "narrower" in wrong_values.magnitude(mismatch(got, right, shape=(1, 40)))


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("name", ["rows", "columns"])
def test_only_lines_that_hold_a_nan_or_infinity_go_wrong(name, value):
    x = random(40 * 5, 7).reshape(40, 5)
    x[::2, 3] = value
    right = torch.arange(40) % 5
    k = torch.arange(40)
    got = torch.where(k % 2 == 0, right + 1 + k // 3 % 4, right)
    given = x if name == "rows" else x.T.contiguous()
    words = "a NaN go wrong: is a NaN that" if math.isnan(value) else "an infinite number go"

    def told(got, given=given):
        return wrong_values.special_lines(mismatch(got, right, given, shape=(40,)))

    assert told(got).startswith(f"only {name} that hold {words}")
    assert said(got, right, given, shape=(40,)) == told(got)
    got[1] += 1  # one without
    assert told(got) is None
    few = torch.where(torch.arange(40) < 20, got, right)  # most that have one are right
    assert told(few) is None
    assert told(torch.where(right == right, right + 1, right), x.clamp(-1, 1)) is None


def test_elements_of_one_input_from_a_number_on():
    x, y = random(200, 1), random(200, 2)
    right = x * y
    for wrong, words in ((y > 0.5, "or more, and all of them"), (y < -0.75, "or less, and")):
        got = torch.where(wrong, right + 1 + x.abs(), right)
        sentence = said(got, right, x, y)
        assert sentence.startswith("only elements go wrong whose input 2 is") and (
            words in sentence
        )
        assert f"{float(y[wrong].min() if 'more' in words else y[wrong].max()):.6g}" in sentence
    got[y.argmax()] += 1  # at the other end
    assert "input 2 is" not in (wrong_values.half_line(mismatch(got, right, x, y)) or "")


def test_an_order_of_two_inputs_parts_nearly_all_of_them():
    x, y, z = (random(300, k) for k in (4, 5, 6))
    right = x * y + z

    def told(wrong, *inputs):
        got = torch.where(wrong, right + 1 + x.abs(), right)
        return wrong_values.half_line(mismatch(got, right, *inputs)) or ""

    some = (x > y) & (torch.arange(300) % 3 == 0)
    assert "input 1 is more than input 2, and nearly all" in told(x > y, x, y)
    assert "is more than" not in told(some, x, y)
    assert "input 1 is more than input 2, and" in told(some, x, y, z)  # the third counts, too


def test_one_value_of_an_input_that_is_on_the_wrong_side_of_a_comparison():
    x, grad = random(300).round(), random(300, 1)

    def backward(x, grad):
        return grad.where(x > 0, torch.zeros_like(grad))

    right = backward(x.double(), grad.double())
    got = grad.where(x >= 0, torch.zeros_like(grad))
    case = mismatch(got, right, x, grad, reference=backward)
    told = wrong_values.one_value(case)
    assert told.startswith("only elements go wrong whose input 1 is 0: is the formula another")
    assert wrong_values.one_value(replace(case, reference=None)) is None
    few = mismatch(got.where(torch.arange(300) < 100, right.float()), right, x, grad)
    assert wrong_values.one_value(replace(few, reference=backward)) is None  # a third of them
    both = mismatch(grad.where(x >= -1, right.float()), right, x, grad, reference=backward)
    assert wrong_values.one_value(both) is None


def test_the_ends_of_a_byte():
    x = torch.arange(36, dtype=torch.uint8)
    right = (10 * x.int() - 60).clamp(0, 255)
    words = "only elements that should be 0 or 255, an end of their type, go wrong"
    assert said((10 * x.int() - 60).to(torch.uint8), right, x, poison=0x5A).startswith(words)
    below = torch.where(10 * x.int() < 60, 10 * x.int() - 60, right).to(torch.uint8)
    assert "should be 0, an end" in said(below, right, x, poison=0x5A)
    m = mismatch((10 * x.int() - 60).to(torch.uint8), right, x)
    assert wrong_values.ends_of_a_byte(replace(m, inputs=(x.float(),))) is None
    turned = torch.where(m.wrong, 255 - right, right).to(torch.uint8)  # one end for the other
    assert wrong_values.ends_of_a_byte(mismatch(turned, right, x)) is None


def test_no_type_of_integers_ends_below_127():
    right = torch.arange(40).double()
    for limit, told in ((16, False), (100, False), (128, True)):
        numbers = (right * 4)[torch.randperm(40, generator=torch.Generator().manual_seed(1))]
        got = torch.where(numbers < limit, numbers, numbers - 3).long()
        assert (wrong_values.magnitude(mismatch(got, numbers)) is not None) is told


def test_truth_values_of_nan_are_no_masked_numbers():
    x = torch.arange(12.0)
    x[3:6] = torch.nan
    right = (x > 6).double()
    told = diagnose(mismatch((x > 6) | x.isnan(), right, x, poison=0x5A)).sentence
    assert told.startswith("only NaN goes wrong: with NaN every comparison is false")


def test_results_of_a_byte_that_are_off_by_little():
    sums = 255 * torch.randperm(256, generator=torch.Generator().manual_seed(1))
    right, got = (sums + 127) // 255, (sums + 127) >> 8
    x = right.to(torch.uint8)
    told = wrong_values.magnitude(mismatch(got.to(torch.uint8), right, x))
    assert told.startswith("right for numbers up to 127, and larger ones are too small, by up")
    wide = wrong_values.magnitude(mismatch(got.int(), right, right.int()))
    assert "a narrower integer type" in wide
    far = torch.where(got < right, got - 40, got).to(torch.uint8)
    assert "a narrower integer type" in wrong_values.magnitude(mismatch(far, right, x))


def test_a_sum_of_one_number_that_counts_it_twice():
    x = random(40)
    m = mismatch(2 * x, x, x)
    told = wrong_values.off_by_input(m)
    assert told.endswith("of input 1: is it counted twice, as a sum's start and in its loop?")
    other = wrong_values.off_by_input(mismatch(2 * x + 1, x + 1, x))
    assert wrong_values.COUNTED in other


@pytest.mark.parametrize("interleaved", [True, False])
def test_a_limit_of_one_of_both_numbers_of_a_result(interleaved):
    pairs = random(2 * 160, seed=4).reshape(5, 32, 2) * 2
    gate, up = pairs.unbind(-1)
    x = pairs.reshape(5, 64) if interleaved else torch.cat([gate, up], dim=1)
    right = (gate.double() * (up + 3)).reshape(-1)
    got = (gate.clamp(min=-1) * (up + 3)).reshape(-1)
    wrong = (gate < -1).reshape(-1)
    case = mismatch(got, right, x, wrong=wrong, shape=(5, 32))
    where = "in its even columns" if interleaved else "in its columns up to 31"
    sentence = wrong_values.half_line(case)
    assert sentence.startswith(f"only elements go wrong whose input 1 {where} is -1")


def test_a_limit_of_a_sum_with_a_bias():
    x, bias = random(5 * 32 * 2, seed=6).reshape(5, 32, 2) * 2, random(64).reshape(32, 2)
    gate, up = (x.double() + bias.double()).unbind(-1)
    right = (gate * (up + 3)).reshape(-1)
    got = (gate.clamp(min=-1) * (up + 3)).float().reshape(-1)
    wrong = (gate < -1).reshape(-1)
    sentence = wrong_values.half_line(mismatch(got, right, x, bias, wrong=wrong, shape=(5, 32)))
    assert sentence.startswith("only elements go wrong whose input 1 plus input 2 in its even")


def test_digits_that_numbers_of_one_sign_lose_are_no_other_formula():
    x = torch.linspace(-20, 19, 40)
    for off, found in ((2.0**-12, False), (2.0**-9, True)):
        got = torch.where(x < 0, 1 + off * (1 + x.abs() / 99), 1.0)
        one = Mismatch(got, torch.ones(40).double(), x < 0, [x])
        assert bool(wrong_values.half_line(one)) is found


def test_terms_that_cancel_as_their_sizes_are_not_taken():
    terms = random(40 * 7, 3).view(40, 7)
    right = terms.abs().sum(1).double()
    words = "numbers below 0 came out, where none should, and none is larger in size than the"
    assert wrong_values.sign_on_the_way(mismatch(terms.sum(1), right)).startswith(words)
    assert wrong_values.sign_on_the_way(mismatch(-2 * right.float(), right)) is None
    assert wrong_values.sign_on_the_way(mismatch(terms.sum(1).abs(), right)) is None
    assert wrong_values.sign_on_the_way(mismatch(terms.sum(1), right - 9)) is None
    assert wrong_values.sign_on_the_way(mismatch(terms.sum(1), right, terms[:, 0])) is None
    assert wrong_values.sign_on_the_way(mismatch(terms.sum(1), right, terms)).startswith(words)
    positive = wrong_values.sign_on_the_way(mismatch(terms.sum(1), right, terms.abs()))
    assert positive.endswith("is something subtracted that must be added?")


def test_infinity_in_the_place_of_finite_results_is_told():
    got = torch.arange(40.0, dtype=torch.float64)
    right = got.clone()
    got[20:], right[20:] = math.inf, right[20:] * 1e40
    sentence = wrong_values.alike(mismatch(got, right, wrong=got.isinf()))
    assert sentence.startswith("each wrong element is infinity, where the result is finite: ")
    got[20:] = 7.0
    assert wrong_values.alike(mismatch(got, right)).startswith("each wrong element is 7, ")


def test_one_number_in_the_place_of_nan_too_is_a_limit_that_drops_it():
    right = torch.linspace(-9, -1, 40, dtype=torch.float64)
    got = right.clamp(min=-3.0)
    right[0] = math.nan
    sentence = wrong_values.alike(mismatch(got, right))
    assert sentence.startswith(
        "each wrong element is -3, and NaN must come out of some of these"
    )


def test_a_range_of_inputs_of_which_nan_must_come_out():
    x = torch.linspace(-3, 5, 90)
    right, got = torch.log1p(x), torch.log1p(x.clamp(min=-1.0))
    sentence = wrong_values.between(mismatch(got, right, -x.abs(), reference=torch.log1p))
    assert sentence is None  # nothing on one side
    x = torch.cat((x, torch.linspace(-9, -8, 20)))
    right = torch.where((x > -5) & (x < 0), math.nan, x)
    sentence = wrong_values.between(mismatch(x, right, x, reference=torch.log1p))
    assert "NaN must come out of these, not -3: is an input limited on the way" in sentence


@pytest.mark.parametrize(("step", "member"), [(4, 0), (2, 1), (8, 5)])
def test_a_member_of_a_pack_that_is_never_set(step, member):
    x = 0.5 + random(70).abs()
    at = (torch.arange(70) % step == member) & (torch.arange(70) < 64)  # the rest is no pack
    got = torch.where(at, 0.0, 2 * x)

    def told(got):
        return wrong_values.alike(mismatch(got, 2 * x.double(), x, reference=lambda x: 2 * x))

    assert told(got) == (
        f"element {member} of every {step} comes out as 0, and all others are right: is one of "
        "a pack's members left out, never set?"
    )
    assert told(torch.where(torch.arange(70) == 40 + member, 2 * x, got)).startswith("each ")
    assert told(torch.where(torch.arange(70) == 41 + member, 0.0, got)).startswith("each ")
