"""Describe a figure in words, and hand them on with the picture that a notebook shows.

The words go into the output's metadata as nbconvert and the course's pages expect them, for
readers who do not see the picture.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure

MOST_NAMES = 12
MATHEMATICS = re.compile(r"\$\\mathdefault\{(.*?)\}\$")
POWER = re.compile(r"\^\{(.*?)\}")  # of a tick: 2^{8}


def describe(figure: Figure) -> str:
    """Return the titles, axes and names in a figure that was drawn.

    "V1, float32. x: elements, 1M to 256M. y: bandwidth (GB/s), 0 to 5,000. In it: v1_f32; ..."
    """
    parts = [figure.get_suptitle() and f"{figure.get_suptitle()}."]
    parts += [_describe_axes(axes) for axes in figure.axes if axes.get_visible()]
    return re.sub(r"\s+", " ", " ".join(part for part in parts if part))


def _describe_axes(axes: Axes) -> str:
    titles = [axes.get_title(loc) for loc in ("left", "center", "right")]
    parts = [title for title in titles if title]
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if words := _describe_axis(axis):
            parts.append(f"{name}: {words}")
    if names := _names(axes):
        parts.append(f"In it: {'; '.join(names)}")
    return " ".join(f"{part.rstrip('.:')}." for part in parts)


def _describe_axis(axis: Axis) -> str:
    """Return an axis's label, its first and last tick, and whether it is logarithmic."""
    if not axis.get_visible():
        return ""
    low, high = sorted(axis.get_view_interval())
    ticks = axis.get_ticklabels() if axis.axes.axison else []
    places = axis.get_ticklocs()
    texts = [
        POWER.sub(r"^\1", MATHEMATICS.sub(r"\1", tick.get_text()))
        for tick, place in zip(ticks, places, strict=False)
        if tick.get_text() and low <= place <= high
    ]
    span = f"{texts[0]} to {texts[-1]}" if len(texts) > 1 else ""
    said = [word for word in (axis.get_label().get_text(), span) if word]
    return ", ".join([*said, "logarithmic"] if said and axis.get_scale() == "log" else said)


def _names(axes: Axes) -> list[str]:
    """List the words of the legend and of the labels in the picture, the first ones only."""
    legend = axes.get_legend()
    texts = [*(legend.get_texts() if legend else ()), *axes.texts]
    found = dict.fromkeys(text.get_text().strip() for text in texts if text.get_visible())
    names = [name for name in found if re.search(r"[^\W\d]", name)]  # no bare numbers
    rest = len(names) - MOST_NAMES
    return names[:MOST_NAMES] + ([f"and {rest} more"] if rest > 0 else [])


def attach() -> None:
    """Let a notebook's pictures carry their description; elsewhere this does nothing."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if formatter := getattr(shell, "display_formatter", None):
        _attach_to(formatter.formatters["image/png"])


def _attach_to(png) -> None:
    """Wrap the printer of figures of IPython's formatter of PNG, once."""
    try:
        printer = png.lookup_by_type(Figure)
    except KeyError:  # pictures are not shown as PNG here
        return
    if not getattr(printer, "describes", False):
        png.for_type(Figure, _described(printer))


def _described(printer: Callable) -> Callable:
    """Return a printer of figures that adds the description to the picture's metadata."""

    def describing(figure: Figure):
        printed = printer(figure)
        data, metadata = printed if isinstance(printed, tuple) else (printed, {})
        try:
            words = {"alt": describe(figure)}
        except Exception:  # a picture without words is better than none
            words = {}
        return data, {**metadata, **words}

    describing.describes = True
    return describing
