"""Steps on the way that wrap, or test a flag: told only if they explain what is wrong."""

import pytest
import torch

from helpers.testing.patterns import wrong_steps
from tests.testing.mismatches import mismatch, random, said

N = 400


def integers(seed, dtype=torch.int32):
    info = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(info.min, info.max + 1, (N,), generator=generator).to(dtype)


def where(flag, a, b):
    return torch.where(flag != 0, a, b)


A, B = random(N, 1), random(N, 2)


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("is it 1", lambda x: x == 1),
        ("is it odd (its lowest bit)", lambda x: x % 2 == 1),
        ("is it more than 0, in a signed type", lambda x: (x > 0) & (x < 128)),
    ],
)
def test_a_flag_of_which_other_values_count_as_zero(words, holds):
    flag = integers(3, torch.uint8)
    flag[::3], flag[1::3] = 0, 1
    got = torch.where(holds(flag), A, B)
    right = where(flag.double(), A.double(), B.double())
    case = mismatch(got, right, flag, A, B, reference=where)
    assert f'"{words}?" of input 1' in wrong_steps.flags(case)
    got[0] += 1  # what no question explains
    assert wrong_steps.flags(mismatch(got, right, flag, A, B, reference=where)) is None


def test_a_number_is_no_flag():
    x = integers(3, torch.uint8)
    right = x.double() * A
    got = ((x == 1) * A).float()
    case = mismatch(got, right, x, A, reference=lambda x, a: x * a)
    assert wrong_steps.flags(case) is None


def test_a_sum_that_wraps_around():
    def middle(a, b):
        return ((a + b) / 2).floor()

    a, b = integers(1), integers(2)
    right = middle(a.double(), b.double())
    told = wrong_steps.wraps(mismatch((a + b) >> 1, right, a, b, reference=middle))
    assert told.startswith("only elements go wrong whose sum of inputs 1 and 2 is beyond the")
    got = (a.long() + b.long() >> 1).int()
    got[::2] += 1
    assert wrong_steps.wraps(mismatch(got, right, a, b, reference=middle)) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_sum_of_integers_that_wraps_before_it_becomes_a_float(dtype):
    def middle(a, b):
        return (a + b) / 2

    a, b = integers(1), integers(2)
    right, got = middle(a.double(), b.double()), (a + b).to(dtype) / 2
    wrong = (got.double() - right).abs() > 1000  # more than a float32 rounds
    told = wrong_steps.wraps(mismatch(got, right, a, b, wrong=wrong, reference=middle))
    assert told.startswith(
        "only elements go wrong whose sum of inputs 1 and 2 is beyond the range of int32: does "
    )
    some = mismatch(got, right, a.float(), b.float(), wrong=wrong, reference=middle)
    assert wrong_steps.wraps(some) is None  # floats do not wrap
    wrong[int((~wrong).nonzero()[0])] = True
    assert wrong_steps.wraps(mismatch(got, right, a, b, wrong=wrong, reference=middle)) is None


def test_a_product_that_hardly_ever_has_a_place_is_not_told():
    a, b = integers(1), integers(2)
    right = (a.long() * b.long()).int().double()
    case = mismatch((a * b) ^ 1, right, a, b, reference=lambda a, b: a * b)
    assert wrong_steps.wraps(case) is None


def test_a_float_that_is_cast_out_of_its_range():
    a, b = integers(1), integers(2)
    right = (a.long() * b.long()).int().double()
    got = torch.full((N,), torch.iinfo(torch.int32).min, dtype=torch.int32)
    of = {"reference": lambda a, b: a * b}
    told = wrong_steps.from_a_float(mismatch(got, right, a, b, **of))
    assert told.startswith("-2147483648 comes out where the result wraps around")
    got[::2] = torch.iinfo(torch.int32).max  # saturated, as by a comparison
    assert wrong_steps.from_a_float(mismatch(got, right, a, b, **of)) is None


@pytest.mark.parametrize("bits", [8, 16])
def test_results_that_wrap_around(bits):
    right = torch.arange(-(1 << bits), 1 << bits, 1 << (bits - 5)).double()
    held = (right + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    told = wrong_steps.wrapped(mismatch(held.float(), right))
    assert told.startswith(f"only results beyond the range of int{bits} go wrong, by")
    held[0] += 1
    assert wrong_steps.wrapped(mismatch(held.float(), right)) is None


def test_large_integers_of_which_some_go_wrong():
    def twice(a):
        return a * 2

    a = integers(1) // 4
    a[::3] = torch.arange(len(a[::3]), dtype=a.dtype)
    right = twice(a.double())
    wrong = (a > 1 << 20) & (torch.arange(N) % 2 == 0)
    got = torch.where(wrong, 7, right.int())
    case = mismatch(got, right, a, reference=twice)
    assert "does something wrap around on the way" in str(wrong_steps.large_integers(case))
    got = torch.where(torch.arange(N) % 2 == 0, 7, right.int())
    assert wrong_steps.large_integers(mismatch(got, right, a, reference=twice)) is None


@pytest.mark.parametrize(
    ("right", "steps", "words"),
    [
        (torch.fmod, lambda a, b: a - b * (a / b).trunc(), "is it a - b * trunc(a / b)?"),
        (torch.remainder, lambda a, b: a - b * (a / b).floor(), "is it a - b * floor(a / b)?"),
        (torch.fmod, torch.remainder, "the remainder has the sign of input 2"),
        (torch.remainder, torch.fmod, "the remainder has the sign of input 1"),
        (
            torch.fmod,
            lambda a, b: a - b * (a / b).floor(),
            "the remainder has the sign of input 2",
        ),
    ],
)
def test_a_remainder_in_steps(right, steps, words):
    a, b = 100 * random(N, 4), random(N, 5)
    a[0], b[1] = torch.inf, torch.inf
    exact = right(a.double(), b.double())
    got = steps(a, b)
    case = mismatch(got, exact, a, b, reference=right)
    assert wrong_steps.in_steps(case).startswith(words)
    got[5] += 1
    assert wrong_steps.in_steps(mismatch(got, exact, a, b, reference=right)) is None


def test_a_part_of_what_wraps_around():
    a, b = (integers(seed, torch.uint8) for seed in (1, 2))

    def blend(a, b):
        return ((3 * a + b) / 4).floor()

    right = blend(a.double(), b.double())
    case = mismatch((3 * a + b) // 4, right, a, b, reference=blend)
    assert wrong_steps.part_wrapped(case).startswith(
        "each wrong element is off by a multiple of"
    )
    got = (3 * a + b) // 4
    got[0] += 1
    assert wrong_steps.part_wrapped(mismatch(got, right, a, b, reference=blend)) is None


def test_a_bit_further_up_is_no_wrapping_in_8_bits():
    right = torch.arange(-100, 100).double() - 2.0**31
    got = (right + 2.0**31).int()
    assert wrong_steps.wrapped(mismatch(got, right)) is None


def test_a_sum_of_bytes_that_wraps_in_16_bits():
    right = torch.arange(2000) % 256
    got = right.clone()
    got[[200, 250, 460, 510, 700, 1000, 1500]] -= 1

    def mean(x):
        return x

    sentence = said(got.byte(), right, right.byte(), reference=mean, poison=1)
    assert sentence.startswith("7 of ") and "and none of the" in sentence
    assert "held in a signed type, of 16 bits say" in sentence
    got[[5, 300]] -= 1
    m = mismatch(got.byte(), right, right.byte(), reference=mean, poison=1)
    assert wrong_steps.upper_half(m) is None


def without_the_last_step(n, first, undone):
    x = random(n, 3).double()
    x[-20:-10:9] = 0  # which may come out right
    return torch.where(torch.arange(n) < first, x, undone(x)).float(), x


@pytest.mark.parametrize(("n", "first"), [(300, 288), (1000, 330), (129, 64)])
@pytest.mark.parametrize("shape", [(7,), ()])
def test_a_last_step_that_does_not_reach_all(n, first, shape):
    """As the division of sums by their count, or the sign, which a second kernel makes."""
    rows = torch.zeros(n, *shape)
    for undone, words in (
        (lambda x: -x, "times -1"),
        (lambda x: 47 * x, "times 47"),
        (lambda x: x - 3, "plus -3"),
        (lambda x: x.square(), "times itself"),
    ):
        got, right = without_the_last_step(n, first, undone)
        told = wrong_steps.left_out_from_on(mismatch(got, right, rows, shape=(n,)))
        if not shape and n - first <= 16:
            assert told is None  # of an operator it may be the rest of a pack
            continue
        assert told.startswith(
            f"all is right below index {first}, and from there on each result is the right one "
            f"{words}: is a last step left out there"
        )


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
@pytest.mark.parametrize(
    ("word", "chosen"), [("larger", torch.maximum), ("smaller", torch.minimum)]
)
def test_two_integers_that_are_compared_without_their_sign(dtype, word, chosen):
    generator = torch.Generator().manual_seed(4)
    a, b = torch.randint(-100, 100, (2, 40), generator=generator).to(dtype)
    right, turned = chosen(a, b).double(), chosen(a, b)
    unlike = (a < 0) != (b < 0)
    turned = torch.where(unlike, a + b - turned, turned).to(dtype)
    told = wrong_steps.compared_without_sign(mismatch(turned, right, a, b))
    assert told.startswith(f"each result is the {word} of two integers if they are compared")
    turned[unlike.nonzero()[0]] = right[unlike.nonzero()[0]].to(dtype)
    assert wrong_steps.compared_without_sign(mismatch(turned, right, a, b)) is None
    of_sums = mismatch(turned, (a + b).double(), a, b)
    assert wrong_steps.compared_without_sign(of_sums) is None


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
@pytest.mark.parametrize("limits", [(-20, 30), (0, 25)])
@pytest.mark.parametrize("way", ["max first", "min first", "in turn"])
def test_integers_that_are_limited_without_their_sign(dtype, limits, way):
    x = torch.arange(-60, 60).to(dtype)
    size = 2 ** torch.iinfo(dtype).bits
    low, high = (torch.tensor(one) % size for one in limits)
    unsigned = x.long() % size
    got = {
        "max first": unsigned.maximum(low).minimum(high),
        "min first": unsigned.minimum(high).maximum(low),
        "in turn": torch.where(
            unsigned < low, low, torch.where(unsigned > high, high, unsigned)
        ),
    }[way]
    right = x.double().clamp(*limits)
    told = wrong_steps.compared_without_sign(mismatch(got.to(dtype), right, x))
    words = f"each result is what comes out if the numbers and the limits {limits[0]} and"
    assert told.startswith(words)
    off = got.clone()
    off[limits[1]] += 1
    assert wrong_steps.compared_without_sign(mismatch(off.to(dtype), right, x)) is None
    assert wrong_steps.compared_without_sign(mismatch(got.float(), right, x.float())) is None


def test_no_integer_holds_a_fraction():
    right = torch.arange(20.0).double() * 64 + 0.5
    got = torch.where(right > 255, right - 256, right)
    assert wrong_steps.wrapped(mismatch(got.float(), right)) is None


def test_0_comes_out_from_one_on():
    got, right = without_the_last_step(300, 64, lambda x: 0 * x)
    told = wrong_steps.left_out_from_on(mismatch(got, right, shape=(300,)))
    assert told.startswith("all is right below index 64, and 0 comes out from there on: does ")
    assert told.endswith("so that what belongs to them is left out?")


def test_other_ends_miss_no_step():
    n = 300
    for first, undone in (
        (288, lambda x: x**3),
        (288, lambda x: x.flip(0)),
        (288, lambda x: x * torch.nan),
        (12, torch.neg),
        (297, torch.neg),
    ):
        got, right = without_the_last_step(n, first, undone)
        assert wrong_steps.left_out_from_on(mismatch(got, right, shape=(n,))) is None
    got, right = without_the_last_step(n, 100, torch.neg)
    got[200] = right[200]
    assert wrong_steps.left_out_from_on(mismatch(got, right, shape=(n,))) is None
    sizes = torch.arange(float(n))  # it may be the size of the numbers
    got = torch.where(sizes < 100, sizes, 2 * sizes)
    assert wrong_steps.left_out_from_on(mismatch(got, sizes, sizes, shape=(n,))) is None


@pytest.mark.parametrize("step", [255, 16, 10])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32])
def test_a_quotient_of_integers_that_is_cut(step, dtype):
    x = torch.arange(256).to(dtype)
    right = (x.double() / step - 0.5) / 0.25

    def told(whole, x=x):
        return wrong_steps.cut_quotient(mismatch(((whole - 0.5) / 0.25).float(), right, x))

    assert told(x.long() // step).startswith(
        f"of the numbers that go in only multiples of {step} come out right, and each other "
        f"one as the next of these toward 0: is an integer divided by {step}, so that its "
        f"fraction is truncated? Divide by a float ({step}.0f)"
    )
    assert told((x.double() / step).round()) is None
    assert told(x.long() // step, x.float()) is None
    assert told(torch.zeros(256)) is None


def test_negative_numbers_are_cut_toward_zero():
    x = torch.arange(-100, 100)
    m = mismatch((x / 8).trunc().float(), x.double() / 8, x)
    assert "multiples of 8 come out right" in wrong_steps.cut_quotient(m)
    m = mismatch((x / 8).floor().float(), x.double() / 8, x)
    assert wrong_steps.cut_quotient(m) is None


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize(
    ("dtype", "bits", "word"), [(torch.int16, 16, "short"), (torch.int8, 8, "char")]
)
def test_low_bits_of_some_elements(step, dtype, bits, word):
    x = torch.arange(-40, 40, dtype=torch.int32) * 3001
    right = x.double() * 0.25
    held = x.clone()
    held[::step] = x[::step].to(dtype).int()
    got = (held * 0.25).float()
    words = (
        f"each wrong result is made of the lowest {bits} bits of its number alone: is it held"
    )
    told = wrong_steps.scaled_low_bits(mismatch(got, right, x))
    assert told.startswith(words) and f"as a {word}, too narrow" in told
    got[0] += 1
    assert wrong_steps.scaled_low_bits(mismatch(got, right, x)) is None
    few = wrong_steps.scaled_low_bits(mismatch(got[:20], right[:20], x[:20]))
    assert few is None


def scaled(held, dtype=torch.int8, zero=13):
    """Say of integers, each less 13 and times 0.1, what `scaled_wrap` says."""
    x = integers(3, dtype)
    right = (x.double() - zero) * 0.1
    got = (held(x.to(torch.int32) - zero).double() * 0.1).float()
    close = (got.double() - right).abs() < 1e-6 * (1 + right.abs())
    return wrong_steps.scaled_wrap(mismatch(got, right, x, wrong=~close))


def test_an_integer_that_wraps_before_it_is_scaled():
    words = "off by what 2^8 more, or less, of input 1 would make: is a difference, a sum or a"
    assert words in scaled(lambda x: x.to(torch.int8))
    assert "held in 16 bits on the way" in scaled(
        lambda x: x.to(torch.int16), torch.int16, 10_000
    )


def test_an_integer_that_is_read_without_its_sign():
    read = scaled(lambda x: torch.where(x + 13 < 0, x + 256, x))
    assert read.startswith("only negative numbers of input 1 go wrong, and count as 2^8 more")


def test_other_wrong_numbers_are_no_wrapped_ones():
    assert scaled(lambda x: 2 * x) is None
    assert scaled(lambda x: x + 1) is None
    assert scaled(lambda x: x.clamp(-100, 100)) is None


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
def test_a_sum_that_wraps_where_it_must_stop(dtype):
    a, b = integers(1, dtype), integers(2, dtype)
    limits = torch.iinfo(dtype)
    exact = a.long() + b.long()
    right = exact.clamp(limits.min, limits.max).double()
    told = wrong_steps.wraps_before_limit(mismatch(exact.to(dtype), right, a, b))
    assert told.startswith(f"each wrong result is off by 2^{limits.bits}: must the sum stop at")
    assert wrong_steps.wraps_before_limit(mismatch(exact.to(dtype), right, a)) is None
    assert wrong_steps.wraps_before_limit(mismatch(exact.to(dtype) - 1, right, a, b)) is None
    wrapped = exact.to(dtype)
    assert wrong_steps.wraps_before_limit(mismatch(wrapped, right + 1, a, b)) is None


@pytest.mark.parametrize("times", [1, -3])
def test_a_sum_of_which_a_part_has_32_bits(times):
    right = torch.tensor([7_535_950_130])
    x = torch.arange(60)
    told = wrong_steps.off_by_2_to_the_32(mismatch(right + times * 2**32, right, x, shape=(1,)))
    assert told.startswith("the result is off by a multiple of 2^32: is something on the way")
    assert wrong_steps.off_by_2_to_the_32(mismatch(right + 2**31, right, x, shape=(1,))) is None
    assert wrong_steps.off_by_2_to_the_32(mismatch(right + 2**40, right, x, shape=(1,))) is None
    narrow = mismatch(torch.tensor([1], dtype=torch.int32), right, x, shape=(1,))
    assert wrong_steps.off_by_2_to_the_32(narrow) is None


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_an_integer_that_is_read_otherwise_by_most_threads(dtype):
    """The last few may be read rightly, one by one; those that wrap lie far from 0."""
    signed = dtype is torch.int8
    x = integers(3, dtype)
    right = x.double() * 0.5
    off = torch.where(x < 0, 256, 0) if signed else torch.where(x >= 128, -256, 0)
    off[-9:] = 0
    told = wrong_steps.scaled_wrap(mismatch(((x.long() + off) * 0.5).float(), right, x))
    sign, count = ("negative numbers", "more") if signed else ("numbers of the upper", "less")
    assert told.startswith(f"only {sign}") and f"count as 2^8 {count}" in told
    far = (x < -90) if signed else (x > 220)
    wraps = ((x.long() + off * far) * 0.5).float()
    told = wrong_steps.scaled_wrap(mismatch(wraps, right, x))
    assert "what 2^8 more, or less, of input 1 would make" in told


def test_unsigned_integers_that_are_read_as_signed_ones():
    x = torch.arange(0, 65_536, 991, dtype=torch.int32)
    got = x.to(torch.int16).float()
    told = wrong_steps.scaled_low_bits(mismatch(got, x.double(), x))
    assert told.startswith(
        "each wrong result is made of the bits of its number read as those of"
    )
    x = 3 * x  # no number of 16 bits
    told = wrong_steps.scaled_low_bits(mismatch(x.to(torch.int16).float(), x.double(), x))
    assert told.startswith(
        "each wrong result is made of the lowest 16 bits of its number alone"
    )
