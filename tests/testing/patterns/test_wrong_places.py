"""Patterns of places: each is recognised by itself, and not where it does not fit."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.patterns import wrong_indices, wrong_places
from tests.testing.mismatches import POISON, mismatch, random, said

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
    assert unwritten(5000, slice(-16, None)).startswith("the last 16 elements were never")


def test_more_than_a_tail_was_never_written():
    assert unwritten(5000, slice(-17, None)) == (
        "nothing is written from index 4,983 on: has the launch fewer threads (blocks x "
        "threads of a block) than it needs, or does a loop end too early?"
    )


def test_as_many_as_columns_were_written_of_a_result_for_each_row():
    x = random(33 * 8).view(33, 8)
    got = torch.where(torch.arange(33) < 8, x.mean(1), torch.nan)
    rows = mismatch(got, x.double().mean(1), x, poison=0x7FC00000)
    sentence = wrong_places.unwritten(rows)
    assert sentence.startswith("nothing is written from index 8 on, as many as input 1 has")
    other = replace(rows, inputs=(x[:, :7],))
    assert "has the launch fewer threads" in wrong_places.unwritten(other)


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
    zeros = said(got, [0.0, 1.0, 0.0], wrong=[False, False, True], poison=1)
    assert zeros == "every element is 0, and should not be: is what makes it left out?"
    assert wrong_places.unwritten(mismatch(got, [0.0, 0, 0], wrong=[0, 0, 1], poison=1)) is None
    partly = mismatch([0.0, 5.0, 5.0], [0.0, 1.0, 2.0], poison=0)
    assert wrong_places.unwritten(partly) is None


# ---- a copy, a constant


def test_a_copy_of_an_input():
    a, b = random(3, 1), random(3, 2)
    assert said(b.clone(), a + b, a, b) == "the output is a copy of input 2"
    assert (
        said(a.half(), a + b, a.half(), b, poison=0x7E5A) == "the output is a copy of input 1"
    )
    assert wrong_places.copy(mismatch(a[:2], (a + b)[:2], a[:2], b[:2])) is None
    assert wrong_places.copy(mismatch(a, a + b, torch.zeros(4))) is None
    assert said(a, a + b, torch.zeros(4), a[None]) == "the output is a copy of input 2"


def test_a_copy_whose_elements_should_have_changed_places():
    x = random(12)
    told = said(x.clone(), x.view(3, 4).T.flatten(), x.view(3, 4))
    assert told.startswith("the output is a copy of input 1, of which no element changes its")
    assert "rows and columns" in told


def test_a_constant():
    assert said([2.5] * 3, [1.0, 2.0, 3.0]) == "every element is 2.5, a constant"
    x = torch.zeros(4, 9)
    for numbers, words in (
        ([4.0] * 9, "every count is 4, that of all rows: "),
        ([3.0] * 9, ""),
    ):
        counted = mismatch(numbers, [0.0, 4.0, 2.0] * 3, x)
        sentence = wrong_places.constant(counted)
        assert sentence.startswith(words or "every element is 3, a constant")
    for value, words in (
        (
            2**31 - 1,
            "2147483647, the largest int32: is it a start value that nothing replaces?",
        ),
        (
            -(2**31),
            "-2147483648, the smallest int32: is it a start value that nothing replaces?",
        ),
        (7, "7, a constant"),
    ):
        places = mismatch(
            torch.full((9,), value, dtype=torch.int32),
            torch.tensor([3, 0, 4] * 3, dtype=torch.int32),
            torch.randn(9, 40),
        )
        told = wrong_places.nothing_replaces(places) or wrong_places.constant(places)
        assert told == f"every element is {words}"
    assert wrong_places.constant(mismatch([2.5] * 2, [1.0, 2.0])) is None
    assert wrong_places.constant(mismatch([8192] * 20, [-8192] * 20)) is None  # as is right
    assert wrong_places.constant(mismatch([2.5] * 3, [2.0, 2.01, 2.0])) is None
    assert wrong_places.constant(mismatch([2.5, 2.5, 2.0], [1.0, 2.0, 3.0])) is None


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
    assert wrong_places.other_operands(two) is None
    assert wrong_places.other_operands(mismatch(b - a, a - b, a, b)) is None
    almost = (b - a) + torch.tensor([0, 0, 1.0])
    assert (
        wrong_places.other_operands(mismatch(almost, a - b, a, b, reference=subtract)) is None
    )
    for other in (lambda a, b: (b - a, a), lambda a, b: (b - a)[:2]):
        assert (
            wrong_places.other_operands(mismatch(b - a, a - b, a, b, reference=other)) is None
        )


@pytest.mark.parametrize("shift", [1, -1, 2, -2, 4, -4, 8, -8])
def test_a_neighbour_s_element(shift):
    x = random(33)
    got = x.roll(-shift)
    edge = slice(-shift, None) if shift > 0 else slice(None, -shift)
    got[edge] = x[edge] + 100  # no neighbour is known there
    sign = "+" if shift > 0 else "-"
    assert said(got, x) == f"each element is the right one of index i {sign} {abs(shift)}"
    got[16] += 1
    assert wrong_places.neighbour(mismatch(got, x)) is None


@pytest.mark.parametrize(("count", "is_told"), [(8, True), (7, False)])
def test_some_elements_may_be_their_neighbours(count, is_told):
    x = random(33)
    got = x.clone()
    got[1 : 2 * count : 2] = x[0 : 2 * count : 2][:count]
    told = wrong_places.neighbour(mismatch(got, x))
    words = "each wrong element, the first at index 1, is that of index i - 1"
    assert told == (words if is_told else None)
    # As the special values of one input recur beside those of another one.
    assert wrong_places.neighbour(mismatch(got, x, got)) is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda a, b, c: a * b,
            "input 3 has no effect: this is the result with 0 in its place",
        ),
        (
            lambda a, b, c: a + c,
            "input 2 has no effect: this is the result with 1 in its place",
        ),
        (
            lambda a, b, c: a * a + c,
            "input 2 has no effect: this is the result with input 1 in its place",
        ),
        (lambda a, b, c: a * b + c, None),
    ],
)
def test_an_input_that_has_no_effect(wrong, words):
    inputs = [random(40, seed) for seed in (1, 2, 3)]
    right = inputs[0] * inputs[1] + inputs[2]
    got = right + 1 if words is None else wrong(*inputs)
    found = mismatch(
        got,
        right,
        *inputs,
        reference=lambda a, b, c: (a.float() * b.float() + c.float()).double(),
    )
    assert wrong_places.one_operand(found) == words


def test_a_few_elements_have_no_neighbours():
    x = random(32)
    assert wrong_places.neighbour(mismatch(x.roll(1), x)) is None


def wrong_from(n, first, until=None):
    expected = random(n)
    got = expected.clone()
    got[first:until] += 7.0
    return mismatch(got, expected)


def test_a_wrong_tail():
    question = "is the tail of n % width done once, at the right place?"
    assert wrong_places.tail(wrong_from(33, 32)) == f"the last element is wrong: {question}"
    assert wrong_places.tail(wrong_from(33, 31)) == f"the last 2 elements are wrong: {question}"
    assert wrong_places.tail(wrong_from(5000, 4984)) == (
        f"the last 16 elements are wrong: {question}"
    )
    assert wrong_places.tail(wrong_from(5000, 4983)) is None  # longer than any pack
    assert wrong_places.tail(wrong_from(32, 31)) is None  # in so few it says little
    assert wrong_places.tail(wrong_from(33, 0)) is None
    assert wrong_places.tail(wrong_from(33, 3, 5)) is None


def test_the_only_class_that_anything_is_in_is_no_tail():
    right, got = torch.zeros(40), torch.zeros(40)
    right[39], got[39] = -11.0, 7.0
    labels = torch.full((2,), 39, dtype=torch.int32)
    assert wrong_places.tail(mismatch(got, right, labels)) is None
    assert wrong_places.tail(mismatch(got, right, right)) is not None
    right[3] = got[3] = 2.0
    assert wrong_places.tail(mismatch(got, right, labels)) is not None


def test_a_tail_past_2_15_is_a_narrow_index():
    at = 1 << 15
    assert wrong_places.tail(wrong_from(at + 2, at)) == (
        "all is right below index 32,768 and wrong from there on: is an index or a count too "
        "narrow?"
    )
    assert "the last 3 elements are wrong" in wrong_places.tail(wrong_from(at + 2, at - 1))


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
    right = float(long.sum())
    got = right - float(long[-16:].sum())
    assert f"last 16 elements: {question} left out" in said([got], [right], long)
    got = right - float(long[-17:].sum())
    assert wrong_places.suffix_sum(mismatch([got], [right], long)) is None


def test_no_sum_no_suffix():
    x = torch.tensor([-2.0, -1.0])
    assert wrong_places.suffix_sum(mismatch([-2.0], [-1.0], x)) is None  # of the largest
    x = torch.tensor([1.0, 2.0])
    assert wrong_places.suffix_sum(mismatch([1.0, 1.0], [3.0, 1.0], x)) is None
    assert wrong_places.suffix_sum(mismatch([1.0], [3.0])) is None
    assert wrong_places.suffix_sum(mismatch([3.5], [3.0], x)) is None
    assert wrong_places.suffix_sum(mismatch([3.0], [3.0], torch.zeros(2), wrong=[True])) is None


# ---- operands and lanes


def test_an_operand_that_is_read_beside_its_place():
    a, b = random(40, 1), random(40, 2)

    def subtract(a, b):
        return a - b

    got = subtract(a, b.roll(-1))
    got[-1] = 7.0
    sentence = "input 2 is read at index i + 1, not at i"
    assert said(got, subtract(a, b), a, b, reference=subtract) == sentence
    before = subtract(a.roll(2), b)
    before[:2] = 0.0
    named = mismatch(before, subtract(a, b), a, b, reference=subtract)
    assert wrong_places.operand_neighbour(named) == "input 1 is read at index i - 2, not at i"
    a, b = random(255, 1), random(255, 2)
    by_thread = subtract(a, b)
    by_thread[128:] = subtract(a[128:], b[:127])
    told = said(by_thread, subtract(a, b), a, b, reference=subtract)
    assert told.startswith("input 2 is read at index i - 128, not at i, from index 128 on, so")
    a, b = random(40, 1), random(40, 2)
    few = mismatch(got[:32], subtract(a, b)[:32], a[:32], b[:32], reference=subtract)
    assert wrong_places.operand_neighbour(few) is None
    assert wrong_places.operand_neighbour(mismatch(got, subtract(a, b), a, b)) is None
    got[20] += 1
    other = mismatch(got, subtract(a, b), a, b, reference=subtract)
    assert wrong_places.operand_neighbour(other) is None


@pytest.mark.parametrize("shift", [2, 16, -16, 256, -1024])
def test_an_operand_that_some_elements_read_elsewhere(shift):
    a, b = random(1500, 1), random(1500, 2)
    got = a + b
    some = torch.arange(1100, 1400, 37)  # nine
    got[some] = a[some] + b[(some + shift) % 1500]

    def told(got):
        return wrong_places.operand_neighbour(
            mismatch(got, a + b, a, b, reference=lambda a, b: a + b)
        )

    index = f"index i {'+' if shift > 0 else '-'} {abs(shift)}"
    assert told(got) == f"of each wrong element, input 2 is read at {index}, not at i"
    got[some[:1]] = (a + b)[some[:1]]
    assert told(got)  # eight
    got[some[1]] = (a + b)[some[1]]
    assert told(got) is None


def test_an_operand_of_few_values_says_nothing_of_its_place():
    a, b = random(1600, 1), torch.tensor([0.25, -0.25]).repeat_interleave(8).repeat(100)
    got = a + b
    got[::9] = a[::9] - b[::9]  # its negative, which also stands eight places on
    found = mismatch(got, a + b, a, b, reference=lambda a, b: a + b)
    assert torch.equal(got[found.wrong], (a + b.roll(8))[found.wrong])
    assert wrong_places.operand_neighbour(found) is None


@pytest.mark.parametrize(("n", "is_told"), [(39, False), (40, True)])
def test_a_shift_that_leaves_a_few_elements_inside_says_nothing(n, is_told):
    x = random(n, 1)
    got = x.roll(-32)
    got[-32:] = 9.0
    told = wrong_places.operand_neighbour(mismatch(got, x, x, reference=lambda x: x))
    assert bool(told) == is_told


def test_special_values_that_recur_tell_no_place():
    x = torch.arange(8.0).repeat(10)
    assert wrong_places._several_values(x) and not wrong_places._several_values(x % 7)
    nans = torch.full((9,), float("nan"))
    assert not wrong_places._several_values(torch.cat([nans, x[:7]]))
    got = torch.tensor([1.0, 2.0]).repeat(20)
    right, wrong = got.roll(1), torch.arange(40) % 3 == 0
    assert wrong_places.neighbour(mismatch(torch.where(wrong, got, right), right)) is None


@pytest.mark.parametrize("step", [4, 8, 16, 32])
def test_one_of_every_few_elements(step):
    x = random(3 * step)
    got = x.clone()
    got[step - 1 :: step] = 100.0
    assert said(got, x) == (
        f"one of every {step} elements is wrong, from index {step - 1} on, and no other: what "
        "does a thread do with that one of its elements, or that lane of a warp?"
    )
    got[step - 1 :: step] = 0.0
    assert wrong_places.one_of_every(mismatch(got, x)) == (
        f"one of every {step} elements is wrong, from index {step - 1} on, and 0: is it left "
        "out of a thread's pack, or of a warp's lanes?"
    )
    assert wrong_places.one_of_every(mismatch(got[: 2 * step], x[: 2 * step])) is None
    got, last = (2 * x).float(), torch.arange(len(x)) % step == step - 1
    as_it_was = mismatch(torch.where(last, x, got), got, x)
    assert wrong_places.one_of_every(as_it_was).endswith(
        "and is that of input 1, as it goes in: is it left out of a loop over the elements of "
        "a thread, or of its pack?"
    )
    later = random(6 * step)
    got = later.clone()
    got[3 * step :: step] = 100.0
    assert wrong_places.one_of_every(mismatch(got, later)) is None


@pytest.mark.parametrize(("width", "n"), [(128, 191), (32, 100), (256, 1500), (64, 190)])
def test_elements_at_the_edges_of_blocks(width, n):
    x = random(n)

    def told(*places, of=x):
        got = of.clone()
        got[list(places)] = 100.0
        return wrong_places.at_edges_of_blocks(mismatch(got, of, of))

    firsts = [*range(width, n, width)]
    first = told(*firsts)
    assert f"wrong, the first of a block of {width}: is what stands before it" in first
    assert first.startswith(
        f"element {width} alone is" if n < 2 * width else f"elements {width}, {firsts[-1]:,}"
    )
    last = told(*(k - 1 for k in firsts))
    assert f"the last of a block of {width}: is what stands behind it" in last
    assert told(*firsts, 5) is None
    assert told(*(k + 1 for k in firsts)) is None
    assert told(width, of=random(width + 1)) is None  # the tail
    assert told(0) is None


# ---- matrices


# ---- boundaries of the patterns above


def left(n, where, shape=(), wrong_too=(), value=-1.0):
    """Make n elements: those at `where` hold the poison, those at `wrong_too` the value."""
    expected = torch.arange(1.0, n + 1)
    got = expected.clone()
    got.view(torch.int32)[where] = POISON
    got[list(wrong_too)] = value
    return wrong_places.unwritten(mismatch(got, expected, shape=shape))


@pytest.mark.parametrize("shape", [(), (1, 2 * 65_535 + 40)])
def test_a_grid_ends_at_65535_blocks(shape):
    words = (
        "nothing is written from index 131,070 on, which is 65,535 x 2: does the grid end "
        "there, at 65,535 blocks?"
    )
    n = 2 * 65_535 + 40
    assert left(n, slice(2 * 65_535, None), shape) == words
    assert left(n, slice(2 * 65_535 + 1, None), shape) != words
    assert left(n, slice(2 * 65_535, n - 1), shape) != words


def test_a_count_of_16_bits_ends_at_the_remainder():
    words = (
        "nothing is written from index 10 on, the remainder of 65,546 and 2^16: is a count of "
        "16 bits too narrow?"
    )
    n = (1 << 16) + 10
    assert left(n, slice(10, None)) == words
    assert left(2 * (1 << 16) + 10, slice(10, None)).startswith("nothing is written from index")
    assert left(n, slice(11, None)).startswith("nothing is written from index 11 on: has")
    assert left(n, slice(9, None)).startswith("nothing is written from index 9 on: has")
    assert left(n, slice(10, -1)).startswith("65,535 of 65,546 elements were never written")
    nothing = torch.full((n,), POISON, dtype=torch.int32).view(torch.float32)
    assert wrong_places.unwritten(mismatch(nothing, torch.ones(n))).startswith("nothing was")


def test_elements_of_a_matrix_that_were_never_written():
    words = (
        "17 of 40 elements were never written, the first at row 1, column 2: what the output "
        "held before stays there"
    )
    assert left(40, slice(10, 27), (5, 8)) == words
    assert left(40, slice(10, 26), (5, 8)) == (
        "16 of 40 elements were never written, the first at index 10: what the output held "
        "before stays there"
    )
    tail = "the last 16 elements were never written: is the tail handled"
    assert left(40, slice(24, None), (5, 8)).startswith(tail)
    assert "first at row 2, column 7" in left(40, slice(23, None), (5, 8))
    assert "the first at index 10" in left(40, slice(10, 27), (40,))
    assert "the first at index 10" in left(40, slice(10, 12), (), (1, 2, 3))


@pytest.mark.parametrize("which", ["read", "written", "pitch"])
def test_elements_of_a_matrix_whose_rows_and_columns_change_places(which):
    right, k = torch.arange(1.0, 41), torch.arange(40)
    row, column = k // 8, k % 8
    got = torch.full((40,), torch.nan)
    if which == "read":
        got = right[column * 5 + row]
    else:
        got[column * 5 + row if which == "written" else row * 5 + column] = right
    got[7] = torch.nan
    poison = int(got[7:8].view(torch.int32))
    m = mismatch(got, right, poison=poison, shape=(5, 8))
    assert wrong_places.unwritten(m).endswith(
        "do rows and columns change places, in an index or in a bound?"
    )


def test_elements_of_a_matrix_of_which_others_are_wrong():
    mixed = (
        "3 of 40 elements hold another element's number, and 2 what was there before: is "
        "an index of what is read, or written, another one?"
    )
    assert left(40, slice(10, 12), (5, 8), (1, 2, 3), 20.0) == mixed
    assert left(40, slice(10, 12), (5, 8), (1, 2, 3), 7.0) == (
        "3 of 40 elements hold what belongs to another element of their row, and 2 what was "
        "there before: is the index at which they are stored another one?"
    )
    assert left(40, slice(10, 12), (5, 8), (1, 2, 3)) == (
        "2 of 40 elements were never written, the first at row 1, column 2, and 3 others are "
        "wrong"
    )
    loop = (
        "does a loop over a row end too early, and is that left out of what the others are "
        "made of?"
    )
    assert left(40, slice(7, None, 8), (5, 8), (1, 2, 3)) == (
        f"the last element of each row was never written, and 3 others are wrong: {loop}"
    )
    two = [i for i in range(40) if i % 8 > 5]
    words = "the last 2 elements of each row were never written, and 1 other is wrong"
    assert left(40, two, (5, 8), (1,)).startswith(words)
    assert "2 of 40 elements were never written" in left(40, [7, 15], (5, 8), (1,))


def test_an_index_that_is_a_power_of_two_from_2_15_on_is_narrow():
    for power, narrow in ((15, True), (16, True), (14, False)):
        at = 1 << power
        assert ("is an index too narrow" in left(at + 3, slice(at, None))) == narrow
    at = 3 << 15
    assert left(at + 3, slice(at, None)).startswith("the last 3 elements")
    assert left(at + 4, slice(at, at + 3)).startswith("3 of 98,308 elements were never")


def test_the_largest_byte_of_each_row():
    x = torch.arange(48).reshape(8, 6).to(torch.uint8)
    got, right = torch.full((8,), 255, dtype=torch.uint8), x.double().amin(1)
    told = wrong_places.constant(mismatch(got, right, x, shape=(8,)))
    assert told.startswith("every result is 255, the largest number of its type: are bytes")
    told = wrong_places.constant(mismatch(got - 1, right, x, shape=(8,)))
    assert told == "every element is 254, a constant"


@pytest.mark.parametrize("shape", [(65_700,), (300, 219)])
def test_places_that_wrap_in_16_bits(shape):
    """What belongs behind 2^16 is stored from the start of the output on."""
    right = torch.arange(65_700.0)
    got = torch.where(right < 1 << 16, right, torch.nan)
    got[:164] = right[1 << 16 :]
    m = mismatch(got, right, right.clone(), shape=shape, poison=0x7FC00000)
    told = wrong_places.unwritten(m)
    assert told.startswith(
        "nothing is written from index 65,536 on, which is 2^16, and numbers"
    )
    assert told.endswith("is an index too narrow?")
    other = replace(m, got=torch.where(m.wrong & (right < 1 << 16), -right, got))
    assert "before it" not in wrong_places.unwritten(other)


def test_truth_values_in_the_place_of_bits():
    a, b = torch.arange(16, dtype=torch.int32), torch.arange(16, dtype=torch.int32) % 3

    def told(got, right, *inputs):
        return wrong_places.truth_values(mismatch(got.int(), right, *inputs)) or ""

    assert "1 where input 1 and input 2 are true" in told((a != 0) & (b != 0), a & b, a, b)
    assert "1 where input 1 or input 2 is true" in told((a != 0) | (b != 0), a | b, a, b)
    assert "1 where input 1 is true" in told(b != 0, b & 6 | b, b)
    assert "1 where input 1 is not true" in told(a == 0, ~a, a)
    assert not told(a > 1, a & b, a, b)
    assert not told(a * 0, a & b, a, b)
    assert not told(b != 0, b > 1, a, b)  # of two values, a comparison may be another one
    assert not told((a != 0)[:3], (a & b)[:3], a[:3], b[:3])
    floats = mismatch((a != 0).float(), a.float(), a.float())
    assert wrong_places.truth_values(floats) is None


def test_two_elements_make_no_copy_and_no_constant():
    a = torch.tensor([1.0, 2.0, 3.0])
    assert wrong_places.copy(mismatch(a, a + 1, a)) == "the output is a copy of input 1"
    assert wrong_places.copy(mismatch(a[:2], a[:2] + 1, a[:2])) is None
    assert wrong_places.copy(mismatch(a, a + 1, torch.zeros(4), a)).endswith("input 2")
    assert wrong_places.constant(mismatch([7, 7, 7], [1, 2, 3])).startswith(
        "every element is 7"
    )


def twice(a, b):
    return 2 * a + b


def one_operand(got, *inputs, reference=twice):
    got = got.float()
    some = mismatch(got, torch.full((len(got),), 99.0), *inputs, reference=reference)
    return wrong_places.one_operand(some)


def test_an_operand_without_an_effect():
    a, b = random(3, 1), random(3, 2)
    words = "input {} has no effect: this is the result with input {} in its place"
    assert one_operand(2 * a.double() + a.double(), a, b) == words.format(2, 1)
    assert one_operand(2 * b.double() + b.double(), a, b) == words.format(1, 2)
    three = random(3, 3)

    def weighted(a, b, c):
        return a + 2 * b + 4 * c

    x, y, z = (one.double() for one in (a, b, three))
    got = one_operand(weighted(x, y, y), a, b, three, reference=weighted)
    assert got == words.format(3, 2)
    assert one_operand(weighted(z, y, z), a, b, three, reference=weighted) == words.format(1, 3)
    assert one_operand(2 * x + 3 * y, a, b) is None
    assert one_operand((2 * x + x)[:2], a[:2], b[:2]) is None
    assert one_operand(2 * x + x, a, b, reference=None) is None
    assert one_operand(x, a, reference=lambda a: a) is None
    assert one_operand(2 * x + x, a, b, reference=lambda a, b: (3 * a,)) is None
    assert one_operand(2 * x + x, a, b, reference=lambda a, b: (2 * a + b)[:2]) is None


def test_operands_of_three_elements_may_be_swapped():
    a, b = random(3, 1), random(3, 2)
    some = mismatch(b - a, a - b, a, b, reference=lambda a, b: a - b)
    assert wrong_places.other_operands(some)
    same = mismatch(a - b, a + b, a, b, reference=lambda a, b: a - b)
    assert wrong_places.other_operands(same) is None  # in the right order


@pytest.mark.parametrize("step", [4, 8, 16, 32])
def test_which_of_every_few_elements_is_named(step):
    x = random(3 * step)
    for place in (0, 1, step - 1):
        got = x.clone()
        got[place::step] = 100.0
        said = wrong_places.one_of_every(mismatch(got, x))
        assert said.startswith(f"one of every {step} elements is wrong, from index {place} on")
    got = x.clone()
    got[step::step] = 100.0
    assert wrong_places.one_of_every(mismatch(got, x)) is None  # not the first one
    got[0] = 100.0
    assert wrong_places.one_of_every(mismatch(got[: 2 * step], x[: 2 * step])) is None  # two


@pytest.mark.parametrize("shift", [1, -1, 2, -2, 4, -4, 8, -8])
def test_a_neighbour_may_be_missing_at_its_own_edge_only(shift):
    x = random(40)
    got = x.roll(-shift)
    outside = range(40 - shift, 40) if shift > 0 else range(-shift)
    for k in outside:
        got[k] = 100.0
    assert wrong_places.neighbour(mismatch(got, x))
    got[39 - shift if shift > 0 else -shift] = 100.0  # the last one inside
    assert wrong_places.neighbour(mismatch(got, x)) is None


def test_an_operand_beside_its_place_has_every_element_of_the_output():
    a, b = random(40, 1), random(40, 2)
    got, right = a + b.roll(-1), a + b
    whole = mismatch(got, right, a, b, reference=lambda a, b: a + b)
    assert wrong_places.operand_neighbour(whole)
    reference = [lambda a, b: (a + b,), lambda a, b: a + b]
    as_tuple = mismatch(got, right, a, b, reference=reference[0])
    assert wrong_places.operand_neighbour(as_tuple) is None
    longer = mismatch(got, right, a, torch.cat([b, b]), reference=reference[1])
    assert wrong_places.operand_neighbour(longer) is None
    n = 33
    some = mismatch(got[:n], right[:n], a[:n], b[:n], reference=reference[1])
    edge = wrong_places.operand_neighbour(some)
    assert edge == "input 2 is read at index i + 1, not at i"


def test_a_sum_of_one_number_has_no_tail():
    one = torch.tensor([5.0])
    assert wrong_places.suffix_sum(mismatch([0.0], [5.0], one)) is None
    two = torch.tensor([5.0, 6.0])
    assert "sum of the last 2 elements" in wrong_places.suffix_sum(mismatch([0.0], [11.0], two))


def test_how_far_an_operand_is_looked_for():
    powers = (16, 32, 64, 128, 256, 512, 1024)
    assert wrong_places.FAR_SHIFTS == tuple(x for k in powers for x in (k, -k))


def test_the_result_of_another_output():
    got = torch.tensor([1.0, 2.0, 3.0])
    some = replace(mismatch(got, [4.0, 5.0, 6.0]), others=[got.double() + 1, got.double()])
    assert wrong_places.other_output(some) == (
        "this is the result of another output: are two outputs swapped?"
    )
    assert wrong_places.other_output(replace(some, others=[got.double() + 1])) is None
    short = replace(mismatch(got[:2], [4.0, 5.0]), others=[got[:2].double()])
    assert wrong_places.other_output(short) is None
    zeros = torch.tensor([0.0, 0.0, 0.0, 1.0])
    alike = replace(mismatch(zeros, [4.0, 5.0, 6.0, 7.0]), others=[zeros.double()])
    assert wrong_places.other_output(alike) is None  # as of many faults


def test_all_is_wrong_from_an_index_on():
    right = torch.arange(100).double()
    numbers = random(100)
    assert said(torch.where(right < 32, numbers, numbers.roll(50)), numbers).startswith(
        "all is right below index 32, and wrong from there on"
    )
    for first, n in ((7, 100), (84, 100)):
        got = right.int() - (right >= first).int()
        assert wrong_places.from_on(mismatch(got[:n], right[:n])) is None
    got = right.int() - (right % 2 == 0).int() * (right >= 32).int()
    assert wrong_places.from_on(mismatch(got, right)) is None
    rows = mismatch(torch.where(right < 40, numbers, numbers.roll(50)), numbers)
    assert wrong_places.from_on(replace(rows, shape=(10, 10))) is None  # four rows are right
    assert wrong_places.from_on(replace(rows, shape=(4, 25))) is None  # nor a chunk of a few
    many = random(1000)
    got = torch.where(torch.arange(1000) < 300, many, many.roll(50))
    assert wrong_places.from_on(mismatch(got, many, shape=(8, 125))) is not None


def test_an_element_that_stays_zero():
    got, right = torch.tensor([3, 0, 4]), torch.tensor([3, 5, 4])
    assert said(got, right) == "element 1 is 0, and should not be: is it left out?"
    assert wrong_places.left_zero(mismatch(got, right, reference=lambda x: x)) is None
    assert wrong_places.left_zero(mismatch(got + 1, right)) is None


@pytest.mark.parametrize(("width", "order"), [(2, [1, 0]), (4, [0, 2, 1, 3])])
def test_elements_that_are_swapped_in_a_pack(width, order):
    x = random(41)
    got = x.clone()
    got[:40] = x[:40].reshape(-1, width)[:, order].flatten()
    assert said(got, x, x).startswith(
        f"in each {width} elements, from index 0 on, every one is"
    )
    for other in (mismatch(got[:32], x[:32], x[:32]), mismatch(got + 1, x, x)):
        assert wrong_places.within_packs(other) is None


def test_what_is_wrong_behind_the_last_pack_is_not_swapped():
    x = random(300)
    x[288:] = x[288:].abs() + 1
    got = torch.where(torch.arange(300) < 288, x, -x)
    assert wrong_places.within_packs(mismatch(got, x, torch.zeros(300, 7))) is None


def test_a_place_is_no_sum():
    x = torch.tensor([5.0, 6.0])
    assert wrong_places.suffix_sum(mismatch(torch.tensor([0]), [11.0], x)) is None


def test_the_size_of_the_numbers_is_no_chunk():
    x = torch.arange(100.0)
    got = torch.where(x < 40, x, x + 1)
    told = "all is right below index 40, and wrong from there on"
    assert wrong_places.from_on(mismatch(got, x, random(100))).startswith(told)
    assert wrong_places.from_on(mismatch(got, x, torch.ones(100))).startswith(told)
    zeros = mismatch(torch.where(x < 40, x, 0.0), x, random(100))
    assert wrong_places.from_on(zeros) == (
        "all is right below index 40, and 0 from there on: is nothing added there, as by too "
        "few blocks, another index, or a loop that ends too early?"
    )
    assert wrong_places.from_on(replace(zeros, reference=torch.abs)).startswith(told)
    signs = 1 - 2 * (x % 2)
    for growing in (x * signs, (100 - x) * signs):
        assert wrong_places.from_on(mismatch(got, x, random(100), growing)) is None


def test_runs_that_were_never_written():
    def told(which):
        n = len(which)
        got = torch.linspace(1.0, 2.0, n)
        got[which] = torch.tensor([POISON], dtype=torch.int32).view(torch.float32)
        return wrong_places.unwritten(mismatch(got, torch.linspace(1.0, 2.0, n)))

    i = torch.arange(1000)
    words = (
        "256 of every 512 elements were never written, from index 256 on: what the output held"
    )
    assert told(i % 512 >= 256).startswith(words)
    assert "Have some lanes, warps or blocks nothing to do?" in told(i % 512 >= 256)
    assert "blocks of 33 threads begin 64 elements apart, by a fixed" in told(i % 64 >= 33)
    assert "must lie as many further as a block has threads, 64" in told(i % 128 >= 65)
    assert "are written 4 times" in told(i % 256 >= 67)
    assert "nothing to do?" in told(i % 63 >= 62)  # the last column of rows, perhaps
    lane = "one of every 32 elements was never written, from index 32 on: what"
    assert told((i % 32 == 0) & (i > 0)).startswith(lane)
    plain = "elements were never written, the first at index"
    assert plain in told((i % 32 == 0) & (i > 32) | (i == 5))
    assert plain in told((i >= 256) & (i < 512))


def test_results_of_one_sign_that_come_out_as_zero():
    right = torch.arange(-5.0, 10.0)
    words = "each result {} 0 comes out as 0: does something start with 0, as the largest or"

    def told(got, right=right):
        return wrong_places.left_zero(mismatch(got, right))

    assert told(right.clamp(min=0)).startswith(words.format("below"))
    assert told(-right.clamp(min=0), -right).startswith(words.format("above"))
    some = right.clamp(min=0)
    some[1] = right[1]
    assert told(some) == "element 0 is 0, and should not be: is it left out?"
    assert told(right[3:].clamp(min=0), right[3:]).startswith("element 0 is 0")  # two
    assert told(right[:10].clamp(min=0), right[:10]).startswith("element 0 is 0")  # 5 right


# ---- the diagonal, the first lanes


def of_matrix(find, got, right, **more):
    shape = tuple(right.shape)
    return find(mismatch(got.flatten(), right.flatten(), shape=shape, **more))


def test_only_the_first_lanes_are_right():
    right = random(300).reshape(3, 100)
    got = right + 1
    got[:, ::32] = right[:, ::32]
    sentence = of_matrix(wrong_places.only_first_lanes, got, right)
    assert sentence.startswith("only every 32nd element is right, from the first on: has only")
    got[0, 1:6] = right[0, 1:6]  # by chance
    assert of_matrix(wrong_places.only_first_lanes, got, right)
    got[:, 1::32] = right[:, 1::32]
    got[:, 2::32] = right[:, 2::32]
    assert of_matrix(wrong_places.only_first_lanes, got, right) is None
    short = right[:, :32] + 1
    short[:, 0] = right[:, 0]
    assert of_matrix(wrong_places.only_first_lanes, short, right[:, :32]) is None


def test_operands_that_are_swapped_in_some_elements():
    a, b = random(64, 1), random(64, 2)

    def minus(a, b):
        return a - b

    swapped = torch.arange(64) % 8 >= 4
    got = torch.where(swapped, b - a, a - b)
    m = mismatch(got, a - b, a, b, reference=minus)
    words = "each wrong element has its operands swapped, and all others do not"
    assert wrong_places.some_operands(m) == words
    assert said(got, a - b, a, b, reference=minus) == words
    assert wrong_places.some_operands(replace(m, got=got + swapped)) is None
    assert wrong_places.some_operands(replace(m, reference=None)) is None


def test_every_second_element():
    x = random(64)
    odd = torch.arange(64) % 2 == 1
    m = mismatch(torch.where(odd, x + 1 + x.abs(), x), x)
    assert wrong_places.every_second(m) == (
        "every second element is wrong, from index 1 on, and no other: is the formula another "
        "one there, or does it read what was written a line before?"
    )
    assert wrong_places.every_second(mismatch(torch.where(odd, x, 1 + x), 1 + x)) is not None
    odd[0] = True  # and one that is not of these
    assert wrong_places.every_second(mismatch(torch.where(odd, x + 1, x), x)) is None
    odd[0] = False
    assert wrong_places.every_second(mismatch(x[:32] + odd[:32], x[:32])) is None


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("count", "is_told"), [(31, True), (29, True), (28, False), (16, False)]
)
def test_most_of_every_second_element(place, count, is_told):
    x = random(64)
    wrong = torch.arange(64) % 2 == place
    wrong[place : place + 2 * (32 - count) : 2] = False  # the first of these come out right
    told = wrong_places.every_second(mismatch(torch.where(wrong, x + 1, x), x))
    words = f"of every second, {count} are wrong, from index {place} on, and no other: is the"
    assert told.startswith(words) if is_told else told is None


def test_a_grid_that_ends_at_no_limit_of_a_type_is_no_narrow_index():
    at = 1 << 18  # 1,024 blocks of 256 threads
    assert left(at + 40, slice(at, None)).startswith(f"nothing is written from index {at:,} on")
    assert wrong_places.tail(wrong_from(at + 40, at)) is None


def test_a_byte_that_is_like_what_stood_there_by_chance():
    got = torch.full((100,), 7, dtype=torch.uint8)
    right = torch.zeros(100)
    got[40] = 90
    assert wrong_places.unwritten(mismatch(got, right, poison=90)) is None
    got[::4] = 90
    assert "never written" in wrong_places.unwritten(mismatch(got, right, poison=90))


def test_a_constant_that_a_maximum_starts_with():
    tiny = torch.full((16,), torch.finfo(torch.float32).tiny)
    told = wrong_places.constant(mismatch(tiny, -random(16).abs() - 1))
    assert "FLT_MIN of its type: does a maximum or a minimum start with that" in told
    least = torch.full((16,), -torch.finfo(torch.float32).max)
    assert "FLT_MAX of its type" in wrong_places.constant(mismatch(least, random(16)))


# ---- left as they were


def left_alone(n, where, *others, right=lambda x: 2 * x, first=()):
    """Say what is told where elements of input 1, or of the one behind `first`, are left."""
    x = random(n) + 5
    got = right(x)
    got[where] = x[where]
    return wrong_places.left_as_they_were(mismatch(got, right(x), *first, x, *others))


def test_packs_of_which_a_part_comes_out_as_it_went_in():
    question = "with nothing done to it: is it left out by a loop over a thread's elements"
    places = torch.arange(64)
    words = left_alone(64, places % 8 >= 4)
    assert words == (
        f"4 of every 8 elements, from index 4 on, come out as input 1 itself, {question}, or "
        "by some lanes?"
    )
    one = left_alone(64, places % 4 == 3)
    assert one.startswith("one of every 4 elements, from index 3 on, comes out as input 1 it")
    other = random(64, 7)
    assert "come out as input 2 itself" in left_alone(64, places % 8 >= 4, first=[other])
    x = random(64) + 5
    got = torch.where(places % 8 >= 4, x, 2 * x)
    assert said(got, 2 * x, x) == words


def test_where_the_operator_changes_nothing_an_element_left_as_it_was_is_right():
    places = torch.arange(64)

    def clamped(x):
        return torch.where(places % 16 == 6, x, 2 * x)

    told = left_alone(64, places % 8 >= 4, right=clamped)
    assert told.startswith("4 of every 8 elements, from index 4 on, come out as input 1")
    some = left_alone(64, (places % 8 >= 4) & (places != 38))  # one that was changed
    assert some is None


@pytest.mark.parametrize("first", [33, 40, 56])
def test_all_comes_out_as_it_went_in_from_an_index_on(first):
    assert left_alone(64, slice(first, None)) == (
        f"from index {first} on all comes out as input 1 itself: is it left out, as by a loop "
        "that ends too early?"
    )
    x = random(64) + 5
    got = 2 * x
    got[first:] = x[first:]
    got[-1] = 2 * x[-1]  # all, but the last one
    assert wrong_places.left_as_they_were(mismatch(got, 2 * x, x)) is None
    got[first:] = x[first:]
    got[0] = x[0]  # and one long before these
    assert wrong_places.left_as_they_were(mismatch(got, 2 * x, x)) is None


def test_elements_that_are_those_of_an_input_by_chance_were_not_left():
    places = torch.randperm(2048, generator=torch.Generator().manual_seed(3))[:40]
    assert left_alone(2048, places) is None
    assert left_alone(64, torch.arange(64) % 8 >= 1) is None  # nearly all of each pack
    x = (torch.arange(64) % 5).float()  # few numbers, which recur
    got = torch.where(torch.arange(64) % 8 >= 4, x, 2 * x + 1)
    assert wrong_places.left_as_they_were(mismatch(got, 2 * x + 1, x)) is None
    x = random(64) + 5
    got = torch.where(torch.arange(64) % 8 >= 4, x, 2 * x)
    got[4] += 1  # a wrong one that is no copy
    assert wrong_places.left_as_they_were(mismatch(got, 2 * x, x)) is None


@pytest.mark.parametrize(("packs", "is_told"), [(1, False), (2, False), (3, True)])
def test_elements_that_are_left_must_recur_in_several_packs(packs, is_told):
    told = left_alone(64 * packs, torch.arange(64 * packs) % 64 // 8 == 6)
    words = "8 of every 64 elements, from index 48 on, come out as input 1 itself"
    assert told.startswith(words) if is_told else told is None


def test_a_whole_copy_and_a_few_elements_are_not_left_as_they_were():
    assert left_alone(64, slice(None)) is None
    for n, is_told in ((32, False), (40, True)):
        assert bool(left_alone(n, torch.arange(n) % 4 == 3)) is is_told
    for count, is_told in ((7, False), (8, True)):
        assert bool(left_alone(64, slice(64 - count, None))) is is_told


def test_what_is_left_as_it_was_has_the_type_and_the_size_of_the_output():
    x = random(64) + 5
    got = torch.where(torch.arange(64) % 8 >= 4, x, 2 * x)
    whole = mismatch(got, 2 * x, x.reshape(8, 8))
    assert wrong_places.left_as_they_were(whole)
    for other in (x.double(), torch.cat([x, x]), x[:40]):
        assert wrong_places.left_as_they_were(mismatch(got, 2 * x, other)) is None


def test_zeros_with_the_signs_of_what_is_right():
    """As of a sum that is multiplied by 1 / n, which is 0 for integers."""
    x = random(9 * 20).reshape(9, 20)

    def told(got, x=x):
        right = x.double().mean(1)
        return wrong_places.constant(mismatch(got, right, x, shape=(9,)))

    words = "every element is 0, with the sign of what is right: is it multiplied by a factor"
    assert told(x.sum(1) * 0).startswith(words)
    assert "is what makes it left out?" in told(torch.zeros(9))
    assert "is what makes it left out?" in told(x.abs().sum(1) * 0, x.abs())  # of one sign
    assert told(x.sum(1) * 0, 100 * x).startswith(words)
    zeros = torch.zeros(9).copysign(x.sum(1))
    assert "is what makes it left out?" in told(zeros, 1e38 * x)  # a sum may overflow
    assert "is what makes it left out?" in told(zeros.half(), (1e4 * x).half())
    numbers = random(40).index_fill(0, torch.tensor([3, 9]), math.nan)
    words = "each wrong element is 0, with the sign of what is right: is it multiplied by a"
    wrong = numbers.isfinite() & (numbers != 0)
    m = mismatch(numbers * 0, numbers, numbers, wrong=wrong)
    assert wrong_places.left_zero(m).startswith(words)


def unwritten_of(shape, left):
    """Say of a matrix of which a part was never written what `unwritten` says."""
    right = torch.arange(float(shape[0] * shape[1])).reshape(shape)
    got = right.clone()
    got[left] = torch.tensor(POISON - (1 << 32) * (POISON >> 31), dtype=torch.int32).view(
        torch.float32
    )
    return wrong_places.unwritten(mismatch(got.flatten(), right.flatten(), shape=shape))


@pytest.mark.parametrize("limit", [1 << 15, 1 << 16])
def test_rows_or_columns_from_a_limit_on_are_not_written(limit):
    words = (
        f"nothing is written from {{}} {limit:,} on, which is 2^{limit.bit_length() - 1}: is"
    )
    columns = unwritten_of((2, limit + 90), (slice(None), slice(limit, None)))
    assert columns.startswith(words.format("column")) and "too narrow" in columns
    assert unwritten_of((limit + 90, 2), slice(limit, None)).startswith(words.format("row"))
    other = unwritten_of((2, limit + 90), (slice(None), slice(limit - 1, None)))
    assert other.endswith(f"column {limit - 1:,}: what the output held before stays there")
    some = unwritten_of((2, limit + 90), (slice(0, 1), slice(limit, None)))
    assert "what the output held before stays there" in some


def only_first(got, right, *inputs):
    """Say of results of which only the first one was written what `unwritten` says."""
    made = torch.full((len(right),), POISON, dtype=torch.int32).view(torch.float32)
    made[0] = got
    return wrong_places.unwritten(mismatch(made, right, *inputs))


def test_only_the_first_result_was_written():
    right, x = torch.arange(1.0, 12.0), torch.zeros(11, 3)
    last = only_first(11.0, right, x)
    assert last.startswith(
        "only element 0 was written, and holds what belongs to element 10, and the others were "
        "never written: is the index at which it is stored another one"
    )
    assert only_first(1.0, right, x).startswith("only element 0 was written, and the others")
    column = torch.zeros(11, 1)
    assert only_first(1.0, right, column).startswith("only element 0 was written")
    tail = only_first(1.0, right, torch.zeros(11))  # of an operator it may be the first pack
    assert tail.startswith("the last 10 elements were never written: is the tail handled")
    assert "tail" in only_first(99.0, right, x)
    assert "tail" in only_first(1.0, right[:3], x[:3])


def test_all_results_are_that_of_the_first_row_or_column():
    x = torch.arange(60.0).reshape(12, 5)

    def told(matrix, right, at=0):
        return wrong_places.constant(mismatch(right[at].expand(len(right)), right, matrix))

    assert told(x, x.sum(1)).startswith(
        "every element is 10, the right one of row 0: is the row left out of the index at which"
    )
    assert told(x.T.contiguous(), x.sum(1)).startswith(
        "every element is 10, the right one of column 0: is the column left out"
    )
    assert told(x, x.sum(1), 3).endswith("a constant")
    few = torch.tensor([1.0, 2.0] * 6)  # of few values it may be by chance
    assert told(x, few).endswith("a constant")
    assert told(torch.zeros(12), x.sum(1)).endswith("a constant")


def test_results_in_the_places_of_others():
    right, x = torch.arange(1.0, 12.0), torch.zeros(11, 1)
    made = right.clone()
    made[10] = torch.tensor(POISON, dtype=torch.int32).view(torch.float32)
    made[0] = 11.0
    assert wrong_places.unwritten(mismatch(made, right, x)).startswith(
        "element 0 holds what belongs to element 10, which was never written: is the index"
    )
    made[0] = 99.0
    assert "tail" in wrong_places.unwritten(mismatch(made, right, x))
    made[0] = 11.0
    assert "tail" in wrong_places.unwritten(mismatch(made, right, torch.zeros(11)))


def test_a_tail_that_is_nearly_right():
    x = random(43)
    got = x.clone()
    got[40:] = x[40:].bfloat16().float()
    words = "only the last 3 elements are off, and nearly right: is the tail of n % width"
    for m in (mismatch(got, x, x, reference=torch.clone), mismatch(got, x, x)):
        assert wrong_places.tail(m).startswith(words)
    other = x.clone()
    other[40:] *= 1.001  # of a scan, say, whose last elements lack a small one
    assert wrong_places.tail(mismatch(other, x, x)).startswith("the last 3 elements are wrong")
    assert wrong_places.tail(mismatch(other, x, x, reference=torch.clone)).startswith(words)
    other[41] = 3 * x[41]
    m = mismatch(other, x, x, reference=torch.clone)
    assert wrong_places.tail(m).startswith("the last 3 elements are wrong")


def test_zeros_that_tell_of_nothing_left_out():
    x = torch.tensor([3.0, 500.0, 4.0])
    m = mismatch([0.0, 500.0, 4.0], [0.4, 500.0, 4.0], x)
    assert wrong_places.left_zero(m) is None  # beside 500 it is as good as 0
    assert wrong_places.left_zero(replace(m, inputs=())) is not None
    chosen = torch.tensor([3.0, 0.0, -4.0])
    assert wrong_places.left_zero(mismatch([0.0], [-4.0], chosen)) is None
    assert wrong_places.left_zero(mismatch([0.0], [-4.0], chosen[[0, 2]])) is not None


def test_one_number_beside_zeros_is_no_sum():
    x = torch.tensor([0.0, 0.0, -7.0])
    assert wrong_places.suffix_sum(mismatch([0.0], [-7.0], x)) is None
    x[0] = 1.0
    assert wrong_places.suffix_sum(mismatch([1.0], [-6.0], x)) is not None


def test_zeros_of_which_another_number_is_made():
    answer = wrong_places.left_zero(mismatch([0.0], [1.0], torch.zeros(9)))
    assert answer.startswith("of zeros 0 comes out, and 1 should: has the formula no case")
    answer = wrong_places.left_zero(mismatch([0.0], [1.0], torch.ones(9)))
    assert answer == "0 comes out, and 1 should"  # of which there are many causes
    two = wrong_places.left_zero(mismatch([0.0, 1.0], [1.0, 1.0], torch.ones(9)))
    assert two == "element 0 is 0, and should not be: is it left out?"


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_search_of_rows_or_columns_that_starts_with_zero(dim, sign):
    x = random(400, 3).reshape(20, 20)
    x.select(1 - dim, 4).abs_().neg_()
    x.select(1 - dim, 7)[3] = 1
    right = x.double().amax(dim)
    got = right.clamp(min=0).float()
    what, end = "column" if dim == 0 else "row", "negative" if sign > 0 else "positive"

    def told(got, right=right):
        return wrong_places.left_zero(mismatch(sign * got, sign * right, sign * x))

    words = f"0 comes out where all numbers of a {what} are {end}: does the search start with 0"
    assert told(got).startswith(words)
    got[7] = 0
    assert told(got).endswith("is it left out?")


def test_zeros_of_a_range_of_inputs_are_no_elements_that_are_left_out():
    x = (32 * random(100)).round() / 8
    right = 3 + x.double().square()
    inside = (x > -3) & (x < 1)
    got = right.float().where(~inside, 0)
    assert wrong_places.left_zero(mismatch(got, right, x)) is None
    got[int(inside.nonzero()[3])] = float(right[int(inside.nonzero()[3])])
    assert "left out" in wrong_places.left_zero(mismatch(got, right, x))


def test_a_nan_that_was_there_before_is_no_written_element():
    right = random(100)
    got = right.clone()
    got[60:] = torch.nan
    poison = int(got.view(torch.int32)[60])
    right[70], right[80] = torch.nan, torch.nan
    wrong = torch.arange(100) >= 60
    wrong[70] = wrong[80] = False
    case = mismatch(got, right, wrong=wrong, poison=poison)
    assert wrong_places.unwritten(case).startswith("nothing is written from index 60 on: ")
    got[75], right[75] = 5, 5  # one that was written
    wrong[75] = False
    case = mismatch(got, right, wrong=wrong, poison=poison)
    assert "nothing is written from" not in wrong_places.unwritten(case)


def test_a_truth_value_is_not_left_out():
    x = torch.full((1,), torch.inf)
    answer = diagnose(mismatch(torch.tensor([False]), torch.tensor([1.0]), x, x, poison=0x5A))
    assert answer.sentence == "element 0 is False, and should be True"


def test_what_is_subnormal_in_the_output_may_be_flushed():
    x = torch.linspace(-6e-5, 6e-5, 40).double()
    told = wrong_places.constant(mismatch(torch.zeros(40).half(), x.half(), x))
    assert "a subnormal number of its type: are those flushed to zero" in told
    told = wrong_places.constant(mismatch(torch.zeros(40).copysign(x), x, x))
    assert "multiplied by a factor that is 0" in told


def test_results_of_others_that_are_rounded_on_their_way():
    right = random(16).double()
    got = right.float()
    got[:2] = right[14:] * (1 + 1e-7)
    got.view(torch.int32)[14:] = POISON
    sentence = wrong_places.unwritten(mismatch(got, right))
    assert sentence.startswith("element 0 holds what belongs to element 14, which was never")


@pytest.mark.parametrize("is_log", [True, False])
def test_a_softmax_as_of_equal_numbers(is_log):
    x = random(8 * 7).reshape(8, 7)
    right = x.double().log_softmax(1) if is_log else x.double().softmax(1)
    equal = torch.zeros(8, 7).log_softmax(1) if is_log else torch.zeros(8, 7).softmax(1)

    def told(got, right):
        m = mismatch(got.flatten(), right.flatten(), x, shape=(8, 7))
        return wrong_places.constant(m)

    assert "as if all 7 numbers of a row were equal" in told(equal, right)
    assert told(equal / 2, right).endswith("a constant")
    assert told(equal, 3 * right).endswith("a constant")


def test_a_power_of_two_before_the_last_element_may_be_the_end_of_packs():
    right = torch.arange(40_001.0)
    got = right.clone()
    got[32_768:40_000] = torch.nan
    m = mismatch(got, right, poison=int(got[39_999:40_000].view(torch.int32)))
    assert wrong_places.unwritten(m) == (
        "7,232 of 40,001 elements were never written, the first at index 32,768, which is "
        "2^15: is an index too narrow?"
    )


def test_last_bytes_that_were_not_written_though_some_are_right_by_chance():
    right = torch.arange(200) % 100
    got = right.to(torch.uint8)
    got[64:] = 90
    told = wrong_places.unwritten(mismatch(got, right, poison=90))
    assert told.startswith("nothing is written from index 64 on: ")


def test_columns_that_a_loop_passes_over():
    right = torch.arange(1.0, 3 * 69 + 1)
    column = torch.arange(3 * 69) % 69
    for first, last in ((32, 63), (1, 67)):
        lost = (column >= first) & (column <= last)
        got = torch.where(lost, torch.nan, right)
        m = mismatch(got, right, poison=int(got[first:].view(torch.int32)[0]), shape=(3, 69))
        assert wrong_places.unwritten(m) == (
            f"columns {first} to {last} of each row were never written, and those behind them "
            "were: does a loop over a row go on by more than the threads that share it?"
        )


def test_a_byte_that_is_what_stood_there_before_and_right_elsewhere():
    right = torch.arange(60, 100)
    got = right.view(-1, 2).flip(1).flatten().to(torch.uint8)  # each is that of its neighbour
    assert wrong_places.unwritten(mismatch(got, right, poison=90)) is None
    got[:] = 90
    told = wrong_places.unwritten(mismatch(got, right, poison=90))
    assert told.startswith("nothing was written: ")  # of which one is right by chance
    one = right.to(torch.uint8)
    one[3] = 90  # alone
    assert "never written" in wrong_places.unwritten(mismatch(one, right, poison=90))


def test_elements_that_a_float_has_no_index_for():
    n = (1 << 24) + 40
    got, right = torch.zeros(n), torch.ones(n)
    got[: 1 << 24] = 1
    got[(1 << 24) :: 2] = 1
    got.view(torch.int32)[(1 << 24) + 1 :: 2] = POISON
    told = wrong_places.unwritten(mismatch(got, right, poison=POISON))
    assert told.startswith(
        "all is right below index 16,777,217, and 20 elements after it were never written: is "
        "an index held in a float, too narrow for it?"
    )
    got.view(torch.int32)[(1 << 24) + 1 :] = POISON  # all of them
    told = wrong_places.unwritten(mismatch(got, right, poison=POISON))
    assert told.startswith("nothing is written from index 16,777,217 on")


def test_the_result_of_another_output_by_chance():
    """Where two inputs are the same a sum of products may be another one."""
    x, y = random(20, 1), random(20, 2)
    right, other = (x * x - y * y).double(), (x * y + y * x).double()

    def told(*inputs):
        m = mismatch(other.float(), right, *inputs)
        return wrong_places.other_output(replace(m, others=(other.float().double(),)))

    assert "are two outputs swapped?" in told(x, y)
    assert told(x, y, y.clone()) is None


def test_one_number_too_much_is_no_neighbour_of_numbers_that_rise():
    right = torch.arange(100.0)
    assert wrong_places.neighbour(mismatch(right + 4, right)) is None
    moved = right.clone()
    moved[:96] += 4  # the last ones stay
    assert "index i + 4" in wrong_places.neighbour(mismatch(moved, right))


def test_0_is_one_of_the_numbers_of_an_input():
    price, left = torch.tensor([4, 0, -3]).int(), torch.tensor([1, 1, 1]).int()
    chosen = mismatch(torch.tensor([0]).int(), torch.tensor([-3.0]), price, left)
    assert wrong_places.left_zero(chosen) is None
    other = mismatch(torch.tensor([0]).int(), torch.tensor([-5.0]), price, left)
    assert wrong_places.left_zero(other) == "element 0 is 0, and should not be: is it left out?"


def test_a_copy_of_small_numbers_may_lack_digits_only():
    x = torch.linspace(-3e-5, -1e-5, 40)
    m = mismatch(x.clone(), x.double().expm1(), x)
    told = wrong_places.copy(m)
    assert told.startswith(
        "what comes out is input 1 itself, which is nearly right: does a sum"
    )
    far = mismatch(x.clone(), 2 * x.double(), x)
    assert wrong_places.copy(far).startswith("the output is a copy of input 1")


@pytest.mark.parametrize(
    ("first", "end", "n", "told"),
    [
        (64, 128, 131, "nothing is written from index 64 on but the last 3: has the launch"),
        (64, 128, 129, "nothing is written from index 64 on but the last one: has the launch"),
        (64, 128, 160, ""),  # no tail of packs
        (61, 125, 128, ""),  # no pack begins there
        (116, 128, 131, ""),  # few elements
    ],
)
def test_nothing_is_written_but_a_tail(first, end, n, told):
    right = torch.arange(1.0, n + 1)
    got = right.clone()
    got[first:end] = torch.nan
    poison = int(torch.tensor(torch.nan).view(torch.int32))
    sentence = wrong_places.unwritten(mismatch(got, right, poison=poison))
    assert sentence.startswith(told) and ("but the last" in sentence) is bool(told)
    got[-1] = 0.0  # the tail is wrong, too
    sentence = wrong_places.unwritten(mismatch(got, right, poison=poison))
    assert "but the last" not in sentence


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        (
            lambda row, column: row % 8 >= 4,
            "4 of every 8 rows were never written, from row 4 on",
        ),
        (
            lambda row, column: row % 2 == 1,
            "1 of every 2 rows was never written, from row 1 on",
        ),
        (lambda row, column: column % 5 >= 3, "2 of every 5 columns were never written, from"),
        (lambda row, column: row % 8 < 4, ""),
        (lambda row, column: (row % 8 >= 4) & (column > 0), ""),
        (lambda row, column: row >= 4, ""),
    ],
)
def test_rows_or_columns_in_gaps(lost, told):
    right = torch.arange(1.0, 40 * 33 + 1)
    row, column = torch.arange(40)[:, None], torch.arange(33)
    got = torch.where(
        (lost(row, column) | (row < 0)).expand(40, 33).flatten(), torch.nan, right
    )
    poison = int(torch.tensor(torch.nan).view(torch.int32))
    m = mismatch(got, right, poison=poison, shape=(40, 33))
    sentence = wrong_places.unwritten(m)
    assert ("do steps of a loop, or blocks, begin" in sentence) is bool(told)
    assert sentence.startswith(told)


def test_last_columns_that_were_not_written_are_no_gaps_of_an_array():
    right = torch.arange(1.0, 8 * 33 + 1)
    got = torch.where(torch.arange(264) % 33 == 32, torch.nan, right)
    m = mismatch(got, right, poison=int(got[32:33].view(torch.int32)), shape=(8, 33))
    assert wrong_places.unwritten(m).startswith(
        "8 of 264 elements were never written, the first at row 0, column 32: "
    )


@pytest.mark.parametrize(("large", "small"), [(600, 400), (200, 100)])
def test_numbers_that_saturate_tell_no_place(large, small):
    """Large inputs make 1, and so do those at another place."""
    x = torch.cat([torch.linspace(9.5, 20.0, large), torch.linspace(4.1, 8.5, small)])
    right = x.double().tanh()
    got = torch.ones(large + small)
    some = mismatch(got, right, x, wrong=got != right.float(), reference=torch.tanh)
    for pattern in (
        wrong_places.operand_neighbour,
        wrong_places.neighbour,
        wrong_indices.operand_index,
        wrong_indices.other_index,
    ):
        assert pattern(some) is None, pattern


def test_a_nan_that_is_lost_leaves_nothing_as_it_was():
    x, y = torch.arange(40.0), torch.arange(40.0) - 3
    y[30:] = torch.arange(10.0)
    for lost, told in ((float("nan"), None), (50.0, "from index 30 on all comes out as input")):
        x[30:] = lost
        got = torch.cat([x[:30], y[30:]])
        said = wrong_places.left_as_they_were(mismatch(got, torch.maximum(x, y), x, y))
        assert said.startswith(told) if told else said is None
