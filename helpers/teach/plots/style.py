"""Set colours and fonts, and draw the small parts that several pictures share.

Importing changes no setting of matplotlib; `new` and `panels`, which begin every picture, do.
"""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, NullFormatter

from helpers.model import ladder
from helpers.model.arguments import checked
from helpers.teach.plots import description

STYLE = {version.name: (version.colour, version.marker) for version in ladder.VERSIONS}
STYLE["torch.add"] = ("#555555", "X")
OTHER = ("#000000", "*")
ROOF = "#222222"
BLUE = "#0072B2"
GREY = "#888888"
# Colour and marker of the k-th series, for series that are not versions of the ladder.
SERIES = (("#0072B2", "o"), ("#E69F00", "s"), ("#009E73", "^"), ("#D55E00", "D"))
CYCLE = tuple(STYLE.values()) * 3
# The background of a text that crosses a line.
ON_WHITE = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}

SETTINGS = {
    "figure.figsize": (7.2, 4.0),
    "figure.dpi": 150,
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "font.size": 9.5,
    "lines.markersize": 6,
}


@checked
def new(title: str = "", **options) -> Axes:
    """Create one empty Axes with a title. options: those of `plt.subplots`."""
    axes = panels(1, 1, **options)
    axes.set_title(title)
    return axes


@checked
def panels(rows: int, columns: int, **options) -> np.ndarray | Axes:
    """Create a figure of several Axes, as `plt.subplots` does, in the course's style.

    The settings stay on: matplotlib makes ticks and texts later, and reads them then. In a
    notebook the picture carries a description.
    """
    plt.rcParams.update(SETTINGS)
    made = plt.subplots(rows, columns, **options)[1]
    description.attach()  # once the notebook's way to show figures is chosen
    return made


@checked
def version_style(kernel: str) -> tuple[str, str]:
    """Return (colour, marker) of a version; "v4_f16x2 x256" is another launch of v4_f16x2."""
    return STYLE.get(kernel.split(" x")[0], OTHER)


@checked
def elements_name(elements: int) -> str:
    """Write an element count as the article does: 1048576 -> "1M", 65536 -> "64K"."""
    for size, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if elements >= size and elements % size == 0:
            return f"{elements // size}{letter}"
    return f"{elements:,}"


@checked
def bytes_name(size: float) -> str:
    """Write a number of bytes with its binary unit: 65536 -> "64 KiB"."""
    for unit, letter in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {letter}"
    return f"{size:g} B"


@checked
def plain(value: float, _=None) -> str:
    """Write a tick without an exponent: 12345 -> "12,345", 0.25 -> "0.25"."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


@checked
def fraction(value: float, _=None) -> str:
    """Write a tick below 1 as a fraction: 0.25 -> "1/4"."""
    return f"{value:g}" if value >= 1 else f"1/{1 / value:.0f}"


@checked
def log_ticks(axis: Axis, formatter: Callable[[float, object], str] = plain) -> None:
    """Label the major ticks of a logarithmic axis by `formatter`, and no minor one."""
    axis.set_major_formatter(FuncFormatter(formatter))
    axis.set_minor_formatter(NullFormatter())


@checked
def roof_line(
    axes: Axes, gb_per_s: float, label: str, dashed: bool = False, outside: bool = False
) -> Axes:
    """Draw a horizontal roof (GB/s) with its name and height on it, or right of the axes."""
    axes.axhline(
        gb_per_s, color=ROOF, linewidth=1.2, linestyle="--" if dashed else "-", zorder=1
    )
    axes.annotate(
        f"{label}:\n{gb_per_s:,.0f} GB/s" if outside else f"{label}: {gb_per_s:,.0f} GB/s",
        (1.01 if outside else 0.12, gb_per_s),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=8.5,
        color=ROOF,
        bbox=ON_WHITE,
        zorder=1.5,
        annotation_clip=False,
    )
    return axes


@checked
def label_along(axes: Axes, x: float, label: str, bottom: bool = False, **options) -> None:
    """Write a label upwards along a vertical line at `x`, left of it, from the top down.

    bottom: right of it, from the bottom up, where a rising curve leaves room.
    """
    axes.annotate(
        label,
        (x, 0.02 if bottom else 0.98),
        xycoords=("data", "axes fraction"),
        xytext=(3 if bottom else -3, 0),
        textcoords="offset points",
        rotation=90,
        ha="left" if bottom else "right",
        va="bottom" if bottom else "top",
        fontsize=8.5,
        **options,
    )


@checked
def label_ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Name each line at its right end, moved apart where two names would overlap.

    ends: (x, y, text, colour) of each line, in data coordinates.
    """
    low, high = axes.get_ylim()
    points_per_unit = axes.get_window_extent().height * 72 / axes.figure.dpi / (high - low)
    step = (high - low) * 0.05
    floor = -float("inf")
    for x, y, text, colour in sorted(ends, key=lambda end: end[1]):
        floor = max(y, floor + step)
        axes.annotate(
            text,
            (x, y),
            xytext=(8, (floor - y) * points_per_unit),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=colour,
            annotation_clip=False,
        )


@checked
def no_record(axes: Axes) -> Axes:
    """Write "no record yet" where the data would be."""
    axes.text(0.5, 0.5, "no record yet", ha="center", va="center", transform=axes.transAxes)
    axes.grid(False)
    return axes
