"""Launchers that make one number of an array: what they are asked, and what is said."""

import math

import pytest
import torch

from helpers.errors import CourseError
from helpers.testing import reduction, whole
from helpers.testing.buffers import ZEROS, poison


@pytest.fixture
def said(fake_launcher):
    """Diagnose a Python function x -> number that should compute `function`."""

    def of(kernel, function, n=40):
        def launch(launcher, x, out, **arguments):
            out[0] = kernel(x)

        launcher = fake_launcher("float x", "float out", launch)
        case = whole.case("a case", torch.ones(n), function)
        return reduction.diagnose(launcher, case)

    return of


@pytest.mark.parametrize("function", [torch.sum, torch.max, torch.min])
@pytest.mark.parametrize("n", [1, 40, 4099])
def test_nothing_is_said_of_a_right_one(said, function, n):
    assert said(function, function, n) is None


@pytest.mark.parametrize("start", [0.0, -10.0, -65504.0])
def test_a_maximum_that_starts_too_high(said, start):
    sentence = said(lambda x: x.max().clamp(min=start), torch.max)
    assert f" it makes {start:.8g}: is that its start value" in sentence


def test_a_minimum_that_starts_too_low_and_a_sum_that_starts_at_one(said):
    assert "all 3e+30 it makes 1e+30: is that" in said(
        lambda x: x.min().clamp(max=1e30), min_of
    )
    assert said(lambda x: x.sum() + 1, torch.sum) == (
        "of 40 zeros it makes 1: is that its start value?"
    )


def min_of(x):
    return x.min()


def test_a_size_that_forgets_the_sign_is_another_formula(said):
    sentence = said(lambda x: x.max().clamp(min=0), lambda x: x.abs().max())
    assert sentence.endswith("it makes 0, not 3: is the formula another one?")


@pytest.mark.parametrize("function", [torch.sum, torch.max])
def test_elements_without_an_effect(said, function):
    sentence = said(lambda x: function(torch.cat([x[:8], x[16:]])), function)
    assert sentence.startswith(
        "8 of 40 elements have no effect on the result, the first is x[8]"
    )
    one = said(lambda x: function(x[1:]), function)
    assert one.startswith("an element has no effect on the result, the first is x[0]: left out")


def test_a_tail_is_one_in_a_longer_array_too(said):
    assert said(lambda x: x[: len(x) // 4 * 4].sum(), torch.sum, 43) == (
        "it is off by just the sum of the last 3 elements: is the tail left out?"
    )
    assert said(lambda x: x.sum() + x[-1], torch.sum) == (
        "it is off by just the last element: is the tail added twice?"
    )
    sentence = said(lambda x: x[:32].sum(), torch.sum)
    assert "tail" not in sentence and "the first is x[32]: left out" in sentence


def test_elements_that_count_often(said):
    sentence = said(lambda x: x.sum() + 2 * x[8:24].sum(), torch.sum)
    assert sentence.startswith("16 of 40 elements count more than once, the first is x[8], 3 t")


def test_a_factor_of_all(said):
    assert said(lambda x: x.sum() / 4, torch.sum) == (
        "each element counts 0.25 times: another factor, a formula?"
    )
    assert said(lambda x: torch.tensor(0.0), torch.sum).startswith("none of the 40 elements")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            torch.trunc,
            "of x[0] = 0.7 it makes 0: is a fraction truncated or rounded to a whole",
        ),
        (
            lambda x: x.half().float(),
            "is it computed or rounded in a narrower precision on the",
        ),
        (
            torch.abs,
            "of x[0] = -2.6 it makes 2.5999999, not -2.5999999: is the formula another",
        ),
    ],
)
@pytest.mark.parametrize("function", [torch.sum, torch.max])
def test_what_becomes_of_a_fraction(said, function, change, words):
    assert words in said(lambda x: function(change(x).clamp(-200, 2000)), function) or (
        function is torch.max
    )


@pytest.mark.parametrize("function", [torch.sum, torch.max])
def test_a_nan_is_lost(said, function):
    sentence = said(lambda x: function(x[~x.isnan()]), function)
    assert sentence == "a NaN that goes in must come out: is it compared, or skipped?"


def test_a_result_that_must_win_against_what_was_there(fake_launcher):
    def launch(launcher, x, out, **arguments):
        if x.max() > out[0]:
            out[0] = x.max()

    launcher = fake_launcher("float x", "float out", launch)
    sentence = reduction.diagnose(launcher, whole.case("", torch.ones(1), torch.max))
    assert sentence.startswith("the result is compared with what the output held before")


def test_of_a_long_array_seven_elements_are_asked_for():
    assert reduction._places(300) == list(range(300))
    assert reduction._places(1 << 25) == [
        0, 1 << 16, 1 << 20, 1 << 24, (1 << 25) - 2, (1 << 25) - 1
    ]  # fmt: skip
    places = reduction._places(4099)
    assert {0, 15, 32, 64, 1024, 4083, 4098} <= set(places) and len(places) < 110


def test_a_call_that_fails_and_a_case_of_another_kind_say_nothing(fake_launcher):
    def refuses(launcher, x, out, **arguments):
        raise CourseError("no")

    launcher = fake_launcher("float x", "float out", refuses)
    case = whole.case("", torch.ones(4), torch.sum)
    assert reduction.diagnose(launcher, case) is None
    assert math.isnan(float(torch.tensor(math.nan)))
    other = whole.Case("", (torch.ones(4),), (torch.ones(1).double(),), dtypes=(torch.float32,))
    assert reduction.diagnose(launcher, other) is None


@pytest.mark.parametrize(
    ("factor", "end"), [(1.031, "in a narrower precision on the way?"), (1.032, "another one?")]
)
def test_up_to_a_32nd_a_fraction_counts_as_imprecise(said, factor, end):
    def off(x):
        total = x.sum()
        return total if total == total.round() else total * factor

    assert said(off, torch.sum).endswith(end)


def test_the_output_holds_poison_before_a_question_or_zeros_where_it_is_asked(fake_launcher):
    held = []

    def look(launcher, x, out, **arguments):
        held.append(out.view(torch.int32).item())
        out[0] = x.sum()

    launcher = fake_launcher("float x", "float out", look)
    asked = reduction._Asked(launcher, whole.case("a case", torch.ones(3), torch.sum), 3)
    assert asked.got(asked.equal(2.0)) == asked.got(asked.equal(2.0), ZEROS) == 6.0
    assert held == [poison(torch.float32, 0), 0]
