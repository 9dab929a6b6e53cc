"""Make slides of a lesson: what stands on the screen while the teacher speaks.

A slide for each heading, with the section's first sentences, its lists and tables, its picture,
and its kernel if that is short; each question stands alone, before its answer. The section's
whole text is in the speaker's notes (press S). A cell whose metadata have
`slideshow.slide_type` says itself what it is: "slide" or "subslide" (all of it, as one slide),
"skip" or "notes".
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field

from nbformat import NotebookNode

from helpers.teach.site import pages
from tools.teacher.reading import EXERCISES, FOLDED, Taught, plain, questions

LONGEST_CODE = 22  # lines that can be read from the last row
SENTENCES = 2
HEADING = re.compile(r"^(##+) (.+)$", re.MULTILINE)
LISTED = re.compile(r"(?:^(?:[-*] |\||\d+\. ).*\n?(?:^  .*\n?)*)+", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\((?!\w+:)[^)]*\)")
SENTENCE_ENDS = re.compile(r"(?<=[.?!:])\s+(?=[A-Z*`])")


@dataclass
class Slide:
    """One slide: a title, what stands below it, and what only the speaker sees."""

    title: str
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_whole: bool = False  # shown without anything below its title

    @property
    def text(self) -> str:
        """The slide's source."""
        said = "\n\n".join(self.notes)
        hidden = [f"````{{revealjs-notes}}\n{said}\n````"] if said else []
        return "\n\n".join([f"## {self.title}", *self.shown, *hidden])


class Deck:
    """The slides of one lesson, and their pictures by file name."""

    def __init__(self, taught: Taught):
        self.number = taught.number
        self.heading, self.claim = taught.lesson.heading, taught.lesson.claim
        self.pictures: dict[str, bytes] = {}
        self.asked = questions(taught.notebook)
        goals = "\n".join(f"- {goal}" for goal in taught.lesson.goals)
        self.slides = [Slide("You will be able to", [goals])]
        for cell in taught.notebook.cells[1:]:
            end = EXERCISES.search(cell.source) if cell.cell_type == "markdown" else None
            self._add(cell, cell.source[: end.start()] if end else cell.source)
            if end:
                break
        asked = f"{', '.join(taught.exercises)}\n\n{taught.practice} minutes"
        self.slides.append(Slide("Exercises", [asked]))

    @property
    def text(self) -> str:
        """The source of all slides, in MyST Markdown; those that would be empty left out."""
        kept = [slide.text for slide in self.slides if slide.shown or slide.is_whole]
        return "\n\n".join([f"# {self.heading}\n\n**{self.claim}**", *kept]) + "\n"

    def _add(self, cell: NotebookNode, source: str) -> None:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "")
        if kind == "skip":
            return
        if kind == "notes":
            self.slides[-1].notes.append(source)
        elif cell.cell_type == "markdown":
            self._add_words(source, whole=kind in ("slide", "subslide"))
        else:
            self._add_code(cell)

    def _add_words(self, source: str, whole: bool) -> None:
        pieces = HEADING.split(LINK.sub(r"\1", FOLDED.sub("", source)))
        self._say(pieces[0], whole)
        for title, body in zip(pieces[2::3], pieces[3::3], strict=True):
            self.slides.append(Slide(title))
            self._say(body, whole)

    def _say(self, text: str, whole: bool) -> None:
        """Add a section's words: first sentences and lists; then its questions, each alone."""
        slide = self.slides[-1]
        running = " ".join(plain(LISTED.sub("", text)).split())
        asked = []
        while self.asked and (question := LINK.sub(r"\1", self.asked[0])) in running:
            asked.append(question)
            self.asked.pop(0)
        if whole:
            slide.shown.append(text.strip())
        elif text.strip():
            told = [s for s in SENTENCE_ENDS.split(running) if s and s not in asked]
            if not slide.shown and told:
                slide.shown.append(" ".join(told[:SENTENCES]).rstrip(":"))
            slide.shown += [found.strip() for found in LISTED.findall(text)]
            slide.notes.append(text.strip())
        for question in asked:
            self.slides.append(Slide(question, is_whole=True))
        if asked:
            self.slides.append(Slide(slide.title))

    def _add_code(self, cell: NotebookNode) -> None:
        if pages.CUDA_CELL.match(cell.source):
            first, _, code = cell.source.partition("\n")
            shown, title = kernel_of(code), self.slides[-1].title
            if shown.count("\n") < LONGEST_CODE:
                self.slides.append(Slide(first.split("/")[-1], [f"```cuda\n{shown}\n```"]))
                self.slides.append(Slide(title))
        for output in cell.outputs:
            if png := output.get("data", {}).get("image/png"):
                name = f"{self.number}_{len(self.pictures)}.png"
                self.pictures[name] = base64.b64decode(png)
                alt = " ".join(pages.alternative(cell, "").split()) or "a picture of the lesson"
                shown = f"![{alt.replace('[', '(').replace(']', ')')}]({name})"
                self.slides.append(Slide(self.slides[-1].title, [shown]))
                return


def kernel_of(code: str) -> str:
    """Return the kernels of a file, without includes and launchers."""
    found = re.findall(r"^(?:template.*\n)?__global__.*?^}$", code, re.DOTALL | re.MULTILINE)
    return "\n\n".join(found) or code.strip()
