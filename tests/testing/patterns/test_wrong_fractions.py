"""Numbers that are cut off, or rounded another way, are told by their fractions."""

import pytest
import torch

from helpers.testing.patterns.wrong_fractions import cut_division, rounded_otherwise
from tests.testing.mismatches import mismatch


def test_a_division_of_integers():
    x = torch.arange(-40, 40, dtype=torch.int32)
    right = x.double() / 7
    words = cut_division(mismatch(right.trunc().float(), right, x))
    assert words.startswith("each result is the right one without its fraction")
    assert cut_division(mismatch(right.floor().float(), right, x)) is None
    assert cut_division(mismatch(right.trunc().float(), right, x.float())) is None
    assert cut_division(mismatch(right[:4].trunc().float(), right[:4], x[:4])) is None


def rounded(function, right=torch.round, factor=0.37, plus=3.0):
    """Say of pixels, each 0.37 times one of an image and 3, what `rounded_otherwise` says."""
    x = torch.arange(256, dtype=torch.uint8)
    line = factor * x.double() + plus
    got, wanted = function(line), right(line)
    return rounded_otherwise(mismatch(got.to(torch.int32), wanted, x))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (torch.trunc, "are they truncated, toward zero"),
        (torch.ceil, "are they rounded up"),
    ],
)
def test_another_direction(function, words):
    assert words in rounded(function)
    assert rounded(torch.round) is None


def test_what_should_be_cut_off_is_rounded():
    assert "where the fraction must be cut off" in rounded(torch.round, right=torch.floor)


def test_halves_alone():
    """A tie is rounded to the nearest even number."""
    up = rounded(lambda line: (line + 0.5).floor(), factor=0.5, plus=0.0)
    assert up.startswith("only halves go wrong: a tie must be rounded to the nearest even")


def test_numbers_far_from_the_right_ones_are_not_rounded():
    assert rounded(lambda line: line.round() + 2) is None


def test_a_float_whose_fraction_must_be_cut_off():
    x = torch.linspace(-9, 9, 50)
    for function, words in (
        (torch.round, "to the nearest integer"),
        (torch.floor, "down"),
        (torch.ceil, "up"),
    ):
        told = rounded_otherwise(mismatch(function(x).int(), x.double().trunc(), x))
        assert told.startswith(f"each result is the input rounded {words}, where the fraction")
    assert rounded_otherwise(mismatch(x.int() + 1, x.double().trunc(), x)) is None
    assert rounded_otherwise(mismatch(x.round().int(), x.double().trunc() * 2, x)) is None


@pytest.mark.parametrize("size", [1.2, 90.0])
@pytest.mark.parametrize("factor", [1.0, 0.37])
def test_a_cast_once_a_half_is_added(size, factor):
    """Negative numbers are then not rounded to the nearest."""
    x = torch.linspace(-size, size, 300)
    line = factor * x.double()

    def told(got):
        return rounded_otherwise(mismatch(got.to(torch.int32), line.round(), x))

    words = "each wrong result is beside the right one: is it truncated, toward zero, once 0.5"
    if size * factor > 1:
        assert told((line + 0.5).trunc()).startswith(words)
    assert words not in (told((line - 0.5).trunc()) or "")
    assert words not in (told(line.trunc()) or "")
