"""What a teacher needs is read from a lesson by its structure."""

import pytest

from helpers import paths
from helpers.teach.exercises import EXERCISES
from tools.teacher import reading


def test_exercises_are_the_ones_that_are_marked_in_order(lesson):
    assert lesson().exercises == ("01.1", "01.2")


@pytest.mark.parametrize(
    ("time", "teaching", "practice"),
    [
        ("30 minutes", 19, 11),  # a question and a kernel: 3 + 8
        ("20 minutes", 10, 10),  # at most half
        ("30 minutes, 20 of them for the exercises", 10, 20),
        ("30 minutes, 0 of them for the exercises", 30, 0),
    ],
)
def test_times_are_the_tables_or_estimated(lesson, time, teaching, practice):
    taught = lesson(time)
    assert (taught.teaching, taught.practice) == (teaching, practice)


def test_questions_are_those_before_the_summary_and_not_the_hints(lesson):
    assert reading.questions(lesson().notebook) == [
        "How many threads are idle, see [here](02_x.ipynb)?"
    ]


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("What does it cost?", True),
        ("How far?", False),
        ("Predict first: put a number in the place of `None`.", False),
        ("Predict the time of the next size.", True),
        ("**Predict** the time of the next size:", True),
        ("Predicted is less than that, by far.", False),
        ("Predict", False),
        ("It costs nothing.", False),
        ("- Was it 10?", False),
        ("| why? |", False),
    ],
)
def test_what_counts_as_a_question(sentence, is_one):
    assert reading._is_question(sentence) is is_one


def test_sections_are_counted_in_words_without_what_is_folded_up_to_the_summary(lesson):
    taught = lesson("30 minutes, 10 of them for the exercises")
    words = reading.sections(taught.notebook)
    assert list(words) == ["", "Threads"]
    folded = "Hint"
    assert folded in "".join(cell.source for cell in taught.notebook.cells)
    opening = len(taught.notebook.cells[0].source.split()) + 1  # and course.enter()
    assert words[""] == opening
    shown = "A thread is small. There are many. More follows."
    shown += " How many threads are idle, see [here](02_x.ipynb)?"
    after = [cell.source for cell in taught.notebook.cells[3:7]]
    assert words["Threads"] == len(shown.split()) + sum(len(text.split()) for text in after)
    assert taught.minutes_of(("Threads",)) == taught.teaching == 20
    assert taught.minutes_of(()) == round(20 * opening / sum(words.values()))
    assert taught.having(("Thrds", "Threads")) == ("Threads",)


def test_every_exercise_of_the_course_stands_in_a_lesson():
    taught = reading.read_all(paths.ROOT / "notebooks")
    assert sorted(name for t in taught for name in t.exercises) == sorted(EXERCISES)
    for lesson in taught:
        assert lesson.teaching + lesson.practice == lesson.lesson.minutes
        assert lesson.teaching >= lesson.practice
        assert len(reading.questions(lesson.notebook)) <= reading.MOST_QUESTIONS
