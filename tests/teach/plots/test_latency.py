"""Little's law and the levels of the cache, as drawn."""

import numpy as np
import pandas as pd
import pytest

from helpers.teach import plots
from helpers.teach.plots.style import SERIES

CURVES = pd.DataFrame(
    [(w, u, 100.0 * w * u) for u in (1, 2) for w in (1, 2, 4)],
    columns=["warps", "unroll", "gb_per_s"],
)
MEASURED = CURVES.assign(gb_per_s=CURVES.gb_per_s * 0.9, gpu="NVIDIA H200")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_read_curves_are_lines_and_measured_points():
    axes = plots.read_curves(plots.new(), CURVES, MEASURED)
    one, one_measured, two, two_measured = axes.lines
    assert list(one.get_xdata()) == list(two_measured.get_xdata()) == [1, 2, 4]
    assert list(one.get_ydata()) == [100, 200, 400]
    assert list(two.get_ydata()) == [200, 400, 800]
    assert list(one_measured.get_ydata()) == [90, 180, 360]
    assert list(two_measured.get_ydata()) == [180, 360, 720]
    assert one.get_color() == one_measured.get_color() == SERIES[0][0]
    assert two.get_color() == SERIES[1][0]
    assert (one.get_linestyle(), one_measured.get_linestyle()) == ("-", "None")
    assert texts(axes) == ["1 load", "2 loads"]
    assert [text.xy for text in axes.texts] == [(4, 400), (4, 800)]  # at the ends of the lines
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["predicted", "measured, H200"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "2", "4"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("warps on an SM", "bandwidth (GB/s)")


def test_read_curves_fit_whatever_the_card():
    fast = CURVES.assign(gb_per_s=CURVES.gb_per_s * 10)  # 8,000 GB/s
    axes = plots.read_curves(plots.new(), fast, MEASURED[:0])
    assert axes.get_ylim() == (0, pytest.approx(8960))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["predicted"]


def test_bytes_in_flight_rise_to_the_roof():
    rows = pd.DataFrame(
        {
            "load_bytes": [4, 4, 16],
            "unroll": [1, 2, 1],
            "kilobytes": [1.0, 2.0, 4.0],
            "gb_per_s": [200.0, 400.0, 800.0],
        }
    )
    axes = plots.bytes_in_flight(plots.new(), 500, 4800, 100, rows)
    line, *points = axes.lines
    assert np.interp(1.0, line.get_xdata(), line.get_ydata()) == pytest.approx(200, rel=1e-3)
    assert line.get_ydata()[-1] == 4800
    assert [(p.get_xdata()[0], p.get_ydata()[0]) for p in points] == [
        (1, 200),
        (2, 400),
        (4, 800),
    ]
    assert [p.get_color() for p in points] == [SERIES[k][0] for k in (0, 1, 0)]
    assert [p.get_markerfacecolor() for p in points] == ["white", "white", SERIES[0][0]]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["1 x 4 B", "2 x 4 B", "1 x 16 B"]
    assert texts(axes) == ["bytes in flight / 500 ns"]
    assert axes.get_xlabel() == "KB in flight on an SM"
    assert axes.get_ylabel() == "bandwidth (GB/s)"
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_without_points_there_is_no_legend():
    empty = pd.DataFrame(columns=["load_bytes", "unroll", "kilobytes", "gb_per_s"])
    axes = plots.bytes_in_flight(plots.new(), 500, 4800, 100, empty)
    assert len(axes.lines) == 1
    assert axes.get_legend() is None


def test_latency_steps_mark_where_each_cache_ends():
    rows = pd.DataFrame({"span": [1 << 14, 1 << 28], "ns": [20.0, 400.0]})
    axes = plots.latency_steps(plots.new(), rows, {"L1": 256 << 10, "L2": 50 << 20})
    line, *edges = axes.lines
    assert list(line.get_xdata()) == [1 << 14, 1 << 28]
    assert list(line.get_ydata()) == [20, 400]
    assert [edge.get_xdata()[0] for edge in edges] == [256 << 10, 50 << 20]
    assert texts(axes) == ["L1, 256 KiB", "L2, 50 MiB"]
    assert [tick.get_text() for tick in axes.get_xticklabels()][:2] == ["8 KiB", "64 KiB"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("working set", "nanoseconds a load")
    assert axes.get_xlim() == (1 << 13, 1 << 31)
    assert axes.get_ylim()[0] == 0
