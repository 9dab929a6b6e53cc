"""Draw the cells on which the fast kernels are compared with the libraries.

    python -m tools.draw_cells     writes data/operator_cells.csv

Drawn once, before the kernels' rule was touched; `helpers.measure.libraries.cells` says how.
"""

from __future__ import annotations

import csv
import io

from helpers import paths, usage
from helpers.measure.libraries import cells

PATH = paths.DATA / "operator_cells.csv"


def table() -> str:
    """Return data/operator_cells.csv's text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(cells.Cell._fields)
    writer.writerows(cells.draw())
    return text.getvalue()


def main() -> None:
    """Write the file."""
    PATH.write_text(table(), encoding="utf-8")
    print(f"{PATH.name}: {len(cells.draw())} cells of {len(cells.strata())} strata")


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    main()
