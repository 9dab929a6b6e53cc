"""Draw what holds a launch: its blocks over time, and where a kernel stands in the ceilings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from helpers.model import ceilings
from helpers.model.arguments import checked
from helpers.model.block_launch import launch_blocks
from helpers.model.cards import Card
from helpers.model.launch_shape import LaunchShape
from helpers.model.terms import blocks_per_sm
from helpers.teach.plots.style import BLUE, GREY, ROOF, log_ticks

L1_SECTORS = "L1 sectors"
MARKS = {  # no colour of a version, which the rows are named after
    ceilings.LAUNCH: ("#888888", "o"),
    ceilings.BLOCK_RATE: ("#8B1A1A", "s"),
    ceilings.IN_FLIGHT: ("#808000", "^"),
    L1_SECTORS: ("#6A3D9A", "D"),
    ceilings.L2: ("#5F6B7A", "v"),
    ceilings.DRAM: ("#1B2A49", "P"),
}
SHOWN_US = 3.0


@checked
def blocks_over_time(axes: Axes, shape: LaunchShape, card: Card, title: str = "") -> Axes:
    """Draw the resident blocks of a long launch against time (us), and the places for blocks.

    By the model: the card's block launch rate, and the residency on an idle memory.
    """
    per_us = card.blocks_per_second(shape.block_size) / 1e6
    places = card.gpu.sm_count * blocks_per_sm(shape, card.gpu)
    blocks = int(SHOWN_US * per_us) + places
    residency_us = (
        ceilings.predict(shape, blocks * shape.elements_per_block, card, hot=False).residency_ns
        / 1e3
    )
    launch = launch_blocks(blocks, per_us, places, residency_us)
    times = np.linspace(0, SHOWN_US, 600)
    started = np.searchsorted(launch.starts_us, times, side="right")
    resident = started - np.searchsorted(launch.ends_us, times, side="right")
    axes.fill_between(times, resident, step="post", color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(times, resident, color=BLUE, linewidth=1.6)
    axes.axhline(places, color=ROOF, linestyle="--", linewidth=1.2)
    axes.annotate(
        f"{places:,} places",
        (SHOWN_US, places),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8.5,
    )
    full = resident.max() >= places
    words = "all places taken" if full else f"never more than {resident.max():,} resident"
    axes.set(xlim=(0, SHOWN_US), ylim=(0, 1.18 * places))
    axes.set(xlabel="time since the first block (us)", ylabel="resident blocks")
    axes.set_title(f"{title}\n{words}" if title else words)
    return axes


@checked
def ceiling_places(
    axes: Axes, kernels: Mapping[str, Mapping[str, float]], measured: Mapping[str, float]
) -> Axes:
    """Draw each kernel's ceilings in a row (us, log), the highest large, and its measured time.

    kernels: name -> {ceiling: us}, as `Prediction.ceilings`, perhaps with `L1_SECTORS`.
    measured: name -> us; a name without a time has no line.
    """
    for row, (name, each) in enumerate(kernels.items()):
        highest = max(each, key=each.__getitem__)
        axes.plot(
            [min(each.values()), each[highest]], [row, row], color="#cccccc", lw=1, zorder=1
        )
        for ceiling, time_us in each.items():
            colour, marker = MARKS[ceiling]
            size = 11 if ceiling == highest else 5.5
            axes.plot(time_us, row, marker, color=colour, markersize=size, zorder=3)
        if name in measured:
            axes.plot(
                [measured[name]] * 2, [row - 0.36, row + 0.36], color=ROOF, lw=2, zorder=2
            )
    axes.set(xscale="log", xlabel="time that each ceiling alone would take (us)")
    axes.set_ylim(len(kernels) - 0.4, -0.6)
    axes.set_yticks(range(len(kernels)), list(kernels))
    axes.grid(axis="y", visible=False)
    log_ticks(axes.xaxis)
    used = [c for c in MARKS if any(c in each for each in kernels.values())]
    handles = [
        Line2D([], [], color=MARKS[c][0], marker=MARKS[c][1], linestyle="", label=c)
        for c in used
    ]
    handles.append(Line2D([], [], color=ROOF, lw=2, label="measured"))
    axes.legend(
        handles=handles, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.17), fontsize=8.5
    )
    axes.tick_params(axis="y", colors="black")
    axes.spines["left"].set_color(GREY)
    return axes
