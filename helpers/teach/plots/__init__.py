"""Every plot of the course, in one style: Axes in, Axes out. A version has the same colour and marker everywhere.

Nothing here measures. A plot of recorded data names the card that made it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from helpers import specs
from helpers.model import coalescing, ladder, occupancy, warps

STYLE = {version.name: (version.colour, version.marker) for version in ladder.VERSIONS}
STYLE["torch.add"] = ("#555555", "X")
OTHER = ("#000000", "*")
ROOF = "#222222"
ON_WHITE = {
    "boxstyle": "square,pad=0.1",
    "facecolor": "white",
    "edgecolor": "none",
}  # text that crosses a line
ARTICLE_GPU = "GeForce RTX 5090"
ADD_INTENSITY = {
    "float32": 1 / 12,
    "float16": 1 / 6,
    "bfloat16": 1 / 6,
}  # FLOP per byte of C = A + B

plt.rcParams.update(
    {
        "figure.figsize": (7.2, 4.0),
        "figure.dpi": 100,
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
)


def style(kernel: str) -> tuple[str, str]:
    """(colour, marker) of a version."""
    return STYLE.get(kernel.split(" x")[0], OTHER)


def new(title: str = "", **options) -> Axes:
    """An empty Axes with a title."""
    _, axes = plt.subplots(**options)
    axes.set_title(title)
    return axes


def _log(axis, formatter) -> None:
    axis.set_major_formatter(FuncFormatter(formatter))
    axis.set_minor_formatter(NullFormatter())


def _plain(value: float, _=None) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def elements_name(elements: int) -> str:
    """1048576 -> "1M", 65536 -> "64K": powers of two as the article writes them."""
    for size, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if elements >= size and elements % size == 0:
            return f"{elements // size}{letter}"
    return f"{elements:,}"


def roof_line(
    axes: Axes, gb_per_s: float, label: str, dashed: bool = False, outside: bool = False
) -> Axes:
    """A horizontal roof with its name and its height on it, or right of the axes, in a chart of bandwidth."""
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


def roofline(
    axes: Axes, cards: Sequence[specs.Gpu], measured: Mapping[str, float] | None = None
) -> Axes:
    """The classic roofline: attainable float32 GFLOP/s against arithmetic intensity in FLOP/byte, log-log.

    cards: each draws its roof min(peak, intensity x DRAM bandwidth), named on the line.
    measured: DRAM bandwidth reached, GB/s, by card name: a dashed roof below the specified one.
    Source: Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
    """
    intensity = np.geomspace(1 / 64, 512, 200)
    for index, card in enumerate(cards):
        peak = (card.fp32_TFLOPS or float("nan")) * 1e3
        style_of = ["-", "-.", ":"][index % 3]
        roof = np.fmin(peak, intensity * card.dram_GBps)
        axes.plot(intensity, roof, color=ROOF, linestyle=style_of, linewidth=1.6, zorder=1)
        axes.annotate(
            f"{card.name}: {card.dram_GBps:,.0f} GB/s, {card.fp32_TFLOPS:g} TFLOP/s",
            (512, peak),
            ha="right",
            va="bottom" if index == 0 else "top",
            xytext=(0, 3 if index == 0 else -4),
            textcoords="offset points",
            fontsize=8.5,
            bbox=ON_WHITE,
        )
        if measured and card.name in measured:
            axes.plot(
                intensity,
                np.fmin(peak, intensity * measured[card.name]),
                "--",
                color="#888888",
                linewidth=1,
            )
    axes.set(xscale="log", yscale="log", xlim=(1 / 64, 600))
    axes.set_xlabel("arithmetic intensity (FLOP per byte of DRAM traffic)")
    axes.set_ylabel("attainable float32 (GFLOP/s)")
    _log(axes.xaxis, lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:.0f}")
    axes.xaxis.set_major_locator(LogLocator(base=4))
    _log(axes.yaxis, _plain)
    return axes


def intensity_line(axes: Axes, flop_per_byte: float, label: str) -> Axes:
    """A vertical dashed line at an arithmetic intensity, with its name along it."""
    axes.axvline(flop_per_byte, color="#888888", linestyle="--", linewidth=1)
    axes.annotate(
        label,
        (flop_per_byte, 0.98),
        xycoords=("data", "axes fraction"),
        xytext=(-3, 0),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="top",
        fontsize=8.5,
    )
    return axes


def roofline_points(
    axes: Axes, rows: pd.DataFrame, hollow: bool = False, label: str = ""
) -> Axes:
    """Measured adds on a classic roofline: one addition an element, at the intensity of its dtype."""
    for row in rows.itertuples():
        colour, marker = style(row.kernel)
        intensity = ADD_INTENSITY[row.dtype]
        axes.plot(
            intensity,
            row.gb_per_s * intensity,
            marker,
            color=colour,
            markerfacecolor="white" if hollow else colour,
            zorder=3,
        )
    if label and len(rows):
        best = rows.loc[rows.gb_per_s.idxmax()]
        intensity = ADD_INTENSITY[best["dtype"]]
        axes.annotate(
            label,
            (intensity, best.gb_per_s * intensity),
            xytext=(8, -3),
            textcoords="offset points",
            fontsize=8.5,
        )
    return axes


def _label_ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Name each line at its right end, moved apart where two would overlap."""
    low, high = axes.get_ylim()
    step = (high - low) * 0.05
    floor = -float("inf")
    for x, y, text, colour in sorted(ends, key=lambda end: end[1]):
        floor = max(y, floor + step)
        axes.annotate(
            text,
            (x, y),
            xytext=(
                8,
                (floor - y)
                / (high - low)
                * axes.get_window_extent().height
                * 72
                / axes.figure.dpi,
            ),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=colour,
            annotation_clip=False,
        )


def _bandwidth_lines(
    axes: Axes, rows: pd.DataFrame, hollow: bool, suffix: str
) -> list[tuple[float, float, str, str]]:
    """Draw a line for each kernel; where each ends, and its name."""
    ends = []
    for kernel, group in rows.groupby("kernel", sort=False):
        group = group.sort_values("elements")
        colour, marker = style(kernel)
        axes.plot(
            group.elements,
            group.gb_per_s,
            marker=marker,
            color=colour,
            markerfacecolor="white" if hollow else colour,
            linestyle=":" if hollow else "--" if " x" in kernel else "-",
            linewidth=1.4,
        )
        ends.append(
            (
                float(group.elements.iloc[-1]),
                float(group.gb_per_s.iloc[-1]),
                f"{kernel}{suffix}",
                colour,
            )
        )
    return ends


def _elements_axis(axes: Axes, sizes: Sequence[int]) -> None:
    axes.set(xscale="log", xlabel="elements", ylabel="bandwidth (GB/s)")
    axes.set_xticks(sizes, [elements_name(size) for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))


def bandwidth_by_size(
    axes: Axes, rows: pd.DataFrame, hollow: bool = False, suffix: str = ""
) -> Axes:
    """Bandwidth (GB/s) against the number of elements, a line for each kernel, named at its end.

    rows: kernel, elements, gb_per_s, as from helpers.measure.store; hollow markers for recorded data of another card.
    A kernel named "v4_f16x2 x256" has v4_f16x2's colour and a dashed line: another launch of the same kernel.
    """
    ends = _bandwidth_lines(axes, rows, hollow, suffix)
    _elements_axis(axes, sorted(int(size) for size in rows.elements.unique()))
    axes.set_ylim(0, max(axes.get_ylim()[1], float(rows.gb_per_s.max()) * 1.12))
    _label_ends(axes, ends)
    return axes


def bandwidth_chart(here: pd.DataFrame, title: str, kernels: Sequence[str]) -> Axes:
    """One version's chart: this machine's (or the recorded card's) points, the article's, and both DRAM roofs.

    here: rows of one GPU (kernel, elements, dtype, gb_per_s, gpu). The article's points of `kernels` are hollow.
    """
    from helpers.measure import store

    axes = new(title)
    card_name = str(here.gpu.iloc[0])
    short = card_name.removeprefix("NVIDIA ")
    article = store.article()
    article = article[article.kernel.isin(kernels) & article.dtype.isin(here.dtype.unique())]
    roofs = {
        f"{ARTICLE_GPU.removeprefix('GeForce ')} DRAM roof": specs.gpu(ARTICLE_GPU).dram_GBps
    }
    try:
        roofs[f"{short} DRAM roof"] = specs.gpu(card_name).dram_GBps
    except KeyError:
        pass
    ends = _bandwidth_lines(axes, article, True, " (RTX 5090)") + _bandwidth_lines(
        axes, here, False, f" ({short})"
    )
    _elements_axis(
        axes,
        sorted(
            {int(size) for size in here.elements} | {int(size) for size in article.elements}
        ),
    )
    axes.set_ylim(0, max(here.gb_per_s.max(), article.gb_per_s.max(), *roofs.values()) * 1.1)
    for name, roof in roofs.items():
        roof_line(axes, roof, name, dashed="5090" not in name)
    _label_ends(axes, ends)
    return axes


def sector_map(axes: Axes, grid: coalescing.SectorGrid, title: str = "") -> Axes:
    """One request of a warp: a row for each lane, a column for each 32-byte sector that it touches.

    A cell holds the bytes that the lane takes from the sector, the line above the map how many of the sector's
    32 bytes anyone takes. Dark vertical lines divide the 128-byte lines. Source: helpers.model.coalescing.sector_grid.
    """
    cells = np.array(grid.cells)
    axes.imshow(np.where(cells, cells, np.nan), cmap="Blues", vmin=-8, vmax=36, aspect="auto")
    for lane, column in zip(*np.nonzero(cells), strict=True):
        axes.text(column, lane, cells[lane, column], ha="center", va="center", fontsize=6.5)
    for column, used in enumerate(cells.sum(axis=0)):
        axes.text(
            column, -1.1, f"{used}", ha="center", va="center", fontsize=7.5, fontweight="bold"
        )
    for column, sector in enumerate(grid.sectors):
        new_line = column == 0 or sector // 4 != grid.sectors[column - 1] // 4
        axes.axvline(
            column - 0.5,
            color="#222222" if new_line else "#cccccc",
            linewidth=1.4 if new_line else 0.6,
        )
    axes.axvline(len(grid.sectors) - 0.5, color="#222222", linewidth=1.4)
    axes.grid(False)
    axes.set_xticks(
        range(len(grid.sectors)), [str(sector) for sector in grid.sectors], fontsize=7.5
    )
    axes.set_yticks(range(0, len(cells), 4))
    axes.set_ylim(len(cells) - 0.5, -2)
    axes.set(xlabel="sector (32 bytes)", ylabel="lane", title=title)
    return axes


def occupancy_steps(
    axes: Axes,
    x: Sequence[float],
    fractions: Sequence[float],
    xlabel: str,
    at: float | None = None,
    label: str = "",
) -> Axes:
    """Occupancy (%) against one resource, as a staircase; 0% where the launch is impossible.

    x, fractions: from helpers.model.occupancy.occupancy_by_*. at: the x of a point to mark. label: of the line.
    """
    colour, dashes = [("#222222", "-"), ("#D55E00", "--"), ("#0072B2", ":")][
        len(axes.get_legend_handles_labels()[0]) % 3
    ]
    axes.step(
        x,
        100 * np.asarray(fractions),
        dashes,
        where="mid",
        color=colour,
        linewidth=1.6,
        label=label or None,
    )
    if at is not None:
        nearest = int(np.argmin(np.abs(np.asarray(x) - at)))
        height = 100 * fractions[nearest]
        axes.plot(x[nearest], height, "o", color=colour, markeredgecolor="black", zorder=4)
        axes.annotate(
            f"{height:.4g}%",
            (x[nearest], height),
            xytext=(6, 5),
            textcoords="offset points",
            bbox=ON_WHITE,
        )
    axes.set(xlabel=xlabel, ylabel="occupancy (%)", ylim=(0, 112))
    return axes


def occupancy_panels(
    axes: Sequence[Axes], cc: str, block_size: int, registers: int, shared_bytes: int = 0
) -> str:
    """A kernel's place on one SM, in four Axes: blocks that each resource allows, then occupancy against each.

    Returns what binds, or why the launch is impossible, as a sentence.
    """
    try:
        result = occupancy.occupancy(cc, block_size, registers, shared_bytes)
        words, limits, binding = str(result), result.limits, result.binding
    except ValueError as error:
        words, limits, binding = f"impossible: {error}", {}, ()
    shown = {name: limit for name, limit in limits.items() if np.isfinite(limit)}
    colours = ["#222222" if name in binding else "#bbbbbb" for name in shown]
    axes[0].barh(list(shown), list(shown.values()), color=colours)
    for place, limit in enumerate(shown.values()):
        axes[0].text(limit, place, f" {limit:.0f}", va="center")
    axes[0].invert_yaxis()
    axes[0].set_axisbelow(True)
    axes[0].set(xlabel="blocks that each allows (dark: what binds)")
    sweeps = (
        (
            occupancy.occupancy_by_block_size(cc, registers, shared_bytes),
            block_size,
            "threads per block",
        ),
        (
            occupancy.occupancy_by_registers(cc, block_size, shared_bytes),
            registers,
            "registers per thread",
        ),
    )
    for panel, ((x, fractions), at, xlabel) in zip(axes[1:3], sweeps, strict=True):
        occupancy_steps(panel, x, fractions, xlabel, at)
    amounts, fractions = occupancy.occupancy_by_shared_bytes(cc, block_size, registers)
    occupancy_steps(
        axes[3],
        [a / 1024 for a in amounts],
        fractions,
        "shared memory per block (KB)",
        shared_bytes / 1024,
    )
    return words


def block_sweep(
    axes: Sequence[Axes], rows: pd.DataFrame, cc: str, block_rate: float | None = None
) -> Sequence[Axes]:
    """Measured times of one size against the block size, in three Axes: bandwidth, occupancy, blocks per second.

    rows: kernel, elements, block_size, time_us, gb_per_s, as from helpers.measure.store (of one element count).
    cc: whose occupancy is drawn, for kernels of up to 32 registers. block_rate: blocks per second that the card
    can start, drawn as a roof.
    """
    sizes = sorted(int(size) for size in rows.block_size.unique())
    ends: tuple[list, list] = ([], [])
    for kernel, group in rows.groupby("kernel", sort=False):
        group = group.sort_values("block_size")
        colour, marker = style(kernel)
        x = group.block_size.astype(int).to_numpy()
        per_block = ladder.SHAPES[kernel].elements_per_thread * x
        blocks_per_us = np.ceil(
            group.elements.astype(int).to_numpy() / per_block
        ) / group.time_us.to_numpy(float)
        for panel, y, end in zip(
            (axes[0], axes[2]),
            (group.gb_per_s.to_numpy(float), blocks_per_us),
            ends,
            strict=True,
        ):
            panel.plot(x, y, marker=marker, color=colour, linewidth=1.4)
            end.append((float(x[-1]), float(y[-1]), kernel, colour))
    _, fractions = occupancy.occupancy_by_block_size(cc, 32, block_sizes=sizes)
    axes[1].plot(sizes, [100 * fraction for fraction in fractions], "k.-", linewidth=1.4)
    axes[1].set(ylabel="occupancy (%)", ylim=(0, 112))
    axes[0].set(ylabel="bandwidth (GB/s)", ylim=(0, float(rows.gb_per_s.max()) * 1.12))
    axes[2].set(ylabel="blocks per µs", yscale="log", xlabel="threads per block")
    _log(axes[2].yaxis, _plain)
    if block_rate:
        axes[2].axhline(block_rate / 1e6, color=ROOF, linewidth=1.2)
        axes[2].annotate(
            f"the card starts {block_rate / 1e6:,.0f} blocks per µs",
            (sizes[-1], block_rate / 1e6),
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            fontsize=8.5,
        )
    round_sizes = {
        factor << k for factor in (1, 3) for k in range(11)
    }  # to name all of them would be too many
    named = [size for size in sizes if size in round_sizes]
    for panel in axes:
        panel.set(xscale="log")
        panel.set_xticks(named, [str(size) for size in named])
        panel.minorticks_off()
    _label_ends(axes[0], ends[0])
    return axes


# Four kinds of one thing (loads in flight, tile sizes): colour and marker in order.
SERIES = (("#0072B2", "o"), ("#E69F00", "s"), ("#009E73", "^"), ("#D55E00", "D"))
STATES = {
    warps.State.STALLED: ("stalled", "#e4e4e4"),
    warps.State.READY: ("ready", "#56B4E9"),
    warps.State.ISSUED: ("issues", "#B2182B"),
    warps.State.DONE: ("done", "#ffffff"),
}


def schedule_timeline(axes: Axes, schedule: warps.Schedule, cycles: int = 80) -> Axes:
    """The first cycles of a run of the schedulers: a row for each warp, a cell for each cycle, coloured by state.

    schedule: from helpers.model.warps.simulate. A legend names the states.
    """
    shown = schedule.state[:, :cycles]
    axes.imshow(
        shown,
        cmap=ListedColormap([colour for _, colour in STATES.values()]),
        vmin=0,
        vmax=3,
        aspect="auto",
    )
    axes.set_yticks(range(schedule.warps))
    axes.set_xticks(range(0, shown.shape[1], 10))
    axes.set_yticks(np.arange(-0.5, schedule.warps), minor=True)
    axes.grid(False)
    axes.grid(which="minor", axis="y", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    axes.set(xlabel="cycle", ylabel="warp")
    patches = [
        Patch(facecolor=c, edgecolor="#888888", label=name)
        for name, c in list(STATES.values())[:3]
    ]
    axes.legend(
        handles=patches, loc="lower right", bbox_to_anchor=(1, 1), ncol=3, borderaxespad=0.2
    )
    return axes


def schedule_counts(axes: Axes, schedule: warps.Schedule, bin_cycles: int = 1) -> Axes:
    """How many warps are stalled, ready and issuing against the cycle, stacked; means over bins of cycles."""
    bins = schedule.cycles // bin_cycles
    kinds = (warps.State.ISSUED, warps.State.READY, warps.State.STALLED)
    counts = [
        schedule.count(kind)[: bins * bin_cycles].reshape(bins, bin_cycles).mean(axis=1)
        for kind in kinds
    ]
    names, colours = zip(*(STATES[kind] for kind in kinds), strict=True)
    axes.stackplot(
        np.arange(bins) * bin_cycles,
        counts,
        labels=names,
        colors=colours,
        step="post",
        edgecolor="none",
    )
    axes.set(
        xlabel="cycle",
        ylabel="warps",
        ylim=(0, schedule.warps),
        xlim=(0, (bins - 1) * bin_cycles),
    )
    axes.grid(False)
    return axes


def read_curves(axes: Axes, predicted: pd.DataFrame, measured: pd.DataFrame) -> Axes:
    """Read bandwidth (GB/s) against warps on an SM: a line for each prediction, a marker for each measurement.

    predicted, measured: warps, unroll, gb_per_s, measured also gpu; it may be empty.
    """
    ends = []
    for (unroll, line), (colour, marker) in zip(
        predicted.groupby("unroll"), SERIES, strict=False
    ):
        axes.plot(line.warps, line.gb_per_s, color=colour, linewidth=1.4)
        own = measured[measured.unroll == unroll]
        axes.plot(
            own.warps,
            own.gb_per_s,
            marker,
            color=colour,
            markeredgecolor="black",
            markeredgewidth=0.5,
        )
        ends.append(
            (64.0, float(line.gb_per_s.iloc[-1]), f"{unroll} load{'s' * (unroll > 1)}", colour)
        )
    sizes = sorted({*predicted.warps})
    axes.set(xscale="log", xlabel="warps on an SM", ylabel="bandwidth (GB/s)")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(0, 5600)
    _label_ends(axes, ends)
    handles = [Line2D([], [], color="#666666", label="predicted")]
    if len(measured):
        label = f"measured, {measured.gpu.iloc[0].removeprefix('NVIDIA ')}"
        handles.append(Line2D([], [], color="#666666", marker="o", linestyle="", label=label))
    axes.legend(handles=handles, loc="upper left")
    return axes


def bytes_in_flight(
    axes: Axes, latency_ns: float, roof_gb_per_s: float, sm_count: int, rows: pd.DataFrame
) -> Axes:
    """Little's law on one SM: bandwidth (GB/s) against KB in flight, a slope that ends under a roof; and points.

    rows: load_bytes, unroll, warps, gb_per_s, and `kilobytes` in flight on an SM; may be empty.
    """
    amounts = np.geomspace(0.1, 300, 200)
    slope = sm_count * amounts * 1e3 / latency_ns
    axes.plot(amounts, np.fmin(slope, roof_gb_per_s), color=ROOF, linewidth=1.4)
    axes.annotate(
        f"bytes in flight / {latency_ns:.0f} ns",
        (0.5, sm_count * 500 / latency_ns),
        xytext=(0, 12),
        textcoords="offset points",
        ha="right",
        fontsize=8.5,
    )
    for (load_bytes, own), fill in zip(
        rows.groupby("load_bytes"), ("white", None), strict=False
    ):
        for (unroll, part), (colour, marker) in zip(
            own.groupby("unroll"), SERIES, strict=False
        ):
            axes.plot(
                part.kilobytes,
                part.gb_per_s,
                marker,
                color=colour,
                markerfacecolor=fill or colour,
                label=f"{unroll} x {load_bytes} B",
            )
    axes.set(
        xscale="log", yscale="log", xlabel="KB in flight on an SM", ylabel="bandwidth (GB/s)"
    )
    _log(axes.xaxis, lambda value, _: f"{value:g}")
    _log(axes.yaxis, _plain)
    if len(rows):
        axes.legend(ncol=2, loc="lower right", title="loads in flight a thread")
    return axes


def bytes_name(size: float) -> str:
    """65536 -> "64 KiB"."""
    for unit, letter in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {letter}"
    return f"{size:g} B"


def latency_steps(axes: Axes, rows: pd.DataFrame, edges: Mapping[str, float]) -> Axes:
    """Latency of a dependent load (ns) against the working set in bytes, and where each cache ends.

    rows: span (bytes), ns; may be empty. edges: capacity in bytes by name, drawn as vertical lines.
    """
    axes.plot(rows.span, rows.ns, "ko-", markersize=4, linewidth=1)
    for name, size in edges.items():
        axes.axvline(size, color="#888888", linestyle="--", linewidth=1)
        axes.annotate(
            f"{name}, {bytes_name(size)}",
            (size, 0.98),
            xycoords=("data", "axes fraction"),
            xytext=(-3, 0),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="top",
            fontsize=8.5,
            bbox=ON_WHITE,
        )
    ticks = [float(1 << power) for power in range(13, 32, 3)]
    axes.set(
        xscale="log",
        xlim=(1 << 13, 1 << 31),
        xlabel="working set",
        ylabel="nanoseconds a load",
        ylim=(0, None),
    )
    axes.set_xticks(ticks, [bytes_name(tick) for tick in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    return axes


def bank_map(axes: Axes, banks: np.ndarray, column: int = 0, title: str = "") -> Axes:
    """A tile of shared memory coloured by bank, with one column outlined. banks: from helpers.model.warps.tile_banks."""
    axes.imshow(banks, cmap="twilight", vmin=0, vmax=31)
    axes.add_patch(
        Rectangle(
            (column - 0.5, -0.5),
            1,
            len(banks),
            fill=False,
            edgecolor="#B2182B",
            linewidth=2,
            clip_on=False,
        )
    )
    axes.grid(False)
    different = len(np.unique(banks[:, column]))
    axes.set(
        xlabel="column",
        ylabel="row",
        title=f"{title}column {column} lies in {different} bank{'s' * (different > 1)}",
    )
    return axes


def level_roofline(
    axes: Axes,
    peak_gflops: float,
    gb_per_s: float,
    slope: str,
    points: Sequence[tuple[str, float, float]],
) -> Axes:
    """A roofline of one level of memory, log-log: min(peak, intensity x bandwidth), and kernels as points.

    points: (name, FLOP per byte of that level, GFLOP/s); names of neighbours are moved apart.
    """
    ridge = peak_gflops / gb_per_s
    at = [x for _, x, _ in points]
    left, right = min([ridge / 4, *at]) / 16, max([ridge, *at]) * 32
    intensity = np.geomspace(left, right, 200)
    axes.plot(
        intensity,
        np.fmin(peak_gflops, intensity * gb_per_s),
        color=ROOF,
        linewidth=1.6,
        zorder=1,
    )
    axes.annotate(
        f"{slope}, {gb_per_s / 1e3:.3g} TB/s",
        (ridge / 6, peak_gflops / 6),
        xytext=(-6, 4),
        textcoords="offset points",
        ha="right",
        fontsize=8.5,
        bbox=ON_WHITE,
    )
    axes.annotate(
        f"float32, {peak_gflops / 1e3:.3g} TFLOP/s",
        (right, peak_gflops),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        fontsize=8.5,
    )
    height: dict[float, float] = {}  # of the last name at an intensity
    for name, x, y in sorted(points, key=lambda point: point[2]):
        axes.plot(x, y, "ko", zorder=3)
        height[x] = max(y, height.get(x, 0) * 1.25)
        axes.annotate(
            f"{name}: {y:,.0f}",
            (x, y),
            xytext=(x * 1.25, height[x]),
            textcoords="data",
            va="center",
            fontsize=8.5,
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(left, right),
        ylim=(peak_gflops / 60, peak_gflops * 1.6),
    )
    axes.set(xlabel="FLOP per byte of this memory", ylabel="float32 (GFLOP/s)")
    axes.xaxis.set_major_locator(LogLocator(base=4))
    _log(axes.xaxis, lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:.0f}")
    _log(axes.yaxis, _plain)
    return axes


# ---- warps, masks and shuffles --------------------------------------------------------------------------------------

TINTS = ("#cfe3f5", "#fde3c2", "#d3ecd9", "#f3d5e4", "#e3e3e3", "#fff3b0", "#cdeef2", "#e6dcf2")
SIDE_COLOURS = {"A": "#0072B2", "B": "#E69F00"}


def warp_map(axes: Axes, layout, z: int = 0, show: str = "warp", title: str = "") -> Axes:
    """Threads of one z-plane of a block as cells, x across and y down, tinted by warp; lines divide the warps.

    layout: from helpers.model.warps.thread_layout. show: the number in each cell, "warp", "lane" or "linear".
    """
    warp, numbers = layout.warp[z], getattr(layout, show)[z]
    rows, columns = warp.shape
    for y in range(rows):
        for x in range(columns):
            axes.add_patch(
                plt.Rectangle(
                    (x - 0.5, y - 0.5), 1, 1, color=TINTS[warp[y, x] % len(TINTS)], linewidth=0
                )
            )
            axes.text(x, y, str(numbers[y, x]), ha="center", va="center", fontsize=6.5)
            for dx, dy in ((1, 0), (0, 1)):
                if x + dx < columns and y + dy < rows and warp[y, x] != warp[y + dy, x + dx]:
                    ends = (
                        ([x + 0.5, x + 0.5], [y - 0.5, y + 0.5])
                        if dx
                        else ([x - 0.5, x + 0.5], [y + 0.5, y + 0.5])
                    )
                    axes.plot(*ends, color="#222222", linewidth=1.3)
    axes.grid(False)
    axes.set(
        xlim=(-0.6, columns - 0.4),
        ylim=(rows - 0.4, -0.6),
        xlabel="threadIdx.x",
        ylabel="threadIdx.y",
    )
    axes.set_xticks(range(0, columns, max(1, columns // 8)))
    axes.set_yticks(range(0, rows, max(1, rows // 8)))
    axes.set_title(
        title or f"{show} of each thread" + (f", z = {z}" if layout.block[2] > 1 else "")
    )
    axes.set_aspect("equal")
    return axes


def mask_timeline(axes: Axes, spans, title: str = "") -> Axes:
    """One warp over time, a row for each lane: dark where the lane works, empty where it is masked off.

    spans: from helpers.model.warps.mask_timeline.
    """
    end = max(span.stop for span in spans)
    lanes = len(spans[0].mask)
    for span in spans:
        for lane, active in enumerate(span.mask):
            colour = SIDE_COLOURS[span.side] if active else "#f2f2f2"
            axes.barh(
                lane,
                span.stop - span.start,
                left=span.start,
                height=0.82,
                color=colour,
                linewidth=0,
            )
        axes.annotate(
            f"{span.side}: {span.active} of {lanes} lanes",
            ((span.start + span.stop) / 2, -1.2),
            ha="center",
            va="bottom",
            fontsize=8.5,
        )
        axes.axvline(span.stop, color="#222222", linewidth=0.8)
    axes.grid(False)
    axes.set(
        xlim=(0, end), ylim=(lanes - 0.5, -4.5), xlabel="cycles", ylabel="lane", title=title
    )
    axes.set_yticks(range(0, lanes, 4))
    return axes


def shuffle_rounds(axes: Axes, rows, offsets: Sequence[int], title: str = "") -> Axes:
    """A warp's values before and after each round of a sum by shuffles; lines lead from the lane that was read.

    rows: [rounds + 1, lanes] from helpers.model.warps.down_sum_rounds. Dark: what ends up in lane 0.
    """
    rows = np.asarray(rows)
    lanes = rows.shape[1]
    for r, offset in enumerate(offsets):
        for lane in range(lanes):
            counts = (
                lane < offset
            )  # the others compute, too, but nobody reads their results any more
            colour, width, order = ("#0072B2", 1.1, 2) if counts else ("#d8d8d8", 0.5, 1)
            for source in (lane, lane + offset if lane + offset < lanes else lane):
                axes.plot(
                    [source, lane],
                    [r + 0.16, r + 0.84],
                    color=colour,
                    linewidth=width,
                    zorder=order,
                )
    for r, row in enumerate(rows):
        useful = lanes >> r
        for lane, value in enumerate(row):
            axes.text(
                lane,
                r,
                f"{value:g}",
                ha="center",
                va="center",
                fontsize=6.5 if lane < useful else 5,
                fontweight="bold" if lane < useful else "normal",
                color="#000000" if lane < useful else "#999999",
            )
    axes.grid(False)
    axes.set(xlim=(-0.8, lanes - 0.2), ylim=(len(rows) - 0.6, -0.5), xlabel="lane", title=title)
    axes.set_xticks(range(0, lanes, 4))
    axes.set_yticks(range(len(rows)), ["before"] + [f"offset {offset}" for offset in offsets])
    axes.spines["left"].set_visible(False)
    return axes


def predicted_and_measured(
    axes: Axes,
    predicted: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    measured: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
) -> Axes:
    """Predictions as lines and measurements as points of the same colour; the legend names both.

    Both map a name to (x, y); a name that was not predicted, or not measured, has only the other.
    """
    names = dict.fromkeys([*predicted, *measured])
    for name, (colour, marker) in zip(names, list(STYLE.values()) * 3, strict=False):
        if name in predicted:
            axes.plot(*predicted[name], color=colour, linewidth=1.3)
        if name in measured:
            axes.plot(*measured[name], marker, color=colour, markersize=5.5, zorder=3)
        line = "-" if name in predicted else ""
        axes.plot(
            [], [], line, marker=marker if name in measured else "", color=colour, label=name
        )
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_ylim(bottom=0)
    axes.legend()
    return axes


def roofline_stack(axes: Axes, flop_per_byte: float, gflop_per_s: Mapping[str, float]) -> Axes:
    """Points of one intensity on a classic roofline, one above the other, each with its name and GFLOP/s."""
    colours = dict(zip(gflop_per_s, list(STYLE.values()) * 3, strict=False))
    for name, rate in gflop_per_s.items():
        axes.plot(flop_per_byte, rate, colours[name][1], color=colours[name][0], zorder=3)
    low, high = np.log10(axes.get_ylim())
    step, ceiling = (high - low) * 0.055, np.inf
    for name, rate in sorted(
        gflop_per_s.items(), key=lambda item: -item[1]
    ):  # from the top down, below the roof
        ceiling = min(np.log10(rate), ceiling - step)
        axes.annotate(
            f"{name}: {rate:,.4g}",
            (flop_per_byte, rate),
            xytext=(flop_per_byte * 1.6, 10**ceiling),
            textcoords="data",
            va="center",
            fontsize=8,
            arrowprops={
                "arrowstyle": "-",
                "color": "#bbbbbb",
                "linewidth": 0.6,
                "relpos": (0, 0.5),
            },
        )
    return axes


# ---- notebook 07: the benchmark -------------------------------------------------------------------------------------


def bandwidth_bars(axes: Axes, here: pd.DataFrame, other: pd.DataFrame, elements: int) -> Axes:
    """Bars of bandwidth (GB/s) at one size: `here` filled, `other` (another card) hollow behind the same names.

    Rows: kernel, dtype, elements, gb_per_s, gpu. Both cards' DRAM roofs are drawn.
    """
    frames = [frame[frame.elements == elements] for frame in (here, other)]
    names = [f"{row.kernel}\n{row.dtype}" for row in frames[0].itertuples()]
    places = np.arange(len(names))
    for frame, offset, hollow in zip(frames, (-0.2, 0.2), (False, True), strict=True):
        by_name = {f"{row.kernel}\n{row.dtype}": row for row in frame.itertuples()}
        for place, name in zip(places, names, strict=True):
            if row := by_name.get(name):
                colour, _ = style(row.kernel)
                axes.bar(
                    place + offset,
                    row.gb_per_s,
                    0.38,
                    color="white" if hollow else colour,
                    edgecolor=colour,
                )
    axes.set_xticks(places, names, fontsize=7.5)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("bandwidth (GB/s)")
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))
    for frame, dashed in zip(frames, (True, False), strict=True):
        card = specs.gpu(str(frame.gpu.iloc[0]))
        roof_line(axes, card.dram_GBps, f"{card.name} DRAM", dashed, outside=True)
    axes.annotate(
        f"filled: {here.gpu.iloc[0]}; hollow: {other.gpu.iloc[0]}",
        (1, 1.02),
        xycoords="axes fraction",
        ha="right",
        fontsize=8.5,
    )
    return axes


def working_set_sweep(axes: Axes, rows: pd.DataFrame, l2_bytes: int) -> Axes:
    """Bandwidth (GB/s) against the working set (MiB, all tensors together), hot solid and cold dashed; L2 marked."""
    ends = []
    for (kernel, method), group in rows.groupby(["kernel", "method"], sort=False):
        colour, marker = style(kernel)
        mib = group.gb_per_s * group.time_us * 1e3 / specs.MIB
        hot = method == "graph hot"
        axes.plot(
            mib,
            group.gb_per_s,
            "-" if hot else "--",
            color=colour,
            marker=marker,
            markersize=3.5,
            linewidth=1.2,
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
    axes.set(
        xscale="log",
        xlabel="working set (MiB); solid: hot, dashed: cold",
        ylabel="bandwidth (GB/s)",
    )
    _log(axes.xaxis, _plain)
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))
    axes.set_ylim(bottom=0)
    _label_ends(axes, ends)
    return axes


def predicted_against_measured(
    axes: Axes, rows: pd.DataFrame, hollow: pd.DataFrame | None = None
) -> Axes:
    """Predicted over measured time, a point for each row (kernel, time_us, predicted_us), the 10% band shaded.

    hollow: rows of another card, drawn with hollow markers.
    """
    for frame in [rows] if hollow is None else [rows, hollow]:
        for kernel, group in frame.groupby("kernel", sort=False):
            colour, marker = style(kernel)
            face, label = (colour, kernel) if frame is rows else ("white", None)
            ratio = group.predicted_us / group.time_us
            axes.plot(
                group.time_us,
                ratio,
                marker,
                color=colour,
                markerfacecolor=face,
                label=label,
                alpha=0.85,
            )
    axes.axhspan(0.9, 1.1, color="#000000", alpha=0.06, zorder=0)
    axes.axhline(1, color=ROOF, linewidth=1)
    axes.set(
        xscale="log",
        xlabel="measured time (us)",
        ylabel="predicted / measured",
        ylim=(0.6, 1.4),
    )
    _log(axes.xaxis, _plain)
    axes.legend(ncols=2, fontsize=8)
    return axes


# ---- notebooks 17 and 18: the template, and the libraries -----------------------------------------------------------


def _no_record(axes: Axes) -> Axes:
    axes.text(0.5, 0.5, "no record yet", ha="center", va="center", transform=axes.transAxes)
    axes.grid(False)
    return axes


def rung_bars(axes: Axes, rows: pd.DataFrame) -> Axes:
    """Bars of bandwidth (GB/s), one for each row (label, gb_per_s, gpu) from the top, beside the DRAM roof.

    Labels that begin with "torch" are PyTorch's, and grey.
    """
    if rows.empty:
        return _no_record(axes)
    places = np.arange(len(rows))
    colours = ["#bbbbbb" if label.startswith("torch") else "#0072B2" for label in rows.label]
    axes.barh(places, rows.gb_per_s.astype(float), color=colours)
    for place, row in zip(places, rows.itertuples(), strict=True):
        axes.text(row.gb_per_s, place, f"  {row.gb_per_s:,.0f}", va="center", fontsize=8.5)
    axes.set_yticks(places, rows.label)
    axes.invert_yaxis()
    axes.set_axisbelow(True)
    axes.grid(axis="y", visible=False)
    card = specs.gpu(str(rows.gpu.iloc[0]))
    axes.axvline(card.dram_GBps, color=ROOF, linewidth=1.2)
    axes.set(
        xlabel=f"bandwidth (GB/s); line: {card.name} DRAM, {card.dram_GBps:,.0f}",
        xlim=(0, card.dram_GBps * 1.08),
    )
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    return axes


def idea_strip(axes: Axes, rows: pd.DataFrame, title: str = "") -> Axes:
    """One cell's candidates: an idea a line, for each variant a point at the fastest library's time over its own.

    rows: idea, variant, ratio. Right of 1 is faster than every library. The best variant of each idea is filled.
    """
    ideas = list(dict.fromkeys(rows.idea))
    for place, idea in enumerate(ideas):
        ratios = rows[rows.idea == idea].ratio.astype(float)
        axes.plot(
            ratios,
            [place] * len(ratios),
            "o",
            color="#888888",
            markerfacecolor="white",
            markersize=5,
        )
        axes.plot(
            ratios.max(),
            place,
            "o",
            color="#555555" if idea == "library" else "#0072B2",
            markersize=7,
            zorder=3,
        )
        axes.text(
            ratios.max(),
            place - 0.3,
            f"{ratios.max():.3f}",
            ha="center",
            fontsize=7.5,
            bbox=ON_WHITE,
        )
    axes.axvline(1, color=ROOF, linewidth=1.2)
    axes.set_yticks(range(len(ideas)), ideas)
    axes.set_ylim(len(ideas) - 0.5, -0.8)
    axes.set(xlabel="time of the fastest library / own time", title=title)
    return axes


def peer_ratios(axes: Axes, rows: pd.DataFrame, contender: str = "course") -> Axes:
    """Every cell of data/peers.csv: the fastest library's time over `contender`'s, with its spread over the runs.

    rows as from helpers.measure.libraries.comparison.load. Filled: hot, hollow: cold. Right of 1 is faster than every library.
    """
    own = rows[rows.contender == contender] if len(rows) else rows
    if own.empty:
        return _no_record(axes)
    cells = list(dict.fromkeys(zip(own.operation, own.dtype, own.elements, strict=True)))
    for place, cell in enumerate(cells):
        for method, face, shift in (
            ("graph hot", "#0072B2", -0.16),
            ("graph cold", "white", 0.16),
        ):
            some = own[
                (own.operation == cell[0]) & (own.dtype == cell[1]) & (own.elements == cell[2])
            ]
            ratios = some[some.method == method].ratio.astype(float)
            axes.plot(
                [ratios.min(), ratios.max()],
                [place + shift] * 2,
                color="#0072B2",
                linewidth=1.2,
            )
            axes.plot(
                ratios.median(),
                place + shift,
                "o",
                color="#0072B2",
                markerfacecolor=face,
                zorder=3,
            )
    axes.axvline(1, color=ROOF, linewidth=1.2)
    names = [f"{name} {dtype}, {elements_name(int(size))}" for name, dtype, size in cells]
    axes.set_yticks(range(len(cells)), names)
    axes.invert_yaxis()
    axes.set(xlabel="time of the fastest library / own time; filled: hot, hollow: cold")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.99), max(high, 1.01))
    axes.set_title("right of the line: faster than every library", loc="right", fontsize=8.5)
    return axes
