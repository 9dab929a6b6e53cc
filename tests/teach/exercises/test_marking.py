"""How an answer is judged, whatever the exercise."""

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from helpers.errors import CheckError
from helpers.run import jit
from helpers.teach.exercises import marking, technique
from helpers.teach.exercises.marking import Choice, Code, Mark, Number

PAGES = Number(
    statement="How many pages?",
    answer=lambda: 1000,
    unit="pages",
    hint="count them",
    wrong={500: "those are the sheets"},
)
EXACT = Number(
    statement="", answer=lambda: 3, unit="books", hint="count them", tolerance=0, wrong={4: ""}
)
TIME = Number(statement="", answer=lambda: 5.0, unit="us", hint="divide")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1000, "right: 1,000 pages"),
        (990.5, "right: 990.5 pages"),
        (np.int64(1009), "right: 1,009 pages"),
        (Decimal("1000.5"), "right: 1,000.5 pages"),
        (989, "989 pages is not it. Hint: close, but more than 1% away; count them"),
        (1011.5, "1,011.5 pages is not it. Hint: close, but more than 1% away; count them"),
        (1200, "1,200 pages is not it. Hint: count them"),
        (500, "500 pages is not it. Hint: those are the sheets"),
        (-1000, "-1,000 pages is not it. Hint: its sign is wrong; count them"),
        (float("nan"), "nan pages is not it. Hint: count them"),
        (float("inf"), "inf pages is not it. Hint: count them"),
        (10**400, "about 10^400 pages is not it. Hint: count them"),
        (True, "the answer must be a number (pages, to 1%), not bool"),
        (
            "1000",
            "the answer must be a number (pages, to 1%), not the text '1000': write it alone, "
            "without quotes and without its unit",
        ),
        (
            (1, 000),
            "the answer must be a number (pages, to 1%), not a tuple: write thousands without "
            "a comma, which makes a tuple",
        ),
    ],
)
def test_a_number_is_right_to_one_per_cent(given, message):
    mark = PAGES.judge(given)
    assert (mark.right, mark.message) == (message.startswith("right"), message)


def test_a_number_in_another_unit_is_told_so():
    assert TIME.judge(0.005).hint == "that is in ms; us were asked"


@pytest.mark.parametrize("given", [3, 3.0, np.float32(3), 2.9999999999, 3.0000000001])
def test_what_is_counted_is_right_as_any_whole_number(given):
    assert EXACT.judge(given).message == "right: 3 books"


@pytest.mark.parametrize("given", [3.000001, 2.5, 3.00001])
def test_a_fraction_of_what_is_counted_is_told_so(given):
    message = EXACT.judge(given).message
    assert message == f"a whole number is asked (books), not {given}. Hint: count them"


def test_a_wrong_answer_without_its_own_hint_gets_the_exercises():
    assert EXACT.judge(4) == Mark(False, "4 books is not it. Hint: count them", "count them")
    assert EXACT.judge("4").message.startswith(
        "the answer must be a number (books, a whole number), not"
    )


def test_brackets_of_a_unit_do_not_stand_in_brackets():
    number = Number(statement="", answer=lambda: 2, unit="(a half)", hint="", tolerance=0)
    assert number.judge([]).message.startswith("the answer must be a number (a half, a whole")
    assert number.judge(2).message == "right: 2 (a half)"


def test_rounding_is_no_whole_number_of_its_own():
    large = Number(statement="", answer=lambda: 2**31 + 1, unit="", hint="", tolerance=0)
    assert large.judge(float(2**31 + 1)).right
    assert not large.judge(float(2**31)).right
    assert not large.judge(2**31 + 1.4).right


@pytest.mark.parametrize("exercise", [PAGES, EXACT])
def test_the_answer_is_no_attribute(exercise):
    assert not hasattr(exercise, "answer")
    assert "1000" not in repr(exercise) and "answer=" not in repr(exercise)


WORD = Choice(
    statement="",
    answer=lambda: "sum_two_pass",
    choices=("sum_atomic", "sum_two_pass"),
    hint="think",
    wrong={"sum_atomic": "by order"},
)


@pytest.mark.parametrize(
    "given",
    ["sum_two_pass", " Sum_Two_Pass ", "sum two pass", "sum-two-pass.", '"sum_two_pass"'],
)
def test_a_word_is_right_in_any_spelling(given):
    assert WORD.judge(given) == Mark(True, "right: sum_two_pass")


def test_a_wrong_choice_gets_its_hint():
    message = "'sum_atomic' is not it. Hint: by order"
    assert WORD.judge("Sum atomic") == Mark(False, message, "by order")


@pytest.mark.parametrize("given", ["sum_two_pas", "sum_2_pass", "two_pass"])
def test_a_near_miss_is_asked_what_it_means(given):
    assert WORD.judge(given).message == (
        f"{given!r} is not one of the answers. Did you mean 'sum_two_pass'? "
        "Choose from: 'sum_atomic', 'sum_two_pass'"
    )


@pytest.mark.parametrize("given", ["", "poison", 0, [], float("nan"), True])
def test_anything_else_lists_the_choices(given):
    assert WORD.judge(given).message == (
        f"{given!r} is not one of the answers. Choose from: 'sum_atomic', 'sum_two_pass'"
    )


def code(reference=torch.add, **options):
    fields = {
        "statement": "",
        "launcher": "add",
        "takes": ("float32", "float32"),
        "gives": ("float32",),
        "solution": "",
        "hint": "start from V1",
        "technique": (),
        **options,
    }
    return Code(reference=reference, **fields)


@pytest.fixture(scope="module")
def v1():
    return jit.load("v1_f32")


@pytest.fixture
def verdicts(monkeypatch):
    """Let `check.verdict` note what it is asked, and trace nothing; returns the notes."""
    asked = []

    def verdict(*arguments, **options):
        asked.append((arguments, options))
        return SimpleNamespace(ok=True, message="right in 3 cases")

    monkeypatch.setattr(marking.check, "verdict", verdict)
    monkeypatch.setattr(marking.technique, "seen", lambda launcher: launcher)
    return asked


def test_a_kernel_is_compared_with_the_reference(v1, monkeypatch):
    monkeypatch.setattr(marking.technique, "seen", lambda launcher: launcher)
    assert code(lambda a, b: a + b).judge(v1).right
    wrong = code(lambda a, b: a * b).judge(v1)
    assert not wrong.right and wrong.hint == "start from V1"
    assert wrong.message.startswith("WRONG")
    assert wrong.message.endswith("\n    Hint: start from V1")


def test_the_checker_gets_the_exercises_reference_ulp_and_cases(v1, verdicts):
    assert code(torch.mul, ulp=2).judge(v1) == Mark(True, "right in 3 cases")
    code(torch.mul, cases=len).judge(v1)
    assert verdicts == [((v1, torch.mul), {"ulp": 2}), ((v1,), {"cases": len})]


def test_only_the_launcher_that_fits_is_tried(verdicts):
    halves = {"takes": ("float16",) * 2, "gives": ("float16",)}
    assert code(torch.add, **halves).judge(jit.load("v3_f16")).right
    assert verdicts[0][1] == {"ulp": 0, "only": "add"}


def test_other_dtypes_are_named(v1, verdicts):
    mark = code(takes=("float16",)).judge(v1)
    assert not mark.right and not verdicts
    assert mark.message.startswith(
        "v1_f32 does not take what is asked: `add` of float16 -> float32; it has `add` of "
        "float32, float32 -> float32"
    )


@pytest.mark.parametrize("error", [CheckError, ValueError, TypeError, RuntimeError])
def test_a_kernel_that_cannot_be_tried_is_no_traceback(v1, monkeypatch, error):
    def verdict(*arguments, **options):
        raise error("add needs k")

    monkeypatch.setattr(marking.check, "verdict", verdict)
    message = code().judge(v1).message
    assert message.startswith("v1_f32 cannot be tried as the exercise asks: add needs k\n")


def test_right_results_by_another_technique_are_not_right(v1, verdicts):
    assert code(technique=(lambda seen: "",)).judge(v1).right
    mark = code(technique=(lambda seen: "", lambda seen: f"{seen.__name__} is slow")).judge(v1)
    assert not mark.right
    assert mark.message == ("the results are right, but add is slow\n    Hint: start from V1")


def test_where_nothing_can_be_traced_the_results_decide(v1, verdicts, monkeypatch):
    monkeypatch.setattr(technique, "impossible", lambda: True)
    assert code(technique=(lambda seen: "slow",)).judge(v1) == Mark(
        True, "right in 3 cases; not tried: how it does it (no trace here)"
    )


@pytest.mark.parametrize("error", [CheckError, ValueError, TypeError, OSError])
def test_a_trace_that_fails_passes_no_kernel(v1, verdicts, monkeypatch, error):
    def seen(launcher):
        raise error("killed")

    monkeypatch.setattr(technique, "seen", seen)
    assert code(technique=(lambda seen: "",)).judge(v1) == Mark(
        False,
        "the results are right, but how the kernel gets them could not be judged: killed. Run "
        "the cell again",
    )
    assert code(technique=()).judge(v1).right  # nothing is asked of it


def test_what_is_not_a_kernel_is_told_what_to_pass(v1):
    for given, words in {
        torch.add: "what jit.load returns, not builtin_function_or_method",
        "mine/x.cu": "load the file first, and pass what that returns: jit.load('mine/x.cu')",
        "x" * 10**6: "load the file first, and pass what that returns: jit.load(...)",
        v1.add: "pass the kernel itself",
        7: "what jit.load returns, not int",
    }.items():
        mark = code().judge(given)
        assert not mark.right and words in mark.message
