"""Draw predictions beside measurements: against the same axis, or one over the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from helpers.model.arguments import checked
from helpers.model.published import Comparison
from helpers.teach.plots.style import (
    BLUE,
    CYCLE,
    GREY,
    ON_WHITE,
    ROOF,
)


@checked
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


@checked
def predicted_against_published(axes: Axes, compared: Sequence[Comparison]) -> Axes:
    """Draw predicted over published bandwidth: a line a measurement, the 5% band shaded.

    compared: of `published.comparisons`. The grey line is the predicted range, the number at
    the right the published share of the card's specified bandwidth. Hollow: a launch that is
    not published, assumed.
    """
    left, right = 0.72, 1.85  # the texts stand at the right end
    for y, one in enumerate(reversed(compared)):
        low, high = (end / one.row.gb_per_s for end in one.range_GBps)
        axes.plot([low, high], [y, y], color=GREY, linewidth=2.5, alpha=0.6, zorder=2)
        face = BLUE if one.row.launch == "source code" else "white"
        axes.plot(1 + one.error, y, "o", color=BLUE, markerfacecolor=face, zorder=3)
        share = one.row.gb_per_s / one.prediction.card.gpu.dram_GBps
        text = f"{one.row.gb_per_s:,.0f} GB/s, {share:.0%}"
        axes.text(right, y, text, va="center", ha="right", fontsize=8, bbox=ON_WHITE)
    names = [one.row.label for one in reversed(compared)]
    axes.set_yticks(range(len(names)), names)
    axes.axvspan(0.95, 1.05, color="#000000", alpha=0.06, zorder=0)
    axes.axvline(1, color=ROOF, linewidth=1)
    axes.set(xlabel="predicted / published bandwidth", xlim=(left, right))
    axes.grid(axis="y", visible=False)
    return axes
