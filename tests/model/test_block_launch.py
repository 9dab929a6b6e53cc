"""Blocks start at the launch rate until the places are full, then as places become free."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model.block_launch import launch_blocks


def test_the_rate_decides_while_there_are_places():
    launch = launch_blocks(6, 2.0, 4, 1.0)
    assert launch.starts_us == (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
    assert launch.ends_us == (1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
    assert launch.places == 4
    assert [launch.resident(t) for t in (0.0, 0.6, 1.0, 2.6, 3.5)] == [1, 2, 2, 2, 0]


def test_the_places_decide_where_they_are_full():
    launch = launch_blocks(5, 10.0, 2, 1.0)
    assert launch.starts_us == pytest.approx((0.0, 0.1, 1.0, 1.1, 2.0))
    assert launch.resident(0.05) == 1
    assert {launch.resident(t) for t in (0.5, 1.05, 1.5)} == {2}


@given(
    st.integers(1, 60),
    st.floats(0.1, 10),
    st.integers(1, 9),
    st.floats(0.1, 10),
)
def test_never_more_than_places_and_never_faster_than_the_rate(blocks, rate, places, stay):
    launch = launch_blocks(blocks, rate, places, stay)
    starts = launch.starts_us
    assert all(b - a >= 1 / rate - 1e-9 for a, b in pairwise(starts))
    assert all(launch.resident(start) <= places for start in starts)
    assert len(starts) == len(launch.ends_us) == blocks
