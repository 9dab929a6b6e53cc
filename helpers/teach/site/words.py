"""The words that the pages add to the lessons' texts, and their translation.

A language's words stand in docs/translations/LANGUAGE/site.po: the pages' own, and those of the
theme that Sphinx's translations lack.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from babel.messages.mofile import write_mo

from helpers.teach import translation

Say = Callable[[str], str]

LESSONS = "Lessons"
MORE = "More"
SOLUTIONS = "Solutions"
TRY_FIRST = "Try an exercise yourself before you read its solution."
OUTPUTS_OF = "Outputs on this page: {machine}."
SHOW_SOURCE = "Show the source"
HIDE_SOURCE = "Hide the source"
SHOW_ANSWER = "Predict, then show the output"
HIDE_OUTPUT = "Hide the output"
SLIDERS = (
    "Sliders and a picture that follows them: open this lesson in JupyterLab (`make lab`)."
)
OWN = (
    LESSONS,
    MORE,
    SOLUTIONS,
    TRY_FIRST,
    OUTPUTS_OF,
    SHOW_SOURCE,
    HIDE_SOURCE,
    SHOW_ANSWER,
    HIDE_OUTPUT,
    SLIDERS,
)
OF_THEME = (
    "Back to top",
    "Home",
    "Link to this heading",
    "Made with ",
    "Next",
    "On this page",
    "Previous",
    "Skip to content",
)


def catalogue(language: str) -> Path:
    """Return the file of a language's words."""
    return translation.path_of(language, translation.SITE)


def sayer(language: str) -> Say:
    """Return a function that translates a word; one without a translation stays English."""
    path = catalogue(language)
    if not path.exists():
        return str
    words = translation.read(path)

    def say(word: str) -> str:
        message = words.get(word)
        return str(message.string) if message and message.string else word

    return say


def write_for_sphinx(language: str, folder: Path) -> None:
    """Write a language's words into `folder`, one of Sphinx's `locale_dirs`."""
    if catalogue(language).exists():
        compiled = folder / language / "LC_MESSAGES" / "sphinx.mo"
        compiled.parent.mkdir(parents=True, exist_ok=True)
        with compiled.open("wb") as file:
            write_mo(file, translation.read(catalogue(language)))
