"""Compare the trace with the hardware's counters of data/trace_counters.csv.

    python -m helpers.measure.trace_compare [word ...]

prints a table: workloads (those whose label holds a word) and the counters in which the trace
and Nsight Compute differ, with the reason where one is known. Needs no GPU.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helpers import usage
from helpers.emulator.trace import Trace
from helpers.measure import trace_counters
from helpers.measure.trace_workloads import WORKLOADS, Workload
from helpers.run.trace import load_traced, trace

GPU = "NVIDIA H200"
# Counters of the record by what the trace counts: space, kind, unit. Several are added up.
COMPARED: dict[tuple[str, str, str], tuple[str, ...]] = {
    **{
        (space, kind, unit): (f"{space} {kind} {unit}",)
        for space in ("global", "local")
        for kind in ("load", "store")
        for unit in ("requests", "sectors")
    },
    **{
        ("global", "atomic", unit): (f"global atomic {unit}", f"global reduction {unit}")
        for unit in ("requests", "sectors")
    },
    **{
        ("shared", kind, unit): (f"shared {kind} {counter}",)
        for kind in ("load", "store", "atomic")
        for unit, counter in (
            ("requests", "instructions"),
            ("wavefronts", "wavefronts"),
            ("conflicts", "conflicts"),
        )
    },
}
SPILLS = (
    "fewer registers than values: nvcc spills to local memory, which no source shows (STL and "
    "LDL in data/sass/launch_bounds.sm_90.txt)"
)
BULK = (
    "the H200 takes the bulk copy (UBLKCP in data/sass/fast_cast.sm_90.txt); the emulator the "
    "loads in its place"
)
RETRIES = (
    "a sum of floats in shared memory tries again if another warp has written meanwhile; how "
    "often depends on time, and the trace counts what no other warp disturbs"
)
PARTED = (
    "the lanes that fall through from the case above and those that jump into a case do not "
    "meet: the machine code has no BSYNC there"
)
ORDER = "where a warp writes depends on which warp's atomic comes first"
# Workloads in which some counters differ, and why: by the start of the label.
DIFFERENT: dict[str, tuple[str, str]] = {
    "launch_bounds.subtract_max_6": ("local", SPILLS),
    "launch_bounds.subtract_max_8": ("local", SPILLS),
    "fast_cast.cast_f16 path=2": ("", BULK),
    "shared_blocks.atomics": ("shared", RETRIES),
    "everyday.opcodes": ("global", PARTED),
    "cooperation.compact": ("global store sectors", ORDER),
}


@dataclass(frozen=True)
class Branches:
    """Lines whose branches the machine code has as well, not as predicated instructions.

    executed: whether it executes them as often; a loop that is unrolled, or tested once more at
    its start, is executed another number of times and diverges as often.
    """

    lines: tuple[int, ...]
    executed: bool = True


BRANCHES: dict[str, Branches] = {
    "v2_f32x4.add block_size=256": Branches((15,), executed=False),
    "divergence.branch": Branches((30,)),
    "divergence.branch steps=7": Branches((30,), executed=False),
    "branches.collatz n=1003": Branches((13,)),
    "branches.nested n=1003": Branches((29, 31), executed=False),
    "cooperation.histogram bins=64": Branches((13,)),
    "cooperation.stencil": Branches((45, 46)),
    "cooperation.compact": Branches((72,)),
}


@dataclass(frozen=True)
class Difference:
    """One counter of one workload that differs; reason is "" if none is known."""

    counter: str
    traced: int
    counted: float
    reason: str


def recorded(label: str) -> dict[str, float]:
    """Return the counters of one workload on the H200; none if it was not counted."""
    return _records().get(label, {})


@functools.cache
def _records() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    rows = trace_counters.TABLE.load(gpu=GPU)
    for label, quantity, value in zip(rows.workload, rows.quantity, rows.value, strict=True):
        found[label][quantity] = value
    return dict(found)


def differences(label: str, seen: Trace, record: Mapping[str, float]) -> list[Difference]:
    """Compare the memory traffic of a traced workload with its record."""
    found = []
    for (space, kind, unit), names in COMPARED.items():
        total = seen.of(kind, space)
        traced = getattr(total, unit) if total else 0
        counted = sum(record.get(name, 0.0) for name in names)
        if traced != counted:
            found.append(Difference(names[0], traced, counted, reason(label, names[0])))
    return found


def reason(label: str, counter: str) -> str:
    """Say why a counter of a workload differs; "" if it should not."""
    for start, (counters, why) in DIFFERENT.items():
        if label.startswith(start) and counter.startswith(counters):
            return why
    return ""


def branches(label: str, seen: Trace, record: Mapping[str, float]) -> list[Difference]:
    """Compare branches on those lines of a workload whose branches the machine code has."""
    here = BRANCHES[label]
    mine = [one for one in seen.branches if one.line.number in here.lines]
    traced = {
        "branches": sum(one.executed for one in mine),
        "divergent branches": sum(one.divergent for one in mine),
    }
    if not here.executed:
        del traced["branches"]
    return [
        Difference(name, value, record[name], "")
        for name, value in traced.items()
        if value != record[name]
    ]


def traced(workload: Workload) -> Trace:
    """Trace a workload as on the card of the record."""
    launcher = load_traced(workload.path)[0].launchers[workload.launcher]
    return trace(launcher, *workload.tensors(), card=GPU, **workload.arguments)


def line(workload: Workload, seen: Trace) -> str:
    """Say of a traced workload how many counters are equal, and what differs, and why."""
    record = recorded(workload.label)
    found = differences(workload.label, seen, record)
    how = "branches not compared"
    if workload.label in BRANCHES:
        found += branches(workload.label, seen, record)
        how = "branches compared"
    if workload.label in trace_counters.changed(GPU):
        how += "; counted with older code"
    words = [
        f"    {one.counter}: trace {one.traced:,}, ncu {one.counted:,.0f}: "
        f"{one.reason or 'NOT EXPLAINED'}"
        for one in found
    ]
    counters = len(COMPARED) - len(found)
    return "\n".join([f"{workload.label}: {counters} counters equal, {how}", *words])


def main(words: Sequence[str]) -> None:
    """Print the table of the workloads whose label holds one of the words, or of all."""
    for workload in WORKLOADS:
        if not words or any(word in workload.label for word in words):
            print(line(workload, traced(workload)), flush=True)


if __name__ == "__main__":
    _parser = usage.parser(__doc__)
    _parser.add_argument(
        "words", nargs="*", metavar="WORD", help="words of labels; default: all"
    )
    main(_parser.parse_args().words)
