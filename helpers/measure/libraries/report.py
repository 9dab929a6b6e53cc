"""Summarise the comparison of the course's kernels with the libraries: a table, sentences."""

from __future__ import annotations

import pandas as pd

from helpers.measure import roofs
from helpers.measure.libraries.candidates import COURSE

CELL = ["operation", "dtype", "elements", "method"]


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell: microseconds of each candidate, and the course's standing.

    Times and GB/s are medians over the runs. ratio: the fastest library's time over the
    course's, median of the runs; low and high: its smallest and its largest.
    """
    times = rows.pivot_table(
        index=CELL, columns="candidate", values="time_us", aggfunc="median", sort=False
    )
    own = rows[rows.candidate == COURSE].groupby(CELL, sort=False)
    times["GB/s"] = own.gb_per_s.median()
    times["ratio"] = own.ratio.median()
    times["low"], times["high"] = own.ratio.min(), own.ratio.max()
    return times


def as_text(rows: pd.DataFrame) -> str:
    """Return the table as text."""
    return table(rows).round(3).to_string()


def _number(elements: int) -> str:
    """Write a number of elements: a power of two as "2^28"."""
    power = int(elements).bit_length() - 1
    return f"2^{power}" if elements == 1 << power else f"{elements:,}"


def summary(rows: pd.DataFrame) -> str:
    """Summarise in four lines: the cells won, the worst one, the share of the bandwidth."""
    cells = table(rows)
    operation, dtype, elements, method = cells.ratio.idxmin()
    won = int((cells.low > 1).sum())
    level, ahead = int((cells.ratio >= 0.995).sum()), int((cells.ratio >= 1.01).sum())
    temperature = method.removeprefix("graph ")
    lines = [
        f"{len(cells)} cells; ahead of every library in {won} of them in every run",
        f"at least as fast, to half a percent, in {level}; ahead by 1% or more in {ahead}",
        f"{cells.ratio.min():.3f}x to {cells.ratio.max():.3f}x the fastest library's speed; "
        f"slowest: {dtype} {operation}, {_number(elements)} elements, {temperature}",
    ]
    most = cells.index.get_level_values("elements").max()
    share = 100 * cells.xs(most, level="elements")["GB/s"]
    card = roofs.specification(str(rows.gpu.iloc[0]))
    if card is not None:
        roof = card.dram_GBps
        lines.append(
            f"at {_number(most)} elements {share.min() / roof:.1f}% to "
            f"{share.max() / roof:.1f}% of the specified {roof:,.0f} GB/s"
        )
    return "\n".join(lines)
