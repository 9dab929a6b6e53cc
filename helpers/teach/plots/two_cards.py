"""Draw the roofs of two cards, the article's and this machine's, for points of any kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from helpers.model import cards
from helpers.model.arguments import checked
from helpers.teach.plots.style import GREY, fraction, log_ticks

ROOF_COLOURS = ("#767676", "#1a1a1a")  # of the article's card and of this machine's
MOST_LETTERS = 18  # of a card's name in a plot
LETTERS_IN_LEGEND = 12
LEFT_OUT = re.compile(r"[ -]\d+GB\b| HBM\w+| Blackwell| Workstation| Edition| GPU$")


@checked
def names(both: Sequence[cards.Card]) -> list[str]:
    """Return short names of the article's card and of this machine's, which may be alike."""
    short = [_short(card.gpu.name) for card in both]
    return [short[0], *(f"this {name}" if name == short[0] else name for name in short[1:])]


def _short(name: str) -> str:
    """Return a card's name without its maker, short enough to leave the plot its room."""
    short = name.removeprefix("NVIDIA ").removeprefix("GeForce ").removesuffix(" SXM")
    if len(short) > MOST_LETTERS:  # of "H100 80GB HBM3 MIG 1g.10gb" the end tells more
        short = LEFT_OUT.sub("", short)
    return short if len(short) <= MOST_LETTERS else f"{short[: MOST_LETTERS - 1].rstrip()}…"


def in_legend(name: str) -> str:
    """Return this machine's card's short name, or, where a legend has no room, "this card"."""
    return name if len(name) <= LETTERS_IN_LEGEND else "this card"


def _level(card: cards.Card, constant: str) -> str:
    """Return how a constant is known, if it was not measured: " (inferred)"."""
    how = card.how.get(constant, "measured")
    return "" if how == "measured" else f" ({how})"


@checked
def classic_rooflines(axes: Axes, both: Sequence[cards.Card]) -> None:
    """Draw float32 GFLOP/s against FLOP per byte, below the roofs of DRAM, L2 and arithmetic.

    both: the article's card and this machine's.
    """
    axes.set(xscale="log", yscale="log", xlim=(1 / 64, 1024), ylim=(20, 4e5))
    axes.set_xlabel("arithmetic intensity (FLOP per byte)")
    axes.set_ylabel("float32 (GFLOP/s)")
    axes.set_title("Two cards and their roofs")
    log_ticks(axes.xaxis, fraction)
    axes.xaxis.set_major_locator(LogLocator(base=8))
    axes.xaxis.set_minor_locator(NullLocator())
    log_ticks(axes.yaxis)
    looks = list(zip(both, names(both), ROOF_COLOURS, strict=False))
    for card, _, colour in looks:
        _roof(axes, card, colour)
    square = {"marker": "s", "markersize": 7, "linestyle": ""}
    axes.legend(  # a name along a roof would lie on the other card's slope
        handles=[
            *(
                Line2D([], [], color=c, label=_peak_label(card, in_legend(name)), **square)
                for card, name, c in looks
            ),
            Line2D([], [], color=GREY, linewidth=2, label="from DRAM"),
            Line2D([], [], color=GREY, linewidth=1.1, linestyle="--", label="from L2"),
        ],
        loc="lower right",
        fontsize=8.5,
    )


def _peak(card: cards.Card) -> float:
    """Return float32 GFLOP/s, infinite where nobody says."""
    return np.inf if card.gpu.fp32_TFLOPS is None else card.gpu.fp32_TFLOPS * 1e3


def _peak_label(card: cards.Card, name: str) -> str:
    peak = _peak(card)
    return f"{name}: {peak / 1e3:,.4g} TFLOP/s" if np.isfinite(peak) else name


def _roof(axes: Axes, card: cards.Card, colour: str) -> None:
    intensity = np.geomspace(1 / 64, 1024, 300)
    for gb_per_s, dashes, width in ((card.gpu.dram_GBps, "-", 2.0), (card.l2_GBps, "--", 1.1)):
        roof = np.minimum(_peak(card), intensity * gb_per_s)
        axes.plot(intensity, roof, dashes, color=colour, linewidth=width, zorder=1)


@checked
def bandwidth_roofs(axes: Axes, both: Sequence[cards.Card], points: Iterable[float]) -> None:
    """Draw the level roofs of DRAM and L2 (GB/s), each named at the right, on a log axis.

    points: bandwidths that will be drawn, so that the axis holds them. Names stand apart where
    they would touch.
    """
    roofs = []
    for card, name, colour in zip(both, names(both), ROOF_COLOURS, strict=False):
        roofs.append((card.gpu.dram_GBps, f"{name} DRAM", "-", 2.0, colour))
        l2 = f"{name} L2{_level(card, 'l2_GBps')}"
        roofs.append((card.l2_GBps, l2, "--", 1.1, colour))
    heights = [roof[0] for roof in roofs]
    points = [point for point in points if 0 < point < np.inf]
    least, most = min([*points, *heights]), max([*points, *heights])
    low, high = least / 1.6, most * 1.2
    axes.set(yscale="log", ylim=(low, high), ylabel="bandwidth (GB/s)")
    ticks = [m * 10**e for e in range(1, 6) for m in (1, 2, 5)]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    log_ticks(axes.yaxis)
    apart = (high / low) ** 0.09  # two lines of text, as a share of the axis
    places = spread(sorted(heights), apart, high / apart**0.5)
    between, size = "\n", 8.5
    if any(
        min(heights, key=lambda other: abs(np.log(place / other))) != height
        for height, place in zip(sorted(heights), places, strict=True)
    ):  # a name would stand beside another's roof: one line of text each
        apart, between, size = apart**0.5, " ", 7.5
        places = spread(sorted(heights), apart, high / apart**0.5)
    for (gb_per_s, name, dashes, width, colour), place in zip(
        sorted(roofs), places, strict=True
    ):
        axes.axhline(gb_per_s, color=colour, linestyle=dashes, linewidth=width, zorder=1)
        axes.annotate(
            f"{name}{between}{gb_per_s:,.0f} GB/s",
            (1, gb_per_s),
            xycoords=("axes fraction", "data"),
            xytext=(1.015, place),
            textcoords=("axes fraction", "data"),
            va="center",
            fontsize=size,
            color=colour,
            annotation_clip=False,
        )


def spread(heights: Sequence[float], apart: float, top: float) -> list[float]:
    """Return where names of ascending heights stand: a factor `apart` at least between them.

    Each is moved up as far as the one below it asks, then down, so that none is above `top`.
    """
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] * apart) if places else height)
    for k in reversed(range(len(places))):
        places[k] = min(places[k], top)
        top = places[k] / apart
    return places
