"""The plots about warps show what the arithmetic says."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from helpers import specs
from helpers.model import warps
from helpers.teach import plots


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_warp_map_has_a_cell_for_each_thread(axes):
    layout = warps.thread_layout((5, 7, 2))
    plots.warp_map(axes, layout, z=1, show="lane")
    assert texts(axes) == [str(lane) for lane in layout.lane[1].ravel()]
    assert len(axes.patches) == 35


def test_a_mask_timeline_has_a_bar_for_each_lane_and_side(axes):
    spans = warps.mask_timeline(warps.split(10), 30, 20)
    plots.mask_timeline(axes, spans)
    assert len(axes.patches) == 2 * 32
    assert texts(axes) == ["A: 10 of 32 lanes", "B: 22 of 32 lanes"]
    assert axes.get_xlim() == (0, 50)


def test_a_shuffles_last_row_begins_with_the_sum(axes):
    rows = warps.down_sum_rounds(np.arange(32))
    plots.shuffle_rounds(axes, rows, warps.round_offsets())
    assert texts(axes)[5 * 32] == "496"
    assert len(axes.lines) == 5 * 32 * 2


def test_what_was_not_measured_is_still_named(axes):
    plots.predicted_and_measured(axes, {"a": ([0, 1], [1, 2])}, {"b": ([0], [3])}, "x", "y")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    assert axes.get_ylim()[0] == 0


def test_stacked_points_keep_their_names_apart(axes):
    plots.roofline(axes, [specs.gpu("H200 SXM")])
    before = len(axes.texts)
    plots.roofline_stack(axes, 1 / 4, {"slow": 1.0, "fast": 1000.0, "as fast": 999.0})
    heights = np.log10([text.xyann[1] for text in axes.texts[before:]])
    assert texts(axes)[before:] == ["fast: 1,000", "as fast: 999", "slow: 1"]
    assert (np.diff(heights) < -0.1).all()
