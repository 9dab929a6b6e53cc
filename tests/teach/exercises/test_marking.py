"""How an answer is judged, whatever the exercise."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from helpers.run import jit
from helpers.teach import exercises
from helpers.teach.exercises import marking
from helpers.teach.exercises.marking import Choice, Code, Number

PAGES = Number(answer=lambda: 1000, unit="pages", hint="count them")
EXACT = Number(answer=lambda: 3, unit="books", hint="count them", tolerance=0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1000, "right: 1,000 pages"),
        (990.5, "right: 990.5 pages"),
        (np.int64(1009), "right: 1,009 pages"),
        (989, "989 pages is not it. Hint: count them"),
        (1011.5, "1,011.5 pages is not it. Hint: count them"),
        (-1000, "-1,000 pages is not it. Hint: count them"),
        (float("nan"), "nan pages is not it. Hint: count them"),
        (float("inf"), "inf pages is not it. Hint: count them"),
        (True, "the answer must be a number (pages), not bool"),
        ("1000", "the answer must be a number (pages), not str"),
    ],
)
def test_a_number_is_right_to_one_per_cent(given, message):
    assert PAGES.judge(given) == (message.startswith("right"), message)


@pytest.mark.parametrize(("given", "right"), [(3, True), (3.0, True), (3.000001, False)])
def test_what_is_counted_has_no_tolerance(given, right):
    assert EXACT.judge(given).right is right


@pytest.mark.parametrize(
    ("given", "right"), [("poison", True), (" Poison ", True), ("po", False)]
)
def test_a_word_is_right_in_capitals_too(given, right):
    mark = Choice(answer=lambda: "Poison", hint="think").judge(given)
    assert mark == (right, "right: Poison" if right else f"{given!r} is not it. Hint: think")


def test_a_number_is_a_wrong_answer_where_a_word_is_asked():
    assert (
        Choice(answer=lambda: "no", hint="think").judge(0).message == "0 is not it. Hint: think"
    )


def test_a_kernel_is_compared_with_the_reference():
    kernel = jit.load("v1_f32")
    assert Code(reference=lambda a, b: a + b, hint="start").judge(kernel).right
    wrong = Code(reference=lambda a, b: a * b, hint="start from V1").judge(kernel)
    assert not wrong.right
    assert wrong.message.endswith("\n    Hint: start from V1")


def test_the_checker_gets_the_exercises_reference_ulp_and_cases(monkeypatch):
    asked = []

    def verdict(*arguments, **options):
        asked.append((arguments, options))
        return SimpleNamespace(ok=True, message="right in 3 cases")

    monkeypatch.setattr(marking.check, "verdict", verdict)
    kernel = jit.load("v1_f32")
    mark = Code(reference=torch.mul, hint="", ulp=2).judge(kernel)
    assert mark == (True, "right in 3 cases")
    Code(reference=torch.mul, hint="", cases=len).judge(kernel)
    assert asked == [((kernel, torch.mul), {"ulp": 2}), ((kernel,), {"cases": len})]


def test_what_is_not_a_kernel_is_said():
    mark = Code(reference=torch.add, hint="").judge(torch.add)
    assert mark == (
        False,
        "the answer must be what jit.load returns, not builtin_function_or_method",
    )


def test_mark_prints_one_line(capsys):
    exercises.mark("01.1", None)
    exercises.mark("01.1", 189)
    assert capsys.readouterr().out == "01.1: not answered yet\n01.1: right: 189 idle threads\n"


def test_an_unknown_exercise_names_those_there_are():
    with pytest.raises(KeyError, match=r"no exercise '99.1'; there are 00.1, 00.2, .*19.4"):
        exercises.mark("99.1", 1)
