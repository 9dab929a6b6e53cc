"""The reader's guesses: understood or asked again, shown beside the result, scored."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from helpers import paths
from helpers.errors import UnknownNameError
from helpers.teach import guesses


@pytest.fixture(autouse=True)
def own_file(tmp_path, monkeypatch):
    """Keep the guesses of a test in a folder of its own."""
    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(paths, "KERNELS", tmp_path)
    monkeypatch.setattr(guesses, "_taken", {})
    return tmp_path / "mine" / "guesses.jsonl"


def test_without_a_guess_the_lesson_goes_on_and_nothing_is_kept(own_file, capsys):
    guesses.take("a", None, "us")
    guesses.take("b", None, choices=("DRAM", "L2"))
    guesses.take("c", None)
    guesses.compare("a", 940.8, model=949.9)
    assert capsys.readouterr().out.splitlines() == [
        "no guess yet: replace None by a number (us), or run on without one",
        "no guess yet: replace None by one of 'DRAM', 'L2', or run on without one",
        "no guess yet: replace None by a number, or run on without one",
        "the model        949.9 us   within 1%",
        "measured         940.8 us",
    ]
    assert not own_file.exists() and guesses.score() is None


def test_many_choices_are_listed_after_a_guess_that_is_none_of_them(capsys):
    six, seven = "abcdef", "abcdefg"
    listed = "'a', 'b', 'c', 'd', 'e', 'f'"
    guesses.take("a", None, choices=six)
    guesses.take("a", None, choices=seven)
    guesses.take("a", "h", choices=seven)
    assert capsys.readouterr().out.splitlines() == [
        f"no guess yet: replace None by one of {listed}, or run on without one",
        "no guess yet: replace None by one of the 7 choices, or run on without one",
        f"'h' is not among the choices: give one of {listed}, 'g'",
    ]


def test_a_number_stands_beside_the_model_and_the_measurement(capsys):
    guesses.take("a", 1900, "us")
    guesses.compare("a", 950.0, model=1045.0)
    assert capsys.readouterr().out.splitlines() == [
        "your guess: 1,900 us",
        "you              1,900 us   2 times too much",
        "the model        1,045 us   within 10%",
        "measured           950 us",
    ]


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (941, "within 1%"),
        (950.5, "within 2%"),  # 1.01%
        (850, "1.1 times too little"),
        (100, "9.4 times too little"),
        (1040, "1.1 times too much"),
    ],
)
def test_how_far_a_guess_is_away(capsys, guess, words):
    guesses.take("a", guess, "us")
    guesses.compare("a", 941.0)
    assert capsys.readouterr().out.splitlines()[1].endswith(words)


@pytest.mark.parametrize(
    "guess", [np.float32(2), torch.tensor(2), Fraction(2), True + 1, np.array([2])]
)
def test_a_number_of_any_type(capsys, guess):
    guesses.take("a", guess, "GB/s")
    assert capsys.readouterr().out == "your guess: 2 GB/s\n"


@pytest.mark.parametrize("guess", ["two", 0, -1, float("nan"), float("inf"), [1, 2], True, 1j])
def test_what_is_no_number_is_asked_again(own_file, capsys, guess):
    guesses.take("a", guess, "us")
    assert capsys.readouterr().out.endswith(": give a number (us)\n")
    guesses.compare("a", 5.0)
    assert capsys.readouterr().out == "measured             5 us\n" and not own_file.exists()


@pytest.mark.parametrize(
    ("guess", "is_one"), [("dram ", True), ("L2", True), ("L3", False), (2, False)]
)
def test_a_choice(capsys, guess, is_one):
    guesses.take("a", guess, choices=("DRAM", "L2"))
    said = capsys.readouterr().out
    assert said.startswith("your guess: ") == is_one
    assert is_one or said.endswith("is not among the choices: give one of 'DRAM', 'L2'\n")


def test_a_measured_zero_is_compared_without_a_factor(capsys):
    guesses.take("a", 5, "%")
    guesses.compare("a", 0, model=0.0)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "you                   5 %   too much",
        "the model             0 %   within 1%",
        "measured              0 %",
    ]
    guesses.compare("a", 4.0, model=0.0)
    assert "the model             0 %   too little" in capsys.readouterr().out


def test_choices_are_right_or_not(capsys):
    guesses.take("a", "L2", choices=("DRAM", "L2"))
    guesses.compare("a", "L2", model="DRAM")
    assert capsys.readouterr().out.splitlines()[1:] == [
        "you                    L2   right",
        "the model            DRAM   not so",
        "measured               L2",
    ]


def test_the_score_counts_the_first_guess_of_each_name(capsys):
    for name, guess, measured in (
        ("a", 20, 10.0),
        ("b", 10, 40.0),
        ("a", 10, 10.0),
        ("c", 3, 3),
    ):
        guesses.take(name, guess, "us")
        guesses.compare(name, measured, model=9.0)
    guesses.take("d", "L2", choices=("DRAM", "L2"))
    guesses.compare("d", "DRAM")
    capsys.readouterr()
    table = guesses.score()
    assert capsys.readouterr().out.splitlines() == [
        "3 numbers, the middle one off by a factor of 2",
        "0 of 1 choices right",
    ]
    assert table.to_numpy().tolist() == [
        ["a", "20 us", "9 us", "10 us", "2 times too much"],
        ["b", "10 us", "9 us", "40 us", "4 times too little"],
        ["c", "3 us", "9 us", "3 us", "within 1%"],
        ["d", "L2", "", "DRAM", "not so"],
    ]


def test_a_broken_line_loses_no_other(own_file, capsys):
    guesses.take("a", 2, "us")
    guesses.compare("a", 2.0)
    own_file.write_text('half a li\n[]\n{"name": 1}\n' + own_file.read_text())
    assert list(guesses.score().guess) == ["a"]


def test_where_nothing_can_be_written_the_comparison_is_still_shown(own_file, capsys):
    own_file.mkdir()
    guesses.take("a", 2, "us")
    guesses.compare("a", 2.0)
    assert "measured" in capsys.readouterr().out and guesses.score() is None


def test_a_guess_that_was_not_asked_for():
    with pytest.raises(
        UnknownNameError, match="no guess 'a' was asked for; there are none yet"
    ):
        guesses.compare("a", 1.0)
    guesses.take("b", 1)
    with pytest.raises(UnknownNameError, match="there are b"):
        guesses.compare("a", 1.0)


def test_what_was_not_measured_is_not_called_so(capsys):
    guesses.take("a", 3, "warps")
    guesses.compare("a", 4, how="computed")
    guesses.compare("a", 4, model=4, how="in the machine code")
    assert capsys.readouterr().out.splitlines()[1:] == [
        "you               3 warps   1.3 times too little",
        "computed          4 warps",
        "you                        3 warps   1.3 times too little",
        "the model                  4 warps   within 1%",
        "in the machine code        4 warps",
    ]
