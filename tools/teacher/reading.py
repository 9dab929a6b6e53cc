"""Read from a lesson what a teacher needs: times, questions, exercises, and what to show.

Everything is found by a notebook's structure (headings, cells that mark, outputs), so that a
lesson that is rewritten needs no change here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from helpers.teach import exercises, lessons, notebooks
from helpers.teach.exercises.marking import Code

# Estimates, where a lesson's table does not say how many of its minutes are exercises.
MINUTES_A_QUESTION = 3
MINUTES_A_KERNEL = 8
MOST_QUESTIONS = 10
LEAST_WORDS = 4  # of a question for the room
MARKS = re.compile(r"exercises\.mark\(\s*[\"'](\d\d\.\d+)[\"']")
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
CODE_IN_TEXT = re.compile(r"^(?:```.*?^```|    .*?)$", re.DOTALL | re.MULTILINE)
STATEMENT = re.compile(r"^\*\*\d+\.\*\* .*", re.MULTILINE | re.DOTALL)
EXERCISES = re.compile(r"^## Exercises$", re.MULTILINE)
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
ENDS = re.compile(r"^## (?:What you saw|Key points|Exercises)$", re.MULTILINE)


@dataclass(frozen=True)
class Taught:
    """A lesson as a teacher sees it. teaching, practice: minutes."""

    lesson: lessons.Lesson
    notebook: NotebookNode
    path: Path
    exercises: tuple[str, ...]
    teaching: int
    practice: int

    @property
    def number(self) -> str:
        """The two digits that begin the file's name."""
        return self.lesson.number

    @cached_property
    def words(self) -> dict[str, int]:
        """The words of each section by its heading, as `sections` counts them."""
        return sections(self.notebook)

    def having(self, titles: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the headings that the lesson has."""
        return tuple(title for title in titles if title in self.words)

    def minutes_of(self, titles: tuple[str, ...]) -> int:
        """Estimate the minutes of teaching the opening and some sections, by their words."""
        taught = sum(self.words[title] for title in ("", *titles))
        return round(self.teaching * taught / sum(self.words.values()))


def marked(notebook: NotebookNode) -> tuple[str, ...]:
    """Return the exercises that a notebook's cells mark, in order."""
    found = [name for c in notebooks.code_cells(notebook) for name in MARKS.findall(c.source)]
    return tuple(dict.fromkeys(found))


def practice_minutes(names: tuple[str, ...], minutes: int) -> int:
    """Estimate the minutes of a lesson's exercises: at most half of the lesson's."""
    asked = [exercises.EXERCISES.get(name) for name in names]
    kernels = sum(isinstance(exercise, Code) for exercise in asked)
    estimate = MINUTES_A_KERNEL * kernels + MINUTES_A_QUESTION * (len(asked) - kernels)
    return min(estimate, minutes // 2)


def read(path: Path) -> Taught:
    """Read a lesson."""
    lesson, notebook = lessons.read_lesson(path), notebooks.read(path)
    names = marked(notebook)
    practice = lesson.exercise_minutes
    if practice is None:
        practice = practice_minutes(names, lesson.minutes)
    return Taught(lesson, notebook, path, names, lesson.minutes - practice, practice)


def read_all(folder: Path) -> list[Taught]:
    """Read every lesson of a folder that has exercises, in order."""
    found = [read(folder / lesson.file) for lesson in lessons.read_lessons(folder)]
    return [taught for taught in found if taught.exercises]


def sections(notebook: NotebookNode) -> dict[str, int]:
    """Count the words of each section, code included, up to the lesson's summary.

    The opening's title is "". What is folded does not count.
    """
    counted, title = {"": 0}, ""
    for cell in notebook.cells:
        pieces = [cell.source]
        if cell.cell_type == "markdown":
            end = ENDS.search(cell.source)
            pieces = SECTION.split(
                FOLDED.sub("", cell.source[: end.start()] if end else cell.source)
            )
        counted[title] += len(pieces[0].split())
        for title, text in zip(pieces[1::2], pieces[2::2], strict=True):
            counted[title] = counted.get(title, 0) + len(text.split())
        if cell.cell_type == "markdown" and end:
            break
    return counted


def plain(text: str) -> str:
    """Return a Markdown cell's running text: no folded parts, code, statements of exercises."""
    return STATEMENT.sub("", CODE_IN_TEXT.sub("", FOLDED.sub("", text)))


def questions(notebook: NotebookNode) -> list[str]:
    """Return what a lesson asks before it answers: for the room, in the lesson's order.

    These are the sentences that end in a question mark or ask to predict, up to the lesson's
    summary; at most MOST_QUESTIONS.
    """
    found = []
    for cell in notebook.cells[1:]:
        if cell.cell_type != "markdown":
            continue
        end = ENDS.search(cell.source)
        found += _asked(cell.source[: end.start()] if end else cell.source)
        if end:
            break
    return list(dict.fromkeys(found))[:MOST_QUESTIONS]


def _asked(text: str) -> list[str]:
    lines = [line for line in plain(text).split("\n\n") if not line.lstrip().startswith("#")]
    sentences = [
        sentence.strip()
        for paragraph in lines
        for sentence in re.split(r"(?<=[.?!:])\s+(?=[A-Z*`])", " ".join(paragraph.split()))
    ]
    return [s for s in sentences if _is_question(s)]


def _is_question(sentence: str) -> bool:
    """Tell whether a sentence can be asked alone: not "How far?", not how to use a cell."""
    if sentence.startswith(("|", "-", "#", "[")) or "`None`" in sentence:
        return False
    if len(sentence.split()) < LEAST_WORDS:
        return False
    return sentence.endswith("?") or bool(re.match(r"\**Predict\b.{20,}", sentence))
