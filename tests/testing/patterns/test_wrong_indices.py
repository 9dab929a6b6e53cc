"""Which other index a wrong element, or an input of it, was read from."""

import pytest
import torch

from helpers.testing.patterns import wrong_indices
from tests.testing.mismatches import mismatch, random

A, B, AT = random(96, 1), random(96, 2), torch.arange(96)


def minus(a, b):
    return 3 * a - b


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (AT % 32, "i % 32"),
        (AT - AT % 32, "i - i % 32 (the first of each 32)"),
        (AT // 2, "i / 2"),
        (2 * AT % 96, "(2 * i) % n"),
        (AT - AT % 8 + (AT + 1) % 8, "i + 1 (within each 8)"),
        (AT - AT % 16 + (AT - 1) % 16, "i - 1 (within each 16)"),
        ((AT + 3) % 96, "(i + 3) % n"),
        ((AT - 3) % 96, "(i - 3) % n"),
    ],
)
def test_an_operand_that_is_read_elsewhere(index, words):
    right = minus(A, B)
    m = mismatch(minus(A, B[index]), right, A, B, reference=minus)
    told = wrong_indices.operand_index(m)
    assert told == f"of each wrong element, input 2 is read at index {words}, not at i"
    m = mismatch(right[index], right, A, B, reference=minus)
    told = wrong_indices.other_index(m)
    assert told == (
        f"each wrong element is what another element should be, that of index {words}, "
        "where i is its own"
    )


def test_places_within_groups_that_are_exchanged():
    index = AT ^ 7
    a, b = A, B
    m = mismatch(minus(a[index], b), minus(a, b), a, b, reference=minus)
    assert "input 1 is read at index i ^ 7," in wrong_indices.operand_index(m)


def test_a_tail_may_be_right():
    index = torch.where(AT < 90, AT - AT % 32, AT)
    m = mismatch(minus(A, B[index]), minus(A, B), A, B, reference=minus)
    assert "the first of each 32" in wrong_indices.operand_index(m)


def test_numbers_too_near_to_each_other_are_at_no_other_index():
    right = (-0.3183 + 1e-5 * torch.arange(96)).double()
    got = right.half()[AT ^ 1]
    m = mismatch(got, right, torch.arange(96.0).half(), wrong=torch.ones(96, dtype=torch.bool))
    assert wrong_indices.other_index(m) is None
    far = torch.arange(96).double()
    m = mismatch(far.half()[AT ^ 1], far, torch.arange(96.0).half())
    assert "that of index i ^ 1" in wrong_indices.other_index(m)


def test_what_is_no_other_index():
    right = minus(A, B)
    off = right + 0.5
    few = right.clone()
    few[:5] = right[5:10]
    for got in (
        off,
        few,
        right[torch.randperm(96, generator=torch.Generator().manual_seed(1))],
    ):
        m = mismatch(got, right, A, B, reference=minus)
        assert wrong_indices.operand_index(m) is None and wrong_indices.other_index(m) is None
    many, other = random(301, 1), random(301, 2)
    m = mismatch(minus(many, other[:1]), minus(many, other), many, other, reference=minus)
    assert wrong_indices.operand_index(m) is None  # too many to compare each with each
    m = mismatch(right + 1e-7, right, A, B, wrong=torch.ones(96, dtype=torch.bool))
    assert wrong_indices.other_index(m) is None  # nearly right is no other place


LONG_A, LONG_B = random(3000, 5), random(3000, 6)


@pytest.mark.parametrize(("first", "shift"), [(1792, -1791), (40, 900), (512, -13)])
def test_elements_that_are_read_far_away(first, shift):
    at = torch.arange(3000)
    source = torch.where((at >= first) & (at < first + 300), at + shift, at)
    right = minus(LONG_A.double(), LONG_B.double())

    def told(got):
        m = mismatch(got.float(), right.float(), LONG_A, LONG_B, reference=minus)
        return wrong_indices.far_index(m)

    sign = f"{'+' if shift > 0 else '-'} {abs(shift):,}"
    start = f"each wrong element, from index {first:,} on, is "
    assert told(right[source]).startswith(f"{start}the right one of index i {sign}: ")
    other = minus(LONG_A.double(), LONG_B[source].double())
    assert told(other).startswith(f"{start}made of input 2 of index i {sign}, where i is its")
    other[first + 20] = 99
    assert told(other) is None


@pytest.mark.parametrize("columns", [1, 3])
def test_rows_that_are_stored_at_their_block(columns):
    right = random(13 * columns).reshape(13, columns)
    got = torch.full_like(right, -77.0)
    poison = int(got.view(torch.int32)[0, 0])
    for row in range(13):
        got[row % 8] = right[row]
    shape = (13,) if columns == 1 else (13, columns)

    def said():
        m = mismatch(got.flatten(), right.flatten(), poison=poison, shape=shape)
        return wrong_indices.of_the_block(m)

    what = "element" if columns == 1 else "row"
    assert said().startswith(
        f"{what}s from 8 on were never written, and what belongs there stands in those before: "
        f"{what} 0 holds that of 8. Is it stored at the number of its block (blockIdx.x)"
    )
    got[2] += 1
    assert said() is None
    got[:8] = right[:8]
    assert said() is None  # nothing but a tail
    right[:], got[:8] = -0.0, 0.0
    assert said() is None  # zeros of the other sign, wherever they belong


def test_columns_that_are_stored_at_their_thread():
    right = random(13 * 70).reshape(13, 70)
    got = torch.full_like(right, -77.0)
    poison = int(got.view(torch.int32)[0, 0])
    for column in range(70):
        got[:, column % 32] = right[:, column]

    def said():
        m = mismatch(got.flatten(), right.flatten(), poison=poison, shape=(13, 70))
        return wrong_indices.of_the_block(m)

    assert said().startswith(
        "columns from 32 on were never written, and what belongs there stands in those before: "
        "column 0 holds that of 64. Is it stored at the number of its block (blockIdx.x) or "
        "thread, and not at that of the column that a loop has come to?"
    )
    got[3, 5] += 1
    assert said() is None


@pytest.mark.parametrize("first", [8, 32, 90])
def test_inputs_that_are_read_from_their_beginning_again(first):
    again, a, b = AT % first, A.double(), B.double()
    right = minus(a, b).float()
    for got, words in (
        (right[again], "the input"),
        (minus(a[again], b).float(), "input 1"),
        (minus(a, b[again]).float(), "input 2"),
    ):
        m = mismatch(got, right, A, B, reference=minus)
        assert wrong_indices.started_again(m) == (
            f"from index {first} on {words} is read from its beginning again, so that another "
            "element is taken: does the index where it is read lack the start of a part, of a "
            "launch or a chunk?"
        )
    other = right[again]
    other[-1] += 1
    assert wrong_indices.started_again(mismatch(other, right, A, B, reference=minus)) is None
    assert wrong_indices.started_again(mismatch(right[again], right, A, B)) is None


def test_elements_of_one_value_are_at_no_other_index():
    right = random(64)
    got, flags = right.clone(), torch.ones(64)
    got[10:20] = right[30:40]

    def told(flags):
        reference = lambda x, flags: x  # noqa: E731
        m = mismatch(got, right, right, flags, reference=reference)
        return wrong_indices.far_index(m)

    assert told(flags).startswith("each wrong element, from index 10 on, is the right one of")
    flags[10:20] = 0
    assert told(flags) is None  # where flags is 0, the formula is another one


@pytest.mark.parametrize(
    ("rows", "width", "first", "told"),
    [
        (513, 129, 509, True),
        (70, 1000, 66, True),
        (513, 129, 508, False),  # which begins before 2^16
        (513, 129, 510, False),
        (510, 129, 509, False),  # one row
        (4, 70_000, 1, False),
    ],
)
def test_rows_that_begin_past_2_to_the_16(rows, width, first, told):
    x = torch.ones(rows, width)
    right = random(rows)
    got = right.clone()
    got[first:] += 1
    sentence = wrong_indices.rows_past_16_bits(mismatch(got, right, x, shape=(rows,)))
    assert bool(sentence) is told
    if told:
        assert sentence.startswith(f"all is right up to row {first - 1}, and wrong from row")
    got[:1] += 1
    got[-1:] = right[-1:]
    assert wrong_indices.rows_past_16_bits(mismatch(got, right, x, shape=(rows,))) is None
    assert wrong_indices.rows_past_16_bits(mismatch(right + 1, right)) is None
