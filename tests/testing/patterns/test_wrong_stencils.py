"""Sums of neighbours in which one is left out, or another weight counts."""

import pytest
import torch

from helpers.testing.patterns import wrong_stencils
from tests.testing.mismatches import mismatch, random

X = random(400, 1).reshape(8, 50)
PLANE = random(900, 2).reshape(30, 30)


def along(x, left, own, right):
    """Sum weighted neighbours in each row, with 0 beyond its ends."""
    padded = torch.nn.functional.pad(x.double(), (1, 1))
    return left * padded[:, :-2] + own * padded[:, 1:-1] + right * padded[:, 2:]


def around(x, weights):
    """Sum 3 x 3 weighted neighbours in a plane, with 0 beyond its sides."""
    kernel = torch.as_tensor(weights).double().reshape(1, 1, 3, 3)
    return torch.nn.functional.conv2d(x.double()[None, None], kernel, padding=1)[0, 0]


def told(got, right, x):
    m = mismatch(got.float().flatten(), right.flatten(), x, shape=tuple(x.shape))
    return wrong_stencils.stencil(m)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ((0.25, 0.25, 0.25), "0.25 x[i - 1] + 0.25 x[i] + 0.25 x[i + 1]"),
        ((0, 0.5, 0.25), "0.5 x[i] + 0.25 x[i + 1]"),
        ((-0.25, 0.5, 0.25), "-0.25 x[i - 1] + 0.5 x[i] + 0.25 x[i + 1]"),
        ((0.25, 1, 0.25), "0.25 x[i - 1] + x[i] + 0.25 x[i + 1]"),
    ],
)
def test_weights_along_a_row(weights, words):
    right = along(X, 0.25, 0.5, 0.25)
    sentence = told(along(X, *weights), right, X)
    wanted = "0.25 x[i - 1] + 0.5 x[i] + 0.25 x[i + 1]"
    why = "is a neighbour or a weight of the formula another one?"
    assert sentence == f"inside, each element is {words}, not {wanted}: {why}"


def test_one_row():
    x = X.flatten()
    right, got = along(x[None], 1, 1, 1)[0], along(x[None], 1, 0, 1)[0]
    assert "is x[i - 1] + x[i + 1], not x[i - 1] + x[i] + x[i + 1]:" in told(got, right, x)


def test_weights_in_a_plane():
    ones = torch.ones(3, 3)
    right = around(PLANE, ones / 9)
    rows = ones.clone()
    rows[2] = 0
    sentence = told(around(PLANE, rows / 9), right, PLANE)
    assert "made without 0.1111 x[r + 1][c - 1] + 0.1111 x[r + 1][c] + 0.1111" in sentence
    assert "1.125 times the right one: is it divided by" in told(
        around(PLANE, ones / 8), right, PLANE
    )
    sentence = told(right, around(PLANE, rows / 9), PLANE)
    assert "made with 0.1111 x[r + 1][c - 1] + 0.1111 x[r + 1][c]" in sentence
    rows[0] = 2
    assert "is a neighbour or a weight of the formula another one" in told(
        around(PLANE, rows / 9), right, PLANE
    )


def test_what_is_no_sum_of_neighbours():
    right = along(X, 0.25, 0.5, 0.25)
    assert told(right.square(), right, X) is None
    assert told(along(X, 0.25, 0.25, 0.25), right.square(), X) is None
    assert told(right + 0.01 * X.double().square(), right, X) is None
    short = X[:, :4]
    assert told(along(short, 1, 0, 1), along(short, 1, 1, 1), short) is None
    hollow = X.clone()
    hollow[0, 0] = float("inf")
    assert told(right, right + 1, hollow) is None
    m = mismatch(right.float().flatten() + 1, right.flatten(), X, X, shape=tuple(X.shape))
    assert wrong_stencils.stencil(m) is None  # of two inputs


def test_a_window_that_is_shifted():
    wide = torch.nn.functional.pad(X.double(), (6, 6)).unfold(1, 5, 1).sum(2)
    for by in (-2, -1, 1, 2):
        got, right = wide[:, 4 + by : 54 + by], wide[:, 4:54]
        where = f"index i {'+' if by > 0 else '-'} {abs(by)}"
        words = f"is what is right for {where}: does its window begin elsewhere?"
        assert told(got, right, X) == f"inside, each element {words}"
    right = around(PLANE, torch.ones(3, 3))
    assert "right for row r and column c + 1:" in told(right.roll(-1, 1), right, PLANE)


def extreme(x, first, last, of=torch.amax):
    """Take an extreme of the elements around each of a row, from one step to another."""
    return of(torch.stack([x.roll(-k, 1) for k in range(first, last + 1)]), 0)


def told_of_windows(got, right, x=X):
    m = mismatch(got.flatten(), right.flatten(), x, shape=tuple(x.shape))
    return wrong_stencils.window(m)


def test_windows_of_extremes():
    right = extreme(X, -1, 1)
    for first, last, words in (
        (-1, 0, "i - 1 to i"),
        (0, 2, "i to i + 2"),
        (-2, 1, "i - 2 to i + 1"),
        (1, 1, "i + 1"),
    ):
        assert told_of_windows(extreme(X, first, last), right) == (
            f"inside, each element is the largest of index {words}, not the largest of index "
            "i - 1 to i + 1: does the window begin or end elsewhere?"
        )
    for name, got in (
        ("the smallest", extreme(X, -1, 1, torch.amin)),
        ("the largest absolute number", extreme(X.abs(), -1, 1)),
    ):
        words = f"{name} of its window, not the largest: is the formula another one?"
        assert told_of_windows(got, right) == f"inside, each element is {words}"
    assert told_of_windows(right + 1, right) is None
    assert told_of_windows(extreme(X, 0, 1), X) is None  # no window is asked for
    assert told_of_windows(right[:, :9], right[:, :9] + 1, X[:, :9].contiguous()) is None


def test_windows_of_a_plane():
    right = extreme(extreme(PLANE, -1, 1), 0, 1)
    right = torch.maximum(right, right.roll(-1, 0))
    sentence = told_of_windows(extreme(PLANE, -1, 2), right, PLANE)
    assert "rows r, columns c - 1 to c + 2, not the largest of rows r to r + 1, " in sentence


def ends_told(got):
    """Hold a sum on a ring beside one of which some elements are others."""
    x = torch.randperm(400, generator=torch.Generator().manual_seed(3)).float()
    right = 0.25 * x.double().roll(1) + 0.5 * x.double() + 0.25 * x.double().roll(-1)
    m = mismatch(got(right.clone(), x.double()), right, x, shape=tuple(x.shape))
    return wrong_stencils.ends(m)


def test_what_is_taken_at_an_end_of_a_ring():
    def insulated(right, x):
        right[0] = 0.75 * x[0] + 0.25 * x[1]
        return right.float()

    assert ends_told(insulated) == (
        "inside, all are right, only the first element is wrong: is the formula another one "
        "there, where a neighbour is missing? There x[0] is taken, not x[399]"
    )


def test_both_ends():
    def without(right, x):
        right[0], right[-1] = 0.5 * x[0], 0.5 * x[-1]
        return right.float()

    assert "only the first and the last elements are wrong" in ends_told(without)


def test_no_end():
    def one_inside(right, x):
        right[7] = 0
        return right.float()

    assert ends_told(one_inside) is None
    x = X.flatten()
    m = mismatch(random(400, 3), x.double() ** 2, x, shape=tuple(x.shape))
    assert wrong_stencils.ends(m) is None
