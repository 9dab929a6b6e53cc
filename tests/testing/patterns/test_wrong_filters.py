"""Signals and images that are filtered with taps in another order or place."""

import torch
from torch.nn import functional

from helpers.testing.patterns import wrong_filters
from tests.testing.mismatches import mismatch, random

X, TAPS = random(60).float().double(), torch.tensor([1.0, 2.0, 4.0]).double()
PLANE, SQUARE = X.reshape(6, 10), torch.arange(1.0, 10.0).double().reshape(3, 3)


def line(taps=TAPS, left=1):
    padded = functional.pad(X[None, None], (left, 2 - left))
    return functional.conv1d(padded, taps[None, None])[0, 0]


def plane(taps):
    return functional.conv2d(PLANE[None, None], taps[None, None], padding=1)[0, 0]


def told(got, right, x=X, taps=TAPS):
    inputs = (x.float(), taps.float())
    m = mismatch(got.float().reshape(-1), right.reshape(-1), *inputs, shape=tuple(right.shape))
    return wrong_filters.filtered(m)


def test_taps_that_are_turned_round():
    words = "each element is what comes out with the taps {}, and not {}: is the index of a "
    words += "tap another one in the formula?"
    ways = ("turned round", "as they are")
    turned, right = line(TAPS.flip(0)), line()
    assert told(turned, right) == words.format(*ways)
    assert told(right, turned) == words.format(*ways[::-1])
    assert told(line(TAPS.flip(0), left=0)[:-2], line(left=0)[:-2]) == words.format(*ways)


def test_other_places_and_rims():
    right = line()
    assert "begin 1 element before their place" in told(line(left=2), right)
    assert "begin 1 element after their place" in told(line(left=0), right)
    less = torch.tensor([1.0, 2.0, 0.0]).double()
    assert "if tap 2 is left out" in told(line(less), right)
    assert told(line() + 1, right) is None


def test_taps_of_a_plane():
    right = plane(SQUARE)
    assert "with the taps turned round" in told(plane(SQUARE.flip(0, 1)), right, PLANE, SQUARE)
    assert "rows and columns of the taps swapped" in told(
        plane(SQUARE.T.contiguous()), right, PLANE, SQUARE
    )
