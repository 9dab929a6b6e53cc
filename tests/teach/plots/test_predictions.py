"""Predictions and measurements share a colour, and their ratio is not inverted."""

import pytest

from helpers.model import published
from helpers.teach import plots
from helpers.teach.plots.style import CYCLE


def test_a_name_has_one_colour_and_what_is_missing_is_still_named():
    predicted = {"a": ([0, 1], [1, 2]), "b": ([0, 1], [5, 6])}
    measured = {"b": ([0], [5.5]), "c": ([1], [3])}
    axes = plots.predicted_and_measured(plots.new(), predicted, measured, "steps", "time (us)")
    drawn = [line for line in axes.lines if len(line.get_xdata())]
    assert [list(line.get_ydata()) for line in drawn] == [[1, 2], [5, 6], [5.5], [3]]
    assert [list(line.get_xdata()) for line in drawn] == [[0, 1], [0, 1], [0], [1]]
    assert [line.get_linestyle() for line in drawn] == ["-", "-", "None", "None"]
    colours = [CYCLE[k][0] for k in (0, 1, 1, 2)]
    assert [line.get_color() for line in drawn] == colours
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b", "c"]
    legend = [(h.get_linestyle(), h.get_marker()) for h in axes.get_legend().legend_handles]
    marks = [CYCLE[k][1] for k in range(3)]
    assert legend == [("-", ""), ("-", marks[1]), ("None", marks[2])]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("steps", "time (us)")
    assert axes.get_ylim()[0] == 0


def test_a_published_bandwidth_has_a_point_a_range_and_its_share_of_the_peak():
    compared = published.comparisons()[:2]
    axes = plots.predicted_against_published(plots.new(), compared)
    range_, point, *_ = axes.lines  # the last measurement is drawn first, at the bottom
    last = compared[1]
    assert list(point.get_xdata()) == [1 + last.error] and list(point.get_ydata()) == [0]
    ends = [end / last.row.gb_per_s for end in last.range_GBps]
    assert list(range_.get_xdata()) == ends and list(range_.get_ydata()) == [0, 0]
    assert [text.get_text() for text in axes.texts] == ["1,360 GB/s, 87%", "1,381 GB/s, 89%"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["A100 40GB SXM, triad", "A100 40GB SXM, scale"]
    assert axes.get_xlabel() == "predicted / published bandwidth"
    band = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    assert (band.x0, band.x1) == pytest.approx((0.95, 1.05))


def test_an_assumed_launch_is_hollow():
    compared = published.comparisons()
    axes = plots.predicted_against_published(plots.new(), compared)
    points = [line for line in axes.lines if line.get_marker() == "o"]
    hollow = [line.get_markerfacecolor() == "white" for line in points]
    assert hollow == [one.row.launch == "assumed" for one in reversed(compared)]
    assert any(hollow) and not all(hollow)
