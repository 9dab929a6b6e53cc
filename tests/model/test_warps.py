"""Threads in warps and lanes, and the rounds of a shuffle, against loops and sums."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model import warps


def test_a_16_by_16_block_puts_two_rows_in_each_warp():
    layout = warps.thread_layout((16, 16))
    assert layout.warp.shape == (1, 16, 16)
    assert layout.warp[0, :, 0].tolist() == [row // 2 for row in range(16)]
    assert layout.lane[0, 1].tolist() == list(range(16, 32))
    assert (layout.threads, layout.warps, layout.idle_lanes) == (256, 8, 0)


@given(st.integers(1, 40), st.integers(1, 8), st.integers(1, 3))
def test_threads_are_numbered_as_three_nested_loops_would(dx, dy, dz):
    layout = warps.thread_layout((dx, dy, dz))
    number = 0
    for z, y, x in itertools.product(range(dz), range(dy), range(dx)):  # x fastest
        assert layout.linear[z, y, x] == number
        assert 32 * layout.warp[z, y, x] + layout.lane[z, y, x] == number
        number += 1
    assert layout.warps * 32 - layout.idle_lanes == number


@pytest.mark.parametrize("block", [0, (0, 4), 1025, (1, 1, 65), (32, 33), (), (2, 2, 2, 2), -1])
def test_a_block_that_no_gpu_launches_is_refused(block):
    with pytest.raises(ValueError, match="block"):
        warps.thread_layout(block)


def test_a_block_may_be_one_number_or_a_list_and_warps_of_another_size():
    assert thread_counts(96) == thread_counts((96,)) == thread_counts([96, 1, 1]) == (96, 3, 0)
    small = warps.thread_layout((3, 2), warp_size=4)
    assert small.block == (3, 2, 1) and small.warp_size == 4
    assert small.warp.tolist() == [[[0, 0, 0], [0, 1, 1]]]
    assert small.lane.tolist() == [[[0, 1, 2], [3, 0, 1]]]
    assert (small.warps, small.idle_lanes) == (2, 2)


def thread_counts(block) -> tuple[int, int, int]:
    layout = warps.thread_layout(block)
    return layout.threads, layout.warps, layout.idle_lanes


@pytest.mark.parametrize("block", [1024, (1, 1024), (4, 4, 64), (1, 1, 64)])
def test_the_largest_blocks(block):
    assert warps.thread_layout(block).threads == np.prod(block)


def test_why_a_block_is_refused():
    with pytest.raises(ValueError, match=r"1 to 3 dimensions .*not 4: \(2, 2, 2, 2\)"):
        warps.thread_layout((2, 2, 2, 2))
    with pytest.raises(
        ValueError, match=r"5 x 205 x 1 = 1025 threads cannot .*1024 in all and 64"
    ):
        warps.thread_layout((5, 205))
    with pytest.raises(ValueError, match="16 x 16 x 8 = 2048 threads cannot"):
        warps.thread_layout((16, 16, 8))
    with pytest.raises(ValueError, match="warp_size must be 1 or more"):
        warps.thread_layout(4, warp_size=0)
    with pytest.raises(TypeError, match=r"block is \(1.5, 2\): give a whole number or"):
        warps.thread_layout((1.5, 2))


# ---- shuffles --------------------------------------------------------------------------------


@given(st.lists(st.integers(-1000, 1000), min_size=32, max_size=32))
def test_five_rounds_sum_a_warp(values):
    down, butterfly = warps.down_sum_rounds(values), warps.butterfly_rounds(values)
    assert down.shape == butterfly.shape == (6, 32)
    assert down[0].tolist() == values
    assert down[-1, 0] == sum(values)
    assert butterfly[-1].tolist() == [sum(values)] * 32


def test_a_lane_that_reads_beyond_the_end_gets_its_own_value():
    rounds = warps.down_sum_rounds(np.arange(32))
    assert rounds[1].tolist() == [lane + lane + 16 for lane in range(16)] + [
        2 * lane for lane in range(16, 32)
    ]
    assert rounds[5, 31] == 31 * 2**5  # doubled five times: of no use
    assert warps.down_sources(16)[:2].tolist() == [16, 17] and warps.down_sources(16)[31] == 31


def test_shuffle_rounds_keep_the_dtype_and_need_a_power_of_two():
    assert warps.down_sum_rounds(np.ones(32, dtype=np.float32)).dtype == np.float32
    assert warps.round_offsets() == [16, 8, 4, 2, 1]
    with pytest.raises(ValueError, match="power of two"):
        warps.butterfly_rounds(np.ones(31))


def test_offsets_of_other_sizes():
    assert warps.round_offsets(1) == [] and warps.round_offsets(2) == [1]
    assert warps.round_offsets(64) == [32, 16, 8, 4, 2, 1]
    for bad in (0, -1, 3, 33):
        with pytest.raises(ValueError, match=f"power of two of lanes, not {bad}"):
            warps.round_offsets(bad)


def test_sources_stay_in_the_warp():
    assert warps.down_sources(1, 4).tolist() == [1, 2, 3, 3]
    assert warps.down_sources(2, 4).tolist() == [2, 3, 2, 3]
    assert warps.xor_sources(1, 4).tolist() == [1, 0, 3, 2]
    assert warps.xor_sources(4, 4).tolist() == [0, 1, 2, 3]  # beyond the end: its own
    assert warps.xor_sources(3, 6).tolist() == [3, 2, 1, 0, 4, 5]
    assert len(warps.down_sources(1)) == len(warps.xor_sources(1)) == 32


def test_a_table_of_values_is_refused():
    with pytest.raises(ValueError, match=r"1-D array, not one of shape \(2, 2\)"):
        warps.down_sum_rounds(np.ones((2, 2)))
