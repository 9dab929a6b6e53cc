"""Bank conflicts, against known patterns and a count by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model import shared_memory


@pytest.mark.parametrize(
    ("addresses", "turns"),
    [
        (shared_memory.row_addresses(3), 1),
        (shared_memory.column_addresses(0, pitch=32), 32),
        (shared_memory.column_addresses(5, pitch=33), 1),
        (shared_memory.column_addresses(0, pitch=34), 2),
        (shared_memory.column_addresses(0, pitch=48), 16),
        (np.zeros(32, dtype=int), 1),  # one word for everyone: a broadcast
        (np.repeat(np.arange(16) * 4, 2), 1),  # two lanes a word
        (np.array([0, 128]), 2),  # two words of bank 0
        (np.array([], dtype=int), 0),
    ],
)
def test_bank_conflicts_of_known_patterns(addresses, turns):
    assert shared_memory.bank_conflict(addresses) == turns


@given(st.integers(1, 64))
def test_a_stride_conflicts_by_its_common_divisor_with_32(stride):
    assert shared_memory.bank_conflict(4 * stride * np.arange(32)) == math.gcd(stride, 32)


@given(st.lists(st.integers(0, 4095), min_size=1, max_size=32))
def test_bank_conflicts_against_a_count_by_hand(words):
    wanted = [len({word for word in words if word % 32 == bank}) for bank in range(32)]
    assert shared_memory.bank_conflict(4 * np.array(words)) == max(wanted)


def test_the_banks_of_a_tile():
    assert len(set(shared_memory.tile_banks(32)[:, 0])) == 1
    assert len(set(shared_memory.tile_banks(33)[:, 0])) == 32
    assert shared_memory.tile_banks(33)[1, 0] == 1


def test_addresses_that_are_no_words_are_refused():
    with pytest.raises(ValueError, match="multiples of 4"):
        shared_memory.bank_conflict([0, 2])
    with pytest.raises(ValueError, match="byte offsets"):
        shared_memory.banks_of([-4, 8])
    with pytest.raises(ValueError, match="byte offsets"):
        shared_memory.bank_conflict([-4])
    with pytest.raises(ValueError, match="at most 32"):
        shared_memory.bank_conflict(np.arange(33) * 4)


def test_by_default_a_tile_is_32_by_32_floats():
    assert shared_memory.row_addresses(2).tolist() == [4 * (2 * 32 + c) for c in range(32)]
    assert shared_memory.column_addresses(2).tolist() == [4 * (32 * r + 2) for r in range(32)]
    assert shared_memory.tile_banks().tolist() == [list(range(32))] * 32  # no padding
    assert shared_memory.tile_banks(33, 2, 3).tolist() == [[0, 1, 2], [1, 2, 3]]
    assert shared_memory.row_addresses(1, pitch=5, columns=2).tolist() == [20, 24]
    assert shared_memory.column_addresses(1, pitch=5, rows=2).tolist() == [4, 24]


def test_banks_repeat_every_128_bytes():
    assert shared_memory.banks_of([0, 4]).dtype.kind == "i"
    assert shared_memory.banks_of([0, 4, 124, 128, 132]).tolist() == [0, 1, 31, 0, 1]


@pytest.mark.parametrize(
    ("stride", "wavefronts"),
    [(0, 2), (1, 4), (2, 8), (3, 4), (4, 16), (5, 4), (6, 8), (7, 4), (8, 32)],
)
def test_wide_reads_a_stride_of_packs_apart(stride, wavefronts):
    # Eight lanes of 16 bytes fill the 32 banks; a stride of 2 leaves half of them unused.
    assert shared_memory.wide_wavefronts(16 * stride * np.arange(32)) == wavefronts


def test_wide_reads_of_8_bytes_go_by_half_warps():
    assert shared_memory.wide_wavefronts(8 * np.arange(32), 8) == 2
    assert shared_memory.wide_wavefronts(16 * np.arange(32), 8) == 4
    assert shared_memory.wide_wavefronts(np.zeros(32, dtype=int), 8) == 1
    # The first half reads one pack, the second 16: together they conflict, so each goes alone.
    halves = np.r_[np.zeros(16, dtype=int), 8 * np.arange(1, 17)]
    assert shared_memory.wide_wavefronts(halves, 8) == 2


def test_wide_reads_that_no_warp_makes_are_refused():
    with pytest.raises(ValueError, match="must be 8 or 16, not 4"):
        shared_memory.wide_wavefronts(4 * np.arange(32), 4)
    with pytest.raises(ValueError, match="32 addresses"):
        shared_memory.wide_wavefronts(16 * np.arange(31))
    with pytest.raises(ValueError, match="multiples of 16"):
        shared_memory.wide_wavefronts(8 * np.arange(32))


@given(st.integers(0, 15), st.sampled_from((8, 16)))
def test_wide_reads_as_the_trace_counts_them(stride, width):
    """The rule that the emulator's tracing has, written once more by hand."""
    lanes = [stride * width * lane for lane in range(32)]
    part = 128 // width
    words = [[{a + 4 * k for k in range(width // 4)} for a in lanes[i : i + part]]
             for i in range(0, 32, part)]  # fmt: skip
    parts = [set().union(*one) for one in words]

    def most(wanted):
        return max(sum(w // 4 % 32 == bank for w in wanted) for bank in range(32))

    expected = 0
    for low, high in zip(parts[::2], parts[1::2], strict=True):
        both = most(low | high)
        expected += 1 if both == 1 else most(low) + most(high)
    assert shared_memory.wide_wavefronts(np.array(lanes), width) == expected
