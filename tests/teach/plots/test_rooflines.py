"""Rooflines show the card's numbers, also where some are not known."""

import numpy as np
import pytest

from helpers import specs
from helpers.teach import plots

H200 = specs.gpu("H200 SXM")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def names(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def at(line, x):
    return float(np.interp(np.log(x), np.log(line.get_xdata()), line.get_ydata()))


def test_a_roof_is_the_lower_of_slope_and_peak():
    axes = plots.roofline(plots.new(), [H200])
    (roof,) = axes.lines
    assert roof.get_xdata()[[0, -1]] == pytest.approx([1 / 64, 512])
    assert roof.get_ydata()[0] == pytest.approx(H200.dram_GBps / 64)
    assert roof.get_ydata()[-1] == H200.fp32_TFLOPS * 1e3
    assert at(roof, 1) == pytest.approx(H200.dram_GBps, rel=1e-3)
    assert names(axes) == ["H200 SXM: 4,800 GB/s, 66.9 TFLOP/s"]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_xlabel() == "arithmetic intensity (FLOP per byte of DRAM traffic)"
    assert axes.get_ylabel() == "attainable float32 (GFLOP/s)"
    assert axes.get_xlim() == (1 / 64, 600)


def test_several_cards_differ_and_a_reached_bandwidth_is_dashed():
    cards = [specs.gpu("GeForce RTX 5090"), H200]
    axes = plots.roofline(plots.new(), cards, measured={"H200 SXM": 4000})
    assert [line.get_linestyle() for line in axes.lines] == ["-", "-.", "--"]
    assert axes.lines[2].get_ydata()[0] == pytest.approx(4000 / 64)
    assert axes.lines[2].get_ydata()[-1] == H200.fp32_TFLOPS * 1e3
    assert [name.partition(":")[0] for name in names(axes)] == ["GeForce RTX 5090", "H200 SXM"]


def test_a_card_without_a_float32_peak_has_a_slope_only():
    b200 = specs.gpu("B200")
    assert b200.fp32_TFLOPS is None
    axes = plots.roofline(plots.new(), [b200])
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(512 * b200.dram_GBps)
    assert names(axes) == [f"B200: {b200.dram_GBps:,.0f} GB/s, float32 peak not known"]


def test_an_intensity_line_stands_at_its_intensity():
    axes = plots.intensity_line(plots.new(), 1 / 12, "float32 add")
    assert list(axes.lines[0].get_xdata()) == [1 / 12, 1 / 12]
    assert texts(axes) == ["float32 add"]


def test_a_level_roofline():
    points = [("a", 1 / 4, 8000.0), ("b", 1 / 4, 8100.0), ("c", 8.0, 30000.0)]
    axes = plots.level_roofline(plots.new(), 60000.0, 30000.0, "L1", points)
    roof, *drawn = axes.lines
    assert at(roof, 1) == pytest.approx(30000, rel=1e-2)
    assert roof.get_ydata()[-1] == 60000
    assert [(p.get_xdata()[0], p.get_ydata()[0]) for p in drawn] == [p[1:] for p in points]
    names = ["L1, 30 TB/s", "float32, 60 TFLOP/s", "c: 30,000", "b: 8,100", "a: 8,000"]
    assert texts(axes) == names
    heights = [30000, 30000 / 4 / 1.25, 30000 / 4 / 1.25**2]  # apart, and below the roof
    assert [text.xyann[1] for text in axes.texts[2:]] == pytest.approx(heights)
    assert axes.get_xlim() == pytest.approx((1 / 4 / 16, 8 * 32))
    assert axes.get_ylim() == pytest.approx((1000, 96000))
    assert axes.get_xlabel() == "FLOP per byte of this memory"
    assert axes.get_ylabel() == "float32 (GFLOP/s)"
