"""Draw predictions beside measurements: against the same axis, or one over the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from helpers.teach.plots.style import CYCLE, ROOF, log_ticks, version_style


def predicted_and_measured(
    axes: Axes,
    predicted: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    measured: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
) -> Axes:
    """Draw predictions as lines and measurements as points of the same colour, with a legend.

    Both map a name to (x, y); a name that was not predicted or not measured has the other.
    """
    names = dict.fromkeys([*predicted, *measured])
    for name, (colour, marker) in zip(names, CYCLE, strict=False):
        if name in predicted:
            axes.plot(*predicted[name], color=colour, linewidth=1.3)
        if name in measured:
            axes.plot(*measured[name], marker, color=colour, markersize=5.5, zorder=3)
        line = "-" if name in predicted else "none"
        marker = marker if name in measured else ""
        axes.plot([], [], linestyle=line, marker=marker, color=colour, label=name)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_ylim(bottom=0)
    axes.legend()
    return axes


def predicted_against_measured(
    axes: Axes, rows: pd.DataFrame, hollow: pd.DataFrame | None = None
) -> Axes:
    """Draw predicted over measured time against the measured time (us), the 10% band shaded.

    rows: kernel, time_us, predicted_us. hollow: rows of another card, with hollow markers.
    """
    for frame in [rows] if hollow is None else [rows, hollow]:
        for kernel, group in frame.groupby("kernel", sort=False):
            colour, marker = version_style(kernel)
            face, label = (colour, kernel) if frame is rows else ("white", None)
            axes.plot(
                group.time_us,
                group.predicted_us / group.time_us,
                marker,
                color=colour,
                markerfacecolor=face,
                label=label,
                alpha=0.85,
            )
    axes.axhspan(0.9, 1.1, color="#000000", alpha=0.06, zorder=0)
    axes.axhline(1, color=ROOF, linewidth=1)
    axes.set(xscale="log", xlabel="measured time (us)")
    axes.set(ylabel="predicted / measured", ylim=(0.6, 1.4))
    log_ticks(axes.xaxis)
    axes.legend(ncols=2, fontsize=8)
    return axes
