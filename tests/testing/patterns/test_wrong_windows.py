"""Windows that lie a stride apart: which weights, and which steps between them."""

import pytest

from helpers.testing.patterns import wrong_windows
from tests.testing.mismatches import mismatch, random

X = random(200, 1)
RIGHT = X.double().unfold(0, 4, 2).sum(1)


def told(got):
    return wrong_windows.strided(mismatch(got.float(), RIGHT, X, shape=tuple(RIGHT.shape)))


def test_sums_a_stride_apart():
    n = len(RIGHT)
    wanted = "x[2 i] + x[2 i + 1] + x[2 i + 2] + x[2 i + 3]"
    why = "is the window, its stride or a weight another one in the formula?"
    short = X.unfold(0, 3, 2).sum(1)[:n]
    words = "x[2 i] + x[2 i + 1] + x[2 i + 2]"
    assert told(short) == f"inside, each element is {words}, not {wanted}: {why}"
    close = X.unfold(0, 4, 1).sum(1)[:n]
    words = "x[i] + x[i + 1] + x[i + 2] + x[i + 3]"
    assert told(close) == f"inside, each element is {words}, not {wanted}: {why}"
    short[50] += 1
    assert told(short) is None
    assert told(random(n, 7)) is None


PLANE = random(12 * 20, 2).reshape(12, 20)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((20, 20), "down from window to window 20 elements on, not 40"),
        ((40, 10), "from row to row within a window 10 elements on, not 20"),
        (
            (20, 12),
            "down from window to window 20 elements on, not 40 and from row to row within a "
            "window 12 elements on, not 20",
        ),
    ],
)
def test_windows_of_a_plane(steps, words):
    flat = PLANE.double().flatten()
    for of in ("largest", "mean"):
        right = wrong_windows._pool(flat, 6, 10, (40, 20, 2, 2), of)
        got = wrong_windows._pool(flat, 6, 10, (*steps, 2, 2), of).float()
        m = mismatch(got.flatten(), right.flatten(), PLANE, shape=(6, 10))
        assert wrong_windows.pooled(m) == (
            f"each element is the {of} of another window, which steps {words}: is that the row "
            "of another shape?"
        )
        got[2, 2] += 1
        m = mismatch(got.flatten(), right.flatten(), PLANE, shape=(6, 10))
        assert wrong_windows.pooled(m) is None
