"""The numbers that an operator is tried on: special ones, ties, NaNs, random bits."""

import math

import pytest
import torch

from helpers.testing import values
from helpers.testing.references import bits, rounded, to_odd
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


@pytest.mark.parametrize(
    ("dtypes", "output", "highest"),
    [
        ([torch.int64], torch.int32, 51),
        ([torch.int32, torch.int64], torch.int32, 51),
        ([torch.int32], torch.int8, 31),
        ([torch.int32], torch.uint8, 31),
        ([torch.int16], torch.int8, 15),
    ],
)
def test_integers_of_every_size_for_a_cast_that_saturates(dtypes, output, highest):
    columns = values.integers_of_every_size(dtypes, output)
    assert [x.dtype for x in columns] == dtypes
    sizes = columns[-1].abs().double().log2().floor().long()
    assert sizes.unique().tolist() == list(range(highest))
    assert all(int(((sizes == k) & (columns[-1] < 0)).sum()) >= 8 for k in range(highest))


@pytest.mark.parametrize(
    ("dtypes", "output"),
    [
        ([torch.int32], torch.int32),
        ([torch.int32], torch.int64),
        ([torch.int64], torch.float32),
        ([torch.float64], torch.int32),
        ([torch.int64], torch.bool),
        ([], torch.int32),
    ],
)
def test_no_integers_of_every_size_where_random_bits_tell(dtypes, output):
    assert values.integers_of_every_size(dtypes, output) == ()


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


def test_special_values_of_one_input_are_each_tried():
    (x,) = values.pairs_of_specials([torch.float16])
    each = bits(special_values(torch.float16)).repeat_interleave(18)
    assert bits(x).tolist() == each.tolist()


def test_there_are_no_special_values_of_whole_numbers():
    assert values.pairs_of_specials([torch.int64, torch.int32]) == ()
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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int16])
def test_one_input_of_16_bits_has_every_pattern(dtype):
    (x,) = bit_patterns([dtype], [dtype], lambda x: x, False)
    assert torch.equal(bits(x).int() & 0xFFFF, torch.arange(1 << 16).int())
    a, b = bit_patterns([dtype] * 2, [dtype], lambda a, b: a, False)
    assert len(a) == len(b) == 4099


def test_what_is_not_defined_becomes_one():
    x = torch.tensor([1e30, 7.5, math.nan, -math.inf, 2147483648.0, -5.0])
    (some,) = values.defined([x], [torch.int32], lambda x: x)
    assert some.tolist() == [1, 7.5, 1, 1, 1, -5] and x[0] == 1e30
    (same,) = values.defined([x], [torch.float32], lambda x: x)
    assert torch.equal(same.nan_to_num(), x.nan_to_num())
    a, b = values.defined([x, x], [torch.float32, torch.int32], lambda a, b: (a, b))
    assert a.tolist() == b.tolist() == some.tolist()
    assert values.defined([], [torch.int32], lambda: torch.zeros(0)) == ()
    # one float among the inputs is enough: a whole result beyond the range does not wrap
    c, d = torch.tensor([3e9, 5.0]), torch.tensor([2, 2], dtype=torch.int32)
    c, d = values.defined([c, d], [torch.int32], lambda c, d: c + d)
    assert (c.tolist(), d.tolist()) == ([1, 5], [1, 2])


def test_integers_halfway_between_two_floats():
    (x,) = values.halfway_integers([torch.int32], torch.bfloat16)
    assert x.dtype is torch.int32 and len(x) == 23 * 24  # exponents from 8 to 30
    size = x.long().abs()
    assert int(size.min()) >= 256 and int(size.max()) > 1 << 30
    exponent = size.double().log2().floor()
    unit = torch.exp2(exponent - 7)
    beside = size % unit - unit / 2
    assert beside.unique().tolist() == [-1, 0, 1] and bool((x < 0).any())
    assert x[1] < 0 < x[0]
    once, twice = rounded(x.double(), torch.bfloat16), x.float().bfloat16()
    assert not torch.equal(once, twice)
    (half,) = values.halfway_integers([torch.int64], torch.float16)
    assert 2048 < int(half.abs().min()) and int(half.abs().max()) < 65536
    (wide,) = values.halfway_integers([torch.int64], torch.float32)
    assert (1 << 62) < int(wide.abs().max()) < 1 << 63
    once, twice = rounded(to_odd(wide), torch.float32), wide.double().float()
    assert int((once != twice).sum()) > 50  # where float64 cannot hold the integer
    (unsigned,) = values.halfway_integers([torch.uint8], torch.float8_e4m3fn)
    assert int(unsigned.min()) > 15
    nothing = [([torch.int32], torch.int32), ([torch.float32], torch.float16)]
    nothing += [([torch.int32] * 2, torch.half), ([torch.bool], torch.half)]
    nothing += [([torch.int16], torch.float32)]
    assert [values.halfway_integers(*given) for given in nothing] == [()] * 5


# ---- by exact values


def test_ordinary_whole_numbers_lie_from_minus_100_to_99():
    generator = torch.Generator().manual_seed(3)
    whole = values.normal_numbers(20_000, torch.int32, generator)
    assert (whole.min(), whole.max(), whole.dtype) == (-100, 99, torch.int32)
    normal = values.normal_numbers(20_000, torch.float16, generator)
    assert normal.dtype is torch.float16 and normal.unique().numel() > 3000
    assert abs(float(normal.double().mean())) < 0.03
    assert abs(float(normal.double().std()) - 1) < 0.03


def test_how_many_numbers_are_tried():
    assert (values.HALFWAY_VALUES, values.BIT_PATTERNS, values.EXACT) == (600, 4099, 2**53)


def test_halfway_values_have_every_exponent_from_minus_6_to_6_equally_often():
    (whole,) = halfway_values([torch.float32], torch.float32)
    exponents = whole.double().abs().log2().floor()
    found, counts = exponents.unique(return_counts=True)
    assert found.tolist() == list(range(-6, 7))
    assert counts.tolist() == [25] + 11 * [50] + [25]
    fractions = whole.double().abs() / torch.exp2(exponents) - 1
    assert 0 <= fractions.min() < 0.01 and 0.99 < fractions.max() < 1


@pytest.mark.parametrize(
    ("output", "eps"), [(torch.float32, 2.0**-23), (torch.float16, 2.0**-10)]
)
def test_a_cast_of_halfway_values_leaves_the_tie_in_turn(output, eps):
    (x,) = halfway_values([torch.float64], output)
    unit = torch.exp2(x.abs().log2().floor()) * eps
    sign = torch.where(torch.arange(600) % 2 == 0, -1.0, 1.0).double()
    whole = x - unit / 2 - unit * torch.tensor(STEPS).double().repeat(120)
    assert torch.equal(whole, (whole / unit).round() * unit)
    assert torch.equal(whole.sign(), sign)


STEPS = [0, 2.0**-8, -(2.0**-8), 2.0**-30, -(2.0**-30)]
EXPONENTS = {  # of the least subnormal number, of the least normal and of the largest one
    torch.float16: (-24, -14, 15),
    torch.bfloat16: (-133, -126, 127),
    torch.float32: (-149, -126, 127),
}


@pytest.mark.parametrize("dtype", EXPONENTS)
def test_twenty_ties_at_every_exponent(dtype):
    least, normal, largest = EXPONENTS[dtype]
    x, second, third = halfway_everywhere([torch.float64] * 3, dtype)
    exponents = torch.arange(least, largest + 1).double().repeat_interleave(20)
    assert x.shape == exponents.shape and torch.equal(third, torch.ones_like(x))
    unit = torch.exp2(exponents.clamp(min=normal) + least - normal)
    assert torch.equal(second, unit / 2)
    whole = x - unit / 2 - unit * torch.tensor(STEPS).double().repeat(len(x) // 5)
    assert torch.equal(whole, (whole / unit).round() * unit)
    assert torch.equal(whole.abs().log2().floor(), exponents)
    assert bool((whole[::2] < 0).all()) and bool((whole[1::2] > 0).all())
    many = exponents > normal + 5
    assert (whole.abs() / torch.exp2(exponents))[many].unique().numel() > 50


def test_ties_at_every_exponent_of_an_input_that_is_no_finer():
    (x,) = halfway_everywhere([torch.float16], torch.float16)
    a, b, c = halfway_everywhere([torch.float16] * 3, torch.float16)
    assert len(x) == 20 * 40 and torch.equal(a, x) and bool((c == 1).all())
    unit = torch.exp2(x.double().abs().log2().floor().clamp(min=-14) - 10)
    assert torch.equal(b.double(), (unit / 2).half().double())
    assert torch.equal(x.double(), (x.double() / unit).round() * unit)


@pytest.mark.parametrize(
    ("dtype", "payloads"),
    [
        (torch.float16, [0x7C01, 0x7E00, 0x7FFF, 0x7E05]),
        (torch.bfloat16, [0x7F81, 0x7FC0, 0x7FFF, 0x7FC5]),
        (torch.float32, [0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0x7FC00005]),
        (
            torch.float64,
            [0x7FF0000000000001, 0x7FF8000000000000, 0x7FFFFFFFFFFFFFFF, 0x7FF8000000000005],
        ),
    ],
)
def test_the_bits_of_the_nans(dtype, payloads):
    negative = [payload - (1 << (8 * dtype.itemsize - 1)) for payload in payloads]
    assert bits(nan_payloads(dtype)).tolist() == payloads + negative


def test_each_nan_meets_each_zero_and_one():
    a, b = nans_and_zeros([torch.float32, torch.float16])
    assert bits(a[:32]).tolist() == bits(nan_payloads(torch.float32)).tolist() * 4
    assert bits(b[32:]).tolist() == bits(nan_payloads(torch.float16)).tolist() * 4
    others = [0.0] * 8 + [-0.0] * 8 + [1.0] * 8 + [-1.0] * 8
    for x in (b[:32], a[32:]):
        assert list(map(str, x.tolist())) == list(map(str, others))


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [(torch.int8, -128, 127), (torch.int32, -(2**31), 2**31), (torch.int64, -(2**51), 2**51)],
)
def test_random_integers_reach_from_end_to_end(dtype, low, high):
    x = random_bits(20_000, dtype, torch.Generator().manual_seed(2)).double()
    assert (
        x.shape == (20_000,) and low <= x.min() < 0.99 * low and 0.99 * high < x.max() <= high
    )


def test_random_floats_have_every_exponent_and_both_signs():
    x = random_bits(20_000, torch.float16, torch.Generator().manual_seed(2))
    assert bits(x).unique().numel() > 16_000
    truth = random_bits(1000, torch.bool, torch.Generator().manual_seed(2))
    assert truth.dtype is torch.bool and 400 < int(truth.sum()) < 600


def test_every_tenth_pattern_is_an_ordinary_number():
    a, b = bit_patterns([torch.float32] * 2, [torch.float32], lambda a, b: a + b, False)
    for x in (a, b):
        assert x[::10].abs().max() < 6 and abs(float(x[::10].mean())) < 0.2
        others = torch.cat([x[k::10] for k in range(1, 10)])
        assert int((others.abs() > 1e9).sum()) > 1000
    assert not torch.equal(a[::10], b[::10])
    (whole,) = bit_patterns([torch.int32], [torch.int32], lambda x: x, False)
    assert whole[::10].abs().max() <= 100 < whole[1::10].abs().min()


def test_each_of_several_outputs_must_be_defined():
    def both(x):
        return x, x * 2.0**100

    (x,) = bit_patterns([torch.float32], [torch.float32, torch.int32], both, False)
    assert ((x.double() * 2.0**100).abs() < 2**31).logical_or(x == 1).all()
    assert not ((x.double() * 2.0**100).abs() < 2**31).all()


def unclear(exact, dtype, floats=False, tolerant=False):
    return values._unclear(
        torch.tensor(exact, dtype=torch.float64), dtype, floats, tolerant
    ).tolist()


def test_which_results_are_not_defined():
    nan = math.nan
    assert unclear([0.0, 1.0, nan], torch.bool) == [False, False, True]
    edges = [-129.0, -128.0, 127.0, 128.0, nan]
    assert unclear(edges, torch.int8, floats=True) == [True, False, False, True, True]
    assert unclear(edges[:4], torch.int8) == [False] * 4  # whole numbers wrap around
    exact = float(2**53)
    long = [exact - 1, exact, 1 - exact, -exact]
    assert unclear(long, torch.int64) == [False, True, False, True]


def test_which_results_of_several_steps_are_left_out():
    half, tiny = 65504.0 / 2, 2.0**-14
    edges = [half, half + 16, -half - 16, INF, tiny, -tiny, tiny / 2, -tiny / 2, 0.0]
    expected = [False, True, True, True, False, False, True, True, False]
    assert unclear(edges, torch.float16, tolerant=True) == expected
    assert unclear(edges, torch.float16) == [False] * 9


def test_each_input_behind_the_second_is_1():
    for make in (halfway_values, halfway_everywhere):
        _, _, third, fourth, fifth = make([torch.float32] * 5, torch.float32)
        for x in (third, fourth, fifth):
            assert torch.equal(x, torch.ones_like(x)) and x.dtype is torch.float32


def test_beside_special_values_whole_numbers_are_small():
    mixed = [torch.float32, torch.uint8]
    x, k = values.pairs_of_specials(mixed)
    assert k.dtype is torch.uint8 and k.unique().tolist() == [0, 1, 2, 100]
    assert {(0.0, 0), (0.0, 1)} <= set(zip(x.tolist(), k.tolist(), strict=True))
    x, k = nans_and_zeros(mixed)
    assert x[:32].isnan().all() and k[:32].unique().tolist() == [0, 1, 255]
    assert not x[32:].isnan().any() and nans_and_zeros([torch.int8]) == ()


def test_fractions_hold_the_halves_of_every_power_of_two():
    x, ones = values.fractions([torch.float32, torch.int32], torch.int8)
    assert (len(x.unique()), x.min(), x.max(), x.dtype) == (8193, -16, 16, torch.float32)
    assert bool((ones == 1).all()) and not torch.equal(x, x.sort().values)
    assert values.fractions([torch.int32], torch.int8) == ()
    assert values.fractions([torch.float32], torch.float16) == values.fractions([], torch.int8)


def test_one_whole_number_among_the_inputs_leaves_no_halves():
    mixed = [torch.float32, torch.int32]
    assert (
        halfway_values(mixed, torch.float32) == halfway_everywhere(mixed, torch.float32) == ()
    )
