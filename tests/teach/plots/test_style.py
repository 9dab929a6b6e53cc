"""Colours, names of sizes, ticks and labels."""

import matplotlib.pyplot as plt
import pytest

from helpers.model.ladder import NAMES
from helpers.teach.plots import style


def test_each_version_has_its_own_colour_and_marker():
    looks = list(style.STYLE.values())
    colours, marks = zip(*looks, strict=True)
    assert [*style.STYLE] == [*NAMES, "torch.add"]
    assert len(set(colours)) == len(set(marks)) == len(NAMES) + 1, (
        "choose a colour and a marker in helpers/model/ladder.py that neither a version nor "
        f"torch.add has: {looks}"
    )
    assert style.OTHER not in looks


def test_another_launch_looks_like_its_kernel():
    assert style.version_style("v4_f16x2 x256") == style.version_style("v4_f16x2")
    assert style.version_style("v4_f16x2") != style.OTHER
    assert style.version_style("mine") == style.OTHER


@pytest.mark.parametrize(
    ("elements", "name"),
    [
        (1 << 30, "1G"),
        (3 << 20, "3M"),
        (1 << 16, "64K"),
        (1000, "1,000"),
        (1025, "1,025"),
        (1023, "1,023"),
        (1024, "1K"),
    ],
)
def test_elements_name(elements, name):
    assert style.elements_name(elements) == name


@pytest.mark.parametrize(
    ("size", "name"),
    [(1 << 30, "1 GiB"), (1.5 * (1 << 20), "1.5 MiB"), (65536, "64 KiB"), (1023, "1023 B")],
)
def test_bytes_name(size, name):
    assert style.bytes_name(size) == name


@pytest.mark.parametrize(
    ("value", "plain", "fraction"),
    [(12345, "12,345", "12345"), (1, "1", "1"), (0.25, "0.25", "1/4")],
)
def test_ticks(value, plain, fraction):
    assert (style.plain(value), style.fraction(value)) == (plain, fraction)


def test_log_ticks_label_major_ticks_only():
    axes = plt.subplot()
    style.log_ticks(axes.xaxis, lambda value, _: f"<{value:g}>")
    assert axes.xaxis.get_major_formatter()(2) == "<2>"
    assert axes.xaxis.get_minor_formatter()(2) == ""


@pytest.mark.parametrize(
    ("options", "dashes", "text", "x"),
    [
        ({}, "-", "roof: 4,800 GB/s", 0.12),
        ({"dashed": True, "outside": True}, "--", "roof:\n4,800 GB/s", 1.01),
    ],
)
def test_roof_line(options, dashes, text, x):
    axes = style.roof_line(plt.subplot(), 4800, "roof", **options)
    assert list(axes.lines[0].get_ydata()) == [4800, 4800]
    assert axes.lines[0].get_linestyle() == dashes
    assert axes.texts[0].get_text() == text
    assert axes.texts[0].xy == (x, 4800)


def test_names_at_the_ends_of_lines_keep_apart():
    axes = plt.subplot()
    axes.set_ylim(0, 100)
    ends = [(1, 50, "b", "red"), (1, 49, "a", "blue"), (1, 90, "c", "green")]
    style.label_ends(axes, ends)
    assert [text.get_text() for text in axes.texts] == ["a", "b", "c"]  # from below
    assert [text.get_color() for text in axes.texts] == ["blue", "red", "green"]
    points = axes.get_window_extent().height * 72 / axes.figure.dpi
    heights = [text.xy[1] + text.xyann[1] * 100 / points for text in axes.texts]
    assert heights == pytest.approx([49, 54, 90])


def test_a_label_along_a_line_is_upright_and_left_of_it():
    axes = plt.subplot()
    style.label_along(axes, 3, "L2")
    (text,) = axes.texts
    assert (text.get_text(), text.xy[0], text.get_rotation()) == ("L2", 3, 90)
    assert (text.get_ha(), text.get_va(), text.xyann) == ("right", "top", (-3, 0))
    style.label_along(axes, 3, "L2", bottom=True)
    text = axes.texts[-1]
    assert (text.get_ha(), text.get_va(), text.xyann) == ("left", "bottom", (3, 0))
    assert text.xy == (3, 0.02)


def test_no_record_says_so():
    axes = style.no_record(plt.subplot())
    assert [text.get_text() for text in axes.texts] == ["no record yet"]
