"""Slides show headings, first sentences, pictures and short kernels; questions stand alone."""

import pytest
from nbformat.v4 import new_markdown_cell

from tools.teacher.slides import Deck, kernel_of


def titles(deck):
    return [line[3:] for line in deck.text.splitlines() if line.startswith("## ")]


def test_a_lesson_becomes_slides(lesson):
    deck = Deck(lesson())
    assert deck.text.startswith("# 01 · V1: one thread\n\n**One thread computes one element.**")
    assert titles(deck) == [
        "You will be able to",
        "Threads",
        "How many threads are idle, see here?",
        "Threads",
        "Threads",
        "k.cu",
        "What you saw",
        "Exercises",
    ]
    assert "01.1, 01.2\n\n11 minutes" in deck.text


def test_the_answer_is_not_on_the_questions_slide(lesson):
    question, answer = Deck(lesson()).slides[2:4]
    assert (question.shown, question.notes) == ([], [])
    assert answer.shown == ["Ten are idle", "- a list\n  of one"]


def test_the_first_sentences_are_shown_and_all_is_in_the_notes(lesson):
    slide = Deck(lesson()).slides[1]
    assert slide.shown == ["A thread is small. There are many."]
    assert "More follows." in slide.text.split("{revealjs-notes}")[1]
    assert "Hint" not in slide.text


def test_a_picture_has_its_words(lesson):
    deck = Deck(lesson())
    assert deck.pictures == {"01_0.png": b"PNG"}
    (shown,) = [s.shown[0] for s in deck.slides if s.shown and s.shown[0].startswith("![")]
    assert shown.endswith("](01_0.png)") and "ten (threads)" in shown


def test_of_a_file_the_kernels_are_shown(lesson):
    (slide,) = [slide for slide in Deck(lesson()).slides if slide.title == "k.cu"]
    expected = "__global__ void k(float* out) {\n    out[threadIdx.x] = 1;\n}"
    assert slide.shown == [f"```cuda\n{expected}\n```"]
    assert kernel_of("int a;\n") == "int a;"


@pytest.mark.parametrize(
    ("kind", "shown", "said"),
    [
        ("slide", True, False),
        ("notes", False, True),
        ("skip", False, False),
        ("-", False, True),
    ],
)
def test_a_cell_may_say_what_it_is(lesson, kind, shown, said):
    taught = lesson()
    text = "One. Two. Three. Four."
    told = new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})
    taught.notebook.cells.insert(1, told)
    first = Deck(taught).slides[0]
    assert (text in first.shown, text in first.notes) == (shown, said)
