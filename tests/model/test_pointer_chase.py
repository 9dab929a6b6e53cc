"""The linked list of a pointer chase is one cycle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model import pointer_chase


@given(st.integers(1, 200), st.integers(1, 40), st.integers(0, 5))
def test_a_random_cycle_visits_every_place_once_and_comes_back(count, stride, seed):
    following = pointer_chase.random_cycle(count, stride, seed)
    assert following.dtype == np.int32 and following.shape == (count * stride,)
    at, seen = 0, []
    for _ in range(count):
        seen.append(at)
        at = int(following[at])
    assert at == 0
    assert sorted(seen) == list(range(0, count * stride, stride))


def test_the_order_is_random_and_the_same_for_the_same_seed():
    first = pointer_chase.random_cycle(100)
    assert first.tolist() == pointer_chase.random_cycle(100, 1, seed=0).tolist()
    assert first.tolist() != pointer_chase.random_cycle(100, seed=1).tolist()
    assert first.tolist() != np.roll(np.arange(100), -1).tolist()


def test_elements_between_the_places_point_at_themselves():
    following = pointer_chase.random_cycle(10, stride=4)
    between = np.arange(40) % 4 != 0
    assert (following[between] == np.arange(40)[between]).all()


def test_counts_are_refused_that_an_int32_does_not_hold():
    with pytest.raises(ValueError, match="65536 x 32768 indices do not fit an int32"):
        pointer_chase.random_cycle(2**16, stride=2**15)
    with pytest.raises(ValueError, match=r"^count is 0: give .*1 or more"):
        pointer_chase.random_cycle(0)
    with pytest.raises(ValueError, match=r"^stride is 0: give .*1 or more"):
        pointer_chase.random_cycle(1, 0)
