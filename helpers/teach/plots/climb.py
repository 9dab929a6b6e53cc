"""Draw the ladder's picture: each version so far below the roofs of two cards.

The same picture stands in every lesson of the ladder, so that one sees it climb.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from helpers.errors import UnknownNameError
from helpers.measure import store
from helpers.model import cards, ladder
from helpers.model.arguments import checked
from helpers.teach.plots import two_cards
from helpers.teach.plots.style import (
    GREY,
    elements_name,
    panels,
    version_style,
)

PALE = 0.5  # opacity of the versions of earlier lessons
SMALL, LARGE = 4.5, 9.5  # marker sizes of the smallest and the largest count of elements
# FLOP per byte of C = A + B: one addition, two elements read and one written.
ADD_INTENSITY = {"float32": 1 / 12, "float16": 1 / 6, "bfloat16": 1 / 6}
# Where the columns of a version stand: the article's, this machine's hot and cold ones.
ARTICLE_AT, HOT_AT, COLD_AT = -0.27, 0.0, 0.27
COLUMNS = {"graph hot": HOT_AT, "wall clock": HOT_AT, "graph cold": COLD_AT}


@checked
def ladder_rooflines(here: pd.DataFrame, version: str, card: cards.Card) -> np.ndarray:
    """Draw the rooflines of the article's card and of this machine, and the versions so far.

    Left: the classic roofline with the roofs of DRAM, L2 and float32 arithmetic of both cards,
    and `version` at the largest count of elements. Right: bandwidth (GB/s) by version, the
    article's points hollow, this machine's filled, cold ones half; `version` in full colour.

    here: rows of one GPU (kernel, elements, dtype, method, gb_per_s, gpu); kernels that are not
    of the ladder, and later versions, are not drawn. card: the constants of that GPU.
    Returns both Axes. Raises UnknownNameError for a version that is not of the ladder.
    """
    if version not in ladder.NAMES:
        raise UnknownNameError(f"no version {version!r}; there are {', '.join(ladder.NAMES)}")
    so_far = ladder.VERSIONS[: ladder.NAMES.index(version) + 1]
    both = (cards.card(store.ARTICLE_GPU), card)
    axes = panels(1, 2, figsize=(11, 5), dpi=150, width_ratios=(2, 3))
    frames = [
        rows[rows.kernel.isin([v.name for v in so_far])] for rows in (store.article(), here)
    ]
    _rooflines(axes[0], both, so_far[-1], frames)
    _versions(axes[1], both, so_far, frames)
    return axes


# ---- left: the classic roofline --------------------------------------------------------------


def _rooflines(
    axes: Axes,
    both: Sequence[cards.Card],
    version: ladder.Version,
    frames: Sequence[pd.DataFrame],
) -> None:
    two_cards.classic_rooflines(axes, both)
    intensity = ADD_INTENSITY[version.dtypes[0]]
    axes.axvline(intensity, color=version.colour, linewidth=6, alpha=0.18, zorder=0)
    axes.annotate(
        f"C = A + B, {version.dtypes[0]}",
        (intensity, 2.5e5),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=version.colour,
    )
    for rows, hollow in zip(frames, (True, False), strict=True):
        own = rows[(rows.kernel == version.name) & (rows.elements == rows.elements.max())]
        for row in own[:1].itertuples():
            _point(axes, intensity, row.gb_per_s * intensity, version, LARGE, hollow)


# ---- right: bandwidth by version -------------------------------------------------------------


def _versions(
    axes: Axes,
    both: Sequence[cards.Card],
    so_far: Sequence[ladder.Version],
    frames: Sequence[pd.DataFrame],
) -> None:
    article, here = frames
    for place, version in enumerate(so_far):
        opacity = 1.0 if version is so_far[-1] else PALE
        of_article = article[article.kernel == version.name]
        _column(axes, place + ARTICLE_AT, of_article, version, opacity, hollow=True)
        for method, rows in here[here.kernel == version.name].groupby("method", sort=False):
            at = place + COLUMNS.get(str(method), HOT_AT)
            _column(axes, at, rows, version, opacity, cold=method == "graph cold")
    axes.set_xlim(-0.6, len(ladder.VERSIONS) - 0.4)
    axes.set_xticks(
        range(len(ladder.VERSIONS)),
        [f"{v.label}\n{v.name.partition('_')[2]}" for v in ladder.VERSIONS],
    )
    for label, version in zip(axes.get_xticklabels(), ladder.VERSIONS, strict=True):
        label.set_color("black" if version in so_far else "#bbbbbb")
        label.set_fontweight("bold" if version is so_far[-1] else "normal")
    axes.grid(axis="x", visible=False)
    two_cards.bandwidth_roofs(axes, both, pd.concat([article.gb_per_s, here.gb_per_s]))
    axes.set_title(_headline(both, so_far[-1], article, here))
    _legend(axes, both, here)


def _headline(
    both: Sequence[cards.Card],
    version: ladder.Version,
    article: pd.DataFrame,
    here: pd.DataFrame,
) -> str:
    """Say what the version reaches at the largest count of elements that both have."""
    own = [rows[rows.kernel == version.name] for rows in (article, here)]
    shared = set(own[0].elements) & set(own[1].elements)
    if not shared:
        return version.label
    most = max(shared)
    there, now = (rows[rows.elements == most].gb_per_s.iloc[0] for rows in own)
    name, this = two_cards.names(both)
    return (
        f"{version.label} at {elements_name(int(most))}: {now:,.0f} GB/s on "
        f"{this}, {there:,.0f} on the article's {name}"
    )


def _column(
    axes: Axes,
    at: float,
    rows: pd.DataFrame,
    version: ladder.Version,
    opacity: float,
    hollow: bool = False,
    cold: bool = False,
) -> None:
    """Draw one version's points of one card by size, linked, small to large."""
    rows = rows.sort_values("elements")
    sizes = np.linspace(SMALL, LARGE, max(len(rows), 2))
    axes.plot(
        [at] * len(rows),
        rows.gb_per_s,
        color=version.colour,
        alpha=opacity / 2,
        lw=0.8,
        zorder=2,
    )
    for gb_per_s, size in zip(rows.gb_per_s, sizes, strict=False):
        _point(axes, at, gb_per_s, version, size, hollow, cold, opacity)


def _point(
    axes: Axes,
    x: float,
    y: float,
    version: ladder.Version,
    size: float,
    hollow: bool,
    cold: bool = False,
    opacity: float = 1.0,
) -> None:
    colour, marker = version_style(version.name)
    axes.plot(
        x,
        y,
        marker,
        color=colour,
        markersize=size,
        markerfacecolor="white" if hollow else colour,
        markerfacecoloralt="white",
        markeredgecolor=colour if hollow or cold else "white",
        markeredgewidth=1.1 if hollow or cold else 0.6,
        fillstyle="bottom" if cold else "full",
        alpha=opacity,
        zorder=3,
    )


def _legend(axes: Axes, both: Sequence[cards.Card], here: pd.DataFrame) -> None:
    sizes = [elements_name(int(size)) for size in sorted(here.elements.unique())]
    look = {"marker": "o", "color": GREY, "linestyle": "", "markersize": 7}
    article, this = map(two_cards.in_legend, two_cards.names(both))
    looks = [(f"{article}, the article's", {"markerfacecolor": "white"})]
    if (here.method != "graph cold").any():
        looks.append((f"{this}, hot", {}))
    if (here.method == "graph cold").any():
        looks.append((f"{this}, cold", {"fillstyle": "bottom", "markerfacecoloralt": "white"}))
    axes.legend(
        handles=[Line2D([], [], label=label, **look, **more) for label, more in looks],
        title=f"small to large: {', '.join(sizes)} elements" if sizes else None,
        loc="lower right",
        fontsize=8.5,
        title_fontsize=8.5,
        ncols=len(looks),
        borderaxespad=0.1,
        frameon=True,
        edgecolor="none",
        framealpha=1,
    )
