"""Draw the threads, masks and shuffles of a warp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from helpers.model import divergence, warps
from helpers.model.arguments import checked

TINTS = ("#cfe3f5", "#fde3c2", "#d3ecd9", "#f3d5e4", "#e3e3e3", "#fff3b0", "#cdeef2", "#e6dcf2")
SIDE_COLOURS = {"A": "#0072B2", "B": "#E69F00"}
MASKED = "#f2f2f2"
DARK = "#222222"


@checked
def warp_map(
    axes: Axes, layout: warps.ThreadLayout, z: int = 0, show: str = "warp", title: str = ""
) -> Axes:
    """Draw the threads of one z-plane of a block as cells, tinted by warp; x across, y down.

    layout: from helpers.model.warps.thread_layout. Dark lines divide the warps.
    show: the number in each cell, "warp", "lane" or "linear".
    """
    warp, numbers = layout.warp[z], getattr(layout, show)[z]
    rows, columns = warp.shape
    for (y, x), number in np.ndenumerate(numbers):
        tint = TINTS[warp[y, x] % len(TINTS)]
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color=tint, linewidth=0))
        axes.text(x, y, str(number), ha="center", va="center", fontsize=6.5)
        if x + 1 < columns and warp[y, x] != warp[y, x + 1]:
            axes.plot([x + 0.5, x + 0.5], [y - 0.5, y + 0.5], color=DARK, linewidth=1.3)
        if y + 1 < rows and warp[y, x] != warp[y + 1, x]:
            axes.plot([x - 0.5, x + 0.5], [y + 0.5, y + 0.5], color=DARK, linewidth=1.3)
    axes.grid(False)
    axes.set(xlim=(-0.6, columns - 0.4), ylim=(rows - 0.4, -0.6))
    axes.set(xlabel="threadIdx.x", ylabel="threadIdx.y")
    axes.set_xticks(range(0, columns, max(1, columns // 8)))
    axes.set_yticks(range(0, rows, max(1, rows // 8)))
    plane = f", z = {z}" if layout.block[2] > 1 else ""
    axes.set_title(title or f"{show} of each thread{plane}")
    axes.set_aspect("equal")
    return axes


@checked
def mask_timeline(axes: Axes, spans: Sequence[divergence.MaskSpan], title: str = "") -> Axes:
    """Draw one warp over time, a row for each lane: dark where the lane works, else masked off.

    spans: from helpers.model.divergence.mask_timeline.
    """
    lanes = len(spans[0].mask)
    for span in spans:
        cycles = span.stop - span.start
        for lane, active in enumerate(span.mask):
            colour = SIDE_COLOURS[span.side] if active else MASKED
            axes.barh(lane, cycles, 0.82, left=span.start, color=colour, linewidth=0)
        text = f"{span.side}: {span.active} of {lanes} lanes"
        middle = ((span.start + span.stop) / 2, -1.2)
        axes.annotate(text, middle, ha="center", va="bottom", fontsize=8.5)
        axes.axvline(span.stop, color=DARK, linewidth=0.8)
    axes.grid(False)
    axes.set(xlim=(0, max(span.stop for span in spans)), ylim=(lanes - 0.5, -4.5))
    axes.set(xlabel="cycles", ylabel="lane", title=title)
    axes.set_yticks(range(0, lanes, 4))
    return axes


@checked
def shuffle_rounds(
    axes: Axes, rows: np.ndarray, offsets: Sequence[int], title: str = ""
) -> Axes:
    """Draw a warp's values before and after each round of a sum by shuffles.

    rows: [rounds + 1, lanes], from helpers.model.warps.down_sum_rounds. Lines lead from the
    lanes that were read; dark is what ends up in lane 0.
    """
    rows = np.asarray(rows)
    lanes = rows.shape[1]
    for r, offset in enumerate(offsets):
        for lane in range(lanes):
            # The other lanes compute, too, but their results are not read any more.
            used = lane < offset
            look = ("#0072B2", 1.1, 2) if used else ("#d8d8d8", 0.5, 1)
            for source in (lane, lane + offset if lane + offset < lanes else lane):
                axes.plot(
                    [source, lane],
                    [r + 0.16, r + 0.84],
                    **dict(zip(("color", "linewidth", "zorder"), look, strict=True)),
                )
    for r, row in enumerate(rows):
        for lane, value in enumerate(row):
            used = lane < lanes >> r
            axes.text(
                lane,
                r,
                f"{value:g}",
                ha="center",
                va="center",
                fontsize=6.5 if used else 5,
                fontweight="bold" if used else "normal",
                color="#000000" if used else "#999999",
            )
    axes.grid(False)
    axes.set(xlim=(-0.8, lanes - 0.2), ylim=(len(rows) - 0.6, -0.5), xlabel="lane", title=title)
    axes.set_xticks(range(0, lanes, 4))
    axes.set_yticks(range(len(rows)), ["before", *(f"offset {offset}" for offset in offsets)])
    axes.spines["left"].set_visible(False)
    return axes
