"""Prepare a notebook for its page: pictures with words, CUDA as CUDA, answers folded."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode

from helpers.teach import notebooks
from helpers.teach.lessons import first_cell
from helpers.teach.site import alternatives, words
from helpers.teach.site.words import Say

WIDGET = "application/vnd.jupyter.widget-view+json"
CUDA_CELL = re.compile(r"%%writefile \S+\.cuh?\n")
# A sentence that asks the reader to predict; a heading is not yet a question.
PREDICT = re.compile(r"^(?!#)(?:.*[.:;?!] )?\**Predict\b", re.MULTILINE)
TAKES_GUESS = re.compile(r"^guesses\.take\(", re.MULTILINE)
TO_README = re.compile(r"\]\(((?:\.\./)+)README\.md")  # which is the pages' first, index.md
EXERCISES = re.compile(r"^## Exercises$", re.MULTILINE)


def prepare(notebook: NotebookNode, path: Path, say: Say = str) -> NotebookNode:
    """Change a notebook in place into what its page shows, and return it.

    path: where it lies in the course. say: translates what the page adds to the lesson's text.
    Nothing is executed; outputs stay as they are, but for widgets, which do nothing without a
    kernel.
    """
    with_machine(notebook, say)
    text = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = cell.source = TO_README.sub(r"](\1index.md", cell.source)
        else:
            prepare_code(cell, text, cell.source == first_cell(path), say)
    fold_answers(notebook, say)
    return notebook


def with_machine(notebook: NotebookNode, say: Say) -> None:
    """Say below the first cell which machine made the outputs."""
    if stamp := notebook.metadata.get("executed_on"):
        note = say(words.OUTPUTS_OF).format(machine=stamp)
        notebook.cells[0].source += f"\n\n```{{container}} outputs-of\n{note}\n```\n"


def prepare_code(cell: NotebookNode, text: str, is_first: bool, say: Say) -> None:
    """Prepare a code cell.

    text: the Markdown before it. is_first: it only finds the course.
    """
    if is_first:
        add_tag(cell, "hide-input")
    replace_widgets(cell, say)
    if any("image/png" in output.get("data", {}) for output in cell.outputs):
        settings(cell)["image"] = {"alt": alternative(cell, text)}


def alternative(cell: NotebookNode, text: str) -> str:
    """Return the text for the pictures of a cell. text: the Markdown before it."""
    own = " ".join(filter(None, map(alternatives.of_output, cell.outputs)))
    if own:
        return ": ".join(filter(None, [alternatives.drawn(cell.source), own]))
    return alternatives.of_source(cell.source) or first_sentence(text)


def first_sentence(text: str) -> str:
    """Return the first sentence of the last paragraph, without Markdown's signs."""
    paragraph = text.strip().split("\n\n")[-1]
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    return re.split(r"(?<=[.:?!])\s", re.sub(r"[*`#]", "", plain).strip())[0].rstrip(":")


def replace_widgets(cell: NotebookNode, say: Say) -> None:
    """Put one sentence in the place of a cell's widgets."""
    widgets = [output for output in cell.outputs if WIDGET in output.get("data", {})]
    if widgets:
        widgets[0].data = NotebookNode({"text/markdown": say(words.SLIDERS)})
        cell.outputs = [output for output in cell.outputs if output not in widgets[1:]]


def settings(cell: NotebookNode) -> NotebookNode:
    """Return what a cell's metadata say to myst-nb, to be changed."""
    return cell.metadata.setdefault("mystnb", NotebookNode())


def add_tag(cell: NotebookNode, tag: str) -> None:
    """Add a tag to a cell's metadata."""
    cell.metadata["tags"] = [*cell.metadata.get("tags", []), tag]


def fold_answers(notebook: NotebookNode, say: Say) -> None:
    """Fold the outputs below a question or a guess, up to the next text.

    The cell that takes the guess stays open: it prints how to guess, not the answer.
    """
    asked = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if EXERCISES.search(cell.source):
                return
            asked = bool(PREDICT.search(cell.source))
        elif TAKES_GUESS.search(cell.source):
            asked = True
        elif asked and cell.outputs:
            add_tag(cell, "hide-output")
            settings(cell)["code_prompt_show"] = say(words.SHOW_ANSWER)
            settings(cell)["code_prompt_hide"] = say(words.HIDE_OUTPUT)


def read(path: Path, say: Say = str) -> NotebookNode:
    """Read a notebook and prepare it."""
    return prepare(notebooks.read(path), path, say)
