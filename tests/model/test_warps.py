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
