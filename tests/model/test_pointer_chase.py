"""The linked list of a pointer chase is one cycle."""

import numpy as np
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
