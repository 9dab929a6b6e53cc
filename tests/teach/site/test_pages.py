"""A notebook becomes what its page shows."""

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.teach import lessons, notebooks
from helpers.teach.site import pages, words

LESSON = Path("notebooks", "00_a.ipynb")
PICTURE = {"image/png": "", "text/plain": "<Figure>"}


def printed(text="42\n"):
    return new_output("stream", text=text)


def shown(*cells, **metadata):
    """Return the cells of the page of a notebook that begins with a heading."""
    heading = new_markdown_cell("# 00 · A")
    notebook = new_notebook(cells=[heading, *cells], metadata=metadata)
    return pages.prepare(notebook, LESSON).cells


def test_the_machine_stands_below_the_opening():
    opening = shown(executed_on="NVIDIA H200, torch 2.11")[0].source
    assert opening.startswith("# 00 · A\n\n```{container}")
    assert "Outputs on this page: NVIDIA H200, torch 2.11." in opening
    assert shown()[0].source == "# 00 · A"


def test_links_to_the_readme_lead_to_the_first_page():
    cell = shown(new_markdown_cell("[A](../README.md#a), [B](../../README.md), [C](README.md)"))
    assert cell[1].source == "[A](../index.md#a), [B](../../index.md), [C](README.md)"


def test_the_cell_that_finds_the_course_is_folded():
    first, other = shown(new_code_cell(lessons.first_cell(LESSON)), new_code_cell("1"))[1:]
    assert first.metadata.tags == ["hide-input"]
    assert "tags" not in other.metadata


@pytest.mark.parametrize(
    ("words", "folded"),
    [
        ("Predict: how many?", True),
        ("It has two. Predict the loads, then look:", True),
        ("One line.\n**Predict** the next.", True),
        ("## Predict\n\nFour numbers:", False),
        ("What we predicted. Predicted beside measured:", False),
        ("They say: predict nothing.", False),
    ],
)
def test_the_output_below_a_question_is_folded(words, folded):
    cells = shown(
        new_markdown_cell(words),
        new_code_cell("x = 1"),
        new_code_cell("print(x)", outputs=[printed()], metadata={"tags": ["a"]}),
        new_markdown_cell("So it is."),
        new_code_cell("print(x)", outputs=[printed()]),
    )
    assert cells[3].metadata.tags == ["a", "hide-output"] if folded else ["a"]
    assert ("mystnb" in cells[3].metadata) == folded
    assert "tags" not in cells[2].metadata
    assert "tags" not in cells[5].metadata


def test_the_answer_to_a_guess_is_folded_and_the_guess_is_not():
    takes = 'from helpers import guesses\n\nguesses.take("loads", None)'
    taken, compared, more, _, after = shown(
        new_code_cell(takes, outputs=[printed("no guess yet")]),
        new_code_cell('guesses.compare("loads", 2)', outputs=[printed("measured 2")]),
        new_code_cell("print(2)", outputs=[printed("2")]),
        new_markdown_cell("So it is."),
        new_code_cell("print(3)", outputs=[printed("3")]),
    )[1:]
    assert "tags" not in taken.metadata
    assert compared.metadata.tags == more.metadata.tags == ["hide-output"]
    assert "tags" not in after.metadata


def test_below_the_exercises_nothing_is_folded():
    exercise = new_markdown_cell("## Exercises\n\n**1.** Count.")
    asks = new_markdown_cell("**2.** Predict, in bytes:")
    asked = shown(exercise, asks, new_code_cell("mark()", outputs=[printed()]))[-1]
    assert "tags" not in asked.metadata


def test_widgets_give_way_to_a_sentence():
    slider = {pages.WIDGET: {"model_id": "1"}, "text/plain": "IntSlider(value=1)"}
    outputs = [printed(), *(new_output("display_data", dict(slider)) for _ in range(3))]
    cell = shown(new_code_cell("display(*controls)", outputs=outputs))[1]
    assert [output.output_type for output in cell.outputs] == ["stream", "display_data"]
    assert cell.outputs[1].data == {"text/markdown": words.SLIDERS}


@pytest.mark.parametrize(
    ("metadata", "source", "words"),
    [
        ({"image/png": {"alt": "six bars"}}, 'plots.new("Adds")', "six bars"),
        (
            {"image/png": {"alt": "x: sectors"}},
            "plots.sector_map(axes, grid)",
            "one request of a warp: a row for each lane, a column for each 32-byte sector: "
            "x: sectors",
        ),
        ({}, 'plots.new("Adds")', "Adds"),
        ({}, "draw()", "Both cards, as lesson 00 has them"),
    ],
)
def test_a_picture_has_a_text(metadata, source, words):
    before = "They differ.\n\n**Both** cards, as [lesson 00](00_a.ipynb) has them: see."
    picture = new_output("display_data", dict(PICTURE), metadata=metadata)
    cell = shown(new_markdown_cell(before), new_code_cell(source, outputs=[picture]))[2]
    assert cell.metadata.mystnb.image.alt == words


def test_every_committed_picture_has_a_text():
    without = []
    for path in notebooks.find():
        for cell in notebooks.code_cells(pages.read(path)):
            if any("image/png" in output.get("data", {}) for output in cell.outputs):
                if len(cell.metadata.mystnb.image.alt) < 15:
                    without.append((path.name, cell.source[:60]))
    assert not without


@pytest.mark.parametrize(
    ("source", "is_cuda"),
    [
        ("%%writefile ../kernels/a.cu\nint x;", True),
        ("%%writefile ../kernels/a.cuh\nint x;", True),
        ("%%writefile ../kernels/a.py\nx = 1", False),
        ('x = "%%writefile a.cu"', False),
    ],
)
def test_which_cells_are_cuda(source, is_cuda):
    assert bool(pages.CUDA_CELL.match(source)) == is_cuda
