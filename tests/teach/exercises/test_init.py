"""`mark` prints one line, returns the mark, and records it where a folder is named."""

from dataclasses import replace
from datetime import datetime

import pytest

from helpers import paths, progress
from helpers.errors import CourseError, UnknownNameError
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.teach import exercises
from helpers.teach.exercises.marking import Mark


def test_mark_prints_one_line_and_returns_the_mark(capsys):
    first = exercises.mark("00.2", None)
    second = exercises.mark("00.2", 3907)
    assert capsys.readouterr().out == "00.2: not answered yet\n00.2: right: 3,907 blocks\n"
    assert (first.right, first.message, first.exercise) == (False, "not answered yet", "00.2")
    assert (second.right, second.hint, second.exercise) == (True, "", "00.2")
    assert datetime.fromisoformat(second.time).utcoffset().total_seconds() == 0


def test_a_mark_shows_nothing_more_at_the_end_of_a_cell(capsys):
    Mark(True, "right")._ipython_display_()
    assert capsys.readouterr().out == ""


def test_answers_are_recorded_and_what_was_not_answered_is_not(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ELEMENTWISE_MARKS", str(tmp_path))
    for answer in (None, 3906, 3907):
        exercises.mark("00.2", answer)
    marks = progress.read(tmp_path)
    assert [(m["exercise"], m["right"]) for m in marks] == [("00.2", False), ("00.2", True)]
    assert marks[0]["hint"].startswith("so many blocks are full")


def test_a_file_as_the_lesson_gives_it_is_not_answered_yet(tmp_path, monkeypatch, capsys):
    """Neither a hint nor a record; a comment or a space more does not make it an answer."""
    monkeypatch.setenv("ELEMENTWISE_MARKS", str(tmp_path))
    given = replace(exercises.EXERCISES["05.4"], as_given="out[i] = a[i] - b[i];")
    monkeypatch.setitem(exercises.EXERCISES, "05.4", given)
    text = (paths.KERNELS / "v1_f32.cu").read_text(encoding="utf-8")
    path = tmp_path / "mine.cu"
    path.write_text(text.replace("= a[i] + b[i]", "=  a[i] /* here */ - b[i]"), "utf-8")
    mark = exercises.mark("05.4", jit.load(path))
    assert (mark.right, mark.hint) == (False, "")
    said = "05.4: not answered yet: mine.cu is still as the lesson gives it\n"
    assert capsys.readouterr().out == said
    assert progress.read(tmp_path) == []
    path.write_text(text, encoding="utf-8")
    assert "does not take what is asked" in exercises.mark("05.4", jit.load(path)).message
    assert len(progress.read(tmp_path)) == 1


def test_a_file_of_which_one_of_two_parts_was_changed_is_an_answer():
    given = exercises.EXERCISES["00.4"]
    kernel = Kernel.__new__(Kernel)
    kernel.text = "blocks = n / block_size; threadIdx.x; out[i] = -x[i];"
    assert given.untouched(kernel)
    for part in (("n / b", "(n + b - 1) / b"), ("out", "if (i < n) out")):
        kernel.text = "blocks = n / block_size; threadIdx.x; out[i] = -x[i];".replace(*part)
        assert not given.untouched(kernel)


def test_a_grader_is_told_the_last_mark(monkeypatch, capsys):
    monkeypatch.setattr(exercises, "_last", {})
    with pytest.raises(CourseError, match=r"00\.2 was not marked"):
        exercises.require("00.2")
    for answer, words in ((None, "00.2: not answered yet"), (3906, "3,906 blocks is not it")):
        exercises.mark("00.2", answer)
        with pytest.raises(CourseError, match=words):
            exercises.require("00.2")
    right = exercises.mark("00.2", 3907)
    assert exercises.require("00.2") is right


@pytest.mark.parametrize("name", ["99.1", 1.1, None, []])
def test_an_unknown_exercise_names_those_there_are(name):
    with pytest.raises(UnknownNameError, match=r"no exercise .*; there are .*19.8") as caught:
        exercises.mark(name, 1)
    assert str(caught.value).startswith("no exercise ")  # not in quotation marks
    assert "; there are 00.1, 00.2, " in str(caught.value)


def test_a_kernel_of_another_exercise_is_told_so(capsys):
    mark = exercises.mark("14.5", jit.load("v1_f32"))
    assert not mark.right
    assert mark.message.endswith("\n    Is this your kernel for 02.3?")
