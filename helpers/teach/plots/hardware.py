"""Draw what the hardware does with a warp: sectors, banks, the schedulers' cycles."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch, Rectangle

from helpers.model import coalescing, scheduler
from helpers.model.arguments import checked

STATES = {
    scheduler.State.STALLED: ("stalled", "#e4e4e4"),
    scheduler.State.READY: ("ready", "#56B4E9"),
    scheduler.State.ISSUED: ("issues", "#B2182B"),
    scheduler.State.DONE: ("done", "#ffffff"),
}


@checked
def sector_map(axes: Axes, grid: coalescing.SectorGrid, title: str = "") -> Axes:
    """Draw one request of a warp: a row for each lane, a column for each 32-byte sector.

    A cell holds the bytes that the lane takes from the sector; the line above the map, how many
    of the sector's 32 bytes any lane takes. Dark vertical lines divide the 128-byte lines.
    grid: from helpers.model.coalescing.sector_grid.
    """
    cells = np.array(grid.cells)
    axes.imshow(np.where(cells, cells, np.nan), cmap="Blues", vmin=-8, vmax=36, aspect="auto")
    centred = {"ha": "center", "va": "center"}
    for lane, column in zip(*np.nonzero(cells), strict=True):
        axes.text(column, lane, cells[lane, column], fontsize=6.5, **centred)
    for column, used in enumerate(cells.sum(axis=0)):
        axes.text(column, -1.1, f"{used}", fontsize=7.5, fontweight="bold", **centred)
    for column, sector in enumerate(grid.sectors):
        new_line = column == 0 or sector // 4 != grid.sectors[column - 1] // 4
        colour, width = ("#222222", 1.4) if new_line else ("#cccccc", 0.6)
        axes.axvline(column - 0.5, color=colour, linewidth=width)
    axes.axvline(len(grid.sectors) - 0.5, color="#222222", linewidth=1.4)
    axes.grid(False)
    names = [str(sector) for sector in grid.sectors]
    axes.set_xticks(range(len(grid.sectors)), names, fontsize=7.5)
    axes.set_yticks(range(0, len(cells), 4))
    axes.set_ylim(len(cells) - 0.5, -2)
    axes.set(xlabel="sector (32 bytes)", ylabel="lane", title=title)
    return axes


@checked
def bank_map(axes: Axes, banks: np.ndarray, column: int = 0, title: str = "") -> Axes:
    """Draw a tile of shared memory coloured by bank, with one column outlined.

    banks: [rows, columns], from helpers.model.shared_memory.tile_banks.
    """
    axes.imshow(banks, cmap="twilight", vmin=0, vmax=31)
    corner = (column - 0.5, -0.5)
    outline = {"fill": False, "edgecolor": "#B2182B", "linewidth": 2, "clip_on": False}
    axes.add_patch(Rectangle(corner, 1, len(banks), **outline))
    axes.grid(False)
    different = len(np.unique(banks[:, column]))
    title += f"column {column} lies in {different} bank{'s' * (different > 1)}"
    axes.set(xlabel="column", ylabel="row", title=title)
    return axes


@checked
def schedule_timeline(axes: Axes, schedule: scheduler.Schedule, cycles: int = 80) -> Axes:
    """Draw the schedulers' first cycles: a row for each warp, a cell for each cycle, by state.

    schedule: from helpers.model.scheduler.simulate. A legend names the states.
    """
    shown = schedule.state[:, :cycles]
    colours = ListedColormap([colour for _, colour in STATES.values()])
    axes.imshow(shown, cmap=colours, vmin=0, vmax=3, aspect="auto")
    axes.set_yticks(range(schedule.warps))
    axes.set_xticks(range(0, shown.shape[1], 10))
    axes.set_yticks(np.arange(-0.5, schedule.warps), minor=True)
    axes.grid(False)
    axes.grid(which="minor", axis="y", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    axes.set(xlabel="cycle", ylabel="warp")
    patches = [
        Patch(facecolor=colour, edgecolor="#888888", label=name)
        for name, colour in list(STATES.values())[:3]
    ]
    above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0.2}
    axes.legend(handles=patches, ncol=3, **above)
    return axes


@checked
def schedule_counts(axes: Axes, schedule: scheduler.Schedule, bin_cycles: int = 1) -> Axes:
    """Draw how many warps issue, are ready and are stalled against the cycle, stacked.

    Each value is the mean over a bin of `bin_cycles` cycles; a last bin cut short is left out.
    """
    bins = schedule.cycles // bin_cycles
    kinds = (scheduler.State.ISSUED, scheduler.State.READY, scheduler.State.STALLED)
    counts = [
        schedule.count(kind)[: bins * bin_cycles].reshape(bins, bin_cycles).mean(axis=1)
        for kind in kinds
    ]
    names, colours = zip(*(STATES[kind] for kind in kinds), strict=True)
    x = np.arange(bins) * bin_cycles
    axes.stackplot(x, counts, labels=names, colors=colours, step="post", edgecolor="none")
    axes.set(xlabel="cycle", ylabel="warps", ylim=(0, schedule.warps))
    axes.set_xlim(0, (bins - 1) * bin_cycles)
    axes.grid(False)
    return axes
