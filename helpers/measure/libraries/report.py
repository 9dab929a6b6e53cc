"""Summarise the comparison of the course's kernels with the libraries: a table, sentences."""

from __future__ import annotations

import pandas as pd

from helpers.measure import roofs
from helpers.measure.libraries.candidates import COURSE

STANDING = ["GB/s", "ratio", "low", "high"]
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


def _runs(rows: pd.DataFrame) -> int:
    """Return of how many runs the cell with the most of them is."""
    return int(rows[rows.candidate == COURSE].groupby(CELL).size().max())


def as_text(rows: pd.DataFrame) -> str:
    """Return two tables as text: each candidate's time in microseconds, then the standing.

    Without low and high if there is one run, whose ratio they are.
    """
    cells = table(rows)
    cells.index = pd.MultiIndex.from_tuples(
        (operation, dtype, _number(elements), method.removeprefix("graph "))
        for operation, dtype, elements, method in cells.index
    )
    times = cells.drop(columns=STANDING).map(_four_digits).rename_axis(columns="us")
    columns = STANDING if _runs(rows) > 1 else ["GB/s", "ratio"]
    standing = cells[columns].map("{:.3f}".format).rename_axis(columns=None)
    standing["GB/s"] = cells["GB/s"].map("{:,.0f}".format)
    return f"{times.to_string()}\n\n{standing.to_string()}"


def _four_digits(us: float) -> str:
    """Write microseconds with four digits, or all before the point; nothing for NaN."""
    return "" if pd.isna(us) else f"{us:.{max(0, 4 - len(str(int(us))))}f}"


def _number(elements: int) -> str:
    """Write a number of elements: a power of two as "2^28"."""
    power = int(elements).bit_length() - 1
    return f"2^{power}" if elements == 1 << power else f"{elements:,}"


def summary(rows: pd.DataFrame) -> str:
    """Summarise in four lines: the cells won, the worst one, the share of the bandwidth.

    Of one run the cells won are not counted: a lead may be its noise.
    """
    cells = table(rows)
    operation, dtype, elements, method = cells.ratio.idxmin()
    won = int((cells.low > 1).sum())
    level, ahead = int((cells.ratio >= 0.995).sum()), int((cells.ratio >= 1.01).sum())
    temperature = method.removeprefix("graph ")
    every = f"; ahead of every library in {won} of them in every run"
    lines = [
        f"{len(cells)} cells{every if _runs(rows) > 1 else ', one run'}",
        f"at least as fast, to half a percent, in {level}; ahead by 1% or more in {ahead}",
        f"{cells.ratio.min():.3f}x to {cells.ratio.max():.3f}x the fastest library's speed; "
        f"slowest: {dtype} {operation}, {_number(elements)} elements, {temperature}",
    ]
    most = cells.index.get_level_values("elements").max()
    share = 100 * cells.xs(most, level="elements")["GB/s"]
    name = str(rows.gpu.iloc[0])
    roof = roofs.specified_GBps(name)
    if roof is not None:
        measured = roofs.specification(name).dram_from.startswith("measured")
        whose = "a copy's" if measured else "the specified"
        lines.append(
            f"at {_number(most)} elements {share.min() / roof:.1f}% to "
            f"{share.max() / roof:.1f}% of {whose} {roof:,.0f} GB/s"
        )
    return "\n".join(lines)
