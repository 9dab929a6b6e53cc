"""Measurements that are more than one kernel over one size: one function per experiment, each for the present GPU.

    python -m helpers.experiments record                  every experiment, appended to data/runs.csv
    python -m helpers.experiments record divergence sums  only these

A function here takes no required argument, loads and checks its kernels, and returns `bench.Measurement`s; what
it varies stands in `kernel` (which way) and `parameter` (how much). `measured_or_recorded(name)` gives them as a
table: measured now where there is a GPU, else recorded on the H200.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import pandas as pd

from helpers import bench, machine, records
from helpers.bench import Measurement

PRECISION = 0.01  # of the median, relative: experiments have many points

EXPERIMENTS: dict[str, Callable[..., list[Measurement]]] = {}


def experiment(name: str) -> Callable:
    """Enter a function into EXPERIMENTS under the name that its rows have in data/runs.csv."""

    def enter(function: Callable[..., list[Measurement]]) -> Callable[..., list[Measurement]]:
        EXPERIMENTS[name] = function
        return function

    return enter


# ---- what there is to see -------------------------------------------------------------------------------------------


def measured_or_recorded(name: str, **options) -> pd.DataFrame:
    """An experiment as a table with the columns of data/runs.csv: measured now on a GPU, else recorded; says which.

    options go to the experiment's function (fewer sizes, for instance) when it is measured now. Without a GPU and
    without a record the table is empty, and the printed line says how to make one.
    """
    here = machine.present()
    if here.is_gpu:
        rows = records.frame(_function(name)(**options), name)
        print(f"measured now on {here.name}")
        return rows
    _function(name)
    rows = records.load(name, gpu=records.RECORDED_GPU)
    if rows.empty:
        print(f"NO RECORD of {name!r} yet: `python -m helpers.experiments record '{name}'` on a GPU makes one")
    else:
        print(f"no GPU here: recorded on {records.RECORDED_GPU}, {rows.date.max()}")
    return rows


def _function(name: str) -> Callable[..., list[Measurement]]:
    if name not in EXPERIMENTS:
        raise KeyError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def record(names: Sequence[str] = ()) -> int:
    """Measure experiments (all, by default) on the present GPU and append them to data/runs.csv."""
    here = bench.require_gpu()
    functions = {name: _function(name) for name in names or EXPERIMENTS}
    for name, function in functions.items():
        rows = records.append(function(), name)
        print(f"{name}: {len(rows)} measurements recorded on {here.name}", flush=True)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m helpers.experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record", help="measure experiments on this GPU and append them to data/runs.csv")
    recorder.add_argument("names", nargs="*", help=f"of {', '.join(map(repr, EXPERIMENTS))}; all by default")
    return record(parser.parse_args(arguments).names)


if __name__ == "__main__":
    # As `__main__` this file is another module than `helpers.experiments`: use that one's functions.
    from helpers import experiments

    sys.exit(experiments.main())
