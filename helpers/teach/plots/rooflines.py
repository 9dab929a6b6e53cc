"""Draw rooflines: attainable arithmetic against arithmetic intensity, and points below them.

Source: Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from helpers import specs
from helpers.model.arguments import checked
from helpers.teach.plots.style import (
    GREY,
    ON_WHITE,
    ROOF,
    fraction,
    label_along,
    log_ticks,
)


@checked
def roofline(
    axes: Axes, cards: Sequence[specs.Gpu], measured: Mapping[str, float] | None = None
) -> Axes:
    """Draw the classic roofline: float32 GFLOP/s against FLOP per byte of DRAM, log-log.

    cards: each draws its roof min(peak, intensity x DRAM bandwidth), named in a legend; one
    whose float32 peak is not known has no flat part.
    measured: DRAM bandwidth reached, GB/s, by card name: a dashed roof below the specified one.
    """
    intensity = np.geomspace(1 / 64, 512, 200)
    for index, card in enumerate(cards):
        peak = np.inf if card.fp32_TFLOPS is None else card.fp32_TFLOPS * 1e3
        roof = np.minimum(peak, intensity * card.dram_GBps)
        dashes = ("-", "-.", ":")[index % 3]
        name = _card_label(card)
        axes.plot(intensity, roof, dashes, color=ROOF, linewidth=1.6, zorder=1, label=name)
        if measured and card.name in measured:
            reached = np.minimum(peak, intensity * measured[card.name])
            axes.plot(intensity, reached, "--", color=GREY, linewidth=1)
    axes.set(xscale="log", yscale="log", xlim=(1 / 64, 600))
    axes.legend(loc="lower right", fontsize=8.5)
    axes.set_xlabel("arithmetic intensity (FLOP per byte of DRAM traffic)")
    axes.set_ylabel("attainable float32 (GFLOP/s)")
    log_ticks(axes.xaxis, fraction)
    axes.xaxis.set_major_locator(LogLocator(base=4))
    log_ticks(axes.yaxis)
    return axes


def _card_label(card: specs.Gpu) -> str:
    peak = (
        "float32 peak not known"
        if card.fp32_TFLOPS is None
        else f"{card.fp32_TFLOPS:g} TFLOP/s"
    )
    return f"{card.name}: {card.dram_GBps:,.0f} GB/s, {peak}"


@checked
def intensity_line(axes: Axes, flop_per_byte: float, label: str) -> Axes:
    """Draw a vertical dashed line at an arithmetic intensity, with its name along it."""
    axes.axvline(flop_per_byte, color=GREY, linestyle="--", linewidth=1)
    label_along(axes, flop_per_byte, label)
    return axes


@checked
def level_roofline(
    axes: Axes,
    peak_gflops: float,
    gb_per_s: float,
    slope: str,
    points: Sequence[tuple[str, float, float]],
) -> Axes:
    """Draw a roofline of one level of memory, log-log, and kernels as points below it.

    The roof is min(peak_gflops, intensity x gb_per_s); slope: the name of that memory.
    points: (name, FLOP per byte of that level, GFLOP/s); names of neighbours are moved apart.
    """
    ridge = peak_gflops / gb_per_s
    at = [x for _, x, _ in points]
    left, right = min([ridge / 4, *at]) / 16, max([ridge, *at]) * 32
    intensity = np.geomspace(left, right, 200)
    roof = np.minimum(peak_gflops, intensity * gb_per_s)
    axes.plot(intensity, roof, color=ROOF, linewidth=1.6, zorder=1)
    offset = {"textcoords": "offset points", "ha": "right", "fontsize": 8.5}
    bandwidth = f"{slope}, {gb_per_s / 1e3:.3g} TB/s"
    axes.annotate(
        bandwidth, (ridge / 6, peak_gflops / 6), xytext=(-6, 4), bbox=ON_WHITE, **offset
    )
    peak = f"float32, {peak_gflops / 1e3:.3g} TFLOP/s"
    axes.annotate(peak, (right, peak_gflops), xytext=(0, 3), **offset)
    _named_points(axes, points, lambda x: min(peak_gflops, x * gb_per_s))
    axes.set(xscale="log", yscale="log", xlim=(left, right))
    axes.set_ylim(peak_gflops / 60, peak_gflops * 1.6)
    axes.set(xlabel="FLOP per byte of this memory", ylabel="float32 (GFLOP/s)")
    axes.xaxis.set_major_locator(LogLocator(base=4))
    log_ticks(axes.xaxis, fraction)
    log_ticks(axes.yaxis)
    return axes


def _named_points(
    axes: Axes, points: Sequence[tuple[str, float, float]], roof: Callable[[float], float]
) -> None:
    """Draw points, and their names right of them: below the roof, a line of text apart."""
    thin = {"arrowstyle": "-", "color": "#bbbbbb", "linewidth": 0.6, "relpos": (0, 0.5)}
    height: dict[float, float] = {}  # of the last name at an intensity
    for _, x, y in points:
        axes.plot(x, y, "ko", zorder=3)
    for name, x, y in sorted(points, key=lambda point: -point[2]):
        height[x] = min(y, height.get(x, roof(x)) / 1.25)
        axes.annotate(
            f"{name}: {y:,.0f}",
            (x, y),
            xytext=(x * 1.3, height[x]),
            textcoords="data",
            va="center",
            fontsize=8.5,
            arrowprops=thin,
        )
