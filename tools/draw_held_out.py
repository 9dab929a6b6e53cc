"""Draw which recorded rows may set the model's constants, and which only test it.

    python tools/draw_held_out.py     writes data/held_out.csv

A group is every recorded time of one kernel in one dtype: all sizes, hot and cold, all runs.
Half of the groups, drawn by `SEED`, are *fit*, the others *held out*. The experiments `ladder`,
`block sweep` and `working set` are not drawn: their first record has set constants.
"""

from __future__ import annotations

import csv
import io
import random
import sys

from helpers import paths, specs, usage

SEED = 11
# Of runs.csv: (experiment, kernel), in the order of the draw; another order draws others.
KERNELS = (
    *(("operators", name) for name in ("add", "cast", "multiply_add", "relu")),
    ("template steps", "step1_functor"),
    ("template steps", "step3_pack"),
    ("template steps", "step4_alignment"),
    ("template steps", "step5_tail"),
    ("operators", "scale"),
    ("operators", "torch add"),
)
LIBRARIES = {"CuPy": ("add", "cast"), "template": ("add", "cast"), "torch": ("add",)}
ALWAYS_HELD_OUT = ("library_comparison.csv", "CuPy add", "float16")
PATH = paths.DATA / "held_out.csv"
Group = tuple[str, str, str]  # file, kernel, dtype


def _rows(file: str) -> list[dict[str, str]]:
    return list(csv.DictReader(specs.data_lines(paths.DATA / file)))


def groups() -> list[Group]:
    """List the groups that the model can predict, in a fixed order."""
    found = set()
    for row in _rows("runs.csv"):
        if (row["experiment"], row["kernel"]) in KERNELS:
            found.add(("runs.csv", row["kernel"], row["dtype"]))
    for row in _rows("library_comparison.csv"):
        if row["operation"] in LIBRARIES.get(row["candidate"], ()):
            kernel = f"{row['candidate']} {row['operation']}"
            found.add(("library_comparison.csv", kernel, row["dtype"]))
    order = {kernel: place for place, (_, kernel) in enumerate(KERNELS)}
    return sorted(found, key=lambda group: (group[0], order.get(group[1], 0), group))


def draw(among: list[Group]) -> list[tuple[str, str, str, str]]:
    """Return each group with its role, "fit" or "held out"."""
    drawn = set(random.Random(SEED).sample(among, len(among) // 2)) | {ALWAYS_HELD_OUT}
    return [(*group, "held out" if group in drawn else "fit") for group in among]


def table() -> str:
    """Return data/held_out.csv's text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("file", "kernel", "dtype", "role"))
    writer.writerows(draw(groups()))
    return text.getvalue()


def main() -> int:
    """Write the file."""
    PATH.write_text(table(), encoding="utf-8")
    print(f"{PATH.name}: {table().count('held out')} of {len(groups())} groups are held out")
    return 0


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
