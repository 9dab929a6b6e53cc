"""Report where kernels/fast.cuh stands against the libraries, from operator_comparison.csv.

    python -m helpers.measure.libraries.standings [FOLDER]

The cells that have not set the rule ("test") come first. Ordinary launches are compared with
the libraries' ordinary launches, programmatic ones with every library.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from helpers.measure.libraries import tables
from helpers.measure.libraries.candidates import COURSE, is_programmatic

ROLES = ("test", "rule", "slice", "neighbour", "view")
LEAST = 0.985  # a cell whose whole interval lies below is named
CONTEXTS = {
    "slice": "slices",
    "view": "views of rows",
    "graph between": "between PyTorch's kernels",
    "alone": "alone, L2 flushed",
}


def standings(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each setting, of its last commit: role, ratios of either launch.

    ordinary: the fastest library's ordinary launch over the course's, with its 95% interval
    (none in rows before 30 November 2026). programmatic: the fastest
    library's time, of any launch, over that of the course's programmatic launch; low and high:
    the interval of `all`, the fastest library of any launch over the course's ordinary launch.

    Raises ValueError for rows of several cards: `tables.COMPARISON.load(gpu=...)` gives one's.
    """
    if len(cards := rows.gpu.dropna().unique()) > 1:
        raise ValueError(f"these rows are of {len(cards)} cards: load those of one, by gpu=")
    rows = rows.fillna({"variant": "", "offsets": "", "commit": ""})
    last = rows.groupby(list(tables.PLACE), sort=False).commit.transform("last")
    groups: dict[tuple, list] = {}
    for row in rows[rows.commit == last].itertuples():
        groups.setdefault(tuple(getattr(row, name) for name in tables.PLACE), []).append(row)
    return pd.DataFrame(filter(None, map(_standing, groups.values())))


def _standing(rows: Sequence) -> dict | None:
    """Return a setting's standing; None without an ordinary launch of ours and a library's."""
    ours = {is_programmatic(row): row for row in rows if row.candidate == COURSE}
    libraries = [row for row in rows if row.candidate != COURSE]
    plain = [row.time_us for row in libraries if not is_programmatic(row)]
    if not plain or False not in ours:
        return None
    own = ours[False]
    interval = ("ordinary_low", "ordinary_high")
    return {name: getattr(own, name) for name in (*tables.PLACE, *interval)} | {
        "role": own.role,
        "ordinary": min(plain) / own.time_us,
        "all": own.ratio,
        "low": own.ratio_low,
        "high": own.ratio_high,
        "programmatic": ours[True].ratio if True in ours else None,
        "fastest": min(libraries, key=lambda row: row.time_us).candidate,
    }


def _line(words: str, ratios: Sequence[float]) -> str:
    ratios = [ratio for ratio in ratios if ratio is not None and ratio == ratio]
    if not ratios:
        return f"    {words}: none"
    level = sum(ratio >= LEAST for ratio in ratios)
    return (
        f"    {words}: median {statistics.median(ratios):.3f}, from {min(ratios):.3f} to "
        f"{max(ratios):.3f}; at least {LEAST} in {level} of {len(ratios)}"
    )


def report(table: pd.DataFrame) -> str:
    """Summarise the standings of each role, and name the settings that fall behind."""
    lines = []
    for role in ROLES:
        own = table[table.role == role]
        if own.empty:
            continue
        lines.append(f"{role}: {len(own)} settings")
        for method, group in own.groupby("method", sort=False):
            lines.append(f"  {method}")
            lines.append(_line("ordinary launches", group.ordinary.tolist()))
            lines.append(_line("programmatic, against all", group.programmatic.tolist()))
        behind = own[own.ordinary < LEAST].sort_values("ordinary")
        for one in behind.itertuples():
            lines.append(
                f"    behind: {one.operator} {one.dtype} {one.out_dtype} {one.elements:,} "
                f"{one.method} {one.offsets}: {one.ordinary:.3f}{_interval(one)} "
                f"({one.fastest})"
            )
    return "\n".join(lines)


def _interval(one) -> str:
    """Return a setting's 95% interval in brackets; "" where it was not recorded."""
    if pd.isna(one.ordinary_high):
        return ""
    return f" [{one.ordinary_low:.3f}, {one.ordinary_high:.3f}]"


def sentences(table: pd.DataFrame) -> list[str]:
    """Say how the test cells stand, then the slices and the neighbours; ratios of speed."""
    test = table[table.role == "test"]
    behind = (test.ordinary < LEAST).sum()
    early = test.programmatic.notna().sum()
    which = f"{early} programmatic ones" if early < len(test) else "programmatic ones"
    lines = [
        f"{len(test)} cells of {test.operator.nunique()} operators, which had no part in the "
        f"tuning: ordinary launches {_spread(test.ordinary)}; {which}, against every "
        f"launch of every library, {_spread(test.programmatic)}",
        f"behind by more than {1 - LEAST:.1%}: {behind} of them (ordinary)",
    ]
    if test.ordinary_high.notna().all():
        surely = (test.ordinary_high < LEAST).sum()
        lines[-1] += f", {surely} with the whole 95% interval"
    method = table.method.where(table.role == "neighbour", table.role)
    for name, words in CONTEXTS.items():
        group = table[method == name]
        if len(group):
            lines.append(f"{words}: {len(group)} settings, {_spread(group.ordinary)}")
    return lines


def _spread(ratios: pd.Series) -> str:
    return f"median {ratios.median():.3f}x, from {ratios.min():.3f}x to {ratios.max():.3f}x"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report of a folder's record, else of data/; each card's apart."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=tables.COMPARISON.folder)
    folder = parser.parse_args(arguments).folder
    if not folder.is_dir():
        parser.error(f"there is no folder {folder}")
    table = dataclasses.replace(tables.COMPARISON, folder=folder)
    rows = table.load()
    cards = rows.gpu.unique()
    for card in cards:
        if len(cards) > 1:
            print(f"{card}:")
        print(report(standings(rows[rows.gpu == card])))


if __name__ == "__main__":
    main()
