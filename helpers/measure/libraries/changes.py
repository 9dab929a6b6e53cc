"""Measure what a change of kernels/fast.cuh costs: its kernels with and without, side by side.

    python -m helpers.measure.libraries.changes --again --seconds 200 [--output FOLDER]

The changes: operator_sources.TRIED. The settings: the short calls among the cells that may set
the rule. Rows are appended to operator_sweep.csv, with variants that begin with "by the rule".
"""

from __future__ import annotations

from collections.abc import Iterator

from helpers.measure.libraries import (
    interleaved,
    operator_peers,
    operator_sources,
    operators,
    shards,
    sweep,
    tables,
)
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import BETWEEN, Setting
from helpers.measure.libraries.operators import Operator

ROUNDS = 25
UNCHANGED = "by the rule"
# Of either launch, the changes that have to do with it.
CHANGES = {0: ("", "branch", "32-bit index"), 1: ("", "next at once")}


def settings() -> list[Setting]:
    """Return the short calls of the sweep, but for slices and neighbours."""
    return [
        setting
        for setting in sweep.drawn()
        if not setting.offsets
        and setting.method != BETWEEN
        and sweep.is_short(setting.operator, setting.elements)
    ]


def candidates(operator: Operator) -> list[Candidate]:
    """Return both launches by the rule, of fast.cuh and of each of its changes."""
    return [
        operator_peers.course(
            operator,
            ", ".join(filter(None, (UNCHANGED, programmatic * "programmatic", change))),
            {"programmatic": programmatic},
            change,
        )
        for programmatic, changes in CHANGES.items()
        for change in changes
    ]


def rows(setting: Setting) -> Iterator[dict]:
    """Measure one setting; yield a row for each candidate."""
    times, now = interleaved.measure(setting, candidates(setting.operator), ROUNDS)
    yield from sweep.rows_of(setting, times, now)


TRIED = shards.Plan(
    module="helpers.measure.libraries.changes",
    table=tables.SWEEP,
    key=tables.PLACE,
    settings=settings,
    key_of=sweep.key,
    rows=rows,
    sources=lambda: [
        operator_sources.fast(name, change)
        for name in operators.OPERATORS
        for change in ("", *operator_sources.TRIED)
    ],
)


if __name__ == "__main__":
    shards.main(TRIED)
