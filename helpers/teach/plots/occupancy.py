"""Draw occupancy against each resource, and what the block size changes."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from helpers import specs
from helpers.model import ladder, occupancy
from helpers.model.arguments import checked
from helpers.teach.plots.style import ON_WHITE, ROOF, label_ends, log_ticks, version_style

STEPS = (("#222222", "-"), ("#D55E00", "--"), ("#0072B2", ":"))


@checked
def occupancy_steps(
    axes: Axes,
    x: Sequence[float],
    fractions: Sequence[float],
    xlabel: str,
    at: float | None = None,
    label: str = "",
) -> Axes:
    """Draw occupancy (%) against one resource, as a staircase; 0% where no block fits.

    x, fractions: from helpers.model.occupancy.occupancy_by_*. at: the x of a point to mark.
    label: of the line. Up to three staircases on the same Axes differ in colour and dashes.
    """
    drawn = sum(line.get_drawstyle() == "steps-mid" for line in axes.lines)
    colour, dashes = STEPS[drawn % len(STEPS)]
    percent = 100 * np.asarray(fractions)
    label = label or None
    axes.step(x, percent, dashes, where="mid", color=colour, linewidth=1.6, label=label)
    if at is not None:
        nearest = int(np.argmin(np.abs(np.asarray(x) - at)))
        place = (x[nearest], percent[nearest])
        axes.plot(*place, "o", color=colour, markeredgecolor="black", zorder=4)
        text = f"{percent[nearest]:.4g}%"
        axes.annotate(text, place, xytext=(6, 5), textcoords="offset points", bbox=ON_WHITE)
        *lower, _ = sorted(axes.texts, key=lambda mark: mark.xy[1])
        for mark in lower:  # above on the right another staircase may come down
            mark.set(position=(-6, -5), horizontalalignment="right", verticalalignment="top")
    axes.set(xlabel=xlabel, ylabel="occupancy (%)", ylim=(0, 112))
    return axes


@checked
def occupancy_panels(
    axes: Sequence[Axes], cc: str, block_size: int, registers: int, shared_bytes: int = 0
) -> str:
    """Draw a kernel's occupancy in four Axes: what each resource allows, then three sweeps.

    The sweeps are over threads per block, registers per thread and shared memory per block.
    Returns the limit, or why the launch is impossible, as a sentence.
    """
    try:
        result = occupancy.occupancy(cc, block_size, registers, shared_bytes)
        words, limits, binding = str(result), result.limits, result.binding
    except ValueError as error:
        words, limits, binding = f"impossible: {error}", {}, ()
    _limit_bars(axes[0], limits, binding)
    x, fractions = occupancy.occupancy_by_block_size(cc, registers, shared_bytes)
    occupancy_steps(axes[1], x, fractions, "threads per block", block_size)
    x, fractions = occupancy.occupancy_by_registers(cc, block_size, shared_bytes)
    occupancy_steps(axes[2], x, fractions, "registers per thread", registers)
    amounts, fractions = occupancy.occupancy_by_shared_bytes(cc, block_size, registers)
    x = [amount / 1024 for amount in amounts]
    occupancy_steps(axes[3], x, fractions, "shared memory per block (KB)", shared_bytes / 1024)
    return words


def _limit_bars(axes: Axes, limits: dict[str, float], binding: Sequence[str]) -> None:
    """Draw how many blocks each resource allows; the resources in `binding` are dark."""
    shown = {name: limit for name, limit in limits.items() if np.isfinite(limit)}
    colours = ["#222222" if name in binding else "#bbbbbb" for name in shown]
    axes.barh(list(shown), list(shown.values()), color=colours)
    for place, limit in enumerate(shown.values()):
        axes.text(limit, place, f" {limit:.0f}", va="center")
    axes.invert_yaxis()
    axes.set_axisbelow(True)
    axes.set(xlabel="blocks allowed by each resource (dark: the limit)")


@checked
def blocks_in_sm(
    axes: Axes, cc: str, block_size: int, registers: int, shared_bytes: int = 0
) -> Axes:
    """Draw the warp slots of an SM, by sub-partition, in the colour of the block that has each.

    Warps are dealt out to the sub-partitions in turn; a slot that stays empty is white. Raises
    ValueError for a launch that is impossible.
    """
    held = occupancy.occupancy(cc, block_size, registers, shared_bytes)
    sm = specs.compute_capability(cc)
    parts = sm.sm_subpartitions_schedulers
    columns = sm.max_warps_per_sm // parts
    colours = plt.get_cmap("tab20")
    for warp in range(sm.max_warps_per_sm):
        block, place = (
            warp // occupancy.warps_per_block(block_size),
            (warp // parts, warp % parts),
        )
        empty = warp >= held.warps
        face = "white" if empty else colours(block % 20)
        box = Rectangle(place, 0.94, 0.9, facecolor=face, edgecolor="#888888", linewidth=0.8)
        axes.add_patch(box)
        if not empty:
            middle = (place[0] + 0.47, place[1] + 0.45)
            axes.text(*middle, str(block), ha="center", va="center", fontsize=8)
    axes.set(xlim=(-0.2, columns), ylim=(parts, -0.2), xlabel="warp slots of a sub-partition")
    axes.set_yticks(
        [part + 0.45 for part in range(parts)], [str(part) for part in range(parts)]
    )
    axes.set(xticks=[], ylabel="sub-partition", title=str(held))
    axes.grid(False)
    return axes


@checked
def block_sweep(
    axes: Sequence[Axes], rows: pd.DataFrame, cc: str, block_rate: float | None = None
) -> Sequence[Axes]:
    """Draw one size against the block size in three Axes: bandwidth, occupancy, blocks per us.

    rows: kernel, elements, block_size, time_us, gb_per_s, of one element count.
    cc: whose occupancy is drawn, for kernels of up to 32 registers.
    block_rate: blocks per second that the card can start, drawn as a roof.
    """
    sizes = sorted(int(size) for size in rows.block_size.unique())
    ends = []
    for kernel, group in rows.groupby("kernel", sort=False):
        group = group.sort_values("block_size")
        colour, marker = version_style(kernel)
        x = group.block_size.to_numpy(int)
        gb_per_s = group.gb_per_s.to_numpy(float)
        blocks = np.ceil(
            group.elements.to_numpy(int) / (ladder.SHAPES[kernel].elements_per_thread * x)
        )
        look = {"marker": marker, "color": colour, "linewidth": 1.4}
        axes[0].plot(x, gb_per_s, **look)
        axes[2].plot(x, blocks / group.time_us.to_numpy(float), **look)
        ends.append((float(x[-1]), float(gb_per_s[-1]), kernel, colour))
    _, fractions = occupancy.occupancy_by_block_size(cc, 32, block_sizes=sizes)
    axes[1].plot(sizes, [100 * fraction for fraction in fractions], "k.-", linewidth=1.4)
    axes[0].set(ylabel="bandwidth (GB/s)", ylim=(0, float(rows.gb_per_s.max()) * 1.12))
    axes[1].set(ylabel="occupancy (%)", ylim=(0, 112))
    axes[2].set(ylabel="blocks per µs", yscale="log", xlabel="threads per block")
    log_ticks(axes[2].yaxis)
    if block_rate:
        _block_rate_roof(axes[2], block_rate / 1e6, sizes[-1])
    _block_size_ticks(axes, sizes)
    label_ends(axes[0], ends)
    return axes


def _block_rate_roof(axes: Axes, blocks_per_us: float, right: int) -> None:
    """Draw how many blocks the card can start in a microsecond, named at the right end."""
    axes.axhline(blocks_per_us, color=ROOF, linewidth=1.2)
    text = f"the card starts {blocks_per_us:,.0f} blocks per µs"
    place = {"xytext": (0, 3), "textcoords": "offset points", "ha": "right"}
    axes.annotate(text, (right, blocks_per_us), fontsize=8.5, **place)


def _block_size_ticks(axes: Sequence[Axes], sizes: Sequence[int]) -> None:
    """Make the x axes logarithmic and label only the block sizes 2^k and 3 * 2^k."""
    named = [
        size
        for size in sizes
        if size.bit_count() == 1 or (size % 3 == 0 and (size // 3).bit_count() == 1)
    ]
    for panel in axes:
        panel.set(xscale="log")
        panel.set_xticks(named, [str(size) for size in named])
        panel.minorticks_off()
