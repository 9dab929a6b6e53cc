"""Arguments that the model refuses, and the words in which it does."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from helpers.model import arguments
from helpers.model.arguments import (
    Amount,
    Count,
    Rate,
    Whole,
    checked,
    finite,
    positive,
    probability,
    whole_number,
)


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


def test_a_dict_in_the_place_of_a_list_is_not_gone_through():
    @checked
    def total(numbers: Sequence[int]) -> int:
        return len(numbers)

    assert total([1, 2]) == 2 and total(range(10**12)) == 10**12
    assert arguments._is_list({"a": 1}, (int,)) and not arguments._is_list(["a"], (int,))


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


@dataclass(frozen=True)
class Card:
    name: str = "a card"


@checked
def function(
    count: Count = 1,
    start: Whole = 0,
    share: Amount = 0.0,
    rate: Rate | None = None,
    name: str = "",
    card: Card | str = "",
    sizes: Sequence[int] = (),
    cc: str | tuple[int, int] = "",
    constants: Mapping[str, float] | None = None,
    path: str | Path = "",
    other=None,
    hot: bool = True,
):
    """Return the count."""
    return count


def test_what_fits_the_annotations_is_passed_on():
    assert function() == 1
    assert function(5, 0, 0, 1e-9, "x", Card(), [1, 2], (9, 0), {}, Path("x"), object()) == 5
    assert function(np.int64(7), share=np.float32(1), sizes=np.arange(3)) == 7
    assert function(sizes=range(10**9), rate=None, share=Fraction(1, 3), hot=np.bool_(1)) == 1
    assert function.__name__ == "function" and function.__doc__ == "Return the count."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"count": 1.0}, "count is 1.0: give a whole number"),
        ({"count": "1"}, "count is '1': give a whole number"),
        ({"share": "1"}, "share is '1': give a number"),
        ({"share": 1j}, "share is 1j: give a number"),
        ({"rate": []}, "rate is []: give a number or None"),
        ({"name": 7}, "name is 7: give a text"),
        ({"name": None}, "name is None: give a text"),
        ({"card": None}, "card is None: give a Card or a text"),
        ({"sizes": 3}, "sizes is 3: give a list of whole numbers"),
        ({"sizes": "12"}, "sizes is '12': give a list of whole numbers"),
        ({"sizes": [1, "2"]}, "sizes is [1, '2']: give a list of whole numbers"),
        ({"sizes": np.array(3)}, "sizes is array(3): give a list of whole numbers"),
        ({"sizes": list}, "sizes is <class 'list'>: give a list of whole numbers"),
        ({"cc": (9.0, 0)}, "cc is (9.0, 0): give a text or a list of whole numbers"),
        ({"constants": [1]}, "constants is [1]: give a dict or None"),
        ({"path": 1}, "path is 1: give a text or a path"),
        ({"hot": "yes"}, "hot is 'yes': give True or False"),
        ({"name": [0] * 99}, f"name is {'[' + '0, ' * 18 + '0'} ...: give a text"),
    ],
)
def test_another_type_is_refused(arguments, words):
    with pytest.raises(TypeError) as error:
        function(**arguments)
    assert str(error.value) == words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"count": 0}, "count is 0: give a finite number, 1 or more"),
        ({"count": np.int32(-1)}, "count is -1: give a finite number, 1 or more"),
        ({"start": -1}, "start is -1: give a finite number, 0 or more"),
        ({"count": 10**30}, f"count is {10**30}: give a whole number that 64 bits hold"),
        ({"start": -(10**30)}, f"start is {-(10**30)}: give a whole number that 64 bits hold"),
        ({"share": -1e-9}, "share is -1e-09: give a finite number, 0 or more"),
        ({"share": math.inf}, "share is inf: give a finite number, 0 or more"),
        ({"share": math.nan}, "share is nan: give a number, not NaN"),
        ({"rate": 0}, "rate is 0: give a positive number"),
        ({"rate": 0.0}, "rate is 0.0: give a positive number"),
        ({"rate": -2.5}, "rate is -2.5: give a positive number"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments, words):
    with pytest.raises(ValueError) as error:
        function(**arguments)
    assert str(error.value) == words


@checked
def points(pairs: Sequence[tuple[str, float]] = (), sizes: tuple[int, ...] = ()):
    """Take tuples."""


def test_tuples_have_their_own_items():
    points([("a", 1.0), ("b", 2)], (1, 2, 3))
    points([], ())
    for bad in ([("a",)], [(1.0, "a")], [["a", 1.0]], ("a", 1.0)):
        with pytest.raises(TypeError, match=r"pairs is .*: give a list of"):
            points(bad)
    for bad in ((1, "2"), [1, 2], 3):
        with pytest.raises(TypeError, match=r"sizes is .*: give a list of whole numbers"):
            points((), bad)


def test_positions_count_as_names_do():
    with pytest.raises(ValueError, match="start is -1"):
        function(1, -1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'stop'"):
        function(stop=1)
    with pytest.raises(TypeError, match="positional arguments"):
        function(1, 0, 0.0, 1.0, "", "", (), "", None, "", None, True, 0)


@pytest.mark.parametrize("check", [finite, probability])
@pytest.mark.parametrize("value", ["1", None, [], 1j])
def test_what_is_not_a_number_is_refused_in_the_same_words(check, value):
    with pytest.raises(TypeError) as error:
        check("p", value)
    assert str(error.value) == f"p is {value!r}: give a number"
