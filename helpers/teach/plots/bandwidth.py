"""Draw bandwidth (GB/s): a version by size, the ladder's bars, hot and cold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from helpers import specs
from helpers.measure import store
from helpers.model.arguments import checked
from helpers.teach.plots.style import (
    ROOF,
    elements_axis,
    known_card,
    label_ends,
    log_ticks,
    new,
    plain,
    roof_line,
    version_style,
)

ARTICLE_GPU = "GeForce RTX 5090"
ARTICLE_ROOF = "RTX 5090 DRAM roof"


@checked
def bandwidth_chart(here: pd.DataFrame, title: str, kernels: Sequence[str]) -> Axes:
    """Draw one version by size beside the article's points, with both cards' DRAM roofs.

    here: rows of one GPU (kernel, elements, dtype, gb_per_s, gpu), filled markers.
    kernels: whose points of the article are drawn, with hollow markers.
    """
    axes = new(title)
    short = str(here.gpu.iloc[0]).removeprefix("NVIDIA ")
    article = store.article()
    article = article[article.kernel.isin(kernels) & article.dtype.isin(here.dtype.unique())]
    roofs = {ARTICLE_ROOF: specs.gpu(ARTICLE_GPU).dram_GBps}
    if card := known_card(here):
        roofs[f"{short} DRAM roof"] = card.dram_GBps
    ends = _bandwidth_lines(axes, article, True, " (RTX 5090)")
    ends += _bandwidth_lines(axes, here, False, f" ({short})")
    elements_axis(axes, sorted({int(size) for size in (*here.elements, *article.elements)}))
    axes.set_ylim(0, max(here.gb_per_s.max(), article.gb_per_s.max(), *roofs.values()) * 1.1)
    for name, roof in roofs.items():
        roof_line(axes, roof, name, dashed=name != ARTICLE_ROOF)
    label_ends(axes, ends)
    return axes


def _bandwidth_lines(
    axes: Axes, rows: pd.DataFrame, hollow: bool, suffix: str
) -> list[tuple[float, float, str, str]]:
    """Draw a line for each kernel. Returns where each ends, its name and its colour."""
    ends = []
    for kernel, group in rows.groupby("kernel", sort=False):
        group = group.sort_values("elements")
        colour, marker = version_style(kernel)
        axes.plot(
            group.elements,
            group.gb_per_s,
            marker=marker,
            color=colour,
            markerfacecolor="white" if hollow else colour,
            linestyle=":" if hollow else "--" if " x" in kernel else "-",
            linewidth=1.4,
        )
        last = group.iloc[-1]
        ends.append((float(last.elements), float(last.gb_per_s), f"{kernel}{suffix}", colour))
    return ends


@checked
def bandwidth_bars(axes: Axes, here: pd.DataFrame, other: pd.DataFrame, elements: int) -> Axes:
    """Draw bars of bandwidth (GB/s) at one size: `here` filled, `other`, another card, hollow.

    Rows: kernel, dtype, elements, gb_per_s, gpu. The DRAM roof of each known card is drawn.
    """
    frames = [frame[frame.elements == elements] for frame in (here, other)]
    names = [f"{row.kernel}\n{row.dtype}" for row in frames[0].itertuples()]
    for frame, offset, hollow in zip(frames, (-0.2, 0.2), (False, True), strict=True):
        by_name = {f"{row.kernel}\n{row.dtype}": row for row in frame.itertuples()}
        for place, name in enumerate(names):
            if row := by_name.get(name):
                colour, _ = version_style(row.kernel)
                face = "white" if hollow else colour
                axes.bar(place + offset, row.gb_per_s, 0.38, color=face, edgecolor=colour)
    axes.set_xticks(np.arange(len(names)), names, fontsize=7.5)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("bandwidth (GB/s)")
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    for frame, dashed in zip(frames, (True, False), strict=True):
        if card := known_card(frame):
            roof_line(axes, card.dram_GBps, f"{card.name} DRAM", dashed, outside=True)
    axes.annotate(
        f"filled: {here.gpu.iloc[0]}; hollow: {other.gpu.iloc[0]}",
        (1, 1.02),
        xycoords="axes fraction",
        ha="right",
        fontsize=8.5,
    )
    return axes


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
