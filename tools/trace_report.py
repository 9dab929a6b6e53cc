"""Show what the trace is worth: against ncu, against planted races, and what it costs.

    python -m tools.trace_report [counters] [races] [times] [--only WORD ...]

    counters    each workload of helpers/measure/trace_workloads.py: the counters in which the
                trace and the H200 differ, with the reason; and the races found in it
    races       each planted race and the same kernel without it, of tests/emulator/kernels/
    times       CPU seconds of a traced run of 2^16 elements, of each workload that has them

All three without a word; --only keeps those whose label holds one of the words. Needs no GPU.
Each file is built once, in some seconds.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from helpers import paths
from helpers.errors import KernelFault
from helpers.measure import trace_compare
from helpers.measure.trace_workloads import WORKLOADS, Workload
from helpers.run.launcher import Launcher
from helpers.run.trace import load_traced, trace

PLANTED = ("races.cu", "more_races.cu", "ordered_races.cu")  # NAME or NAME_racy, and NAME_right
KERNELS = paths.ROOT / "tests" / "emulator" / "kernels"
ELEMENTS = 1 << 16
# The workloads with a race, to be caught: a kernel of the course that shows one, and one whose
# threads i and n - 1 - i write the same element.
RACES = ("warp_sync.swap_unsynced", "everyday.opcodes")


def counters(workloads: Iterable[Workload]) -> Iterator[str]:
    """Say of each workload what the trace and the record differ in, and which races it has."""
    count = quiet = 0
    for workload in workloads:
        seen = trace_compare.traced(workload)
        yield trace_compare.line(workload, seen)
        count += 1
        quiet += not seen.faults
        if seen.faults:
            meant = "as meant" if workload.label.startswith(RACES) else "NOT EXPLAINED"
            yield f"    a race, {meant}: {seen.faults[0]}"
    yield f"{count} workloads, {quiet} of them left in peace"


def races(files: Iterable[Path], words: Sequence[str] = ()) -> Iterator[str]:
    """Say of each planted race what the trace finds, and of its right twin that it is none."""
    found = quiet = count = 0
    for file in files:
        launchers = load_traced(file)[0].launchers
        for name in [name for name in launchers if name.endswith("_right")]:
            stem = name.removesuffix("_right")
            if words and not any(word in stem for word in words):
                continue
            wrong = launchers.get(f"{stem}_racy") or launchers[stem]
            first, twin = first_fault(wrong), first_fault(launchers[name])
            count, found, quiet = count + 1, found + bool(first), quiet + (not twin)
            yield f"{stem}: {first or 'NOT FOUND'}"
            if twin:
                yield f"    {name}, WHICH IS RIGHT: {twin}"
    yield f"{found} of {count} races found, {quiet} of {count} right twins left in peace"


def first_fault(launcher: Launcher) -> str:
    """Return the first sentence of a trace on a kernel of the tests; "" if there is none."""
    generator = torch.Generator().manual_seed(1)  # two writes of equal values are no race
    x = torch.randint(1, 200, (1024,), generator=generator).float()
    try:
        faults = trace(launcher, x, torch.zeros(1024)).faults
    except KernelFault as fault:  # a race may lead threads to different barriers
        faults = (fault,)
    return str(faults[0]) if faults else ""


def enlarged(workload: Workload) -> Workload | None:
    """Return a workload with ELEMENTS elements, None if its sizes belong together."""
    names = {word for p in workload.declaration.tensors for word in p.shape}
    names = {name for name in names if not name.isdecimal()}
    if not set(workload.sizes) <= {"n"} or not names:
        return None
    return replace(workload, sizes=dict.fromkeys(sorted(names), ELEMENTS))


def times(workloads: Iterable[Workload]) -> Iterator[str]:
    """Say how long the tracing of each workload takes that can have 2^16 elements."""
    most, longest = -math.inf, ""
    for workload in filter(None, map(enlarged, workloads)):
        tensors = workload.tensors()
        launcher = load_traced(workload.path)[0].launchers[workload.launcher]
        began = time.process_time()
        trace(launcher, *tensors, **workload.arguments)
        seconds = time.process_time() - began
        yield f"{seconds:6.2f} s  {workload.label}"
        most, longest = max((most, longest), (seconds, workload.label))
    yield f"at most {most:.2f} s of CPU time: {longest}" if longest else "none of this size"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the parts that are asked for, by default all."""
    parser = argparse.ArgumentParser(prog="python -m tools.trace_report", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("parts", nargs="*", metavar="counters | races | times")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    given = parser.parse_args(arguments)
    chosen = [
        one for one in WORKLOADS if not given.only or any(w in one.label for w in given.only)
    ]
    parts = {
        "counters": lambda: counters(chosen),
        "races": lambda: races([KERNELS / name for name in PLANTED], given.only),
        "times": lambda: times(chosen),
    }
    if unknown := set(given.parts) - set(parts):
        parser.error(f"no part {sorted(unknown)}: {', '.join(parts)}")
    for name in given.parts or parts:
        print(f"== {name}")
        for line in parts[name]():
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
