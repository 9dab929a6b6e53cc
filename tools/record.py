"""Record what this GPU can say into data/, but for `NOT_RECORDED`. A plan is printed first.

    python tools/record.py                          everything without a record of today
    python tools/record.py sums "latency hiding"    only these
    python tools/record.py --again ladder           also with a record of today
    python tools/record.py --list                   what there is to record, and where it goes
    python tools/record.py --dry-run                only the plan; needs no GPU

A record is of today if it has today's date (UTC), this card and this commit. A recording that
fails, such as the counters without a permission to read them, does not end the rest: it is
named at the end, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd

from helpers.measure import (
    build_times,
    experiments,
    ncu,
    roofs,
    runtime_occupancy,
    sass,
    store,
)
from helpers.measure.libraries import comparison
from helpers.measure.store import Table
from helpers.run import machine


@dataclass(frozen=True)
class Recorder:
    """One thing to record: its name, its file in data/, and how."""

    name: str
    file: str
    record: Callable[[], int]  # measures, writes, and returns how many rows or files
    is_recorded: Callable[[], bool]  # today, on this card, by this commit
    needs_gpu: bool = True


def _is_in(table: Table, **equals: str) -> bool:
    """Tell whether a table has rows of today, this card and this commit with these values."""
    today = store.provenance()
    same = {name: today[name] for name in ("date", "gpu", "commit") if name in table.columns}
    try:
        return not table.load(latest=False, **same, **equals).empty
    except FileNotFoundError:
        return False


def _append(table: Table, measure: Callable[[], pd.DataFrame]) -> int:
    return len(table.append(measure()))


def _of_table(
    name: str, table: Table, measure: Callable[[], pd.DataFrame], **options
) -> Recorder:
    return Recorder(
        name, table.name, partial(_append, table, measure), partial(_is_in, table), **options
    )


def _of_counters(name: str, measure: Callable[[], pd.DataFrame], one: str) -> Recorder:
    """Make a recorder of counters; one: a quantity that it alone records."""
    record = partial(_append, store.NCU_COUNTERS, measure)
    is_recorded = partial(_is_in, store.NCU_COUNTERS, quantity=one)
    return Recorder(name, store.NCU_COUNTERS.name, record, is_recorded)


def _record_experiment(name: str) -> int:
    return len(store.append(experiments.find(name)(), name))


def _record_roofs() -> int:
    measured = roofs.measure_roofs()
    roofs.record(measured)
    return len(vars(measured))


def _record_listings() -> int:
    return len(sass.record_listings())


def _listings_are_of_today() -> bool:
    return all(row.recorded == store.today() for row in sass.manifest())


RECORDERS = (
    *(
        Recorder(
            name,
            store.RUNS.name,
            partial(_record_experiment, name),
            partial(_is_in, store.RUNS, experiment=name),
        )
        for name in experiments.EXPERIMENTS
    ),
    Recorder("roofs", store.ROOFS.name, _record_roofs, partial(_is_in, store.ROOFS)),
    _of_counters("ncu counters", ncu.measure_ladder, "load requests"),
    _of_counters("ncu stalls", ncu.measure_stalls, "warp cycles"),
    _of_table("runtime occupancy", store.RUNTIME_OCCUPANCY, runtime_occupancy.compare),
    Recorder(
        "libraries",
        store.LIBRARIES.name,
        comparison.record,
        lambda: not comparison.unrecorded(),
    ),
    Recorder(
        "build times",
        store.BUILD_TIMES.name,
        partial(_append, store.BUILD_TIMES, build_times.measure),
        lambda: _is_in(store.BUILD_TIMES, machine=build_times.machine_name()),
        needs_gpu=False,
    ),
    Recorder("machine code", "sass/", _record_listings, _listings_are_of_today, False),
)

# Files of data/ that this command does not record.
NOT_RECORDED = {
    "gpus.csv": "specifications of cards, with their sources",
    "compute_capability.csv": "limits of a multiprocessor, with their sources",
    "ceilings.csv": "the model's constants of a card, each with its source",
    "rtx5090_article.csv": "times that the article printed",
    "claims.csv": "what the sources claim and what the course found, by hand",
    "published.csv": "bandwidths that others published, each with its source",
    "blind_runs.csv": "a record that no constant of the model has seen; only a test reads it",
    "held_out.csv": "which recorded rows only test the model, by tools/draw_held_out.py",
    "operator_cells.csv": "cells of the comparison with the libraries, by tools/draw_cells.py",
    "operator_sweep.csv": "launches tried on the cells that set the rule, by "
    "helpers.measure.libraries.sweep",
    "operator_comparison.csv": "the fast kernels beside the libraries, by "
    "helpers.measure.libraries.operator_comparison",
    "library_sweep.csv": "the ideas tried for kernels/fast.cuh; their kernels are not kept",
    "trace_counters.csv": "what the trace is held to, by helpers.measure.trace_counters",
    "trace_sources.csv": "of which code those counters are, by helpers.measure.trace_counters",
    "compilers.csv": "the portable tests under other compilers, by tools/compilers.py",
    "check_family.csv": "verdicts on wrong and right kernels, by tests.testing.family",
    "test_all.csv": "complete runs of the tests, by `make test-all`",
}


# ---- the command ---------------------------------------------------------------------------


def choose(names: Sequence[str], again: bool) -> tuple[list[Recorder], list[Recorder]]:
    """Return the recorders to run and those that have recorded today.

    names: all if empty. Raises KeyError for an unknown name.
    """
    known = {recorder.name: recorder for recorder in RECORDERS}
    if unknown := [name for name in names if name not in known]:
        raise KeyError(f"nothing is recorded as {unknown[0]!r}; there are {', '.join(known)}")
    chosen = [known[name] for name in dict.fromkeys(names or known)]
    done = [] if again else [recorder for recorder in chosen if recorder.is_recorded()]
    return [recorder for recorder in chosen if recorder not in done], done


def show_plan(todo: Sequence[Recorder], done: Sequence[Recorder]) -> None:
    """Print what will be recorded and what was recorded today."""
    print(f"{machine.present()}\ncommit {store.commit()}\n")
    for recorder in todo:
        print(f"  {recorder.name:20} -> data/{recorder.file}")
    for recorder in done:
        print(f"  {recorder.name:20}    recorded today (--again records it once more)")
    print(flush=True)


def run(todo: Sequence[Recorder]) -> dict[str, str]:
    """Record one after the other; return {name: error} of those that failed."""
    failed = {}
    for number, recorder in enumerate(todo, 1):
        print(f"[{number}/{len(todo)}] {recorder.name}", flush=True)
        began = time.monotonic()
        try:
            count = recorder.record()
        except Exception as error:
            failed[recorder.name] = f"{type(error).__name__}: {error}"
            print(f"    FAILED: {failed[recorder.name]}", flush=True)
        else:
            seconds = time.monotonic() - began
            print(f"    {count} recorded in data/{recorder.file}, {seconds:.0f} s", flush=True)
    return failed


def prepare() -> None:
    """Fix what a whole run has in common, before anything is measured or compiled."""
    # The first rows change data/, and the commit would carry a "+" from then on.
    os.environ["ELEMENTWISE_COMMIT"] = store.commit()
    # torch.compile: one small kernel at a time needs no pool of compiling workers, and a record
    # no cache from before.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", tempfile.mkdtemp(prefix="inductor-"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="what to record; everything by default")
    parser.add_argument("--again", action="store_true", help="also what was recorded today")
    parser.add_argument("--list", action="store_true", help="print what there is to record")
    parser.add_argument("--dry-run", action="store_true", help="print the plan only")
    options = parser.parse_args(arguments)
    if options.list:
        for recorder in RECORDERS:
            print(f"{recorder.name:20} data/{recorder.file}")
        print("\nNot recorded by this command:")
        for file, reason in NOT_RECORDED.items():
            print(f"{'':20} data/{file}: {reason}")
        return 0
    try:
        todo, done = choose(options.names, options.again)
    except KeyError as error:
        parser.error(error.args[0])
    show_plan(todo, done)
    if options.dry_run:
        return 0
    here = machine.present()
    if not here.is_gpu and any(recorder.needs_gpu for recorder in todo):
        print(f"no GPU here ({here.reason}): nothing is recorded", file=sys.stderr)
        return 1
    prepare()
    failed = run(todo)
    print(f"\n{len(todo) - len(failed)} recorded, {len(done)} skipped, {len(failed)} failed")
    for name, error in failed.items():
        print(f"  FAILED {name}: {error}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
