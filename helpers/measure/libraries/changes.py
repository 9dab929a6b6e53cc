"""Measure what a change of kernels/fast.cuh costs: its kernels with and without, side by side.

    python -m helpers.measure.libraries.changes --again --seconds 200 [--output FOLDER]

The changes: operator_sources.TRIED. The settings: the short calls among the cells that may set
the rule, and for "predicates" calls of two inputs and three, of other sizes. Rows are appended
to operator_sweep.csv, with variants that begin with "by the rule".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from helpers.measure.libraries import (
    interleaved,
    operator_peers,
    operator_sources,
    shards,
    sweep,
    tables,
)
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import BETWEEN, COLD, HOT, Setting
from helpers.measure.libraries.operators import Operator

ROUNDS = 25
UNCHANGED = "by the rule"
# Of either launch, the changes that have to do with it.
CHANGES = {0: ("", "branch", "32-bit index"), 1: ("", "next at once")}
LEAVING = {0: ("", "predicates")}
# Operators of two inputs and three, by waves of packs.
SEVERAL_INPUTS = (
    *itertools.product(("addcmul", "lerp"), ("float32", "float16", "bfloat16")),
    ("where", "float16"),
    ("bias_gelu_residual", "float16"),
)
WAVES = (0.06, 0.24, 0.48, 0.97, 1.5, 1.94)


def short_calls() -> list[Setting]:
    """Return the short calls of the sweep, but for slices and neighbours."""
    return [
        setting
        for setting in sweep.drawn()
        if not setting.offsets
        and setting.method != BETWEEN
        and sweep.is_short(setting.operator, setting.elements)
    ]


def several_inputs() -> list[Setting]:
    """Return the calls for which it is measured what predicates cost."""
    names = [(name, dtype, dtype) for name, dtype in SEVERAL_INPUTS]
    return sweep.at_waves([(names, WAVES, (HOT, COLD))])


def candidates(operator: Operator, changes: Mapping[int, Sequence[str]]) -> list[Candidate]:
    """Return launches by the rule, of fast.cuh and of each of its changes."""
    return [
        operator_peers.course(
            operator,
            ", ".join(filter(None, (UNCHANGED, programmatic * "programmatic", change))),
            {"programmatic": programmatic},
            change,
        )
        for programmatic, names in changes.items()
        for change in names
    ]


def rows(setting: Setting) -> Iterator[dict]:
    """Measure one setting; yield a row for each candidate."""
    changes = LEAVING if setting in several_inputs() else CHANGES
    times, now = interleaved.measure(setting, candidates(setting.operator, changes), ROUNDS)
    yield from sweep.rows_of(setting, times, now)


TRIED = shards.Plan(
    module="helpers.measure.libraries.changes",
    table=tables.SWEEP,
    key=tables.PLACE,
    settings=lambda: short_calls() + several_inputs(),
    key_of=sweep.key,
    rows=rows,
    sources=lambda settings: [
        operator_sources.fast(name, change)
        for name in dict.fromkeys(one.operator.name for one in settings)
        for change in ("", *operator_sources.TRIED)
    ],
)


if __name__ == "__main__":
    shards.main(TRIED)
