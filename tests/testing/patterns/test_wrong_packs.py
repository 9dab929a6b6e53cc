"""Which of a thread's elements comes out as another of them should."""

import pytest
import torch

from helpers.testing.patterns import wrong_packs
from tests.testing.mismatches import mismatch, random

N = 96
A, B, AT = random(N, 1), random(N, 2), torch.arange(N)
LONG = random(2500, 3)


def minus(a, b):
    return 3 * a - b


def moved(index, step, place, other):
    """Take one place of every `step` for another."""
    return torch.where(index % step == place, index + other - place, index)


def told(got, a=A, b=B):
    return wrong_packs.places(mismatch(got, minus(a, b), a, b, reference=minus))


WHY = ": is an index in a thread's loop another one?"


@pytest.mark.parametrize("count", [4, 8])
def test_numbers_of_one_place_of_a_pack_go_wrong_where_others_would(count):
    x = 9 * random(160, 8)
    right = x.clamp(max=3.0)
    place = torch.arange(160) % count == count - 1

    def said(got, x=x):
        return wrong_packs.some_of_one_place(mismatch(got, right.double(), x))

    words = f"of every {count} elements only those of place {count - 1} go wrong, "
    assert said(torch.where(place, x, right)).startswith(words)
    assert said(x) is None  # of all places
    planted = torch.where(place, 30.0, x.clamp(max=2.0))  # there alone it shows
    right = planted.clamp(max=3.0)
    assert said(torch.where(place, planted, right), planted) is None


def test_the_lower_one_of_two_in_a_word_that_is_not_masked_off():
    x = random(40, 4).bfloat16()
    both = x.view(torch.int16).int() << 16
    below = torch.where(
        torch.arange(40) % 2 == 1, x.roll(1).view(torch.int16).int() & 0xFFFF, 0
    )
    got = (both | below).view(torch.float32)

    def said(got, reference=lambda x: x):
        return wrong_packs.not_masked(mismatch(got, x.double(), x, reference=reference))

    assert said(got).startswith(
        "in the lower half of each wrong element stands another element"
    )
    assert said(got, None) is None and said(got.roll(2)) is None
    assert said(torch.where(torch.arange(40) == 0, 7.0, got)) is None


@pytest.mark.parametrize(("k", "place", "other"), [(2, 0, 1), (3, 2, 0), (4, 2, 1), (8, 3, 7)])
def test_one_that_is_done_for_another(k, place, other):
    index = moved(AT, k, place, other)
    names = ["1st", "2nd", "3rd", *(f"{i}th" for i in range(4, 9))]
    assert told(minus(A, B)[index]) == (
        f"of every {k} elements, the {names[place]} is what the {names[other]} should be, "
        f"that of index i {'+' if other > place else '-'} {abs(other - place)}{WHY}"
    )
    assert told(minus(A, B[index])) == (
        f"of every {k} elements, the {names[place]} takes input 2 of another element, the "
        f"{names[other]}{WHY}"
    )


def test_two_that_change_places():
    index = torch.where(AT % 4 > 1, AT ^ 1, AT)
    one, other = ("takes input 1 of another element, the " + x for x in ("4th", "3rd"))
    words = f"the 3rd {one}, and the 4th {other}"
    assert told(minus(A[index], B)) == f"of every 4 elements, {words}{WHY}"


def test_elements_that_are_a_block_apart():
    a, b, at = LONG, LONG.flip(0), torch.arange(2500)
    index = torch.where(at // 256 % 4 == 2, at - 256, at)
    words = "of every 4 elements that are 256 apart (a thread's?), the 3rd takes input 2"
    assert told(minus(a, b[index]), a, b) == f"{words} of another element, the 2nd{WHY}"
    few = slice(1000)  # of one group it may be of 3 as well
    assert told(minus(a[few], b[index[few]]), a[few], b[few]) is None


def test_what_does_not_explain_every_element():
    index = moved(AT, 4, 2, 1)
    got = minus(A, B[index])
    got[50] = minus(A, B)[50]
    assert told(got) is None
    got = minus(A, B[index])
    got[50] += 1
    assert told(got) is None
    got = minus(A, B[index])
    got[40] += 1  # another place of the four
    assert told(got) is None


def test_where_nothing_is_told():
    got = minus(A, B[moved(AT, 4, 2, 1)])
    assert wrong_packs.places(mismatch(got, minus(A, B), A, B)) is None  # no operator
    matrix = mismatch(got, minus(A, B), A, B, reference=minus, shape=(12, 8))
    assert wrong_packs.places(matrix) is None
    assert told(minus(A, B).roll(1)) is None
    same = torch.ones(N)
    zeros = torch.where(AT % 4 == 2, 0.0, 2.0)
    assert told(zeros, same, same) is None  # equal numbers do not tell their places


# ---- signs


def in_words(numbers, count, dtype, adds):
    """Put numbers into words with their signs, one after the other."""
    width, made = 8 * dtype.itemsize, []
    for first in range(0, len(numbers) - len(numbers) % count, count):
        word = 0
        for k, number in enumerate(numbers[first : first + count].tolist()):
            part = number << (width * k)
            word = word + part if adds else word | part
        made += [word >> (width * k) & (1 << width) - 1 for k in range(count)]
    words = torch.tensor(made)
    words = torch.where(words >= 1 << (width - 1), words - (1 << width), words)
    return torch.cat([words, numbers[len(words) :]]).to(dtype)


@pytest.mark.parametrize(
    ("count", "dtype"), [(2, torch.int8), (4, torch.int8), (2, torch.int16)]
)
def test_signs_that_run_over_their_neighbours(count, dtype):
    numbers = torch.randint(
        -100, 100, (4 * 16 + 1,), generator=torch.Generator().manual_seed(1)
    )
    for adds, what in ((False, "have all bits set"), (True, "are too small by 1")):
        got = in_words(numbers, count, dtype, adds)
        told = wrong_packs.signs(mismatch(got, numbers))
        assert told.startswith(f"of every {count} elements, those behind a negative one {what}")
        assert told.endswith("(& 0xff)" if dtype is torch.int8 else "(& 0xffff)")
        got[-1] += 1
        assert wrong_packs.signs(mismatch(got, numbers)) is None


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_sign_that_runs_over_its_neighbours(place):
    numbers = torch.randint(-99, 99, (4 * 8 + 1,), generator=torch.Generator().manual_seed(3))
    got = numbers.char()
    for first in range(place, 32, 4):
        if numbers[first] < 0:
            got[first + 1 : first - place + 4] = -1
    words = (
        f"of every 4 elements, those behind a negative one of place {place} have all bits set"
    )
    assert wrong_packs.signs(mismatch(got, numbers)).startswith(words)
    got[3 - place] += 1
    assert wrong_packs.signs(mismatch(got, numbers)) is None


def test_other_signs():
    numbers = torch.arange(-20, 20)
    assert wrong_packs.signs(mismatch(-numbers.char(), numbers)) is None
    assert wrong_packs.signs(mismatch((-numbers).float(), numbers)) is None
    assert wrong_packs.signs(mismatch(numbers[:9].char() * 0 - 1, numbers[:9])) is None


def thrice(x):
    return 3 * x


@pytest.mark.parametrize(("apart", "k"), [(64, 4), (96, 3), (32, 8), (256, 2)])
@pytest.mark.parametrize("missing", [0, 1, 40])
def test_elements_that_are_read_a_block_apart_and_stored_side_by_side(apart, k, missing):
    n = 3 * apart * k - missing
    x, at = random(n + missing, 4), torch.arange(n)
    r = at % (apart * k)
    for rows, columns, how in ((k, apart, "read"), (apart, k, "read side by side, and stored")):
        source = at - r + r // rows + columns * (r % rows)
        right = 3 * x[:n]
        got = torch.where(source < n, 3 * x[source], 7.0).float()
        m = mismatch(got, right, x[:n], reference=lambda y: 3 * y)
        assert f"the right one of place r / {rows} + {columns} * (r % {rows})" in (
            told := wrong_packs.turned(m)
        )
        assert f"counted for another place: of each {apart * k:,}, place r holds" in told
        assert f"Are the {k} elements of a thread {how} " in told
        got[5] = 99.0
        assert (
            wrong_packs.turned(mismatch(got, right, x[:n], reference=lambda y: 3 * y)) is None
        )


BYTES = torch.randint(0, 256, (2, 130), generator=torch.Generator().manual_seed(8))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("what", ["added", "subtracted"])
def test_numbers_that_are_added_as_one_word(dtype, size, what):
    a, b = (x.to(dtype) for x in BYTES)
    count, sign = size // dtype.itemsize, 1 if what == "added" else -1
    end = 130 // count * count
    got, right = (a + sign * b).clone(), (a.double() + sign * b.double())
    for k in range(0, end, count):
        words = [int.from_bytes(x[k : k + count].numpy().tobytes(), "little") for x in (a, b)]
        made = (words[0] + sign * words[1]) % (1 << 8 * size)
        part = torch.frombuffer(bytearray(made.to_bytes(size, "little")), dtype=dtype)
        got[k : k + count] = part
    limits = torch.iinfo(dtype)
    right = right.clamp(limits.min, limits.max)
    wrong = (got.double() != right) & (torch.arange(130) < end)

    def clamped(a, b):
        return (a + sign * b).clamp(limits.min, limits.max)

    def told(got):
        return wrong_packs.carries(mismatch(got, right, a, b, wrong=wrong, reference=clamped))

    words = f"{count} numbers of {str(dtype)[6:]} that are {what} as one word of {size} bytes"
    if bool((got != a + sign * b).any()):
        assert words in told(got)
    assert told(a + sign * b) is None  # each wraps around for itself
    assert told(right.to(dtype)) is None


def test_a_word_that_is_limited_as_a_whole():
    a, b = (x.to(torch.uint8)[:128].contiguous() for x in BYTES)
    words = [x.numpy().view("u4").astype("u8") for x in (a, b)]
    made = torch.from_numpy((words[0] + words[1]).clip(max=0xFFFFFFFF).astype("u4").view("u1"))
    right = (a.double() + b.double()).clamp(max=255)
    m = mismatch(made, right, a, b, reference=lambda a, b: (a + b).clamp(max=255))
    assert "4 numbers of uint8 that are added as one word of 4 bytes" in wrong_packs.carries(m)


@pytest.mark.parametrize(("dtype", "half"), [(torch.bfloat16, 16), (torch.float16, 0)])
def test_the_bits_of_a_narrow_float_in_the_lower_half_of_a_float(dtype, half):
    right = (8 * A).to(dtype)
    got = (right.view(torch.int16).int() & 0xFFFF).view(torch.float32)
    told = wrong_packs.lower_half(mismatch(got, right.double()))
    assert told.startswith("tiny numbers come out, whose bits are those of the right")
    assert ("<< 16" in told) is bool(half)
    one = wrong_packs.lower_half(mismatch(got[:1], right[:1].double()))
    assert one == told
    assert wrong_packs.lower_half(mismatch(got * 2, right.double())) is None
    assert wrong_packs.lower_half(mismatch(got, right.double() * (1 + 2.0**-20))) is None
    assert wrong_packs.lower_half(mismatch(right.float() + 1, right.double())) is None


@pytest.mark.parametrize(("count", "place"), [(2, 1), (4, 3), (4, 0), (8, 5)])
def test_one_byte_of_each_word_goes_wrong(count, place):
    numbers = (random(400).abs() * 50).to(torch.uint8)
    of = {"reference": lambda x: x}
    moved = (torch.arange(400) % count == place) & (numbers > 15)
    got = torch.where(moved, numbers & 15, numbers)
    told = wrong_packs.one_byte(mismatch(got, numbers.double(), numbers, **of))
    assert told.startswith(f"of every {count} elements only the one of place {place} goes")
    got[place + 1] += 1  # of another place
    assert wrong_packs.one_byte(mismatch(got, numbers.double(), numbers, **of)) is None
    rare = numbers.clone()
    rare[place :: 97 * count] += 1
    assert wrong_packs.one_byte(mismatch(rare, numbers.double(), numbers, **of)) is None


def test_integers_that_stand_side_by_side_in_an_array_of_wider_ones():
    right = torch.tensor([5, 27, 3, 9, 14])
    got = torch.full((5,), 0x7FF8DEADDEADDEAD)
    got.view(torch.int32)[:5] = right.int()
    words = "the right numbers stand side by side in 32 bits each"
    assert wrong_packs.side_by_side(mismatch(got, right)).startswith(words)
    assert wrong_packs.side_by_side(mismatch(got + 1, right)) is None
    assert wrong_packs.side_by_side(mismatch(got.int(), right)) is None
    zeros = torch.zeros(5, dtype=torch.int64)
    assert wrong_packs.side_by_side(mismatch(zeros + 7, zeros)) is None
