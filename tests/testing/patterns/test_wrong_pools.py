"""Windows of planes of which a side, a stride or a place is another one."""

import torch
from torch.nn import functional

from helpers.testing.patterns import wrong_pools
from tests.testing.mismatches import mismatch, random

X = random(2 * 12 * 10).double().reshape(2, 12, 10).float()


def told(got, right, x=X):
    m = mismatch(got.float().reshape(-1), right.reshape(-1).double(), x, shape=right.shape)
    return wrong_pools.sizes(m)


def test_a_stride_that_is_another_one():
    right = functional.max_pool2d(X, 2, 1)
    got = right.clone()
    along = functional.max_pool2d(X, 2, (1, 2))
    got[..., : along.shape[2]] = along
    got[..., along.shape[2] :] = -torch.inf
    assert told(got, right) == (
        "each element is the largest of another window, which lies 2 columns behind the one "
        "before it, not 1: is a side, a stride or the padding another one in the formula?"
    )


def test_a_side_that_is_another_one():
    right = functional.max_pool2d(X, 2, 2)
    beyond = functional.pad(X, (0, 1), value=-torch.inf)
    assert ", which is 3 wide, not 2: " in told(functional.max_pool2d(beyond, (2, 3), 2), right)


def test_a_place_that_is_another_one():
    right = functional.max_pool2d(X, 3, 2, 1)
    beyond = functional.pad(X, (0, 3, 0, 3), value=-torch.inf)
    got = functional.max_pool2d(beyond, 3, 2)[:, :6, :5]
    assert "begins 0 rows above the plane, not 1" in told(got, right)


def test_means_of_windows():
    right = functional.avg_pool2d(X.double(), 3, 3)
    got = functional.avg_pool2d(X.double(), 3, (3, 2))[:, :, :3]
    assert "is the mean of another window, which lies 2 columns" in told(got, right)
    assert told(right + 1, right) is None


def test_windows_that_are_rounded_are_no_others():
    x = (1000 + X).half()  # windows that differ by a few of half's steps
    right = functional.avg_pool2d(x.double(), 2, 2)
    m = mismatch((right + 0.5).half().flatten(), right.flatten(), x, shape=right.shape)
    assert wrong_pools.sizes(m) is None
