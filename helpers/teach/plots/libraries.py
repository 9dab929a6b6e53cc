"""Draw the template's steps, and the course's kernels against the libraries."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from helpers.model.arguments import checked
from helpers.teach.plots.style import (
    BLUE,
    GREY,
    ON_WHITE,
    ROOF,
    elements_name,
    no_record,
)


@checked
def idea_strip(axes: Axes, rows: pd.DataFrame, title: str = "") -> Axes:
    """Draw every idea tried for one operation: a line an idea, a point a variant.

    rows: idea, variant, ratio, the fastest library's time over the variant's: right of 1 is
    faster than every library. The best variant of each idea is filled and named.
    """
    ideas = list(dict.fromkeys(rows.idea))
    for place, idea in enumerate(ideas):
        ratios = rows[rows.idea == idea].ratio.astype(float)
        best = ratios.max()
        hollow = {"color": GREY, "markerfacecolor": "white", "markersize": 5}
        axes.plot(ratios, [place] * len(ratios), "o", **hollow)
        colour = "#555555" if idea == "library" else BLUE
        axes.plot(best, place, "o", color=colour, markersize=7, zorder=3)
        above = {"ha": "center", "fontsize": 7.5, "bbox": ON_WHITE}
        axes.text(best, place - 0.3, f"{best:.3f}", **above)
    axes.axvline(1, color=ROOF, linewidth=1.2)
    axes.set_yticks(range(len(ideas)), ideas)
    axes.set_ylim(len(ideas) - 0.5, -0.8)
    axes.set(xlabel="time of the fastest library / own time", title=title)
    return axes


@checked
def library_ratios(axes: Axes, rows: pd.DataFrame, candidate: str = "course") -> Axes:
    """Draw the fastest library's time over `candidate`'s for each operation, dtype and size.

    rows: from helpers.measure.libraries.comparison.load. The line is the spread over the runs,
    the point the median; filled: hot, hollow: cold. Right of 1 is faster than every library.
    """
    own = rows[rows.candidate == candidate] if len(rows) else rows
    if own.empty:
        return no_record(axes)
    cells = list(dict.fromkeys(zip(own.operation, own.dtype, own.elements, strict=True)))
    methods = (("graph hot", BLUE, -0.16), ("graph cold", "white", 0.16))
    of_cell = dict(list(own.groupby(["operation", "dtype", "elements", "method"]).ratio))
    for place, cell in enumerate(cells):
        for method, face, shift in methods:
            if (*cell, method) not in of_cell:
                continue
            ratios, y = of_cell[(*cell, method)].astype(float), place + shift
            axes.plot([ratios.min(), ratios.max()], [y, y], color=BLUE, linewidth=1.2)
            axes.plot(ratios.median(), y, "o", color=BLUE, markerfacecolor=face, zorder=3)
    axes.axvline(1, color=ROOF, linewidth=1.2)
    names = [f"{name} {dtype}, {elements_name(int(size))}" for name, dtype, size in cells]
    axes.set_yticks(range(len(cells)), names)
    axes.invert_yaxis()
    axes.set(xlabel="time of the fastest library / own time; filled: hot, hollow: cold")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.99), max(high, 1.01))
    axes.set_title("right of the line: faster than every library", loc="right", fontsize=8.5)
    return axes
