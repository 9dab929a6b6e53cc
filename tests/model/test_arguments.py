"""Arguments that the model refuses, and the words in which it does."""

import math

import numpy as np
import pytest

from helpers.model.arguments import finite, positive, probability, whole_number


def test_whole_numbers():
    assert whole_number("count", 1) == 1
    assert type(whole_number("count", np.int64(5))) is int
    assert whole_number("count", 0, least=0) == 0
    with pytest.raises(ValueError, match="count must be 1 or more, not 0"):
        whole_number("count", 0)
    with pytest.raises(ValueError, match="count must be 3 or more, not 2"):
        whole_number("count", 2, least=3)


@pytest.mark.parametrize("value", [1.0, "1", None])
def test_fractions_and_texts_are_no_whole_numbers(value):
    with pytest.raises(TypeError, match=r"count is .*give a whole number"):
        whole_number("count", value)


def test_finite_numbers():
    assert finite("time", 0) == 0 and finite("time", 2.5) == 2.5
    for bad in (-1e-9, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"time is .*finite number, 0 or more"):
            finite("time", bad)


def test_positive_numbers():
    assert positive("rate", 1e-9) == 1e-9 and positive("rate", np.float32(2)) == 2
    for bad in (0, -1, math.inf, math.nan, None, "1"):
        with pytest.raises(ValueError, match="rate must be a positive number, not"):
            positive("rate", bad)


def test_probabilities():
    assert [probability("p", value) for value in (0, 0.5, 1)] == [0, 0.5, 1]
    for bad in (-1e-9, 1 + 1e-9, math.nan):
        with pytest.raises(ValueError, match=r"p is .*between 0 and 1"):
            probability("p", bad)
