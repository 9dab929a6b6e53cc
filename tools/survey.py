"""List what the lessons do and where they answer their sources, from the notebooks themselves.

    python -m tools.survey lessons    the cells in which each lesson writes a kernel, loads it,
                                      measures and draws it below the roofs
    python -m tools.survey claims     each claim of data/claims.csv and the cells that answer it

A cell answers a claim if it carries the tag claim-NUMBER.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from helpers import paths, specs
from helpers.teach import lessons, notebooks

CLAIMS = paths.ROOT / "data" / "claims.csv"
TAG = re.compile(r"claim-(\d+)")
STEPS = {
    "writes": re.compile(r"\A%%writefile \.\./kernels/"),
    "loads": re.compile(r"\bjit\.load\("),
    "measures": re.compile(r"\b(measured_or_recorded|add_times|bench\.measure)\("),
    "draws": re.compile(r"\bplots\.(ladder|kernel)_rooflines\("),
}


@dataclass(frozen=True)
class Claim:
    """A row of data/claims.csv."""

    number: int
    source: str
    claim: str
    finding: str


def claims(path: Path = CLAIMS) -> list[Claim]:
    """Read the claims of the sources."""
    rows = csv.DictReader(specs.data_lines(path))
    return [Claim(int(row.pop("number")), **row) for row in rows]


def steps(notebook: NotebookNode) -> dict[str, list[int]]:
    """Return the cells, counted from 0, in which a lesson takes each of the four steps."""
    return {
        step: [
            place
            for place, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and pattern.search(cell.source)
        ]
        for step, pattern in STEPS.items()
    }


def answers(folder: Path = lessons.NOTEBOOKS) -> dict[int, list[str]]:
    """Return the places that answer each claim: "02[34]", cells counted from 0."""
    found: dict[int, list[str]] = defaultdict(list)
    for lesson in lessons.read_lessons(folder):
        for place, cell in enumerate(notebooks.read(folder / lesson.file).cells):
            for tag in cell.metadata.get("tags", []):
                if match := TAG.fullmatch(tag):
                    found[int(match[1])].append(f"{lesson.number}[{place}]")
    return dict(found)


def table_of_lessons() -> list[str]:
    """Return the table of the four steps: of each its first cell, and how many there are."""
    lines = [f"{'':2} " + " ".join(f"{step:>10}" for step in STEPS)]
    for lesson in lessons.read_lessons():
        taken = steps(notebooks.read(lessons.NOTEBOOKS / lesson.file))
        cells = [f"[{at[0]}] x{len(at)}" if at else "-" for at in taken.values()]
        lines.append(f"{lesson.number} " + " ".join(f"{cell:>10}" for cell in cells))
    return lines


def table_of_claims() -> list[str]:
    """Return the lines of the table of claims: number, source, claim, finding, places."""
    places = answers()
    return [
        f"{one.number:2} {one.source}: {one.claim}\n"
        f"     {one.finding} {' '.join(places.get(one.number, ['-']))}"
        for one in claims()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table; return the exit status."""
    parser = argparse.ArgumentParser(description="What the lessons do, from their cells.")
    parser.add_argument("table", choices=("lessons", "claims"))
    chosen = parser.parse_args(arguments)
    print(*(table_of_lessons() if chosen.table == "lessons" else table_of_claims()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
