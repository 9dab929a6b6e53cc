"""Charts of bandwidth: the data given are the data drawn, each machine's in its own look."""

import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from helpers import specs
from helpers.measure import store
from helpers.teach import plots
from helpers.teach.plots.style import version_style

pytestmark = pytest.mark.usefixtures("no_gpu")  # a card that is here has its own facts

RTX_5090 = specs.gpu("GeForce RTX 5090").dram_GBps
H200 = specs.gpu("H200 SXM").dram_GBps


def rows(gpu="NVIDIA H200", factor=1.0):
    return pd.DataFrame(
        [
            {
                "kernel": kernel,
                "dtype": "float16",
                "elements": elements,
                "gb_per_s": factor * speed,
                "gpu": gpu,
            }
            for kernel, speeds in (
                ("v4_f16x2", (2600.0, 2000.0)),
                ("torch.add", (4300.0, 3000.0)),
            )
            for elements, speed in zip((1 << 28, 1 << 20), speeds, strict=True)
        ]
    )


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_versions_chart_holds_both_machines_and_both_roofs():
    wide = rows().query("kernel == 'v4_f16x2'").assign(kernel="v4_f16x2 x256")
    axes = plots.bandwidth_chart(pd.concat([rows(), wide]), "V4", ["v4_f16x2"])
    article, own, library, wide_line, *roofs = axes.lines
    printed = store.article().query("kernel == 'v4_f16x2'").sort_values("elements")
    assert list(article.get_ydata()) == list(printed.gb_per_s)
    assert list(own.get_xdata()) == [1 << 20, 1 << 28]  # sorted by size
    assert list(own.get_ydata()) == [2000, 2600]
    assert list(library.get_ydata()) == [3000, 4300]
    styles = [line.get_linestyle() for line in (article, own, library, wide_line)]
    assert styles == [":", "-", "-", "--"]
    colour, marker = version_style("v4_f16x2")
    assert article.get_markerfacecolor() == "white"
    assert own.get_markerfacecolor() == wide_line.get_color() == colour
    assert own.get_marker() == marker
    assert [line.get_ydata()[0] for line in roofs] == [RTX_5090, H200]
    assert {"v4_f16x2 (RTX 5090)", "v4_f16x2 (H200)", "torch.add (H200)"} <= set(texts(axes))
    assert f"RTX 5090 DRAM roof: {RTX_5090:,.0f} GB/s" in texts(axes)
    assert f"H200 DRAM roof: {H200:,.0f} GB/s" in texts(axes)
    assert axes.get_title(loc="left") == "V4"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("elements", "bandwidth (GB/s)")
    assert axes.get_ylim() == (0, pytest.approx(1.1 * H200))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1M", "16M", "256M"]


def test_a_card_that_is_not_in_the_table_has_no_roof():
    axes = plots.bandwidth_chart(rows("NVIDIA Nobody's 9000"), "V4", ["v4_f16x2"])
    assert len(axes.lines) == 1 + 2 + 1


def test_bars_are_filled_here_and_hollow_for_the_other_card():
    other = rows("GeForce RTX 5090", 0.5)
    axes = plots.bandwidth_bars(plots.new(), rows(), other, 1 << 28)
    assert [bar.get_height() for bar in axes.patches] == [2600, 4300, 1300, 2150]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert middles == pytest.approx([-0.2, 0.8, 0.2, 1.2])
    colours = [to_rgba(version_style(kernel)[0]) for kernel in ("v4_f16x2", "torch.add")] * 2
    assert [bar.get_edgecolor() for bar in axes.patches] == colours
    white = to_rgba("white")
    assert [bar.get_facecolor() for bar in axes.patches] == [*colours[:2], white, white]
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert names == ["v4_f16x2\nfloat16", "torch.add\nfloat16"]
    assert [line.get_ydata()[0] for line in axes.lines] == [H200, RTX_5090]
    assert [line.get_linestyle() for line in axes.lines] == ["--", "-"]
    assert texts(axes)[-1] == "filled: NVIDIA H200; hollow: GeForce RTX 5090"
    assert axes.get_ylabel() == "bandwidth (GB/s)"


def test_bars_of_a_missing_row_and_an_unknown_card_are_left_out():
    other = rows("Nobody's 9000").query("kernel == 'torch.add'")
    axes = plots.bandwidth_bars(plots.new(), rows(), other, 1 << 20)
    assert [bar.get_height() for bar in axes.patches] == [2000, 3000, 3000]
    assert [line.get_ydata()[0] for line in axes.lines] == [H200]


def test_the_working_set_is_the_bytes_of_a_call():
    both = pd.concat(
        [
            rows().assign(method="graph hot", time_us=specs.MIB / 1e3),
            rows(factor=0.5).assign(method="graph cold", time_us=2 * specs.MIB / 1e3),
        ]
    )
    axes = plots.working_set_sweep(plots.new(), both, 60 * specs.MIB)
    hot, other, cold, _, l2 = axes.lines
    assert list(hot.get_xdata()) == list(hot.get_ydata()) == [2600, 2000]
    assert list(cold.get_xdata()) == [2600, 2000]
    assert list(cold.get_ydata()) == [1300, 1000]
    assert [line.get_linestyle() for line in (hot, other, cold)] == ["-", "-", "--"]
    assert list(l2.get_xdata()) == [60, 60]
    assert texts(axes) == ["L2: 60 MiB", "v4_f16x2", "torch.add"]
    roofed = plots.working_set_sweep(plots.new(), both, 60 * specs.MIB, 4800.0)
    assert list(roofed.lines[-1].get_ydata()) == [4800, 4800]
    assert "DRAM's roof: 4,800 GB/s" in texts(roofed)
    assert axes.get_xlabel() == "working set (MiB); solid: hot, dashed: cold"
    assert axes.get_ylabel() == "bandwidth (GB/s)"
    assert axes.get_xscale() == "log"
    assert axes.get_ylim()[0] == 0
