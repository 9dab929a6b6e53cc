"""Blocks over time and the places of kernels among the ceilings, as the model has them."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.model import cards, ladder
from helpers.teach import plots

H200 = cards.card("H200 SXM")
V4 = ladder.SHAPES["v4_f16x2"]


def resident(axes):
    return np.asarray(axes.lines[0].get_ydata())


def test_v4_never_fills_an_h200_and_in_larger_blocks_does():
    few = plots.blocks_over_time(plots.new(), V4, H200, title="V4")
    places = 132 * 16
    assert few.lines[1].get_ydata()[0] == places
    # Little's law for blocks: 1,662 a microsecond, each for 0.712
    assert resident(few).max() == pytest.approx(1662 * 0.7124, rel=0.01)
    assert f"never more than {resident(few).max():,} resident" in few.get_title(loc="left")
    assert [text.get_text() for text in few.texts] == ["2,112 places"]
    full = plots.blocks_over_time(plots.new(), replace(V4, block_size=256), H200)
    assert resident(full).max() == 132 * 8
    assert full.get_title(loc="left") == "all places taken"
    assert (full.get_xlabel(), full.get_ylabel()) == (
        "time since the first block (us)",
        "resident blocks",
    )


def test_a_kernels_ceilings_stand_in_its_row_and_the_highest_is_large():
    each = {"block rate": 600.0, "DRAM bandwidth": 370.0, "L1 sectors": 190.0}
    axes = plots.ceiling_places(
        plots.new(), {"V5": each, "V6": {"DRAM bandwidth": 370.0}}, {"V5": 633.0}
    )
    marks = [line for line in axes.lines if line.get_marker() not in ("None", "", None)]
    assert [(m.get_xdata()[0], m.get_ydata()[0]) for m in marks] == [
        *((600, 0), (370, 0), (190, 0), (370, 1))
    ]
    sizes = [m.get_markersize() for m in marks]
    assert sizes == [11, 5.5, 5.5, 11]
    measured = [line for line in axes.lines if list(line.get_xdata()) == [633.0] * 2]
    assert len(measured) == 1 and list(measured[0].get_ydata()) == [-0.36, 0.36]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["V5", "V6"]
    names = [t.get_text() for t in axes.get_legend().get_texts()]
    assert names == ["block rate", "L1 sectors", "DRAM bandwidth", "measured"]
    assert axes.get_ylim() == (1.6, -0.6) and axes.get_xscale() == "log"
