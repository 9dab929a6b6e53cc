"""Copy a card's measured constants from data/roofs.csv into data/ceilings.csv.

    python tools/update_ceilings.py "H200 SXM"             of the commit that each row names
    python tools/update_ceilings.py "H200 SXM" --commit C  of the roofs of another commit

Only rows whose `how` is "measured" change: their value, and the commit that their source names.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
from collections.abc import Sequence

from helpers import paths, specs
from helpers.errors import UnknownNameError
from helpers.measure import store

SOURCE = re.compile(r"roofs\.csv, commit (\w+)")
# A rate or a plateau is known to four digits; a latency, or a difference of times, to three.
DIGITS = {"dram_GBps": 4, "block_rate": 4, "block_rate_768": 4, "block_rate_1024": 4}
ROOF_OF = {"block_rate": "block_rate_256"}  # one rate serves all blocks of at most 512 threads


def recorded(gpu: str, quantity: str, commit: str) -> str:
    """Return a recorded roof as data/ceilings.csv writes it, rounded to what is known of it.

    Raises UnknownNameError, which names the commits that there are, if the roof was not
    recorded for that card at that commit.
    """
    name = ROOF_OF.get(quantity, quantity)
    rows = store.ROOFS.load(gpu=gpu, quantity=name, commit=commit, latest=False)
    if rows.empty:
        others = store.ROOFS.load(gpu=gpu, quantity=name, latest=False)
        there = ", ".join(dict.fromkeys(others.commit)) or "no rows of it at all"
        raise UnknownNameError(
            f"no {name} of {gpu} by commit {commit} in {store.ROOFS.name}; there are: {there}. "
            "On that card, `make record` adds rows"
        )
    rounded = float(f"{rows.value.iloc[-1]:.{DIGITS.get(quantity, 3)}g}")
    return f"{rounded:g}".replace("e+0", "e")


def updated(row: dict[str, str], commit: str | None = None) -> dict[str, str]:
    """Return a measured row of data/ceilings.csv with the value of the roof that it names.

    commit: take the roof of this one instead. Raises ValueError if the source names no commit.
    """
    named = SOURCE.search(row["source"])
    if not named:
        raise ValueError(f"the source of {row['quantity']} names no commit: {row['source']}")
    commit = commit or named[1]
    source = row["source"].replace(named[1], commit, 1)
    return row | {"value": recorded(row["gpu"], row["quantity"], commit), "source": source}


def updated_table(text: str, gpu: str, commit: str | None = None) -> str:
    """Return data/ceilings.csv's text with a card's measured rows updated."""
    reader = csv.DictReader(io.StringIO(text))
    result = io.StringIO()
    writer = csv.DictWriter(result, reader.fieldnames, lineterminator="\n")
    writer.writeheader()
    for row in reader:
        own = row["gpu"] == gpu and row["how"] == "measured"
        writer.writerow(updated(row, commit) if own else row)
    return result.getvalue()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: `update_ceilings.py CARD [--commit COMMIT]`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gpu", help='a card of data/gpus.csv, such as "H200 SXM"')
    parser.add_argument("--commit", help="of the rows of data/roofs.csv to take")
    options = parser.parse_args(arguments)
    path = paths.DATA / "ceilings.csv"
    before = path.read_text(encoding="utf-8")
    try:
        gpu = specs.gpu(options.gpu).name
        after = updated_table(before, gpu, options.commit)
    except (UnknownNameError, ValueError) as error:
        parser.error(str(error))
    path.write_text(after, encoding="utf-8")
    changed = sum(a != b for a, b in zip(before.splitlines(), after.splitlines(), strict=True))
    print(f"{path.name}: {changed} rows changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
