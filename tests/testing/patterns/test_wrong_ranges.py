"""Ranges that squares or results leave, told only if they explain each wrong element."""

import math

import pytest
import torch

from helpers.testing.patterns import wrong_ranges, wrong_values
from tests.testing.mismatches import mismatch, random

GENERATOR = torch.Generator().manual_seed(3)
SMALL = 10.0 ** torch.linspace(-25, 25, 101)


def hypot(x, y):
    return torch.hypot(x, y)


def test_squares_that_overflow_or_become_zero():
    x, y = SMALL, SMALL.flip(0) * 0
    got = (x * x + y * y).sqrt()
    right = torch.hypot(x.double(), y.double())
    wrong = (got / right.float() - 1).abs() > 1e-3
    told = wrong_ranges.squares(mismatch(got, right, x, y, wrong=wrong, reference=hypot))
    assert told.startswith("only elements go wrong whose inputs, times themselves, are too")
    wrong[50] = True  # an ordinary number, which no square explains
    assert (
        wrong_ranges.squares(mismatch(got, right, x, y, wrong=wrong, reference=hypot)) is None
    )


def test_squares_are_not_to_blame_where_others_of_their_size_are_right():
    right = torch.hypot(SMALL.double(), 0 * SMALL.double())
    got = right.float()
    got[::2] = torch.where(SMALL[::2] > 1e20, torch.inf, got[::2])
    wrong = got != right.float()
    case = mismatch(got, right, SMALL, 0 * SMALL, wrong=wrong, reference=hypot)
    assert int(wrong.sum()) < 8 or wrong_ranges.squares(case) is None
    assert wrong_ranges.squares(mismatch(got, right, SMALL, SMALL, wrong=wrong)) is None


def test_results_that_are_limited():
    x = 4 * random(64)
    of = {"reference": lambda x: x}
    both = wrong_ranges.saturated(mismatch(x.clamp(-1, 2), x, x, **of))
    assert both == (
        "wrong only for results below -1 and above 2, each of which comes out as that: is the "
        "formula another one there, limited where it should not be?"
    )
    assert wrong_ranges.saturated(mismatch(x.clamp(min=0), x, x, **of)) == (
        "wrong only for results below 0, each of which comes out as that: is the formula "
        "another one there, limited where it should not be?"
    )
    moved = x.clamp(-1, 2)
    moved[3] += 0.25  # what a limit does not explain
    assert wrong_ranges.saturated(mismatch(moved, x, x, **of)) is None
    assert wrong_ranges.saturated(mismatch(x.clamp(-1, 2), x, x)) is None


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
def test_a_cast_that_does_not_saturate(dtype):
    info = torch.iinfo(dtype)
    x = torch.tensor([0.0, 3.5, info.max + 1, info.min - 2, 1e30, -1e30])
    right = x.double().round().clamp(info.min, info.max)
    wrapped = x.round().double().clamp(-(2**31), 2**31 - 1).long().to(dtype)
    told = wrong_ranges.not_limited(mismatch(wrapped, right, x))
    name = str(info.dtype).removeprefix("torch.")
    assert told.startswith(f"what is beyond the range of {name} wraps around, and should be ")
    assert f"{info.min:,} or {info.max:,}" in told
    other = wrapped.clone()
    other[2] += 1
    assert wrong_ranges.not_limited(mismatch(other, right, x)) is None
    other = wrapped.clone()
    other[0] += 1  # no number beyond the range
    assert wrong_ranges.not_limited(mismatch(other, right, x)) is None
    assert wrong_ranges.not_limited(mismatch(wrapped, right, x / 1000, x)) == told


def test_numbers_beyond_an_int32_wrap_around_by_way_of_an_int64():
    x = torch.tensor([2.0**31, -3 * 2.0**31, 5.0, -7.0, 2.0**32])
    right = x.double().clamp(-(2.0**31), 2.0**31 - 1)
    wrapped = x.to(torch.int64).to(torch.int32)
    told = wrong_ranges.not_limited(mismatch(wrapped, right, x))
    assert told.startswith("what is beyond the range of int32 wraps around, and should be its")
    assert wrong_ranges.not_limited(mismatch(wrapped + 1, right, x)) is None
    assert wrong_ranges.not_limited(mismatch(wrapped[4:], right[4:], x[4:] * 2**40)) is None


def test_a_cast_that_overflows_on_the_way():
    x = torch.tensor([70_000.0, -80_000.0, 5.0, 90_000.0])
    ends = torch.iinfo(torch.int32)
    got = torch.tensor([ends.max, ends.min, 5, ends.max], dtype=torch.int32)
    told = wrong_ranges.clamped_integers(mismatch(got, x.double(), x))
    assert told.endswith("(a half ends at 65,504)?")
    told = wrong_ranges.clamped_integers(mismatch(got, x.double(), x * 3))
    assert "the range clamped?" in told
    lost = torch.tensor([math.nan, math.nan, 5.0, math.nan])
    assert wrong_ranges.clamped_integers(mismatch(got, lost.nan_to_num(0.0), lost)) is None


def test_integers_that_are_clamped():
    right = torch.arange(-9, 9, dtype=torch.int32) * 1000
    got = right.clone()
    got[:3], got[-2:] = -(2**31), 2**31 - 1
    assert wrong_ranges.clamped_integers(mismatch(got, right)) == (
        "each wrong result is -2147483648 or 2147483647, an end of int32: is what is beyond "
        "the range clamped? The right one wraps around (modulo 2^32)"
    )
    got[-2:] = right[-2:]  # one end may be what a maximum started with
    assert wrong_ranges.clamped_integers(mismatch(got, right)) is None
    got[5], got[-1] = 7, 2**31 - 1
    assert wrong_ranges.clamped_integers(mismatch(got, right)) is None
    assert wrong_ranges.clamped_integers(mismatch(got.float(), right)) is None


@pytest.mark.parametrize("wrapped", [True, False])
def test_integers_of_which_the_largest_alone_are_clamped(wrapped):
    x = torch.arange(32700, 32768, dtype=torch.int16)
    right = x.double() + 5
    got = right.clamp(max=32767).to(torch.int16)
    right = (right + 32768) % 65536 - 32768 if wrapped else right
    told = wrong_ranges.clamped_integers(mismatch(got, right, x))
    assert told.endswith("The right one wraps around (modulo 2^16)")
    assert wrong_ranges.clamped_integers(mismatch(got, right, x.repeat(2))) is None
    within = right.clamp(max=32766)
    assert wrong_ranges.clamped_integers(mismatch(got, within, x)) is None


def test_floats_that_pass_through_an_integer():
    x = 1e10 * random(64)
    got = x.clamp(-(2.0**31), 2.0**31)
    case = mismatch(got, x, x, reference=lambda x: x)
    assert "do they pass through an integer, out of its range" in wrong_ranges.saturated(case)


def test_an_input_that_is_read_with_or_without_its_sign():
    x = (torch.arange(-100, 100) * 3).to(torch.int16)
    right, got = x.double() / 32768, (x.double() + 65536 * (x < 0)) / 32768
    for dtype in (torch.float16, torch.float32):
        m = mismatch(got.to(dtype), right, x, reference=lambda x: x / 32768)
        assert wrong_ranges.other_sign(m) == (
            "the negative ones of input 1 are taken for 65,536 more: is it read as "
            "uint16, whose range has no negative numbers?"
        )
        packs = torch.where(torch.arange(200) < 96, got, right)  # and what is left is right
        m = mismatch(packs.to(dtype), right, x, reference=lambda x: x / 32768)
        assert wrong_ranges.other_sign(m).startswith("the negative ones of input 1 are taken")
    x, y = torch.arange(200).to(torch.uint8), torch.arange(200, 0, -1).float()
    got = (x.double() - 256 * (x > 127)) * y.double()
    m = mismatch(got.float(), x.double() * y.double(), x, y, reference=lambda x, y: x * y)
    assert wrong_ranges.other_sign(m) == (
        "the numbers from 128 on of input 1 are taken for 256 less: is it read as "
        "int8, whose range ends at 127?"
    )
    got[3] = 7
    m = mismatch(got.float(), x.double() * y.double(), x, y, reference=lambda x, y: x * y)
    assert wrong_ranges.other_sign(m) is None


@pytest.mark.parametrize(("end", "sign"), [(-(2**31), -1), (2**31 - 1, 1)])
def test_a_result_of_64_bits_that_starts_with_an_end_of_32(end, sign):
    x = sign * (2**40 + torch.arange(12).reshape(3, 4))
    right = x[:, 0].clone()
    right[1] = 5
    got = torch.tensor([end, 5, end])
    told = wrong_ranges.from_an_int(mismatch(got, right.double(), x, shape=(3,)))
    assert told.startswith(f"{end:,}, an end of the range of 32 bits, comes out where all")
    for other in (torch.tensor([end, 6, end]), torch.tensor([end + 1, 5, end])):
        m = mismatch(other, right.double(), x, shape=(3,))
        assert wrong_ranges.from_an_int(m) is None
    assert wrong_ranges.from_an_int(mismatch(got, right.double(), right)) is None  # a cast
    assert wrong_ranges.from_an_int(mismatch(got.float(), right.double(), x)) is None


@pytest.mark.parametrize(
    ("dtype", "inner", "end", "words"),
    [
        (
            torch.float16,
            torch.float16,
            14,
            "does exp(x) overflow there, in float16, which ends",
        ),
        (
            torch.float32,
            torch.float16,
            14,
            "does exp(x) overflow there, in float16, which ends",
        ),
        (
            torch.float32,
            torch.float32,
            100,
            "does exp(x) overflow there, in float32, which ends",
        ),
        (
            torch.float64,
            torch.float32,
            100,
            "does exp(x) overflow there, in float32, which ends",
        ),
    ],
)
def test_a_power_that_is_infinite_from_a_size_on(dtype, inner, end, words):
    x = torch.linspace(-end, end, 501, dtype=torch.float64).to(dtype)
    v = x.double()
    right = v / (1 + torch.exp(-v))
    made = torch.where(torch.exp(-v).to(inner).isinf(), v / math.inf, right).to(dtype)
    m = mismatch(made, right, x, wrong=made != right.to(dtype))
    assert words in wrong_values.half_line(m) and "wider type" in wrong_values.half_line(m)
    other = mismatch(made - 3 * m.wrong, right, x, wrong=m.wrong)
    assert "is the formula another one there" in wrong_values.half_line(other)
    at = v < -end / 2  # where no power overflows
    other = mismatch(made.masked_fill(at, 0), right, x, wrong=at)
    assert "is the formula another one there" in wrong_values.half_line(other)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_infinity_of_a_search_among_finite_numbers(dtype, sign):
    x = random(60).to(dtype).reshape(6, 10)
    right = sign * (sign * x.double()).amax(1)

    def told(got, right=right, x=x):
        m = mismatch(got.to(dtype).reshape(-1), right.reshape(-1), x, shape=tuple(right.shape))
        return wrong_ranges.nothing_found(m)

    end, names = ("largest", "(min for max)") if sign > 0 else ("smallest", "(max for min)")
    own = torch.full((6,), -sign * math.inf)
    name = "-infinity" if sign > 0 else "infinity"
    words = f"{name} came out of finite numbers, and a search for the {end} starts with that: "
    assert told(own).startswith(words) and names in told(own)
    assert told(own[:1], right[2:3], x[2]).startswith(words)  # of an array
    assert "does the search start with it? Start with the other" in told(-own)
    assert told(own, x.double().sum(1)) is None and told(own, x=0 * x + math.inf) is None
    assert told(own[:1], x[0, :1].double(), x[0, :1]) is None  # of one number


def early(x, more):
    return x.clamp(min=0) + more


@pytest.mark.parametrize("factor", [1.0, 0.0])
def test_a_limit_before_the_last_term_is_added(factor):
    x, more = factor * random(200).double() - 0.1, random(200, 5).double()
    right, got = (x + more).clamp(min=0), early(x, more).float()
    words = "negative numbers came out where 0 should, the least of all results: does the"

    def of(got, right=right):
        m = mismatch(got, right, x.float(), more.float(), wrong=(got - right).abs() > 1e-5)
        return wrong_ranges.negative(m)

    assert of(got).startswith(words)
    copy = more.float()
    assert of(copy, copy.double().clamp(min=0)).startswith(words)  # nothing else is wrong
    assert of((x + more).float()) is None  # the limit alone is left out
    assert of(got, right - 1) is None and of(got.abs()) is None
    assert of(got - 5) is None  # others are too small
    alone = mismatch(copy, copy.double().clamp(min=0), copy)
    assert wrong_ranges.negative(alone) is None
    assert of(more.float(), 0 * right) is None  # of zeros all should be 0


@pytest.mark.parametrize(
    ("real", "integer"), [(torch.float32, torch.int32), (torch.float64, torch.int64)]
)
def test_the_bits_of_a_number_of_the_other_type(real, integer):
    right = 50 * random(20).to(real).double()
    for way in (torch.trunc, torch.round, torch.floor, torch.ceil):
        got = way(right).to(integer).view(real)
        told = wrong_ranges.bits_of_the_other(mismatch(got, right))
        assert "came out, the bits of the integer" in told
        assert told.endswith("where its bits are meant (__float_as_int(x), not (int)x)?")
    ones = torch.full((4,), 1).to(integer).view(real)
    assert "the integer 1: is" in wrong_ranges.bits_of_the_other(mismatch(ones, [1.5] * 4))
    whole = right.round()
    got = whole.to(real).view(integer)
    told = wrong_ranges.bits_of_the_other(mismatch(got, whole, wrong=whole != 0))
    assert told.startswith("each integer that came out holds the bits of a float, which is")


def test_other_small_numbers_are_no_bits_of_an_integer():
    right = 50 * random(20).double()
    for got in (right.float() / 2, right.float().view(torch.int32), torch.zeros(20)):
        assert wrong_ranges.bits_of_the_other(
            mismatch(got, right, wrong=right != 0)
        ) is None or (got.dtype is torch.int32)
    integers = right.round().int()
    assert wrong_ranges.bits_of_the_other(mismatch(integers + 1, right.round())) is None
    half = right.half()
    assert wrong_ranges.bits_of_the_other(mismatch(half + 1, right)) is None


@pytest.mark.parametrize(
    ("dtype", "integer", "own", "name"),
    [
        (torch.float16, torch.int16, "half", "short"),
        (torch.bfloat16, torch.int16, "bfloat16", "short"),
        (torch.float32, torch.int32, "float", "int"),
    ],
)
def test_the_bits_of_an_input_that_are_taken_for_a_number(dtype, integer, own, name):
    x = random(40).to(dtype)
    bits = x.view(integer)
    words = "each result is the integer that has the bits of input 1: is another function"
    sentence = wrong_ranges.bits_as_a_number(mismatch(bits.float(), x.double(), x))
    assert sentence.startswith(words) and f"__{own}_as_{name} " in sentence
    unsigned = (bits.long() % 2 ** (8 * x.element_size())).float()
    sentence = wrong_ranges.bits_as_a_number(mismatch(unsigned, x.double(), x))
    assert f"__{own}_as_u{name} " in sentence
    if dtype is torch.bfloat16:  # moved to the upper half first, which makes a float's bits
        wide = x.float().view(torch.int32).long() % 2**32
        sentence = wrong_ranges.bits_as_a_number(mismatch(wide.float(), x.double(), x))
        assert "the bits of what is right" in sentence and "__uint_as_float leaves" in sentence
    assert wrong_ranges.bits_as_a_number(mismatch(bits.float() + 512, x.double(), x)) is None
    assert wrong_ranges.bits_as_a_number(mismatch(0 * x.float(), x.double(), 0 * x)) is None


@pytest.mark.parametrize(
    ("dtype", "low", "high", "kind"),
    [
        (torch.int8, 0, 255, " (an unsigned one)"),
        (torch.uint8, -128, 127, " (a signed one)"),
        (torch.int16, -128, 127, ""),
    ],
)
def test_limits_of_another_type(dtype, low, high, kind):
    x = 200 * random(500, 4)
    info, whole = torch.iinfo(dtype), x.double().round()
    right = whole.clamp(info.min, info.max)

    def told(got, right=right, *inputs):
        return wrong_ranges.of_another_type(mismatch(got, right, *(inputs or (x,))))

    got = whole.clamp(low, high).int().to(dtype)
    sentence = told(got)
    ends = f"{max(low, info.min):,} to {min(high, info.max):,}"
    assert sentence.startswith(f"right where the result is {ends}, and others come out as ")
    assert f"another type{kind}? That of this one is {info.min:,} to" in sentence
    assert told(got, right, x[:3]) is None
    assert told((right.int() // 2).to(dtype)) is None
    assert told(got.double()) is None
    off = got.clone()
    off[(right > 0) & (right < 100)] += 1
    assert told(off) is None


def test_a_sum_that_wraps_around_before_it_is_clamped():
    a, b = (torch.randint(-(2**15), 2**15, (200,), generator=GENERATOR).short() for _ in "ab")
    more = torch.randint(-900, 900, (200,), generator=GENERATOR).short()
    wide = a.long() + b

    def told(sums):
        right = (wide + more).clamp(-(2**15), 2**15 - 1)
        got = (sums.long() + more).clamp(-(2**15), 2**15 - 1).short()
        return wrong_ranges.of_two(mismatch(got, right, a, b, more))

    assert told(a + b) == (
        "only elements go wrong for which input 1 plus input 2 is beyond the range of int16: "
        "is that held in int16, in which it wraps around?"
    )
    assert told(wide + (torch.arange(200) % 9 == 0) * 40) is None  # others, too
    few = torch.arange(200) % 9 == 0  # of those that are beyond
    assert told(torch.where(few, (a + b).long(), wide)) is None


def test_what_is_beyond_an_end_wraps_around():
    x = random(64) * 60
    whole = (2 * x.double() + 100).round()
    right, wrapped = whole.clamp(0, 255), whole.remainder(256)
    words = "only what is beyond the range of uint8 goes wrong: does it wrap around? Then limit"
    case = mismatch(wrapped.to(torch.uint8), right, x)
    assert wrong_ranges.beyond_an_end(case).startswith(words)
    spoilt = wrapped.clone()
    spoilt[(right > 100) & (right < 110)] += 1  # bits of a neighbour in the word
    told = wrong_ranges.beyond_an_end(mismatch(spoilt.to(torch.uint8), right, x))
    assert told.startswith("mostly what is beyond the range of uint8")
    at_ends = torch.cat([80 + torch.arange(30.0), -52 - torch.arange(30.0)])
    whole = (2 * at_ends.double() + 100).round()
    case = mismatch(whole.remainder(256).to(torch.uint8), whole.clamp(0, 255), at_ends)
    assert wrong_ranges.beyond_an_end(case).startswith(words)
    mixed = whole.remainder(256)[torch.randperm(60)].to(torch.uint8)
    assert wrong_ranges.beyond_an_end(mismatch(mixed, whole.clamp(0, 255), at_ends)) is None
    whole = (2 * x.double() + 100).round()
    cut = mismatch(whole.clamp(0, 127).to(torch.uint8), right, x)
    assert wrong_ranges.beyond_an_end(cut) is None  # other numbers go wrong, and to one
    assert wrong_ranges.beyond_an_end(mismatch(wrapped, right, x)) is None  # no integers


def test_an_infinity_that_is_not_limited():
    x = torch.tensor([-torch.inf, 3.0, torch.inf])
    got, right = torch.tensor([0, 3, 127], dtype=torch.int8), torch.tensor([-127.0, 3, 127])

    def told(got, right=right, x=x):
        return wrong_ranges.infinite_not_limited(mismatch(got, right, x))

    assert told(got).startswith("-infinity comes out as 0, and should be limited to -127: is")
    assert told(got.neg()) is None  # a number is wrong, too
    assert told(got, right.double(), x.clamp(-300, 300)) is None
    assert told(got, torch.tensor([-120.0, -121, 127])) is None
    assert told(torch.tensor([-128, 3, 127], dtype=torch.int8)) is None


def test_what_is_far_beyond_comes_out_as_the_other_end():
    x = torch.tensor([3e10, 4e10, -5e10])
    right = torch.tensor([255.0, 255.0, 0.0])
    got = torch.tensor([0, 0, 255], dtype=torch.uint8)
    told = wrong_ranges.beyond_an_end(mismatch(got, right, x))
    assert told.startswith("what is far beyond the range of uint8 comes out as its other end")
    assert wrong_ranges.beyond_an_end(mismatch(got, right, x / 1e6)) is None
    assert wrong_ranges.beyond_an_end(mismatch(got, right, x * torch.inf)) is None
