"""Texts for pictures, from the cell that drew them."""

import pytest
from nbformat.v4 import new_output

from helpers.teach import plots
from helpers.teach.site import alternatives


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            'axes = plots.new("Adds", figsize=(4, 3))\nplots.sector_map(axes, grid)',
            "Adds: one request of a warp: a row for each lane, a column for each 32-byte "
            "sector",
        ),
        (
            'plots.mask_timeline(axes, spans, "V1, float32")',
            "V1, float32: one warp over time, a row for each lane: dark where the lane works, "
            "else masked off",
        ),
        (
            'axes.set(xlabel="bytes apart", ylabel="GB/s")\naxes.set_title("Loads:")',
            "Loads: axes bytes apart, GB/s",
        ),
        ('axes.set_xlabel("bytes")\naxes.set_ylabel("GB/s")', "axes bytes, GB/s"),
        ('axes.set_title(f"{n} loads at once, {card}")', "loads at once"),
        ('axes.set_title(f"z = {z}")', ""),
        ('plots.idea_strip(axes, rows, title="Two\\n  cards")', None),
        ('print("no picture at all")', ""),
        ("draw(rows)", ""),
        ("%%writefile x.cu\nint x;", ""),
    ],
)
def test_the_text_of_a_cell(source, words):
    found = alternatives.of_source(source)
    if words is None:
        assert found.startswith("Two cards: every idea tried for one operation: a line an idea")
    else:
        assert found == words


def test_what_is_drawn_twice_is_said_once():
    source = "for c in cards:\n    plots.sector_map(axes[0], c)\nplots.sector_map(axes[1], d)"
    assert alternatives.of_source(source).count("sector") == 1


def test_every_picture_has_a_line():
    lines = alternatives.first_lines()
    assert sorted(lines) == plots.__all__
    assert lines["new"].startswith("Create one empty Axes")


def test_the_texts_own_words_come_first():
    picture = {"image/png": ""}
    nbconverts = new_output(
        "display_data", picture, metadata={"image/png": {"alt": "six bars"}}
    )
    assert alternatives.of_output(nbconverts) == "six bars"
    assert alternatives.of_output(new_output("display_data", {}, metadata={"alt": "x"})) == "x"
    assert alternatives.of_output(new_output("display_data", picture)) == ""
    assert alternatives.of_output(new_output("stream", text="no picture")) == ""
