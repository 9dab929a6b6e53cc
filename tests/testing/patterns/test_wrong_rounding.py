"""How a wrong output is rounded: directions, types on the way, precision."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import Mismatch
from helpers.testing.patterns import wrong_rounding
from helpers.testing.references import rounded
from tests.testing.mismatches import mismatch, random, said

INF, NAN = math.inf, math.nan

# ---- directions, types on the way

EXACT = torch.cat([random(40).double() * 3, 1 + torch.arange(1, 20, 2).double() * 2.0**-11])


def of(got, exact=EXACT, **more):
    wrong = got.double() != rounded(exact, got.dtype).double()
    return Mismatch(got, exact, wrong, **more)


def directed(exact, dtype, direction):
    """Round to a neighbour towards -infinity, infinity or zero, one number at a time."""
    out, digits = [], round(-math.log2(torch.finfo(dtype).eps))
    for x in exact.tolist():
        nearest = float(rounded(torch.tensor([x]).double(), dtype))
        step = 2.0 ** (math.floor(math.log2(abs(nearest))) - digits)
        low, high = (nearest, nearest + step) if nearest <= x else (nearest - step, nearest)
        if nearest == x:
            low = high = nearest
        out.append(
            {SMALLER: low, LARGER: high, "toward zero": low if x > 0 else high}[direction]
        )
    return torch.tensor(out, dtype=torch.float64).to(dtype)


SMALLER, LARGER = "to the next smaller number", "to the next larger number"


@pytest.mark.parametrize("how", ["toward zero", SMALLER, LARGER])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_results_that_are_rounded_in_one_direction(how, dtype):
    told = wrong_rounding.direction(of(directed(EXACT, dtype, how)))
    assert told == f"the results are rounded {how}, not to the nearest (a tie to even)"


def test_ties_that_go_away_from_zero():
    got = rounded(EXACT, torch.float16)
    ties = torch.arange(len(EXACT)) >= 40
    got[ties] = (1 + (torch.arange(1, 20, 2).double() + 1) * 2.0**-11).half()
    some = of(got)
    assert int(some.wrong.sum()) == 5  # the others go to the even number above, too
    exact = torch.cat([EXACT, -EXACT])
    told = wrong_rounding.direction(of(torch.cat([got, -got]), exact))
    assert "are rounded to the nearest, but ties away from zero, not to" in told
    assert wrong_rounding.direction(some) is None  # too few to say so


def test_what_is_rounded_to_the_nearest_has_no_direction():
    got = directed(EXACT, torch.float16, SMALLER)
    got[3] = 7.0
    assert wrong_rounding.direction(of(got)) is None
    assert wrong_rounding.direction(of(EXACT + 1)) is None  # float64
    assert wrong_rounding.direction(of((EXACT * 5).int())) is None


def test_an_overflow_alone_has_no_direction():
    exact = torch.full((20,), 1e6).double()
    clamped = torch.full((20,), 65504.0).half()
    assert wrong_rounding.direction(of(clamped, exact)) is None
    both = torch.cat([clamped, directed(EXACT, torch.float16, "toward zero")])
    told = wrong_rounding.direction(of(both, torch.cat([exact, EXACT])))
    assert "rounded toward zero" in told


def test_results_by_way_of_another_type():
    near_ties = 1 + 2.0**-8 + 2.0**-12 * random(40).double().abs()
    exact = torch.cat([random(400).double(), near_ties])
    coarse = rounded(rounded(exact, torch.bfloat16).double(), torch.float32)
    assert wrong_rounding.another_type(of(coarse, exact)) == (
        "the results are rounded to bfloat16 on the way, a narrower precision"
    )
    twice = rounded(rounded(exact, torch.float16).double(), torch.bfloat16)
    assert wrong_rounding.another_type(of(twice, exact)) == (
        "the results are rounded twice: first to the precision of float16 on the way, which "
        "ends at 65,504, then again"
    )
    assert wrong_rounding.another_type(of(rounded(exact, torch.float32) + 1, exact)) is None
    few = of(coarse[:7], exact[:7])
    assert wrong_rounding.another_type(few) is None
    assert wrong_rounding.another_type(of(exact.long(), exact)) is None


def test_inputs_by_way_of_another_type():
    a, b = random(50, 1), random(50, 2)
    exact, add = a.double() + b.double(), torch.add
    got = (a.half().double() + b.half().double()).float()
    some = of(got, exact, inputs=[a, b], reference=add)
    assert wrong_rounding.another_type(some) == (
        "the inputs are rounded to float16 on the way, a narrower precision"
    )
    assert wrong_rounding.another_type(of(got, exact, inputs=[a, b])) is None


# ---- precision


LAST_PLACE = "off by one in the last place"
NARROWER = "is it computed, summed or rounded in a narrower precision on the way?"


def precision(got, expected, dtype=torch.float32):
    got = torch.tensor(got, dtype=dtype)
    return wrong_rounding.precision(mismatch(got, torch.tensor(expected, dtype=torch.float64)))


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
    assert wrong_rounding.precision(mismatch([100], [101])) is None


def test_whole_numbers_in_the_place_of_fractions():
    exact = torch.tensor([3.5, 7.25, 8.75, 9.125], dtype=torch.float64)
    some = Mismatch(exact.trunc().float(), exact, exact > 0)
    assert wrong_rounding.whole_numbers(some).startswith("a whole number came out")
    assert wrong_rounding.whole_numbers(Mismatch(exact.float() + 1, exact, exact > 0)) is None
    by_chance = Mismatch(exact[:3].trunc().float(), exact[:3], exact[:3] > 0)
    assert wrong_rounding.whole_numbers(by_chance) is None


def test_fractions_that_are_not_truncated():
    exact = torch.linspace(-4.75, 4.25, 37).double()
    words = "fractions come out as the whole number on their other side: are they rounded to"
    for rule in (torch.round, torch.floor, torch.ceil):
        got = rule(exact).int()
        told = wrong_rounding.one_beside(Mismatch(got, exact, got != exact.trunc()))
        assert told.startswith(words) and told.endswith("truncates, toward zero")
    got = torch.floor(exact).int()
    wrong = got != exact.trunc()
    assert wrong_rounding.one_beside(Mismatch(got.float(), exact, wrong)) is None
    assert wrong_rounding.one_beside(Mismatch(got, exact, wrong | True)) is None  # wholes, too
    assert wrong_rounding.one_beside(Mismatch(got - 1, exact, wrong)) is None
    assert wrong_rounding.one_beside(Mismatch(got > 0, exact, wrong)) is None
    eight = wrong & (wrong.cumsum(0) <= 8)
    assert wrong_rounding.one_beside(Mismatch(got, exact, eight))
    seven = wrong & (wrong.cumsum(0) < 8)
    assert wrong_rounding.one_beside(Mismatch(got, exact, seven)) is None


def test_whole_numbers_among_fractions():
    right = torch.tensor([3.5, 7.25, 8.75, 9.125, 2.0, 4.5]).double()
    got = right.floor().float()
    got[5] = 4.5  # a right fraction; the others are wrong
    wrong = torch.tensor([True] * 4 + [False] * 2)
    assert wrong_rounding.whole_numbers(Mismatch(got, right, wrong)) == (
        "a whole number came out where a fraction should: are numbers truncated on the way?"
    )
    whole = right.clone()
    whole[0] = 4.0  # where a whole number should
    assert wrong_rounding.whole_numbers(Mismatch(got, whole, wrong)) is None
    assert wrong_rounding.whole_numbers(Mismatch(got.int(), right, wrong)) is None
    got[5] = INF
    assert wrong_rounding.whole_numbers(Mismatch(got, right, wrong)) is None


@pytest.mark.parametrize(("n", "said"), [(3, False), (4, True)])
def test_a_few_near_ones_may_be_so_by_chance(n, said):
    right = torch.arange(1.0, n + 1).double()
    got = (right * (1 + 2.0**-9)).float()
    some = Mismatch(got, right, right > 0, [torch.ones(n)])
    assert bool(wrong_rounding.precision(some)) == said
    alone = Mismatch(got, right, right > 0, [torch.ones(n + 1)])  # no input of its shape
    assert wrong_rounding.precision(alone).startswith("right to only 9 of 24 bits")


def quantised(x):
    return (16 * x).round().clamp(-128, 127)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda x: (16 * x + 0.5).floor(), "only halves go wrong: a tie must be rounded"),
        (lambda x: (16 * x).trunc(), "the results are truncated, toward zero"),
        (lambda x: (16 * x).floor(), "the results are rounded to the next smaller number"),
        (lambda x: (16 * x).ceil(), "the results are rounded to the next larger number"),
        (lambda x: quantised(x.half().float()), "the inputs are rounded to float16"),
    ],
)
def test_how_integers_are_rounded(kernel, words):
    x = torch.cat([torch.arange(-100, 100)[torch.randperm(200)] / 32, random(2000)])
    got, right = kernel(x).to(torch.int8), quantised(x.double())
    assert said(got, right, x, reference=quantised, poison=0x5A).startswith(words)


def test_where_integers_say_nothing_of_rounding():
    x = random(50)
    right = quantised(x.double())
    for got, reference in ((right + 2, quantised), (right - 1, None)):
        some = mismatch(got.to(torch.int8), right, x, reference=reference)
        assert wrong_rounding.integers(some) is None
    clamped = mismatch(
        (right.clamp(max=1) - 1).to(torch.int8), 0 * right + 1, x, reference=quantised
    )
    assert wrong_rounding.integers(clamped) is None  # one number only


def test_a_whole_number_far_off_is_not_truncated():
    got, right = torch.tensor([25.0, 36.0, 49.0, 64.0]), torch.tensor([5.1, 6.1, 7.1, 8.1])
    assert wrong_rounding.whole_numbers(mismatch(got, right)) is None


def test_one_sum_of_whole_numbers_is_not_rounded():
    x = torch.tensor([1000.0, 3.0, 20.0])
    assert wrong_rounding.precision(mismatch([1003.0], [1023.0], x)) is None
    assert wrong_rounding.precision(mismatch([1003.5], [1023.0], x))
    assert wrong_rounding.precision(mismatch([1022.0], [1023.0], x))


def test_a_few_of_many_that_are_nearly_right():
    x = random(300)
    got = x.clone()
    got[7] *= 1 + 2.0**-18
    assert "right to only 17 of 24 bits" in wrong_rounding.precision(mismatch(got, x, x))
    assert wrong_rounding.precision(mismatch(got[:255], x[:255], x[:255])) is None
    got[7] *= 1 + 2.0**-10
    assert wrong_rounding.precision(mismatch(got, x, x)) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_product_that_is_rounded_before_the_sum(dtype):
    a, b, c = (random(60, seed).to(dtype) for seed in (1, 2, 3))
    exact = a.double() * b.double() + c.double()
    twice = (a * b) + c
    told = "the results are rounded twice, the product and then the sum: fmaf rounds once"
    for inputs in ((a, b, c), (c, a, b), (b, c, a)):
        assert wrong_rounding.rounded_product(mismatch(twice, exact, *inputs)) == told
    assert wrong_rounding.rounded_product(mismatch(twice, exact, a, b)) is None
    assert wrong_rounding.rounded_product(mismatch(twice, exact, a, b, b)) is None
    twice[3] += 1
    assert wrong_rounding.rounded_product(mismatch(twice, exact, a, b, c)) is None
    few = [x[:8] for x in (a, b, c)]
    found = mismatch((a * b + c)[:8], exact[:8], *few)
    assert (wrong_rounding.rounded_product(found) is None) == (int(found.wrong.sum()) < 8)


@pytest.mark.parametrize("sign", [1, -1])
def test_doubles_of_a_row_that_share_a_step_in_float(sign):
    """Their sum is off in one direction by chance, as is all that is divided by it."""
    right = random(40).abs().double() + 0.5

    def told(off, **more):
        off = torch.linspace(1, 2, 40).double() * sign * off
        return wrong_rounding.precision(mismatch(right * (1 + off), right, **more))

    for off, bits in ((1e-8, 25), (2e-7, 21), (2e-9, 27)):
        assert told(off).startswith(
            f"right to only {bits} of 53 bits, about as many as a float has: is a step on the"
        )
    assert "of it: rounding errs in both directions" in told(1e-12)
    assert "times the right one: is the formula another one" in told(1e-4)
    assert "about as many as a float" not in told(1e-8, reference=lambda x: x)


def test_what_is_off_in_one_direction_is_no_rounding():
    right = random(40).abs().double() + 0.5

    def told(off, n=40):
        return wrong_rounding.precision(mismatch((right * (1 + off))[:n].float(), right[:n]))

    less = torch.linspace(-0.02, -0.01, 40).double()
    assert told(less) == (
        "each wrong element is 0.98 to 0.99 times the right one: is the formula another one (a "
        "factor, a count, an epsilon)?"
    )
    assert told(-less).startswith("each wrong element is 1.01 to 1.02 times the right one")
    assert told(less, 16).startswith("each wrong element") and "bits" in told(less, 15)
    assert "bits" in told(torch.cat([-less[:1], less[1:]]))
    wide = told(torch.linspace(-0.02, -0.002, 40).double())
    assert wide.startswith(
        "each wrong element is too small, by up to 0.02 of it: rounding errs"
    )
    few = torch.cat([torch.full((4,), -1e-4).double(), less[4:]])  # of small rows, say
    assert told(few).startswith("each wrong element is 0.9810256 to 0.9999 times")
    assert "is too small, by" in told(torch.cat([few[:4], few[:2], less[6:]]))


def test_a_factor_of_each_row():
    right = random(40).reshape(5, 8).double()

    def told(factors, rows=5):
        got = right * torch.tensor(factors).double()[:, None]
        some = slice(0, rows)
        m = mismatch(got[some].reshape(-1).float(), right[some].reshape(-1), shape=(rows, 8))
        return wrong_rounding.precision(m)

    factors = [0.98, 0.999, 1.01, 0.97, 0.98]
    assert told(factors) == (
        "the elements of each row are off by one factor, from 0.97 to 1.01: is the formula "
        "another one (a count, an epsilon)?"
    )
    assert "off by one factor" in told(factors, 2) and "bits" in told(factors, 1)
    assert "bits" in told([1.001, 0.999, 1.002, 0.998, 0.999])  # a factor of few bits


def test_errors_that_no_rounding_makes():
    x = random(200, 3).abs() + 0.5
    right = x.double().rsqrt()
    small = right * (1 - 1e-4 / x**4)
    sentence = wrong_rounding.precision(mismatch(small.float(), right, x))
    assert sentence.startswith(
        "each wrong element is too small, by up to 0.0015 of it: rounding"
    )
    turned = right * (1 + 1e-4 * (x.double() - 1.2))
    sentence = wrong_rounding.precision(mismatch(turned.float(), right, x))
    assert "and the error follows input 1, as no rounding does" in sentence
    noise = right * (1 + 1e-4 * random(200, 4).double())
    sentence = wrong_rounding.precision(mismatch(noise.float(), right, x))
    assert "narrower precision" in sentence
    few = mismatch(small[:12].float(), right[:12], x[:12])
    assert "too small" not in wrong_rounding.precision(few)


def test_fractions_that_are_cut_off():
    x = torch.linspace(-3, 3, 49)
    right = x.clamp(0, 2)
    case = mismatch(right.trunc(), right, x)
    assert wrong_rounding.cut_off(case) == wrong_rounding.CUT_OFF
    assert diagnose(case).sentence == wrong_rounding.CUT_OFF  # not that positive inputs do
    assert wrong_rounding.cut_off(mismatch(right.ceil(), right, x)) is None
    some = torch.where(x == 1.5, right, right.trunc())
    assert wrong_rounding.cut_off(mismatch(some, right, x)) is None
    assert wrong_rounding.cut_off(mismatch(0 * x, x / 4, x)) is None  # 0 everywhere


def test_only_whole_numbers_where_fractions_should_be():
    x = 1 + torch.rand(40, 30, generator=torch.Generator().manual_seed(1))
    right = x.double().cumsum(1)
    got = x.trunc().cumsum(1)
    case = mismatch(got.reshape(-1), right.reshape(-1), x, shape=(40, 30))
    assert wrong_rounding.whole_numbers(case).startswith("only whole numbers came out where")
    whole = mismatch(got.reshape(-1), right.reshape(-1), x.round(), shape=(40, 30))
    assert "only whole numbers" not in str(wrong_rounding.whole_numbers(whole))
    exact = (x.double() * 1000).round()
    little = mismatch(exact.view(-1), exact.view(-1) * (1 + 2.0**-30), x)  # too few digits
    assert wrong_rounding.whole_numbers(little) is None
    far = mismatch(1e9 * x.trunc().view(-1), x.double().view(-1), x)  # not what is cut off
    assert wrong_rounding.whole_numbers(far) is None


def test_whole_numbers_that_are_no_parts_of_the_right_ones():
    x = torch.arange(1, 41) + 0.25
    for got, told in ((x.trunc(), True), (1000 * x.trunc(), False)):
        case = mismatch(got, x.double(), x, reference=lambda x: x)
        assert bool(wrong_rounding.whole_numbers(case)) is told


@pytest.mark.parametrize(
    "rounds", [lambda x: (x + 0.5).floor(), lambda x: x.sign() * (x.abs() + 0.5).floor()]
)
def test_ties_of_floats_that_are_rounded_to_whole_numbers(rounds):
    x = torch.arange(-40, 40) / 4 + 0.0
    got, right = rounds(x), x.double().round()
    of = {"reference": torch.round}
    assert wrong_rounding.ties(mismatch(got, right, x, **of)).startswith("only halves go wrong")
    got[1] += 1
    assert wrong_rounding.ties(mismatch(got, right, x, **of)) is None


def test_small_results_whose_digits_are_lost_beside_a_larger_number():
    x = random(4000).half()
    x[:40] = ((torch.arange(40.0) + 1100) * 2.0**-24).half()
    got = x.clone()
    got[:40:2] = (got[:40:2].float() - 2.0**-24).half()
    got[1:40:4] = (got[1:40:4].float() + 2.0**-24).half()
    sentence = said(got, x, x, reference=lambda x: x.clamp(-9, 9), poison=0x7FDA)
    assert sentence.startswith(
        "only results of up to 6.8e-05 are off, by one in the last place"
    )
    got = x.clone()
    got[::50] = (got[::50].view(torch.int16) + 1).view(torch.float16)
    assert "is it rounded twice" in said(
        got, x, x, reference=lambda x: x.clamp(-9, 9), poison=0x7FDA
    )


# ---- digits lost beside 1


def softplus(exact, x):
    """Compare log(1 + exp(x)) in float32 with what is right."""
    got = (1 + x.exp()).log()
    wrong = ((got.double() - exact) / exact).abs() > 1e-5
    return Mismatch(got, exact, wrong, (x,), reference=torch.log1p)


def test_a_small_number_that_is_added_to_1_loses_its_digits():
    x = torch.linspace(-18, 3, 60)
    exact = x.double().exp().log1p()
    m = softplus(exact, x)
    words = wrong_rounding.beside_one(m)
    assert words.startswith("only results of up to 0.00") and "log1p and expm1" in words
    far = m.got.clone()
    far[3] += 1e-3
    assert wrong_rounding.beside_one(replace(m, got=far)) is None
    large = m.wrong.clone()
    large[-1] = True  # a result that is not small
    assert wrong_rounding.beside_one(replace(m, wrong=large)) is None
    assert wrong_rounding.beside_one(replace(m, reference=None)) == words
    low = torch.where(m.wrong, m.expected.float() - (m.got - m.expected).abs().float(), m.got)
    assert wrong_rounding.rounded_beside_one(m) == words
    assert wrong_rounding.rounded_beside_one(replace(m, got=low)) is None  # all on one side


def test_a_logarithm_of_one_and_a_small_number():
    x = -16 * torch.rand(256, generator=torch.Generator().manual_seed(7))
    right, got = x.double().exp().log1p(), (1 + x.exp()).log()
    wrong = (got - right).abs() > 2.0**-20 * right
    m = mismatch(got, right, x, wrong=wrong)
    words = wrong_rounding.rounded_beside_one(m)
    assert words.startswith("only results of up to 0.") and "log1p and expm1" in words
    assert wrong_rounding.beside_one(m) is None  # which all must be small
    fast = right * (1 + 2.0**-20 * x * (-1.0) ** torch.arange(256))  # of another exponential
    m = mismatch(fast.float(), right, x, wrong=wrong)
    assert wrong_rounding.rounded_beside_one(m) is None


def test_one_that_is_taken_off_a_power():
    x = -2e-3 * torch.rand(64, generator=torch.Generator().manual_seed(7))
    right, got = x.double().expm1(), x.exp() - 1
    wrong = (got - right).abs() > 2.0**-21 * right.abs()
    m = mismatch(got, right, x, wrong=wrong)
    assert "log1p and expm1" in wrong_rounding.rounded_beside_one(m)
    fast = (right * (1 + 2.0**-20 * (-1.0) ** torch.arange(64))).float()
    m = mismatch(fast, right, x, wrong=wrong)
    assert wrong_rounding.rounded_beside_one(m) is None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_step_of_a_gelu_that_is_rounded(dtype):
    x = (8 * torch.rand(400, generator=torch.Generator().manual_seed(7)) - 4).to(dtype)
    wide = x.double()
    inner = torch.tanh(0.7978845608 * (wide + 0.044715 * wide**3))
    right = 0.5 * wide * (1 + inner)

    def told(got):
        got = got.to(dtype)
        step = torch.finfo(dtype).eps
        wrong = (got.double() - right).abs() > step * (right.abs() + step**2)
        return wrong_rounding.rounded_step(mismatch(got, right, x, wrong=wrong))

    got = 0.5 * wide * (1 + inner.to(dtype).double())
    name = str(dtype).removeprefix("torch.")
    assert f"is a step on the way rounded to {name}, as a tanh" in told(got)
    assert told(torch.nn.functional.gelu(wide)) is None  # another formula
    assert told(got + 2.0**-4 * (wide < -3)) is None  # off by more
    assert told(0.5 * wide * (1 + inner.to(dtype).double()).sqrt()) is None


def test_whole_sums_of_halves_and_quarters():
    generator = torch.Generator().manual_seed(2)
    x, w = (torch.randint(-16, 17, s, generator=generator) for s in ((9, 30), (30, 5)))
    right = (x.double() / 2) @ (w.double() / 4)
    got = (x.double() / 2 * w.T[0] / 4).trunc().sum(1)[:, None] + torch.arange(5)
    some = mismatch(got.float().flatten(), right.flatten(), x / 2, w / 4, shape=(9, 5))
    assert wrong_rounding.whole_numbers(some).startswith("only whole numbers came out where")
    some = mismatch(got.float().flatten(), right.flatten(), x.float(), w / 4, shape=(9, 5))
    assert wrong_rounding.whole_numbers(some) is None  # of which whole sums are made


@pytest.mark.parametrize("factor", [1.0, 4.0, 100.0])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.int8])
def test_what_is_rounded_to_the_nearest_and_should_be_cut(factor, dtype):
    x = random(200) * 20 / factor

    def cut(x):
        info = torch.iinfo(dtype)
        return (factor * x).trunc().clamp(info.min, info.max)

    right, exact = cut(x.double()), factor * x.double()
    told = wrong_rounding.integers(mismatch(exact.round().to(dtype), right, x, reference=cut))
    assert told.startswith("the results are rounded to the nearest whole number, and should be")
    other = torch.where(exact > 3, exact.ceil(), exact.trunc()).to(dtype)
    told = wrong_rounding.integers(mismatch(other, right, x, reference=cut))
    assert not told or "should be truncated" not in told


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize(("right", "got"), [(2135392491, 2135392512), (2**31 - 1, 2**31 - 1)])
def test_an_integer_that_goes_through_a_float(dtype, right, got):
    x = torch.tensor([right, 5, -7], dtype=dtype)
    m = mismatch(torch.tensor([got], dtype=dtype), [float(right)], x, wrong=[True])
    assert (wrong_rounding.held_in_a_float(m) is None) is (
        got == 2**31 - 1 and dtype is torch.int64
    )
    for other in (right + 1, 6):
        m = mismatch(torch.tensor([5], dtype=dtype), [float(other)], x)
        assert wrong_rounding.held_in_a_float(m) is None


@pytest.mark.parametrize("right", [2**61 + 1, -(2**62) - 3, 2**54 + 2**40 + 1])
def test_an_integer_of_64_bits_that_goes_through_a_double(right):
    x = torch.tensor([right, 5])

    def told(got):
        m = mismatch(torch.tensor([got, 5]), [float(right), 5.0], x, wrong=[True, False])
        return wrong_rounding.held_in_a_double(m)

    assert told(int(float(right))) == (
        "large integers come out rounded to what a double holds, 53 bits: are they held, "
        "compared or added as doubles (fmax in the place of max, say), in that precision? "
        "Keep them integers"
    )
    assert told(right + 2) is None  # another integer, which a double does not hold
    assert told(int(float(right)) + 2**30) is None
    assert wrong_rounding.held_in_a_double(mismatch([1.0], [2.0])) is None


@pytest.mark.parametrize("off", [54, -2100, 2**40])
@pytest.mark.parametrize("size", [2**62, 2**50])
def test_a_large_sum_of_integers_in_doubles(off, size):
    x = torch.ones(2, 1000, dtype=torch.int32)
    got = torch.tensor([size + 9000 + off, size + 7 + off])
    m = mismatch(got, [float(size + 9000), float(size + 7)], x, wrong=[True, True])
    told = wrong_rounding.summed_in_doubles(m)
    assert bool(told) is (size == 2**62 and off < 2**40)
    if told:
        assert told.startswith("large sums are right to only some 53 of 64 bits: are they, or")
    assert wrong_rounding.summed_in_doubles(replace(m, inputs=[x.float()])) is None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("which", [0, 1, None])
def test_a_term_that_is_rounded_before_it_is_added(dtype, which):
    generator = torch.Generator().manual_seed(4)
    a, b = (torch.randint(-99, 100, (400,), generator=generator).double() / k for k in (7, 9))
    a, b = (rounded(x, dtype).double() for x in (a, b - 1.2 * a))
    by = (1.625, 1.375)

    def made(narrow):
        terms = [by[0] * a, by[1] * b]
        near = [rounded(x, narrow).double() for x in terms]
        taken = [
            n if which in (k, None) else x
            for k, (n, x) in enumerate(zip(near, terms, strict=True))
        ]
        return rounded(sum(taken), dtype)

    inputs, right = (a.to(dtype), b.to(dtype)), by[0] * a + by[1] * b

    def told(got, right=right, part=slice(None)):
        some = tuple(x[part] for x in inputs)
        return wrong_rounding.rounded_term(of(got[part], right[part], inputs=some))

    words = "each term" if which is None else f"input {which + 1} times {by[which]}"
    assert told(made(dtype)).startswith(
        f"each result is what comes out if {words} is rounded to {str(dtype)[6:]} before it is "
        f"added: {'fmaf rounds once' if dtype is torch.float32 else 'keep it in a wider type'}"
    )
    assert told(made(torch.float8_e4m3fn)) is None  # another type than those that are tried
    assert told(made(dtype), a * b) is None  # no sum
    assert told((by[0] * a).to(dtype)) is None  # a term is left out
    assert told(made(dtype), part=slice(20)) is None
    narrow = rounded(right, dtype).double()  # what is right is rounded already
    assert words in told(made(dtype), narrow)
    assert told(made(dtype), narrow + 2 * narrow.abs()) is None


@pytest.mark.parametrize("plus", [0, 3])
@pytest.mark.parametrize("by", [1.0, 2.0, 0.25, 1 / 0.3])
def test_halves_of_an_unknown_factor(by, plus):
    scaled = (torch.randperm(600, generator=torch.Generator().manual_seed(1)) - 300.0) / 4
    x, scaled = (scaled.double() / by).float(), scaled.double()
    even = (scaled.round() + plus).clamp(-50, 50)
    away = (scaled.sign() * (scaled.abs() + 0.5).floor() + plus).clamp(-50, 50)
    ties = "only halves go wrong: a tie must be rounded "
    told = said(away.to(torch.int8), even, x, poison=0x5A)
    assert told == f"{ties}to the nearest even number, as rintf does, and roundf does not"
    back = said(even.to(torch.int8), away, x, poison=0x5A)
    assert back == f"{ties}away from zero, as roundf does, and rintf does not"
    up = ((scaled + 0.5).floor() + plus).clamp(-50, 50)
    told = said(away.to(torch.int8), up, x, poison=0x5A)
    assert told == f"{ties}the other way"
    other = away.clone()
    other[100] += 1  # no half
    assert wrong_rounding.halves(mismatch(other.to(torch.int8), even, x)) is None
    few = (scaled - 1).abs() < 1.6  # where there are but four ties
    assert wrong_rounding.halves(mismatch(away[few].to(torch.int8), even[few], x[few])) is None


def test_what_is_far_less_than_a_step_of_an_input_is_not_lost_beside_it():
    x, large = random(60), 2.0**90 * (random(60, 1).abs() + 1)
    right = x.double()
    got = (x + torch.where(torch.arange(60) % 2 == 0, 1.0, -1.0)).float()
    m = mismatch(got, right, x, large)
    assert wrong_rounding.beside_one(m) is None
    near = mismatch((right + 2.0**65 * right.sign()).float(), right, x, large)
    assert wrong_rounding.beside_one(near) is not None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_difference_that_is_rounded_on_the_way(dtype):
    a, b = random(1000, 1).to(dtype), random(1000, 2).to(dtype)
    right = a.double() + 0.3 * (b.double() - a.double())
    got = (a.double() + 0.3 * (b - a).double()).to(dtype)
    wrong = (got.double() - right).abs() > 8 * torch.finfo(dtype).eps * right.abs()
    m = mismatch(got, right, a, b, wrong=wrong)
    name = str(dtype).removeprefix("torch.")
    words = wrong_rounding.rounded_on_the_way(m)
    assert words.startswith("only a few elements are off, results that are small beside their")
    assert f"rounded to {name}: is a step on the way" in words
    assert wrong_rounding.rounded_on_the_way(replace(m, inputs=(a,))) is None
    far = got.clone()
    far[wrong.nonzero()[0]] += 1
    assert wrong_rounding.rounded_on_the_way(replace(m, got=far)) is None
    large = wrong.clone()
    large[int(right.abs().argmax())] = True
    assert wrong_rounding.rounded_on_the_way(replace(m, wrong=large)) is None
    many = torch.ones_like(wrong)
    assert wrong_rounding.rounded_on_the_way(replace(m, wrong=many)) is None


def test_of_a_few_elements_a_larger_case_may_tell_more():
    a, b, c = (random(1000, k).bfloat16() for k in range(3))
    right = a.double() + c.double() * (b.double() - a.double())
    got = (a.double() + c.double() * (b - a).double()).bfloat16()
    wrong = (got.double() - right).abs() > 2.0**-4 * right.abs()
    told = diagnose(mismatch(got, right, a, b, c, wrong=wrong, poison=1))
    assert told.sentence.startswith("only a few elements are off") and told.doubt == 1


def test_whole_numbers_of_a_sum_in_an_integer_where_one_input_is_whole():
    a, b = (random(12 * 6, 3) * 20).round().reshape(12, 6), random(6 * 9, 4).reshape(6, 9) * 9
    right = a.double() @ b.double()
    sums = torch.zeros(12, 9)
    for k in range(6):
        sums = (sums + a[:, k : k + 1] * b[k]).trunc()
    m = mismatch(sums.flatten(), right.flatten(), a, b, shape=(12, 9))
    assert wrong_rounding.whole_numbers(m).startswith("only whole numbers came out where")
    cut = (a @ b.trunc()).flatten()  # as of an input that is cut, or another one
    m = mismatch(cut, right.flatten(), a, b, shape=(12, 9))
    assert wrong_rounding.whole_numbers(m) is None


def test_terms_that_are_rounded_before_they_are_added():
    """Where they cancel, the result is off by more of its own last places."""
    x, y = random(400).half(), random(400, 1).half()
    right = rounded(0.7 * x.double() - 0.4 * y.double(), torch.float16)
    got = (0.7 * x.float()).half() - (0.4 * y.float()).half()
    m = mismatch(got, right, x, y)
    assert "are terms rounded to the type of the output" in wrong_rounding.rounded_terms(m)
    far = got.clone()
    far[m.wrong.nonzero()[0]] += 1
    assert wrong_rounding.rounded_terms(mismatch(far, right, x, y)) is None


def test_a_sum_of_doubles_in_a_float():
    """A single number may be nearly right by chance, but not to so many bits."""
    right = torch.tensor([4.4166024123e9], dtype=torch.float64)
    m = mismatch(right.float().double(), right, random(1).double())
    assert "of 53 bits" in wrong_rounding.precision(m)
    assert wrong_rounding.precision(replace(m, got=right * (1 + 2.0**-12))) is None


def test_ties_that_are_rounded_behind_an_odd_number_that_is_added():
    x = torch.arange(-20, 20) + 0.5
    right, got = x.double().round() + 3, (x + 3).round().to(torch.int8)
    assert said(got, right, x, poison=0x5A) == (
        "only halves go wrong: a tie must be rounded to the nearest even number before 3 is "
        "added, and is rounded behind that"
    )
    one = wrong_rounding.halves(mismatch(got[:7], right[:7], x[:7]))
    assert one is None  # all are wrong, and too few


@pytest.mark.parametrize(
    ("round_it", "way"),
    [
        (lambda x: (x + 0.5).floor(), "1 more,"),
        (torch.floor, "1 less,"),
        (torch.trunc, "1 nearer to 0,"),
        (lambda x: x.sign() * (x.abs() + 0.5).floor(), "1 further from 0,"),
    ],
)
def test_integers_of_unknown_floats_are_rounded_another_way(round_it, way):
    x = torch.arange(-60, 60, dtype=torch.int16)
    exact = x * 2.25 + 0.25 * (x % 3)
    sides = {"wrong": None}

    def told(got, *inputs):
        return wrong_rounding.one_way(mismatch(got.short(), exact.round(), *inputs, **sides))

    factor = torch.tensor([2.25])
    assert f"each wrong element is {way}" in told(round_it(exact), x, factor)
    assert told(round_it(exact), factor) is None  # a count of something, say
    assert told(round_it(exact) + 3 * (x == 5), x, factor) is None


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32])
@pytest.mark.parametrize("by", [(0.5, 0.5), (0.75, 0.25), (-1.5, 1.75)])
def test_terms_of_whole_numbers_that_are_rounded(by, dtype):
    draw = torch.Generator().manual_seed(5)
    a, b = (torch.randint(0, 250, (200,), generator=draw).to(dtype) for _ in by)
    terms = [x.double() * k for x, k in zip((a, b), by, strict=True)]
    right = sum(terms).round()

    def told(made, *inputs):
        return wrong_rounding.whole_terms(mismatch(made.to(dtype), right, *inputs))

    rounded = sum(x.round() for x in terms)
    assert told(rounded, a, b).startswith("each result is what comes out if each term is round")
    cut = sum(x.trunc() for x in terms)
    assert "is cut off to a whole number before they are added" in told(cut, a, b)
    assert told(rounded + 1, a, b) is None
    assert told(rounded, a) is None
    assert told(rounded, a, b.float()) is None


def test_sums_of_integers_in_float():
    draw = torch.Generator().manual_seed(3)
    a, b = (torch.randint(-70_000, 200, shape, generator=draw) for shape in ((16, 16), (16, 9)))
    right = a.double() @ b.double() / 2**6 // 1
    off = torch.randint(-2, 3, right.shape, generator=draw)

    def told(got, *inputs):
        got, exact = got.int().flatten(), right.flatten()
        return wrong_rounding.whole_in_float(mismatch(got, exact, *inputs, shape=(16, 9)))

    a, b = a.int(), b.int()
    assert told(right + off, a, b).startswith(
        "the wrong results are off by up to 2, and as large as"
    )
    assert told(right + off.abs(), a, b) is None  # in one direction only
    assert told(right + off * 1000_000, a, b) is None
    assert told(right + off, a.float(), b) is None


def test_squares_that_cancel():
    a, b = 60_000 + random(5 * 7).reshape(5, 7), 60_000 + random(3 * 7).reshape(3, 7)
    right = (a.double()[:, None] - b.double()).square().sum(2)
    squares = a.square().sum(1)[:, None] + b.square().sum(1) - 2 * a @ b.T
    m = mismatch(squares, right, a, b)
    assert "do large numbers cancel on the way" in wrong_rounding.beside_squares(m)
    assert wrong_rounding.beside_squares(mismatch(squares + 1e6, right, a, b)) is None
    less = right - (a.double()[:, None, 0] - b.double()[:, 0]).square()  # without a term
    assert wrong_rounding.beside_squares(mismatch(less.float(), right, a, b)) is None
    near = mismatch(squares, right, a - 60_000, b - 60_000)
    assert wrong_rounding.beside_squares(near) is None
    assert wrong_rounding.beside_squares(mismatch(squares, right, a)) is None


def test_a_few_that_vanish_do_not_hide_the_precision():
    x = -torch.rand(64, generator=torch.Generator().manual_seed(7)).double() - 0.1
    got = (x * (1 + 2.0**-9 * (-1.0) ** torch.arange(64))).float()
    x[3], got[3] = -1e-5, 0.0
    assert "narrower precision" in wrong_rounding.precision(mismatch(got, x))
    x[3] = -0.5  # as large as others
    assert wrong_rounding.precision(mismatch(got, x)) is None


def test_small_numbers_of_few_digits_are_lost_beside_1_in_one_direction():
    x = torch.arange(1, 60) * 2.0**-20
    right = 1.7580993 * torch.expm1(x.double())
    told = wrong_rounding.precision(mismatch(1.7580993 * (x.exp() - 1), right, x))
    assert "is a small one added to 1 on the way, or 1 taken off? log1p and expm1" in told
    more = (right + 2.0**-10 * x.double()).float()  # by more than is lost beside 1
    large = mismatch(32 * more, 32 * right, 32 * x)
    assert "is the formula another one" in wrong_rounding.precision(large)


def test_doubles_that_are_compared_as_floats():
    x = torch.arange(1.0, 41.0).double()
    y = x + torch.tensor([0.0, 1e-12, -1e-12, 1.0]).double().repeat(10)
    got = torch.where(x.float() > y.float(), x, y)
    told = wrong_rounding.compared_as_floats(mismatch(got, torch.maximum(x, y), x, y))
    assert told.startswith("only of two numbers that are the same as floats") and "?" in told
    other = torch.where(x > y, y, x)  # everywhere the other one
    assert wrong_rounding.compared_as_floats(mismatch(other, torch.maximum(x, y), x, y)) is None
    sums = mismatch(x + y + (got != torch.maximum(x, y)), x + y, x, y)
    assert wrong_rounding.compared_as_floats(sums) is None
    halves = mismatch(got.float(), torch.maximum(x, y), x, y)
    assert wrong_rounding.compared_as_floats(halves) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_small_numbers_that_are_added_to_1(dtype):
    """As in log(1 + y), and in exp(x) - 1."""
    x = torch.linspace(-17.0, -3.0, 60, dtype=dtype)
    x = 2 * x if dtype is torch.float64 else x
    for got, right in (
        ((1 + x.exp()).log(), x.double().exp().log1p()),
        (x.exp().exp() - 1, x.double().exp().expm1()),
    ):
        m = mismatch(got, right, x, wrong=(got - right).abs() > 1e-17)
        assert "do small numbers lose their digits" in (wrong_rounding.beside_1(m) or "")
        zeros = replace(m, got=0 * got)
        assert wrong_rounding.beside_1(zeros) is None
        other = replace(m, got=(got * (1 + 2.0**-20)).to(dtype))
        assert wrong_rounding.beside_1(other) is None
