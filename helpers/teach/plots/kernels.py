"""Draw any kernel as a named point below the roofs of two cards.

The ladder has its own picture (`climb`); this one is for every other kernel of the course.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from helpers.measure import store
from helpers.model import cards
from helpers.model.arguments import checked
from helpers.teach.plots import two_cards
from helpers.teach.plots.climb import COLD_AT, COLUMNS, HOT_AT, LARGE, PALE, SMALL
from helpers.teach.plots.style import GREY, STYLE, elements_name, panels

COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#7F5539",
)
MARKERS = "os^DvPXp"
FEW = 6  # columns whose names have room
LETTERS, NARROW = 11, 8  # of a name below the axis before it is broken: of few columns, of many


@checked
def kernel_rooflines(
    rows: pd.DataFrame,
    card: cards.Card | None,
    own: str | Sequence[str] = (),
    title: str = "",
) -> np.ndarray:
    """Draw kernels below the roofs of the article's card and of this machine.

    Left, for kernels that count FLOPs: the classic roofline, each at its FLOP per byte and at
    its largest count of elements. Right: bandwidth (GB/s), a column a kernel in the order of
    the rows, small to large counts of elements; cold points are half filled.

    rows: kernel, elements, gb_per_s, method, and flops and bytes_moved for the left side; a
    kernel's name stands below its column. card: this machine's constants, or None if they are
    not known. own: the names to draw in full colour, all if empty. title: of the right side; by
    default what the first of `own` reaches. Returns both Axes, or the right one alone in an
    array if no row counts FLOPs.
    """
    both = (cards.card(store.ARTICLE_GPU), *([card] if card else []))
    names = list(dict.fromkeys(map(str, rows.kernel)))
    own = [own] if isinstance(own, str) else list(own) or names
    looks = {name: _look(name, place) for place, name in enumerate(names)}
    counted = _with_intensity(rows)
    if len(counted):
        axes = panels(1, 2, figsize=(11, 5), dpi=150, width_ratios=(2, 3))
        two_cards.classic_rooflines(axes[0], both)
        _points_by_intensity(axes[0], counted, looks, own)
    else:
        axes = np.array([panels(1, 1, figsize=(8, 5), dpi=150)])
    _columns(axes[-1], rows, looks, own)
    two_cards.bandwidth_roofs(axes[-1], both, rows.gb_per_s)
    axes[-1].set_title(title or _headline(rows, own, both))
    _legend(axes[-1], rows)
    return axes


def _look(name: str, place: int) -> tuple[str, str]:
    """Return (colour, marker): a version's own, else those of the place."""
    chosen = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
    return STYLE.get(name, chosen)


def _with_intensity(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that count FLOPs, with FLOP per byte, each kernel's largest size."""
    if not {"flops", "bytes_moved"} <= set(rows.columns):
        return rows[:0]
    counted = rows[(rows.flops.fillna(0) > 0) & (rows.bytes_moved.fillna(0) > 0)]
    largest = counted.groupby("kernel").elements.transform("max")
    counted = counted[counted.elements == largest].drop_duplicates("kernel")
    return counted.assign(intensity=(counted.flops / counted.bytes_moved).astype(float))


def _points_by_intensity(
    axes: Axes, rows: pd.DataFrame, looks: dict[str, tuple[str, str]], own: Sequence[str]
) -> None:
    lowest = axes.get_ylim()[0]
    for row in rows.itertuples():
        rate = row.gb_per_s * row.intensity
        _point(axes, row.intensity, rate, looks[row.kernel], LARGE, row.kernel in own)
        lowest = min(lowest, rate / 2)
    axes.set_ylim(bottom=lowest)


def _columns(
    axes: Axes, rows: pd.DataFrame, looks: dict[str, tuple[str, str]], own: Sequence[str]
) -> None:
    for place, (name, look) in enumerate(looks.items()):
        for method, group in rows[rows.kernel == name].groupby("method", sort=False):
            group = group.sort_values("elements")
            at = place + (COLUMNS.get(str(method), HOT_AT) if _has_both(rows) else HOT_AT)
            sizes = np.linspace(SMALL, LARGE, len(group)) if len(group) > 1 else [LARGE]
            for gb_per_s, size in zip(group.gb_per_s, sizes, strict=True):
                cold = method == "graph cold" and _has_both(rows)
                _point(axes, at, gb_per_s, look, size, name in own, cold)
    axes.set_xlim(-0.6, len(looks) - 0.4 + (COLD_AT if _has_both(rows) else 0))
    letters = LETTERS if len(looks) <= FEW else NARROW
    axes.set_xticks(range(len(looks)), [_broken(name, letters) for name in looks])
    for label, (name, (colour, _)) in zip(axes.get_xticklabels(), looks.items(), strict=True):
        label.set_color(colour if name in own else "#777777")
        label.set_fontsize(9 if len(looks) <= FEW else 7.5)
    axes.grid(axis="x", visible=False)


def _has_both(rows: pd.DataFrame) -> bool:
    return {"graph hot", "graph cold"} <= set(rows.method)


def _broken(name: str, letters: int) -> str:
    """Break a name into lines of so many letters, at its spaces, underscores and dots."""
    lines = [""]
    for word in name.replace("_", " ").split():
        parts = [word] if len(word) <= letters else re.split(r"(?<=\.)(?=\w)", word)
        for place, part in enumerate(parts):
            longer = f"{lines[-1]} {part}".strip()
            fits = place == 0 and len(longer) <= letters
            lines[-1:] = [longer] if fits else [lines[-1], part]
    return "\n".join(line for line in lines if line)


def _point(
    axes: Axes,
    x: float,
    y: float,
    look: tuple[str, str],
    size: float,
    full: bool,
    cold: bool = False,
) -> None:
    colour, marker = look
    axes.plot(
        x,
        y,
        marker,
        color=colour,
        markersize=size,
        markerfacecoloralt="white",
        markeredgecolor=colour if cold else "white",
        markeredgewidth=1.1 if cold else 0.6,
        fillstyle="bottom" if cold else "full",
        alpha=1.0 if full else PALE,
        zorder=3,
    )


def _headline(rows: pd.DataFrame, own: Sequence[str], both: Sequence[cards.Card]) -> str:
    """Say what the first of `own` reaches at its largest count of elements."""
    of_it = rows[rows.kernel == own[0]] if own else rows[:0]
    if of_it.empty:
        return ""
    best = of_it.loc[of_it.elements.astype(int).idxmax()]
    words = f"{own[0]}: {best.gb_per_s:,.0f} GB/s"
    if len(both) < 2:
        return words
    share = best.gb_per_s / both[1].gpu.dram_GBps
    return f"{words}, {share:.0%} of the {two_cards.names(both)[1]}'s DRAM roof"


def _legend(axes: Axes, rows: pd.DataFrame) -> None:
    """Tell hot from cold, and what the sizes of the points mean, where there are several."""
    sizes = [elements_name(int(size)) for size in sorted(rows.elements.unique())]
    look = {"marker": "o", "color": GREY, "linestyle": "", "markersize": 7}
    cold = {"fillstyle": "bottom", "markerfacecoloralt": "white"}
    handles = []
    if _has_both(rows):
        handles = [
            Line2D([], [], label="hot", **look),
            Line2D([], [], label="cold", **look, **cold),
        ]
    several = 1 < len(sizes) <= 4
    if not handles and not several:
        return
    axes.legend(
        handles=handles,
        title=f"small to large: {', '.join(sizes)} elements" if several else None,
        loc="lower left",
        fontsize=8.5,
        title_fontsize=8.5,
        ncols=2,
        frameon=True,
        edgecolor="none",
        framealpha=1,
    )
