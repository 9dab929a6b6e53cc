"""The guide has each lesson's goals, questions and mistakes, with the checker's own words."""

import pytest

from helpers import paths
from helpers.teach.exercises import EXERCISES
from helpers.teach.exercises.marking import Choice, Code, Number
from tools.teacher import guide, mistakes, reading

NUMBER = Number(
    statement="How many?",
    answer=lambda: 12,
    unit="threads",
    hint="count",
    tolerance=0,
    wrong={13: "one | too many", 12_000: ""},
)
CHOICE = Choice(
    statement="Which?",
    answer=lambda: "b",
    choices=("a", "b", "c"),
    hint="look",
    wrong={"a": "no"},
)
CODE = Code(
    statement="Write it.",
    launcher="go",
    takes=(),
    gives=(),
    reference=None,
    hint="begin",
    solution="s",
    wrong={("a[i]", "b[i]"): "WRONG", ("if (x) ", ""): "guard?", "v1_f32": "not coalesced"},
)


def test_a_wrong_number_stands_beside_what_the_checker_says_to_it():
    text = guide.exercise_section("01.1", NUMBER)
    assert "| 13 | 13 threads is not it. Hint: one \\| too many |" in text
    assert "| 12,000 | 12,000 threads is not it. Hint: count |" in text
    assert "Asked: threads, a whole number." in text


def test_every_wrong_choice_is_there_and_the_right_one_is_not():
    text = guide.exercise_section("01.1", CHOICE)
    assert "| a | 'a' is not it. Hint: no |" in text
    assert "| c | 'c' is not it. Hint: look |" in text
    assert "| b |" not in text


def test_a_wrong_kernel_is_described_by_its_change(monkeypatch):
    said = {("01.2", "`b[i]` in the place of `a[i]`"): "WRONG: one | two"}
    monkeypatch.setattr(mistakes, "recorded", lambda: said)
    text = guide.exercise_section("01.2", CODE)
    assert "says: *begin*" in text
    assert "| `b[i]` in the place of `a[i]` | WRONG: one \\| two |" in text
    assert "| without `if (x)` | guard? ... |" in text
    assert "| the kernel `v1_f32` | not coalesced ... |" in text


def test_the_file_has_what_the_checker_says_to_every_wrong_kernel():
    """The tests of the exercises compare it with what the checker says today."""
    known = {
        (name, mistakes.described(key)): words
        for name, exercise in EXERCISES.items()
        if isinstance(exercise, Code)
        for key, words in exercise.wrong.items()
    }
    assert len(known) > 80 and {*mistakes.recorded()} == {*known}
    assert all(words in mistakes.recorded()[mistake] for mistake, words in known.items())


def test_a_lessons_page(lesson):
    text = guide.lesson_page(lesson())
    assert text.startswith("# 01 · V1: one thread\n\nOne thread computes one element.\n")
    assert "- count threads\n- write a kernel\n" in text
    assert "1. How many threads are idle, see [here](02_x.ipynb)?" in text
    assert "### 01.1" in text and "### 01.2" in text


def test_links_to_other_lessons_lead_to_their_pages_or_are_words(lesson):
    assert "](02_x.ipynb)" not in guide.pages([lesson()])["lesson_01.md"]


def test_the_courses_guide_has_every_wrong_answer():
    pages = guide.pages(reading.read_all(paths.ROOT / "notebooks"))
    text = "\n".join(pages.values())
    assert {"index.md", "plans.md"} <= set(pages)
    for name, exercise in EXERCISES.items():
        assert f"### {name}\n" in text
        if isinstance(exercise, Number):
            for hint in filter(None, exercise.wrong.values()):
                assert guide.cell(hint) in text


def test_an_exercise_without_a_kernel_has_no_wrong_ones_to_judge(capsys):
    with pytest.raises(SystemExit) as stopped:
        mistakes.main(["00.1", "20.99"])
    assert stopped.value.code == 2
    assert "no exercise 20.99 that asks for a kernel" in capsys.readouterr().err
