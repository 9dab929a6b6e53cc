"""Carry the ranges of a card's constants into an interval of the predicted time.

The predicted time rises or falls with each constant, never both (a test tries it), so its
extremes lie where all constants are at their better or at their worse end. That is the widest
interval that the ranges allow; ranges that are independent seldom meet there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from helpers.model.arguments import checked
from helpers.model.cards import Card

_FASTER_WHEN_LARGER = ("rate", "GBps", "MiB")  # endings of a constant's name


@dataclass(frozen=True)
class Interval:
    """The least and the largest predicted time, and what each constant adds to it alone."""

    low_us: float
    high_us: float
    by_constant: dict[str, tuple[float, float]]  # times with one constant at either end, us

    @property
    def cause(self) -> str:
        """The constant whose range alone moves the time most; "" if every range is a point."""
        widths = {name: high - low for name, (low, high) in self.by_constant.items()}
        widest = max(widths, key=widths.__getitem__, default="")
        return widest if widths.get(widest) else ""


@checked
def interval(time_us: Callable[[Card], float], card: Card) -> Interval:
    """Return the interval of a predicted time over the ranges of a card's constants."""
    better = worse = card
    alone = {}
    for name, ends in card.ranges.items():
        fast, slow = reversed(ends) if name.endswith(_FASTER_WHEN_LARGER) else ends
        better, worse = better.with_constant(name, fast), worse.with_constant(name, slow)
        alone[name] = tuple(time_us(card.with_constant(name, end)) for end in (fast, slow))
    return Interval(time_us(better), time_us(worse), alone)
