"""Which answers count as numbers, and what is said of the others."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest
import torch

from helpers.teach.exercises.conversion import WORDS, exactly, number_of, plain, shown


class Broken:
    """An answer that fails whatever is asked of it."""

    def __float__(self):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")


DTYPES = (torch.int8, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float64)


@pytest.mark.parametrize(
    "three",
    [3, 3.0, Fraction(3), Decimal(3), 3 + 0j]
    + [
        getattr(np, f"{kind}")(3)
        for kind in ("int8", "uint64", "float16", "float32", "longdouble")
    ]
    + [np.array(3.0), np.array([3]), np.complex64(3), pandas.Series([3])]
    + [torch.tensor(3, dtype=dtype) for dtype in DTYPES]
    + [torch.tensor([[3.0]], requires_grad=True)],
    ids=repr,
)
def test_every_numeric_type_counts(three):
    assert number_of(three) == 3


def test_whole_numbers_stay_exact():
    assert number_of(2**80 + 1) == 2**80 + 1
    assert number_of(np.int64(2**62 + 1)) == 2**62 + 1
    assert isinstance(number_of(torch.tensor(5)), int)


def test_numbers_beyond_floats_are_infinite():
    assert number_of(Fraction(10**400)) == math.inf
    assert number_of(-Fraction(10**400)) == -math.inf
    assert number_of(Decimal("1e999999")) == math.inf


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (True, "bool"),
        (np.bool_(True), "bool"),
        (torch.tensor(True), "bool"),
        ("1000", "the text '1000'"),
        (b"8", "bytes"),
        ([], "a list"),
        ({}, "a dict"),
        ((3,), "a tuple"),
        (np.array([1, 2]), "2 numbers"),
        (torch.tensor([]), "0 numbers"),
        (1 + 2j, "a complex number"),
        (np.datetime64("2026-01-01"), "date"),
        (object(), "object"),
        (len, "builtin_function_or_method"),
        (Broken(), "Broken"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_a_number_is_named(given, words):
    assert number_of(given) == words


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1000, "1,000"),
        (990.5, "990.5"),
        (1234567.25, "1.23457e+06"),
        (-0.0058567, "-0.0058567"),
        (10**400, "about 10^400"),
        (-(10**400), "-about 10^400"),
        (1e300, "1e+300"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_numbers_in_messages(number, text):
    assert plain(number) == text


def test_a_number_that_is_nearly_whole_shows_its_fraction():
    assert exactly(3.000001) == "3.000001"
    assert exactly(3.5) == "3.5"
    assert exactly(1e300) == "1e+300"


def test_answers_in_messages_are_short_and_never_fail():
    assert shown("poison") == "'poison'"
    assert shown("x" * 500) == "'" + "x" * (WORDS - 5) + " ..."
    assert shown(Broken()) == "this Broken"
    assert shown(10**5000).startswith(("this int", "1000"))
