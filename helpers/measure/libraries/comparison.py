"""Time the course's fastest kernels beside the libraries': one interleaved run, hot and cold.

Each candidate's launches are captured in a CUDA graph of about two milliseconds; each round
replays all graphs in a new random order and takes one time from each. Hot: one set of buffers,
and a replay that is not timed before the one that is. Cold: the launches rotate over sets of
buffers, together over four times L2. Each run allocates anew. Only candidates whose result is
right to the bit are timed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import torch
from tqdm import tqdm

from helpers import specs
from helpers.errors import CheckError, UnknownNameError
from helpers.measure import bench, recorded, roofs, store, timing
from helpers.measure.libraries.candidates import (
    Call,
    Candidate,
    course,
    libraries,
    template,
)
from helpers.measure.libraries.correctness import check_course
from helpers.measure.libraries.operations import OPERATIONS, Operation, bits, same_bits
from helpers.measure.timing import Times
from helpers.model.arguments import Amount, Count, Rate, checked
from helpers.model.dtypes import dtype_name
from helpers.run import machine

SIZES = bench.ARTICLE_SIZES
METHODS = ("graph hot", "graph cold")
REPLAY_US = 2000.0
LEAST_LAUNCHES = 4  # in a graph: a programmatic launch gains only behind another kernel
ROUNDS = 11
RUNS = 3  # of a record, each on buffers of its own


class Cell(NamedTuple):
    """One comparison: an operation at one size, hot or cold."""

    operation: Operation
    elements: int
    method: str

    def __str__(self) -> str:
        return f"{self.operation}, {self.elements:,}, {self.method}"


def cells() -> list[Cell]:
    """Return every operation at every size with each method."""
    return [Cell(*cell) for cell in itertools.product(OPERATIONS, SIZES, METHODS)]


# ---- one cell ------------------------------------------------------------------------------


@checked
def launches_per_graph(bytes_moved: Amount, sets: Count, dram_gb_per_s: Rate) -> int:
    """Return how many launches make a replay of about two milliseconds, a multiple of `sets`.

    A launch is taken to need a microsecond and its bytes at the DRAM's bandwidth.
    """
    one_us = bytes_moved / (dram_gb_per_s * 1e3) + 1
    launches = max(LEAST_LAUNCHES, round(REPLAY_US / one_us))
    return -(-launches // sets) * sets


def prepare(
    candidate: Candidate,
    cell: Cell,
    buffers: Sequence[tuple],
    want: torch.Tensor,
    launches: int,
) -> Call:
    """Run a candidate once on each set of buffers, check it, and capture its launches.

    want: the right result on the first set. Returns the replay. Raises CheckError for a wrong
    result, and whatever the candidate raises.
    """
    calls = [candidate.bind(inputs, out) for inputs, out in buffers]
    result = buffers[0][1]
    bits(result).fill_(-1)
    for call in calls:
        call()
    timing.GPU.synchronize()
    if not same_bits(result, want):
        raise CheckError(f"{candidate} is wrong: {cell.operation}, {cell.elements:,} elements")
    replay = timing.GPU.capture(calls, launches)
    replay()
    return replay


def measure_cell(
    cell: Cell, candidates: Iterable[Candidate], rounds: int = ROUNDS
) -> dict[Candidate, Times]:
    """Time candidates on new buffers, `rounds` samples each, of microseconds a launch.

    A candidate that is wrong or cannot be captured raises its error if it is the course's;
    else it is left out, and a line says so.
    """
    here = bench.require_gpu()
    moved = cell.operation.bytes_per_element * cell.elements
    hot = cell.method == "graph hot"
    sets = 1 if hot else max(2, bench.sets_for(cell.method, moved, here.l2_bytes))
    launches = launches_per_graph(moved, sets, roofs.this_gpu().dram_GBps)
    buffers = [cell.operation.buffers(cell.elements, here.device) for _ in range(sets)]
    want = cell.operation.reference(buffers[0][0])
    replays = {}
    for candidate in candidates:
        try:
            replays[candidate] = prepare(candidate, cell, buffers, want, launches)
        except Exception as error:
            if candidate.is_ours:
                raise
            words = f"{type(error).__name__}: {str(error)[:160]}"
            tqdm.write(f"{candidate} is left out of {cell}: {words}")
    timing.GPU.synchronize()
    return timing.time_interleaved(replays, launches, rounds, warm=hot)


# ---- the table -----------------------------------------------------------------------------


def rows_of(cell: Cell, run: int, times: Mapping[Candidate, Times]) -> list[dict]:
    """Return one row for each candidate's name, of its fastest variant.

    ratio: the fastest library's median over this one's; above 1 is faster than every library.
    """
    best: dict[str, Candidate] = {}
    for one in sorted(times, key=lambda candidate: times[candidate].median_us):
        best.setdefault(one.name, one)
    ordered = [best[name] for name in dict.fromkeys(one.name for one in times)]
    fastest = min((times[one].median_us for one in ordered if not one.is_ours), default=None)
    moved = cell.operation.bytes_per_element * cell.elements
    return [
        {
            "operation": cell.operation.name,
            "dtype": dtype_name(cell.operation.dtype),
            "elements": cell.elements,
            "method": cell.method,
            "candidate": one.name,
            "variant": one.variant or None,
            "run": run,
            "time_us": times[one].median_us,
            "low_us": times[one].percentile(20),
            "high_us": times[one].percentile(80),
            "repeats": len(times[one].samples),
            "gb_per_s": moved / times[one].median_us / 1e3,
            "ratio": None if fastest is None else fastest / times[one].median_us,
            "version": one.version or None,
        }
        for one in ordered
    ]


def _fitting(cell: Cell) -> Cell:
    """Return a cell, with fewer elements where two sets of its buffers exceed the memory."""
    needed = 2.5 * cell.operation.bytes_per_element  # and the reference
    return cell._replace(elements=bench.largest_that_fits(cell.elements, needed))


def measure(
    some: Iterable[Cell], runs: int = 1, keep: Callable[[list[dict]], object] | None = None
) -> pd.DataFrame:
    """Measure cells, each `runs` times on new buffers, after a check of the course's kernels.

    keep: is given the rows of each cell as soon as they are there.

    Returns the columns of data/library_comparison.csv. Raises NoGpuError, CheckError.
    """
    bench.require_gpu()
    check_course()
    common = store.provenance()
    some = list(dict.fromkeys(map(_fitting, some)))
    every = []
    by_launch = itertools.groupby(some, key=lambda cell: (cell.operation, cell.elements))
    with bench.gpu_to_itself(), tqdm(desc="cells", total=len(some), leave=False) as progress:
        for (operation, _), same in by_launch:
            candidates = [course(operation), template(operation), *libraries(operation)]
            for cell in same:
                progress.set_postfix_str(str(cell))
                rows = []
                for run in range(1, runs + 1):
                    torch.cuda.empty_cache()
                    times = measure_cell(cell, candidates)
                    rows += [common | row for row in rows_of(cell, run, times)]
                if keep:
                    keep(rows)
                every += rows
                progress.update()
    return store.LIBRARIES.frame(every)


def unrecorded() -> list[Cell]:
    """Return the cells without a row of today, this GPU and this commit."""
    today = store.provenance()
    same = {name: today[name] for name in ("date", "gpu", "commit")}
    try:
        rows = store.LIBRARIES.load(latest=False, **same)
    except FileNotFoundError:
        return cells()
    if rows.empty:
        return cells()
    places = rows[["operation", "dtype", "elements", "method"]]
    done = set(places.itertuples(index=False, name=None))

    def place(cell: Cell) -> tuple:
        cell = _fitting(cell)
        operation = cell.operation
        return operation.name, dtype_name(operation.dtype), cell.elements, cell.method

    return [cell for cell in cells() if place(cell) not in done]


def record() -> int:
    """Measure every unrecorded cell three times and append its rows; return how many.

    A run that was stopped goes on where it was. Errors as in `measure`.
    """
    return len(measure(unrecorded(), RUNS, keep=store.LIBRARIES.append))


def measured_or_recorded() -> pd.DataFrame:
    """Return the comparison, measured now on a GPU, else the H200's record; print which.

    Measured now: the smallest and the largest size, once, without bfloat16. The versions of the
    recorded libraries are printed, too.
    """
    some = [
        cell
        for cell in cells()
        if cell.elements != SIZES[1] and cell.operation.dtype is not torch.bfloat16
    ]
    rows = recorded.measured_or_recorded(
        lambda: measure(some), lambda: load(store.RECORDED_GPU)
    )
    here = machine.present()
    if here.is_gpu and "bulk copies and programmatic launch" in specs.lacks(here.cc):
        print(
            f"compute capability {here.cc} has no bulk copies and no programmatic launch: the "
            "course's kernel takes packs of 16 bytes and an ordinary launch"
        )
    if not here.is_gpu:
        named = rows[["candidate", "version"]].dropna().drop_duplicates()
        for name, version in named.itertuples(index=False):
            print(f"    {name} {version}")
    return rows


@checked
def load(gpu: str = store.RECORDED_GPU) -> pd.DataFrame:
    """Load the newest record of a GPU. Raises FileNotFoundError where there is none."""
    rows = store.LIBRARIES.load(gpu=gpu)
    if rows.empty:
        raise UnknownNameError(f"no record of a card {gpu!r} in {store.LIBRARIES.name}")
    newest = rows[["date", "commit"]].iloc[-1]
    same = (rows.date == newest.date) & (rows.commit == newest.commit)
    return rows[same].reset_index(drop=True)
