"""The pictures of a warp show what the arithmetic says."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from helpers.model import divergence, warps
from helpers.teach import plots


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("show", ["warp", "lane", "linear"])
def test_a_warp_map_has_a_cell_for_each_thread(show):
    layout = warps.thread_layout((5, 7, 2))
    axes = plots.warp_map(plots.new(), layout, z=1, show=show)
    assert texts(axes) == [str(value) for value in getattr(layout, show)[1].ravel()]
    places = [(cell.get_x() + 0.5, cell.get_y() + 0.5) for cell in axes.patches]
    assert places == [(x, y) for y in range(7) for x in range(5)]
    assert [text.get_position() for text in axes.texts] == places
    tints = np.array([to_hex(cell.get_facecolor()) for cell in axes.patches])
    of_warp = layout.warp[1].ravel()
    assert len(set(tints)) == len(set(of_warp)) == 2
    assert len(set(tints[of_warp == of_warp[0]])) == 1
    assert axes.get_title(loc="left") == f"{show} of each thread, z = 1"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("threadIdx.x", "threadIdx.y")
    assert axes.get_ylim() == (6.6, -0.6)  # y runs down


def test_a_warp_maps_lines_divide_the_warps():
    axes = plots.warp_map(plots.new(), warps.thread_layout((16, 3)), title="16 x 3")
    sides = {(tuple(line.get_xdata()), tuple(line.get_ydata())) for line in axes.lines}
    assert sides == {((x - 0.5, x + 0.5), (1.5, 1.5)) for x in range(16)}  # two rows a warp
    assert axes.get_title(loc="left") == "16 x 3"
    axes = plots.warp_map(plots.new(), warps.thread_layout((64, 1)))
    (line,) = axes.lines
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([31.5, 31.5], [-0.5, 0.5])


def test_a_mask_timeline_has_a_bar_for_each_lane_and_side():
    spans = divergence.mask_timeline(divergence.split(10), 30, 20)
    axes = plots.mask_timeline(plots.new(), spans, "ten")
    bars = axes.patches
    assert len(bars) == 2 * 32
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [(0, 30)] * 32 + [(30, 20)] * 32
    dark = [to_hex(bar.get_facecolor()) != "#f2f2f2" for bar in bars]
    assert dark == [lane < 10 for lane in range(32)] + [lane >= 10 for lane in range(32)]
    assert texts(axes) == ["A: 10 of 32 lanes", "B: 22 of 32 lanes"]
    assert axes.get_xlim() == (0, 50)
    assert axes.get_ylim() == (31.5, -4.5)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cycles", "lane")


def test_shuffles_lead_from_the_lanes_that_were_read():
    rows = warps.down_sum_rounds(np.arange(32))
    axes = plots.shuffle_rounds(plots.new(), rows, warps.round_offsets(), "sum")
    assert texts(axes)[5 * 32] == "496"
    assert texts(axes)[:32] == [str(lane) for lane in range(32)]
    places = [text.get_position() for text in axes.texts]
    assert places == [(lane, line) for line in range(6) for lane in range(32)]
    assert len(axes.lines) == 5 * 32 * 2
    first = [tuple(line.get_xdata()) for line in axes.lines[:4]]
    assert first == [(0, 0), (16, 0), (1, 1), (17, 1)]
    dark = sum(line.get_color() == "#0072B2" for line in axes.lines)
    assert dark == 2 * (16 + 8 + 4 + 2 + 1)
    bold = sum(text.get_fontweight() == "bold" for text in axes.texts)
    assert bold == 32 + 16 + 8 + 4 + 2 + 1
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == ["before", *(f"offset {k}" for k in (16, 8, 4, 2, 1))]
    assert axes.get_ylim() == (5.4, -0.5)
