"""A right number in the wrong unit is told its unit."""

import pytest

from helpers.teach.exercises.units import other_unit, unit_of


@pytest.mark.parametrize(
    ("unit", "number", "answer", "words"),
    [
        ("%", 0.125, 12.5, "that is a fraction; per cent were asked"),
        ("% of the issue slots", 0.0074, 0.74, "that is a fraction; per cent were asked"),
        ("us", 5e-6, 5, "that is in s; us were asked"),
        ("us", 0.005, 5, "that is in ms; us were asked"),
        ("us", 5000, 5, "that is in ns; us were asked"),
        ("s", 5000, 5, "that is in ms; s were asked"),
        ("bytes", 64_000, 8000, "that is in bits; bytes were asked"),
        ("bytes per element", 64, 8, "that is in bits; bytes were asked"),
        ("bytes", 8, 8000, "that is in kB; bytes were asked"),
        ("bytes", 8, 8192, "that is in KiB; bytes were asked"),
        ("MiB", 201.326592, 192, "that is in MB; MiB were asked"),
        ("MiB", 192 * 1024, 192, "that is in KiB; MiB were asked"),
        ("MiB", 192 << 20, 192, "that is in bytes; MiB were asked"),
        ("TFLOP/s", 33_454, 33.454, "that is in GFLOP/s; TFLOP/s were asked"),
    ],
)
def test_a_right_number_in_another_unit(unit, number, answer, words):
    assert other_unit(unit, number, answer, 0.01) == words


@pytest.mark.parametrize(
    ("unit", "number", "answer"),
    [
        ("us", 5, 5),
        ("us", 5.1e-6, 5),  # two per cent away
        ("threads", 8000, 8),  # a count has no unit
        ("", 8000, 8),
        ("%", 12.5, 12.5),
        ("us", 0, 0),
        ("us", float("inf"), 5),
        ("us", float("nan"), 5),
    ],
)
def test_other_numbers_are_not_explained_by_a_unit(unit, number, answer):
    assert other_unit(unit, number, answer, 0.01) == ""


@pytest.mark.parametrize(
    ("number", "unit", "words"),
    [
        (1, "warps", "warp"),
        (2, "warps", "warps"),
        (1.0, "idle lanes", "idle lane"),
        (1, "bytes per element", "byte per element"),
        (1, "us", "us"),
        (1, "TFLOP/s", "TFLOP/s"),
        (0, "blocks", "blocks"),
    ],
)
def test_one_is_singular(number, unit, words):
    assert unit_of(number, unit) == words
