"""A number of each row, or column, that is another one's is told by what it makes."""

import pytest
import torch

from helpers.testing.wrong_operands import of_another_place
from tests.testing.mismatches import mismatch, random


def told(place, axis=0, adds=False, cut=False, shape=(6, 40)):
    """Say of a matrix times, or plus, a number of each row or column, taken at `place`."""
    x, s = random(shape[0] * shape[1]).reshape(shape), 1 + random(shape[axis], seed=1).abs()
    beside = (slice(None), None) if axis == 0 else (None, slice(None))

    def made(numbers):
        y = x.double() + numbers[beside] if adds else x.double() * numbers[beside]
        return (y.clamp(min=0) if cut else y).flatten()

    own = torch.arange(shape[axis])
    right, got = made(s.double()), made(s.double()[place(own) % shape[axis]])
    return of_another_place(mismatch(got.float(), right.float().double(), x, s, shape=shape))


@pytest.mark.parametrize("adds", [False, True])
def test_another_index(adds):
    role = "is added to" if adds else "multiplies"
    assert told(lambda k: 0 * k, adds=adds).endswith(
        f"{role} row 1, in the place of number 1: is the index there always 0, so that each is "
        "counted for another?"
    )
    assert "is the index there one too large" in told(lambda k: k + 1, adds=adds)
    warps = told(lambda k: k % 32, axis=1, adds=adds)
    assert (
        "number 0 of input 2" in warps and "the column's % 32, as of a place in a warp" in warps
    )


def test_what_is_cut_off_at_0_tells_nothing():
    assert "always 0" in told(lambda k: 0 * k, adds=True, cut=True)


def test_other_faults_are_no_other_index():
    x, s = random(240).reshape(6, 40), 1 + random(6, seed=1).abs()
    right = (x.double() * s.double()[:, None]).flatten()
    for got in (right + 1, 2 * right, right.flip(0)):
        assert of_another_place(mismatch(got.float(), right, x, s, shape=(6, 40))) is None
    assert told(lambda k: k) is None
