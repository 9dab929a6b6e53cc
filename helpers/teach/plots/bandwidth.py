"""Draw bandwidth (GB/s): a version by size, the ladder's bars, hot and cold."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from helpers import specs
from helpers.model.arguments import checked
from helpers.teach.plots.style import (
    ROOF,
    label_ends,
    log_ticks,
    plain,
    version_style,
)


@checked
def working_set_sweep(
    axes: Axes, rows: pd.DataFrame, l2_bytes: int, dram_GBps: float | None = None
) -> Axes:
    """Draw bandwidth (GB/s) against the working set (MiB), hot solid and cold dashed.

    rows: kernel, method, time_us, gb_per_s. The working set, all tensors together, is the bytes
    that a call moves. The L2 cache's size is marked, and DRAM's roof if it is given.
    """
    ends = []
    for (kernel, method), group in rows.groupby(["kernel", "method"], sort=False):
        colour, marker = version_style(kernel)
        mib = group.gb_per_s * group.time_us * 1e3 / specs.MIB
        hot = method == "graph hot"
        dashes = "-" if hot else "--"
        axes.plot(
            mib, group.gb_per_s, dashes, color=colour, marker=marker, markersize=3.5, lw=1.2
        )
        if hot:
            ends.append((float(mib.iloc[-1]), float(group.gb_per_s.iloc[-1]), kernel, colour))
    axes.axvline(l2_bytes / specs.MIB, color=ROOF, linewidth=1)
    axes.annotate(
        f"L2: {l2_bytes / specs.MIB:g} MiB",
        (l2_bytes / specs.MIB, 0.02),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize=8.5,
    )
    if dram_GBps:
        axes.axhline(dram_GBps, color=ROOF, linewidth=1.2, zorder=1)
        axes.annotate(
            f"DRAM's roof: {dram_GBps:,.0f} GB/s",
            (1, dram_GBps),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 4),
            textcoords="offset points",
            ha="right",
            fontsize=8.5,
            color=ROOF,
        )
    axes.set(xscale="log", xlabel="working set (MiB); solid: hot, dashed: cold")
    axes.margins(x=0.005)  # the names stand right of the axes
    axes.set_ylabel("bandwidth (GB/s)")
    log_ticks(axes.xaxis)
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_ylim(bottom=0)
    label_ends(axes, ends)
    return axes
