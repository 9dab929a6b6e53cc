"""Draw latency and bytes in flight: Little's law, and the levels of the cache."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from helpers.model.arguments import checked
from helpers.teach.plots.style import (
    GREY,
    ROOF,
    SERIES,
    bytes_name,
    label_along,
    label_ends,
    log_ticks,
)


@checked
def read_curves(axes: Axes, predicted: pd.DataFrame, measured: pd.DataFrame) -> Axes:
    """Draw read bandwidth (GB/s) against warps on an SM: predicted lines, measured points.

    predicted, measured: warps, unroll, gb_per_s; measured also gpu, and it may be empty.
    """
    ends = []
    by_unroll = predicted.groupby("unroll")
    for (unroll, line), (colour, marker) in zip(by_unroll, SERIES, strict=False):
        axes.plot(line.warps, line.gb_per_s, color=colour, linewidth=1.4)
        own = measured[measured.unroll == unroll]
        edge = {"markeredgecolor": "black", "markeredgewidth": 0.5}
        axes.plot(own.warps, own.gb_per_s, marker, color=colour, **edge)
        name = f"{unroll} load{'s' * (unroll > 1)}"
        ends.append((float(line.warps.iloc[-1]), float(line.gb_per_s.iloc[-1]), name, colour))
    sizes = sorted({*predicted.warps})
    axes.set(xscale="log", xlabel="warps on an SM", ylabel="bandwidth (GB/s)")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(0, 1.12 * np.fmax(predicted.gb_per_s.max(), measured.gb_per_s.max()))
    label_ends(axes, ends)
    handles = [Line2D([], [], color="#666666", label="predicted")]
    if len(measured):
        label = f"measured, {measured.gpu.iloc[0].removeprefix('NVIDIA ')}"
        handles.append(Line2D([], [], color="#666666", marker="o", linestyle="", label=label))
    axes.legend(handles=handles, loc="upper left")
    return axes


@checked
def bytes_in_flight(
    axes: Axes, latency_ns: float, roof_gb_per_s: float, sm_count: int, rows: pd.DataFrame
) -> Axes:
    """Draw Little's law on one SM: bandwidth (GB/s) against KB in flight, and measured points.

    The line is min(SMs x bytes / latency, roof), log-log.
    rows: load_bytes, unroll, gb_per_s and `kilobytes` in flight on an SM; may be empty. The
    narrowest loads have hollow markers.
    """
    amounts = np.geomspace(0.1, 300, 200)
    slope = sm_count * amounts * 1e3 / latency_ns
    axes.plot(amounts, np.fmin(slope, roof_gb_per_s), color=ROOF, linewidth=1.4)
    axes.annotate(
        f"bytes in flight / {latency_ns:.0f} ns",
        (0.5, sm_count * 500 / latency_ns),
        xytext=(0, 12),
        textcoords="offset points",
        ha="right",
        fontsize=8.5,
    )
    by_width = rows.groupby("load_bytes")
    for (load_bytes, own), hollow in zip(by_width, (True, False), strict=False):
        by_unroll = own.groupby("unroll")
        for (unroll, part), (colour, marker) in zip(by_unroll, SERIES, strict=False):
            face = "white" if hollow else colour
            look = {"color": colour, "markerfacecolor": face}
            label = f"{unroll} x {load_bytes} B"
            axes.plot(part.kilobytes, part.gb_per_s, marker, label=label, **look)
    axes.set(xscale="log", yscale="log")
    axes.set(xlabel="KB in flight on an SM", ylabel="bandwidth (GB/s)")
    log_ticks(axes.xaxis, lambda value, _: f"{value:g}")
    log_ticks(axes.yaxis)
    if len(rows):
        axes.legend(ncol=2, loc="lower right", title="loads in flight a thread")
    return axes


@checked
def latency_steps(axes: Axes, rows: pd.DataFrame, edges: Mapping[str, float]) -> Axes:
    """Draw the latency of a dependent load (ns) against the working set, and each cache's end.

    rows: span (bytes), ns; may be empty. edges: capacity in bytes by name, vertical lines.
    """
    axes.plot(rows.span, rows.ns, "ko-", markersize=4, linewidth=1, clip_on=False)
    for name, size in edges.items():
        axes.axvline(size, color=GREY, linestyle="--", linewidth=1)
        label_along(axes, size, f"{name}, {bytes_name(size)}", bottom=True)
    ticks = [float(1 << power) for power in range(13, 32, 3)]
    axes.set(xscale="log", xlim=(1 << 13, 1 << 31), ylim=(0, None))
    axes.set(xlabel="working set", ylabel="nanoseconds a load")
    axes.set_xticks(ticks, [bytes_name(tick) for tick in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    return axes
